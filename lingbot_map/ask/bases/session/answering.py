"""The base: a question over one session is computed; only what no operator fits is looked for in its words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lingbot_map.ask.askable import Route
from lingbot_map.ask.bases.sequence.asking import SequenceBase
from lingbot_map.ask.bases.session import causes, flow, recalls, slots, staleness, turns
from lingbot_map.ask.bases.session.conforming import conforming
from lingbot_map.ask.bases.session.reading import Reader
from lingbot_map.ask.bases.session.record import Record
from lingbot_map.ask.bases.session.saying import Saying
from lingbot_map.ask.dialog import Dialog
from lingbot_map.ask.pool import Fused, Hit
from lingbot_map.ask.text import covered
from lingbot_map.ask.types import Found, Item, Question
from lingbot_map.graph import DialogueMap

_COVERED = 0.6
_HITS = 5

Operator = Callable[[Saying], Found]

OPERATORS: dict[str, Operator] = {
    "no such turn": turns.no_such_turn,
    "turn": turns.turn,
    "difference": turns.difference,
    "said": turns.said,
    "findings": turns.findings,
    "length": turns.length,
    "overview": turns.overview,
    "writer": slots.writer,
    "value": slots.value,
    "overwrites": slots.overwrites,
    "readers": slots.readers,
    "writes of an intent": slots.writes_of_an_intent,
    "retrieving": recalls.retrieving,
    "leaks": slots.leaks,
    "clears": slots.clears,
    "lacks": slots.lacks,
    "slots": slots.slots,
    "jumps": flow.jumps,
    "visits": flow.visits,
    "intents": flow.intents,
    "loops": flow.loops,
    "confidence": flow.confidence,
    "funnel": recalls.funnel,
    "prompt": recalls.prompt,
    "hits": recalls.hits,
    "documents": recalls.documents,
    "stale documents": staleness.stale_documents,
    "why answer": causes.why_answer,
    "why jump": causes.why_jump,
    "why value": causes.why_value,
    "why document": causes.why_document,
    "why finding": causes.why_finding,
}
"""What answers each kind of question."""


class SessionBase:
    """One session's map; each question is answered from the map as it stands when it is asked."""

    name = "session"

    def __init__(self, map: DialogueMap, *, designed: SequenceBase | None = None) -> None:
        """``designed`` is the diagram that turns can be held against. Raises ``BadInput`` for several."""
        self._map = map
        self._derive()
        self._designed = designed
        self._conform = conforming(designed) if designed is not None else None

    @property
    def version(self) -> tuple[str, int]:
        """Where the map stands."""
        return self._map.epoch, self._map.seq

    def _derive(self) -> None:
        self._at = self.version
        self.record = Record(self._map)
        self._reader = Reader(self.record)

    def read(self, text: str, dialog: Dialog) -> Question:
        """The question: its operator, its turns and names."""
        if self._at != self.version:
            self._derive()
        return self._reader.read(text, dialog)

    def read_as(self, text: str, dialog: Dialog, bound: Mapping[int, str]) -> Question:
        """As ``read``, with the ids that a reader put right, by the place of the words that stand for them."""
        if self._at != self.version:
            self._derive()
        return self._reader.read(text, dialog, bound)

    def compute(self, question: Question) -> Found | None:
        """The operator's result; ``None`` for a question that no operator fits."""
        s = Saying(self.record, question)
        if not self.record.turns:
            return s.nothing(zh="没有记录：这次会话还没有任何一轮。", en="Not recorded: the session has no turn yet.")
        if question.kind == "conform":
            if self._conform is None:
                return s.nothing(zh="没有给出设计图，无从对照。", en="No designed diagram was given to compare with.")
            return self._conform(s)
        if question.kind == "no such name":
            return self._no_such_name(s)
        if question.kind == "why":
            return s.nothing(zh="没有找到所指的内容；请说明是第几轮或哪个变量。", en="Say which turn or slot is meant.")
        operator = OPERATORS.get(question.kind)
        if operator is None:
            return None
        found = operator(s)
        return found if found.sentences else self._no_such_name(s)

    def routes(self, question: Question) -> Sequence[Route]:
        """The words of turns, for what is not computed."""
        if question.kind or not question.terms:
            return ()
        return (Route(name="words", run=lambda late: self._by_words(question), keywords=question.terms),)

    def answer(self, question: Question, pool: Sequence[Fused]) -> Found:
        """The turn that has most of the question's words, quoted; an abstention if none has enough of them."""
        s = Saying(self.record, question)
        if not pool:
            return self._no_such_name(s)
        turn = self.record.turns[int(pool[0].item[1:])]
        s.say(
            (turn.id,),
            zh=f"最相关的是第{turn.number}轮：用户说「{turn.said}」，机器人回答「{turn.answered}」。",
            en=f'Closest is turn {turn.number}: the user said "{turn.said}", the bot answered "{turn.answered}".',
        )
        return s.told()

    def item(self, id: str) -> Item | None:
        """The turn, write, document, event ... that a citation names."""
        found = self.record.item(id)
        return found if found is not None or self._designed is None else self._designed.item(id)

    def _by_words(self, question: Question) -> list[Hit]:
        found = []
        for turn in self.record.turns.values():
            share = covered(question.terms, f"{turn.said} {turn.answered}")
            if share >= _COVERED:
                found.append(Hit(item=turn.id, score=share, why=f"{share:.0%}"))
        return sorted(found, key=lambda hit: -hit.score)[:_HITS]

    def _no_such_name(self, s: Saying) -> Found:
        """Nothing of that name: what comes near it, and what there is."""
        near = [name for word in s.question.terms if word.isascii() for name, _, _ in self._reader.names.near(word)][:3]
        known = [node.id for node in self.record.of_kind("slot")][:8]
        zh, en = "没有记录：会话里没有所问的内容。", "Not recorded: the session holds nothing of that name."
        if near:
            zh, en = f"{zh}相近的名称：{s.listed(near)}。", f"{en} Names near it: {s.listed(near)}."
        elif known:
            names = s.names(known)
            zh, en = f"{zh}记录到的变量有 {names}。", f"{en} Its slots are {names}."
        return s.nothing(zh=zh, en=en)
