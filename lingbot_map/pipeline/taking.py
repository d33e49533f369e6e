"""Recordings from files, taken in the way live signals are: placed by intake, logged, mapped, shown."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from lingbot_map import importers
from lingbot_map.events import Described, Event
from lingbot_map.pipeline.live import Live
from lingbot_map.pipeline.shelf import Shelf

CHUNK = 500
"""Signals placed in one go; between two chunks live sources have their turn."""

T = TypeVar("T")
Progress = Callable[[int, int], None]


class Taking:
    """Takes files in, one at a time. ``commit`` logs and maps what intake placed."""

    def __init__(self, shelf: Shelf, commit: Callable[[Live, Sequence[Event]], None]) -> None:
        self._shelf = shelf
        self._commit = commit
        self._turn = asyncio.Lock()

    async def file(self, path: Path, name: str, progress: Progress | None) -> dict[str, Any]:
        """All sessions of the file. It is read whole once before anything is taken, so a bad one changes nothing.

        What comes back names each session (key, id, events in it, how many of them are new) and what was lost.
        """
        async with self._turn:
            await asyncio.to_thread(_try, path, name, progress)
            report = importers.Report()
            sessions = []
            for imported in importers.read(path, name, report=report):
                sessions.append(await self._session(imported))
        problems = [f"{problem.where}: {problem.reason}" for problem in report.problems]
        if report.problem_count > len(problems):
            problems.append(f"... and {report.problem_count - len(problems):,} more")
        return {"format": report.format, "sessions": sessions, "report": problems}

    async def _session(self, imported: importers.ImportedSession) -> dict[str, Any]:
        live = await self._place_for(imported)
        before = live.session.map.cursor.seq
        for chunk in _chunks(imported.items, CHUNK):
            if live.gone:  # put away meanwhile
                live = await self._shelf.open(live.session.key)
            taken = live.session.intake.take(
                imported.source, chunk, self._shelf.clock(), numbered=chunk[-1].n, recorded=True
            )
            self._commit(live, taken.events)
            await asyncio.sleep(0)
        facts = {"origin": imported.origin, "coverage": imported.coverage, "lost": imported.lost}
        about = live.session.map.about
        if any(about.get(name) != value for name, value in facts.items()):
            now = max(live.session.map.at, 0.0) or self._shelf.clock()
            self._commit(live, [live.session.intake.own(Described(facts=facts), now)])
        cursor = live.session.map.cursor
        return {
            "key": live.session.key,
            "id": live.session.id,
            "events": cursor.seq,
            "new": cursor.seq - before,
            "lost": imported.lost,
        }

    async def _place_for(self, imported: importers.ImportedSession) -> Live:
        """The session to take it into. Another conversation that bears the same name gets one of its own."""
        live = await self._shelf.find(imported.session_id)
        if live is not None and imported.source not in live.session.map.sources:
            own_name = f"{imported.session_id[:240]}~{imported.source[-8:]}"
            imported.items = imported.under(own_name).items
            live = await self._shelf.find(own_name)
            if live is None:
                return self._shelf.create(own_name, {"origin": imported.origin})
        return live or self._shelf.create(imported.session_id, {"origin": imported.origin})


def _try(path: Path, name: str, progress: Progress | None) -> None:
    for session in importers.read(path, name, progress=progress):
        deque(session.items, 0)


def _chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
