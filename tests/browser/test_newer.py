"""Two sessions: the one that is followed says nothing more, and another is the live one."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from lingbot_probes.signals import Numbered, SessionEnded, SessionStarted, Signal, TurnStarted
from tests.browser import axe
from tests.browser.conftest import Watch
from tests.browser.serving import Site, key_of

pytestmark = pytest.mark.browser


def talk(session: str, *, ended: bool = False, after: int = 0, title: str = "") -> list[Numbered]:
    """A session of one turn, or what follows the first ``after`` signals of it."""
    signals: list[tuple[str, Signal]] = [
        ("", SessionStarted(title=title, meta={"reply_url": "http://127.0.0.1:9/"})),
        ("T1", TurnStarted(turn="T1", utterance="你好")),
        ("T2", TurnStarted(turn="T2", utterance="还在吗")),
    ]
    if ended:
        signals.append(("", SessionEnded(reason="bye")))
    items = [Numbered(session=session, n=n, turn=turn, signal=signal) for n, (turn, signal) in enumerate(signals, 1)]
    return items[after:]


def test_a_newer_live_session_is_offered_once_the_one_that_is_followed_has_ended(site: Site, watch: Watch) -> None:
    site.say(talk("s-old", title="old"), source="a")
    page = watch.open(site, "tab=dialogue&lang=en")
    crumb, pill = page.locator(".crumb b"), page.locator(".pill.newer")
    expect(crumb).to_have_text("old")
    site.say(talk("s-new", title="new <b>"), source="b")
    expect(page.locator(".session")).to_have_count(2)
    expect(page.locator(".live-dot")).not_to_have_count(0)
    expect(pill).to_be_hidden()  # the one that is followed is live itself
    site.say(talk("s-old", ended=True, after=3), source="a")
    site.say([Numbered(session="s-new", n=4, turn="T3", signal=TurnStarted(turn="T3"))], source="b")
    expect(pill).to_have_text("A newer session is live: new <b>OpenO")
    expect(crumb).to_have_text("old")
    expect(page.locator(".reply-hint")).to_have_text(
        "The session has ended; nothing more can be said in it. A newer session is live: new <b>"
    )
    expect(page.locator("#speech")).to_contain_text("A newer session is live")
    assert axe.complaints(page) == []
    page.locator("#map").focus()
    page.keyboard.press("l")
    expect(pill).to_have_text("有更新的实时会话：new <b>打开O")
    page.locator(".reply-hint .link").click()
    expect(crumb).to_have_text("new <b>")
    expect(pill).to_be_hidden()
    # Who goes back to the dead one out of the list wants to read it.
    page.locator(".session", has_text="old").click()
    expect(crumb).to_have_text("old")
    expect(page.locator(".range b")).to_have_text("1–2")
    expect(pill).to_be_hidden()
    # Where the address leads to it, as after a reload, the offer stands; "o" takes it.
    page.goto(f"{site.url}#t={site.token}&s={key_of('s-old')}")
    page.reload()
    expect(pill).to_be_visible()
    page.locator("#map").focus()
    page.keyboard.press("o")
    expect(crumb).to_have_text("new <b>")


def test_without_a_session_in_the_address_the_live_one_is_opened(site: Site, watch: Watch) -> None:
    site.say(talk("s-live", title="live"), source="a")
    site.say(talk("s-dead", title="dead", ended=True), source="b")  # the newer of the two
    page = watch.open(site, "lang=en")
    expect(page.locator(".session")).to_have_count(2)
    expect(page.locator(".crumb b")).to_have_text("live")
    expect(page.locator(".badge")).to_contain_text("Live")
