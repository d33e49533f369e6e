"""Spans of bots that others instrumented, taken in live: held until they make a turn, then told as a probe tells it.

The map numbers them itself, for each session and source (a process of the bot) on from where the recording stands, so
order, repeats, gaps and books are those of any other source.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from lingbot_map.errors import LingbotMapError, NotWritten, UnknownSession
from lingbot_map.events import Described, Event
from lingbot_map.pipeline.batches import Accepted, Batch
from lingbot_map.pipeline.live import Live
from lingbot_map.pipeline.shelf import Shelf
from lingbot_map.pipeline.span_signals import coverage_of, from_journal, journaled, kept, lacks
from lingbot_map.store import Store, key_of
from lingbot_probes.adapters.spans import Conversation
from lingbot_probes.adapters.spans_read import Span
from lingbot_probes.adapters.spans_wait import Group, Traces
from lingbot_probes.long_ids import shortened
from lingbot_probes.mask import Mask

SILENCE = 30.0
"""A trace whose root has not ended is told as it stands when no span of it has come for so many seconds: several times
the 5 s that the SDKs' batch processors hold a span."""
ENTERED = 7.0
"""The same where a span with a parent in another process has ended, which may well send its spans nowhere."""
CONVERSATIONS = 1_000
"""So many sessions and sources are remembered with what was found in them; others go on from their recordings."""
_PIECE = 200  # spans between two moments in which others have their turn
_SOURCE = "otlp:"

_log = logging.getLogger("lingbot_map")


class Arrived(NamedTuple):
    """A span and the process that sent it: ``source`` is its id, ``probe`` its name."""

    source: str
    probe: str
    span: Span


@dataclass(slots=True)
class Traced:
    """What became of spans: ``repeated`` had come before; ``rejected`` are refused for good, ``why`` says it of one."""

    repeated: int = 0
    rejected: int = 0
    why: str = ""


