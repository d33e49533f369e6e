"""The plan as Cypher: run on the embedded database it gives what the plan gives; a question is parameters."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases.triples.cypher import Neo4jGraph, Query, label, rendered
from lingbot_map.ask.bases.triples.graph import Graph, Node, Said, schema_of
from lingbot_map.ask.bases.triples.knowledge import Knowledge
from lingbot_map.ask.bases.triples.plan import Plan
from lingbot_map.ask.bases.triples.run import Run
from lingbot_map.errors import BadInput
from tests.ask.triples.library import library
from tests.ask.triples.test_questions import ROWS

MORE = (
    "语言是Go的服务有几个？",
    "交易组负责的服务的平均SLA是多少？",
    "静水集有多少页？",
    "订单服务依赖库存服务吗？",
    "订单服务依赖通知服务吗？",
    "订单服务和通知服务是什么关系？",
    "静水集是散文吗？",
    "何清在2019年之后属于哪个团队？",
    "交易组没有负责哪些服务？",
    "订单服务和支付服务都依赖什么？",
    "订单服务和支付服务依赖什么？",
    "SLA最高的服务依赖什么？",
)


@pytest.fixture(scope="module")
def base() -> Knowledge:
    return Knowledge(library())


@pytest.fixture(scope="module")
def database(base: Knowledge) -> Any:
    pytest.importorskip("ladybug", reason="the embedded database is not installed")
    from lingbot_map.ask.bases.triples.embedded import EmbeddedGraph

    return EmbeddedGraph(base.graph, base.schema)


@pytest.mark.parametrize("question", [*ROWS, *MORE])
def test_the_database_gives_what_the_plan_gives(base: Knowledge, database: Any, question: str) -> None:
    answer = Ask(base).ask(question)
    plan, query = answer.question.args.get("plan"), base.query(answer.question)
    if not isinstance(plan, Plan) or query is None:
        raise AssertionError("no plan")
    assert_the_same(database, base, plan)


def assert_the_same(database: Any, base: Knowledge, plan: Plan) -> None:
    """The database's rows for a plan are what the plan gives in memory."""
    query = rendered(plan, base.schema)
    rows = database.run(query)
    result = Run(base.graph).run(plan)
    if plan.wanted == "count":
        assert rows == [{"n": len(result.nodes)}] or len(rows) == len(result.nodes) > 1 < len(plan.branches)
    elif plan.wanted == "average":
        values = [base.graph.nodes[id].props[plan.prop] for id in result.nodes]
        assert rows[0]["value"] == pytest.approx(sum(v for v in values if isinstance(v, int | float)) / len(values))
    elif plan.wanted == "between":
        assert {row["steps"] for row in rows} == {len(edges) for _, edges in result.paths}
    elif plan.wanted == "compare":
        assert [(row["id"], row["value" if plan.prop else "n"]) for row in rows] == sorted(
            (result.values if plan.prop else result.counts).items(),
            key=lambda pair: pair[1],
            reverse=plan.way == "desc",
        )
        assert [row["id"] for row in rows][: len(result.nodes)] == result.nodes
    elif plan.wanted == "check" and plan.targets:
        assert {row["id"] for row in rows} == set(result.nodes) & set(plan.targets)
    elif plan.wanted == "most":
        assert {row["id"]: row["n"] for row in rows}.items() >= result.counts.items()
    else:
        assert {row["id"] for row in rows} == set(result.nodes)


def test_what_a_question_says_is_a_parameter_and_nothing_else(database: Any) -> None:
    graph, hostile = library(), "x'}) DETACH DELETE n //"
    graph.add_node(Node("x", "Person", hostile, (), {"job": hostile}))
    graph.add_edge("x", "WROTE", "b1")
    base = Knowledge(graph)
    question = base.read(f"“{hostile}”写了什么？", Ask(base).dialog)
    query = base.query(question)
    assert query is not None
    assert "DETACH" not in query.text
    assert query.parameters["p0"] == ["x"]
    before = database.run(Query("MATCH (n) RETURN count(n) AS n", {}))
    assert database.run(query) == []
    assert database.run(Query("MATCH (n) RETURN count(n) AS n", {})) == before


def test_a_label_keeps_to_letters_digits_and_underscores() -> None:
    rng = random.Random(3)
    for _ in range(300):
        text = "".join(rng.choice("aé中1_`'\"$)(\n\\ -") for _ in range(rng.randint(0, 8)))
        inner = label(text)[1:-1]
        assert inner.replace("_", "a").isalnum()
        assert not inner[0].isdigit()


def test_labels_that_would_be_one_are_refused() -> None:
    pytest.importorskip("ladybug", reason="the embedded database is not installed")
    from lingbot_map.ask.bases.triples.embedded import EmbeddedGraph

    graph = Graph()
    graph.add_node(Node("a", "Big Film", "a"))
    graph.add_node(Node("b", "Big_Film", "b"))
    with pytest.raises(BadInput, match="Big Film"):
        EmbeddedGraph(graph, schema_of(graph))


def test_a_declared_relation_that_nothing_stands_in_gives_no_rows() -> None:
    pytest.importorskip("ladybug", reason="the embedded database is not installed")
    from lingbot_map.ask.bases.triples.embedded import EmbeddedGraph

    graph = library()
    graph.say(Said("EDITED", ("编辑了", "编辑"), "Person", "Book"))
    base = Knowledge(graph)
    answer = Ask(base).ask("许诺编辑了哪些书？")
    assert answer.abstained
    query = base.query(answer.question)
    assert query is not None
    assert EmbeddedGraph(graph, base.schema).run(query) == []


def test_says_which_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from lingbot_map.ask.bases.triples.embedded import EmbeddedGraph

    monkeypatch.setitem(sys.modules, "ladybug", None)
    monkeypatch.setitem(sys.modules, "neo4j", None)
    graph = library()
    with pytest.raises(BadInput, match=r"lingbot-map\[ladybug\]"):
        EmbeddedGraph(graph, schema_of(graph))
    with pytest.raises(BadInput, match=r"lingbot-map\[neo4j\]"):
        Neo4jGraph.connected("bolt://localhost:7687", "user", "password")


def test_nothing_imports_a_database_before_it_is_used() -> None:
    code = (
        "import sys; from tests.ask.triples.library import library; "
        "from lingbot_map.ask.bases.triples.knowledge import Knowledge; from lingbot_map.ask import Ask; "
        "Ask(Knowledge(library())).ask('订单服务依赖什么？'); "
        "assert not {'ladybug', 'neo4j', 'defusedxml'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
