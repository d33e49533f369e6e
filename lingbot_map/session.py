"""One dialogue, live and past: what was said goes to the log, then to the map; any moment comes back from both.

No task, no socket and no clock: ``now`` is given. ``at``, ``events``, ``deltas_block`` and ``recover`` may run on any
thread while another one applies events; everything else belongs to the thread that applies.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from lingbot_map import codec
from lingbot_map.deltas import Delta
from lingbot_map.errors import UnknownMoment
from lingbot_map.events import Described, EpochStarted, Event, PolicySet
from lingbot_map.graph import DialogueMap
from lingbot_map.intake import Intake
from lingbot_map.mapper import Mapper
from lingbot_map.policy import Policy
from lingbot_map.store import Recording, Store
from lingbot_map.store.mend import new_epoch
from lingbot_map.store.summary import Summary, summarize

BLOCK = 500
"""Events in a block of history."""
SNAPSHOT_EVERY_S = 30.0
SNAPSHOT_AGAIN_S = 3.0
SNAPSHOT_EVENTS = 4_000
"""Time alone bounds neither a recovery nor a seek, which load a snapshot and replay what came after it."""
_SNAPSHOT_SHARE = 10
"""A snapshot costs what the map holds: of a large one, none before a tenth as many events as it has nodes, or all of
them together would cost the square of it."""
_LONGEST = 20_000
"""After so many events without a snapshot ``apply`` makes one on the spot, if nobody asked ``snapshot_due``."""
_WORTH_KEEPING = 500
"""Fewer events than this are replayed in some 10 ms: closing a session then leaves no snapshot behind."""


class Session:
    """A session's map with the recording behind it. Make one with ``create`` or ``recover``."""

    def __init__(self, recording: Recording, mapper: Mapper) -> None:
        self.recording = recording
        self.key = recording.key
        self.id = recording.session
        self.mapper = mapper
        self.map = mapper.map
        self.intake = Intake(self.map)
        self._kept_seq = self.map.cursor.seq
        self._kept_at: float | None = None
        self._walker: Mapper | None = None
        self._walker_lock = threading.Lock()

    @classmethod
    def create(
        cls,
        store: Store,
        session: str,
        *,
        policy: Policy,
        facts: Mapping[str, Any],
        now: float,
        epoch: str = "",
    ) -> Session:
        """The session ``session``, begun now if the store does not know it: with an epoch, a policy and ``facts``."""
        made = cls.recover(store.create(session), now)
        if made.recording.read_only:
            return made
        begin = [] if made.map.cursor.seq else [made.intake.own(EpochStarted(epoch=epoch or new_epoch()), now)]
        if "policy" not in made.map.about:
            begin.append(made.intake.own(PolicySet(values=msgspec.to_builtins(policy)), now))
            begin.append(made.intake.own(Described(facts=dict(facts)), now))
        if begin:
            made.apply(begin)
            made.recount()  # the facts may say from where on its sources count
        return made

    @classmethod
    def copy(cls, store: Store, session: str, events: Sequence[Event]) -> Session:
        """A session that the store doesn't know, begun with the ``events`` of another log as they are."""
        made = cls.recover(store.create(session), events[0].at)
        made.apply(events)
        made.recount()
        return made

    @classmethod
    def recover(
        cls, recording: Recording, now: float, replayed: Callable[[Event], object] = lambda event: None
    ) -> Session:
        """The session as its recording has it: the newest good snapshot, then the tail of the log.

        ``replayed`` hears of each event of that tail. Of a long one snapshots are kept on the way, so that a start
        that is killed in the middle need not begin anew, and a look at the past needs no replay of the whole either.

        Whoever recovers at start does it within ``collector_off`` and calls ``gc.freeze()`` before that ends: a
        collection over 300,000 new objects stops the world for some 150 ms.
        """
        recording.recover(now)
        with collector_off():
            mapper = _restore(recording, None)
            kept, map = mapper.map.cursor.seq, mapper.map
            wait = _LONGEST
            for event in recording.events(kept + 1):
                mapper.apply(event)
                replayed(event)
                if map.seq - kept >= wait and not recording.read_only:
                    # Packing costs what the map holds: never more often than it has nodes, or a large one would double
                    # the time of its recovery.
                    wait = max(_LONGEST, len(map.nodes))
                    if recording.keep(map.seq, codec.pack(map)):
                        kept = map.seq
        session = cls(recording, mapper)
        session._kept_seq = kept
        return session

    # --- live ---

    def apply(self, events: Sequence[Event]) -> list[Delta]:
        """Log the events, then map them. What ``Recording.append`` raises comes through; then nothing was taken."""
        deltas: list[Delta] = []
        while events:
            room = max(1, _LONGEST - (self.map.cursor.seq - self._kept_seq))
            part, events = events[:room], events[room:]
            try:
                self.recording.append(part)
            except Exception:
                self.intake = Intake(self.map)  # it counted on what was not taken
                raise
            for event in part:
                deltas += self.mapper.apply(event)
            if self.map.cursor.seq - self._kept_seq >= _LONGEST:
                self.snapshot(part[-1].at)
        return deltas

    def recount(self) -> None:
        """Let intake go on where the map stands: events were applied that it did not place, or that tell it more."""
        self.intake = Intake(self.map)

    def snapshot_due(self, now: float) -> bool:
        """Whether something changed and 30 s or enough events (4,000, and more in a map of more than 40,000 nodes)
        have passed, or the log asks for one."""
        fresh = self.map.cursor.seq - self._kept_seq
        if self.recording.read_only or not (fresh or self.recording.wants_snapshot):
            return False
        if self._kept_at is None:
            self._kept_at = now
        waited = now - self._kept_at
        if self.recording.wants_snapshot:  # also where nothing is new: the last one may have met the error too
            return self.recording.trouble is None and waited >= SNAPSHOT_AGAIN_S
        enough = max(SNAPSHOT_EVENTS, min(len(self.map.nodes) // _SNAPSHOT_SHARE, _LONGEST))
        return fresh >= enough or waited >= SNAPSHOT_EVERY_S

    def pack(self, now: float) -> tuple[int, bytearray]:
        """(seq, map) for ``recording.keep``, which may then run on another thread."""
        self._kept_seq, self._kept_at = self.map.cursor.seq, now
        return self._kept_seq, codec.pack(self.map)

    def snapshot(self, now: float) -> bool:
        """Pack and keep."""
        return self.recording.keep(*self.pack(now))

    def summary(self) -> Summary:
        """The session's line in a list."""
        return summarize(self.map, self.key, case=self.recording.origin == "case")

    def close(self, now: float) -> None:
        """Leave the session so that the next one to open it has little to replay."""
        if not self.recording.read_only and self.map.cursor.seq - self._kept_seq >= _WORTH_KEEPING:
            self.snapshot(now)
        self.recording.close()

    # --- past ---

    def at(self, seq: int) -> DialogueMap:
        """The map as it was after event ``seq`` (0: empty), one's own to keep. Raises ``UnknownMoment``."""
        self._must_have(seq)
        with collector_off():
            return self._mapper_at(seq).map

    def events(self, first: int, last: int) -> list[Event]:
        """The events from ``first`` to ``last`` that the log has."""
        return list(self.recording.events(first, last))

    def deltas_block(self, block: int) -> bytes:
        """The deltas of events 500·block + 1 to 500·block + 500 as a JSON array. Raises ``UnknownMoment``."""
        first = block * BLOCK + 1
        last = min(first + BLOCK - 1, self.map.cursor.seq)
        self._must_have(first)
        with self._walker_lock:
            # Blocks are mostly read one after the other: the mapper that made the last one stands ready.
            walker, self._walker = self._walker, None
        with collector_off():
            if walker is None or walker.map.cursor.seq != first - 1:
                walker = self._mapper_at(first - 1)
            deltas: list[Delta] = []
            for event in self.recording.events(first, last):
                deltas += walker.apply(event)
        with self._walker_lock:
            self._walker = walker
        return codec.encode_deltas(deltas)

    def _must_have(self, seq: int) -> None:
        if not 0 <= seq <= self.map.cursor.seq:
            raise UnknownMoment(seq, self.map.cursor.seq)

    def _mapper_at(self, seq: int) -> Mapper:
        mapper = _restore(self.recording, seq)
        for event in self.recording.events(mapper.map.cursor.seq + 1, seq):
            mapper.apply(event)
        return mapper


def map_of(recording: Recording, last: int | None = None) -> DialogueMap:
    """The map as the log has it now, or as it stood after event ``last``: for who only looks. Nothing is mended, and
    nothing said of what is damaged."""
    last = recording.last_seq if last is None else last
    with collector_off():
        mapper = _restore(recording, last)
        for event in recording.events(mapper.map.cursor.seq + 1, last):
            mapper.apply(event)
    return mapper.map


def _restore(recording: Recording, last: int | None) -> Mapper:
    """A mapper at the newest usable snapshot up to ``last``; at the beginning if there is none."""
    if last != 0:
        for seq, packed in recording.snapshots(last):
            try:
                map = codec.unpack(packed)
            except (ValueError, msgspec.DecodeError):  # of another version: the log has everything
                continue
            if map.cursor.seq == seq:
                return Mapper(map)
    return Mapper(session=recording.session)


_loading = 0
_loading_lock = threading.Lock()


@contextmanager
def collector_off() -> Iterator[None]:
    """Without the collector a snapshot of 50,000 nodes loads in a quarter of the time; nothing made here is garbage.

    Several threads may load at once: the last to finish turns it on again.
    """
    global _loading
    with _loading_lock:
        _loading += 1
        if _loading == 1:
            gc.disable()
    try:
        yield
    finally:
        with _loading_lock:
            _loading -= 1
            if not _loading:
                gc.enable()
