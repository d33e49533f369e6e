"""Batches of sources, taken in: each session's part for itself, so that one bad session spoils no other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lingbot_map.errors import LingbotMapError, NotWritten, StoreError
from lingbot_map.events import Described, Event
from lingbot_map.pipeline.batches import Accepted, Batch, Refused
from lingbot_map.pipeline.books import Books
from lingbot_map.pipeline.live import Live
from lingbot_map.pipeline.shelf import Shelf
from lingbot_map.store import key_of
from lingbot_map.store.deleted import Deleted
from lingbot_probes.signals import Numbered

KEYS_MOST = 8
"""So many keys of pseudonyms a session names; more would be a bot with a new one for each process."""

EARLY_MOST = 1000
"""Of so many sessions and sources it is kept what was refused before its turn; other bots take it for accepted."""


class Ingesting:
    """Takes batches in. ``commit`` logs and maps what intake placed; ``hits`` are a document's before a time."""

    def __init__(
        self,
        shelf: Shelf,
        commit: Callable[[Live, Sequence[Event]], None],
        books: Books,
        deleted: Deleted,
        hits: Callable[[str, float], int],
    ) -> None:
        self._shelf = shelf
        self._commit = commit
        self._books = books
        self._deleted = deleted
        self._hits = hits
        self._early: dict[tuple[str, str], dict[int, Refused]] = {}

    async def batch(self, batch: Batch) -> Accepted:
        """Take a batch in. What the answer acknowledges is logged, was known before, or is refused for good."""
        account = self._books.of(batch.source)
        account.probe = batch.probe or account.probe
        account.last_at = self._shelf.clock()
        accepted = Accepted()
        waiting: set[Refused] = set()
        for refused in batch.refused:
            if refused.kept:
                batch.items.setdefault(refused.session, []).append(refused.stand_in())
        for session_id in dict.fromkeys([*batch.items, *batch.numbered]):
            items, numbered = batch.items.get(session_id, []), batch.numbered.get(session_id, 0)
            if not items and not numbered:
                continue
            mine = [refused for refused in batch.refused if refused.kept and refused.session == session_id]
            try:
                acked = await self._part(session_id, batch, items, numbered)
            except (NotWritten, OSError):
                waiting.update(mine)  # it may go well later: not acknowledged, so the source keeps it
            except LingbotMapError as why:  # one bad session never hides the others, and never holds up its source
                told = {refused.n for refused in mine}
                accepted.refused += [Refused(session_id, i.n, str(why), kept=False) for i in items if i.n not in told]
            else:
                if acked:
                    accepted.acked[session_id] = acked
                safe = self._safe(session_id, batch.source, mine, acked)
                waiting.update(refused for refused in mine if refused not in safe)
                accepted.refused += [refused for refused in safe if refused not in mine]
        accepted.refused[:0] = [refused for refused in batch.refused if refused not in waiting]
        return accepted

    def _safe(
        self, session_id: str, source: str, mine: Sequence[Refused], acked: Sequence[tuple[int, int]]
    ) -> list[Refused]:
        """Of these and of those that came early, the refused whose stand-ins are in the log.

        One that waits for what is before it is in none yet: a source that was told would forget it, and a map that is
        killed then as well.
        """
        early = self._early.pop((session_id, source), {})
        early.update((refused.n, refused) for refused in mine)
        safe = [refused for n, refused in early.items() if _within(n, acked)]
        for refused in safe:
            del early[refused.n]
        if early:
            self._early[session_id, source] = early
            if len(self._early) > EARLY_MOST:
                del self._early[next(iter(self._early))]
        return safe

    async def _part(
        self, session_id: str, batch: Batch, items: Sequence[Numbered], numbered: int
    ) -> list[tuple[int, int]]:
        """What can be acknowledged of one session's part of the batch."""
        live = await self._shelf.find(session_id)
        if live is None:
            live = self._begin(session_id, max([numbered, *(item.n for item in items)]), batch.source)
        if live is None:
            account = self._books.of(batch.source)
            account.received += len(items)
            account.repeated += len(items)
            return [(1, self._deleted.marks(key_of(session_id))[batch.source])]
        recording = live.session.recording
        if recording.read_only:
            raise StoreError("this session is one of the committed cases, which are never changed")
        if not recording.room:
            return []
        acked = self._take(live, batch, items, numbered)
        return acked if not recording.pending else []

    def _begin(self, session_id: str, highest: int, source: str) -> Live | None:
        """A new session; ``None`` if all that ``source`` says, up to ``highest``, belongs to one that was deleted."""
        key = key_of(session_id)
        marks = self._deleted.marks(key)
        if highest <= marks.get(source, 0):
            return None
        live = self._shelf.create(session_id, {"origin": "probe", "skipped": marks} if marks else {"origin": "probe"})
        self._deleted.drop(key)
        return live

    def _take(self, live: Live, batch: Batch, items: Sequence[Numbered], numbered: int) -> list[tuple[int, int]]:
        now = self._shelf.clock()
        source = batch.source
        account = self._books.of(source)
        before = live.numbered.get(source)
        if before is None:
            before = live.session.intake.marks.get(source, 0)
        highest = max([before, numbered, *(item.n for item in items)])
        live.numbered[source] = highest
        account.produced += highest - before
        account.received += len(items)
        taken = live.session.intake.take(source, items, now, numbered=numbered, hits=lambda doc: self._hits(doc, now))
        account.repeated += taken.repeated
        live.copied = live.copied and not taken.events
        self._commit(live, taken.events)
        if batch.masked_with and any(event.masked for event in taken.events):
            self._note_key(live, batch.masked_with)
        return taken.acked

    def _note_key(self, live: Live, name: str) -> None:
        """Say in the session which key its pseudonyms were made with, once for each."""
        known = live.session.map.about.get("mask_keys")
        keys = known if type(known) is list else []
        if name not in keys and len(keys) < KEYS_MOST:
            described = Described(facts={"mask_keys": [*keys, name]})
            self._commit(live, [live.session.intake.own(described, live.session.map.at)])


def _within(n: int, runs: Sequence[tuple[int, int]]) -> bool:
    return any(first <= n <= last for first, last in runs)
