"""Cut the power without cutting it: what was promised to be on the disk is there, whatever else is not.

``python -m tests.torture.power_loss``; LB_IMAGES (300) folders as a power cut could have left them, of four runs: the
store's writer by the rules of POSIX and of ext4, `lingbot-map serve` with ``--fsync always`` and as it comes. LB_EVENTS
(400) events of the writer, LB_MAX_MS (100) of events that the map may lose as it comes, LB_RECOVER_MAX_S (2), LB_SEED.
Needs strace.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lingbot_map.store import key_of
from lingbot_map.store.recording import LOG
from tests.torture.crash_images import Call, Control, Disk, FileSystem, calls, no_strace, strace
from tests.torture.driver import ROOT, Answer, Recovery, Report, setting, writer
from tests.torture.serving import numbered, served
from tests.torture.write import SESSION

BATCH, BEAT, SECONDS = 5, 0.02, 3.0
"""The map is told so many events at a time, so often, for so long: what waits for a flush is never long the same."""
_ACK = re.compile(rb"^ACK (\d+)\n", re.MULTILINE)
_ANSWER = re.compile(rb'"acked":\{"torture":\[\[1,(\d+)\]\]\}')
_LINE = re.compile(rb'^\{"seq":(\d+),', re.MULTILINE)
_SOURCED = re.compile(rb'^\{"seq":(\d+),"at":[^,]+,"source":"torture","n":(\d+),', re.MULTILINE)


@dataclass(slots=True)
class Run:
    """What one traced process did: its calls, and the folder as it left it."""

    name: str
    data: Path
    trace: list[Call]
    final: Answer
    control: Control | None = None


class Cuts:
    """Cuts the power of a run again and again."""

    def __init__(self, work: Path, seed: int, limit: float) -> None:
        self.report = Report("power_loss")
        self.recover = Recovery(start=True)
        self._work = work
        self._rng = random.Random(seed)
        self._limit = limit

    def cut(self, run: Run, images: int, *, kind: FileSystem = "posix", at_most_ms: float = 0.0) -> None:
        """``at_most_ms``: how old what is acknowledged may be and yet be lost."""
        disk, log, oldest, longest = Disk(run.data, kind), run.data / key_of(SESSION) / LOG, 0.0, 0.0
        promised = acked = 0
        written: dict[int, float] = {}  # seq -> when it was on the log
        seq_of: dict[int, int] = {}  # n -> seq
        begin = next(at for at, call in enumerate(run.trace) if str(run.data).encode() in b"".join(call.texts[:1]))
        moments = set(self._rng.sample(range(begin, len(run.trace)), min(images, len(run.trace) - begin)))
        for number, call in enumerate(run.trace):
            waiting = disk.pending_since(log)
            longest = max(longest, 0.0 if waiting is None else (call.at - waiting) * 1000)
            said = disk.do(call)
            if said is not None:
                promised = max([promised, *(int(n) for n in _ACK.findall(said))])
                acked = max([acked, *(int(n) for n in _ANSWER.findall(said))])
                promised = max(promised, seq_of.get(acked, 0))
            elif call.name == "write":
                content = b"".join(call.texts)
                written.update((int(seq), call.at) for seq in _LINE.findall(content) if int(seq) not in written)
                seq_of.update((int(n), int(seq)) for seq, n in _SOURCED.findall(content))
            if number in moments:
                until = run.trace[number + 1].at if number + 1 < len(run.trace) else call.at
                lost = self._look(f"{run.name}: after call {number} ({call.name})", disk, run.final, promised)
                since = min((written[seq] for seq in lost if seq in written), default=until)
                withheld = run.control.withheld(since, until) if run.control is not None else 0.0
                age = (until - since - withheld) * 1000
                oldest = max(oldest, age)
                self.report.check(
                    f"{run.name}: what is lost after call {number} is at most {at_most_ms:.0f} ms old",
                    age <= at_most_ms if at_most_ms else not lost,
                    f"{age:.0f} ms, {len(lost)} acknowledged events from {lost[:1]} on",
                )
        self.report.check(f"{run.name}: something was acknowledged", promised)
        self.report.figures |= {
            f"{run.name}: system calls, cuts, acknowledged": f"{len(run.trace)}, {len(moments)}, {promised}",
            f"{run.name}: oldest acknowledged event lost, ms": round(oldest),
            f"{run.name}: longest wait for a flush, ms": round(longest),
        }

    def _look(self, name: str, disk: Disk, final: Answer, promised: int) -> list[int]:
        """The acknowledged events that a cut now costs: those at the end, and those that recovery says are gone."""
        image = self._work / "image"
        shutil.rmtree(image, ignore_errors=True)
        disk.image(image, self._rng)
        got = self.recover(image)
        altered = [seq for seq, content in got.events.items() if final.events.get(seq) != content]
        seqs = sorted(got.events)
        last = seqs[-1] if seqs else 0
        expected = final.events.keys()
        gone = [seq for seq in range(1, promised + 1) if seq in expected and seq not in got.events]
        declared = {seq for first, last in got.gaps for seq in range(first, last + 1)}
        hidden = [seq for seq in gone if seq <= last and seq not in declared]
        problems = [
            text
            for bad, text in (
                (not got.back, f"did not come back: {got.crash or got.status}"),
                (hidden, f"holes that are not declared at {hidden[:5]}"),
                (altered, f"invented or altered {altered[:3]}"),
                (got.start_seconds > self._limit, f"took {got.start_seconds:.2f} s"),
                (not got.starts_alike, "a start gives another map than a replay of the whole log"),
            )
            if bad
        ]
        self.report.check(name, not problems, "; ".join(problems))
        return gone


def _written(cuts: Cuts, work: Path, events: int) -> Run:
    """The store's writer, which says what is safe from a power cut."""
    data, trace = work / "data", work / "trace"
    data.mkdir(parents=True)
    command = [*strace(trace), *writer("sync", data, events)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    cuts.report.check("the writer ran", done.returncode == 0, done.stderr[-300:])
    return Run("writer", data, list(calls(trace)), cuts.recover(data))


def _told(cuts: Cuts, work: Path, name: str, options: Sequence[str], seconds: float) -> Run:
    """A map that is told events and killed."""
    data, trace = work / "data", work / "trace"
    work.mkdir()
    with Control(work) as control, served(*options, data=data, prefix=strace(trace)) as map:
        pause, n, stop = threading.Event(), 0, time.monotonic() + seconds
        while time.monotonic() < stop:
            answer = map.client.send([numbered(n + i) for i in range(1, BATCH + 1)], source="torture")
            n += BATCH
            cuts.report.check(f"{name}: the map takes event {n}", answer["acked"] == {"torture": [[1, n]]}, answer)
            pause.wait(BEAT)
    return Run(name, data, list(calls(trace)), cuts.recover(data), control)


def run(
    *, images: int, events: int, seed: int, limit: float = 2.0, at_most_ms: float = 100.0, seconds: float = SECONDS
) -> Report:
    """All of it, in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name).resolve()
        cuts = Cuts(work, seed, limit)
        if why := no_strace():
            cuts.report.skipped.append(f"power cuts: {why}")
            return cuts.report
        each = -(-images // 4)
        written = _written(cuts, work / "writer", events)
        cuts.cut(written, each)
        written.name = "writer on ext4"
        cuts.cut(written, each, kind="ext4")
        cuts.cut(_told(cuts, work / "always", "--fsync always", ("--fsync", "always"), seconds), each)
        cuts.cut(_told(cuts, work / "batch", "as it comes", (), seconds), each, at_most_ms=at_most_ms)
        cuts.recover.close()
        return cuts.report


if __name__ == "__main__":
    raise SystemExit(
        run(
            images=setting("LB_IMAGES", 300),
            events=setting("LB_EVENTS", 400),
            seed=setting("LB_SEED", 1),
            limit=float(os.environ.get("LB_RECOVER_MAX_S", "2")),
            at_most_ms=float(os.environ.get("LB_MAX_MS", "100")),
        ).show()
    )
