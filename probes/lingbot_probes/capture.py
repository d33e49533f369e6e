"""Values as they are at the moment of the call, within bounds: what goes into the ring.

A value is taken by its exact type. No method of a foreign object is ever called: no ``repr``, no ``==``, no
``isinstance`` (which asks ``__class__``); what is not known becomes the name of its type. What is taken is a copy
that nobody else holds, so the bot may go on changing its own.
"""

from __future__ import annotations

import sys
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEPTH = 6
"""Levels of lists and mappings that are taken; a deeper one becomes the name of its type."""
ITEMS = 50
"""Items of a list or mapping that are taken; the rest is counted ("… 950 more")."""
TEXT = 4_096
"""Characters of a text that are taken."""
NAME = 256
"""Characters of a name (an intent, a slot, a document's id, a key) that are taken."""
EVENT = 16 * 1024
"""Bytes of an event, as it is held in the ring and as it leaves."""
CONTAINER = 64
"""Bytes of it that a list or mapping takes by itself: as JSON an empty one takes two, in the ring 72."""

CUT = "…"
WHOLE = 2**53 - 1  # the largest whole number that JSON's readers hold exactly

_name_of = type.__dict__["__name__"].__get__
_mro_of = type.__dict__["__mro__"].__get__


def type_name(cls: type) -> str:
    """The name of a type, without asking its metaclass."""
    name: str = _name_of(cls)
    return name[:NAME]


def bases(cls: type) -> tuple[type, ...]:
    """The method resolution order of a type, without asking its metaclass."""
    mro: tuple[type, ...] = _mro_of(cls)
    return mro


class Room:
    """How many bytes an event may still take."""

    __slots__ = ("left",)

    def __init__(self, left: int = EVENT - 1_024) -> None:  # 1,024: the event's ids, number and times
        self.left = left


