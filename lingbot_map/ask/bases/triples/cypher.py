"""A plan as parameterised Cypher, to be read, and to be run on the embedded ladybug database or on Neo4j.

What a question says reaches a query only as a parameter; labels come from the graph's own schema and are reduced to
letters, digits and ``_``. Both packages are imported only where they are used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lingbot_map.ask.bases.triples.graph import Schema, Value
from lingbot_map.ask.bases.triples.plan import Branch, Extreme, Hop, Plan, Stage, Test
from lingbot_map.ask.bases.triples.run import LONGEST_PATH, plain
from lingbot_map.errors import BadInput

_PLAIN = re.compile(r"[^\W\d]\w*")
_ARROWS = {"out": ("-", "->"), "in": ("<-", "-"), "both": ("-", "-")}
_OPS = {"=": "=", "!=": "<>", ">": ">", ">=": ">=", "<": "<", "<=": "<="}


@dataclass(frozen=True, slots=True)
class Query:
    """A query and its parameters. Its rows have the column ``id``, with a value wanted also ``value``."""

    text: str
    parameters: Mapping[str, Any]


def label(name: str) -> str:
    """A name as a label or a property that needs no quotes; one that is reserved or odd gets another form."""
    plain = re.sub(r"\W", "_", name) or "_"
    if not _PLAIN.fullmatch(plain):
        plain = f"_{plain}"
    return f"`{plain}`"


class _Writer:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.parameters: dict[str, Any] = {}
        self.lines: list[str] = []

    def parameter(self, value: object) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = list(value) if isinstance(value, tuple) else value
        return f"${name}"

    def test(self, at: str, test: Test) -> str:
        place = f"{at}.{label(test.prop)}"
        if test.op == "missing":
            return f"{place} IS NULL"
        if test.op == "without":
            return f"({place} IS NULL OR {self.test(at, replace(test, op='!='))})"
        of_edge = at.startswith("r")
        texts = test.prop in self.schema.edge_texts if of_edge else test.prop not in self.schema.numeric
        if test.op in ("=", "!="):
            values = tuple(str(v) for v in test.values) if texts else test.values
            if texts and not of_edge and test.prop in self.schema.listed:
                text = " OR ".join(f"{self.parameter(value)} IN {place}" for value in values)
                return f"({text})" if test.op == "=" else f"NOT ({text})"
            if texts and all(isinstance(v, int) for v in test.values):  # a year of dates written year first
                text = " OR ".join(f"{place} STARTS WITH {self.parameter(v)}" for v in values)
                return f"({text})" if test.op == "=" else f"NOT ({text})"
            if len(values) == 1:
                return f"{place} {_OPS[test.op]} {self.parameter(values[0])}"
            text = f"{place} IN {self.parameter(values)}"
            return text if test.op == "=" else f"NOT {text}"
        bound = test.values[0]
        if texts and isinstance(bound, int | float):  # dates as texts: the next year is the bound
            after = test.op in (">", "<=")
            return f"{place} {'>=' if test.op in ('>', '>=') else '<'} {self.parameter(str(int(bound) + after))}"
        return f"{place} {_OPS[test.op]} {self.parameter(bound)}"

    def kinds(self, stage: Stage) -> str:
        kinds = [label(kind or "Thing") for kind in stage.kinds]
        return f":{'|'.join(kinds)}" if kinds else ""

    def branch(self, number: int, branch: Branch, end: str) -> None:
        at = f"n{number}_0" if branch.hops else end
        where = [f"{at}.`id` IN {self.parameter(branch.ids)}"] if branch.ids else []
        where += [self.test(at, test) for test in branch.start.tests]
        pattern = f"({at}{self.kinds(branch.start)})"
        if branch.start.extreme is not None or branch.start.having:
            self._match(pattern, where)
            self._narrowed(at, branch.start)
            pattern, where = f"({at})", self._again(at) if branch.hops else []
        for step, hop in enumerate(branch.hops):
            last = step == len(branch.hops) - 1
            at = end if last else f"n{number}_{step + 1}"
            pattern += self._hop(number, step, hop, at)
            where += [self.test(at, test) for test in hop.stage.tests]
            where += [self.test(f"r{number}_{step}", test) for test in hop.tests]
            if hop.stage.extreme is not None or hop.stage.having:
                self._match(pattern, where)
                self._narrowed(at, hop.stage)
                pattern, where = f"({at})", [] if last else self._again(at)
        if pattern != f"({at})" or where or not branch.hops:
            self._match(pattern, where)

    def _again(self, at: str) -> list[str]:
        """The nodes that are left, to be matched by their ids in what follows."""
        self.lines.append(f"WITH collect(DISTINCT {at}.`id`) AS ids_{at}")
        return [f"{at}.`id` IN ids_{at}"]

    def _hop(self, number: int, step: int, hop: Hop, at: str) -> str:
        names = "|".join(label(relation) for relation in hop.relations)
        inner = f"[r{number}_{step}{':' + names if names else ''}]"
        left, right = _ARROWS[hop.way]
        return f"{left}{inner}{right}({at}{self.kinds(hop.stage)})"

    def _match(self, pattern: str, where: Sequence[str]) -> None:
        self.lines.append(self._matched(pattern, where))

    def _matched(self, pattern: str, where: Sequence[str]) -> str:
        return f"MATCH {pattern}" + (f" WHERE {' AND '.join(where)}" if where else "")

    def _narrowed(self, at: str, stage: Stage) -> None:
        """Those of the matched that have so many of something, then the extreme of them."""
        for having in stage.having:
            number = len(self.parameters)
            end, edge = f"h{number}", f"r_h{number}"
            names = "|".join(label(relation) for relation in having.relations)
            inner = f"[{edge}{':' + names if names else ''}]"
            left, right = _ARROWS[having.way]
            where = [self.test(end, test) for test in having.stage.tests]
            self.lines.append(f"WITH DISTINCT {at}")
            self.lines.append(
                "OPTIONAL " + self._matched(f"({at}){left}{inner}{right}({end}{self.kinds(having.stage)})", where)
            )
            counted = f"c{number} {_OPS[having.op]} {self.parameter(having.count)}"
            self.lines.append(f"WITH {at}, count(DISTINCT {end}) AS c{number} WHERE {counted}")
        if stage.extreme is not None:
            self._extreme(at, stage.extreme)

    def _extreme(self, at: str, extreme: Extreme) -> None:
        """All that share the value, as the plan has it."""
        place = f"{at}.{label(extreme.prop)}"
        order = "DESC" if extreme.way == "desc" else "ASC"
        first = f" SKIP {extreme.nth - 1} LIMIT 1" if extreme.count == 1 else f" LIMIT {extreme.count}"
        distinct = "DISTINCT " if extreme.count == 1 else ""
        least, compared = ("min", ">=") if extreme.way == "desc" else ("max", "<=")
        self.lines.append(
            f"WITH collect(DISTINCT {at}) AS all_ UNWIND all_ AS each_ WITH all_, each_ "
            f"WHERE each_.{label(extreme.prop)} IS NOT NULL "
            f"WITH {distinct}all_, each_.{label(extreme.prop)} AS value_ ORDER BY value_ {order}{first} "
            f"WITH all_, {least}(value_) AS value_ UNWIND all_ AS {at} "
            f"WITH {at}, value_ WHERE {place} {'=' if extreme.count == 1 else compared} value_ WITH DISTINCT {at}"
        )


def rendered(plan: Plan, schema: Schema) -> Query:
    """The plan as a query that gives the ids of the nodes wanted (``between``: the lengths of the shortest paths)."""
    writer = _Writer(schema)
    if plan.wanted == "between":
        near, far = writer.parameter(plan.branches[0].ids), writer.parameter(plan.targets)
        text = (
            f"MATCH p = (a)-[* ALL SHORTEST 1..{LONGEST_PATH}]-(b) WHERE a.`id` IN {near} AND b.`id` IN {far} "
            "RETURN length(p) AS steps"
        )
        return Query(text, writer.parameters)
    if plan.wanted == "most":
        branch = plan.branches[0]
        hop, extreme = branch.hops[0], branch.hops[0].stage.extreme
        first = f"(n0_0{writer.kinds(branch.start)})"
        where = [writer.test("n0_0", test) for test in branch.start.tests]
        if branch.start.having:
            writer._match(first, where)
            writer._narrowed("n0_0", branch.start)
            first, where = "(n0_0)", []
        pattern = first + writer._hop(0, 0, hop, "x")
        where += [writer.test("x", test) for test in hop.stage.tests] + [writer.test("r0_0", t) for t in hop.tests]
        writer._match(pattern, where)
        order = "ASC" if extreme is not None and extreme.way == "asc" else "DESC"
        writer.lines.append(f"RETURN n0_0.`id` AS id, count(DISTINCT x) AS n ORDER BY n {order} LIMIT 10")
        return Query("\n".join(writer.lines), writer.parameters)
    if plan.wanted == "compare":
        return _compared(writer, plan)
    branches = plan.branches
    if (plan.missing or not plan.joint) and len({(branch.start, branch.hops) for branch in branches}) == 1:
        ids = tuple(id for branch in branches for id in branch.ids)
        branches = (Branch(ids, branches[0].start, branches[0].hops),)
    late = plan.hops > 0 and (len(plan.branches) > 1 or bool(plan.exclude))
    for number, branch in enumerate(branches):
        if number and plan.joint:
            writer.lines.append("WITH DISTINCT n")
        elif number:
            _kept(writer, plan)
            writer.lines.append("RETURN DISTINCT n.`id` AS id UNION")
        writer.branch(number, plain(branch) if late else branch, "n")
    _kept(writer, plan)
    if late and plan.last.extreme is not None:
        writer._extreme("n", plan.last.extreme)
    if plan.missing:
        inner = "\n".join(writer.lines)
        stage = writer.kinds(plan.last)
        tests = [writer.test("m", test) for test in plan.last.tests]
        text = (
            f"{inner}\nWITH collect(n.`id`) AS reached\nMATCH (m{stage}) WHERE NOT m.`id` IN reached"
            f"{''.join(f' AND {test}' for test in tests)}\nRETURN DISTINCT m.`id` AS id"
        )
        return Query(text, writer.parameters)
    place = f"r0_{len(plan.branches[0].hops) - 1}" if plan.of_edge else "n"
    if plan.wanted == "count" and not (len(branches) > 1 and not plan.joint):  # rows of a union can't be counted
        writer.lines.append("RETURN count(DISTINCT n) AS n")
    elif plan.wanted == "average":
        writer.lines.append(f"WITH DISTINCT n RETURN avg(n.{label(plan.prop)}) AS value")
    elif plan.wanted == "value":
        also = "".join(f", n.{label(name)} AS value_{at}" for at, name in enumerate(plan.also, 2))
        writer.lines.append(f"RETURN DISTINCT n.`id` AS id, {place}.{label(plan.prop)} AS value{also}")
    else:
        writer.lines.append("RETURN DISTINCT n.`id` AS id")
    return Query("\n".join(writer.lines), writer.parameters)


def _compared(writer: _Writer, plan: Plan) -> Query:
    """What is told of each of those compared, or how many each leads to."""
    ids, order = tuple(branch.ids[0] for branch in plan.branches), "ASC" if plan.way == "asc" else "DESC"
    if plan.prop:
        writer._match("(n)", [f"n.`id` IN {writer.parameter(ids)}"])
        writer.lines.append(f"RETURN n.`id` AS id, n.{label(plan.prop)} AS value ORDER BY value {order}")
        return Query("\n".join(writer.lines), writer.parameters)
    writer._match("(c)", [f"c.`id` IN {writer.parameter(ids)}"])
    hops = plan.branches[0].hops
    pattern, where = "(c)", []
    for step, hop in enumerate(hops):
        at = "n" if step == len(hops) - 1 else f"n0_{step + 1}"
        pattern += writer._hop(0, step, hop, at)
        where += [writer.test(at, test) for test in hop.stage.tests]
        where += [writer.test(f"r0_{step}", test) for test in hop.tests]
    writer.lines.append("OPTIONAL " + writer._matched(pattern, where))
    writer.lines.append(f"RETURN c.`id` AS id, count(DISTINCT n) AS n ORDER BY n {order}")
    return Query("\n".join(writer.lines), writer.parameters)


def _kept(writer: _Writer, plan: Plan) -> None:
    """Leaves out what is excluded and what isn't among the targets."""
    where = [f"NOT n.`id` IN {writer.parameter(plan.exclude)}"] if plan.exclude else []
    where += [f"n.`id` IN {writer.parameter(plan.targets)}"] if plan.targets else []
    if where:
        edge = f", r0_{len(plan.branches[0].hops) - 1}" if plan.of_edge else ""
        writer.lines.append(f"WITH n{edge} WHERE {' AND '.join(where)}")


