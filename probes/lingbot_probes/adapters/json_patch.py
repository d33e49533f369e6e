"""JSON Patch (RFC 6902) with JSON Pointer (RFC 6901): state that a source tells as what changed of it.

A patch holds as a whole or not at all, and leaves the document that it is applied to as it was: what it changes is
copied on the way, the rest is shared. What a small patch could make of a document is bounded: ``copy`` alone could
double it with each operation.
"""

from __future__ import annotations

import re
from typing import Any, Literal

DEEPEST = 64
"""Levels of a document; a patch that makes it deeper is refused."""
OPERATIONS = 10_000
"""Operations of a patch."""
WIDEST = 20_000
"""Members of a list or object that a patch changes; each patch copies it once."""
GROWTH = 100_000
"""Values that the operations of one patch may add in all."""

_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_STRAY = re.compile(r"~(?![01])")


class PatchError(ValueError):
    """A patch can't be applied. ``place`` is the number of the operation, from 0; -1 for the patch itself."""

    def __init__(self, place: int, reason: str) -> None:
        super().__init__(place, reason)
        self.place = place
        self.reason = reason

    def __str__(self) -> str:
        return self.reason if self.place < 0 else f"operation {self.place}: {self.reason}"


class _Wrong(ValueError):
    """One operation can't be done."""


def applied(document: Any, patch: object) -> Any:
    """``document`` after ``patch``, a list of operations. Raises ``PatchError``; the document is never changed."""
    if type(patch) is not list:
        raise PatchError(-1, "expected a list of operations")
    if len(patch) > OPERATIONS:
        raise PatchError(-1, f"more than {OPERATIONS:,} operations")
    grown = 0
    mine: dict[int, Any] = {}
    for place, operation in enumerate(patch):
        try:
            document, added = _operate(document, operation, mine)
        except _Wrong as why:
            raise PatchError(place, str(why)) from None
        grown += added
        if grown > GROWTH:
            raise PatchError(place, f"the patch adds more than {GROWTH:,} values")
    return document


def tokens(pointer: object) -> list[str]:
    """The parts of a JSON Pointer, unescaped. Raises ``ValueError`` for a text that is none."""
    if type(pointer) is not str:
        raise _Wrong("the path is no text")
    if not pointer:
        return []
    if pointer[0] != "/":
        raise _Wrong(f"the path {pointer[:60]!r} does not begin with a slash")
    if _STRAY.search(pointer):
        raise _Wrong(f"the path {pointer[:60]!r} holds a ~ that is neither ~0 nor ~1")
    parts = pointer[1:].split("/")
    if len(parts) > DEEPEST:
        raise _Wrong(f"the path is deeper than {DEEPEST} levels")
    return [part.replace("~1", "/").replace("~0", "~") for part in parts]


def _operate(document: Any, operation: object, mine: dict[int, Any]) -> tuple[Any, int]:
    """(the document after one operation, how many values it added).

    ``mine`` are the lists and mappings that this patch has copied already, by identity: they are changed in place.
    """
    if type(operation) is not dict:
        raise _Wrong("expected an object with op and path")
    op = operation.get("op")
    path = tokens(operation.get("path"))
    if op == "remove":
        return _changed(document, path, "remove", None, mine), 0
    if op == "add" or op == "replace" or op == "test":
        if "value" not in operation:
            raise _Wrong(f"{op} has no value")
        value = operation["value"]
        if op == "test":
            if not same(_found(document, path), value):
                raise _Wrong(f"the test of {_shown(path)} failed")
            return document, 0
        added = _size(value, len(path))
        return _changed(document, path, "add" if op == "add" else "replace", value, mine), added
    if op == "copy" or op == "move":
        source = tokens(operation.get("from"))
        value = _found(document, source)
        if op == "move":
            if path == source:
                return document, 0
            if path[: len(source)] == source:
                raise _Wrong(f"{_shown(source)} can't be moved into itself")
            document = _changed(document, source, "remove", None, mine)
        added = _size(value, len(path))
        return _changed(document, path, "add", _copied(value) if op == "copy" else value, mine), added
    raise _Wrong(f"no operation is called {str(op)[:60]!r}")


