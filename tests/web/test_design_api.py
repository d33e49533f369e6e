"""``/api/design`` over a real server: turns held against a diagram that comes with the request."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lingbot_map.errors import BadInput
from lingbot_map.store import key_of
from lingbot_web.design_api import MAX_TEXT, shown_design
from tests.live.server import Client, running
from tests.web.commands import Command, complaint

CASES = Path(__file__).resolve().parents[2] / "snapshots" / "cases"
DESIGN = """@startuml
actor User
User -> Router: hi
Router -> Router: classify
opt business changes
  Router -> Slots: clearSlots()
end
Router --> User: ok
@enduml
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    data = tmp_path_factory.mktemp("designs") / "data"
    shutil.copytree(CASES, data / "cases")
    with running(data) as (_, client):
        yield client


@pytest.fixture(scope="module")
def key(client: Client) -> str:
    client.get("/api/sessions")
    return key_of("case-recall-drift")


def refused(client: Client, body: object) -> tuple[int, str]:
    code, said = client.post("/api/design", body)
    return code, str(said)


def test_each_turn_is_told_with_its_steps(client: Client, key: str) -> None:
    assert client.get("/api/design") == {"design": None}
    code, said = client.post("/api/design", {"session": key, "name": "flow.puml", "text": DESIGN})
    assert code == 200
    assert (said["design"], said["conforms"], said["seq"]) == ("flow.puml", False, 48)
    assert [turn["turn"] for turn in said["turns"] if not turn["conforms"]] == [2, 6]
    second = [(step["status"], step["message"], step["event"]) for step in said["turns"][1]["steps"]]
    assert second == [("matched", "m1", 8), ("matched", "m2", 9), ("missing", "m3", 0), ("matched", "m4", 15)]
    _, early = client.post("/api/design", {"session": key, "name": "flow.puml", "text": DESIGN, "at": 9})
    assert [turn["turn"] for turn in early["turns"]] == [1, 2]
    assert [step["status"] for step in early["turns"][1]["steps"]] == ["matched", "matched", "missing", "missing"]


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"text": DESIGN.replace("end\n", "", 1)}, 400, "flow.puml line 5"),
        ({"text": "@startuml\nclass A\n@enduml\n"}, 400, "a class diagram"),
        ({"text": "x" * (MAX_TEXT + 1)}, 400, "characters"),
        ({"text": ""}, 400, "text"),
        ({"text": 3}, 400, "text"),
        ({"name": "n" * 300}, 400, "name"),
        ({"session": "nobody"}, 400, "session"),
        ({"session": "0" * 32}, 404, "session"),
        ({"at": -1}, 400, "at"),
        ({"at": 10**6}, 404, ""),
    ],
)
def test_what_can_not_be_held_is_refused(
    client: Client, key: str, change: dict[str, object], code: int, words: str
) -> None:
    got, body = refused(client, {"session": key, "name": "flow.puml", "text": DESIGN, **change})
    assert got == code, body
    assert words in body


def test_a_design_that_the_operator_names_is_read_at_the_start(command: Command, tmp_path: Path) -> None:
    flow = tmp_path / "flow.puml"
    flow.write_text(DESIGN.replace("end\n", "", 1))
    for words in (["serve", "--port", "0"], ["open", str(next(CASES.iterdir()))]):
        why = complaint(command(*words, "--data", str(tmp_path / "data"), "--design", str(flow)), 2)
        assert f"{flow} line 5" in why
    flow.write_text(DESIGN)
    shown = shown_design(flow)
    assert shown is not None
    assert (shown.name, shown.text) == ("flow.puml", DESIGN)
    flow.write_text(DESIGN + "'" + "x" * MAX_TEXT)
    with pytest.raises(BadInput, match="at most"):
        shown_design(flow)
