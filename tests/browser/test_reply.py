"""Talking to a bot from the page: the demo's, over its own REST channel and its own probes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import axe
from tests.browser.conftest import KEY, Watch
from tests.browser.picture import until
from tests.browser.serving import PATIENCE, START, Site, wait_for
from tests.browser.telecom import numbered

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parent.parent.parent


@contextmanager
def demo(site: Site, pace: float = 600) -> Iterator[subprocess.Popen[bytes]]:
    """The demo's bot, whose scripted customer says one thing and then thinks for ``pace`` seconds."""
    bot = subprocess.Popen(
        [sys.executable, "-m", "lingbot_map.demo.bot", "--pace", str(pace), "--lang", "zh"],
        cwd=ROOT,
        env=os.environ | {"LINGBOT_ENDPOINT": site.url, "LINGBOT_TOKEN": site.token},
        stdin=subprocess.DEVNULL,
    )
    try:
        yield bot
    finally:
        bot.terminate()
        bot.wait(PATIENCE)


def session_of(site: Site) -> dict[str, Any]:
    """The demo's first session, once it has a turn."""

    def look() -> dict[str, Any] | None:
        found = [each for each in site.get("api/sessions")["sessions"] if each["turns"]]
        return found[0] if found else None

    found = wait_for(look, "a turn of the demo", START)
    assert found is not None
    return found


def open_dialogue(site: Site, watch: Watch, key: str, lang: str = "en") -> Page:
    page = watch.open(site, f"s={key}&tab=dialogue&lang={lang}")
    expect(page.locator("#panel-dialogue .said").first).to_be_visible()
    return page


def test_one_talks_and_watches_in_one_window(site: Site, watch: Watch) -> None:
    with demo(site):
        session = session_of(site)
        page = open_dialogue(site, watch, session["key"])
        field = page.locator(".reply-field")
        field.fill("我的流量用超了")
        field.press("Enter")
        turn = page.locator("#panel-dialogue .said", has_text="我的流量用超了")
        expect(turn).to_be_visible()
        expect(turn.locator(".bot .bubble")).not_to_be_empty()
        expect(turn.locator(".bubble.open")).to_have_count(0)
        expect(turn.locator(".visit")).to_have_count(1)
        expect(page.locator(".pending")).to_have_count(0)
        expect(field).to_have_value("")
        expect(field).to_be_focused()
        expect(page.locator("#panel-dialogue .said.current")).to_have_attribute("data-turn", "2")

        # From a moment in the past: speaking leads back to the present.
        page.locator('#panel-dialogue .said[data-turn="1"]').click()
        expect(page.locator('#panel-dialogue .said[data-turn="1"]')).to_have_class("said current picked")
        field.fill("第一行")
        field.press("Shift+Enter")
        page.keyboard.type("第二行")
        with page.expect_response("**/reply") as answered:
            field.press("Enter")
        assert answered.value.json()["answers"]
        last = page.locator('#panel-dialogue .said[data-turn="3"]')
        expect(last.locator(".user .bubble")).to_have_text("第一行\n第二行")
        expect(last).to_have_attribute("aria-current", "true")
        said = site.get(f"api/sessions/{session['key']}")
        assert said["turns"] == 3
        assert said["last_utterance"] == "第一行\n第二行"


def test_enter_belongs_to_the_input_method_while_it_composes(site: Site, watch: Watch) -> None:
    with demo(site):
        page = open_dialogue(site, watch, session_of(site)["key"], "zh")
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/reply") else None)
        page.locator(".reply-field").focus()
        wire = page.context.new_cdp_session(page)
        wire.send("Input.imeSetComposition", {"text": "nihao", "selectionStart": 5, "selectionEnd": 5})
        page.keyboard.press("Enter")
        wire.send("Input.insertText", {"text": "你好"})
        until(page, "document.querySelector('.reply-field').value.includes('你好')")
        assert sent == []
        with page.expect_response("**/reply") as answered:
            page.keyboard.press("Enter")
        assert answered.value.status == 200
        expect(page.locator("#panel-dialogue .said .user", has_text="你好").last).to_be_visible()
        assert len(sent) == 1


