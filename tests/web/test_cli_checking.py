"""``check`` and ``diff`` as CI runs them: the exit code, the lines, and reports that other programs read."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from lingbot_map.events import EpochStarted
from lingbot_map.store.lines import event_line, header_line
from tests.builders import Dialogue, answered, assigned, recalled, routed, said
from tests.web.commands import Command, complaint


def dialogue(session: str = "s", *, city: str = "Lund", intent: str = "bill", overwritten: bool = False) -> Dialogue:
    told = Dialogue(session)
    told.own(EpochStarted(epoch="e"))
    told.tell(said("hello there", "t1"), routed("greet"), assigned("city", city), turn="t1")
    told.tell(said("what do I owe", "t2"), routed(intent), turn="t2")
    told.tell(recalled("reranked", {"prices": 0.9, "terms": 0.2}), answered("99", "prices"), turn="t2")
    if overwritten:
        told.tell(assigned("city", "Malmö"), turn="t2")
    return told


def recording(path: Path, told: Dialogue) -> Path:
    """The log of ``told`` as a file."""
    path.write_bytes(b"".join([header_line(told.map.session), *map(event_line, told.events)]))
    return path


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    return recording(tmp_path / "clean.jsonl", dialogue())


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    return recording(tmp_path / "wrong.jsonl", dialogue("w \x1b[31m", overwritten=True))


def test_help_tells_the_exit_codes_and_gives_examples(command: Command) -> None:
    everything = command().stdout
    for name in ("check", "diff"):
        assert f"\n  {name} " in everything
        said = " ".join(command(name, "-h").stdout.split())
        assert f"Example: lingbot-map {name}" in said
        for code in ("Exit code 0:", " 1: ", " 2: "):
            assert code in said


def test_clean_recordings_of_any_format_leave_with_0(command: Command, clean: Path, tracker: Path) -> None:
    packed = clean.with_name("clean.jsonl.gz")
    packed.write_bytes(gzip.compress(clean.read_bytes()))
    done = command("check", str(clean), str(tracker), str(packed))
    assert done.returncode == 0
    assert f"{clean}  s  2 turns, clean\n" in done.stdout
    assert done.stdout.endswith("0 issues in 0 of 3 sessions\n")
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_a_finding_leaves_with_1_and_is_a_line_with_turn_sentence_and_evidence(
    command: Command, clean: Path, wrong: Path
) -> None:
    done = command("check", str(clean), str(wrong))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert lines[1] == f"{wrong}  w \\x1b[31m  2 turns, 1 issue"
    assert lines[2].startswith("  turn 2    LM301   city: Lund from turn 1 was overwritten with Malmö in turn 2")
    assert lines[2].endswith("[slot:city; events 4, 9]")
    assert lines[3] == "1 issue in 1 of 2 sessions"
    assert "被" in command("check", str(wrong), "--lang", "zh").stdout
    (said,) = json.loads(command("check", str(wrong), "--json").stdout)
    assert said["issues"][0]["code"] == "LM301"
    assert said["issues"][0]["seqs"] == [4, 9]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 1),
        (["--except", "LM301"], 0),
        (["--except", "overwrite", "--except", "loop"], 0),
        (["--except", "loop"], 1),
        (["--fail-on", "loop"], 0),
        (["--fail-on", "loop", "--fail-on", "LM301"], 1),
        (["--fail-on", "all"], 1),
        (["--fail-on", "none"], 0),
        (["--fail-on", "none", "--fail-on", "loop"], 2),
        (["--fail-on", "leek"], 2),
        (["--except", "LM999"], 2),
        (["--lang", "fr"], 2),
        (["--update-golden"], 2),
        (["--rules", "nothing.toml"], 2),
        (["--golden", "nothing.jsonl"], 2),
        (["--junit", "no/such/folder.xml"], 2),
        (["--map", "x"], 2),
    ],
)
def test_which_findings_count_is_said_by_kind_or_code(
    command: Command, wrong: Path, options: list[str], code: int
) -> None:
    done = command("check", str(wrong), *options)
    assert done.returncode == code
    if code == 0:
        assert "2 turns, clean (1 finding not counted)" in done.stdout
    if code == 2:
        assert done.stderr.startswith("lingbot-map: ")
        assert done.stderr.count("\n") == 1


def test_a_file_that_can_not_be_read_leaves_with_2_and_the_others_are_checked(
    command: Command, tmp_path: Path, wrong: Path
) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("what is this")
    done = command("check", str(bad), "nowhere.jsonl", str(wrong), "--junit", "o.xml", "--sarif", "o.sarif")
    assert done.returncode == 2
    assert "LM301" in done.stdout
    first, second = done.stderr.splitlines()
    assert first.startswith(f"lingbot-map: {bad}: no known format fits")
    assert (
        second
        == "lingbot-map: nowhere.jsonl: expected a file, or a recording's folder with its events.jsonl, found nothing"
    )
    cases = list(ElementTree.parse(tmp_path / "o.xml").iter("testcase"))
    assert [[child.tag for child in case] for case in cases] == [["error"], ["error"], ["failure"]]
    invocation = json.loads((tmp_path / "o.sarif").read_text())["runs"][0]["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert len(invocation["toolExecutionNotifications"]) == 2
    assert complaint(command("check"), 2)
    assert command("check", "\udcff").returncode == 2


def test_a_reader_that_leaves_changes_neither_the_exit_code_nor_the_reports(
    command: Command, tmp_path: Path, clean: Path, wrong: Path
) -> None:
    for arguments in (["check", wrong, "--junit", "o.xml"], ["check", wrong, "--json"], ["diff", clean, wrong]):
        reading, writing = os.pipe()
        os.close(reading)
        code = "from lingbot_web.command import main; raise SystemExit(main())"
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)], stdout=writing, stderr=subprocess.PIPE, check=False
        )
        os.close(writing)
        assert (done.returncode, done.stderr) == (1, b""), arguments
    assert (tmp_path / "o.xml").stat().st_size


def test_damaged_lines_are_noted_and_what_is_whole_is_checked(command: Command, wrong: Path) -> None:
    lines = wrong.read_bytes().splitlines(keepends=True)
    wrong.write_bytes(b"".join([*lines[:3], b"not json\n", *lines[4:]]))
    done = command("check", str(wrong), "--except", "gap")
    assert "line 4" in done.stderr
    assert done.stderr.startswith("note: ")
    assert "LM301" in done.stdout


def test_rules_and_golden_maps_are_held_to(command: Command, tmp_path: Path, clean: Path) -> None:
    rules = tmp_path / "r.toml"
    rules.write_text('[[rule]]\nname = "the bill"\njumped = ["greet", "price"]\n\n[[rule]]\nhas_no = "findings"\n')
    done = command("check", str(clean), "--rules", str(rules))
    assert done.returncode == 1
    assert f"turn 2    RULE    the bill: expected a jump greet → price, found greet → bill ({rules}:1)" in done.stdout
    rules.write_text(rules.read_text().replace("price", "bill"))
    assert command("check", str(clean), "--rules", str(rules)).returncode == 0
    rules.write_text("[[rule]]\nnever = 3\n")
    assert f"{rules} line 2: expected never as a text" in command("check", str(clean), "--rules", str(rules)).stderr

    golden = tmp_path / "golden" / "g.jsonl"
    made = command("check", str(clean), "--golden", str(golden), "--update-golden")
    assert (made.returncode, made.stderr) == (0, f"written to {golden}: the golden map of s\n")
    other = recording(tmp_path / "other.jsonl", dialogue("another", city="Malmö", intent="price"))
    done = command("check", str(other), "--golden", str(golden))
    assert done.returncode == 1
    assert "turn 1    GOLDEN  expected slot city = 'Lund', found = 'Malmö'" in done.stdout
    assert "turn 2    GOLDEN  expected the flow bill, found price" in done.stdout
    # Of several sessions only that of the same name is meant.
    assert command("check", str(other), str(clean), "--golden", str(golden)).returncode == 0
    third = recording(tmp_path / "third.jsonl", dialogue("third"))
    done = command("check", str(other), str(third), "--golden", str(golden))
    assert done.returncode == 2
    assert "expected golden maps of sessions in the files, found one of s" in done.stderr
    assert (
        "one session in the files"
        in command("check", str(other), str(third), "--golden", str(golden), "--update-golden").stderr
    )


def test_junit_is_read_back_with_whatever_was_said_in_it(command: Command, clean: Path, wrong: Path) -> None:
    assert command("check", str(clean), str(wrong), "--junit", "o.xml").returncode == 1
    root = ElementTree.parse("o.xml").getroot()
    assert root.tag == "testsuites"
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("2", "1", "0")
    good, bad = root.iter("testcase")
    assert list(good) == []
    assert (good.get("classname"), good.get("name")) == (str(clean), "s")
    assert bad.get("name") == "w \\x1b[31m"
    (failure,) = bad
    assert (failure.get("message") or "").startswith("turn 2: LM301 city: Lund")
    assert "[slot:city; events 4, 9]" in (failure.text or "")


def test_sarif_has_what_2_1_0_asks_for(command: Command, tmp_path: Path, wrong: Path) -> None:
    odd = tmp_path / "通话 #1.jsonl"
    shutil.copy(wrong, odd)
    rules = tmp_path / "r.toml"
    rules.write_text('[[rule]]\npath = ["greet"]\n')
    options = ["--rules", str(rules), "--sarif", "o.sarif"]
    assert command("check", odd.name, str(tmp_path / "nowhere"), *options).returncode == 2
    log: dict[str, Any] = json.loads((tmp_path / "o.sarif").read_text("utf-8"))
    assert valid(log) == 2
    finding, rule = log["runs"][0]["results"]
    place = finding["locations"][0]["physicalLocation"]
    assert unquote(place["artifactLocation"]["uri"]) == odd.name, "relative as it was given, for code scanning"
    line = odd.read_bytes().splitlines()[place["region"]["startLine"] - 1]
    assert json.loads(line)["signal"] == {"kind": "slot_assigned", "slot": "city", "value": "Malmö"}
    assert (finding["ruleId"], finding["level"], rule["ruleId"], rule["level"]) == ("LM301", "warning", "RULE", "error")
    again = tmp_path / "moved.jsonl"
    shutil.move(odd, again)
    command("check", again.name, *options)
    moved = json.loads((tmp_path / "o.sarif").read_text("utf-8"))
    fingerprints = [[r["partialFingerprints"] for r in told["runs"][0]["results"]] for told in (log, moved)]
    assert fingerprints[0] == fingerprints[1]


def valid(log: dict[str, Any]) -> int:
    """Fails unless the log has the members that SARIF 2.1.0 requires, of the types it requires; counts results."""
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert type(driver["name"]) is str
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    for invocation in run["invocations"]:
        assert type(invocation["executionSuccessful"]) is bool
        for note in invocation.get("toolExecutionNotifications", []):
            assert note["message"]["text"]
            assert note["level"] in ("none", "note", "warning", "error")
    for result in run["results"]:
        assert result["message"]["text"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert all(type(value) is str for value in result["partialFingerprints"].values())
        for location in result["locations"]:
            physical = location["physicalLocation"]
            uri = physical["artifactLocation"]["uri"]
            assert uri.isascii()
            assert " " not in uri
            assert "#" not in uri
            assert physical["region"]["startLine"] >= 1
            assert all(logical["fullyQualifiedName"] for logical in location["logicalLocations"])
    return len(run["results"])


def test_the_same_dialogue_is_the_same_whatever_its_times_and_numbers(
    command: Command, tmp_path: Path, clean: Path
) -> None:
    later = dialogue("another name")
    later.now += 5000
    other = recording(tmp_path / "b.jsonl", later)
    done = command("diff", str(clean), str(other))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("the same: flow, slots, recalls and findings of every turn\n")
    assert json.loads(command("diff", str(clean), str(other), "--json").stdout)["same"] is True


def test_a_difference_is_told_where_the_two_part_and_by_kind(command: Command, tmp_path: Path, clean: Path) -> None:
    other = Dialogue("b \x1b")
    other.tell(said("good day", "t0"), turn="t0")
    other.tell(said("Hello  there", "t1"), routed("greet"), assigned("city", "Malmö"), turn="t1")
    other.tell(said("what do I owe", "t2"), routed("price"), turn="t2")
    other.tell(recalled("reranked", {"terms": 0.9, "prices": 0.2}), answered("99", "terms"), turn="t2")
    b = recording(tmp_path / "b.jsonl", other)
    done = command("diff", str(clean), str(b))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"A  {clean}  s  2 turns",
        f"B  {b}  b \\x1b  3 turns",
        "they part in B 1 (good day): none | 'good day'",
        "turns that one lacks",
        "  B 1          none | 'good day'",
        "jumps",
        "  A 2 | B 3    the flow: bill | price",
        "slots",
        "  A 1 | B 2    slot city: = 'Lund' | = 'Malmö'",
        "recalls",
        "  A 2 | B 3    document 1 of reranked: prices | terms",
        "answers",
        "  A 2 | B 3    an answer from: prices | terms",
        "5 differences in 3 turns",
    ]
    told = json.loads(command("diff", str(clean), str(b), "--json").stdout)
    assert told["rows"] == [[None, 1], [1, 2], [2, 3]]
    assert told["first"] == told["differences"][0]
    assert [difference["kind"] for difference in told["differences"]] == ["turn", "slot", "jump", "recall", "answer"]


def test_a_finding_that_one_lacks_is_told_with_one_colon(command: Command, clean: Path, wrong: Path) -> None:
    assert "  A 2 | B 2    findings of LM301 overwrite: none | 1" in command("diff", str(clean), str(wrong)).stdout


def test_what_came_before_the_first_turn_is_no_turn(command: Command, tmp_path: Path) -> None:
    greeting = {"event": "slot", "name": "channel", "value": "phone"}
    events = [greeting, {"event": "user", "text": "hi"}, {"event": "slot", "name": "channel", "value": "chat"}]
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    for path, told in ((a, events), (b, events[:2])):
        path.write_text("\n".join(json.dumps({"sender_id": "s", "timestamp": 1.7e9, **event}) for event in told))
    assert "a.jsonl  s  1 turn," in command("check", str(a)).stdout
    done = command("diff", str(a), str(b))
    assert [line.rpartition("  ")[2] for line in done.stdout.splitlines()[:2]] == ["1 turn", "1 turn"]
    assert done.stdout.splitlines()[-1] == "2 differences in 1 turn"
    assert json.loads(command("diff", str(a), str(b), "--json").stdout)["a"]["turns"] == 1


def test_what_can_not_be_compared_leaves_with_2(command: Command, tmp_path: Path, clean: Path, tracker: Path) -> None:
    two = tmp_path / "two.jsonl"
    events = [{"sender_id": name, "event": "user", "text": "hi", "timestamp": 1.7e9} for name in ("a", "b")]
    two.write_text("\n".join(map(json.dumps, events)))
    assert "expected one session, found a, b; say which with --session" in complaint(
        command("diff", str(two), str(clean)), 2
    )
    assert command("diff", str(two), str(two), "--session", "a").returncode == 0
    assert "expected the session c, found none" in complaint(command("diff", str(two), str(two), "--session", "c"), 2)
    assert "expected a file" in complaint(command("diff", str(clean), "nothing.jsonl"), 2)
    assert complaint(command("diff", str(clean)), 2)
    assert command("diff", str(clean), str(tracker)).returncode == 1
