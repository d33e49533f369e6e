"""The search box: what it understands, what it lights, and how one walks through what it found."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import KEY, Watch
from tests.browser.picture import until, wait_for_colour
from tests.browser.serving import Site, key_of, wait_for
from tests.browser.telecom import numbered

pytestmark = pytest.mark.browser
Open = Callable[..., Page]


def ask(page: Page, query: str) -> None:
    """Type a query into the box that ``/`` leads to."""
    page.keyboard.press("/")
    page.keyboard.insert_text(query)


def test_enter_goes_from_match_to_match_and_the_count_tells_which(open_told: Open) -> None:
    page = open_told("w=9_22")
    ask(page, "slot：brand=轻语")
    found = page.locator(".finder .found")
    expect(found).to_have_text("5")
    page.keyboard.press("Enter")
    expect(found).to_have_text("1/5")
    expect(page.locator("#right .heading .chip")).to_have_text("slot")
    expect(page.locator("#score-focus")).to_contain_text("轻语")
    page.keyboard.press("Enter")
    expect(found).to_have_text("2/5")
    expect(page.locator("#right .step[aria-current='true']")).to_contain_text("read")
    for at in ("1/5", "5/5"):
        page.keyboard.press("Shift+Enter")
        expect(found).to_have_text(at)
    expect(page.locator(".range b")).not_to_have_text("9–21")
    page.keyboard.press("Escape")
    expect(found).to_have_text("")


def test_matches_are_lit_in_rows_lanes_and_timeline(open_told: Open) -> None:
    page = open_told("w=9_22&l=state")
    wait_for_colour(page, "state-bg")

    def dark() -> dict[str, int]:
        counts: dict[str, int] = page.evaluate(
            """() => {
              const count = (name, x0, y0, x1, y1) => {
                const canvas = document.querySelector(name);
                const ratio = devicePixelRatio;
                const ctx = canvas.getContext('2d');
                const {data} = ctx.getImageData(x0 * ratio, y0 * ratio, (x1 - x0) * ratio, (y1 - y0) * ratio);
                let n = 0;
                for (let i = 0; i < data.length; i += 4) {
                  if (Math.max(data[i], data[i + 1], data[i + 2]) < 60 && data[i + 3] > 200) n++;
                }
                return n;
              };
              const map = document.querySelector('#map').getBoundingClientRect();
              const scrub = document.querySelector('#scrub').getBoundingClientRect();
              return {
                rows: count('.score-gutter', 0, 70, 4, map.height),
                lanes: count('.score-map', 152, 72, map.width, map.height),
                timeline: count('.score-scrub-signs', 0, 81, scrub.width, 84),
              };
            }"""
        )
        return counts

    before = dark()
    ask(page, "slot:brand")
    expect(page.locator(".finder .found")).to_have_text("7")
    for part, count in before.items():
        wait_for(lambda: dark()[part] > count, f"a light in the {part}")  # noqa: B023
    page.locator(".finder input").fill("")
    page.keyboard.press("Escape")
    wait_for(lambda: dark() == before, "all lights out")


def test_a_wrong_term_gets_a_hint_and_the_rest_is_looked_for(open_told: Open) -> None:
    page = open_told()
    ask(page, "turn:soon slot:brand")
    hint = page.locator(".finder-hint")
    expect(hint).to_contain_text("turn:12")
    expect(page.locator(".finder .found")).to_have_text("7")
    page.locator(".finder input").fill("turn:12")
    expect(hint).to_be_hidden()
    expect(page.locator(".finder .found")).to_have_text("1")
    page.keyboard.press("l")  # goes into the box, not to the language
    expect(hint).to_be_visible()


def test_the_grammar_can_be_read_and_its_examples_clicked(open_told: Open) -> None:
    page = open_told("lang=zh")
    page.locator(".finder").click()
    page.locator(".finder-button").click()
    expect(page.locator(".grammar")).to_be_visible()
    page.locator(".grammar button", has_text="slot:brand=星途").click()
    expect(page.locator(".grammar")).to_be_hidden()
    expect(page.locator(".finder input")).to_have_value("slot:brand=星途")
    expect(page.locator(".finder .found")).not_to_have_text("")
    page.locator(".finder-button").click()
    page.keyboard.press("Escape")
    expect(page.locator(".grammar")).to_be_hidden()
    expect(page.locator(".finder input")).to_have_value("slot:brand=星途")


def test_an_input_method_searches_when_the_composition_ends(open_told: Open) -> None:
    page = open_told()
    page.keyboard.press("/")
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "liu liang", "selectionStart": 9, "selectionEnd": 9})
    expect(page.locator(".finder input")).to_have_value("liu liang")
    before = page.locator(".range b").inner_text()
    page.mouse.move(800, 400)
    page.mouse.wheel(0, 400)
    expect(page.locator(".range b")).not_to_have_text(before)  # the page is drawn anew, and still looks for nothing
    assert page.locator(".finder .found").inner_text() == ""
    session.send("Input.insertText", {"text": "流量"})
    expect(page.locator(".finder input")).to_have_value("流量")
    expect(page.locator(".finder .found")).not_to_have_text("")
    expect(page.locator(".finder.none")).to_have_count(0)


def test_what_comes_in_live_is_found_as_it_comes(watch: Watch, site: Site) -> None:
    session = "s-grows"
    whole = numbered(session)
    site.say(numbered(session, 13))
    page = watch.open(site, f"s={key_of(session)}")
    page.wait_for_selector(".badge.live")
    ask(page, "slot:brand")
    found = page.locator(".finder .found")
    expect(found).to_have_text("2")
    page.keyboard.press("Enter")
    expect(found).to_have_text("1/2")
    site.say(whole[len(numbered(session, 13)) :])
    expect(found).to_have_text("1/7")


def test_the_query_is_in_the_link(open_told: Open, watch: Watch, told: Site) -> None:
    page = open_told()
    ask(page, 'slot:brand="轻语" -读')
    until(page, "location.hash.includes('q=')")
    fragment = page.evaluate("location.hash.slice(1)")
    other = watch.open(told, fragment)
    expect(other.locator(".finder input")).to_have_value('slot:brand="轻语" -读')
    expect(other.locator(".finder .found")).to_have_text(page.locator(".finder .found").inner_text())
    assert f"s={KEY}" in fragment


def test_a_key_typed_right_after_a_menu_closed_is_the_pages(open_told: Open) -> None:
    page = open_told()
    page.keyboard.press("x")
    expect(page.locator(".filters input").first).to_be_focused()
    page.evaluate(  # before the next frame has moved the focus off what is no longer shown
        """() => {
          document.querySelector('.filters').hidePopover();
          document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', {key: '/', bubbles: true, cancelable: true}));
        }"""
    )
    expect(page.locator(".finder input")).to_be_focused()
