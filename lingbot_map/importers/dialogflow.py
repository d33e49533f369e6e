"""Dialogflow CX: rows of the BigQuery export, conversations of the history, detect-intent pairs, test cases.

Which of them a record is, is asked of each record: a line, an item of a list, or the document itself, which may hold a
list of conversations or test cases. Rows and pairs of many conversations stand mixed in a file; each is told whole.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from lingbot_map.importers.blob import Blob
from lingbot_map.importers.dialogflow_heads import (
    HOLDING,
    TURNS,
    Head,
    Interaction,
    head_of,
    known,
    position_of,
    text_of,
    time_of,
    written,
)
from lingbot_map.importers.dialogflow_lost import NAME
from lingbot_map.importers.imported import ImportedSession, Reading, Record
from lingbot_map.importers.lines import Index, pieces, read_places, slicer
from lingbot_map.importers.records import items
from lingbot_map.importers.shape import Shape
from lingbot_probes.adapters.dialogflow import Dialogflow
from lingbot_probes.adapters.dialogflow_fields import last, moment, title, where
from lingbot_probes.adapters.dialogflow_steps import flow_names

_REMEMBERED = 1_000_000  # rows whose repeats are noticed; bounds the memory for it to some 70 MB
_HEAD = 1 << 16
_ABOUT = ("languageCode", "type", "startTime", "duration", "metrics", "flowVersions", "tags", "notes", "testConfig")

_interaction = msgspec.json.Decoder(Interaction)


class _Turn(NamedTuple):
    """A turn within a document: its number there, and where it lies."""

    number: int
    start: int
    end: int
    bad: str = ""


def refuse(blob: Blob, shape: Shape) -> str:
    """Why the file holds no turns with an agent; "" if it does."""
    if shape.kind in ("text", "sqlite"):
        return shape.why
    whys = [known(sample) for sample in shape.samples]
    if "" in whys or (not shape.samples and _document(blob)):
        return ""
    return whys[0] if whys else shape.why or "no records"


def _document(blob: Blob) -> bytes:
    """The file, where it is one object of ours over several lines; else nothing."""
    start = blob.slice(blob.start, _HEAD).lstrip()
    if start[:1] != b"{" or not any(b'"%b"' % name.encode() in start for name in written(HOLDING)):
        return b""
    text = blob.whole()
    head = head_of(text)
    return text if head is not None and head.holds() else b""


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """The sessions of the file, in the order in which they first appear in it. Raises ``TooLarge`` over the limits."""
    index = Index(reading)
    if not shape.samples and (text := _document(reading.blob)):
        yield from _opened(reading, index, reading.blob.name, text)
        return
    lines = shape.kind == "lines"
    word, source = ("line", None) if lines else ("item", shape.text)
    positions: dict[str, array[int]] = {}
    seen: set[int] = set()
    for number, offset, raw in pieces(reading, shape):
        head = head_of(raw, damaged=False)
        if head is None:
            head = Head()  # what is wrong with it shows when it is told
        elif head.holds() and not head.is_turn():
            index.at(f"\n{number}").add(number, offset, len(raw))  # whole by itself, whatever it is called
            continue
        position = position_of(head)
        if position is not None and len(seen) < _REMEMBERED:
            row = hash(raw)  # 64 bits, keyed anew in each process: nobody can make two rows collide
            if row in seen:
                reading.report.repeated += 1  # an export delivers at least once
                continue
            seen.add(row)
        key = head.session()
        if position is not None:
            positions.setdefault(key, array("q")).append(position)
        index.at(key).add(number, offset, len(raw))
    seen.clear()
    for key, places in index.places.items():
        if key[:1] == "\n":
            for place, document, _ in read_places(reading, places, word, source):
                yield from _opened(reading, index, place, document or b"")
            continue
        order = positions.get(key)
        if order is not None and len(order) == len(places):
            places.order(order)
        identity = hashlib.sha256(slicer(reading, source)(*places.first())).hexdigest()
        adapter = conversation(key or f"dialogflow {identity[:12]}")
        yield from reading.tell(NAME, adapter, read_places(reading, places, word, source), identity)


def conversation(name: str) -> Dialogflow:
    """What tells the turns of a conversation of that name: a resource's, or one that we gave."""
    return Dialogflow(last(name), _ran(name))


def _ran(name: str) -> dict[str, Any]:
    return {**where(name), **({"conversation": name[:1000]} if "/" in name else {})}


