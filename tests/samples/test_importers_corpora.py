"""Files of annotated dialogues: told by their content, in every container, each dialogue a session of its own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.errors import BadInput, UnknownFormat
from lingbot_map.importers import Report, sniff
from lingbot_map.importers.records import members
from lingbot_probes.signals import Answered, SessionStarted, TurnStarted
from tests.samples.imports import Opened, mapped, opened

Dialogue = dict[str, Any]


def sgd(name: str = "1_0", turns: int = 4, first: str = "say 0") -> Dialogue:
    """A dialogue of turns by turns."""
    found: list[dict[str, Any]] = [
        {"speaker": ("USER", "SYSTEM")[i % 2], "utterance": f"say {i}" if i else first, "frames": []}
        for i in range(turns)
    ]
    return {"dialogue_id": name, "services": ["Cafes_1", "Buses_2"], "turns": found}


def crosswoz(turns: int = 4) -> Dialogue:
    """A dialogue whose name stands beside it."""
    roles: tuple[Dialogue, Dialogue] = (
        {"role": "usr", "dialog_act": [["General", "greet", "none", "none"]]},
        {"role": "sys", "dialog_act": []},
    )
    return {"type": "单领域", "goal": [], "messages": [{"content": f"说 {i}", **roles[i % 2]} for i in range(turns)]}


def kdconv(name: str = "长城", turns: int = 4, first: str = "第一句") -> Dialogue:
    """A dialogue that bears the name of what it is about."""
    return {"messages": [{"message": f"句 {i}" if i else first} for i in range(turns)], "name": name}


def star(turns: int = 4) -> Dialogue:
    """One with times."""
    who = ({"Agent": "User", "Action": "utter"}, {"Agent": "Wizard", "Action": "utter"})
    events = [{**who[i % 2], "Text": f"say {i}", "UnixTime": 1_600_000_000 + i} for i in range(turns)]
    return {"CompletionLevel": "Complete", "Scenario": {"Domains": ["ride"]}, "DialogueID": 12, "Events": events}


ONE: dict[str, tuple[str, Dialogue]] = {
    "sgd": ("1_0", sgd()),
    "crosswoz": ("12", crosswoz()),
    "kdconv": ("长城", kdconv()),
    "star": ("12", star()),
}


def containers(name: str, dialogue: Dialogue) -> dict[str, bytes]:
    """One dialogue, in every container and spacing that it is handed on in."""
    named = {"id": name, **dialogue} if "id" not in dialogue else dialogue
    plain = json.dumps(named).encode()
    return {
        "alone": plain,
        "alone and spaced": json.dumps(named, indent=2, ensure_ascii=False).encode(),
        "list": json.dumps([named], indent=1).encode(),
        "lines": plain + b"\r\n\r\n" + plain.replace(b"0", b"9").replace(b"1", b"8"),
        "by id": json.dumps({name: dialogue}).encode(),
        "by id and spaced": json.dumps({name: dialogue}, indent="\t").encode(),
        "marked": b"\xef\xbb\xbf" + plain,
        "gzip": gzip.compress(plain),
    }


@pytest.mark.parametrize("format", ONE)
def test_the_same_dialogue_in_any_container_is_the_same_session(tmp_path: Path, format: str) -> None:
    name, dialogue = ONE[format]
    found: list[Opened] = []
    for content in containers(name, dialogue).values():
        path = tmp_path / "photo.png"
        path.write_bytes(content)
        assert sniff(path) == sniff(content) == format
        report = Report()
        found.append(opened(path, report)[0])
        assert report.problem_count == 0
    assert {one.session.session_id for one in found} == {name}
    assert len({one.session.source for one in found}) == 1
    for one in found:
        assert [item.signal for item in one.items[1:]] == [item.signal for item in found[0].items[1:]]
        assert one.of(TurnStarted)
        assert one.of(Answered)
        assert one.session.timed == (format == "star")
        assert ("untimed" in [fact["code"] for fact in one.session.lost]) == (format != "star")


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ([sgd(turns=3)], [sgd(turns=8), sgd("2_0")]),
        ({"7": crosswoz(3)}, {"6": crosswoz(), "7": crosswoz(9)}),
        ([kdconv(turns=2)], [kdconv("故宫"), kdconv(turns=6)]),
        (star(3), star(7)),
    ],
)
def test_a_longer_export_goes_on_where_the_shorter_one_ended(short: object, long: object) -> None:
    (one,) = opened(json.dumps(short).encode())
    all = opened(json.dumps(long, indent=1).encode())
    (same,) = [other for other in all if other.session.session_id == one.session.session_id]
    assert same.session.source == one.session.source
    assert same.items[: len(one.items)] == one.items
    mapper = mapped(one.session.session_id, one.session.source, one.items)
    before = mapper.map.cursor.seq
    mapped(one.session.session_id, one.session.source, one.items, mapper)
    assert mapper.map.cursor.seq == before
    mapped(one.session.session_id, one.session.source, same.items, mapper)
    assert mapper.map.cursor.seq == len(same.items) > before


def test_dialogues_of_one_name_stay_apart_however_they_begin() -> None:
    file = [kdconv(), kdconv(first="另一句"), kdconv(turns=6), sgd(), sgd(first="other")]
    sessions = opened(json.dumps(file[:3]).encode())
    assert len({one.session.session_id for one in sessions}) == len({one.session.source for one in sessions}) == 3
    again = opened(json.dumps(file[:3], indent=2).encode())
    assert [one.session.source for one in again] == [one.session.source for one in sessions]
    first, second = opened(json.dumps(file[3:]).encode())
    assert (first.session.session_id, second.session.session_id[:4]) == ("1_0", "1_0~")
    (alone,) = opened(json.dumps(file[4:]).encode())
    assert (alone.session.session_id, alone.session.source) == ("1_0", second.session.source), (
        "also in files of their own"
    )


def test_one_bad_dialogue_or_record_costs_itself_alone() -> None:
    bad = sgd("bad")
    bad["turns"][1] = {"speaker": "USER"}
    bad["turns"][2]["speaker"] = "ROBOT"
    bad["turns"][3]["frames"] = [{"service": {}}]
    report = Report()
    file = json.dumps([sgd("good"), 17, {"dialogue_id": "none", "turns": []}, bad, sgd("last")]).encode()
    sessions = opened(file, report, name="d.json")
    assert [one.session.session_id for one in sessions] == ["good", "bad", "last"]
    assert [str(problem) for problem in report.problems] == [
        "d.json item 2: no `turns`, `messages` or `Events`",
        "d.json item 3: a dialogue in which nothing was said",
        "d.json item 4 turn 3: speaker: expected USER or SYSTEM, found 'ROBOT'",
        "d.json item 4 turn 4: service: expected text, found {}",
    ]
    good, broken, _ = sessions
    assert (good.session.problem_count, broken.session.problem_count) == (0, 2)
    assert [item.n for item in broken.items] == [1, 2, 3]
    assert [fact["code"] for fact in broken.session.lost][:1] == ["unread"]
    with pytest.raises(BadInput, match=r"d\.json item 2"):
        opened(file, name="d.json", strict=True)


@pytest.mark.parametrize(
    ("whole", "until", "name"),
    [
        ([sgd("a"), sgd("b", 9)], "say 6", "b"),
        ({"a": crosswoz(), "b": crosswoz(9)}, "说 6", "b"),
        (star(9), "say 6", "12"),
    ],
)
def test_a_cut_file_gives_all_that_is_whole_in_it(whole: object, until: str, name: str) -> None:
    content = json.dumps(whole, ensure_ascii=False, sort_keys=True).encode()
    cut = content[: content.rindex(until.encode()) + len(until.encode())]
    report = Report()
    last = opened(cut, report, name="cut.json")[-1]
    if name == "b" and isinstance(whole, list):
        assert last.session.session_id == "a"  # the item of a list is whole, or it is none
    else:
        assert [turn.utterance[-1] for turn in last.of(TurnStarted)] == ["0", "2", "4"]
    assert report.problem_count == 1
    assert "ends in the middle" in report.problems[0].reason


def test_a_dialogue_longer_than_a_record_may_be_opens() -> None:
    long = star(20_000)
    (one,) = opened(json.dumps([long]).encode())
    assert len(json.dumps(long)) > 1 << 20
    assert len(one.of(TurnStarted)) == 10_000


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([{"service_name": "Cafes_1", "slots": [], "intents": []}], "the schema of a service"),
        ([["老面馆", {"评分": "4分"}]], "an entity and its attributes"),
        ({"长城": [["长城", "门票", "40元"]]}, "triples of a knowledge base"),
        ({"task": "taxi", "replies": {}, "graph": {}}, "the flow of a task"),
        ({"hello": "Hello!", "bye": "Bye."}, "texts by their names"),
        ({"input": [], "output": []}, "the description of an API"),
        ([{"Name": "City", "Type": "Categorical"}], "a column of a database"),
        ({"messages": [{"role": "user", "content": "x"}]}, "no `turns`, `messages` or `Events`"),
    ],
)
def test_what_lies_beside_dialogues_is_called_by_its_name(content: object, said: str) -> None:
    for text in (json.dumps(content), json.dumps(content, indent=2)):
        with pytest.raises(UnknownFormat) as caught:
            opened(text.encode(), name="x.json")
        (why,) = (why for names, why in caught.value.refusals if "sgd" in names.split(", "))
        assert said in why


def test_what_a_dialogue_says_of_itself_is_kept_unless_it_is_long() -> None:
    (one,) = opened(json.dumps({**sgd(), "note": "n", "log": "x" * 70_000}).encode())
    assert one.of(SessionStarted) == [
        SessionStarted(
            title="1_0 · Cafes_1, Buses_2",
            meta={"corpus": "sgd", "dialogue_id": "1_0", "services": ["Cafes_1", "Buses_2"], "note": "n"},
        )
    ]
    assert [fact["code"] for fact in one.session.lost] == ["unrouted", "header", "untimed"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"{}", []),
        (b'{"a" : 1 , "b":[{"c":"}"}] }', [("a", b"1", ""), ("b", b'[{"c":"}"}]', "")]),
        (b'{"\\u00e9": "x\\"y"}', [("\u00e9", b'"x\\"y"', "")]),
        (b'{"a":1} 2', [("a", b"1", ""), ("", b" 2", "something follows after the end of the object")]),
        (b'{"a":1, "b', [("a", b"1", ""), ("", b'"b', "the file ends in the middle of an object")]),
        (b'{"a":[1, 2', [("a", b"[1, 2", "the file ends in the middle of an object")]),
        (b'{"a":', [("a", b"", "the file ends in the middle of an object")]),
        (b"{1}", [("", b"1}", "the file ends in the middle of an object")]),
    ],
)
def test_members_of_an_object_are_found_without_building_it(text: bytes, found: list[Any]) -> None:
    assert [(m.name, text[m.start : m.end], m.bad) for m in members(text, 0)] == found
