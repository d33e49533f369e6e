"""From marks to plans: which of the things that the words stand for is where the plan starts, and what is wanted.

All readings that the graph allows are ranked by how far they stray from the words; ``Read.candidates`` are those, the
best first. What an earlier question named is taken in by ``following``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, product

from lingbot_map.ask.bases.triples.comparing import above, compared, compares
from lingbot_map.ask.bases.triples.conditions import Condition, Taken, conditions_of
from lingbot_map.ask.bases.triples.graph import Graph, texts_of
from lingbot_map.ask.bases.triples.grouping import grouped, parted
from lingbot_map.ask.bases.triples.plan import Branch, Candidate, Extreme, Hop, Plan, Stage, kinds_of
from lingbot_map.ask.bases.triples.relations import HAN, Lexicon, Mark
from lingbot_map.ask.bases.triples.run import Run, TooLong
from lingbot_map.ask.bases.triples.wanted import Anchor, Read, of_concept, wanted
from lingbot_map.ask.bases.triples.ways import Ways

MOST_CANDIDATES = 60
_MOST_EACH = 40  # readings of each of two names that are put together
_LISTS = ("count", "average", "ask", "who")


class Reader:
    """Reads questions over one version of a graph."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon, self.graph = lexicon, lexicon.graph

    def read(self, marks: list[Mark], fixed: Mapping[int, str] | None = None) -> Read:
        """``fixed`` says by place which entity a name stands for (a reader's correction)."""
        marks = self._apposed(marks)
        read = Read(marks, self._anchors(marks, fixed or {}))
        found: list[Candidate] = []
        for variant, taken, late in self._taken(marks):
            read.conditions = taken.conditions
            for candidate in self._plans(read, taken, variant):
                found.append(replace(candidate, penalty=candidate.penalty + late))
                if len(found) >= MOST_CANDIDATES:
                    break
        found += self._either(marks, fixed or {})
        found.sort(key=lambda candidate: candidate.penalty)
        read.candidates = found
        return read

    def _taken(self, marks: list[Mark]) -> Iterator[tuple[list[Mark], Taken, float]]:
        """Each choice of what the marks are, with the conditions taken out, and its penalty."""
        for variant in _variants(marks):
            for number, (rest, having) in enumerate(grouped(variant, self.lexicon)):
                taken = conditions_of(rest, self.lexicon)
                taken.conditions += having
                yield rest, taken, 0.5 * number

    def _either(self, marks: list[Mark], fixed: Mapping[int, str]) -> list[Candidate]:
        """Two relations or conditions of which either will do: the best plan of each, together."""
        for one, two in parted(marks):
            first, second = self.read(one, fixed).candidates, self.read(two, fixed).candidates
            for a, b in product(first[:3], second[:3]):
                same = a.plan.wanted == b.plan.wanted and a.plan.prop == b.plan.prop
                if same and a.bound == b.bound and len(a.plan.branches) == len(b.plan.branches) == 1:
                    plan = replace(a.plan, branches=(*a.plan.branches, *b.plan.branches), joint=False)
                    return [Candidate(plan, a.penalty + b.penalty - 0.1, a.bound)]
        return []

    def over(
        self, marks: list[Mark], ids: tuple[str, ...], start: int, end: int, named: tuple[str, ...] = ()
    ) -> list[Candidate]:
        """The plans from things that the question doesn't name but means; they stand from ``start`` to ``end``.
        ``named`` were named before: "other" ones are none of them either."""
        read = Read(marks, [])
        exclude = tuple(dict.fromkeys((*ids, *named))) if read.has("other") else ()
        found: list[Candidate] = []
        for variant, taken, late in self._taken(marks):
            if read.has("than"):
                continue
            ways = Ways(self.lexicon, taken.marks, variant, taken.conditions)
            for reading in ways.readings(ids, kinds_of(self.graph, ids), start, end):
                for plan, more in wanted(self.lexicon, read, reading, taken.marks, ways, exclude):
                    found.append(Candidate(plan, reading.penalty + more + late, ids))
        return sorted(found, key=lambda candidate: candidate.penalty)[:MOST_CANDIDATES]

    def _apposed(self, marks: list[Mark]) -> list[Mark]:
        """Without a word before a name that only says which one is meant (演员陈一); the others of the name go."""
        kept: list[Mark] = []
        for mark in marks:
            last = kept[-1] if kept else None
            gap = mark.start - last.end if last is not None else 9
            if mark.mention is not None and last is not None and last.values and not last.mention and gap <= 1:
                ids = (mark.mention.id, *mark.mention.others)
                fit = [id for id in ids if any(text in _texts(self.graph, id, prop) for prop, text in last.values)]
                if fit:
                    kept.pop()
                    mark = replace(mark, mention=replace(mark.mention, id=fit[0], others=tuple(fit[1:])))
            kept.append(mark)
        return kept

    def _anchors(self, marks: Sequence[Mark], fixed: Mapping[int, str]) -> list[Anchor]:
        anchors: list[Anchor] = []
        joined = beside = False
        for mark in marks:
            if mark.mention is None:
                joined = beside and mark.op in ("and", "or")
                beside = joined
                continue
            mention = mark.mention
            given = fixed.get(mention.start)
            ids = (given,) if given else self._ranked((mention.id, *mention.others))
            touching = bool(anchors) and beside and mark.start - anchors[-1].end <= 1  # 《A》《B》
            if (joined or touching) and anchors:
                anchors[-1].marks.append(mark)
                anchors[-1].ids.append(ids)
            else:
                anchors.append(Anchor([mark], [ids]))
            joined, beside = False, True
        return anchors

    def _ranked(self, ids: Sequence[str]) -> tuple[str, ...]:
        asked = self.lexicon.names.asked
        return tuple(sorted(dict.fromkeys(ids), key=lambda id: (-asked[id], -self.graph.degree(id))))[:8]

    def _plans(self, read: Read, taken: Taken, around: Sequence[Mark]) -> Iterator[Candidate]:
        anchors, marks, conditions, most = read.anchors, taken.marks, taken.conditions, taken.most
        if compares(read):
            yield from compared(self.lexicon, read, taken, around)
        if read.has("than"):
            yield from self._above(read, taken, around)
            return
        if most is not None and not anchors:
            yield from self._most(marks, around, most, conditions)
        elif not anchors:
            yield from self._scans(read, marks, around, conditions)
        elif most is None and len(anchors) == 1:
            yield from self._from_one(read, marks, around, conditions)
        elif most is None and len(anchors) == 2:
            yield from self._from_two(read, marks, around, conditions)

    def _above(self, read: Read, taken: Taken, around: Sequence[Mark]) -> Iterator[Candidate]:
        """What lies above or below one thing that is named."""
        held = above(self.lexicon, read, taken)
        if held is None or read.has("whether"):
            return
        condition, ids = held
        others = [each for each in taken.conditions if each.extreme is None]
        marks = [mark for mark in taken.marks if mark.op != "than"]
        kinds = Mark(condition.at, condition.at, "", kinds=kinds_of(self.graph, ids))
        named = any(mark.kinds and not mark.relations for mark in marks)
        for candidate in self._scans(
            read, marks if named else [*marks, kinds], around if named else [*around, kinds], [*others, condition]
        ):
            if not candidate.plan.hops:
                yield replace(candidate, plan=replace(candidate.plan, exclude=ids), bound=ids)

    def _bound(self, *anchors: Anchor) -> Iterator[tuple[tuple[str, ...], float]]:
        """Each choice of what the names stand for, with its penalty."""
        names = [ids for anchor in anchors for ids in anchor.ids]
        if len(names) > 4:
            names = [ids[:1] for ids in names]
        for choice in product(*(tuple(enumerate(ids)) for ids in names)):
            yield tuple(id for _, id in choice), 0.01 * sum(rank for rank, _ in choice)

    def _from_one(
        self, read: Read, marks: Sequence[Mark], around: Sequence[Mark], conditions: list[Condition]
    ) -> Iterator[Candidate]:
        anchor = read.anchors[0]
        steps = any((mark.relations or mark.kinds) and not mark.mention for mark in marks)
        props = any(mark.props for mark in marks)
        for ids, cost in self._bound(anchor):
            kinds = kinds_of(self.graph, ids)
            bare = not steps and not props and not conditions
            if len(ids) == 2 and (read.has("between") or (bare and not read.has("what about"))):
                yield Candidate(Plan("between", (Branch(ids[:1], Stage()),), targets=ids[1:]), cost, ids)
                continue
            exclude = ids if read.has("other") else ()
            ways = Ways(self.lexicon, marks, around, conditions)
            if len(ids) == 2 and steps and read.has("whether") and not any(map(read.has, _LISTS)):
                yield from self._whether(ways, ids, anchor, cost)
                continue
            if read.has("worked with") and not any(mark.relations for mark in marks) and not props and len(ids) == 1:
                others = tuple(kind for kind in self.lexicon.schema.kinds if kind not in kinds)
                hops = Hop((), "both", Stage(others)), Hop((), "both", Stage(kinds))
                yield Candidate(Plan("rows", (Branch(ids, Stage(), hops),), exclude=ids), cost, ids)
                continue
            for reading in ways.readings(ids, kinds, anchor.start, anchor.end):
                for plan, more in wanted(self.lexicon, read, reading, marks, ways, exclude):
                    if len(ids) > 1 and reading.branch.hops:
                        apart = tuple(replace(reading.branch, ids=(id,)) for id in ids)
                        yield Candidate(replace(plan, branches=apart), reading.penalty + more + cost, ids)
                        if not (read.has("joint") or read.has("worked with")):
                            any_of = replace(plan, branches=apart, joint=False)
                            yield Candidate(any_of, reading.penalty + more + cost + 0.5, ids)
                    else:
                        yield Candidate(plan, reading.penalty + more + cost, ids)
        if read.has("whether") and conditions and len(anchor.ids) == 1:  # 评分最高的电影是星河彼岸吗
            for candidate in self._scans(read, marks, around, conditions):
                plan = replace(candidate.plan, wanted="check", targets=anchor.ids[0][:1])
                yield Candidate(plan, candidate.penalty + 1.5, anchor.ids[0][:1])

    def _whether(self, ways: Ways, ids: tuple[str, ...], anchor: Anchor, cost: float) -> Iterator[Candidate]:
        """Whether one of two that are named together stands in a relation to the other (A 和 B 是配偶吗)."""
        for reading in ways.readings(ids[:1], kinds_of(self.graph, ids[:1]), anchor.start, anchor.end):
            if reading.branch.hops:
                yield Candidate(Plan("check", (reading.branch,), targets=ids[1:]), reading.penalty + cost, ids)

    def _from_two(
        self, read: Read, marks: Sequence[Mark], around: Sequence[Mark], conditions: list[Condition]
    ) -> Iterator[Candidate]:
        first, second = read.anchors
        steps = [mark for mark in marks if (mark.relations or mark.kinds) and not mark.mention]
        relations = [mark for mark in steps if mark.relations]
        one_each = len(first.marks) == len(second.marks) == 1
        for ids, cost in self._bound(first, second):
            near, far = ids[: len(first.marks)], ids[len(first.marks) :]
            if one_each and (read.has("between") or not (steps or conditions)):
                yield Candidate(Plan("between", (Branch(near, Stage()),), targets=far), cost, ids)
                continue
            asks = any(read.has(op) for op in ("ask", "who", "count", "where"))
            timed = read.has("when") or any(mark.props for mark in marks)
            if relations and one_each and (timed or read.has("whether") or not (asks or len(steps) > len(relations))):
                for start, anchor, target in ((near, first, far), (far, second, near)):
                    yield from self._joined(read, marks, around, conditions, (start, target), anchor, cost, timed)
            if relations and not timed:
                yield from self._both(read, marks, around, conditions, (near, far), cost)

    def _joined(
        self,
        read: Read,
        marks: Sequence[Mark],
        around: Sequence[Mark],
        conditions: list[Condition],
        ends: tuple[tuple[str, ...], tuple[str, ...]],
        anchor: Anchor,
        cost: float,
        timed: bool,
    ) -> Iterator[Candidate]:
        """Whether a relation holds between two entities, or a property of it."""
        start, target = ends
        ids = start + target if anchor is read.anchors[0] else target + start
        ways = Ways(self.lexicon, marks, around, conditions)
        late = 0.0 if anchor is read.anchors[0] else 0.2
        for reading in ways.readings(start, kinds_of(self.graph, start), anchor.start, anchor.end):
            if not reading.branch.hops:
                continue
            kinds = reading.branch.hops[-1].stage.kinds
            if kinds and not set(kinds) & set(kinds_of(self.graph, target)):
                continue
            if not timed:
                plan = Plan("check", (reading.branch,), targets=target)
                yield Candidate(plan, reading.penalty + cost + late, ids)
                continue
            hop = reading.branch.hops[-1]
            have = {prop for each in hop.relations for prop in self.lexicon.schema.edge_props.get(each, ())}
            names = [prop for mark in marks for prop in mark.props] or of_concept(self.lexicon, have, ("time",))
            name = next((prop for prop in names if prop in have), "")
            if name:
                plan = Plan("value", (reading.branch,), prop=name, of_edge=True, targets=target)
                yield Candidate(plan, reading.penalty + cost + late, ids)

    def _both(
        self,
        read: Read,
        marks: Sequence[Mark],
        around: Sequence[Mark],
        conditions: list[Condition],
        ends: tuple[tuple[str, ...], tuple[str, ...]],
        cost: float,
    ) -> Iterator[Candidate]:
        """What both lead to, each by words of its own: those between them belong to the first up to some point."""
        first, second = read.anchors
        middle = [mark for mark in marks if first.end <= mark.start < second.start and mark.relations]
        before = [mark for mark in marks if mark.start < first.start]
        after = [mark for mark in marks if mark.start >= second.end]
        shared = [mark for mark in marks if mark.kinds and not mark.relations]
        exclude = ends[0] + ends[1] if read.has("other") else ()
        for cut in range(len(middle), -1, -1):
            mine = [m for m in (*before, *middle[:cut]) if m not in shared]
            theirs = [m for m in (*middle[cut:], *after) if m not in shared]
            if not any(m.relations for m in mine) or not any(m.relations for m in theirs):
                continue
            one = Ways(self.lexicon, [*mine, *shared], around, conditions)
            two = Ways(self.lexicon, [*theirs, *shared], around, conditions)
            others = list(
                islice(two.readings(ends[1], kinds_of(self.graph, ends[1]), second.start, second.end), _MOST_EACH)
            )
            for a in one.readings(ends[0], kinds_of(self.graph, ends[0]), first.start, first.end):
                for b in others:
                    if not (a.branch.hops and b.branch.hops):
                        continue
                    if set(a.branch.hops[-1].stage.kinds) != set(b.branch.hops[-1].stage.kinds):
                        continue
                    for plan, more in wanted(self.lexicon, read, a, [m for m in marks if m.op == "not"], one, exclude):
                        if plan.missing:
                            continue
                        joined = replace(plan, branches=(a.branch, b.branch))
                        yield Candidate(joined, a.penalty + b.penalty + more + cost + 0.3, ends[0] + ends[1])

    def _scans(
        self, read: Read, marks: Sequence[Mark], around: Sequence[Mark], conditions: list[Condition]
    ) -> Iterator[Candidate]:
        """Without an entity: from all nodes of a kind that is named, or that has the properties asked for."""
        starts = [(mark.kinds, mark.start, mark.end) for mark in marks if mark.kinds and not mark.mention]
        having = any(condition.having is not None for condition in conditions)
        for mark in marks:
            if mark.values and mark.relations:  # 有几个导演: a role by itself is a value
                props = tuple(dict.fromkeys(prop for prop, _ in mark.values))
                more = Condition(mark.start, "=", tuple(text for _, text in mark.values), props)
                rest = [each for each in marks if each is not mark]
                if not any(each.relations for each in rest):
                    kinds = self._having(props)
                    ways = Ways(self.lexicon, rest, around, [*conditions, more])
                    for reading in ways.readings((), kinds, mark.start, mark.end):
                        for plan, cost in wanted(self.lexicon, read, reading, rest, ways, ()):
                            yield Candidate(plan, reading.penalty + cost + 0.5)
        if not starts and conditions:
            props = tuple(prop for condition in conditions for prop in condition.props)
            kinds = self._having(props) if props else tuple(kind for kind in self.lexicon.schema.kinds if kind)
            starts = [((kind,), conditions[0].at, conditions[0].at) for kind in kinds]
        for kinds, start, end in starts:
            ways = Ways(self.lexicon, marks, around, conditions)
            for reading in ways.readings((), kinds, start, end):
                start_of = reading.branch.start
                if reading.branch.hops and not (start_of.tests or start_of.extreme or having):
                    continue  # every film's director: nothing was asked for
                if not reading.branch.hops and not (conditions or any(map(read.has, _LISTS))):
                    continue
                others = self._start(reading.branch) if read.has("other") and reading.branch.hops else ()
                for plan, cost in wanted(self.lexicon, read, reading, marks, ways, others):
                    yield Candidate(plan, reading.penalty + cost)

    def _start(self, branch: Branch) -> tuple[str, ...]:
        """Where a branch begins, if that is an extreme: what "other" ones leave out."""
        if branch.start.extreme is None:
            return ()
        try:
            return tuple(Run(self.graph).run(Plan("rows", (replace(branch, hops=()),))).nodes[:20])
        except TooLong:
            return ()

    def _having(self, props: Sequence[str]) -> tuple[str, ...]:
        schema = self.lexicon.schema
        return tuple(kind for kind in schema.kinds if any(schema.has(kind, prop) for prop in props))

    def _most(
        self, marks: Sequence[Mark], around: Sequence[Mark], most: Mark, conditions: list[Condition]
    ) -> Iterator[Candidate]:
        """Who has the most of something: grouped by one end of a relation, counted at the other."""
        relations = tuple(dict.fromkeys(r for mark in marks for r in mark.relations))
        if not relations:
            return
        kinds = [mark for mark in marks if mark.kinds and not mark.relations]
        asked = self.lexicon.persons if any(mark.op == "who" for mark in marks) else ()
        if not asked and kinds:
            named = kinds[-1]
            # 电影最多, "the most films": the kind beside it is counted; 最多的电影, "the film with the most": asked for
            beside = 0 <= most.start - named.end <= 1 if HAN.search(most.text) else 0 <= named.start - most.end <= 1
            if len(kinds) > 1:
                asked = kinds[0].kinds if beside else named.kinds
            elif beside:
                pairs = self.lexicon.schema.pairs.get(relations[0], {})
                asked = tuple({kind for pair in pairs for kind in pair} - set(named.kinds))
            else:
                asked = named.kinds
        _, way, count, nth, _ = most.value
        extreme = Extreme("", str(way), int(str(count)), int(str(nth)))
        for kind in asked or self.lexicon.persons:
            for walked in ("out", "in"):
                if self.lexicon.schema.ends(relations[0], kind, walked):
                    ways = Ways(self.lexicon, [m for m in marks if m.relations][:1], around, conditions)
                    for reading in ways.readings((), (kind,), most.start, most.end):
                        if len(reading.branch.hops) == 1 and _countable(reading.branch):
                            hop = reading.branch.hops[0]
                            hop = replace(hop, stage=replace(hop.stage, extreme=extreme))
                            yield Candidate(Plan("most", (replace(reading.branch, hops=(hop,)),)), reading.penalty)


def _countable(branch: Branch) -> bool:
    return branch.start.extreme is None and not branch.hops[0].stage.having


def _texts(graph: Graph, id: str, prop: str) -> Sequence[str]:
    node = graph.nodes.get(id)
    return texts_of(node.props.get(prop)) if node is not None else ()


def _variants(marks: list[Mark]) -> list[list[Mark]]:
    """A word that is a property and a relation is one of both: each choice, at most two words' worth."""
    both = [at for at, mark in enumerate(marks) if mark.props and mark.relations][:2]
    variants: list[list[Mark]] = []
    for choice in product((True, False), repeat=len(both)):
        variant = list(marks)
        for at, as_relation in zip(both, choice, strict=True):
            variant[at] = replace(marks[at], props=()) if as_relation else replace(marks[at], relations=(), values=())
        variants.append(variant)
    return variants
