"""Sessions in memory with many documents a turn, from a seed: what the page is measured with."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from lingbot_map.deltas import Delta
from lingbot_map.events import PolicySet
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
    SlotRead,
    TurnStarted,
)

SIZES = {"S": (180, 9_000, 15), "M": (1_800, 90_000, 15), "L": (6_000, 200_000, 17)}
"""Turns, documents there are and documents a turn: some 3,000 nodes and 4,000 edges, then ten and thirty times that."""


class Told:
    """A session in memory, fed signal by signal; ``kept`` turns stay on its map."""

    def __init__(self, session: str, kept: int = 1_000_000) -> None:
        self.mapper = Mapper(session=session)
        self.intake = Intake(self.mapper.map)
        self.now = 1_750_000_000.0
        self.n = 0
        self.apply(self.intake.own(PolicySet(values={"kept_turns": kept}), self.now))

    def apply(self, *events: Any) -> list[Delta]:
        """What ``events`` do to the map."""
        return [delta for event in events for delta in self.mapper.apply(event)]

    def tell(self, signal: Signal) -> list[Delta]:
        """What the next signal does to the map."""
        self.n += 1
        self.now += 0.5
        number = Numbered(session=self.mapper.map.session, n=self.n, signal=signal)
        return self.apply(*self.intake.take("bench", [number], self.now).events)


def turn(rng: random.Random, number: int, docs: int, recalled: int) -> Iterator[Signal]:
    """One turn: an utterance, its intent, two slots, ``recalled`` of ``docs`` documents, an answer."""
    yield TurnStarted(turn=f"t{number}", utterance=f"第 {number} 轮：套餐变更之后流量怎么算，能叠加优惠吗")
    intent = rng.randrange(14)
    missing = ("s2",) if rng.random() < 0.2 else ()
    yield IntentRouted(
        intent=f"i{intent}",
        confidence=rng.choice((0.5, 0.7, 0.8, 0.95)),
        label=f"意图 {intent}",
        required=("s1", "s2"),
        missing=missing,
    )
    for _ in range(2):
        slot = rng.randrange(24)
        if rng.random() < 0.4:
            yield SlotAssigned(slot=f"s{slot}", value=f"值 {rng.randrange(40)}", label=f"槽位 {slot}", scope="session")
        else:
            yield SlotRead(slot=f"s{slot}")
    ids = rng.sample(range(docs), recalled)
    found = tuple(
        Doc(id=f"d{i}", title=f"文档 {i} 的说明", score=round(rng.random(), 3), score_kind="cosine") for i in ids
    )
    yield Retrieved(query=f"q{number}", stage="reranked", docs=found)
    yield Answered(text="好的", docs=tuple(doc.id for doc in found[:2]))


def dialogue(turns: int, docs: int, recalled: int) -> Told:
    """A session of so many turns; the same one each time."""
    rng = random.Random(7)
    told = Told(f"frames-{turns}")
    for number in range(1, turns + 1):
        for signal in turn(rng, number, docs, recalled):
            told.tell(signal)
    return told
