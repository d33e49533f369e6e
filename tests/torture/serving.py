"""A `lingbot-map serve` of our own, as a process, for the drivers that ask a server things; and a bot that talks to it.

``python -m tests.torture.serving PORT TOKEN PER_SECOND BYTES`` is the bot: it tells the session ``torture`` so many
events a second, in ten batches, each with so many bytes of text, until it is ended.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lingbot_probes.codec import signal_to_dict
from lingbot_probes.signals import TurnStarted
from tests.live.server import Client, wait_for
from tests.torture.driver import PYTHON, ROOT, end
from tests.torture.write import SESSION, signal_of

BATCHES_A_SECOND = 10
START_SECONDS = 30.0
"""So long may a start take; under strace it takes several seconds."""


class Served:
    """A map on a free port, with all that it prints in the file ``log``."""

    def __init__(self, data: Path, work: Path, *arguments: str, prefix: Sequence[str] = ()) -> None:
        self.data = data
        self.log = work / "server.log"
        run = work / "run"
        run.mkdir(exist_ok=True)
        command = [*prefix, PYTHON, "-m", "lingbot_web", "serve", "--data", str(data), "--port", "0", *arguments]
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(run), "PYTHONUNBUFFERED": "1"}
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )
        self.port, self.token = self._address()
        self.client = Client(self.port, self.token)
        wait_for(lambda: self.status() != "recovering", "recovery")

    def _address(self) -> tuple[int, str]:
        stop, pause = time.monotonic() + START_SECONDS, threading.Event()
        while True:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/#t=([\w-]+)", self.printed())
            if found:
                return int(found[1]), found[2]
            if self.process.poll() is not None or time.monotonic() > stop:
                end(self.process)
                raise RuntimeError(f"the map did not start: {self.printed()[-500:]}")
            pause.wait(0.02)

    @property
    def pid(self) -> int:
        """Of the map itself, also when something runs it."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return int(children[0]) if children else self.process.pid

    def printed(self) -> str:
        """Its output so far."""
        return self.log.read_text("utf-8", "surrogateescape")

    def status(self) -> str:
        """What its health path says."""
        return str(self.client.ask("GET", "/healthz")[1].get("status"))

    @contextmanager
    def talked_to(self, *, per_second: int = 200, size: int = 0) -> Iterator[None]:
        """A bot talks to it meanwhile; what it says has ``size`` bytes an event, or the drivers' usual content."""
        command = [PYTHON, "-m", "tests.torture.serving", str(self.port), self.token, str(per_second), str(size)]
        bot = subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.DEVNULL)
        try:
            wait_for(lambda: self.client.get("/api/sessions")["sessions"], "the bot's first word")
            yield
        finally:
            end(bot)


@contextmanager
def served(*arguments: str, data: Path | None = None, prefix: Sequence[str] = ()) -> Iterator[Served]:
    """A map that is killed at the end, in folders of its own unless ``data`` is given."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        map = Served(work / "data" if data is None else data, work, *arguments, prefix=prefix)
        try:
            yield map
        finally:
            end(map.process)


def resident_kb(pid: int) -> int:
    """Memory of a process in kB; 0 if it is gone."""
    try:
        found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) if found else 0


def processor_seconds(pid: int) -> float:
    """Processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def numbered(n: int, size: int = 0) -> dict[str, Any]:
    """The signal ``n`` as a batch has it."""
    signal = TurnStarted(turn=f"t{n}", utterance=f"{n} " + "x" * size) if size else signal_of(n)
    return {"session": SESSION, "n": n, "signal": signal_to_dict(signal), "said_at": time.time()}


def talk(client: Client, per_second: int, size: int) -> None:
    """Tell a map so many events a second, for ever."""
    pause, n, began = threading.Event(), 0, time.monotonic()
    for batch in range(10**9):
        pause.wait(max(0.0, began + batch / BATCHES_A_SECOND - time.monotonic()))
        count = per_second // BATCHES_A_SECOND
        client.send([numbered(n + i, size) for i in range(1, count + 1)], source="torture")
        n += count


if __name__ == "__main__":
    port, token, rate, bytes_each = sys.argv[1:]
    try:
        talk(Client(int(port), token), int(rate), int(bytes_each))
    except (OSError, AssertionError, KeyboardInterrupt):
        raise SystemExit(0) from None  # the map has gone, or it is enough
