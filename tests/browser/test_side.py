"""The panel on the right: the dialogue as text, and how it goes with the map."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from lingbot_map.pipeline import Pipeline
from lingbot_map.policy import Policy
from lingbot_map.store.index import Index
from lingbot_map.store.memory import MemoryStore
from lingbot_probes.codec import VERSION, numbered_to_dict
from lingbot_probes.signals import Answered, Failed, SessionStarted, TurnStarted, Undone
from lingbot_web.address import Address
from lingbot_web.running import Serving
from tests.browser import axe
from tests.browser.conftest import Watch
from tests.browser.picture import drawn, until
from tests.browser.plain_talk import dialogue, exchange
from tests.browser.serving import Site, key_of, wait_for
from tests.browser.test_events import event

pytestmark = pytest.mark.browser
Open = Callable[..., Page]

LONG = 6000
SEEN = """() => {
  const room = document.querySelector('.turns-scroll').getBoundingClientRect();
  return [...document.querySelectorAll('#panel-dialogue .said')]
    .map((row) => [Number(row.dataset.turn), row.getBoundingClientRect()])
    .filter(([, box]) => box.bottom > room.top + 4 && box.top < room.bottom - 4)
    .map(([turn]) => turn);
}"""


def current(page: Page) -> list[str]:
    """Numbers of the turns that are marked as the moment's."""
    return list(
        page.locator("#panel-dialogue .said[aria-current=true]").evaluate_all(
            "all => all.map((row) => row.dataset.turn)"
        )
    )


def row(page: Page, turn: int) -> Any:
    """The line of a turn."""
    return page.locator(f'#panel-dialogue .said[data-turn="{turn}"]')


def at_rest(page: Page) -> float:
    """Where the list stands once the wheel has done with it."""
    where = [-1.0]

    def rests() -> bool:
        drawn(page)
        last, where[0] = where[0], page.evaluate("document.querySelector('.turns-scroll').scrollTop")
        return last == where[0]

    wait_for(rests, "a list at rest")
    return where[0]


def test_the_dialogue_is_read_turn_by_turn_beside_the_map(open_told: Open) -> None:
    page = open_told("tab=dialogue&w=9_22&at=130&lang=zh")
    marked = row(page, 18)
    expect(marked).to_be_visible()
    assert current(page) == ["18"]
    expect(marked.locator(".user .bubble")).to_have_text("轻语 129 现在多少钱")
    expect(marked.locator(".visit")).to_contain_text("价格查询")
    expect(marked.locator(".bot.later .bubble")).to_be_visible()  # it was not answered yet
    assert "later" not in (row(page, 17).get_attribute("class") or "")
    assert "later" in (row(page, 19).get_attribute("class") or "")
    expect(row(page, 17).locator(".kind.loop")).to_be_visible()
    expect(row(page, 19).locator(".kind")).to_have_count(0)  # not known at this moment


def test_the_dialogue_goes_where_the_moment_goes(open_told: Open) -> None:
    page = open_told("tab=dialogue&w=9_22&at=130")
    page.locator("#map").focus()
    for _ in range(30):
        page.keyboard.press(",")
    until(page, "document.querySelector('#panel-dialogue .said[aria-current=true]').dataset.turn < 18")
    before = int(current(page)[0])
    assert before in page.evaluate(SEEN)
    page.locator(".transport button").first.click()
    until(page, "document.querySelector('#panel-dialogue .said[aria-current=true]')?.dataset.turn === '1'")
    assert page.evaluate(SEEN)[0] == 1


def test_a_click_on_a_turn_is_a_moment_and_a_selection(open_told: Open) -> None:
    page = open_told("tab=dialogue&w=30_40&at=60")
    place = int(current(page)[0])
    row(page, place + 1).locator(".user .bubble").click()
    until(page, f"document.querySelector('#panel-dialogue .said.current').dataset.turn === '{place + 1}'")
    assert "picked" in (row(page, place + 1).get_attribute("class") or "")
    expect(row(page, place + 1).locator(".later")).to_have_count(0)  # the moment is the turn's end
    until(
        page, f"location.hash.includes('sel=turn~{place + 1}~') || location.hash.includes('sel=turn%7E{place + 1}%7E')"
    )
    low = page.evaluate("Number(/w=([\\d.]+)_/.exec(location.hash)[1])")
    assert low <= place + 1, "the map shows the turn"
    assert "tab=dialogue" in page.url


def test_what_is_picked_on_the_map_is_marked_and_brought_into_view(open_told: Open) -> None:
    page = open_told("tab=dialogue")
    until(page, "document.querySelector('#panel-dialogue .said.current')?.dataset.turn === '40'")
    for _ in range(2):
        page.keyboard.press("]")
    until(page, "document.querySelector('#panel-dialogue .said.picked') !== null")
    picked = int(page.locator("#panel-dialogue .said.picked").get_attribute("data-turn") or 0)
    assert picked in page.evaluate(SEEN)
    assert picked < 40
    expect(page.locator(".dialogue .pill.back")).to_contain_text("40")


