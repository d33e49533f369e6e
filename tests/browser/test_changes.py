"""The tab that tells what changed between two moments."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.picture import until

pytestmark = pytest.mark.browser
Open = Callable[..., Page]

COPIES = "navigator.clipboard.writeText = async (text) => { window.copied = text; };"


def at_moments(page: Page, a: str, b: str) -> None:
    """Until A and B are these turns."""
    expect(page.get_by_label("Turn of moment A")).to_have_value(a)
    expect(page.get_by_label("Turn of moment B")).to_have_value(b)


def test_the_selected_turn_stands_against_the_one_before(open_told: Open) -> None:
    page = open_told("w=9_22&tab=changes&sel=turn~18~0~utterance:18")
    expect(page.locator(".change")).to_have_count(1)
    expect(page.locator(".change.changed")).to_contain_text("产品线 brand")
    expect(page.locator(".change .values")).to_have_text("星途 → 轻语")
    expect(page.locator(".change .where")).to_have_text("turn 18 · seq 131 · 价格查询")
    at_moments(page, "17", "18")
    expect(page.locator(".changes .path")).to_have_text("流量申诉 → 价格查询")
    expect(page.locator(".changes")).to_contain_text("套餐A·规则说明")
    page.locator(".change").click()
    until(page, "location.hash.includes('slot%3Abrand')")
    at_moments(page, "17", "18")
    expect(page.locator(".change")).to_be_focused()


def test_any_two_moments_can_be_picked_and_are_in_the_link(open_told: Open) -> None:
    page = open_told("w=9_22&tab=changes")
    page.get_by_label("Turn of moment A").fill("8")
    page.get_by_label("Turn of moment A").press("Enter")
    page.get_by_label("Turn of moment B").fill("35")
    page.get_by_label("Turn of moment B").press("Enter")
    groups = page.locator(".change-group h3")
    expect(groups).to_have_text(["Added 4", "Deleted 1", "Rewritten, same value 1", "Read though stale 1"])
    expect(page.locator(".change.stale")).to_contain_text("written in turn 18 for another task")
    until(page, "/ab=\\d+_\\d+/.test(location.hash)")
    again = open_told(page.evaluate("location.hash.slice(1).replace(/^s=[^&]*&/, '')"))
    expect(again.locator(".change-group h3")).to_have_text(groups.all_inner_texts())
    at_moments(again, "8", "35")
    page.get_by_role("button", name="Swap A and B").click()
    expect(groups).to_have_text(["Added 1", "Deleted 4", "Rewritten, same value 1", "Read though stale 1"])
    at_moments(page, "35", "8")
    page.get_by_role("button", name="Follow again").click()
    at_moments(page, "39", "40")
    until(page, "!location.hash.includes('&ab=')")


def test_the_moments_follow_the_playhead_until_they_are_pinned(open_told: Open) -> None:
    page = open_told("w=9_22&tab=changes&at=131")
    expect(page.locator(".change.changed .values")).to_have_text("星途 → 轻语")
    at_moments(page, "17", "18")
    page.get_by_role("button", name="Set A to the moment shown").click()
    page.locator("#map").focus()
    for _ in range(5):
        page.keyboard.press(".")
    expect(page.locator(".moment-row .at").last).to_contain_text("seq 136")
    expect(page.locator(".moment-row .at").first).to_contain_text("seq 131")
    expect(page.locator(".change.changed")).to_have_count(0)


def test_arrows_in_the_field_go_from_turn_to_turn(open_told: Open) -> None:
    page = open_told("w=9_22&tab=changes&sel=turn~18~0~utterance:18")
    field = page.get_by_label("Turn of moment B")
    field.press("ArrowUp")
    at_moments(page, "18", "19")  # A still follows
    expect(field).to_be_focused()
    field.press("ArrowDown")
    field.press("ArrowDown")
    at_moments(page, "16", "17")
    field.fill("999")
    field.press("Enter")
    at_moments(page, "39", "40")
    field.fill("abc")
    field.press("Enter")
    at_moments(page, "39", "40")


def test_the_difference_is_copied_as_json(open_told: Open) -> None:
    page = open_told("w=9_22&tab=changes&sel=turn~18~0~utterance:18", init=COPIES)
    page.locator(".changes").get_by_role("button", name="Copy as JSON").click()
    expect(page.locator(".toast")).to_contain_text("JSON copied")
    told = json.loads(page.evaluate("window.copied"))
    assert [(slot["change"], slot["name"], slot["old"], slot["new"]) for slot in told["slots"]] == [
        ("changed", "brand", "星途", "轻语")
    ]
    assert (told["a"], told["b"]) == (128, 135)


def test_a_moment_against_itself_and_a_turn_without_changes_say_so(open_told: Open) -> None:
    page = open_told("w=9_22&tab=changes&ab=100_100")
    expect(page.locator(".changes")).to_contain_text("A and B are the same moment.")
    page = open_told("w=9_22&tab=changes&sel=turn~16~0~utterance:16")
    expect(page.locator(".changes")).to_contain_text("No slot changed between these moments.")
    page = open_told("w=1_14&tab=changes&sel=turn~1~0~utterance:1")
    expect(page.locator(".changes .path")).to_have_text("(none yet) → 套餐变更")
    at_moments(page, "0", "1")
    page = open_told("w=1_14&tab=changes&ab=0_4&lang=zh")
    expect(page.locator(".moment-row .at").first).to_have_text("开始之前")
    expect(page.locator(".changes")).to_contain_text("两个时刻都还没有意图。")
