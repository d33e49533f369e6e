"""The list of sessions: names, life, renaming, pinning, deleting, importing, the incidents that come along."""

from __future__ import annotations

import json
import re
import shutil
import time
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from lingbot_map.store.index import Index
from lingbot_map.store.summary import Summary
from lingbot_probes.signals import (
    Numbered,
    SessionStarted,
)
from tests.browser import passing
from tests.browser.conftest import KEY, SESSION, Watch
from tests.browser.passing import was_told
from tests.browser.serving import Site, key_of, wait_for
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
    group, badge, dot = page.locator(".session-group"), page.locator(".badge"), page.locator(".session .live-dot")
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
    page = watch.open(site, init=passing.HOLD_TOASTS)
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
    was_told(page, ".toast", re.compile(r"tracker\.json.*1 session"))
    expect(page.locator(".range")).to_contain_text("1 / 1")
    expect(page.locator(".badge")).to_contain_text("Recorded")
    expect(page.locator(".origin")).to_have_text("rasa")
    expect(page.locator(".note.knowledge")).to_contain_text("This source does not record Knowledge")
    expect(page.locator(".crumb .coverage")).to_be_visible()
    expect(page.locator(".stats .unmasked")).to_have_text("not masked")
    expect(page.locator("#right .facts")).to_contain_text("Not masked at import")
    expect(page.locator(".origin")).to_have_attribute("title", re.compile("Not masked at import"))
    drop(page, "tracker.json", json.dumps(tracker))
    was_told(page, ".toast", "imported before")
    drop(page, "evil\u202e.bin", "\x00\x01")
    failed = re.compile(r"^evil\[U\+202E\]\.bin could not be imported: no known format")
    was_told(page, ".toast", failed)


def test_the_incidents_that_come_along_are_offered(tmp_path: Path, root: Path, watch: Watch) -> None:
    shutil.copytree(root / "snapshots" / "cases", tmp_path / "cases")
    with Site(tmp_path) as site:
        page = watch.open(site)
        expect(page.locator(".card h1")).to_have_text("Waiting for the first event")
        expect(page.locator(".session-demos summary")).to_have_text("Demo3")
        expect(page.locator(".session-demos .session").first).to_be_visible()
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


def many(site: Site, count: int) -> None:
    """Rows in the index of ``site`` for sessions that are nowhere else, one a minute, the newest an hour old."""
    newest = time.time() - 3600
    index = Index(site.data / "index.sqlite3")
    rows = [
        Summary(
            key=key_of(f"many-{i}"),
            id=f"many-{i}",
            title=f"会话 {i}",
            name="",
            pinned=False,
            live=False,
            origin="import:rasa",
            started_at=newest - 60 * i - 30,
            updated_at=newest - 60 * i,
            ended_at=newest - 60 * i,
            turns=3,
            events=20,
            nodes=9,
            edges=9,
            findings={"loop": 2} if i % 10 == 0 else {},
            coverage={},
            missing=0,
            last_utterance="你好",
        )
        for i in range(count)
    ]
    index.update([(row, []) for row in rows], newest)
    index.close()


def more_than(foot: Locator, shown: int) -> bool:
    """Whether the foot of the list says that more sessions are shown."""
    return int(foot.inner_text().split()[0]) > shown


_COUNTED = """window.asked = 0;
const ask = fetch;
window.fetch = (url, how) => {
  window.asked += String(url).includes('api/sessions?');
  return ask(url, how);
};"""


