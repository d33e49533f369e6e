"""The list of sessions: names, life, renaming, pinning, deleting, importing, the incidents that come along."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lingbot_probes.signals import (
    Numbered,
    SessionStarted,
)
from tests.browser.conftest import KEY, SESSION, Watch
from tests.browser.serving import Site, wait_for
from tests.browser.telecom import numbered, turn_of

pytestmark = pytest.mark.browser


def test_a_session_keeps_its_name_as_the_dialogue_goes_on(site: Site, watch: Watch) -> None:
    story = [Numbered(session=SESSION, n=1, turn="", signal=SessionStarted()), *numbered(SESSION)[1:]]
    site.say([item for item in story if turn_of(item) <= 2])
    page = watch.open(site)
    expect(page.locator(".range b")).to_have_text("1–2")
    title = page.locator(".session .title")
    expect(title).to_have_text(SESSION)
    site.say([item for item in story if turn_of(item) > 2])
    expect(page.locator(".session .about")).to_contain_text("40 turns")
    expect(title).to_have_text(SESSION)
    expect(page.locator(".crumb")).to_have_text(SESSION)
    last = site.get("api/sessions")["sessions"][0]["last_utterance"]
    expect(page.locator(".session .line").nth(1)).to_have_attribute("title", last)


def test_a_session_that_fell_silent_is_no_longer_live_until_more_comes(site: Site, watch: Watch) -> None:
    story = numbered(SESSION)
    site.say([item for item in story if turn_of(item) <= 2])
    later = "window.later = 0; Date.now = ((now) => () => now() + window.later)(Date.now);"
    page = watch.page(init=later)
    page.goto(f"{site.url}#t={site.token}&s={KEY}")
    group, badge, dot = page.locator(".session-group"), page.locator(".badge"), page.locator(".live-dot")
    expect(group).to_have_text("Live sessions1")
    expect(dot).to_have_count(1)
    expect(badge).to_contain_text("Live")
    page.evaluate("window.later = 121_000")
    expect(badge).to_contain_text("Quiet")
    expect(badge).to_contain_text("since ")
    expect(group).not_to_have_text("Live sessions1")
    expect(dot).to_have_count(0)
    site.say([item for item in story if turn_of(item) > 2])  # the reader's clock is two minutes ahead now
    expect(group).to_have_text("Live sessions1")
    expect(dot).to_have_count(1)
    expect(badge).to_contain_text("Live")


def test_sessions_are_renamed_pinned_and_deleted_with_an_undo(site: Site, watch: Watch) -> None:
    for i in range(3):
        site.say(numbered(f"s-{i}", 2, title=f"会话 {i}"), source=f"p{i}")
    page = watch.open(site)
    rows = page.locator(".session")
    expect(rows).to_have_count(3)

    def menu(title: str, item: str) -> None:
        row = page.locator(".sessions li", has_text=title)
        row.hover()
        row.locator(".session-more").click()
        page.get_by_role("menuitem", name=item, exact=True).click()

    menu("会话 0", "Rename")
    page.locator(".session-name").fill("<b>改名</b>")
    page.keyboard.press("Enter")
    expect(page.locator(".session", has_text="<b>改名</b>")).to_be_visible()
    menu("改名", "Pin")
    expect(rows.first).to_contain_text("改名")
    menu("会话 1", "Delete")
    expect(rows).to_have_count(2)
    page.locator(".toast .text-button").click()
    expect(rows).to_have_count(3)
    menu("会话 1", "Delete")
    page.locator(".toast .icon-button").click()
    wait_for(lambda: site.get("api/sessions")["total"] == 2, "the deletion")
    expect(rows).to_have_count(2)
    page.reload()
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("改名")


def test_a_dropped_recording_is_imported_and_says_what_it_lacks(site: Site, watch: Watch) -> None:
    watch.forgiven.append("400 (Bad Request)")
    watch.forgiven.append("422")
    page = watch.open(site)
    expect(page.locator(".card")).to_be_visible()
    tracker = {
        "sender_id": "rasa-1",
        "events": [
            {"event": "action", "timestamp": 1700000000.0, "name": "action_session_start"},
            {
                "event": "user",
                "timestamp": 1700000001.0,
                "text": "我要退货",
                "parse_data": {"intent": {"name": "refund", "confidence": 0.93}},
            },
            {"event": "slot", "timestamp": 1700000002.0, "name": "order", "value": "A-1"},
            {"event": "bot", "timestamp": 1700000003.0, "text": "好的"},
        ],
    }
    drop(page, "tracker.json", json.dumps(tracker))
    expect(page.locator(".toast", has_text="tracker.json")).to_contain_text("1 session")
    expect(page.locator(".range")).to_contain_text("1 / 1")
    expect(page.locator(".badge")).to_contain_text("Recorded")
    expect(page.locator(".origin")).to_have_text("rasa")
    expect(page.locator(".note.knowledge")).to_contain_text("This source does not record Knowledge")
    expect(page.locator(".crumb .coverage")).to_be_visible()
    drop(page, "tracker.json", json.dumps(tracker))
    expect(page.locator(".toast", has_text="imported before")).to_be_visible()
    drop(page, "evil\u202e.bin", "\x00\x01")
    expect(page.locator(".toast", has_text="could not be imported")).to_contain_text("[U+202E]")


def test_the_incidents_that_come_along_are_offered(tmp_path: Path, root: Path, watch: Watch) -> None:
    shutil.copytree(root / "snapshots" / "cases", tmp_path / "cases")
    with Site(tmp_path) as site:
        page = watch.open(site)
        expect(page.locator(".card h1")).to_have_text("Waiting for the first event")
        expect(page.locator(".session-group")).to_contain_text("Demo")
        page.get_by_role("button", name="Load the demo session").click()
        expect(page.locator(".range b")).to_contain_text("1–")
        expect(page.locator(".badge")).to_contain_text("Recorded")
        expect(page.locator("#right .callout").first).to_be_visible()
        page.get_by_role("button", name="Play", exact=True).click()
        expect(page.locator(".badge")).to_contain_text("Replay")
        page.keyboard.press("Space")
        page.get_by_role("button", name="To the latest").click()
        expect(page.locator(".badge")).to_contain_text("Recorded")
        page.context.close()


def drop(page: Page, name: str, content: str) -> None:
    """Drop a file onto the page."""
    page.evaluate(
        """([name, content]) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([content], name));
          for (const kind of ['dragenter', 'dragover', 'drop']) {
            document.body.dispatchEvent(new DragEvent(kind, {dataTransfer: transfer, bubbles: true, cancelable: true}));
          }
        }""",
        [name, content],
    )
