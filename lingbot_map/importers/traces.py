"""Traces of any dialect: sessions of turns, told by time, whatever the order of the file.

A file is gone through twice. First each record is looked at for its trace, its session and its time; then one session
is told after the other, its traces in order of time, because exporters write spans as they end and downloads begin with
the newest.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, Protocol

from lingbot_map.errors import BadInput, TooLarge
from lingbot_map.importers.imported import ImportedSession, Reading
from lingbot_map.importers.limits import LIMITS
from lingbot_map.importers.lines import Index, Places, read_places
from lingbot_map.importers.records import BadRecord
from lingbot_map.importers.shape import Shape
from lingbot_map.importers.spans_heads import Head
from lingbot_map.importers.spans_places import Packed, places
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.adapters.spans import MOST_SPANS
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import Numbered

_NEVER = float("inf")
_REMEDY = "split it and import the parts"
_TRACES = 1_000_000  # in a file; bounds the memory for what is known of each to some 400 MB
_SHOWN = 200  # turns whose order in the file is kept where it is another than that in time


class Held(Protocol):
    """What a record holds: a span, or a trace itself. ``id`` tells it from the others of its trace."""

    @property
    def trace(self) -> str: ...
    @property
    def id(self) -> str: ...


class Teller(Protocol):
    """Turns of one session in, trace by trace; numbered signals out."""

    scribe: Scribe

    def tell(self, spans: list[Any], /) -> list[Numbered]: ...


class Dialect(NamedTuple):
    """How the records of one tool are read.

    ``head`` says where a record belongs, ``read`` what it holds; both raise ``BadRecord`` or ``SignalError`` for what
    is none. ``teller`` is made of a session's id and what is to be told of it besides. ``expected`` are the records
    that were looked for, as an error words it.
    """

    head: Callable[[bytes], Head]
    read: Callable[[object], list[Any]]
    teller: Callable[[str, Mapping[str, Any] | None], Teller]
    expected: str


class _Trace:
    """What is known of a trace before it is told."""

    __slots__ = ("begun", "first", "id", "meant", "mixed", "number", "root", "rooted", "spans", "told")

    def __init__(self, id: str, number: int) -> None:
        self.id = id
        self.number = number  # among the traces of the file, as they first appear in it
        self.told = 0  # among those of its session, as they are told
        self.spans = 0
        self.root = self.first = ""  # the session that the root names, and the first that any span does
        self.mixed = False  # whether its spans name several
        self.rooted = self.begun = _NEVER
        self.meant = False

    def met(self, head: Head) -> None:
        """One more span of it."""
        _, session, root, start, meant = head
        self.spans += 1
        if meant:
            self.meant = True
        if session:
            self.first = self.first or session
            if session != self.first:
                self.mixed = True
            if root:
                self.root = self.root or session
        if start is not None:
            if start < self.begun:
                self.begun = start
            if root and start < self.rooted:
                self.rooted = start

    @property
    def session(self) -> str:
        """The session that it belongs to."""
        return self.root or self.first or (self.id if self.id.startswith("trace_") else f"trace {self.id}")

    def at(self) -> tuple[float, int]:
        """When it begins: its root's time, which a span that comes late can't change; then its place in the file."""
        return self.begun if self.rooted == _NEVER else self.rooted, self.number


class _Session:
    """The spans of one session, trace by trace, in; signals out when a trace is whole."""

    def __init__(self, dialect: Dialect, conversation: Teller, reading: Reading) -> None:
        self.scribe = conversation.scribe
        self._read = dialect.read
        self._conversation = conversation
        self._reading = reading
        self._spans: list[Held] = []
        self._ids: set[str] = set()
        self._trace = ""
        self._bad = 0

    def take(self, record: object) -> list[Numbered]:
        """One more record. Raises ``SignalError`` for what is none."""
        said: list[Numbered] = []
        for span in self._read(record):
            said += self._held(span)
        return said

    def _held(self, span: Held) -> list[Numbered]:
        said: list[Numbered] = []
        if span.trace != self._trace:
            said = self.end()
            self._trace = span.trace
            self._ids.clear()
        elif len(self._spans) >= MOST_SPANS:
            said = self.end()
        if span.id in self._ids:
            self._reading.report.repeated += 1
        else:
            self._ids.add(span.id)
            self._spans.append(span)
        return said

    def skip(self) -> list[Numbered]:
        """Leave a hole for a span that could not be read, behind the turn that is being read."""
        self._bad += 1
        return []

    def end(self) -> list[Numbered]:
        """The turn that was read."""
        spans, self._spans = self._spans, []
        said = self._conversation.tell(spans)
        while self._bad and self.scribe.n:
            self._bad -= 1
            self.scribe.skip()
        return said


def read(reading: Reading, shape: Shape, how: Packed, dialect: Dialect) -> Iterator[ImportedSession]:
    """The sessions of the file, in the order in which they first appear in it. Raises ``BadInput`` where the spans are
    of other programs than bots, ``TooLarge`` over the limits."""
    by_line = how.by_line or (how.text is None and shape.kind == "lines")
    index = _Spans(reading, dialect, "line" if by_line else "span")
    for number, offset, raw in places(reading, shape, how):
        index.add(number, offset, raw)
    traces = [trace for trace in index.traces.values() if trace.meant]
    aside = sum(trace.spans for trace in index.traces.values() if not trace.meant)
    if aside and not traces:
        raise BadInput(reading.blob.name, dialect.expected, f"{aside:,} spans of other kinds alone")
    sessions: dict[str, list[_Trace]] = {}
    for trace in traces:
        sessions.setdefault(trace.session, []).append(trace)
    if len(sessions) > LIMITS.sessions:
        raise TooLarge(reading.blob.name, "a file of conversations", len(sessions), LIMITS.sessions, _REMEDY)
    text = shape.text if how.text is None and shape.kind != "lines" else None
    held = iter(index.in_order(sessions.values()))
    for name, mine in sessions.items():
        spans = Places()
        for place in islice(held, sum(trace.spans for trace in mine)):
            spans.add(*place)
        moved = [trace.told for trace in mine]  # as they stand in the file
        conversation = dialect.teller(name, {"order_in_file": _shown(moved)} if moved != sorted(moved) else None)
        left = conversation.scribe.found.left
        left["reordered"] = sum(place != told for place, told in enumerate(moved))
        left["mixed"] = sum(trace.mixed for trace in mine)
        left["aside"], aside = aside, 0
        records = read_places(reading, spans, index.word, text)
        first = next(trace.id for trace in mine if not trace.told)  # known by it where there are no times
        yield from reading.tell(how.format, _Session(dialect, conversation, reading), records, first)


def _shown(moved: list[int]) -> list[int]:
    return [told + 1 for told in moved[:_SHOWN]]


class _Spans:
    """Where each span of the file lies, and of which trace it is: 16 bytes for each."""

    def __init__(self, reading: Reading, dialect: Dialect, word: str) -> None:
        """``word`` is what a span's place in the file is called."""
        self.word = word
        self._head = dialect.head
        self.traces: dict[str, _Trace] = {}
        self._reading = reading
        self._index = Index(reading)
        self._of = array("I")
        self._places = Places()

    def add(self, number: int, offset: int, raw: bytes) -> None:
        """One more span; what is none is a problem."""
        try:
            head = self._head(raw)
        except (BadRecord, SignalError) as why:
            self._reading.problem(f"{self._reading.blob.name} {self.word} {number}", why)
            return
        self._index.counted()
        trace = self.traces.get(head[0])
        if trace is None:
            if len(self.traces) >= _TRACES:
                raise TooLarge(self._reading.blob.name, "a file of traces", _TRACES + 1, _TRACES, _REMEDY)
            trace = self.traces[head[0]] = _Trace(head[0], len(self.traces))
        trace.met(head)
        self._of.append(trace.number)
        self._places.add(number, offset, len(raw))

    def in_order(self, sessions: Iterable[list[_Trace]]) -> Places:
        """The places of the spans of ``sessions``, one session after the other, its traces in order of time, and the
        spans of a trace as they stand in the file. Those of no session come last."""
        last = len(self.traces)
        ranks = array("q", [last]) * last
        rank = 0
        for traces in sessions:
            for trace in sorted(traces, key=_Trace.at):
                ranks[trace.number] = trace.told = rank
                rank += 1
            for trace in traces:
                trace.told -= rank - len(traces)
        self._places.order(array("q", map(ranks.__getitem__, self._of)))
        return self._places
