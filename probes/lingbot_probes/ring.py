"""The bounded ring: the last 500 events, the numbers they carry, and the exact account of what was lost.

An event in the ring is a plain tuple ``(place, n, said_at, signal)``; the hot path is one ``deque.append`` without
a lock. Every session numbers its events 1, 2, 3 ... when they are made. Nothing counts drops while the bot works:
what was numbered, and is neither accounted for nor in the ring, is what was lost. So the account is exact, also for
a quiet session whose last event was pushed out by others.

The ring keeps its events after they were sent, so that a map attached late gets the recent history.
"""

from __future__ import annotations

import os
import sys
from collections import deque
from itertools import count

from lingbot_probes.runs import Numbers, Tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    Entry: TypeAlias = tuple["Place", int, float | None, dict[str, Any] | tuple[Any, ...]]

SESSIONS = 4_096
"""Sessions whose numbering is remembered; beyond it the idle, fully accounted ones are let go."""

SETTLE = 0.1
"""Seconds after which a number that was made and is nowhere to be seen counts as lost. A number is taken and its
event appended two instructions apart; a thread may be put aside between them."""

ATTEMPTS = 20
"""So often an account is read until nothing happened meanwhile; one that is read in a storm may be an event off."""


class Session:
    """One dialogue as this process numbers it."""

    __slots__ = (
        "_counter", "_made", "_made_at", "again", "done", "gone", "id", "number", "refused", "sent", "settled",
        "source", "unsure",
    )  # fmt: skip

    def __init__(self, id: str, source: str) -> None:
        self.id = id
        self.restart(source)

    def restart(self, source: str) -> None:
        """Number from 1 again, for a new source."""
        self.source = source
        self._counter = count(1)
        self.number: Callable[[], int] = self._counter.__next__
        self.done = Numbers()  # accepted by the map, or lost and told
        self.gone = Tally()  # lost and told
        self.refused = Tally()
        self.unsure = Numbers()  # delivered, but whether a map took them was never answered
        self.settled = 0  # the highest number that is no longer on its way into the ring
        self._made, self._made_at = 0, 0.0
        self.sent, self.again = 0, 0.0  # delivered but not acknowledged up to ``sent``: not again before ``again``

    def doubt(self, n: int) -> None:
        """It was delivered, and no answer has come. Of too many doubts the oldest are taken for lost."""
        self.unsure.add(n, n)
        self.unsure.forget()

    def acked(self, first: int, last: int) -> None:
        """A map has these, also where an earlier answer made them look lost."""
        self.done.add(first, last)
        for wrong in (self.unsure, self.gone):
            if wrong.runs:
                wrong.discard(first, last)

    def lost(self, first: int, last: int) -> None:
        """These are no longer here. Those that may have arrived aren't called lost until a map says that it has not."""
        for start, end in self.done.holes(first, last):
            self.gone.add(start, end)
        for start, end in self.unsure.runs:
            self.gone.discard(start, end)
        self.done.add(first, last)

    def answered(self, numbered: int) -> None:
        """A map has named all that it has, up to ``numbered``: what it has not named did not arrive."""
        for first, last in [run for run in self.unsure.runs if run[0] <= numbered]:
            last = min(last, numbered)
            for n in range(first, last + 1):
                if n in self.done:  # the others stand in the ring and come again
                    self.gone.add(n, n)
            self.unsure.discard(first, last)

    def refuse(self, n: int) -> None:
        """The map found fault with it: it is neither there nor to be sent again."""
        self.done.add(n, n)
        self.refused.add(n, n)
        self.unsure.discard(n)

    def delivered(self) -> int:
        """How many a map has acknowledged."""
        unknown = sum(self.done.within(first, last) for first, last in self.unsure.runs)
        return self.done.total() - self.gone.total() - self.refused.total() - unknown

    def made(self) -> int:
        """The highest number made. A counter shows its next value, "count(58)": asking costs the hot path nothing."""
        return int(repr(self._counter)[6:-1]) - 1

    def settle(self, now: float) -> None:
        if now - self._made_at >= SETTLE:
            self.settled = self._made
            self._made, self._made_at = self.made(), now


