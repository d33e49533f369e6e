"""A real server as a process of its own, and a source that speaks to it as a probe does."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from lingbot_probes.codec import VERSION, numbered_to_dict
from lingbot_probes.signals import Numbered

PATIENCE = 20.0
"""Seconds in which anything that is waited for must have happened, on a machine with other work."""

COMMAND = "from lingbot_web.command import main; raise SystemExit(main())"

START = 120.0
"""The same for a process that starts, as long as it lives: that is nothing but work, ten times as much as any step."""

T = TypeVar("T")


def wait_for(look: Callable[[], T], what: str, patience: float = PATIENCE) -> T:
    """What ``look`` returns once that is true."""
    end = time.monotonic() + patience
    pause = threading.Event()
    while not (found := look()):
        assert time.monotonic() < end, f"{what} did not happen in {patience:.0f} s"
        pause.wait(0.02)
    return found


def key_of(session: str) -> str:
    """The key under which a session is addressed."""
    return hashlib.sha256(session.encode()).hexdigest()[:32]


class Site:
    """``lingbot-map serve`` on a free port, with ``options``. It can be killed and started again in the same place."""

    def __init__(self, data: Path, *options: str) -> None:
        self.data = data
        self.options = options
        self.port = 0
        self.token = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 -- closed in __exit__

    @property
    def url(self) -> str:
        """The page's address, without the token."""
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        """Start it and wait until it answers; the second time at the port it had."""
        said = self._log.seek(0, os.SEEK_END)
        command = [sys.executable, "-c", COMMAND, "serve", "--port", str(self.port), "--data", str(self.data)]
        command += self.options
        self._process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

        def address() -> re.Match[str] | None:
            assert self._process is not None
            self._log.seek(said)
            log = self._log.read().decode()
            assert self._process.poll() is None, f"the server ended: {log}"
            return re.search(r"http://127\.0\.0\.1:(\d+)/#t=(\S+)", log)

        found = wait_for(address, "the server's address", START)
        assert found is not None
        self.port, self.token = int(found[1]), found[2]
        wait_for(self._answers, "an answer of the server")

    def _answers(self) -> bool:
        try:
            return bool(self.get("healthz")["status"] == "ok")
        except OSError:
            return False

    def kill(self) -> None:
        """End it at once, as a crash does."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON answer."""
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read() or b"null")

    def get(self, path: str) -> Any:
        """The JSON at ``path``."""
        return self.ask("GET", path)

    def say(self, items: Sequence[Numbered], source: str = "pictures", *, made: int = 0) -> None:
        """Hand in signals as a probe does; ``made`` is the highest number the source says it has made."""
        for start in range(0, len(items), 400):
            part = items[start : start + 400]
            numbered = {item.session: max(item.n, made) for item in part}
            batch = {"v": VERSION, "source": source, "probe": "telecom", "numbered": numbered}
            self.ask("POST", "ingest", batch | {"events": [numbered_to_dict(item) for item in part]})

    def __enter__(self) -> Site:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        self._log.close()
