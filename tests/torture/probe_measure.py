"""What a process measures of its own probe, for ``probe_load``: ``python -m tests.torture.probe_measure``.

Its arguments are what to measure, the map's address and the percentage of a storm's calls. It prints one JSON object
and ends without the probe's last attempt.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import re
import signal
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lingbot_probes import Probe

SMALL = {"intent": "change_plan", "confidence": 0.93, "slots": {"phone": "130****0000", "plan": None}}
CALLS, BATCH = 10_000, 100

Call = Callable[[str, Any], Any]


def plain(text: str, meta: Any) -> Any:
    """What is decorated."""
    return meta


def cost(function: Call, given: Any, calls: int = CALLS) -> tuple[float, float]:
    """Microseconds a call: the median and the 99th percentile over batches of 100."""
    took = []
    for _ in range(calls // BATCH):
        began = time.perf_counter()
        for _ in range(BATCH):
            function("I want to change my plan", given)
        took.append((time.perf_counter() - began) * 1e6 / BATCH)
    return statistics.median(took), statistics.quantiles(took, n=100)[-1]


def decorated(probe: Probe) -> dict[str, Call]:
    """The same function under each decorator."""
    return {
        "turn": probe.turn(plain),
        "intent": probe.intent(plain),
        "retrieval": probe.retrieval()(plain),
        "slots": probe.slots(assigns=True)(plain),
    }


def costs(probe: Probe) -> dict[str, Any]:
    """What each decorator adds to a call, and the account after it all."""
    bare = cost(plain, SMALL)
    found = {}
    for name, call in decorated(probe).items():
        cost(call, SMALL, 1_000)
        median, high = cost(call, SMALL)
        found[name] = (median - bare[0], high - bare[1])
    big = {**SMALL, "text": "x" * 1_000_000, "list": list(range(20_000))}
    call = probe.intent(plain)
    found["intent, 1 MB"] = (cost(call, big, 2_000)[0] - bare[0], 0.0)
    return {"added": found, "stats": probe.stats()}


# -- memory --------------------------------------------------------------------------------------------------------


def _memory(field: str) -> float:
    found = re.search(rf"{field}:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def _text(i: int) -> dict[str, str]:
    return {"text": chr(97 + i % 26) * 1_000_000}


STORMS: dict[str, tuple[int, Callable[[int], Any]]] = {
    "small": (100_000, lambda i: SMALL),
    "1 MB each": (3_000, _text),
    "1 MB of Chinese": (300, lambda i: {"text": chr(0x4E00 + i) * 1_000_000}),
    "1 MB as the name": (1_000, lambda i: (chr(97 + i % 26) * 1_000_000, 0.5)),
    "20,000 items": (2_000, lambda i: [str(i) + str(j) for j in range(20_000)]),
    "empty lists": (2_000, lambda i: {"data": [[[[] for _ in range(50)] for _ in range(50)] for _ in range(2)]}),
    "empty mappings": (2_000, lambda i: [[{} for _ in range(50)] for _ in range(50)]),
    "whole numbers": (2_000, lambda i: [[i * 10_000_000 + j for j in range(50)] for _ in range(50)]),
    "texts of two letters": (
        2_000,
        lambda i: [[chr(0x4E00 + j) + chr(0x4E00 + k) for j in range(50)] for k in range(50)],
    ),
    "one key each": (2_000, lambda i: [{f"key {i} {j}": None} for j in range(50)]),
}
"""How many calls, and what the i-th returns."""
FULL = 600
"""So many calls fill the ring, and push some out again."""


def storm(probe: Probe, name: str, share: int) -> dict[str, Any]:
    """How many MiB the process grows at most while the storm lasts, under all decorators in turn."""
    calls, make = STORMS[name]
    marks = list(decorated(probe).values())
    for call in marks:
        cost(call, SMALL, 1_000)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here on
    before = _memory("VmRSS")
    for i in range(max(calls * share // 100, FULL)):
        marks[i % len(marks)]("x", make(i))
    return {"grown": _memory("VmHWM") - before, "stats": probe.stats()}


def sessions(probe: Probe) -> dict[str, Any]:
    """As ``storm``, of a bot with very many dialogues whose ids are as long as may be."""

    @probe.turn
    def plain_turn(text: str, session_id: str) -> str:
        return "ok"

    for i in range(1_000):
        plain_turn("hi", f"warm {i}")
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = _memory("VmRSS")
    for i in range(100_000):
        plain_turn("hi", f"{i:0>256}")
    return {"grown": _memory("VmHWM") - before, "stats": probe.stats()}


# -- calls from everywhere -----------------------------------------------------------------------------------------


def threads(probe: Probe) -> dict[str, Any]:
    """What went wrong in 8 threads of 5,000 calls each, while calls come from a logging handler, from ``__del__``, from
    a signal and from the collector as well."""
    wrong: list[str] = []
    logger = logging.Logger("alone")

    @probe.intent
    def call(x: Any) -> Any:
        return x

    @probe.turn
    def wrapped(x: Any) -> Any:
        logger.warning("x")
        return call(x)

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            call(record.getMessage())

    class Gone:
        def __init__(self) -> None:
            self.me = self  # only the collector ends it

        def __del__(self) -> None:
            wrapped("gone")

    def hammer() -> None:
        try:
            for i in range(5_000):
                if call(i) != i or (i % 50 == 0 and wrapped(i) != i):
                    wrong.append(f"{i} came back as another")
                if i % 100 == 0:
                    Gone()
        except BaseException as error:
            wrong.append(repr(error))

    deep = 0

    def on_alarm(number: int, frame: object) -> None:
        # Signals come faster than the main thread gets its turn among eight: without an end they pile up within one
        # another until Python's stack is full, whatever is called here.
        nonlocal deep
        if deep < 50:
            deep += 1
            try:
                wrapped("signal")
            finally:
                deep -= 1

    logger.addHandler(Handler())
    signal.signal(signal.SIGALRM, on_alarm)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    running = [threading.Thread(target=hammer) for _ in range(8)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(60)
    signal.setitimer(signal.ITIMER_REAL, 0)
    if any(thread.is_alive() for thread in running):
        wrong.append("a thread hangs")
    return {"wrong": wrong[:5], "stats": probe.stats()}


MEASURES: dict[str, Callable[[Probe], dict[str, Any]]] = {"costs": costs, "sessions": sessions, "threads": threads}


def main(what: str, address: str, share: str = "100") -> None:
    probe = Probe("bot", address)
    found: dict[str, Any]
    kind, _, name = what.partition(":")
    if kind == "storm":
        found = storm(probe, name, int(share))
    else:
        found = MEASURES[kind](probe)
    print(json.dumps(found), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
