"""Comparisons of things that are named: "who is older, A or B?", "谁执导的电影多，A 还是 B?", "is A older than B?"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from lingbot_map.ask.bases.triples.conditions import Condition, Taken, aged, props_for
from lingbot_map.ask.bases.triples.plan import Branch, Candidate, Plan, Stage, kinds_of
from lingbot_map.ask.bases.triples.relations import Lexicon, Mark
from lingbot_map.ask.bases.triples.wanted import Read
from lingbot_map.ask.bases.triples.ways import Ways

MOST_COMPARED = 6


def compares(read: Read) -> bool:
    """Whether things that are named are held against each other."""
    named = sum(len(anchor.ids) for anchor in read.anchors)
    return named > 1 and (read.has("compare") or read.has("extreme"))


def compared(lexicon: Lexicon, read: Read, taken: Taken, around: Sequence[Mark]) -> Iterator[Candidate]:
    """The plans that compare all that is named by one property, or by how many things each leads to."""
    names = [ids for anchor in read.anchors for ids in anchor.ids]
    if len(names) > MOST_COMPARED or any(mark.op in ("count", "not", "other", "average") for mark in taken.marks):
        return  # how much older is another question
    if len(names) > 3:
        names = [ids[:1] for ids in names]
    extremes = [condition for condition in taken.conditions if condition.extreme is not None]
    others = [condition for condition in taken.conditions if condition.extreme is None]
    steps = [mark for mark in taken.marks if (mark.relations or mark.kinds) and not mark.mention]
    asks = any(mark.op in ("who", "ask") for mark in taken.marks)
    for choice in product(*(tuple(enumerate(ids)) for ids in names)):
        ids, cost = tuple(id for _, id in choice), 0.01 * sum(rank for rank, _ in choice)
        kinds = kinds_of(lexicon.graph, ids)
        said = ids[:1] if read.has("whether") and not asks else ()
        if taken.most is not None and not extremes:
            way = "asc" if "asc" in taken.most.value else "desc"
            anchor = read.anchors[0]
            ahead = all(mark.start < anchor.start for mark in steps)  # who wrote more, A or B: as A wrote
            place = (0, 0) if ahead else (anchor.start, anchor.end)
            marks = [mark for mark in taken.marks if not (set(mark.kinds) & set(kinds) and not mark.relations)]
            ways = Ways(lexicon, marks, around, others)
            for reading in ways.readings(ids[:1], kinds_of(lexicon.graph, ids[:1]), *place):
                hops = reading.branch.hops
                if (
                    hops
                    and all(hop.stage == Stage(hop.stage.kinds, hop.stage.tests) for hop in hops)
                    and reading.branch.start == Stage()
                ):
                    branches = tuple(replace(reading.branch, ids=(id,)) for id in ids)
                    plan = Plan("compare", branches, way=way, targets=said)
                    yield Candidate(plan, reading.penalty + cost, ids)
        elif len(extremes) == 1 and taken.most is None and not others:
            condition = aged(extremes[0], kinds, lexicon)
            extreme = condition.extreme
            if extreme is None or extreme[1:] != (1, 1) or not all(_fits(mark, kinds) for mark in steps):
                continue
            for prop in props_for(condition, kinds, lexicon)[:1]:
                branches = tuple(Branch((id,), Stage()) for id in ids)
                yield Candidate(Plan("compare", branches, prop=prop, way=extreme[0], targets=said), cost, ids)


def _fits(mark: Mark, kinds: Sequence[str]) -> bool:
    return bool(set(mark.kinds) & set(kinds))


def above(lexicon: Lexicon, read: Read, taken: Taken) -> tuple[Condition, tuple[str, ...]] | None:
    """ "Rated above A": the comparison as a condition with A's own value, and A; ``None`` if A has none."""
    if len(read.anchors) != 1 or len(read.anchors[0].ids) != 1 or taken.most is not None:
        return None
    extremes = [condition for condition in taken.conditions if condition.extreme is not None]
    id = read.anchors[0].ids[0][0]
    if len(extremes) != 1 or id not in lexicon.graph.nodes:
        return None
    condition = aged(extremes[0], kinds_of(lexicon.graph, (id,)), lexicon)
    props = props_for(condition, kinds_of(lexicon.graph, (id,)), lexicon)[:1]
    value = lexicon.graph.nodes[id].props.get(props[0]) if props else None
    if not isinstance(value, int | float) or condition.extreme is None:
        return None
    op = ">" if condition.extreme[0] == "desc" else "<"
    return Condition(condition.at, op, (value,), tuple(props)), (id,)
