"""The conditions of a question, taken out of its marks: values, numbers, times and extremes, each with the properties
that it may be about. Which point of the way it belongs to is decided when the way is known (``attached``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lingbot_map.ask.bases.triples.graph import Value
from lingbot_map.ask.bases.triples.plan import Extreme, Hop, Stage, Test
from lingbot_map.ask.bases.triples.relations import Lexicon, Mark

_UNITS = {"points": "rating", "point": "rating", "star": "rating", "stars": "rating"}
_NO_MEASURE = ("time", "birth", "death")  # numbers that nobody calls high or low


@dataclass(frozen=True, slots=True)
class Condition:
    """``op`` with ``values`` of one of ``props`` or, without any, of a property of this ``concept`` ("": of the only
    number there is); or the extreme of it. ``at`` is where it stands in the text."""

    at: int
    op: str
    values: tuple[Value, ...] = ()
    props: tuple[str, ...] = ()
    concept: str = ""
    extreme: tuple[str, int, int] | None = None  # way, count, nth


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
            if mark.op == "extreme" and mark.value[4] == "most" and not props:
                most = mark
                used.add(at)
                continue
            found += _measure(mark, props, marks, at)
            used.add(at)
    merged: dict[tuple[str, str], Condition] = {}
    for at, mark in enumerate(marks):
        if at in used or not mark.values:
            continue
        if mark.relations and not (at and {prop for prop, _ in mark.values} & set(marks[at - 1].props)):
            continue  # 导演 alone is rather the relation; 职业是导演 is not
        if mark.kinds and not _is_value(marks, at):
            continue
        used.add(at)
        negated = _negated(marks, at, used)
        _beside(marks, at, used, lexicon, only_before=True, names={prop for prop, _ in mark.values})
        op = "!=" if negated else "="
        props = tuple(dict.fromkeys(prop for prop, _ in mark.values))
        key = ",".join(props), op
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


def _negated(marks: Sequence[Mark], at: int, used: set[int]) -> bool:
    if at and marks[at - 1].op == "not":
        used.add(at - 1)
        return True
    return False


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
        word = str(value[0])
        way = "asc" if word in ("低", "早", "小", "短", "lower", "earlier", "older", "worse", "shorter") else "desc"
        concept = (
            "time"
            if word in ("早", "晚", "新", "earlier", "later", "newer", "older")
            else "rating"
            if word in ("better", "worse")
            else ""
        )
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


def _props_for(condition: Condition, kinds: Sequence[str], lexicon: Lexicon) -> list[str]:
    """The properties of nodes of these kinds that the condition may be about."""
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
    if concept:
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
    for condition in conditions:
        if condition.concept == "age" and not any(_props_for(condition, kinds, lexicon) for _, _, kinds in stages):
            condition = _born(condition)
        best: tuple[float, int, str] | None = None
        for number, (_, places, kinds) in enumerate(stages):
            names = _props_for(condition, kinds, lexicon)
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
        if condition.extreme is not None:
            if extremes[number] is not None:
                return None
            way, count, nth = condition.extreme
            extremes[number] = Extreme(prop, way, count, nth)
        else:
            tests[number].append(Test(prop, condition.op, condition.values))
    done = [replace(stage, tests=tuple(tests[at]), extreme=extremes[at]) for at, (stage, _, _) in enumerate(stages)]
    return done[0], tuple(replace(hop, stage=done[at + 1], tests=tuple(edge_tests[at])) for at, hop in enumerate(hops))


def _born(condition: Condition) -> Condition:
    """The youngest were born last, where ages aren't told."""
    if condition.extreme is None:
        return condition
    way, count, nth = condition.extreme
    return replace(condition, concept="birth", extreme=("asc" if way == "desc" else "desc", count, nth))


def _edge_for(
    condition: Condition, hops: Sequence[Hop], hop_at: Sequence[int], lexicon: Lexicon
) -> tuple[float, int, str] | None:
    if condition.extreme is not None:
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
