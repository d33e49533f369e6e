"""Records one by one, as they are written: what a file of lines, a table or a queue tells while it grows.

What is told has the same session, source and number as in an import of the whole: a second run, or an import
afterwards, tells nothing twice.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from lingbot_map.errors import BadInput, UnknownFormat
from lingbot_map.importers import rasa, recording, sniff, spans, table
from lingbot_map.importers.growing_spans import REMEMBERED, GrowingSpans, Taken, Told
from lingbot_map.importers.imported import Adapter, source_of
from lingbot_map.importers.limits import LIMITS
from lingbot_map.importers.records import BadRecord, parse
from lingbot_map.intake import stamp_of
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.adapters.table import Columns, Table, cell
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import Numbered


class Telling(Protocol):
    """Records of one format in, in the order in which they were written."""

    repeated: int
    """Records that had been here before."""

    def take(self, raw: bytes) -> Taken:
        """What one record comes to; one that can't be read leaves a hole in its conversation."""

    def overdue(self, now: float) -> list[Told]:
        """What has waited in vain for more, by the caller's clock."""

    def standing(self) -> dict[str, Any]:
        """How far each conversation is numbered, as JSON; ``resume`` takes it."""

    def resume(self, standing: dict[str, Any]) -> None:
        """Go on from where another one stood."""


@dataclass(slots=True)
class _Standing:
    """One conversation: the numbers that it goes on with, and its adapter while that is in memory."""

    adapter: Adapter | None = None
    sources: dict[str, str] = field(default_factory=dict)
    numbers: list[Any] = field(default_factory=list)
    unsure: list[Numbered] = field(default_factory=list)
    """Said of a conversation in which nothing could be read yet: if nothing ever can be, it is none."""


class Conversations:
    """Records that belong to conversations by a name in them; each has an adapter of its own.

    ``most`` of them are kept in memory. One that was put away goes on with its numbers and knows nothing else of what
    was before: which form was active, what stood in the slots.
    """

    def __init__(
        self,
        format: str,
        key: Callable[[Any], str],
        make: Callable[[str], Adapter],
        whole: Callable[[Any], Taken | None] = lambda record: None,
        identity: Callable[[Any, bytes], object] = lambda record, raw: None,
        most: int = 10_000,
    ) -> None:
        self.repeated = 0
        self._format, self._key, self._make, self._whole, self._identity = format, key, make, whole, identity
        self._most = most
        self._all: dict[str, _Standing] = {}
        self._awake: OrderedDict[str, _Standing] = OrderedDict()
        self._seen: OrderedDict[int, None] = OrderedDict()

    def take(self, raw: bytes) -> Taken:
        """What one record comes to; one that can't be read leaves a hole in its conversation."""
        try:
            record = parse(raw)
            if type(record) is not dict:
                raise BadRecord("expected an object")
            if (taken := self._whole(record)) is not None:
                return taken
            key = self._key(record)
        except (BadRecord, SignalError) as why:
            return Taken([], str(why))
        mark = self._identity(record, raw)
        if mark is not None and self._known(mark):
            self.repeated += 1
            return Taken([])
        standing = self._awaken(key, raw)
        adapter = standing.adapter
        assert adapter is not None
        problem = ""
        try:
            said = adapter.take(record)
        except (BadRecord, SignalError) as why:
            said, problem = adapter.skip(), str(why)
        if problem and not standing.sources:
            standing.unsure += said
            return Taken([], problem)
        if standing.unsure:
            said, standing.unsure = standing.unsure + said, []
        return Taken(self._told(standing, adapter.scribe, said, raw), problem)

    def overdue(self, now: float) -> list[Told]:
        """Nothing waits here."""
        return []

    def _known(self, mark: object) -> bool:
        known = hash(mark)  # 64 bits, keyed anew in each process: nobody can make two records collide
        if known in self._seen:
            return True
        self._seen[known] = None
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        return False

    def _told(self, standing: _Standing, scribe: Scribe, said: list[Numbered], raw: bytes) -> list[Told]:
        if not said:
            return []
        session = scribe.session
        source = standing.sources.get(session)
        if source is None:
            stamp = stamp_of(said[0])
            identity = repr(stamp) if stamp is not None else hashlib.sha256(raw).hexdigest()
            source = standing.sources[session] = source_of(self._format, session, identity)
            if len(standing.sources) > 1:
                for past in [name for name in standing.sources if name != session]:
                    del standing.sources[past]
        return [Told(session, source, said, scribe.n)]

    def _awaken(self, key: str, raw: bytes) -> _Standing:
        """The conversation ``key``; those without a name are one, called after its first record."""
        standing = self._all.get(key)
        if standing is None:
            if len(self._all) >= LIMITS.sessions * 10:
                self._all.pop(next(iter(self._all)))
            standing = self._all[key] = _Standing()
        if standing.adapter is None:
            name = key or (standing.numbers or [f"{self._format} {hashlib.sha256(raw).hexdigest()[:12]}"])[0]
            standing.adapter = self._make(name)
            if standing.numbers:
                _go_on(standing.adapter, standing.numbers)
        self._awake[key] = standing
        self._awake.move_to_end(key)
        if len(self._awake) > self._most:
            _, old = self._awake.popitem(last=False)
            assert old.adapter is not None
            old.numbers, old.adapter = _numbers(old.adapter), None
        return standing

    def standing(self) -> dict[str, Any]:
        """How far each conversation is numbered."""
        return {
            key: [held.sources, _numbers(held.adapter) if held.adapter is not None else held.numbers]
            for key, held in self._all.items()
        }

    def resume(self, standing: dict[str, Any]) -> None:
        """Go on from where another one stood."""
        for key, (sources, numbers) in standing.items():
            self._all[key] = _Standing(None, dict(sources), list(numbers))


