"""Plans run on a graph: held against brute force, against their budget, and against changes of the graph."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lingbot_map.ask import Ask
from lingbot_map.ask.bases.triples.graph import Graph, Node, Said
from lingbot_map.ask.bases.triples.knowledge import Knowledge
from lingbot_map.ask.bases.triples.plan import Branch, Extreme, Hop, Plan, Stage, Test
from lingbot_map.ask.bases.triples.run import Run, TooLong
from lingbot_map.ask.kept import outcomes_of
from tests.ask.triples.library import library

Test.__test__ = False  # type: ignore[attr-defined]
EDGES = st.lists(st.tuples(st.integers(0, 7), st.sampled_from("RS"), st.integers(0, 7)), max_size=25, unique=True)
HOPS = st.lists(st.tuples(st.sampled_from(["R", "S", ""]), st.sampled_from(["out", "in", "both"])), max_size=3)


def made(edges: list[tuple[int, str, int]]) -> Graph:
    graph = Graph()
    for number in range(8):
        graph.add_node(Node(str(number), "AB"[number % 2], f"n{number}", (), {"v": number % 4}))
    for source, relation, target in edges:
        graph.add_edge(str(source), relation, str(target))
    return graph


def ends(edges: list[tuple[int, str, int]], start: set[int], relation: str, way: str) -> set[int]:
    found = set()
    for source, name, target in edges:
        if relation in ("", name):
            if way in ("out", "both") and source in start:
                found.add(target)
            if way in ("in", "both") and target in start:
                found.add(source)
    return found


@settings(max_examples=200, deadline=None)
@given(EDGES, HOPS, st.sampled_from([None, ">", "="]), st.booleans())
def test_steps_and_tests_give_what_brute_force_gives(
    edges: list[tuple[int, str, int]], hops: list[tuple[str, Any]], op: str | None, most: bool
) -> None:
    at = {0, 3}
    for number, (relation, way) in enumerate(hops):
        at = ends(edges, at, relation, way)
        if number == len(hops) - 1:
            at = {n for n in at if op is None or (n % 4 > 1 if op == ">" else n % 4 == 1)}
            if most and at:
                at = {n for n in at if n % 4 == max(m % 4 for m in at)}
    last = Stage((), (Test("v", op, (1,)),) if op else (), Extreme("v", "desc") if most else None)
    steps = tuple(
        Hop((relation,) if relation else (), way, last if number == len(hops) - 1 else Stage())
        for number, (relation, way) in enumerate(hops)
    )
    result = Run(made(edges)).run(Plan("rows", (Branch(("0", "3"), Stage(), steps),)))
    assert set(result.nodes) == {str(n) for n in at}
    for node, ways in result.ways.items():  # and each tells a way that there is
        place = node
        for edge in reversed(ways[0].edges):
            assert place in (edge.source, edge.target)
            place = edge.source if edge.target == place else edge.target
        assert place in ("0", "3")


@settings(max_examples=150, deadline=None)
@given(EDGES)
def test_between_gives_all_shortest_paths_and_no_others(edges: list[tuple[int, str, int]]) -> None:
    result = Run(made(edges)).run(Plan("between", (Branch(("0",), Stage()),), targets=("5",)))
    level, distance = {0}, 0
    while 5 not in level and distance < 6:
        distance += 1
        level = level | ends(edges, level, "", "both")
    if 5 not in level:
        assert result.paths == []
        return
    count = 0
    for path in itertools.product(range(len(edges)), repeat=distance) if distance <= 2 else ():
        at = 0
        for number in path:
            source, _, target = edges[number]
            at = target if source == at else source if target == at else -1
        count += at == 5
    assert all(len(path) == distance for _, path in result.paths)
    assert len({tuple(edge.id for edge in path) for _, path in result.paths}) == len(result.paths)
    if 0 < distance <= 2:
        assert len(result.paths) == min(count, 10)


def test_an_answer_is_kept_and_never_stale() -> None:
    base = Knowledge(library())
    first = Ask(base).ask("订单服务依赖哪些服务？")
    misses = base.questions.misses
    assert Ask(base).ask("订单服务依赖哪些服务？").text == first.text
    assert (outcomes_of(base).hits, base.questions.misses) == (1, misses)
    base.graph.add_node(Node("s5", "Service", "审计服务"))
    base.graph.add_edge("s1", "DEPENDS_ON", "s5")
    assert {row["id"] for row in Ask(base).ask("订单服务依赖哪些服务？").rows} == {"s2", "s3", "s5"}
    base.graph.remove_edge("s1-DEPENDS_ON-s2")
    changed = Ask(base).ask("订单服务依赖哪些服务？")
    assert {row["id"] for row in changed.rows} == {"s3", "s5"}
    assert "s1-DEPENDS_ON-s2" not in changed.cites
    base.graph.say(Said("DEPENDS_ON", ("调用",), "Service", "Service"))
    assert {row["id"] for row in Ask(base).ask("订单服务调用哪些服务？").rows} == {"s3", "s5"}
    assert Ask(base).ask("订单服务依赖哪些服务？").abstained


def test_two_wordings_of_one_plan_share_one_answer() -> None:
    base = Knowledge(library())
    Ask(base).ask("订单服务依赖哪些服务？")
    hits = base.answers.hits
    Ask(base).ask("請問，訂單服務依賴哪些服務呢？")
    assert base.answers.hits == hits + 1


def test_a_question_asked_again_is_answered_within_a_millisecond() -> None:
    base = Knowledge(library())
    Ask(base).ask("静水集的作者的所在团队负责哪些服务？")
    best = 1.0
    for _ in range(20):
        asker = Ask(base)
        began = time.perf_counter()
        asker.ask("静水集的作者的所在团队负责哪些服务？")
        best = min(best, time.perf_counter() - began)
    assert best < 0.001


def test_a_plan_over_its_budget_is_given_up() -> None:
    graph = made([(a, "R", b) for a in range(8) for b in range(8)])
    hop = Hop(("R",), "both", Stage())
    with pytest.raises(TooLong):
        Run(graph, budget=100).run(Plan("rows", (Branch((), Stage(), (hop,) * 3),)))


def test_a_plan_over_its_time_is_told_and_the_other_channel_answers() -> None:
    base = Knowledge(_wide(), seconds=0.0)
    answer = Ask(base).ask("中心的邻居的邻居有哪些？")
    assert answer.abstained
    assert "时限" in answer.text
    names = {step.name: step.status for step in answer.steps}
    assert names["compute"] == "skipped"
    assert names["relations"] == "ok"


def _wide() -> Graph:
    graph = Graph()
    graph.say(Said("NEXT_TO", ("邻居",), "Thing", "Thing"))
    graph.add_node(Node("hub", "Thing", "中心"))
    for number in range(25_000):
        graph.add_node(Node(f"n{number}", "Thing", f"点{number}"))
        graph.add_edge("hub", "NEXT_TO", f"n{number}")
    return graph
