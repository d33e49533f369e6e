"""The conditions of a question, taken out of its marks: values, numbers, times and extremes, each with the properties
that it may be about. Which point of the way it belongs to is decided when the way is known (``attached``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lingbot_map.ask.bases.triples.graph import Value
from lingbot_map.ask.bases.triples.plan import Extreme, Having, Hop, Stage, Test, Way
from lingbot_map.ask.bases.triples.relations import Lexicon, Mark

_UNITS = {"points": "rating", "point": "rating", "star": "rating", "stars": "rating"}
_NO_MEASURE = ("time", "birth", "death")  # numbers that nobody calls high or low


@dataclass(frozen=True, slots=True)
class Many:
    """So many of ``kinds`` with ``tests`` along ``relations`` (none: along any): ``op`` ``count``. ``passive``: the
    relation leads to what is counted for."""

    relations: tuple[str, ...]
    kinds: tuple[str, ...]
    tests: tuple[Test, ...]
    op: str
    count: int
    passive: bool = False


@dataclass(frozen=True, slots=True)
class Condition:
    """``op`` with ``values`` of one of ``props`` or, without any, of a property of this ``concept`` ("": of the only
    number there is); or the extreme of it; or so many (``having``). ``at`` is where it stands in the text."""

    at: int
    op: str
    values: tuple[Value, ...] = ()
    props: tuple[str, ...] = ()
    concept: str = ""
    extreme: tuple[str, int, int] | None = None  # way, count, nth
    having: Many | None = None


@dataclass(slots=True)
class Taken:
    """What is left of the marks once the conditions are out; ``most`` is the extreme that counts edges."""

    marks: list[Mark]
    conditions: list[Condition]
    most: Mark | None = None


def conditions_of(marks: Sequence[Mark], lexicon: Lexicon) -> Taken:
    """Takes values and measures out, and the property words that go with them."""
    used: set[int] = set()
    found: list[Condition] = []
    most: Mark | None = None
    for at, mark in enumerate(marks):
        if mark.op in ("number", "range", "extreme", "compare", "time", "years"):
            props = _beside(marks, at, used, lexicon)
            if mark.op in ("extreme", "compare") and mark.value[-1] == "most" and not props:
                most = mark
                used.add(at)
                continue
            found += _measure(mark, props, marks, at)
            used.add(at)
    merged: dict[tuple[str, str], Condition] = {}
    denied, before = -1, "="
    for at, mark in enumerate(marks):
        if at in used or not mark.values:
            continue
        if mark.relations and not (at and {prop for prop, _ in mark.values} & set(marks[at - 1].props)):
            continue  # 导演 alone is rather the relation; 职业是导演 is not
        if mark.kinds and not _is_value(marks, at):
            continue
        used.add(at)
        op = _negation(marks, at, used)
        if op == "=" and at > 1 and at - 2 == denied and marks[at - 1].op in ("or", "and"):  # neither A nor B
            op = before
        denied, before = (at if op != "=" else -1), op
        _beside(marks, at, used, lexicon, only_before=True, names={prop for prop, _ in mark.values})
        props = tuple(dict.fromkeys(prop for prop, _ in mark.values))
        both = op == "=" and at > 1 and marks[at - 1].text in _AND and bool(marks[at - 2].values)
        key = ",".join(props), f"{op}{at if both or any(m.op == 'joint' for m in marks[:at]) else ''}"
        if key in merged:
            merged[key] = replace(merged[key], values=(*merged[key].values, *(text for _, text in mark.values)))
        else:
            merged[key] = Condition(mark.start, op, tuple(dict.fromkeys(text for _, text in mark.values)), props)
    found += merged.values()
    rest = [mark for at, mark in enumerate(marks) if at not in used]
    return Taken(rest, found, most)


def _is_value(marks: Sequence[Mark], at: int) -> bool:
    """A word for a kind and a value is a value right before a word for a kind."""
    return at + 1 < len(marks) and bool(marks[at + 1].kinds)


_AND = ("又", "并且", "而且", "且")
LACKS = frozenset(("没", "没有", "未", "从未", "未曾", "无", "no", "never", "without", "didn't", "have no", "has no"))
"""How one says that somebody hasn't something, which is more than that he isn't it."""


def _negation(marks: Sequence[Mark], at: int, used: set[int]) -> str:
    """How a value is denied: what it isn't must be something else, what it hasn't may be nothing at all."""
    if not at or marks[at - 1].op != "not":
        return "="
    used.add(at - 1)
    return "without" if marks[at - 1].text in LACKS else "!="


def _beside(
    marks: Sequence[Mark],
    at: int,
    used: set[int],
    lexicon: Lexicon,
    *,
    only_before: bool = False,
    names: set[str] | None = None,
) -> tuple[str, ...]:
    """The properties named right before or after a mark, which go with it."""
    for step in (-1,) if only_before else (-1, 1):
        near = at + step
        while 0 <= near < len(marks) and marks[near].op in ("of", "by", "when", "ask", "whether"):
            near += step
        if not 0 <= near < len(marks) or near in used:
            continue
        mark = marks[near]
        if mark.props and not mark.mention and (names is None or names & set(mark.props)):
            if marks[at].op in ("time", "years") and not any(
                prop in lexicon.concepts and lexicon.concepts[prop].name in _NO_MEASURE for prop in mark.props
            ):
                continue  # 1982年以后评分最高的
            if step == 1 and marks[at].op in ("number", "range") and not mark.text.isascii():
                continue  # 超过9分的评分 isn't said; what follows is asked for
            used.add(near)
            return mark.props
    return ()


def _measure(mark: Mark, props: tuple[str, ...], marks: Sequence[Mark], at: int) -> list[Condition]:
    value = mark.value
    if mark.op == "extreme":
        concept, way, count, nth = str(value[0]), str(value[1]), int(str(value[2])), int(str(value[3]))
        return [Condition(mark.start, "extreme", (), props, concept, (way, count, nth))]
    if mark.op == "compare":
        concept, way = str(value[0]), str(value[1])
        return [Condition(mark.start, "extreme", (), props, concept, (way, 1, 1))]
    if mark.op == "time":
        return [Condition(mark.start, str(value[0]), (value[1],), props, "time")]
    if mark.op == "years":
        return [
            Condition(mark.start, ">=", (value[0],), props, "time"),
            Condition(mark.start, "<=", (value[1],), props, "time"),
        ]
    unit = str(value[2])
    concept = f"unit {_UNITS.get(unit, unit)}" if unit else ""
    if mark.op == "range":
        return [
            Condition(mark.start, ">=", (value[0],), props, concept),
            Condition(mark.start, "<=", (value[1],), props, concept),
        ]
    return [Condition(mark.start, str(value[0]), (value[1],), props, concept)]


def props_for(condition: Condition, kinds: Sequence[str], lexicon: Lexicon) -> list[str]:
    """The properties of nodes of these kinds that the condition may be about."""
    if condition.having is not None:
        return []
    schema = lexicon.schema
    have = list(dict.fromkeys(prop for kind in kinds for prop in schema.node_props.get(kind, ())))
    if condition.props:
        return [prop for prop in condition.props if prop in have]
    return by_concept(condition.concept, have, lexicon)


def by_concept(concept: str, have: Sequence[str], lexicon: Lexicon) -> list[str]:
    """Those of the properties that a concept means; "" the only number, or the rating among several."""
    known = lexicon.concepts
    if concept.startswith("unit "):
        unit = concept.removeprefix("unit ")
        return [p for p in have if p in known and (unit == known[p].name or unit in known[p].units)]
    if concept not in ("", "size"):
        return [prop for prop in have if prop in known and known[prop].name == concept]
    numbers = [
        prop
        for prop in have
        if prop in lexicon.schema.numeric and not (prop in known and known[prop].name in _NO_MEASURE)
    ]
    rated = [prop for prop in numbers if prop in known and known[prop].name == "rating"]
    return numbers if len(numbers) == 1 else rated if len(rated) == 1 else []


def attached(
    conditions: Sequence[Condition],
    stages: list[tuple[Stage, tuple[int, ...], tuple[str, ...]]],
    hops: list[Hop],
    hop_at: Sequence[int],
    lexicon: Lexicon,
) -> tuple[Stage, tuple[Hop, ...]] | None:
    """The start and the hops with every condition where it belongs; ``None`` if one belongs nowhere.

    ``stages`` are the start and each hop's stage with the places in the text that speak of it and the kinds that it
    may be of. A time goes to the edge where every edge of the relation tells one and the words stand beside it.
    """
    tests: list[list[Test]] = [[] for _ in stages]
    edge_tests: list[list[Test]] = [[] for _ in hops]
    extremes: list[Extreme | None] = [None for _ in stages]
    having: list[list[Having]] = [[] for _ in stages]
    for condition in conditions:
        condition = aged(condition, [kind for _, _, kinds in stages for kind in kinds], lexicon)
        best: tuple[float, int, str] | None = None
        for number, (_, places, kinds) in enumerate(stages):
            names = ["?"] if _counted(condition, kinds, lexicon) else props_for(condition, kinds, lexicon)
            if names:
                distance = min((abs(place - condition.at) for place in places), default=10_000)
                if best is None or (distance, -number) < (best[0], -best[1]):
                    best = (distance, number, names[0])
        on_edge = _edge_for(condition, hops, hop_at, lexicon)
        if on_edge is not None and (best is None or on_edge[0] <= best[0]):
            _, number, prop = on_edge
            edge_tests[number].append(Test(prop, condition.op, condition.values))
            continue
        if best is None:
            return None
        _, number, prop = best
        if condition.having is not None:
            having[number] += _counted(condition, stages[number][2], lexicon)
        elif condition.extreme is not None:
            if extremes[number] is not None:
                return None
            way, count, nth = condition.extreme
            extremes[number] = Extreme(prop, way, count, nth)
        else:
            tests[number].append(Test(prop, condition.op, condition.values))
    done = [
        replace(stage, tests=tuple(tests[at]), extreme=extremes[at], having=tuple(having[at]))
        for at, (stage, _, _) in enumerate(stages)
    ]
    return done[0], tuple(replace(hop, stage=done[at + 1], tests=tuple(edge_tests[at])) for at, hop in enumerate(hops))


def aged(condition: Condition, kinds: Sequence[str], lexicon: Lexicon) -> Condition:
    """A condition on an age, where ages aren't told: the oldest were born first, or are of the earliest date."""
    if condition.concept == "size" and not props_for(condition, kinds, lexicon):
        condition = replace(condition, concept="age")  # of people who is bigger is older
    if condition.concept != "age" or condition.extreme is None or props_for(condition, kinds, lexicon):
        return condition
    way, count, nth = condition.extreme
    flipped = "asc" if way == "desc" else "desc", count, nth
    for concept in ("birth", "time"):
        dated = replace(condition, concept=concept, extreme=flipped)
        if props_for(dated, kinds, lexicon):
            return dated
    return condition


