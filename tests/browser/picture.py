"""Looking at the canvas: which colours stand where."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.browser.serving import wait_for

_COUNT = """([token, box, name]) => {
  const canvas = document.querySelector(name);
  const probe = document.createElement('canvas').getContext('2d');
  probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--' + token).trim();
  probe.fillRect(0, 0, 1, 1);
  const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
  const scale = canvas.width / canvas.clientWidth;
  const [x, y, w, h] = box ?? [0, 0, canvas.clientWidth, canvas.clientHeight];
  const area = [x * scale, y * scale, Math.max(1, w * scale), Math.max(1, h * scale)].map(Math.round);
  const { data, width } = canvas.getContext('2d').getImageData(...area);
  const found = [];
  for (let i = 0; i < data.length; i += 4) {
    if (data[i] === r && data[i + 1] === g && data[i + 2] === b && data[i + 3] === 255) found.push(i / 4);
  }
  const first = found[0];
  const at = first ?? 0;
  return { count: found.length, x: x + (at % width) / scale, y: y + Math.floor(at / width) / scale };
}"""


def count(
    page: Page, token: str, box: tuple[float, float, float, float] | None = None, canvas: str = ".score-map"
) -> int:
    """How many pixels of the map or another canvas (or of ``box`` in it) have exactly the colour of ``token``."""
    return int(page.evaluate(_COUNT, [token, box, canvas])["count"])


def until(page: Page, condition: str) -> None:
    """Until the JavaScript ``condition`` holds. (Playwright's own wait needs an eval, which the policy forbids.)"""
    wait_for(lambda: page.evaluate(condition), condition)


def drawn(page: Page) -> None:
    """Until what the page knows by now has been painted: a frame is asked for, and the one after it."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def resize(page: Page, width: int, height: int) -> None:
    """To that size, and until page and map have taken it on."""
    page.set_viewport_size({"width": width, "height": height})
    until(
        page,
        f"innerWidth === {width} && innerHeight === {height} && ['map', 'scrub'].every((id) => {{"
        " const host = document.getElementById(id);"
        " const canvas = host.querySelector('.score-map, .score-scrub');"
        " return !host.checkVisibility() || Math.abs(canvas.clientWidth - host.clientWidth) <= 1; })",
    )
    drawn(page)


def wait_for_colour(page: Page, token: str) -> None:
    """Until the map shows that colour."""
    wait_for(lambda: count(page, token), f"{token} on the map")


def place_of(page: Page, token: str) -> tuple[float, float]:
    """Where in the page the map first shows the colour of ``token``."""
    found = page.evaluate(_COUNT, [token, None, ".score-map"])
    assert found["count"], f"nothing on the map has the colour {token}"
    host = page.locator("#map").bounding_box()
    assert host is not None
    return host["x"] + found["x"] + 2, host["y"] + found["y"] + 2
