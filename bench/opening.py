"""``lingbot-map open`` of a file of a million events: when its end can be seen, when all of it, and what that takes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench import Figure
from bench.imports import tracker_lines
from lingbot_map.store import key_of
from tests.live.server import Client

EVENTS = int(os.environ.get("BENCH_OPEN_EVENTS", 1_000_000))
PART = 100_000
LONGEST = 600.0


def write(path: Path) -> None:
    """Broker lines of one conversation, in parts: the whole as one list would take a GB here."""
    with path.open("wb") as file:
        for _ in range(0, EVENTS, PART):
            file.write(tracker_lines(min(PART, EVENTS), senders=1) + b"\n")


def measure() -> Iterable[Figure]:
    """By the clock, since it is somebody who waits; the memory is the process's own peak."""
    with tempfile.TemporaryDirectory() as work:
        path = Path(work) / "long.jsonl"
        write(path)
        runtime = Path(work) / "run"
        runtime.mkdir()
        command = [sys.executable, "-m", "lingbot_web", "open", str(path), "--data", f"{work}/data", "--port", "0"]
        began = time.monotonic()
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)}
        )
        try:
            assert process.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)/#t=([\w-]+)", process.stdout.readline())
            assert found, "no address"
            client = Client(int(found[1]), found[2])
            first = frame(client)
            shown = time.monotonic() - began
            assert "reading" in first["about"], "this is the whole already"
            turns, size = len(first["turns"]["number"]), path.stat().st_size / 1e6
            note = f"{EVENTS:,} events, {size:,.0f} MB; the last {turns:,} turns"
            yield Figure(name="the end of the file: address and map", value=shown, unit="s", bar=2.0, note=note)
            while "reading" in frame(client)["about"]:
                assert time.monotonic() - began < LONGEST, "it is still being read"
                time.sleep(0.5)
            yield Figure(name="all of it", value=time.monotonic() - began, unit="s", note="logged, mapped and flushed")
            status = Path(f"/proc/{process.pid}/status").read_text("ascii")
            peak = int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024
            yield Figure(name="memory at its peak", value=peak, unit="MB", bar=1_000)
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)


def frame(client: Client) -> Any:
    """The map of the conversation as it can be seen now."""
    return client.get(f"/api/sessions/{key_of('sender-0')}/keyframe")


if __name__ == "__main__":
    for figure in measure():
        print(figure)
