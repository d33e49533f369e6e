"""The pipeline itself: what happens to a batch, and what happens when nobody says anything."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from lingbot_map.errors import LingbotMapError, StoreError, UnknownSession
from lingbot_map.events import Described, Event
from lingbot_map.pipeline.batches import Accepted, Batch
from lingbot_map.pipeline.books import Books
from lingbot_map.pipeline.glimpses import Glimpses
from lingbot_map.pipeline.ingesting import Ingesting
from lingbot_map.pipeline.keeping import Keeping
from lingbot_map.pipeline.live import Live
from lingbot_map.pipeline.shelf import Shelf
from lingbot_map.pipeline.showing import Showing
from lingbot_map.pipeline.taking import Taking
from lingbot_map.pipeline.tracing import Tracing
from lingbot_map.policy import Policy
from lingbot_map.session import Session, collector_off
from lingbot_map.store import Store
from lingbot_map.store.appender import Fsync
from lingbot_map.store.files import FileStore
from lingbot_map.store.index import Apart, Index, Page
from lingbot_map.store.retention import FOR_EVER, Keep
from lingbot_probes.signals import SessionEnded

SYNC_BEAT = 0.05
"""Pause between two flushes: with one flush before it and one after, an event waits less than the 100 ms promised."""
SWEEP_BEAT = 1.0
TIDY_BEAT = 3600.0
SETTLE_BEATS = 30
"""Sweeps between two attempts to write the index to a disk that was full: the logs come first."""
_LONGEST_WAIT = 60.0  # timers look at the wall clock at least this often: clocks are set, and machines sleep

Status = Literal["ok", "recovering", "degraded"]
T = TypeVar("T")

_log = logging.getLogger("lingbot_map")


class Pipeline:
    """Owns the sessions of one store. All methods are for the event loop that ``start`` ran on."""

    def __init__(
        self,
        store: Store,
        index: Index,
        *,
        policy: Policy | None = None,
        keep: Keep = FOR_EVER,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``keep`` bounds how much of the past is kept; without a bound everything is."""
        self.store = store
        self.index = index
        self.policy = policy or Policy()
        self.clock = clock
        self.server = secrets.token_hex(8)
        self.showing = Showing(index, clock)
        self.board = self.showing.board
        self.books = Books()
        self.shelf = Shelf(store, self.policy, clock, index.seq, self._arrived, self.showing.damaged)
        self.ingesting = Ingesting(self.shelf, self._commit, self.books, store.deleted, index.hits)
        self.glimpses = Glimpses(self.policy, clock, self.showing.show_soon, store.keys)
        self.taking = Taking(self.shelf, self._commit, self.books, store, self.glimpses)
        self.tracing = Tracing(self.shelf, store, self.ingest, self._commit)
        self.keeping = Keeping(self.shelf, store, index, self.showing, self.books, self.policy, self._fill_index)
        self.keep = keep
        self.viewers: Callable[[], int] = lambda: 0
        self.on_recovered: Callable[[], object] = lambda: None
        self.unwritten: dict[str, tuple[int, str]] = {}
        """Once it has stopped: of which sessions the disk did not take how many events, and why."""
        self.started = False
        self._stopped = False
        self._recovering = False
        self._started_at = 0.0
        self._unsynced = asyncio.Event()
        self._looking_back = asyncio.Semaphore(2)
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    def of_folder(
        cls, folder: Path, *, fsync: Fsync = "batch", policy: Policy | None = None, keep: Keep = FOR_EVER
    ) -> Pipeline:
        """A pipeline over a data folder. Raises ``DataFolderBusy`` if another process writes it."""
        store = FileStore(folder, fsync=fsync)
        return cls(store, Index(folder / "index.sqlite3"), policy=policy, keep=keep)

    @property
    def status(self) -> Status:
        """How the map is: reading its recordings, well, or unable to write."""
        if self._recovering:
            return "recovering"
        return "degraded" if self.store.trouble is not None else "ok"

    # --- life ---------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Begin; sessions that were open are recovered in the background. A second call does nothing."""
        if self.started:
            return
        self.started = True
        self._recovering = True
        self._started_at = self.clock()
        jobs: tuple[Coroutine[Any, Any, None], ...]
        jobs = self._recover(), self._sync(), self._sweep(), self._tidy_up()
        self._tasks = [asyncio.create_task(job) for job in jobs]

    async def settled(self) -> None:
        """Until the sessions that were open are recovered and the index knows all."""
        await asyncio.shield(self._tasks[0])

    async def stop(self) -> None:
        """Write what is owed and give the data folder free. A second call does nothing."""
        if self._stopped:
            return
        self._stopped = True
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError):
                await task
        await self.shelf.stop()
        self.showing.stop()
        await asyncio.to_thread(self._close)
        self.index.close()

    def _close(self) -> None:
        now = self.clock()
        for live in self.shelf.lives.values():
            try:
                live.session.close(now)
            except (LingbotMapError, OSError) as why:
                _log.error("session %s was not closed well: %s", live.session.key, why)
        self.store.close()
        for recording in (live.session.recording for live in self.shelf.lives.values()):
            if recording.pending:
                trouble = recording.trouble
                self.unwritten[recording.key] = recording.pending, trouble.reason if trouble is not None else ""

    async def _recover(self) -> None:
        with collector_off():
            try:
                for key in self.store.open_keys():
                    try:
                        await self.shelf.open(key)
                    except (LingbotMapError, OSError) as why:  # one bad session never hides the others
                        _log.error("session %s could not be recovered: %s", key, why)
                await self.tracing.recall()
            finally:
                self._recovering = False
            self.on_recovered()
        try:
            await asyncio.to_thread(self.store.empty_bin)
        except (LingbotMapError, OSError) as why:
            _log.error("%s", why)
        await self._fill_index()

    async def _fill_index(self) -> None:
        """Read into the index what it doesn't know: everything if it is new, else what came while we were away."""
        for key in self.index.reconcile(self.store.keys()):
            try:
                live = await self.shelf.open(key)
                if not self.index.seq(key):  # in memory already when the index was begun anew
                    self._count_anew(live)
                    self.showing.touch(live)
                self.showing.count()
                if not live.tail.watchers and not live.uncounted:
                    await self.shelf.put_away(live)
            except (LingbotMapError, OSError) as why:
                if isinstance(why, UnknownSession):
                    there = self.store.keys()
                    if key not in there:  # deleted while others were read
                        continue
                    self.showing.damaged(key, why)
                _log.error("session %s could not be read: %s", key, why)
        for key, updated_at in self.index.unended():
            if key not in self.shelf.lives:
                self.shelf.asleep[key] = updated_at + self.policy.session_silence

    # --- batches ------------------------------------------------------------------------------------------------

    async def ingest(self, batch: Batch) -> Accepted:
        """Take a batch in. What the answer acknowledges is logged, was known before, or is refused for good."""
        return await self.ingesting.batch(batch)

    def _commit(self, live: Live, events: Sequence[Event]) -> None:
        """Log, map and show events that intake placed, in one go."""
        if events:
            live.apply(events)
            self.books.placed(events)
            self._unsynced.set()
            self.showing.touch(live)
        self._plan(live)

    def describe(self, live: Live, facts: Mapping[str, Any]) -> None:
        """A name, a pin: what people say about the session becomes an event of it, at the time of the last one.

        Its time is the bot's: a session that is named years later has not lasted for years.
        """
        if live.session.recording.read_only:
            raise StoreError("this session is one of the committed cases, which are never changed")
        self._commit(live, [live.session.intake.own(Described(facts=dict(facts)), live.session.map.at)])

    def _arrived(self, live: Live) -> None:
        if self.index.seq(live.session.key) > live.session.map.cursor.seq:  # a power cut took what was not flushed
            self._count_anew(live)
        if live.uncounted:
            self._unsynced.set()
            self.showing.touch(live)
        self._plan(live)

    def _count_anew(self, live: Live) -> None:
        self.index.remove(live.session.key)
        live.uncounted = live.session.events(1, live.session.map.cursor.seq)

    # --- what happens by itself ---------------------------------------------------------------------------------

    def _plan(self, live: Live) -> None:
        """Wake up when the session is next due."""
        when = live.due()
        if when is None:
            if live.waking is not None:
                live.waking.cancel()
                live.waking = None
            return
        loop = asyncio.get_running_loop()
        at = loop.time() + min(max(when - self.clock(), 0.0), _LONGEST_WAIT)
        if live.waking is not None:
            if live.waking.when() <= at:
                return  # it looks again when it fires
            live.waking.cancel()
        live.waking = loop.call_at(at, self._wake, live)

    def _wake(self, live: Live) -> None:
        live.waking = None
        if not live.gone:
            self.pass_time(live)

    def pass_time(self, live: Live) -> None:
        """Do what time alone decides in ``live``: release what was held, expire nodes, end what fell silent."""
        now = self.clock()
        due = live.due()
        if due is None:
            return
        if live.silent_at() <= now:
            self._commit(live, [live.session.intake.own(SessionEnded(reason="silence"), live.silent_at())])
            return
        self._commit(live, live.session.intake.release(now, lambda doc: self.index.hits(doc, now)))

    async def _sync(self) -> None:
        """Flush what was accepted, at most every 100 ms; while the disk refuses, try again."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._unsynced.wait(), 1.0 if self.store.trouble is not None else None)
            self._unsynced.clear()
            try:
                await asyncio.to_thread(self.store.sync)
            except (LingbotMapError, OSError) as why:
                _log.error("could not flush: %s", why)
            await asyncio.sleep(SYNC_BEAT)

    async def _sweep(self) -> None:
        """Once a second: snapshots, the index, sessions that are due on the disk, those that are too many in memory."""
        for beat in count(1):
            await asyncio.sleep(SWEEP_BEAT)
            try:
                await self._keep_snapshots()
                await self._tidy_index(beat)
                await self._wake_sleepers()
                await self.shelf.put_away_some()
                self.shelf.trim_tails()
                await self.tracing.pass_time()
            except (LingbotMapError, OSError) as why:
                _log.error("housekeeping failed: %s", why)

    async def _tidy_index(self, beat: int) -> None:
        """Put back what a full disk or damage took from the index while the map went on."""
        file = self.index.file
        if file.adrift and beat % SETTLE_BEATS == 0 and self.store.trouble is None:
            file.settle()
        if file.wants_filling:
            file.wants_filling = False
            await self._fill_index()

    async def _tidy_up(self) -> None:
        """At the start and once an hour: remove what no question reaches any more, and what is past the bounds."""
        while True:
            await self.settled()
            try:
                self.index.forget_old_hits(self.clock())
                if self.keep:
                    await self.keeping.prune(self.keep)
            except (LingbotMapError, OSError) as why:
                _log.error("old sessions could not be removed: %s", why)
            await asyncio.sleep(TIDY_BEAT)

    async def _keep_snapshots(self) -> None:
        for live in list(self.shelf.lives.values()):
            if not live.gone and live.session.snapshot_due(self.clock()):
                packed = live.session.pack(self.clock())
                await asyncio.to_thread(live.session.recording.keep, *packed)

    async def _wake_sleepers(self) -> None:
        now = self.clock()
        for key in [key for key, due in self.shelf.asleep.items() if due <= now][:10]:
            del self.shelf.asleep[key]
            with suppress(LingbotMapError):
                self.pass_time(await self.shelf.open(key))

    # --- questions ----------------------------------------------------------------------------------------------

    async def open(self, key: str) -> Live:
        """The session ``key``, in memory; while it is read from a long file, the end of that. Raises
        ``UnknownSession``."""
        return self.glimpses.lives.get(key) or await self.shelf.open(key)

    async def past(self, live: Live, question: Callable[[Session], T]) -> T:
        """The answer to a question on the session's past, from a thread, two at a time. Raises ``UnknownSession``."""
        async with self._looking_back:
            try:
                return await asyncio.to_thread(question, live.session)
            except (LingbotMapError, OSError):
                if live.deleted:
                    raise UnknownSession(live.session.key) from None
                raise

    def summary(self, key: str) -> dict[str, Any] | None:
        """What the list says about the session ``key``; ``None`` if there is none."""
        live = self.shelf.lives.get(key)
        if live is not None:
            return live.summary()
        found = self.index.get(key)
        return msgspec.to_builtins(found) if found is not None else None

    def search(self, q: str = "", *, before: str = "", limit: int = 50, apart: Apart = "") -> Page:
        """A page of the list of sessions, as of now; with ``apart`` only those that lists show apart."""
        self.showing.count()
        return self.index.search(q, before=before, limit=limit, apart=apart)

    async def delete(self, key: str) -> None:
        """Remove a session for good. Raises ``UnknownSession``, and ``StoreError`` for a committed case."""
        await self.keeping.delete(key)

    def was_deleted(self, key: str) -> bool:
        """Whether there was a session ``key`` that somebody deleted, as far as that is remembered."""
        return key in self.store.deleted

    async def import_file(
        self,
        path: Path,
        name: str = "",
        progress: Callable[[int, int], None] | None = None,
        *,
        mask: bool = False,
        mapping: Sequence[str] = (),
        glimpsed: Callable[[str], object] = lambda key: None,
    ) -> dict[str, Any]:
        """Take the sessions of a recording in, as they are unless ``mask`` says otherwise.

        ``mapping`` says what the columns of a table hold (``["session=conv_id,user=question,bot=answer"]``). Of a long
        file of lines the end is shown at once, under the key that ``glimpsed`` hears, until the whole is taken in.

        Raises ``BadInput`` and its kin; then nothing was taken. What was taken is safe from a power cut.
        """
        return await self.taking.file(path, name, progress, mask=mask, mapping=mapping, glimpsed=glimpsed)

    def stats(self) -> dict[str, Any]:
        """How things stand, for people and for tests: the books of each source, sessions, viewers, the disk."""
        lives = list(self.shelf.lives.values())
        trouble = self.store.trouble
        damage = [f"session {summary.id or summary.key}: {summary.damaged}" for summary in self.index.damaged()]
        damage += [str(damage) for live in lives for damage in live.session.recording.damage]
        return {
            "server": self.server,
            "status": self.status,
            "started_at": self._started_at,
            "viewers": self.viewers(),
            "sessions": {"stored": len(self.store.keys()), "in_memory": len(lives)},
            "findings": self.index.findings(),
            "sources": self.books.report(),
            "spans": self.tracing.stats(),
            "disk": {
                "trouble": str(trouble) if trouble is not None else "",
                "waiting": sum(live.session.recording.pending for live in lives),
                "damage": damage[:100],
            },
            "keep": {"age": self.keep.age, "size": self.keep.size, **self.keeping.removed},
        }
