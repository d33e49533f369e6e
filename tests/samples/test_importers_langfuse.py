"""Langfuse's exports: three shapes of one trace, sessions, what each observation becomes, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lingbot_map.errors import LingbotMapError, UnknownFormat
from lingbot_map.importers import Report, sniff
from lingbot_probes.signals import Answered, Failed, IntentRouted, Raw, Retrieved, SessionStarted, TurnStarted
from tests.samples.imports import mapped, opened

Record = dict[str, Any]
PASSAGE = "Within fourteen days, no questions asked."


def stamp(trace: int, at: int) -> str:
    return f"2025-05-01T10:{trace:02d}:{at:02d}.000Z"


def trace(number: int, asked: str, answer: str, **more: Any) -> Record:
    """A trace as the API gives it, without its observations."""
    about = {
        "id": f"t-{number}",
        "timestamp": stamp(number, 0),
        "name": "chat",
        "sessionId": "chat-1",
        "userId": "anna",
    }
    return {**about, "input": {"message": asked}, "output": {"answer": answer}, "metadata": {}, **more}


def observed(number: int, own: int, kind: str, name: str, at: int, parent: int = 0, **more: Any) -> Record:
    """An observation as the API gives it."""
    return {
        "id": f"o-{number}-{own}",
        "traceId": f"t-{number}",
        "parentObservationId": f"o-{number}-{parent}" if parent else None,
        "type": kind,
        "name": name,
        "startTime": stamp(number, at),
        "endTime": stamp(number, at + 1),
        "level": "DEFAULT",
        **more,
    }


def observations(number: int, asked: str, answer: str) -> list[Record]:
    docs = [{"id": "doc-1", "content": PASSAGE, "score": 0.9}]
    return [
        observed(number, 1, "AGENT", "support", 1),
        observed(number, 2, "RETRIEVER", "bm25 search", 2, 1, input={"query": asked}, output=docs),
        observed(
            number, 3, "GENERATION", "answer", 3, 1, model="m-1", usageDetails={"input": 12, "output": 5},
            input=[{"role": "user", "content": f"{PASSAGE} {asked}"}], output={"role": "assistant", "content": answer},
        ),
        observed(
            number, 4, "TOOL", "open_ticket", 4, 1, input={"kind": "refund"}, level="ERROR", statusMessage="no desk"
        ),
    ]  # fmt: skip


def lines(records: list[Record]) -> bytes:
    return b"\n".join(json.dumps(record).encode() for record in records)


WHOLE = {**trace(1, "A refund?", "Yes."), "observations": observations(1, "A refund?", "Yes.")}


def ingested(number: int, asked: str, answer: str) -> list[Record]:
    """The same as events: each thing is created with half of it and updated with the rest."""
    events: list[Record] = []

    def event(kind: str, body: Record) -> None:
        events.append({"id": f"e-{len(events)}", "type": kind, "timestamp": stamp(number, 9), "body": body})

    about = trace(number, asked, answer)
    event("trace-create", {key: value for key, value in about.items() if key != "output"})
    for held in observations(number, asked, answer):
        kind = {"GENERATION": "generation", "AGENT": "agent"}.get(held["type"], "observation")
        late: Record = {key: held[key] for key in ("output", "endTime", "level", "statusMessage") if key in held}
        event(f"{kind}-create", {key: value for key, value in held.items() if key not in late})
        event(f"{kind}-update", {"id": held["id"], "traceId": held["traceId"], **late})
    event("score-create", {"id": "s-1", "traceId": f"t-{number}", "name": "good", "value": 1})
    event("trace-create", {"id": about["id"], "output": about["output"]})
    return events


def test_each_observation_becomes_what_it_means() -> None:
    report = Report()
    (session,) = opened(json.dumps(WHOLE).encode(), report)
    assert (report.format, report.problem_count, session.session.session_id) == ("langfuse", 0, "chat-1")
    assert session.of(SessionStarted)[0].meta == {"framework": "langfuse", "user": "anna"}
    assert session.of(TurnStarted) == [TurnStarted(turn="1", utterance="A refund?")]
    assert session.of(IntentRouted) == [IntentRouted(intent="support")]
    found, prompt = session.of(Retrieved)
    assert (found.query, found.stage, [doc.id for doc in found.docs]) == ("A refund?", "keyword", ["doc-1"])
    assert prompt.stage == "prompt"
    assert session.of(Failed) == [Failed(where="open_ticket", error="no desk")]
    assert session.of(Answered) == [Answered(text="Yes.", docs=("doc-1",))]
    model, tool = session.of(Raw)
    assert (model.data["model"], model.data["tokens_in"], model.data["tokens_out"]) == ("m-1", 12, 5)
    assert (tool.data["tool"], tool.data["arguments"]) == ("open_ticket", {"kind": "refund"})


def test_all_shapes_and_containers_of_a_trace_are_the_same_session() -> None:
    (expected,) = opened(json.dumps(WHOLE).encode())
    rows = [trace(1, "A refund?", "Yes."), *observations(1, "A refund?", "Yes.")]
    for content in (
        json.dumps(WHOLE, indent=1),
        json.dumps([WHOLE]),
        json.dumps({"data": [WHOLE], "meta": {"page": 1}}, indent=1),
        json.dumps({"data": [WHOLE], "meta": {"page": 1}}),
        lines(rows).decode(),
        json.dumps(rows),
    ):
        assert sniff(content.encode()) == "langfuse"
        (session,) = opened(content.encode())
        assert (session.session.source, session.items) == (expected.session.source, expected.items)


@pytest.mark.parametrize("packed", [lines, lambda events: json.dumps({"batch": events}).encode()])
def test_events_of_the_ingestion_are_put_together(packed: Any) -> None:
    (expected,) = opened(json.dumps(WHOLE).encode())
    report = Report()
    (session,) = opened(packed(ingested(1, "A refund?", "Yes.")), report)
    assert [str(problem) for problem in report.problems if "an event of a trace" not in str(problem)] == []
    assert report.problem_count == 1  # the score
    assert session.items == expected.items


def test_rows_in_the_other_spelling_are_the_same() -> None:
    spelt = {"traceId": "trace_id", "parentObservationId": "parent_observation_id", "startTime": "start_time",
             "endTime": "end_time", "sessionId": "session_id", "userId": "user_id", "usageDetails": "usage_details",
             "statusMessage": "status_message"}  # fmt: skip
    rows = [trace(1, "A refund?", "Yes."), *observations(1, "A refund?", "Yes.")]
    other = [{spelt.get(key, key): value for key, value in row.items()} for row in rows]
    texts = [{key: json.dumps(v) if type(v) in (dict, list) else v for key, v in row.items()} for row in other]
    (expected,) = opened(json.dumps(WHOLE).encode())
    for content in (lines(other), lines(texts)):
        (session,) = opened(content)
        assert session.items == expected.items


def test_observations_alone_are_turns_of_their_trace() -> None:
    (session,) = opened(lines(observations(1, "A refund?", "Yes.")))
    assert session.session.session_id == "trace t-1"
    assert session.of(TurnStarted)[0].utterance.endswith("A refund?")
    assert session.of(Answered)[0].text == "Yes."


def test_sessions_turns_and_a_second_import() -> None:
    rows = [
        {**trace(n, f"ask {n}", f"say {n}"), "sessionId": f"chat-{n % 2}", "observations": observations(n, "x", "y")}
        for n in (4, 3, 2, 1)
    ]
    found = opened(lines(rows))
    told = {o.session.session_id: [turn.utterance for turn in o.of(TurnStarted)] for o in found}
    assert told == {"chat-0": ["ask 2", "ask 4"], "chat-1": ["ask 1", "ask 3"]}
    for session in found:
        assert {fact["code"]: fact["count"] for fact in session.session.lost}["reordered"] == 2
        mapper = mapped("s", session.session.source, session.items)
        before = mapper.map.cursor.seq
        mapped("s", session.session.source, session.items, mapper)
        assert mapper.map.cursor.seq == before


def test_a_bad_row_costs_that_row_and_a_cut_file_what_is_cut() -> None:
    bad = [{**observed(1, 9, "SPAN", "x", 5), "id": 9}, {"type": "span-create", "body": {"id": "o"}}]
    report = Report()
    (session,) = opened(lines([WHOLE, *bad]), report)
    assert report.problem_count == 2
    assert session.of(Answered)
    content = json.dumps({"data": [WHOLE]}).encode()
    for end in range(1, len(content), 53):
        report = Report()
        try:
            opened(content[:end], report)
        except LingbotMapError:
            continue
        assert report.problem_count


def test_other_objects_with_such_lists_are_none() -> None:
    for content in (b'{"data": [{"id": "a", "trace": 1}]}', b'{"data": [{"object": "model", "id": "traced"}]}'):
        with pytest.raises(UnknownFormat):
            opened(content)
