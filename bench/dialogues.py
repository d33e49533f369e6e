"""Dialogues as a busy service bot has them, from a seed: what measurements and torture tests feed in.

A turn is some ten signals: the utterance, the routing, a few slots, two to four stages of a retrieval, the answer. That
makes some 11 edges and 2.5 nodes a turn, as in the long sessions we know. Now and then a slot is overwritten or
cleared, an intent comes back, a call fails.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.intake import Intake
from lingbot_map.mapper import Mapper
from lingbot_probes.signals import (
    Answered,
    Doc,
    Failed,
    IntentRouted,
    Numbered,
    Retrieved,
    SessionStarted,
    Signal,
    SlotAssigned,
    SlotCleared,
    SlotRead,
    TurnStarted,
)

BEGIN = 1_700_000_000.0
_INTENTS = (
    "change_plan",
    "data_overrun",
    "appeal",
    "after_sale",
    "price_query",
    "cancel_order",
    "track_parcel",
    "invoice",
    "new_card",
    "roaming",
    "smalltalk",
    "handover",
)
_SLOTS = ("phone", "plan", "brand", "order_number", "ticket_number", "city", "date", "amount", "model", "email")
_SAID = (
    "我想改一下套餐",
    "不对，我是说流量超了",
    "Where is my parcel?",
    "这个月的账单怎么这么多",
    "cancel the order from yesterday please",
    "手机号是一三八开头的那个",
    "还是刚才那个问题",
    "how much is the larger plan, and what does it include?",
)


def generate(
    turns: int, seed: int = 1, *, session: str = "bench", docs: int = 400, slots: int = 60, pace: float = 8.0
) -> Iterator[Numbered]:
    """The signals of ``turns`` turns, numbered from 1, ``pace`` seconds a turn. The same seed gives the same ones.

    ``docs`` and ``slots`` are how many different ones there are.
    """
    rng = random.Random(seed)
    n = 0
    at = BEGIN
    for turn in range(turns + 1):
        turn_id = f"t{turn}" if turn else ""
        for signal in _turn(rng, turn, docs, slots) if turn else [SessionStarted(title="基准对话 / bench")]:
            n += 1
            at += pace / 10
            yield Numbered(session=session, n=n, signal=signal, turn=turn_id, said_at=round(at, 3))


def _turn(rng: random.Random, turn: int, docs: int, slots: int) -> Iterator[Signal]:
    said = rng.choice(_SAID)
    yield TurnStarted(turn=f"t{turn}", utterance=f"{said} ({turn})")
    first, second = rng.sample(_INTENTS, 2)
    sure = round(rng.uniform(0.5, 0.99), 3)
    yield IntentRouted(
        intent=first,
        confidence=sure,
        candidates=((first, sure), (second, round(1 - sure, 3))),
        condition="ticket_number = null" if rng.random() < 0.2 else "",
        missing=("phone",) if rng.random() < 0.2 else (),
    )
    for _ in range(rng.choice((1, 1, 2, 3))):
        slot = _slot(rng, slots)
        chance = rng.random()
        if chance < 0.5:
            value = f"value of {slot}" if rng.random() < 0.9 else f"value {rng.randrange(1000)}"
            yield SlotAssigned(slot=slot, value=value, scope=rng.choice(("task", "session", "session")))
        elif chance < 0.95:
            yield SlotRead(slot=slot, reader="fill_form")
        else:
            yield SlotCleared(slot=slot)
    if rng.random() < 0.85:
        yield from _retrieval(rng, said, docs)
    elif rng.random() < 0.2:
        yield Failed(where="crm", error="timed out after 3 s")
    yield Answered(text=f"好的，已为您处理第 {turn} 个问题。", docs=())


def _slot(rng: random.Random, slots: int) -> str:
    number = min(rng.randrange(slots), rng.randrange(slots))
    return _SLOTS[number] if number < len(_SLOTS) else f"field_{number}"


def _retrieval(rng: random.Random, query: str, docs: int) -> Iterator[Signal]:
    found = [min(rng.randrange(docs), rng.randrange(docs)) for _ in range(4)]
    stages: Sequence[str] = ("vector", "keyword", "reranked", "prompt") if rng.random() < 0.7 else ("vector", "prompt")
    for stage in stages:
        count = {"vector": 4, "keyword": 3, "reranked": 3, "prompt": 2}[stage]
        rng.shuffle(found)
        yield Retrieved(
            query=query,
            stage=stage,
            docs=tuple(
                Doc(
                    id=f"doc-{number}",
                    title=f"套餐说明 {number}",
                    score=round(0.95 - 0.07 * rank - rng.random() * 0.03, 4),
                    score_kind="bm25" if stage == "keyword" else "cosine",
                    rank=rank,
                    version=f"v{number % 5}",
                    hits=number % 40,
                )
                for rank, number in enumerate(dict.fromkeys(found[:count]), 1)
            ),
        )


def place(items: Iterator[Numbered], session: str = "bench", batch: int = 500) -> Iterator[Event]:
    """The events that an intake makes of ``items``; their map is made on the way, since the intake goes by it."""
    mapper = Mapper(DialogueMap(session))
    intake = Intake(mapper.map)
    waiting: list[Numbered] = []

    def put() -> Iterator[Event]:
        for event in intake.take("bench", waiting, BEGIN, recorded=True).events:
            mapper.apply(event)
            yield event
        waiting.clear()

    for item in items:
        waiting.append(item)
        if len(waiting) == batch:
            yield from put()
    yield from put()
