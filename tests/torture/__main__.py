"""Runs the torture drivers, or those named: ``python -m tests.torture [--long] [DRIVER ...]``.

Each runs as a process of its own, one after the other, with settings for every day (or for a night); a setting that
the environment has already wins. What was found is a line as soon as it is known; of a driver that failed, all that it
said. Exit code 0 if all passed, 1 if one failed, 130 after Ctrl-C.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from tests.torture.driver import PYTHON, ROOT

EVERY_DAY_SECONDS, NIGHT_SECONDS = 300, 6 * 3600
"""Longer may no driver take: it hangs."""
GRACE_SECONDS = 10.0
"""So long has a driver that is stopped to end what it started."""
IN_CI = os.environ.get("CI", "") not in ("", "0", "false")


@dataclass(frozen=True, slots=True)
class Driver:
    """A module here with a command line. In CI its ``tools`` must be there: a promise that nobody looks at is none."""

    name: str
    every_day: Mapping[str, str] = field(default_factory=dict)
    night: Mapping[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = ()


DRIVERS = (
    Driver("corrupt_log", {"LB_TRIALS": "100"}, {"LB_ALL_OFFSETS": "1", "LB_EVENTS": "60"}),
    Driver("kill9", {"LB_ROUNDS": "10"}, {"LB_ROUNDS": "300", "LB_POINTS": "50"}, ("strace",)),
    Driver("power_loss", {"LB_IMAGES": "100"}, {"LB_IMAGES": "3000"}, ("strace",)),
    Driver("disk_full", tools=("strace",)),
    Driver("ordering"),
    Driver("import_fuzz", {"LB_FUZZ": "50"}, {"LB_FUZZ": "100000", "LB_BIG": "1"}),
    Driver("probe_safety", night={"LB_ROUNDS": "40"}),
    Driver("probe_load", night={"LB_STORM": "100", "LB_SINKS": "10"}),
    Driver("probe_books", {"LB_ROUNDS": "4"}, {"LB_ROUNDS": "200"}),
    Driver("export_xss"),
    Driver("secrets_scan"),
    Driver("http_abuse"),
    Driver("ws_abuse"),
    Driver("ws_load", {"LB_VIEWERS": "100", "LB_SECONDS": "5", "LB_STORMS": "3"}),
    Driver("soak", {"LB_SECONDS": "40", "LB_BOTS": "8", "LB_VIEWERS": "12", "LB_KILL_S": "10"}),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a driver ended, and what it said."""

    name: str
    failed: str
    seconds: float
    counts: str
    skipped: tuple[str, ...]
    said: str

    def row(self) -> str:
        verdict = f"FAILED  {self.failed}" if self.failed else "ok"
        return f"{self.name:13} {self.seconds:7.1f} s  {verdict:8}{self.counts}".rstrip()


def missing_in_ci(driver: Driver) -> str:
    """The tools that it needs and that CI does not have; "" elsewhere, where a skip is told."""
    return ", ".join(tool for tool in driver.tools if IN_CI and shutil.which(tool) is None)


def run(driver: Driver, *, long: bool, seed: str) -> Outcome:
    """Run one; ``KeyboardInterrupt`` stops it first."""
    settings = {**(driver.night if long else driver.every_day), "LB_SEED": seed, **os.environ}
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as out:
        failed = _ran(driver.name, settings, out, NIGHT_SECONDS if long else EVERY_DAY_SECONDS)
        out.seek(0)
        said = out.read()
    counted = re.search(r"^(\d+) passed, (\d+) failed, (\d+) skipped$", said, re.MULTILINE)
    if counted is None and not failed.startswith("not done"):
        failed = f"broke down ({failed or 'and said nothing'})"
    if not failed and (missing := missing_in_ci(driver)):
        failed = f"in CI it must not do without {missing}"
    counts = f"{int(counted[1]):,} checks" if counted and not failed else ""
    skipped = tuple(re.findall(r"^  skip (.*)$", said, re.MULTILINE))
    return Outcome(driver.name, failed, time.monotonic() - began, counts, skipped, said)


def _ran(name: str, settings: Mapping[str, str], out: IO[str], limit: float) -> str:
    """Why it failed; "" if it passed. It has a process group of its own, so that what it started ends with it."""
    process = subprocess.Popen(
        [PYTHON, "-m", f"tests.torture.{name}"],
        cwd=ROOT,
        env=settings,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        code = process.wait(limit)
    except subprocess.TimeoutExpired:
        _stop(process)
        return f"not done after {limit:.0f} s"
    except KeyboardInterrupt:
        _stop(process)
        raise
    return {0: "", 1: "a check failed"}.get(code, f"exit code {code}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """As Ctrl-C would, so that it cleans up; then without asking."""
    for how in (signal.SIGINT, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            process.wait()
            return


def main(arguments: Sequence[str]) -> int:
    """Run them, print the table as it grows; the exit code."""
    long = "--long" in arguments
    names = [name for name in arguments if name != "--long"]
    unknown = [name for name in names if name not in {driver.name for driver in DRIVERS}]
    if unknown:
        known = ", ".join(driver.name for driver in DRIVERS)
        print(f"no such driver: {', '.join(unknown)}; there are {known}", file=sys.stderr)
        return 2
    seed = os.environ.get("LB_SEED") or (str(random.randrange(10**6)) if long else "1")
    print(f"{'a night' if long else 'every day'}, LB_SEED={seed}", flush=True)
    outcomes: list[Outcome] = []
    began = time.monotonic()
    interrupted = False
    for driver in DRIVERS:
        if names and driver.name not in names:
            continue
        try:
            outcome = run(driver, long=long, seed=seed)
        except KeyboardInterrupt:
            interrupted = True
            print(f"\nstopped during {driver.name}")
            break
        outcomes.append(outcome)
        print(outcome.row(), flush=True)
        if outcome.failed or os.environ.get("LB_VERBOSE"):
            print("".join(f"    {line}\n" for line in outcome.said.splitlines()), end="", flush=True)
    _sum_up(outcomes, time.monotonic() - began)
    if interrupted:
        return 130
    return 1 if any(outcome.failed for outcome in outcomes) else 0


def _sum_up(outcomes: Sequence[Outcome], seconds: float) -> None:
    skipped = [(outcome.name, why) for outcome in outcomes for why in outcome.skipped]
    if skipped:
        print("\nNOT LOOKED AT on this machine:")
        for name, why in skipped:
            print(f"  {name}: {why}")
    failed = [outcome.name for outcome in outcomes if outcome.failed]
    print(f"drivers: {len(outcomes) - len(failed)} passed, {len(failed)} failed, {seconds:.0f} s in all")
    for name in failed:
        print(f"again: make torture DRIVERS={name}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
