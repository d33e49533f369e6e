"""Words of questions to documents: money, days and rates, irregular verbs, and of whom a thing is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases import opened
from lingbot_map.ask.bases.documents import nouns, verbs

PAGES = {
    "ferry.md": (
        "# The ferry\nThe ferry is driven by Rosa Quist. Until 2019 the ferry was driven by Emil Vance.\n"
        "Repairs take place on Mondays and Fridays.\n"
        "A trip that is cancelled late costs a fee of 12 euros.\n"
        "\n| Ticket | Price |\n| --- | --- |\n| Bicycle | 4 euros |\n| Trailer | 9 euros |\n"
    ),
    "crew.md": (
        "# Crew\n- Rosa Quist: captain, joined in 2012.\n- Emil Vance: retired captain.\nEmil Vance was born in Tarn.\n"
        "Rosa Quist trained the new mate.\n"
    ),
    "film.md": "# Notes\nThe film Red Harbour was directed by Jane Doe. Jane Doe was born in Lund.\n",
    "plan.md": (
        "# Plan\nThe retirement of the slipway is on 3 May 2031. A week before the retirement all crews are told.\n"
        "The extension of the quay was approved by Nora Wick. The crane will be renewed on 9 June.\n"
    ),
    "会员.md": "# 会员\n金卡年费500元，享受九折。钻石卡年费1200元，享受八折。\n",
    "喂食.md": "# 喂食\n住店的狗由护工负责喂食，每天三次。\n",
}


@pytest.fixture(params=["recall", "sentences"])
def pages(request: pytest.FixtureRequest, tmp_path: Path) -> Ask:
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return Ask(opened(request.param, [tmp_path]))


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Who drives the ferry?", "Rosa Quist"),
        ("Who drove the ferry until 2019?", "Emil Vance"),
        ("On which days do repairs take place?", "Mondays"),
        ("How much does a bicycle cost?", "4 euros"),
        ("Where was Emil Vance born?", "Tarn"),
        ("When will the slipway be retired?", "3 May 2031"),
        ("Who approved extending the quay?", "Nora Wick"),
        ("When is the renewal of the crane?", "9 June"),
        ("金卡年费多少钱？", "500元"),
        ("钻石卡打几折？", "八折"),
        ("住店的狗一天喂几次？", "每天三次"),
        ("金卡年费要花多少？", "500元"),
        ("When did Rosa Quist join as a mate?", "2012"),
    ],
)
def test_a_question_in_other_words_finds_what_is_said(pages: Ask, question: str, says: str) -> None:
    answer = pages.ask(question)
    assert not answer.abstained, answer.text
    assert says in answer.text


@pytest.mark.parametrize("question", ["Where was Rosa Quist born?", "铂金卡年费多少钱？"])
def test_what_is_said_of_another_is_no_answer(pages: Ask, question: str) -> None:
    assert pages.ask(question).abstained


def test_a_name_that_a_sentence_leads_to_is_no_stranger(tmp_path: Path) -> None:
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text, "utf-8")
    answer = Ask(opened("sentences", [tmp_path])).ask("Where was the person born who directed Red Harbour?")
    assert "Lund" in answer.text


def test_a_verb_has_its_forms_from_any_of_them() -> None:
    assert verbs.forms("drives") == verbs.forms("driven") == ("drive", "drove", "driven")
    assert "ran" in verbs.forms("running")
    assert verbs.forms("found") == ()


@pytest.mark.parametrize("word", ["department", "station", "state", "mission", "basement", "version"])
def test_a_noun_that_only_looks_like_that_of_a_verb_is_none(word: str) -> None:
    assert nouns.forms(word) == ()


def test_what_comes_before_is_answered_by_what_says_so(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text(PAGES["plan.md"], "utf-8")
    answer = Ask(opened("sentences", [tmp_path])).ask("What has to be done before the slipway is retired?")
    assert answer.text.startswith("A week before the retirement all crews are told."), answer.text
