"""From a probe's call to a browser's socket: how long it takes, and what each viewer costs the server.

A real ``lingbot-map serve`` in a process of its own, a real probe in another (``python -m bench.live feed ...``),
viewers as plain sockets in this one. Each utterance carries the time of the call; machine and clock are one.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets import Subprotocol
from websockets.asyncio.client import connect

from bench import Figure
from lingbot_map.store import key_of

SESSION = "bench"
RATE = 200
IDLE_CALLS = 40
SECONDS = 8.0
_CALLED_AT = re.compile(rb'"label":"called at ([0-9.]+)"')


def measure() -> Iterable[Figure]:
    """Idle, 20 viewers, 100 viewers, and 100 beside one that never reads."""
    note = f"{RATE} events/s from a probe in another process"
    with serving() as map:
        idle = asyncio.run(_watch(map, viewers=1, rate=0, seconds=IDLE_CALLS * 0.25 + 1))
        yield Figure(name="idle: call to browser, median", value=idle.median_ms, unit="ms", bar=20)
        some = asyncio.run(_watch(map, viewers=20, rate=RATE, seconds=SECONDS))
        yield Figure(name="20 viewers: call to browser, p99", value=some.p99_ms, unit="ms", bar=160, note=note)
        many = asyncio.run(_watch(map, viewers=100, rate=RATE, seconds=SECONDS))
        yield from _crowd("100 viewers", many, note)
        with stuck(map):
            beside = asyncio.run(_watch(map, viewers=100, rate=RATE, seconds=SECONDS))
        yield from _crowd("100 viewers and one that never reads", beside, note)


def _crowd(name: str, seen: Seen, note: str) -> Iterator[Figure]:
    yield Figure(
        name=f"{name}: gaps and repeats", value=seen.faults, unit="events", bar=0, note=f"{seen.events:,} seen"
    )
    yield Figure(name=f"{name}: server's time a batch and viewer", value=seen.cpu_us, unit="us", bar=100, note=note)
    yield Figure(name=f"{name}: call to browser, p99", value=seen.p99_ms, unit="ms", note="sockets of one process")


@dataclass(slots=True)
class Map:
    """A server under measurement."""

    url: str
    token: str
    pid: int

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def get(self, path: str) -> Any:
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Bearer {self.token}"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def cpu(self) -> float:
        """Seconds of processor time that it has used."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(slots=True)
class Seen:
    """What all viewers of a run saw."""

    delays: list[float] = field(default_factory=list)
    events: int = 0
    batches: int = 0
    faults: int = 0
    cpu: float = 0.0

    @property
    def median_ms(self) -> float:
        return statistics.median(self.delays) * 1000

    @property
    def p99_ms(self) -> float:
        return sorted(self.delays)[int(len(self.delays) * 0.99)] * 1000

    @property
    def cpu_us(self) -> float:
        return self.cpu / max(1, self.batches) * 1e6


@contextmanager
def serving() -> Iterator[Map]:
    """A map on a free port, its data in a folder that goes away."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "lingbot_web", "serve", "--data", f"{folder}/data", "--port", "0"]
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        try:
            assert process.stdout is not None
            found = re.search(r"(http://\S+)/#t=(\S+)", process.stdout.readline())
            assert found is not None
            yield Map(found[1], found[2], process.pid)
        finally:
            process.terminate()
            process.wait()


@contextmanager
def stuck(map: Map) -> Iterator[None]:
    """A viewer that connects and then never reads."""
    cursor = map.get(f"/api/sessions/{key_of(SESSION)}/keyframe")["cursor"]
    with socket.socket() as wire:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        wire.connect(("127.0.0.1", map.port))
        wire.sendall(
            f"GET {_place(cursor)} HTTP/1.1\r\nHost: 127.0.0.1:{map.port}\r\nConnection: Upgrade\r\n"
            "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
            f"Authorization: Bearer {map.token}\r\n\r\n".encode()
        )
        yield


def _place(cursor: dict[str, Any]) -> str:
    return f"/ws?session={key_of(SESSION)}&epoch={cursor['epoch']}&after={cursor['seq']}"


async def _watch(map: Map, *, viewers: int, rate: int, seconds: float) -> Seen:
    """Let a probe speak (a call every 250 ms if ``rate`` is 0) and see what arrives; the first second doesn't count."""
    seen = Seen()
    feeder = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.live", "feed", map.url, str(rate), str(seconds + 2)),
        env={**os.environ, "LINGBOT_TOKEN": map.token},
    )
    path = f"/api/sessions/{key_of(SESSION)}/keyframe"
    cursor = await asyncio.to_thread(_cursor, map, path)
    counting = asyncio.Event()
    crowd = [asyncio.create_task(_view(map, cursor, seen, counting)) for _ in range(viewers)]
    await asyncio.sleep(1 + viewers / 100)
    counting.set()
    before = map.cpu()
    await asyncio.sleep(seconds - 1 - viewers / 100)
    seen.cpu = map.cpu() - before
    for viewer in crowd:
        viewer.cancel()
    await asyncio.gather(*crowd, return_exceptions=True)
    await feeder.wait()
    return seen


def _cursor(map: Map, path: str) -> dict[str, Any]:
    """Where the session stands, once there is one."""
    for _ in range(200):
        try:
            cursor: dict[str, Any] = map.get(path)["cursor"]
        except OSError:
            time.sleep(0.05)
        else:
            return cursor
    raise TimeoutError("the probe's session did not appear")


async def _view(map: Map, cursor: dict[str, Any], seen: Seen, counting: asyncio.Event) -> None:
    offered = [Subprotocol("lingbot.v1"), Subprotocol(f"token.{map.token}")]
    url = f"ws://127.0.0.1:{map.port}{_place(cursor)}"
    last = cursor["seq"]
    async with connect(url, subprotocols=offered, compression=None, max_size=None) as wire:
        async for data in wire:
            now = time.time()
            assert isinstance(data, bytes)
            head = re.match(rb'\{"t":"batch","epoch":"\w+","first":(\d+),"last":(\d+)', data)
            if head is None:
                continue
            first, end = int(head[1]), int(head[2])
            seqs = [int(seq) for seq in re.findall(rb'"d":"applied","seq":(\d+)', data)]
            seen.faults += abs(first - last - 1) + (seqs != list(range(first, end + 1)))
            last = end
            if counting.is_set():
                seen.batches += 1
                seen.events += len(seqs)
                seen.delays += [now - float(called) for called in _CALLED_AT.findall(data)]


def feed(url: str, rate: int, seconds: float) -> None:
    """The bot: a turn now and then, slots in between, ``rate`` events a second."""
    from lingbot_probes import Probe
    from lingbot_probes.signals import SlotAssigned, TurnStarted

    probe = Probe("bench", endpoint=url)
    began, made = time.time(), 0
    while (now := time.time()) < began + seconds:
        if made % 4 == 0:
            called = f"called at {now:.6f}"
            probe.emit(TurnStarted(turn=f"{began}-{made}", utterance=called), session=SESSION)
        else:
            probe.emit(SlotAssigned(slot=f"slot {made % 8}", value=made), session=SESSION)
        made += 1 if rate else 4
        pause = began + made / rate - now if rate else 0.25
        if pause > 0:
            time.sleep(pause)
    probe.close(2)


if __name__ == "__main__":
    if sys.argv[1:2] == ["feed"]:
        feed(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
    else:
        for figure in measure():
            print(f"{figure.name:60} {figure.value:10.1f} {figure.unit} (bar {figure.bar})")
