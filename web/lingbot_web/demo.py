"""``lingbot-map demo``: a map, a demo bot in a process of its own, and somebody who talks to it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from lingbot_web.beacon import Beacon

BOTS = {"telecom": "lingbot_map.demo.bot", "ask": "lingbot_map.ask.demo.bot"}
"""The demo bots by name, and the program that each is."""
GRACE = 1.5
"""So long the bot may take to end its session and to send the rest."""


class DemoBot:
    """The bot's process. It finds map and token in its environment, where no process list shows them."""

    def __init__(self, *, bot: str, lang: str, pace: float, chat: bool, announce: Callable[[Beacon], None]) -> None:
        self._program = BOTS[bot]
        self._arguments = ["--lang", lang, "--pace", str(pace), "--parent", str(os.getpid())]
        self._chat = chat
        self._announce = announce
        self._process: subprocess.Popen[bytes] | None = None
        self._patience = 0.0

    def start(self, beacon: Beacon) -> None:
        """Say where the map is, then begin to talk."""
        self._announce(beacon)
        # Ctrl-C at the terminal reaches every process there. It is the map that hears it, and ends the bot: a chat
        # shares the terminal, so it is born deaf to it; a scripted customer has a session of its own. Held back, not
        # ignored: one that comes meanwhile is heard by the map afterwards.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process = self._begin(beacon)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if self._chat:
            threading.Thread(target=self._end_with, args=(self._process,), daemon=True).start()

    def _begin(self, beacon: Beacon) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", self._program, *self._arguments, *(["--chat"] if self._chat else [])],
            env={**os.environ, "LINGBOT_ENDPOINT": beacon.url, "LINGBOT_TOKEN": beacon.token},
            stdin=None if self._chat else subprocess.DEVNULL,
            start_new_session=not self._chat,
        )

    def gone(self) -> bool:
        """Asked again and again when the map is to end: whether it may. The first time the bot is told to leave."""
        if self._process is None or self._process.poll() is not None:
            return True
        if not self._patience:
            self._patience = time.monotonic() + GRACE
            self._process.terminate()
        return time.monotonic() > self._patience

    def end(self) -> None:
        """The bot has ended when this returns, one way or the other."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def _end_with(self, process: subprocess.Popen[bytes]) -> None:
        process.wait()
        if not self._patience:  # else it left because the map ends already
            os.kill(os.getpid(), signal.SIGTERM)
