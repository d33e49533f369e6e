"""Order, repeats, gaps and turn numbers: what stands between what sources say and the log of one session.

Pure: time is given. What it must remember beyond a restart is in the map (how far each source has come, which turns
there are); of its own it holds only signals that came before their turn, for at most 500 of them or one second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lingbot_map.events import AnySignal, Event, Gap, OwnSignal, Tick
from lingbot_map.graph import DialogueMap
from lingbot_probes.codec import MAX_NUMBER
from lingbot_probes.signals import Numbered, Retrieved, SessionEnded, TurnStarted

HELD_MOST = 500
HELD_LONGEST = 1.0  # seconds
ACKED_MOST = 100  # ranges of numbers that an answer acknowledges beside those of the batch itself
_EARLIEST = 946_684_800.0  # 2000-01-01: an earlier stamp is no time of a dialogue
_DAY = 24 * 3600.0
_HOUR = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed(Numbered):
    """A signal out of a log: ``at`` is the time that a map gave it there, and counts instead of its source's clock."""

    at: float


def stamp_of(item: Numbered) -> float | None:
    """When a recorded signal was said, as far as that is known."""
    return item.at if type(item) is Placed else item.said_at


@dataclass(slots=True)
class Taken:
    """What a batch came to.

    ``events`` are to be logged and applied, in order; ``acked`` are the ranges of numbers to acknowledge;
    ``repeated`` counts those known before.
    """

    events: list[Event] = field(default_factory=list)
    acked: list[tuple[int, int]] = field(default_factory=list)
    repeated: int = 0


@dataclass(slots=True)
class _Arrivals:
    """How far one source has come: all up to ``mark`` but for the ``missing`` ranges; ``held`` came too early."""

    mark: int = 0
    missing: list[list[int]] = field(default_factory=list)
    held: dict[int, Numbered] = field(default_factory=dict)
    held_since: float = 0.0

    def skip(self, mark: int) -> None:
        """Nothing up to ``mark`` is waited for."""
        self.mark = max(self.mark, mark)
        self.missing = [[max(first, mark + 1), last] for first, last in self.missing if last > mark]


