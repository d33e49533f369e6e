"""A property graph in memory: nodes, edges, how relations are said, and what its kinds, relations and properties are.

Edges are cited by ``source-relation-target`` (``p1-DIRECTED-f1``), a second one between the same two with ``#2``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lingbot_map.ask.types import Item
from lingbot_map.errors import BadInput

Value = str | int | float | tuple[str, ...]
"""A property: a number, a text, or several texts."""


@dataclass(frozen=True, slots=True)
class Node:
    """A thing: its kind ("" if none was told), the name that people use, further names and properties."""

    id: str
    kind: str
    name: str
    aliases: tuple[str, ...] = ()
    props: Mapping[str, Value] = field(default_factory=dict)
    file: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """``source`` stands in ``relation`` to ``target``."""

    id: str
    source: str
    relation: str
    target: str
    props: Mapping[str, Value] = field(default_factory=dict)
    file: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """How a relation (or a kind, or a property) is said, what it joins, and whether it holds both ways."""

    name: str
    says: tuple[str, ...]
    source: str = ""
    target: str = ""
    both_ways: bool = False


class Graph:
    """Nodes and edges with adjacency. ``version`` goes up with every change; what was derived from an older one is
    stale."""

    def __init__(self) -> None:
        self.version = 0
        self.nodes: dict[str, Node] = {}
        self.edges: dict[str, Edge] = {}
        self.says: dict[str, Said] = {}
        self.out: dict[str, dict[str, list[Edge]]] = {}
        self.into: dict[str, dict[str, list[Edge]]] = {}

    def add_node(self, node: Node) -> None:
        """A new node, or another one in the place of the node of this id."""
        self.nodes[node.id] = node
        self.version += 1

    def add_edge(
        self,
        source: str,
        relation: str,
        target: str,
        props: Mapping[str, Value] | None = None,
        *,
        file: str = "",
        place: str = "",
    ) -> Edge:
        """A new edge. Raises ``BadInput`` if an end of it isn't there."""
        for end in (source, target):
            if end not in self.nodes:
                raise BadInput(f"{file}:{place}".strip(":") or "edge", "ends that are nodes", repr(end)[:80])
        plain = f"{source}-{relation}-{target}"
        id, number = plain, 1
        while id in self.edges or id in self.nodes:
            number += 1
            id = f"{plain}#{number}"
        edge = Edge(id, source, relation, target, props or {}, file, place)
        self.edges[id] = edge
        self.out.setdefault(source, {}).setdefault(relation, []).append(edge)
        self.into.setdefault(target, {}).setdefault(relation, []).append(edge)
        self.version += 1
        return edge

    def remove_edge(self, id: str) -> None:
        """The edge is gone. Raises ``KeyError`` if there is none."""
        edge = self.edges.pop(id)
        self.out[edge.source][edge.relation].remove(edge)
        self.into[edge.target][edge.relation].remove(edge)
        self.version += 1

    def say(self, said: Said) -> None:
        """How something of the graph is said; what was said of it before is replaced."""
        self.says[said.name] = said
        self.version += 1

    def degree(self, id: str) -> int:
        """How many edges a node has: how well known it is."""
        return sum(map(len, self.out.get(id, {}).values())) + sum(map(len, self.into.get(id, {}).values()))

    def item(self, id: str) -> Item | None:
        """A node or an edge as what can be cited."""
        node = self.nodes.get(id)
        if node is not None:
            text = "; ".join((node.name, *(f"{name}={shown(value)}" for name, value in node.props.items())))
            return Item(
                id=id, kind="node", text=text, title=node.name, source=node.file, place=node.place, props=node.props
            )
        edge = self.edges.get(id)
        if edge is None:
            return None
        ends = self.nodes[edge.source].name, self.nodes[edge.target].name
        props = "".join(f"; {name}={shown(value)}" for name, value in edge.props.items())
        return Item(
            id=id,
            kind="triple",
            text=f"{ends[0]} —{edge.relation}→ {ends[1]}{props}",
            title=f"{ends[0]} {edge.relation} {ends[1]}",
            source=edge.file,
            place=edge.place,
            props=edge.props,
        )


@dataclass(slots=True)
class Schema:
    """What a graph is made of, counted over all of it: the pairs of kinds that a relation joins, the properties of each
    kind and of each relation (how many have it), which of them are numbers, lists and texts, and the texts that
    stand in properties of few different texts."""

    kinds: dict[str, int] = field(default_factory=dict)
    pairs: dict[str, dict[tuple[str, str], int]] = field(default_factory=dict)
    node_props: dict[str, dict[str, int]] = field(default_factory=dict)
    edge_props: dict[str, dict[str, int]] = field(default_factory=dict)
    numeric: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    edge_texts: set[str] = field(default_factory=set)
    values: dict[str, dict[str, int]] = field(default_factory=dict)

    def ends(self, relation: str, kind: str, way: str) -> set[str]:
        """The kinds that one step along ``relation`` ("out" or "in") leads to from ``kind``."""
        pairs = self.pairs.get(relation, {})
        if way == "out":
            return {target for source, target in pairs if source == kind}
        return {source for source, target in pairs if target == kind}

    def has(self, kind: str, prop: str) -> bool:
        """Whether any node of this kind has the property."""
        return prop in self.node_props.get(kind, {})

    def always(self, relation: str, prop: str) -> bool:
        """Whether every edge of this relation has the property."""
        return self.edge_props.get(relation, {}).get(prop, 0) == sum(self.pairs.get(relation, {}).values()) > 0


MOST_VALUES = 20_000
"""Texts of one property that are looked for in questions; a property of more different texts isn't a category."""


def schema_of(graph: Graph) -> Schema:
    """Counted in one pass."""
    schema = Schema()
    texts: set[str] = set()
    for node in graph.nodes.values():
        schema.kinds[node.kind] = schema.kinds.get(node.kind, 0) + 1
        counts = schema.node_props.setdefault(node.kind, {})
        for name, value in node.props.items():
            counts[name] = counts.get(name, 0) + 1
            if isinstance(value, int | float):
                schema.numeric.add(name)
                continue
            if isinstance(value, tuple):
                schema.listed.add(name)
            known = schema.values.setdefault(name, {})
            for text in value if isinstance(value, tuple) else (value,):
                if len(text) <= 40 and (text in known or len(known) <= MOST_VALUES):
                    known[text] = known.get(text, 0) + 1
            texts.add(name)
    schema.numeric -= texts
    for edge in graph.edges.values():
        pair = graph.nodes[edge.source].kind, graph.nodes[edge.target].kind
        pairs = schema.pairs.setdefault(edge.relation, {})
        pairs[pair] = pairs.get(pair, 0) + 1
        counts = schema.edge_props.setdefault(edge.relation, {})
        for name, value in edge.props.items():
            counts[name] = counts.get(name, 0) + 1
            if not isinstance(value, int | float):
                schema.edge_texts.add(name)
    schema.values = {name: known for name, known in schema.values.items() if len(known) <= MOST_VALUES}
    for said in graph.says.values():  # a relation that nothing stands in yet still joins what was declared
        if said.source and said.target and (said.source in schema.kinds or said.target in schema.kinds):
            schema.pairs.setdefault(said.name, {}).setdefault((said.source, said.target), 0)
    return schema


def shown(value: Value) -> str:
    """A property as people read it."""
    return "、".join(value) if isinstance(value, tuple) else str(value)


def texts_of(value: Value | None) -> Sequence[str]:
    """A property as texts; none if there is none."""
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (str(value),)
