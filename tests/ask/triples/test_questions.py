"""What a question over a graph means and is answered with: rows, values, verdicts, citations, abstentions."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from lingbot_map.ask import Answer, Ask
from lingbot_map.ask.bases.triples.graph import Graph, Node
from lingbot_map.ask.bases.triples.knowledge import Knowledge
from lingbot_map.ask.dialog import Dialog
from tests.ask.acceptance import FIXTURES, asked, expectations, faults
from tests.ask.triples.library import library

BASE = Knowledge(library())


def ask(*questions: str) -> Answer:
    """The answer to the last of several questions of one conversation."""
    asker = Ask(BASE)
    return [asker.ask(question) for question in questions][-1]


def ids(answer: Answer) -> set[str]:
    return {str(row["id"]) for row in answer.rows}


ROWS = {
    # one step, either way, by verb, noun and passive
    "订单服务依赖哪些服务？": "s2 s3",
    "哪些服务依赖通知服务？": "s2 s3",
    "通知服务被哪些服务依赖？": "s2 s3",
    "谁依赖支付服务？": "s1",
    "What does order-service depend on?": "s2 s3",
    "Which services depend on notify-service?": "s2 s3",
    "許諾寫了什麼書？": "b1",
    "《静水集》的作者是谁？": "p2",
    "Who is the author of Still Water?": "p2",
    "谁的上级是许诺？": "p1 p3",
    "何清向谁汇报？": "p2",
    "谁向许诺汇报？": "p1 p3",
    "Who reports to Xu Nuo?": "p1 p3",
    # several steps
    "订单服务的依赖的依赖有哪些？": "s4",
    "订单服务依赖的服务是哪个团队负责的？": "t1 t2",
    "Which team owns the services that order-service depends on?": "t1 t2",
    "静水集的作者的所在团队负责哪些服务？": "s1 s2",
    # conditions, extremes, types
    "2016年之后出版的书有哪些？": "b2",
    "2020年以前出版的书有哪些？": "b1",
    "2020年出版的书": "b2",
    "books published after 2016": "b2",
    "哪些书超过300页？": "b1",
    "300页以下的书有哪些？": "b2 b3",
    "页数在100到250页之间的书有哪些？": "b2",
    "books with at least 210 pages": "b1 b2",
    "散文有哪些？": "b1",
    "不是散文的书有哪些？": "b2",
    "不是Go的服务有哪些？": "s2 s4",
    "工程师何清的经理是谁？": "p2",
    "经理何清的上级是谁？": "p2",
    "平台组负责的服务中SLA最低的是哪个？": "s4",
    "Which service has the lowest SLA?": "s4",
    "哪本书的页数最多？": "b1",
    "页数第二多的书是哪本？": "b2",
    "SLA最高的两个服务是什么？": "s1 s2",
    "SLA高于99.9的服务是哪些团队负责的？": "t1",
    "订单服务和库存服务哪个SLA更高？": "s1",
    "谁最年轻？": "p1",
    # two names
    "何清翻译、何清写了的书有哪些？": "b2",
    "哪个团队负责的服务最多？": "t1 t2",
    "被依赖最多的服务是哪个？": "s4",
    "谁和何清合作过？": "p2 p3",
    "静水集和北方来客的作者": "p2 p3",
    # homonyms: the relation, or the word before the name, tells which
    "何清翻译了什么书？": "b2",
    "经理何清的所在团队": "t2",
    "工程师何清的所在团队": "t1",
}


@pytest.mark.parametrize(("question", "expected"), list(ROWS.items()))
def test_rows(question: str, expected: str) -> None:
    answer = ask(question)
    assert ids(answer) == set(expected.split()), answer.text
    assert not answer.abstained
    assert all(sentence.cites for sentence in answer.sentences)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("静水集有多少页？", "320"),
        ("支付服务的语言是什么？", "Java"),
        ("What is the language of payment-service?", "Java"),
        ("静水集是哪年出版的？", "2015"),
        ("When was Still Water published?", "2015"),
        ("语言是Go的服务有几个？", "2"),
        ("How many services does the trade team own?", "2"),
        ("交易组有多少人？", "2"),
        ("交易组负责的服务的平均SLA是多少？", "99.925"),
        ("许诺写了几本小说？", "0"),
    ],
)
def test_values_and_counts(question: str, says: str) -> None:
    answer = ask(question)
    assert says in answer.text
    assert not answer.abstained
    assert answer.cites


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("订单服务依赖库存服务吗？", "yes"),
        ("订单服务依赖通知服务吗？", "no"),
        ("库存服务依赖订单服务吗？", "no"),
        ("Does order-service depend on stock-service?", "yes"),
        ("Does stock-service depend on order-service?", "no"),
        ("静水集超过300页吗？", "yes"),
        ("北方来客超过300页吗？", "no"),
        ("静水集是散文吗？", "yes"),
    ],
)
def test_verdicts(question: str, verdict: str) -> None:
    answer = ask(question)
    assert answer.verdict == verdict
    assert answer.cites


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("订单服务的负责人电话是多少？", "电话"),
        ("王小明写了什么书？", "王小明"),
        ("《不存在的书》的作者是谁？", "不存在的书"),
        ("有几本侦探书？", "侦探"),
        ("静水集的出版社是哪家？", "出版社"),
        ("'}) DETACH DELETE n // 写了什么？", ""),
        ("静水集的上级是谁？", "静水集"),
        ("许诺翻译了什么书？", "许诺"),
        ("无名之书是哪年出版的？", "无名之书"),
        ("无名之书和订单服务是什么关系？", "无名之书"),
        # words whose characters say nothing one by one, or are marks elsewhere
        ("订单服务的地位是什么？", "地位"),
        # a condition that nothing there can fulfil isn't passed over
        ("订单服务依赖哪些超过300页的服务？", "订单服务"),
        ("平台组负责的服务中页数最多的是哪个？", "平台组"),
        ("静水集的首都是哪里？", "首都"),
        ("为什么订单服务依赖支付服务？", "为什么"),
    ],
)
def test_says_what_is_not_in_the_graph(question: str, names: str) -> None:
    before = len(BASE.graph.nodes), len(BASE.graph.edges)
    answer = ask(question)
    assert answer.abstained
    assert "图谱中没有" in answer.text
    assert names in answer.text
    assert not answer.cites
    assert (len(BASE.graph.nodes), len(BASE.graph.edges)) == before
    assert not ask(question).rows


def test_says_in_english_what_is_not_in_the_graph() -> None:
    assert ask("Who published Still Water's sequel?").text.startswith("Not in the graph")
    assert "John Smith".casefold() in ask("What did John Smith write?").text.casefold()


@pytest.mark.parametrize(
    ("questions", "expected"),
    [
        (("交易组负责哪些服务？", "SLA最高的那个？"), "s2"),
        (("交易组负责哪些服务？", "SLA最高的那个？", "它依赖什么？"), "s4"),
        (("交易组负责哪些服务？", "那平台组呢？"), "s3 s4"),
        (("交易组负责哪些服务？", "其中用Go的有哪些？"), "s1"),
        (("静水集的作者是谁？", "他的所在团队呢？"), "t1"),
        (("静水集的作者是谁？", "译者是谁？", "北方来客的作者是谁？", "回到刚才那个，作者是谁？"), "p2"),
        (("Who is the author of Still Water?", "Who reports to him?"), "p1 p3"),
        (("支付服务依赖什么？", "还有哪些服务依赖它？"), "s3"),
        (("订单服务依赖哪些服务？", "它们归属哪些团队？", "这些团队还负责哪些服务？"), "s1 s4"),
        (("订单服务依赖哪些服务？", "它们归属哪些团队？", "这些团队还负责哪些服务？", "SLA最高的呢？"), "s1"),
        (("支付服务归属哪个团队？", "And 库存服务?"), "t2"),
        (("Which services does the trade team own?", "What about the platform team?"), "s3 s4"),
    ],
)
def test_several_turns(questions: tuple[str, ...], expected: str) -> None:
    answer = ask(*questions)
    assert ids(answer) == set(expected.split()), answer.text


def test_a_pronoun_without_anything_before_is_not_guessed() -> None:
    assert ask("它依赖什么？").abstained


def test_goes_back_past_five_topics_no_further() -> None:
    asker = Ask(BASE)
    for name in ("订单服务", "支付服务", "库存服务", "通知服务", "静水集", "北方来客"):
        asker.ask(f"{name}是什么？")
    assert len(asker.dialog.topics) == 5
    assert "静水集" in asker.ask("回到刚才那个，有多少页？").text


def test_shows_the_path_of_several_steps() -> None:
    answer = ask("静水集的作者的所在团队负责哪些服务？")
    assert answer.question.kind == "3 hops"
    assert {chain.items for chain in answer.chains} == {
        ("p2-WROTE-b1", "p2-MEMBER_OF-t1", "s1-OWNED_BY-t1"),
        ("p2-WROTE-b1", "p2-MEMBER_OF-t1", "s2-OWNED_BY-t1"),
    }
    assert "静水集 ←写了— 许诺 —成员→ 交易组 ←负责— 订单服务" in answer.text


def test_all_shortest_paths_between_two() -> None:
    answer = ask("订单服务和通知服务是什么关系？")
    assert {chain.items for chain in answer.chains} == {
        ("s1-DEPENDS_ON-s2", "s2-DEPENDS_ON-s4"),
        ("s1-DEPENDS_ON-s3", "s3-DEPENDS_ON-s4"),
    }


def test_names_namesakes_apart_and_tells_of_them() -> None:
    answer = ask("北方来客的作者是谁？")
    assert "何清（经理）" in answer.text
    answer = ask("何清翻译了什么书？")
    assert answer.question.mentions[0].id == "p1"
    assert answer.question.mentions[0].others == ("p3",)
    assert "何清（经理）" in answer.open_points[0]


def test_a_reader_corrects_who_is_meant() -> None:
    question = BASE.read("何清的上级是谁？", Dialog())
    other = next(id for id in ("p1", "p3") if id != question.mentions[0].id)
    mention = question.mentions[0]
    corrected = replace(question, mentions=(replace(mention, id=other),))
    answer = Ask(BASE).ask(question.text, read=corrected)
    assert f"{other}-REPORTS_TO-p2" in answer.cites


def test_a_name_that_is_nearly_right_is_taken_and_told() -> None:
    answer = ask("Who wrote Guest from the Nrth?")
    assert ids(answer) == {"p3"}
    assert any("Guest from the Nrth".casefold() in point.casefold() for point in answer.open_points)


def test_a_name_that_is_a_word_of_questions_is_one_only_in_quotes() -> None:
    graph = library()
    graph.add_node(Node("x", "Book", "是"))
    graph.add_edge("p1", "WROTE", "x")
    base = Knowledge(graph)
    assert ids(Ask(base).ask("订单服务是依赖库存服务吗？")) == {"s3"}
    assert ids(Ask(base).ask("《是》的作者是谁？")) == {"p1"}


def test_traditional_script_means_the_same() -> None:
    for simplified, traditional in (
        ("订单服务依赖哪些服务？", "訂單服務依賴哪些服務？"),
        ("静水集有多少页？", "靜水集有多少頁？"),
    ):
        assert ask(simplified).text == ask(traditional).text


def test_same_question_same_answer() -> None:
    for question in list(ROWS)[:12]:
        one, two = ask(question), Ask(Knowledge(library())).ask(question)
        assert (one.text, one.cites, one.rows) == (two.text, two.cites, two.rows)


def test_fuzzed_questions_neither_raise_nor_invent() -> None:
    rng = random.Random(7)
    words = [
        *(" ".join(ROWS)).split(),
        *"".join(ROWS),
        "'",
        '"',
        "《",
        "》",
        "}",
        "{",
        "\\",
        "//",
        "\0",
        "9",
        "99999999999",
        "😀",
    ]
    asker = Ask(BASE)
    for _ in range(1000):
        question = "".join(rng.choice(words) + rng.choice(("", " ")) for _ in range(rng.randint(0, 14)))
        answer = asker.ask(question)
        for sentence in answer.sentences:
            assert sentence.cites or answer.abstained, question
            assert all(BASE.item(cite) is not None for cite in sentence.cites), question


@pytest.mark.parametrize(
    "piece",
    [
        "订单服务依赖",
        "依赖",
        "的作者",
        "订单服务和",
        "订单服务",
        "最高",
        "散文",
        "何清",
        "《",
        "9分以上",
        "which ",
        "author of ",
        "不是",
    ],
)
def test_an_endless_question_is_answered_soon(piece: str) -> None:
    began = time.process_time()
    ask(piece * 100_000)
    ask("订单服务" + piece * 12)
    assert time.process_time() - began < 3


def test_a_graph_without_declared_relations_is_asked_by_their_names() -> None:
    graph = Graph()
    for name in ("静水集", "许诺", "南海出版社", "是", "320"):
        graph.add_node(Node(name, "", name))
    graph.add_edge("静水集", "作者", "许诺")
    graph.add_edge("静水集", "出版社", "南海出版社")
    graph.add_edge("静水集", "页数", "320")
    base = Knowledge(graph)
    answer = Ask(base).ask("请问静水集这本好书是哪个出版社出版的呀？")
    assert answer.cites == ("静水集-出版社-南海出版社",)
    assert ids(Ask(base).ask("静水集的作者是谁？")) == {"许诺"}
    assert Ask(base).ask("王小明的作者是谁？").abstained


def test_without_the_optional_packages_questions_are_still_answered() -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('rjieba', 'opencc', 'rapidfuzz', 'defusedxml'))); "
        "from tests.ask.triples.library import library; from lingbot_map.ask import Ask; "
        "from lingbot_map.ask.bases.triples.knowledge import Knowledge; base = Knowledge(library()); "
        "assert {row['id'] for row in Ask(base).ask('订单服务依赖哪些服务？').rows} == {'s2', 's3'}; "
        "assert Ask(base).ask('王小明写了什么书？').abstained; "
        "assert {row['id'] for row in Ask(base).ask('Who wrote Still Water?').rows} == {'p2'}"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.skipif(not FIXTURES.is_dir(), reason="the agreed questions are not there")
def test_the_agreed_questions_are_exact() -> None:
    for expected in expectations("graph"):
        answer = asked("graph", expected.over).ask(expected.question)
        assert not list(faults(expected, answer)), (expected.question, answer.text)
