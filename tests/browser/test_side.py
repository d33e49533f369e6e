"""The panel on the right: the dialogue as text, and how it goes with the map."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from lingbot_map.pipeline import Pipeline
from lingbot_map.policy import Policy
from lingbot_map.store.index import Index
from lingbot_map.store.memory import MemoryStore
from lingbot_probes.codec import VERSION, numbered_to_dict
from lingbot_probes.signals import Answered, Failed, Numbered, Raw, SessionStarted, Signal, TurnStarted, Undone
from lingbot_web.address import Address
from lingbot_web.running import Serving
from tests.browser import axe
from tests.browser.conftest import KEY, Watch
from tests.browser.picture import until
from tests.browser.serving import Site, key_of, wait_for

pytestmark = pytest.mark.browser
Open = Callable[..., Page]

LONG = 6000
SEEN = """() => {
  const room = document.querySelector('.turns-scroll').getBoundingClientRect();
  return [...document.querySelectorAll('.said')]
    .map((row) => [Number(row.dataset.turn), row.getBoundingClientRect()])
    .filter(([, box]) => box.bottom > room.top + 4 && box.top < room.bottom - 4)
    .map(([turn]) => turn);
}"""


def dialogue(*signals: tuple[str, Signal], session: str = "s", first: int = 1) -> list[Numbered]:
    """Signals of ``session``, each with the id of its turn."""
    return [
        Numbered(session=session, n=n, turn=turn, said_at=1_790_000_000.0 + n, signal=signal)
        for n, (turn, signal) in enumerate(signals, first)
    ]


def exchange(turn: int, user: str, *bot: str) -> list[tuple[str, Signal]]:
    """What a turn of plain talk says."""
    name = f"t{turn}"
    return [(name, TurnStarted(turn=name, utterance=user)), *((name, Answered(text=text)) for text in bot)]


def current(page: Page) -> list[str]:
    """Numbers of the turns that are marked as the moment's."""
    return list(page.locator(".said[aria-current=true]").evaluate_all("all => all.map((row) => row.dataset.turn)"))


def row(page: Page, turn: int) -> Any:
    """The line of a turn."""
    return page.locator(f'.said[data-turn="{turn}"]')


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
    until(page, "document.querySelector('.said[aria-current=true]').dataset.turn < 18")
    before = int(current(page)[0])
    assert before in page.evaluate(SEEN)
    page.locator(".transport button").first.click()
    until(page, "document.querySelector('.said[aria-current=true]')?.dataset.turn === '1'")
    assert page.evaluate(SEEN)[0] == 1


def test_a_click_on_a_turn_is_a_moment_and_a_selection(open_told: Open) -> None:
    page = open_told("tab=dialogue&w=30_40&at=60")
    place = int(current(page)[0])
    row(page, place + 1).locator(".user .bubble").click()
    until(page, f"document.querySelector('.said.current').dataset.turn === '{place + 1}'")
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
    until(page, "document.querySelector('.said.current')?.dataset.turn === '40'")
    for _ in range(2):
        page.keyboard.press("]")
    until(page, "document.querySelector('.said.picked') !== null")
    picked = int(page.locator(".said.picked").get_attribute("data-turn") or 0)
    assert picked in page.evaluate(SEEN)
    assert picked < 40
    expect(page.locator(".dialogue .pill.back")).to_contain_text("40")


def test_the_reader_is_not_dragged_back_while_looking_elsewhere(site: Site, watch: Watch) -> None:
    site.say(dialogue(*[s for t in range(1, 61) for s in exchange(t, f"question {t}", f"answer {t}")]))
    page = watch.open(site, f"s={key_of('s')}&tab=dialogue")
    until(page, "document.querySelector('.said.current')?.dataset.turn === '60'")
    page.locator(".turns-scroll").hover()
    page.mouse.wheel(0, -3000)
    expect(page.locator(".dialogue .pill.back")).to_be_visible()
    where = page.evaluate("document.querySelector('.turns-scroll').scrollTop")
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
    until(page, "document.querySelector('.said.current').dataset.turn === '16'")
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


def event(page: Page, seq: int) -> Any:
    """The line of an event."""
    return page.locator(f'.event-row[data-seq="{seq}"]')


