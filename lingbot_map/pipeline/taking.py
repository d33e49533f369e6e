"""Recordings from files, taken in the way live signals are: placed by intake, logged, mapped, shown."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, TypeVar

from lingbot_map import importers
from lingbot_map.events import Described, Event
from lingbot_map.pipeline.books import Books
from lingbot_map.pipeline.live import Live
from lingbot_map.pipeline.shelf import Shelf
from lingbot_probes.signals import Numbered

CHUNK = 500
"""Signals placed in one go; between two chunks live sources have their turn."""

_EARLIEST, _HOUR, _DAY = 946_684_800.0, 3600.0, 86_400.0  # 2000-01-01: before it nobody recorded a bot

T = TypeVar("T")
Progress = Callable[[int, int], None]


class Taking:
    """Takes files in, one at a time. ``commit`` logs and maps what intake placed."""

    def __init__(self, shelf: Shelf, commit: Callable[[Live, Sequence[Event]], None], books: Books) -> None:
        self._shelf = shelf
        self._commit = commit
        self._books = books
        self._turn = asyncio.Lock()

    async def file(self, path: Path, name: str, progress: Progress | None) -> dict[str, Any]:
        """All sessions of the file. It is read whole once before anything is taken, so a bad one changes nothing.

        What comes back names each session (key, id, events in it, how many of them are new) and what was lost.
        """
        async with self._turn:
            await asyncio.to_thread(_try, path, name, progress)
            report = importers.Report()
            sessions = []
            found = importers.read(path, name, report=report)
            while (imported := await asyncio.to_thread(next, found, None)) is not None:
                sessions.append(await self._session(imported))
        problems = [f"{problem.where}: {problem.reason}" for problem in report.problems]
        if report.problem_count > len(problems):
            problems.append(f"... and {report.problem_count - len(problems):,} more")
        return {"format": report.format, "sessions": sessions, "report": problems}

    async def _session(self, imported: importers.ImportedSession) -> dict[str, Any]:
        chunks = _chunks(imported.items, CHUNK)
        chunk: list[Numbered] = await asyncio.to_thread(next, chunks, [])
        live, before = await self._place_for(imported, _begin(chunk, self._shelf.clock()))
        while chunk:
            live = await self._shelf.still(live)
            known = live.session.map.sources.get(imported.source)
            mark = known.mark if known is not None else 0
            account = self._books.of(imported.source)
            account.produced += max(chunk[-1].n - mark, 0)
            account.received += len(chunk)
            account.last_at = self._shelf.clock()
            taken = live.session.intake.take(
                imported.source, chunk, self._shelf.clock(), numbered=chunk[-1].n, recorded=True
            )
            account.repeated += taken.repeated
            self._commit(live, taken.events)
            session = live.session
            if session.snapshot_due(self._shelf.clock()):  # a ladder on which seeking stays quick
                await asyncio.to_thread(session.recording.keep, *session.pack(self._shelf.clock()))
            chunk = await asyncio.to_thread(next, chunks, [])
        live = await self._shelf.still(live)
        facts = {"origin": imported.origin, "coverage": imported.coverage, "lost": imported.lost}
        about = live.session.map.about
        if any(about.get(name) != value for name, value in facts.items()):
            now = max(live.session.map.at, 0.0) or self._shelf.clock()
            self._commit(live, [live.session.intake.own(Described(facts=facts), now)])
        recording = live.session.recording
        if recording.pending and recording.trouble is not None:
            raise recording.trouble  # a file is not sent again, as a probe's batch is: its reader must know
        cursor = live.session.map.cursor
        return {
            "key": live.session.key,
            "id": live.session.id,
            "events": cursor.seq,
            "new": cursor.seq - before,
            "lost": imported.lost,
        }

    async def _place_for(self, imported: importers.ImportedSession, begin: float) -> tuple[Live, int]:
        """The session to take it into, and how many events that has already.

        Another conversation that bears the same name gets a session of its own.
        """
        name = imported.session_id
        live = await self._shelf.find(name)
        if live is not None and imported.source not in live.session.map.sources:
            name = f"{name[:240]}~{imported.source[-8:]}"
            live = await self._shelf.find(name)
        if live is not None:
            return live, live.session.map.cursor.seq
        return self._shelf.create(name, {"origin": imported.origin}, begin), 0


def _begin(items: Sequence[Numbered], now: float) -> float:
    """When the recording begins: its first time that can be believed (the next one is not an hour earlier)."""
    stamps = [item.said_at for item in items if item.said_at is not None and _EARLIEST <= item.said_at <= now + _DAY]
    for stamp, following in pairwise([*stamps, *stamps[-1:]]):
        if following >= stamp - _HOUR:
            return stamp
    return now


def _try(path: Path, name: str, progress: Progress | None) -> None:
    for session in importers.read(path, name, progress=progress):
        deque(session.items, 0)


def _chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
