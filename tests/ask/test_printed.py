"""How the sentences of an answer are printed: stops and spaces as one sets them, and no yes to a question of which."""

from __future__ import annotations

from pathlib import Path

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.bases import opened

CASE = Path(__file__).resolve().parents[2] / "snapshots" / "cases" / "34e252169ba31431546e18036908abc7"


@pytest.fixture(scope="module")
def case() -> Ask:
    return Ask(opened("session", [next(iter(sorted(CASE.glob("*.jsonl"))))]))


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("第17轮为什么这么回答？", "第17轮回答「星舟机顶盒单买299元，办理畅享129套餐免费领用。」"),
        ("第17轮为什么这么回答？", "brand（产品线）= 星舟，这个值在第12轮由 after_sale（售后服务）写入"),
        ("Why did turn 17 answer like that?", 'Turn 17 answered "星舟机顶盒单买299元，办理畅享129套餐免费领用。"'),
    ],
)
def test_a_name_has_no_space_behind_it_and_a_quotation_one_stop(case: Ask, question: str, says: str) -> None:
    texts = [sentence.text for sentence in case.ask(question).sentences]
    assert any(text == says or text.find(says) > 0 for text in texts), texts
    assert not any("） " in text or "。」。" in text or '。".' in text for text in texts), texts


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Which anomalies are there?", None),
        ("What anomalies are there in turn 17?", None),
        ("Are there anomalies?", "yes"),
        ("Are there anomalies in turn 1?", "no"),
        ("有哪些异常？", None),
        ("有没有异常？", "yes"),
    ],
)
def test_only_a_question_of_whether_is_answered_with_yes_or_no(case: Ask, question: str, verdict: str | None) -> None:
    assert case.ask(question).verdict == verdict


def test_words_are_listed_as_the_language_of_the_question_lists_them(tmp_path: Path) -> None:
    (tmp_path / "gateway.md").write_text(
        "# Gateway\n\nThe gateway refuses bodies above 2 MiB.\n\n网关拒绝过大的请求。\n"
    )
    asking = Ask(opened("docs", [tmp_path]))
    english, chinese = (
        asking.ask(question).evidence for question in ("Which bodies does the gateway refuse?", "网关拒绝哪些请求？")
    )
    assert english
    assert chinese
    assert not any("、" in item.selection_reason for item in english), english
    assert any("、" in item.selection_reason for item in chinese), chinese


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("RiskService做什么？", "图中没有 RiskService，图中未涉及这个问题。"),
        ("What does RiskService do?", "RiskService is not in the diagram, which has nothing on this question."),
    ],
)
def test_what_a_diagram_has_not_is_named_without_the_words_beside_it(tmp_path: Path, question: str, says: str) -> None:
    (tmp_path / "a.puml").write_text("@startuml\nShop -> Stock: reserveItem(sku)\nStock --> Shop: reserved\n@enduml\n")
    answer = Ask(opened("diagram", [tmp_path / "a.puml"])).ask(question)
    assert answer.abstained
    assert answer.text == says
