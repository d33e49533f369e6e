"""Records out of JSON text: one parsed within the limits, and the items of a list found without building them.

`items` walks the brackets of a list and says where each item lies, so a document of any size costs no more memory than
its text, a cut document gives all that is whole in it, and one bad item is that item's problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from lingbot_map.importers.limits import LIMITS

_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""One escape of a JSON text: a surrogate pair, half of one (the group), or any other."""

_PLAIN = rb'[^"\[\]{}]++'
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BRACKET = re.compile(rb"(?:%b|%b)*+([\[\]{}])" % (_PLAIN, _STRING), re.DOTALL)
"""Up to and with the next bracket outside of strings."""


def _nested(levels: int) -> bytes:
    inner = b"|" + _nested(levels - 1) if levels > 1 else b""
    return rb"[\[{](?:%b|%b%b)*+[\]}]" % (_PLAIN, _STRING, inner)


_ITEM = re.compile(_nested(8), re.DOTALL)
"""A whole object or list of up to 8 levels: one match is five times as quick as walking its brackets. Everything is
possessive, so a hostile text can't make the search go back."""
_IN_OBJECT = "the file ends in the middle of an object"
_BETWEEN = re.compile(rb"[\s,]*+")
_KEY = re.compile(rb"(%b)\s*+:\s*+" % _STRING, re.DOTALL)
_SCALAR = re.compile(rb"%b|[^\s,\[\]{}\"]++" % _STRING, re.DOTALL)


class BadRecord(ValueError):
    """A record can't be read; the text says why."""


def parse(raw: bytes) -> Any:
    """The JSON value in ``raw``. Half a surrogate pair becomes U+FFFD. Raises ``BadRecord``."""
    if len(raw) > LIMITS.line:
        raise BadRecord(f"longer than {LIMITS.line:,} bytes ({len(raw):,})")
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as why:
        if b"\\ud" not in raw and b"\\uD" not in raw:
            raise BadRecord(f"not JSON: {why}") from None
        try:
            value = orjson.loads(_ESCAPE.sub(_whole, raw))
        except orjson.JSONDecodeError as still:
            raise BadRecord(f"not JSON: {still}") from None
    # More brackets than levels allowed is the only way to be too deep; counting them costs 50 ns.
    if raw.count(b"[") + raw.count(b"{") > LIMITS.depth and _depth(value) > LIMITS.depth:
        raise BadRecord(f"nested deeper than {LIMITS.depth} levels")
    return value


def _whole(found: re.Match[bytes]) -> bytes:
    return b"\\ufffd" if found[1] else found[0]


def _depth(value: Any) -> int:
    deepest, level, here = 0, 1, [value]
    while here:
        below: list[Any] = []
        for item in here:
            if type(item) is dict:
                below.extend(item.values())
            elif type(item) is list:
                below.extend(item)
            else:
                continue
            deepest = level
        here, level = below, level + 1
    return deepest


class Item(NamedTuple):
    """Bytes ``start`` to ``end`` of the text are item ``number`` (from 1); ``bad`` says why it is none."""

    number: int
    start: int
    end: int
    bad: str = ""


def items(text: bytes, start: int) -> Iterator[Item]:
    """The items of the list that opens at ``start``; where it is cut or something follows it, the last is ``bad``.

    The list may be a member of an object: then what follows is the rest of that.
    """
    number, place = 0, start + 1
    while True:
        between = _BETWEEN.match(text, place)
        place = between.end() if between else place
        found = _ITEM.match(text, place) or _SCALAR.match(text, place)
        number += 1
        if found:
            end = found.end()
        elif text[place : place + 1] == b"]":
            if why := _after(text, start, place + 1):
                yield Item(number, place + 1, len(text), why)
            return
        else:
            end = _walked(text, place)
            if end < 0:
                yield Item(number, place, len(text), "the file ends in the middle of the list")
                return
        yield Item(number, place, end)
        place = end


def _after(text: bytes, start: int, end: int) -> str:
    """What is wrong behind the list from ``start`` to ``end``; "" if all is closed that was open around it."""
    if not text[end:].strip():
        return "" if not text[:start].strip() else _IN_OBJECT
    depth = sum(turn for turn, _ in turns(text, 0, start))
    if depth <= 0:
        return "something follows after the end of the list"
    for turn, place in turns(text, end, len(text)):
        depth += turn
        if depth <= 0:
            return "something follows after the end of the object" if text[place:].strip() else ""
    return _IN_OBJECT


def turns(text: bytes, place: int, stop: int) -> Iterator[tuple[int, int]]:
    """(1 for a bracket that opens or -1 for one that closes, where it ends) up to a quote that never closes."""
    while found := _BRACKET.match(text, place, stop):
        place = found.end()
        yield (1 if found[1] in b"[{" else -1), place


class Member(NamedTuple):
    """Bytes ``start`` to ``end`` of the text are the value of member ``name``; ``bad`` says why there is none."""

    name: str
    start: int
    end: int
    bad: str = ""


def members(text: bytes, start: int) -> Iterator[Member]:
    """The members of the object that opens at ``start``; where it is cut or something follows, the last is ``bad``."""
    place = start + 1
    while True:
        between = _BETWEEN.match(text, place)
        place = between.end() if between else place
        if text[place : place + 1] == b"}":
            if text[place + 1 :].strip():
                yield Member("", place + 1, len(text), "something follows after the end of the object")
            return
        key = _KEY.match(text, place)
        if not key:
            yield Member("", place, len(text), _IN_OBJECT)
            return
        try:
            name = orjson.loads(key[1])
        except orjson.JSONDecodeError:
            name = key[1][1:-1].decode("utf-8", "replace")
        place = key.end()
        found = _ITEM.match(text, place) or _SCALAR.match(text, place)
        end = found.end() if found else _walked(text, place)
        if end < 0 or end == place:
            yield Member(name, place, len(text), _IN_OBJECT)
            return
        yield Member(name, place, end)
        place = end


def end_of(text: bytes, place: int) -> int:
    """Where the object or list that opens at ``place`` ends; -1 if nowhere."""
    found = _ITEM.match(text, place)
    return found.end() if found else _walked(text, place)


def _walked(text: bytes, place: int) -> int:
    """Where the object or list that opens at ``place`` ends, however deep it is; -1 if nowhere."""
    depth = 0
    # Matched at the place and not searched for: behind a quote that never closes a search would begin at every byte.
    while found := _BRACKET.match(text, place):
        depth += 1 if found[1] in b"[{" else -1
        place = found.end()
        if depth <= 0:
            return place
    return -1


def list_start(text: bytes, names: tuple[str, ...]) -> int:
    """Where the list called one of ``names`` opens in the text of an object; -1 if nowhere. For cut documents."""
    found = re.search(rb'"(?:' + "|".join(names).encode() + rb')"\s*:\s*\[', text)
    return found.end() - 1 if found else -1
