"""The page over a session that grows: it follows, falls behind, is cut off and comes back, and nothing counts twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from lingbot_probes.signals import (
    Answered,
    Doc,
    IntentRouted,
    Numbered,
    Retrieved,
    SessionStarted,
    Signal,
    SlotAssigned,
    SlotRead,
    TurnStarted,
)
from tests.browser import picture
from tests.browser.conftest import KEY, SESSION, Watch
from tests.browser.passing import was_told
from tests.browser.picture import until
from tests.browser.serving import PATIENCE, Site, key_of, wait_for
from tests.browser.telecom import numbered, turn_of

pytestmark = pytest.mark.browser


@contextmanager
def talking(site: Site) -> Iterator[subprocess.Popen[str]]:
    """The bot of ``bot.py`` with its probe at ``site``."""
    environment = os.environ | {"LINGBOT_ENDPOINT": site.url, "LINGBOT_TOKEN": site.token}
    bot = subprocess.Popen(
        [sys.executable, "-m", "tests.browser.bot"],
        cwd=Path(__file__).parent.parent.parent,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield bot
    finally:
        assert bot.stdin is not None
        assert bot.stdout is not None
        bot.stdin.close()
        bot.stdout.close()
        bot.wait(PATIENCE)


def tell(bot: subprocess.Popen[str], utterance: str) -> str:
    """Say something to the bot and take its answer."""
    assert bot.stdin is not None
    assert bot.stdout is not None
    bot.stdin.write(utterance + "\n")
    bot.stdin.flush()
    return bot.stdout.readline().strip()


def shown(page: Page) -> dict[str, int]:
    """How many turns, nodes and edges the page says its map has, and its seq."""
    said = page.evaluate(
        "() => { const pane = document.querySelector('#panel-inspect');"
        " const seq = [...pane.querySelectorAll('.part h2 span')].find((span) => span.textContent.includes('seq'));"
        " return [[...pane.querySelectorAll('.heading .sub')].at(-1)?.innerText ?? '', seq?.innerText ?? '']; }"
    )
    numbers = ["".join(filter(str.isdigit, part)) for part in (*said[0].split("·"), said[1])]
    names = ("turns", "nodes", "edges", "events")
    return {name: int(number or -1) for name, number in zip(names, numbers, strict=False)}


def held(site: Site, key: str) -> dict[str, int]:
    """The same of the server's map."""
    summary = site.get(f"api/sessions/{key}")
    return {name: summary[name] for name in ("turns", "nodes", "edges", "events")}


def back(page: Page, sign: str) -> None:
    """Until the page shows ``sign`` of having found the server again, without waiting up to 18 s for its next try."""

    def found() -> bool:
        page.evaluate("dispatchEvent(new Event('online'))")
        return page.locator(sign).is_visible()

    wait_for(found, f"{sign} after a retry")


def test_a_turn_appears_as_it_is_said(site: Site, watch: Watch) -> None:
    page = watch.open(site)
    expect(page.locator(".card h1")).to_have_text("Waiting for the first event")
    expect(page.locator(".card pre")).to_contain_text(f'endpoint="{site.url.rstrip("/")}"')
    with talking(site) as bot:
        assert tell(bot, "我要退货") == "refund: kb-returns"
        expect(page.locator(".card")).to_have_count(0)
        expect(page.locator(".session")).to_have_count(1)
        expect(page.locator(".session .live-dot")).to_be_visible()
        expect(page.locator(".range")).to_have_text("Turns 1 / 1")
        expect(page.locator(".badge")).to_contain_text("Live")
        picture.wait_for_colour(page, "flow-bg")
        before = picture.count(page, "flow-bg")
        for i in range(4):
            tell(bot, f"退 {i}")
        expect(page.locator(".range b")).to_have_text("1–5")
        wait_for(lambda: picture.count(page, "flow-bg") > before, "more pills")
        was_told(page, "#speech", "new turn")
        wait_for(lambda: shown(page) == held(site, key_of("desk-1")), "the same map on both sides")


def test_looking_back_holds_still_while_the_session_grows(site: Site, watch: Watch) -> None:
    story = numbered(SESSION)
    site.say([item for item in story if turn_of(item) <= 30])
    page = watch.open(site, f"s={KEY}")
    expect(page.locator(".range b")).to_have_text("18–30")
    page.keyboard.press("Home")
    expect(page.locator(".range b")).to_have_text("1–13")
    site.say([item for item in story if turn_of(item) > 30])
    expect(page.locator(".range")).to_have_text("Turns 1–13 / 40")
    expect(page.locator(".latest")).to_contain_text("27 newer turns")
    page.locator(".latest").click()
    expect(page.locator(".range b")).to_have_text("28–40")


