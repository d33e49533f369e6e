"""Two sessions on one axis: opened from the list's menu or by address, walked by keys, closed again."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lingbot_probes.signals import Numbered, SessionStarted, Signal, SlotAssigned, TurnStarted
from tests.browser import axe
from tests.browser.conftest import Watch
from tests.browser.picture import until
from tests.browser.serving import Site, key_of
from tests.browser.telecom import signals
from tests.browser.test_connection import AWAY

pytestmark = pytest.mark.browser

HOSTILE = '<img src=x onerror="window.hit=1">\u202e'


def untitled() -> list[tuple[str, Signal]]:
    return [(turn, signal) for turn, signal in signals() if not isinstance(signal, SessionStarted)]


def other(session: str = "mended") -> list[Numbered]:
    """The telecom dialogue as a mended bot has it: one turn more at first, another value, and no word of `轻语`."""
    said: list[tuple[str, Signal]] = []
    for turn, signal in untitled():
        if isinstance(signal, SlotAssigned) and signal.value == "轻语":
            signal = SlotAssigned(slot=signal.slot, value=HOSTILE)
        said.append((turn, signal))
    first = next(i for i, (turn, _) in enumerate(said) if turn == "t3")
    said.insert(first, ("extra", TurnStarted(turn="extra", utterance="一句别人没说过的话")))
    return [
        Numbered(session=session, n=n, signal=signal, turn=turn, said_at=1_790_000_000.0 + n)
        for n, (turn, signal) in enumerate(said, 1)
    ]


def told(site: Site) -> None:
    items = [
        Numbered(session="as-it-was", n=n, signal=signal, turn=turn, said_at=1_790_000_000.0 + n)
        for n, (turn, signal) in enumerate(untitled(), 1)
    ]
    site.say(items, source="a")
    site.say(other(), source="b")


def drawn(page: Page) -> None:
    """Both scores are there and painted."""
    expect(page.locator("dialog.compare .compare-score canvas.score-map")).to_have_count(2)
    until(
        page,
        "[...document.querySelectorAll('dialog.compare canvas.score-map')].every((canvas) => {"
        " const { data } = canvas.getContext('2d').getImageData(200, 0, 400, canvas.height);"
        " return new Set(new Uint32Array(data.buffer)).size > 8; })",
    )


def test_two_sessions_are_compared_from_the_menu_of_the_list(site: Site, watch: Watch) -> None:
    told(site)
    page = watch.open(site, f"s={key_of('as-it-was')}")
    row = page.locator(".session", has_text="mended")
    row.hover()
    page.locator("li", has=row).locator("button[aria-haspopup], .session-menu, .icon-button").last.click()
    page.get_by_role("menuitem", name="Compare with the open one").click()
    drawn(page)
    dialog = page.locator("dialog.compare")
    expect(dialog.locator("h2")).to_have_text(["A as-it-was", "B mended"])
    until(page, f"location.search === '?compare={key_of('mended')}'")
    items = dialog.locator(".compare-item")
    expect(items.first).to_contain_text("B 3")
    expect(items.first).to_contain_text("turn only in B 一句别人没说过的话")
    brand = items.filter(has_text="slot 产品线 brand").first
    expect(brand).to_contain_text("A 18 · B 19")
    expect(brand).to_contain_text("轻语 → <img")
    assert page.locator("dialog.compare img").count() == 0
    assert not page.evaluate("'hit' in window")
    told_there = dialog.locator(".compare-told")
    total = items.count()
    expect(told_there).to_have_text(f"Difference 1 of {total}")
    page.keyboard.press("]")
    expect(told_there).to_have_text(f"Difference 2 of {total}")
    expect(items.nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("[")
    page.keyboard.press("[")
    expect(told_there).to_have_text(f"Difference {total} of {total}")
    brand.click()
    expect(brand).to_have_attribute("aria-current", "true")
    page.keyboard.press("0")
    drawn(page)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    until(page, "location.search === ''")
    expect(page.locator("#map canvas.score-map")).to_have_count(1)
    page.locator("li", has=page.locator(".session", has_text="as-it-was")).locator(".icon-button").last.click()
    expect(page.get_by_role("menuitem", name="Rename")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Compare with the open one")).to_have_count(0)


@pytest.mark.parametrize(("locale", "scheme"), [("zh-CN", "dark"), ("en-US", "light")])
def test_an_address_opens_the_comparison(site: Site, watch: Watch, tmp_path: Path, locale: str, scheme: str) -> None:
    told(site)
    page = watch.page(locale=locale, scheme=scheme)
    page.goto(f"{site.url}?compare={key_of('mended')}#t={site.token}&s={key_of('as-it-was')}")
    drawn(page)
    words = "第 1 处差别，共" if locale == "zh-CN" else "Difference 1 of"
    expect(page.locator(".compare-told")).to_contain_text(words)
    until(page, f"location.href.includes('?compare={key_of('mended')}#s={key_of('as-it-was')}')")
    folder = Path(os.environ.get("LINGBOT_SHOTS", tmp_path))
    page.screenshot(path=folder / f"compare-lacking-{scheme}.png")
    page.locator(".compare-item", has_text="brand").click()
    expect(page.locator(".compare-item", has_text="brand")).to_have_attribute("aria-current", "true")
    page.screenshot(path=folder / f"compare-{scheme}.png")
    assert axe.complaints(page) == []
    page.set_viewport_size({"width": 800, "height": 900})
    until(page, "document.querySelector('.compare-list').getBoundingClientRect().width > 700")
    until(page, "document.documentElement.scrollWidth <= innerWidth")


def test_a_session_that_is_gone_is_said_and_the_page_goes_on(site: Site, watch: Watch) -> None:
    told(site)
    watch.forgiven.append("404")
    page = watch.page()
    page.goto(f"{site.url}?compare={'0' * 32}#t={site.token}&s={key_of('as-it-was')}")
    expect(page.locator(".toast")).to_contain_text("They can't be compared: ")
    until(page, "!location.search.includes('compare')")
    page.goto(f"{site.url}?compare=%3Cscript%3E#t={site.token}&s={key_of('as-it-was')}")
    page.locator(".range b").wait_for()
    assert page.locator("dialog.compare").count() == 0


def test_the_same_twice_has_no_difference(site: Site, watch: Watch) -> None:
    told(site)
    page = watch.page()
    page.goto(f"{site.url}?compare={key_of('mended')}#t={site.token}&s={key_of('mended')}")
    expect(page.locator(".compare-told")).to_have_text("No difference")
    until(page, "location.search.includes('compare=')")
    page.keyboard.press("]")
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Close the comparison").click()
    expect(page.locator("dialog.compare")).to_have_count(0)


def test_each_score_is_painted_to_its_last_pixel_at_any_height(site: Site, watch: Watch) -> None:
    told(site)
    page = watch.page()
    page.goto(f"{site.url}?compare={key_of('mended')}#t={site.token}&s={key_of('as-it-was')}")
    drawn(page)
    # Two scores in an uneven number of pixels: a row that is painted in half is darker than all grounds.
    for height in (800, 801):
        page.set_viewport_size({"width": 1280, "height": height})
        until(
            page,
            "[...document.querySelectorAll('dialog.compare canvas.score-map')].every((canvas) => {"
            " const { data } = canvas.getContext('2d').getImageData(160, canvas.height - 1, canvas.width - 160, 1);"
            " let plain = 0;"
            " for (let i = 0; i < data.length; i += 4) plain += Math.min(data[i], data[i + 1], data[i + 2]) > 225;"
            " return plain > (canvas.width - 160) * 0.9; })",
        )


def upto(items: list[Numbered], turn: int) -> list[Numbered]:
    """What was said before turn ``turn`` began."""
    return items[: next(i for i, item in enumerate(items) if item.turn == f"t{turn}")]


def over(page: Page, side: int, lane: float, y: float) -> None:
    """Put the pointer over a lane of the window, the first being 1."""
    box = page.locator("dialog.compare .compare-score").nth(side).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 152 + (box["width"] - 152) / 13 * (lane - 1), box["y"] + y)


def test_a_comparison_goes_with_the_sessions_and_stays_where_the_reader_is(site: Site, watch: Watch) -> None:
    watch.forgiven += [*AWAY, "404"]
    told(site)
    items = other("growing")
    site.say(upto(items, 31), source="c")
    page = watch.page()
    page.goto(f"{site.url}?compare={key_of('growing')}#t={site.token}&s={key_of('as-it-was')}")
    drawn(page)
    dialog = page.locator("dialog.compare")
    expect(dialog.locator(".compare-state")).to_have_text(["Live", "Live"])
    lacking = dialog.locator(".compare-item", has_text="turn only in A")
    expect(lacking).to_have_count(10)
    first = dialog.locator(".compare-item[aria-current]").inner_text()
    over(page, 1, 4.5, 30)
    expect(dialog.locator(".tip").nth(1)).to_contain_text(re.compile(r"^Turn 4\b"))
    site.say(items[len(upto(items, 31)) : len(upto(items, 36))], source="c")
    expect(lacking).to_have_count(5)
    # Five turns more, far from what is looked at: the same difference, and nothing moved.
    expect(dialog.locator(".compare-item[aria-current]")).to_have_text(re.compile(re.escape(first.split("\n")[-1])))
    over(page, 1, 4.6, 30)
    expect(dialog.locator(".tip").nth(1)).to_contain_text(re.compile(r"^Turn 4\b"))
    # At the end of the axis the window goes with it.
    page.keyboard.press("[")
    last = dialog.locator(".compare-item[aria-current]").inner_text()
    site.say(items[len(upto(items, 36)) :], source="c")
    expect(lacking).to_have_count(0)
    expect(dialog.locator(".compare-item[aria-current]")).to_have_count(1)
    expect(dialog.locator(".compare-item[aria-current]")).not_to_have_text(last)
    page.keyboard.press("End")
    over(page, 1, 13.5, 30)
    expect(dialog.locator(".tip").nth(1)).to_contain_text(re.compile(r"^Turn 41\b"))
    over(page, 0, 13.5, 30)
    expect(dialog.locator(".tip").nth(0)).to_contain_text(re.compile(r"^Turn 40\b"))
    site.ask("DELETE", f"api/sessions/{key_of('growing')}")
    expect(dialog.locator(".compare-state")).to_have_text(["Live", "Deleted"])
    drawn(page)  # what was there stays to be read
    site.kill()
    expect(dialog.locator(".compare-state")).to_have_text(["Reconnecting", "Deleted"])
    assert axe.complaints(page) == []


def test_what_the_pointer_is_over_is_told_with_the_turn_that_it_has_on_its_side(site: Site, watch: Watch) -> None:
    told(site)
    page = watch.page()
    page.goto(f"{site.url}?compare={key_of('mended')}#t={site.token}&s={key_of('as-it-was')}")
    drawn(page)
    page.keyboard.press("Home")
    tips = page.locator("dialog.compare .tip")
    for side, number in ((0, 3), (1, 4)):  # the side below has a turn more before it
        over(page, side, 4.5, 30)
        expect(tips.nth(side)).to_contain_text(re.compile(rf"^Turn {number}\b"))
        expect(tips.nth(1 - side)).to_be_hidden()
    over(page, 1, 3.5, 30)
    expect(tips.nth(1)).to_contain_text("一句别人没说过的话")
    over(page, 0, 3.5, 30)  # a lane that it lacks
    expect(tips.nth(1)).to_be_hidden()
    expect(tips.nth(0)).to_be_hidden()
    for y in range(80, 240, 6):
        over(page, 1, 4.3, y)
        if "intent:" in (tips.nth(1).text_content() or ""):
            break
    expect(tips.nth(1)).to_contain_text(re.compile("^Turn 4, intent .* · intent:"))
    page.keyboard.press("ArrowRight")  # it leaves from under the pointer
    expect(tips.nth(1)).to_be_hidden()
    over(page, 1, 4.5, 30)
    expect(tips.nth(1)).to_be_visible()
    page.mouse.move(5, 5)
    expect(tips.nth(1)).to_be_hidden()