def test_the_list_of_events_goes_with_the_moment_and_leads_to_it(open_told: Open) -> None:
    page = open_told("tab=events&w=9_22&at=130&lang=en")
    expect(event(page, 130)).to_have_attribute("aria-current", "true")
    expect(event(page, 130).locator(".event-kind")).to_have_text("intent routed")
    expect(event(page, 130).locator(".words")).to_have_text("价格查询 · 0.87")
    expect(event(page, 130)).to_contain_text("turn 18")
    assert "later" in (event(page, 131).get_attribute("class") or "")
    page.locator("#map").focus()
    for _ in range(25):
        page.keyboard.press(".")
    expect(event(page, 155)).to_have_attribute("aria-current", "true")
    expect(event(page, 155)).to_be_in_viewport()
    event(page, 150).click()
    until(page, "/[#&]at=150(&|$)/.test(location.hash)")
    expect(page.locator(".event-row[aria-current=true]")).to_have_count(1)
    event(page, 150).focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    until(page, "/[#&]at=149(&|$)/.test(location.hash)")
    assert page.evaluate("document.activeElement.dataset.seq") == "149"


def test_an_event_opens_to_what_was_logged(told: Site, open_told: Open) -> None:
    page = open_told("tab=events&w=9_22&at=130")
    event(page, 130).locator("button").click()
    shown = json.loads(event(page, 130).locator("pre").inner_text())
    assert shown == told.get(f"api/sessions/{KEY}/events?from=130&to=130")["events"][0]
    below = event(page, 131).bounding_box()
    above = event(page, 130).bounding_box()
    assert above is not None
    assert below is not None
    assert abs(above["y"] + above["height"] - below["y"]) < 1
    event(page, 130).locator(".disclose button").click()
    expect(event(page, 130).locator("pre")).to_have_count(0)


def test_only_what_is_looked_at_is_fetched(site: Site, watch: Watch) -> None:
    said = [s for t in range(1, 1501) for s in exchange(t, f"question {t}", f"answer {t}")]
    site.say(dialogue(*said))
    asked: list[tuple[int, int]] = []
    page = watch.page()

    def note(request: Request) -> None:
        found = re.search(r"/events\?from=(\d+)&to=(\d+)", request.url)
        if found:
            asked.append((int(found[1]), int(found[2])))

    page.on("request", note)
    page.goto(f"{site.url}#t={site.token}&s={key_of('s')}&tab=events")
    last = site.get(f"api/sessions/{key_of('s')}")["events"]
    expect(event(page, last).locator(".words")).to_have_text("answer 1500")
    page.locator(".event-scroll").evaluate("box => { box.scrollTop = 0; }")
    expect(event(page, 4).locator(".words")).to_have_text("question 1")
    assert sum(to - start + 1 for start, to in asked) < 400
    assert page.locator(".event-row").count() < 60


def test_lost_struck_and_unplaced_events_look_it(site: Site, watch: Watch) -> None:
    said = dialogue(
        *exchange(1, "first", "one"),
        *exchange(2, "second", "two"),
        ("t2", Undone(turn="t2", why="rewind")),
        ("t2", Raw(name="odd <b>thing</b>", data={"a": 1})),
        *exchange(3, "third", "three"),
    )
    late = dialogue(*exchange(4, "fourth", "four"), first=20)
    site.say([item for item in said if item.n != 4] + late, made=21)
    page = watch.open(site, f"s={key_of('s')}&tab=events")
    lost = page.locator(".event-row.lost .words")
    wait_for(
        lambda: sum(int(re.sub(r"\D", "", words) or 0) for words in lost.all_inner_texts()) == 1 + 11,
        "the loss of number 4 and of 9 to 19",
    )
    expect(page.locator(".event-row", has_text="odd <b>thing</b>").locator(".mark")).to_have_text("not placed")
    struck = page.locator(".event-row.undone")
    expect(struck).to_have_count(1)
    expect(struck).to_contain_text("second")


def test_the_list_says_how_much_of_it_the_filters_let_through(open_told: Open) -> None:
    page = open_told("tab=events&lang=en&f=-doc,-read&l=flow,state")
    counted = page.locator(".counted")
    expect(counted).to_contain_text("of")
    shown, total = (int(number) for number in re.findall(r"\d+", counted.inner_text()))
    assert 0 < shown < total
    kinds = set(page.locator(".event-kind").all_inner_texts())
    assert kinds
    assert not kinds & {"retrieved", "slot read", "answered"}  # answers are of the layer that is off
    page.locator(".layer").nth(2).click()
    until(page, f"Number(document.querySelector('.counted').textContent.match(/\\d+/)[0]) > {shown}")


