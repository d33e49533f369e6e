"""What a probe adds to the call it is put on. ``python -m bench probe``, or ``python -m bench.probe`` alone.

Every variant decorates the same function of two arguments, whose result has two values more: the event holds the
session, the turn, the intent and its confidence. The variants run round-robin in one process, and a ratio is taken
inside a round, so that the machine's moods cancel out; what is reported is the median over the rounds. The cost is
the calling thread's processor time beyond the bare call. The probe runs with everything on: a session and a turn in
context, bounds, isolation, and its sender delivering beside it.

The yardstick is the floor of any useful probe in Python: a decorator that appends one tuple to a bounded deque.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import importlib.util
import itertools
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextvars import ContextVar, copy_context
from typing import Any

from bench import Figure
from lingbot_probes import Probe

ROUNDS = 15
CALLS = 20_000
PEER_CALLS = 1_000  # a peer's call costs 20 to 400 times as much
SESSION: ContextVar[str] = ContextVar("bench_session", default="")
PEERS = {"opentelemetry-sdk": "opentelemetry.sdk", "langfuse": "langfuse", "structlog": "structlog"}

Route = Callable[[str, int], tuple[str, float]]
AsyncRoute = Callable[[str, int], Awaitable[tuple[str, float]]]


def route(text: str, turn: int) -> tuple[str, float]:
    return ("change_plan", 0.93)


async def async_route(text: str, turn: int) -> tuple[str, float]:
    return ("change_plan", 0.93)


def route_to_mapping(text: str, turn: int) -> dict[str, object]:
    return {"intent": "change_plan", "confidence": 0.93, "condition": "ticket is empty", "parent": "plan"}


class Everything:
    """A sink that takes everything and keeps nothing."""

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        acked: dict[str, list[list[int]]] = {}
        for event in batch["events"]:
            acked.setdefault(event["session"], []).append([event["n"], event["n"]])
        return {"v": 1, "server": "bench", "acked": acked, "refused": []}


# -- the floor ---------------------------------------------------------------------------------------------------


def floor(function: Any) -> Any:
    """Number, session, arguments, result and time, appended as a tuple to a bounded deque."""
    append = deque[Any](maxlen=500).append
    number = itertools.count(1).__next__
    session, clock = SESSION.get, time.time
    if asyncio.iscoroutinefunction(function):

        @functools.wraps(function)
        async def async_appended(*args: Any, **kwargs: Any) -> Any:
            result = await function(*args, **kwargs)
            append((number(), session(), "intent", args, result, clock()))
            return result

        return async_appended

    @functools.wraps(function)
    def appended(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        append((number(), session(), "intent", args, result, clock()))
        return result

    return appended


# -- the peers ---------------------------------------------------------------------------------------------------


def opentelemetry_span() -> Callable[[Any], Any]:
    """A span with four attributes, batched to an exporter that drops it."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

    class Nowhere(SpanExporter):  # type: ignore[misc, unused-ignore]
        def export(self, spans: Any) -> Any:
            return SpanExportResult.SUCCESS

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(Nowhere()))
    tracer = provider.get_tracer("bench")

    def said(span: Any, text: str, result: tuple[str, float]) -> None:
        span.set_attribute("session.id", SESSION.get())
        span.set_attribute("input", text)
        span.set_attribute("intent", result[0])
        span.set_attribute("confidence", result[1])

    def decorate(function: Any) -> Any:
        if asyncio.iscoroutinefunction(function):

            async def async_spanned(text: str, turn: int) -> Any:
                with tracer.start_as_current_span("route") as span:
                    result = await function(text, turn)
                    said(span, text, result)
                    return result

            return async_spanned

        def spanned(text: str, turn: int) -> Any:
            with tracer.start_as_current_span("route") as span:
                result = function(text, turn)
                said(span, text, result)
                return result

        return spanned

    return decorate


