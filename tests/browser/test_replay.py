"""The moment shown: stepped to, played to, typed in, kept in a link; and turns that have left the map."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import pytest
from playwright.sync_api import Page, Route, expect

from bench.dialogues import generate
from lingbot_probes.signals import Numbered
from tests.browser.conftest import Watch
from tests.browser.passing import was_told
from tests.browser.picture import drawn, until
from tests.browser.serving import Site, key_of, wait_for

pytestmark = pytest.mark.browser
Open = Callable[..., Page]

LONG = "s-long"
TURNS = 2500
LONG_KEY = key_of(LONG)


@pytest.fixture(scope="module")
def story() -> list[Numbered]:
    """More turns than a map keeps, and some to come."""
    return list(generate(3040, session=LONG))


@pytest.fixture(scope="module")
def long_site(tmp_path_factory: pytest.TempPathFactory, story: Sequence[Numbered]) -> Iterator[Site]:
    """A server that holds a session of which the map has let the first turns go."""
    with Site(tmp_path_factory.mktemp("long")) as site:
        site.say([item for item in story if int(item.turn[1:] or 0) <= TURNS])
        assert site.get(f"api/sessions/{LONG_KEY}/keyframe")["retired"] > 500
        yield site


def open_long(watch: Watch, site: Site, fragment: str = "", **how: object) -> Page:
    """The long session, drawn."""
    page = watch.open(site, f"s={LONG_KEY}&{fragment}", **how)
    page.wait_for_selector(".range b")
    until(page, "document.querySelector('.range').textContent.includes('25')")
    return page


def moment(page: Page) -> str:
    """What the readout says."""
    return page.locator(".moment-field").input_value()


def type_moment(page: Page, text: str) -> None:
    """Type where to go into the readout."""
    page.keyboard.press("g")
    page.keyboard.insert_text(text)
    page.keyboard.press("Enter")


def pictured(page: Page) -> bytes:
    """The map as it looks when nothing in it has the pointer or the keys."""
    page.mouse.move(2, 2)
    page.evaluate("document.activeElement.blur()")
    drawn(page)
    return page.locator("#main").screenshot()


def still(page: Page) -> bytes:
    """The map once it looks the same twice."""
    before = [pictured(page)]

    def same() -> bool:
        last, before[0] = before[0], pictured(page)
        return last == before[0]

    wait_for(same, "a still map")
    return before[0]


def shown(page: Page) -> dict[str, object]:
    """What a reader sees of the place."""
    return {
        "range": page.locator(".range").inner_text(),
        "moment": moment(page),
        "layers": page.locator(".segment .layer").evaluate_all("all => all.map((e) => e.getAttribute('aria-pressed'))"),
        "query": page.locator(".finder input").input_value(),
        "found": page.locator(".finder .found").inner_text().split("/")[-1],
        "filtered": page.locator(".pill.filtered").all_inner_texts(),
        "tab": page.locator(".tabs [aria-selected='true']").inner_text(),
        "theme": page.evaluate("document.documentElement.dataset.theme"),
        "lang": page.evaluate("document.documentElement.lang"),
    }


def test_events_and_turns_are_stepped_through(open_told: Open) -> None:
    page = open_told("w=9_22&at=100")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T14 #100 "))
    for key, seq in ((".", 101), (".", 102), (",", 101)):
        page.keyboard.press(key)
        expect(page.locator(".moment-field")).to_have_value(re.compile(rf"#{seq} "))
    page.keyboard.press("Shift+.")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T14 "))
    page.keyboard.press("Shift+.")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T15 "))
    page.keyboard.press("Shift+,")
    page.keyboard.press("Shift+,")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T13 "))
    page.keyboard.press("Shift+End")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T40 "))
    page.keyboard.press("Shift+Home")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T1 "))
    expect(page.locator(".range b")).to_have_text("1–13")


def test_the_moments_of_anomalies_are_gone_to(open_told: Open) -> None:
    page = open_told("w=9_22")
    seen: list[int] = []

    def gone_to(key: str) -> int:
        before = moment(page)
        page.keyboard.press(key)
        expect(page.locator(".moment-field")).not_to_have_value(before)
        return int(re.search(r"#(\d+)", moment(page))[1])  # type: ignore[index]

    for _ in range(5):
        seen.append(gone_to("Shift+["))
        expect(page.locator("#right .chip.bad")).to_be_visible()
        expect(page.locator(".anomalies .count")).to_contain_text(str(5 - len(seen) + 1))
    assert seen == sorted(set(seen), reverse=True)
    assert gone_to("Shift+]") == seen[-2]


def test_a_moment_can_be_typed_in(open_told: Open) -> None:
    page = open_told("w=1_14")
    type_moment(page, "第 30 轮")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T30 "))
    expect(page.locator(".range b")).not_to_have_text("1–13")
    expect(page.locator(".badge")).to_contain_text("Replay")
    type_moment(page, "14:21:46")  # when turn 22 read the product line, as the list of events has it
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T22 #\d+ .*14:21:46"))
    type_moment(page, "#100")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T14 #100 "))
    page.keyboard.press("g")
    page.keyboard.insert_text("turn 99")
    page.keyboard.press("Enter")
    expect(page.locator(".moment-field")).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".toast")).to_contain_text("40 turns")
    page.keyboard.press("Escape")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"#100 "))


def test_playing_goes_to_the_end_at_every_speed(open_told: Open) -> None:
    page = open_told("w=28_41&at=250")
    speed = page.locator(".step-speed")
    for words in ("2×", "4×", "8×", "16×"):
        speed.click()
        expect(speed).to_have_text(words)
    page.keyboard.press("Escape")
    page.locator(".transport .play").click()
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T40 "))
    expect(page.locator(".badge")).not_to_contain_text("Replay")
    speed.click()
    expect(speed).to_have_text("as was")
    speed.click()
    expect(speed).to_have_text("0.5×")


def test_scrubbing_asks_the_server_for_nothing(open_told: Open) -> None:
    page = open_told("w=9_22&tab=dialogue")
    expect(page.locator(".tabs [aria-selected='true']")).to_have_text("Dialogue")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/api/" in request.url else None)
    box = page.locator("#scrub").bounding_box()
    assert box is not None
    y = box["y"] + 94
    page.mouse.move(box["x"] + 40, y)
    page.mouse.down()
    for x in range(60, int(box["width"]) - 60, 40):
        page.mouse.move(box["x"] + x, y)
    page.mouse.up()
    for key in ",.,.":
        page.keyboard.press(key)
    expect(page.locator(".badge")).to_contain_text("Replay")
    assert asked == []


def test_a_link_shows_exactly_what_it_was_made_from(open_told: Open, watch: Watch, told: Site) -> None:
    page = open_told("w=9_22&sel=node~18~0~slot:brand", scheme="dark", locale="zh-CN")
    page.keyboard.press("3")
    page.keyboard.press("x")
    page.get_by_label("槽位读取").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.insert_text("slot:brand -轻语")
    page.keyboard.press("Enter")
    page.locator("#map").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".trail")).to_be_visible()
    page.locator("#tab-dialogue").click()
    type_moment(page, "#150")
    until(page, "location.hash.includes('at=150')")
    before, picture = shown(page), still(page)
    until(page, "location.hash.includes('trail=1')")
    fragment = page.evaluate("location.hash.slice(1)")
    for part in ("s=", "e=", "w=", "sel=", "l=", "at=", "q=", "f=", "tab=", "trail="):
        assert part in fragment, f"{part} is not in {fragment}"
    copied = f"{fragment}&theme=dark&lang=zh"
    other = watch.open(told, copied, scheme="light", locale="en-US")
    expect(other.locator(".moment-field")).to_have_value(moment(page))
    expect(other.locator(".trail")).to_be_visible()
    wait_for(lambda: shown(other) == before, f"all of {before}")
    wait_for(lambda: pictured(other) == picture, "the same picture of the map")


def test_a_link_of_another_epoch_opens_with_a_hint(open_told: Open) -> None:
    page = open_told("e=0123456789abcdef&w=9_22&at=100")
    was_told(page, ".toast", "before the server recovered")
    expect(page.locator(".moment-field")).to_have_value(re.compile("#100 "))


def test_filters_hide_on_map_and_list_and_say_how_much(open_told: Open) -> None:
    page = open_told("w=9_22&tab=events")
    pill = page.locator(".pill.filtered")
    expect(pill).to_be_hidden()
    page.keyboard.press("x")
    page.get_by_label("Only anomalies").check()
    expect(pill).to_contain_text(re.compile(r"^\d+ of \d+ marks shown"))
    few, of = (int(n) for n in re.findall(r"\d+", pill.inner_text())[:2])
    assert 0 < few < of
    page.get_by_label("Slot writes").uncheck()
    expect(pill).not_to_contain_text(f"{few} of")
    page.keyboard.press("Escape")
    page.keyboard.press("2")
    expect(page.locator(".filter-button")).to_have_attribute("aria-pressed", "true")
    until(page, "location.hash.includes('f=anomalies')")
    pill.click()
    expect(pill).to_be_hidden()
    until(page, "!location.hash.includes('f=')")


def test_a_turn_that_left_the_map_is_fetched_and_back_is_at_once(
    watch: Watch, long_site: Site, story: list[Numbered]
) -> None:
    page = open_long(watch, long_site)
    expect(page.locator(".range b")).to_have_text(re.compile(r"–2500$"))
    type_moment(page, "turn 3")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T3 #"))
    expect(page.locator(".badge")).to_contain_text("Replay")
    until(
        page,
        "(([low, high]) => Number(low) <= 3 && Number(high) >= 3)"
        "(document.querySelector('.range b').textContent.split('–'))",
    )
    said = next(item.signal.utterance for item in story if item.turn == "t3")  # type: ignore[union-attr]
    page.locator("#tab-dialogue").click()
    expect(page.locator("#panel-dialogue")).to_contain_text(said)
    until(page, "location.hash.includes('at=')")
    here = page.locator(".range").inner_text()
    held = moment(page)

    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    long_site.say([item for item in story if TURNS < int(item.turn[1:] or 0) <= TURNS + 20])
    expect(page.locator(".range")).to_contain_text(f"/ {TURNS + 20}")
    assert page.locator(".range b").inner_text() in here
    assert moment(page) == held
    page.keyboard.press(".")
    page.keyboard.press("Shift+.")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T4 #"))
    page.keyboard.press("f")
    expect(page.locator(".moment-field")).to_have_value(re.compile(rf"^T{TURNS + 20} #"))
    expect(page.locator(".range b")).to_have_text(re.compile(rf"–{TURNS + 20}$"))
    assert [url for url in asked if "keyframe" in url] == [], "what was fetched or is at hand is not fetched again"


def test_a_link_to_a_moment_that_left_the_map_opens_there(watch: Watch, long_site: Site) -> None:
    page = open_long(watch, long_site, "w=1_14&at=30&sel=turn~3~0~utterance:3")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"#30 "))
    expect(page.locator(".range b")).to_have_text("1–13")
    expect(page.locator("#panel-inspect .moment")).to_contain_text("seq 30")
    page.locator(".badge").click()
    expect(page.locator(".range b")).not_to_have_text("1–13")


def test_the_window_can_rest_on_turns_that_left_the_map(watch: Watch, long_site: Site) -> None:
    page = open_long(watch, long_site)
    page.keyboard.press("Home")
    expect(page.locator(".range b")).to_have_text("1–13")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T13 #"))
    for _ in range(3):
        page.locator("#map").focus()
        page.keyboard.press("ArrowRight")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T16 #"))
    page.keyboard.press("End")
    expect(page.locator(".badge")).not_to_contain_text("Replay")
    expect(page.locator(".range b")).to_have_text(re.compile(r"–25\d\d$"))


def test_all_of_a_deleted_session_that_was_at_hand_stays_also_from_the_past(
    site: Site, watch: Watch, story: Sequence[Numbered]
) -> None:
    watch.forgiven.append("404")  # its raw events are gone
    site.say([item for item in story if int(item.turn[1:] or 0) <= TURNS])
    page = open_long(watch, site, "at=30")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"#30 "))
    site.ask("DELETE", f"api/sessions/{LONG_KEY}")
    expect(page.locator(".badge")).to_have_text("Deleted")
    expect(page.locator(".range")).to_contain_text(f"/ {TURNS}")
    page.locator("#map").focus()
    page.keyboard.press("End")
    expect(page.locator(".range b")).to_have_text(re.compile(rf"–{TURNS}$"))
    expect(page.locator(".badge")).to_have_text("Deleted")


def test_what_cannot_be_fetched_is_told_once_and_the_newest_stays(watch: Watch, long_site: Site) -> None:
    page = open_long(watch, long_site)
    watch.forgiven.append("503")
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(status=503, content_type="application/json", body="{}")

    page.route("**/keyframe?at=*", refuse)
    page.clock.install()
    page.keyboard.press("Home")
    was_told(page, ".toast", re.compile("."))
    page.clock.run_for(3000)
    assert len(asked) == 1, "it is not asked for again while nothing moves"
    page.keyboard.press("f")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T25\d\d #"))


def test_turns_that_leave_the_map_while_one_reads_them_stay(
    watch: Watch, long_site: Site, story: Sequence[Numbered]
) -> None:
    page = open_long(watch, long_site, "w=1100_1113&at=8600")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"#8600 "))
    read = moment(page)
    page.locator("#tab-dialogue").click()
    words = page.locator("#panel-dialogue").inner_text()
    long_site.say([item for item in story if int(item.turn[1:] or 0) > TURNS])
    until(page, "document.querySelector('.range').textContent.includes('/ 3040')")
    assert long_site.get(f"api/sessions/{LONG_KEY}/keyframe")["retired"] > 1200
    expect(page.locator(".moment-field")).to_have_value(read)
    expect(page.locator(".range b")).to_have_text("1100–1112")
    expect(page.locator("#panel-dialogue")).to_contain_text(words.split("\n")[0])
    page.keyboard.press("f")
    expect(page.locator(".moment-field")).to_have_value(re.compile(r"^T3040 #"))
