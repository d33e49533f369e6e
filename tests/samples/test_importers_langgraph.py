"""Recordings that the real LangGraph makes: field by field, in every form, and the same map as from a live attach."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lingbot_map.codec import dump
from lingbot_map.importers import Report, sniff
from lingbot_probes import Probe
from lingbot_probes.codec import signal_from_dict
from lingbot_probes.langchain import MapCallback
from lingbot_probes.signals import Answered, IntentRouted, Raw, Retrieved, SlotAssigned, TurnStarted, Undone
from tests.live.tea_graph import POSTAGE, PRICES
from tests.probes.listening import Listener
from tests.samples.imports import Opened, mapped, opened
from tests.samples.langgraph_files import FORMS, Record, Say, layers, lines, one, recorded, streamed

EVENTS, HISTORY = recorded()


# --- field by field --------------------------------------------------------------------------------------------------


def test_a_dump_of_events() -> None:
    report = Report()
    session = one(lines(EVENTS), report)
    assert (report.format, report.records, report.problem_count) == ("langgraph-events", len(EVENTS), 0)
    assert session.session.session_id == "anna"
    assert layers(session) == [
        ("1", "turn", "good day"),
        ("1", "intent", "understand", ""),
        ("1", "slot", "intent", "small", "understand"),
        ("1", "intent", "prepare", ""),
        ("1", "slot", "found", ["Small talk, nothing to look up at all."], "prepare"),
        ("1", "intent", "chat", ""),
        ("1", "intent", "chat/note", "chat"),
        ("1", "slot", "notes", [1], "chat/note"),
        ("1", "intent", "chat/greet", "chat"),
        ("1", "answer", "(2) Small talk, nothing to look up at all.", ()),
        ("2", "turn", "price please"),
        ("2", "intent", "understand", ""),
        ("2", "slot", "intent", "price", "understand"),
        ("2", "intent", "look_up", ""),
        ("2", "vector", "price please", (("prices", 0.91), ("post.md#2", 0.4))),
        ("2", "slot", "found", [PRICES, POSTAGE], "look_up"),
        ("2", "intent", "approve", ""),
        ("2", "slot", "approved", True, "approve"),
        ("2", "intent", "tell", ""),
        ("2", "prompt", "price please", (("prices", None),)),
        ("2", "answer", f"(4) {PRICES}", ("prices",)),
        ("2", "undone", "2", "slot_assigned"),
        ("2", "slot", "found", ["Changed before look_up: nothing is sold today."], ""),
        ("2", "intent", "look_up", ""),
        ("2", "vector", "price please", (("prices", 0.91), ("post.md#2", 0.4))),
        ("2", "slot", "found", [PRICES, POSTAGE], "look_up"),
        ("2", "intent", "approve", ""),
        ("2", "slot", "approved", True, "approve"),
        ("2", "intent", "tell", ""),
        ("2", "prompt", "price please", (("prices", None),)),
        ("2", "answer", f"(4) {PRICES}", ("prices",)),
        ("3", "turn", "an order"),
        ("3", "intent", "understand", ""),
        ("3", "slot", "intent", "order", "understand"),
        ("3", "intent", "order", ""),
        ("3", "intent", "refuse", ""),
        ("3", "answer", "Not today.", ()),
    ]
    conditions = [signal.condition for signal in session.of(IntentRouted) if signal.condition]
    assert conditions == ["by_intent → chat", "by_intent → look_up", "whether → True", "whether → True",
                          "by_intent → order", "order: goto"]  # fmt: skip
    (doc, other), kinds = session.of(Retrieved)[0].docs, {"relevance_score", "distance"}
    assert (doc.title, doc.rank, doc.snippet, {doc.score_kind, other.score_kind}) == ("Price list", 1, PRICES, kinds)
    assert [raw.name for raw in session.of(Raw)] == [
        "model", "interrupt", "resume", "model", "interrupt", "resume", "model", "tool",
    ]  # fmt: skip
    assert session.session.coverage == {"flow": "full", "state": "partial", "knowledge": "partial"}
    assert session.session.timed


def test_a_history() -> None:
    report = Report()
    session = one(json.dumps(HISTORY).encode(), report)
    assert (report.format, report.records, report.problem_count) == ("langgraph-history", len(HISTORY), 0)
    (events,) = opened(lines(EVENTS))
    assert layers(session, inner=False, found=False) == layers(events, inner=False, found=False)
    assert session.session.coverage == {"flow": "partial", "state": "partial", "knowledge": "none"}
    counts = {fact["code"]: fact["count"] for fact in session.session.lost}
    assert counts == {"reads": 0, "knowledge": 0, "conditions": 13}
    assert [item.said_at for item in session.items] == sorted(item.said_at or 0.0 for item in session.items)


@pytest.mark.parametrize(
    "modes",
    [["debug"], ["checkpoints", "tasks"], ["values", "updates", "checkpoints", "tasks", "debug", "messages", "custom"]],
    ids="+".join,
)
def test_a_stream_with_checkpoints(modes: list[str]) -> None:
    report = Report()
    session = one(lines(streamed(modes)), report)
    assert (report.format, session.session.session_id, report.problem_count) == ("langgraph-stream", "anna", 0)
    (events,) = opened(lines(EVENTS))
    assert layers(session, found=False) == layers(events, found=False)


def test_a_stream_without_checkpoints_tells_what_it_has() -> None:
    script: tuple[Say, ...] = ("good day", "price please", True, "an order")
    (events,) = opened(lines(recorded(script)[0]))
    session = one(lines(streamed(["values", "updates"], script)))
    assert layers(session, found=False) == layers(events, found=False)
    (silent,) = opened(lines(streamed(["updates"], script)))
    assert [entry[2:] for entry in layers(silent, inner=False, found=False) if entry[1] in ("intent", "answer")] == [
        entry[2:] for entry in layers(events, inner=False, found=False) if entry[1] in ("intent", "answer")
    ]
    assert "unheard" in {fact["code"] for fact in silent.session.lost}
    assert silent.session.session_id.startswith("langgraph ")


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_objects_is_read(form: str) -> None:
    events, history = recorded(("good day", "price please", True), form=FORMS[form])
    (expected,) = opened(lines(recorded(("good day", "price please", True))[0]))
    (found,) = opened(lines(events))
    named = form != "spelt"  # a document's ``str`` leaves its id out
    assert layers(found, found=named) == layers(expected, found=named)
    (found,) = opened(lines(history))
    assert layers(found, inner=False, found=False) == layers(expected, inner=False, found=False)


def test_the_containers_of_a_history_are_the_same_session() -> None:
    expected = one(json.dumps(HISTORY).encode())
    sdk = []
    for state in HISTORY:
        own, above = state["config"]["configurable"], state["parent_config"] or {}
        rest = {key: value for key, value in state.items() if key not in ("config", "parent_config")}
        sdk.append({**rest, "checkpoint": own, "parent_checkpoint": above.get("configurable")})
    listed = [[state[key] for key in state] for state in HISTORY]
    for content in (
        json.dumps(HISTORY, indent=1).encode(),
        json.dumps(HISTORY[::-1]).encode(),
        json.dumps(listed).encode(),
        json.dumps(sdk, ensure_ascii=False).encode(),
        lines(HISTORY),
        lines(sdk[::-1]),
        lines(HISTORY + HISTORY[3:5]),
    ):
        assert sniff(content) == "langgraph-history"
        found = one(content)
        assert (found.session.source, found.items) == (expected.session.source, expected.items)


def test_raw_checkpoints() -> None:
    raw = []
    for state in HISTORY:
        channels = {**state["values"], "branch:to:chat": None, "__start__": {}}
        own = {"v": 4, "id": state["config"]["configurable"]["checkpoint_id"], "ts": state["created_at"]}
        raw.append(
            {
                "config": state["config"],
                "checkpoint": {**own, "channel_values": channels, "channel_versions": {}, "versions_seen": {}},
                "metadata": state["metadata"],
                "parent_config": state["parent_config"],
                "pending_writes": [],
            }
        )
    session = one(json.dumps(raw).encode())
    expected = one(json.dumps(HISTORY).encode())
    kinds = (TurnStarted, Answered, Undone)
    assert session.of(*kinds) == expected.of(*kinds) or len(session.of(*kinds)) == len(expected.of(*kinds))
    assert {s.slot: s.value for s in session.of(SlotAssigned)} == {s.slot: s.value for s in expected.of(SlotAssigned)}


# --- live and import -------------------------------------------------------------------------------------------------

NEXT: st.SearchStrategy[Say] = st.sampled_from(
    ["good day", "price please", "an order", "fan out", True, False, ("fork", "approve"), ("fork", "prepare")]
)


def sensible(script: list[Say]) -> tuple[Say, ...]:
    """The script without answers that nobody waits for, and without forks before what never ran or was left: where a
    branch that was left is taken up again only a history can tell. The notes double with each good day, and a probe
    tells 50 items of a list, a recording all: no more than four."""
    out: list[Say] = []
    waiting, ran = False, set[str]()
    for what in script:
        if type(what) is bool and not waiting:
            continue
        if (type(what) is tuple and what[1] not in ran) or (what == "good day" and out.count(what) == 4):
            continue
        waiting = what == "price please" or (type(what) is tuple and what[1] == "approve")
        if type(what) is tuple:
            ran = {what[1]}
        elif what == "price please":
            ran |= {"approve"}
        elif what == "good day":
            ran |= {"prepare"}
        out.append(what)
    return tuple(out) or ("good day",)


@example(("good day", ("fork", "prepare"), ("fork", "prepare")))
@example(("price please", ("fork", "approve"), ("fork", "approve"), True, ("fork", "approve"), False))
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(NEXT, min_size=1, max_size=7).map(sensible))
def test_a_live_attach_and_an_import_of_the_same_run_tell_the_same_layers(script: tuple[Say, ...]) -> None:
    listener = Listener()
    probe = Probe("bot", sink=listener)
    events, history = recorded(script, "anna", FORMS["constructed"], MapCallback(probe))
    assert probe.flush(5)
    assert probe.stats()["errors"] == 0
    probe.close()
    turns: dict[str, str] = {}
    live = []
    for event in listener.events():
        turn = event.get("turn") or ""
        number = turns.setdefault(turn, str(len(turns) + 1)) if turn else ""
        live.append(_Item(event["n"], number, signal_from_dict(event["signal"])))
    heard = Opened(None, live)  # type: ignore[arg-type]
    dump_of_events = one(lines(events))
    assert layers(heard) == layers(dump_of_events)
    assert layers(one(lines(history)), inner=False, found=False) == layers(dump_of_events, inner=False, found=False)


class _Item:
    def __init__(self, n: int, turn: str, signal: Any) -> None:
        self.n, self.turn, self.signal = n, turn, signal


# --- identity --------------------------------------------------------------------------------------------------------


def test_a_second_import_adds_nothing_and_a_longer_export_goes_on() -> None:
    script: tuple[Say, ...] = ("good day", "price please", True, ("fork", "approve"), False, "an order", "fan out")
    events, history = recorded(script)
    ends = [i + 1 for i, e in enumerate(events) if e["event"] == "on_chain_end" and not e["parent_ids"]]
    oldest_first = history[::-1]
    for whole, cuts in ((events, ends), (oldest_first, range(3, len(history)))):
        full = one(lines(whole))
        plain = dump(mapped("anna", full.session.source, full.items).map)
        for cut in cuts:
            short = one(lines(whole[:cut]))
            assert short.session.source == full.session.source
            mapper = mapped("anna", short.session.source, short.items)
            before = mapper.map.cursor.seq
            mapped("anna", short.session.source, short.items, mapper)
            assert mapper.map.cursor.seq == before
            assert [item.signal for item in full.items[: len(short.items)]] == [item.signal for item in short.items]
            mapped("anna", full.session.source, full.items, mapper)
            assert dump(mapper.map) == plain


def test_threads_are_told_apart_and_an_event_twice_counts_once() -> None:
    other = recorded(("fan out",), "ben")[0]
    mixed = [event for pair in zip(other, EVENTS, strict=False) for event in pair] + EVENTS[len(other) :]
    report = Report()
    sessions = opened(lines([*mixed, *(e for e in other if e["event"].endswith("_end"))]), report)
    assert [session.session.session_id for session in sessions] == ["ben", "anna"]
    assert [layers(session) for session in sessions] == [layers(one(lines(other))), layers(one(lines(EVENTS)))]
    assert report.repeated == sum(e["event"].endswith("_end") for e in other)


def test_events_that_name_no_thread_are_one_session_that_grows() -> None:
    bare = [{**e, "metadata": {k: v for k, v in e["metadata"].items() if k != "thread_id"}} for e in EVENTS]
    (session,) = opened(lines(bare))
    assert layers(session) == layers(one(lines(EVENTS)))
    assert {fact["code"]: fact["count"] for fact in session.session.lost}["unthreaded"] > 0
    (short,) = opened(lines(bare[: len(bare) // 2]))
    assert (short.session.session_id, short.session.source) == (session.session.session_id, session.session.source)


def test_a_branch_that_was_left_and_is_taken_up_again_is_a_session_of_its_own() -> None:
    def state(id: int, parent: int, step: int, **values: Any) -> Record:
        name = "1f000000-0000-6000-8000-{:012x}".format
        place = {"thread_id": "anna", "checkpoint_ns": ""}
        return {
            "values": {"messages": [{"type": "human", "content": "hello", "id": "h"}], **values},
            "next": ["node"],
            "config": {"configurable": {**place, "checkpoint_id": name(id)[:8] + name(id)[8:]}},
            "parent_config": {"configurable": {**place, "checkpoint_id": name(parent)}} if parent else None,
            "metadata": {"source": "loop", "step": step},
            "created_at": f"2026-01-01T00:00:{id:02d}+00:00",
            "tasks": [{"name": f"node {id}", "id": str(id), "result": {}}],
        }

    states = [state(1, 0, 0), state(2, 1, 1, a=1), state(3, 2, 2, a=2), state(4, 1, 1, a=9), state(5, 3, 3, b=1)]
    main, branch = opened(lines(states))
    assert [(s.slot, s.value) for s in main.of(SlotAssigned)] == [("a", 1), ("a", 2), ("a", 9)]
    assert len(main.of(Undone)) == 1
    assert branch.session.session_id == "anna#2"
    assert [(s.slot, s.value) for s in branch.of(SlotAssigned)] == [("a", 1), ("a", 2), ("b", 1)]
    assert {fact["code"]: fact["count"] for fact in main.session.lost}["branches"] == 1
    shorter = opened(lines(states[:4]))
    assert [(o.session.source, o.items) for o in shorter] == [(main.session.source, main.items)]
