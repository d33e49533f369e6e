"""The tab where diagrams, graphs and documents are asked: each base, each state, links, keys, dropped files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from lingbot_map.ask.llm import Llm
from lingbot_web.running import Serving, serve
from tests.ask.stub import endpoint, reworded
from tests.browser import axe
from tests.browser.conftest import Watch
from tests.browser.picture import until
from tests.browser.serving import key_of
from tests.web.asked import BROKEN, DIAGRAM, folders

pytestmark = pytest.mark.browser

CASES = Path(__file__).resolve().parents[2] / "snapshots" / "cases"
KEY = key_of("case-slot-pollution")
ORDER, FILMS, WIKI, CHAINS = "diagram:order.puml", "graph:films", "docs:wiki", "chains:wiki"
Open = Callable[..., Page]

DROP = """([name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name));
  const host = document.querySelector('.ask');
  for (const kind of ['dragenter', 'dragover', 'drop'])
    host.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def map(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("asked")
    diagram, graph, docs = folders(folder / "named")
    shutil.copytree(CASES, folder / "data" / "cases")
    with serve(data=folder / "data", ask_diagrams=[diagram], ask_graphs=[graph], ask_docs=[docs]) as map:
        yield map


@pytest.fixture
def open_ask(watch: Watch, map: Serving) -> Open:
    def open_page(fragment: str = "", **how: object) -> Page:
        page = watch.page(**how)  # type: ignore[arg-type]
        page.goto(f"{map.url}&s={KEY}&tab=ask&{fragment}")
        page.locator(".ask-base option").nth(1).wait_for(state="attached")
        return page

    return open_page


def ask(page: Page, question: str) -> None:
    page.locator(".ask-input").fill(question)
    page.locator(".ask-input").press("Enter")
    page.locator(".ask-uses").wait_for()


@pytest.mark.parametrize(("lang", "scheme"), [("zh", "light"), ("en", "dark")])
@pytest.mark.parametrize("base", [ORDER, FILMS, WIKI, CHAINS])
def test_each_base_begins_with_questions_that_it_answers(open_ask: Open, base: str, lang: str, scheme: str) -> None:
    page = open_ask(f"lang={lang}", scheme=scheme)
    page.locator(".ask-base").select_option(base)
    first = page.locator(".ask-try button").first
    question = first.inner_text()
    first.click()
    expect(page.locator(".ask-said:not(.none)")).to_be_visible()
    expect(page.locator(".ask-input")).to_have_value(question)
    assert axe.complaints(page) == []


def test_a_message_leads_to_its_line_with_the_fragments_around_it(open_ask: Open) -> None:
    page = open_ask(f"lang=en&ask={ORDER}")
    ask(page, "Under which condition is retryCharge called?")
    chip = page.locator(".ask-said [data-item=m4]").first
    chip.click()
    expect(page.locator(".ask-lines .hit")).to_contain_text("Shop -> Pay: retryCharge(amount)")
    expect(page.locator(".ask-lines .hit .number")).to_have_text("10")
    expect(page.locator(".ask-path li")).to_have_text(["loopat most 3 times", "altpayment times out"])
    expect(page.locator(".ask-source-title")).to_be_focused()
    expect(chip).to_have_attribute("aria-expanded", "true")
    assert axe.complaints(page) == []
    page.keyboard.press("Escape")
    expect(page.locator(".ask-source")).to_have_count(0)
    expect(chip).to_be_focused()


def test_a_triple_leads_to_its_row_and_the_plan_can_be_copied(open_ask: Open) -> None:
    page = open_ask(f"lang=zh&ask={FILMS}")
    ask(page, "誰執導了星河彼岸？")
    expect(page.locator(".ask-said")).to_contain_text("林岚")
    page.locator(".ask-said [data-item='p1-DIRECTED-f1']").first.click()
    expect(page.locator(".ask-row")).to_contain_text("p1 DIRECTED f1 year=2019")
    expect(page.locator(".ask-node b")).to_have_text(["林岚", "星河彼岸"])
    page.locator(".ask-plan summary").click()
    expect(page.locator(".ask-plan pre")).to_contain_text("MATCH")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("[data-focus=copy-plan]").click()
    assert "MATCH" in page.evaluate("navigator.clipboard.readText()")
    assert "//" in page.evaluate("navigator.clipboard.readText()")


def test_a_sentence_leads_to_its_passage_and_is_marked_there(open_ask: Open) -> None:
    page = open_ask(f"lang=en&ask={CHAINS}")
    ask(page, "Which bodies does the gateway refuse?")
    page.locator(".ask-said [data-item='gateway.md#3']").click()
    expect(page.locator(".ask-passage mark")).to_have_text(["The gateway refuses bodies above 2 MiB."])
    page.locator(".ask-base").select_option(WIKI)
    ask(page, "Which bodies does the gateway refuse?")
    expect(page.locator(".ask-extracted")).to_contain_text("no conclusion")
    expect(page.locator(".ask-evidence .ask-route").first).to_contain_text("#")
    page.locator(".ask-said [data-item='gateway.md']").first.click()
    expect(page.locator(".ask-passage mark").first).to_contain_text("refuses bodies above 2 MiB")


def test_names_are_put_right_before_it_is_asked(open_ask: Open) -> None:
    page = open_ask(f"lang=zh&ask={FILMS}")
    page.locator(".ask-input").fill("赵牧主演过哪些电影？")
    names = page.locator(".ask-bound select")
    expect(names).to_be_visible()
    expect(page.locator(".ask-uses")).to_have_count(0)  # nothing was asked so far
    chosen = names.input_value()
    names.select_option("p3" if chosen == "p4" else "p4")
    expect(page.locator(".ask-bound .corrected")).to_have_count(1)
    page.locator(".ask-input").press("Enter")
    page.locator(".ask-uses").wait_for()
    expect(page.locator(".ask-bound .corrected")).to_have_count(1)
    wrong = page.locator(".ask-said").inner_text()
    page.locator(".ask-bound select").select_option(chosen)
    expect(page.locator(".ask-said")).not_to_have_text(wrong)


def test_a_question_goes_on_and_topics_can_be_gone_back_to_or_left(open_ask: Open) -> None:
    page = open_ask(f"lang=zh&ask={FILMS}")
    ask(page, "林岚执导过哪些电影？")
    expect(page.locator(".ask-topic")).to_have_count(1)
    ask(page, "周宁主演过哪些电影？")
    expect(page.locator(".ask-topic")).to_have_count(2)
    expect(page.locator(".ask-topic").first).to_contain_text("周宁")
    page.locator(".ask-topic").nth(1).click()
    ask(page, "它是哪年上映的？")
    expect(page.locator(".ask-said")).to_contain_text("2019")
    expect(page.locator(".ask-earlier li")).to_have_count(2)
    page.locator("[data-focus=renew]").click()
    expect(page.locator(".ask-input")).to_be_focused()
    ask(page, "它是哪年上映的？")
    expect(page.locator(".ask-said.none")).to_be_visible()


def test_a_dropped_diagram_is_asked_and_kept_only_where_that_is_said(open_ask: Open) -> None:
    page = open_ask("lang=en")
    page.evaluate(DROP, ["mine.puml", DIAGRAM])
    expect(page.locator(".ask-base")).to_have_value("dropped:mine.puml")
    expect(page.locator(".toast")).to_have_count(0)  # nothing was imported
    ask(page, "Under which condition is retryCharge called?")
    page.locator(".ask-said [data-item=m4]").first.click()
    expect(page.locator(".ask-lines .hit .number")).to_have_text("10")
    expect(page.locator(".ask-log")).to_be_hidden()
    stored = "JSON.stringify([{...localStorage}, {...sessionStorage}])"
    assert "retryCharge" not in page.evaluate(stored)
    page.locator("[data-focus=keep]").check()
    assert "retryCharge" in page.evaluate(stored)
    page.reload()
    expect(page.locator(".ask-said")).to_contain_text("payment times out")
    page.locator("[data-focus=remove]").click()
    assert "retryCharge" not in page.evaluate(stored)
    expect(page.locator(".ask-base")).to_have_value("session")


def test_a_fault_in_a_dropped_diagram_is_told_with_its_line(open_ask: Open, watch: Watch) -> None:
    watch.forgiven.append("400 (Bad Request)")
    page = open_ask("lang=en")
    page.evaluate(DROP, ["mine.puml", BROKEN])
    expect(page.locator(".ask-notice.failed")).to_contain_text("mine.puml line 3")
    page.evaluate(DROP, ["large.puml", "x" * 300_000])
    expect(page.locator(".toast")).to_contain_text("larger than 256 KiB")
    expect(page.locator(".ask-base")).to_have_value("dropped:mine.puml")
    with page.expect_file_chooser() as chosen:
        page.locator(".ask-bar-bases .icon-button").first.click()
    chosen.value.set_files({"name": "mine.puml", "mimeType": "text/plain", "buffer": DIAGRAM.encode()})
    expect(page.locator(".ask-try button")).not_to_have_count(0)


def test_a_link_leads_to_the_base_and_the_question(open_ask: Open) -> None:
    page = open_ask(f"lang=en&ask={ORDER}")
    ask(page, "What comes after reserveItem?")
    said = page.locator(".ask-said").inner_text()
    until(page, "location.hash.includes('aq=')")
    fragment = page.evaluate("location.hash.slice(1)")
    assert "tab=ask" in fragment
    assert "order.puml" in fragment
    again = open_ask(fragment)
    expect(again.locator(".ask-said")).to_have_text(said, use_inner_text=True)
    expect(again.locator(".ask-base")).to_have_value(ORDER)
    lost = open_ask("lang=en&ask=graph:elsewhere&aq=who")
    expect(lost.locator(".toast")).to_contain_text("not here")
    assert lost.locator(".ask-base").input_value() in (ORDER, "session")


def test_a_file_that_is_exported_says_nothing_of_what_was_asked(open_ask: Open) -> None:
    page = open_ask(f"lang=en&ask={ORDER}")
    ask(page, "What comes after reserveItem?")
    with page.expect_request("**/export?*") as wanted:
        page.keyboard.press("Escape")
        page.locator("#map").focus()
        page.keyboard.press("e")
        page.get_by_role("menuitem").filter(has_text="HTML").first.click()
    assert "reserveItem" not in wanted.value.url
    assert "tab%3Dask" not in wanted.value.url


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


def test_the_base_is_remembered_in_this_browser(open_ask: Open, map: Serving) -> None:
    page = open_ask("lang=en")
    page.locator(".ask-base").select_option(FILMS)
    page.goto("about:blank")
    page.goto(f"{map.url}&s={KEY}&lang=en")
    page.locator("#tab-ask").click()
    expect(page.locator(".ask-base")).to_have_value(FILMS)


def test_text_of_files_is_never_markup(open_ask: Open) -> None:
    page = open_ask("lang=en")
    hostile = DIAGRAM.replace("confirmOrder()", "<img src=x onerror=alert(1)>")
    page.evaluate(DROP, ["<img src=x>.puml", hostile])
    ask(page, "Which steps does the main path have?")
    page.locator(".ask [data-item=m6]").first.click()
    expect(page.locator(".ask-lines")).to_contain_text("<img src=x onerror=alert(1)>")
    expect(page.locator(".ask img")).to_have_count(0)


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
