"""Answers that are kept, so that a question asked again is not worked out again: one cache for each base, whichever
conversation asks.

An answer is kept by the version of its base, the question, and, where reading it took in what was asked before, by
that. A base without a ``version`` keeps nothing; once its version changes, nothing old is left.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from lingbot_map.ask.dialog import Dialog
from lingbot_map.ask.types import Answer, TraceStep

KEPT = 512
"""Answers of a base that are kept; the one that was asked for longest ago goes."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """The last values by key; ``hits`` and ``misses`` are counted."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self.hits = self.misses = 0

    def get(self, key: K) -> V | None:
        """The value, or ``None``."""
        value = self._values.get(key)
        if value is None:
            self.misses += 1
        else:
            self.hits += 1
            self._values.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Keeps it; the one that was asked for longest ago goes."""
        self._values[key] = value
        if len(self._values) > self._most:
            self._values.popitem(last=False)

    def clear(self) -> None:
        """Forgets all."""
        self._values.clear()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a question came to: the answer as its base gave it, whether reading it went back to an earlier topic, and
    the trails of the topics that had a part in it."""

    answer: Answer
    back: bool
    before: tuple[bytes, ...]

    @property
    def steps(self) -> Sequence[TraceStep]:
        """The steps that once led to it."""
        return self.answer.steps


class Outcomes:
    """The outcomes of one base. ``hits`` and ``misses`` count what was asked since it is there."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._version: Hashable = None
        self._depths: Kept[str, int] = Kept(4 * KEPT)  # how many topics had a part in how a question was read
        self._kept: Kept[tuple[str, tuple[bytes, ...]], Outcome] = Kept(KEPT)
        self.hits = self.misses = 0

    def get(self, version: Hashable, text: str, dialog: Dialog) -> Outcome | None:
        """What was kept for a question that is asked now in a dialog."""
        with self._lock:
            self._fresh(version)
            depth = self._depths.get(text)
            found = None if depth is None else self._kept.get((text, dialog.trails(depth)))
            if found is None:
                self.misses += 1
            else:
                self.hits += 1
            return found

    def put(self, version: Hashable, text: str, depth: int, outcome: Outcome) -> None:
        """Keeps an outcome of the base at ``version``; so many topics were looked at."""
        with self._lock:
            self._fresh(version)
            self._depths.put(text, depth)
            self._kept.put((text, outcome.before), outcome)

    def _fresh(self, version: Hashable) -> None:
        if version != self._version:
            self._depths.clear()
            self._kept.clear()
            self._version = version


_ALL: WeakKeyDictionary[object, Outcomes] = WeakKeyDictionary()
_LOCK = threading.Lock()


def outcomes_of(base: object) -> Outcomes:
    """The cache of a base; it goes when the base does."""
    with _LOCK:
        return _ALL.setdefault(base, Outcomes())


def version_of(base: object) -> Hashable:
    """What stands for a base as it is now; ``None`` for one that doesn't say."""
    version: Hashable = getattr(base, "version", None)
    return version
