"""The ways that the words of a question may describe: words are read outward from an entity, one piece a hop.

Every reading is a sequence of steps that the kinds of things allow; how far it strays from the words is its penalty.
Possessives ("'s", "of", "的") tie a word to what stands beside it, and tell which way a relation is walked where the
kinds at both its ends are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from lingbot_map.ask.bases.triples.conditions import Condition, attached
from lingbot_map.ask.bases.triples.plan import Branch, Hop, Stage, Way
from lingbot_map.ask.bases.triples.relations import Lexicon, Mark
from lingbot_map.ask.text import folded

MOST_READINGS = 400
MOST_STEPS = 12
"""Words for steps; what has more of them isn't a question, and no longer way is walked."""
_MOST_TRIED = 20_000
_IMPLICIT, _DROPPED, _AS_VALUE, _AGAINST, _ORDER = 3.0, 0.6, 1.0, 0.8, 0.1


@dataclass(frozen=True, slots=True)
class Reading:
    """A branch, its penalty, and where the words of its last step stand."""

    branch: Branch
    penalty: float
    at: int


@dataclass(frozen=True, slots=True)
class _State:
    kinds: tuple[str, ...]
    hops: tuple[Hop, ...] = ()
    hop_at: tuple[int, ...] = ()
    places: tuple[tuple[int, ...], ...] = ()
    stage_kinds: tuple[tuple[str, ...], ...] = ()
    conditions: tuple[Condition, ...] = ()
    penalty: float = 0.0
    last: tuple[str, ...] = ()  # the relations of the last step or dropped word
    implicit: bool = False


