"""``check --design``: recorded sessions held against a diagram, in each report, with rules beside it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lingbot_map.errors import BadInput
from lingbot_map.events import EpochStarted
from lingbot_map.testing import MapDiffers
from lingbot_web.designs import follows
from tests.builders import Dialogue, answered, assigned, routed, said
from tests.web.commands import Command, complaint
from tests.web.test_cli_checking import recording, valid

ROOT = Path(__file__).resolve().parents[2]
CASES = sorted((ROOT / "snapshots" / "cases").iterdir())
DESIGN = """@startuml
actor User
User -> Router: hi
Router -> Router: classify
opt business changes
  Router -> Slots: clearSlots()
end
Router -> Slots: save()
Bot -> User: ok
@enduml
"""


@pytest.fixture
def call(tmp_path: Path) -> Path:
    told = Dialogue("s")
    told.own(EpochStarted(epoch="e"))
    told.tell(said("hello", "t1"), routed("greet"), assigned("city", "Lund"), answered("ok"), turn="t1")
    told.tell(said("what do I owe", "t2"), routed("bill"), answered("99"), turn="t2")
    return recording(tmp_path / "call.jsonl", told)


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    path = tmp_path / "flow.puml"
    path.write_text(DESIGN.replace("Router -> Slots: save()", "' lingbot: write\nRouter -> Slots: save()"))
    return path


def test_each_turn_is_told_with_its_messages_and_events(command: Command, call: Path, flow: Path) -> None:
    done = command("check", str(call), "--design", str(flow))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == [
        f"{call}  s  2 turns, 2 issues",
        f"  turn 2    DESIGN  expected m3 clearSlots() ({flow} line 6, under business changes) after event 7, "
        "found nothing of it  [events 7]",
        f"  turn 2    DESIGN  expected m4 save() ({flow} line 9) after event 7, found nothing of it  [events 7]",
        f"  design {flow}: 1 of 2 turns as designed",
        "    turn 1: 4 matched (m1 = 2, m2 = 3, m4 = 4, m5 = 5)",
        "    turn 2: 3 matched (m1 = 6, m2 = 7, m5 = 8); missing: m3, m4",
        "    m2 classify (line 4) is read as: route",
        "    m3 clearSlots() (line 6) is read as: clear",
        "2 issues in 1 of 1 session",
    ]
    chinese = command("check", str(call), "--design", str(flow), "--lang", "zh").stdout
    assert f"缺少 m3 clearSlots()（{flow} 第 6 行，条件“business changes”）" in chinese


def test_json_junit_and_sarif_say_the_same(command: Command, tmp_path: Path, call: Path, flow: Path) -> None:
    options = ["--design", str(flow), "--junit", "o.xml", "--sarif", "o.sarif", "--json"]
    done = command("check", str(call), *options)
    (session,) = json.loads(done.stdout)
    assert [(issue["code"], issue["turn"], issue["seq"]) for issue in session["issues"]] == [("DESIGN", 2, 7)] * 2
    (report,) = session["designs"]
    assert [turn["conforms"] for turn in report["turns"]] == [True, False]
    steps = [(step["status"], step["message"], step["event"]) for step in report["turns"][1]["steps"]]
    assert steps == [
        ("matched", "m1", 6), ("matched", "m2", 7), ("missing", "m3", 0), ("missing", "m4", 0), ("matched", "m5", 8),
    ]  # fmt: skip
    assert [(each["message"], each["kind"], each["by"]) for each in report["read_as"]][1:4] == [
        ("m2", "route", "words"), ("m3", "clear", "words"), ("m4", "write", "comment"),
    ]  # fmt: skip
    root = ElementTree.parse(tmp_path / "o.xml").getroot()
    (failure,) = root.iter("failure")
    assert failure.get("type") == "DESIGN"
    assert "turn 2: 3 matched" in (root.findtext(".//system-out") or "")
    log = json.loads((tmp_path / "o.sarif").read_text("utf-8"))
    assert valid(log) == 2
    assert {(result["ruleId"], result["level"]) for result in log["runs"][0]["results"]} == {("DESIGN", "error")}


def test_turns_are_chosen_and_other_demands_stand_beside(
    command: Command, tmp_path: Path, call: Path, flow: Path
) -> None:
    assert command("check", str(call), "--design", str(flow), "--at-turn", "1").returncode == 0
    rules = tmp_path / "r.toml"
    rules.write_text(
        '[[rule]]\npath = ["greet", "bill"]\n\n[[rule]]\nname = "as drawn"\ndesign = "flow.puml"\nat_turn = 2\n'
        'messages = { "clearSlots" = "none", save = "none" }\n'
    )
    assert command("check", str(call), "--rules", str(rules)).returncode == 0
    rules.write_text(rules.read_text().replace(', save = "none"', ""))
    done = command("check", str(call), "--rules", str(rules))
    assert done.returncode == 1
    assert f"DESIGN  as drawn: expected m4 save() ({flow} line 9)" in done.stdout
    assert f"({rules}:4)" in done.stdout
    rules.write_text(rules.read_text() + 'session = "other-*"\n')
    assert command("check", str(call), "--rules", str(rules)).returncode == 0


def test_what_can_not_be_read_leaves_with_2_and_its_line(
    command: Command, tmp_path: Path, call: Path, flow: Path
) -> None:
    flow.write_text(DESIGN.replace("end\n", "", 1))
    assert f"{flow} line 5: expected an" in complaint(command("check", str(call), "--design", str(flow)), 2)
    flow.write_text(DESIGN.replace("Router -> Slots: save()", "' lingbot: wriet\nRouter -> Slots: save()"))
    assert f"{flow} line 8: expected a kind of step" in complaint(command("check", str(call), "--design", str(flow)), 2)
    assert "a file that can be read" in complaint(command("check", str(call), "--design", str(tmp_path / "x.puml")), 2)
    assert "--design FILE beside it" in complaint(command("check", str(call), "--at-turn", "1"), 2)
    rules = tmp_path / "r.toml"
    rules.write_text('[[rule]]\ndesign = "flow.puml"\nmessages = { nobody = "write" }\n')
    flow.write_text(DESIGN)
    assert f"{rules} line 1: expected the name" in complaint(command("check", str(call), "--rules", str(rules)), 2)
    rules.write_text('[[rule]]\ndesign = "flow.puml"\nmessages = 3\n')
    assert f"{rules} line 3: expected messages as" in complaint(command("check", str(call), "--rules", str(rules)), 2)


def test_a_design_that_maps_to_nothing_does_not_pass(command: Command, call: Path, flow: Path) -> None:
    flow.write_text("@startuml\nopt x\nA -> B: clear cache\nend\n@enduml\n")
    done = command("check", str(call), "--design", str(flow))
    assert done.returncode == 1
    assert "found none of them: the design maps to nothing in this record" in done.stdout
    flow.write_text("@startuml\nactor User\nUser -> B: hi\nB -> C: deduct()\nB -> User: ok\n@enduml\n")
    done = command("check", str(call), "--design", str(flow))
    assert done.returncode == 1
    assert "m2 deduct() (line 4) stands for nothing that is recorded: not checked" in done.stdout


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name[:6])
@pytest.mark.parametrize("to", ["plantuml", "mermaid"])
def test_a_stored_session_follows_the_diagram_it_is_exported_to(command: Command, case: Path, to: str) -> None:
    data = str(case.parent.parent)
    assert command("export", case.name, "--data", data, "--to", to, "--lang", "zh", "--out", "out.puml").returncode == 0
    done = command("check", str(case), "--fail-on", "none", "--design", "out.puml")
    assert done.returncode == 0, done.stdout
    lines = Path("out.puml").read_text("utf-8").splitlines()
    place = next(at for at, line in enumerate(lines) if ": 意图 " in line)
    Path("out.puml").write_text("\n".join(lines[:place] + lines[place + 1 :]), "utf-8")
    done = command("check", str(case), "--fail-on", "none", "--design", "out.puml")
    assert done.returncode == 1
    assert done.stdout.count(" DESIGN ") == 1
    assert "expected no step here that out.puml does not have, found route " in done.stdout


def test_a_test_may_assert_a_design(call: Path, flow: Path) -> None:
    from lingbot_map.testing import open_maps

    (opened,) = open_maps(call)
    follows(opened.map, flow, at_turn=1)
    with pytest.raises(MapDiffers) as why:
        follows(opened.map, flow)
    assert "turn 2: expected m3 clearSlots()" in str(why.value)
    follows(opened.map, flow, messages={"clearSlots": "none", "save": "none", "classify": "route bill"}, at_turn=2)
    with pytest.raises(BadInput, match="messages="):
        follows(opened.map, flow, messages={"nobody": "write"})
