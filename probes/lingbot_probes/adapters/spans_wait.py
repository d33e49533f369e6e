"""Which spans make one turn, as they come: when they end, in any order, some twice, the root last or never.

A trace waits until its root has ended. One that never does is told when somebody who has a clock asks for what is
overdue. Whatever comes for a trace that was told follows in its turn.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from lingbot_probes.adapters.spans import MOST_SPANS, session_of
from lingbot_probes.adapters.spans_read import Span

MOST_WEIGHT = 128 << 20
"""Characters of their attributes at most; a request of 20 MiB may be a handful of spans."""

MOST_TOLD = 200_000
"""Spans that were told and are known again, the latest: so long may a sender try to get one through."""


@dataclass(slots=True)
class Group:
    """Spans of one trace that are to be told together, in ``session`` and as of ``source``.

    ``late``: its turn was told before, and these go on with it. ``turn`` is then the id of that.
    """

    trace: str
    source: str
    session: str
    spans: list[Span]
    late: bool = False
    turn: str = ""


@dataclass(slots=True)
class _Waiting:
    source: str
    came: float
    spans: dict[str, Span] = field(default_factory=dict)
    weight: int = 0
    ended: bool = False  # its root has
    entered: bool = False  # a span has ended whose parent is in another process
    meant: bool = False  # it has to do with a dialogue
    named: bool = False  # one of its spans names the session


@dataclass(slots=True)
class _Told:
    source: str
    session: str
    turn: str
    spans: set[str]


class Traces:
    """Spans in, one by one; groups out. ``aside`` counts those of traces that had nothing to do with a dialogue."""

    def __init__(self) -> None:
        """Nothing waits and nothing was told."""
        self.aside = 0
        self.count = 0
        self.weight = 0
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()
        self._late: dict[str, list[Span]] = {}
        self._told: OrderedDict[str, _Told] = OrderedDict()
        self._known = 0

    def take(self, span: Span, source: str = "", now: float = 0.0) -> bool:
        """One more span, at the time ``now``; False if it was here before."""
        told = self._told.get(span.trace)
        if told is not None:
            if span.id in told.spans:
                return False
            told.spans.add(span.id)
            self._known += 1
            self._late.setdefault(span.trace, []).append(span)
            return True
        waiting = self._waiting.get(span.trace)
        if waiting is None:
            waiting = self._waiting[span.trace] = _Waiting(source, now)
        if span.id in waiting.spans:
            return False
        waiting.spans[span.id] = span
        waiting.came = now
        waiting.meant = waiting.meant or bool(span.kind)
        waiting.named = waiting.named or bool(span.session)
        if not span.parent:
            waiting.ended, waiting.source = True, source
        elif span.entry:
            waiting.entered = True
        weight = _weight(span)
        waiting.weight += weight
        self.count, self.weight = self.count + 1, self.weight + weight
        return True

    def waits(self, trace: str) -> bool:
        """Whether the trace is held."""
        return trace in self._waiting

    def complete(self, traces: Iterable[str]) -> list[Group]:
        """What of ``traces`` can be told now, and what must be because too much waits."""
        groups = []
        for trace in dict.fromkeys(traces):
            late = self._late.pop(trace, None)
            if late is not None:
                told = self._told[trace]
                groups.append(Group(trace, told.source, told.session, late, True, told.turn))
            elif (waiting := self._waiting.get(trace)) is not None and waiting.ended and waiting.meant:
                groups.append(self._group(trace))
        while self.count > MOST_SPANS or self.weight > MOST_WEIGHT:
            groups += self._given_up(next(iter(self._waiting)))
        return groups

    def overdue(self, now: float, silence: float, entered: float) -> list[Group]:
        """What has waited in vain: since its last span ``silence`` has passed, or ``entered`` where what was entered
        from elsewhere has ended in a session that is known."""
        due = [
            trace
            for trace, waiting in self._waiting.items()
            if now - waiting.came >= (entered if waiting.entered and waiting.named else silence)
        ]
        return [group for trace in due for group in self._given_up(trace)]

    def rest(self) -> list[Group]:
        """All that waits, in the order in which it began to."""
        return [group for trace in list(self._waiting) for group in self._given_up(trace)]

    def told(self, group: Group, session: str, turn: str) -> None:
        """The group was told in ``session``, at last in ``turn``: what comes for its trace follows there."""
        if group.late:
            return
        self.remember(group.trace, group.source, session, turn, {span.id for span in group.spans})

    def remember(self, trace: str, source: str, session: str, turn: str, spans: set[str]) -> None:
        """The ``spans`` of a trace were told, now or before a restart."""
        known = self._told.pop(trace, None)
        if known is not None:
            self._known -= len(known.spans)
            spans |= known.spans
        self._told[trace] = _Told(source, session, turn, spans)
        self._known += len(spans)
        while self._known > MOST_TOLD and len(self._told) > 1:
            oldest = next(iter(self._told))
            if oldest in self._late:
                break
            self._known -= len(self._told.pop(oldest).spans)

    def _given_up(self, trace: str) -> list[Group]:
        if self._waiting[trace].meant:
            return [self._group(trace)]
        self.aside += len(self._group(trace).spans)
        return []

    def _group(self, trace: str) -> Group:
        waiting = self._waiting.pop(trace)
        self.count -= len(waiting.spans)
        self.weight -= waiting.weight
        spans = list(waiting.spans.values())
        return Group(trace, waiting.source, session_of(spans), spans)


def _weight(span: Span) -> int:
    """About how many characters its attributes hold."""
    return 200 + sum(
        len(value) if type(value) is str else len(str(value)) if type(value) in (list, dict) else 10
        for value in span.attributes.values()
    )
