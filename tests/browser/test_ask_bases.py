"""The tab where diagrams, graphs and documents are asked: what each base answers, links, dropped files."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from lingbot_web.running import Serving
from tests.browser import axe
from tests.browser.asking import CHAINS, FILMS, ORDER, WIKI, Open, ask
from tests.browser.conftest import CASE, Watch
from tests.browser.picture import until
from tests.browser.serving import Site
from tests.web.asked import BROKEN, DIAGRAM

pytestmark = pytest.mark.browser

DROP = """([name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name));
  const host = document.querySelector('.ask');
  for (const kind of ['dragenter', 'dragover', 'drop'])
    host.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


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
    until(page, "location.hash.includes('aq=')")  # the address follows at its own pace
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


def test_the_base_is_remembered_in_this_browser(open_ask: Open, asked_map: Serving) -> None:
    page = open_ask("lang=en")
    page.locator(".ask-base").select_option(FILMS)
    page.goto("about:blank")
    page.goto(f"{asked_map.url}&s={CASE}&lang=en")
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


def test_a_question_without_a_session_says_what_to_do(site: Site, watch: Watch) -> None:
    page = watch.open(site)
    expect(page.locator(".card h1")).to_have_text("Waiting for the first event")
    page.keyboard.press("a")
    page.locator(".ask-input").fill("Which slots were overwritten?")
    page.locator(".ask-input").press("Enter")
    expect(page.locator(".toast")).to_contain_text("No session is open")
