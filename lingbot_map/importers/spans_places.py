"""Where the spans of a file lie: a span a line, lists of them, lists within exports and OTLP requests, at any size.

An export or a request is one object around all its spans, so it is never built: the lists called ``spans`` are searched
for in its text, and each span in them is found by its brackets. Within a text of JSON every quote is escaped, so a list
that is found is none that somebody wrote in a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from lingbot_map.importers.blob import Blob
from lingbot_map.importers.imported import Reading
from lingbot_map.importers.lines import pieces
from lingbot_map.importers.records import BadRecord, end_of, parse, turns
from lingbot_map.importers.shape import Shape
from lingbot_probes.adapters.spans_read import ids_of

_SPANS = re.compile(rb'"spans"\s*+:\s*+\[')
_REQUEST = re.compile(rb'"(?:resourceSpans|resource_spans)"\s*+:\s*+\[')
_ANY = re.compile(rb'(?<!\\)"\s*+:\s*+\[')
_SPACE = re.compile(rb"[\s,]*+")
_HEAD = 1 << 16
_SEARCHED = 1_000  # lists of an object that are looked into before it is given up
_LOOKED_AT = 20  # lines of which one has to be an export by itself
_HOLDING = ("resourceSpans", "spans", "resource_spans")
_CUT = "the file is cut or damaged here"


class Packed(NamedTuple):
    """How the spans of a file are packed: ``format``; ``lists`` finds the lists that they are in (``None``: each piece
    of the file is one); ``text`` is all of the file where a piece may be of any size; ``by_line`` where each line of it
    is an export or a request of its own."""

    format: str
    lists: re.Pattern[bytes] | None
    text: bytes | None = None
    by_line: bool = False


def packed(blob: Blob, shape: Shape) -> Packed | None:
    """How the file holds spans; ``None`` where it holds none."""
    if shape.kind in ("text", "sqlite"):
        return None
    for sample in shape.samples if shape.kind != "object" else ():
        if _is_span(sample):
            return Packed("openinference", None)
        if _lists(sample, "resourceSpans") or _lists(sample, "resource_spans"):
            return _exports(blob, "otlp")
        if any(map(_is_span, _lists(sample, "spans"))):
            return _exports(blob, "openinference")
    head = blob.slice(blob.start, _HEAD)
    if head.lstrip()[:1] != b"{":
        return None
    if _REQUEST.search(head):
        return _exports(blob, "otlp")
    if b'span_id"' not in head and b'spanId"' not in head:
        return None
    text = blob.whole()
    for pattern in (_SPANS, _ANY):
        if any(_is_span(_read(text[start:end])) for start, end in islice(_firsts(text, pattern), _SEARCHED)):
            return Packed("openinference", pattern, text)
    return Packed("openinference", re.compile(rb"\A"), text) if _is_span(_read(text)) else None


def _exports(blob: Blob, format: str) -> Packed:
    text = blob.whole()
    lines = islice(re.finditer(rb"[^\n]+", text), _LOOKED_AT)
    by_line = any(_SPANS.search(line[0]) and _is_whole(line[0]) for line in lines) and not _is_whole(text)
    return Packed(format, _SPANS, text, by_line)


def _is_whole(text: bytes) -> bool:
    """Whether the text is one document, however many lines it has. Nothing of it is built."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.MsgspecError, RecursionError):
        return False
    return True


def _is_span(value: Any) -> bool:
    return type(value) is dict and all(ids_of(value))


def _lists(value: Any, name: str) -> list[Any]:
    held = value.get(name)
    return held if type(held) is list else []


def _read(raw: bytes) -> Any:
    try:
        return parse(raw)
    except BadRecord:
        return None


def places(reading: Reading, shape: Shape, how: Packed) -> Iterator[tuple[int, int, bytes]]:
    """(number, offset, text) of each span; ``number`` is that of its line or item, or its own where it is in a list.
    What can't be read is a problem."""
    if how.lists is None or how.text is None:
        yield from pieces(reading, shape)
        return
    text, name = how.text, reading.blob.name
    base = reading.blob.start
    if how.by_line:
        for number, start, end in _by_line(reading, text, how.lists):
            yield number, base + start, text[start:end]
        return
    done = 0
    for number, (start, end) in enumerate(_found(text, how.lists), 1):
        reading.done(abs(end) - done)
        done = abs(end)
        if end < 0:
            reading.problem(f"{name} span {number}", _CUT)
        else:
            yield number, base + start, text[start:end]


def _by_line(reading: Reading, text: bytes, lists: re.Pattern[bytes]) -> Iterator[tuple[int, int, int]]:
    """(number of its line, start, end) of each span. A line that is none of an export is a problem of that line."""
    number = start = 0
    while start < len(text):
        stop = text.find(b"\n", start) + 1 or len(text)
        number += 1
        line = text[start:stop]
        where = f"{reading.blob.name} line {number}"
        reading.done(len(line))
        if lists.search(line):
            for begin, end in _found(line, lists):
                if end < 0:
                    reading.problem(where, "the line is cut or damaged")
                else:
                    yield number, start + begin, start + end
        elif line.strip() and (why := _no_export(line)):
            reading.problem(where, why)
        start = stop


def _no_export(line: bytes) -> str:
    """Why a line without a list of spans is no export; "" for one that merely holds none."""
    try:
        value = parse(line)
    except BadRecord as why:
        return str(why)
    if type(value) is dict and any(type(value.get(name)) is list for name in _HOLDING):
        return ""
    return f"expected an object with {', '.join(_HOLDING[:2])}, found {_kind(value)}"


def _kind(value: Any) -> str:
    if type(value) is dict:
        return f"one with {', '.join(sorted(map(str, value))[:5])[:100]}" if value else "an empty one"
    return (
        "a list" if type(value) is list else "a text" if type(value) is str else "null" if value is None else "a value"
    )


def _found(text: bytes, lists: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """(start, end) of each object in each list that ``lists`` finds.

    Where a list is cut its last is (start, minus where it was given up), and the search goes on behind it. A file that
    ends before all is closed that stands around its lists is cut too.
    """
    place = depth = 0
    damaged = False
    while found := lists.search(text, place):
        depth += _opened(text, place, found.end())
        place = found.end()
        while True:
            place = _SPACE.match(text, place).end()  # type: ignore[union-attr]
            end = end_of(text, place) if text[place : place + 1] == b"{" else -1
            if end < 0:
                if text[place : place + 1] != b"]":
                    damaged = True
                    yield place, -max(place, 1)
                break
            yield place, end
            place = end
    if depth + _opened(text, place, len(text)) > 0 and not damaged:
        yield len(text), -len(text)


def _firsts(text: bytes, lists: re.Pattern[bytes]) -> Iterator[tuple[int, int]]:
    """(start, end) of the first object of each list that ``lists`` finds."""
    for found in lists.finditer(text):
        place = _SPACE.match(text, found.end()).end()  # type: ignore[union-attr]
        if text[place : place + 1] == b"{":
            yield place, end_of(text, place)


def _opened(text: bytes, start: int, end: int) -> int:
    """How many more brackets are opened than closed, strings left aside."""
    return sum(turn for turn, _ in turns(text, start, end))
