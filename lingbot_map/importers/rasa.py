"""Rasa trackers from JSON and JSON lines: dumps, lists of dumps, broker messages, exported rows, bare events, and the
nested events of Rasa Mantle.

Which of them a record is, is asked of each record: a file may hold several kinds.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from lingbot_map.importers.imported import ImportedSession, Reading, Record
from lingbot_map.importers.lines import Index, Places, pieces, read_places, slicer, unnamed
from lingbot_map.importers.records import BadRecord, items, parse
from lingbot_map.importers.shape import Shape
from lingbot_probes.adapters.rasa import Rasa
from lingbot_probes.adapters.rasa_mantle import payload_of
from lingbot_probes.signals import Numbered

NAME = "rasa"
_REMEMBERED = 1_000_000  # lines whose repeats are noticed; bounds the memory for it to some 70 MB


class _Head(msgspec.Struct):
    """What tells where a record belongs; everything else in it is passed over."""

    sender_id: Any = None
    conversation_id: Any = None
    id: Any = None
    event_id: Any = None
    sequence: Any = None
    timestamp: Any = None
    events: Raw | UnsetType = UNSET
    tracker: Raw | UnsetType = UNSET


class _Tracker(msgspec.Struct):
    """A tracker, or the document that holds one."""

    sender_id: Any = None
    id: Any = msgspec.field(name="_id", default=None)
    slots: Raw | UnsetType = UNSET
    events: Raw | UnsetType = UNSET
    tracker: Raw | UnsetType = UNSET


_TOLD = ("sender_id", "conversation_id", "id", "event_id", "sequence", "timestamp")  # as they stand in it
_head = msgspec.json.Decoder(_Head)
_tracker = msgspec.json.Decoder(_Tracker)


class Rows(Rasa):
    """Events as they come, or in the rows that stores and exports put around them."""

    def take(self, record: object) -> list[Numbered]:
        """The signals of one event or row."""
        return super().take(event_of(record))


def event_of(record: object) -> object:
    """The event in a row ({"data": event or its JSON text, "type_name", "timestamp" ...}); another record as it is."""
    if type(record) is not dict or "event" in record or "data" not in record:
        return record
    event = record["data"]
    if type(event) is str:
        event = parse(event.encode("utf-8", "replace"))
    if type(event) is dict:
        if "event" not in event and "type_name" in record:
            event["event"] = record["type_name"]
        if event.get("timestamp") is None and "timestamp" in record:
            event["timestamp"] = record["timestamp"]
    return event


def refuse(shape: Shape) -> str:
    """Why the file holds no Rasa events; "" if it does."""
    if shape.kind in ("text", "sqlite"):
        return shape.why
    if shape.list_name == "events" or "tracker" in shape.top or any(map(_known, shape.samples)):
        return ""
    return "no `event`, no row with `data`, no tracker with `events`" if shape.samples else shape.why or "no records"


def _known(sample: Any) -> bool:
    if type(sample.get("event")) is str and "signal" not in sample:
        return True
    if "data" in sample and ("type_name" in sample or ("conversation_id" in sample) or "sender_id" in sample):
        return True
    return ("sender_id" in sample and "events" in sample) or type(sample.get("tracker")) is dict or _of_mantle(sample)


def _of_mantle(sample: Any) -> bool:
    """Whether it is an event of Rasa Mantle: a conversation's id alone would tell too little."""
    return bool(payload_of(sample)) and ("event_id" in sample or "sequence" in sample or "timestamp" in sample)


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """The sessions of the file, in the order in which they first appear in it."""
    blob = reading.blob
    index = Index(reading)
    if shape.kind != "object":
        yield from _mixed(reading, shape, index)
    elif shape.list_name != "events":
        yield from _dump(reading, index, blob.name, shape.top.get("tracker") or shape.text)
    else:
        name = id_text(shape.top.get("sender_id")) or id_text(shape.top.get("conversation_id"))
        yield from _tracked(reading, index, blob.name, name, shape.top.get("slots"), shape.text, shape.opens)


