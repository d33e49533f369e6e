"""Recordings from files, taken in the way live signals are: placed by intake, logged, mapped, shown.

A whole recording of ours is copied instead, each event as it is: its map is then the map it was.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import orjson

from lingbot_map import importers
from lingbot_map.errors import BadInput
from lingbot_map.events import Described, EpochStarted, Event, event_to_dict
from lingbot_map.pipeline.books import Books
from lingbot_map.pipeline.ending import begin_of
from lingbot_map.pipeline.glimpses import Glimpses
from lingbot_map.pipeline.live import Live
from lingbot_map.pipeline.masking import masked
from lingbot_map.pipeline.shelf import Shelf
from lingbot_map.session import Session
from lingbot_map.store import Store
from lingbot_probes.signals import Numbered

CHUNK = 500
"""Signals placed in one go; between two chunks live sources have their turn."""


_TRYING = 0.3
"""How much of the time goes into reading all of it once before anything is taken."""

T = TypeVar("T")
Progress = Callable[[int, int], None]


class Taking:
    """Takes files in, one at a time. ``commit`` logs and maps what intake placed."""

    def __init__(
        self,
        shelf: Shelf,
        commit: Callable[[Live, Sequence[Event]], None],
        books: Books,
        store: Store,
        glimpses: Glimpses,
    ) -> None:
        self._shelf = shelf
        self._store = store
        self._glimpses = glimpses
        self._commit = commit
        self._books = books
        self._turn = asyncio.Lock()

    async def file(
        self,
        path: Path,
        name: str,
        progress: Progress | None,
        *,
        mask: bool,
        mapping: Sequence[str],
        glimpsed: Callable[[str], object],
    ) -> dict[str, Any]:
        """All sessions of the file. It is read whole once before anything is taken, so a bad one changes nothing.

        What comes back names each session (key, id, events and turns in it, how many events are new, the id that it
        bears in the file if that is another one) and what was lost. With ``mask`` it is masked as a probe would. With a
        ``mapping`` the file is a table of rows. ``glimpsed`` hears under which key its end is shown meanwhile.
        """
        columns = importers.columns_of(mapping) if mapping else None
        mask_key = self._store.mask_key() if mask else ""
        async with self._glimpses.of(path, name, mask_key, columns, glimpsed, progress) as told:
            taken = await self._whole(path, name, told, mask_key, columns)
            await asyncio.to_thread(self._store.sync)
        return taken

    async def _whole(
        self, path: Path, name: str, progress: Progress | None, mask_key: str, columns: importers.Mapped | None
    ) -> dict[str, Any]:
        async with self._turn:
            whole = await self._tried(path, name, _part(progress, 0.0, _TRYING), columns)
            report = importers.Report()
            sessions = []
            taking = _part(progress, _TRYING, 1.0)
            found = importers.read(path, name, report=report, progress=taking, columns=columns)
            while (imported := await asyncio.to_thread(next, found, None)) is not None:
                if mask_key:
                    imported = masked(imported, mask_key)
                if whole or await self._is_here(imported):
                    sessions.append(await self._copy(imported))
                else:
                    sessions.append(await self._session(imported, masked=bool(mask_key)))
        problems = [f"{problem.where}: {problem.reason}" for problem in report.problems]
        if report.problem_count > len(problems):
            problems.append(f"... and {report.problem_count - len(problems):,} more")
        return {"format": report.format, "sessions": sessions, "report": problems}

    async def _tried(self, path: Path, name: str, progress: Progress | None, columns: importers.Mapped | None) -> bool:
        """``_try`` in a thread, which ends with whoever waits for it."""
        abandoned = False

        def told(done: int, total: int) -> None:
            if abandoned:
                raise asyncio.CancelledError
            if progress is not None:
                progress(done, total)

        try:
            return await asyncio.to_thread(_try, path, name, told, columns)
        except asyncio.CancelledError:
            abandoned = True
            raise

    async def _session(self, imported: importers.ImportedSession, *, masked: bool) -> dict[str, Any]:
        chunks = _chunks(imported.items, CHUNK)
        chunk: list[Numbered] = await asyncio.to_thread(next, chunks, [])
        live, before = await self._place_for(imported, begin_of(chunk, self._shelf.clock()))
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
        facts: dict[str, Any] = {"origin": imported.origin, "coverage": imported.coverage, "lost": imported.lost}
        if not imported.timed:
            facts["timed"] = False
        if not masked:  # whoever masks what comes later does not mask what is here
            facts["unmasked"] = True
        about = live.session.map.about
        if any(about.get(name) != value for name, value in facts.items()):
            now = max(live.session.map.at, 0.0) or self._shelf.clock()
            self._commit(live, [live.session.intake.own(Described(facts=facts), now)])
        return _outcome(live, before, imported.session_id, imported.lost)

    async def _is_here(self, imported: importers.ImportedSession) -> bool:
        """Whether a recording that isn't whole is that of a session here all the same: it agrees with it as far as it
        can be read, and what it has beyond is whole."""
        if imported.events is None or (live := await self._shelf.find(imported.session_id)) is None:
            return False
        session, events = live.session, imported.events
        if not await asyncio.to_thread(lambda: _agree(session, events) and _follows(session.map.cursor.seq, events)):
            return False
        await asyncio.to_thread(deque, imported.items, 0)  # so that what can't be read of it is told
        return True

    async def _copy(self, imported: importers.ImportedSession) -> dict[str, Any]:
        """Take a recording as it is: all of it, or what follows the part that is here already."""
        assert imported.events is not None
        chunks = _chunks(imported.events, CHUNK)
        chunk: list[Event] = await asyncio.to_thread(next, chunks, [])
        live, name = await self._place_for_copy(imported.session_id, imported.events)
        before = live.session.map.cursor.seq if live is not None else 0
        while chunk:
            fresh = [msgspec.structs.replace(event, session=name) for event in chunk if event.seq > before]
            if live is None:
                self._books.copied(fresh, self._shelf.clock())
                live = self._shelf.copy(name, fresh)
                self._books.placed(fresh)
            elif fresh:
                live = await self._shelf.still(live)
                await self._go_on(live, fresh)
            chunk = await asyncio.to_thread(next, chunks, [])
        assert live is not None
        live = await self._shelf.still(live)
        return _outcome(live, before, imported.session_id, live.session.map.about.get("lost") or [])

    async def _go_on(self, live: Live, events: Sequence[Event]) -> None:
        session = live.session
        if events[0].seq != session.map.cursor.seq + 1:
            raise BadInput(session.id, "nobody who speaks in it while it is copied", "a bot that does")
        live.copied = True
        self._books.copied(events, self._shelf.clock())
        self._commit(live, events)
        session.recount()
        if session.snapshot_due(self._shelf.clock()):
            await asyncio.to_thread(session.recording.keep, *session.pack(self._shelf.clock()))

    async def _place_for_copy(self, session_id: str, events: Iterable[Event]) -> tuple[Live | None, str]:
        """The session that the recording belongs to, if it is here; and the name of that, or of a new one."""
        name, number = session_id, 0
        while (live := await self._shelf.find(name)) is not None:
            if await asyncio.to_thread(_agree, live.session, events):
                return live, name
            number += 1  # told from the content, so that the same file finds its copy again
            suffix = await asyncio.to_thread(_suffix, events, number)
            name = f"{session_id[:240]}~{suffix}"
        return None, name

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


def _part(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """What tells a part of the work as ``begin`` to ``end`` of the whole."""
    if progress is None:
        return None
    tell = progress
    return lambda done, total: tell(round(total * begin + done * (end - begin)), total)


def _try(path: Path, name: str, progress: Progress | None, columns: importers.Mapped | None) -> bool:
    """Read all of it; whether it is a recording of ours that can be copied as it is."""
    report = importers.Report()
    copies = []
    for session in importers.read(path, name, report=report, progress=progress, columns=columns):
        deque(session.items, 0)
        copies.append(session.events is not None and _whole(session.events))
    return copies == [True] and not report.problem_count


def _whole(events: Iterable[Event]) -> bool:
    """Whether these are a log from its first event on, without holes, and time runs as it does in a log."""
    last, at = 0, 0.0
    for event in events:
        if event.seq != last + 1 or event.at < at or (not last and type(event.signal) is not EpochStarted):
            return False
        last, at = event.seq, event.at
    return last > 0


def _agree(session: Session, events: Iterable[Event]) -> bool:
    """Whether the session and the recording say the same wherever both say something."""
    theirs = iter(events)
    event = next(theirs, None)
    common = False
    for mine in session.recording.events():
        while event is not None and event.seq < mine.seq:
            event = next(theirs, None)
        if event is None:
            break
        if event.seq == mine.seq:
            if _said(event) != _said(mine):
                return False
            common = True
    return common


def _follows(last: int, events: Iterable[Event]) -> bool:
    """Whether what comes after seq ``last`` goes on without a hole."""
    at = 0.0
    for event in events:
        if event.seq > last:
            if event.seq != last + 1 or event.at < at:
                return False
            last = event.seq
        at = event.at
    return True


def _said(event: Event) -> bytes:
    return orjson.dumps(event_to_dict(event), option=orjson.OPT_SORT_KEYS)


def _suffix(events: Iterable[Event], number: int) -> str:
    first = next(iter(events)).signal
    epoch = first.epoch if type(first) is EpochStarted else ""
    return hashlib.sha256(f"{epoch}\n{number}".encode("utf-8", "replace")).hexdigest()[:8]


def _outcome(live: Live, before: int, name: str, lost: list[Any]) -> dict[str, Any]:
    recording = live.session.recording
    if recording.pending and recording.trouble is not None:
        raise recording.trouble  # a file is not sent again, as a probe's batch is: its reader must know
    session, seq = live.session, live.session.map.cursor.seq
    copy_of = name if name != session.id else ""
    return {
        "key": session.key,
        "id": session.id,
        "events": seq,
        "turns": session.map.turn,
        "new": seq - before,
        "copy_of": copy_of,
        "lost": lost,
    }


def _chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