class Ways:
    """The readings of one question. ``marks`` are those that are left once conditions and anchors are out;
    ``around`` are all, for what stands beside a word."""

    def __init__(
        self, lexicon: Lexicon, marks: Sequence[Mark], around: Sequence[Mark], conditions: Sequence[Condition]
    ) -> None:
        self.lexicon, self.around = lexicon, list(around)
        steps = [m for m in marks if (m.relations or m.kinds) and not m.mention]
        self.steps = sorted(steps, key=lambda mark: mark.start)
        self.conditions = tuple(conditions)
        self._tried = 0
        self.asked = self._asked()

    def _asked(self) -> Mark | None:
        """The kind that is asked for: named right behind "which", "how many" or what is to be listed."""
        for mark in self.steps:
            if not mark.kinds:
                continue
            at = self.around.index(mark)
            between = ("of", *_MEASURES)
            before = [m for m in self.around[:at] if m.relations or not (m.op in between or m.values or m.props)]
            if before and before[-1].op in ("ask", "count") and self._near(before[-1], mark):
                return mark
            after = self.around[at + 1] if at + 1 < len(self.around) else None
            named = any(m.op in ("who", "ask", "count", "where") for m in self.around)
            if after is None and at and self.around[at - 1].text == "的" and not (mark.relations or named):
                return mark  # 2000年以前出版的书
            if mark.relations or after is None or after.op not in ("ask", "count") or after.start - mark.end > 2:
                continue
            if all(m.op in _LATE and not (m.relations or m.kinds or m.props) for m in self.around[at + 1 :]):
                return mark  # 2010年到2015年出版的书有哪些
        return None

    def _near(self, first: Mark, second: Mark) -> bool:
        """Whether nothing but conditions stands between two marks."""
        return not any(
            first.end <= m.start < second.start and (m.relations or m.mention or (m.kinds and not m.values))
            for m in self.around
        )

    def readings(self, ids: tuple[str, ...], kinds: tuple[str, ...], start: int, end: int) -> Iterator[Reading]:
        """From an anchor that stands from ``start`` to ``end`` (``ids`` empty: any node of ``kinds``)."""
        best: dict[Branch, Reading] = {}  # one branch may be read in several orders: the likeliest counts
        left = 0
        if len(self.steps) > MOST_STEPS:
            return
        for number, order in enumerate(self._orders(start, end)):
            first = _State(kinds=kinds, places=((start,),), stage_kinds=(kinds,), conditions=self.conditions)
            for state in self._walk(first, order, start, end):
                left += 1
                if left > MOST_READINGS:
                    break
                branch = self._branch(ids, state)
                penalty = state.penalty + number * _ORDER
                if branch is not None and (branch not in best or penalty < best[branch].penalty):
                    best[branch] = Reading(branch, penalty, state.hop_at[-1] if state.hop_at else start)
        yield from best.values()

    def _branch(self, ids: tuple[str, ...], state: _State) -> Branch | None:
        stages = [(Stage(() if ids else state.stage_kinds[0]), state.places[0], state.stage_kinds[0])]
        stages += [
            (hop.stage, places, kinds)
            for hop, places, kinds in zip(state.hops, state.places[1:], state.stage_kinds[1:], strict=True)
        ]
        done = attached(state.conditions, stages, list(state.hops), state.hop_at, self.lexicon)
        return None if done is None else Branch(ids, done[0], done[1])

    def _orders(self, start: int, end: int) -> list[list[Mark]]:
        asked = self.asked if self.asked is not None and self.asked.end <= start else None
        steps = [mark for mark in self.steps if mark is not asked and not (mark.start == start and mark.end == end)]
        left = [mark for mark in reversed(steps) if mark.end <= start]
        right = [mark for mark in steps if mark.start >= end]
        chain = 0
        edge = end
        for mark in right:
            if not any(m.op == "of" and edge <= m.start < mark.start and m.text != "of" for m in self.around):
                break
            chain, edge = chain + 1, mark.end
        tail = [asked] if asked else []
        orders = [
            [*right[:chain], *left, *right[chain:], *tail],
            [
                *left[:1],
                *right[:chain],
                *left[1:],
                *right[chain:],
                *tail,
            ],  # who treated patients that take X (吃X的患者)
            [*left, *right, *tail],
            [*right, *left, *tail],
        ]
        return [order for at, order in enumerate(orders) if order not in orders[:at]]

    def _walk(self, state: _State, order: Sequence[Mark], start: int, end: int) -> Iterator[_State]:
        if not order:
            yield state
            return
        self._tried += 1
        if self._tried > _MOST_TRIED:
            return
        mark, rest = order[0], order[1:]
        for following in self._take(state, mark, rest, start, end):
            if following.penalty < 6:
                yield from self._walk(following, rest, start, end)

    def _take(self, state: _State, mark: Mark, rest: Sequence[Mark], start: int, end: int) -> Iterator[_State]:
        if mark.relations:
            for way, kinds, penalty in self._ways(state.kinds, mark, start, end):
                yield self._stepped(state, mark.relations, way, kinds, mark.start, penalty)
            again = set(mark.relations) & set(state.last) or any(
                set(mark.relations) & set(m.relations) for m in rest[:1]
            )
            if again and not any(self._doer(each) and self._tied(each) for each in self.steps):
                yield replace(state, penalty=state.penalty + _DROPPED, last=mark.relations)
        if mark.values and (mark.relations or mark.kinds):
            props = tuple(dict.fromkeys(prop for prop, _ in mark.values))
            texts = tuple(dict.fromkeys(text for _, text in mark.values))
            more = Condition(mark.start, "=", texts, props)
            yield replace(
                state, penalty=state.penalty + _AS_VALUE, conditions=(*state.conditions, more), last=mark.relations
            )
        if mark.kinds:
            same = tuple(kind for kind in state.kinds if kind in mark.kinds)
            if same:
                yield self._narrowed(state, same, mark.start)
            elif not state.implicit:
                for way in ("out", "in"):
                    relations = tuple(
                        relation
                        for relation in self.lexicon.schema.pairs
                        if any(
                            set(self.lexicon.schema.ends(relation, kind, way)) & set(mark.kinds) for kind in state.kinds
                        )
                    )
                    if relations:
                        stepped = self._stepped(state, relations, way, mark.kinds, mark.start, _IMPLICIT)
                        yield replace(stepped, implicit=True)

    def _narrowed(self, state: _State, kinds: tuple[str, ...], at: int) -> _State:
        places = (*state.places[:-1], (*state.places[-1], at))
        stage_kinds = (*state.stage_kinds[:-1], kinds)
        hops = state.hops
        if hops:
            last = hops[-1]
            hops = (*hops[:-1], Hop(last.relations, last.way, Stage(kinds), last.tests))
        return replace(state, kinds=kinds, places=places, stage_kinds=stage_kinds, hops=hops)

    def _stepped(
        self, state: _State, relations: tuple[str, ...], way: Way, kinds: tuple[str, ...], at: int, penalty: float
    ) -> _State:
        return replace(
            state,
            kinds=kinds,
            hops=(*state.hops, Hop(relations, way, Stage(kinds if any(kinds) else ()))),
            hop_at=(*state.hop_at, at),
            places=(*state.places, (at,)),
            stage_kinds=(*state.stage_kinds, kinds),
            penalty=state.penalty + penalty,
            last=relations,
        )

    def _ways(
        self, kinds: tuple[str, ...], mark: Mark, start: int, end: int
    ) -> Iterator[tuple[Way, tuple[str, ...], float]]:
        """(way, the kinds reached, penalty) of each way that the kinds allow."""
        schema, says = self.lexicon.schema, self.lexicon.graph.says
        ends: dict[Way, list[str]] = {"out": [], "in": []}
        both = False
        for relation in mark.relations:
            for way in ends:
                for kind in kinds:
                    ends[way] += [e for e in sorted(schema.ends(relation, kind, way)) if e not in ends[way]]
            said = says.get(relation)
            both = both or (said is not None and said.both_ways)
        if both and (ends["out"] or ends["in"]):
            yield "both", tuple(dict.fromkeys((*ends["out"], *ends["in"]))), 0.0
            return
        hinted, loose = self._hint(mark, start, end)
        for way in ("out", "in") if hinted == "out" else ("in", "out"):
            assert way in ("out", "in")
            if ends[way]:
                alone = not ends["in" if way == "out" else "out"]
                if way == hinted or alone:
                    yield way, tuple(ends[way]), 0.0
                elif loose:
                    yield way, tuple(ends[way]), _AGAINST

    def _doer(self, mark: Mark) -> bool:
        """Whether a word is who does what a relation says ("supervisor", of "supervises"): it walks the relation
        against its way, where a relation that is called so itself ("director") leads to who it is."""
        named = any(_DOER.search(folded(relation)) for relation in mark.relations)
        return bool(mark.relations) and not mark.props and _DOER.search(mark.text) is not None and not named

    def _tied(self, mark: Mark) -> bool:
        """Whether a word is somebody's: "the supervisor of", "Ann's supervisor"."""
        at = self.around.index(mark)
        before = self.around[at - 1] if at else None
        after = self.around[at + 1] if at + 1 < len(self.around) else None
        own = before is not None and before.op == "of" and before.text != "of"
        return own or (after is not None and after.op == "of" and after.text == "of")

    def _hint(self, mark: Mark, start: int, end: int) -> tuple[Way, bool]:
        """Which way the words walk a relation, and whether the other may be meant as well."""
        if self._doer(mark) and self._tied(mark):
            return "in", False
        at = self.around.index(mark)
        before = self.around[at - 1] if at else None
        after = self.around[at + 1] if at + 1 < len(self.around) else None
        if mark.start >= end:
            if before is not None and before.op == "of":
                return "out", True
            between = [m for m in self.around if end <= m.start < mark.start]
            if any(m.op == "toward" for m in between):  # A 向谁汇报
                return "out", False
            if any(m.op == "toward" and m.end == start for m in self.around):  # 谁向 A 汇报
                return "in", False
            passive = any(m.op == "by" for m in between) or any(m.op == "who" and not m.text.isascii() for m in between)
            by_after = after is not None and after.op == "by"
            return ("in" if passive or by_after else "out"), False
        if after is not None and after.op == "of" and after.text == "of":
            return "out", True
        if after is not None and after.op == "by":
            return "out", False
        return "in", False


_DOER = re.compile(r"[a-z]{3}(?:er|or)s?$")
_LATE = ("ask", "count", "who", "whether", "other", "of", "joint")
_MEASURES = ("number", "range", "time", "years", "extreme", "compare", "joint", "other", "not", "or")
