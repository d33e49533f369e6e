"""Runs plans on the graph in memory, within a budget of steps and time, and tells of each node how it was reached."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from lingbot_map.ask.bases.triples.graph import Edge, Graph, Value
from lingbot_map.ask.bases.triples.index import Index
from lingbot_map.ask.bases.triples.plan import Branch, Having, Hop, Plan, Stage

BUDGET = 2_000_000
"""Edges that one plan may look at."""
LONGEST_PATH = 6
MOST_PATHS = 10
MOST_COUNTED = 1000
"""Nodes of a result of which the counted edges are told."""


class TooLong(Exception):
    """The plan was given up: it passed its budget or its time."""


@dataclass(slots=True)
class Way:
    """How a node was reached: the edges from the start on."""

    node: str
    edges: tuple[Edge, ...] = ()
    branch: int = 0


_ITSELF = Way("")
"""The way to each of very many nodes that no step leads to."""


@dataclass(slots=True)
class Result:
    """The nodes wanted, best first, and of each the ways to it, one for each branch. ``paths`` are those between two
    entities; ``counts`` how many a node has ("most", "compare"), ``counted`` the edges that were counted of each;
    ``values`` what was compared; ``near`` are ways that all but the last tests let through."""

    nodes: list[str] = field(default_factory=list)
    ways: dict[str, list[Way]] = field(default_factory=dict)
    paths: list[tuple[str, list[Edge]]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    counted: dict[str, list[Edge]] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)
    near: list[Way] = field(default_factory=list)


class Run:
    """One run of one plan; with an ``index`` of the graph all of a kind need not be looked at."""

    def __init__(self, graph: Graph, *, budget: int = BUDGET, seconds: float = 5.0, index: Index | None = None) -> None:
        self.graph = graph
        self._index = index if index is not None else Index(graph)
        self._left = budget
        self._end = time.monotonic() + seconds
        self._checked = budget

    def run(self, plan: Plan) -> Result:
        """What the plan gives. Raises ``TooLong``."""
        if plan.wanted == "between":
            return self._between(plan)
        if plan.wanted == "compare":
            return self._compared(plan)
        if plan.wanted == "most":
            return self._most(plan)
        # An extreme of several branches is that of what they share, and of what isn't excluded.
        several = plan.hops > 0 and (len(plan.branches) > 1 or bool(plan.exclude))
        alone = len(plan.branches) == 1
        reached = [self._branch(plain(branch) if several else branch, alone) for branch in plan.branches]
        result = Result()
        found = [ways for ways, _ in reached]
        first = found[0]
        if plan.joint:
            nodes = [node for node in first if all(node in other for other in found[1:])]
        else:
            nodes = list(dict.fromkeys(node for ways in found for node in ways))
        if plan.missing:
            nodes = [id for id in self._all(plan.last) if not any(id in ways for ways in found)]
        nodes = [node for node in nodes if node not in plan.exclude]
        if plan.wanted == "value" and plan.targets:
            nodes = [node for node in nodes if node in plan.targets]
        if several and plan.last.extreme is not None:
            nodes = self._extreme(plan.last, nodes)
        for number, ways in enumerate(found[1:], 1):
            for way in ways.values():
                way.branch = number
        if len(plan.branches) > 1 or plan.hops or len(nodes) <= MOST_COUNTED:
            result.ways = {node: [ways[node] for ways in found if node in ways] for node in nodes}
        result.nodes = nodes
        if plan.last.extreme is None:  # equal ways: the better known first
            order = {node: at for at, node in enumerate(nodes)}
            if len(nodes) <= 1000:
                result.nodes = sorted(nodes, key=lambda node: (-self.graph.degree(node), order[node]))
        result.near = [way for _, near in reached for way in near][:50]
        if plan.last.having:
            result.counted = {
                node: [edge for having in plan.last.having for edge in self._having(having, node).values()]
                for node in result.nodes[:MOST_COUNTED]
            }
        return result

    def _having(self, having: Having, id: str) -> dict[str, Edge]:
        """What is counted at a node, and the edge to each."""
        nodes, hop = self.graph.nodes, Hop(having.relations, having.way, having.stage)
        return {other: edge for other, edge in self._steps(id, hop) if having.stage.holds(nodes[other])}

    def _holds(self, stage: Stage, id: str) -> bool:
        return stage.holds(self.graph.nodes[id]) and all(
            having.holds(len(self._having(having, id))) for having in stage.having
        )

    def _spend(self, count: int) -> None:
        self._left -= count
        if self._checked - self._left > 20_000:
            self._checked = self._left
            if time.monotonic() > self._end:
                raise TooLong
        if self._left < 0:
            raise TooLong

    def _all(self, stage: Stage) -> list[str]:
        among, exact = self._among(stage)
        self._spend(len(among))
        return self._extreme(stage, among if exact else [id for id in among if self._holds(stage, id)])

    def _among(self, stage: Stage) -> tuple[list[str], bool]:
        """Nodes among which all of a stage are, and whether all of these are."""
        if len(stage.having) == 1 and len(stage.kinds) == 1 and not stage.tests:
            having = stage.having[0]
            table = self._index.counts(stage.kinds[0], Hop(having.relations, having.way, having.stage))
            if table is not None:
                return [id for count, ids in table.items() if having.holds(count) for id in ids], True
        found = self._index.candidates(stage)
        return (list(self.graph.nodes), False) if found is None else (found[0], found[1] and not stage.having)

    def _extreme(self, stage: Stage, ids: Sequence[str]) -> list[str]:
        extreme = stage.extreme
        if extreme is None:
            return list(ids)
        have: list[tuple[float | str, str]] = []
        values = [(self.graph.nodes[id].props.get(extreme.prop), id) for id in ids]
        numeric = all(isinstance(value, int | float) for value, _ in values if value is not None)
        for value, id in values:
            if isinstance(value, int | float if numeric else str):
                have.append((value, id))
        levels = sorted({value for value, _ in have}, reverse=extreme.way == "desc")
        if extreme.count == 1:  # all that share the place
            wanted = levels[extreme.nth - 1 : extreme.nth]
            return [id for value, id in have if value in wanted]
        rank = {value: at for at, value in enumerate(levels)}
        ranked = sorted(have, key=lambda pair: rank[pair[0]])
        if not ranked:
            return []
        last = ranked[min(extreme.count, len(ranked)) - 1][0]
        return [id for value, id in ranked if rank[value] <= rank[last]]

    def _branch(self, branch: Branch, alone: bool = False) -> tuple[dict[str, Way], list[Way]]:
        """The nodes reached and how, and what only the last tests kept out."""
        if branch.ids:
            ids = [id for id in branch.ids if id in self.graph.nodes and self._holds(branch.start, id)]
            ids = self._extreme(branch.start, ids)
            near = [] if ids or branch.hops else [Way(id) for id in branch.ids if id in self.graph.nodes]
        else:
            ids, near = self._all(branch.start), []
        if not branch.hops:
            return {id: Way(id) for id in ids} if len(ids) <= MOST_COUNTED or not alone else dict.fromkeys(
                ids, _ITSELF
            ), near
        at = {id: Way(id) for id in ids}
        parents: list[dict[str, tuple[str, Edge]]] = []
        frontier: list[str] = list(at)
        for step, hop in enumerate(branch.hops):
            last = step == len(branch.hops) - 1
            reached: dict[str, tuple[str, Edge]] = {}
            refused: dict[str, tuple[str, Edge]] = {}
            for node in frontier:
                for other, edge in self._steps(node, hop):
                    if other in reached:
                        continue
                    fits = all(test.holds(edge.props.get(test.prop)) for test in hop.tests)
                    if fits and self._holds(hop.stage, other):
                        reached[other] = (node, edge)
                    elif last and len(refused) < 50 and self._of_kind(hop.stage, other):
                        refused[other] = (node, edge)
            frontier = self._extreme(hop.stage, list(reached))
            parents.append(reached)
            if last and not frontier:
                near = [self._way([*parents[:-1], refused], other) for other in refused]
        return {node: self._way(parents, node) for node in frontier}, near

    def _of_kind(self, stage: Stage, id: str) -> bool:
        return not stage.kinds or self.graph.nodes[id].kind in stage.kinds

    def _way(self, parents: Sequence[dict[str, tuple[str, Edge]]], node: str) -> Way:
        edges: list[Edge] = []
        at = node
        for reached in reversed(parents):
            at, edge = reached[at]
            edges.append(edge)
        return Way(node, tuple(reversed(edges)))

    def _steps(self, node: str, hop: Hop) -> Iterator[tuple[str, Edge]]:
        for way in ("out", "in") if hop.way == "both" else (hop.way,):
            by_relation = (self.graph.out if way == "out" else self.graph.into).get(node)
            if not by_relation:
                continue
            lists: Iterable[list[Edge]] = (
                (by_relation[name] for name in hop.relations if name in by_relation)
                if hop.relations
                else by_relation.values()
            )
            for edges in lists:
                self._spend(len(edges))
                for edge in edges:
                    yield (edge.target if way == "out" else edge.source), edge

    def _most(self, plan: Plan) -> Result:
        """Of the start's nodes those with the most (or fewest) steps of the one hop."""
        branch = plan.branches[0]
        hop, extreme = branch.hops[0], branch.hops[0].stage.extreme
        stage = replace(hop.stage, extreme=None)
        hop = replace(hop, stage=stage)
        bare = branch.start == Stage(branch.start.kinds) and len(branch.start.kinds) == 1 and not branch.ids
        table = self._index.counts(branch.start.kinds[0], hop) if bare else None
        if table is None:
            table = {}
            for id in self._all(branch.start):
                table.setdefault(len(self._ends(id, hop)), []).append(id)
        result = Result()
        if extreme is None:
            return result
        levels = sorted((count for count in table if count), reverse=extreme.way == "desc")
        wanted = levels[extreme.nth - 1 : extreme.nth - 1 + max(1, extreme.count)]
        result.nodes = [id for count in wanted for id in table[count]]
        for id in result.nodes:
            edges = tuple(self._ends(id, hop).values()) if len(result.ways) < MOST_COUNTED else ()
            result.ways[id] = [Way(id, edges)]
        result.counts = {id: count for count in wanted for id in table[count]}
        return result

    def _ends(self, id: str, hop: Hop) -> dict[str, Edge]:
        """What one step leads to, and the edge to each."""
        return {
            other: edge
            for other, edge in self._steps(id, hop)
            if all(test.holds(edge.props.get(test.prop)) for test in hop.tests) and self._holds(hop.stage, other)
        }

    def _compared(self, plan: Plan) -> Result:
        """What each branch holds or leads to; the nodes are those at the winning end, nothing if one tells nothing."""
        result = Result()
        for branch in plan.branches:
            id = branch.ids[0]
            if plan.prop:
                value = self.graph.nodes[id].props.get(plan.prop) if id in self.graph.nodes else None
                if value is not None:
                    result.values[id] = value
                continue
            ways, _ = self._branch(branch)
            result.counts[id] = len(ways)
            result.counted[id] = list({edge.id: edge for way in ways.values() for edge in way.edges}.values())
        held: dict[str, Value] = dict(result.counts) if not plan.prop else result.values
        numeric = all(isinstance(value, int | float) for value in held.values())
        if len(held) < len(plan.branches) or not (numeric or all(isinstance(value, str) for value in held.values())):
            return result
        best = (max if plan.way == "desc" else min)(held.values(), key=_comparable)
        result.nodes = [id for id, value in held.items() if value == best]
        return result

    def _between(self, plan: Plan) -> Result:
        """All shortest paths, searched from both ends by turns: the smaller side takes the next step."""
        sides: list[dict[str, list[tuple[str, Edge]]]] = [{}, {}]
        starts = (plan.branches[0].ids, plan.targets)
        fronts = [list(starts[0]), list(starts[1])]
        seen = [dict.fromkeys(starts[0], 0), dict.fromkeys(starts[1], 0)]
        meet = [node for node in seen[0] if node in seen[1]]
        steps = 0
        any_hop = Hop((), "both", Stage())
        while not meet and steps < LONGEST_PATH and fronts[0] and fronts[1]:
            side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
            steps += 1
            level = max(seen[side].values()) + 1
            following: list[str] = []
            for node in fronts[side]:
                for other, edge in self._steps(node, any_hop):
                    if other not in seen[side]:
                        seen[side][other] = level
                        following.append(other)
                    if seen[side][other] == level:
                        sides[side].setdefault(other, []).append((node, edge))
            fronts[side] = following
            meet = [node for node in following if node in seen[1 - side]]
        result = Result()
        for node in sorted(meet, key=lambda node: (-self.graph.degree(node), node)):
            for before in self._back(sides[0], node, starts[0]):
                for after in self._back(sides[1], node, starts[1]):
                    if len(result.paths) < MOST_PATHS:
                        start = starts[0][0] if not before else _far(before[-1], sides[0], starts[0])
                        result.paths.append((start, [*reversed(before), *after]))
        return result

    def _back(
        self, parents: dict[str, list[tuple[str, Edge]]], node: str, starts: tuple[str, ...], depth: int = 0
    ) -> Iterator[list[Edge]]:
        """The edges from ``node`` back to the start, each way."""
        if node in starts or depth > LONGEST_PATH:
            yield []
            return
        for before, edge in parents.get(node, ())[:MOST_PATHS]:
            for rest in self._back(parents, before, starts, depth + 1):
                yield [edge, *rest]


def _comparable(value: Value) -> tuple[float, str]:
    return (value, "") if isinstance(value, int | float) else (0.0, str(value))


def plain(branch: Branch) -> Branch:
    """The branch without its last stage's extreme."""
    if not branch.hops:
        return branch
    last = branch.hops[-1]
    return replace(branch, hops=(*branch.hops[:-1], replace(last, stage=replace(last.stage, extreme=None))))


def _far(edge: Edge, parents: dict[str, list[tuple[str, Edge]]], starts: tuple[str, ...]) -> str:
    return edge.source if edge.source in starts else edge.target