def test_the_reader_is_not_dragged_back_while_looking_elsewhere(site: Site, watch: Watch) -> None:
    site.say(dialogue(*[s for t in range(1, 61) for s in exchange(t, f"question {t}", f"answer {t}")]))
    page = watch.open(site, f"s={key_of('s')}&tab=dialogue")
    until(page, "document.querySelector('#panel-dialogue .said.current')?.dataset.turn === '60'")
    page.locator(".turns-scroll").hover()
    page.mouse.wheel(0, -3000)
    expect(page.locator(".dialogue .pill.back")).to_be_visible()
    where = at_rest(page)
    site.say(dialogue(*exchange(61, "question 61", "answer 61"), first=121))
    expect(page.locator(".dialogue .pill.back")).to_contain_text("61")
    assert page.evaluate("document.querySelector('.turns-scroll').scrollTop") == where
    page.locator(".dialogue .pill.back").click()
    expect(row(page, 61)).to_be_in_viewport()
    expect(page.locator(".dialogue .pill.back")).to_be_hidden()
    site.say(dialogue(*exchange(62, "question 62", "answer 62"), first=123))
    expect(row(page, 62).locator(".bot .bubble")).to_be_in_viewport()


def test_an_open_turn_waits_a_failed_one_says_so_and_an_undone_one_is_struck(site: Site, watch: Watch) -> None:
    said = [
        *exchange(1, "first", "one"),
        *exchange(2, "second", "two"),
        ("t2", Undone(turn="t2", why="rewind")),
        ("t3", TurnStarted(turn="t3", utterance="third")),
        ("t3", Failed(where="router", error="KeyError: 'intent'")),
        ("t4", TurnStarted(turn="t4", utterance="fourth")),
    ]
    site.say(dialogue(*said))
    page = watch.open(site, f"s={key_of('s')}&tab=dialogue")
    expect(row(page, 4).locator(".bubble.open")).to_be_visible()
    expect(row(page, 3).locator(".failed")).to_contain_text("router failed: KeyError: 'intent'")
    expect(row(page, 3).locator(".bubble.open")).to_have_count(0)
    assert "undone" in (row(page, 2).get_attribute("class") or "")
    assert "undone" not in (row(page, 1).get_attribute("class") or "")
    site.say(dialogue(("t4", Answered(text="four")), first=len(said) + 1))
    expect(row(page, 4).locator(".bot .bubble")).to_have_text("four")
    expect(row(page, 4).locator(".bubble.open")).to_have_count(0)


def test_the_keys_go_through_the_turns(open_told: Open) -> None:
    page = open_told("tab=dialogue&w=9_22&at=130")
    row(page, 18).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.turn") == "16"
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#panel-dialogue .said.current').dataset.turn === '16'")
    assert page.evaluate("document.activeElement.dataset.turn") == "16"
    page.keyboard.press("Home")
    assert page.evaluate("document.activeElement.dataset.turn") == "1"
    assert page.evaluate(SEEN)[0] == 1


HOSTILE = (
    '<img src=x onerror="document.title=1">',
    "</bdi></p><script>alert(1)</script>",
    "\u202eevil\u202c \u200bzero\x00nul",
    "{{7*7}} ${7*7} javascript:alert(1)",
    "\ud800 lone".encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
    "字" * 5000,
)


def test_hostile_words_are_words(site: Site, watch: Watch) -> None:
    site.say(dialogue(*[s for t, words in enumerate(HOSTILE, 1) for s in exchange(t, words, words)]))
    page = watch.open(site, f"s={key_of('s')}&tab=dialogue")
    expect(row(page, len(HOSTILE))).to_be_visible()
    page.keyboard.press("Home")
    row(page, len(HOSTILE)).focus()
    page.keyboard.press("Home")
    expect(row(page, 1).locator(".user .bubble")).to_have_text(HOSTILE[0])
    expect(row(page, 3).locator(".user .unseen").first).to_have_text("U+202E")
    assert page.locator("#right img, #right script").count() == 0
    assert page.evaluate(
        "[...document.querySelectorAll('.bubble')].every((e) => e.scrollWidth <= e.clientWidth + 1)"
    ), "nothing runs out of its bubble"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("tab", ["dialogue", "events"])
def test_axe_finds_nothing_grave_in_the_panel(open_told: Open, tab: str, theme: str) -> None:
    page = open_told(f"tab={tab}&w=9_22&at=130&theme={theme}&lang=zh&sel=turn~17~0~utterance:17")
    expect(page.locator("#panel-dialogue .said.current, .event-row.current")).to_be_visible()
    if tab == "events":
        expect(event(page, 130).locator(".words")).not_to_be_empty()
        event(page, 130).locator(".disclose button").click()
        expect(event(page, 130).locator("pre")).to_be_visible()
    assert axe.complaints(page) == []


