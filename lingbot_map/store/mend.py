"""What a recovery makes of a log: which parts are good, what is lost, and what has to be said about it.

Only the tail after the newest good snapshot is read. Rules: a damaged line costs its event and nothing else; recovered
events keep their seq; what is lost is declared by a gap at the end, and followed by a new epoch, so that nobody who
saw more takes what comes next for what he knows.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field

from lingbot_map.events import EpochStarted, Event, Gap
from lingbot_map.store.lines import read_event
from lingbot_map.store.log import Bad, Good, find, walk

_IS_GAP = re.compile(rb'"kind":"gap"')
_IS_EPOCH = re.compile(rb'"kind":"epoch_started"')


FARTHEST = 5_000_000
"""No loss is so large, for no session is: a seq that jumps further is damage, or somebody's bad joke."""


@dataclass(slots=True)
class Tail:
    """The end of a log as it was found, from the event ``anchor`` (0: from the beginning) on."""

    start: int
    good: list[tuple[int, int]] = field(default_factory=list)  # byte ranges, joined where they touch
    bad: list[Bad] = field(default_factory=list)
    lost: list[tuple[int, int]] = field(default_factory=list)
    last: Good | None = None
    last_seq: int = 0
    epoch: bytes | None = None

    @property
    def end(self) -> int:
        """Where the last good event ends."""
        return self.good[-1][1] if self.good else self.start

    @property
    def inner(self) -> list[Bad]:
        """The damage that has good events after it."""
        return [part for part in self.bad if part.start < self.end]


def read_tail(fd: int, session: str, begin: int, size: int, anchor: int, known: int) -> Tail | None:
    """The tail from the event ``anchor`` on; None if the log doesn't have that event.

    ``known`` is a seq that was once on the disk: what is missing up to it is lost too.
    """
    start = find(fd, begin, size, anchor) if anchor else begin
    tail = Tail(start)
    previous = anchor
    jumps: list[tuple[int, int]] = []
    declared: list[tuple[int, int]] = []
    for item in walk(fd, start, size):
        if isinstance(item, Bad):
            tail.bad.append(item)
            continue
        if tail.last is None and anchor:
            if item.seq != anchor:
                return None
        elif not previous < item.seq <= previous + FARTHEST:
            reason = "again" if item.seq <= previous else "much too far"
            tail.bad.append(Bad(item.start, item.end, f"seq {item.seq} {reason} after {previous}"))
            continue
        elif item.seq > previous + 1:
            jumps.append((previous + 1, item.seq - 1))
        if _IS_GAP.search(item.covered):
            signal = read_event(session, item.covered, 0.0).signal
            if isinstance(signal, Gap) and not signal.source and signal.why == "damaged":
                declared.append((signal.first, signal.last))
        elif _IS_EPOCH.search(item.covered):
            tail.epoch = item.covered
        previous, tail.last = item.seq, item
        if tail.good and tail.good[-1][1] == item.start:
            tail.good[-1] = (tail.good[-1][0], item.end)
        else:
            tail.good.append((item.start, item.end))
    if anchor and tail.last is None:
        return None
    known = min(known, previous + FARTHEST)
    if known > previous:
        jumps.append((previous + 1, known))
    tail.last_seq = max(previous, known)
    tail.lost = [part for jump in jumps for part in _without(jump, declared)]
    return tail


def _without(span: tuple[int, int], others: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """``span`` less ``others``, as ranges."""
    first, last = span
    left = []
    for a, b in sorted(others):
        if b < first or a > last:
            continue
        if a > first:
            left.append((first, a - 1))
        first = b + 1
    return [*left, (first, last)] if first <= last else left


def statements(session: str, tail: Tail, now: float) -> list[Event]:
    """What the map has to say at the end of the log: a gap for each loss, then the new epoch.

    It is said at the time of the last event: a recovery years later must not let years pass on the map.
    """
    last = read_event(session, tail.last.covered, 0.0) if tail.last else None
    at, turn = (last.at, last.turn) if last else (now, 0)
    signals: list[Gap | EpochStarted] = [
        Gap(source="", first=first, last=last_lost, why="damaged") for first, last_lost in tail.lost
    ]
    signals.append(EpochStarted(epoch=new_epoch(), why="recovered"))
    return [
        Event(session=session, seq=tail.last_seq + i, at=at, turn=turn, signal=signal)
        for i, signal in enumerate(signals, 1)
    ]


def new_epoch() -> str:
    """A name that no epoch had before."""
    return secrets.token_hex(8)
