"""What kind of text a file is (lines, one list, one object), and its first records: what sniffing looks at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

from lingbot_map.importers.blob import Blob
from lingbot_map.importers.limits import LIMITS
from lingbot_map.importers.records import BadRecord, Item, items, list_start, members, parse, turns

_SAMPLES = 20
_LISTS = ("events", "transcript", "activities", "Transcript", "Activities")
_AROUND = 4  # objects around a list whose members are read
NO_JSON = "no JSON"
SQLITE = b"SQLite format 3\x00"


class _Top(msgspec.Struct):
    """The members of a document's object that any importer asks for; others are passed over without being built."""

    sender_id: Any = None
    conversation_id: Any = None
    slots: Raw | UnsetType = UNSET
    events: Raw | UnsetType = UNSET
    tracker: Raw | UnsetType = UNSET
    transcript: Raw | UnsetType = UNSET
    activities: Raw | UnsetType = UNSET
    Transcript: Raw | UnsetType = UNSET
    Activities: Raw | UnsetType = UNSET


@dataclass(slots=True)
class Shape:
    """``samples`` are the first records that can be read: of a list of objects, or of the list in an object.

    ``text`` is the whole document where there is one, ``opens`` where its list begins (-1: none) and ``top`` the other
    members of its object. ``why`` says what was found instead of JSON.
    """

    kind: Literal["lines", "list", "object", "sqlite", "text"]
    samples: list[Any] = field(default_factory=list)
    text: bytes = b""
    opens: int = -1
    list_name: str = ""
    top: dict[str, Any] = field(default_factory=dict)
    why: str = ""

    def items(self) -> Iterator[Item]:
        """The items of the document's list."""
        return items(self.text, self.opens) if self.opens >= 0 else iter(())


def shape_of(blob: Blob) -> Shape:
    """Look at the beginning of a file; a document's text is read whole."""
    head = blob.slice(0, 4096)
    if head.startswith(SQLITE):
        return Shape("sqlite", why="a SQLite database")
    body = head[blob.start :].lstrip()
    if not body:
        return Shape("text", why="nothing in it" if blob.size <= 4096 else "only space at its beginning")
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return Shape("text", why="UTF-16 text; save it as UTF-8")
    if b"\x00" in head:
        return Shape("text", why="binary data")
    if body[:1] == b"[":
        return _list(blob)
    first, samples, why = _line_samples(blob)
    if samples and (first or body[:1] != b"{"):
        return Shape("lines", samples)
    if body[:1] == b"{":
        document = _object(blob)
        if document.opens >= 0 or document.top:
            return document
        if not document.why and b"\n" in document.text.strip():  # a whole object: none of its lines is to blame
            why = "a JSON object that holds no list of events"
        return Shape("lines", samples, why=why)
    return Shape("text", why=NO_JSON)


def _line_samples(blob: Blob) -> tuple[bool, list[Any], str]:
    """(whether the first line is a whole object, the objects among the first lines, what is wrong with another)."""
    first, found, bad = False, [], ""
    for place, (number, _, line) in enumerate(islice(blob.lines(), _SAMPLES)):
        value = None
        try:
            if line is None:
                raise BadRecord(f"longer than {LIMITS.line:,} bytes")
            value = parse(line)
        except BadRecord as why:
            bad = bad or f"line {number}: {why}"
        if type(value) is dict:
            first = first or place == 0
            found.append(value)
    return first, found, bad


def _list(blob: Blob) -> Shape:
    text = blob.whole()
    shape = Shape("list", text=text, opens=text.index(b"["))
    shape.samples = _samples(shape)
    return shape


def _object(blob: Blob) -> Shape:
    text = blob.whole()
    shape = Shape("object", text=text)
    try:
        top = msgspec.json.decode(text, type=_Top)
    except (msgspec.MsgspecError, RecursionError) as why:
        shape.why = f"damaged or cut JSON ({why})"
        shape.opens = list_start(text, _LISTS)
        shape.samples = _samples(shape)
        if shape.opens >= 0:
            shape.list_name = text[: shape.opens].rsplit(b'"', 2)[-2].decode().lower()
            shape.top = _members_before(text, shape.opens)
        return shape
    shape.top = {
        name: value
        for name in top.__struct_fields__
        if (value := getattr(top, name)) is not UNSET and value is not None and type(value) is not Raw
    }
    tracker = top.tracker
    if type(tracker) is Raw:
        shape.top["tracker"] = bytes(tracker)
    if type(top.slots) is Raw:
        shape.top["slots"] = _read(bytes(top.slots))
    for name in _LISTS:
        held = getattr(top, name)
        if type(held) is Raw:
            inner = bytes(held)
            shape.list_name = name.lower()
            shape.text, shape.opens = inner, 0 if inner[:1] == b"[" else -1
            break
    shape.samples = _samples(shape)
    return shape


def _members_before(text: bytes, end: int) -> dict[str, Any]:
    """The members that stand before the list of a damaged object, each that can be read; those of an object around it
    where it has none of the name."""
    around: list[int] = []
    for turn, place in turns(text, 0, end):
        if turn > 0:
            around.append(place - 1)
        elif around:
            around.pop()
    found: dict[str, Any] = {}
    for start in around[:_AROUND]:
        for member in members(text[:end], start):
            if not member.bad and (value := _read(text[member.start : member.end])) is not None:
                found[member.name] = value
    return found


def _read(raw: bytes) -> Any:
    try:
        return parse(raw)
    except BadRecord:
        return None


def _samples(shape: Shape) -> list[Any]:
    """The objects among the first items; the first other one is told in ``why`` if nothing is yet."""
    found = []
    for item in islice(shape.items(), _SAMPLES):
        why = item.bad
        if not why:
            try:
                value = parse(shape.text[item.start : item.end])
            except BadRecord as bad:
                why = str(bad)
            else:
                if type(value) is dict:
                    found.append(value)
                    continue
                why = "not an object"
        shape.why = shape.why or f"item {item.number}: {why}"
    return found