class Tracing:
    """Takes spans in. ``ingest`` takes a batch as of any source; ``commit`` logs and maps events."""

    def __init__(
        self,
        shelf: Shelf,
        store: Store,
        ingest: Callable[[Batch], Awaitable[Accepted]],
        commit: Callable[[Live, Sequence[Event]], None],
    ) -> None:
        self.silence = SILENCE
        self.entered = ENTERED
        self.masking = True
        self.traces = Traces()
        self.repeated = 0
        self._shelf = shelf
        self._store = store
        self._ingest = ingest
        self._commit = commit
        self._conversations: OrderedDict[tuple[str, str], tuple[Conversation, Any]] = OrderedDict()
        self._probes: OrderedDict[str, str] = OrderedDict()
        self._pending: deque[Group] = deque()  # complete, and not told yet
        self._owed: list[Batch] = []  # told, and not taken by the disk
        self._turn = asyncio.Lock()
        self._made: Mask | None = None

    async def take(self, arrived: Sequence[Arrived]) -> Traced:
        """Take spans in. When this returns they are logged, or in the ledger of those that wait; or rejected for good.

        Raises ``NotWritten`` or ``OSError`` while the disk refuses: then they have to be sent again.
        """
        async with self._turn:
            await self._settle()
            traced = Traced()
            fresh: list[Arrived] = []
            for one in arrived:
                if self.traces.take(one.span, one.source, self._shelf.clock()):
                    fresh.append(one)
                else:
                    traced.repeated += 1
            self.repeated += traced.repeated
            for one in fresh:
                self._name(one.source, one.probe)
            self._pending.extend(self.traces.complete([one.span.trace for one in fresh]))
            await self._hold([one for one in fresh if self.traces.waits(one.span.trace)])
            await self._tell(traced)
            await self._tidy()
            return traced

    async def pass_time(self) -> None:
        """Tell what has waited for too long, and what the disk did not take before."""
        async with self._turn:
            try:
                await self._settle()
                self._pending.extend(self.traces.overdue(self._shelf.clock(), self.silence, self.entered))
                await self._tell(Traced())
                await self._tidy()
            except (NotWritten, OSError):
                return  # the store says so itself; the next second tries again

    async def recall(self) -> None:
        """After a start: what was told is known again, and what waited goes on waiting."""
        async with self._turn:
            waiting: list[Arrived] = []
            for what, said in self._store.spans.read():
                try:
                    if what == "wait":
                        waiting.append(Arrived(said["source"], said["probe"], from_journal(said)))
                    else:
                        ids = set(said["spans"])
                        self.traces.remember(said["trace"], said["source"], said["key"], said["turn"], ids)
                except (KeyError, TypeError, ValueError) as why:
                    _log.error("a line of the ledger of spans could not be read: %s", type(why).__name__)
            for one in waiting:
                self._name(one.source, one.probe)
                self.traces.take(one.span, one.source, self._shelf.clock())
            self._pending.extend(self.traces.complete([one.span.trace for one in waiting]))
            with suppress(NotWritten, OSError):  # tried again as time passes
                await self._tell(Traced())

    def stats(self) -> dict[str, int]:
        """How many spans wait for their roots, how many had come before, how many belong to no dialogue."""
        return {"waiting": self.traces.count, "repeated": self.repeated, "aside": self.traces.aside}

    # --- telling ------------------------------------------------------------------------------------------------

    async def _tell(self, traced: Traced) -> None:
        """Tell what is pending. Raises ``NotWritten`` or ``OSError`` while the disk refuses, and forgets nothing."""
        told = 0
        while self._pending:
            group = self._pending[0]
            try:
                why = await self._group(group)
            except NotWritten:
                raise
            except LingbotMapError as refusal:  # one bad session never hides the others
                why = str(refusal)
            self._pending.popleft()
            if why:
                traced.rejected, traced.why = traced.rejected + len(group.spans), why
            told += len(group.spans)
            if told >= _PIECE:
                told = 0
                await asyncio.sleep(0)
        if self._owed:
            raise NotWritten("what spans told", "the disk refuses")

    async def _group(self, group: Group) -> str:
        """Tell a group; why it is refused for good, "" if it is not."""
        mask, source = self._mask, group.source
        if group.late:
            try:
                session = (await self._shelf.open(group.session)).session.id  # it is remembered by its key
            except UnknownSession:
                return ""  # deleted, and what is said of its turns with it
        else:
            session = shortened(group.session or f"trace {group.trace}")
            session = shortened(mask.id(session)) if mask is not None else session
        live = await self._shelf.find(session)
        conversation, before = self._conversation(session, source, live)
        turn = mask.id(group.trace) if mask is not None else group.trace
        if group.late:
            conversation.recall(group.trace, group.turn)
        elif live is not None and turn in live.session.map.turn_numbers:  # told by a map that was killed before it
            conversation.recall(group.trace, group.trace)  # could note it
            if any(not span.parent for span in group.spans):
                self._note(group, live.session.key, group.trace)
                return ""
        items = [kept(item, mask) for item in conversation.tell(group.spans)]
        if not items:
            return ""
        batch = Batch(source, self._probes.get(source, ""), {session: items}, {session: items[-1].n}, [])
        if mask is not None:
            batch.masked_with = mask.key_name
        accepted = await self._ingest(batch)
        if not accepted.acked and not accepted.refused:
            self._owed.append(batch)
        self._note(group, key_of(session), group.turn or conversation.scribe.turn)
        if not accepted.refused and (live := await self._shelf.find(session)) is not None:
            self._describe(live, conversation, before)
        return accepted.refused[0].why if accepted.refused else ""

    def _note(self, group: Group, key: str, turn: str) -> None:
        self.traces.told(group, key, turn)
        self._store.spans.told(group.trace, group.source, key, turn, [span.id for span in group.spans])

    async def _settle(self) -> None:
        """What the disk did not take comes first. Raises ``NotWritten`` while it does not."""
        while self._owed:
            accepted = await self._ingest(self._owed[0])
            if not accepted.acked and not accepted.refused:
                raise NotWritten("what spans told", "the disk refuses")
            del self._owed[0]
        await self._tell(Traced())

    def _conversation(self, session: str, source: str, live: Live | None) -> tuple[Conversation, Any]:
        """The conversation that goes on, and what was said of the session before it was begun here."""
        known = self._conversations.pop((session, source), None)
        if known is None:
            marks = live.session.intake.marks if live is not None else self._store.deleted.marks(key_of(session))
            about = live.session.map.about if live is not None else {}
            service = {"service": self._probes[source]} if source in self._probes else None
            before = {"coverage": about.get("coverage"), "lost": about.get("lost")}
            known = Conversation(session, service, n=marks.get(source, 0), live=True), before
        self._conversations[session, source] = known
        if len(self._conversations) > CONVERSATIONS:
            self._conversations.popitem(last=False)
        return known

    def _describe(self, live: Live, conversation: Conversation, before: dict[str, Any]) -> None:
        """Say what each layer is worth, where that has changed; of a session in which probes speak too, nothing."""
        about = live.session.map.about
        facts: dict[str, Any] = {"coverage": {}, "lost": []}
        if all(source.startswith(_SOURCE) for source in live.session.map.sources):
            found = conversation.scribe.found
            facts = {
                "coverage": coverage_of(found, before["coverage"]),
                "lost": lacks(found, live.session.id, before["lost"]),
            }
        if not self.masking:
            facts["unmasked"] = True
        if any((about.get(name) or type(value)()) != value for name, value in facts.items()):
            self._commit(live, [live.session.intake.own(Described(facts=facts), live.session.map.at)])

    # --- what is needed for it ----------------------------------------------------------------------------------

    async def _hold(self, arrived: Sequence[Arrived]) -> None:
        """Put what waits into the ledger, so that it survives the map."""
        if self._store.spans.kept:
            for first in range(0, max(len(arrived), 1), _PIECE):
                self._store.spans.wait(self._written(arrived[first : first + _PIECE]))
                await asyncio.sleep(0)

    async def _tidy(self) -> None:
        """Take out of the ledger what was told, where nothing waits any more or much has gathered."""
        if not self.traces.count:
            self._store.spans.nothing_waits()
        elif self._store.spans.grown:
            await asyncio.to_thread(self._store.spans.tidy, self.traces.waits)

    def _written(self, arrived: Iterable[Arrived]) -> Iterable[dict[str, Any]]:
        for one in arrived:
            said = journaled(one.span, self._mask)
            if said is not None:
                yield {"source": one.source, "probe": one.probe, **said}

    def _name(self, source: str, probe: str) -> None:
        self._probes[source] = probe
        self._probes.move_to_end(source)
        if len(self._probes) > CONVERSATIONS:
            self._probes.popitem(last=False)

    @property
    def _mask(self) -> Mask | None:
        if self._made is None and self.masking:
            self._made = Mask(())
            self._made.take_key(self._store.mask_key())
        return self._made if self.masking else None
