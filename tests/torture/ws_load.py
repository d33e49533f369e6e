"""Many viewers, viewers that don't read, storms of reconnects: nobody misses anything, and nobody pays for another.

``python -m tests.torture.ws_load`` against maps of its own that are told 200 events a second; LB_VIEWERS (500), LB_SLOW
(50) viewers that never read, beside ten that do, at 2 MB a second, LB_SECONDS (10), LB_STORMS (5), LB_CATCHUP_S (5).
Allowed: LB_DELAY_MS (500) at p99 beyond what this process itself comes late, LB_US_BATCH (150) microseconds of the
map's processor time per batch and viewer, LB_MB_VIEWER (0.5), LB_MB_SLOW (1), LB_MS_HANDSHAKE (2) of processor time.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tests.torture.crowd import Lateness, Viewer, allow_many_files, crowd, percentile
from tests.torture.driver import Report
from tests.torture.raw import Target, WebSocket, frame
from tests.torture.serving import Served, processor_seconds, resident_kb, served

FEW, BEHIND = 10, 200
HEAVY = 10_000
"""Bytes of an event where slow viewers matter: 2 MB a second are soon more than what the kernel takes for them."""
WARM_UP = 1.0
SETTLING = 8.0
"""Seconds until the map has as many turns as it keeps, and grows evenly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What one of many may cost."""

    delay_ms: float = 500.0
    batch_us: float = 150.0
    viewer_mb: float = 0.5
    slow_mb: float = 1.0
    handshake_ms: float = 2.0


class Load:
    """Puts viewers before a map."""

    def __init__(self, report: Report, viewers: int, seconds: float, allowed: Allowed) -> None:
        self.report = report
        self.viewers = viewers
        self.seconds = seconds
        self.allowed = allowed

    def verdict(self, name: str, viewers: Sequence[Viewer], lateness: Lateness) -> float:
        """What they saw; the delay in ms that one of a hundred batches had, beyond our own."""
        check, figures = self.report.check, self.report.figures
        # What was shown before they came is old when they see it: only the second half is judged.
        delays = [delay * 1000 for viewer in viewers for _, delay in viewer.delays[len(viewer.delays) // 2 :]]
        own = percentile(lateness.late, 0.99) * 1000
        middle, late = percentile(delays, 0.5), percentile(delays, 0.99)
        figures[f"{name}: delay at p50 / p99, ms"] = f"{middle:.0f} / {late:.0f} (of this process alone {own:.0f})"
        faults = [fault for viewer in viewers for fault in viewer.faults]
        check(f"{name}: no gap, no repeat, no close", not faults, f"{len(faults)}: {faults[:3]}")
        check(f"{name}: everybody sees events", all(viewer.batches for viewer in viewers))
        check(f"{name}: p99 of the delay", late - own <= self.allowed.delay_ms, f"{late:.0f} ms, our own {own:.0f}")
        return late - own

    async def _costs(self, map: Served, viewers: Sequence[Viewer], lateness: Lateness) -> tuple[float, float, int]:
        """(seconds of processor time per second, the same per batch and viewer, kB held) once all are in."""
        ramp = min(3.0, self.seconds / 3)
        run = asyncio.create_task(lateness.beside(viewers, self.seconds + ramp, ramp))
        await asyncio.sleep(ramp + WARM_UP)
        began, used, seen = time.monotonic(), processor_seconds(map.pid), sum(viewer.batches for viewer in viewers)
        await asyncio.sleep(self.seconds * 0.6)
        used, seen = processor_seconds(map.pid) - used, sum(viewer.batches for viewer in viewers) - seen
        rate, held = used / (time.monotonic() - began), resident_kb(map.pid)
        await run
        return rate, used / max(1, seen), held

    def many(self, map: Served) -> float:
        """Many viewers; seconds of processor time that the map takes a second with them."""
        target, check, figures = Target(map.port, map.token), self.report.check, self.report.figures
        few, lateness = [Viewer(target) for _ in range(FEW)], Lateness()
        began, before = time.monotonic(), resident_kb(map.pid)
        asyncio.run(lateness.beside(few, self.seconds))
        self.verdict(f"{FEW} viewers", few, lateness)
        growing = max(0, resident_kb(map.pid) - before) / (time.monotonic() - began)  # the map itself grows, kB/s
        many, lateness = [Viewer(target) for _ in range(self.viewers)], Lateness()
        began, before = time.monotonic(), resident_kb(map.pid)
        rate, each, held = asyncio.run(self._costs(map, many, lateness))
        self.verdict(f"{self.viewers} viewers", many, lateness)
        memory = (held - before - growing * (time.monotonic() - began)) / 1024 / self.viewers
        figures["memory a viewer, MB"] = round(memory, 3)
        check("memory a viewer", memory <= self.allowed.viewer_mb, f"{memory:.2f} MB")
        figures["processor time per batch and viewer, us"] = round(each * 1e6)
        check("processor time per batch and viewer", each * 1e6 <= self.allowed.batch_us, f"{each * 1e6:.0f} us")
        return rate

    def storms(self, map: Served, count: int, catch_up: float, rate: float) -> None:
        """All drop at once and come back from where they were, again and again."""
        target, check, figures = Target(map.port, map.token), self.report.check, self.report.figures
        viewers = [Viewer(target) for _ in range(self.viewers)]

        async def rush() -> None:
            for _ in range(count):
                until = time.time() + random.uniform(0.5, 1.0)
                await asyncio.gather(*(viewer.watch(until + random.uniform(0, 0.05)) for viewer in viewers))
            await crowd(viewers, catch_up)

        began, used = time.monotonic(), processor_seconds(map.pid)
        asyncio.run(rush())
        used = processor_seconds(map.pid) - used - rate * (time.monotonic() - began)
        faults = [fault for viewer in viewers for fault in viewer.faults]
        name = f"{count} storms of {self.viewers}"
        check(f"{name}: no gap and no repeat", not faults, f"{len(faults)}: {faults[:3]}")
        lead = max(viewer.last for viewer in viewers)
        behind = lead - min(viewer.last for viewer in viewers)
        figures["furthest behind after the storms, events"] = behind
        check(f"{name}: all have caught up", behind <= BEHIND, behind)
        each = max(0.0, used) * 1000 / max(1, sum(viewer.starts for viewer in viewers))
        figures["processor time of a handshake, ms"] = round(each, 2)
        check("processor time of a handshake", each <= self.allowed.handshake_ms, f"{each:.2f} ms")
        figures["fresh starts instead of going on"] = sum(viewer.fresh_starts for viewer in viewers)

    def slow(self, map: Served, count: int) -> None:
        """Some connect and never read."""
        target, check, figures = Target(map.port, map.token), self.report.check, self.report.figures
        alone, lateness = [Viewer(target) for _ in range(FEW)], Lateness()
        asyncio.run(crowd(alone, SETTLING))
        began, before = time.monotonic(), resident_kb(map.pid)
        asyncio.run(lateness.beside(alone, self.seconds))
        usual = self.verdict(f"{FEW} viewers at 2 MB/s", alone, lateness)
        growing = max(0, resident_kb(map.pid) - before) / (time.monotonic() - began)
        began, before = time.monotonic(), resident_kb(map.pid)
        stuck = [WebSocket(target, receive_buffer=4096) for _ in range(count)]
        try:
            for viewer in stuck:
                hello = viewer.message("hello") or {}
                viewer.send(frame(f'{{"epoch": "{hello.get("epoch")}", "after": {hello.get("seq", 0)}}}'))
            check("slow viewers are let in", all(viewer.open for viewer in stuck))
            beside, lateness = [Viewer(target) for _ in range(FEW)], Lateness()
            asyncio.run(lateness.beside(beside, self.seconds))
            late = self.verdict(f"{FEW} viewers beside {count} slow ones", beside, lateness)
            check(
                "slow viewers slow nobody", late <= max(usual * 1.5, usual + 200), f"{late:.0f} against {usual:.0f} ms"
            )
            each = (resident_kb(map.pid) - before - growing * (time.monotonic() - began)) / 1024 / count
            figures["memory a slow viewer, MB"] = round(each, 2)
            check("memory a slow viewer", each <= self.allowed.slow_mb, f"{each:.2f} MB")
            told = [self._told(viewer) for viewer in stuck]
            figures["how slow viewers went on"] = sorted(set(told))
            check("a slow viewer is told that it is behind, or goes on", all(told))
        finally:
            for viewer in stuck:
                viewer.close()

    @staticmethod
    def _told(viewer: WebSocket) -> str:
        """It reads at last: a fresh start, or a close with a reason, or the next event."""
        last = ""
        stop = time.monotonic() + 5
        while time.monotonic() < stop and (found := viewer.next(2.0)) is not None:
            if found[1].startswith(b'{"t":"hello"') and b'"resume":false' in found[1]:
                return "fresh start"
            last = "goes on"
        return f"closed by {viewer.code}" if viewer.code is not None else last


def run(
    *, viewers: int, slow: int, seconds: float, storms: int, catch_up: float, allowed: Allowed | None = None
) -> Report:
    """All of it, with a map for each part."""
    allow_many_files()
    report = Report("ws_load")
    load = Load(report, viewers, seconds, allowed or Allowed())
    with served() as map, map.talked_to():
        rate = load.many(map)
        load.storms(map, storms, catch_up, rate)
        report.check("it runs to the end", map.process.poll() is None, map.process.poll())
    with served() as map, map.talked_to(size=HEAVY):
        load.slow(map, slow)
        report.check("no traceback", "Traceback" not in map.printed(), map.printed()[-300:])
    return report


def _number(name: str, default: float) -> float:
    return float(os.environ.get(name, default))


if __name__ == "__main__":
    raise SystemExit(
        run(
            viewers=int(_number("LB_VIEWERS", 500)),
            slow=int(_number("LB_SLOW", 50)),
            seconds=_number("LB_SECONDS", 10),
            storms=int(_number("LB_STORMS", 5)),
            catch_up=_number("LB_CATCHUP_S", 5),
            allowed=Allowed(
                delay_ms=_number("LB_DELAY_MS", 500),
                batch_us=_number("LB_US_BATCH", 150),
                viewer_mb=_number("LB_MB_VIEWER", 0.5),
                slow_mb=_number("LB_MB_SLOW", 1),
                handshake_ms=_number("LB_MS_HANDSHAKE", 2),
            ),
        ).show()
    )
