"""The map while its window moves: what is moved must look as what is painted, and gestures must do what they say."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

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


def window_of(page: Page) -> tuple[int, int]:
    """The first and the last turn that the page says it shows."""
    first, _, last = page.locator(".range b").inner_text().partition("–")
    return int(first), int(last or first)


def lanes(page: Page) -> int:
    """How many turns that are."""
    first, last = window_of(page)
    return last - first + 1


def test_the_wheel_zooms_about_the_pointer_from_three_turns_to_all(open_told: Open) -> None:
    page = open_told("w=15_25")
    box = page.locator("#map").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 152 + (box["width"] - 152) * 0.35, box["y"] + 400)  # in the middle of turn 18
    for _ in range(30):
        page.mouse.wheel(0, -120)
    expect(page.locator(".range b")).to_have_text(re.compile("17–20|17–19"))
    for _ in range(60):
        page.mouse.wheel(0, 120)
    expect(page.locator(".range b")).to_have_text("1–40")


def test_the_window_pans_by_drag_and_by_shift_and_wheel(open_told: Open) -> None:
    page = open_told("w=10_20")
    box = page.locator("#map").bounding_box()
    assert box is not None
    lane = (box["width"] - 152) / 10
    x, y = box["x"] + 700, box["y"] + 790
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - lane, y)
    page.mouse.move(x - 3 * lane, y)
    page.mouse.up()
    expect(page.locator(".range b")).to_have_text("13–22")
    page.keyboard.down("Shift")
    page.mouse.wheel(0, -5 * lane)
    page.keyboard.up("Shift")
    expect(page.locator(".range b")).to_have_text("8–17")


def test_the_windows_handles_and_its_body_are_dragged_on_the_timeline(open_told: Open) -> None:
    page = open_told("w=10_20")
    box = page.locator("#scrub").bounding_box()
    assert box is not None
    lane = (box["width"] - 36) / 40

    def at(turn: float) -> float:
        return box["x"] + 18 + (turn - 1) * lane

    def drag(start: float, end: float) -> None:
        page.mouse.move(at(start), box["y"] + 50)
        page.mouse.down()
        page.mouse.move(at(end), box["y"] + 50, steps=3)
        page.mouse.up()

    drag(20, 30)
    expect(page.locator(".range b")).to_have_text("10–29")
    drag(10, 25)
    expect(page.locator(".range b")).to_have_text("25–29")
    drag(27, 12)
    expect(page.locator(".range b")).to_have_text("10–14")


def test_the_number_of_turns_is_typed(open_told: Open) -> None:
    page = open_told("w=10_20")
    page.keyboard.press("n")
    field = page.get_by_role("textbox", name="How many turns the window shows")
    expect(field).to_have_value("10")
    page.keyboard.type("many")
    page.keyboard.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    page.keyboard.type("20")
    page.keyboard.press("Enter")
    expect(page.locator(".range b")).to_have_text("5–24")
    expect(field).to_have_count(0)
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    expect(page.locator(".range")).to_be_visible()
    assert lanes(page) == 20
