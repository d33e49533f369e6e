"""What is removed: a session somebody deletes or wants forgotten, and those that have had their time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from lingbot_map.errors import LingbotMapError, StoreError, UnknownSession
from lingbot_map.events import Event
from lingbot_map.pipeline.books import Books
from lingbot_map.pipeline.shelf import Shelf
from lingbot_map.pipeline.showing import Showing
from lingbot_map.policy import Policy
from lingbot_map.store import Store
from lingbot_map.store.footprint import Footprint
from lingbot_map.store.index import Index
from lingbot_map.store.retention import Going, Keep, Stays, Stored, to_go
from lingbot_map.store.summary import Summary

_BIN_FULL = 20
"""So many sessions are deleted before their room on the disk is given free."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What went (or would), oldest first; how many past a bound ``stayed``, by reason; how many bytes are ``left``."""

    going: list[Going]
    stayed: dict[Stays, int]
    left: int

    @property
    def freed(self) -> int:
        """Bytes that went."""
        return sum(going.stored.size for going in self.going)

    def as_json(self) -> dict[str, Any]:
        """For programs: ``{"sessions": [{"key", "name", "last_at", "size", "why"}], "freed", "stayed", "left"}``."""
        sessions = [
            {"key": one.key, "name": one.name, "last_at": one.last, "size": one.size, "why": going.why}
            for going in self.going
            for one in (going.stored,)
        ]
        return {"sessions": sessions, "freed": self.freed, "stayed": dict(self.stayed), "left": self.left}


def weigh(
    known: Iterable[tuple[Summary, Footprint]], keep: Keep, now: float, silence: float, watched: Collection[str] = ()
) -> Pruned:
    """What would have to go of the sessions ``known``, without those that are committed cases.

    Live is what has not ended and was heard of within ``silence`` seconds. What was written later than its bot was
    last heard, a recording that was just taken in or named, counts from then.
    """
    stored = [_stored(one, place, now, silence, watched) for one, place in known if one.origin != "case"]
    going = to_go(stored, keep, now)
    past = to_go([replace(one, stays="") for one in stored], keep, now)
    by_key = {one.key: one.stays for one in stored}
    stayed = Counter(by_key[one.stored.key] for one in past if by_key[one.stored.key])
    return Pruned(going, dict(stayed), sum(one.size for one in stored) - sum(one.stored.size for one in going))


def _stored(one: Summary, place: Footprint, now: float, silence: float, watched: Collection[str]) -> Stored:
    last = max(one.updated_at, place.written_at if place.written_at <= now else 0.0)
    stays: Stays = ""
    if one.pinned:
        stays = "pinned"
    elif one.damaged:
        stays = "damaged"
    elif one.live and now - one.updated_at < silence:
        stays = "live"
    elif one.key in watched:
        stays = "watched"
    return Stored(one.key, one.name or one.title or one.id, last, place.size, stays)


