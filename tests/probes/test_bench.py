"""What the benchmark of the probe measures in threads is what it says: everybody's context is at hand there."""

from __future__ import annotations

from typing import Any

import pytest

from bench import probe as bench
from lingbot_probes import Probe


def test_threads_have_the_callers_session_turn_and_peers_context(probe: Probe) -> None:
    found: list[Any] = []

    def route(text: str, turn: int) -> tuple[str, float]:
        found.append((bench.SESSION.get(), probe._where.here().session.id, probe._where.here().turn))
        return "plan", 0.5

    token = bench.SESSION.set("there")
    try:
        with probe.session("s"), probe.turn_scope(id="t"):
            bench.threads_ns(route, 8)
    finally:
        bench.SESSION.reset(token)
    assert found == [("there", "s", "t")] * 8


def test_a_peers_span_in_a_thread_is_a_child_of_the_callers() -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    tracer = trace.TracerProvider().get_tracer("test")
    parents: list[Any] = []

    def route(text: str, turn: int) -> tuple[str, float]:
        with tracer.start_as_current_span("route") as span:
            parents.append(span.parent and span.parent.span_id)
        return "plan", 0.5

    with tracer.start_as_current_span("turn") as turn:
        bench.threads_ns(route, 4)
    assert parents == [turn.get_span_context().span_id] * 4


def test_every_peer_is_measured_in_every_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures' names and bars, from a run that is too short to mean anything."""
    peers = [("one", lambda function: function, 30.0), ("two", lambda function: function, 10.0)]
    monkeypatch.setattr(bench, "peers", lambda: iter(peers))
    monkeypatch.setattr(bench, "rounds", lambda variants, bare, measure: {name: [1.0] for name in variants})
    monkeypatch.setattr(bench, "_import_ms", lambda: 1.0)
    bars = {figure.name: figure.bar for figure in bench.measure()}
    for mode in ("sync", "async", "4 threads"):
        assert bars[f"{mode}: times cheaper than one"] == 30.0
        assert bars[f"{mode}: times cheaper than two"] == 10.0
        assert bars[f"{mode}: x a bare deque.append of a tuple"] == 2.5
    assert bars["sync: the same, result a mapping of four"] == 2.5
