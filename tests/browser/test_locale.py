"""Numbers, times and their zone, by where the reader is and what the reader asks for."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import KEY, SESSION, Watch
from tests.browser.serving import Site
from tests.browser.telecom import numbered

pytestmark = pytest.mark.browser

STARTED = 1_790_000_000.0  # 2026-09-21 14:13:20 UTC


@pytest.mark.parametrize(
    ("locale", "zone", "own", "local", "utc"),
    [
        ("zh-CN", "Asia/Shanghai", "UTC+08:00", "2026年9月21日 22:13:43", "2026年9月21日 14:13:43"),
        ("en-GB", "Europe/London", "UTC+01:00", "21 Sept 2026, 15:13:43", "21 Sept 2026, 14:13:43"),
        ("en-GB", "UTC", "UTC+00:00", "21 Sept 2026, 14:13:43", "21 Sept 2026, 14:13:43"),
    ],
)
def test_times_are_of_one_zone_that_is_said_and_switched(
    site: Site, watch: Watch, locale: str, zone: str, own: str, local: str, utc: str
) -> None:
    site.say(numbered(SESSION, 3, at=STARTED))
    page = watch.open(site, f"s={KEY}&sel=turn~1~0~utterance:1", locale=locale, zone=zone)
    said, switch = page.locator("#right .heading time"), page.locator(".zone")
    event = page.locator("#panel-inspect .event [title]").first
    expect(switch).to_have_text(own)
    expect(said).to_have_text(local[-8:])
    for place in (said, event):
        expect(place).to_have_attribute("title", re.compile(re.escape(f"{local} {own}")))
    switch.click()
    expect(switch).to_have_text("UTC")
    expect(said).to_have_text(utc[-8:])
    for place in (said, event):
        expect(place).to_have_attribute("title", re.compile(re.escape(utc) + r" UTC($|\n)"))
    page.reload()
    expect(switch).to_have_text("UTC")
    expect(said).to_have_text(utc[-8:])


def test_a_link_carries_the_zone(site: Site, watch: Watch) -> None:
    site.say(numbered(SESSION, 3, at=STARTED))
    page = watch.open(site, f"s={KEY}&sel=turn~1~0~utterance:1&tz=utc", zone="Asia/Shanghai")
    expect(page.locator(".zone")).to_have_text("UTC")
    expect(page.locator("#right .heading time")).to_have_text("14:13:43")
    page.goto(f"{site.url}#t={site.token}&s={KEY}&sel=turn~1~0~utterance:1&tz=local")
    expect(page.locator("#right .heading time")).to_have_text("22:13:43")


def test_large_numbers_are_grouped_as_the_reader_groups_them(site: Site, watch: Watch) -> None:
    story = numbered(SESSION)
    site.say(story, made=len(story) + 12_345)
    for locale, missing in (("zh-CN", "12,345"), ("en-GB", "12,345")):
        page = watch.open(site, f"s={KEY}", locale=locale)
        expect(page.locator("#right .facts")).to_contain_text(missing)
