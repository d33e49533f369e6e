"""What the probe costs a bot, and whether the bot survives it: with a map, without one, and with all that is between.

``python -m tests.torture.probe_load``; LB_MAX_US (20) microseconds that a call may take longer, LB_MAX_MB (64) MiB
that all it holds may take, LB_EXIT_MS (500) that the end of a process may take longer, LB_STORM (30) percent of the
calls of a storm, LB_SINKS (2) of ``probe_sinks`` for the whole programs, drawn by LB_SEED. A night: LB_STORM=100,
LB_SINKS=10. Costs and threads always meet all sinks.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from typing import Any

from tests.torture.driver import PYTHON, ROOT, Report, setting
from tests.torture.probe_ends import ENDS, FORKS, PLAIN, PROBED, ended
from tests.torture.probe_measure import STORMS
from tests.torture.probe_sinks import SINKS

_TRIES = 5
"""A time that is too long is measured again: something else may have had the processor."""
_PATIENCE = 300  # seconds


def measured(what: str, address: str, share: int = 100) -> dict[str, Any]:
    """What a process of its own found out; ``error`` if it broke down."""
    command = [PYTHON, "-m", "tests.torture.probe_measure", what, address, str(share)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"no end within {_PATIENCE} s"}
    if done.returncode or done.stderr:
        return {"error": f"exit code {done.returncode}: {done.stderr[-300:]}"}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


class Load:
    """One run, and its bars."""

    def __init__(self, max_us: float, max_mb: float, exit_ms: float, share: int) -> None:
        self.report = Report("probe_load")
        self._max_us = max_us
        self._max_mb = max_mb
        self._exit_ms = exit_ms
        self._share = share
        self._delay = 0.0

    def _whole(self, name: str, found: dict[str, Any]) -> bool:
        """Whether it ended well, and its books balance: what was made is acknowledged, lost, or still here."""
        if not self.report.check(f"{name}: ended well", "error" not in found, found.get("error")):
            return False
        stats = found["stats"]
        booked = sum(stats[field] for field in ("acked", "lost", "refused", "unconfirmed", "waiting"))
        # Sessions that were let go are remembered by their losses alone.
        forgotten = stats["lost"] - sum(stats["dropped"].values())
        self.report.check(f"{name}: the books balance", stats["made"] + forgotten == booked, stats)
        return self.report.check(f"{name}: no error inside the probe", stats["errors"] == 0, stats)

    def costs(self, sink: str, address: str) -> None:
        for tried in range(_TRIES):
            found = measured("costs", address)
            high = max((median for median, _ in found.get("added", {}).values()), default=0.0)
            if high <= self._max_us or tried == _TRIES - 1:
                break
        if not self._whole(f"cost with {sink}", found):
            return
        for name, (median, _) in found["added"].items():
            self.report.check(f"cost of {name} with {sink}", median <= self._max_us, f"{median:.1f} us")
        shown = ", ".join(f"{name} {median:.1f} / {p99:.1f}" for name, (median, p99) in found["added"].items())
        self.report.figures[f"us added with {sink}, median / p99"] = shown

    def storm(self, name: str, sink: str, address: str) -> None:
        found = measured(name, address, self._share)
        if self._whole(f"{name} with {sink}", found):
            grown = found["grown"]
            self.report.check(f"{name} with {sink}: memory", grown <= self._max_mb, f"{grown:.0f} MiB")
            self.report.figures[f"MiB grown, {name} with {sink}"] = round(grown, 1)

    def threads(self, sink: str, address: str) -> None:
        found = measured("threads", address)
        if self._whole(f"threads with {sink}", found):
            self.report.check(f"calls from everywhere with {sink}", not found["wrong"], found["wrong"])

    def program(self, name: str, script: str, sink: str, address: str) -> None:
        """One whole program, beside what it does without the probe. Only what ends by itself is timed."""
        added = float("inf")
        for _ in range(_TRIES):
            importing = ended(PROBED.format(url=address) + "import os\nos._exit(0)")
            plain, probed = ended(PLAIN + script), ended(PROBED.format(url=address) + script)
            added = min(added, (probed.seconds - plain.seconds - importing.seconds) * 1000)
            if added <= self._exit_ms or name in FORKS or probed.seen != plain.seen:
                break
        self.report.check(
            f"{name} with {sink}: code and output", probed.seen == plain.seen, f"{probed.seen} instead of {plain.seen}"
        )
        if name not in FORKS:
            self._delay = max(self._delay, added)
            self.report.check(f"{name} with {sink}: ends in time", added <= self._exit_ms, f"{added:.0f} ms more")

    def done(self) -> Report:
        self.report.figures["longest delay of an end, ms"] = round(self._delay)
        return self.report


def run(
    *, seed: int, sinks: int, share: int, max_us: float = 20.0, max_mb: float = 64.0, exit_ms: float = 500.0
) -> Report:
    """All of it; ``share`` percent of each storm, whole programs with so many ``sinks``."""
    made, rng = Load(max_us, max_mb, exit_ms, share), random.Random(seed)
    for sink, open_sink in SINKS.items():
        with open_sink() as address:
            made.costs(sink, address)
            made.threads(sink, address)
    storms = ["sessions", *(f"storm:{name}" for name in STORMS)]
    # With silence a batch is always on its way beside what the ring holds; with nobody each fails at once.
    for sink in ("silence", "nobody") if sinks >= len(SINKS) else ("silence",):
        with SINKS[sink]() as address:
            for name in storms:
                made.storm(name, sink, address)
    programs = [*ENDS.items(), *FORKS.items()]
    for sink in rng.sample(list(SINKS), min(sinks, len(SINKS))):
        with SINKS[sink]() as address:
            for name, script in programs:
                made.program(name, script, sink, address)
    return made.done()


if __name__ == "__main__":
    raise SystemExit(
        run(
            seed=setting("LB_SEED", 1),
            sinks=setting("LB_SINKS", 2),
            share=setting("LB_STORM", 30),
            max_us=float(os.environ.get("LB_MAX_US", "20")),
            max_mb=float(os.environ.get("LB_MAX_MB", "64")),
            exit_ms=float(os.environ.get("LB_EXIT_MS", "500")),
        ).show()
    )
