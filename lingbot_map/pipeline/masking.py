"""Masks over a recording that is imported, for those who ask for it: the same that a probe puts over what it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import msgspec

from lingbot_map.events import Described, Event
from lingbot_map.importers import ImportedSession
from lingbot_map.pipeline.ending import Ending
from lingbot_probes.codec import signal_from_dict, signal_to_dict
from lingbot_probes.mask import Mask
from lingbot_probes.signals import SIGNALS, Numbered

T = TypeVar("T", Event, Numbered)
_SAID = frozenset((*SIGNALS, Described))  # the map's other statements hold nothing that anybody said


def masked(imported: ImportedSession, key: str) -> ImportedSession:
    """The session as a probe with the key ``key`` would have told it."""
    mask = Mask(())
    mask.take_key(key)
    items, events = imported.items, imported.events
    imported = imported.under(mask.id(imported.session_id))
    name = imported.session_id
    imported.items = (replace(_item(item, mask), session=name) for item in items)
    if events is not None:
        imported.events = _Events(events, mask)
    return imported


def masked_ending(end: Ending, key: str) -> Ending:
    """The end of a file in the same way."""
    mask = Mask(())
    mask.take_key(key)
    name = mask.id(end.session_id)
    return replace(end, session_id=name, items=[replace(_item(item, mask), session=name) for item in end.items])


class _Events:
    """Logged events, masked anew for whoever goes through them."""

    def __init__(self, events: Iterable[Event], mask: Mask) -> None:
        self._events = events
        self._mask = mask

    def __iter__(self) -> Iterator[Event]:
        for event in self._events:
            if type(event.signal) in _SAID:
                signal, turn, count = _over(event.signal, event.turn_id, self._mask)
                event = msgspec.structs.replace(event, signal=signal, turn_id=turn, masked=event.masked + count)
            yield event


def _item(item: Numbered, mask: Mask) -> Numbered:
    signal, turn, count = _over(item.signal, item.turn, mask)
    return replace(item, signal=signal, turn=turn, masked=item.masked + count)


def _over(signal: Any, turn: str, mask: Mask) -> tuple[Any, str, int]:
    event: dict[str, Any] = {"signal": signal_to_dict(signal), "turn": turn}
    mask.event(event)
    return signal_from_dict(event["signal"]), event.get("turn", ""), event.get("masked", 0)