def _mixed(reading: Reading, shape: Shape, index: Index) -> Iterator[ImportedSession]:
    """Lines, or the items of a list: first where each belongs, then one conversation after the other."""
    blob, report = reading.blob, reading.report
    lines = shape.kind == "lines"
    word, text = ("line", None) if lines else ("item", shape.text)
    row_ids: dict[str, array[int]] = {}
    seen: set[int] = set()
    for number, offset, raw in pieces(reading, shape):
        try:
            head = _read_head(raw)
        except BadRecord as why:
            reading.problem(f"{blob.name} {word} {number}", why)
            continue
        if head.events is not UNSET or _opens(head.tracker, b"{"):
            index.at(f"\n{number}").add(number, offset, len(raw))  # whole by itself, whatever it is called
            continue
        # A broker delivers at least once. With a time or an id in it, the same line again is the same event again.
        if lines and (head.timestamp is not None or head.id is not None) and len(seen) < _REMEMBERED:
            known = hash(raw)  # 64 bits, keyed anew in each process: nobody can make two lines collide
            if known in seen:
                report.repeated += 1
                continue
            seen.add(known)
        key = id_text(head.conversation_id) or id_text(head.sender_id)
        if type(head.event_id) is str and head.event_id:
            known = hash((key, head.event_id))
            if known in seen:
                report.repeated += 1
                continue
            if len(seen) < _REMEMBERED:
                seen.add(known)
        order = head.id if type(head.id) is int else _sequence(head, row_ids.get(key))
        if type(order) is int and -(2**62) < order < 2**62:
            row_ids.setdefault(key, array("q")).append(order)
        index.at(key).add(number, offset, len(raw))
    seen.clear()
    for key, places in index.places.items():
        if key[:1] == "\n":
            for where, dump, _ in read_places(reading, places, word, text):
                yield from _dump(reading, index, where, dump or b"")
            continue
        ids = row_ids.get(key)
        if ids is not None and len(ids) == len(places):
            places.order(ids)
        adapter = Rows(key or unnamed(reading, "rasa", slicer(reading, text)(*places.first())))
        yield from reading.tell(NAME, adapter, read_places(reading, places, word, text))


def _sequence(head: _Head, before: array[int] | None) -> int | None:
    """What orders an event of Mantle's in its conversation; a flat one, which has no number, stays where it is."""
    number = head.sequence
    if type(number) is str and number.isascii() and number.isdigit():  # ProtoJSON writes 64 bits as a text
        number = int(number[:19])
    if type(number) is int:
        return number
    return before[-1] if before else -1


def _read_head(raw: bytes) -> _Head:
    try:
        return _head.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        found = parse(raw)  # says what is wrong, or mends it
        if type(found) is not dict:
            raise BadRecord("expected an object") from None
        return msgspec.convert({name: found.get(name) for name in _TOLD}, _Head)


def _dump(reading: Reading, index: Index, where: str, raw: bytes) -> Iterator[ImportedSession]:
    """The sessions of one tracker, or of a document that holds one as ``tracker``."""
    try:
        outer = tracker = _tracker.decode(raw)
        if _opens(outer.tracker, b"{"):
            raw = bytes(outer.tracker)  # type: ignore[arg-type]
            tracker = _tracker.decode(raw)
    except (msgspec.MsgspecError, RecursionError) as why:
        reading.problem(where, f"no tracker: {why}")
        return
    name = id_text(tracker.sender_id) or id_text(outer.sender_id) or id_text(outer.id)
    slots = None
    if type(tracker.slots) is Raw:
        try:
            slots = parse(bytes(tracker.slots))
        except BadRecord as why:
            reading.problem(f"{where} slots", why)
    text = bytes(tracker.events) if type(tracker.events) is Raw else b"null"
    yield from _tracked(reading, index, where, name, slots, text, 0 if text[:1] == b"[" else -1)


def _tracked(
    reading: Reading, index: Index, where: str, name: str, slots: Any, text: bytes, opens: int
) -> Iterator[ImportedSession]:
    if opens < 0:
        reading.problem(where, "the tracker was exported without its events (verbosity NONE)")
        return
    places = Places()
    cut = ""
    for item in items(text, opens):
        if item.bad:
            cut = item.bad
        else:
            index.counted()
            places.add(item.number, item.start, item.end - item.start)
    if not len(places):
        reading.problem(where, cut or "the tracker holds no events")
        return
    name = name or unnamed(reading, "rasa", slicer(reading, text)(*places.first()))
    adapter = Rows(name, slots if type(slots) is dict else None)

    def records() -> Iterator[Record]:
        for number, offset, length in places:
            reading.done(length)
            yield f"{where} event {number}", text[offset : offset + length], ""
        if cut:
            yield f"{where} event {len(places) + 1}", None, cut

    yield from reading.tell(NAME, adapter, records())


def _opens(raw: Raw | UnsetType, bracket: bytes) -> bool:
    return type(raw) is Raw and bytes(raw)[:1] == bracket


def id_text(value: object) -> str:
    """An id as text: a number's digits, the hex of a document database's object id; "" for anything else."""
    if type(value) is dict and len(value) == 1:
        value = next(iter(value.values()))
    if type(value) is int:
        return str(value)
    return value if type(value) is str else ""
