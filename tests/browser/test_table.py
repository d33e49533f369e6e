"""The turns as a table, on the page and on paper."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from lingbot_probes.signals import Answered, IntentRouted, Numbered, SessionStarted, Signal, SlotAssigned, TurnStarted
from tests.browser.conftest import Watch
from tests.browser.picture import until
from tests.browser.serving import Site, key_of

pytestmark = pytest.mark.browser
Open = Callable[..., Page]


def rows(page: Page) -> Locator:
    """The rows of the table on the page."""
    return page.locator(".table-view tbody tr")


def test_alt_t_turns_the_score_into_a_table_of_the_same_window_and_back(open_told: Open) -> None:
    page = open_told("w=9_22")
    page.locator("#map").focus()
    page.keyboard.press("Alt+t")
    expect(page.get_by_role("table")).to_be_visible()
    expect(rows(page)).to_have_count(13)
    assert [rows(page).nth(i).locator("th").inner_text() for i in (0, 12)] == ["9", "21"]
    expect(page.locator("#map")).not_to_be_visible()
    until(page, "location.hash.includes('view=table')")
    page.keyboard.press("Alt+t")
    expect(page.get_by_role("table")).to_have_count(0)
    assert page.evaluate("document.activeElement.id") == "map"
    until(page, "!location.hash.includes('view=table')")


def test_a_screen_reader_finds_a_caption_and_the_heads_of_columns_and_rows(open_told: Open) -> None:
    page = open_told("w=9_22&view=table")
    table = page.get_by_role("table", name="Turns 9–21")
    expect(table).to_be_visible()
    heads = table.get_by_role("columnheader").all_inner_texts()
    assert heads == ["Turn", "Time", "User said · answer", "Intent", "Conf.", "Slots", "Documents", "Anomalies"]
    expect(table.get_by_role("rowheader")).to_have_count(13)
    line = table.get_by_role("row").nth(10)
    expect(line).to_contain_text("价格查询")
    expect(line).to_contain_text("产品线 = 轻语")
    expect(line).to_contain_text("Slot overwrite LM301")


def test_a_row_selects_its_turn_and_what_is_in_it_its_mark(open_told: Open) -> None:
    page = open_told("w=9_22&view=table")
    rows(page).nth(3).locator(".c-said").click()
    expect(page.locator("#right h1").first).to_contain_text("Turn 12")
    expect(rows(page).nth(3)).to_have_attribute("aria-current", "true")
    rows(page).nth(9).get_by_role("button", name="产品线").click()
    expect(page.locator("#right .heading .chip")).to_have_text("slot")
    expect(rows(page).nth(9)).to_have_attribute("aria-current", "true")
    expect(rows(page).nth(3)).not_to_have_attribute("aria-current", "true")
    expect(page.locator("#panel-inspect .event.picked")).to_contain_text('"轻语"')
    rows(page).nth(9).locator(".found").click()
    expect(page.locator("#right .chip.bad")).to_have_text("LM301")


def test_the_table_is_walked_by_keyboard_and_keeps_the_focus(open_told: Open) -> None:
    page = open_told("w=9_22")
    page.keyboard.press("Alt+t")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused) == "turn 11"
    page.keyboard.press("Enter")
    expect(page.locator("#right h1").first).to_contain_text("Turn 11")
    expect(rows(page).nth(2)).to_have_attribute("aria-current", "true")
    assert page.evaluate(focused) == "turn 11", "drawing it again took the focus away"
    page.keyboard.press("ArrowUp")
    assert page.evaluate(focused) == "turn 10"
    page.keyboard.press("Escape")
    expect(page.get_by_role("table")).to_have_count(0)


def test_moment_and_layers_are_those_of_the_score(open_told: Open) -> None:
    page = open_told("w=9_22&view=table&at=100&l=flow,state")
    expect(rows(page)).to_have_count(6)
    expect(page.locator(".table-bar")).to_contain_text("as of seq 100 · turn 14 · without Knowledge")
    assert "Documents" not in page.locator(".table-view thead").inner_text()
    expect(rows(page).locator(".found")).to_have_count(0)
    page.locator(".segment .layer").nth(2).click()
    expect(page.locator(".table-view thead")).to_contain_text("Documents")


def test_what_the_filter_hides_is_not_in_the_table_and_that_is_said(open_told: Open) -> None:
    page = open_told("w=9_22&view=table&f=anomalies,-read")
    expect(rows(page)).to_have_count(3)
    expect(page.locator(".table-bar")).to_contain_text("3 of 13 turns shown: only with anomalies · without Slot reads")
    expect(rows(page).first.locator(".c-slots")).to_have_text("")
    page = open_told("w=1_4&view=table&f=anomalies")
    expect(page.locator(".table-view")).to_contain_text("No turn of this window has an anomaly.")


def long_story(turns: int) -> list[Numbered]:
    """A dialogue of many short turns."""
    signals: list[Signal] = [SessionStarted(title="long")]
    for turn in range(1, turns + 1):
        signals += [
            TurnStarted(turn=f"t{turn}", utterance=f"第 {turn} 句 <b>x</b>\u202e"),
            IntentRouted(intent=f"i{turn % 7}", confidence=0.5),
            SlotAssigned(slot="s", value="长" * 400 if turn == 2 else turn),
            Answered(text="ok"),
        ]
    return [Numbered(session="long", n=n, signal=signal) for n, signal in enumerate(signals, 1)]


def test_a_long_session_is_paged_and_says_which_turns_are_shown(site: Site, watch: Watch) -> None:
    site.say(long_story(950))
    page = watch.open(site, f"s={key_of('long')}&w=1_951&view=table")
    expect(rows(page)).to_have_count(100)
    expect(page.locator(".table-bar [role=status]")).to_have_text("Turns 1–100 of 950")
    page.get_by_role("button", name="Later turns").click()
    expect(rows(page).first.locator("th")).to_have_text("101")
    expect(page.locator(".table-bar [role=status]")).to_have_text("Turns 101–200 of 950")
    for _ in range(8):
        page.get_by_role("button", name="Later turns").click()
    expect(rows(page)).to_have_count(50)
    expect(page.get_by_role("button", name="Later turns")).to_be_disabled()
    page.emulate_media(media="print")
    expect(page.locator(".print-sheet tbody tr")).to_have_count(950)


def test_paper_gets_the_title_the_range_the_reasons_and_the_turns(open_told: Open) -> None:
    page = open_told("w=9_22&theme=dark")
    page.emulate_media(media="print")
    sheet = page.locator(".print-sheet")
    expect(sheet.locator("h1")).to_have_text("套餐变更 · 流量争议")
    expect(sheet).to_contain_text("Turns 9–21 of 40")
    expect(sheet).to_contain_text(re.compile(r"\d\d:\d\d:\d\d.* – .*\d\d:\d\d:\d\d UTC"))
    expect(sheet.locator(".print-findings li")).to_have_count(4)
    expect(sheet.locator(".print-findings")).to_contain_text("星途 from turn 12 was overwritten with 轻语 in turn 18")
    expect(sheet.locator("tbody tr")).to_have_count(13)
    expect(sheet.locator("button")).to_have_count(0)
    expect(page.locator(".app")).not_to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.emulate_media(media="screen")
    expect(sheet).to_be_hidden()
    expect(page.locator(".app")).to_be_visible()


def test_the_printer_gets_every_page(open_told: Open) -> None:
    page = open_told("w=1_41")
    paper = page.pdf()
    assert paper.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) >= 2
    expect(page.locator(".print-sheet tr")).to_have_count(0)


def test_what_was_said_is_text_in_the_table(site: Site, watch: Watch) -> None:
    site.say(long_story(3))
    page = watch.open(site, f"s={key_of('long')}&view=table")
    expect(rows(page).first).to_contain_text("第 1 句 <b>x</b>U+202E")
    expect(page.locator(".table-view b")).to_have_count(0)
    wide = page.locator(".table-scroll").evaluate("e => e.scrollWidth - e.clientWidth")
    assert wide == 0, "a long value makes the table scroll sideways"


def test_a_window_without_turns_says_so(site: Site, watch: Watch) -> None:
    site.say([Numbered(session="young", n=1, signal=SessionStarted(title="young"))])
    page = watch.open(site, f"s={key_of('young')}&view=table")
    expect(page.locator(".table-view")).to_contain_text("No turns yet.")
