"""Pictures of the list of sessions, of one that was deleted, of narrow windows and of forced colours; see shots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import Page

from tests.browser.conftest import KEY, SESSION
from tests.browser.serving import Site, key_of
from tests.browser.telecom import numbered
from tests.browser.test_sessions import many

if TYPE_CHECKING:
    from tests.browser.shots import Act, Camera

STARTED = 1_790_000_000.0
NARROW = ((1100, 760), (800, 700), (400, 760))
PICKED = "w=9_22&sel=node~18~0~slot:brand"


def pick(page: Page) -> None:
    """Close what a selection opened over the map."""
    page.locator(".close-panel").click()


def open_menu(page: Page) -> None:
    """Open the list of sessions."""
    page.locator(".menu-button").click()


def scroll(page: Page) -> None:
    """Go some way down the list."""
    page.locator(".session-list").evaluate("list => { list.scrollTop = 1400; }")


def rename(page: Page) -> None:
    """Rename a session."""
    page.locator(".session-more").nth(1).dispatch_event("click")
    page.get_by_role("menuitem").first.click()


def remove(page: Page) -> None:
    """Delete a session, and keep the toast."""
    page.locator(".session-more").nth(1).dispatch_event("click")
    page.get_by_role("menuitem").nth(2).click()
    page.locator(".toast").hover()


def seek(page: Page) -> None:
    """Search for what is not there."""
    page.locator(".session-search").fill("没有这样的会话")
    page.locator(".session-none").wait_for()


def force(page: Page) -> None:
    """The colours of the system, in the map too."""
    page.emulate_media(forced_colors="active")
    page.keyboard.press("t")
    page.keyboard.press("t")


def listed(camera: Camera, site: Site, variants: list[tuple[str, str]]) -> None:
    """All of it, over a server with ten thousand sessions."""
    site.say(numbered(SESSION, at=STARTED))
    site.say(numbered("old", 12, at=STARTED, title="宽带报修 · 上门预约"), "b")
    site.ask("POST", f"api/sessions/{key_of('old')}", {"pinned": True})
    many(site, 10_000)
    states: tuple[tuple[str, Act], ...] = (
        ("list", scroll),
        ("list-rename", rename),
        ("list-delete", remove),
        ("list-none", seek),
    )
    for suffix, how in variants:
        address = f"{site.url}#t={site.token}&s={KEY}&{how}"
        for name, act in states:
            camera.take(f"{name}-{suffix}", address, act, size=(1280, 800))
        camera.take(f"forced-{suffix}", f"{address}&{PICKED}", force, size=(1280, 800))
        for size in NARROW:
            camera.take(f"narrow-{size[0]}-{suffix}", f"{address}&{PICKED}", pick, size=size)
            camera.take(f"narrow-panel-{size[0]}-{suffix}", f"{address}&{PICKED}", size=size)
        camera.take(f"narrow-menu-{suffix}", address, open_menu, size=NARROW[-1])

        def delete(page: Page, name: str = f"short-{suffix}") -> None:
            site.say(numbered(name, 9, at=STARTED, title="一次短会话"), name)
            page.evaluate("key => { location.hash = 's=' + key; }", key_of(name))
            page.locator(".badge.live").wait_for()
            site.ask("DELETE", f"api/sessions/{key_of(name)}")
            page.locator(".badge.gone").wait_for()
            page.locator(".toast").hover()

        camera.take(f"state-deleted-{suffix}", address, delete, size=(1280, 800))
