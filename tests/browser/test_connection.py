"""The line to a server that goes, comes back, comes back as another, is slow, or is refused: the map stays usable."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from tests.browser import picture
from tests.browser.conftest import KEY, SESSION, Watch
from tests.browser.passing import was_told
from tests.browser.picture import until
from tests.browser.serving import Site, wait_for
from tests.browser.telecom import numbered, turn_of
from tests.browser.test_live import back, held, shown

pytestmark = pytest.mark.browser

AWAY = ["ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "WebSocket", "401"]
STORY = numbered(SESSION)


def say(site: Site, first: int, last: int) -> None:
    """Tell the turns from ``first`` to ``last``."""
    site.say([item for item in STORY if first <= turn_of(item) <= last])


def same(page: Page, site: Site) -> None:
    """Until the page has the server's map, nothing missing and nothing doubled."""
    wait_for(lambda: shown(page) == held(site, KEY), "the same map on both sides")
    expect(page.locator(".stats dd").nth(2)).to_have_text("0")


def test_two_tabs_use_their_maps_while_the_server_is_away_and_both_come_back(site: Site, watch: Watch) -> None:
    watch.forgiven += AWAY
    say(site, 0, 20)
    tabs = [watch.open(site, f"s={KEY}"), watch.open(site, f"s={KEY}", locale="zh-CN")]
    for tab in tabs:
        expect(tab.locator(".range b")).to_have_text("8–20")
    site.kill()
    for tab in tabs:
        expect(tab.locator(".banner")).to_be_visible()
        tab.locator("#map").focus()
        tab.keyboard.press("Home")
        expect(tab.locator(".range b")).to_have_text("1–13")
        tab.keyboard.press("]")  # findings, trail and moments need no server
        expect(tab.locator("#right .chip.bad")).to_be_visible()
        tab.keyboard.press("Enter")
        expect(tab.locator(".pill.trail")).to_be_visible()
        tab.keyboard.press("Escape")
        tab.keyboard.press("Escape")
        tab.keyboard.press(",")
        expect(tab.locator("#panel-inspect .moment")).to_be_visible()
        tab.keyboard.press("f")
        expect(tab.locator(".range b")).to_have_text("8–20")
    site.start()
    say(site, 21, 40)
    for tab in tabs:
        back(tab, ".card h1")
        tab.goto(f"{site.url}#t={site.token}")
        expect(tab.locator(".badge")).to_have_class(re.compile(r"\blive\b"))
        expect(tab.locator(".range b")).to_have_text("28–40")
        same(tab, site)
    was_told(tabs[0], ".toast", re.compile(r"Resumed: \d+ events caught up"))
    was_told(tabs[0], "#speech", "caught up")


def test_a_server_that_stays_away_is_told_with_since_when_and_the_next_try(site: Site, watch: Watch) -> None:
    watch.forgiven += AWAY
    say(site, 0, 5)
    page = watch.open(site, f"s={KEY}")
    expect(page.locator(".range b")).to_have_text("1–5")
    site.kill()
    banner = page.locator(".banner")
    expect(banner).to_contain_text("held at turn 5")
    was_told(page, ".banner", re.compile(r"Retrying in [1-9]\d* s \(attempt \d\)"))
    expect(page.locator(".badge")).to_contain_text("Reconnecting")
    for attempt in range(2, 6):
        page.locator(".banner-button").click()
        expect(banner).to_contain_text(re.compile(f"attempt [{attempt}-9]\\)"))  # the page tries by itself as well
    expect(banner).to_contain_text(re.compile(r"has not answered since \d\d:\d\d:\d\d UTC"))
    assert page.locator("[aria-live]:has(.banner), [role=status]:has(.banner), [role=alert]:has(.banner)").count() == 0
    was_told(page, "#speech", re.compile("^Connection lost, the map is held at turn 5$"))
    button = page.locator(".banner-button")
    button.focus()
    before = banner.inner_text()
    expect(banner).not_to_have_text(before)
    expect(button).to_be_focused()  # the seconds that are counted down take neither keys nor clicks from it