def test_a_bot_that_has_gone_is_said_to_be_and_is_asked_again(site: Site, watch: Watch) -> None:
    with demo(site) as bot:
        session = session_of(site)
        page = open_dialogue(site, watch, session["key"])
        assert axe.complaints(page) == []
        watch.forgiven.append("502")
        bot.kill()
        bot.wait()
        page.locator(".reply-field").fill("anybody there?")
        page.locator(".reply-send").click()
        failed = page.locator(".pending.failed")
        expect(failed).to_contain_text("does not answer; is it running?")
        expect(failed.locator(".bubble")).to_have_text("anybody there?")
        assert axe.complaints(page) == []
        failed.get_by_text("Retry").click()
        expect(failed).to_have_count(1)
        expect(failed).to_contain_text("does not answer")
        failed.get_by_text("Remove").click()
        expect(page.locator(".pending")).to_have_count(0)
        assert site.get(f"api/sessions/{session['key']}")["turns"] == session["turns"]


def test_a_message_under_way_is_shown_and_can_be_called_back(site: Site, watch: Watch) -> None:
    with demo(site):
        page = open_dialogue(site, watch, session_of(site)["key"])
        held: list[Route] = []
        page.route("**/reply", lambda route: held.append(route))
        page.locator(".reply-field").fill("wait for me")
        page.locator(".reply-field").press("Enter")
        expect(page.locator(".pending.sending")).to_contain_text("wait for me")
        page.locator(".reply-field").fill("me too")
        expect(page.locator(".reply-send")).to_be_disabled()
        page.locator(".pending").get_by_text("Cancel").click()
        expect(page.locator(".pending.failed")).to_contain_text("cancelled")
        expect(page.locator(".reply-field")).to_have_value("me too")
        expect(page.locator(".reply-send")).to_be_enabled()


def test_a_message_that_is_too_long_is_not_sent(site: Site, watch: Watch) -> None:
    with demo(site):
        page = open_dialogue(site, watch, session_of(site)["key"])
        page.locator(".reply-field").fill("字" * 1366)
        expect(page.locator(".reply-hint")).to_contain_text("Too long: 4")
        expect(page.locator(".reply-send")).to_be_disabled()
        page.locator(".reply-field").fill("字" * 1365)
        expect(page.locator(".reply-hint")).to_be_hidden()
        expect(page.locator(".reply-send")).to_be_enabled()


def test_without_an_address_there_is_no_line_but_the_reason(site: Site, watch: Watch) -> None:
    items = numbered("s-7f3a91", 2, at=1_790_000_000.0)
    site.say(items)
    page = open_dialogue(site, watch, KEY)
    expect(page.locator(".reply-form")).to_be_hidden()
    expect(page.locator(".reply-hint")).to_contain_text("probe.session(id, reply=URL)")


def test_an_imported_recording_has_no_line(site: Site, watch: Watch) -> None:
    with demo(site):
        session = session_of(site)
        request = f"api/sessions/{session['key']}/export?to=jsonl"
        page = watch.page()
        page.goto(f"{site.url}#t={site.token}&s={session['key']}&tab=dialogue")
        expect(page.locator(".reply-form")).to_be_visible()
        text = page.evaluate(
            "async ([path, token]) => (await fetch(path, {headers: {Authorization: `Bearer ${token}`}})).text()",
            [request, site.token],
        )
    assert "reply_url" in text
    taken = page.evaluate(
        """async ([text, token]) => (await fetch('api/import?name=a.jsonl', {method: 'POST', body: new Blob([text]),
          headers: {Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream'}})).json()""",
        [text.replace(session["id"], "copied"), site.token],
    )
    copied = [each["key"] for each in taken["sessions"]]
    assert copied != [session["key"]]
    page.evaluate("key => { location.hash = `s=${key}&tab=dialogue`; }", copied[0])
    until(page, f"location.hash.includes('{copied[0]}')")
    expect(page.locator("#panel-dialogue .said").first).to_be_visible()
    expect(page.locator(".reply")).to_be_hidden()
    watch.forgiven.append("404")
    status = page.evaluate(
        """async ([key, token]) => (await fetch(`api/sessions/${key}/reply`, {method: 'POST', body: '{"text": "a"}',
          headers: {Authorization: `Bearer ${token}`, 'Content-Type': 'application/json'}})).status""",
        [copied[0], site.token],
    )
    assert status == 404
