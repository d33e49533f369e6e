"""Questions that go on from an earlier one: "who stars in it?", "the highest rated one?", "and Zhao Mu?", "back to the
other one". What they leave out is taken over: the entity first, then the relation, then the conditions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lingbot_map.ask.bases.triples.conditions import Condition, attached, conditions_of
from lingbot_map.ask.bases.triples.grouping import grouped
from lingbot_map.ask.bases.triples.plan import Branch, Candidate, Plan, Stage, kinds_of
from lingbot_map.ask.bases.triples.reading import Reader
from lingbot_map.ask.bases.triples.relations import Mark
from lingbot_map.ask.bases.triples.wanted import Anchor
from lingbot_map.ask.dialog import Topic
from lingbot_map.ask.types import Mention

_PERSON = ("他", "她", "他们", "她们", "he", "she", "him", "her", "his", "那位", "这位")
_THING = (
    "它",
    "它们",
    "那部",
    "这部",
    "那本",
    "这本",
    "那首",
    "这首",
    "该片",
    "该书",
    "该剧",
    "此片",
    "此书",
    "it",
    "its",
)
_MOST = 200
"""So many of an answer's rows are gone on from."""


@dataclass(frozen=True, slots=True)
class Followed:
    """The plans that a question may mean after ``topic``, and the mentions taken over; ``carried`` has those of a plan
    by what it is bound to."""

    candidates: tuple[Candidate, ...]
    mentions: tuple[Mention, ...]
    carried: Mapping[tuple[str, ...], tuple[Mention, ...]] = field(default_factory=dict)


def follows(marks: Sequence[Mark], anchors: Sequence[Anchor]) -> bool:
    """Whether the question leaves something out that only an earlier one can tell."""
    ops = {mark.op for mark in marks}
    if "back" in ops:
        return not anchors or "it" in ops
    if anchors:
        steps = any((m.relations or m.kinds or m.props or m.values or m.op in _SAID) and not m.mention for m in marks)
        goes_on = "what about" in ops or marks[0].op == "and"
        return ("it" in ops and "between" in ops and len(anchors) == 1) or (goes_on and not steps)
    return "it" in ops or "what about" in ops or not any(mark.kinds or mark.op == "who" for mark in marks)


_SAID = ("number", "range", "time", "years", "extreme", "count", "between", "whether")


def followed(reader: Reader, marks: list[Mark], anchors: Sequence[Anchor], topic: Topic) -> Followed | None:
    """How a question goes on from a topic; ``None`` if it can't."""
    before = topic.question.args.get("plan")
    plan = before if isinstance(before, Plan) else None
    kept = tuple(replace(mention, how="before") for mention in topic.question.mentions)
    body = [mark for mark in marks if mark.op != "back"]
    if anchors and any(mark.op == "between" for mark in body):
        return _with_named(reader, body, anchors, topic)
    if anchors:
        return _swapped(reader, anchors, plan)
    relations = any(mark.relations for mark in body)
    held = next(grouped(body, reader.lexicon), None)
    if held is None or any(mark.op == "than" for mark in body):
        return None
    taken = conditions_of(held[0], reader.lexicon)
    taken.conditions += held[1]
    count = any(mark.op == "count" for mark in body)
    props = any(mark.props and not mark.relations for mark in taken.marks) or any(m.op == "when" for m in taken.marks)
    if plan is not None and not relations and not props:
        if taken.conditions or count:
            more = _extended(reader, plan, taken.conditions, count, topic)
            if more is not None:
                return Followed((Candidate(more, 0.0),), kept)
        elif not any(mark.kinds for mark in taken.marks):
            return Followed((Candidate(plan, 0.0),), kept)  # only "back to the other one": say it again
    found: list[Candidate] = []
    carried: dict[tuple[str, ...], tuple[Mention, ...]] = {}
    for number, mentions in enumerate(_sources(body, topic)):
        ids = tuple(dict.fromkeys(mention.id for mention in mentions if mention.id in reader.graph.nodes))[:_MOST]
        if not ids:
            continue
        start, end = _place(body)
        steps = [mark for mark in body if mark.op != "it"]
        named = tuple(mention.id for mention in topic.question.mentions)
        for candidate in reader.over(steps, ids, start, end, named):
            found.append(replace(candidate, penalty=candidate.penalty + 0.3 * number))
            carried.setdefault(ids, tuple(replace(mention, how="before") for mention in mentions))
    found.sort(key=lambda candidate: candidate.penalty)
    return Followed(tuple(found), (), carried) if found else None