class Place:
    """Where an event stands: its session and the opaque id of its turn ("" = none said)."""

    __slots__ = ("failure", "open", "session", "turn")

    def __init__(self, session: Session, turn: str = "") -> None:
        self.session = session
        self.turn = turn
        self.open = False  # a turn in progress
        self.failure = 0  # identity of the exception that was last told, so that it is told once on its way up


class Parcel:
    """What one source has to say now: events in the order of their numbers, and how far each session has numbered."""

    __slots__ = ("entries", "lost", "masked", "numbered", "sessions", "shown")

    def __init__(self) -> None:
        self.sessions: dict[str, Session] = {}
        self.masked: dict[str, str] = {}  # ids of sessions that leave under another name,
        self.shown: dict[str, str] = {}  # and back
        self.entries: list[Entry] = []
        self.numbered: dict[str, int] = {}
        self.lost: list[tuple[Session, int, int]] = []

    def put(self, session: Session, entries: list[Entry], numbered: int, lost: list[tuple[int, int]]) -> None:
        self.sessions[session.id] = session
        self.entries += entries
        if numbered:
            self.numbered[session.id] = numbered
        self.lost += [(session, first, last) for first, last in lost]

    def known(self, shown: str) -> Session | None:
        """The session that a map calls ``shown``."""
        return self.sessions.get(self.shown.get(shown, shown))


