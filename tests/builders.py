"""Signals in one word each, and a session that takes them: what tests are built from, instead of mocks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lingbot_map.deltas import Delta
from lingbot_map.events import Event, OwnSignal
from lingbot_map.intake import Intake
from lingbot_map.mapper import Mapper
from lingbot_probes.signals import (
    Answered,
    Doc,
    IntentRouted,
    Numbered,
    Retrieved,
    Signal,
    SlotAssigned,
    SlotCleared,
    SlotRead,
    TurnStarted,
)

START = 1_750_000_000.0
"""When built sessions begin, in Unix seconds."""


def said(text: str = "", turn: str = "") -> TurnStarted:
    return TurnStarted(turn=turn, utterance=text)


def routed(intent: str, confidence: float | None = 0.9, **more: Any) -> IntentRouted:
    return IntentRouted(intent=intent, confidence=confidence, **more)


def assigned(slot: str, value: Any, **more: Any) -> SlotAssigned:
    return SlotAssigned(slot=slot, value=value, **more)


def read(slot: str, **more: Any) -> SlotRead:
    return SlotRead(slot=slot, **more)


def cleared(slot: str, **more: Any) -> SlotCleared:
    return SlotCleared(slot=slot, **more)


def recalled(stage: str, docs: dict[str, float] | Iterable[Doc], query: str = "q") -> Retrieved:
    """``docs`` as {id: score} in order of rank, or as documents."""
    rows = [Doc(id=id, score=score) for id, score in docs.items()] if isinstance(docs, dict) else list(docs)
    return Retrieved(query=query, stage=stage, docs=tuple(rows))


def answered(text: str = "ok", *docs: str) -> Answered:
    return Answered(text=text, docs=docs)


class Dialogue:
    """A session in memory: what is told to it goes through a real intake and a real mapper."""

    def __init__(self, session: str = "s") -> None:
        self.mapper = Mapper(session=session)
        self.intake = Intake(self.mapper.map)
        self.now = START
        self.events: list[Event] = []
        self.deltas: list[Delta] = []
        self._numbers: dict[str, int] = {}

    @property
    def map(self) -> Any:
        return self.mapper.map

    def tell(self, *signals: Signal, source: str = "bot", turn: str = "", after: float = 1.0) -> list[Delta]:
        """Say signals, each ``after`` seconds behind the one before; returns what they changed."""
        out: list[Delta] = []
        for signal in signals:
            n = self._numbers[source] = self._numbers.get(source, 0) + 1
            out += self.arrive([self.number(signal, n, turn)], source=source, after=after)
        return out

    def number(self, signal: Signal, n: int, turn: str = "") -> Numbered:
        return Numbered(session=self.mapper.map.session, n=n, signal=signal, turn=turn)

    def arrive(self, items: list[Numbered], source: str = "bot", after: float = 1.0, numbered: int = 0) -> list[Delta]:
        self.now += after
        taken = self.intake.take(source, items, self.now, numbered=numbered)
        return self._apply(taken.events)

    def wait(self, seconds: float) -> list[Delta]:
        """Nothing is said for so long."""
        self.now += seconds
        return self._apply(self.intake.release(self.now))

    def own(self, signal: OwnSignal) -> list[Delta]:
        return self._apply([self.intake.own(signal, self.now)])

    def _apply(self, events: list[Event]) -> list[Delta]:
        out: list[Delta] = []
        for event in events:
            self.events.append(event)
            out += self.mapper.apply(event)
        self.deltas += out
        return out

    def findings(self, kind: str) -> list[Any]:
        return [finding for finding in self.map.findings.values() if finding.kind == kind]
