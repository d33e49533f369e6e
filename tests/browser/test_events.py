"""The list of events: it goes with the moment, opens to what was logged, and fetches what is looked at."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect

from lingbot_probes.signals import Doc, Raw, Retrieved, Undone
from tests.browser.conftest import KEY, Watch
from tests.browser.picture import until
from tests.browser.plain_talk import dialogue, exchange
from tests.browser.serving import Site, key_of, wait_for

pytestmark = pytest.mark.browser
Open = Callable[..., Page]


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


def test_a_slot_has_one_name_in_every_event_and_its_id_when_pointed_at(told: Site, open_told: Open) -> None:
    logged = told.get(f"api/sessions/{KEY}/events?from=1&to=400")["events"]
    of_brand = [each for each in logged if each["signal"].get("slot") == "brand"]
    read = next(each["seq"] for each in of_brand if each["signal"]["kind"] == "slot_read")
    page = open_told(f"tab=events&at={read}&lang=en")
    words = event(page, read).locator(".words")
    expect(words).to_have_text("产品线")
    expect(words).to_have_attribute("title", "brand")


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


def test_a_line_that_has_no_room_keeps_the_number_that_it_ends_in(site: Site, watch: Watch) -> None:
    query = "how much data does the plan for the whole family hold, and what does more of it cost " * 3
    found = Retrieved(query=query, stage="prompt", docs=tuple(Doc(id=f"kb-{i}", score=0.5) for i in range(12)))
    site.say(dialogue(*exchange(1, query + "with 40 GB", "one"), ("t1", found)))
    page = watch.open(site, f"s={key_of('s')}&tab=events")
    for end in ("12 documents", "40 GB"):
        kept = page.locator(".event-row .kept", has_text=end)
        expect(kept).to_have_count(1)
        row = kept.locator("xpath=..")
        assert row.locator(".cut").evaluate("cut => cut.scrollWidth > cut.clientWidth")
        box, line = kept.bounding_box(), row.bounding_box()
        assert box is not None
        assert line is not None
        assert box["x"] + box["width"] <= line["x"] + line["width"] + 0.5
        assert kept.evaluate("end => end.scrollWidth <= end.clientWidth + 1"), "whole"


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
          const until = async (holds) => { while (!holds()) await new Promise(requestAnimationFrame); };
          await until(() => scroll.room); // it learns how much there is
          scroll.take(1_000_000, -1);
          const seen = () => [...room.querySelectorAll('.event-row')]
            .map((row) => [Number(row.textContent), row.getBoundingClientRect().top])
            .filter(([, top]) => top > -HIGH + 1 && top < 419);
          const out = { start: seen()[0], nodes: room.querySelectorAll('*').length };
          scroll.element.scrollTop = scroll.element.scrollHeight;
          await until(() => seen().some(([i]) => i === 999_999));
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
