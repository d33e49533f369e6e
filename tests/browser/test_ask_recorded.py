"""From an answer in the Ask tab to the turn of the map that shows how it came about, and no such way where none is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from lingbot_web.running import Serving, serve
from tests.browser import axe
from tests.browser.asking import FILMS, ORDER, Open, ask
from tests.browser.conftest import CASE, CASES, Watch
from tests.browser.picture import until
from tests.web.asked import folders

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def recording_map(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("recorded")
    diagram, graph, docs = folders(folder / "named")
    shutil.copytree(CASES, folder / "data" / "cases")
    with serve(
        data=folder / "data", ask_diagrams=[diagram], ask_graphs=[graph], ask_docs=[docs], ask_record=True
    ) as map:
        yield map


@pytest.mark.parametrize(("lang", "scheme"), [("zh", "dark"), ("en", "light")])
def test_an_answer_leads_to_its_turn_by_the_keyboard(
    watch: Watch, recording_map: Serving, lang: str, scheme: str
) -> None:
    page = watch.page(scheme=scheme)
    page.goto(f"{recording_map.url}&s={CASE}&tab=ask&lang={lang}&ask={FILMS}")
    page.locator(".ask-base option").nth(1).wait_for(state="attached")
    ask(page, "谁执导了星河彼岸？")
    ask(page, "它的评分呢？")
    way = page.locator("[data-focus=how]")
    expect(way).to_have_text("看看这是怎么答出来的" if lang == "zh" else "Show how this was answered")
    assert axe.complaints(page) == []
    page.locator(".ask-input").focus()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement?.dataset.focus") == "how":
            break
    expect(way).to_be_focused()
    page.keyboard.press("Enter")
    pane = page.locator("#panel-inspect")
    expect(pane).to_contain_text("它的评分呢？")
    expect(pane).to_contain_text("接着：星河彼岸")
    expect(pane).to_contain_text("星河彼岸的评分是 9.3")
    until(page, f"!location.hash.includes('{CASE}')")
    page.go_back()
    expect(page.locator(".ask-said")).to_contain_text("9.3")
    expect(way).to_be_visible()


def test_a_question_about_the_recorded_question_leads_on_and_not_round(watch: Watch, recording_map: Serving) -> None:
    page = watch.page()
    page.goto(f"{recording_map.url}&s={CASE}&tab=ask&lang=en&ask=session")
    page.locator(".ask-base option").nth(1).wait_for(state="attached")
    ask(page, "谁改写了 brand？")
    page.locator("[data-focus=how]").click()
    until(page, f"!location.hash.includes('{CASE}')")
    first = page.evaluate("/s=(\\w+)/.exec(location.hash)[1]")
    page.locator("#tab-ask").click()
    ask(page, "What happened in turn 1?")
    expect(page.locator(".ask-said")).to_contain_text("谁改写了 brand？")
    page.locator("[data-focus=how]").click()
    until(page, f"!location.hash.includes('{first}')")
    expect(page.locator("#panel-inspect")).to_contain_text("What happened in turn 1?")


def test_where_nothing_is_recorded_no_way_is_offered(open_ask: Open) -> None:
    page = open_ask(f"lang=en&ask={ORDER}")
    ask(page, "What comes after reserveItem?")
    expect(page.locator("[data-focus=useful]")).to_be_visible()
    until(page, "!document.querySelector('.ask-busy')")
    expect(page.locator("[data-focus=how]")).to_have_count(0)


@pytest.mark.parametrize("width", [1600, 700])
def test_the_way_stays_within_the_panel(watch: Watch, recording_map: Serving, width: int) -> None:
    page = watch.page(width=width, height=800)
    page.goto(f"{recording_map.url}&s={CASE}&tab=ask&lang=en&ask={ORDER}")
    page.locator(".ask-base option").nth(1).wait_for(state="attached")
    ask(page, "What comes after reserveItem?")
    page.locator("[data-focus=how]").wait_for()
    assert page.locator("#panel-ask").evaluate("panel => panel.scrollWidth - panel.clientWidth") <= 0