class Ring:
    """The events of one probe and the sessions they belong to."""

    def __init__(self, capacity: int) -> None:
        self.entries: deque[Entry] = deque(maxlen=capacity)
        self.append = self.entries.append
        self.sessions: dict[str, Session] = {}
        self.forgotten = 0  # lost events of sessions that were let go before a map could be told
        self._unaccounted: dict[Session, None] = {}
        self._last: Entry | None = None  # the newest event that was looked at
        self._generation = 0
        self._limit = 2 * SESSIONS
        self.source = os.urandom(9).hex()

    # -- sessions ----------------------------------------------------------------------------------------------

    def session(self, id: str) -> Session:
        found = self.sessions.get(id)
        if found is None:
            if len(self.sessions) >= self._limit:
                self.evict(force=True)
                self._limit = max(2 * SESSIONS, 2 * len(self.sessions))  # all in use: don't search each time
            generation = self._generation
            source = f"{self.source}.{generation}" if generation else self.source
            found = self.sessions.setdefault(id, Session(id, source))
        return found

    def evict(self, *, force: bool = False) -> None:
        """Let go of sessions that nothing points to (no scope, no event in the ring) and that are accounted for.

        A session that comes back is numbered from 1 again and must not be taken for the one that the map knows:
        every session made from now on belongs to another source. ``force`` also lets go of losses nobody was told.
        """
        if len(self.sessions) < SESSIONS:
            return
        self._generation += 1  # before the first one goes
        for session in list(self.sessions.values()):
            # the registry, the list, this name and the argument: four references, and one of the unaccounted
            held = sys.getrefcount(session) > 4 + (session in self._unaccounted)
            made = session.made()
            if held or not (force or session.done.full(made)):
                continue
            self.forgotten += sum(last - first + 1 for first, last in session.done.missing(made))
            self._unaccounted.pop(session, None)
            del self.sessions[session.id]

    def renew(self) -> None:
        """Begin anew in a forked child: empty, another source, every session numbered from 1."""
        self.entries.clear()
        self._unaccounted.clear()
        self._last, self._generation, self.forgotten = None, 0, 0
        self.source = os.urandom(9).hex()
        for session in self.sessions.values():
            session.restart(self.source)

    # -- what is to be sent ------------------------------------------------------------------------------------

    def copy(self) -> list[Entry]:
        while True:
            try:
                return list(self.entries)
            except RuntimeError:  # another thread appended meanwhile
                continue

    def fresh(self) -> bool:
        """Whether something was appended since ``parcels`` looked."""
        try:
            return self.entries[-1] is not self._last
        except IndexError:
            return False

    def _notice(self, entries: list[Entry]) -> None:
        """Put every session on the list that may have something to send or a loss to tell."""
        if self._last is not None and any(entry is self._last for entry in reversed(entries)):
            for entry in reversed(entries):
                if entry is self._last:
                    break
                self._unaccounted[entry[0].session] = None
        else:  # the ring went round since: a quiet session's events may have come and gone unseen
            for session in list(self.sessions.values()):
                if not session.done.full(session.made()):
                    self._unaccounted[session] = None
        if entries:
            self._last = entries[-1]

    def parcels(self, now: float, *, leaving: bool = False) -> dict[str, Parcel]:
        """What each source has to say now. ``leaving``: nothing is on its way any more, so nothing is waited for."""
        entries = self.copy()
        self._notice(entries)
        waiting: dict[Session, list[Entry]] = {}
        for entry in entries:
            session = entry[0].session
            if session in self._unaccounted and entry[1] not in session.done:
                waiting.setdefault(session, []).append(entry)
        out: dict[str, Parcel] = {}
        for session in list(self._unaccounted):
            mine = sorted(waiting.get(session, ()), key=_number)
            session.settle(now)
            made = session.made()
            if not mine and session.done.full(made):
                del self._unaccounted[session]
                continue
            numbered = made if leaving else session.settled
            lost = _holes(session.done, mine, numbered)
            if not lost and now < session.again:
                mine = [entry for entry in mine if entry[1] > session.sent]
            if mine or lost:
                out.setdefault(session.source, Parcel()).put(session, mine, numbered, lost)
        return out

    def outstanding(self) -> bool:
        """Whether anything made so far is neither accepted nor lost and told."""
        return any(not session.done.full(session.made()) for session in list(self.sessions.values()))

    def unfinished(self) -> bool:
        """Whether ``parcels`` has to be asked again although nothing new is made."""
        return bool(self._unaccounted)

    def again(self) -> None:
        """Another map is listening: it gets the whole recent history."""
        for place, n, _, _ in self.copy():
            place.session.done.discard(n)
            place.session.refused.discard(n)
            place.session.again = 0.0
            self._unaccounted[place.session] = None

    def dropped(self) -> dict[str, int]:
        """How many events of each session were pushed out before a map had them; only sessions with a loss."""
        here: dict[Session, list[Entry]] = {}
        for entry in self.copy():
            here.setdefault(entry[0].session, []).append(entry)
        out = {}
        for session in list(self.sessions.values()):
            made = session.made()
            holes = () if session.done.full(made) else _holes(session.done, here.get(session, []), made)
            # a hole that may have arrived is not called lost
            fresh = sum(last - first + 1 - session.unsure.within(first, last) for first, last in holes)
            lost = session.gone.total() + fresh
            if lost:
                out[session.id] = lost
        return out

    def account(self) -> dict[str, Any]:
        """What became of all that was made: it is acked, lost, refused, unconfirmed or waiting, each exactly once.

        The sender and the bot go on meanwhile: what was read of before and after something happened is read again.
        """
        for _ in range(ATTEMPTS):
            found = self._account()
            parts = sum(found[part] for part in ("acked", "lost", "refused", "unconfirmed", "waiting"))
            if parts == found["made"] + self.forgotten:
                break
        return found

    def _account(self) -> dict[str, Any]:
        dropped, sessions = self.dropped(), list(self.sessions.values())
        return {
            "sessions": len(sessions),
            "made": sum(session.made() for session in sessions),
            "acked": sum(session.delivered() for session in sessions),
            "unconfirmed": self.unconfirmed(),
            "waiting": self.waiting(),
            "held": len(self.entries),
            "dropped": dropped,
            "lost": sum(dropped.values()) + self.forgotten,
            "refused": sum(session.refused.total() for session in sessions),
        }

    def waiting(self) -> int:
        """How many events are here and neither acknowledged nor refused."""
        return sum(1 for place, n, _, _ in self.copy() if n not in place.session.done)

    def unconfirmed(self) -> int:
        """How many events are no longer here and may have arrived: they were delivered, and no answer came."""
        total = sum(session.unsure.total() for session in list(self.sessions.values()))
        return total - sum(1 for place, n, _, _ in self.copy() if n in place.session.unsure) if total else 0


def _number(entry: Entry) -> int:
    return entry[1]


def _holes(done: Numbers, entries: Iterable[Entry], top: int) -> list[tuple[int, int]]:
    """The runs of 1..top that are neither accounted for nor among ``entries``."""
    if done.full(top):
        return []
    known = Numbers()
    known.runs = [list(run) for run in done.runs]
    for entry in entries:
        known.add(entry[1], entry[1])
    return known.missing(top)
