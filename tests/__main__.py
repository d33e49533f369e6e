"""Runs every check in CI's order, or those named: ``python -m tests [PART ...]``.

All parts run even when an earlier one failed, so that one run tells everything; the last lines say what failed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent

Command = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One thing to check: passes when ``command`` exits with 0."""

    name: str
    command: Command


PARTS = (
    Part("ruff", (f"{BIN}/ruff", "check", ".")),
    Part("format", (f"{BIN}/ruff", "format", "--check", ".")),
    Part("mypy", (f"{BIN}/mypy",)),
    Part("imports", (f"{BIN}/lint-imports",)),
    # Two workers for two cores; a file stays with one worker, since its tests may share a server.
    Part("pytest", (sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "-m", "not browser")),
    Part("node", ("npm", "--silent", "test")),
    Part("tsc", ("npm", "--silent", "run", "types")),
    Part("browser", (sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "-m", "browser")),
    Part("torture", (sys.executable, "-m", "tests.torture")),
)


def main(names: list[str]) -> int:
    """Runs the parts called ``names`` (all if empty), prints a summary and returns the exit code."""
    unknown = [name for name in names if name not in {part.name for part in PARTS}]
    if unknown:
        print(
            f"no such part: {', '.join(unknown)}; there are {', '.join(part.name for part in PARTS)}", file=sys.stderr
        )
        return 2
    chosen = [part for part in PARTS if not names or part.name in names]
    results: list[tuple[str, bool, float]] = []
    for part in chosen:
        print(f"\n--- {part.name}", flush=True)
        began = time.monotonic()
        results.append((part.name, _passes(part.command), time.monotonic() - began))
    print()
    for name, passed, seconds in results:
        print(f"{'ok    ' if passed else 'FAILED'} {name:8} {seconds:6.1f} s")
    failed = sum(not passed for _, passed, _ in results)
    print(f"parts: {len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


def _passes(command: Command) -> bool:
    try:
        return subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    except FileNotFoundError as why:
        print(f"{command[0]} could not be started: {why.strerror}", file=sys.stderr)
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
