"""What is asked, told to a probe: every question a turn of a recorded session, so that a wrong answer has a map.

    asking = Ask(base, probe=Probe("shop-questions"))

The question is the utterance and its kind the intent; bound names and constraints are slots; each route is a recall
with its candidates, the pool is the re-ranking, what is cited is what entered the answer. An abstention is an intent of
its own, a route that is late or broken a failure. Topics are tasks: going on with one, leaving it and coming back are
jumps that say so, and a name that is bound anew overwrites the one before.

This stands in ``ask``, the top room of the map, which may use the probes (data flows from them to here and on to the
web): the one place that knows both. The engine knows of it only what ``Ask`` calls. Telling never changes an answer
and never raises: what goes wrong in here is told as a failure named ``report``.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from lingbot_map.ask.bound import OF_THE_QUESTION, Bound, joined, name_of, slots_of
from lingbot_map.ask.dialog import TOPICS, Dialog
from lingbot_map.ask.labels import ABSTAINED, SEARCH, label
from lingbot_map.ask.types import Answer, Item, Lang, Mention, Question
from lingbot_probes import Probe
from lingbot_probes.signals import (
    Answered,
    Doc,
    IntentRouted,
    Retrieved,
    SessionStarted,
    Signal,
    SlotAssigned,
    SlotCleared,
    SlotRead,
    TurnStarted,
)

if TYPE_CHECKING:
    from lingbot_map.ask.askable import Base, Route
    from lingbot_map.ask.pool import Fused, Hit

MOST = 20
"""Candidates of a route, and of the pool, that are told: as many as an answer shows; the number found is told, too."""
CITED = 50
"""Items of an answer that are told: as many as an event holds. Of long names fewer (``cited``)."""
_ROOM = 9_000
"""Bytes that an event has for documents: the question, reasons and numbers take the rest of its 16 KiB. What doesn't
fit would be cut anywhere, within ids too."""
_ANSWER = 2_000
_QUERY = 200
_SNIPPET = 80
_NAME = 40
_TASK = 16
_NAMELESS = frozenset(("fragment", "note"))
"""Kinds of items whose title only says of what kind they are ("alt", "n1"): they are called what they say."""

_NOTHING_MORE: Mapping[str, str] = MappingProxyType({})
_SAID: dict[Lang, dict[str, str]] = {
    "zh": {
        "new": "新话题：{}",
        "other": "新话题",
        "on": "接着：{}",
        "back": "回到：{}",
        "missing": "没有找到：{}",
        "weak": "依据不足",
        "none": "没有依据",
        "unused": "未写进答案",
        "context": "答案是直接算出的，仅供参考",
        "unasked": "依据不足，未作答",
        "meant": "指的是它",
        "homonym": "同名的另一个",
        "late": "超时，未计入",
    },
    "en": {
        "new": "new topic: {}",
        "other": "new topic",
        "on": "going on: {}",
        "back": "back to: {}",
        "missing": "not found: {}",
        "weak": "not enough evidence",
        "none": "no evidence",
        "unused": "not in the answer",
        "context": "context only: the answer was computed",
        "unasked": "not enough to answer",
        "meant": "the one that is meant",
        "homonym": "another of that name",
        "late": "too late, not counted",
    },
}


class Report:
    """Tells ``probe`` of each question to ``base`` as a turn of ``session``; "": of one of its own, which is called
    what is asked first, and has ``about`` among its facts. What a session is called that has a name, and that it ends,
    is told by whoever named it."""

    def __init__(
        self, probe: Probe, base: Base, dialog: Dialog, session: str = "", about: Mapping[str, str] = _NOTHING_MORE
    ) -> None:
        self.session = session or f"ask-{secrets.token_hex(4)}"
        self._own = not session
        self._about = about
        self._probe = probe
        self._base = base
        self._dialog = dialog
        self.asked = 0
        self.turn_id = ""
        self._task = ""
        self._tasks: deque[tuple[str, str]] = deque(maxlen=2 * TOPICS)
        self._top = ""
        self._held: dict[str, Bound] = {}
        self._items: dict[str, Item | None] = {}
        self._question: Question | None = None

    def resume(self, base: Base, dialog: Dialog) -> None:
        """The next question is put to ``base`` as it is by now, after what ``dialog`` holds: for who says with each
        question what went before. A topic is known again by the question that was asked last in it."""
        self._base, self._dialog = base, dialog
        known = [topic.question.text for topic in dialog.topics]
        if self._top not in known:  # the last question was taken back, or all before it
            self._top = known[0] if known else ""

    @contextmanager
    def turn(self, text: str) -> Iterator[None]:
        """The turn of one question; an error that leaves it is told."""
        self._guarded(lambda: self._begin(text))
        try:
            yield
        except Exception as why:
            self._probe.failed("ask", why, session=self.session, turn=self.turn_id)
            raise

    def understood(self, question: Question) -> None:
        """The question was read: its intent, its slots, and names that several things bear."""
        self._guarded(lambda: self._understood(question))

    def searched(self, routes: Sequence[Route], found: Mapping[str, Sequence[Hit]]) -> None:
        """The routes ended; ``found`` has those that came in time."""
        self._guarded(lambda: self._searched(routes, found))

    def answered(self, answer: Answer, pool: Sequence[Fused], *, computed: bool) -> None:
        """The answer stands, an operator's if it was ``computed``, and the dialogue has heard it."""
        self._guarded(lambda: self._pooled(answer, pool, computed))
        self._guarded(lambda: self._cited(answer, computed))
        self._guarded(lambda: self._ended(answer, pool))

    def _guarded(self, tell: Callable[[], None]) -> None:
        if self._probe.off:
            return
        try:
            tell()
        except Exception as why:
            self._probe.failed("report", why, session=self.session, turn=self.turn_id)

    def _tell(self, signal: Signal) -> None:
        self._probe.emit(signal, session=self.session, turn=self.turn_id)

    def _begin(self, text: str) -> None:
        self.asked += 1
        self._items.clear()
        self._question = None
        if self.asked == 1 and self._own:
            self.turn_id = ""
            meta = {"channel": "ask", "base": self._base.name, **self._about}
            self._tell(SessionStarted(title=text.strip()[:_SNIPPET], meta=meta))
        self.turn_id = f"q{self.asked}"
        self._tell(TurnStarted(turn=self.turn_id, utterance=text))

    # -- the question: intent and slots ------------------------------------------------------------------------

    def _understood(self, question: Question) -> None:
        self._question = question
        lang = question.lang
        before = self._task
        moved = self._moved(question)
        kind = question.kind or SEARCH
        self._tell(
            IntentRouted(
                intent=kind,
                confidence=round(question.confidence, 4),
                label=label(kind, lang),
                condition=moved,
            )
        )
        wanted = slots_of(question, self._item)
        for name in [name for name in self._held if name not in wanted or name in OF_THE_QUESTION]:
            self._tell(SlotCleared(slot=name, task=before))
            del self._held[name]
        for name, slot in wanted.items():
            held = self._held.get(name)
            if slot.before and held is not None and held.value == slot.value:
                self._tell(SlotRead(slot=name, reader=label(kind, lang), task=self._task))
                continue
            scope = "turn" if name in OF_THE_QUESTION else "task"
            self._tell(SlotAssigned(slot=name, value=slot.value, label=slot.label, scope=scope, task=self._task))
            self._held[name] = slot
        for mention in question.mentions:
            if mention.others and mention.how != "before":
                self._homonyms(mention, lang)

    def _moved(self, question: Question) -> str:
        """How the question stands to the topics before, in words; "" for the first. The task follows."""
        topics, said = self._dialog.topics, _SAID[question.lang]
        named = any(mention.how != "before" for mention in question.mentions)
        if topics and self._top and topics[0].question.text != self._top:
            self._task = next((task for asked, task in self._tasks if asked == topics[0].question.text), self._task)
            return said["back"].format(self._task)
        if topics and question.mentions and not named:
            return said["on"].format(self._task)
        first = not self._task
        names = list(dict.fromkeys(name_of(mention, self._item) for mention in question.mentions))[:2]
        self._task = joined(names, question.lang)[:_NAME] or _cut(question.text.strip())
        if first:
            return ""
        return said["new"].format(self._task) if names else said["other"]

    def _homonyms(self, mention: Mention, lang: Lang) -> None:
        said, kind = _SAID[lang], label("names", lang)
        docs = [self._doc(mention.id, 1, mention.confidence, kind, dropped=said["meant"])]
        for rank, other in enumerate(mention.others[: MOST - 1], 2):
            docs.append(self._doc(other, rank, None, kind, dropped=f"{said['homonym']} [{other}]"))
        self._recall(mention.text, "keyword", docs, {"retriever": "names"})

    # -- the way to the answer: recalls, the pool, what was cited ----------------------------------------------

    def _searched(self, routes: Sequence[Route], found: Mapping[str, Sequence[Hit]]) -> None:
        question = self._question
        if question is None:
            return
        # A map takes a second ranking of a stage for another retrieval, so the words and the meaning, which others rank
        # by as well, come last: they stand beside the re-ranking.
        for route in sorted(routes, key=lambda route: route.name in ("words", "semantic")):
            hits = found.get(route.name)
            if hits is None:
                continue  # it was late or broke: a step says so
            kind = label(route.name, question.lang)
            shown = hits[:MOST]
            params: dict[str, Any] = {"retriever": route.name, "weight": route.weight, "found": len(hits)}
            if route.keywords:
                params["keywords"] = list(route.keywords)
            if why := {hit.item: hit.why for hit in shown if hit.why}:
                params["why"] = why
            docs = [self._doc(hit.item, rank, hit.score, kind) for rank, hit in enumerate(shown, 1)]
            self._recall(question.text, "vector" if route.name == "semantic" else "keyword", docs, params)

    def _recall(self, query: str, stage: str, docs: Sequence[Doc], params: Mapping[str, Any]) -> None:
        self._tell(Retrieved(query=query[:_QUERY], stage=stage, docs=_within(docs), params=params))

    def _pooled(self, answer: Answer, pool: Sequence[Fused], computed: bool) -> None:
        if not pool:
            return
        said, told = _SAID[answer.question.lang], cited(answer)
        why = said["unasked" if answer.abstained else "context" if computed else "unused"]
        top = pool[0].score or 1.0
        docs = [
            self._doc(fused.item, rank, fused.score / top, "rrf", dropped="" if fused.item in told else why)
            for rank, fused in enumerate(pool[:MOST], 1)
        ]
        self._recall(answer.question.text, "reranked", docs, {"top": top})

    def _cited(self, answer: Answer, computed: bool) -> None:
        if told := cited(answer):
            how = _how(answer.question, computed)
            self._recall(answer.question.text, "prompt", self._evidence(answer, told), how)

    def _ended(self, answer: Answer, pool: Sequence[Fused]) -> None:
        lang = answer.question.lang
        for step in answer.steps:
            if step.status in ("timeout", "failed"):
                error = _SAID[lang]["late"] if step.status == "timeout" else step.detail or step.status
                self._probe.failed(step.name, error, session=self.session, turn=self.turn_id)
        if answer.abstained:
            self._tell(
                IntentRouted(intent=ABSTAINED, label=label(ABSTAINED, lang), condition=self._reason(answer, pool))
            )
        text = answer.text if len(answer.text) <= _ANSWER else answer.text[: _ANSWER - 1] + "…"
        self._tell(Answered(text=text, docs=cited(answer)))
        self._top = self._dialog.topics[0].question.text if self._dialog.topics else ""
        self._tasks.appendleft((answer.question.text, self._task))

    def _evidence(self, answer: Answer, told: Sequence[str]) -> list[Doc]:
        known = {item.item: item for item in answer.evidence}
        docs = []
        for rank, id in enumerate(told, 1):
            item = known.get(id)
            computed = item is None or item.route == "operator"
            kind = label("operator", answer.question.lang) if computed else "rrf"
            docs.append(self._doc(id, rank, item.confidence if item is not None else None, kind))
        return docs

    def _reason(self, answer: Answer, pool: Sequence[Fused]) -> str:
        said, args = _SAID[answer.question.lang], answer.question.args
        if names := [str(name) for key in ("missing", "unknown") for name in args.get(key) or ()]:
            return said["missing"].format("、".join(names)[:_NAME])
        return said["weak" if pool else "none"]

    def _doc(self, id: str, rank: int, score: float | None, kind: str, *, dropped: str = "") -> Doc:
        item = self._item(id)
        title = "" if item is None else item.text if item.kind in _NAMELESS else item.title
        return Doc(
            id=id,
            title=title[:_SNIPPET],
            score=None if score is None else round(score, 4),
            score_kind=kind,
            rank=rank,
            version=item.version if item is not None else "",
            snippet=item.text[:_SNIPPET] if item is not None and item.text != title else "",
            dropped_because=dropped,
        )

    def _item(self, id: str) -> Item | None:
        if id not in self._items:
            self._items[id] = self._base.item(id)
        return self._items[id]


