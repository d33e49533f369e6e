"""Questions to documents that bound a date or a number, and questions of who did it to whom."""

from __future__ import annotations

import time

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases import opened
from lingbot_map.ask.bases.documents import bounds, voices
from lingbot_map.ask.bases.documents.synonyms import Synonyms
from lingbot_map.ask.bases.documents.wording import read

PAGES = {
    "crew.md": "# Crew\nRosa Quist joined in 2015. The ferry was built in 1990.\n",
    "choir.md": "# Choir\nNora Wick sang solo in 2012. Emil Vance sang solo in 2018.\n",
    "boats.md": "# Boats\nThe Ada carries 20 passengers. The Bea carries 35 passengers.\n",
    "bakers.md": (
        "# Bakers\nMrs. Tanaka bakes bread. Mrs. Tanaka trained her successor Ben Ho.\n"
        "Her successor was trained by her for a year.\nIda Roth hired Lea Sand. Lea Sand hired Tom Birk.\n"
    ),
    "名册.md": "# 名册\n罗莎于2015年加入乐队。埃米尔于2009年退出乐队。\n",
    "team.md": "# Team\nIvo Marsh left the old rowing team in 2016. Una Dale founded the old rowing team in 2012.\n",
    "卡片.md": "# 卡片\n银卡年费300元。金卡年费500元。\n",
    "师徒.md": "# 师徒\n田中女士指导了接班人。伊藤先生指导了木村女士。\n",
}


@pytest.fixture(scope="module", params=["recall", "sentences"])
def pages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ask:
    at = tmp_path_factory.mktemp("bounds")
    for name, text in PAGES.items():
        (at / name).write_text(text, "utf-8")
    return Ask(opened(request.param, [at]))


@pytest.mark.parametrize(
    "question",
    [
        "Who joined before 2015?",
        "Who joined after 2015?",
        "Who joined between 2016 and 2019?",
        "Who joined until 2014?",
        "Which boats carry more than 40 passengers?",
        "Which boats carry fewer than 20 passengers?",
        "Who left the old rowing team before 2014?",
        "Who left the old rowing team no later than 2014?",
        "Who founded the old rowing team not earlier than 2013?",
        "谁在2015年之前加入乐队？",
        "誰在2015年以後加入樂隊？",
        "哪种卡年费超过500元？",
        "哪种卡年费不到300元？",
    ],
)
def test_what_lies_beyond_the_bound_is_no_answer(pages: Ask, question: str) -> None:
    answer = pages.ask(question)
    assert answer.abstained, answer.text


@pytest.mark.parametrize(
    ("question", "says", "never"),
    [
        ("Who joined before 2016?", "Rosa Quist", "1990"),
        ("Who joined since 2015?", "Rosa Quist", "1990"),
        ("Who sang solo before 2015?", "Nora Wick", "Emil"),
        ("Who sang solo between 2016 and 2019?", "Emil Vance", "Nora"),
        ("Which boat carries more than 20 passengers?", "Bea", "Ada"),
        ("Which boat carries at most 20 passengers?", "Ada", "Bea"),
        ("Who left the old rowing team no later than 2016?", "Ivo Marsh", "Una"),
        ("Who founded the old rowing team in or before 2012?", "Una Dale", "Ivo"),
        ("谁在2010年之后加入乐队？", "罗莎", "埃米尔"),
        ("哪种卡年费至少500元？", "金卡", "银卡"),
        ("哪种卡年费不超过400元？", "银卡", "金卡"),
    ],
)
def test_what_lies_within_the_bound_is_told(pages: Ask, question: str, says: str, never: str) -> None:
    answer = pages.ask(question)
    assert says in answer.text
    assert never not in answer.text


