"""The exported file in the other engine: Firefox opens it from disk and shows what Chromium shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser import firefox
from tests.browser.firefox import Firefox
from tests.browser.test_export import PLACE, state, take

pytestmark = pytest.mark.browser

STATE = """({
  moment: document.querySelector('#panel-inspect .moment').innerText,
  subject: document.querySelector('#panel-inspect .heading h1').innerText,
  facts: document.querySelector('#panel-inspect .facts').innerText,
  events: [...document.querySelectorAll('#panel-inspect .event')].map((each) => each.innerText),
  range: document.querySelector('.range').innerText,
  layers: [...document.querySelectorAll('.layer')].map((each) => each.getAttribute('aria-pressed')),
  title: document.querySelector('.crumb b').innerText,
  theme: document.documentElement.dataset.theme,
  lang: document.documentElement.lang,
})"""

# How many pixels of the map are not its ground, and a number that is another where one of them is.
INK = """(() => {
  const canvas = document.querySelector('.score-map');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const ground = data.slice(data.length - 4);
  let count = 0;
  let sum = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] !== ground[0] || data[i + 1] !== ground[1] || data[i + 2] !== ground[2]) count++;
    sum = (sum * 31 + data[i] + data[i + 1] + data[i + 2]) % 1000003;
  }
  return { count, sum };
})()"""


@pytest.fixture(scope="module")
def second() -> Iterator[Firefox]:
    """A Firefox, where there is one; in CI there has to be."""
    path = firefox.path()
    if not path:
        pytest.skip("no Firefox: install firefox-esr, or name one in $FIREFOX")
    with firefox.running(path) as running:
        yield running


def test_firefox_opens_the_file_from_disk_at_the_moment_it_was_exported_from(
    open_told: Callable[..., Page], second: Firefox, tmp_path: Path
) -> None:
    page = open_told(PLACE)
    page.locator("#panel-inspect .event").first.wait_for()
    path = take(page, "html", tmp_path)
    second.open(path.as_uri())
    second.until("document.querySelectorAll('#panel-inspect .event').length")
    shown = second.value(STATE)
    # Each engine folds the white space between blocks by its own rules.
    plain = {key: " ".join(str(value).split()) for key, value in state(page).items()}
    assert {key: " ".join(str(value).split()) for key, value in shown.items()} == plain
    before = second.until(f"(({INK}).count > 20000) && {INK}")
    second.press("\ue011")  # Home
    after = second.until(f"(({INK}).sum !== {before['sum']}) && {INK}")
    assert after["count"] > 20_000
    second.until("document.querySelector('.range b').innerText.startsWith('1–')")
    assert second.errors == []
    # What it reads from the disk Firefox doesn't tell; what it would ask of anybody, it does.
    assert [address for address in second.asked if not address.startswith(("blob:", "data:", "file:"))] == []
    assert any(address.startswith("data:") for address in second.asked)
