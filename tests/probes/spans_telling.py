"""Spans to signals as a map does it that takes them live: held until they make a turn, then told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lingbot_probes.adapters.spans import Conversation
from lingbot_probes.adapters.spans_read import read_span
from lingbot_probes.adapters.spans_wait import Group, Traces
from lingbot_probes.signals import Numbered


class Telling:
    """Records of spans in, one by one; the signals that each completes out."""

    def __init__(self) -> None:
        self.traces = Traces()
        self.conversations: dict[str, Conversation] = {}

    def take(self, record: Any, now: float = 0.0) -> list[Numbered]:
        span = read_span(record)
        self.traces.take(span, now=now)
        return self.tell(self.traces.complete([span.trace]))

    def end(self) -> list[Numbered]:
        return self.tell(self.traces.rest())

    def tell(self, groups: Iterable[Group]) -> list[Numbered]:
        said = []
        for group in groups:
            conversation = self.conversations.setdefault(group.session, Conversation(group.session))
            said += conversation.tell(group.spans)
            self.traces.told(group, group.session, conversation.scribe.turn)
        return said
