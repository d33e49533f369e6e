"""The sessions in memory: as many as the bounds allow, those asked for least recently go back to the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lingbot_map.errors import BadInput, LingbotMapError, UnknownSession
from lingbot_map.events import Event
from lingbot_map.pipeline.live import Live
from lingbot_map.policy import Policy
from lingbot_map.session import Session
from lingbot_map.store import Store, key_of
from lingbot_map.store.disk import PASSING

MAX_LIVE = 1000
MAX_WEIGHT = 1_000_000
"""Nodes, edges and moments of all sessions in memory: some 700 MB."""

MAX_TAILS = 64 * 1024 * 1024
"""Bytes of encoded deltas kept for viewers of all sessions together."""


class Shelf:
    """Opens, creates and puts away. ``asleep`` are sessions on the disk without an end, and when each is due."""

    def __init__(
        self,
        store: Store,
        policy: Policy,
        clock: Callable[[], float],
        counted: Callable[[str], int],
        arrived: Callable[[Live], None],
        damaged: Callable[[str, Exception], None],
    ) -> None:
        """``counted``: up to which seq the index knows a session. ``arrived`` hears of each that comes into memory,
        ``damaged`` of each that can't be read."""
        self.lives: dict[str, Live] = {}  # least recently asked for first
        self.asleep: dict[str, float] = {}
        self.most = MAX_LIVE
        self.heaviest = MAX_WEIGHT
        self._store = store
        self._policy = policy
        self.clock = clock
        self._counted = counted
        self._arrived = arrived
        self._damaged = damaged
        self._loading: dict[str, asyncio.Task[Live]] = {}
        self._closing: dict[str, asyncio.Task[None]] = {}

    async def open(self, key: str) -> Live:
        """The session ``key``, read from the disk if need be. Raises ``UnknownSession`` or ``NewerFormat``."""
        live = self.lives.pop(key, None)
        if live is not None:
            self.lives[key] = live
            return live
        task = self._loading.get(key)
        if task is None:
            task = self._loading[key] = asyncio.create_task(self._load(key))
            task.add_done_callback(lambda _: self._loading.pop(key, None))
        return await self.still(await asyncio.shield(task))

    async def still(self, live: Live) -> Live:
        """The same session, read anew if it was put away while somebody waited for something else."""
        return await self.open(live.session.key) if live.gone else live

    async def find(self, session_id: str) -> Live | None:
        """The session of that id, if there is one."""
        try:
            return await self.open(key_of(session_id))
        except UnknownSession:
            return None

    def create(self, session_id: str, facts: Mapping[str, Any], at: float | None = None) -> Live:
        """A new session with its own first events, for when ``find`` found none; the same if one has come meanwhile.

        ``at`` is when a recording begins; without it the session begins now.
        """
        present = self.lives.get(key_of(session_id))
        if present is not None:
            return present
        session = Session.create(
            self._store, session_id, policy=self._policy, facts=facts, now=self.clock() if at is None else at
        )
        return self._begun(session)

    def copy(self, session_id: str, events: Sequence[Event]) -> Live:
        """A new session that begins with the events of another log, for when ``find`` found none.

        Raises ``BadInput`` if one has come meanwhile.
        """
        if key_of(session_id) in self.lives:
            raise BadInput(session_id, "no such session yet", "one that a bot began while the file was read")
        return self._begun(Session.copy(self._store, session_id, events), copied=True)

    def _begun(self, session: Session, *, copied: bool = False) -> Live:
        began = session.events(1, session.map.cursor.seq)
        live = self._keep(session, began, copied=copied)
        live.show_from_start(began)
        return live

    def drop(self, live: Live) -> None:
        """Forget a session in memory; its viewers are told."""
        live.stop_timers()
        live.gone = True
        if self.lives.get(live.session.key) is live:
            del self.lives[live.session.key]
        live.tail.show()

    def trim_tails(self) -> None:
        """Forget what viewers might have asked for, where nobody watches and all tails together are over the bound."""
        size = sum(live.tail.size for live in self.lives.values())
        for live in self.lives.values():
            if size <= MAX_TAILS:
                return
            if not live.tail.watchers:
                size -= live.tail.size
                live.tail.drop()

    async def put_away_some(self) -> None:
        """Close what is over the bounds, but for sessions that somebody watches or the index has not counted yet."""
        count, weight = len(self.lives), sum(live.weight for live in self.lives.values())
        for live in list(self.lives.values()):
            if count <= self.most and weight <= self.heaviest:
                return
            if not live.tail.watchers and not live.uncounted:
                count, weight = count - 1, weight - live.weight
                await self.put_away(live)

    async def put_away(self, live: Live) -> None:
        """Back to the disk with it; whoever asks for it meanwhile waits for that and reads it anew."""
        key, due = live.session.key, live.due()
        if due is not None:
            self.asleep[key] = due
        self.drop(live)
        task = self._closing[key] = asyncio.create_task(asyncio.to_thread(live.session.close, self.clock()))
        try:
            await task
        finally:
            self._store.release(key)
            del self._closing[key]

    async def _load(self, key: str) -> Live:
        closing = self._closing.get(key)
        if closing is not None:
            await asyncio.wait([closing])
            await asyncio.sleep(0)  # let it be forgotten
        begun = self.lives.get(key)
        if begun is not None:  # since whoever waits here asked: a second one would write the same log
            return begun
        try:
            return await self._read(key)
        except UnknownSession:
            raise
        except (LingbotMapError, OSError) as why:
            if not (isinstance(why, OSError) and why.errno in PASSING):
                self._damaged(key, why)
            raise

    async def _read(self, key: str) -> Live:
        recording = self._store.open(key)
        counted = self._counted(key)

        def read() -> tuple[Session, list[Event]]:
            replayed: list[Event] = []
            session = Session.recover(
                recording, self.clock(), lambda event: replayed.append(event) if event.seq > counted else None
            )
            first = replayed[0].seq if replayed else session.map.cursor.seq + 1
            before = session.events(counted + 1, first - 1) if counted + 1 < first else []
            return session, before + replayed

        return self._keep(*await asyncio.to_thread(read))

    def _keep(self, session: Session, uncounted: Sequence[Event], *, copied: bool = False) -> Live:
        live = self.lives[session.key] = Live(session, uncounted)
        live.copied = copied
        self.asleep.pop(session.key, None)
        self._arrived(live)
        return live

    async def stop(self) -> None:
        """Let what is being read or closed come to its end; after this nothing happens to a session by itself."""
        under_way = [*self._loading.values(), *self._closing.values()]
        if under_way:
            await asyncio.wait(under_way)
        for live in self.lives.values():
            live.stop_timers()
