"""What was masked before it came: the page says how much, shows none of it, and offers no reply that goes astray."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from lingbot_probes import Probe
from lingbot_probes.signals import SlotAssigned
from tests.browser.conftest import Watch
from tests.browser.serving import PATIENCE, Site

pytestmark = pytest.mark.browser

PHONE = "13800138000"
NOBODY = "http://127.0.0.1:9/reply"


@pytest.fixture
def probe(site: Site) -> Iterator[Probe]:
    probe = Probe("bot", site.url, site.token)
    yield probe
    probe.close()


def say(probe: Probe, session: str, *values: str) -> None:
    """A turn that fills a slot with each of the values."""
    with probe.session(session, reply=NOBODY), probe.turn_scope("hello") as turn:
        for n, value in enumerate(values):
            probe.emit(SlotAssigned(slot=f"slot {n}", value=value))
        turn.answer("noted")
    assert probe.flush(PATIENCE), probe.stats()


def key_at(site: Site) -> str:
    (summary,) = site.get("api/sessions")["sessions"]
    key: str = summary["key"]
    return key


def test_the_foot_says_how_many_values_were_masked(site: Site, probe: Probe, watch: Watch, tmp_path: Path) -> None:
    say(probe, "call", "premium")
    page = watch.open(site, f"s={key_at(site)}")
    expect(page.locator(".stats")).to_contain_text("shown")
    expect(page.locator(".stats .masked")).to_have_count(0)
    say(probe, "call", PHONE)
    masked = page.locator(".stats .masked")
    expect(masked).to_have_text("masked1")
    expect(masked).to_have_attribute("title", "1 value masked; what it was is not in the map")
    say(probe, "call", PHONE, "anna@example.com")
    expect(masked).to_have_text("masked3")
    expect(masked).to_have_attribute("title", "3 values masked; what they were is not in the map")
    page.keyboard.press("l")
    expect(masked).to_have_text("已遮蔽3")
    expect(masked).to_have_attribute("title", "3 个值已遮蔽，地图里没有原文")
    assert PHONE not in page.content()
    page.keyboard.press("l")
    page.keyboard.press("e")
    with page.expect_download() as download:
        page.locator(".export-menu [data-kind=html]").click()
    file = tmp_path / "call.html"
    download.value.save_as(file)
    context = watch.browser.new_context(offline=True, locale="en-US")
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    page.goto(file.as_uri())
    expect(page.locator("#about-file")).to_contain_text("3 values masked")
    assert PHONE not in page.content()


def test_a_session_whose_id_was_masked_says_why_nothing_can_be_said_in_it(
    site: Site, probe: Probe, watch: Watch
) -> None:
    say(probe, f"whatsapp:{PHONE}", "premium")
    page = watch.open(site, f"s={key_at(site)}&tab=dialogue")
    expect(page.locator(".reply-hint")).to_have_text(
        "The session's id was masked, so the bot would not know it; nothing can be said to it from here."
    )
    expect(page.locator(".reply-form")).to_be_hidden()
    page.keyboard.press("l")
    expect(page.locator(".reply-hint")).to_have_text("会话编号已遮蔽，机器人认不出它，不能在这里回复。")
    say(probe, "call", "premium")
    calls = [each["key"] for each in site.get("api/sessions")["sessions"] if each["id"] == "call"]
    page = watch.open(site, f"s={calls[0]}&tab=dialogue")
    expect(page.locator(".reply-form")).to_be_visible()
