"""What is wanted of the things that a way leads to: the things, how many, a property, whether one is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lingbot_map.ask.bases.triples.conditions import Condition, by_concept
from lingbot_map.ask.bases.triples.plan import Candidate, Plan, Stage, Wanted, kinds_of
from lingbot_map.ask.bases.triples.relations import Lexicon, Mark
from lingbot_map.ask.bases.triples.ways import Reading, Ways

_PLAIN = ("ask", "who", "of", "and", "back", "it", "other")
_ASKS = ("ask", "who", "when", "where", "count")


@dataclass(slots=True)
class Anchor:
    """Names that stand together ("A and B"), and for each the entities that it may mean, the likeliest first."""

    marks: list[Mark]
    ids: list[tuple[str, ...]]

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.marks[0].start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.marks[-1].end


@dataclass(slots=True)
class Read:
    """What a question says: its marks, anchors, and the plans that it may mean."""

    marks: list[Mark]
    anchors: list[Anchor]
    conditions: list[Condition] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)

    @property
    def about(self) -> bool:
        """Whether nothing but a name is said, or what it is: then all that is known of it is wanted."""
        return all(mark.mention is not None or mark.op in _PLAIN for mark in self.marks)

    def has(self, op: str) -> bool:
        """Whether a mark of this kind stands in the question."""
        return any(mark.op == op for mark in self.marks)


def wanted(
    lexicon: Lexicon, read: Read, reading: Reading, marks: Sequence[Mark], ways: Ways, exclude: tuple[str, ...]
) -> Iterator[tuple[Plan, float]]:
    """What is wanted of those that a reading leads to; nothing if they aren't of the kind asked for."""
    branch = reading.branch
    kinds = (branch.hops[-1].stage.kinds if branch.hops else branch.start.kinds) or kinds_of(lexicon.graph, branch.ids)
    joint = replace(Plan("rows", (branch,)), exclude=exclude)
    if ways.asked is not None and not set(ways.asked.kinds) & set(kinds) and any(kinds):
        return
    props = [prop for mark in marks if not mark.relations and not mark.mention for prop in mark.props]
    if not props and read.has("when"):
        props = of_concept(lexicon, _props_of(lexicon, kinds), ("time", "birth"))
        if not props and branch.hops:
            of_edge = {p for r in branch.hops[-1].relations for p in lexicon.schema.edge_props.get(r, ())}
            for prop in of_concept(lexicon, of_edge, ("time",))[:1]:
                yield replace(joint, wanted="value", prop=prop, of_edge=True), 0.0
        if not props:
            return
    if not props and read.has("where") and not branch.hops:
        props = of_concept(lexicon, _props_of(lexicon, kinds), ("birthplace", "city", "country"))
        if not props:
            return
    if not props and read.has("average"):
        props = by_concept("", list(_props_of(lexicon, kinds)), lexicon)
    if props and any(mark.op == "not" for mark in marks):
        return
    if props:
        have = _props_of(lexicon, kinds)
        name = next((prop for prop in props if prop in have), "")
        if name:
            wanted: Wanted = "average" if read.has("average") else "value"
            also = tuple(dict.fromkeys(prop for prop in props if prop in have and prop != name))
            several = also if wanted == "value" and read.has("and") else ()
            yield replace(joint, wanted=wanted, prop=name, also=several), 0.0
        return
    if read.has("average"):
        return
    if read.has("who") and lexicon.persons and not set(kinds) & set(lexicon.persons):
        relations = branch.hops[-1].relations if branch.hops else ()
        ends = {kind for r in relations for pair in lexicon.schema.pairs.get(r, ()) for kind in pair}
        if ends & set(lexicon.persons) or not branch.ids:
            return
    either = [test for test in branch.start.tests if test.op == "=" and len(test.values) > 1]
    if branch.ids and not branch.hops and read.has("or") and len(either) == len(branch.start.tests) == 1:
        plain = replace(branch, start=replace(branch.start, tests=()))  # is it a drama or a comedy?
        yield replace(joint, wanted="value", prop=either[0].prop, branches=(plain,)), 0.0
        return
    if read.has("whether") and not any(read.has(op) for op in _ASKS) and branch.ids and not branch.hops:
        if branch.start.tests:
            yield replace(joint, wanted="check", targets=branch.ids), 0.0
        return
    if read.has("whether") and not any(map(read.has, _ASKS)) and branch.ids and branch.hops:
        yield replace(joint, wanted="check"), 0.0  # has she directed any science fiction?
        return
    if any(mark.op == "not" for mark in marks):
        if len(branch.hops) == 1 and branch.ids and branch.hops[-1].stage.kinds:
            yield replace(joint, missing=True), 0.0
        return
    if branch.ids and not branch.hops and branch.start == Stage() and not read.about:
        return
    yield replace(joint, wanted="count" if read.has("count") else "rows"), 0.0


def _props_of(lexicon: Lexicon, kinds: Sequence[str]) -> dict[str, None]:
    return dict.fromkeys(prop for kind in kinds for prop in lexicon.schema.node_props.get(kind, ()))


def of_concept(lexicon: Lexicon, props: Mapping[str, object] | set[str], concepts: Sequence[str]) -> list[str]:
    """Those of the properties that are of one of the concepts, in the concepts' order."""
    known = lexicon.concepts
    return [prop for concept in concepts for prop in sorted(props) if prop in known and known[prop].name == concept]