def test_a_line_that_is_refused_by_what_stands_between_is_told_apart(site: Site, watch: Watch) -> None:
    watch.forgiven.append("WebSocket")
    say(site, 0, 5)
    page = watch.page()
    refused: list[WebSocketRoute] = []

    def refuse(route: WebSocketRoute) -> None:
        refused.append(route)
        route.close(code=1011)

    page.route_web_socket(lambda url: "/ws" in url, refuse)
    page.goto(f"{site.url}#t={site.token}&s={KEY}")
    expect(page.locator(".range b")).to_have_text("1–5")
    for attempt in range(2, 6):
        expect(page.locator(".banner-button")).to_be_visible()
        page.locator(".banner-button").click()
        # The page tries by itself as well.
        expect(page.locator(".banner")).to_contain_text(re.compile(f"attempt [{attempt}-9]\\)"))
    expect(page.locator(".banner")).to_contain_text("refused the live connection")
    assert len(refused) >= 5


def test_a_line_that_died_without_a_word_is_noticed_and_a_quiet_one_is_kept(site: Site, watch: Watch) -> None:
    say(site, 0, 5)
    page = watch.page()
    dead: list[WebSocketRoute] = []
    lines: list[WebSocketRoute] = []
    heard: list[str | bytes] = []

    def between(page_side: WebSocketRoute) -> None:
        map_side = page_side.connect_to_server()
        lines.append(page_side)

        def to_page(message: str | bytes) -> None:
            if page_side not in dead:
                page_side.send(message)
                heard.append(message)

        page_side.on_message(lambda message: None if page_side in dead else map_side.send(message))
        map_side.on_message(to_page)

    page.route_web_socket(lambda url: "/ws" in url, between)
    page.clock.install()
    page.goto(f"{site.url}#t={site.token}&s={KEY}")
    page.clock.resume()
    expect(page.locator(".badge")).to_have_class(re.compile(r"\blive\b"))
    for _ in range(4):  # nothing is said for 40 s, but who is asked answers
        before = len(heard)
        page.clock.fast_forward(10_500)
        wait_for(lambda told=before: page.evaluate("true") and len(heard) > told, "an answer")  # type: ignore[misc]
    expect(page.locator(".badge")).to_have_class(re.compile(r"\blive\b"))
    assert len(lines) == 1
    dead.append(lines[0])  # and no other: the page opens its next line whenever it likes
    say(site, 6, 7)
    page.clock.fast_forward(10_500)
    page.clock.fast_forward(20_500)
    was_told(page, ".badge", "Reconnecting")
    page.clock.fast_forward(2_000)
    expect(page.locator(".range b")).to_have_text("1–7")
    same(page, site)
    assert len(lines) == 2


@pytest.mark.parametrize("asked", ["**/api/sessions?*", "**/keyframe"])
def test_what_hangs_at_the_opening_is_given_up_and_asked_for_again(site: Site, watch: Watch, asked: str) -> None:
    say(site, 0, 5)
    page = watch.page()
    hung: list[Route] = []
    gone: list[bool] = []

    def hang(route: Route) -> None:
        if gone:
            route.continue_()
        else:
            hung.append(route)

    page.route(asked, hang)
    page.clock.install()
    page.goto(f"{site.url}#t={site.token}&s={KEY}")
    page.clock.resume()
    wait_for(lambda: page.evaluate("true") and hung, "the request")
    expect(page.locator(".badge")).to_contain_text("Connecting")
    page.clock.fast_forward(20_500)
    was_told(page, ".banner", re.compile(r"^The server does not answer\. Retrying in \d+ s \(attempt 1\)"))
    was_told(page, ".badge", "Reconnecting")
    was_told(page, "#speech", "The server does not answer")
    page.clock.fast_forward(2_000)
    was_told(page, ".banner", "Trying again (attempt 1)")  # and is not said to be "in 0 s" all the while
    wait_for(lambda: page.evaluate("true") and len(hung) > 1, "another try")
    gone.append(True)
    page.locator(".banner-button").click()
    expect(page.locator(".range b")).to_have_text("1–5")
    expect(page.locator(".badge")).to_have_class(re.compile(r"\blive\b"))
    expect(page.locator(".banner")).to_have_count(0)


