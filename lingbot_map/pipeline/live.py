"""A session in memory, with what its viewers see of it and what the pipeline still owes it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec

from lingbot_map import codec
from lingbot_map.deltas import Applied, Delta
from lingbot_map.events import Event
from lingbot_map.mapper import Mapper
from lingbot_map.pipeline.tail import Tail
from lingbot_map.session import Session
from lingbot_map.store.summary import heard_at


class Live:
    """``session`` and its ``tail``; ``gone`` once it was put back on the disk or ``deleted``."""

    def __init__(self, session: Session, uncounted: Sequence[Event] = ()) -> None:
        self.session = session
        self.tail = Tail(session.map.cursor.epoch, session.map.cursor.seq)
        self.gone = False
        self.deleted = False
        self.copied = False  # from a file, and nobody has spoken in it since
        self.numbered: dict[str, int] = {}  # the highest number heard of, by source
        self.uncounted = list(uncounted)  # events that the index doesn't know yet
        self.shown_at = -1.0  # loop time of the last batch to viewers
        self.showing: asyncio.TimerHandle | asyncio.Handle | None = None
        self.waking: asyncio.TimerHandle | None = None
        self._keyframe: tuple[int, bytes] = (-1, b"")

    def show_from_start(self, events: Sequence[Event]) -> None:
        """A new session's own first events belong to its tail too: then a viewer may begin at 0."""
        mapper = Mapper(session=self.session.id)
        self.tail = Tail(self.tail.epoch, 0)
        for event in events:
            for piece in pieces(mapper.apply(event)):
                self.tail.add(piece)
        self.tail.show()

    def apply(self, events: Sequence[Event]) -> None:
        """Log the events, then map them, then keep what viewers need of it."""
        for piece in pieces(self.session.apply(events)):
            self.tail.add(piece)
        epoch = self.session.map.cursor.epoch
        if epoch != self.tail.epoch:
            self.tail.restart(epoch)
        self.uncounted.extend(events)

    def summary(self) -> dict[str, Any]:
        """What the list of sessions says about it."""
        summary: dict[str, Any] = msgspec.to_builtins(self.session.summary())
        return summary

    def keyframe(self) -> bytes:
        """The whole map for a browser; made once for all who ask at the same moment."""
        seq = self.session.map.cursor.seq
        if self._keyframe[0] != seq:
            self._keyframe = (seq, codec.keyframe(self.session.map))
        return self._keyframe[1]

    def due(self) -> float | None:
        """When something happens to the session without anybody saying anything (Unix time).

        Nothing does to a recording that was taken in whole: its time is not ours.
        """
        about = self.session.map.about
        taken_in = str(about.get("origin", "")).startswith("import")
        if taken_in or self.copied or about.get("ended_at") is not None or self.session.recording.read_only:
            return None
        deadline = self.session.intake.deadline
        return self.silent_at() if deadline is None else min(deadline, self.silent_at())

    def silent_at(self) -> float:
        """When the session will have been silent for too long."""
        map = self.session.map
        return heard_at(map) + map.policy.session_silence

    @property
    def weight(self) -> int:
        """How much memory it takes, in nodes, edges and entries of history (some 0.7 KB each)."""
        map = self.session.map
        return len(map.nodes) + len(map.edges) + len(map.moment_at)

    def stop_timers(self) -> None:
        """Nothing happens to this session by itself any more."""
        for timer in (self.showing, self.waking):
            if timer is not None:
                timer.cancel()
        self.showing = self.waking = None


def pieces(deltas: Sequence[Delta]) -> list[bytes]:
    """The encoded deltas of each event, without brackets; each event's begin with ``Applied``."""
    starts = [i for i, delta in enumerate(deltas) if type(delta) is Applied]
    starts.append(len(deltas))
    return [codec.encode_deltas(deltas[first:last])[1:-1] for first, last in pairwise(starts)]
