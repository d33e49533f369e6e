"""Pictures of two sessions compared, of a file that is being read, and of one that was masked in part; see shots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playwright.sync_api import Page, Route

from lingbot_probes.signals import Numbered, SessionStarted
from tests.browser.conftest import KEY, SESSION
from tests.browser.serving import Site, key_of
from tests.browser.telecom import numbered
from tests.browser.test_compare import other

if TYPE_CHECKING:
    from tests.browser.shots import Act, Camera

STARTED = 1_790_000_000.0
SIZES = ((1600, 1000), (1280, 800), (800, 900), (400, 760))


def knowing(**facts: Any) -> Act:
    """As if the server knew ``facts`` of the session besides."""

    def told(route: Route) -> None:
        answer = route.fetch()
        keyframe = answer.json()
        keyframe["about"] |= facts
        route.fulfill(response=answer, json=keyframe)

    def prepare(page: Page) -> None:
        page.route("**/keyframe*", told)

    return prepare


def compared(page: Page) -> None:
    """Wait for both scores."""
    page.locator("dialog.compare canvas.score-map").nth(1).wait_for()


def brand(page: Page) -> None:
    """Go to the other value of a slot."""
    compared(page)
    page.locator(".compare-item", has_text="brand").first.click()


def forced(page: Page) -> None:
    """Both scores in the colours of the system."""
    compared(page)
    page.emulate_media(forced_colors="active")


def standing(camera: Camera, site: Site, variants: list[tuple[str, str]]) -> None:
    """All of it, at the widths that people have."""
    site.say(numbered(SESSION, at=STARTED))
    first = Numbered(session="mended", n=1, signal=SessionStarted(title="套餐变更 · 修复之后"))
    site.say([first, *(Numbered(session="mended", n=i.n + 1, signal=i.signal, turn=i.turn) for i in other())], "b")
    for suffix, how in variants:
        address = f"{site.url}#t={site.token}&s={KEY}&{how}"
        both = f"{site.url}?compare={key_of('mended')}#t={site.token}&s={KEY}&{how}"
        for width, height in SIZES:
            camera.take(f"compare-{width}-{suffix}", both, brand, size=(width, height))
            reading = knowing(reading=0.42, origin="import:otlp")
            camera.take(f"reading-{width}-{suffix}", address, size=(width, height), prepare=reading)
        camera.take(f"compare-forced-{suffix}", both, forced, size=SIZES[1])
        same = f"{site.url}?compare={KEY}#t={site.token}&s={KEY}&{how}"
        camera.take(f"compare-same-{suffix}", same, compared, size=SIZES[1])
        masked = knowing(unmasked=True, masked=12, origin="import:otlp")
        camera.take(f"masked-part-{suffix}", address, size=SIZES[1], prepare=masked)
