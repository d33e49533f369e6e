"""Who can't see it, can't hold a mouse, or sees it otherwise, can use it all the same."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.browser import axe
from tests.browser.conftest import KEY, SESSION, Watch
from tests.browser.passing import was_told
from tests.browser.picture import until, wait_for_colour
from tests.browser.serving import Site
from tests.browser.telecom import numbered, turn_of
from tests.browser.test_connection import AWAY

pytestmark = pytest.mark.browser
Open = Callable[..., Page]
PICKED = "w=9_22&sel=node~18~0~slot:brand"


def inspect(page: Page, state: str) -> None:
    """Hold the page as it stands to axe, in both themes and both languages; a look takes axe a second or two."""
    for theme, lang in (("light", "en"), ("dark", "zh-CN")):
        page.evaluate(
            """([theme, lang]) => {
              for (const [key, has, wants] of [
                ['t', document.documentElement.dataset.theme, theme],
                ['l', document.documentElement.lang, lang],
              ]) if (has !== wants) document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
            }""",
            [theme, lang],
        )
        until(page, f"document.documentElement.dataset.theme + document.documentElement.lang === '{theme}{lang}'")
        assert axe.complaints(page) == [], (state, theme, lang)


def test_axe_finds_nothing_grave_before_there_is_anything(tmp_path: Path, root: Path, watch: Watch) -> None:
    watch.forgiven.append("401")
    shutil.copytree(root / "snapshots" / "cases", tmp_path / "cases")
    with Site(tmp_path) as site:
        page = watch.open(site)
        expect(page.locator(".card h1")).to_be_visible()
        inspect(page, "empty")
        other = watch.page()
        other.goto(site.url)
        expect(other.locator(".token")).to_be_visible()
        inspect(other, "unauthorised")
        page.context.close()
        other.context.close()


@pytest.mark.parametrize(
    ("state", "fragment", "keys"),
    [
        ("live", "", ""),
        ("slot", PICKED, ""),
        ("intent", "w=9_22&sel=node~16~0~intent:change_plan", ""),
        ("document", "w=16_25&sel=node~19~0~doc:kb-0117", ""),
        ("turn", "w=9_22&sel=turn~18~0~utterance:18", ""),
        ("answer", "w=9_22&sel=node~19~0~answer:19", ""),
        ("finding", "", "]"),
        ("trail", PICKED, "ArrowUp Enter"),
        ("replay", "at=130", ""),
        ("paused", "", "Space"),
        ("overview", "", "0"),
        ("one layer", "l=state", ""),
    ],
)
def test_axe_finds_nothing_grave_on_a_dialogue(open_told: Open, state: str, fragment: str, keys: str) -> None:
    page = open_told(fragment)
    if keys:
        page.locator("#map").focus()
        for key in keys.split():
            page.keyboard.press(key)
    if "sel=" in fragment or state == "finding":
        expect(page.locator("#panel-inspect .event").first).to_be_visible()
    inspect(page, state)


def test_axe_finds_nothing_grave_on_any_tab_menu_or_dialog(open_told: Open) -> None:
    page = open_told(PICKED)
    page.locator("#tab-ask").wait_for()  # it is offered once the server is known to answer
    for tab in page.locator("[role=tab]").all():
        tab.click()
        expect(tab).to_have_attribute("aria-selected", "true")
        inspect(page, f"tab {tab.inner_text()}")
    page.locator("[role=tab]").first.click()
    page.locator(".session").first.hover()
    page.locator(".session-more").first.click()
    expect(page.locator(".menu:popover-open")).to_be_visible()
    assert axe.complaints(page) == [], "the menu of a session"
    page.get_by_role("menuitem").first.click()
    expect(page.locator(".session-name")).to_be_focused()
    assert axe.complaints(page) == [], "renaming"
    page.keyboard.press("Escape")
    for name in (".filter-button", ".export-button"):
        if page.locator(name).count():
            page.locator(name).click()
            assert axe.complaints(page) == [], name
            page.keyboard.press("Escape")
    page.locator("#map").focus()
    for key in ("?", "Alt+t"):
        page.keyboard.press(key)
        assert axe.complaints(page) == [], key
        page.keyboard.press("Escape")


@pytest.mark.parametrize("width", [1100, 880, 600, 400])
def test_axe_finds_nothing_grave_where_panels_are_drawers(open_told: Open, width: int) -> None:
    page = open_told(PICKED, width=width, height=760)
    expect(page.locator("#panel-inspect .event").first).to_be_visible()
    inspect(page, "drawer open")
    page.locator(".close-panel").click()
    inspect(page, "drawer closed")
    if width < 900:
        page.locator(".menu-button").click()
        expect(page.locator("#left")).to_be_visible()
        inspect(page, "menu open")


def test_axe_finds_nothing_grave_in_trouble(site: Site, watch: Watch) -> None:
    watch.forgiven += AWAY
    story = numbered(SESSION, 12)
    site.say([item for item in story if turn_of(item) <= 8 and not 20 < item.n <= 33], made=40)
    page = watch.page()
    spoiled: list[str] = []

    def meddle(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def passed(message: bytes | str) -> None:
            data = message if isinstance(message, bytes) else message.encode()
            if b'"batch"' in data:
                spoiled.append("batch")
            route.send(data.replace(b'"d":"node"', b'"d":"nodule"', 1))

        server.on_message(passed)

    page.route_web_socket(lambda url: "/ws" in url, meddle)
    page.goto(f"{site.url}#t={site.token}&s={KEY}")
    expect(page.locator(".stats .lost")).to_be_visible()
    inspect(page, "dropped")
    site.say([item for item in story if turn_of(item) > 8])
    expect(page.locator(".banner.bad")).to_be_visible()
    inspect(page, "failed event")
    site.kill()
    expect(page.locator(".banner:not(.bad)")).to_be_visible()
    inspect(page, "reconnecting")


# What stands in a line of text is as high as the text: making it larger would tear the lines apart.
_SMALL = """() => [...document.querySelectorAll(
    'button, input, select, textarea, summary, a[href], [tabindex="0"], [role=tab], [role=menuitem], label:has(input)')]
  .filter((e) => e.checkVisibility({visibilityProperty: true, opacityProperty: false}) && !e.closest('.sr'))
  .filter((e) => !e.matches('.link') && !e.closest('label:has(input)')?.contains(e) || e.matches('label'))
  .filter((e) => { const r = e.getBoundingClientRect(); return r.width < 23.9 || r.height < 23.9; })
  .map((e) => [e.outerHTML.slice(0, 140), e.getBoundingClientRect().width, e.getBoundingClientRect().height])"""


def test_everything_that_is_pressed_is_large_enough(open_told: Open, watch: Watch) -> None:
    for width in (1600, 1024, 800, 400):
        page = open_told(PICKED, width=width, height=800)
        expect(page.locator("#panel-inspect .event").first).to_be_visible()
        page.locator("#tab-ask").wait_for()
        assert page.evaluate(_SMALL) == [], width
        for tab in page.locator("[role=tab]").all():
            tab.click()
            expect(tab).to_have_attribute("aria-selected", "true")
            assert page.evaluate(_SMALL) == [], (width, tab.inner_text())
        if width < 900:
            page.locator(".close-panel").click()
            page.locator(".menu-button").click()
            expect(page.locator("#left")).to_be_visible()
            assert page.evaluate(_SMALL) == [], (width, "menu")
        page.keyboard.press("?")
        expect(page.locator("dialog.help")).to_be_visible()
        assert page.evaluate(_SMALL) == [], (width, "help")


def test_the_picked_mark_is_mirrored_in_words(open_told: Open) -> None:
    for locale, words, read in (
        (
            "zh-CN",
            "第 18 轮，槽位 产品线，值 轻语，覆盖自第 12 轮 星途，错误",
            "第 35 轮，读取槽位 产品线，值 轻语，槽位残留，错误",
        ),
        (
            "en-GB",
            "Turn 18, slot 产品线, value 轻语, overwrites 星途 from turn 12, error",
            "Turn 35, reads slot 产品线, value 轻语, Slot leak, error",
        ),
    ):
        page = open_told(PICKED, locale=locale)
        page.locator("#right .steps.state .step.bad").first.click()
        host = page.locator("#map")
        expect(host).to_have_attribute("aria-activedescendant", re.compile("score-focus-"))
        before = host.get_attribute("aria-activedescendant")
        mirror = page.locator(f"#{before}")
        expect(mirror).to_have_text(words)
        expect(mirror).to_have_attribute("aria-label", words)
        page.locator("#right .steps.state .step.bad").last.click()
        expect(page.locator("#score-focus")).to_have_text(read)
        assert host.get_attribute("aria-activedescendant") != before, "another pick is another node, or it is not read"
        assert page.locator("#score-focus > *").count() == 1
        host.focus()
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        assert host.get_attribute("aria-activedescendant") is None
        assert page.locator("#map canvas[tabindex], #scrub canvas[tabindex]").count() == 0


def test_the_voice_says_one_line_at_most_every_two_seconds(site: Site, watch: Watch) -> None:
    story = numbered(SESSION)
    site.say([item for item in story if turn_of(item) <= 3])
    page = watch.open(site, f"s={KEY}")
    expect(page.locator(".range b")).to_have_text("1–3")
    page.evaluate(
        """() => {
          window.said = [];
          // When it was said, as the one who says it does it: what listens may be kept waiting for its turn.
          window.saidAt = [];
          const words = Object.getOwnPropertyDescriptor(Node.prototype, 'textContent');
          Object.defineProperty(document.querySelector('#speech'), 'textContent', {
            get: words.get,
            set(said) {
              window.saidAt.push(performance.now());
              words.set.call(this, said);
            },
          });
          const hear = (changes) => {
            for (const {target} of changes) {
              const region = (target.nodeType === 1 ? target : target.parentElement)?.closest(
                '[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log]');
              if (region?.checkVisibility()) window.said.push([region.id || region.className, region.textContent]);
            }
          };
          new MutationObserver(hear).observe(document.body, {subtree: true, childList: true, characterData: true});
        }"""
    )
    for turn in range(4, 41):
        site.say([item for item in story if turn_of(item) == turn])
    was_told(page, "#speech", "new turn")
    expect(page.locator(".range b")).to_have_text("28–40")
    page.keyboard.press("]")
    watch.forgiven.append("404")  # its raw events are gone
    site.ask("DELETE", f"api/sessions/{KEY}")
    was_told(page, "#speech", "deleted elsewhere")
    said = page.evaluate("window.said")
    assert {where for where, _ in said} == {"speech"}
    times = page.evaluate("window.saidAt")
    assert len(times) >= 2
    assert all(later - earlier > 1990 for earlier, later in pairwise(times)), (times, said)


def test_without_motion_nothing_moves(open_told: Open) -> None:
    page = open_told("", width=1100)  # every page of these tests asks for reduced motion
    assert page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")
    moving = page.evaluate(
        "[...document.querySelectorAll('*')].filter((e) => { const s = getComputedStyle(e);"
        " return s.transitionDuration.split(',').some((t) => parseFloat(t) > 0) || s.animationName !== 'none'; })"
        ".map((e) => e.outerHTML.slice(0, 80))"
    )
    assert moving == []
    page.locator("#map").focus()
    page.evaluate(
        "window.ranges = new Set(); new MutationObserver(() => window.ranges.add(document.querySelector('.range')"
        ".textContent)).observe(document.querySelector('.range'), {childList: true, subtree: true})"
    )
    page.keyboard.press("]")
    expect(page.locator("#right .chip.bad")).to_be_visible()
    assert len(page.evaluate("[...window.ranges]")) <= 1, "the window goes there at once"
    page.emulate_media(reduced_motion="no-preference")
    until(page, "getComputedStyle(document.querySelector('#right')).transitionDuration.startsWith('0.12')")


# How many colours are on the map in earnest.
_COLOURS = """(() => {
  const canvas = document.querySelector('.score-map');
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const seen = new Map();
  for (let i = 0; i < data.length; i += 4) {
    const key = [data[i], data[i + 1], data[i + 2]].join();
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  return [...seen].filter(([, n]) => n > 200).length;
})()"""

_FORCED = """(() => {
  const canvas = document.querySelector('.score-map');
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const red = (i) => data[i] === 0xb8 && data[i + 1] === 0x0d && data[i + 2] === 0x3c;
  for (let i = 0; i < data.length; i += 4) if (red(i)) return false;
  return true;
})()"""
"""No anomaly is drawn in the red of the light theme any more."""


def test_forced_colours_keep_the_shapes(open_told: Open) -> None:
    page = open_told(PICKED)
    wait_for_colour(page, "bad")  # else there is no red because there is nothing yet
    page.emulate_media(forced_colors="active")
    until(page, "matchMedia('(forced-colors: active)').matches")
    until(page, _FORCED)  # the canvas takes its colours anew
    until(page, f"{_COLOURS} >= 3")  # ground, lines and marks are told apart
    assert axe.complaints(page) == []
    hidden = page.evaluate(
        "[...document.querySelectorAll('.top button, .transport button')].filter((e) => e.checkVisibility())"
        ".filter((e) => getComputedStyle(e).color === getComputedStyle(e).backgroundColor).map((e) => e.outerHTML)"
    )
    assert hidden == []
