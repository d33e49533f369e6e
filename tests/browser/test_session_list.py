"""The rows of the list of sessions: where they stand, and how old they look."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watch
from tests.browser.passing import was_told
from tests.browser.plain_talk import dialogue, exchange
from tests.browser.serving import Site, key_of
from tests.browser.telecom import numbered
from tests.browser.test_sessions import drop, many

pytestmark = pytest.mark.browser


def test_rows_keep_their_height_after_a_search_that_found_nothing(site: Site, watch: Watch) -> None:
    for n in range(3):
        site.say(numbered(f"s-{n}", 2, title=f"dialogue {n}"), source=f"source {n}")
    page = watch.open(site)
    rows = page.locator(".session")
    expect(rows).to_have_count(3)
    tops = "[...document.querySelectorAll('.session')].map((row) => row.getBoundingClientRect().top)"
    before = page.evaluate(tops)
    search = page.locator(".sessions-search input, input[type=search]").first
    search.fill("nowhere to be found")
    expect(rows).to_have_count(0)
    page.evaluate(
        f"""() => {{
          window.seen = [];
          const look = () => window.seen.push({tops});
          new MutationObserver(look).observe(document.querySelector('.sessions'), {{childList: true}});
        }}"""
    )
    search.fill("")
    expect(rows).to_have_count(3)
    assert [seen for seen in page.evaluate("window.seen") if seen != before] == []


def test_a_session_is_found_by_what_was_said_in_it(site: Site, watch: Watch) -> None:
    site.say(dialogue(*exchange(1, "我的流量超出了", "请稍等"), *exchange(2, "谢谢", "再见"), session="plan"), "a")
    site.say(dialogue(*exchange(1, "国际漫游", "好的"), *exchange(2, "谢谢", "再见"), session="roaming"), "b")
    page = watch.open(site)
    rows = page.locator(".session .title")
    expect(rows).to_have_count(2)
    for words, ids in (("流量", ["plan"]), ("谢谢", None), ("漫游 好的", ["roaming"]), ("流量 漫游", [])):
        page.locator(".session-search").fill(words)
        expect(rows).to_have_count(2 if ids is None else len(ids))
        assert ids is None or rows.all_inner_texts() == ids


def test_a_pin_makes_nobody_younger(site: Site, watch: Watch) -> None:
    site.say(numbered("s-old", 2, title="old"), source="old")
    page = watch.open(site, init="const real = Date.now; Date.now = () => real() + 600_000;")
    expect(page.locator(".session")).to_have_count(1)
    expect(page.locator(".session .when")).to_have_text("10 min")
    site.ask("POST", f"api/sessions/{key_of('s-old')}", {"pinned": True})
    expect(page.locator("#sessions h2, .session-group").first).to_contain_text("Pinned")
    expect(page.locator(".session .when")).to_have_text("10 min")


def test_the_open_session_is_called_by_its_name_whatever_the_list_holds(site: Site, watch: Watch) -> None:
    asked = {"event": "user", "timestamp": 1_600_000_000.0, "text": "我要退货"}
    page = watch.open(site)
    drop(page, "tracker.json", json.dumps({"sender_id": "the old one", "events": [asked]}))
    expect(page.locator(".session")).to_have_count(1)
    many(site, 200)
    page = watch.open(site, f"s={key_of('the old one')}")
    title = page.locator(".crumb b")
    expect(title).to_have_text("the old one")
    expect(page.locator(".session-foot")).to_have_text(re.compile("^6[01] of 201 sessions"))
    page.locator(".session-search").fill("the old one")
    expect(page.locator(".session .title")).to_have_text(["the old one"])
    page.locator(".session-search").fill("nowhere to be found")
    expect(page.locator(".session")).to_have_count(0)
    page.keyboard.press("Escape")  # the top of the page is drawn anew
    expect(title).to_have_text("the old one")
    site.ask("DELETE", f"api/sessions/{key_of('the old one')}")
    was_told(page, ".toast", "“the old one” was deleted elsewhere")
