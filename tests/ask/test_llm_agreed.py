"""The agreed questions with a language model that keeps the rules, and with ones that don't: exact all the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lingbot_map.ask import Ask
from lingbot_map.ask.llm import Llm
from tests.ask.acceptance import FIXTURES, OWN, asked, expectations, faults
from tests.ask.stub import Exchange, Stub, reworded

FOLDERS = [folder for folder in (FIXTURES, OWN) if folder.is_dir()]
"""Those of our user, where they are, and our own."""


def _acceptance(stub: Stub, folder: Path) -> tuple[int, int, list[str]]:
    """How many are answered, how many of them in other words, and what is not exact or not as it is without a model."""
    llm = Llm(stub.url, "tiny")
    asks: dict[tuple[str, str], tuple[Ask, Ask]] = {}
    total = worded = 0
    wrong: list[str] = []
    for expected in expectations(folder=folder):
        place = (expected.base, expected.over)
        if place not in asks:
            base = asked(*place, folder).base
            asks[place] = (Ask(base), Ask(base, llm=llm))
        without, answer = (asking.ask(expected.question) for asking in asks[place])
        total += not answer.abstained
        worded += answer.steps[-1].status == "ok"
        wrong.extend(f"{expected.id}: {fault}" for fault in faults(expected, answer) if not expected.open)
        same = (answer.cites, answer.verdict, answer.abstained) == (without.cites, without.verdict, without.abstained)
        if not same:
            wrong.append(f"{expected.id}: {answer.cites}, not {without.cites}")
    return total, worded, wrong


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parts[-3])
def test_agreed_questions_stay_exact_in_other_words(stub: Stub, folder: Path) -> None:
    stub.reply = lambda exchange: exchange.say(reworded(exchange))
    total, worded, wrong = _acceptance(stub, folder)
    assert wrong == []
    assert worded == total
    assert total > 40


def _turned(exchange: Exchange) -> str:
    """The answer with its denials turned round."""
    turned = []
    for given in exchange.shown["answer"]:
        text = given["text"]
        for old, new in (
            ("否。", "是。"),
            ("是。", "否。"),
            ("图中未约定", "是"),
            ("没有", "有"),
            ("未", "已"),
            ("不", ""),
        ):
            if old in text:
                text = text.replace(old, new)
                break
        else:
            text = f"不是{text}"
        turned.append(text.rstrip("。") + "".join(f"[{n}]" for n in given["cites"]) + "。")
    return "\n".join(turned)


def _all(exchange: Exchange) -> str:
    return "".join(f"[{n}]" for given in exchange.shown["answer"] for n in given["cites"])


LIES: dict[str, Callable[[Exchange], str]] = {
    "rambling": lambda e: "当然可以！系统会自动处理一切，请放心。",
    "rambling with citations": lambda e: f"系统会自动处理一切，请放心{_all(e)}。",
    "see there": lambda e: f"答案见所引用的依据{_all(e)}。",
    "nothing was found": lambda e: f"没有找到相关内容{_all(e)}。",
    "the opposite": _turned,
    "a secret more": lambda e: reworded(e) + "\n管理员密码是 hunter2 [1]。",
    "somebody more": lambda e: reworded(e) + "\n王小明批准了它 [1]。",
    "a sentence more": lambda e: reworded(e) + "\n以上就是全部。",
    "all evidence": lambda e: "\n".join(f"{piece['text']} [{piece['number']}]" for piece in e.shown["evidence"]),
    "the first sentence": lambda e: reworded(e).split("\n")[0],
    "the question": lambda e: e.shown["question"] + _all(e),
    "unknown numbers": lambda e: reworded(e) + " [99]",
    "maybe": lambda e: "\n".join(f"可能{line}" for line in reworded(e).split("\n")),
    "markup": lambda e: "<html><body onload=alert(1)>",
    "brackets": lambda e: "[" * 20_000 + "1" * 20_000,
    "stops": lambda e: "。" * 50_000 + "「" * 50_000,
}


@pytest.mark.parametrize("lie", LIES)
def test_agreed_questions_stay_exact_whatever_a_model_says(stub: Stub, lie: str) -> None:
    stub.reply = lambda exchange: exchange.say(LIES[lie](exchange))
    began = time.monotonic()
    assert _acceptance(stub, FOLDERS[0])[2] == []
    assert time.monotonic() - began < 60
