"""Exported traces of the OpenAI Agents SDK, whole, to the signals of a session.

Spans are exported as they end, so each trace is put in order first: they begin and end by time, within their parent,
the place in the file deciding between equals.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from lingbot_probes.adapters.fields import instant
from lingbot_probes.adapters.openai_agents import NOTHING, Meaning, Said, Trace
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.adapters.spans import NOT_CAPTURED
from lingbot_probes.codec import SignalError
from lingbot_probes.long_ids import shortened
from lingbot_probes.signals import Answered, Numbered, SessionStarted, TurnStarted

_NEVER = float("inf")
_GOING = 1_000  # traces that may be told in parts, the latest
_START = attrgetter("start")
_WHEN = itemgetter(0)


class Record(NamedTuple):
    """A trace (``id`` is "") or a span of it, the record, its begin (infinite: unknown) and end in Unix seconds."""

    trace: str
    id: str
    record: Mapping[str, Any]
    start: float = _NEVER
    end: float | None = None


def read_record(record: object) -> list[Record]:
    """The trace or span in a record. Raises ``SignalError`` for what is neither."""
    if type(record) is not dict:
        raise SignalError("record", "a mapping", record)
    kind, own = record.get("object"), record.get("id")
    if type(own) is not str or not own:
        raise SignalError("id", "the id of a trace or a span", own)
    if kind == "trace":
        return [Record(own, "", record)]
    if kind != "trace.span":
        raise SignalError("object", "trace or trace.span", kind)
    trace = record.get("trace_id")
    if type(trace) is not str or not trace:
        raise SignalError("trace_id", "the id of a trace", trace)
    if type(record.get("span_data")) is not dict:
        raise SignalError("span_data", "what the span tells", record.get("span_data"))
    start = instant(record.get("started_at"))
    return [Record(trace, own, record, _NEVER if start is None else start, instant(record.get("ended_at")))]


class Conversation:
    """Traces of one session in, numbered signals out."""

    def __init__(
        self,
        session: str,
        meta: Mapping[str, Any] | None = None,
        meaning: Meaning = NOTHING,
        *,
        live: bool = False,
    ) -> None:
        """``session`` is the session's id; ``meta`` is told of it besides what its first trace says. ``live``: a trace
        is told in parts until it is ``over``, and turns bear its id, so that they are known again after a restart (else
        they are counted)."""
        self.scribe = Scribe(shortened(session))
        self._meta = dict(meta or {})
        self._meaning = meaning
        self._live = live
        self._going: OrderedDict[str, Trace] = OrderedDict()

    def tell(self, records: list[Record]) -> list[Numbered]:
        """The signals of the records of one trace, in the order of the file."""
        if not records:
            return []
        trace = next((held.record for held in records if not held.id), {})
        spans = [held for held in records if held.id]
        scribe = self.scribe
        ordered, orphans, skewed = _in_order(spans)
        told = self._going.get(records[0].trace)
        left = scribe.found.left
        left["orphans"] += orphans
        left["skewed"] += skewed
        left["rootless"] += not trace and told is None
        scribe.said_at = next((held.start for held in ordered if held.start < _NEVER), None)
        if not scribe.n:
            self._open(trace)
        said: list[Said] = []
        if told is None:
            told = Trace(records[0].trace, self._meaning)
            said = told.begin(scribe.said_at)
            if self._live:
                self._going[records[0].trace] = told
                if len(self._going) > _GOING:
                    self._going.popitem(last=False)
        for _, held, begins in _moments(ordered):
            if begins:
                said += told.started(held.record, held.start if held.start < _NEVER else None)
            else:
                said += told.ended(held.record, held.end)
        if not self._live:
            said += told.over(said[-1].at)
        self._say(said)
        return scribe.taken()

    def over(self, trace: str) -> list[Numbered]:
        """Nothing more of a trace is waited for: what was said in it last is its answer, unless that was told."""
        told = self._going.get(trace)
        if told is not None:
            self._say(told.over(self.scribe.said_at))
        return self.scribe.taken()

    def _open(self, trace: Mapping[str, Any]) -> None:
        meta = {"framework": "openai-agents", **self._meta}
        for key in ("workflow_name", "group_id", "metadata"):
            if trace.get(key):
                meta[key] = trace[key]
        workflow = trace.get("workflow_name")
        self.scribe.say(SessionStarted(title=workflow if type(workflow) is str else "", meta=meta))

    def _say(self, said: list[Said]) -> None:
        """A turn is told once, with the words that it turned out to have."""
        words = {s.turn: s.signal.utterance for s in said if type(s.signal) is TurnStarted and s.signal.utterance}
        scribe, left = self.scribe, self.scribe.found.left
        turns: dict[str, str] = {}
        for signal, turn, at in said:
            scribe.said_at = at
            if at is None:
                scribe.found.timeless += 1
            if type(signal) is not TurnStarted:
                left["unheard_answers"] += type(signal) is Answered and signal.text == NOT_CAPTURED
                scribe.say(signal, turns.get(turn, turn if self._live else None))
            elif turn not in turns:
                left["unheard"] += words.get(turn, NOT_CAPTURED) == NOT_CAPTURED
                turns[turn] = scribe.open_turn(words.get(turn, NOT_CAPTURED), turn if self._live else "")


def _parent(held: Record) -> str:
    parent = held.record.get("parent_id")
    return parent if type(parent) is str else ""


def _in_order(spans: list[Record]) -> tuple[list[Record], int, int]:
    """(the spans, each after its parent; how many name a parent that is not there; how many begin before theirs)."""
    by_id = {held.id: held for held in spans}
    below: dict[str, list[Record]] = {}
    tops: list[Record] = []
    skewed = orphans = 0
    for held in spans:
        parent = by_id.get(_parent(held))
        if parent is None or parent is held:
            tops.append(held)
            orphans += bool(_parent(held))
        else:
            below.setdefault(parent.id, []).append(held)
            skewed += held.start < parent.start < _NEVER
    out: list[Record] = []
    seen: set[str] = set()
    for start in (sorted(tops, key=_START), spans):  # what no top leads to stands in a circle of parents
        ahead = list(reversed(start))
        while ahead:
            held = ahead.pop()
            if held.id not in seen:
                seen.add(held.id)
                out.append(held)
                within = sorted(below.get(held.id, ()), key=_START)
                ahead.extend(within[::-1])
    return out, orphans, skewed


def _moments(ordered: list[Record]) -> list[tuple[float, Record, bool]]:
    """(when, span, whether it begins or ends) in order of time. No span begins before the one around it, and none ends
    before what is within it, whatever its clock says; of equal times those are kept as they nest."""
    out: list[tuple[float, Record, bool]] = []
    around: list[Record] = []
    begun: list[float] = []  # when each of ``around`` began, and the latest end that is within it
    lasted: list[float] = []

    def end() -> None:
        held, since, until = around.pop(), begun.pop(), lasted.pop()
        until = max(since, until, since if held.end is None else held.end)
        out.append((until, held, False))
        if lasted:
            lasted[-1] = max(lasted[-1], until)

    for held in ordered:
        parent = _parent(held)
        while around and around[-1].id != parent:
            end()
        outer = begun[-1] if begun else 0.0
        since = max(outer, held.start) if held.start < _NEVER else outer
        out.append((since, held, True))
        around.append(held)
        begun.append(since)
        lasted.append(since)
    while around:
        end()
    out.sort(key=_WHEN)
    return out
