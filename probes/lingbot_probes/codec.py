"""Signals to and from plain mappings, with a format version.

A signal becomes ``{"kind": ..., field: value ...}`` without the fields that hold their default. On the way in,
unknown fields are left out, so that an older map can read a newer probe; an unknown kind becomes ``Raw``, so that
nothing said is lost. What can't be read raises ``SignalError``, which names the field.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from lingbot_probes.signals import SIGNALS, Doc, Numbered, Raw, Signal

VERSION = 1
"""Format version of a batch. A reader refuses a higher one and says so."""

MAX_SESSION_ID = 256
MAX_NUMBER = 2**53 - 1  # the largest integer that JavaScript holds exactly


class SignalError(ValueError):
    """A mapping is not a signal. ``where`` is the field, ``expected`` and ``found`` say what was wrong with it."""

    def __init__(self, where: str, expected: str, found: object) -> None:
        super().__init__(where, expected, found)
        self.where = where
        self.expected = expected
        self.found = found

    def within(self, where: str) -> SignalError:
        """The same, seen from further out: ``where`` is the place of what held the field."""
        joint = "." if self.where and not self.where.startswith("[") else ""
        return SignalError(f"{where}{joint}{self.where}", self.expected, self.found)

    def __str__(self) -> str:
        shown = repr(self.found)
        shown = shown if len(shown) <= 60 else shown[:57] + "..."
        return f"{self.where}: expected {self.expected}, found {shown}"


def _text(value: object, where: str) -> str:
    if type(value) is not str:
        raise SignalError(where, "text", value)
    return value


def _number(value: object, where: str) -> float:
    if type(value) is int:
        return float(value)
    if type(value) is not float or not math.isfinite(value):
        raise SignalError(where, "a finite number", value)
    return value


def _optional_number(value: object, where: str) -> float | None:
    return None if value is None else _number(value, where)


def _count(value: object, where: str) -> int:
    if type(value) is not int or not 0 <= value <= MAX_NUMBER:
        raise SignalError(where, f"a whole number from 0 to {MAX_NUMBER}", value)
    return value


def _optional_count(value: object, where: str) -> int | None:
    return None if value is None else _count(value, where)


def _json(value: object, where: str) -> Any:
    return value


def _mapping(value: object, where: str) -> Mapping[str, Any]:
    if type(value) is not dict:
        raise SignalError(where, "a mapping", value)
    return value


def _texts(value: object, where: str) -> tuple[str, ...]:
    if type(value) is not list and type(value) is not tuple:
        raise SignalError(where, "a list of texts", value)
    return tuple(_text(item, where) for item in value)


def _pairs(value: object, where: str) -> tuple[tuple[str, float], ...]:
    return tuple((name, _number(number, where)) for name, number in _named(value, where))


def _maybe_pairs(value: object, where: str) -> tuple[tuple[str, float | None], ...]:
    return tuple((name, _optional_number(number, where)) for name, number in _named(value, where))


def _named(value: object, where: str) -> Iterator[tuple[str, object]]:
    if type(value) is not list and type(value) is not tuple:
        raise SignalError(where, "a list of (name, number) pairs", value)
    for item in value:
        if type(item) not in (list, tuple) or len(item) != 2:
            raise SignalError(where, "a (name, number) pair", item)
        yield _text(item[0], where), item[1]


def _docs(value: object, where: str) -> tuple[Doc, ...]:
    if type(value) is not list and type(value) is not tuple:
        raise SignalError(where, "a list of documents", value)
    docs: list[Doc] = []
    try:
        for item in value:
            docs.append(_build(Doc, item))
    except SignalError as wrong:
        raise wrong.within(f"{where}[{len(docs)}]") from None
    return tuple(docs)


_READERS: dict[str, Callable[[object, str], Any]] = {
    "str": _text,
    "float | None": _optional_number,
    "int": _count,
    "int | None": _optional_count,
    "JSON": _json,
    "Mapping[str, JSON]": _mapping,
    "tuple[str, ...]": _texts,
    "tuple[tuple[str, float], ...]": _pairs,
    "tuple[tuple[str, float | None], ...]": _maybe_pairs,
    "tuple[Doc, ...]": _docs,
}

_NO_DEFAULT = object()


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return _NO_DEFAULT


def _shape(cls: type[Any]) -> tuple[tuple[str, Callable[[object, str], Any], Any], ...]:
    """(field, reader, default) of each field; the reader is chosen by the annotation as it is written."""
    return tuple((f.name, _READERS[str(f.type)], _default(f)) for f in dataclasses.fields(cls))


_SHAPES: dict[type[Any], tuple[tuple[str, Callable[[object, str], Any], Any], ...]] = {
    cls: _shape(cls) for cls in (*SIGNALS, Doc)
}
_BY_KIND: dict[str, type[Any]] = {cls.kind: cls for cls in SIGNALS}


def _build(cls: type[Any], data: object) -> Any:
    """``SignalError`` names the field alone: the caller, who knows where that is, puts it in its place."""
    if type(data) is not dict:
        raise SignalError("", "a mapping", data)
    values = {}
    for name, read, default in _SHAPES[cls]:
        if name in data:
            value = data[name]
            if read is _text and type(value) is str:  # as `_text` does; most fields are texts
                values[name] = value
            else:
                values[name] = read(value, name)
        elif default is _NO_DEFAULT:
            raise SignalError(name, "a value", "nothing")
    return cls(**values)


def register(*classes: type[Any]) -> None:
    """Make further signal classes readable (the map's own ones); their fields use the annotations known here."""
    for cls in classes:
        _SHAPES[cls] = _shape(cls)
        _BY_KIND[cls.kind] = cls


def _plain(value: Any) -> Any:
    if type(value) is tuple:
        return [_plain(item) for item in value]
    if type(value) is Doc:
        return _fields(value)
    return value


def _fields(value: Any) -> dict[str, Any]:
    return {
        name: _plain(item)
        for name, _, default in _SHAPES[type(value)]
        if (item := getattr(value, name)) is not default and item != default
    }


def signal_to_dict(signal: Any) -> dict[str, Any]:
    """The plain mapping of a signal: ``kind`` first, then each field that does not hold its default."""
    return {"kind": signal.kind, **_fields(signal)}


def signal_from_dict(data: object, where: str = "signal") -> Any:
    """The signal that a mapping describes. Raises ``SignalError``; an unknown kind comes back as ``Raw``."""
    if type(data) is not dict:
        raise SignalError(where, "a mapping", data)
    kind = _text(data.get("kind", ""), f"{where}.kind")
    cls = _BY_KIND.get(kind)
    if cls is None:
        if not kind:
            raise SignalError(f"{where}.kind", "the kind of signal", "nothing")
        return Raw(name=kind, data={key: value for key, value in data.items() if key != "kind"})
    try:
        return _build(cls, data)
    except SignalError as wrong:
        raise wrong.within(where) from None


def numbered_to_dict(item: Numbered) -> dict[str, Any]:
    """``{"session", "n", "turn"?, "said_at"?, "masked"?, "signal"}``."""
    out: dict[str, Any] = {"session": item.session, "n": item.n}
    if item.turn:
        out["turn"] = item.turn
    if item.said_at is not None:
        out["said_at"] = item.said_at
    if item.masked:
        out["masked"] = item.masked
    out["signal"] = signal_to_dict(item.signal)
    return out


def numbered_from_dict(data: object, where: str = "event") -> Numbered:
    """The reverse. Raises ``SignalError``, also for a session id of 0 or over 256 characters, n outside 1..2^53-1."""
    if type(data) is not dict:
        raise SignalError(where, "a mapping", data)
    session = _text(data.get("session"), f"{where}.session")
    if not 0 < len(session) <= MAX_SESSION_ID:
        raise SignalError(f"{where}.session", f"an id of 1 to {MAX_SESSION_ID} characters", session)
    n = _count(data.get("n"), f"{where}.n")
    if n < 1:
        raise SignalError(f"{where}.n", "a number from 1 on", n)
    return Numbered(
        session=session,
        n=n,
        turn=_text(data.get("turn", ""), f"{where}.turn"),
        said_at=_optional_number(data.get("said_at"), f"{where}.said_at"),
        signal=signal_from_dict(data.get("signal"), f"{where}.signal"),
        masked=_count(data.get("masked", 0), f"{where}.masked"),
    )


def read_event_fields(data: object) -> dict[str, Any]:
    """The fields of a logged event, checked, by the names of the event's attributes. Raises ``SignalError``."""
    if type(data) is not dict:
        raise SignalError("event", "a mapping", data)
    seq = _count(data.get("seq"), "event.seq")
    if seq < 1:
        raise SignalError("event.seq", "a number from 1 on", seq)
    return {
        "seq": seq,
        "at": _number(data.get("at"), "event.at"),
        "source": _text(data.get("source", ""), "event.source"),
        "n": _count(data.get("n", 0), "event.n"),
        "turn": _count(data.get("turn", 0), "event.turn"),
        "turn_id": _text(data.get("turn_id", ""), "event.turn_id"),
        "said_at": _optional_number(data.get("said_at"), "event.said_at"),
        "late": data.get("late", False) is True,
        "masked": _count(data.get("masked", 0), "event.masked"),
        "signal": signal_from_dict(data.get("signal"), "event.signal"),
    }


def same_json(a: Any, b: Any) -> bool:
    """Whether two JSON values are equal; unlike Python's ``==``, ``True`` is not 1."""
    if type(a) is not type(b):
        return False
    if type(a) is list:
        return len(a) == len(b) and all(map(same_json, a, b))
    if type(a) is dict:
        return a.keys() == b.keys() and all(same_json(value, b[key]) for key, value in a.items())
    return bool(a == b)


__all__ = [
    "MAX_NUMBER",
    "MAX_SESSION_ID",
    "VERSION",
    "Signal",
    "SignalError",
    "numbered_from_dict",
    "numbered_to_dict",
    "read_event_fields",
    "register",
    "same_json",
    "signal_from_dict",
    "signal_to_dict",
]
