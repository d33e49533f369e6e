"""Asks the agreed questions with the probes on: the answers stay the same, and each map says how they came about.

``python -m tests.ask.acceptance --recorded [BASE ...]`` runs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from lingbot_map.ask import Answer, Ask
from lingbot_map.ask.labels import ABSTAINED, SEARCH
from lingbot_map.ask.report import MOST
from lingbot_map.ask.report import cited as told_of
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.model import Edge
from lingbot_map.testing import Recording, record
from lingbot_probes import Probe
from lingbot_probes.signals import Answered, IntentRouted, Retrieved, TurnStarted

NOT_ROUTES = frozenset(("read", "bind", "compute", "pool", "answer", "cite"))
"""Steps of every question; the others are routes."""


def plain(answer: Answer) -> Answer:
    """The answer without what the clock says, and without that it was kept."""
    return replace(answer, steps=tuple(replace(step, ms=0.0) for step in answer.steps if step.name != "kept"))


def faults_of(map: DialogueMap, events: list[Event], turn: int, answer: Answer) -> Iterator[str]:
    """What the map of a session says of its ``turn`` that the answer doesn't, and the other way round."""
    told = [event.signal for event in events if event.turn == turn]
    edges = [edge for edge in map.edges.values() if edge.turn == turn]
    said = map.nodes[f"utterance:{turn}"].props["text"]  # its label is empty where nothing of it can be seen
    if said != answer.question.text:
        yield f"the utterance is {said!r}"
    if [type(signal) for signal in told].count(TurnStarted) != 1:
        yield "is no turn of its own"
    yield from _flow(told, edges, answer)
    yield from _state(map, max(event.seq for event in events if event.turn == turn), answer)
    yield from _knowledge(told, edges, answer)
    node = map.nodes.get(f"answer:{turn}")
    if (
        node is None
        or not answer.text.startswith(node.label.removesuffix("…"))
        or len(node.label) < min(len(answer.text), 2000)
    ):
        yield "the answer on the map is another"


def _flow(told: list[Any], edges: list[Edge], answer: Answer) -> Iterator[str]:
    routed = [signal for signal in told if type(signal) is IntentRouted]
    kinds = [answer.question.kind or SEARCH, *([ABSTAINED] if answer.abstained else [])]
    if [signal.intent for signal in routed] != kinds:
        yield f"its intents are {[signal.intent for signal in routed]}, not {kinds}"
    if routed and routed[0].confidence != round(answer.question.confidence, 4):
        yield "the intent's confidence is another"
    if answer.abstained and not routed[-1].condition:
        yield "does not say why it abstains"
    drawn = [edge.target for edge in edges if edge.id.startswith("jump:")]
    if drawn != [f"intent:{kind}" for kind in kinds]:
        yield f"draws jumps to {drawn}"


def _state(map: DialogueMap, seq: int, answer: Answer) -> Iterator[str]:
    question = answer.question
    held = {
        node.id[5:]: props["value"]
        for node in map.nodes.values()
        if node.kind == "slot" and (props := map.props_at(node.id, seq)) and props["set"]
    }
    for mention in question.mentions:
        value = str(held.get(mention.kind or "entity"))
        if mention.id not in re.split("[、, ]+", value) and f"[{mention.id}]" not in value:
            yield f"no slot holds {mention.id}: {value}"
    bound = {mention.kind or "entity" for mention in question.mentions} | {*question.constraints}
    if lacking := {*question.constraints} - held.keys():
        yield f"no slot holds {lacking}"
    if left := held.keys() - bound - {"relation", "terms", "turn"}:
        yield f"slots of another question are left: {left}"