@pytest.mark.parametrize(
    ("question", "sentence", "met"),
    [
        ("Who joined before 2015?", "Born in 1970, Rosa joined in 2016.", False),
        ("Who joined before 2015?", "Rosa joined after 2012.", False),
        ("Who joined before 2015?", "Rosa joined before 2015.", True),
        ("Who joined before 3 May 2015?", "Rosa joined on 2 May 2015.", True),
        ("Who joined before 3 May 2015?", "Rosa joined in May 2015.", False),
        ("Who joined before 3 May 2015?", "Rosa joined on 2 April.", False),
        ("谁在2015年5月之后加入？", "罗莎于2015年6月加入。", True),
        ("谁在2015年5月之后加入？", "罗莎于2015年加入。", False),
        ("Who drove the ferry until 2019?", "Until 2018 the ferry was driven by Emil Vance.", False),
        ("Which trips last more than 5 hours?", "The trip lasts 50 minutes.", False),
        ("Which trips last no more than 5 hours?", "The trip lasts 5 hours.", True),
        ("Who joined from 2014 onwards?", "Rosa joined in 2013.", False),
        ("Who joined in 2014 or earlier?", "Rosa joined in 2014.", True),
        ("哪些课程至少3天？", "这门课程为期五天。", True),
    ],
)
def test_a_date_or_number_is_compared(question: str, sentence: str, met: bool) -> None:
    (bound,) = bounds.bounds(read(question, Synonyms()))
    assert bound.met(sentence) is met


@pytest.mark.parametrize(
    "question", ["输错超过5次会怎样？", "What happens after more than 5 attempts?", "Who joined in 2015?"]
)
def test_a_number_that_only_tells_a_case_bounds_nothing(question: str) -> None:
    assert bounds.bounds(read(question, Synonyms())) == ()


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Who trained Mrs. Tanaka?", ""),
        ("Who trained Tanaka?", ""),
        ("Who hired Ida Roth?", ""),
        ("Who was hired by Tom Birk?", ""),
        ("谁指导了田中女士？", ""),
        ("Who hired Tom Birk?", "Lea Sand hired Tom Birk."),
        ("Who hired Lea Sand?", "Ida Roth hired Lea Sand."),
        ("Whom did Ida Roth hire?", "Ida Roth hired Lea Sand."),
        ("谁指导了木村女士？", "伊藤先生指导了木村女士。"),
    ],
)
def test_who_did_it_is_not_whom_it_was_done_to(pages: Ask, question: str, says: str) -> None:
    answer = pages.ask(question)
    assert answer.text == says if says else answer.abstained, answer.text


@pytest.mark.parametrize(
    ("sentence", "admitted"),
    [
        ("Mrs. Tanaka was trained by Ken Ito.", True),
        ("Mrs. Tanaka, trained by Ken Ito, bakes.", True),
        ("Ken Ito trained Rosa Quist and Mrs. Tanaka.", True),
        ("She was trained by Ken Ito.", True),
        ("Mrs. Tanaka's successor was trained by Ben Ho.", False),
        ("Her successor, trained by Mrs. Tanaka, bakes.", False),
        ("Mrs. Tanaka retired, and Ben Ho was trained by Ken Ito.", False),
        ("Ken Ito trained the successor of Mrs. Tanaka.", False),
    ],
)
def test_the_name_is_what_it_is_done_to(sentence: str, admitted: bool) -> None:
    voice = voices.asked("Who trained Mrs. Tanaka?")
    assert voice is not None
    assert voice.admits(sentence) is admitted


@pytest.mark.parametrize(
    "piece", ["before ", "2015 ", "Mrs. Tanaka ", "more than 5 ", "被", "1,000", "Aa ", "who was "]
)
def test_long_texts_end_soon(piece: str) -> None:
    text = piece * (20_000 // len(piece))
    began = time.perf_counter()
    voices.asked(text[:2000])
    for question in ("Who trained Mrs. Tanaka?", "谁指导了田中女士？"):
        voice = voices.asked(question)
        assert voice is not None
        voice.admits(text)
    for bound in bounds.bounds(read("Who joined before 2015?", Synonyms())):
        bound.met(text)
    assert time.perf_counter() - began < 5
