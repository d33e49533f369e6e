"""Sessions written down as one JSON object a turn: what a person or a script notes of a dialogue, without any probe.

A line has ``turn`` (1, 2, 3 ... in order) and any of ``user``, ``intent``, ``confidence``, ``jump_reason``, ``slots``
([{"name", "value"}]), ``reads`` (names of slots), ``recall`` ([{"doc", "recall", "rerank", "rank", "in_prompt"}]) and
``answer``. It becomes the events that a probe would have said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lingbot_map.errors import BadInput, TooLarge
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.whole import whole_map
from lingbot_probes.signals import Answered, Doc, IntentRouted, Retrieved, Signal, SlotAssigned, SlotRead, TurnStarted

MOST_BYTES = 64 * 1024 * 1024
_PROBED = 64 * 1024  # of the first line: enough to tell what it is
_FORM = 'one JSON object a turn, such as {"turn": 1, "user": "...", "intent": "..."}'


def is_turns_file(path: Path) -> bool:
    """Whether the first line of a file is such a turn."""
    with path.open("rb") as file:
        line = file.readline(_PROBED)
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return type(row) is dict and type(row.get("turn")) is int and bool({"user", "answer", "intent"} & row.keys())


def read_turns(path: Path) -> DialogueMap:
    """The map of such a file. Raises ``BadInput`` naming the line, ``TooLarge``."""
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise TooLarge(str(path), "a file of turns in bytes", size, MOST_BYTES)
    events: list[Event] = []
    turn = 0
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        where = f"{path} line {number}"
        row = _row(where, line)
        if row["turn"] <= turn:
            raise BadInput(where, f"a turn after {turn}", str(row["turn"]))
        turn = row["turn"]
        for signal in _signals(where, row):
            seq = len(events) + 1
            events.append(
                Event(session=path.stem, seq=seq, at=float(seq), source="turns", n=seq, turn=turn, signal=signal)
            )
    if not events:
        raise BadInput(str(path), _FORM, "nothing")
    return whole_map(path.stem, events)


def _row(where: str, line: bytes) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise BadInput(where, _FORM, "something else") from None
    if type(row) is not dict or type(row.get("turn")) is not int or not 0 < row["turn"] < 2**31:
        raise BadInput(where, _FORM, "something else")
    return row


def _signals(where: str, row: Mapping[str, Any]) -> Iterator[Signal]:
    yield TurnStarted(turn=str(row["turn"]), utterance=_text(where, row, "user"))
    intent = _text(where, row, "intent")
    if intent:
        confidence = _number(where, row, "confidence")
        yield IntentRouted(intent=intent, confidence=confidence, condition=_text(where, row, "jump_reason"))
    for slot in _list(where, row, "slots", dict):
        yield SlotAssigned(slot=_named(where, slot, "name"), value=slot.get("value"))
    for name in _list(where, row, "reads", str):
        yield SlotRead(slot=name)
    recalled = _list(where, row, "recall", dict)
    yield from _stages(where, _text(where, row, "user"), recalled)
    answer = _text(where, row, "answer")
    if answer:
        used = tuple(_named(where, doc, "doc") for doc in recalled if doc.get("in_prompt") is True)
        yield Answered(text=answer, docs=used)


def _stages(where: str, query: str, recalled: list[Any]) -> Iterator[Retrieved]:
    for stage, field in (("vector", "recall"), ("reranked", "rerank")):
        scored = [(_named(where, doc, "doc"), _number(where, doc, field)) for doc in recalled]
        ranked = sorted(((score, doc) for doc, score in scored if score is not None), key=lambda pair: -pair[0])
        if ranked:
            yield Retrieved(query=query, stage=stage, docs=tuple(Doc(id=doc, score=score) for score, doc in ranked))
    used = [doc for doc in recalled if doc.get("in_prompt") is True]
    if used:
        docs = tuple(Doc(id=_named(where, doc, "doc"), score=_number(where, doc, "rerank")) for doc in used)
        yield Retrieved(query=query, stage="prompt", docs=docs)


def _text(where: str, row: Mapping[str, Any], field: str) -> str:
    value = row.get(field)
    if value is None:
        return ""
    if type(value) is not str:
        raise BadInput(f"{where}, {field}", "text", type(value).__name__)
    return value


def _named(where: str, row: Mapping[str, Any], field: str) -> str:
    name = _text(where, row, field)
    if not name:
        raise BadInput(f"{where}, {field}", "a name", "nothing")
    return name


def _number(where: str, row: Mapping[str, Any], field: str) -> float | None:
    value = row.get(field)
    if value is None or (type(value) in (int, float) and -1e9 < value < 1e9):
        return value
    raise BadInput(f"{where}, {field}", "a number", type(value).__name__)


def _list(where: str, row: Mapping[str, Any], field: str, kind: type) -> list[Any]:
    value = row.get(field)
    if value is None:
        return []
    if type(value) is not list or not all(type(one) is kind for one in value):
        raise BadInput(f"{where}, {field}", f"a list of {'texts' if kind is str else 'objects'}", "something else")
    return value