def _changed(
    document: Any, path: list[str], how: Literal["add", "replace", "remove"], value: Any, mine: dict[int, Any]
) -> Any:
    """A copy of ``document`` with one value changed; only what lies on the way is copied, and that once a patch."""
    if not path:
        if how == "remove":
            raise _Wrong("the whole document can't be removed")
        return value
    root: list[Any] = [document]
    parent: list[Any] | dict[str, Any] = root
    key: Any = 0
    for depth, token in enumerate(path):
        held = parent[key]
        if type(held) is not dict and type(held) is not list:
            raise _Wrong(f"{_shown(path[:depth])} is neither an object nor a list")
        if len(held) > WIDEST:
            raise _Wrong(f"{_shown(path[:depth])} has more than {WIDEST:,} members")
        if id(held) not in mine:
            parent[key] = held = held.copy()
            mine[id(held)] = held
        parent = held
        adds = how == "add" and depth == len(path) - 1
        key = _index(held, token, path, end=adds) if type(held) is list else token
        if not adds and type(held) is dict and token not in held:
            raise _Wrong(f"there is no {_shown(path[: depth + 1])}")
    if how == "remove":
        del parent[key]
    elif how == "add" and type(parent) is list:
        parent.insert(key, value)
    else:
        parent[key] = value
    return root[0]


def _copied(value: Any) -> Any:
    """A value of its own: what is changed in it later changes nothing where it came from."""
    if type(value) is dict:
        return {key: _copied(held) for key, held in value.items()}
    return [_copied(held) for held in value] if type(value) is list else value


def _found(document: Any, path: list[str]) -> Any:
    for depth, token in enumerate(path):
        if type(document) is dict:
            if token not in document:
                raise _Wrong(f"there is no {_shown(path[: depth + 1])}")
            document = document[token]
        elif type(document) is list:
            document = document[_index(document, token, path, end=False)]
        else:
            raise _Wrong(f"{_shown(path[:depth])} is neither an object nor a list")
    return document


def _index(held: list[Any], token: str, path: list[str], *, end: bool) -> int:
    """The place that ``token`` names in a list; with ``end`` also the place behind its last item (``-``)."""
    if token == "-" and end:
        return len(held)
    if not _INDEX.fullmatch(token):
        raise _Wrong(f"{token[:60]!r} in {_shown(path)} is no place in a list")
    place = int(token)
    if place > len(held) or (place == len(held) and not end):
        raise _Wrong(f"{_shown(path)} is past the end of a list of {len(held)}")
    return place


def same(one: Any, other: Any) -> bool:
    """Whether two values are one in JSON: ``1`` and ``1.0`` are, ``1`` and ``true`` are not."""
    waiting = [(one, other)]
    while waiting:
        a, b = waiting.pop()
        if type(a) is dict and type(b) is dict:
            if a.keys() != b.keys():
                return False
            waiting += [(held, b[key]) for key, held in a.items()]
        elif type(a) is list and type(b) is list:
            if len(a) != len(b):
                return False
            waiting += zip(a, b, strict=True)
        elif type(a) is bool or type(b) is bool or a is None or b is None:
            if a is not b:
                return False
        elif a != b:
            return False
    return True


def _size(value: Any, depth: int) -> int:
    """How many values ``value`` holds, itself included. Raises for one that is too big, or too deep at ``depth``."""
    count, here = 1, [value]
    while here := [held for held in here if type(held) is dict or type(held) is list]:
        depth += 1
        if depth > DEEPEST:
            raise _Wrong(f"the document would be deeper than {DEEPEST} levels")
        below: list[Any] = []
        for held in here:
            below += held.values() if type(held) is dict else held
            if count + len(below) > GROWTH:
                raise _Wrong(f"the value holds more than {GROWTH:,} values")
        count += len(below)
        here = below
    return count


def _shown(path: list[str]) -> str:
    written = "/".join(token.replace("~", "~0").replace("/", "~1") for token in path)
    return repr(f"/{written}"[:80]) if path else "the document"
