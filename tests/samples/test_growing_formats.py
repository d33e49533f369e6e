"""Formats that are told as their lines come, against an import of the whole: what is said and in which order, numbers
that a second run repeats, and what comes late."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.errors import BadInput, UnknownFormat
from lingbot_map.importers import sniff
from lingbot_map.importers.growing import GROWING, WHOLE, telling
from lingbot_map.importers.growing_spans import Told
from lingbot_map.importers.sse import data_of
from lingbot_probes.signals import Answered, IntentRouted, SessionEnded, Signal, TurnStarted
from tests.samples import agents, dialogflow, test_importers_burr, test_importers_langfuse, test_importers_langsmith
from tests.samples.imports import FILES, mapped, opened
from tests.samples.test_growing import by_session, told

Record = dict[str, Any]


def lines(*records: Record) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def heard(signals: list[Signal]) -> list[Any]:
    """What was said without the ids of turns, which live are called after their traces and in an import are counted."""
    return [
        ("turn", signal.utterance) if type(signal) is TurnStarted else signal
        for signal in signals
        if type(signal).__name__ != "SessionStarted"
    ]


def spoken(parts: list[Told]) -> dict[str, list[Any]]:
    out: dict[str, list[Any]] = {}
    for part in parts:
        out.setdefault(part.session, []).extend(heard([item.signal for item in part.items]))
    return out


AGENTS = [*agents.whole_move(), agents.trace(2), agents.model(2, 2, 20.1, 1, "Thanks", agents.message("Bye."))]
AGENTS += [agents.span(2, 1, "agent", 20.0, name="front desk", handoffs=[], tools=[])]
LANGSMITH = [
    run for number in (1, 2) for run in reversed(test_importers_langsmith.turn(number, f"ask {number}", "yes"))
]
LANGFUSE: Record = test_importers_langfuse.WHOLE


@pytest.mark.parametrize(
    ("format", "records"),
    [
        ("openai-agents", AGENTS),
        ("openai-agents", [{"data": AGENTS[:4]}, {"data": AGENTS[4:]}]),
        ("langsmith", LANGSMITH),
        ("langsmith", [{"runs": LANGSMITH}]),
        ("langfuse", [LANGFUSE, {**LANGFUSE, "id": "t-9"}][:1]),
        ("langfuse", test_importers_langfuse.ingested(1, "A refund?", "Yes.")),
        ("langfuse", [{key: LANGFUSE[key] for key in LANGFUSE if key != "observations"}, *LANGFUSE["observations"]]),
    ],
    ids=[
        "agents",
        "agents in batches",
        "langsmith",
        "langsmith in a line",
        "langfuse",
        "langfuse events",
        "langfuse rows",
    ],
)
def test_a_trace_is_told_as_an_import_tells_it_and_a_second_run_repeats_its_numbers(
    format: str, records: list[Record]
) -> None:
    raw = lines(*records)
    parts, problems = told(raw)
    assert sniff(raw) == format
    assert problems == []
    whole = {o.session.session_id: heard([item.signal for item in o.items]) for o in opened(raw)}
    assert {name: len(said) for name, said in spoken(parts).items()} == {
        name: len(said) for name, said in whole.items()
    }
    assert spoken(parts) == whole
    assert told(raw, format)[0] == parts
    turns = [item.signal.turn for part in parts for item in part.items if type(item.signal) is TurnStarted]
    assert len(set(turns)) == len({utterance for said in whole.values() for kind, utterance in _turns(said)})


def _turns(said: list[Any]) -> list[tuple[str, str]]:
    return [one for one in said if type(one) is tuple]


def test_a_run_of_agents_is_told_when_its_span_at_the_top_has_ended_and_the_next_one_goes_on_in_the_trace() -> None:
    one = telling("openai-agents")
    head = agents.trace(1)
    inner = agents.span(1, 2, "response", 1.1, 1, input=[agents.message("hello", "user")], response=None)
    top = agents.span(1, 1, "agent", 1.0, name="desk", handoffs=[], tools=[])
    for record in (head, inner):
        assert one.take(json.dumps(record).encode()).told == []
    (first,) = one.take(json.dumps(top).encode()).told
    assert first.session == "chat-1"
    assert [item.n for item in first.items] == list(range(1, len(first.items) + 1))
    assert any(type(item.signal) is IntentRouted for item in first.items)
    assert one.take(json.dumps(top).encode()).told == []
    assert one.repeated == 1
    (second,) = one.take(json.dumps(agents.span(1, 3, "agent", 9.0, name="teas", handoffs=[], tools=[])).encode()).told
    assert second.source == first.source
    assert second.items[0].n == first.numbered + 1
    turns = {item.turn for part in (first, second) for item in part.items if item.turn}
    assert turns == {head["id"], f"{head['id']}#2"}
    mapper = mapped(first.session, first.source, [*first.items, *second.items])
    assert list(mapper.map.turn_numbers) == [head["id"], f"{head['id']}#2"]


def test_a_trace_of_agents_whose_top_or_name_is_missing_is_told_after_half_a_minute() -> None:
    one = telling("openai-agents")
    one.overdue(100.0)
    spans = [
        agents.span(4, 2, "function", 1.0, 1, name="lookup", input="{}", output="x"),
        agents.span(5, 1, "agent", 2.0),
    ]
    assert [one.take(json.dumps(record).encode()).told for record in spans] == [[], []]
    assert one.overdue(129.9) == []
    assert [part.session for part in one.overdue(130.0)] == [agents.trace(4)["id"], agents.trace(5)["id"]]


def test_rows_of_langfuse_that_come_after_their_trace_follow_in_its_turn() -> None:
    one = telling("langfuse")
    (first,) = one.take(json.dumps(LANGFUSE).encode()).told
    late = test_importers_langfuse.observed(1, 9, "TOOL", "look_again", 8, 1, input="x", output="y")
    again = one.take(json.dumps({**LANGFUSE, "observations": [*LANGFUSE["observations"], late]}).encode())
    (second,) = again.told
    assert (second.session, second.source) == (first.session, first.source)
    (turn,) = [item.signal.turn for item in first.items if type(item.signal) is TurnStarted]
    assert {item.turn for item in second.items} == {turn}
    assert not [item for item in second.items if type(item.signal) is TurnStarted]


def test_rows_and_documents_of_dialogflow_are_told_as_an_import_tells_them() -> None:
    rows = [json.loads(line) for line in (FILES / "dialogflow_rows.jsonl").read_bytes().splitlines()]
    rows.sort(key=lambda row: (row["conversation_name"], int(row["turn_position"])))
    pairs: list[Record] = [{"response": dialogflow.turn(f"say {i}")} for i in range(2)]
    documents = [dialogflow.conversation("c", dialogflow.interaction("2026-03-02T08:00:00Z", "one")), *pairs]
    for records in (rows, [*rows, rows[-1]], documents):
        raw = lines(*records)
        parts, problems = told(raw)
        assert problems == []
        whole = {o.session.session_id: (o.session.source, o.items) for o in opened(raw)}
        for _, items in whole.values():
            if type(items[-1].signal) is SessionEnded:
                items.pop()  # only when nothing follows is it the end
        assert by_session(parts) == whole


@pytest.mark.parametrize("graph", [True, False], ids=["with its graph", "a log alone"])
def test_rows_of_burr_are_told_as_an_import_tells_them(graph: bool) -> None:
    about = {"type": "application_metadata", "app_id": "a", **test_importers_burr.ABOUT}
    before = [about, test_importers_burr.GRAPH] if graph else []
    raw = lines(*before, *test_importers_burr.ROWS)
    parts, problems = told(raw)
    assert problems == []
    assert by_session(parts) == {o.session.session_id: (o.session.source, o.items) for o in opened(raw)}
    assert len(by_session(parts)) == 1


CAPTURE = b"""\xef\xbb\xbf: open
event: message
data: {"type": "RUN_STARTED", "threadId": "t", "runId": "r1", "timestamp": 1767225600000}