def _sources(marks: Sequence[Mark], topic: Topic) -> list[tuple[Mention, ...]]:
    """What "it" may be: what was answered, then what was named; by kind where the word tells it."""
    answered, named = topic.answered, topic.question.mentions
    about = any(mark.op == "what about" for mark in marks)
    sources = [named, answered] if about else [answered, named]
    words = {mark.text for mark in marks if mark.op == "it"}
    persons = {"person", "人", "人物"}
    found = []
    for source in sources:
        if words & set(_PERSON):
            source = tuple(m for m in source if m.kind.casefold() in persons) or source
        elif words & set(_THING):
            source = tuple(m for m in source if m.kind.casefold() not in persons)
        if source:
            found.append(source)
    return found


def _place(marks: Sequence[Mark]) -> tuple[int, int]:
    """Where what is left out would stand: at the pronoun; else behind "who" and its verb; else in front."""
    for mark in marks:
        if mark.op == "it":
            return mark.start, mark.end
    steps = [mark for mark in marks if mark.relations]
    if steps and any(mark.op == "who" and mark.start < steps[0].start for mark in marks):
        return 10_000, 10_000
    return 0, 0


def _with_named(reader: Reader, marks: list[Mark], anchors: Sequence[Anchor], topic: Topic) -> Followed | None:
    """Between a pronoun and a name."""
    for mentions in _sources(marks, topic):
        fit = [mention for mention in mentions if mention.id not in anchors[0].ids[0]]
        if fit:
            ends = Branch((fit[0].id,), Stage()), anchors[0].ids[0][:1]
            named = anchors[0].marks[0].mention
            carried = (replace(fit[0], how="before"), *([named] if named else []))
            return Followed((Candidate(Plan("between", (ends[0],), targets=ends[1]), 0.0),), carried)
    return None


def _swapped(reader: Reader, anchors: Sequence[Anchor], plan: Plan | None) -> Followed | None:
    """The earlier question asked of another entity of the same kind."""
    if plan is None or len(anchors) != 1 or len(anchors[0].ids) != 1 or len(plan.branches) != 1:
        return None
    old = plan.branches[0].ids
    candidates = []
    for id in anchors[0].ids[0]:
        if old and set(kinds_of(reader.graph, (id,))) & set(kinds_of(reader.graph, old)):
            branch = replace(plan.branches[0], ids=(id,))
            candidates.append(Candidate(replace(plan, branches=(branch,)), 0.0, (id,)))
    mention = anchors[0].marks[0].mention
    return Followed(tuple(candidates), (mention,)) if candidates and mention is not None else None


def _extended(reader: Reader, plan: Plan, conditions: Sequence[Condition], count: bool, topic: Topic) -> Plan | None:
    """The earlier plan with further conditions on what it gave; one about the same property replaces the earlier."""
    ids = tuple(mention.id for mention in topic.answered if mention.id in reader.graph.nodes)
    if plan.wanted not in ("rows", "count", "value") or plan.of_edge or plan.targets:
        if not ids:
            return None
        plan = Plan("rows", (Branch(ids[:_MOST], Stage()),))
    kinds = plan.last.kinds or kinds_of(reader.graph, ids or plan.branches[0].ids)
    done = attached(conditions, [(Stage(kinds), (0,), kinds)], [], [], reader.lexicon)
    if done is None:
        return None
    stage = done[0]
    props = {test.prop for test in stage.tests}
    branches = []
    for branch in plan.branches:
        last = branch.hops[-1].stage if branch.hops else branch.start
        tests = (*(test for test in last.tests if test.prop not in props), *stage.tests)
        having = (*last.having, *stage.having)
        last = replace(last, tests=tests, extreme=stage.extreme or last.extreme, having=having)
        if branch.hops:
            hop = branch.hops[-1]
            edge_tests = tuple(test for test in hop.tests if test.prop not in props)
            branches.append(replace(branch, hops=(*branch.hops[:-1], replace(hop, stage=last, tests=edge_tests))))
        else:
            branches.append(replace(branch, start=last))
    return replace(plan, wanted="count" if count else "rows", prop="", branches=tuple(branches))
