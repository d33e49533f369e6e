"""Many viewers in one process: each follows a session and notes what it missed, saw twice, or saw late."""

from __future__ import annotations

import asyncio
import json
import math
import random
import re
import resource
import struct
import time
from collections.abc import Sequence

from tests.torture.raw import CLOSE, PING, PONG, Target, frame, place
from tests.torture.write import SESSION

_APPLIED = re.compile(rb'\{"d":"applied","seq":(\d+),"at":([\d.]+)')
_BATCH, _HELLO = b'{"t":"batch"', b'{"t":"hello"'
_BEAT = 0.05


class Viewer:
    """Stands at ``last`` of ``epoch`` and goes on from there whenever it is let watch."""

    def __init__(self, target: Target, session: str = SESSION) -> None:
        self.epoch, self.last = "", 0
        self.faults: list[str] = []
        self.delays: list[tuple[float, float]] = []  # when, and how many seconds after the event was taken in
        self.batches = 0
        self.starts = 0
        self.fresh_starts = 0
        self.session = session
        self.target = target

    async def watch(self, until: float) -> None:
        """Connect, and take what comes until that moment of Unix time."""
        try:
            await asyncio.wait_for(self._watch(), until - time.time())
        except TimeoutError:
            pass
        except (OSError, EOFError) as why:
            self.faults.append(f"cut: {why!r}")

    async def _watch(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.target.port, limit=1 << 21)
        try:
            path = place(self.epoch, self.last if self.epoch else None, self.session)
            writer.write(self.target.handshake(path))
            status = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0]
            if b" 101 " not in status:
                self.faults.append(status.decode("latin-1"))
                return
            self.starts += 1
            while True:
                first, size = await reader.readexactly(2)
                if size > 125:
                    (size,) = struct.unpack("!H" if size == 126 else "!Q", await reader.readexactly(size * 6 - 754))
                content = await reader.readexactly(size)
                if first & 15 == PING:
                    writer.write(frame(content, op=PONG))
                elif first & 15 == CLOSE:
                    self.faults.append(f"closed: {content[:60]!r}")
                    return
                elif content.startswith(_BATCH):
                    self._take(content)
                elif content.startswith(_HELLO):
                    self._greeted(json.loads(content), writer)
        finally:
            writer.transport.abort()

    def _greeted(self, hello: dict[str, object], writer: asyncio.StreamWriter) -> None:
        """What can't go on from its place starts afresh, from where a keyframe would be."""
        if hello["resume"]:
            return
        self.fresh_starts += bool(self.epoch)
        self.epoch, self.last = str(hello["epoch"]), int(str(hello["seq"]))
        writer.write(frame(json.dumps({"epoch": self.epoch, "after": self.last})))

    def _take(self, batch: bytes) -> None:
        now, at = time.time(), 0.0
        for seq, taken in _APPLIED.findall(batch):
            if int(seq) != self.last + 1:
                self.faults.append(f"{int(seq)} after {self.last}")
            self.last, at = int(seq), float(taken)
        self.batches += 1
        self.delays.append((now, now - at))


async def crowd(viewers: Sequence[Viewer], seconds: float, ramp: float = 0.0) -> None:
    """Let them all watch, not all from the same moment on."""
    until = time.time() + seconds

    async def one(viewer: Viewer) -> None:
        await asyncio.sleep(random.random() * ramp)
        await viewer.watch(until)

    await asyncio.gather(*map(one, viewers))


class Lateness:
    """How late this process itself gets its turn: what no server can be blamed for."""

    def __init__(self) -> None:
        self.late: list[float] = []

    async def measure(self) -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(_BEAT)
            self.late.append(time.monotonic() - began - _BEAT)

    async def beside(self, viewers: Sequence[Viewer], seconds: float, ramp: float = 0.0) -> None:
        """A crowd, and the measuring of it."""
        measuring = asyncio.create_task(self.measure())
        await crowd(viewers, seconds, ramp)
        measuring.cancel()


def percentile(values: Sequence[float], share: float) -> float:
    """NaN of nothing."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else math.nan


def allow_many_files() -> None:
    """A viewer is a descriptor."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
