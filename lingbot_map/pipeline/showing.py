"""When viewers see what has happened, and when the index counts it: at once after a pause, else at the next beat."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from lingbot_map.pipeline.board import Board
from lingbot_map.pipeline.live import Live
from lingbot_map.store.index import Index
from lingbot_map.store.summary import unreadable

BEAT = 0.1
"""Seconds between two batches to the viewers of a session."""
BOARD_BEAT = 1.0
"""Seconds between two changes of the list of sessions, and of the index behind it."""


class Showing:
    """Keeps the beats. ``board`` is the list of sessions as viewers see it."""

    def __init__(self, index: Index, clock: Callable[[], float]) -> None:
        self.board = Board()
        self._index = index
        self._clock = clock
        self._changed: dict[str, Live] = {}
        self._shown_at = -BOARD_BEAT
        self._timer: asyncio.TimerHandle | None = None

    def show_soon(self, live: Live) -> None:
        """Something new happened in ``live``, for those who look at it alone."""
        loop = asyncio.get_running_loop()
        if live.showing is None:
            wait = live.shown_at + BEAT - loop.time()
            live.showing = loop.call_later(wait, self._show, live) if wait > 0 else loop.call_soon(self._show, live)

    def touch(self, live: Live) -> None:
        """Something new happened in ``live``."""
        self.show_soon(live)
        loop = asyncio.get_running_loop()
        self._changed[live.session.key] = live
        if self._timer is None:
            wait = max(0.0, self._shown_at + BOARD_BEAT - loop.time())
            self._timer = loop.call_later(wait, self._show_board)

    def remove(self, key: str) -> None:
        """The session ``key`` is no more; seen at once."""
        self._changed.pop(key, None)
        self._index.remove(key)
        self.board.put(key, None)
        self.board.show()

    def damaged(self, key: str, why: Exception) -> None:
        """The session ``key`` can't be read; seen at once, until it can be read again."""
        summary = unreadable(key, why, self._clock(), self._index.get(key))
        self._index.remove(key)  # its hits too: they are counted anew when it is read again
        self._index.update([(summary, ())], self._clock())
        self.board.put(key, msgspec.to_builtins(summary))
        self.board.show()

    def count(self) -> None:
        """Bring index and board up to what has happened."""
        changed, self._changed = list(self._changed.values()), {}
        rows, ahead = [], set()
        for live in changed:
            if not live.gone:
                events, live.uncounted = live.uncounted, []
                rows.append((live.session.summary(), events))
                if live.session.recording.pending:
                    ahead.add(live.session.key)
        if rows:
            self._index.update(rows, self._clock(), ahead)
            for summary, _ in rows:
                self.board.put(summary.key, msgspec.to_builtins(summary))

    def stop(self) -> None:
        """Count what is owed; nothing is shown any more."""
        if self._timer is not None:
            self._timer.cancel()
        self.count()

    def _show(self, live: Live) -> None:
        live.showing = None
        live.shown_at = asyncio.get_running_loop().time()
        live.tail.show()

    def _show_board(self) -> None:
        self._timer = None
        self._shown_at = asyncio.get_running_loop().time()
        self.count()
        self.board.show()
