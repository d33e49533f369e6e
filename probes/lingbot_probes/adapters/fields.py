"""Single fields of foreign records: what is believed of them, and what a record is refused for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from lingbot_probes.codec import SignalError

_LATEST = 253_402_300_799.0  # the end of the year 9999; a later stamp is no time at all


def text(value: object, where: str) -> str:
    """A text; nothing is "", a number its digits. Raises ``SignalError`` for anything else."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[return-value]
    if value is None:
        return ""
    if kind is int or kind is float:
        return str(value)
    raise SignalError(where, "text", value)


def name(value: object, where: str) -> str:
    """A text that isn't empty."""
    said = text(value, where)
    if not said:
        raise SignalError(where, "a name", value)
    return said


def mapping(value: object) -> Mapping[str, Any]:
    """The mapping, or an empty one where the source left it out or put something else."""
    return value if type(value) is dict else {}


def items(value: object) -> list[Any]:
    """The list, or an empty one."""
    return value if type(value) is list else []


def number(value: object) -> float | None:
    """A finite number, also in the document database's long spelling (``{"$numberDouble": "0.5"}``); else ``None``."""
    kind = type(value)
    if kind is float:
        return value if math.isfinite(value) else None  # type: ignore[arg-type, return-value]
    if kind is int:
        return float(value) if -(2**63) <= value < 2**64 else None  # type: ignore[arg-type, operator]
    if kind is dict and len(value) == 1:  # type: ignore[arg-type]
        key, spelt = next(iter(value.items()))  # type: ignore[attr-defined]
        if key in ("$numberDouble", "$numberInt", "$numberLong", "$numberDecimal") and type(spelt) is str:
            return _spelt(spelt)
    return None


def _spelt(digits: str) -> float | None:
    try:
        value = float(digits[:64])
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def confidence(value: object) -> float | None:
    """A confidence of 0..1; ``None`` where there is none or the number is no confidence."""
    found = number(value)
    return found if found is not None and 0.0 <= found <= 1.0 else None


def instant(value: object) -> float | None:
    """Unix seconds from a number of seconds or an ISO 8601 text (UTC where it names no zone); ``None`` if neither."""
    if type(value) is str:
        try:
            moment = datetime.fromisoformat(value[:64])
        except ValueError:
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        try:
            return moment.timestamp()
        except (OverflowError, ValueError):
            return None
    if type(value) is dict and type(value.get("$date")) is str:
        return instant(value["$date"])
    found = number(value)
    return found if found is not None and 0.0 <= found <= _LATEST else None
