"""Which sessions changed, for everybody who shows the list: pure bookkeeping, like ``tail`` for one session.

A viewer's place on the board is a version. What it is sent is everything that changed after it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

MAX_CHANGES = 1000
"""So many changed sessions are remembered; a viewer further behind reads the list again."""


class Board:
    """The newest summary of each session that changed lately (``None``: it was removed), in the order of change.

    ``shared`` is for whoever encodes messages: what was made since the last ``show``, by the version it begins after.
    """

    __slots__ = ("_changes", "_pending", "shared", "version", "watchers")

    def __init__(self) -> None:
        self.version = 0
        self.shared: dict[int, bytes] = {}
        self.watchers: set[Callable[[], None]] = set()
        self._pending: dict[str, dict[str, Any] | None] = {}
        self._changes: dict[str, tuple[int, dict[str, Any] | None]] = {}

    def put(self, key: str, summary: dict[str, Any] | None) -> None:
        """Session ``key`` changed (or went, with ``None``); seen after the next ``show``."""
        self._pending[key] = summary

    def show(self) -> None:
        """Let everybody see what was put, and wake those who watch."""
        if not self._pending:
            return
        self.version += 1
        for key, summary in self._pending.items():
            self._changes.pop(key, None)
            self._changes[key] = (self.version, summary)
        self._pending.clear()
        while len(self._changes) > MAX_CHANGES:
            del self._changes[next(iter(self._changes))]
        self.shared.clear()
        for wake in tuple(self.watchers):
            wake()

    def after(self, version: int) -> tuple[list[dict[str, Any]], list[str]]:
        """(changed summaries, removed keys) of what was shown after ``version``."""
        later = [(key, summary) for key, (at, summary) in self._changes.items() if at > version]
        return [s for _, s in later if s is not None], [key for key, s in later if s is None]