def test_ten_thousand_sessions_come_page_by_page_and_few_rows_are_in_the_page(
    tmp_path: Path, root: Path, watch: Watch
) -> None:
    shutil.copytree(root / "snapshots" / "cases", tmp_path / "cases")
    with Site(tmp_path) as site:
        site.say(numbered(SESSION, 3, title="live"))
        site.say(numbered("old", 3, title="pinned long ago"), source="b")
        site.ask("POST", f"api/sessions/{key_of('old')}", {"pinned": True})
        many(site, 10_000)
        page = watch.page(init=_COUNTED)
        page.goto(f"{site.url}#t={site.token}&s={KEY}")
        foot, scroller = page.locator(".session-foot"), page.locator(".session-list")
        expect(foot).to_contain_text("of 10,005 sessions")
        shown = int(foot.inner_text().split()[0])
        assert 60 <= shown <= 70, "only the first page is there"
        asked = page.evaluate("window.asked")
        # What stands apart is there although it is older than ten thousand others.
        expect(page.locator(".session-demos summary")).to_have_text("Demo3")
        expect(page.locator(".session-list .session-group").first).to_have_text("Pinned1")
        expect(page.locator(".session-group", has_text="Live sessions")).to_have_text("Live sessions1")
        seen: list[int] = []
        for _ in range(12):
            scroller.evaluate("list => { list.scrollTop = list.scrollHeight; }")
            wait_for(partial(more_than, foot, shown), "the next page")
            shown = int(foot.inner_text().split()[0])
            assert page.locator(".session-list li").count() < 60, "rows out of view are not in the page"
        assert page.evaluate("window.asked") - asked == 12, "one page at a time"
        scroller.evaluate("list => { list.scrollTop = 2000; }")
        wait_for(lambda: page.locator(".session-list .title", has_text="会话").count() > 5, "rows")
        rows = page.locator(".session-list .session .title")
        seen = [int(title.split()[1]) for title in rows.all_inner_texts() if title.startswith("会话")]
        assert seen == list(range(seen[0], seen[0] + len(seen))), "newest first, none missing or doubled"
        boxes = page.locator(".session-list li").evaluate_all(
            "all => all.map((e) => [e.getBoundingClientRect().top, e.getBoundingClientRect().bottom])"
        )
        assert all(a[1] <= b[0] + 1 for a, b in pairwise(boxes)), "rows lie apart"
        page.locator(".session-search").fill("会话 9999")
        expect(page.locator(".session-list .session")).to_have_count(1)
        expect(page.locator(".session-list .session .title")).to_have_text("会话 9999")
        expect(foot).to_have_text("1 of 1 session")
        page.locator(".session-search").fill("会话 4000")
        expect(page.locator(".session-list .session .counts")).to_have_text("Intent loop2")
        page.context.close()


def test_the_list_is_one_stop_of_the_tab_key_and_arrows_go_through_it(site: Site, watch: Watch) -> None:
    site.say(numbered(SESSION, 3, title="live"))
    many(site, 200)
    page = watch.open(site, f"s={KEY}")
    focused = "document.activeElement.querySelector('.title')?.textContent ?? document.activeElement.ariaLabel"
    page.locator(".session-search").focus()
    for expected in ("Open a recording", "live", "More for “live”"):
        page.keyboard.press("Tab")
        assert page.evaluate(focused) == expected
    page.keyboard.press("Tab")
    assert not page.evaluate("document.querySelector('.session-list').contains(document.activeElement)")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == "会话 0"

    def further() -> bool:
        page.keyboard.press("PageDown")
        name, number = page.evaluate(focused).split()
        return name == "会话" and int(number) > 60

    wait_for(further, "the next page as the focus goes on")
    expect(page.locator(":focus")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Home")
    assert page.evaluate(focused) == "live"
    expect(page.locator("#map")).to_have_attribute("aria-label", "Dialogue score")
    expect(page.locator(".range b")).to_have_text("1–3")  # arrows moved nothing else


def is_named(site: Site, name: str) -> bool:
    """Whether the first session has that name."""
    return bool(site.get("api/sessions")["sessions"][0]["name"] == name)


def test_a_name_of_blanks_is_none(site: Site, watch: Watch) -> None:
    site.say(numbered(SESSION, 2, title="  \t "))
    page = watch.open(site)
    title = page.locator(".session .title")
    expect(title).to_have_text(SESSION)
    for typed, shown in (("改名", "改名"), ("   ", SESSION)):
        page.locator(".session").first.hover()
        page.locator(".session-more").first.click()
        page.get_by_role("menuitem", name="Rename").click()
        page.locator(".session-name").fill(typed)
        page.keyboard.press("Enter")
        expect(title).to_have_text(shown)
        wait_for(partial(is_named, site, "改名" if shown == "改名" else ""), "the new name")
        expect(page.locator(".crumb b")).to_have_text(shown)


def test_what_was_deleted_here_makes_room_and_comes_back_with_undo(site: Site, watch: Watch) -> None:
    site.say(numbered(SESSION, title="first"))
    site.say(numbered("s-other", 3, title="second"), source="two")
    page = watch.open(site, f"s={KEY}")
    expect(page.locator(".crumb b")).to_have_text("first")
    page.locator(".session", has_text="first").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.locator(":focus")).to_have_text("Delete")
    page.keyboard.press("Enter")
    expect(page.locator(".crumb b")).to_have_text("second")
    expect(page.locator(":focus")).to_have_text("Undo")
    page.keyboard.press("Enter")
    expect(page.locator(".crumb b")).to_have_text("first")
    expect(page.locator(":focus")).to_contain_text("first")
    assert site.get("api/sessions")["total"] == 2


