"""kill -9 the writer at random moments, inside snapshots and at chosen system calls: nothing acknowledged is lost.

``python -m tests.torture.kill9``; LB_ROUNDS (50) kills at random moments and as many inside a snapshot, LB_POINTS (6)
kills at random calls of each kind (needs strace), LB_SEED, LB_RECOVER_MAX_S (2).
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import Path

from tests.torture.crash_images import no_strace
from tests.torture.driver import ROOT, Recovery, Report, acked, end, setting, writer

CALLS = ("rename", "renameat2", "fsync", "fdatasync", "ftruncate", "unlink", "openat", "write", "pwrite64")
LONG = 5_000
"""Then a fresh folder: each start is compared with a replay of the whole log, and that takes its time."""
_FOR_EVER = 10**9
_PAUSE = threading.Event()


class Rounds:
    """A data folder that is written, killed and recovered again and again; ``known`` is what each seq must hold."""

    def __init__(self, folder: Path, seed: int, limit: float) -> None:
        self.report = Report("kill9")
        self.rng = random.Random(seed)
        self.limit = limit
        self.inside = 0
        self._folder = folder
        self._recover = Recovery(start=True)
        self._known: dict[int, str] = {}
        self._slowest = 0.0
        folder.mkdir()

    def round(self, name: str, when: Callable[[subprocess.Popen[str]], None], prefix: Sequence[str] = ()) -> None:
        """Start the writer, kill it when ``when`` returns, and look at what is there."""
        count = 1000 if prefix else _FOR_EVER
        self.verify(name, self.written(when, [*prefix, *writer("write", self._folder, count)]))

    @staticmethod
    def written(when: Callable[[subprocess.Popen[str]], None], command: list[str]) -> int:
        """The highest seq that was acknowledged before the kill."""
        process = subprocess.Popen(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout is not None
        said, lines = [0], process.stdout
        reader = threading.Thread(target=lambda: said.extend(map(acked, lines)))
        reader.start()
        when(process)
        end(process)
        reader.join(10)
        lines.close()
        return max(said)

    def verify(self, name: str, promised: int) -> None:
        got = self._recover(self._folder)
        self._slowest = max(self._slowest, got.start_seconds)
        last = max(got.last_seq, max(got.events, default=0))
        changed = [seq for seq, content in got.events.items() if self._known.setdefault(seq, content) != content]
        problems = [
            text
            for bad, text in (
                (not got.back, f"did not come back: {got.crash or got.status}"),
                (last < promised, f"lost acknowledged events {last + 1} to {promised}"),
                (got.holes(), f"holes at {got.holes()[:5]}"),
                (got.gaps, f"declared lost: {got.gaps[:5]}"),
                (changed, f"content changed: {changed[:3]}"),
                (got.start_seconds > self.limit, f"took {got.start_seconds:.2f} s"),
                (not got.starts_alike, "snapshot and tail give another map than the whole log"),
            )
            if bad
        ]
        self._known = {seq: content for seq, content in self._known.items() if seq <= last}
        well = self.report.check(name, not problems, "; ".join(problems))
        if (last < promised and not well) or last > LONG:
            shutil.rmtree(self._folder)  # begin afresh, or each later round would repeat this failure, or take long
            self._folder.mkdir()
            self._known.clear()

    def in_snapshot(self, process: subprocess.Popen[str]) -> None:
        """Return just after a snapshot file has appeared or changed, anywhere below the data folder."""
        stop, before = time.monotonic() + 5, None
        while time.monotonic() < stop and process.poll() is None:
            now = self._snapshots()
            if before is not None and now != before:
                self.inside += 1
                _PAUSE.wait(self.rng.random() ** 3 * 0.01)
                return
            before = now

    def _snapshots(self) -> dict[str, int] | None:
        found = {}
        try:
            for folder in os.listdir(self._folder):
                if not (self._folder / folder).is_dir():
                    continue
                with os.scandir(self._folder / folder) as entries:
                    for entry in entries:
                        if fnmatch(entry.name, "*.snapshot*"):
                            found[entry.path] = entry.stat().st_mtime_ns
        except FileNotFoundError:  # renamed or removed under us: that is the moment
            return None
        return found

    def done(self) -> Report:
        self._recover.close()
        self.report.figures |= {
            "events at the end": max(self._known, default=0),
            "kills inside a snapshot": self.inside,
            "slowest recovery, s of processor time": round(self._slowest, 3),
        }
        return self.report


def _after(seconds: float) -> Callable[[subprocess.Popen[str]], None]:
    def wait(process: subprocess.Popen[str]) -> None:
        _PAUSE.wait(seconds)

    return wait


def _to_the_end(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(20)


def run(*, rounds: int, points: int, seed: int, limit: float = 2.0) -> Report:
    """All of it, in a folder of its own."""
    with tempfile.TemporaryDirectory() as work:
        made = Rounds(Path(work) / "data", seed, limit)
        rng, report = made.rng, made.report
        for i in range(rounds):
            pause = rng.uniform(0.15, 0.8)
            made.round(f"kill {i} after {pause:.3f} s", _after(pause))
        for i in range(rounds):
            made.round(f"kill {i} inside a snapshot", made.in_snapshot)
        report.check("some kills hit the inside of a snapshot", made.inside or not rounds)
        if points and (why := no_strace()):
            report.skipped.append(f"kills at system calls: {why}")
        elif points:
            for call, total in _calls_made(Path(work), made).items():
                for nth in sorted(rng.sample(range(1, total + 1), min(points, total))):
                    inject = f"inject={call}:signal=SIGKILL:when={nth}"
                    prefix = ["strace", "-f", "-qq", "-o", os.devnull, "-e", f"trace={call}", "-e", inject]
                    made.round(f"kill at {call} {nth} of {total}", _to_the_end, prefix)
        return made.done()


def _calls_made(work: Path, made: Rounds) -> dict[str, int]:
    """How often the writer makes each of the calls, from its start to its end."""
    summary = work / "summary"
    prefix = ["strace", "-f", "-qq", "-c", "-o", str(summary), "-e", f"trace={','.join(CALLS)}"]
    made.round("a run under strace", _to_the_end, prefix)
    rows = [line.split() for line in summary.read_text().splitlines()]
    return {row[-1]: int(row[3]) for row in rows if row and row[-1] in CALLS}


if __name__ == "__main__":
    raise SystemExit(
        run(
            rounds=setting("LB_ROUNDS", 50),
            points=setting("LB_POINTS", 6),
            seed=setting("LB_SEED", 1),
            limit=float(os.environ.get("LB_RECOVER_MAX_S", "2")),
        ).show()
    )