def test_holding_the_picture_loses_nothing(site: Site, watch: Watch) -> None:
    story = numbered(SESSION)
    site.say([item for item in story if turn_of(item) <= 20])
    page = watch.open(site, f"s={KEY}")
    expect(page.locator(".range b")).to_have_text("8–20")
    page.keyboard.press("Space")
    expect(page.locator(".badge")).to_contain_text("Paused")
    site.say([item for item in story if turn_of(item) > 20])
    expect(page.locator(".latest")).to_contain_text("20 newer turns")
    page.keyboard.press("Space")
    expect(page.locator(".range b")).to_have_text("28–40")
    expect(page.locator(".badge")).to_contain_text("Live")
    wait_for(lambda: shown(page) == held(site, KEY), "the same map on both sides")


def test_a_killed_server_comes_back_and_nothing_is_doubled(site: Site, watch: Watch) -> None:
    watch.forgiven += ["ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "WebSocket", "401"]
    story = numbered(SESSION)
    site.say([item for item in story if turn_of(item) <= 20])
    page = watch.open(site, f"s={KEY}")
    expect(page.locator(".range b")).to_have_text("8–20")
    for last in (30, 40):
        site.kill()
        expect(page.locator(".banner")).to_contain_text(f"held at turn {last - 10}")
        expect(page.locator(".badge")).to_contain_text("Reconnecting")
        # The map shifts down by the banner.
        until(page, "document.querySelector('#map').getBoundingClientRect().top === 48 + 40")
        site.start()
        site.say([item for item in story if turn_of(item) <= last])
        # A started server has a new token: the page keeps its map, asks, and goes on from its cursor.
        back(page, ".card h1")
        expect(page.locator(".card h1")).to_have_text("The server was started anew")
        expect(page.locator(".range")).to_contain_text(f"/ {last - 10}")
        if last == 30:
            page.locator(".token").fill(f"{site.url}#t={site.token}")
            page.keyboard.press("Enter")
        else:
            page.goto(f"{site.url}#t={site.token}")
        expect(page.locator(".badge")).to_contain_text("Live")
        was_told(page, ".toast", "caught up")
        expect(page.locator(".banner, .card")).to_have_count(0)
        wait_for(lambda: shown(page) == held(site, KEY), "the same map on both sides")
        expect(page.locator(".range")).to_contain_text(f"/ {last}")


def test_a_broken_line_is_made_up_for(site: Site, watch: Watch) -> None:
    watch.forgiven.append("closed before the connection is established")  # the cut itself
    story = numbered(SESSION)
    site.say([item for item in story if turn_of(item) <= 20])
    page = watch.page()
    lines: list[WebSocketRoute] = []

    def meddle(route: WebSocketRoute) -> None:
        lines.append(route)
        route.connect_to_server()

    page.route_web_socket(lambda url: "/ws" in url, meddle)
    page.goto(f"{site.url}#t={site.token}&s={KEY}")
    expect(page.locator(".range b")).to_have_text("8–20")
    for last in (25, 33, 40):
        lines[-1].close(code=1011)
        site.say([item for item in story if turn_of(item) <= last])
        expect(page.locator(".range")).to_contain_text(f"/ {last}")
        wait_for(lambda: shown(page) == held(site, KEY), "the same map on both sides")
    was_told(page, ".toast", "caught up")
    assert len(lines) == 4
    assert [line.url.partition("after=")[2] != "" for line in lines] == [True] * 4, "each line begins at a cursor"


def test_repeated_and_disordered_batches_change_nothing(site: Site, watch: Watch) -> None:
    story = numbered(SESSION)
    site.say([item for item in story if turn_of(item) <= 5])
    page = watch.page()
    late: list[bytes | str] = []
    told: list[bool] = []
    routes: list[WebSocketRoute] = []

    def meddle(route: WebSocketRoute) -> None:
        routes.append(route)
        server = route.connect_to_server()

        def passed(message: bytes | str) -> None:
            # Every batch comes twice, and every third one only after the next.
            if b'"batch"' in (message if isinstance(message, bytes) else message.encode()):
                late.append(message)
                if len(late) % 3 == 0 and not told:
                    return
                for earlier in late[-2:]:
                    route.send(earlier)
            route.send(message)

        server.on_message(passed)

    page.route_web_socket(lambda url: "/ws" in url, meddle)
    page.goto(f"{site.url}#t={site.token}&s={KEY}")
    expect(page.locator(".range b")).to_have_text("1–5")

    def came(count: int) -> bool:
        page.evaluate("1")  # lets the messages through that came meanwhile
        return len(late) >= count

    for last in range(10, 41, 5):
        more = len(late) + 1
        site.say([item for item in story if last - 5 < turn_of(item) <= last])
        # A batch holds all that came in 100 ms: said in one go, the whole story could be one batch.
        wait_for(partial(came, more), "a batch of its own for these turns")
    told.append(True)  # a batch that comes only now has no next one to bring it
    for message in reversed(late):
        routes[-1].send(message)
    wait_for(lambda: shown(page) == held(site, KEY), "the same map on both sides")
    assert len(late) >= 7
    expect(page.locator(".range b")).to_have_text("28–40")


def test_an_event_that_can_not_be_applied_is_told_and_later_ones_go_on(site: Site, watch: Watch) -> None:
    story = numbered(SESSION)
    site.say([item for item in story if turn_of(item) <= 5])
    page = watch.page()
    spoiled: list[int] = []

    def meddle(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def passed(message: bytes | str) -> None:
            said: dict[str, Any] = json.loads(message)
            if said["t"] == "batch" and not spoiled:
                spoiled.append(said["first"])
                said["deltas"].insert(1, {"d": "from <b>tomorrow</b>\u202e"})
                route.send(json.dumps(said).encode())
            else:
                route.send(message)

        server.on_message(passed)

    page.route_web_socket(lambda url: "/ws" in url, meddle)
    page.goto(f"{site.url}#t={site.token}&s={KEY}")
    expect(page.locator(".range b")).to_have_text("1–5")
    site.say([item for item in story if turn_of(item) == 6])
    expect(page.locator(".banner.bad")).to_be_visible()
    expect(page.locator(".banner.bad")).to_contain_text(f"Event {spoiled[0]} could not be applied")
    expect(page.locator(".banner.bad")).to_contain_text("<b>tomorrow</b>")
    page.keyboard.press("l")
    expect(page.locator(".banner.bad")).to_contain_text("不认识的变化")
    expect(page.locator(".banner.bad")).not_to_contain_text("unknown")
    site.say([item for item in story if turn_of(item) > 6])
    expect(page.locator(".range b")).to_have_text("28–40")
    page.locator(".banner-button").click()
    expect(page.locator(f'#panel-inspect .event[data-seq="{spoiled[0]}"]')).to_be_visible()


HOSTILE = "<img src=x onerror=alert(1)>\u202egpj.exe\u2028</script><script>alert(2)</script>\x1b[2J{{7*7}}"


def test_hostile_text_is_inert(site: Site, watch: Watch) -> None:
    session = f"s-{HOSTILE}"
    turn = f"t{HOSTILE}"
    doc = Doc(id=f"d{HOSTILE}", title=HOSTILE, score=0.9, score_kind=HOSTILE, version=HOSTILE, snippet=HOSTILE)
    signals: list[Signal] = [
        SessionStarted(title=HOSTILE, meta={HOSTILE: HOSTILE}),
        TurnStarted(turn=turn, utterance=HOSTILE),
        IntentRouted(
            intent=HOSTILE, confidence=0.5, label=HOSTILE, condition=HOSTILE, required=(HOSTILE,), missing=(HOSTILE,)
        ),
        SlotAssigned(slot=HOSTILE, value=HOSTILE, label=HOSTILE, scope=HOSTILE),
        SlotAssigned(slot=HOSTILE, value={HOSTILE: [HOSTILE]}),
        SlotRead(slot=HOSTILE, reader=HOSTILE),
        Retrieved(query=HOSTILE, stage="reranked", docs=(doc,), params={HOSTILE: HOSTILE}),
        Answered(text=HOSTILE, docs=(doc.id,)),
    ]
    site.say([Numbered(session=session, n=n, turn=turn, signal=said) for n, said in enumerate(signals, 1)])
    page = watch.open(site, f"s={key_of(session)}")
    expect(page.locator(".session")).to_have_count(1)
    expect(page.locator(".crumb")).to_contain_text("<img src=x onerror=alert(1)>")
    seen = ["#right .callout", "#right .heading"]
    keyframe = site.get(f"api/sessions/{key_of(session)}/keyframe")
    for node in keyframe["nodes"]["id"]:
        page.evaluate("id => { location.hash = 'sel=' + encodeURIComponent('node~1~0~' + id); }", node)
        expect(page.locator("#panel-inspect .event").first).to_be_visible()
        expect(page.locator("#right .unseen", has_text="U+202E").first).to_be_visible()
        seen.append(page.locator("#right").inner_text())
    for tag in ("img", "iframe", "object", "script:not([type])", "#app script", "a[href]"):
        assert page.locator(tag).count() == 0, tag
    said = page.evaluate(
        "document.body.innerText + document.title +"
        " [...document.querySelectorAll('*')].map((e) => (e.title ?? '') + (e.ariaLabel ?? '')).join()"
    )
    assert not {"\u202e", "\u2028", "\x1b"} & set(said)
    page.keyboard.press("/")
    page.locator(".finder input").fill("<img")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
