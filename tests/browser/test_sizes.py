"""The page at the sizes people have: nothing lies over another, no words are cut off, and all of it can be used."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import SESSION, Watch
from tests.browser.passing import HOLD_TOASTS
from tests.browser.picture import resize, until
from tests.browser.serving import Site, key_of
from tests.browser.telecom import numbered
from tests.browser.test_connection import AWAY

pytestmark = pytest.mark.browser
Open = Callable[..., Page]
PICKED = "w=9_22&sel=node~18~0~slot:brand"
SIZES = ((1600, 1000), (1440, 900), (1280, 800), (1200, 750), (1199, 750), (1100, 700), (1024, 700))
NARROW = ((899, 700), (800, 640), (720, 640), (719, 640), (560, 760), (400, 760))

# Boxes of what stands beside each other; a drawer or a menu lies over the map on purpose.
_OVERLAPS = """() => {
  const groups = [
    '.top > *, .brand > *, .crumb > *, .segment > *, .anomalies > *, .badge > *',
    '.transport button, .transport input, .range, #scrub',
    '.pills > *, .zone',
    '.session-head > *, .session-list, .session-demos, .session-foot, .legend, .stats, #main, #time',
    '.legend-marks > *, .legend-kinds > *',
    '.side-head > *, .tabs > *',
    '.stats > *',
  ];
  const bad = [];
  for (const group of groups) {
    const boxes = [...document.querySelectorAll(group)]
      .filter((e) => e.checkVisibility({visibilityProperty: true}))
      .map((e) => ({e, r: e.getBoundingClientRect()}))
      .filter(({r}) => r.width > 1 && r.height > 1);
    for (const a of boxes) {
      const name = (e) => e.id || e.className.baseVal || e.className || e.textContent.slice(0, 20);
      if (a.r.left < -0.5 || a.r.right > innerWidth + 0.5 || a.r.top < -0.5 || a.r.bottom > innerHeight + 0.5)
        bad.push(['outside', name(a.e), Math.round(a.r.left), Math.round(a.r.right)]);
      for (const b of boxes) {
        if (a.e === b.e || a.e.contains(b.e) || b.e.contains(a.e)) continue;
        const over = (e) => document.body.matches('.menu-open') && document.querySelector('#left').contains(e);
        if (innerWidth < 900 && over(a.e) !== over(b.e)) continue;
        const w = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left);
        const h = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
        if (w > 1 && h > 1) bad.push([name(a.e), name(b.e), Math.round(w), Math.round(h)]);
      }
    }
  }
  return bad;
}"""

# Words that are cut without the dots that say so, or cut where all of them should be read.
_CUT = """() => [...document.querySelectorAll(
    '.layer, .anomalies .count, .badge, .badge span, .range, .tabs button, .pill, .pill *, .legend span, .zone, ' +
    '.session-foot span, .session-group span, .stats dt, .stats dd, .pace button, .button, .text-button')]
  .filter((e) => e.checkVisibility({visibilityProperty: true}) && getComputedStyle(e).fontSize !== '0px')
  .filter((e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && getComputedStyle(e).display !== 'inline')
  .map((e) => [e.className, e.textContent.slice(0, 40), e.scrollWidth, e.clientWidth])"""


def hold(page: Page, where: object) -> None:
    """Nothing lies over another, nothing is cut, nothing makes the page scroll."""
    assert page.evaluate(_OVERLAPS) == [], where
    assert page.evaluate(_CUT) == [], where
    assert page.evaluate("[document.body.scrollWidth <= innerWidth, document.body.scrollHeight <= innerHeight]") == [
        True,
        True,
    ], where


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_nothing_overlaps_and_no_words_are_cut(site: Site, watch: Watch, locale: str) -> None:
    story = numbered(SESSION, at=1_790_000_000.0)
    site.say([item for item in story if not 150 < item.n <= 187], made=len(story))
    for i in range(30):
        site.say(numbered(f"s-{i}", 2, title=f"一个名字很长很长的会话，标题放不下 {i}"), source=f"p{i}")
    for fragment in ("", PICKED):
        page = watch.open(site, f"s={key_of(SESSION)}&{fragment}", locale=locale)
        expect(page.locator(".range b")).not_to_have_text("0")
        for width, height in SIZES:
            resize(page, width, height)
            hold(page, (fragment, width, height))
        page.keyboard.press(" ")  # the badge says more
        if fragment:
            page.locator("#map").focus()
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
        resize(page, 1024, 700)
        hold(page, "held")


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_the_field_for_searching_gives_way_before_the_title(open_told: Open, locale: str) -> None:
    page = open_told(locale=locale)
    title = page.locator(".crumb b")
    for width in (1280, 1240, 1200, 1199, 1100, 1024):
        resize(page, width, 800)
        cut = title.evaluate("b => b.firstElementChild.getBoundingClientRect().width - b.clientWidth")
        assert cut <= 0.5, (width, cut)
    resize(page, 1200, 800)
    small = page.locator(".finder").evaluate("field => field.clientWidth")
    page.keyboard.press("/")
    until(page, f"document.querySelector('.finder').clientWidth >= {min(small + 20, 212)}")  # to see what is typed


def test_what_has_no_room_in_a_lane_is_told_by_the_pointer(open_told: Open) -> None:
    page = open_told("w=9_22&lang=zh", width=1280, height=800)
    x, y, lane = page.evaluate(
        "(() => { const map = document.querySelector('#map').getBoundingClientRect();"
        " return [map.x + 152, map.y + 40, (map.width - 152) / 13]; })()"
    )
    assert lane < 48
    page.mouse.move(x + lane * 1.5, y)
    expect(page.locator(".tip")).to_contain_text("那套餐还能改吗")


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_narrow_windows_stay_usable(open_told: Open, locale: str) -> None:
    page = open_told(PICKED, locale=locale, width=899, height=700)
    page.locator(".close-panel").click()
    page.locator("#map").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator(".pill.trail")).to_be_visible()
    page.locator(".close-panel").click()
    for width, height in NARROW:
        resize(page, width, height)
        hold(page, (width, height))
        page.locator(".menu-button").click()
        expect(page.locator("#left")).to_be_visible()
        hold(page, (width, height, "menu"))
        page.locator(".session").first.click()
        page.locator(".menu-button").click() if page.locator("#left").is_visible() else None
        expect(page.locator("#left")).to_be_hidden()
        page.locator(".panel-button").click()
        expect(page.locator("#right")).to_be_visible()
        panel = page.locator("#right").bounding_box()
        assert panel is not None
        assert panel["x"] >= 0
        assert panel["x"] + panel["width"] <= width + 1
        page.locator(".close-panel").click()
        page.get_by_role("button", name="到最新" if locale == "zh-CN" else "To the latest", exact=True).click()
        expect(page.locator(".range b")).to_contain_text("40")


def test_a_banner_of_two_lines_moves_the_map_by_as_much(site: Site, watch: Watch) -> None:
    watch.forgiven += AWAY
    site.say(numbered(SESSION, 3))
    page = watch.open(site, f"s={key_of(SESSION)}", width=400, height=760)
    expect(page.locator(".range b")).to_have_text("1–3")
    site.kill()
    expect(page.locator(".banner")).to_be_visible()
    for width in (400, 1024, 560):
        resize(page, width, 760)
        until(
            page,
            "Math.abs(document.querySelector('#map').getBoundingClientRect().top -"
            " document.querySelector('.banner').getBoundingClientRect().bottom) < 1.5",
        )
        hold(page, (width, "banner"))


@pytest.mark.parametrize("width", [1600, 1280, 1024])
def test_a_toast_lies_over_no_row(open_told: Open, width: int) -> None:
    page = open_told("sel=turn~40~0~utterance:40", width=width, height=800, init=HOLD_TOASTS)
    page.locator("#panel-inspect [data-focus=link]").click()
    expect(page.locator(".toast")).to_be_visible()
    for pills in (0, 1):
        expect(page.locator("#pills > :not([hidden])")).to_have_count(pills)
        toast, foot = page.locator(".toast").bounding_box(), page.locator("#map").bounding_box()
        assert toast is not None
        assert foot is not None
        low = foot["y"] + foot["height"]
        if not pills:
            assert low - 44 <= toast["y"]  # in the strip that is kept free of rows
            assert toast["y"] + toast["height"] <= low
            assert foot["x"] + 152 <= toast["x"]
        else:
            pill = page.locator(".pill.trail").bounding_box()
            assert pill is not None
            assert toast["y"] + toast["height"] <= pill["y"]  # which can be pressed
        page.locator("#map").focus()
        page.keyboard.press("Enter")
