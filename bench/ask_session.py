"""What a question to a recorded session costs, at 180 turns and 3,600 nodes, all kinds of questions asked."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable

from bench import Figure
from bench.unkept import Unkept
from lingbot_map.ask import Ask
from lingbot_map.ask.bases.session import SessionBase
from lingbot_map.ask.text import terms
from lingbot_map.events import Event
from lingbot_map.mapper import replay
from lingbot_probes.signals import Answered, Doc, IntentRouted, Retrieved, SlotAssigned, SlotRead, TurnStarted

TURNS = 180
DOCS = 3_200
"""With the utterances, answers, slots and intents some 3,600 nodes."""
ROUNDS = 5
_BAR = 10.0

QUESTIONS = (
    "谁改写了 slot_3？",
    "Who overwrote slot_3?",
    "slot_3 现在是什么，哪轮写的？",
    "哪些变量被覆盖过？",
    "Which turns read slot_3?",
    "有没有读到别的业务的变量？",
    "第100轮为什么这样回答？",
    "Why did turn 100 answer like that?",
    "第100轮为什么跳转？",
    "有没有环路？",
    "哪些轮次的置信度低于0.6？",
    "第100轮召回了哪些文档？",
    "Which document was hit most?",
    "第50轮和第150轮有什么不同？",
    "第40轮发生了什么？",
    "第900轮发生了什么？",
    "用户的身份证号码是多少？",
    "which turn mentions parcel 77",
    "有什么异常？",
    "退款到账要几天？",
)


def events() -> list[Event]:
    """A dialogue of ``TURNS`` turns over eight intents and ten slots, each turn with four stages of a retrieval."""
    out: list[Event] = []

    def add(turn: int, *signals: object) -> None:
        for signal in signals:
            seq = len(out) + 1
            event = Event(session="bench", seq=seq, at=float(seq), source="b", n=seq, turn=turn, signal=signal)  # type: ignore[arg-type]
            out.append(event)

    for turn in range(1, TURNS + 1):
        slot = f"slot_{turn % 10}"
        docs = [
            Doc(id=f"doc_{(turn * 18 + i) % DOCS}", title=f"Page {turn * 18 + i}", score=1 / (i + 1)) for i in range(18)
        ]
        add(
            turn,
            TurnStarted(turn=str(turn), utterance=f"where is parcel {turn}"),
            IntentRouted(intent=f"intent_{turn * 7 % 8}", confidence=0.5 + turn % 50 / 100),
            SlotAssigned(slot=slot, value=f"value {turn}"),
            SlotRead(slot=f"slot_{(turn + 5) % 10}"),
            *(Retrieved(query="parcel", stage=stage, docs=tuple(docs)) for stage in ("vector", "keyword", "reranked")),
            Retrieved(query="parcel", stage="prompt", docs=tuple(docs[:4])),
            Answered(text=f"parcel {turn} is on its way, value {turn - 5}", docs=tuple(doc.id for doc in docs[:4])),
        )
    return out


def measure() -> Iterable[Figure]:
    """Milliseconds a question by the processor: the median, and the dearest kind."""
    map = replay(events(), "bench")
    terms("预热词典 warm the dictionaries")  # once a process: words and scripts are loaded when first needed
    began = time.process_time()
    base = SessionBase(map)
    built = (time.process_time() - began) * 1000
    asking = Ask(Unkept(base))
    asking.ask("谁改写了 slot_3？")
    costs: dict[str, float] = {}
    for question in QUESTIONS:
        rounds = []
        for _ in range(ROUNDS):
            began = time.process_time()
            asking.ask(question)
            rounds.append((time.process_time() - began) * 1000)
        costs[question] = min(rounds)
    dearest = max(costs, key=lambda question: costs[question])
    note = f"{TURNS} turns, {len(map.nodes):,} nodes, {len(map.edges):,} edges, {len(QUESTIONS)} questions"
    yield Figure(name="a question to a session, median", value=statistics.median(costs.values()), unit="ms", note=note)
    yield Figure(name="a question to a session, dearest", value=costs[dearest], unit="ms", bar=_BAR, note=dearest)
    yield Figure(name="a session made ready for questions", value=built, unit="ms", note="once for each state of a map")
