"""The map of a recording with all its turns: a page of one file has nowhere to ask for those that left the map."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from lingbot_map.events import Event, PolicySet
from lingbot_map.graph import DialogueMap
from lingbot_map.mapper import Mapper
from lingbot_map.policy import Policy

MOST_EVENTS = 200_000
"""Of a longer recording the turns that its map still holds have to do: more takes minutes, and no browser likes it."""

ALL_TURNS = 2**31
"""Turns that a map keeps when none is to leave it."""


def whole_map(session: str, events: Iterable[Event]) -> DialogueMap:
    """What ``events`` conclude under the policies that they set, but for one: no turn leaves the map."""
    mapper = Mapper(session=session)
    map = mapper.map
    map.policy = msgspec.structs.replace(Policy(), kept_turns=ALL_TURNS)
    kept = Policy().kept_turns
    for event in events:
        signal = event.signal
        if isinstance(signal, PolicySet):
            kept = signal.values.get("kept_turns", kept)
            event = msgspec.structs.replace(event, signal=PolicySet(values={**signal.values, "kept_turns": ALL_TURNS}))
        mapper.apply(event)
    if "policy" in map.about:  # what the session was recorded under is what is told of it
        map.about = {**map.about, "policy": {**map.about["policy"], "kept_turns": kept}}
    return map
