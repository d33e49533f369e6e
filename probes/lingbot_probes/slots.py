"""A dictionary of slots whose reads, writes and deletes are signals.

``Observed`` is a ``dict`` in every respect that a bot can ask about, and a view of the mapping that it was made
from: that one holds the truth, every access goes to it, and its errors come from it. Its own storage is a mirror
for code that looks below the methods (``json``, ``**kwargs`` in C).

Reads are what hands out values: ``[]``, ``get``, ``pop``, ``setdefault``, ``items``, ``values``. Looking for a key,
``len``, iterating over keys, comparing, ``copy``, pickling and ``repr`` are none: a bot that saves its state does
not use it.
"""

from __future__ import annotations

import sys

from lingbot_probes.capture import NAME, Room, name, text
from lingbot_probes.ring import Place
from lingbot_probes.shapes import slot_assigned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterator, KeysView, Mapping, MutableMapping, ValuesView
    from typing import Any

    from lingbot_probes.probe import Probe
    from lingbot_probes.ring import Session

    _Slots = dict[Any, Any]
else:
    _Slots = dict

BULK = 50  # slots that are told of when all values are handed out at once
_NOTHING = object()


class Watch:
    """What an observed mapping says, and where: the context's session, else the one in which it was made."""

    __slots__ = ("_labels", "_probe", "_scopes", "_session")

    def __init__(
        self, probe: Probe, scope: str | Mapping[str, str], labels: Mapping[str, str] | None, session: Any
    ) -> None:
        self._probe = probe
        self._scopes = scope
        self._labels = labels or {}
        here = probe._where.at(session, None) if session is not None else probe._where.current.get()
        self._session: Session | None = here.session if here is not None else None

    def scope_of(self, slot: str) -> str:
        return self._scopes if isinstance(self._scopes, str) else self._scopes.get(slot, "")

    def _place(self) -> Place:
        where = self._probe._where
        place = where.current.get()
        if place is None:  # a thread that nobody carried: the mapping remembers whose it is
            place = where.astray()
            if self._session is not None and place.session is not self._session:
                place = Place(self._session)
        return place

    def assigned(self, slot: Any, value: Any) -> None:
        try:
            spoken = name(slot, Room())
            signal = slot_assigned(spoken, value, self.scope_of(spoken), self._labels.get(spoken, ""))
            self._probe._tell(self._place(), signal)
        except Exception:
            self._probe._lost()

    def read(self, slot: Any, depth: int = 2) -> None:
        try:
            reader = sys._getframe(depth).f_code.co_qualname
            spoken = name(slot, Room())
            signal = {"kind": "slot_read", "slot": spoken, "reader": text(reader, Room(), NAME)}
            self._probe._tell(self._place(), signal)
        except Exception:
            self._probe._lost()

    def cleared(self, slot: Any) -> None:
        try:
            self._probe._tell(self._place(), {"kind": "slot_cleared", "slot": name(slot, Room())})
        except Exception:
            self._probe._lost()


class Observed(_Slots):
    """A ``dict`` of slots that says what is done with it. Made by ``Probe.observed`` and ``@probe.slots``."""

    __slots__ = ("_truth", "_watch")

    def __init__(self, truth: MutableMapping[Any, Any], watch: Watch) -> None:
        super().__init__(truth)
        self._truth = truth
        self._watch = watch

    # -- reads -------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        self._watch.read(key)
        value = self._truth[key]
        self._mirror()
        return value

    def get(self, key: Any, default: Any = None) -> Any:
        value = self._truth.get(key, default)
        self._watch.read(key)
        return value

    def items(self) -> ItemsView[Any, Any]:  # type: ignore[override]  # the very view that the mapping gives
        self._all_read()
        return self._truth.items()

    def values(self) -> ValuesView[Any]:  # type: ignore[override]
        self._all_read()
        return self._truth.values()

    def _mirror(self) -> None:
        """Follow a key that appeared or vanished behind our back (a ``defaultdict``, another holder of the mapping)."""
        if super().__len__() != len(self._truth):
            super().clear()
            super().update(self._truth)

    def _all_read(self) -> None:
        self._mirror()
        for key in list(self._truth)[:BULK]:
            self._watch.read(key, 3)

    # -- writes and deletes ------------------------------------------------------------------------------------

    def __setitem__(self, key: Any, value: Any) -> None:
        self._truth[key] = value
        super().__setitem__(key, value)
        self._watch.assigned(key, value)

    def __delitem__(self, key: Any) -> None:
        del self._truth[key]
        super().pop(key, None)
        self._watch.cleared(key)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if key in self._truth:
            self._watch.read(key)
            return self._truth[key]
        self[key] = default
        return default

    def pop(self, key: Any, *default: Any) -> Any:
        held = key in self._truth
        value = self._truth.pop(key, *default)
        super().pop(key, None)
        self._watch.read(key)
        if held:
            self._watch.cleared(key)
        return value

    def popitem(self) -> tuple[Any, Any]:
        key, value = self._truth.popitem()
        super().pop(key, None)
        self._watch.read(key)
        self._watch.cleared(key)
        return key, value

    def update(self, *others: Any, **named: Any) -> None:
        new = dict(*others, **named)
        self._truth.update(new)
        super().update(new)
        for key, value in new.items():
            self._watch.assigned(key, value)

    def clear(self) -> None:
        keys = list(self._truth)
        self._truth.clear()
        super().clear()
        for key in keys:
            self._watch.cleared(key)

    def __ior__(self, other: Any) -> Observed:
        self.update(other)
        return self

    # -- what is no use of a value -----------------------------------------------------------------------------

    def __len__(self) -> int:
        self._mirror()
        return len(self._truth)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._truth)

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._truth)

    def __contains__(self, key: object) -> bool:
        return key in self._truth

    def keys(self) -> KeysView[Any]:  # type: ignore[override]
        return self._truth.keys()

    def copy(self) -> dict[Any, Any]:
        """A plain dictionary with the same items; taking it is not a read."""
        return dict(self._truth)

    def __eq__(self, other: object) -> bool:
        return self._truth == (other._truth if isinstance(other, Observed) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        return repr(self._truth)

    def __or__(self, other: Any) -> Any:
        return self._truth | other

    def __ror__(self, other: Any) -> Any:
        return other | self._truth

    @classmethod
    def fromkeys(cls, *args: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args)

    def __copy__(self) -> dict[Any, Any]:
        return self.copy()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return dict, (self.copy(),)