def _knowledge(told: list[Any], edges: list[Edge], answer: Answer) -> Iterator[str]:
    recalls = [signal for signal in told if type(signal) is Retrieved]
    routes = {signal.params["retriever"]: signal for signal in recalls if "retriever" in signal.params}
    for step in answer.steps:
        if step.name in NOT_ROUTES or step.status not in ("ok", "empty"):
            continue
        found = routes.get(step.name)
        if found is None or found.params["found"] != step.evidence_count:
            yield f"no recall of {step.name} with {step.evidence_count} hits"
    for item in answer.evidence:
        for name, rank in item.ranks.items():
            if name == "operator" or rank > MOST:
                continue
            if [doc.rank for doc in routes[name].docs if doc.id == item.item][:1] != [rank]:
                yield f"{name} did not rank {item.item} {rank}"
    cited = list(told_of(answer))
    pool = [signal for signal in recalls if signal.stage == "reranked"]
    if any((doc.id in cited) == bool(doc.dropped_because) for signal in pool for doc in signal.docs):
        yield "what the pool kept is not what was cited"
    entered = [doc.id for signal in recalls if signal.stage == "prompt" for doc in signal.docs]
    merged = [edge.source[4:] for edge in edges if edge.kind == "merge"]
    answered = [doc for signal in told if type(signal) is Answered for doc in signal.docs]
    if not entered == merged == answered == cited:
        yield f"cited {cited}, entered {entered}, merged {merged}"
    drawn = {(edge.props["stage"], edge.target[4:], edge.props["rank"]) for edge in edges if edge.kind == "recall"}
    if drawn != {(signal.stage, doc.id, doc.rank) for signal in recalls for doc in signal.docs}:
        yield "the recalls on the map are others"


@dataclass(slots=True)
class Session:
    """One base that is asked twice: as it is, and with a probe."""

    name: str
    silent: Ask
    told: Ask
    answers: list[Answer] = field(default_factory=list)


class Twice:
    """Asks bases with and without the probe; ``faults`` holds all maps to the answers at the end."""

    def __init__(self, opened: Callable[[str, str], Any]) -> None:
        self.probe = Probe("ask-acceptance", capacity=2000, mask=False)  # else phones in answers are others
        self._opened = opened
        self.sessions: dict[tuple[str, str], Session] = {}

    def ask(self, base: str, over: str, question: str) -> Iterator[str]:
        """What the two answers differ in."""
        if (base, over) not in self.sessions:
            one = self._opened(base, over)
            name = f"{base} {over}"
            self.sessions[base, over] = Session(name, Ask(one), Ask(one, probe=self.probe, session=name))
        session = self.sessions[base, over]
        first, second = session.silent.ask(question), session.told.ask(question)
        self.probe.flush(5)
        session.answers.append(second)
        if plain(first) != plain(second):
            yield "the recorded answer is another"

    def faults(self, recording: Recording) -> Iterator[str]:
        """What the maps don't say, with session and question."""
        for session in self.sessions.values():
            map, events = recording.map(session.name), recording.events[session.name]
            if len(map.turns) - (0 in map.turns) != len(session.answers):
                yield f"{session.name}: {len(map.turns)} turns for {len(session.answers)} questions"
            if failed := [f.reason["en"] for f in map.findings.values() if f.kind in ("failure", "gap", "leak")]:
                yield f"{session.name}: {failed}"
            for number, answer in enumerate(session.answers, 1):
                for fault in faults_of(map, events, number, answer):
                    yield f"{session.name} turn {number} {answer.question.text}\n    {fault}"


def run(
    questions: list[tuple[str, str, str]], opened: Callable[[str, str], Any], say: Callable[[str], object] = print
) -> int:
    """Ask (base, over, question) each; how many faults there are."""
    twice = Twice(opened)
    wrong = []
    with record(twice.probe) as recording:
        for base, over, question in questions:
            wrong += [f"{question}\n    {fault}" for fault in twice.ask(base, over, question)]
        wrong += twice.faults(recording)
    for fault in wrong:
        say(fault)
    say(f"{len(questions)} questions recorded in {len(twice.sessions)} sessions, {len(wrong)} faults")
    return len(wrong)