class Keeping:
    """Removes sessions from memory, disk and index. ``refill`` has the index read what it does not know."""

    def __init__(
        self,
        shelf: Shelf,
        store: Store,
        index: Index,
        showing: Showing,
        books: Books,
        policy: Policy,
        refill: Callable[[], Awaitable[None]],
    ) -> None:
        self._shelf = shelf
        self._store = store
        self._index = index
        self._showing = showing
        self._books = books
        self._policy = policy
        self._refill = refill
        self._turn = asyncio.Lock()
        self._unscrubbed = False
        self.pruned = 0
        self.freed = 0

    @property
    def removed(self) -> dict[str, int]:
        """What went since the start: ``pruned`` sessions, ``freed`` bytes."""
        return {"pruned": self.pruned, "freed": self.freed}

    async def delete(self, key: str) -> None:
        """Remove a session for good. Raises ``UnknownSession``, and ``StoreError`` for a committed case.

        How far each of its sources had come is remembered, so that it does not come back when they say it once more.
        No byte of what was said in it is left in the map's own files.
        """
        await self._remove(key)
        self._unscrubbed = True
        await asyncio.to_thread(self._store.empty_bin)
        if self._unscrubbed:  # else somebody who deleted another meanwhile has done it for both
            await self._scrub()

    async def forget(self, key: str) -> list[str]:
        """Leave no byte of what was said in the session, neither in the map's files nor in what was exported into the
        data folder: the names of those files. Raises as ``delete``, and ``OSError`` for an export that stays.
        """
        session, events = await self._said(key)
        # The session last: killed on the way, it can be asked for again.
        exported = await asyncio.to_thread(self._store.remove_exports, key, session, events)
        await self.delete(key)
        return exported

    async def prune(self, keep: Keep, *, dry_run: bool = False) -> Pruned:
        """Remove what is past the bounds of ``keep``; with ``dry_run`` only say what that would be."""
        async with self._turn:
            pruned = await self._weigh(keep)
            if dry_run or not pruned.going:
                return pruned
            gone: list[Going] = []
            for going in pruned.going:
                if not await self._is_still_due(going, keep):
                    continue
                with suppress(UnknownSession):  # somebody has deleted it meanwhile
                    await self._remove(going.stored.key)
                    gone.append(going)
                    self.pruned += 1
                    self.freed += going.stored.size
                if len(gone) % _BIN_FULL == 0:
                    await asyncio.to_thread(self._store.empty_bin)
            await asyncio.to_thread(self._store.empty_bin)
            await self._scrub()
            return replace(pruned, going=gone, left=pruned.left + pruned.freed - sum(one.stored.size for one in gone))

    async def _said(self, key: str) -> tuple[str, Callable[[], Iterable[Event]]]:
        """The session's id and its events; of one that can't be read what the index knows, and none."""
        try:
            recording = (await self._shelf.open(key)).session.recording
        except LingbotMapError as why:
            known = self._index.get(key)
            if isinstance(why, UnknownSession) and known is None:
                raise
            return known.id if known is not None else "", tuple
        if recording.read_only:
            raise StoreError("this session is one of the committed cases, which are never removed")
        return recording.session, recording.events

    async def _remove(self, key: str) -> None:
        try:
            live = await self._shelf.open(key)
        except LingbotMapError as why:
            if isinstance(why, UnknownSession) and self._index.get(key) is None:
                raise
            self._store.delete(key)  # what can't be read can be deleted all the same
            self._store.deleted.note(key, {})
        else:
            if live.session.recording.read_only:
                raise StoreError("this session is one of the committed cases, which are never removed")
            marks = {s: n for s, n in live.session.intake.marks.items() if n and not s.startswith("import:")}
            for source, numbered in live.numbered.items():  # what is to come was not taken yet, and will come again
                self._books.of(source).produced -= numbered - marks.get(source, 0)
            self._store.deleted.note(key, marks)
            live.deleted = True
            self._shelf.drop(live)
            self._store.delete(key)
        self._showing.remove(key)

    async def _scrub(self) -> None:
        self._unscrubbed = False
        if not self._index.file.scrub():
            await self._refill()

    async def _weigh(self, keep: Keep) -> Pruned:
        self._showing.count()
        summaries = self._index.summaries()
        return weigh(
            await asyncio.to_thread(self._measure, summaries),
            keep,
            self._shelf.clock(),
            self._policy.session_silence,
            {key for key, live in self._shelf.lives.items() if live.tail.watchers},
        )

    def _measure(self, summaries: Sequence[Summary]) -> list[tuple[Summary, Footprint]]:
        return [(one, self._store.footprint(one.key)) for one in summaries]

    async def _is_still_due(self, going: Going, keep: Keep) -> bool:
        """Whether nobody has pinned or opened it and its bot has not come back while others were removed."""
        self._showing.count()
        known = self._index.get(going.stored.key)
        live = self._shelf.lives.get(going.stored.key)
        if known is None or (live is not None and live.tail.watchers):
            return False
        now = self._shelf.clock()
        place = await asyncio.to_thread(self._store.footprint, known.key)
        again = _stored(known, place, now, self._policy.session_silence, ())
        return not again.stays and again.last <= going.stored.last
