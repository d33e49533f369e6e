"""Rows of the list that change under the hands of whoever works on them, and the field that searches it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import KEY, SESSION, Watch
from tests.browser.serving import Site, key_of
from tests.browser.telecom import numbered, turn_of

pytestmark = pytest.mark.browser


def rename_of(page: Page, key: str) -> None:
    """Open the menu of a session and choose to rename it."""
    row = page.locator(f'.sessions li:has([data-key="{key}"])')
    row.hover()
    row.locator(".session-more").click()
    page.get_by_role("menuitem", name="Rename", exact=True).click()


def test_a_row_that_is_made_anew_under_its_menu_is_renamed(site: Site, watch: Watch) -> None:
    story = numbered(SESSION)
    site.say([item for item in story if turn_of(item) <= 2])
    site.say(numbered("s-other", 3, title="second"), source="two")
    page = watch.open(site, f"s={key_of('s-other')}")
    row = page.locator(f'.sessions li:has([data-key="{KEY}"])')
    expect(row.locator(".about")).to_contain_text("2 turns")
    row.hover()
    row.locator(".session-more").click()
    site.say([item for item in story if 2 < turn_of(item) <= 3])
    expect(row.locator(".about")).to_contain_text("3 turns")
    page.get_by_role("menuitem", name="Rename", exact=True).click()
    expect(page.locator(".session-name")).to_be_focused()
    # The dialogue goes on, and the row moves to the top, while its name is being written.
    page.keyboard.type("改")
    site.say([item for item in story if 3 < turn_of(item) <= 4])
    site.say(numbered("s-third", 1, title="third"), source="three")
    expect(page.locator(".session .title", has_text="third")).to_be_visible()
    page.keyboard.type("名")
    page.keyboard.press("Enter")
    expect(page.locator(f'[data-key="{KEY}"] .title')).to_have_text("改名")
    expect(page.locator(f'[data-key="{KEY}"]')).to_be_focused()
    expect(row.locator(".about")).to_contain_text("4 turns")
    site.say([item for item in story if turn_of(item) > 4])
    expect(row.locator(".about")).to_contain_text("40 turns")
    expect(row.locator(".title")).to_have_text("改名")


def test_a_session_deleted_elsewhere_while_it_is_renamed_goes_and_the_focus_stays(site: Site, watch: Watch) -> None:
    watch.forgiven.append("404")  # the raw events of the one that is open are gone
    for i in range(3):
        site.say(numbered(f"s-{i}", 2, title=f"t{i}"), source=f"p{i}")
    page = watch.open(site, f"s={key_of('s-0')}")
    expect(page.locator(".session")).to_have_count(3)
    rename_of(page, key_of("s-1"))
    page.keyboard.type("half")
    site.ask("DELETE", f"api/sessions/{key_of('s-1')}")
    expect(page.locator(".session")).to_have_count(2)
    expect(page.locator(f'[data-key="{key_of("s-0")}"]')).to_be_focused()
    expect(page.locator(".session-name")).to_have_count(0)
    rename_of(page, key_of("s-0"))
    site.ask("DELETE", f"api/sessions/{key_of('s-0')}")
    expect(page.locator(f'[data-key="{key_of("s-2")}"]')).to_be_focused()
    rename_of(page, key_of("s-2"))
    site.ask("DELETE", f"api/sessions/{key_of('s-2')}")
    expect(page.locator(".session-search")).to_be_focused()


def test_a_search_is_no_longer_than_the_server_takes(site: Site, watch: Watch) -> None:
    site.say(numbered(SESSION, 2, title="长" * 190))
    page = watch.open(site, f"s={KEY}")
    expect(page.locator(".session")).to_have_count(1)
    with page.expect_response(lambda answer: "q=" in answer.url) as answer:
        page.locator(".session-search").fill("很" * 700)
    assert answer.value.status == 200
    expect(page.locator(".session-none")).to_be_visible()
