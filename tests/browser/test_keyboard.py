"""All of it by the keyboard alone; and where the keyboard goes when what had it is gone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.picture import until, wait_for_colour

pytestmark = pytest.mark.browser
Open = Callable[..., Page]


def test_a_triage_by_the_keyboard_alone(open_told: Open) -> None:
    """Which turn wrote the brand that the price query used, and what else was found: without ever touching a mouse."""
    page = open_told("", width=1100, height=760)
    focused = page.locator(":focus")
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "map":
            break
        expect(focused).to_be_visible()
        outline = focused.evaluate(
            "e => [getComputedStyle(e).outlineStyle, getComputedStyle(e.parentElement).boxShadow]"
        )
        assert outline[0] != "none" or outline[1] != "none", focused.evaluate("e => e.outerHTML")
    page.locator("#map").focus()
    kinds = set()
    for _ in range(5):
        page.keyboard.press("]")
        kinds.add(page.locator("#right .chip.bad").inner_text())
    assert len(kinds) == 5
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("产品线")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.locator("#map").focus()
    for _ in range(12):  # along the row of the brand, to the end
        page.keyboard.press("ArrowRight")
    expect(page.locator("#score-focus")).to_contain_text("Turn 35, reads slot 产品线, value 轻语")
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    expect(page.locator("#score-focus")).to_have_text(
        "Turn 18, slot 产品线, value 轻语, overwrites 星途 from turn 12, error"
    )
    page.keyboard.press("Enter")
    expect(page.locator(".pill.trail")).to_be_visible()
    page.keyboard.press("Escape")
    # Into the panel and to a raw event, and back to where one was.
    page.locator(".panel-button").focus()
    page.keyboard.press("Enter")  # it is open, since something was picked
    expect(page.locator("#right")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", selected=True)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab").nth(1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#right")).to_be_hidden()
    expect(page.locator(".panel-button")).to_be_focused()


def test_the_focus_returns_when_what_took_it_goes(open_told: Open) -> None:
    page = open_told("", width=860, height=760)
    page.locator(".menu-button").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#left .session").first).to_be_focused()
    expect(page.locator(".menu-button")).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".session-more").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".session-more").first).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator(".session-name")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#left .session").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#left")).to_be_hidden()
    expect(page.locator(".menu-button")).to_be_focused()
    for key in ("?", "Alt+t"):
        page.locator("#map").focus()
        page.keyboard.press(key)
        expect(page.locator("#map")).not_to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("#map")).to_be_focused()


def test_a_mark_picked_where_the_drawer_opens_comes_out_from_under_it(open_told: Open) -> None:
    page = open_told("w=9_22", width=1100, height=760)
    wait_for_colour(page, "flow-bg")
    map_box = page.locator("#map").bounding_box()
    assert map_box is not None
    right = map_box["x"] + map_box["width"]
    for x in range(int(right) - 12, int(right) - 300, -6):
        for y in range(int(map_box["y"]) + 80, int(map_box["y"]) + 240, 8):
            page.mouse.move(x, y)
            if page.locator(".tip").is_visible() and "intent" in page.locator(".tip").inner_text():
                page.mouse.click(x, y)
                break
        else:
            continue
        break
    expect(page.locator("#right")).to_be_visible()
    expect(page.locator("#right .heading .chip")).to_have_text("intent")
    drawer = page.locator("#right").bounding_box()
    assert drawer is not None
    # The ring around the picked mark can be seen.
    until(
        page,
        f"""(() => {{
          const over = [...document.querySelectorAll('#map canvas')].at(-1);
          const {{data, width}} = over.getContext('2d').getImageData(0, 0, over.width, over.height);
          let left = Infinity;
          for (let i = 3; i < data.length; i += 4) {{
            if (data[i] >= 200) left = Math.min(left, ((i - 3) / 4) % width);
          }}
          const scale = over.width / over.clientWidth;
          return over.getBoundingClientRect().x + left / scale < {drawer["x"]} - 10;
        }})()""",
    )
