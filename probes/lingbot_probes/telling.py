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
_LISTS = frozenset(("docs", "candidates", "required", "missing", "near"))
_ANY = frozenset(("value", "data", "meta", "params"))


def signal_of(value: Any) -> dict[str, Any] | None:
    """The plain form of a signal, without the fields that hold their default; ``None`` for anything else."""
    signals = sys.modules.get("lingbot_probes.signals")
    cls = type(value)
    if signals is None or not any(cls is known for known in signals.SIGNALS):
        return None
    out: dict[str, Any] = {"kind": value.kind}
    _fill(out, value, Room())
    if cls is signals.Retrieved and "docs" in out:  # a document may also be given by its id alone
        out["docs"] = [doc if type(doc) is dict else {"id": doc} for doc in out["docs"]]
    elif cls is signals.Answered and "docs" in out:
        out["docs"] = [doc["id"] if type(doc) is dict else doc for doc in out["docs"]]
    return out


def _fill(out: dict[str, Any], value: Any, room: Room) -> dict[str, Any]:
    for field in value.__dataclass_fields__.values():
        held = getattr(value, field.name)
        kind = type(held)
        empty = (kind is str or kind is tuple or kind is dict) and not held and field.name not in _REQUIRED
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
    if field in _LISTS:
        items = held if type(held) is tuple or type(held) is list else (held,)
        return [spoken for item in items[:50] if (spoken := _item(field, item, room)) is not None]
    return name(held, room)


def _item(field: str, item: Any, room: Room) -> Any:
    kind = type(item)
    if kind is sys.modules["lingbot_probes.signals"].Doc:
        return _fill({}, item, room)
    if field == "candidates" or field == "near":
        if not (kind is tuple or kind is list) or len(item) != 2:
            return None
        value = number(item[1])
        unsure = field == "candidates" and item[1] is None
        return [name(item[0], room), value] if unsure or value is not None else None
    return name(item, room)
