"""A telecom dialogue of forty turns with a loop, a leak, an overwrite, a drift and a stale document in it.

It is what the pictures are taken of and what the browser is driven over: signals in order, always the same ones.
The words are in ``telecom.json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from lingbot_probes.signals import (
    Answered,
    Doc,
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

STORY: dict[str, Any] = json.loads(Path(__file__).with_name("telecom.json").read_text(encoding="utf-8"))
LENGTH = len(STORY["turns"])
RIGHT = "kb-0342"
"""The document that should have won where another one does."""
SECONDS_PER_TURN = 23.0

Found = Sequence[Sequence[Any]]
"""(document, score, whether it went into the prompt) for each document."""


def _doc(name: str, score: float, kind: str, rank: int, dropped: str = "", *, outdated: bool = False) -> Doc:
    about = STORY["docs"][name]
    return Doc(
        id=name,
        title=about["title"],
        score=round(score, 2),
        score_kind=kind,
        rank=rank,
        version=about["version"],
        hits=about["hits"],
        updated_at=1_600_000_000.0 if outdated else None,
        dropped_because=dropped,
        snippet=f"{about['title']}的第一段。",
    )


def _retrieval(query: str, found: Found, *, drifts: bool, outdated: bool) -> Iterator[Signal]:
    """The stages of one retrieval. Where it drifts, the vector stage had preferred the right document."""
    reranked = sorted(found, key=lambda entry: -entry[1])
    near = [(name, 0.93 if drifts and name == RIGHT else score * 0.9) for name, score, _ in found]
    near.sort(key=lambda entry: -entry[1])
    recalled = tuple(_doc(name, score, "cosine", rank) for rank, (name, score) in enumerate(near, 1))
    yield Retrieved(query=query, stage="vector", params={"top_k": len(found)}, docs=recalled)
    ranked = tuple(
        _doc(name, score, "cross-encoder", rank, "" if kept else "低于提示词门槛", outdated=outdated)
        for rank, (name, score, kept) in enumerate(reranked, 1)
    )
    yield Retrieved(query=query, stage="reranked", docs=ranked)
    prompt = tuple(doc for doc in ranked if not doc.dropped_because)
    if prompt:
        yield Retrieved(query=query, stage="prompt", docs=prompt)


def signals(turns: int = LENGTH, title: str = "") -> Iterator[tuple[str, Signal]]:
    """(opaque turn id, signal) of the first ``turns`` turns."""
    yield "", SessionStarted(title=title or STORY["title"], meta={"channel": "web"})
    filled: set[str] = set()
    before = ""
    for number, told in enumerate(STORY["turns"][:turns], 1):
        turn, intent, confidence = f"t{number}", told["intent"], told["confidence"]
        about = STORY["intents"][intent]
        yield turn, TurnStarted(turn=turn, utterance=told["said"])
        others = [name for name in STORY["intents"] if name != intent]
        yield (
            turn,
            IntentRouted(
                intent=intent,
                confidence=confidence,
                label=about["label"],
                parent=about["parent"],
                required=tuple(about["required"]),
                missing=tuple(slot for slot in about["required"] if slot not in filled and slot not in told["writes"]),
                candidates=((intent, confidence), (others[0], round(0.9 - confidence * 0.6, 2)), (others[1], 0.08)),
                condition="ticket_number = null" if (before, intent) == ("ticket_query", "change_plan") else "",
            ),
        )
        for slot, value in told["writes"].items():
            named = STORY["slots"][slot]
            yield turn, SlotAssigned(slot=slot, value=value, label=named["label"], scope=named["scope"])
            (filled.discard if value is None else filled.add)(slot)
        for slot in told["reads"]:
            if slot in filled:
                yield turn, SlotRead(slot=slot, reader=f"{intent}.policy")
        if told["docs"]:
            for signal in _retrieval(told["said"], told["docs"], drifts="drifts" in told, outdated="outdated" in told):
                yield turn, signal
        yield turn, Answered(text=told["answer"], docs=tuple(name for name, _, kept in told["docs"] if kept)[:2])
        if number == 24:
            yield turn, SlotCleared(slot="code")
        before = intent


def numbered(session: str, turns: int = LENGTH, *, at: float | None = None, title: str = "") -> list[Numbered]:
    """The dialogue as a source sends it, its own clock starting at ``at``."""
    numbers = count(1)
    out = []
    for turn, signal in signals(turns, title):
        said_at = None if at is None else at + SECONDS_PER_TURN * int(turn[1:] or 0)
        out.append(Numbered(session=session, n=next(numbers), turn=turn, signal=signal, said_at=said_at))
    return out


def turn_of(item: Numbered) -> int:
    """The number of the turn that a signal of the telecom dialogue belongs to."""
    return int(item.turn[1:] or 0)