class Intake:
    """Gives each accepted signal of a session its place. One for each live session."""

    def __init__(self, map: DialogueMap) -> None:
        """Goes on where ``map`` stands. From here on it counts itself: log and apply what it returns, in order."""
        self._map = map
        self._session = map.session
        self._seq = map.seq
        self._at = map.at
        self._turn = map.turn
        self._turns: dict[str, int] = dict(map.turn_numbers)
        self._sources = {
            key: _Arrivals(source.mark, [list(span) for span in source.missing]) for key, source in map.sources.items()
        }
        for key, mark in read_marks(map.about.get("skipped")).items():
            self._sources.setdefault(key, _Arrivals()).skip(mark)

    @property
    def marks(self) -> dict[str, int]:
        """How far each source has come: up to there every number has been placed, missed or skipped."""
        return {key: arrivals.mark for key, arrivals in self._sources.items()}

    @property
    def deadline(self) -> float | None:
        """When ``release`` has something to do next, if nothing comes before."""
        held = [a.held_since + HELD_LONGEST for a in self._sources.values() if a.held]
        expiry = self._map.next_deadline
        if expiry is not None:
            held.append(expiry)
        return min(held) if held else None

    def take(
        self,
        source: str,
        items: Sequence[Numbered],
        now: float,
        *,
        numbered: int = 0,
        recorded: bool = False,
        hits: Callable[[str], int | None] | None = None,
    ) -> Taken:
        """Place one source's signals of this session.

        ``numbered`` is the highest number that the source has given in this session: what is below it and neither
        here nor accepted before is lost for good, and becomes a gap at once. ``recorded`` says that the signals
        come from a recording: then events take the recorded time where it is sane, instead of ``now``. ``hits``
        gives a document's hits in seven days, which are written into the event where the source said none.

        Where ``numbered`` is said, everything that was ever accepted from the source is acknowledged, not only what
        is in the batch: a source whose last answer was lost (the map was killed) learns that nothing else was.
        """
        taken = Taken()
        arrivals = self._sources.get(source)
        if arrivals is None:
            arrivals = self._sources[source] = _Arrivals()
        times = self._times(items, now) if recorded else None
        handled: list[int] = []
        for i, item in enumerate(items):
            n = item.n
            at = times[i] if times is not None else now
            if recorded and n > arrivals.mark + 1 and not arrivals.held:
                # A recording has its order: what it jumps over never comes, and the gap is as old as what follows.
                self._declare(source, arrivals, n - 1, at, taken.events, "dropped")
            if n == arrivals.mark + 1:
                arrivals.mark = n
                taken.events.append(self._event(source, item, at, hits))
                if arrivals.held:
                    self._follow(source, arrivals, at, taken.events, hits)
            elif n > arrivals.mark:
                if n in arrivals.held:
                    taken.repeated += 1
                else:
                    if not arrivals.held:
                        arrivals.held_since = now
                    arrivals.held[n] = item
                    if len(arrivals.held) >= HELD_MOST:
                        self._give_up(source, arrivals, at, taken.events, "late", hits)
                continue
            elif _remove(arrivals.missing, n):
                taken.events.append(self._event(source, item, at, hits, late=True))
            else:
                taken.repeated += 1
            handled.append(n)
        if numbered > arrivals.mark:
            self._prove(source, arrivals, numbered, now, taken.events, hits)
        handled.extend(item.n for item in items if item.n <= arrivals.mark)
        taken.acked = _accepted(arrivals, handled) if numbered else ranges(handled)
        return taken

    def release(self, now: float, hits: Callable[[str], int | None] | None = None) -> list[Event]:
        """What time has decided: what was held for too long follows behind a gap; a tick where nodes are due."""
        events: list[Event] = []
        for source, arrivals in self._sources.items():
            if arrivals.held and now - arrivals.held_since >= HELD_LONGEST:
                self._give_up(source, arrivals, now, events, "late", hits)
        expiry = self._map.next_deadline
        if expiry is not None and expiry <= now and not events:
            events.append(self.own(Tick(), now))
        return events

    def own(self, signal: OwnSignal | SessionEnded, now: float) -> Event:
        """A statement of the map's own, placed."""
        self._seq += 1
        self._at = max(self._at, now)
        return Event(session=self._session, seq=self._seq, at=self._at, signal=signal, turn=self._turn)

    # --- placing -------------------------------------------------------------------------------------------------

    def _event(
        self,
        source: str,
        item: Numbered,
        at: float,
        hits: Callable[[str], int | None] | None,
        late: bool = False,
    ) -> Event:
        self._seq += 1
        if at > self._at:
            self._at = at
        signal: AnySignal = item.signal
        kind = type(signal)
        turn_id = item.turn
        if kind is TurnStarted:
            turn_id = signal.turn or turn_id  # type: ignore[union-attr]
        turn, opened = self._number(turn_id, kind is TurnStarted)
        if kind is Retrieved and hits is not None:
            signal = _with_hits(signal, hits)  # type: ignore[arg-type]
        return Event(
            session=self._session,
            seq=self._seq,
            at=self._at,
            signal=signal,
            source=source,
            n=item.n,
            turn=turn,
            turn_id=turn_id if opened else "",
            said_at=item.said_at,
            late=late,
            masked=item.masked,
        )

    def _number(self, turn_id: str, starts: bool) -> tuple[int, bool]:
        """(the turn's number, whether this event opens it).

        Without an id it is the current turn, or the next one if the event starts a turn.
        """
        if turn_id:
            number = self._turns.get(turn_id)
            if number is not None:
                return number, False
            self._turn += 1
            self._turns[turn_id] = self._turn
            return self._turn, True
        if starts:
            self._turn += 1
            return self._turn, True
        return self._turn, False

    def _follow(
        self,
        source: str,
        arrivals: _Arrivals,
        at: float,
        events: list[Event],
        hits: Callable[[str], int | None] | None,
    ) -> None:
        while (item := arrivals.held.pop(arrivals.mark + 1, None)) is not None:
            arrivals.mark += 1
            events.append(self._event(source, item, at, hits))

    def _give_up(
        self,
        source: str,
        arrivals: _Arrivals,
        now: float,
        events: list[Event],
        why: str,
        hits: Callable[[str], int | None] | None,
        upto: int | None = None,
    ) -> None:
        """Declare the holes below what is held (and below ``upto``) as gaps, and let what is held follow."""
        while arrivals.held:
            first = min(arrivals.held)
            if upto is not None and first > upto + 1:
                break
            if first > arrivals.mark + 1:
                self._declare(source, arrivals, first - 1, now, events, why)
            self._follow(source, arrivals, now, events, hits)

    def _prove(
        self,
        source: str,
        arrivals: _Arrivals,
        numbered: int,
        now: float,
        events: list[Event],
        hits: Callable[[str], int | None] | None,
    ) -> None:
        self._give_up(source, arrivals, now, events, "dropped", hits, upto=numbered)
        if numbered > arrivals.mark:
            self._declare(source, arrivals, numbered, now, events, "dropped")
            self._follow(source, arrivals, now, events, hits)

    def _declare(self, source: str, arrivals: _Arrivals, last: int, now: float, events: list[Event], why: str) -> None:
        first = arrivals.mark + 1
        arrivals.missing.append([first, last])
        arrivals.mark = last
        events.append(self.own(Gap(source=source, first=first, last=last, why=why), now))

    def _times(self, items: Sequence[Numbered], now: float) -> list[float]:
        """A time for each recorded signal: its own where it is sane, else that of the one before it.

        A stamp is not believed when it lies before 2000 or after tomorrow, or when the next one says that it was more
        than an hour earlier: one wild stamp then doesn't move the clock for all that follow.
        """
        stamps = [stamp_of(item) for item in items]
        out: list[float] = []
        at = self._at
        for i, stamp in enumerate(stamps):
            if stamp is not None and _EARLIEST <= stamp <= now + _DAY and stamp > at:
                following = next((s for s in stamps[i + 1 : i + 4] if s is not None), None)
                if following is None or following >= stamp - _HOUR:
                    at = stamp
            out.append(at or now)
        return out


