"""What the page says of the state it is in: a file being read, values left open, a session that nothing is added to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import KEY, SESSION, Watch
from tests.browser.picture import count, until
from tests.browser.serving import Site, wait_for
from tests.browser.telecom import numbered

pytestmark = pytest.mark.browser
Open = Callable[..., Page]
HEAD = ".score-scrub-signs"


def about(watch: Watch, site: Site, locale: str, **facts: Any) -> Page:
    """The telecom dialogue as it is where the server knows ``facts`` of it besides."""
    page = watch.page(locale=locale, width=1280, height=800)

    def told(route: Route) -> None:
        answer = route.fetch()
        keyframe = answer.json()
        keyframe["about"] |= facts
        route.fulfill(response=answer, json=keyframe)

    page.route("**/keyframe*", told)
    page.goto(f"{site.url}#t={site.token}&s={KEY}")
    page.locator(".range b").wait_for()
    return page


@pytest.mark.parametrize(
    ("locale", "words"),
    [("en-US", "A long file: this is its end"), ("zh-CN", "文件很长，先显示末尾")],
)
def test_a_file_that_is_being_read_says_how_far_it_is_and_alarms_nobody(
    told: Site, watch: Watch, locale: str, words: str
) -> None:
    page = about(watch, told, locale, reading=0.42, origin="import:otlp")
    banner = page.locator(".banner")
    expect(banner).to_contain_text(words)
    expect(banner).to_contain_text("42 %")
    assert banner.locator("progress").evaluate("bar => bar.position") == pytest.approx(0.42)
    colours = "(name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()"
    ink = page.evaluate(
        "() => { const probe = document.createElement('i'); document.body.append(probe); const found = {};"
        f" for (const name of ['--warn', '--bad-ink']) {{ probe.style.color = ({colours})(name);"
        " found[name] = getComputedStyle(probe).color; } probe.remove();"
        " return [getComputedStyle(document.querySelector('.banner')).color, ...Object.values(found)]; }"
    )
    assert ink[0] not in ink[1:], "what goes as it should has not the colour of trouble"


def test_where_a_part_was_masked_the_rest_is_not_said_to_be_all(told: Site, watch: Watch) -> None:
    page = about(watch, told, "en-US", unmasked=True, masked=12)
    expect(page.locator(".stats .unmasked")).to_have_text("not all masked")
    page.keyboard.press("l")
    expect(page.locator(".stats .unmasked")).to_have_text("部分未遮蔽")
    page = about(watch, told, "en-US", unmasked=True)
    expect(page.locator(".stats .unmasked")).to_have_text("not masked")


def test_the_timeline_of_what_was_deleted_has_no_live_end(site: Site, watch: Watch) -> None:
    watch.forgiven.append("404")  # its raw events are gone
    site.say(numbered(SESSION, 9))
    page = watch.open(site, f"s={KEY}")
    wait_for(lambda: count(page, "ok", canvas=HEAD), "a live end")
    site.ask("DELETE", f"api/sessions/{KEY}")
    expect(page.locator(".badge")).to_have_text("Deleted")
    wait_for(lambda: not count(page, "ok", canvas=HEAD), "an end like that of a recording")


@pytest.mark.parametrize("selection", ["turn~20~0~utterance:20", "node~20~0~doc:kb-0117"])
def test_a_link_from_a_wide_screen_shows_what_was_picked_beside_the_panel(open_told: Open, selection: str) -> None:
    page = open_told(f"w=9_22&sel={selection}", width=1024, height=700)
    expect(page.locator("#right")).to_be_visible()
    until(
        page,
        """(() => {
          const [from, to] = /w=([\\d.]+)_([\\d.]+)/.exec(location.hash).slice(1).map(Number);
          const map = document.querySelector('#map').getBoundingClientRect();
          const end = map.x + 152 + ((21 - from) * (map.width - 152)) / (to - from);
          return end <= document.querySelector('#right').getBoundingClientRect().x + 1;
        })()""",
    )
