"""Our own recordings, as a session's log or an export of it holds them: a header line, then an event a line.

A line whose checksum does not fit is a problem, one without a checksum (edited by hand, cut out with a tool) is taken.
Lines may be repeated or out of order: seq puts them right, and what is missing is a hole.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from typing import Any

from lingbot_map.errors import NewerFormat
from lingbot_map.events import Event, Gap, event_from_dict
from lingbot_map.importers.imported import Chunk, ImportedSession, Reading
from lingbot_map.importers.limits import LIMITS
from lingbot_map.importers.lines import Index, Places, pieces, read_places
from lingbot_map.importers.records import BadRecord, parse
from lingbot_map.importers.shape import Shape
from lingbot_map.intake import Placed
from lingbot_map.store.lines import VERSION, unseal
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.codec import MAX_NUMBER, SignalError
from lingbot_probes.long_ids import shortened
from lingbot_probes.signals import SIGNALS, Numbered, TurnStarted

NAME = "recording"

_SEQ = re.compile(rb'\{"seq":([1-9][0-9]{0,15}),')
_SAID = frozenset(SIGNALS)


def refuse(shape: Shape) -> str:
    """Why the file is no recording of ours; "" if it is one."""
    if shape.kind in ("text", "sqlite"):
        return shape.why
    if any(map(_known, shape.samples)) and shape.kind == "lines":
        return ""
    return "neither its header nor events with `seq` and `signal`" if shape.samples else shape.why or "no records"


def _known(sample: Any) -> bool:
    return sample.get("lingbot") == "recording" or ("seq" in sample and "signal" in sample)


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """The one session of the file."""
    blob = reading.blob
    name = ""
    places, seqs = Places(), array("Q")
    index = Index(reading)
    for number, offset, raw in pieces(reading, shape):
        where = f"{blob.name} line {number}"
        try:
            found = _SEQ.match(raw)
            seq = int(found[1]) if found else 0
            if not seq:
                record = parse(raw)
                if type(record) is not dict:
                    raise BadRecord("expected an object")
                if record.get("lingbot") == "recording":
                    _sealed(raw)
                    name = named(blob.name, record) or name
                    continue
                seq = _seq(record)
            index.counted()
            _sealed(raw)
            places.add(number, offset, len(raw))
            seqs.append(seq)
        except BadRecord as why:
            reading.problem(where, why)
    places.order(seqs)
    name = shortened(name) or f"recording {blob.digest()[:12]}"
    scribe = Scribe(name)
    chunks = _told(reading, places, scribe)
    head: list[Chunk] = []
    for chunk in chunks:
        head.append(chunk)
        if chunk.said:
            yield reading.session(NAME, scribe, head, chunks, _Events(reading, places, name))
            return


def named(where: str, record: dict[str, Any]) -> str:
    """The session that a header names. Raises ``NewerFormat``."""
    version = record.get("version")
    if type(version) is int and version > VERSION:
        raise NewerFormat(where, version, VERSION)
    name = record.get("session")
    return name if type(name) is str else ""


def _sealed(raw: bytes) -> None:
    if raw[-18:-10] == b',"crc":"' and unseal(raw) is None:
        raise BadRecord("its checksum does not fit: the line was changed")


def _seq(record: dict[str, Any]) -> int:
    seq = record.get("seq")
    if type(seq) is not int or not 1 <= seq <= MAX_NUMBER:
        raise BadRecord(f"seq: expected a whole number from 1 to {MAX_NUMBER}")
    return seq


def _read(reading: Reading, places: Places, name: str, *, tell: bool) -> Iterator[tuple[Event | None, Chunk | None]]:
    """Each event of the recording once, in order of seq; where one can't be read, the problem instead."""
    last, kept = 0, None
    scribe = Scribe(name)
    for where, raw, _ in read_places(reading, places, "line"):
        try:
            event = event_from_dict(name, parse(raw or b""))
        except (BadRecord, SignalError) as why:
            if tell:
                yield None, Chunk(scribe, [], True, reading.problem(where, why))
            continue
        if event.seq == last:
            if event == kept:
                reading.report.repeated += tell
            elif tell:
                problem = reading.problem(where, f"seq {last} again, with other content; the first one stays")
                yield None, Chunk(scribe, [], True, problem)
            continue
        last, kept = event.seq, event
        yield event, None


def _told(reading: Reading, places: Places, scribe: Scribe) -> Iterator[Chunk]:
    """The events as signals of one source, numbered anew; holes in seq, and gaps, are holes in n."""
    retelling = Retelling(scribe.session, scribe)
    for event, bad in _read(reading, places, scribe.session, tell=True):
        if event is None:
            assert bad is not None
            yield Chunk(scribe, [], True, bad.problem)
            continue
        reading.report.records += 1
        if items := retelling.event(event):
            yield Chunk(scribe, items)


class Retelling:
    """Logged events of one session in, in order of seq; signals out."""

    def __init__(self, session: str, scribe: Scribe | None = None) -> None:
        """``session`` is its id."""
        self.scribe = scribe or Scribe(shortened(session))
        self._turn_ids: dict[int, str] = {}
        self._last = 0

    def line(self, raw: bytes, record: dict[str, Any]) -> list[Numbered]:
        """The signals of a line that is no header, none if it was here. Raises ``BadRecord`` or ``SignalError``."""
        if _seq(record) <= self._last:
            return []
        _sealed(raw)
        return self.event(event_from_dict(self.scribe.session, record))

    def event(self, event: Event) -> list[Numbered]:
        """The signals of an event; the map's own statements are none of a source's."""
        scribe, signal = self.scribe, event.signal
        if self._last:  # a hole is bounded by what a file may hold, so that no forged number leaves the range
            scribe.n += min(event.seq - self._last - 1, LIMITS.events)
        self._last = event.seq
        if type(signal) is Gap:
            scribe.n += min(max(0, signal.last - signal.first + 1), LIMITS.events)
        if type(signal) not in _SAID:
            return []
        scribe.at(event.at)
        turn = event.turn
        if type(signal) is TurnStarted:
            scribe.turns += 1
            self._turn_ids[turn] = signal.turn or event.turn_id
        elif event.turn_id:
            self._turn_ids[turn] = event.turn_id
        turn_id = (self._turn_ids.get(turn) or f"#{turn}") if turn else ""
        n = scribe.say(signal, turn=turn_id)  # type: ignore[arg-type]
        scribe.taken()
        item = Placed(
            session=scribe.session,
            n=n,
            signal=signal,  # type: ignore[arg-type]
            turn=turn_id,
            said_at=event.said_at,
            at=event.at,
            masked=event.masked,
        )
        return [item]


class _Events:
    """The logged events, read anew by whoever goes through them."""

    def __init__(self, reading: Reading, places: Places, name: str) -> None:
        self._of = (reading, places, name)

    def __iter__(self) -> Iterator[Event]:
        for event, _ in _read(*self._of, tell=False):
            if event is not None:
                yield event
