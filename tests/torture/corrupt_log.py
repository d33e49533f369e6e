"""Damage a data folder in many ways: recovery never lies, and never loses more than was damaged.

``python -m tests.torture.corrupt_log``; LB_TRIALS (300) random trials of a kind, LB_EVENTS (400) in the folder that is
damaged, LB_ALL_OFFSETS=1 cuts the log at every byte and flips every bit of its first 4 KiB, LB_SEED.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.torture.driver import ROOT, Answer, Recovery, Report, setting, writer

Damage = Callable[[Path], object]
LIMIT_S = 2.0


class Trials:
    """A healthy folder, and copies of it that are damaged and recovered twice each."""

    def __init__(self, healthy: Path, work: Path) -> None:
        self.report = Report("corrupt_log")
        self.recover = Recovery()
        self.slowest = 0.0
        self._healthy, self._copy = healthy, work / "trial"
        base = work / "base"
        shutil.copytree(healthy, base)
        self.baseline = self.recover(base)
        ok = self.baseline.status == "clean" and self.baseline.events
        self.report.check("the healthy folder is clean", ok, self.baseline.status)

    def trial(
        self, name: str, damage: Damage, *, lossless: bool = False, at_most: int | None = None, must_notice: bool = True
    ) -> Answer:
        shutil.rmtree(self._copy, ignore_errors=True)
        shutil.copytree(self._healthy, self._copy)
        damage(self._copy)
        got = self.recover(self._copy)
        self.slowest = max(self.slowest, got.seconds)
        lost, hidden = self._lost(got)
        altered = sorted(seq for seq, content in got.events.items() if self.baseline.events.get(seq) != content)
        problems = [
            text
            for bad, text in (
                (not got.back, f"did not come back: {got.crash or got.status}"),
                (altered, f"invented or altered {altered[:3]}"),
                (must_notice and hidden, f"silently lost {sorted(hidden)[:5]} ({len(hidden)})"),
                (lossless and lost, f"lost {len(lost)} events although a good copy was there"),
                (at_most is not None and len(lost) > (at_most or 0), f"lost {len(lost)} events, at most {at_most}"),
                (got.seconds > LIMIT_S, f"took {got.seconds:.2f} s"),
            )
            if bad
        ]
        again = self.recover(self._copy)
        if (again.crash, again.digest, again.events, again.gaps) != ("", got.digest, got.events, got.gaps):
            problems.append("a second recovery gave another state")
        elif again.status != "clean":
            problems.append(f"still {again.status} after the repair")
        self.report.check(name, not problems, "; ".join(problems))
        return got

    def _lost(self, got: Answer) -> tuple[set[int], set[int]]:
        """What is lost, and what of it recovery does not own up to."""
        lost = self.baseline.events.keys() - got.events.keys()
        declared = {seq for first, last in got.gaps for seq in range(first, last + 1)}
        if got.status != "clean":  # a tail that is gone is declared by the last seq
            declared |= {seq for seq in lost if seq > max(got.events, default=0)}
        return set(lost), lost - declared

    def done(self) -> Report:
        self.recover.close()
        self.report.figures["slowest recovery, s"] = round(self.slowest, 3)
        return self.report


def _newest(pattern: str, folder: Path) -> Path:
    return sorted(folder.rglob(pattern))[-1]


def _edit(pattern: str, change: Callable[[bytes], bytes]) -> Damage:
    def damage(folder: Path) -> None:
        path = _newest(pattern, folder)
        path.write_bytes(change(path.read_bytes()))

    return damage


def _log(change: Callable[[bytes], bytes]) -> Damage:
    return _edit("events.jsonl", change)


def _flip(data: bytes, bit: int) -> bytes:
    damaged = bytearray(data)
    damaged[bit // 8] ^= 1 << bit % 8
    return bytes(damaged)


def _truncations(trials: Trials, offsets: Iterable[int]) -> None:
    """What survives grows with the offset and never has a hole in it."""
    before = -1
    for offset in offsets:
        got = trials.trial(f"truncate at {offset}", _log(lambda d, at=offset: d[:at]))  # type: ignore[misc]
        trials.report.check(f"no hole after a cut at {offset}", not got.holes(), got.holes()[:5])
        trials.report.check(f"monotone at {offset}", len(got.events) >= before, f"{len(got.events)} < {before}")
        before = max(before, len(got.events))


def _clean_cuts(trials: Trials, rng: random.Random, log: Path, count: int) -> None:
    """Cuts exactly between two lines, which no line itself shows: only the head knows that there was more."""
    ends = [at + 1 for at, byte in enumerate(log.read_bytes()) if byte == ord("\n")][:-1]
    for end in sorted({ends[0], ends[-1], *rng.sample(ends, min(count, len(ends)))}):
        got = trials.trial(f"cut between two lines at {end}", _log(lambda d, at=end: d[:at]))  # type: ignore[misc]
        trials.report.check(f"the cut at {end} is declared", got.gaps, got.status)


def _larger(trials: Trials, rng: random.Random, size: int, count: int) -> None:
    for _ in range(count):
        at = rng.randrange(size - 64)
        noise = rng.randbytes(16)

        def change(name: str, edit: Callable[[bytes], bytes], at: int = at) -> None:
            trials.trial(f"{name} at {at}", _log(edit))

        change("16 random bytes", lambda d, at=at, noise=noise: d[:at] + noise + d[at + 16 :])  # type: ignore[misc]
        change("64 zero bytes", lambda d, at=at: d[:at] + bytes(64) + d[at + 64 :])  # type: ignore[misc]
        change("32 bytes missing", lambda d, at=at: d[:at] + d[at + 32 :])  # type: ignore[misc]
        change("128 bytes repeated", lambda d, at=at: d[:at] + d[at : at + 128] + d[at:])  # type: ignore[misc]
    for tail in (1, 7, 4096):
        trials.trial(f"{tail} zero bytes at the end", _log(lambda d, n=tail: d + bytes(n)), lossless=True)  # type: ignore[misc]
        noise = rng.randbytes(tail)
        trials.trial(f"{tail} random bytes at the end", _log(lambda d, n=noise: d + n), lossless=True)  # type: ignore[misc]
    stray = b'{"seq": 999999, "payload": {}}\n'
    trials.trial("text at the end", _log(lambda d: d + stray), lossless=True)


def _snapshots(trials: Trials, rng: random.Random, healthy: Path, count: int) -> None:
    """Any snapshot may be bad: an older one and the log do as well."""
    kind = "*.snapshot"
    length = _newest(kind, healthy).stat().st_size
    for offset in sorted(rng.sample(range(length), min(count, length))):
        trials.trial(f"snapshot cut at {offset}", _edit(kind, lambda d, at=offset: d[:at]), lossless=True)  # type: ignore[misc]
        trials.trial(f"snapshot bit {offset * 8}", _edit(kind, lambda d, at=offset: _flip(d, at * 8)), lossless=True)  # type: ignore[misc]

    def gone(folder: Path) -> None:
        _newest(kind, folder).unlink()

    def all_gone(folder: Path) -> None:
        for path in folder.rglob(kind):
            path.unlink()

    def a_folder(folder: Path) -> None:
        path = _newest(kind, folder)
        path.unlink()
        path.mkdir()

    for name, damage in (("gone", gone), ("all gone", all_gone), ("a folder", a_folder)):
        trials.trial(f"snapshot: {name}", damage, lossless=True)


def _strangers(trials: Trials, rng: random.Random, trials_of_a_kind: int) -> None:
    """Files that a crash or a person leaves behind, and clocks that lie."""

    def beside(name: str) -> Damage:
        return lambda folder: (_newest("events.jsonl", folder).parent / name).write_bytes(b"half")

    for name in ("000000000999.snapshot.new", "events.jsonl.new", "README.bak"):
        trials.trial(f"a stranger: {name}", beside(name), lossless=True)
    trials.trial("a file in the data folder", lambda folder: (folder / "notes").write_text("hello"), lossless=True)
    trials.trial("the log is empty", _log(lambda d: b""))
    trials.trial("the log is gone", lambda folder: _newest("events.jsonl", folder).unlink())
    for stamp in (0, 4_102_444_800):

        def stamped(folder: Path, stamp: int = stamp) -> None:
            for path in folder.rglob("*"):
                os.utime(path, (stamp, stamp))

        trials.trial(f"mtimes set to {stamp}", stamped, lossless=True)
    for name in ("head", "lock"):
        trials.trial(f"{name} gone", lambda folder, name=name: _newest(name, folder).unlink(), lossless=True)  # type: ignore[misc]
    for bit in rng.sample(range(64 * 8), min(100, trials_of_a_kind)):
        trials.trial(f"head: flip bit {bit}", _edit("head", lambda d, bit=bit: _flip(d, bit)), lossless=True)  # type: ignore[misc]


def run(*, trials: int, events: int, seed: int, all_offsets: bool = False) -> Report:
    """All of it, in folders of its own."""
    rng = random.Random(seed)
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as name:
        work = Path(name)
        healthy = work / "healthy"
        healthy.mkdir()
        make = writer("write", healthy, events, "--snapshot-every", str(max(1, events // 3)))
        subprocess.run(make, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        made = Trials(healthy, work)
        size = _newest("events.jsonl", healthy).stat().st_size
        _truncations(made, range(size) if all_offsets else sorted(rng.sample(range(size), min(trials, size))))
        every_bit = range(min(size, 4096) * 8)
        for bit in every_bit if all_offsets else [rng.randrange(size * 8) for _ in range(trials)]:
            made.trial(f"flip bit {bit}", _log(lambda d, bit=bit: _flip(d, bit)), at_most=1)  # type: ignore[misc]
        _clean_cuts(made, rng, _newest("events.jsonl", healthy), max(3, trials // 20))
        _larger(made, rng, size, max(3, trials // 20))
        _snapshots(made, rng, healthy, min(50, trials))
        _strangers(made, rng, trials)
        return made.done()


if __name__ == "__main__":
    raise SystemExit(
        run(
            trials=setting("LB_TRIALS", 300),
            events=setting("LB_EVENTS", 400),
            seed=setting("LB_SEED", 1),
            all_offsets=bool(os.environ.get("LB_ALL_OFFSETS")),
        ).show()
    )
