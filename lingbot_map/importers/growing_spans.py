"""Spans one by one, as they are written: a trace is told when it is whole."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lingbot_map.importers.imported import source_of
from lingbot_map.importers.records import BadRecord, parse
from lingbot_probes.adapters.fields import items, mapping
from lingbot_probes.adapters.spans import Conversation
from lingbot_probes.adapters.spans_read import Span, read_span
from lingbot_probes.adapters.spans_wait import Group, Traces
from lingbot_probes.codec import SignalError
from lingbot_probes.long_ids import shortened
from lingbot_probes.signals import Numbered

SILENCE = 30.0
"""A trace whose root has not ended is told as it stands when no span of it has come for so many seconds."""
_CONVERSATIONS = 1_000

REMEMBERED = 200_000
"""So many of the latest records are known again when they come twice, as from a broker that delivers at least once."""


class Known:
    """Which records were here before, of the latest."""

    def __init__(self) -> None:
        self._seen: OrderedDict[int, None] = OrderedDict()

    def again(self, mark: object) -> bool:
        """Whether a record of that mark was here; from now on it was."""
        known = hash(mark)  # 64 bits, keyed anew in each process: nobody can make two records collide
        if known in self._seen:
            return True
        self._seen[known] = None
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        return False


@dataclass(frozen=True, slots=True)
class Told:
    """What one record came to in one session: ``items`` are numbered by ``source``, which has made ``numbered``."""

    session: str
    source: str
    items: list[Numbered]
    numbered: int


@dataclass(frozen=True, slots=True)
class Taken:
    """What one record came to; ``problem`` says why it, or a part of it, could not be read."""

    told: list[Told]
    problem: str = ""


class Sources:
    """Numbers what is told of traces. Each trace is a source of its own: in which order traces end is nothing that a
    second run would repeat."""

    def __init__(self) -> None:
        self._numbers: OrderedDict[tuple[str, str], int] = OrderedDict()

    def told(self, session: str, trace: str, said: list[Numbered]) -> list[Told]:
        """What was ``said`` of a trace, with the numbers that follow in its source; none where nothing was."""
        if not said:
            return []
        place = session, trace
        n = self._numbers.pop(place, 0)
        self._numbers[place] = n + len(said)
        if len(self._numbers) > REMEMBERED:
            self._numbers.popitem(last=False)
        items = [replace(item, n=n + number) for number, item in enumerate(said, 1)]
        return [Told(session, source_of("trace", session, trace), items, n + len(said))]


class GrowingSpans:
    """Spans, a line each or many in a line; a trace is told when its root has ended, or when it waits in vain."""

    def __init__(
        self, spans: Callable[[Any], Iterator[Span]] | None = None, meta: Mapping[str, Any] | None = None
    ) -> None:
        """``spans`` reads those of a line (``None``: as OpenInference and OTLP write them), ``meta`` is told of each
        session."""
        self.repeated = 0
        self._spans_of, self._meta = spans or _spans_of, meta
        self._traces = Traces()
        self._conversations: OrderedDict[str, Conversation] = OrderedDict()
        self._sources = Sources()
        self._now = 0.0

    def take(self, raw: bytes) -> Taken:
        """What one line comes to: every turn that it completes."""
        problem = ""
        spans = []
        try:
            for span in self._spans_of(parse(raw)):
                spans.append(span)  # one by one, for those before a bad one are told
        except (BadRecord, SignalError) as why:
            problem = str(why)
        return Taken(self.met(spans), problem)

    def met(self, spans: list[Span]) -> list[Told]:
        """What more ``spans`` come to: every turn that they complete."""
        for span in spans:
            self.repeated += not self._traces.take(span, "", self._now)
        return self._tell(self._traces.complete([span.trace for span in spans]))

    def overdue(self, now: float) -> list[Told]:
        """What has waited for its root for 30 s."""
        self._now = now
        return self._tell(self._traces.overdue(now, SILENCE, SILENCE))

    def standing(self) -> dict[str, Any]:
        """A trace is told from the spans of a file alone."""
        return {}

    def resume(self, standing: dict[str, Any], *, exact: bool = True) -> None:
        """See ``standing``."""

    def _tell(self, groups: list[Group]) -> list[Told]:
        out = []
        for group in groups:
            session = shortened(group.session or f"trace {group.trace}")
            conversation = self._conversations.get(session)
            if conversation is None:
                conversation = self._conversations[session] = Conversation(session, self._meta, live=True)
            self._conversations.move_to_end(session)
            if len(self._conversations) > _CONVERSATIONS:
                self._conversations.popitem(last=False)
            if group.late:
                conversation.recall(group.trace, group.turn)
            said = conversation.tell(group.spans)
            self._traces.told(group, session, group.turn or conversation.scribe.turn)
            out += self._sources.told(session, group.trace, said)
        return out


def _spans_of(record: Any) -> Iterator[Span]:
    """The spans of a line: the one that it is, or those of an OTLP request."""
    requests = record.get("resourceSpans") if type(record) is dict else None
    if type(requests) is not list:
        yield read_span(record)
        return
    for request in requests:
        for scope in items(mapping(request).get("scopeSpans")):
            yield from map(read_span, items(mapping(scope).get("spans")))