def cited(answer: Answer) -> tuple[str, ...]:
    """The items of an answer that are told."""
    told = answer.cites[:CITED]
    while sum(map(_size, told)) > _ROOM:
        told = told[:-1]
    return told


def _within(docs: Sequence[Doc]) -> tuple[Doc, ...]:
    """The documents as far as an event holds them: without what they say, then with less of what they are called."""
    for words, title in ((_SNIPPET, _SNIPPET), (0, _SNIPPET), (0, _TASK), (0, 0)):
        kept = [replace(doc, snippet=doc.snippet[:words], title=doc.title[:title]) for doc in docs]
        if (
            sum(40 + sum(map(_size, (d.id, d.title, d.snippet, d.dropped_because, d.score_kind))) for d in kept)
            <= _ROOM
        ):
            break
    return tuple(kept)


def _size(text: str) -> int:
    return len(text) * (1 if text.isascii() else 3) + 4


def _how(question: Question, computed: bool) -> dict[str, Any]:
    """The operator that put the evidence together, and its query where it is one."""
    how: dict[str, Any] = {"operator": question.kind} if computed else {}
    return how | {name: question.args[name] for name in ("cypher", "parameters") if name in question.args}


def _cut(text: str) -> str:
    return text if len(text) <= _TASK else text[: _TASK - 1] + "…"
