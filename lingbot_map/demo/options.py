"""The options that the demo programs have in common."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

PACE = 3.0
"""Seconds between the turns of a scripted customer, about as quick as somebody who knows what to type."""


def options(
    program: str, about: str | None, languages: Sequence[str], *, turn: str, story: str, chat: str
) -> argparse.ArgumentParser:
    """What ``python -m program`` takes; the words say what it calls a ``turn``, its ``story`` and a ``chat``."""
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=about)
    parser.add_argument("--endpoint", help="address of the map (default: $LINGBOT_ENDPOINT, else this machine's)")
    parser.add_argument("--token", help="its token; $LINGBOT_TOKEN keeps it out of the process list")
    parser.add_argument("--lang", choices=languages, default="zh")
    parser.add_argument("--pace", type=float, default=PACE, help=f"seconds between two {turn} (default: %(default)s)")
    parser.add_argument("--turns", type=int, help=f"leave after so many {turn}")
    parser.add_argument("--once", action="store_true", help=f"leave after {story}")
    parser.add_argument("--chat", action="store_true", help=chat)
    parser.add_argument("--parent", type=int, help="leave when this process is no longer the parent")
    return parser
