"""A knowledge graph that can be asked: the base ``graph``.

Readings and answers are kept by what they depend on, the version of the graph among it: after a change nothing old is
said again.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lingbot_map.ask.askable import Route
from lingbot_map.ask.bases.triples.answers import found
from lingbot_map.ask.bases.triples.cypher import Query, rendered
from lingbot_map.ask.bases.triples.following import followed, follows
from lingbot_map.ask.bases.triples.graph import Graph, Schema, schema_of
from lingbot_map.ask.bases.triples.index import Index
from lingbot_map.ask.bases.triples.plan import Candidate, Plan
from lingbot_map.ask.bases.triples.reading import Reader
from lingbot_map.ask.bases.triples.recall import Recall
from lingbot_map.ask.bases.triples.relations import HAN, WORD, Lexicon, Mark
from lingbot_map.ask.bases.triples.run import Result, Run, TooLong
from lingbot_map.ask.bases.triples.say import Say
from lingbot_map.ask.bases.triples.wanted import Read
from lingbot_map.ask.bases.triples.words import SOFT
from lingbot_map.ask.dialog import Dialog
from lingbot_map.ask.kept import Kept
from lingbot_map.ask.names import Names
from lingbot_map.ask.pool import Fused
from lingbot_map.ask.text import folded, lang_of
from lingbot_map.ask.types import Found, Item, Lang, Mention, Question, Sentence

LONGEST = 1000
"""Characters of a question that are read."""
KEPT = 4096
"""Readings, and answers, that are kept."""
MOST_MARKS = 80
"""Words that stand for something in a question that is read; what has more is none."""
_TRIED = 12
_SLACK = 1.0  # a reading that strays this much further may stand in for one that gives nothing
_NEAR = 0.1


@dataclass(frozen=True, slots=True)
class _Kept:
    question: Question
    back: bool


class Knowledge:
    """The base over one graph. The graph may change; what is derived from it follows at the next question."""

    name = "graph"

    def __init__(self, graph: Graph, *, seconds: float = 5.0) -> None:
        self.graph = graph
        self.questions: Kept[Hashable, _Kept] = Kept(KEPT)
        self.answers: Kept[Hashable, Found] = Kept(KEPT)
        self._depths: Kept[str, int] = Kept(KEPT)  # how many earlier topics have a part in how a question is read
        self._seconds = seconds
        self._version = -1
        self._late: set[Plan] = set()
        self._derive()

    def _derive(self) -> None:
        """What is known of the graph, if it changed."""
        if self._version == self.graph.version:
            return
        self.names = Names()
        for node in self.graph.nodes.values():
            self.names.add(node.id, node.kind, node.name)
            for alias in node.aliases:
                self.names.add(node.id, node.kind, alias, "alias")
        self.schema: Schema = schema_of(self.graph)
        self.lexicon = Lexicon(self.graph, self.schema, self.names)
        self.reader = Reader(self.lexicon)
        self.index = Index(self.graph)
        self.recall = Recall(self.lexicon)
        self.questions.clear()
        self.answers.clear()
        self._depths.clear()
        self._late.clear()
        self._version = self.graph.version

    def read(self, text: str, dialog: Dialog) -> Question:
        """The question with its plan in ``args``: ``plan``, and the same as ``cypher`` with ``parameters``."""
        self._derive()
        depth = self._depths.get(text)
        before = dialog.trails(2)
        kept = None if depth is None else self.questions.get((text, before[:depth]))
        if kept is not None and depth is not None:
            dialog.consulted = max(dialog.consulted, depth)
            if kept.back:
                dialog.back()
            return kept.question
        question, back, depth = self._read(text, dialog)
        self._depths.put(text, depth)
        self.questions.put((text, before[:depth]), _Kept(question, back))
        return question

    @property
    def version(self) -> int:
        """That of the graph."""
        return self.graph.version

    def _read(self, text: str, dialog: Dialog) -> tuple[Question, bool, int]:
        """The question, whether it went back to an earlier topic, and how many of those had a part in it."""
        marks, left = self.lexicon.marks(folded(text[:LONGEST]))
        lang = _spoken(text, marks)
        marks, missing = self._near(text[:LONGEST], marks, left)
        missing += [str(mark.value[0]) for mark in marks if mark.op == "unknown"]
        read = self.reader.read(marks) if not missing and len(marks) <= MOST_MARKS else Read(marks, [])
        known = bool(read.candidates or read.anchors)
        goes_on = 0 < len(marks) <= MOST_MARKS and not missing and (not known or follows(marks, read.anchors))
        depth = 2 if read.has("back") else 1 if goes_on else 0
        back = read.has("back") and dialog.back() is not None
        topic = dialog.topics[0] if goes_on and dialog.topics else None
        mentions = tuple(mark.mention for mark in marks if mark.mention is not None)
        candidates: Sequence[Candidate] = read.candidates
        carried: Mapping[tuple[str, ...], tuple[Mention, ...]] = {}
        if topic is not None:
            more = followed(self.reader, marks, read.anchors, topic)
            if more is not None:
                candidates, mentions, carried = more.candidates, more.mentions, more.carried
        question = Question(
            text=text, lang=lang, mentions=mentions, terms=_terms(marks), args={"missing": tuple(missing)}
        )
        return self._chosen(question, candidates, marks, carried), back, depth

    def _near(self, asked: str, marks: list[Mark], left: Sequence[tuple[int, str]]) -> tuple[list[Mark], list[str]]:
        """What nothing took may be a name that is nearly right; else it is missing."""
        missing: list[str] = []
        text = folded(asked)
        told = any(mark.relations or mark.values or mark.props or mark.op == "extreme" for mark in marks)
        for start, run in left:
            if told and all(word in SOFT for word in run.split()):
                continue
            near = self.names.near(run) if len(run) <= 100 else []
            if not near:
                missing.append(_as_typed(asked, text, self.lexicon.whole(text, start, run, marks)))
                continue
            name, id, likeness = near[0]
            others = tuple(other for other in self.names.ids(name) if other != id)
            kind = self.graph.nodes[id].kind
            mention = Mention(
                text=run, start=start, id=id, kind=kind, how="near", confidence=round(likeness, 3), others=others
            )
            marks = [*marks, Mark(start, start + len(run), run, mention=mention)]
        return sorted(marks, key=lambda mark: mark.start), missing

    def _chosen(
        self,
        question: Question,
        candidates: Sequence[Candidate],
        marks: Sequence[Mark],
        carried: Mapping[tuple[str, ...], tuple[Mention, ...]],
    ) -> Question:
        """With the first plan that gives something, of those that stray little more than the best."""
        if not candidates:
            words = [m.text for m in marks if (m.relations or m.props or m.values or m.kinds) and not m.mention]
            return replace(question, args={**question.args, "asked": tuple(words)})
        best, gives = candidates[0], bool(self.graph.says)
        for candidate in [c for c in candidates if c.penalty <= best.penalty + _SLACK][:_TRIED]:
            try:
                result = Run(self.graph, seconds=self._seconds, index=self.index).run(candidate.plan)
            except TooLong:
                best, gives = candidate, True
                break
            if _gives(candidate.plan, result):
                best, gives = candidate, True
                self.answers.put(
                    self._key(candidate.plan, question.lang), self._found(candidate.plan, result, question.lang)
                )
                break
            if candidate is best and candidate.plan.wanted == "check" and candidate.plan.targets and result.nodes:
                gives = True  # it leads elsewhere, by the relation's own name: that is a no
        if not gives:  # nobody said how its relations are said: that this reading finds nothing proves nothing
            words = [m.text for m in marks if (m.relations or m.props or m.values or m.kinds) and not m.mention]
            return replace(question, args={**question.args, "asked": tuple(words)})
        settled = tuple(_settled(mention, best.bound, self.graph) for mention in question.mentions)
        mentions = carried.get(best.bound) or settled
        query = rendered(best.plan, self.schema)
        args: dict[str, Any] = {
            "plan": best.plan,
            "bound": tuple(mention.id for mention in mentions),
            "cypher": query.text,
            "parameters": query.parameters,
        }
        confidence = min((mention.confidence for mention in mentions), default=1.0) * (1 - _NEAR * min(best.penalty, 5))
        tests = {f"{test.prop} {test.op}": test.values for test in best.plan.last.tests}
        say = Say(self.lexicon, question.lang)
        args["relations"] = tuple("/".join(map(say.relation, h.relations)) for h in best.plan.branches[0].hops)
        args["labels"] = {mention.kind: say.kind(mention.kind) for mention in mentions} | {
            f"{test.prop} {test.op}": f"{say.prop(test.prop)} {test.op}" for test in best.plan.last.tests
        }
        return replace(
            question,
            kind=best.plan.kind,
            mentions=mentions,
            args={**question.args, **args},
            constraints=tests,
            confidence=round(confidence, 3),
        )

    def compute(self, question: Question) -> Found | None:
        """What the plan gives; ``None`` if there is no plan, or if it took too long."""
        self._derive()
        question = self._corrected(question)
        plan = question.args.get("plan")
        if not isinstance(plan, Plan):
            return None
        key = self._key(plan, question.lang)
        kept = self.answers.get(key)
        if kept is None:
            if plan in self._late:
                return None
            try:
                kept = self._found(
                    plan, Run(self.graph, seconds=self._seconds, index=self.index).run(plan), question.lang
                )
            except TooLong:
                self._late.add(plan)
                return None
            self.answers.put(key, kept)
        return self._noted(question, kept)

    def _key(self, plan: Plan, lang: Lang) -> Hashable:
        return (plan, lang, self._version)

    def _found(self, plan: Plan, result: Result, lang: Lang) -> Found:
        return found(Say(self.lexicon, lang), plan, result)

    def _noted(self, question: Question, kept: Found) -> Found:
        """With what the reader may want to correct: near names, and others of the same name."""
        say = Say(self.lexicon, question.lang)
        notes = []
        for mention in question.mentions:
            if mention.how == "near":
                notes.append(say("near", text=mention.text, name=self.graph.nodes[mention.id].name))
            elif mention.others and mention.how != "before":
                others = say.names([id for id in mention.others if id in self.graph.nodes])
                notes.append(say("others", name=mention.text, others=others))
        if not notes:
            return kept
        return replace(
            kept, open_points=(*kept.open_points, *notes), confidence=min(kept.confidence, question.confidence)
        )

    def _corrected(self, question: Question) -> Question:
        """The question with the entities that its mentions name now, if a reader changed them."""
        bound = question.args.get("bound")
        ids = tuple(mention.id for mention in question.mentions)
        if bound is None or bound == ids or not all(id in self.graph.nodes for id in ids):
            return question
        marks, left = self.lexicon.marks(folded(question.text[:LONGEST]))
        marks, _ = self._near(question.text[:LONGEST], marks, left)
        fixed = {mention.start: mention.id for mention in question.mentions if mention.how != "before"}
        plain = replace(question, kind="", args={"missing": question.args.get("missing", ())})
        return self._chosen(plain, self.reader.read(marks, fixed).candidates, marks, {})

    def routes(self, question: Question) -> Sequence[Route]:
        """The triples whose words are those of the question; only where nothing was computed."""
        plan = question.args.get("plan")
        if isinstance(plan, Plan) and plan not in self._late:
            return ()
        return self.recall.routes(question)

    def answer(self, question: Question, pool: Sequence[Fused]) -> Found:
        """What the triples at the named things say if one alone is meant; else that it isn't in the graph."""
        say = Say(self.lexicon, question.lang)
        late = isinstance(question.args.get("plan"), Plan)
        told = self.recall.answer(question, pool, say)
        if told is not None:
            return replace(told, open_points=(*told.open_points, *((say("stopped"),) if late else ())))
        missing = tuple(question.args.get("missing", ()))
        if question.mentions and not missing:
            missing = tuple(question.args.get("asked", ()))
        names = say.words["comma"].join(dict.fromkeys(say.name(m.id) for m in question.mentions))
        what = say.words["comma"].join(dict.fromkeys(missing))
        if late or not missing:
            stopped = say("stopped") + ("。" if question.lang == "zh" else ".")
            text = stopped if late else say("unread")
        else:
            text = say("missing of", name=names, what=what) if names else say("missing", what=what)
        return Found(sentences=(Sentence(text=text, cites=()),), abstained=True)

    def item(self, id: str) -> Item | None:
        """A node or a triple."""
        return self.graph.item(id)

    def query(self, question: Question) -> Query | None:
        """The question's plan as Cypher, as its mentions stand now; ``None`` without a plan."""
        plan = self._corrected(question).args.get("plan")
        return rendered(plan, self.schema) if isinstance(plan, Plan) else None


