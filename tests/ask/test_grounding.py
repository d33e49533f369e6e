"""What may be said of an answer, sentence by sentence, in English and Chinese."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lingbot_map.ask.grounding import faults
from lingbot_map.ask.numbered import Given, Piece, Sheet
from lingbot_map.ask.replied import LONGEST, Said, read
from lingbot_map.ask.text import lang_of
from lingbot_map.ask.types import Verdict


def sheet(
    question: str, *sentences: str, exact: bool = True, verdict: Verdict | None = None, rows: tuple[str, ...] = ()
) -> Sheet:
    """Of an answer whose n-th sentence cites the n-th of as many pieces."""
    return Sheet(
        question=question,
        lang=lang_of(question),
        exact=exact,
        verdict=verdict,
        given=tuple(Given(text=text, cites=(n,)) for n, text in enumerate(sentences, 1)),
        pieces=tuple(
            Piece(n=n, id=f"i{n}", kind="item", title=f"item {n}", text=text) for n, text in enumerate(sentences, 1)
        ),
        rows=rows,
    )


WROTE = sheet("who overwrote colour?", "colour was overwritten in turn 18 by price_query: from 星舟 to 轻语.")
WROTE_ZH = sheet("谁改写了 colour？", "colour 在第18轮由 price_query 改写：由 星舟（第12轮写入）改为 轻语。")
FILMS = sheet("林岚执导了什么？", "林岚 —执导→ 电影，共 2 个：星河彼岸、量子花园。", rows=("星河彼岸", "量子花园"))
ORDER = sheet(
    "Must b() come after a()?", "No. It is the other way round: b() comes before a().", verdict="no"
)  # fmt: skip
YES = sheet("哪些变量被覆盖过？", "phone：第2轮写入的 1380 在第7轮被覆盖为 1390。", verdict="yes")
CALLS = sheet(
    "What happens then?", "Then open() (m1, Door → Lock), turn() (m2, Lock → Bolt), shut() (m3, Bolt → Door)."
)
TEAM = sheet("Who leads the night watch?", "Mira Holm leads the night watch, answering within 5 minutes.", exact=False)
PAIR = sheet("Who is on call?", "Mira Holm is on call, not Jan Castell.", exact=False)
DOUBT = sheet("Who pays?", "The shop possibly pays 30 euros.", exact=False)
LIMIT = sheet("能退款吗？", "超过 30 天不能退款。", exact=False)
ABOVE = sheet("Who approves refunds?", "Maria approves refunds above 100 euros.", exact=False)
ABOVE_ZH = sheet("谁批准退款？", "客服批准 100 元以上的退款。", exact=False)


@pytest.mark.parametrize(
    ("of", "reply"),
    [
        (WROTE, "In turn 18 price_query overwrote colour, from 星舟 to 轻语 [1]."),
        (WROTE, "Colour was changed in turn 18: price_query overwrote it, from 星舟 to 轻语. [1]"),
        (WROTE_ZH, "colour 在第18轮被 price_query 从 星舟 改成了 轻语。[1]"),
        (WROTE_ZH, "colour 在第 18 轮由 price_query 改写，由星舟改为轻语【1】。"),
        (FILMS, "林岚执导的电影一共有两部：星河彼岸和量子花园。[1]"),
        (FILMS, "- 林岚执导了 2 部电影：《星河彼岸》和《量子花园》 [1]。"),
        (ORDER, "No.\nIt is the other way round, b() comes before a() [1]."),
        (YES, "是的，phone 在第2轮写入的 1380，第7轮被覆盖为 1390。[1]"),
        (CALLS, "First open() is called, then turn(), and finally shut() [1]."),
        (TEAM, "Mira Holm leads the night watch and answers within five minutes [1]."),
        (DOUBT, "Perhaps the shop pays 30 euros [1]."),
        (LIMIT, "超过三十天就无法退款了。[1]"),
    ],
)
def test_other_words_may_be_said(of: Sheet, reply: str) -> None:
    assert faults(read(reply), of) == []


@pytest.mark.parametrize(
    ("of", "reply", "fault"),
    [
        (WROTE, "In turn 18 price_query overwrote colour, from 轻语 to 星舟 [1].", "does not keep the order"),
        (WROTE_ZH, "colour 在第18轮被 price_query 从 轻语 改成了 星舟。[1]", "没有保持答案的顺序"),
        (WROTE_ZH, "colour 在第81轮被 price_query 从 星舟 改成了 轻语。[1]", "第1句的 81 不在"),
        (WROTE_ZH, "colour 在第18轮被 price_query 从 星舟 改成了 轻语（王小明批准）。[1]", "王小明"),
        (FILMS, "林岚执导的电影一共有两部：星河彼岸和雪线。[1]", "漏了 量子花园"),
        (FILMS, "林岚执导的电影一共有三部：星河彼岸和量子花园。[1]", "第1句的 3 不在"),
        (CALLS, "First shut() is called, then turn(), and finally open() [1].", "does not keep the order"),
        (CALLS, "First open() (Lock → Door) is called, then turn(), and finally shut() [1].", "(Lock → Door)"),
        (CALLS, "First open() is called by Mallory, then turn(), and finally shut() [1].", "mallory"),
        (
            CALLS,
            "With golden hammers angry thieves break windows: open(), turn(), shut() [1].",
            "what its evidence does not",
        ),
        (ORDER, "It is the other way round: b() comes before a(), not after [1].", "must open with"),
        (ORDER, "Yes. b() comes before a() and is no other way round [1].", "must open with"),
        (YES, "没有，phone 在第2轮写入的 1380，第7轮被覆盖为 1390。[1]", "否定了"),
        (FILMS, "是的，林岚执导的电影一共有两部：星河彼岸和量子花园。[1]", "开头的结论不是答案的结论"),
        (DOUBT, "The shop pays 30 euros [1].", "leaves doubtful"),
        (LIMIT, "超过 30 天就可以退款了。[1]", "答案的否定没有说出来"),
        (LIMIT, "超过 30 小时不能退款。[1]", "30小时"),
        (TEAM, "Mira Holm leads the night watch and answers within 5 seconds [1].", "5seconds"),
        (TEAM, "Holm leads the night watch as Mira does, and answers within 5 minutes [1].", "leaves out mira holm"),
        (PAIR, "Mira Castell is on call, not Jan Holm [1].", "mira castell"),
        (LIMIT, "超过 30 天恐怕不能退款。[1]", "不确定的"),
        (LIMIT, "超过 30 天不能退款", "没有引用编号"),
        (LIMIT, "超过 30 天不能退款[2]", "没有引用的 2"),
        (LIMIT, "超过 30 天不能退款[0]", "没有引用的 0"),
        (LIMIT, "超过 30 天不能退款[1-9999]", "没有引用的 2"),
        (LIMIT, "", "没有任何句子"),
        (LIMIT, "[1]", "没有任何句子"),
    ],
)
def test_a_wording_that_says_else_is_refused(of: Sheet, reply: str, fault: str) -> None:
    assert fault in "; ".join(faults(read(reply), of))


@pytest.mark.parametrize(
    "reply",
    [
        "Maria approves refunds below 100 euros [1].",
        "Maria approves refunds, at most 100 euros [1].",
        "Maria approves refunds above 100 euros until noon [1].",
        "Maria rejects refunds above 100 euros [1].",
        "Maria is against refunds above 100 euros [1].",
        "It is false that Maria approves refunds above 100 euros [1].",
        "Maria hardly ever approves refunds above 100 euros [1].",
        "Maria fails to approve refunds above 100 euros [1].",
        "Maria approves refunds above 100 euros unless it rains [1].",
        "Maria approves refunds above -100 euros [1].",
        "Maria approves refunds above minus 100 euros [1].",
        "Maria approves refunds above half of 100 euros [1].",
        "Maria approves refunds above one hundred thousand, precisely 100 euros [1].",
    ],
)
def test_a_word_that_turns_an_answer_around_is_not_said(reply: str) -> None:
    assert any("may turn around" in fault for fault in faults(read(reply), ABOVE))


@pytest.mark.parametrize(
    "reply",
    [
        "客服批准 100 元以下的退款。[1]",
        "客服拒绝 100 元以上的退款。[1]",
        "客服很少批准 100 元以上的退款。[1]",
        "除非下雨，客服批准 100 元以上的退款。[1]",
    ],
)
def test_no_chinese_word_either(reply: str) -> None:
    assert any("反过来" in fault for fault in faults(read(reply), ABOVE_ZH))


@pytest.mark.parametrize(
    ("of", "reply"),
    [
        (ABOVE, "Refunds of more than 100 euros are approved by Maria [1]."),
        (ABOVE, "Refunds exceeding 100 euros: Maria approves them [1]."),
        (ABOVE_ZH, "超过 100 元的退款由客服批准。[1]"),
        (sheet("最多重试几次？", "重试最多 3 次。", exact=False), "重试不超过 3 次。[1]"),
        (sheet("Which films score below 5?", "Two: Alpha, Beta."), "The two that score below 5: Alpha and Beta [1]."),
        (sheet("How cold is it?", "The cellar is at -5 degrees.", exact=False), "The cellar has minus 5 degrees [1]."),
    ],
)  # fmt: skip
def test_other_words_of_the_same_direction_are_said(of: Sheet, reply: str) -> None:
    assert not [fault for fault in faults(read(reply), of) if "turn around" in fault or "反过来" in fault]


@pytest.mark.parametrize("end", [", allegedly [1].", "? [1]", ", it is claimed [1]."])
def test_what_is_stated_is_not_hedged(end: str) -> None:
    assert any("doubts" in fault for fault in faults(read(f"Maria approves refunds above 100 euros{end}"), ABOVE))


def test_what_stands_in_an_item_and_not_in_an_exact_answer_is_not_said() -> None:
    exact = sheet("which bug is open?", "BUG-81 is open.")
    wide = Sheet(
        question=exact.question,
        lang="en",
        exact=True,
        verdict=None,
        given=exact.given,
        pieces=(Piece(n=1, id="b", kind="bug", title="BUG-81", text="Like BUG-77 it is open.", around=("the till",)),),
    )
    assert "bug-77" in "; ".join(faults(read("BUG-81 is open, and BUG-77 is open [1]."), wide))
    assert "till" in "; ".join(faults(read("BUG-81 is open at the till [1]."), wide))


@pytest.mark.parametrize(
    ("reply", "sentences"),
    [
        ("否。甲先于乙。[1][2] 丙也是 [3]。", [("否。甲先于乙。", (1, 2)), ("丙也是。", (3,))]),
        (
            "1. Yes. A happened [1, 2-4].\n* B said “x. y” [5]",
            [("Yes. A happened.", (1, 2, 3, 4)), ("B said “x. y”", (5,))],
        ),
        ("价格是 1.5 元[1]", [("价格是 1.5 元", (1,))]),
        ("See e.g. turn 3 [2].", [("See e.g. turn 3.", (2,))]),
        ("A (see b. c) ends [1]! D [2]", [("A (see b. c) ends!", (1,)), ("D", (2,))]),
        ("「没有收回的引号。第二句[1]", [("「没有收回的引号。", ()), ("第二句", (1,))]),
        ("...\n\n[1]\n", []),
        ("Yes.", [("Yes.", ())]),
    ],
)
def test_a_reply_is_read_as_sentences_with_their_numbers(
    reply: str, sentences: list[tuple[str, tuple[int, ...]]]
) -> None:
    assert read(reply) == [Said(text, cites) for text, cites in sentences]


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="aB1.。[]【】-,，「」“”《》()（） \n不是Yesno三第轮→_", max_size=300))
def test_no_reply_raises(reply: str) -> None:
    for of in (WROTE_ZH, ORDER, CALLS, LIMIT):
        faults(read(reply), of)


@pytest.mark.parametrize(
    "piece",
    ["。", "「", "[1]", "[1,", "( ", "“a", "第三轮", "a.b ", "1,", "不", "[1-9999]", "x_", "aaaa ", "\n- 甲[1]"],
)
def test_a_reply_that_is_made_to_be_slow_is_not(piece: str) -> None:
    began = time.perf_counter()
    faults(read(piece * LONGEST), WROTE_ZH)
    faults(read(piece * LONGEST), CALLS)
    assert time.perf_counter() - began < 3
