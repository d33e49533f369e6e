"""The tab where a session is asked: the answer with its chips, names put right, "Why?", and where it isn't offered."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lingbot_web import ask_api, serve
from tests.browser import axe
from tests.browser.conftest import Watch
from tests.browser.serving import Site, key_of

pytestmark = pytest.mark.browser

CASES = Path(__file__).resolve().parents[2] / "snapshots" / "cases"
KEY = key_of("case-slot-pollution")
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    data = tmp_path_factory.mktemp("asked") / "data"
    shutil.copytree(CASES, data / "cases")
    with Site(data) as site:
        yield site


@pytest.fixture
def open_case(watch: Watch, cases: Site) -> Open:
    def open_page(fragment: str = "", **how: object) -> Page:
        page = watch.open(cases, f"s={KEY}&{fragment}", **how)
        page.locator("#tab-ask").wait_for(state="attached")
        expect(page.locator(".range b")).not_to_have_text("0")
        return page

    return open_page


def ask(page: Page, question: str) -> None:
    page.locator(".ask-input").fill(question)
    page.locator(".ask-input").press("Enter")
    page.locator(".ask-steps").wait_for()


@pytest.mark.parametrize(("lang", "scheme"), [("zh", "light"), ("en", "dark")])
def test_an_answer_leads_to_what_it_rests_on(open_case: Open, lang: str, scheme: str) -> None:
    page = open_case(f"lang={lang}", scheme=scheme)
    page.keyboard.press("a")
    expect(page.locator(".ask-input")).to_be_focused()
    ask(page, "第17轮为什么这么回答？" if lang == "zh" else "Why did turn 17 answer like that?")
    said = page.locator(".ask-said")
    expect(said).to_contain_text("没有清空" if lang == "zh" else "it was not cleared when turn 14")
    expect(page.locator(".ask-chain")).to_have_count(2)
    expect(page.locator(".ask-steps li")).to_have_count(4)
    assert axe.complaints(page) == []
    said.locator("[data-item=t12]").first.click()
    expect(page.locator("#tab-ask")).to_have_attribute("aria-selected", "true")  # the answer stays at hand
    page.locator("#tab-inspect").click()
    expect(page.locator(".inspector h1")).to_contain_text("第 12 轮" if lang == "zh" else "Turn 12")


def test_what_words_stand_for_is_put_right(open_case: Open) -> None:
    page = open_case("lang=en")
    page.keyboard.press("a")
    ask(page, "What is brand now?")
    expect(page.locator(".ask-said")).to_contain_text("is 轻语 now")
    page.locator(".ask-bound select").select_option("slot:phone")
    expect(page.locator(".ask-said")).to_contain_text("phone")
    expect(page.locator(".ask-said")).not_to_contain_text("轻语")


def test_the_reason_is_asked_from_the_inspector_as_of_the_moment(open_case: Open) -> None:
    page = open_case("lang=en&at=160&sel=node~17~160~slot:brand")
    page.locator("#tab-inspect").click()
    page.locator("[data-focus=why]").click()
    expect(page.locator(".ask-input")).to_have_value("Why does brand have this value in turn 17?")
    expect(page.locator(".ask-said")).to_contain_text("星舟")
    expect(page.locator(".ask-body")).to_be_visible()
    expect(page.locator(".ask")).to_contain_text("as of seq 160")


def test_what_is_not_recorded_is_said_to_be_so(open_case: Open) -> None:
    page = open_case("lang=en")
    page.keyboard.press("a")
    ask(page, "What happened in turn 40?")
    expect(page.locator(".ask-said.none")).to_contain_text("only 19 turns")
    expect(page.locator(".ask-evidence")).to_have_count(0)
    page.locator("[data-focus=useful]").click()
    expect(page.locator(".ask-uses")).to_contain_text("read-only")


def test_names_are_text_and_never_markup(open_case: Open) -> None:
    page = open_case("lang=en")
    page.keyboard.press("a")
    ask(page, "which turn mentions <img src=x onerror=alert(1)>")
    expect(page.locator(".ask img")).to_have_count(0)


def test_without_the_extra_there_is_nothing_of_it(
    watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lingbot_web.asgi.available", lambda: False)
    monkeypatch.setattr(ask_api, "available", lambda: False)
    shutil.copytree(CASES, tmp_path / "data" / "cases")
    with serve(data=tmp_path / "data") as map:
        page = watch.page()
        page.goto(f"{map.url}&s={KEY}&lang=en&sel=node~17~160~slot:brand")
        expect(page.locator(".range b")).not_to_have_text("0")
        expect(page.locator(".inspector [data-focus=link]")).to_be_visible()
        page.keyboard.press("a")
        expect(page.locator("#tab-ask")).to_have_count(0)
        expect(page.locator("[data-focus=why]")).to_have_count(0)
        page.keyboard.press("?")
        expect(page.locator("dialog.help")).not_to_contain_text("Ask: sessions")
        page.context.close()
