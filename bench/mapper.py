"""What an event costs the mapper, all checks on, in short dialogues and in very long ones; what a loop check costs."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from functools import partial

import networkx as nx

from bench import Figure, best
from bench.dialogues import generate, place
from lingbot_map.checks import loop
from lingbot_map.codec import encode_deltas, pack, unpack
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.indexes import Walk
from lingbot_map.mapper import Mapper

SHORT, LONG = 180, 10_000
WINDOW = 500
"""Turns at the end of the long dialogue whose cost is compared."""
ROUNDS = 8
REPEATS = 20


def measure() -> Iterator[Figure]:
    """Events a second, the growth of an event's cost with the dialogue, microseconds a loop check."""
    sessions = [list(place(generate(SHORT, seed=seed))) for seed in range(1, 11)]
    events = sum(len(session) for session in sessions)

    def all_sessions() -> None:
        for session in sessions:
            mapper = Mapper(session="bench")
            for event in session:
                mapper.apply(event)

    short = best(all_sessions, ROUNDS) / events
    yield Figure(
        name="mapper, all checks on, one core",
        value=1 / short,
        unit="events/s",
        bar=80_000,
        better="more",
        note=f"{len(sessions)} dialogues of {SHORT} turns, {events:,} events",
    )
    yield Figure(
        name="an event at 10,000 turns beside one at 180",
        value=_end_of_a_long_one() / short,
        unit="x",
        bar=1.3,
        note=f"the last {WINDOW} of {LONG:,} turns; old turns retire meanwhile",
    )
    yield from _loop_check(sessions[0])
    yield from _encoding(sessions[0])


def _end_of_a_long_one() -> float:
    """CPU seconds an event costs in the last turns: the map before them is packed, and each round starts from it."""
    events = list(place(generate(LONG)))
    mapper = Mapper(session="bench")
    first = next(i for i, event in enumerate(events) if event.turn == LONG - WINDOW)
    for event in events[:first]:
        mapper.apply(event)
    before, rest = pack(mapper.map), events[first:]
    costs = []
    for _ in range(ROUNDS):
        mapper = Mapper(unpack(before))
        costs.append(best(partial(deque, map(mapper.apply, rest), 0), 1))
    return min(costs) / len(rest)


def _loop_check(events: list[Event]) -> Iterator[Figure]:
    """The rule at each routing, with its look-ups in the walk; and networkx looking for a cycle in the same flow."""
    mapper = Mapper(session="bench")
    for event in events:
        mapper.apply(event)
    map = mapper.map
    by_seq = {event.seq: event for event in events}
    walk = Walk()
    moments: list[tuple[Walk, Event, str]] = []
    for edge in map.edges.values():
        if edge.id.startswith("jump:") or edge.kind == "assign":
            walk.see(edge)
            if edge.kind == "jump":
                moments.append((_copy(walk), by_seq[edge.seq], edge.target))

    def check(at: list[tuple[Walk, Event, str]]) -> None:
        for then, event, _ in at:
            map.indexes.walk = then
            for _ in range(REPEATS):  # the mapper, too, has just had this walk in its hands
                loop.check(map, event)

    def found(moment: tuple[Walk, Event, str]) -> bool:
        map.indexes.walk = moment[0]
        return loop.check(map, moment[1]) is not None

    loops = [moment for moment in moments if found(moment)]
    others = [moment for moment in moments if not found(moment)]

    def by_networkx() -> None:
        graph: nx.DiGraph[str] = nx.DiGraph()
        before = ""
        for _, _, intent in moments:
            graph.add_edge(before, intent)
            before = intent
            try:
                nx.find_cycle(graph, intent)
            except nx.NetworkXNoCycle:
                continue

    jumps = len(moments)
    theirs = best(by_networkx, 3) / jumps * 1e6
    yield Figure(
        name="loop check",
        value=best(partial(check, others), 10) / len(others) / REPEATS * 1e6,
        unit="us/jump",
        bar=0.5,
        note=f"{len(others)} jumps that raise nothing; networkx.find_cycle takes {theirs:,.0f} us",
    )
    if loops:
        yield Figure(
            name="loop check that raises a finding",
            value=best(partial(check, loops), 10) / len(loops) / REPEATS * 1e6,
            unit="us/jump",
            note=f"{len(loops)} of {jumps} jumps; the sentences are most of it",
        )


def _copy(walk: Walk) -> Walk:
    """The walk as it stands, so that a check can be repeated as often as a steady figure takes."""
    then = Walk()
    then.visits, then.last, then.rounds = list(walk.visits), dict(walk.last), dict(walk.rounds)
    then.learned = walk.learned
    return then


def _encoding(events: list[Event]) -> Iterator[Figure]:
    """The deltas of each event as JSON, as they go to every viewer: made once an event."""
    mapper = Mapper(DialogueMap("bench"))
    deltas = [mapper.apply(event) for event in events]

    def encode() -> None:
        for made in deltas:
            encode_deltas(made)

    yield Figure(
        name="deltas of an event as JSON",
        value=best(encode) / len(events) * 1e6,
        unit="us/event",
        note=f"{sum(map(len, deltas)) / len(events):.1f} deltas an event",
    )