def as_cell(value: Value | None, numeric: bool, listed: bool) -> Any:
    """A property as a database's column has it."""
    if value is None:
        return None
    if numeric:
        return float(value) if isinstance(value, int | float) else None
    texts = list(value) if isinstance(value, tuple) else [str(value)]
    return texts if listed else "|".join(texts)


class Neo4jGraph:
    """A graph database that is asked over its own driver. ``driver`` is one of ``neo4j``; it is never opened here."""

    def __init__(self, driver: Any, *, timeout: float = 5.0) -> None:
        self._driver = driver
        self._timeout = timeout

    @classmethod
    def connected(cls, address: str, user: str, password: str, *, timeout: float = 5.0) -> Neo4jGraph:
        """Raises ``BadInput`` without the package."""
        try:
            from neo4j import GraphDatabase
        except ImportError:
            raise BadInput("neo4j", "the package neo4j", "none installed", "pip install 'lingbot-map[neo4j]'") from None
        return cls(GraphDatabase.driver(address, auth=(user, password)), timeout=timeout)

    def run(self, query: Query) -> list[dict[str, Any]]:
        """The rows; shortest paths are asked for as this database writes them."""
        text = re.sub(r"\(a\)-\[\* ALL SHORTEST 1\.\.(\d+)\]-\(b\)", r"allShortestPaths((a)-[*1..\1]-(b))", query.text)
        with self._driver.session() as session:
            return [dict(row) for row in session.run(text, dict(query.parameters), timeout=self._timeout)]