def test_a_session_deleted_elsewhere_stays_to_be_read_until_it_is_left(site: Site, watch: Watch) -> None:
    watch.forgiven.append("404")  # its raw events are gone
    site.say(numbered(SESSION, title="first"))
    site.say(numbered("s-other", 3, title="second"), source="two")
    page = watch.open(site, f"s={KEY}&w=9_22&sel=node~18~0~slot:brand")
    expect(page.locator("#right h1").first).to_contain_text("产品线")
    site.ask("DELETE", f"api/sessions/{KEY}")
    was_told(page, ".toast", "“first” was deleted elsewhere")
    was_told(page, "#speech", "was deleted elsewhere")
    expect(page.locator(".badge")).to_have_text("Deleted")
    expect(page.locator(".session")).to_have_count(1)
    expect(page.locator(".crumb b")).to_have_text("first")
    expect(page.locator(".range b")).to_have_text("9–21")
    page.locator("#map").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".range b")).to_have_text("8–20")
    page.locator(".session", has_text="second").click()
    expect(page.locator(".crumb b")).to_have_text("second")
    expect(page.locator(".badge")).to_contain_text("Live")


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


def test_a_session_that_begins_anew_after_it_was_deleted_is_offered(site: Site, watch: Watch) -> None:
    watch.forgiven.append("404")  # its raw events are gone
    site.say(numbered(SESSION, 5, title="first"))
    page = watch.open(site, f"s={KEY}", init=passing.HOLD_TOASTS)
    expect(page.locator(".range b")).to_have_text("1–5")
    site.ask("DELETE", f"api/sessions/{KEY}")
    expect(page.locator(".badge")).to_have_text("Deleted")
    site.say(numbered(SESSION, 8, title="first"))
    toast = page.locator(".toast", has_text="has begun anew")
    expect(toast).to_be_visible()
    expect(page.locator(".range b")).to_have_text("1–5")
    toast.get_by_role("button", name="Open").click()
    expect(page.locator(".range b")).to_have_text("1–3")  # what was deleted stays deleted
    expect(page.locator(".badge")).to_contain_text("Live")


def test_a_dialogue_without_times_shows_none(site: Site, watch: Watch) -> None:
    page = watch.open(site)
    expect(page.locator(".card")).to_be_visible()
    drop(page, "talk.chat", "user=ann\nbot=desk\n\n" + "ann: 你好\ndesk: 在\n" * 4)
    expect(page.locator(".range")).to_contain_text("1–4 / 4")
    expect(page.locator(".zone")).to_be_hidden()
    expect(page.locator(".session time")).to_have_attribute("title", re.compile("no times recorded; imported"))
    page.locator("#map").focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    times = page.locator("#right").inner_text()
    assert not re.search(r"\d\d:\d\d:\d\d|\+\d:\d\d", times), times


def test_a_recording_that_can_not_be_read_is_told_and_hides_no_other(tmp_path: Path, watch: Watch) -> None:
    watch.forgiven.append("409")
    with Site(tmp_path) as site:
        site.say(numbered(SESSION, 3, title="whole"))
        site.say(numbered("s-other", 3, title="other"), source="b")
    log = tmp_path / key_of("s-other") / "events.jsonl"
    log.unlink()
    log.mkdir()
    with Site(tmp_path) as site:
        page = watch.open(site, f"s={KEY}")
        expect(page.locator(".crumb b")).to_have_text("whole")
        expect(page.locator(".session .damaged")).to_have_text("damaged")
        expect(page.locator(".session .damaged")).to_have_attribute("title", re.compile("a folder, not a file"))
        page.locator(".session:has(.damaged)").click()
        expect(page.locator(".card h1")).to_have_text("The recording of this session can't be read")
        expect(page.locator(".card p").first).to_contain_text("a folder, not a file")
        page.locator(".session", has_text="whole").click()
        expect(page.locator(".range b")).to_have_text("1–3")
        page.context.close()
