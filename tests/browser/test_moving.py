"""The map while its window moves: what is moved must look as what is painted, and gestures must do what they say."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.picture import until

pytestmark = pytest.mark.browser
Open = Callable[..., Page]

# Pixels of two pictures that differ by more than a rounding, and where the first of them is.
_DIFFER = """async (pictures) => {
  const [a, b] = await Promise.all(pictures.map(async (data) => {
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const { width, height } = image;
    const ctx = Object.assign(document.createElement('canvas'), { width, height }).getContext('2d');
    ctx.drawImage(image, 0, 0);
    return ctx.getImageData(0, 0, width, height);
  }));
  const found = [];
  for (let i = 0; i < a.data.length; i += 4) {
    const most = Math.max(...[0, 1, 2].map((c) => Math.abs(a.data[i + c] - b.data[i + c])));
    if (most > 24) found.push([(i / 4) % a.width, Math.floor(i / 4 / a.width)]);
  }
  return { count: found.length, first: found.filter((_, i) => i % 8 === 0).slice(0, 40) };
}"""

_FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
# The window comes to rest when told, not by the clock: a picture may take longer than that.
_HOLD = """() => {
  const { setTimeout } = window;
  window.setTimeout = (run, ms, ...rest) => {
    if (ms !== 160) return setTimeout(run, ms, ...rest);
    window.rest = run;
    return 0;
  };
}"""
_TILES = "getComputedStyle(document.querySelector('.score-tiles')).visibility"

CURVES = 60
"""A curve that a tile's edge cuts is made of other short lines: so many pixels of a million may differ."""


def shot(page: Page) -> str:
    """The lanes as they are on the screen."""
    box = page.locator("#map").bounding_box()
    assert box is not None
    clip = {"x": box["x"] + 152, "y": box["y"], "width": box["width"] - 152, "height": box["height"]}
    return base64.b64encode(page.screenshot(clip=clip)).decode()  # type: ignore[arg-type]


@pytest.mark.parametrize("window", ["w=9_22", "w=3_38", "w=4_8"])
def test_what_is_moved_looks_as_what_is_painted(open_told: Open, window: str) -> None:
    page = open_told(window)
    page.evaluate(_HOLD)
    page.mouse.move(700, 120)
    page.mouse.down()
    page.mouse.move(690, 120)
    page.mouse.move(611, 120)
    until(page, f"{_TILES} === 'visible'")
    page.evaluate(_FRAMES)
    moved = shot(page)
    page.evaluate("() => window.rest()")
    until(page, f"{_TILES} === 'hidden'")
    page.evaluate(_FRAMES)
    painted = shot(page)
    found = page.evaluate(_DIFFER, [moved, painted])
    assert found["count"] <= CURVES, found["first"]
    page.mouse.move(640, 120)
    page.evaluate(_FRAMES)
    assert page.evaluate(_DIFFER, [shot(page), painted])["count"] > 1000  # it did move, and the eye for it is good
