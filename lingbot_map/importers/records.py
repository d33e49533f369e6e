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

_BRACKET = re.compile(rb'[^"\[\]{}]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"\[\]{}]*+)*+([\[\]{}])', re.DOTALL)
"""Up to and with the next bracket outside of strings. Possessive, so a hostile text can't make it go back."""
_SCALAR = re.compile(rb"[^\s,]+(?:[^,]*[^\s,])?")
"""What stands between two items and is neither a comma nor space: an item too, of a kind that nobody expects."""


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
    """The items of the list that opens at ``start``. Whatever is wrong with it is an item with ``bad``."""
    depth, number, begin, place = 0, 0, 0, start
    opened = False
    # Matched at the place and not searched for: behind a quote that never closes a search would begin at every byte.
    while found := _BRACKET.match(text, place):
        bracket = found[1]
        at = found.start(1)
        if depth == 1:
            for scalar in _SCALAR.finditer(text, place, at):
                number += 1
                yield Item(number, scalar.start(), scalar.end())
        place = found.end()
        if bracket in b"[{":
            depth += 1
            opened = True
            if depth == 2:
                begin = at
        else:
            depth -= 1
            if depth == 1:
                number += 1
                yield Item(number, begin, place)
            elif depth == 0:
                if text[place:].strip():
                    yield Item(number + 1, place, len(text), "something follows after the end of the list")
                return
    if opened:
        last = number + 1 if depth > 1 or text[place:].strip(b" \t\r\n,") else number
        yield Item(last or 1, begin if depth > 1 else place, len(text), "the file ends in the middle of the list")


def list_start(text: bytes, names: tuple[str, ...]) -> int:
    """Where the list called one of ``names`` opens in the text of an object; -1 if nowhere. For cut documents."""
    found = re.search(rb'"(?:' + "|".join(names).encode() + rb')"\s*:\s*\[', text)
    return found.end() - 1 if found else -1
