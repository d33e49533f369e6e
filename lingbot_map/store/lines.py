"""The lines of a log: JSON closed by its own checksum as the last member.

``{"seq":57,"at":...,"signal":{...},"crc":"0c3f91aa"}``: the checksum is the CRC-32 of all bytes before ``,"crc"``,
as eight lower-case hex digits. The first line of a log is a header of the same make; its shape is fixed for ever,
so that an older program can tell that a log is newer than it knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any
from zlib import crc32

import msgspec
import orjson

from lingbot_map.errors import BadInput
from lingbot_map.events import Described, EpochStarted, Event, Gap, PolicySet, Tick, event_from_dict, event_to_dict
from lingbot_probes.codec import MAX_NUMBER, SignalError
from lingbot_probes.signals import SIGNALS, Raw

VERSION = 1
"""Format version of logs, heads and snapshots."""

_CLOSING = re.compile(rb',"crc":"[0-9a-f]{8}"\}')
_CLOSING_SIZE = 18
_SEQ = re.compile(rb'\{"seq":([1-9][0-9]{0,15}),')


_Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_NUMBER)]


def _reader(signal: type[Any]) -> msgspec.json.Decoder[Any]:
    """Reads lines whose signal is of that class."""
    fields: list[tuple[str, Any] | tuple[str, Any, Any]] = [
        ("seq", _Count),
        ("at", float),
        ("signal", signal),
        ("source", str, ""),
        ("n", _Count, 0),
        ("turn", _Count, 0),
        ("turn_id", str, ""),
        ("said_at", float | None, None),
        ("late", bool, False),
        ("masked", _Count, 0),
    ]
    return msgspec.json.Decoder(msgspec.defstruct("Line", fields, gc=False))


_readers = {cls.kind.encode(): _reader(cls) for cls in (*SIGNALS, Tick, Gap, EpochStarted, PolicySet, Described)}
# Within a text each quote is escaped, so this stands only where a member begins; the first one is the event's own.
_SIGNAL = b'"signal":{"kind":"'


def seal(body: bytes) -> bytes:
    """The line that holds the JSON object ``body``."""
    covered = body[:-1]
    return b'%b,"crc":"%08x"}\n' % (covered, crc32(covered))


def unseal(line: bytes) -> bytes | None:
    """The object in ``line`` (without its line end), still open at the end; None if it is not as it was written."""
    covered = line[:-_CLOSING_SIZE]
    # Compared as text: int(..., 16) would let a flipped bit turn "a" into "A" unseen.
    if line[-_CLOSING_SIZE:] == b',"crc":"%08x"}' % crc32(covered):
        return covered
    return None


def seq_of(covered: bytes) -> int:
    """The seq of an unsealed event; 0 if it is none."""
    found = _SEQ.match(covered)
    return int(found[1]) if found else 0


def joined(line: bytes) -> Iterator[tuple[int, int, bytes]]:
    """(start, end, unsealed) of the whole lines that stand in one because the byte that ended them was damaged.

    A line may begin only where ``line`` begins or one byte after a good one, so that text which merely *contains* a
    sealed line is never taken for one.
    """
    start = summed = crc = 0
    for found in _CLOSING.finditer(line):  # summed up as it goes: a line may contain a great many false closings
        crc = crc32(line[summed : found.start()], crc)
        summed = found.start()
        if found[0] == b',"crc":"%08x"}' % crc:
            yield start, found.end(), line[start : found.start()]
            start = summed = found.end() + 1
            crc = 0


def header_line(session: str) -> bytes:
    """The first line of a session's log."""
    return seal(orjson.dumps({"lingbot": "recording", "version": VERSION, "session": session}))


def read_object(covered: bytes) -> dict[str, Any]:
    """The unsealed object as a mapping; {} for what is none (a checksum proves no grammar)."""
    try:
        found = orjson.loads(covered + b"}")
    except orjson.JSONDecodeError:
        return {}
    return found if type(found) is dict else {}


def event_line(event: Event) -> bytes:
    """Raises ``BadInput`` for an event that JSON in UTF-8 can't hold."""
    try:
        return seal(orjson.dumps(event_to_dict(event)))
    except (TypeError, RecursionError) as why:
        raise BadInput(f"event {event.seq}", "values that JSON in UTF-8 can hold", str(why)) from None


def read_event(session: str, covered: bytes, at: float) -> Event:
    """The event in an unsealed line. One that says nothing we understand is kept as ``Raw``: its checksum is good.

    ``at`` is the time of the event before it, for one that has none.
    """
    kind = covered.find(_SIGNAL) + len(_SIGNAL)
    reader = _readers.get(covered[kind : covered.find(b'"', kind)])
    if reader is not None:
        try:  # as our own writer puts it: several times as fast as by way of the codec, and to the same end
            line = reader.decode(covered + b"}")
            return Event(
                session=session,
                seq=line.seq,
                at=line.at,
                signal=line.signal,
                source=line.source,
                n=line.n,
                turn=line.turn,
                turn_id=line.turn_id,
                said_at=line.said_at,
                late=line.late,
                masked=line.masked,
            )
        except (msgspec.MsgspecError, RecursionError):
            pass
    found = read_object(covered)
    try:
        return event_from_dict(session, found)
    except SignalError as why:
        said = found.get("at")
        at = max(at, said) if type(said) is float else at
        return Event(session=session, seq=seq_of(covered), at=at, signal=Raw(name=f"unreadable: {why}", data=found))
