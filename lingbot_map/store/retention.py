"""How long recordings are kept, where somebody asked for a bound: by age, by the room they take, or both.

Nothing here removes anything: ``to_go`` says what would have to go, and why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from lingbot_map.errors import BadInput

Stays = Literal["", "case", "pinned", "live", "watched", "damaged"]
"""Why a session is never removed by itself; "": it may be."""

Why = Literal["age", "size"]

_SAID = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?) ?([A-Za-z]+)")
_AGES = {"min": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
_MONTHS = ("m", "mo", "mon", "month", "months")
"""No units: "1m" is a minute to some and a month to others, and what it would remove is gone."""
_SIZES = {
    **{f"{prefix}b": 1000**power for power, prefix in enumerate(("k", "m", "g", "t"), 1)},
    **{f"{prefix}ib": 1024**power for power, prefix in enumerate(("k", "m", "g", "t"), 1)},
}


@dataclass(frozen=True, slots=True)
class Keep:
    """Sessions heard of within the last ``age`` seconds, ``size`` bytes in all; None is no bound."""

    age: float | None = None
    size: int | None = None

    def __bool__(self) -> bool:
        return self.age is not None or self.size is not None


FOR_EVER = Keep()
"""No bound: the default."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A session on the disk: its ``key``, what people call it, when it ``last`` said something, its ``size``."""

    key: str
    name: str
    last: float
    size: int
    stays: Stays = ""


@dataclass(frozen=True, slots=True)
class Going:
    """A session that goes because it is too old, or because all together are too large."""

    stored: Stored
    why: Why


def keep_from(said: Sequence[str], where: str = "--keep") -> Keep:
    """What ``7d`` and ``20GB`` mean: one age, one size, or one of each. Raises ``BadInput``."""
    age: float | None = None
    size: int | None = None
    for one in said:
        found = _SAID.fullmatch(one.strip())
        unit = found[2].lower() if found else ""
        amount = float(found[1]) if found else 0.0
        if unit in _AGES and amount and age is None:
            age = amount * _AGES[unit]
        elif unit in _SIZES and amount and size is None:
            size = int(amount * _SIZES[unit])
        else:
            another = "another age" if unit in _AGES and amount else "another size" if unit in _SIZES and amount else ""
            remedy = "min, h, d and w count time, kB, MB, GB and TB room"
            if unit in _MONTHS:
                remedy = "say min for minutes and MB for megabytes; months are not counted, say 30d for one"
            raise BadInput(where, "an age such as 7d, a size such as 20GB, or one of each", another or one, remedy)
    return Keep(age, size)


def to_go(stored: Iterable[Stored], keep: Keep, now: float) -> list[Going]:
    """Which sessions have to go, oldest first. What stays counts for the size all the same."""
    oldest_first = sorted(stored, key=lambda one: (one.last, one.key))
    total = sum(one.size for one in oldest_first)
    going = []
    for one in oldest_first:
        if one.stays:
            continue
        too_old = keep.age is not None and one.last < now - keep.age
        if too_old or (keep.size is not None and total > keep.size):
            going.append(Going(one, "age" if too_old else "size"))
            total -= one.size
    return going