def read_marks(said: object) -> dict[str, int]:
    """``said``, which comes from a file, as numbers by source; what is none is left out."""
    if type(said) is not dict:
        return {}
    return {source: n for source, n in said.items() if type(n) is int and 0 < n <= MAX_NUMBER}


def _with_hits(signal: Retrieved, hits: Callable[[str], int | None]) -> Retrieved:
    if all(doc.hits is not None for doc in signal.docs):
        return signal
    return replace(
        signal, docs=tuple(doc if doc.hits is not None else replace(doc, hits=hits(doc.id)) for doc in signal.docs)
    )


def _remove(spans: list[list[int]], n: int) -> bool:
    for i, (first, last) in enumerate(spans):
        if first <= n <= last:
            spans[i : i + 1] = [[a, b] for a, b in ((first, n - 1), (n + 1, last)) if a <= b]
            return True
    return False


def _accepted(arrivals: _Arrivals, handled: Iterable[int]) -> list[tuple[int, int]]:
    """All that has come from a source, of a source with many gaps the newest; what was just handled in any case."""
    runs, expected = [], 1
    for first, last in sorted(arrivals.missing):
        if first > expected:
            runs.append((expected, first - 1))
        expected = last + 1
    if expected <= arrivals.mark:
        runs.append((expected, arrivals.mark))
    if len(runs) <= ACKED_MOST:
        return runs
    runs = runs[-ACKED_MOST:]
    return ranges(n for n in handled if n < runs[0][0]) + runs


def ranges(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """The numbers as runs (first, last), in order."""
    out: list[list[Any]] = []
    for n in sorted(set(numbers)):
        if out and out[-1][1] == n - 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return [(first, last) for first, last in out]