def _numbers(adapter: Adapter) -> list[Any]:
    scribe = adapter.scribe
    return [scribe.session, scribe.n, scribe.turns, scribe.turn, getattr(adapter, "sessions", 1)]


def _go_on(adapter: Adapter, numbers: list[Any]) -> None:
    scribe = adapter.scribe
    scribe.session, scribe.n, scribe.turns, scribe.turn, sessions = numbers
    if isinstance(adapter, rasa.Rows):
        adapter.sessions, adapter.spoken = sessions, scribe.turns > 0


def telling(format: str, columns: Columns | None = None, source: str = "") -> Telling:
    """What tells records of ``format`` as they come; ``source`` names where they come from in an error.

    Raises ``BadInput`` for a format whose records can't be told before the whole is there.
    """
    if columns is not None:
        return _table(columns)
    make = GROWING.get(format)
    if make is None:
        known = ", ".join(GROWING)
        remedy = "import it when it is whole"
        raise BadInput(source or format, f"a format that can be followed ({known})", format, remedy)
    return make()


def format_of(beginning: bytes, name: str) -> str:
    """The format of a file that begins with these whole lines. Raises ``UnknownFormat``, ``Unmapped``, ``BadInput``."""
    try:
        format = sniff(beginning, name)
    except UnknownFormat:
        if beginning.lstrip()[:1] == b"[":
            raise BadInput(name, "a record a line (JSONL)", "a JSON list", "import it when it is whole") from None
        raise
    return "rasa" if format == "rasa-sql" else format


def _table(columns: Columns) -> Telling:
    def key(record: Any) -> str:
        held = cell(record, columns.session)
        said = str(held) if type(held) in (int, float) else held
        if type(said) is not str or not said.strip():
            raise SignalError(f"column {columns.session}", "the name of a session", held)
        return said.strip()

    return Conversations(table.NAME, key, lambda name: Table(name, columns))


def _rasa() -> Telling:
    def whole(record: Any) -> Taken | None:
        """A line that holds a tracker: whole by itself, and told from its beginning each time."""
        tracker = record.get("tracker") if type(record.get("tracker")) is dict else record
        if type(tracker.get("events")) is not list or "event" in record:
            return None
        name = rasa.id_text(tracker.get("sender_id")) or rasa.id_text(record.get("sender_id")) or "rasa"
        adapter = rasa.Rows(name, tracker.get("slots") if type(tracker.get("slots")) is dict else None)
        out: list[Told] = []
        sources: dict[str, str] = {}
        problem = ""
        for number, event in enumerate(tracker["events"], 1):
            try:
                said = adapter.take(event)
            except (BadRecord, SignalError) as why:
                said, problem = adapter.skip(), problem or f"event {number}: {why}"
            out += _told_once(adapter.scribe, said, sources)
        return Taken([*out, *_told_once(adapter.scribe, adapter.end(), sources)], problem)

    def key(record: Any) -> str:
        return rasa.id_text(record.get("conversation_id")) or rasa.id_text(record.get("sender_id"))

    def identity(record: Any, raw: bytes) -> object:
        if type(record.get("event_id")) is str and record["event_id"]:
            return key(record), record["event_id"]
        return raw if record.get("timestamp") is not None or record.get("id") is not None else None

    return Conversations(rasa.NAME, key, rasa.Rows, whole, identity)


def _told_once(scribe: Scribe, said: list[Numbered], sources: dict[str, str]) -> Iterator[Told]:
    if said:
        stamp = stamp_of(said[0])
        identity = repr(stamp) if stamp is not None else ""
        source = sources.setdefault(scribe.session, source_of(rasa.NAME, scribe.session, identity))
        yield Told(scribe.session, source, said, scribe.n)


class _Recording:
    """Lines of one of our own recordings."""

    def __init__(self) -> None:
        self.repeated = 0
        self._retelling: recording.Retelling | None = None
        self._source = ""

    def take(self, raw: bytes) -> Taken:
        """What one line comes to: nothing for the header, for what the map said itself, and for what was here."""
        try:
            record = parse(raw)
            if type(record) is not dict:
                raise BadRecord("expected an object")
            if record.get("lingbot") == "recording":
                name = recording.named("the recording", record)
                if self._retelling is None or self._retelling.scribe.session != name:
                    self._retelling, self._source = recording.Retelling(name), ""
                return Taken([])
            if self._retelling is None:
                self._retelling = recording.Retelling(f"recording {hashlib.sha256(raw).hexdigest()[:12]}")
            items = self._retelling.line(raw, record)
        except (BadRecord, SignalError) as why:
            return Taken([], str(why))
        if not items:
            return Taken([])
        scribe = self._retelling.scribe
        self._source = self._source or source_of(recording.NAME, scribe.session, repr(stamp_of(items[0])))
        return Taken([Told(scribe.session, self._source, items, scribe.n)])

    def overdue(self, now: float) -> list[Told]:
        """Nothing waits here."""
        return []

    def standing(self) -> dict[str, Any]:
        """A recording is never rotated."""
        return {}

    def resume(self, standing: dict[str, Any]) -> None:
        """See ``standing``."""


GROWING: dict[str, Callable[[], Telling]] = {
    rasa.NAME: _rasa,
    recording.NAME: _Recording,
    spans.OPENINFERENCE: GrowingSpans,
    spans.OTLP: GrowingSpans,
}
"""What tells each format as it grows. An importer whose records can be told one by one is registered here."""
