"""Records told one by one have the numbers that an import of the whole gives them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingbot_map.errors import BadInput, NewerFormat
from lingbot_map.importers import Columns, columns_of
from lingbot_map.importers.growing import GROWING, format_of, telling
from lingbot_map.importers.growing_conversations import Conversations
from lingbot_map.importers.growing_spans import Told
from lingbot_map.importers.rasa import NAME, Rows, id_text
from lingbot_probes.adapters.table import Table
from lingbot_probes.codec import numbered_to_dict
from lingbot_probes.signals import Answered, IntentRouted, Raw, SlotAssigned, SlotCleared, TurnStarted
from tests.samples.imports import FILES, opened

Event = dict[str, Any]


def lines(*records: Event) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def told(raw: bytes, format: str = "", columns: Any = None) -> tuple[list[Told], list[str]]:
    """What the lines come to, one after the other, and what could not be read."""
    one = telling(format or format_of(raw, "growing"), columns)
    out, problems = [], []
    for line in raw.splitlines():
        taken = one.take(line)
        out += taken.told
        problems += [taken.problem] if taken.problem else []
    return out + one.overdue(1e12), problems


def by_session(parts: list[Told]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for part in parts:
        source, items = out.setdefault(part.session, (part.source, []))
        assert source == part.source
        items += part.items
    return out


CHAT = [
    {"sender_id": "a", "event": "action", "name": "action_session_start", "timestamp": 1.0},
    {"sender_id": "a", "event": "session_started", "timestamp": 1.0},
    {"sender_id": "b", "event": "user", "text": "hi", "parse_data": {"intent": {"name": "greet"}}, "timestamp": 2.0},
    {"sender_id": "a", "event": "user", "text": "book", "parse_data": {"intent": {"name": "book"}}, "timestamp": 3.0},
    {"sender_id": "a", "event": "slot", "name": "city", "value": "Oslo", "timestamp": 3.5},
    {"sender_id": "a", "event": "bot", "text": "done", "timestamp": 4.0},
    {"sender_id": "a", "event": "action", "name": "action_session_start", "timestamp": 9.0},
    {"sender_id": "a", "event": "session_started", "timestamp": 9.0},
    {"sender_id": "a", "event": "user", "text": "again", "parse_data": {}, "timestamp": 9.5},
]


@pytest.mark.parametrize("extra", [[], [{"sender_id": "a", "event": None, "timestamp": 9.6}]], ids=["good", "bad"])
def test_broker_lines_are_told_as_an_import_tells_them(extra: list[Event]) -> None:
    raw = lines(*CHAT, *extra, CHAT[4], {"sender_id": "a", "event": "bot", "text": "bye", "timestamp": 10.0})
    parts, problems = told(raw)
    whole = {s.session.session_id: (s.session.source, s.items) for s in opened(raw)}
    assert by_session(parts) == whole
    assert set(whole) == {"a", "a#2", "b"}
    assert len(problems) == len(extra)


def test_real_rows_are_told_as_an_import_tells_them(recordings: Path) -> None:
    path = recordings / "sessions/rasa_pizzabot/conversation_events.jsonl"
    parts, problems = told(path.read_bytes())
    assert problems == []
    assert by_session(parts) == {s.session.session_id: (s.session.source, s.items) for s in opened(path)}


def test_a_tracker_that_is_dumped_again_longer_repeats_its_numbers() -> None:
    def dump(count: int) -> Event:
        return {"sender_id": "a", "events": CHAT[3:6][:count]}

    one = telling("rasa")
    first, longer = (one.take(lines(dump(count)).strip()).told for count in (2, 3))
    assert longer[: len(first)] == first
    assert [item.n for part in longer for item in part.items] == [1, 2, 3, 4, 5]
    assert len({part.source for part in longer}) == 1


def test_a_row_of_a_table_repeats_the_numbers_of_an_import() -> None:
    columns = columns_of(["session=id,user=q,bot=a,time=at"])
    rows = [{"id": "x", "q": "hi", "a": "hello", "at": 5.0}, {"id": "x", "q": "bye", "a": "bye", "at": 6.0}]
    parts, _ = told(lines(*rows), "table", columns)
    (whole,) = opened(lines(*rows), columns=columns)
    assert by_session(parts) == {"x": (whole.session.source, whole.items)}
    assert type(telling("", columns)) is Conversations
    assert isinstance(columns, Columns)
    assert Table("x", columns).corpus == "table"


def test_our_own_recording_is_told_line_by_line() -> None:
    path = next((FILES.parent.parent.parent / "snapshots/cases").glob("*/events.jsonl"))
    parts, problems = told(path.read_bytes())
    assert problems == []
    (whole,) = opened(path)
    assert by_session(parts) == {whole.session.session_id: (whole.session.source, whole.items)}


def span(trace: str, id: str, parent: str | None, **attributes: Any) -> Event:
    ids = {"trace_id": trace * 32, "span_id": id * 16}
    attributes = {"openinference.span.kind": "CHAIN", "session.id": "s", **attributes}
    times = {"start_time": "2026-01-01T00:00:00Z", "end_time": "2026-01-01T00:00:01Z"}
    return {"name": "turn", "context": ids, "parent_id": parent and parent * 16, **times, "attributes": attributes}


def test_a_trace_is_told_when_its_root_has_ended_and_another_run_gives_the_same_numbers() -> None:
    spans = [
        span("a", "2", "1", **{"openinference.span.kind": "AGENT", "agent.name": "router"}),
        span("a", "1", None, **{"input.value": "hello", "output.value": "hi"}),
        span("b", "3", None, **{"input.value": "more", "output.value": "yes"}),
    ]
    one = telling("openinference")
    assert one.take(lines(spans[0]).strip()).told == []
    (turn,) = one.take(lines(spans[1]).strip()).told
    (other,) = one.take(lines(spans[2]).strip()).told
    assert [type(item.signal) for item in turn.items[1:]] == [TurnStarted, IntentRouted, Answered]
    assert turn.session == other.session == "s"
    assert turn.source != other.source
    assert [item.n for item in other.items] == [1, 2]
    assert told(lines(*spans))[0] == [turn, other]


def test_a_request_of_otlp_is_a_line_of_many_spans() -> None:
    attributes = [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "invoke_agent"}},
        {"key": "gen_ai.conversation.id", "value": {"stringValue": "s"}},
    ]
    spans = [
        {"traceId": trace * 32, "spanId": "1" * 16, "name": "x", "startTimeUnixNano": "1", "attributes": attributes}
        for trace in "ab"
    ]
    parts, problems = told(lines({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    assert problems == []
    assert [part.session for part in parts] == ["s", "s"]


def mantle(sequence: int, payload: str, **held: Any) -> Event:
    envelope = {"conversation_id": "m", "event_id": f"e{sequence}", "sequence": sequence, "timestamp": 10.0 + sequence}
    return {**envelope, payload: held}


MANTLE = [
    {"sender_id": "m", "event": "user", "text": "old", "parse_data": {}, "timestamp": 1.0},
    mantle(0, "user", text="move my flight", intent={"name": "change", "confidence": 0.8}),
    mantle(1, "skill_activated", skill_id="rebook"),
    mantle(2, "memory_set", key="seats", value_json="42"),
    mantle(3, "tool_executed", name="lookup", arguments_json='{"a": [1]}', result_json="broken"),
    mantle(5, "memory_cleared", key="seats"),
    mantle(6, "skill_completed", skill_id="rebook"),
    mantle(7, "bot", text="moved"),
]


def test_events_of_mantle_are_recognised_one_by_one_among_flat_rows() -> None:
    parts, problems = told(lines(*MANTLE))
    assert problems == []
    signals = [item.signal for part in parts for item in part.items]
    assert [s.utterance for s in signals if type(s) is TurnStarted] == ["old", "move my flight"]
    routed = [s for s in signals if type(s) is IntentRouted]
    assert [(s.intent, s.confidence) for s in routed] == [("change", 0.8), ("rebook", None)]
    (written,) = [s for s in signals if type(s) is SlotAssigned]
    assert (written.slot, written.task) == ("seats", "rebook")
    assert type(written.value) is int
    assert written.value == 42
    assert [s.slot for s in signals if type(s) is SlotCleared] == ["seats"]
    (tool,) = [s for s in signals if type(s) is Raw and s.name == "tool_executed"]
    assert (tool.data["arguments_json"], tool.data["result_json"]) == ({"a": [1]}, "broken")
    assert [s.text for s in signals if type(s) is Answered] == ["moved"]
    assert by_session(parts) == {s.session.session_id: (s.session.source, s.items) for s in opened(lines(*MANTLE))}


def test_an_import_puts_events_of_mantle_in_sequence_and_takes_each_once() -> None:
    (inorder,) = opened(lines(*MANTLE))
    (mixed,) = opened(lines(MANTLE[0], MANTLE[7], *MANTLE[1:7], MANTLE[3]))
    assert mixed.items == inorder.items


def test_a_conversation_that_was_put_away_goes_on_with_its_numbers() -> None:
    def of(most: int) -> list[Told]:
        one = Conversations(NAME, lambda record: id_text(record.get("sender_id")), Rows, most=most)
        records = [record for event in CHAT[:6] for record in (event, {**event, "sender_id": "z"})]
        return [part for record in records for part in one.take(json.dumps(record).encode()).told]

    alone, roomy = of(1), of(10)
    assert [(p.session, p.source, [i.n for i in p.items]) for p in alone if p.session == "b"] == [
        (p.session, p.source, [i.n for i in p.items]) for p in roomy if p.session == "b"
    ]
    numbers = [item.n for part in alone if part.session == "a" for item in part.items]
    assert numbers == list(range(1, len(numbers) + 1))


def test_events_without_a_sender_are_one_conversation_and_what_can_not_be_read_is_none() -> None:
    bare = [{name: value for name, value in event.items() if name != "sender_id"} for event in CHAT[2:6]]
    parts, _ = told(lines(*bare))
    assert by_session(parts) == {s.session.session_id: (s.session.source, s.items) for s in opened(lines(*bare))}
    broken: list[Event] = [{"sender_id": "x", "event": None}, *CHAT[2:4], {"sender_id": "b", "event": None}]
    parts, problems = told(lines(*broken))
    assert by_session(parts) == {s.session.session_id: (s.session.source, s.items) for s in opened(lines(*broken))}
    assert len(problems) == 2


def test_a_standing_is_json_and_goes_on() -> None:
    one, other = telling("rasa"), telling("rasa")
    for record in CHAT[:6]:
        one.take(json.dumps(record).encode())
    other.resume(json.loads(json.dumps(one.standing())))
    raw = json.dumps({**CHAT[3], "text": "more", "timestamp": 8.0}).encode()
    (here,), (there,) = one.take(raw).told, other.take(raw).told
    assert (here.source, here.numbered, here.items[0].turn) == (there.source, there.numbered, there.items[0].turn)


def test_a_sender_of_any_length_is_called_as_in_an_import() -> None:
    raw = lines(*[{**CHAT[2], "sender_id": "x" * 300 + end} for end in "ab"])
    parts, _ = told(raw)
    assert by_session(parts) == {s.session.session_id: (s.session.source, s.items) for s in opened(raw)}
    assert len(by_session(parts)) == 2


KEYS = (
    "event", "sender_id", "conversation_id", "data", "events", "tracker", "event_id", "sequence", "timestamp", "id",
    "user", "memory_set", "slots", "type", "threadId", "metadata", "run_id", "seq", "signal", "lingbot",
    "resourceSpans", "context", "attributes", "conversation", "parse_data", "text", "name", "value", "version",
    "session",
)  # fmt: skip
WORDS = st.sampled_from(
    ["user", "slot", "rewind", "on_chain_end", "recording", "message", "a", "RUN_STARTED", "\ud800"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | WORDS | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("format", [*GROWING, "table"])
@given(records=st.lists(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=8) | VALUES, max_size=6))
def test_whatever_comes_is_told_or_named(format: str, records: list[Any]) -> None:
    one = telling(format, columns_of(["session=sender_id,user=text,slot.x=value"]) if format == "table" else None)
    for record in records:
        try:
            taken = one.take(json.dumps(record).encode())
        except NewerFormat:  # of a recording as a whole, as in an import
            return
        for part in taken.told:
            assert [item.n for item in part.items] == sorted({item.n for item in part.items})
            assert part.numbered >= part.items[-1].n > 0
            for item in part.items:
                assert numbered_to_dict(item)["session"] == part.session
    one.overdue(1e12)
    json.dumps(one.standing())


def test_what_can_not_grow_is_refused_with_what_to_do() -> None:
    with pytest.raises(BadInput, match="import it when it is whole"):
        telling("chat", source="talk.chat")


def test_events_of_a_graph_are_told_as_an_import_tells_them(root: Path, tmp_path: Path) -> None:
    bot = [sys.executable, str(root / "docs/examples/langgraph_bot.py"), "--record", "talk"]
    subprocess.run(bot, cwd=tmp_path, check=True, capture_output=True)
    raw = (tmp_path / "talk.events.jsonl").read_bytes()
    parts, problems = told(raw)
    assert problems == []
    (whole,) = opened(raw)
    assert by_session(parts) == {whole.session.session_id: (whole.session.source, whole.items)}
    assert len(whole.of(TurnStarted)) == 3


def test_a_stream_of_ag_ui_is_told_as_an_import_tells_it() -> None:
    stream: list[Event] = [
        {"type": "RUN_STARTED", "threadId": "t", "runId": "r1", "timestamp": 1767225600000},
        {"type": "STEP_STARTED", "stepName": "search"},
        {"type": "STATE_SNAPSHOT", "snapshot": {"city": "Oslo"}},
        {"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/city", "value": "Lund"}]},
        {"type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "hello"},
        {"type": "TEXT_MESSAGE_END", "messageId": "m"},
        {"type": "RUN_FINISHED", "threadId": "t", "runId": "r1"},
        {"type": "RUN_STARTED", "threadId": "u", "runId": "r2"},
        {"type": "RUN_FINISHED", "threadId": "u", "runId": "r2"},
    ]
    parts, problems = told(lines(*stream))
    assert problems == []
    assert by_session(parts) == {s.session.session_id: (s.session.source, s.items) for s in opened(lines(*stream))}
    assert set(by_session(parts)) == {"t", "u"}


def test_activities_are_told_as_an_import_tells_them(recordings: Path) -> None:
    found = 0
    for path in sorted((recordings / "sessions/botframework").rglob("*.transcript")):
        activities = json.loads(path.read_text("utf-8-sig"))
        activities = activities if type(activities) is list else activities["transcript"]
        raw = lines(*[activity for activity in activities if "conversation" in activity])
        if raw:
            found += 1
            parts, _ = told(raw, "botframework")
            got = {name: [item.n for item in items] for name, (_, items) in by_session(parts).items()}
            whole = {s.session.session_id: [item.n for item in s.items] for s in opened(raw)}
            assert {name: numbers for name, numbers in whole.items() if name in got} == got
    assert found