def _opened(reading: Reading, index: Index, place: str, raw: bytes, cut: str = "") -> Iterator[ImportedSession]:
    """The sessions of a document: a conversation, a test case, a result of one, a single pair, or a list of them."""
    head = head_of(raw)
    if head is None:
        reading.problem(place, cut or "expected an object")
        return
    held = head.list()
    if held:
        name, text = held
        for item in items(text, 0):
            where_item = f"{place} {name} {item.number}"
            if item.bad:
                if text[item.start : item.start + 1] == b"{":
                    yield from _opened(reading, index, where_item, text[item.start :], item.bad)
                else:
                    reading.problem(where_item, item.bad)
            else:
                yield from _opened(reading, index, where_item, text[item.start : item.end])
        return
    about = _about(head)
    tested = title({"name": text_of(head.name), "displayName": head.display})
    if interactions := head.turns("interactions"):
        yield from _conversation(reading, index, place, head, about, interactions)
    elif turns := head.turns(*TURNS):
        yield from _tested(reading, index, place, tested, about, turns, time_of(head.created, head.tested))
    elif head.is_turn():
        index.counted()
        reading.done(len(raw))
        identity = hashlib.sha256(raw).hexdigest()
        name = last(head.session()) or f"dialogflow {identity[:12]}"
        yield from reading.tell(NAME, Dialogflow(name, _ran(head.session())), iter([(place, raw, "")]), identity)
    elif not head.result():
        reading.problem(place, cut or "it holds no interactions: a list of conversations leaves them out, get each one")
    if result := head.result():
        inner = head_of(result)
        turns = inner.turns(*TURNS) if inner is not None else b""
        if inner is not None and turns:
            name = f"{tested} · {last(text_of(inner.name)) or 'result'}"
            told = {**about, **_about(inner)}
            yield from _tested(reading, index, f"{place} result", name, told, turns, time_of(inner.tested))


def _about(head: Head) -> dict[str, Any]:
    """What a conversation or test case says of itself beside its turns."""
    name = text_of(head.name)
    out: dict[str, Any] = dict(_ran(name))
    for field in _ABOUT:
        value = head.read(field)
        if value not in (None, "", [], {}):
            out["language" if field == "languageCode" else field] = value
    environment = title(value) if type(value := head.read("environment")) is dict else text_of(value)
    if environment:
        out["environment"] = last(environment)
    if head.outcome:
        out["test_result"] = head.outcome
    return out


def _conversation(
    reading: Reading, index: Index, place: str, head: Head, about: dict[str, Any], text: bytes
) -> Iterator[ImportedSession]:
    """The history lists interactions from the newest to the oldest; they are told by time."""
    turns: list[_Turn] = []
    times: list[float | None] = []
    for turn in _listed(index, text):
        at = None
        if not turn.bad:
            try:
                found = _interaction.decode(text[turn.start : turn.end])
                at = moment(found.create_time if found.createTime is None else found.createTime)
            except (msgspec.MsgspecError, RecursionError):
                pass  # told with its reason when it is read
        turns.append(turn)
        times.append(at)
    name = text_of(head.name)
    identity = name or hashlib.sha256(text).hexdigest()
    flows = head.read("flows")
    names = flow_names([flow for flow in flows if type(flow) is dict]) if type(flows) is list else {}
    adapter = Dialogflow(last(name) or f"dialogflow {identity[:12]}", about, flows=names)
    order = _in_time(times)
    left = adapter.scribe.found.left
    if all(at is None for at in times) and len(times) > 1:
        left["order_unknown"] = 1
    falling = sum(one > other for one, other in pairwise(order))
    left["interactions_reordered"] = min(falling, len(order) - 1 - falling) if len(order) > 1 else 0
    yield from reading.tell(NAME, adapter, _records(reading, place, text, [turns[i] for i in order]), identity)


def _in_time(times: list[float | None]) -> list[int]:
    """Places in time; one without a time stands where it stood beside its neighbours."""
    known_times = [at for at in times if at is not None]
    rising = sum(one < other for one, other in pairwise(known_times))
    falling = sum(one > other for one, other in pairwise(known_times))
    places = list(range(len(times)))
    if rising <= falling:
        places.reverse()
    latest = float("-inf")
    keys: dict[int, float] = {}
    for place in places:
        at = times[place]
        latest = latest if at is None else at
        keys[place] = latest
    return sorted(places, key=keys.__getitem__)


def _tested(
    reading: Reading, index: Index, place: str, name: str, about: dict[str, Any], text: bytes, at: float | None
) -> Iterator[ImportedSession]:
    turns = list(_listed(index, text))
    identity = about.get("conversation") or hashlib.sha256(text).hexdigest()
    adapter = Dialogflow(name or f"dialogflow {identity[:12]}", about, at=at)
    yield from reading.tell(NAME, adapter, _records(reading, place, text, turns), identity)


def _listed(index: Index, text: bytes) -> Iterator[_Turn]:
    for item in items(text, 0):
        index.counted()
        yield _Turn(item.number, item.start, item.end, item.bad)


def _records(reading: Reading, place: str, text: bytes, turns: list[_Turn]) -> Iterator[Record]:
    for turn in turns:
        reading.done(turn.end - turn.start)
        where_turn = f"{place} turn {turn.number}"
        if turn.bad:
            yield where_turn, None, turn.bad
        else:
            yield where_turn, text[turn.start : turn.end], ""


__all__ = ["NAME", "read", "refuse"]
