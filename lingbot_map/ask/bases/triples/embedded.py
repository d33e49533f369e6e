"""The graph in the embedded ladybug database, so that a plan's Cypher can be run as it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lingbot_map.ask.bases.triples.cypher import Query, as_cell, label
from lingbot_map.ask.bases.triples.graph import Edge, Graph, Schema
from lingbot_map.errors import BadInput


class EmbeddedGraph:
    """A copy of a graph in memory of the database: one table a kind, one a relation. Raises ``BadInput`` without the
    package, or where two of the kinds and relations would have one label."""

    def __init__(self, graph: Graph, schema: Schema, *, timeout: float = 5.0) -> None:
        try:
            import ladybug
        except ImportError:
            remedy = "pip install 'lingbot-map[ladybug]'"
            raise BadInput("ladybug", "the package ladybug", "none installed", remedy) from None
        self._connection: Any = ladybug.Connection(ladybug.Database(":memory:"))
        self._schema, self._listed = schema, schema.listed
        _apart([*(kind or "Thing" for kind in schema.kinds), *schema.pairs])
        self._nodes(graph)
        self._edges(graph)
        self._connection.set_query_timeout(int(timeout * 1000))

    def run(self, query: Query) -> list[dict[str, Any]]:
        """The rows of a query."""
        result = self._connection.execute(query.text, dict(query.parameters))
        names = result.get_column_names()
        return [dict(zip(names, row, strict=True)) for row in result.get_all()]

    def _nodes(self, graph: Graph) -> None:
        # Each property is a column of every table, so that a query over several kinds can name it.
        props = sorted({name for counts in self._schema.node_props.values() for name in counts} - {"id", "name"})
        _apart([*props, "id", "name"])
        columns = "".join(f"{label(name)} {self._type(name)}, " for name in props)
        for kind in self._schema.kinds:
            table = label(kind or "Thing")
            self._connection.execute(
                f"CREATE NODE TABLE {table}(`id` STRING, `name` STRING, {columns}PRIMARY KEY(`id`))"
            )
            rows = [
                {
                    "id": node.id,
                    "name": node.name,
                    **{f"c{n}": self._cell(name, node.props.get(name)) for n, name in enumerate(props)},
                }
                for node in graph.nodes.values()
                if node.kind == kind
            ]
            for each in rows:
                given = {key: value for key, value in each.items() if value is not None}
                names = {"id": "`id`", "name": "`name`", **{f"c{n}": label(name) for n, name in enumerate(props)}}
                inner = ", ".join(f"{names[key]}: ${key}" for key in given)
                self._connection.execute(f"CREATE (:{table} {{{inner}}})", given)

    def _edges(self, graph: Graph) -> None:
        schema = self._schema
        by_relation: dict[str, list[Edge]] = {}
        for edge in graph.edges.values():
            by_relation.setdefault(edge.relation, []).append(edge)
        for relation, pairs in schema.pairs.items():
            there = [pair for pair in pairs if set(pair) <= set(schema.kinds)]
            if not there:
                continue
            props = sorted(set(schema.edge_props.get(relation, {})) - {"id"})
            numeric = {name: name not in schema.edge_texts for name in props}
            ends = ", ".join(f"FROM {label(a or 'Thing')} TO {label(b or 'Thing')}" for a, b in there)
            columns = "".join(f", {label(name)} {'DOUBLE' if numeric[name] else 'STRING'}" for name in props)
            self._connection.execute(f"CREATE REL TABLE {label(relation)}({ends}, `id` STRING{columns})")
            for edge in by_relation.get(relation, ()):
                cells = {f"c{n}": as_cell(edge.props.get(p), numeric[p], False) for n, p in enumerate(props)}
                given = {key: value for key, value in cells.items() if value is not None}
                inner = ", ".join(["`id`: $id", *(f"{label(props[int(key[1:])])}: ${key}" for key in given)])
                kinds = graph.nodes[edge.source].kind or "Thing", graph.nodes[edge.target].kind or "Thing"
                self._connection.execute(
                    f"MATCH (a:{label(kinds[0])} {{`id`: $a}}), (b:{label(kinds[1])} {{`id`: $b}}) "
                    f"CREATE (a)-[:{label(relation)} {{{inner}}}]->(b)",
                    {"a": edge.source, "b": edge.target, "id": edge.id, **given},
                )

    def _type(self, name: str) -> str:
        if name in self._schema.numeric:
            return "DOUBLE"
        return "STRING[]" if name in self._listed else "STRING"

    def _cell(self, name: str, value: Any) -> Any:
        return as_cell(value, name in self._schema.numeric, name in self._listed)


def _apart(names: Sequence[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        key = label(name).casefold()
        if key in seen:
            raise BadInput("graph", "names that are different labels", f"{seen[key]!r} and {name!r}")
        seen[key] = name