data: {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"}
data: {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "hello"}

data: {"type": "TEXT_MESSAGE_END",\r
data: "messageId": "m"}\r
\r
data: {"type": "RUN_FINISHED", "threadId": "t", "runId": "r1"}
data: [DONE]
"""


def test_a_capture_of_server_sent_events_opens_as_the_records_in_it(tmp_path: Path) -> None:
    plain = lines(
        *[json.loads(data_of(line)) for line in CAPTURE.splitlines() if line.endswith(b"}") and b'"type"' in line]
    )
    plain = plain.replace(
        b'{"type": "RUN_FINISHED"', b'{"type": "TEXT_MESSAGE_END", "messageId": "m"}\n{"type": "RUN_FINISHED"'
    )
    path = tmp_path / "capture.txt"
    path.write_bytes(CAPTURE)
    (capture,), (whole,) = opened(path), opened(plain)
    assert capture.session.format == "ag-ui"
    assert capture.session.source == whole.session.source
    assert capture.items == whole.items
    assert [signal.text for signal in capture.of(Answered)] == ["hello"]
    (capture,) = opened(CAPTURE.replace(b'"t", "runId": "r1"}\n', b'"t", "runId": }\n'))
    assert str(capture.session.problems[0]).startswith("the upload line 11: not JSON")


def test_what_only_begins_like_a_frame_is_no_capture() -> None:
    for text in (b"data: none of it is JSON\n", b": a comment\n", b"id: 1\nname: data: {\n"):
        with pytest.raises(UnknownFormat):
            sniff(text)
    assert data_of(b'{"data": 1}') == b'{"data": 1}'
    assert data_of(b"event: x") == data_of(b": ping") == data_of(b"data:") == b""


def test_every_format_that_can_not_be_followed_says_so_with_what_to_do() -> None:
    for format in (*WHOLE, "sgd"):
        with pytest.raises(
            BadInput, match=f"{re.escape(WHOLE.get(format, 'before all are there'))}: import it when it is"
        ):
            telling(format, source="a file")
    assert not WHOLE.keys() & GROWING.keys()
    assert {"openai-agents", "langfuse", "langsmith", "burr", "dialogflow", "ag-ui"} <= GROWING.keys()