def text(value: str, room: Room, limit: int = TEXT) -> str:
    """A text, cut to ``limit`` characters and to the room that is left."""
    width = 1 if value.isascii() else 3
    size = len(value) * width
    if size <= room.left and len(value) <= limit:
        room.left -= size + 4
        return value
    limit = min(limit, max(room.left, 0) // width)
    value = value[: max(limit - 1, 0)] + CUT
    room.left -= len(value) * width + 4
    return value


def whole(value: int) -> int | str:
    """A whole number; as text where JSON's readers would round it, as its size where it is a giant."""
    if -WHOLE <= value <= WHOLE:
        return value
    bits = value.bit_length()
    return str(value) if bits <= 1_024 else f"int of {bits} bits"


def real(value: float) -> float | str:
    """A number; JSON has no word for the three that are none."""
    if value - value == 0.0:
        return value
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def scalar(value: Any) -> Any:
    """A text (uncut) or number that a single value of a well-known type stands for; ``None`` if it stands for none.

    Known by exact type: strings, numbers, dates, decimals, UUIDs, numpy's scalars; members of an Enum by their
    value; subclasses of ``str``, ``int`` and ``float`` through the base's own method.
    """
    cls = type(value)
    if cls is str or cls is bool:
        return value
    if cls is int:
        return whole(value)
    if cls is float:
        return real(value)
    enum = sys.modules.get("enum")
    if enum is not None and type(cls) is enum.EnumMeta:
        inner = object.__getattribute__(value, "_value_")
        kind = type(inner)
        if kind is str or kind is int or kind is float or kind is bool:
            return scalar(inner)
        name = object.__getattribute__(value, "_name_")
        return f"{type_name(cls)}.{name}" if type(name) is str else None
    if issubclass(cls, str):
        return str.__str__(value)
    if issubclass(cls, int):
        return whole(int.__int__(value))
    if issubclass(cls, float):
        return real(float.__float__(value))
    return _from_library(value, cls)


_COLLECTIONS = frozenset((list, tuple, set, frozenset))  # another metaclass could have a ``__hash__`` of its own


def _from_library(value: Any, cls: type) -> Any:
    """Dates, decimals, UUIDs and numpy's scalars, if the bot has loaded the module that defines them."""
    dates = sys.modules.get("datetime")
    if dates is not None:
        if cls is dates.datetime:
            zone = value.tzinfo
            known = zone is None or type(zone) is dates.timezone  # another zone is foreign code
            return (value if known else value.replace(tzinfo=None)).isoformat()
        if cls is dates.date:
            return value.isoformat()
        if cls is dates.timedelta:
            return str(value)
    decimals = sys.modules.get("decimal")
    if decimals is not None and cls is decimals.Decimal:
        return str(value)
    uuids = sys.modules.get("uuid")
    if uuids is not None and cls is uuids.UUID:
        return str(value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and type(cls) is type and cls in (
        numpy.float32, numpy.float16, numpy.int64, numpy.int32, numpy.int16, numpy.int8, numpy.uint8, numpy.bool_,
    ):  # fmt: skip
        return scalar(value.item())
    return None


def captured(value: Any, room: Room, depth: int = DEPTH, limit: int = TEXT) -> Any:
    """``value`` as JSON, within the bounds. Never calls into it."""
    cls = type(value)
    if value is None or cls is bool:
        room.left -= 5
        return value
    if cls is str:
        return text(value, room, limit)
    if cls is dict:
        return _mapping(value, room, depth, limit)
    if type(cls) is type and cls in _COLLECTIONS:
        return _items(list(islice(value, ITEMS)), len(value), room, depth, limit)
    known = scalar(value)
    if known is None:
        return _name_only(cls, room)
    if type(known) is str:
        return text(known, room, limit)
    room.left -= 24
    return known


def _name_only(cls: type, room: Room) -> str:
    return text(type_name(cls), room, NAME)


def _items(items: list[Any], count: int, room: Room, depth: int, limit: int) -> list[Any] | str:
    if depth <= 0:
        return f"{count} items"
    room.left -= CONTAINER
    out: list[Any] = []
    for item in items:
        if room.left <= 0:
            break
        out.append(captured(item, room, depth - 1, limit))
        room.left -= 32 if type(item) is str else 8  # a short text is mostly the object that holds it
    if len(out) < count:
        out.append(f"{CUT} {count - len(out)} more")
    return out


def _mapping(mapping: dict[Any, Any], room: Room, depth: int, limit: int) -> dict[str, Any] | str:
    if depth <= 0:
        return f"{len(mapping)} items"
    room.left -= CONTAINER
    out: dict[str, Any] = {}
    taken = 0
    for key, value in list(islice(mapping.items(), ITEMS)):
        if room.left <= 0:
            break
        if type(key) is not str or len(key) > 64 or not key.isascii():
            key = name(key, room)
        kind = type(value)
        if kind is str and len(value) <= limit and len(value) * 3 <= room.left:
            out[key] = value  # the usual case without the calls
            room.left -= len(value) * 3 + 100
        else:
            out[key] = captured(value, room, depth - 1, limit)
            room.left -= 100
        taken += 1
    if taken < len(mapping):
        out[CUT] = f"{len(mapping) - taken} more"
    return out


def name(value: Any, room: Room) -> str:
    """A short text for anything: a key, a slot's name, an intent. Never empty-handed: the type's name at least."""
    if type(value) is str:
        return text(value, room, NAME)
    known = scalar(value)
    if known is None:
        return "None" if value is None else _name_only(type(value), room)
    return text(known if type(known) is str else str(known), room, NAME)


def without_lone_surrogates(value: Any) -> Any:
    """A captured value whose texts are all valid Unicode: a lone surrogate becomes U+FFFD, a split pair becomes one."""
    cls = type(value)
    if cls is str:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if cls is list:
        return [without_lone_surrogates(item) for item in value]
    if cls is dict:
        return {without_lone_surrogates(key): without_lone_surrogates(item) for key, item in value.items()}
    return value


def shrunk(value: Any, limit: int) -> Any:
    """A captured value with each of its texts cut to ``limit`` characters."""
    cls = type(value)
    if cls is str:
        return value if len(value) <= limit else value[: limit - 1] + CUT
    if cls is list:
        return [shrunk(item, limit) for item in value]
    if cls is dict:
        return {shrunk(key, limit): shrunk(item, limit) for key, item in value.items()}
    return value
