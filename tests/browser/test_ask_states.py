"""The Ask tab in all its states: under way, stopped, failed, away, late, worded, without an answer, narrow and wide."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from lingbot_map.ask.llm import Llm
from lingbot_web.running import serve
from tests.ask.stub import endpoint, reworded
from tests.browser import axe
from tests.browser.asking import CHAINS, ORDER, WIKI, Open, ask
from tests.browser.conftest import Watch
from tests.browser.picture import until
from tests.web.asked import folders

pytestmark = pytest.mark.browser


def test_an_answer_under_way_is_stopped_by_escape(open_ask: Open) -> None:
    page = open_ask(f"lang=en&ask={ORDER}")
    held: list[Route] = []
    page.route("**/api/ask", lambda route: held.append(route))
    page.locator(".ask-input").fill("What comes after reserveItem?")
    page.locator(".ask-input").press("Enter")
    expect(page.locator(".ask-busy")).to_contain_text("Looking")
    expect(page.locator(".ask-send")).to_have_text("Stop")
    expect(page.locator(".ask-busy")).to_contain_text("Still looking")
    assert axe.complaints(page) == []
    page.keyboard.press("Escape")
    expect(page.locator(".ask-notice.stopped")).to_contain_text("Stopped")
    expect(page.locator(".ask-input")).to_be_focused()
    page.unroute("**/api/ask")
    page.locator("[data-focus=again]").click()
    expect(page.locator(".ask-said")).to_be_visible()


def test_what_fails_and_what_can_not_be_reached_is_said_with_a_way_on(open_ask: Open, watch: Watch) -> None:
    watch.forgiven += ["503 (Service Unavailable)", "net::ERR_CONNECTION_REFUSED"]
    page = open_ask(f"lang=en&ask={ORDER}")
    refused = json.dumps({"error": "Too many questions are being answered; try again in a moment."})
    page.route("**/api/ask", lambda route: route.fulfill(status=503, content_type="application/json", body=refused))
    page.locator(".ask-input").fill("What comes after reserveItem?")
    page.locator(".ask-input").press("Enter")
    expect(page.locator(".ask-notice.failed")).to_contain_text("Too many questions")
    page.unroute("**/api/ask")
    page.route("**/api/ask", lambda route: route.abort("connectionrefused"))
    page.locator("[data-focus=again]").click()
    expect(page.locator(".ask-notice.away")).to_contain_text("can’t be reached")
    assert axe.complaints(page) == []
    page.unroute("**/api/ask")
    page.locator("[data-focus=again]").click()
    expect(page.locator(".ask-said")).to_be_visible()


def test_a_route_that_came_too_late_is_marked(open_ask: Open) -> None:
    page = open_ask(f"lang=en&ask={WIKI}")
    step = {"detail": "", "keywords": [], "evidence_count": 0, "ms": 3.0}
    lines = [
        {"bound": {"mentions": []}},
        {"step": {**step, "name": "read", "status": "ok"}},
        {"step": {**step, "name": "semantic", "status": "timeout", "ms": 5000.0}},
        {"evidence": []},
        {
            "answer": {
                "sentences": [{"text": "It listens on port 8443.", "cites": []}],
                "abstained": False,
                "verdict": None,
                "extracted": True,
                "chains": [],
                "open_points": ["semantic came too late and is not in this"],
                "labels": {},
            }
        },
        {"topics": []},
    ]
    body = "".join(json.dumps(line) + "\n" for line in lines)
    page.route("**/api/ask", lambda route: route.fulfill(content_type="application/x-ndjson", body=body))
    ask(page, "Where does the gateway listen?")
    expect(page.locator(".ask-steps .timeout")).to_contain_text("late")
    expect(page.locator(".ask-open")).to_contain_text("came too late")


def test_what_found_no_answer_is_listed_and_asked_again(open_ask: Open) -> None:
    page = open_ask(f"lang=en&ask={ORDER}")
    ask(page, "What does RiskService do?")
    expect(page.locator(".ask-said.none")).to_contain_text("RiskService")
    page.locator("[data-focus=useless]").click()
    expect(page.locator(".ask-uses")).to_have_text("Noted")
    page.locator("[data-focus=log]").click()
    expect(page.locator(".ask-log li")).to_have_count(1)
    page.locator(".ask-log button").click()
    expect(page.locator(".ask-input")).to_have_value("What does RiskService do?")
    page.locator(".ask-base").select_option(CHAINS)
    expect(page.locator(".ask-log")).to_contain_text("None so far")


def test_all_of_it_is_reached_by_the_keyboard(open_ask: Open) -> None:
    page = open_ask(f"lang=en&ask={ORDER}")
    page.locator("#map").focus()
    page.keyboard.press("a")
    expect(page.locator(".ask-input")).to_be_focused()
    page.keyboard.type("Under which condition is retryCharge called?")
    page.keyboard.press("Enter")
    page.locator(".ask-uses").wait_for()
    reached = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement?.dataset.focus ?? ''"))
        if "log" in reached:
            break
    assert {"send", "item m4", "useful", "useless", "log"} <= reached
    page.locator(".ask-said [data-item=m4]").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".ask-source-title")).to_be_focused()
    page.locator(".ask-input").focus()
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.press("ArrowUp")
    expect(page.locator(".ask-input")).to_have_value("Under which condition is retryCharge called?")


@pytest.mark.parametrize("width", [1600, 1024, 700])
def test_nothing_sticks_out_of_the_panel(open_ask: Open, width: int) -> None:
    page = open_ask(f"lang=en&ask={ORDER}&aq=Under+which+condition+is+retryCharge+called", width=width, height=800)
    page.locator(".ask-uses").wait_for()
    page.locator(".ask-said .ask-chip").first.click()
    page.locator(".ask-lines").wait_for()
    assert page.locator("#panel-ask").evaluate("panel => panel.scrollWidth - panel.clientWidth") <= 0


def test_an_answer_in_a_models_words_says_so(watch: Watch, tmp_path: Path) -> None:
    diagram, _, _ = folders(tmp_path / "named")
    with (
        endpoint(lambda exchange: exchange.say(reworded(exchange))) as stub,
        serve(data=tmp_path / "data", ask_diagrams=[diagram], llm=Llm(stub.url, "tiny")) as map,
    ):
        page = watch.page()
        page.goto(f"{map.url}&lang=en&tab=ask&ask={ORDER}")
        page.locator(".ask-base option").nth(1).wait_for(state="attached")
        ask(page, "Under which condition is retryCharge called?")
        expect(page.locator(".ask-extracted")).to_contain_text("Worded by a language model")
        expect(page.locator(".ask-steps")).to_contain_text("model’s words")
        expect(page.locator(".ask-said [data-item=m4]").first).to_be_visible()
        ask(page, "What does RiskService do?")
        expect(page.locator(".ask-said.none")).to_be_visible()
        expect(page.locator(".ask-extracted")).to_have_count(0)  # an abstention is not worded
        page.context.close()


def test_the_answer_and_what_it_rests_on_stand_side_by_side(open_ask: Open) -> None:
    page = open_ask(f"lang=en&ask={ORDER}")
    ask(page, "Under which condition is retryCharge called?")
    answer, evidence = page.locator(".ask-said"), page.locator(".ask-evidence")

    def beside() -> bool:
        return bool(
            page.evaluate(
                "() => document.querySelector('.ask-evidence').getBoundingClientRect().left"
                " > document.querySelector('.ask-said').getBoundingClientRect().right - 40"
            )
        )

    expect(answer).to_be_visible()
    expect(evidence).to_be_visible()
    assert not beside()
    page.locator("[data-focus=wide]").click()
    assert beside()
    assert page.locator("#panel-ask").evaluate("panel => panel.scrollWidth - panel.clientWidth") <= 0
    assert axe.complaints(page) == []
    page.locator("#tab-inspect").click()
    assert page.locator("#right").evaluate("side => side.offsetWidth") < 400  # the others have no use for so much room
    page.reload()
    page.locator("#tab-ask").click()
    expect(page.locator("[data-focus=wide]")).to_have_attribute("aria-pressed", "true")
    page.set_viewport_size({"width": 1100, "height": 800})
    expect(page.locator("[data-focus=wide]")).to_be_hidden()


def test_without_any_session_there_is_still_something_to_ask(watch: Watch, tmp_path: Path) -> None:
    diagram, _, _ = folders(tmp_path / "named")
    with serve(data=tmp_path / "data", ask_diagrams=[diagram]) as map:
        page = watch.page()
        page.goto(f"{map.url}&lang=en")
        page.locator("#tab-ask").wait_for()
        page.keyboard.press("a")
        page.locator(".ask-base").select_option(ORDER)
        ask(page, "What comes after reserveItem?")
        until(page, "location.hash.includes('aq=')")
        page.reload()
        expect(page.locator(".ask-said")).to_contain_text("charge")
        page.context.close()
