"""How much of a foreign recording is taken. Each limit is named in the error or the problem that it makes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bytes where nothing else is said. A ``document`` is what must be read as one piece; lines may be more.
    ``shown_problems`` are told one by one, the rest is counted; past ``problems``, if that is half of the records or
    more, the file is given up."""

    file: int = 4 << 30
    document: int = 256 << 20
    expanded: int = 256 << 20
    line: int = 1 << 20
    depth: int = 64
    events: int = 5_000_000
    sessions: int = 100_000
    shown_problems: int = 100
    problems: int = 10_000


LIMITS = Limits()
