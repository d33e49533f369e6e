"""A turn of a recorded session as the neutral steps that ``conform`` replays, and what is known of its conditions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from lingbot_map.ask.bases.sequence.conform import Conformance, Did, conform
from lingbot_map.ask.bases.sequence.ir import Diagram
from lingbot_map.ask.bases.sequence.lexicon import concepts
from lingbot_map.ask.bases.sequence.wording import listed, say
from lingbot_map.ask.text import folded
from lingbot_map.ask.types import Lang
from lingbot_map.events import KIND_NUMBER
from lingbot_map.graph import DialogueMap

_SURE = re.compile(
    r"(?:confidence|conf|score|置信度|置信|把握)\D{0,6}?(<=|>=|<|>|低于|小于|不足|高于|大于|超过|达到)\s*(0?\.\d+|1(?:\.0+)?)"
)
_LESS = frozenset(("<", "<=", "低于", "小于", "不足"))
_STAGES = {"reranked": "rerank", "fused": "fuse", "prompt": "prompt"}
"""Stages of a retrieval that sort out what others found; any other asks for documents."""
_FAILED = KIND_NUMBER["failed"]


def steps_of(map: DialogueMap, turn: int) -> tuple[Did, ...]:
    """What happened in a turn, in the order of its events; what was undone is left out. Empty for a turn that the map
    does not have.

    The utterance is a step unless the bot opened the turn; each routing, slot write, read and clearing, each retrieval
    (its stages by vectors and by words are one), reranking, answer and failure is one.
    """
    if turn not in map.turns:
        return ()
    found: dict[tuple[int, str, str], None] = {}
    said = map.nodes.get(f"utterance:{turn}")
    if said is not None and said.props.get("text"):
        found[map.turns[turn].seq, "utterance", ""] = None
    for edge in map.edges.values():
        if edge.turn != turn or map.is_undone(edge.seq):
            continue
        if edge.kind == "jump" and edge.id.startswith("jump:"):
            found[edge.seq, "route", edge.target.partition(":")[2]] = None
        elif edge.kind == "assign":
            kind = "clear" if edge.props.get("change") == "cleared" else "write"
            found[edge.seq, kind, edge.target.partition(":")[2]] = None
        elif edge.kind == "read":
            found[edge.seq, "read", edge.source.partition(":")[2]] = None
        elif edge.kind == "recall":
            stage = str(edge.props.get("stage", ""))
            found[edge.seq, _STAGES.get(stage, "retrieve"), stage] = None
    for node in map.nodes.values():
        if node.kind == "answer" and node.turn == turn and not map.is_undone(node.seq):
            found[node.seq, "answer", ""] = None
    for place, number in enumerate(map.moment_turn):
        seq = map.first_moment + place
        if number == turn and map.moment_kind[place] == _FAILED and not map.is_undone(seq):
            found[seq, "fail", ""] = None
    steps: list[Did] = []
    for seq, kind, name in sorted(found, key=lambda each: each[0]):
        if kind == "retrieve" and steps and steps[-1].kind == "retrieve":
            continue  # the next way of one retrieval: by vectors, then by words
        if kind in _STAGES.values() and not any(step.kind == "retrieve" for step in steps):
            steps.append(Did("retrieve", name, seq))
        steps.append(Did(kind, name, seq))
    return tuple(steps)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a turn's conditions: the business of this turn and the one before, how sure the router was, the
    slots that were missing, whether something failed or was retrieved."""

    before: str | None
    now: str | None
    confidence: float | None
    missing: tuple[str, ...]
    failed: bool

    def holds(self, condition: str) -> bool | None:
        """Whether a condition holds; ``None`` where the record doesn't say. Only conditions on the change of business,
        the router's confidence, missing slots and failures are read."""
        text = folded(condition)
        if (sure := _SURE.search(text)) is not None:
            if self.confidence is None:
                return None
            limit = float(sure[2])
            less = self.confidence < limit or (sure[1] == "<=" and self.confidence == limit)
            return less if sure[1] in _LESS else not less and (sure[1] != ">" or self.confidence != limit)
        said = set(concepts(condition))
        about = said & {"business", "intent", "topic", "task", "domain"}
        if about and said & {"changed", "not changed"} and not said - about - {"changed", "not changed"}:
            if self.now is None or self.before is None:
                return None if self.now is None else "not changed" in said
            return (self.before != self.now) == ("changed" in said)
        if "slot" in said and said & {"absent", "insufficient"} and not said - {"slot", "absent", "insufficient"}:
            return bool(self.missing)
        if said == {"fail"}:
            return self.failed
        return False if said == {"success"} and self.failed else None


