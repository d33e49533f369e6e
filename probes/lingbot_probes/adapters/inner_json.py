"""JSON that stands within a text of a record: read once, to values that any JSON in UTF-8 can hold again.

Python's reader takes more than that: half a surrogate pair, whole numbers of any length, ``NaN``, ``1e999``. One such
value would make its event unwritable, and with it all that comes after it.
"""

from __future__ import annotations

import json
from typing import Any

from lingbot_probes.capture import without_lone_surrogates

LONGEST = 1 << 20
"""Characters of a text that are read; a longer one stays a text."""
DEEPEST = 64
"""Levels that are read; a text of more stays a text."""

_LEAST, _MOST = -(2**63), 2**64 - 1


def _whole(digits: str) -> int | float | str:
    if len(digits) < 19:
        return int(digits)
    number = int(digits) if len(digits) <= 20 else _MOST + 1
    return number if _LEAST <= number <= _MOST else _real(digits)


def _real(digits: str) -> float | str:
    number = float(digits)
    return number if abs(number) != float("inf") else digits


_decode = json.JSONDecoder(parse_constant=lambda word: word, parse_int=_whole, parse_float=_real).decode


def inner(text: str) -> Any:
    """The value of a text of JSON. ``NaN`` and numbers past any float stay the words they are, a whole number of more
    than 64 bits becomes a float, half a surrogate pair U+FFFD. Raises ``ValueError`` for any other text.
    """
    if len(text) > LONGEST:
        raise ValueError(f"a text of more than {LONGEST:,} characters")
    try:
        value = _decode(text)
        if "\\ud" in text or "\\uD" in text:
            value = without_lone_surrogates(value)
    except RecursionError:
        raise ValueError("nested too deep") from None
    if text.count("[") + text.count("{") > DEEPEST and deeper(value, DEEPEST):
        raise ValueError(f"nested deeper than {DEEPEST} levels")
    return value


def deeper(value: Any, levels: int) -> bool:
    """Whether lists and mappings lie in ``value`` more than ``levels`` deep."""
    here = [value]
    for _ in range(levels):
        here = [
            item
            for held in here
            if type(held) is dict or type(held) is list
            for item in (held.values() if type(held) is dict else held)
        ]
        if not here:
            return False
    return any(type(held) is dict or type(held) is list for held in here)


def read_json(value: object) -> Any:
    """What a text of a JSON object or list holds; anything else, also a text that only looks like one, as it is."""
    if type(value) is str and value[:1] in ("{", "["):
        try:
            return inner(value)
        except ValueError:
            return value
    return value