def test_a_million_rows_are_reached_to_the_last(open_told: Open) -> None:
    page = open_told("tab=events")
    found = page.evaluate(
        """async () => {
          const { RowScroll, HIGH } = await import('lb/eventlist_scroll');
          const make = (i) => {
            const row = document.createElement('div');
            row.className = 'event-row';
            row.textContent = i;
            return row;
          };
          const still = { onReader: () => {}, onRoom: () => {} };
          const scroll = new RowScroll({ row: (i) => ({ sign: String(i), make: () => make(i) }), ...still });
          const room = document.createElement('div');
          room.style.cssText = 'position: fixed; left: 0; top: 0; width: 300px; height: 420px; z-index: 99';
          room.append(scroll.element);
          document.body.append(room);
          await new Promise((done) => setTimeout(done, 100)); // it learns how much room there is
          scroll.take(1_000_000, -1);
          const seen = () => [...room.querySelectorAll('.event-row')]
            .map((row) => [Number(row.textContent), row.getBoundingClientRect().top])
            .filter(([, top]) => top > -HIGH + 1 && top < 419);
          const out = { start: seen()[0], nodes: room.querySelectorAll('*').length };
          scroll.element.scrollTop = scroll.element.scrollHeight;
          await new Promise((done) => setTimeout(done, 100));
          out.end = seen().at(-1);
          scroll.show(500_000);
          out.middle = seen().find(([i]) => i === 500_000);
          scroll.show(500_001);
          out.next = seen().find(([i]) => i === 500_001);
          room.remove();
          return out;
        }"""
    )
    assert found["start"] == [0, 0]
    assert found["nodes"] < 60
    assert found["end"][0] == 999_999
    assert abs(found["end"][1] + 42 - 420) < 2
    assert 0 <= found["middle"][1] <= 378
    assert abs(found["next"][1] - found["middle"][1] - 42) < 1


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("tab", ["dialogue", "events"])
def test_axe_finds_nothing_grave_in_the_panel(open_told: Open, tab: str, theme: str) -> None:
    page = open_told(f"tab={tab}&w=9_22&at=130&theme={theme}&lang=zh&sel=turn~17~0~utterance:17")
    expect(page.locator(".said.current, .event-row.current")).to_be_visible()
    if tab == "events":
        expect(event(page, 130).locator(".words")).not_to_be_empty()
        event(page, 130).locator(".disclose button").click()
        expect(event(page, 130).locator("pre")).to_be_visible()
    assert axe.complaints(page) == []


def test_the_moment_stays_in_view_when_the_room_grows_less(site: Site, watch: Watch) -> None:
    site.say(dialogue(*[s for t in range(1, 31) for s in exchange(t, f"question {t}", f"answer {t}")]))
    for tab, last in (("dialogue", '.said[data-turn="30"]'), ("events", ".event-row.current")):
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
    expect(page.locator(".said.current")).to_be_in_viewport(ratio=1)
    page.locator("#tab-inspect").click()
    page.keyboard.press("]")
    until(page, "location.hash.includes('sel=finding')")
    page.locator("#tab-dialogue").click()
    expect(page.locator(".said.picked")).to_be_in_viewport(ratio=1)


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
    until(page, f"document.querySelector('.said.current')?.dataset.turn === '{LONG}'")
    expect(row(page, LONG)).to_be_in_viewport()

    def drawn() -> int:
        return int(page.evaluate("document.querySelectorAll('#panel-dialogue *').length"))

    assert drawn() < 700
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
        assert drawn() < 700
    page.locator("#map").focus()
    page.locator(".transport button").first.click()
    until(page, "document.querySelector('.said.current')?.dataset.turn === '1'")
    assert page.evaluate(SEEN)[0] == 1
    gap = page.evaluate(
        "(() => { const rows = [...document.querySelectorAll('.said')].map((row) => row.getBoundingClientRect());"
        " return Math.max(...rows.slice(1).map((box, i) => Math.abs(box.top - rows[i].bottom))); })()"
    )
    assert gap < 1, "rows stand one below the other"
