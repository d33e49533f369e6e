"""A plan: where to start, which steps to take, what must hold there, and what is wanted of those reached.

Plans are values: two questions that mean the same have the same plan, which is what answers are kept by.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from lingbot_map.ask.bases.triples.graph import Graph, Node, Value, texts_of

Way = Literal["out", "in", "both"]
Wanted = Literal["rows", "count", "value", "average", "check", "between", "most", "compare"]


@dataclass(frozen=True, slots=True)
class Test:
    """A property holds one of ``values`` (op "="), none of them ("!="; with "without" it may be missing, too), is above
    or below the only one, or is missing ("missing")."""

    prop: str
    op: str
    values: tuple[Value, ...]

    def holds(self, found: Value | None) -> bool:
        """Whether a property fulfils it; one that isn't there fulfils only that it is missing."""
        if found is None:
            return self.op in ("missing", "without")
        if self.op == "missing":
            return False
        if self.op in ("=", "!=", "without"):
            texts = texts_of(found)
            if isinstance(found, int | float):
                hit = any(isinstance(value, int | float) and value == found for value in self.values)
            else:
                hit = any(text == value or _year(text) == value for text in texts for value in self.values)
            return hit == (self.op == "=")
        bound = self.values[0]
        number = found if isinstance(found, int | float) else _year(found) if isinstance(found, str) else None
        if number is None or not isinstance(bound, int | float):
            return False
        if self.op == ">":
            return number > bound
        if self.op == ">=":
            return number >= bound
        return number < bound if self.op == "<" else number <= bound


def _year(text: str) -> int | None:
    """The year of a date that is written year first; ``None`` if it is none."""
    head = text[:4]
    return int(head) if head.isascii() and head.isdigit() and len(text) > 4 and text[4] in "-/.年" else None


@dataclass(frozen=True, slots=True)
class Extreme:
    """The ``count`` highest ("desc") or lowest ("asc") by a property, from the ``nth`` on."""

    prop: str
    way: str
    count: int = 1
    nth: int = 1


@dataclass(frozen=True, slots=True)
class Stage:
    """What the nodes at one point of the way are: of one of ``kinds`` (none: of any), with these properties and so many
    others beside them."""

    kinds: tuple[str, ...] = ()
    tests: tuple[Test, ...] = ()
    extreme: Extreme | None = None
    having: tuple[Having, ...] = ()

    def holds(self, node: Node) -> bool:
        """Whether a node by itself is one of them: its extreme and its neighbours aside."""
        if self.kinds and node.kind not in self.kinds:
            return False
        return all(test.holds(node.props.get(test.prop)) for test in self.tests)


@dataclass(frozen=True, slots=True)
class Having:
    """How many different nodes of ``stage`` a step along ``relations`` (none: any) leads to: ``op`` ``count``."""

    relations: tuple[str, ...]
    way: Way
    stage: Stage
    op: str
    count: int

    def holds(self, count: int) -> bool:
        """Whether so many are enough, few or many."""
        return Test("", self.op, (self.count,)).holds(count)


@dataclass(frozen=True, slots=True)
class Hop:
    """One step along any of ``relations`` (none: along any at all), and what it must lead to."""

    relations: tuple[str, ...]
    way: Way
    stage: Stage
    tests: tuple[Test, ...] = ()


@dataclass(frozen=True, slots=True)
class Branch:
    """From ``ids`` (none: from every node of the stage's kinds) along ``hops``."""

    ids: tuple[str, ...]
    start: Stage
    hops: tuple[Hop, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is ``wanted`` of the nodes that all ``branches`` lead to (``joint``) or any of them does.

    ``prop`` is the property wanted ("value", "average"; of the last edge with ``of_edge``), ``also`` are further ones,
    ``targets`` what must be among the nodes ("check") or the other end ("between"), ``exclude`` what doesn't count.
    ``missing`` takes what is *not* reached from all of the last stage. "compare" holds the branches against each other,
    by ``prop`` or by how many each reaches; ``way`` says which end wins, ``targets`` who was said to.
    """

    wanted: Wanted
    branches: tuple[Branch, ...]
    joint: bool = True
    prop: str = ""
    also: tuple[str, ...] = ()
    of_edge: bool = False
    targets: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    missing: bool = False
    way: str = "desc"

    @property
    def hops(self) -> int:
        """Steps of the longest branch."""
        return max((len(branch.hops) for branch in self.branches), default=0)

    @property
    def last(self) -> Stage:
        """What the answer's nodes are."""
        branch = self.branches[0]
        return branch.hops[-1].stage if branch.hops else branch.start

    @property
    def kind(self) -> str:
        """What the question is called: its operator."""
        if self.wanted in ("between", "check", "most", "average", "compare"):
            return self.wanted
        if self.wanted == "count":
            return "count"
        if self.hops > 1:
            return f"{self.hops} hops"
        if self.wanted == "value":
            return "property"
        last = self.last
        if not self.hops and self.branches[0].ids and last == Stage(last.kinds):
            return "about"
        if last.extreme is not None:
            return "extreme"
        tested = last.tests or last.having or any(hop.tests for branch in self.branches for hop in branch.hops)
        return "filter" if tested or not self.hops else "relation"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan, how far it strays from the words (less is better), and the entity that each anchor was taken for."""

    plan: Plan
    penalty: float
    bound: tuple[str, ...] = field(default=())


def kinds_of(graph: Graph, ids: tuple[str, ...]) -> tuple[str, ...]:
    """The kinds of these nodes, each once."""
    return tuple(dict.fromkeys(graph.nodes[id].kind for id in ids if id in graph.nodes))
