"""A turn of a recorded session as the neutral steps that ``conform`` replays, and what is known of its conditions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial

from lingbot_map.ask.bases.sequence.conform import Conformance, Did, conform
from lingbot_map.ask.bases.sequence.ir import Diagram
from lingbot_map.ask.bases.sequence.lexicon import concepts
from lingbot_map.ask.bases.sequence.meaning import STAGE_KIND
from lingbot_map.ask.bases.sequence.wording import listed, say
from lingbot_map.ask.text import folded
from lingbot_map.ask.types import Lang
from lingbot_map.events import KIND_NUMBER
from lingbot_map.graph import DialogueMap
from lingbot_map.model import Edge

_SURE = re.compile(
    r"(?:confidence|conf|score|置信度|置信|把握)\D{0,6}?(<=|>=|<|>|低于|小于|不足|高于|大于|超过|达到)\s*(0?\.\d+|1(?:\.0+)?)"
)
_LESS = frozenset(("<", "<=", "低于", "小于", "不足"))
_STEP = {
    "turn_started": "utterance", "intent_routed": "route", "slot_assigned": "write", "slot_cleared": "clear",
    "slot_read": "read", "retrieved": "retrieve", "answered": "answer", "failed": "fail",
}  # fmt: skip
_STEP_OF = {KIND_NUMBER[kind]: step for kind, step in _STEP.items()}


class Recorded:
    """The steps of a map's turns, as they were after event ``upto`` (none: all), and what is known of their conditions.
    What was undone is left out."""

    def __init__(self, map: DialogueMap, upto: int | None = None) -> None:
        self._map = map
        self._last = map.seq if upto is None else upto
        self._routes: list[Edge] = []
        self._names: dict[int, str] = {}
        for edge in map.edges.values():
            if edge.seq > self._last:
                continue
            if edge.kind == "jump" and edge.id.startswith("jump:"):
                self._names[edge.seq] = edge.target.partition(":")[2]
                if not map.is_undone(edge.seq):
                    self._routes.append(edge)
            elif edge.kind == "assign":
                self._names[edge.seq] = edge.target.partition(":")[2]
            elif edge.kind == "read":
                self._names[edge.seq] = edge.source.partition(":")[2]
            elif edge.kind == "recall":
                self._names[edge.seq] = str(edge.props.get("stage", ""))
        self._steps = self._read()
        self.slots = frozenset(node.id.partition(":")[2] for node in map.nodes.values() if node.kind == "slot")
        self.intents = frozenset(node.id.partition(":")[2] for node in map.nodes.values() if node.kind == "intent")

    def _read(self) -> dict[int, list[Did]]:
        map = self._map
        found: dict[int, list[Did]] = {number: [] for number, turn in map.turns.items() if turn.seq <= self._last}
        for place, number in enumerate(map.moment_turn):
            seq = map.first_moment + place
            kind = _STEP_OF.get(map.moment_kind[place], "")
            if seq > self._last or not kind or map.is_undone(seq):
                continue
            name = self._names.get(seq, "")
            if kind == "utterance":
                said = map.nodes.get(f"utterance:{number}")
                if said is None or not said.props.get("text") or any(s.kind == kind for s in found.get(number, ())):
                    continue  # the bot opened the turn, or it was opened twice
            elif kind == "retrieve":
                kind = STAGE_KIND.get(name, kind)
            found.setdefault(number, []).append(Did(kind, name, seq))
        return found

    @property
    def turns(self) -> tuple[int, ...]:
        """The turns that there are, in order; 0 is what came before the first."""
        return tuple(sorted(self._steps))

    def steps(self, turn: int, *, stages: bool = False) -> tuple[Did, ...]:
        """What happened in a turn, in the order of its events. Empty for a turn that the map does not have.

        The utterance is a step unless the bot opened the turn; each routing, slot write, read and clearing, each
        retrieval, reranking, answer and failure is one. The ways of one retrieval (by vectors, by words) are one step,
        and a reranking implies a retrieval, unless each of the ``stages`` is to be a step.
        """
        all = self._steps.get(turn, [])
        if stages:
            return tuple(all)
        steps: list[Did] = []
        for step in all:
            if step.kind == "retrieve" and steps and steps[-1].kind == "retrieve":
                continue
            if step.kind in STAGE_KIND.values() and not any(each.kind == "retrieve" for each in steps):
                steps.append(Did("retrieve", step.name, step.event))
            steps.append(step)
        return tuple(steps)

    def known(self, turn: int) -> Known:
        """What is known of the conditions of a turn."""
        now: str | None = None
        before: str | None = None
        confidence: float | None = None
        missing: tuple[str, ...] = ()
        for edge in self._routes:
            if edge.turn > turn:
                continue
            business = _business(self._map, edge.target.partition(":")[2])
            if edge.turn == turn:
                now = business
                confidence = edge.props.get("confidence")
                missing = tuple(edge.props.get("missing", ()))
            else:
                before = business
        failed = any(step.kind == "fail" for step in self._steps.get(turn, ()))
        return Known(before, now, confidence, missing, failed)

    def conformance(self, diagram: Diagram, turn: int) -> Conformance:
        """How a turn stands to a diagram. One that the map doesn't have has no step: all is missing. Raises BadInput
        for a diagram that is too large to replay."""
        facts = self.known(turn).holds
        return conform(diagram, self.steps(turn), facts=facts, slots=self.slots, intents=self.intents)


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
        said = {"business" if each == "not business" else each for each in concepts(condition)}
        if "not business" in concepts(condition) and "changed" in said:
            said = (said - {"changed"}) | {"not changed"}
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


def _business(map: DialogueMap, intent: str) -> str:
    for _ in range(5):
        node = map.nodes.get(f"intent:{intent}")
        parent = node.props.get("parent") if node is not None else None
        if not parent:
            break
        intent = parent
    return intent


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
