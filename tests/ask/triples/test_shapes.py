"""Questions that compare, count, deny and combine: what they mean over bases of other domains, and the same as Cypher.

The bases are those of our own acceptance questions (``tests/ask/fixtures``): books in Chinese, football in English.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases.triples import opened
from lingbot_map.ask.bases.triples.graph import Graph, Node, Said
from lingbot_map.ask.bases.triples.knowledge import Knowledge
from lingbot_map.ask.bases.triples.plan import Plan
from lingbot_map.ask.bases.triples.run import Run
from tests.ask.acceptance import OWN, expectations
from tests.ask.triples.test_cypher import assert_the_same

BOOKS = {
    # two things held against each other: who is ahead
    "谁写的书比较多，白石还是沈青禾？": "w1",
    "白石和沈青禾，谁写的书更少？": "w5",
    "顾北望和白石哪个更年轻？": "w2",
    "《雾港》和《第七封信》哪本出版得更早？": "b1",
    "沈青禾、顾北望和白石谁写的书最多？": "w1",
    "沈青禾和溫竹誰年紀大？": "w1 w6",
    "哪些书比雾港评分高？": "b2 b3 b6",
    # so many
    "谁写过两本以上的书？": "w1 w2",
    "写了不止一本书的作家": "w1 w2",
    "写了至少两本书的人有谁": "w1 w2",
    "只写过一本书的作家有哪些？": "w3 w5",
    "恰好寫過兩本書的作家是誰？": "w2",
    "出版过四本书以上的出版社": "pr2",
    "写过两本以上悬疑书的作家有哪些？": "w1",
    "写过两本以上评分超过8.5分的书的作家有哪些？": "w1",
    "出生在岚城并且写过两本以上书的作家有哪些？": "w2",
    "有两个作者的书有哪些？": "b6",
    # denied
    "没有配偶的作家有哪些？": "w3 w4 w5 w6",
    "没有译者的书有哪些？": "b2 b3 b4 b6",
    "哪些书没有被翻译过？": "b2 b3 b4 b6",
    "没有写过悬疑书的作家": "w2 w3 w4 w5 w6",
    "出生在岚城但没有写过书的作家有哪些？": "w6",
    "没有获得金叶奖的书有哪些？": "b2 b4 b5 b6 b7",
    "沒得過獎的書": "b2 b4 b5 b6",
    "哪些书不是沈青禾和顾北望写的？": "b7",
    # and, or, ranges, heads of a phrase
    "评分超过9分或者页数超过600页的书有哪些？": "b2 b7",
    "写过悬疑书并且写过散文的作家有谁？": "w1",
    "2000年以前出版的书": "b7",
    "2010年到2015年之间出版的书有哪些？": "b3 b4 b6",
    "评分最高的两本书": "b2 b3 b6",
    "2009年以后评分最高的书是哪本？": "b3 b6",
    "青州出生的女作家写过哪些书？": "b1 b2 b3 b4 b6",
}
FOOTBALL = {
    "Who scored more goals: Marta Silveira or Tessa Moran?": "pl1",
    "Which of Marta Silveira and Tessa Moran scored fewer goals?": "pl4",
    "Which club has more players, Northgate United or Silver Lake FC?": "cl2",
    "Which players scored more goals than Aiko Tanabe?": "pl1 pl4",
    "Which clubs have more than one player?": "cl1 cl2",
    "Which clubs have fewer than two players?": "cl3",
    "coaches who coach exactly one club": "co2",
    "Who coaches two clubs?": "co1",
    "Which clubs don't have a home ground?": "cl3",
    "clubs without a stadium": "cl3",
    "Which players scored no goals?": "pl5",
    "Which players are neither forwards nor goalkeepers?": "pl2 pl3",
    "Which players scored more than 30 goals or were born before 1990?": "pl1 pl4 pl5",
    "the two players with the most goals": "pl1 pl4",
    "Who has the second most goals?": "pl4",
    "Which players do not play for Harbour Rovers?": "pl3 pl4 pl5",
    "Who coaches the most clubs?": "co1",
}
VERDICTS = {
    "沈青禾写的书比顾北望多吗？": "yes",
    "顾北望的书比沈青禾多吗？": "no",
    "沈青禾比顾北望年轻吗？": "yes",
    "沈青禾比温竹大吗？": "no",
    "雾港的评分比铁路尽头高吗？": "yes",
    "沈青禾有没有写过爱情小说？": "yes",
    "沈青禾写过科幻小说吗？": "no",
    "Is Pier Ground bigger than North Park?": "no",
    "Is Marta Silveira older than Tessa Moran?": "no",
    "Does Northgate United have more players than Silver Lake FC?": "yes",
    "Does Silver Lake FC have a home ground?": "no",
}
ABSTAINS = (
    "沈青禾比顾北望大几岁？",
    "《雾港》和《第七封信》哪本书更厚？",
    "写过九本以上书的作家有哪些？",
    "雾港的作者和纸上群山的作者是同一个人吗？",
    "除了沈青禾还有谁写过两本以上的书？",
    "Who has more goals, Silveira or Morane?",
    "Are there players who play for more than one club?",
)


@cache
def base(name: str) -> Knowledge:
    return opened([OWN / name])


@cache
def database(name: str) -> Any:
    from lingbot_map.ask.bases.triples.embedded import EmbeddedGraph

    return EmbeddedGraph(base(name).graph, base(name).schema)


def over(question: str) -> str:
    return "football" if question.isascii() else "books"


@pytest.mark.parametrize(("question", "expected"), [*BOOKS.items(), *FOOTBALL.items()])
def test_rows(question: str, expected: str) -> None:
    answer = Ask(base(over(question))).ask(question)
    assert {row["id"] for row in answer.rows} == set(expected.split()), answer.text
    assert not answer.abstained
    assert all(sentence.cites for sentence in answer.sentences)


@pytest.mark.parametrize(("question", "verdict"), list(VERDICTS.items()))
def test_verdicts(question: str, verdict: str) -> None:
    answer = Ask(base(over(question))).ask(question)
    assert answer.verdict == verdict, answer.text
    assert answer.cites


@pytest.mark.parametrize("question", ABSTAINS)
def test_what_is_not_understood_or_not_there_is_not_answered(question: str) -> None:
    answer = Ask(base(over(question))).ask(question)
    assert answer.abstained, answer.text


def test_to_have_none_of_a_role_is_not_to_be_none() -> None:
    graph = Graph()
    for id, kind, job in (("a", "Person", "actor"), ("w", "Person", "writer"), ("f", "Film", ""), ("g", "Film", "")):
        graph.add_node(Node(id, kind, f"Name {id}", (), {"job": job} if job else {}))
    graph.say(Said("ACTED_IN", ("演员", "主演", "actor"), "Person", "Film"))
    graph.add_edge("a", "ACTED_IN", "f")
    assert {row["id"] for row in Ask(Knowledge(graph)).ask("哪些电影没有演员？").rows} == {"g"}
    assert {row["id"] for row in Ask(Knowledge(graph)).ask("films without an actor").rows} == {"g"}


def test_a_comparison_tells_and_cites_both() -> None:
    answer = Ask(base("football")).ask("Who scored more goals: Marta Silveira or Tessa Moran?")
    assert "41" in answer.text
    assert "33" in answer.text
    assert answer.cites == ("pl1", "pl4")
    counted = Ask(base("books")).ask("沈青禾和顾北望谁写的书多？")
    assert len(counted.cites) == 6  # each book that was counted


@pytest.mark.parametrize("question", [*BOOKS, *FOOTBALL, *VERDICTS])
def test_the_database_gives_what_the_plan_gives(question: str) -> None:
    pytest.importorskip("ladybug", reason="the embedded database is not installed")
    of = base(over(question))
    plan = Ask(of).ask(question).question.args["plan"]
    assert isinstance(plan, Plan)
    assert_the_same(database(over(question)), of, plan)


@pytest.mark.parametrize(
    ("folder", "question"),
    [(e.over, e.question) for e in expectations("graph", folder=OWN) if not e.abstain and not e.after],
)
def test_our_agreed_questions_give_the_same_rows_on_the_database(folder: str, question: str) -> None:
    pytest.importorskip("ladybug", reason="the embedded database is not installed")
    plan = Ask(base(folder)).ask(question).question.args.get("plan")
    assert isinstance(plan, Plan)
    assert_the_same(database(folder), base(folder), plan)


def test_an_index_gives_what_looking_at_everything_gives() -> None:
    for question in (*BOOKS, *FOOTBALL):
        of = base(over(question))
        plan = Ask(of).ask(question).question.args["plan"]
        once = Run(of.graph, index=of.index).run(plan)
        assert set(Run(of.graph).run(plan).nodes) == set(once.nodes)
