"""Recordings of LangGraph that are out of order, cut, damaged or hostile, and what is said to be lost of them."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from lingbot_map.errors import BadInput, TooLarge
from lingbot_map.importers import Report, langgraph_history
from lingbot_probes.adapters.langgraph import LangGraph
from tests.samples.imports import mapped, opened
from tests.samples.langgraph_files import layers, lines, one, recorded, streamed

EVENTS, HISTORY = recorded()
BOTH = [pytest.param(lines(EVENTS), id="events"), pytest.param(json.dumps(HISTORY).encode(), id="history")]


# --- order and what is lost ------------------------------------------------------------------------------------------


def test_states_in_any_order_are_told_in_time_and_the_order_of_the_file_is_kept() -> None:
    expected = one(lines(HISTORY))
    rng = random.Random(5)
    for _ in range(10):
        shuffled = rng.sample(HISTORY, len(HISTORY))
        found = one(lines(shuffled))
        assert found.items[1:] == expected.items[1:]
        assert found.session.source == expected.session.source
        counts = {fact["code"]: fact["count"] for fact in found.session.lost}
        assert counts["states_reordered"] > 0
        (start,) = [item.signal.meta["order_in_file"] for item in found.items[:1]]  # type: ignore[union-attr]
        assert sorted(start) == list(range(1, len(HISTORY) + 1))


def test_times_that_run_backwards_are_said_and_the_order_of_the_log_stays() -> None:
    stamped = [{**event, "timestamp": 1.7e9 + i} for i, event in enumerate(EVENTS)]
    stamped[-1]["timestamp"] = 1.6e9
    session = one(lines(stamped))
    counts = {fact["code"]: fact["count"] for fact in session.session.lost}
    assert counts["backwards"] == 1
    assert "id_times" not in counts
    assert session.items[0].said_at == 1.7e9


def test_what_was_lost_is_said_in_numbers_in_both_languages() -> None:
    cut = EVENTS[3:-4]
    session = one(lines(cut))
    facts = {fact["code"]: fact for fact in session.session.lost}
    assert {"headless", "unended", "pieces", "id_times", "reads"} <= set(facts)
    assert facts["pieces"]["count"] == sum(
        e["event"].endswith("_stream") and "__interrupt__" not in json.dumps(e) for e in cut
    )
    assert all(fact["en"] and fact["zh"] and "{" not in fact["en"] + fact["zh"] for fact in facts.values())


def test_an_ordinary_dialogue_is_no_loop() -> None:
    """A graph's wiring leads through the same nodes in every turn."""
    session = one(lines(recorded(("good day", "an order", "good day", "good day", "an order", "good day"))[0]))
    mapper = mapped("anna", session.session.source, session.items)
    assert [finding.kind for finding in mapper.map.findings.values() if finding.kind == "loop"] == []


def test_rounds_within_a_turn_are_a_loop_all_the_same() -> None:
    adapter = LangGraph("anna")
    run = {"metadata": {"thread_id": "anna"}, "parent_ids": [], "run_id": "r"}
    given = {"question": "?", "city": "x"}
    items = adapter.take({"event": "on_chain_start", "name": "LangGraph", "data": {"input": given}, **run})
    for step, node in enumerate(["plan", "act", "check"] * 2, 1):
        inner = {"langgraph_node": node, "langgraph_step": step, "langgraph_checkpoint_ns": f"{node}:{step}"}
        record = {"run_id": str(step), "parent_ids": ["r"], "metadata": inner, "tags": [f"graph:step:{step}"]}
        items += adapter.take({"event": "on_chain_start", "name": node, "data": {"input": {"city": "x"}}, **record})
        items += adapter.take({"event": "on_chain_end", "data": {"output": {"city": "x"}}, **record})
    mapper = mapped("anna", "s", items)
    assert {finding.kind for finding in mapper.map.findings.values()} == {"loop"}


# --- what is bad -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", BOTH)
def test_a_bad_record_costs_that_record_and_no_session(content: bytes) -> None:
    records = [json.dumps(record).encode() for record in (json.loads(content) if content[:1] == b"[" else EVENTS)]
    bad = [b'{"event": ', b"17", b'{"nothing": 1}', b'{"event": 7, "run_id": []}', b'{"values": 3}']
    report = Report()
    sessions = opened(b"\n".join([records[0], *bad, *records[1:]]), report, name="f")
    assert "anna" in {session.session.session_id for session in sessions}
    (anna,) = [session for session in sessions if session.session.session_id == "anna"]
    assert layers(anna) == layers(one(b"\n".join(records)))
    assert {problem.where for problem in report.problems} >= {"f line 2", "f line 3"}
    with pytest.raises(BadInput):
        opened(b"\n".join([records[0], bad[0]]), strict=True)


def test_hostile_records_break_nothing() -> None:
    rng = random.Random(11)
    junk: list[Any] = [
        None,
        7,
        -1.5,
        True,
        "x",
        "Command(",
        "content='",
        [],
        {},
        [[]],
        {"lc": 1},
        {"id": [1]},
        ["user", 3],
        "[" * 50,
    ]
    records = [*EVENTS, *HISTORY, *streamed(["debug", "values", "updates"], ("price please", True))]

    def spoilt(value: Any) -> Any:
        if rng.random() < 0.06:
            return rng.choice(junk)
        if type(value) is dict:
            return {key: spoilt(item) for key, item in value.items()}
        return [spoilt(item) for item in value] if type(value) is list else value

    for group in (EVENTS, HISTORY, records[len(EVENTS) + len(HISTORY) :]):
        for _ in range(60):
            content = lines([spoilt(record) if rng.random() < 0.9 else record for record in group])
            try:
                sessions = opened(content, name="f")
            except BadInput:
                continue
            for session in sessions:
                mapped(session.session.session_id, session.session.source, session.items)


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(langgraph_history, "_STATES", 3)
    with pytest.raises(TooLarge):
        opened(lines(HISTORY))
