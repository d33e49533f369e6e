"""Repeats, disorder, gaps and clocks that jump do not change the map; what is missing is said exactly.

``python -m tests.torture.ordering``; LB_EVENTS (2000) signals of one source, LB_SEED.
"""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lingbot_map.store.verify import SessionReport, examine
from tests.torture.driver import PYTHON, ROOT, Report, setting
from tests.torture.write import BEGIN

WINDOW = 480
"""So far may a signal come too early or too late; the intake holds 500."""
Item = dict[str, Any]


def item(n: int, said_at: float | None = None) -> Item:
    """The signal ``n`` of the one source."""
    slot = {"kind": "slot_assigned", "slot": f"slot_{n * 7 % 40}", "value": n * 31 % 97}
    said_at = BEGIN + n if said_at is None else said_at
    return {"session": "s", "source": "torture", "n": n, "said_at": said_at, "signal": slot}


@dataclass(slots=True)
class Streams:
    """Feeds streams to an intake, each by a process of its own, and looks at the session that comes of them."""

    work: Path
    report: Report
    count: int = 0

    def taken(self, *streams: Iterable[Item]) -> SessionReport:
        self.count += 1
        data = self.work / f"data{self.count}"
        file = self.work / "signals.jsonl"
        for stream in streams:
            file.write_text("".join(json.dumps(signal) + "\n" for signal in stream), encoding="utf-8")
            command = [PYTHON, "-m", "tests.torture.write", "ingest", "--data", str(data), "--file", str(file)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
            self.report.check("the intake ends well", done.returncode == 0 and not done.stderr, done.stderr[-300:])
        (session,) = examine(data).sessions
        return session


def _facts(session: SessionReport) -> list[str]:
    """What the session says, without where and when it was placed."""
    return [session.events[seq] for seq in sorted(session.events)]


def run(*, events: int, seed: int) -> Report:
    """All of it, in a folder of its own."""
    rng = random.Random(seed)
    report = Report("ordering")
    plain = [item(n) for n in range(1, events + 1)]
    with tempfile.TemporaryDirectory() as work:
        streams = Streams(Path(work), report)
        want = streams.taken(plain)
        own = want.last_seq - events
        report.check("all arrive", own == 3 and not want.missing, (want.last_seq, want.missing))

        def same(name: str, *given: Iterable[Item]) -> None:
            got = streams.taken(*given)
            report.check(f"{name}: the same map", got.digest == want.digest, got.last_seq)
            report.check(f"{name}: the same log", _facts(got) == _facts(want))
            report.check(f"{name}: nothing is missing", not got.missing, got.missing)

        def shuffled(signals: Sequence[Item]) -> list[Item]:
            key: Callable[[tuple[int, Item]], float] = lambda placed: placed[0] + rng.uniform(0, WINDOW)  # noqa: E731
            return [signal for _, signal in sorted(enumerate(signals), key=key)]

        blocks = [plain[i : i + WINDOW // 2] for i in range(0, events, WINDOW // 2)]
        same("each twice", [signal for signal in plain for _ in (0, 1)])
        same("the whole stream three times", plain * 3)
        same("again, by another process", plain, plain)
        same("again, long after", plain, plain[: events // 20], plain[events // 2 :])
        same("shuffled within the window", shuffled(plain))
        same("shuffled, with repeats", shuffled(plain + rng.sample(plain, events // 4)))
        same("reversed in blocks", [signal for block in blocks for signal in reversed(block)])
        same("cut in two, with an overlap", plain[: events // 3], plain[events // 3 - events // 40 :])

        for name, clock in {
            "backwards": lambda n: BEGIN - n,
            "an hour back half way": lambda n: BEGIN + n - 3600 * (n > events // 2),
            "standing still": lambda n: BEGIN,
            "1970 and 2099": lambda n: 0.0 if n % 2 else 4e9,
            "negative": lambda n: -1.0 * n,
        }.items():
            told = [item(n, clock(n)) for n in range(1, events + 1)]  # type: ignore[no-untyped-call]
            one, other = streams.taken(told), streams.taken(shuffled(told))
            report.check(f"clock {name}: all arrive", one.last_seq == want.last_seq, one.last_seq)
            alike = one.digest == other.digest and one.events == other.events
            report.check(f"clock {name}: the order of arrival does not matter", alike)

        holes = sorted(rng.sample(range(10, events - 10), 5))
        rest = [signal for signal in plain if signal["n"] not in holes]
        got = streams.taken(rest)
        said = [n for first, last in got.missing.get("torture", []) for n in range(first, last + 1)]
        report.check("what is missing is declared exactly", said == holes, f"{said} instead of {holes}")
        own += len(got.missing.get("torture", []))  # the gaps themselves are statements too
        report.check("what came after is not held back", len(got.events) == len(rest) + own, len(got.events))
        late = streams.taken(rest, [signal for signal in plain if signal["n"] in holes])
        report.check("what comes late fills the gap", not late.missing, late.missing)
        report.check("and counts once", len(late.events) == events + own, len(late.events))
        first, last = events // 20, events // 20 + 650
        got = streams.taken([signal for signal in plain if not first <= signal["n"] <= last])
        report.check("a gap beyond the window is one gap", got.missing == {"torture": [(first, last)]}, got.missing)
    return report


if __name__ == "__main__":
    raise SystemExit(run(events=setting("LB_EVENTS", 2000), seed=setting("LB_SEED", 1)).show())
