"""How an answer is laid out: no question is cut off, lists open, nothing is said twice, names stand as typed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import axe
from tests.browser.asking import FILMS, ORDER, WIKI, Open, ask
from tests.browser.conftest import Watch
from tests.browser.picture import until
from tests.browser.serving import wait_for
from tests.browser.test_ask_bases import DROP
from tests.web.asked import BROKEN, DIAGRAM

pytestmark = pytest.mark.browser

FIRST = 8
LINES = "name => { const r = document.createRange(); r.selectNodeContents(name); return r.getClientRects().length; }"


def answer(page: Page, **said: Any) -> None:
    """Let the server answer every question with this."""
    whole = {"sentences": [], "abstained": False, "verdict": None, "extracted": False, "chains": [], "open_points": []}
    evidence = said.pop("evidence", [])
    lines = [{"bound": {"mentions": []}}, {"evidence": evidence}, {"answer": {**whole, "labels": {}, **said}}]
    body = "".join(json.dumps(line) + "\n" for line in [*lines, {"topics": []}])
    page.route("**/api/ask", lambda route: route.fulfill(content_type="application/x-ndjson", body=body))


def cut(page: Page) -> int:
    """By how many pixels what is typed is higher than its field."""
    return int(page.locator(".ask-input").evaluate("field => field.scrollHeight - field.clientHeight"))


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_question_is_whole_while_it_is_looked_for(open_ask: Open, lang: str) -> None:
    page = open_ask(f"lang={lang}&ask={ORDER}")
    page.route("**/api/ask", lambda route: None)
    field = page.locator(".ask-input")
    one = field.evaluate("field => field.clientHeight")
    words = "What comes"
    while field.evaluate("field => field.clientHeight") == one:  # as long as it just fits beside the word that asks
        fits, words = words, words + " a"
        field.fill(words)
    field.fill(fits)
    field.press("Enter")
    page.locator(".ask-send.stop").wait_for()
    until(
        page, "document.querySelector('.ask-input').scrollHeight <= document.querySelector('.ask-input').clientHeight"
    )
    page.keyboard.press("Escape")
    until(page, f"document.querySelector('.ask-input').clientHeight === {one}")
    page.set_viewport_size({"width": 700, "height": 800})
    until(
        page, "document.querySelector('.ask-input').scrollHeight <= document.querySelector('.ask-input').clientHeight"
    )
    assert cut(page) <= 0


def test_all_that_a_sentence_cites_is_reached(open_ask: Open) -> None:
    page = open_ask(f"lang=en&ask={ORDER}")
    ids = [f"m{n}" for n in range(1, 31)]
    labels = {id: {"title": f"call{id}()", "kind": "message"} for id in ids}
    answer(
        page, sentences=[{"text": "All of it.", "cites": ids}, {"text": "And this.", "cites": ids[:9]}], labels=labels
    )
    ask(page, "What happens?")
    first, second = page.locator(".ask-cites").nth(0), page.locator(".ask-cites").nth(1)
    expect(first.locator(".ask-chip")).to_have_count(FIRST)
    expect(second.locator(".ask-chip")).to_have_count(9)  # one more is shown sooner than announced
    more = first.locator("[data-focus='cites 0']")
    expect(more).to_have_text("Show 22 more")
    box = more.bounding_box()
    assert box is not None
    assert box["height"] >= 24
    more.press("Enter")
    expect(first.locator(".ask-chip")).to_have_count(30)
    expect(first.locator("[data-item=m9]")).to_be_focused()
    assert axe.complaints(page) == []
    ask(page, "What happens then?")
    expect(page.locator(".ask-cites").first.locator(".ask-chip")).to_have_count(FIRST)


def test_the_rest_of_the_evidence_takes_the_focus(open_ask: Open) -> None:
    page = open_ask("lang=en&ask=session")
    ask(page, "Which turns have confidence below 0.9?")
    items = page.locator(".ask-evidence > li")
    expect(items).to_have_count(5)
    expect(page.locator(".ask-computed")).to_have_count(1)  # said once for all
    expect(page.locator(".ask-route")).to_have_count(0)
    page.locator("[data-focus=all-evidence]").press("Enter")
    expect(items.nth(5).locator(".ask-chip")).to_be_focused()


@pytest.mark.parametrize(
    ("lang", "question", "said"),
    [
        ("zh", "第40轮发生了什么？", "这次会话只有19轮。"),
        ("en", "What happened in turn 40?", "This session has only 19 turns."),
    ],
)
def test_what_the_sign_says_is_not_said_again(open_ask: Open, lang: str, question: str, said: str) -> None:
    page = open_ask(f"lang={lang}&ask=session")
    ask(page, question)
    expect(page.locator(".ask-said.none > p")).to_have_text(["没有记录" if lang == "zh" else "Not recorded", said])


def test_open_points_stand_under_a_title_unless_a_sentence_says_them(open_ask: Open) -> None:
    page = open_ask(f"lang=zh&ask={WIKI}")
    answer(page, sentences=[{"text": "条件分支：超时。", "cites": []}], open_points=["超时", "语义检索来得太晚"])
    ask(page, "网关监听哪里？")
    expect(page.get_by_role("list", name="另请留意").locator("li")).to_have_text(["语义检索来得太晚"])


def test_a_name_is_shown_as_it_was_typed_and_its_doubt_is_said(open_ask: Open) -> None:
    page = open_ask(f"lang=en&ask={FILMS}")
    page.locator(".ask-input").fill("Who directed Starshore?")
    expect(page.locator(".ask-bound bdi")).to_have_text("Starshore")
    expect(page.locator(".ask-bound")).not_to_contain_text("please check")
    page.locator(".ask-input").fill("Which films did 赵牧 act in?")
    expect(page.locator(".ask-bound")).to_contain_text("may mean something else; please check")
    names = page.locator(".ask-bound select")
    names.select_option("p3" if names.input_value() == "p4" else "p4")
    expect(page.locator(".ask-bound .corrected")).to_have_count(1)
    expect(page.locator(".ask-bound .unsure")).to_have_count(0)
    expect(page.locator(".ask-bound")).not_to_contain_text("please check")


@pytest.mark.parametrize("width", [400, 1200, 1600])
def test_a_name_stands_on_one_line_beside_what_it_means(open_ask: Open, width: int) -> None:
    page = open_ask(f"lang=en&ask={ORDER}&aq=Under+which+condition+is+retryCharge+called", width=width, height=800)
    page.locator(".ask-uses").wait_for()
    name = page.locator(".ask-bound bdi")
    expect(name).to_have_text("retryCharge")
    if width >= 1200:
        page.locator("[data-focus=wide]").click()
    wait_for(lambda: name.evaluate(LINES) == 1, "a name on one line")  # the tab may be drawn anew meanwhile


def test_evidence_of_a_session_is_words_and_numbers_of_events(open_ask: Open) -> None:
    page = open_ask("lang=en&ask=session")
    ask(page, "What is brand now?")
    evidence = page.locator(".ask-evidence")
    expect(evidence).to_contain_text("write, turn 18")
    expect(evidence).to_contain_text("value 轻语 · ")
    expect(evidence.locator(".ask-place").first).to_have_text("seq 176")


def test_a_broken_diagram_gives_way_to_another(open_ask: Open, watch: Watch) -> None:
    watch.forgiven.append("400 (Bad Request)")
    page = open_ask("lang=zh")
    page.evaluate(DROP, ["mine.puml", BROKEN])
    with page.expect_file_chooser() as chosen:
        page.locator(".ask-notice.failed").get_by_role("button", name="换一个文件").click()
    chosen.value.set_files({"name": "mine.puml", "mimeType": "text/plain", "buffer": DIAGRAM.encode()})
    expect(page.locator(".ask-notice")).to_have_count(0)


def test_what_lies_under_a_dragged_file_says_what_becomes_of_it(open_ask: Open) -> None:
    page = open_ask("lang=zh")
    page.evaluate(DROP.replace(", 'drop'", ""), ["mine.puml", DIAGRAM])
    until(page, "getComputedStyle(document.querySelector('.ask'), '::after').content.includes('松开鼠标')")


UNREADABLE = """() => {
  const probe = document.createElement('i');
  probe.style.color = 'Canvas';
  document.body.append(probe);
  const ground = getComputedStyle(probe).color;
  probe.remove();
  return [...document.querySelectorAll('body *')].filter((each) => {
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const style = getComputedStyle(each);
    return own && each.checkVisibility() && style.color === ground && style.forcedColorAdjust !== 'none';
  }).map((each) => each.className || each.tagName);
}"""
"""Texts in the colour of the ground: the system puts that ground behind each text, and nothing is seen."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_seen_in_colours_that_the_system_forces(open_ask: Open, watch: Watch, scheme: str) -> None:
    watch.forgiven.append("400 (Bad Request)")
    page = open_ask(f"lang=en&ask={ORDER}", scheme=scheme)
    page.emulate_media(forced_colors="active")
    answer(page, sentences=[{"text": "It does not.", "cites": []}], verdict="no")
    ask(page, "Must it?")
    expect(page.locator(".ask-verdict.no")).to_be_visible()
    page.evaluate(DROP, ["large.puml", "x" * 300_000])
    expect(page.locator(".toast")).to_be_visible()
    assert page.evaluate(UNREADABLE) == []
    page.locator("#tab-dialogue").click()
    page.locator("#panel-dialogue .said").first.click()
    expect(page.locator(".said.current")).to_be_visible()
    assert page.evaluate(UNREADABLE) == []


def test_examples_are_as_high_as_a_finger_hits(open_ask: Open) -> None:
    page = open_ask(f"lang=en&ask={ORDER}")
    page.locator(".ask-try button").first.wait_for()
    assert (
        page.evaluate("Math.min(...[...document.querySelectorAll('.ask-try button')].map((e) => e.offsetHeight))") >= 24
    )
