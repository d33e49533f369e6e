"""Traces of the OpenAI Agents SDK, of Langfuse and of LangSmith, told as their files of lines grow.

A trace is told when something at its top has ended, in one go, for what is within it was written before; one that waits
in vain is told as it stands. What comes afterwards follows in its session.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lingbot_map.importers.growing_spans import SILENCE, GrowingSpans, Known, Sources, Taken, Told
from lingbot_map.importers.records import BadRecord, parse
from lingbot_probes.adapters import langfuse, openai_agents_traces
from lingbot_probes.adapters.langfuse import Row, read_rows
from lingbot_probes.adapters.langsmith import read_run
from lingbot_probes.adapters.openai_agents import NOTHING, Meaning
from lingbot_probes.adapters.openai_agents_traces import Record, read_record
from lingbot_probes.adapters.spans import MOST_SPANS
from lingbot_probes.adapters.spans_read import Span
from lingbot_probes.codec import SignalError
from lingbot_probes.long_ids import shortened

_CONVERSATIONS = 1_000
_SESSIONS = 200_000  # traces whose session is known, the latest


def _listed(record: Any, *names: str) -> list[Any]:
    """The records in a line: those of a list that it holds as one of ``names``, else the one that it is."""
    held = record if type(record) is dict else {}
    return next((held[name] for name in names if type(held.get(name)) is list), [record])


def langsmith() -> GrowingSpans:
    """Runs of LangSmith, a line each or many in one."""

    def runs(record: Any) -> Iterator[Span]:
        for run in _listed(record, "runs", "data"):
            yield from read_run(run)

    return GrowingSpans(runs, {"framework": "langsmith"})


@dataclass(slots=True)
class _Waiting:
    """A trace that is not told yet: what came of it, and when that was."""

    came: float = 0.0
    rows: list[Any] = field(default_factory=list)


class GrowingAgents:
    """Traces and spans of the OpenAI Agents SDK, a line each or an export batch in a line.

    The SDK writes the trace when it begins and each span when it ends: what is within a span at the top is told when
    that has. A run that is handed over has several of them.
    """

    def __init__(self, meaning: Meaning = NOTHING) -> None:
        self.repeated = 0
        self._meaning = meaning
        self._now = 0.0
        self._count = 0
        self._known = Known()
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()
        self._session: OrderedDict[str, str] = OrderedDict()  # of each trace that is known
        self._conversations: OrderedDict[str, openai_agents_traces.Conversation] = OrderedDict()
        self._sources = Sources()

    def take(self, raw: bytes) -> Taken:
        """What one line comes to: every run that it completes."""
        problem = ""
        told: list[Told] = []
        try:
            for record in _listed(parse(raw), "data"):
                for held in read_record(record):
                    told += self._met(held)
        except (BadRecord, SignalError) as why:
            problem = str(why)
        while self._count > MOST_SPANS or len(self._waiting) > _SESSIONS:
            told += self._tell(next(iter(self._waiting)), over=True)
        return Taken(told, problem)

    def _met(self, held: Record) -> list[Told]:
        if self._known.again((held.trace, held.id)):
            self.repeated += 1
            return []
        waiting = self._waiting.setdefault(held.trace, _Waiting())
        waiting.came = self._now
        waiting.rows.append(held)
        self._count += 1
        if not held.id:
            group = held.record.get("group_id")
            self._called(held.trace, group if type(group) is str and group else held.trace)
            ended = any(row.id and not row.record.get("parent_id") for row in waiting.rows)
        else:
            ended = not held.record.get("parent_id") and held.trace in self._session
        return self._tell(held.trace) if ended else []

    def _called(self, trace: str, session: str) -> None:
        self._session[trace] = session
        if len(self._session) > _SESSIONS:
            self._session.popitem(last=False)

    def overdue(self, now: float) -> list[Told]:
        """What has waited for its top for 30 s, and the answers of runs that say no end."""
        self._now = now
        due = [trace for trace, waiting in self._waiting.items() if now - waiting.came >= SILENCE]
        return [told for trace in due for told in self._tell(trace, over=True)]

    def standing(self) -> dict[str, Any]:
        """A trace is told from the records of a file alone."""
        return {}

    def resume(self, standing: dict[str, Any], *, exact: bool = True) -> None:
        """See ``standing``."""

    def _tell(self, trace: str, *, over: bool = False) -> list[Told]:
        """Tell what waits; unless that is all, whether more comes is waited for."""
        waiting = self._waiting.pop(trace)
        rows, waiting.rows = waiting.rows, []
        self._count -= len(rows)
        if not over:
            self._waiting[trace] = waiting
        if trace not in self._session:
            self._called(trace, trace if trace.startswith("trace_") else f"trace {trace}")
        session = shortened(self._session[trace])
        conversation = self._conversations.get(session)
        if conversation is None:
            conversation = openai_agents_traces.Conversation(session, None, self._meaning, live=True)
            self._conversations[session] = conversation
        self._conversations.move_to_end(session)
        if len(self._conversations) > _CONVERSATIONS:
            self._conversations.popitem(last=False)
        said = conversation.tell(rows)
        return self._sources.told(session, trace, [*said, *conversation.over(trace)] if over else said)


class GrowingLangfuse:
    """Rows of Langfuse: a trace with its observations is whole; traces and observations apart, and the events that they
    are ingested as, wait until nothing more of their trace has come for 30 s, for nothing says that it is over."""

    def __init__(self) -> None:
        self.repeated = 0
        self._spans = GrowingSpans(meta={"framework": "langfuse"})
        self._known = Known()
        self._now = 0.0
        self._count = 0
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()
        self._told: OrderedDict[str, None] = OrderedDict()  # traces that were

    def take(self, raw: bytes) -> Taken:
        """What one line comes to: every trace that is whole in it."""
        problem = ""
        told: list[Told] = []
        try:
            for record in _listed(parse(raw), "data", "batch", "traces"):
                told += self._met(read_rows(record))
        except (BadRecord, SignalError) as why:
            problem = str(why)
        while self._count > MOST_SPANS:
            told += self._tell(next(iter(self._waiting)))
        return Taken(told, problem)

    def _met(self, rows: list[Row]) -> list[Told]:
        fresh = [row for row in rows if not self._known.again((row.trace, row.id))]
        self.repeated += len(rows) > 0 and not fresh
        for row in fresh:
            waiting = self._waiting.setdefault(row.trace, _Waiting())
            waiting.came = self._now
            waiting.rows.append(row)
            self._count += 1
        return self._tell(rows[0].trace) if fresh and len(rows) > 1 else []

    def overdue(self, now: float) -> list[Told]:
        """What has waited for 30 s."""
        self._now = now
        due = [trace for trace, waiting in self._waiting.items() if now - waiting.came >= SILENCE]
        return [*self._spans.overdue(now), *[told for trace in due for told in self._tell(trace)]]

    def standing(self) -> dict[str, Any]:
        """A trace is told from the rows of a file alone."""
        return {}

    def resume(self, standing: dict[str, Any], *, exact: bool = True) -> None:
        """See ``standing``."""

    def _tell(self, trace: str) -> list[Told]:
        rows = self._waiting.pop(trace).rows
        self._count -= len(rows)
        told = self._spans.met(langfuse.spans_of(rows, rooted=trace in self._told))
        self._told[trace] = None
        if len(self._told) > _SESSIONS:
            self._told.popitem(last=False)
        return told
