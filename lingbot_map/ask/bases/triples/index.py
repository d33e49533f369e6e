"""What questions over all of a graph are answered from: its nodes by kind, their properties in order, and how many each
leads to. Each table is made when it is first needed and holds for one version of the graph."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from lingbot_map.ask.bases.triples.graph import Edge, Graph, texts_of
from lingbot_map.ask.bases.triples.plan import Extreme, Hop, Stage, Test

Steps = Mapping[str, Sequence[tuple[str, Edge]]]


class Index:
    """Over one version of a graph; what belongs to an older one is made anew."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._version = -1
        self._clear()

    def _clear(self) -> None:
        self._version = self.graph.version
        self._kinds: dict[str, list[str]] | None = None
        self._ordered: dict[tuple[str, str], tuple[list[float], list[str]]] = {}
        self._texts: dict[tuple[str, str], dict[str, list[str]]] = {}
        self._counts: dict[tuple[tuple[str, ...], str, tuple[str, ...]], dict[int, list[str]]] = {}

    def kind(self, kind: str) -> list[str]:
        """The nodes of a kind, in the graph's order."""
        if self._version != self.graph.version:
            self._clear()
        if self._kinds is None:
            self._kinds = {}
            for id, node in self.graph.nodes.items():
                self._kinds.setdefault(node.kind, []).append(id)
        return self._kinds.get(kind, [])

    def candidates(self, stage: Stage) -> list[str] | None:
        """Nodes among which all of a stage are, by the test that lets the fewest through; ``None`` without a kind."""
        if not stage.kinds:
            return None
        found: list[str] = []
        for kind in stage.kinds:
            least = self.kind(kind)
            for test in stage.tests:
                fit = self._fitting(kind, test)
                if fit is not None and len(fit) < len(least):
                    least = fit
            if stage.extreme is not None and stage == Stage(
                (kind,), extreme=Extreme(stage.extreme.prop, stage.extreme.way)
            ):
                least = self._end(kind, stage.extreme.prop, stage.extreme.way == "desc", least)
            found += least
        return found

    def _fitting(self, kind: str, test: Test) -> list[str] | None:
        if test.op == "=" and all(isinstance(value, str) for value in test.values):
            texts = self._by_text(kind, test.prop)
            hits = dict.fromkeys(id for value in test.values for id in texts.get(str(value), ()))
            return list(hits)
        if test.op in (">", ">=", "<", "<=") and isinstance(test.values[0], int | float):
            numbers, ids = self._by_number(kind, test.prop)
            if not numbers:
                return None
            cut = (bisect_right if test.op in (">", "<=") else bisect_left)(numbers, test.values[0])
            return ids[cut:] if test.op in (">", ">=") else ids[:cut]
        return None

    def _end(self, kind: str, prop: str, high: bool, all_: list[str]) -> list[str]:
        """The nodes with the highest or lowest number; all, where some are told as texts."""
        numbers, ids = self._by_number(kind, prop)
        if not numbers:
            return all_
        end = numbers[-1] if high else numbers[0]
        return ids[bisect_left(numbers, end) : bisect_right(numbers, end)]

    def _by_number(self, kind: str, prop: str) -> tuple[list[float], list[str]]:
        """Numbers in order and whose they are; nothing where the property is told as a text anywhere."""
        key = kind, prop
        ids = self.kind(kind)
        if key not in self._ordered:
            pairs = [(self.graph.nodes[id].props.get(prop), at) for at, id in enumerate(ids)]
            told = [(value, at) for value, at in pairs if isinstance(value, int | float)]
            whole = all(value is None or isinstance(value, int | float) for value, _ in pairs)
            told = sorted(told) if whole else []
            self._ordered[key] = [value for value, _ in told], [ids[at] for _, at in told]
        return self._ordered[key]

    def _by_text(self, kind: str, prop: str) -> dict[str, list[str]]:
        key = kind, prop
        ids = self.kind(kind)
        if key not in self._texts:
            texts: dict[str, list[str]] = {}
            for id in ids:
                value = self.graph.nodes[id].props.get(prop)
                for text in () if isinstance(value, int | float) else texts_of(value):
                    texts.setdefault(text, []).append(id)
            self._texts[key] = texts
        return self._texts[key]

    def counts(self, kind: str, hop: Hop) -> dict[int, list[str]] | None:
        """The nodes of a kind by how many different ones a step leads to; ``None`` for a step with conditions."""
        if hop.tests or hop.stage.tests or hop.stage.having or not hop.relations:
            return None
        ids = self.kind(kind)
        key = (kind, *hop.relations), hop.way, tuple(sorted(hop.stage.kinds))
        if key not in self._counts:
            table: dict[int, list[str]] = {}
            sides = [self.graph.out] if hop.way != "in" else []
            sides += [self.graph.into] if hop.way != "out" else []
            nodes, kinds = self.graph.nodes, set(hop.stage.kinds)
            for id in ids:
                reached = {
                    edge.target if side is self.graph.out else edge.source
                    for side in sides
                    if id in side
                    for relation in hop.relations
                    for edge in side[id].get(relation, ())
                }
                if kinds:
                    reached = {other for other in reached if nodes[other].kind in kinds}
                table.setdefault(len(reached), []).append(id)
            self._counts[key] = table
        return self._counts[key]
