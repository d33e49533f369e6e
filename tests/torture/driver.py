"""What the torture drivers share: counting checks, and a recovery that runs in a process of its own.

A driver is a module with ``run(...) -> Report``; from the command line it takes its settings from the environment:
``LB_SEED``, ``LB_VERBOSE=1`` and those that its own page names.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sys.executable


@dataclass(slots=True)
class Report:
    """Checks by name; those that failed with the reason."""

    title: str
    passed: int = 0
    failures: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    figures: dict[str, object] = field(default_factory=dict)

    def check(self, name: str, ok: object, detail: object = "") -> bool:
        if ok:
            self.passed += 1
            if os.environ.get("LB_VERBOSE"):
                print(f"  ok   {name}")
            return True
        self.failures.append(f"{name}: {detail}" if detail != "" else name)
        return False

    def show(self) -> int:
        """Print it; the exit code."""
        print(f"== {self.title}")
        for failure in self.failures:
            print(f"  FAIL {failure}")
        for reason in self.skipped:
            print(f"  skip {reason}")
        for name, value in self.figures.items():
            print(f"  {name} = {value}")
        print(f"{self.passed} passed, {len(self.failures)} failed, {len(self.skipped)} skipped")
        return 1 if self.failures else 0


@dataclass(slots=True)
class Answer:
    """What a recovery said about a data folder, and how long it took. ``crash`` is "" unless it broke down.

    ``start_seconds`` is the processor time of the recovery that a start makes, ``starts_alike`` whether its map was the
    one that a replay of the whole log gives; both only where the recovery was asked for that.
    """

    status: str = "crash"
    last_seq: int = 0
    gaps: list[tuple[int, int]] = field(default_factory=list)
    own: set[int] = field(default_factory=set)
    digest: str = ""
    events: dict[int, str] = field(default_factory=dict)
    crash: str = ""
    seconds: float = 0.0
    start_seconds: float = 0.0
    starts_alike: bool = True

    @property
    def back(self) -> bool:
        return not self.crash and self.status != "refused"

    def holes(self) -> list[int]:
        """Seqs up to the last event that are neither an event nor a recovery's own statement about one."""
        last = max(self.events, default=0)
        return [seq for seq in range(1, last + 1) if seq not in self.events and seq not in self.own]


class Recovery:
    """A process that recovers folders one after the other, with repair; if asked, first as a start does."""

    def __init__(self, *, start: bool = False) -> None:
        self._options = ["--start"] if start else []
        self._process: subprocess.Popen[str] | None = None

    def __call__(self, folder: Path) -> Answer:
        began = time.perf_counter()
        try:
            found: dict[str, Any] = json.loads(self._ask(folder))
        except (ValueError, OSError) as why:
            return Answer(crash=f"no answer: {why}", seconds=time.perf_counter() - began)
        wholes = [session["digest"] for session in found["sessions"]]
        return Answer(
            status=found["status"],
            last_seq=found["last_seq"],
            gaps=[(first, last) for first, last in found["gaps"]],
            own=set(found["own"]),
            digest=found["digest"],
            events={int(seq): content for seq, content in found["events"].items()},
            seconds=time.perf_counter() - began,
            start_seconds=found["start"].get("seconds", 0.0),
            starts_alike=all(digest in wholes for digest in found["start"].get("digests", ())),
        )

    def _ask(self, folder: Path) -> str:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [PYTHON, "-m", "tests.torture.recover", *self._options],
                cwd=ROOT,
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{folder}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def close(self) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.close()
            self._process.wait(10)
            self._process.stdout.close()


def writer(mode: str, folder: Path, count: int, *options: str) -> list[str]:
    """The command that writes ``count`` events into ``folder``."""
    return [PYTHON, "-m", "tests.torture.write", mode, "--data", str(folder), "--count", str(count), *options]


def acked(line: str) -> int:
    """The seq of a whole ``ACK`` line; 0 for any other, also for one that a kill cut short."""
    found = re.fullmatch(r"ACK (\d+)\n", line)
    return int(found[1]) if found else 0


def end(process: subprocess.Popen[str]) -> None:
    """Kill a process of ours; under strace first what it traces, which would otherwise run on."""
    if process.poll() is None:
        try:
            for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
                os.kill(int(child), 9)
        except OSError:
            pass
        process.kill()
    process.wait()


def setting(name: str, default: int) -> int:
    return int(os.environ.get(name, default))
