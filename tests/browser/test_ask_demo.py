"""Ask as a demo bot on the page: which namesake was meant, what was left out, and that it can be asked there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from lingbot_map.ask.demo.story import TOPICS
from tests.browser import axe
from tests.browser.conftest import Watch
from tests.browser.serving import PATIENCE, Site, wait_for

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, dict[str, Any]]]:
    """A map on which the bot has told its whole story, and the sessions by their titles."""
    with Site(tmp_path_factory.mktemp("asked") / "data") as site:
        bot = subprocess.Popen(
            [sys.executable, "-m", "lingbot_map.ask.demo", "--pace", "0.02"],
            cwd=ROOT,
            env=os.environ | {"LINGBOT_ENDPOINT": site.url, "LINGBOT_TOKEN": site.token},
            stdin=subprocess.DEVNULL,
        )

        def told() -> dict[str, Any]:
            found = {each["title"]: each for each in site.get("api/sessions")["sessions"]}
            whole = all(found.get(t.title, {"turns": 0})["turns"] >= len(t.questions) for t in TOPICS)
            return found if whole else {}

        try:
            yield site, wait_for(told, "the whole story")
        finally:
            bot.terminate()
            bot.wait(PATIENCE)


@pytest.mark.parametrize(("lang", "scheme"), [("zh", "dark"), ("en", "light")])
def test_a_turn_says_which_namesake_was_meant_and_what_was_left_out(
    watch: Watch, asked: tuple[Site, dict[str, Any]], lang: str, scheme: str
) -> None:
    site, sessions = asked
    graph, docs = (next(t for t in TOPICS if (t.lang, t.name) == (lang, name)) for name in ("graph", "docs"))
    page = watch.open(site, f"s={sessions[graph.title]['key']}&lang={lang}&sel=turn~2~0~utterance:2", scheme=scheme)
    pane = page.locator("#panel-inspect")
    expect(pane).to_contain_text("新话题：青禾" if lang == "zh" else "new topic: Greenfield")
    expect(pane).to_contain_text("青禾 [p4]" if lang == "zh" else "Greenfield [p4]")
    expect(pane).to_contain_text("同名的另一个 [s1]" if lang == "zh" else "another of that name [s1]")
    assert axe.complaints(page) == []
    page.context.close()

    page = watch.open(site, f"s={sessions[docs.title]['key']}&lang={lang}&sel=turn~3~0~utterance:3", scheme=scheme)
    pane = page.locator("#panel-inspect")
    expect(pane).to_contain_text("签收后 7 天内" if lang == "zh" else "within 7 days")
    left_out = "会员手册#3 0.97未写进答案" if lang == "zh" else "Members' handbook#2 0.98not in the answer"
    expect(pane).to_contain_text(left_out)


def test_one_asks_from_the_page_and_sees_how_it_was_answered(watch: Watch, asked: tuple[Site, dict[str, Any]]) -> None:
    site, sessions = asked
    topic = next(t for t in TOPICS if (t.lang, t.name) == ("en", "diagram"))
    page = watch.open(site, f"s={sessions[topic.title]['key']}&tab=dialogue&lang=en")
    field = page.locator(".reply-field")
    field.fill("What does PaymentService return?")
    field.press("Enter")
    turn = page.locator("#panel-dialogue .said", has_text="What does PaymentService return?")
    expect(turn.locator(".bot .bubble")).to_contain_text("payResult")
    expect(turn.locator(".visit")).to_have_count(1)
