"""Recordings of Dialogflow CX that are cut, damaged, capped or something else: what is lost, what is refused."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from lingbot_map.errors import BadInput, LingbotMapError, UnknownFormat
from lingbot_map.importers import LIMITS, Report, sniff
from lingbot_probes.signals import (
    SlotAssigned,
    TurnStarted,
)
from tests.samples.dialogflow import (
    AGENT,
    codes,
    conversation,
    interaction,
    lines,
    matched,
    page,
    row,
    rows,
    texts,
)
from tests.samples.imports import FILES, mapped, opened


def test_an_export_that_ends_at_its_limit_says_so() -> None:
    (session,) = opened(lines(rows("s", 500)))
    assert codes(session)["capped"] == 1
    (session,) = opened(lines(rows("s", 499)))
    assert "capped" not in codes(session)
    (tail,) = opened(lines(rows("s", 10)[6:]))
    assert codes(tail)["missing_turns"] == 6


def test_one_bad_turn_and_one_bad_conversation_cost_no_other() -> None:
    bad = {**row("bad", 1), "response": '{"queryResult": '}
    deep = {**row("deep", 1), "response": json.dumps({"queryResult": {"parameters": json.loads("[" * 70 + "]" * 70)}})}
    long = {**row("long", 1), "derived_data": "x" * LIMITS.line}
    records = [row("a", 1), bad, deep, row("a", 2), {**row("a", 3), "response": 7}, row("a", 4), row("b", 1)]
    content = b"\n".join([lines(records), b"no json", lines([long]), b"[1]"])
    report = Report()
    found = opened(content, report, name="f")
    assert [(o.session.session_id, len(o.of(TurnStarted))) for o in found] == [("a", 3), ("b", 1)]
    assert sorted(problem.where for problem in report.problems) == [
        "f line 10", "f line 2", "f line 3", "f line 5", "f line 8", "f line 9",
    ]  # fmt: skip
    assert found[0].session.problem_count == 1
    numbers = [item.n for item in found[0].items]
    assert len(set(range(1, numbers[-1] + 1)) - set(numbers)) == 1  # a hole for the turn that could not be read
    with pytest.raises(BadInput):
        opened(content, name="f", strict=True)


def test_bad_ones_among_conversations_and_test_cases() -> None:
    good = conversation("c1", interaction("2026-03-02T08:00:00Z", "a"), {"response": 7}, "no turn")  # type: ignore[arg-type]
    listed = {"name": f"{AGENT}/conversations/c2", "metrics": {}, "type": "TEXT"}
    report = Report()
    (found,) = opened(json.dumps({"conversations": [good, listed, 7, []]}).encode(), report, name="f")
    assert len(found.of(TurnStarted)) == 1
    assert sorted(problem.where for problem in report.problems) == [
        "f line 1 conversation 1 turn 2",
        "f line 1 conversation 1 turn 3",
        "f line 1 conversation 2",
        "f line 1 conversation 3",
        "f line 1 conversation 4",
    ]
    assert "get each one" in next(p.reason for p in report.problems if p.where.endswith("conversation 2"))


def test_every_cut_of_a_document_gives_what_is_whole_in_it() -> None:
    made = [interaction(f"2026-03-02T08:00:0{i}Z", f"say {i}") for i in range(5)]
    content = json.dumps({"conversations": [conversation("c", *made), conversation("d", *made)]}, indent=1).encode()
    whole = len(content)
    taken = set()
    for end in range(1, whole, 61):
        report = Report()
        try:
            found = opened(content[:end], report, name="f")
        except LingbotMapError:
            continue
        taken.add(tuple((o.session.session_id, len(o.of(TurnStarted))) for o in found))
        assert report.problem_count
    assert {(("c", 3),), (("c", 5),), (("c", 5), ("d", 4))} <= taken


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"queryResult": {"queryText": "hi", "fulfillmentText": "x"}}, "Dialogflow ES"),
        ({"queryResult": {}}, "no `conversation_name`"),
        ({"conversation_name": "a"}, "no `conversation_name` with `turn_position`"),
        ({"interactions": "none"}, "no `conversation_name`"),
        ({"response": {"status": 200}}, "no `conversation_name`"),
    ],
)
def test_what_is_none_of_these_is_refused(content: dict[str, Any], said: str) -> None:
    with pytest.raises(UnknownFormat) as caught:
        sniff(json.dumps(content).encode())
    assert said in {names: why for names, why in caught.value.refusals if "dialogflow" in names}.popitem()[1]


def test_hostile_texts_stay_texts() -> None:
    evil = "<script>alert(1)</script>\x1b[2J\u202e"
    record = row("../../etc/passwd", 1, match=matched(evil), parameters={"__proto__": evil, "": 1}, text=evil)
    record["response"]["queryResult"]["responseMessages"] = texts(evil)
    record["response"]["queryResult"]["currentPage"] = page("p", evil, f"{AGENT}/flows/{evil}")
    (session,) = opened(lines([record]))
    assert session.session.session_id == "passwd"
    assert session.of(TurnStarted)[0].utterance == evil
    assert session.of(SlotAssigned) == [SlotAssigned(slot="__proto__", value=evil, scope="session")]
    mapped("passwd", session.session.source, session.items)


def test_anything_in_any_field_is_read_or_named() -> None:
    rng = random.Random(11)
    odd: list[Any] = [None, 7, -1, 1e300, "", "x", "[", "{", [], [None], {}, {"a": 1}, True, [[]], {"fields": 7}]
    base = [json.loads(line) for line in (FILES / "dialogflow_rows.jsonl").read_text("utf-8").splitlines()]
    documents = [
        json.loads((FILES / f"dialogflow_{name}.json").read_text("utf-8"))
        for name in ("conversation", "pairs", "tests")
    ]

    def spoiled(value: Any) -> Any:
        if rng.random() < 0.04:
            return rng.choice(odd)
        if type(value) is dict:
            return {name: spoiled(item) for name, item in value.items()}
        return [spoiled(item) for item in value] if type(value) is list else value

    taken = 0
    for _ in range(150):
        document = spoiled(documents[rng.randrange(3)])
        for content in (lines([spoiled(record) for record in base]), json.dumps(document, indent=1).encode()):
            try:
                for session in opened(content):
                    mapped(session.session.session_id, session.session.source, session.items)
                    taken += 1
            except LingbotMapError:
                continue
    assert taken > 300
