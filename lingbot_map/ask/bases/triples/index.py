"""What questions over all of a graph are answered from: its nodes by kind, their properties in order, and how many each
leads to. Each table is made when it is first needed and holds for one version of the graph."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from lingbot_map.ask.bases.triples.graph import Edge, Graph, texts_of
from lingbot_map.ask.bases.triples.plan import Extreme, Hop, Stage, Test

MOST_TABLES = 256
"""Tables of counts that are kept; then all of them are made anew."""


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
        self._counts: dict[tuple[str, Hop], dict[int, list[str]]] = {}

    def kind(self, kind: str) -> list[str]:
        """The nodes of a kind, in the graph's order."""
        if self._version != self.graph.version:
            self._clear()
        if self._kinds is None:
            self._kinds = {}
            for id, node in self.graph.nodes.items():
                self._kinds.setdefault(node.kind, []).append(id)
        return self._kinds.get(kind, [])

    def candidates(self, stage: Stage) -> tuple[list[str], bool] | None:
        """Nodes among which all of a stage are, by the test that lets the fewest through, and whether these are exactly
        those that hold by themselves; ``None`` without a kind."""
        if not stage.kinds:
            return None
        found: list[str] = []
        exact = len(stage.tests) < 2
        for kind in stage.kinds:
            least = self.kind(kind)
            for test in stage.tests:
                fit = self._fitting(kind, test)
                exact = exact and fit is not None
                if fit is not None and len(fit) < len(least):
                    least = fit
            if len(stage.kinds) == 1 and not stage.having and stage.extreme is not None:
                first = self._end(kind, stage, stage.extreme)
                least, exact = (least, exact) if first is None else (first, True)
            found += least
        return found, exact

    def _fitting(self, kind: str, test: Test) -> list[str] | None:
        if test.op == "=" and all(isinstance(value, str) for value in test.values):
            texts = self._by_text(kind, test.prop)
            hits = dict.fromkeys(id for value in test.values for id in texts.get(str(value), ()))
            return list(hits)
        if test.op == "=" and all(isinstance(value, int | float) for value in test.values):
            numbers, ids = self._by_number(kind, test.prop)
            spans = [
                (bisect_left(numbers, v), bisect_right(numbers, v))
                for v in test.values
                if not isinstance(v, str | tuple)
            ]
            return [id for low, high in sorted(set(spans)) for id in ids[low:high]] if numbers else None
        if test.op in (">", ">=", "<", "<=") and isinstance(test.values[0], int | float):
            numbers, ids = self._by_number(kind, test.prop)
            if not numbers:
                return None
            cut = (bisect_right if test.op in (">", "<=") else bisect_left)(numbers, test.values[0])
            return ids[cut:] if test.op in (">", ">=") else ids[:cut]
        return None

    def _end(self, kind: str, stage: Stage, extreme: Extreme) -> list[str] | None:
        """Those of a stage with the highest or lowest number; ``None`` where several places are asked for, or some are
        told as texts."""
        numbers, ids = self._by_number(kind, extreme.prop)
        if not numbers or (extreme.count, extreme.nth) != (1, 1):
            return None
        nodes = self.graph.nodes
        first, last = 0, len(numbers)
        while first < last:
            end = numbers[last - 1] if extreme.way == "desc" else numbers[first]
            low, high = bisect_left(numbers, end), bisect_right(numbers, end)
            held = [id for id in ids[low:high] if stage.holds(nodes[id])]
            if held:
                return held
            first, last = (first, low) if extreme.way == "desc" else (high, last)
        return []

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
        """The nodes of a kind by how many different ones a step leads to; ``None`` where what it leads to is told by
        what that leads to in turn, or nothing tells which step it is."""
        stage = hop.stage
        if stage.having or stage.extreme is not None or not hop.relations:
            return None
        ids = self.kind(kind)
        key = kind, hop
        if key not in self._counts:
            counts = dict.fromkeys(ids, 0)
            among = self.candidates(stage) if stage.tests else None
            for id, reached in (self._forth(ids, hop) if among is None else self._back(among[0], hop)).items():
                if id in counts:
                    counts[id] = len(reached)
            table: dict[int, list[str]] = {}
            for id, count in counts.items():
                table.setdefault(count, []).append(id)
            if len(self._counts) >= MOST_TABLES:
                self._counts.clear()
            self._counts[key] = table
        return self._counts[key]

    def _sides(self, way: str) -> list[dict[str, dict[str, list[Edge]]]]:
        graph = self.graph
        return [graph.out] if way == "out" else [graph.into] if way == "in" else [graph.out, graph.into]

    def _forth(self, ids: Iterable[str], hop: Hop) -> dict[str, set[str]]:
        nodes, kinds = self.graph.nodes, set(hop.stage.kinds)
        found: dict[str, set[str]] = {}
        for side in self._sides(hop.way):
            out = side is self.graph.out
            for id in ids:
                by_relation = side.get(id)
                for relation in hop.relations if by_relation else ():
                    for edge in (by_relation or {}).get(relation, ()):
                        other = edge.target if out else edge.source
                        if (not kinds or nodes[other].kind in kinds) and _holds(edge, hop):
                            found.setdefault(id, set()).add(other)
        return found

    def _back(self, among: Iterable[str], hop: Hop) -> dict[str, set[str]]:
        """From those that a step may lead to: fewer than it may begin at."""
        nodes = self.graph.nodes
        found: dict[str, set[str]] = {}
        for side in self._sides({"out": "in", "in": "out"}.get(hop.way, hop.way)):
            out = side is self.graph.out
            for other in among:
                by_relation = side.get(other)
                if not by_relation or not hop.stage.holds(nodes[other]):
                    continue
                for relation in hop.relations:
                    for edge in by_relation.get(relation, ()):
                        if _holds(edge, hop):
                            found.setdefault(edge.target if out else edge.source, set()).add(other)
        return found


def _holds(edge: Edge, hop: Hop) -> bool:
    return all(test.holds(edge.props.get(test.prop)) for test in hop.tests)