def test_the_moment_stays_in_view_when_the_room_grows_less(site: Site, watch: Watch) -> None:
    site.say(dialogue(*[s for t in range(1, 31) for s in exchange(t, f"question {t}", f"answer {t}")]))
    for tab, last in (("dialogue", '#panel-dialogue .said[data-turn="30"]'), ("events", ".event-row.current")):
        page = watch.open(site, f"s={key_of('s')}&tab={tab}")
        expect(page.locator(last)).to_be_in_viewport(ratio=1)
        page.set_viewport_size({"width": 1600, "height": 600})
        expect(page.locator(last)).to_be_in_viewport(ratio=1)


def test_a_tab_that_is_opened_late_stands_where_the_map_does(open_told: Open) -> None:
    page = open_told("w=9_22&at=130")
    page.locator("#tab-dialogue").click()
    expect(row(page, 18)).to_be_in_viewport(ratio=1)
    page.locator("#tab-events").click()
    expect(event(page, 130)).to_be_in_viewport(ratio=1)
    page.locator("#tab-inspect").click()
    page.locator("#map").focus()
    for _ in range(5):
        page.keyboard.press(",")
    until(page, "/[#&]at=125(&|$)/.test(location.hash)")
    page.locator("#tab-events").click()
    expect(event(page, 125)).to_be_in_viewport(ratio=1)
    page.locator("#tab-dialogue").click()
    expect(page.locator("#panel-dialogue .said.current")).to_be_in_viewport(ratio=1)
    page.locator("#tab-inspect").click()
    page.keyboard.press("]")
    until(page, "location.hash.includes('sel=finding')")
    page.locator("#tab-dialogue").click()
    expect(page.locator("#panel-dialogue .said.picked")).to_be_in_viewport(ratio=1)


def test_a_tab_is_drawn_when_it_is_shown_and_in_the_language_of_then(open_told: Open) -> None:
    page = open_told("w=9_22&at=130&lang=en")
    page.locator("#tab-ask").wait_for()
    moments = page.locator("#right .moment")
    for words in ("对话", "Dialogue", "对话"):
        expect(moments).to_have_count(1)  # that of the inspector, which is shown
        page.keyboard.press("l")
        expect(page.locator("#right .tabs")).to_contain_text(words)
    page.locator("#tab-dialogue").click()
    expect(page.locator("#panel-dialogue .moment")).to_have_text("seq 130 时刻 · 第 18 轮")
    expect(page.locator(".reply-hint")).to_contain_text("要在这里说话")
    page.keyboard.press("l")
    expect(page.locator("#panel-dialogue .moment")).to_have_text("as of seq 130 · turn 18")
    page.locator("#tab-inspect").click()
    expect(page.locator("#panel-inspect .moment")).to_have_text("as of seq 130 · turn 18")


@pytest.fixture
def endless() -> Iterator[Serving]:
    """A map that keeps every turn."""
    pipeline = Pipeline(MemoryStore(), Index(None), policy=Policy(kept_turns=2 * LONG))
    with Serving(pipeline, Address(port=0), None) as serving:
        yield serving


def test_six_thousand_turns_are_a_few_rows_of_the_page(endless: Serving, watch: Watch) -> None:
    said = [
        s for t in range(1, LONG + 1) for s in exchange(t, f"第 {t} 轮的问题" * (1 + t % 7), f"答 {t} " * (1 + t % 23))
    ]
    items = dialogue(("", SessionStarted(title="long")), *said)
    for start in range(0, len(items), 3000):
        part = items[start : start + 3000]
        batch = {"v": VERSION, "source": "p", "probe": "p", "numbered": {"s": part[-1].n}}
        endless.deliver(batch | {"events": [numbered_to_dict(item) for item in part]})
    page = watch.page()
    page.goto(f"{endless.base}#t={endless.token}&s={key_of('s')}&tab=dialogue")
    until(page, f"document.querySelector('#panel-dialogue .said.current')?.dataset.turn === '{LONG}'")
    expect(row(page, LONG)).to_be_in_viewport()

    def elements() -> int:
        return int(page.evaluate("document.querySelectorAll('#panel-dialogue *').length"))

    assert elements() < 700
    for place in (1.0, 0.5, 0.123, 0.0):
        page.evaluate(
            "(part) => { const box = document.querySelector('.turns-scroll');"
            " box.scrollTop = part * (box.scrollHeight - box.clientHeight); }",
            place,
        )
        wanted = max(1, round(place * LONG))
        wait_for(
            lambda wanted=wanted: any(abs(turn - wanted) < LONG / 20 for turn in page.evaluate(SEEN)),  # type: ignore[misc]
            f"a turn near {wanted}",
        )
        assert elements() < 700
    page.locator("#map").focus()
    page.locator(".transport button").first.click()
    until(page, "document.querySelector('#panel-dialogue .said.current')?.dataset.turn === '1'")
    assert page.evaluate(SEEN)[0] == 1
    gap = page.evaluate(
        "(() => { const rows = [...document.querySelectorAll('#panel-dialogue .said')]"
        ".map((row) => row.getBoundingClientRect());"
        " return Math.max(...rows.slice(1).map((box, i) => Math.abs(box.top - rows[i].bottom))); })()"
    )
    assert gap < 1, "rows stand one below the other"