def langfuse_observe() -> Callable[[Any], Any]:
    """Langfuse's decorator, its spans dropped instead of sent."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class Nowhere(SpanExporter):  # type: ignore[misc, unused-ignore]
        def export(self, spans: Any) -> Any:
            return SpanExportResult.SUCCESS

    logging.getLogger("langfuse").setLevel(logging.CRITICAL)
    from langfuse import Langfuse, observe

    Langfuse(
        public_key="pk-lf-bench", secret_key="sk-lf-bench", host="http://127.0.0.1:9",
        span_exporter=Nowhere(), tracer_provider=TracerProvider(),
    )  # fmt: skip
    return lambda function: observe(name="route")(function)


def structlog_line() -> Callable[[Any], Any]:
    """One JSON line with four values, written to nowhere."""
    import structlog

    log = structlog.wrap_logger(
        structlog.BytesLogger(open(os.devnull, "wb")),  # noqa: SIM115  # as long as the process
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(serializer=_json()),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        cache_logger_on_first_use=True,
    ).bind()

    def decorate(function: Any) -> Any:
        if asyncio.iscoroutinefunction(function):

            async def async_logged(text: str, turn: int) -> Any:
                result = await function(text, turn)
                log.info("intent_routed", session=SESSION.get(), input=text, intent=result[0], confidence=result[1])
                return result

            return async_logged

        def logged(text: str, turn: int) -> Any:
            result = function(text, turn)
            log.info("intent_routed", session=SESSION.get(), input=text, intent=result[0], confidence=result[1])
            return result

        return logged

    return decorate


def _json() -> Any:
    """The quickest serialiser that is here: the peer is to look its best."""
    if importlib.util.find_spec("orjson"):
        import orjson

        return orjson.dumps
    import json

    return lambda value, **_: json.dumps(value).encode()


def peers() -> Iterator[tuple[str, Callable[[Any], Any], float]]:
    """(name, decorator, how many times cheaper the probe has to be) of each peer that is installed."""
    for name, make, times in (
        ("opentelemetry-sdk", opentelemetry_span, 30.0),
        ("langfuse", langfuse_observe, 200.0),
        ("structlog", structlog_line, 10.0),
    ):
        try:
            present = importlib.util.find_spec(PEERS[name]) is not None
        except ModuleNotFoundError:
            present = False
        if present:
            yield name, make(), times
        else:
            print(f"  {name} is not installed (extra: bench)")


# -- measuring ---------------------------------------------------------------------------------------------------


def sync_ns(function: Route, calls: int) -> float:
    began = time.thread_time_ns()
    for _ in range(calls):
        function("I want to change my plan", 7)
    return (time.thread_time_ns() - began) / calls


def async_ns(function: AsyncRoute, calls: int) -> float:
    async def run() -> float:
        began = time.thread_time_ns()
        for _ in range(calls):
            await function("I want to change my plan", 7)
        return (time.thread_time_ns() - began) / calls

    return _LOOP.run_until_complete(run())


_LOOP = asyncio.new_event_loop()


def threads_ns(function: Route, calls: int) -> float:
    spent: list[float] = []
    share = calls // 4
    started = threading.Barrier(4)

    def run() -> None:
        started.wait()
        spent.append(sync_ns(function, share))

    # each thread in a copy of the caller's context, as ``asyncio.to_thread`` does: the probe's session and turn, a
    # peer's current span and bound values are as much at hand there as here
    threads = [threading.Thread(target=copy_context().run, args=(run,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statistics.mean(spent)


def rounds(
    variants: dict[str, tuple[Any, int]], bare: dict[str, Any], measure: Callable[[Any, int], float]
) -> dict[str, list[float]]:
    """The cost beyond the bare call of each variant in each round."""
    costs: dict[str, list[float]] = {name: [] for name in variants}
    for number in range(ROUNDS + 1):
        names = list(variants)
        names = names[number % len(names) :] + names[: number % len(names)]
        gc.collect()
        gc.disable()
        for name in names:
            function, calls = variants[name]
            plain = bare.get(name, bare[""])
            cost = measure(function, calls) - measure(plain, calls)
            if number:  # the first round warms up
                costs[name].append(cost)
        gc.enable()
    return costs


def ratio(costs: dict[str, list[float]], name: str, to: str) -> float:
    """The median over the rounds of what ``name`` costs, in units of what ``to`` costs in the same round."""
    return statistics.median(a / b for a, b in zip(costs[name], costs[to], strict=True))


def measure() -> Iterable[Figure]:
    """Every figure of the probe's cost beside its bar."""
    probe = Probe("bench", sink=Everything())
    SESSION.set("session-0001")
    with probe.session("session-0001"), probe.turn_scope(utterance="I want to change my plan"):
        installed = list(peers())
        yield from _against("sync", route, sync_ns, probe, installed)
        yield from _against("async", async_route, async_ns, probe, installed)
        yield from _against("4 threads", route, threads_ns, probe, installed)
    probe.close()
    os.environ["LINGBOT_MAP"] = "off"
    try:
        same = Probe("bench").intent(route) is route
    finally:
        del os.environ["LINGBOT_MAP"]
    yield Figure(name="switched off: wrappers left", value=0.0 if same else 1.0, unit="", bar=0.0)
    yield Figure(name="import lingbot_probes", value=_import_ms(), unit="ms", note="fresh interpreter, best of 8")


def _against(
    mode: str,
    function: Any,
    clock: Callable[[Any, int], float],
    probe: Probe,
    installed: list[tuple[str, Callable[[Any], Any], float]],
) -> Iterator[Figure]:
    variants: dict[str, tuple[Any, int]] = {
        "floor": (floor(function), CALLS),
        "probe": (probe.intent(function), CALLS),
    }
    bare = {"": function}
    if mode == "sync":
        variants["mapping"] = (probe.intent(route_to_mapping), CALLS)
        bare["mapping"] = route_to_mapping
    for name, decorate, _ in installed:
        variants[name] = (decorate(function), PEER_CALLS)
    costs = rounds(variants, bare, clock)
    ours = statistics.median(costs["probe"])
    yield Figure(name=f"{mode}: cost added to a call", value=ours, unit="ns", note="thread's processor time")
    yield Figure(
        name=f"{mode}: x a bare deque.append of a tuple",
        value=ratio(costs, "probe", "floor"),
        unit="x",
        bar=2.5,
        note=f"floor {statistics.median(costs['floor']):.0f} ns",
    )
    if "mapping" in costs:
        yield Figure(
            name=f"{mode}: the same, result a mapping of four",
            value=ratio(costs, "mapping", "floor"),
            unit="x",
            bar=2.5,
            note=f"{statistics.median(costs['mapping']):.0f} ns",
        )
    for name, _, times in installed:
        note = f"{statistics.median(costs[name]) / 1000:.1f} us a call"
        yield Figure(
            name=f"{mode}: times cheaper than {name}",
            value=ratio(costs, name, "probe"),
            unit="x",
            bar=times,
            better="more",
            note=note,
        )


def _import_ms() -> float:
    """Milliseconds for the import in a fresh interpreter, compiled files present as in an installed package."""
    code = "import time; t = time.perf_counter(); import lingbot_probes; print((time.perf_counter() - t) * 1000)"
    with tempfile.TemporaryDirectory() as compiled:
        env = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
        command = [sys.executable, "-c", code]
        runs = [subprocess.run(command, capture_output=True, text=True, check=True, env=env) for _ in range(9)]
    return min(float(run.stdout) for run in runs[1:])


if __name__ == "__main__":
    sys.exit(importlib.import_module("bench.__main__").main(["probe"]))
