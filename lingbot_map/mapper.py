"""From an event to deltas: is it a repeat, what expires, what it adds to its layer, what the checks say. In that order.

The mapper keeps nothing of its own: all that it knows is in the map, so a mapper given a recovered map goes on as
the one before it would have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from lingbot_map.checks import drift, failure, gap, leak, loop, overwrite, stale
from lingbot_map.deltas import (
    Applied,
    Delta,
    EventUnplaced,
    FindingRaised,
    LossNoted,
    NodeExpired,
    SessionChanged,
    TurnOpened,
    TurnsRetired,
)
from lingbot_map.events import Described, EpochStarted, Event, Gap, PolicySet, Tick
from lingbot_map.graph import FOLDS, DialogueMap
from lingbot_map.layers import Emit, flow, knowledge, state, visible
from lingbot_map.model import Lost, Turn, Unplaced
from lingbot_map.policy import policy_from, policy_values
from lingbot_probes import codec
from lingbot_probes import signals as s


class Mapper:
    """Folds the events of one session into its map."""

    def __init__(self, map: DialogueMap | None = None, *, session: str = "") -> None:
        """Goes on from ``map``, or begins an empty one for ``session``."""
        self.map = map if map is not None else DialogueMap(session)

    def apply(self, event: Event) -> list[Delta]:
        """The deltas that ``event`` makes; they are in the map when this returns. A repeat makes none.

        Events come in order of seq; a hole in seq (a damaged log) is passed over. An event that can't be placed
        makes ``EventUnplaced``; nothing an event holds raises.
        """
        map = self.map
        if event.seq <= map.seq:
            return []
        source = map.sources.get(event.source)
        if source is not None and event.n <= source.mark and source.has(event.n):
            return []
        signal = event.signal
        at = event.at if event.at > map.at else map.at
        applied = Applied(event.seq, at, event.turn, signal.kind, event.source, event.n)
        map.apply(applied)
        out: list[Delta] = [applied]

        def emit(delta: Delta) -> None:
            FOLDS[type(delta)](map, delta)
            out.append(delta)

        deadlines = map.indexes.deadlines
        if deadlines.heap and deadlines.heap[0][0] <= at:
            for due, node_id in deadlines.due(at, map.nodes):
                emit(NodeExpired(node_id, event.seq, due))
        if event.turn not in map.turns and self._has_a_lane(event):
            self._open_turn(event, emit)
        try:
            _PLACE[type(signal)](self, event, signal, emit)
        except Exception as why:
            # A signal of the right shape can still hold what a layer did not expect. It costs that event, not the
            # session: it is in the log, named on the map, and what it had added so far stays, the same in each replay.
            emit(EventUnplaced(Unplaced(event.seq, event.turn, signal.kind, f"{type(why).__name__}: {why}"[:200])))
        if event.late:
            self._late(event, emit)
        if event.masked:
            before = map.about.get("masked")
            total = event.masked + (before if type(before) is int else 0)
            emit(SessionChanged({"masked": min(total, codec.MAX_NUMBER)}))
        return out

    def _has_a_lane(self, event: Event) -> bool:
        """Whether the event's turn is to have a lane: not one that has retired, and 0 only if it holds something."""
        if event.turn or self.map.retired:
            return event.turn > self.map.retired
        return bool(event.n) and type(event.signal) is not s.SessionStarted

    def _open_turn(self, event: Event, emit: Emit) -> None:
        emit(TurnOpened(Turn(event.turn, event.turn_id, event.seq, event.at, event.said_at)))
        kept = self.map.policy.kept_turns
        if len(self.map.turns) > 2 * kept:  # many at a time, so that what an event costs stays the same on average
            numbers = sorted(self.map.turns)
            last = numbers[-kept - 1]
            emit(TurnsRetired(last, min(self.map.turns[n].seq for n in numbers[-kept:])))

    # --- what the bot said ---------------------------------------------------------------------------------------

    def _session_started(self, event: Event, signal: s.SessionStarted, emit: Emit) -> None:
        props: dict[str, Any] = {"ended_at": None}
        if "started_at" not in self.map.about:
            props["started_at"] = event.at
        if visible(signal.title):
            props["title"] = signal.title
        if signal.meta:
            props["meta"] = dict(signal.meta)
        emit(SessionChanged(props))

    def _turn_started(self, event: Event, signal: s.TurnStarted, emit: Emit) -> None:
        if self.map.about.get("ended_at") is not None:
            emit(SessionChanged({"ended_at": None}))
        flow.started(self.map, event, signal, emit)

    def _intent_routed(self, event: Event, signal: s.IntentRouted, emit: Emit) -> None:
        flow.routed(self.map, event, signal, emit)
        found = loop.check(self.map, event)
        if found is not None:
            emit(FindingRaised(found))

    def _place(self, event: Event, task: str, emit: Emit) -> tuple[str, str]:
        """(the task, the node that acts for it) of what a slot signal says."""
        map = self.map
        intent = flow.current_intent(map)
        actor = f"intent:{intent}"
        if task:
            if f"intent:{task}" in map.nodes:
                actor = f"intent:{task}"
            task = flow.task_of(map, task)
        elif intent:
            task = flow.task_of(map, intent)
        if actor not in map.nodes:
            actor = flow.utterance(map, event, emit)
        return task, actor

    def _slot_assigned(self, event: Event, signal: s.SlotAssigned, emit: Emit) -> None:
        task, actor = self._place(event, signal.task, emit)
        state.assigned(self.map, event, signal, task, actor, emit)
        edge_id = f"overwrite:{event.seq}"
        if edge_id in self.map.edges:
            emit(FindingRaised(overwrite.check(self.map, event, signal.slot, edge_id)))

    def _slot_read(self, event: Event, signal: s.SlotRead, emit: Emit) -> None:
        task, actor = self._place(event, signal.task, emit)
        state.read(self.map, event, signal, task, actor, emit)
        found = leak.check(self.map, event, signal.slot, task)
        if found is not None:
            emit(FindingRaised(found))

    def _slot_cleared(self, event: Event, signal: s.SlotCleared, emit: Emit) -> None:
        task, actor = self._place(event, signal.task, emit)
        state.cleared(self.map, event, signal, task, actor, emit)

    def _retrieved(self, event: Event, signal: s.Retrieved, emit: Emit) -> None:
        said = flow.utterance(self.map, event, emit)
        knowledge.retrieved(self.map, event, signal, said, emit)
        if signal.stage in ("reranked", "prompt"):
            for check in (drift.check, stale.check):
                found = check(self.map, event)
                if found is not None:
                    emit(FindingRaised(found))

    def _answered(self, event: Event, signal: s.Answered, emit: Emit) -> None:
        knowledge.answered(self.map, event, signal, emit)

    def _failed(self, event: Event, signal: s.Failed, emit: Emit) -> None:
        said = flow.utterance(self.map, event, emit)
        emit(FindingRaised(failure.check(event, signal, said)))

    def _undone(self, event: Event, signal: s.Undone, emit: Emit) -> None:
        first = flow.first_undone(self.map, event, signal)
        flow.undone(self.map, event, signal, emit)
        if first < event.seq:
            state.restore(self.map, event, first, emit)

    def _session_ended(self, event: Event, signal: s.SessionEnded, emit: Emit) -> None:
        flow.ended(self.map, event, emit)
        emit(SessionChanged({"ended_at": event.at, "ended_because": signal.reason}))

    def _raw(self, event: Event, signal: s.Raw, emit: Emit) -> None:
        emit(EventUnplaced(Unplaced(event.seq, event.turn, signal.name, "")))

    # --- the map's own statements --------------------------------------------------------------------------------

    def _tick(self, event: Event, signal: Tick, emit: Emit) -> None:
        pass  # what was due has expired above

    def _gap(self, event: Event, signal: Gap, emit: Emit) -> None:
        missing = signal.last - signal.first + 1
        lost = Lost(signal.source, signal.first, signal.last, missing, event.turn, event.seq, signal.why)
        emit(LossNoted(lost))
        emit(FindingRaised(gap.check(event, lost)))

    def _late(self, event: Event, emit: Emit) -> None:
        for lost in self.map.losses.values():
            if lost.source == event.source and lost.first <= event.n <= lost.last:
                less = msgspec.structs.replace(lost, missing=lost.missing - 1)
                emit(LossNoted(less))
                if less.missing:
                    emit(FindingRaised(gap.check(event, less)))
                return

    def _epoch_started(self, event: Event, signal: EpochStarted, emit: Emit) -> None:
        props: dict[str, Any] = {"epoch": signal.epoch}
        if "started_at" not in self.map.about:
            props["started_at"] = event.at
        emit(SessionChanged(props))

    def _policy_set(self, event: Event, signal: PolicySet, emit: Emit) -> None:
        policy = policy_from(dict(signal.values), self.map.policy)
        emit(SessionChanged({"policy": policy_values(policy)}))

    def _described(self, event: Event, signal: Described, emit: Emit) -> None:
        emit(SessionChanged(dict(signal.facts)))


_PLACE: dict[type[Any], Callable[[Mapper, Event, Any, Emit], None]] = {
    s.SessionStarted: Mapper._session_started,
    s.TurnStarted: Mapper._turn_started,
    s.IntentRouted: Mapper._intent_routed,
    s.SlotAssigned: Mapper._slot_assigned,
    s.SlotRead: Mapper._slot_read,
    s.SlotCleared: Mapper._slot_cleared,
    s.Retrieved: Mapper._retrieved,
    s.Answered: Mapper._answered,
    s.Failed: Mapper._failed,
    s.Undone: Mapper._undone,
    s.SessionEnded: Mapper._session_ended,
    s.Raw: Mapper._raw,
    Tick: Mapper._tick,
    Gap: Mapper._gap,
    EpochStarted: Mapper._epoch_started,
    PolicySet: Mapper._policy_set,
    Described: Mapper._described,
}
"""What each signal does. Plain functions: bound ones would tie a mapper to itself, for only the collector to free."""


def replay(events: list[Event], session: str = "") -> DialogueMap:
    """The map after ``events``, from nothing."""
    mapper = Mapper(session=session)
    for event in events:
        mapper.apply(event)
    return mapper.map
