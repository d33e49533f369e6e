"""Measurements beside their bars. ``python -m bench [PART ...]`` runs the modules of this folder.

A part is a module with ``measure() -> Iterable[Figure]``; it may also be run alone. CPU-bound costs are taken with
``time.thread_time`` or ``time.process_time`` and as the best of several rounds, since the machine may be shared:
preemption is not a property of the code. What other processes used meanwhile is printed beside each part.
"""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

RESULTS = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number.

    ``bar`` is what it is held to (``None``: told, not judged) and ``better`` the side of the bar it must lie on.
    ``note`` says what the number stands beside: the size of the input, the peer and its version.
    """

    name: str
    value: float
    unit: str
    bar: float | None = None
    better: Literal["less", "more"] = "less"
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the bar is kept; ``None`` without one."""
        if self.bar is None:
            return None
        return self.value <= self.bar if self.better == "less" else self.value >= self.bar


@dataclass(slots=True)
class Load:
    """What other processes used of the machine between ``start`` and ``cores``."""

    began: float = 0.0
    busy: float = 0.0
    own: float = 0.0
    clock: float = field(default_factory=lambda: float(os.sysconf("SC_CLK_TCK")))

    def start(self) -> None:
        """Begin to count."""
        self.began, self.busy, self.own = time.monotonic(), self._all(), self._mine()

    def cores(self) -> float:
        """Cores that others kept busy since ``start``, children that are still running among them."""
        passed = max(time.monotonic() - self.began, 1e-9)
        return max(0.0, (self._all() - self.busy) - (self._mine() - self.own)) / passed

    def _all(self) -> float:
        try:
            ticks = [int(part) for part in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        except OSError:
            return 0.0
        return (sum(ticks) - ticks[3] - ticks[4]) / self.clock

    def _mine(self) -> float:
        spent = os.times()
        return spent.user + spent.system + spent.children_user + spent.children_system


def best(run: Callable[[], object], rounds: int = 5, clock: Callable[[], float] = time.process_time) -> float:
    """Seconds of the quickest of ``rounds`` calls of ``run``, the collector off while they run."""
    return min(_timed(run, clock) for _ in range(rounds))


def median(run: Callable[[], object], rounds: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of the middle one of ``rounds`` calls of ``run``, the collector off while they run."""
    return statistics.median(_timed(run, clock) for _ in range(rounds))


def _timed(run: Callable[[], object], clock: Callable[[], float]) -> float:
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()
    try:
        began = clock()
        run()
        return clock() - began
    finally:
        if was_on:
            gc.enable()
