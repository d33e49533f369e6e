"""Spans one by one, as they are written: a trace is told when it is whole."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from lingbot_map.importers.imported import source_of
from lingbot_map.importers.records import BadRecord, parse
from lingbot_probes.adapters.fields import items, mapping
from lingbot_probes.adapters.spans import Conversation
from lingbot_probes.adapters.spans_read import read_span
from lingbot_probes.adapters.spans_wait import Group, Traces
from lingbot_probes.codec import SignalError
from lingbot_probes.long_ids import shortened
from lingbot_probes.signals import Numbered

SILENCE = 30.0
"""A trace whose root has not ended is told as it stands when no span of it has come for so many seconds."""
_CONVERSATIONS = 1_000

REMEMBERED = 200_000
"""So many of the latest records are known again when they come twice, as from a broker that delivers at least once."""


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


class GrowingSpans:
    """Spans, a line each or many in a line; a trace is told when its root has ended, or when it waits in vain.

    Each trace is a source of its own: in which order traces end is nothing that a second run would repeat.
    """

    def __init__(self) -> None:
        self.repeated = 0
        self._traces = Traces()
        self._conversations: OrderedDict[str, Conversation] = OrderedDict()
        self._numbers: OrderedDict[tuple[str, str], int] = OrderedDict()
        self._now = 0.0

    def take(self, raw: bytes) -> Taken:
        """What one line comes to: every turn that it completes."""
        problem = ""
        touched = []
        try:
            for record in _spans_in(parse(raw)):
                span = read_span(record)
                touched.append(span.trace)
                self.repeated += not self._traces.take(span, "", self._now)
        except (BadRecord, SignalError) as why:
            problem = str(why)
        return Taken(self._tell(self._traces.complete(touched)), problem)

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
                conversation = self._conversations[session] = Conversation(session, live=True)
            self._conversations.move_to_end(session)
            if len(self._conversations) > _CONVERSATIONS:
                self._conversations.popitem(last=False)
            if group.late:
                conversation.recall(group.trace, group.turn)
            said = conversation.tell(group.spans)
            self._traces.told(group, session, group.turn or conversation.scribe.turn)
            if not said:
                continue
            place = session, group.trace
            n = self._numbers.pop(place, 0)
            self._numbers[place] = n + len(said)
            if len(self._numbers) > REMEMBERED:
                self._numbers.popitem(last=False)
            source = source_of("trace", session, group.trace)
            told = [replace(item, n=n + number) for number, item in enumerate(said, 1)]
            out.append(Told(session, source, told, n + len(said)))
        return out


def _spans_in(record: Any) -> Iterator[object]:
    """The spans of a line: the one that it is, or those of an OTLP request."""
    requests = record.get("resourceSpans") if type(record) is dict else None
    if type(requests) is not list:
        yield record
        return
    for request in requests:
        for scope in items(mapping(request).get("scopeSpans")):
            yield from items(mapping(scope).get("spans"))
