"""From an event to deltas, one file a layer; the layers are strangers to each other.

A layer's function takes the map as it stands, the event and ``emit``, which folds a delta into the map at once, so
that what it emits next can build on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from lingbot_map.deltas import Delta

Emit: TypeAlias = Callable[[Delta], None]

BLANK = "␣"
"""What a node is called whose names can't be seen, so that its row is not an empty one."""

_UNSEEN = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")  # letters and marks by their class, nothing by their look


def visible(text: str) -> bool:
    """Whether there is anything to see in it: more than blanks, control characters and marks without a width."""
    if not text:  # the rest is dear, and most conditions and predictors are empty
        return False
    first = text[0]
    if "!" <= first <= "~" or (first.isalnum() and first not in _UNSEEN):  # nearly always
        return True
    return any(char.isprintable() and char != " " and char not in _UNSEEN for char in text)


def shown(*names: str) -> str:
    """The first of the names that can be seen."""
    for name in names:
        if visible(name):
            return name
    return BLANK