def test_a_session_that_the_server_is_not_ready_to_give_is_asked_for_until_it_comes(site: Site, watch: Watch) -> None:
    watch.forgiven.append("503")
    say(site, 0, 5)
    page = watch.page()
    refused: list[str] = []

    def refuse(route: Route) -> None:
        if len(refused) < 3:
            refused.append(route.request.url)
            route.fulfill(status=503, content_type="application/json", body="{}")
        else:
            route.continue_()

    page.route("**/keyframe", refuse)
    page.goto(f"{site.url}#t={site.token}&s={KEY}")
    expect(page.locator(".range b")).to_have_text("1–5")
    expect(page.locator(".badge")).to_have_class(re.compile(r"\blive\b"))
    say(site, 6, 7)
    expect(page.locator(".range b")).to_have_text("1–7")
    same(page, site)


def test_a_recording_that_lost_its_end_comes_back_as_another_epoch(site: Site, watch: Watch) -> None:
    watch.forgiven += AWAY
    say(site, 0, 20)
    page = watch.open(site, f"s={KEY}")
    expect(page.locator(".range b")).to_have_text("8–20")
    before = held(site, KEY)
    site.kill()
    expect(page.locator(".banner")).to_be_visible()
    (log,) = site.data.glob("*/events.jsonl")
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[: len(lines) // 2]))
    for snapshot in site.data.glob("*/*.snapshot"):
        snapshot.unlink()
    site.start()
    assert held(site, KEY)["turns"] < before["turns"]
    back(page, ".card h1")
    page.goto(f"{site.url}#t={site.token}")
    was_told(page, ".toast", "lost part of the recording")
    wait_for(lambda: shown(page) == held(site, KEY), "the same map on both sides")
    expect(page.locator(".stats .lost")).to_be_visible()
    expect(page.locator(".badge")).not_to_contain_text("Reconnecting")


def test_over_a_slow_line_the_page_says_that_it_is_behind_and_catches_up(site: Site, watch: Watch) -> None:
    say(site, 0, 3)
    page = watch.open(site, f"s={KEY}")
    expect(page.locator(".range b")).to_have_text("1–3")
    slow = page.context.new_cdp_session(page)
    slow.send("Network.enable")
    limits = {"offline": False, "latency": 300, "downloadThroughput": 20_000, "uploadThroughput": 20_000}
    slow.send("Network.emulateNetworkConditions", limits)
    # In one go: that takes the line longer than the 2 s from which on it is told, however slow the machine is.
    say(site, 4, 40)
    same(page, site)
    expect(page.locator(".range b")).to_have_text("28–40")
    was_told(page, ".badge", re.compile("^badge behind: "))


def test_dropped_events_are_a_hatched_gap_with_its_count(site: Site, watch: Watch) -> None:
    site.say([item for item in STORY if not 150 < item.n <= 187], made=len(STORY))
    page = watch.open(site, f"s={KEY}")
    expect(page.locator(".stats")).to_contain_text("missing37")
    expect(page.locator(".session .counts .gap")).to_have_text("Gap in events1")
    expect(page.locator("#right .callout.gap")).to_contain_text("37")
    picture.wait_for_colour(page, "flow-bg")
    page.keyboard.press("0")
    until(page, "document.querySelector('.range b').textContent.startsWith('1')")
    wait_for(lambda: picture.count(page, "warn") > 20, "hatching between the lanes")