def _gives(plan: Plan, result: Result) -> bool:
    if plan.wanted == "between":
        return any(edges for _, edges in result.paths)
    if plan.targets:
        return any(target in result.nodes for target in plan.targets)
    return bool(result.nodes)


def _settled(mention: Mention, bound: Sequence[str], graph: Graph) -> Mention:
    """The mention with the entity that the plan took it for."""
    ids = (mention.id, *mention.others)
    chosen = next((id for id in bound if id in ids), mention.id)
    kind = graph.nodes[chosen].kind if chosen in graph.nodes else mention.kind
    return replace(mention, id=chosen, kind=kind, others=tuple(id for id in ids if id != chosen))


def _spoken(text: str, marks: Sequence[Mark]) -> Lang:
    """The language of the words around the names."""
    plain = folded(text[:LONGEST])
    for mark in reversed(marks):
        if mark.mention is not None:
            plain = f"{plain[: mark.start]} {plain[mark.end :]}"
    if HAN.search(plain):
        return "zh"
    return "en" if WORD.search(plain) else lang_of(text)


def _as_typed(asked: str, text: str, run: str) -> str:
    """A run of the folded text as it was typed, where both are of one length."""
    at = text.find(run)
    return asked[at : at + len(run)] if at >= 0 and len(asked) == len(text) and asked.isascii() else run


def _terms(marks: Sequence[Mark]) -> tuple[str, ...]:
    """The words that the plan is made of."""
    return tuple(
        dict.fromkeys(
            mark.text
            for mark in marks
            if mark.mention or mark.relations or mark.props or mark.kinds or mark.values or mark.value
        )
    )
