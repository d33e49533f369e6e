"""The signals of ``signals.py``, which a bot may make itself, as they stand in the ring: plain and within bounds.

The classes are not loaded for this: whoever made a signal has loaded them.
"""

from __future__ import annotations

import sys

from lingbot_probes.capture import NAME, TEXT, Room, captured, name, text
from lingbot_probes.fields import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LONG = frozenset(("text", "utterance", "query", "condition", "error", "snippet"))
_NUMBERS = frozenset(("confidence", "score", "updated_at", "rank", "hits", "to"))
_REQUIRED = frozenset(
    ("text", "query", "value", "error", "where", "turn", "slot", "intent", "stage", "name", "id")
)  # where a signal has such a field, it is said even when it is empty
_ANY = frozenset(("value", "data", "meta", "params"))


def signal_of(value: Any) -> dict[str, Any] | None:
    """The plain form of a signal, without the fields that hold their default; ``None`` for anything else."""
    signals = sys.modules.get("lingbot_probes.signals")
    if signals is None or type(value) not in signals.SIGNALS:
        return None
    out: dict[str, Any] = {"kind": value.kind}
    _fill(out, value, Room())
    return out


def _fill(out: dict[str, Any], value: Any, room: Room) -> dict[str, Any]:
    for field in value.__dataclass_fields__.values():
        held = getattr(value, field.name)
        empty = type(held) in (str, tuple, dict) and not held and field.name not in _REQUIRED
        if held is field.default or empty:
            continue
        spoken = _field(field.name, held, room)
        if spoken is not None or field.name in _ANY:
            out[field.name] = spoken
    return out


def _field(field: str, held: Any, room: Room) -> Any:
    if field in _ANY:
        return captured(held, room)
    if field in _NUMBERS:
        return number(held)
    if type(held) is str:
        return text(held, room, TEXT if field in _LONG else NAME)
    if type(held) is tuple or type(held) is list:
        return [spoken for item in held[:50] if (spoken := _item(item, room)) is not None]
    return name(held, room)


def _item(item: Any, room: Room) -> Any:
    if hasattr(type(item), "__dataclass_fields__"):
        return _fill({}, item, room)
    if type(item) in (tuple, list) and len(item) == 2:
        value = number(item[1])
        return None if value is None else [name(item[0], room), value]
    return name(item, room)