def _counted(condition: Condition, kinds: Sequence[str], lexicon: Lexicon) -> list[Having]:
    """What things of these kinds must have so many of; nothing if nothing so leads on from them."""
    many = condition.having
    if many is None:
        return []
    pairs, says = lexicon.schema.pairs, lexicon.graph.says
    for way in ("in", "out") if many.passive else ("out", "in"):
        relations, ends = [], set()
        for relation in many.relations or tuple(pairs):
            reached = {end for kind in kinds for end in lexicon.schema.ends(relation, kind, way)}
            if reached and (not many.kinds or reached & set(many.kinds)):
                relations.append(relation)
                ends |= reached
        if relations:
            both = all(said is not None and said.both_ways for said in map(says.get, relations))
            stage = Stage(tuple(kind for kind in many.kinds if kind in ends), many.tests)
            walked: Way = "both" if both else "in" if way == "in" else "out"
            return [Having(tuple(relations), walked, stage, many.op, many.count)]
    return []


def _edge_for(
    condition: Condition, hops: Sequence[Hop], hop_at: Sequence[int], lexicon: Lexicon
) -> tuple[float, int, str] | None:
    if condition.extreme is not None or condition.having is not None or condition.op == "missing":
        return None
    best: tuple[float, int, str] | None = None
    for number, hop in enumerate(hops):
        have = [
            prop
            for relation in hop.relations[:1]
            for prop in lexicon.schema.edge_props.get(relation, ())
            if all(lexicon.schema.always(each, prop) for each in hop.relations)
        ]
        if condition.props:
            names = [prop for prop in condition.props if prop in have]
        else:
            names = by_concept(condition.concept, have, lexicon) if condition.concept else []
        if names:
            distance = abs(hop_at[number] - condition.at)
            if best is None or distance < best[0]:
                best = (distance, number, names[0])
    return best
