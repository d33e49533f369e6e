"""The states of LangGraph's threads: their order in time, and the lines that they make.

A file is gone through twice. First each state is looked at for its thread, its checkpoint and its parent; then one
line after the other is told. A fork that leaves a line for good is told on it; where the thread later goes on from what
it had left, that is another line, a session of its own, which is told from the thread's beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from lingbot_map.errors import TooLarge
from lingbot_map.importers.imported import ImportedSession, Reading
from lingbot_map.importers.langgraph_lost import HISTORY
from lingbot_map.importers.limits import LIMITS
from lingbot_map.importers.lines import Places, pieces, read_places, unnamed
from lingbot_map.importers.records import BadRecord, parse
from lingbot_map.importers.shape import Shape
from lingbot_probes.adapters.fields import instant
from lingbot_probes.adapters.langgraph_states import State, Thread, read_state
from lingbot_probes.codec import SignalError

_STATES = 300_000  # in a file; bounds the memory for what is known of each to some 200 MB
_SHOWN = 200  # states whose order in the file is kept where it is neither that in time nor its reverse
_REMEDY = "split it and import the parts"


def is_state(sample: Any) -> bool:
    """Whether a record is a state."""
    try:
        state = read_state(sample)
    except SignalError:
        return False
    return bool(state.id or state.thread)


def listed(shape: Shape) -> list[Any]:
    """The first records of a list of lists: named tuples, as JSON writes them."""
    for item in shape.items():
        try:
            return [parse(shape.text[item.start : item.end])]
        except BadRecord:
            return []
    return []


class _Id(msgspec.Struct):
    """What names a checkpoint, in whatever place."""

    thread_id: str = ""
    checkpoint_ns: str = ""
    checkpoint_id: str = ""
    id: str = ""
    ts: str | None = None
    channel_values: Raw | UnsetType = UNSET


class _Config(msgspec.Struct):
    configurable: _Id | None = None


class _Metadata(msgspec.Struct):
    thread_id: str = ""


class _Head(msgspec.Struct):
    """What tells where a state belongs, in the usual spellings; its values are passed over."""

    values: Raw | UnsetType = UNSET
    config: _Config | None = None
    checkpoint: _Id | None = None
    parent_config: _Config | None = None
    parent_checkpoint: _Id | None = None
    metadata: _Metadata | None = None
    checkpoint_id: str | None = None
    parent_checkpoint_id: str | None = None
    created_at: str | None = None


_head = msgspec.json.Decoder(_Head)
_NOBODY = _Id()


def _place_of(raw: bytes) -> State:
    """Where a state belongs. Raises ``BadRecord`` or ``SignalError`` for what is none."""
    try:
        head = _head.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return read_state(parse(raw))  # says what is wrong, or reads another spelling
    own = head.checkpoint or _NOBODY
    if head.values is UNSET and own.channel_values is UNSET:
        return read_state(parse(raw))
    named = (head.config.configurable if head.config is not None else None) or own
    above = (head.parent_config.configurable if head.parent_config is not None else None) or head.parent_checkpoint
    return State(
        thread=named.thread_id or (head.metadata.thread_id if head.metadata is not None else ""),
        graph=named.checkpoint_ns,
        id=named.checkpoint_id or own.id or head.checkpoint_id or "",
        parent=(above.checkpoint_id if above is not None else "") or head.parent_checkpoint_id or "",
        at=instant(own.ts or head.created_at),
    )


class _Place:
    """Where a state lies in the file, and in its thread."""

    __slots__ = ("at", "graph", "id", "length", "number", "offset", "parent")

    def __init__(self, state: State, number: int, offset: int, length: int) -> None:
        self.id = state.id
        self.parent = state.parent
        self.graph = state.graph
        self.at = state.at
        self.number, self.offset, self.length = number, offset, length


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """The sessions of the file, in the order in which they first appear in it."""
    word, text = ("line", None) if shape.kind == "lines" else ("item", shape.text)
    threads: dict[str, dict[str, _Place]] = {}
    count = 0
    first = b""
    for number, offset, raw in pieces(reading, shape):
        try:
            state = _place_of(raw)
        except (BadRecord, SignalError) as why:
            reading.report.records += 1
            reading.problem(f"{reading.blob.name} {word} {number}", why)
            continue
        count += 1
        if count > _STATES:
            raise TooLarge(reading.blob.name, "a file of states", count, _STATES, _REMEDY)
        states = threads.get(state.thread)
        if states is None:
            if len(threads) >= LIMITS.sessions:
                raise TooLarge(reading.blob.name, "a file of threads", len(threads) + 1, LIMITS.sessions, _REMEDY)
            states = threads[state.thread] = {}
        first = first or raw
        key = f"{state.graph} {state.id}" if state.id else f"line {number}"
        known = states.get(key)
        if known is not None:
            reading.report.repeated += 1
            if known.length >= len(raw):
                continue  # the one that tells more is the later one: its tasks have ended
        states[key] = _Place(state, number, offset, len(raw))
    for thread, states in threads.items():
        name = thread or unnamed(reading, "langgraph", first)
        ordered = in_time(list(states.values()))
        moved = _moved(ordered)
        lines = _lines(ordered)
        for branch, line in enumerate(lines):
            meta: dict[str, Any] = {}
            if moved:
                meta["order_in_file"] = [place.number for place in line[:_SHOWN]]
            if branch:
                meta["branch"] = branch + 1
            adapter = Thread(name if not branch else f"{name[:240]}#{branch + 1}", meta)
            left = adapter.scribe.found.left
            left["states_reordered"], moved = moved, 0
            left["branches"] = len(lines) - 1 if not branch else 0
            places = Places()
            for place in line:
                places.add(place.number, place.offset, place.length)
            yield from reading.tell(HISTORY, adapter, read_places(reading, places, word, text), line[0].id)


def in_time(states: list[_Place]) -> list[_Place]:
    """The states oldest first: by their checkpoints' ids, which sort in time; else by their times; else as they stand,
    newest first as histories are given, unless a parent comes before its child."""
    if all(len(place.id) == 36 and place.id[14] == "6" for place in states):
        return sorted(states, key=lambda place: place.id)
    order = {place.id: i for i, place in enumerate(states)}
    forward = sum(order.get(place.parent, i) < i for i, place in enumerate(states))
    backward = sum(order.get(place.parent, i) > i for i, place in enumerate(states))
    given = states if forward > backward else states[::-1]
    if all(place.at is not None for place in states):
        return sorted(given, key=lambda place: place.at or 0.0)
    return given


def _moved(ordered: list[_Place]) -> int:
    """How many states stand neither before nor after all that are newer: 0 for a file that goes one way."""
    pairs = [(one.number, other.number) for one, other in pairwise(ordered)]
    falling = sum(one > other for one, other in pairs)
    return min(falling, len(pairs) - falling)


def _lines(ordered: list[_Place]) -> list[list[_Place]]:
    """The lines that the states make: each a way from the beginning, with all that was tried and left on it."""
    lines: list[list[_Place]] = []
    ways: list[dict[str, None]] = []  # the checkpoints from the beginning to the newest state of each line
    known: dict[str, _Place] = {}
    current = 0
    for place in ordered:
        if place.graph:
            if lines:
                lines[current].append(place)
            continue
        if place.id:
            known[place.id] = place
        found = next((i for i in _newest_first(len(ways), current) if place.parent in ways[i]), None)
        if found is None and place.id and place.parent in known:
            ids = _way(place, known)
            lines.append([known[id] for id in ids])
            ways.append(dict.fromkeys(ids))
            current = len(lines) - 1
        elif found is None:
            if not lines:
                lines.append([])
                ways.append({})
            lines[current].append(place)
            ways[current][place.id] = None
        else:
            current = found
            way = ways[current]
            while next(reversed(way)) != place.parent:
                way.popitem()
            way[place.id] = None
            lines[current].append(place)
    return lines or [ordered]


def _newest_first(count: int, current: int) -> Iterator[int]:
    if count:
        yield current
    yield from (i for i in range(count - 1, -1, -1) if i != current)


def _way(place: _Place, known: dict[str, _Place]) -> list[str]:
    """The checkpoints from the beginning to ``place``."""
    way, seen = [place.id], {place.id}
    while place.parent in known and place.parent not in seen:
        place = known[place.parent]
        way.append(place.id)
        seen.add(place.id)
    return way[::-1]