def known_of(map: DialogueMap, turn: int) -> Known:
    """What is known of the conditions of a turn."""
    now: str | None = None
    before: str | None = None
    confidence: float | None = None
    missing: tuple[str, ...] = ()
    for edge in map.edges.values():
        if edge.kind != "jump" or not edge.id.startswith("jump:") or edge.turn > turn or map.is_undone(edge.seq):
            continue
        business = _business(map, edge.target.partition(":")[2])
        if edge.turn == turn:
            now = business
            confidence = edge.props.get("confidence")
            missing = tuple(edge.props.get("missing", ()))
        else:
            before = business
    failed = any(step.kind == "fail" for step in steps_of(map, turn))
    return Known(before, now, confidence, missing, failed)


def _business(map: DialogueMap, intent: str) -> str:
    for _ in range(5):
        node = map.nodes.get(f"intent:{intent}")
        parent = node.props.get("parent") if node is not None else None
        if not parent:
            break
        intent = parent
    return intent


def conformance(diagram: Diagram, map: DialogueMap, turn: int) -> Conformance:
    """How a turn of a map stands to a design. A turn that the map doesn't have has no step: all is missing; ask
    ``turn in map.turns`` first. Raises BadInput for a diagram that is too large to replay."""
    names = frozenset(node.id.partition(":")[2] for node in map.nodes.values() if node.kind in ("slot", "intent"))
    return conform(diagram, steps_of(map, turn), facts=known_of(map, turn).holds, vocabulary=names)


def told(found: Conformance, turn: int, lang: Lang) -> list[tuple[str, tuple[str, ...]]]:
    """The result in sentences, each with what it rests on: messages of the diagram (``m3``), fragments (``f1``) and the
    turn (``t15``); the verdict first."""
    labels = partial(listed, lang)
    turn_id = f"t{turn}"
    said: list[tuple[str, tuple[str, ...]]] = []
    missing = [f"{message.id} {message.label}" for message in found.missing]
    extra = [f"{step.kind} {step.name}".strip() + f" (#{step.event})" for step in found.extra]
    ids = tuple(message.id for message in found.missing)
    if found.conforms:
        said.append((say(lang, "conforms", turn=turn), (turn_id,)))
    elif missing:
        said.append((say(lang, "missing steps", turn=turn, messages=labels(missing)), (*ids, turn_id)))
        for message in found.missing:
            guard = " > ".join(step.condition for step in message.path if step.condition)
            if guard and any(step.fragment in found.decided for step in message.path):
                fragments = tuple(step.fragment for step in message.path)
                text = say(lang, "condition holds", message=f"{message.id} {message.label}", path=guard)
                said.append((text, (message.id, *fragments, turn_id)))
    if extra:
        key = "extra steps" if missing else "only extra steps"
        said.append((say(lang, key, turn=turn, steps=labels(extra)), (turn_id,)))
    if found.matched:
        pairs = [f"{message.id} {message.label} = #{event}" for message, event in found.matched]
        said.append((say(lang, "matched steps", pairs=labels(pairs)), (*(m.id for m, _ in found.matched), turn_id)))
    return said
