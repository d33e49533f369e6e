"""Events of AG-UI: runs, state by snapshots and deltas, messages, tools; identity, order, what is lost."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any

import pytest

from lingbot_map.codec import dump
from lingbot_map.errors import LingbotMapError
from lingbot_map.importers import Report, sniff
from lingbot_probes.adapters.ag_ui import AgUi
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import (
    Answered,
    Failed,
    IntentRouted,
    Raw,
    Retrieved,
    SlotAssigned,
    SlotCleared,
    TurnStarted,
)
from tests.samples.imports import FILES, Opened, mapped, opened


def event(kind: str, **more: Any) -> dict[str, Any]:
    """An event of the protocol."""
    return {"type": kind, **more}


def begun(run: int, said: str | None = "hello", thread: str = "t", **given: Any) -> dict[str, Any]:
    """The beginning of a run."""
    messages = [] if said is None else [{"role": "user", "content": said}]
    return event(
        "RUN_STARTED", threadId=thread, runId=f"r{run}", timestamp=1.7e12 + run, input={"messages": messages, **given}
    )


def read(*events: dict[str, Any]) -> Opened:
    """The one session that the events make."""
    (session,) = opened(b"\n".join(json.dumps(each).encode() for each in events))
    return session


def test_the_sample_event_by_event() -> None:
    (shop,) = opened(FILES / "ag_ui.jsonl")
    assert shop.session.session_id == "tea-7"
    assert [said.utterance for said in shop.of(TurnStarted)] == [
        "两盒毛尖，寄到武汉",
        "[content not captured]",
        "改成三盒",
    ]
    assert [item.turn for item in shop.items if type(item.signal) is TurnStarted] == ["1", "2", "2"]
    assert [(slot.slot, slot.value) for slot in shop.of(SlotAssigned)] == [
        ("cart", []),
        ("step", "browse"),
        ("cart", [{"tea": "毛尖", "boxes": 2}]),
        ("step", "address"),
        ("cart", [{"tea": "毛尖", "boxes": 3}]),
        ("address", "武汉"),
    ]
    assert [slot.slot for slot in shop.of(SlotCleared)] == ["step"]
    (found,) = shop.of(Retrieved)
    assert (found.query, [doc.id for doc in found.docs]) == ("寄往武汉的运费", ["ship-1", "ship-9"])
    assert [answer.text for answer in shop.of(Answered)] == ["两盒毛尖，包邮。", "已改为三盒。"]
    assert [failed.where for failed in shop.of(Failed)] == ["state", "run"]
    assert shop.items[0].said_at == 1772438400.0
    codes = {fact["code"]: fact["count"] for fact in shop.session.lost}
    assert codes == {"unrouted": 1, "reads": 0, "deltas": 1, "reasoning": 1}
    map = mapped("tea-7", shop.session.source, shop.items).map
    assert map.nodes["utterance:2"].props["text"] == "改成三盒"
    assert len(map.turns) == 2
    assert map.nodes["slot:cart"].props["value"] == [{"tea": "毛尖", "boxes": 3}]


def test_a_delta_tells_only_what_it_changed_and_a_bad_one_changes_nothing() -> None:
    session = read(
        begun(1, state={"a": {"x": 1}, "b": [1]}),
        event("STATE_DELTA", delta=[{"op": "replace", "path": "/a/x", "value": 2}]),
        event("STATE_DELTA", delta=[{"op": "replace", "path": "/a/x", "value": 2}]),
        event("STATE_DELTA", delta=[{"op": "remove", "path": "/a"}, {"op": "remove", "path": "/c"}]),
        event("STATE_DELTA", delta="no patch"),
        event("STATE_DELTA", delta=[{"op": "add", "path": "/b", "value": None}]),
        event("STATE_DELTA", delta=[{"op": "replace", "path": "", "value": 7}]),
    )
    changes = [(s.slot, getattr(s, "value", None)) for s in session.of(SlotAssigned, SlotCleared)]
    assert changes == [("a", {"x": 1}), ("b", [1]), ("a", {"x": 2}), ("b", None), ("state", 7), ("a", None)]
    assert [failed.error for failed in session.of(Failed)] == [
        "the delta does not fit the state: operation 1: there is no '/c'",
        "the delta does not fit the state: expected a list of operations",
    ]


def test_a_state_that_is_no_object_is_one_slot() -> None:
    add = {"op": "add", "path": "/-", "value": 1}
    session = read(begun(1, state=[]), event("STATE_DELTA", delta=[add]), event("STATE_SNAPSHOT", snapshot=None))
    assert session.of(SlotAssigned) == [
        SlotAssigned(slot="state", value=[], scope="session"),
        SlotAssigned(slot="state", value=[1], scope="session"),
    ]
    assert session.of(SlotCleared) == [SlotCleared(slot="state")]


def test_values_that_a_delta_would_tell_over_and_over_are_cut() -> None:
    text = "x" * 100_000
    session = read(begun(1, state={"doc": text}), event("STATE_DELTA", delta=[{"op": "add", "path": "/n", "value": 1}]))
    (doc, n) = session.of(SlotAssigned)
    assert len(doc.value) < 5_000
    assert n.value == 1
    assert {fact["code"]: fact["count"] for fact in session.session.lost}["large_values"] == 1


def test_messages_in_pieces_and_chunks_are_answers_once_they_are_whole() -> None:
    session = read(
        begun(1),
        event("TEXT_MESSAGE_START", messageId="a", role="assistant"),
        event("TEXT_MESSAGE_START", messageId="b", role="assistant"),
        event("TEXT_MESSAGE_CONTENT", messageId="b", delta="two"),
        event("TEXT_MESSAGE_CONTENT", messageId="a", delta="on"),
        event("TEXT_MESSAGE_CONTENT", messageId="a", delta="e"),
        event("TEXT_MESSAGE_END", messageId="a"),
        event("TEXT_MESSAGE_END", messageId="b"),
        event("TEXT_MESSAGE_CHUNK", messageId="c", role="assistant", delta="th"),
        event("TEXT_MESSAGE_CHUNK", delta="ree"),
        event("TEXT_MESSAGE_CHUNK", messageId="d", delta="four"),
        event("TEXT_MESSAGE_START", messageId="s", role="system"),
        event("TEXT_MESSAGE_CONTENT", messageId="s", delta="secret"),
        event("RUN_FINISHED", threadId="t", runId="r1"),
    )
    assert [answer.text for answer in session.of(Answered)] == ["one", "two", "three", "four"]


def test_an_answer_that_was_streamed_is_not_told_again_by_all_messages() -> None:
    messages = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "whole"}]
    session = read(
        begun(1),
        event("TEXT_MESSAGE_CHUNK", messageId="a", delta="whole"),
        event("MESSAGES_SNAPSHOT", messages=messages),
        event("TEXT_MESSAGE_END", messageId="a"),
        event("MESSAGES_SNAPSHOT", messages=messages),
    )
    assert session.of(Answered) == [Answered(text="whole")]


def test_what_a_run_that_was_broken_off_had_begun_stays_in_its_turn() -> None:
    session = read(begun(1), event("TEXT_MESSAGE_CHUNK", messageId="a", delta="half"), begun(2))
    assert [(item.turn, item.signal.text) for item in session.items if type(item.signal) is Answered] == [("1", "half")]


def test_events_before_the_first_run_belong_to_its_thread() -> None:
    found = opened(json.dumps([event("STEP_STARTED", stepName="x"), begun(1)]).encode())
    assert [(o.session.session_id, len(o.of(IntentRouted))) for o in found] == [("t", 1)]


def test_tools_are_kept_and_their_documents_retrieved() -> None:
    session = read(
        begun(1),
        event("TOOL_CALL_START", tool_call_id="x", tool_call_name="clock"),
        event("TOOL_CALL_ARGS", tool_call_id="x", delta='{"zone": '),
        event("TOOL_CALL_ARGS", tool_call_id="x", delta='"UTC"}'),
        event("TOOL_CALL_END", tool_call_id="x"),
        event("TOOL_CALL_RESULT", tool_call_id="x", message_id="m", content="noon"),
        event("TOOL_CALL_START", toolCallId="y", toolCallName="never"),
    )
    assert session.of(Raw) == [
        Raw(name="tool", data={"tool": "clock", "arguments": {"zone": "UTC"}, "result": "noon"}),
        Raw(name="tool", data={"tool": "never"}),
    ]


def test_an_agent_within_a_run_and_an_interrupt_are_no_turns() -> None:
    session = read(
        begun(1),
        event("RUN_STARTED", threadId="t", runId="r2", parentRunId="r1"),
        event("STEP_STARTED", stepName="plan"),
        event("RUN_FINISHED", threadId="t", runId="r1", outcome={"type": "interrupt", "interrupts": [{"id": 1}]}),
        event("RUN_FINISHED", threadId="t", runId="r1", outcome="cancelled", result={"n": 1}),
    )
    assert len(session.of(TurnStarted)) == 1
    assert session.of(IntentRouted) == [IntentRouted(intent="plan")]
    assert [raw.name for raw in session.of(Raw)] == ["run", "interrupt", "result"]
    assert session.of(Failed) == [Failed(where="run", error="cancelled")]


def test_threads_of_a_file_are_sessions_of_their_own_and_a_longer_one_goes_on() -> None:
    def made(runs: int) -> bytes:
        events: list[dict[str, Any]] = []
        for run in range(runs):
            events += [begun(run, f"say {run}"), event("STATE_SNAPSHOT", snapshot={"n": run})]
            events += [event("TEXT_MESSAGE_CHUNK", messageId=f"m{run}", delta=f"re {run}")]
            events += [event("RUN_FINISHED", threadId="t", runId=f"r{run}")]
        return json.dumps(events).encode()

    (short,), (long,) = opened(made(2)), opened(made(5))
    assert sniff(made(2)) == "ag-ui"
    assert long.session.source == short.session.source
    assert long.items[: len(short.items)] == short.items
    mapper = mapped("t", short.session.source, short.items)
    before = mapper.map.cursor.seq
    mapped("t", short.session.source, short.items, mapper)
    assert mapper.map.cursor.seq == before
    mapped("t", long.session.source, long.items, mapper)
    assert dump(mapper.map) == dump(mapped("t", long.session.source, long.items).map)
    found = opened(
        json.dumps([begun(1, thread="a"), event("STEP_STARTED", stepName="x"), begun(2, thread="b")]).encode()
    )
    assert [(o.session.session_id, len(o.of(IntentRouted))) for o in found] == [("a", 1), ("b", 0)]


def test_a_bad_event_costs_that_event() -> None:
    report = Report()
    lines = [json.dumps(begun(1)), "{", '{"type": "STEP_STARTED"}', '{"type": []}', json.dumps(begun(2))]
    (session,) = opened("\n".join(lines).encode(), report, name="f")
    assert len(session.of(TurnStarted)) == 2
    assert [problem.where for problem in report.problems] == ["f line 2", "f line 3", "f line 4"]
    assert session.session.problem_count == 3
    adapter = AgUi("t")
    bads: list[Any] = [7, None, [], {}, {"type": ""}]
    for bad in bads:
        with pytest.raises(SignalError):
            adapter.take(bad)
        adapter.skip()
    assert adapter.scribe.n == 6


def test_anything_in_any_field_is_read_or_named() -> None:
    rng = random.Random(5)
    odd: list[Any] = [None, 7, 1e300, "", "x", "[1]", [], [None], {}, {"a": 1}, True, [{"op": "add", "path": "/a"}]]
    events = [json.loads(line) for line in (FILES / "ag_ui.jsonl").read_text("utf-8").splitlines()]

    def spoiled(value: Any) -> Any:
        if rng.random() < 0.06:
            return rng.choice(odd)
        if type(value) is dict:
            return {key: spoiled(item) for key, item in value.items()}
        return [spoiled(item) for item in value] if type(value) is list else value

    taken = 0
    for _ in range(200):
        rng.shuffle(events)
        with suppress(LingbotMapError):
            for session in opened(b"\n".join(json.dumps(spoiled(each)).encode() for each in events)):
                map = mapped(session.session.session_id, session.session.source, session.items).map
                assert len(map.turns) <= len(session.of(TurnStarted)) + 1
                assert session.session.found.left["unheard"] >= 0
                taken += 1
    assert taken > 150
