"""A design drawn over the score: brought by key, drop or option; its pill, steps and legend; and what it leaves."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lingbot_probes.signals import Numbered, Signal
from tests.browser import axe
from tests.browser.conftest import Watch
from tests.browser.passing import was_told
from tests.browser.picture import count, drawn
from tests.browser.serving import Site, key_of, wait_for
from tests.builders import answered, routed, said

pytestmark = pytest.mark.browser

CASES = Path(__file__).resolve().parents[2] / "snapshots" / "cases"
DRIFT, POLLUTED = key_of("case-recall-drift"), key_of("case-slot-pollution")
Open = Callable[..., Page]
EVIL = "<img src=x onerror=alert(1)>\u202e"
DESIGN = f"""@startuml
actor User
User -> Router : hi
Router -> Router : classify
opt 业务变更
  Router -> Slots : clearSlots({EVIL})
end
Router -> Handler : dispatch
Handler -> Handler : think {EVIL}
Handler --> User : answer
@enduml
"""
BROKEN = DESIGN.replace("end\n", "", 1)
DROP = """([name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name));
  for (const kind of ['dragenter', 'dragover', 'drop'])
    document.querySelector('#map').dispatchEvent(
      new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    data = tmp_path_factory.mktemp("designs") / "data"
    shutil.copytree(CASES, data / "cases")
    with Site(data) as site:
        yield site


@pytest.fixture
def open_case(watch: Watch, cases: Site) -> Open:
    def open_page(fragment: str = "", key: str = DRIFT, **how: object) -> Page:
        page = watch.open(cases, f"s={key}&{fragment}", **how)
        expect(page.locator(".range b")).not_to_have_text("0")
        drawn(page)
        return page

    return open_page


def bring(page: Page, path: Path) -> None:
    """Choose a file as the key D offers."""
    # Said well before the key: the browser learns of it later than of a key that comes right behind.
    page.on("filechooser", lambda chooser: chooser.set_files(path))
    for _ in range(3):
        drawn(page)
    page.keyboard.press("d")


def drop(page: Page, name: str, text: str) -> None:
    page.evaluate(DROP, [name, text])


def pixels(page: Page) -> str:
    """The map's canvas as it is drawn, once it is drawn twice alike."""
    seen = [""]

    def still() -> bool:
        drawn(page)
        before, seen[0] = seen[0], page.evaluate("document.querySelector('#map .score-map').toDataURL()")
        return seen[0] == before

    wait_for(still, "a still map")
    return seen[0]


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    path = tmp_path / "flow.puml"
    path.write_text(DESIGN, "utf-8")
    return path


@pytest.mark.parametrize(("lang", "scheme"), [("zh", "light"), ("en", "dark")])
def test_a_design_is_drawn_by_key_and_its_steps_lead_to_their_events(
    open_case: Open, flow: Path, lang: str, scheme: str
) -> None:
    page = open_case(f"lang={lang}", scheme=scheme)
    bring(page, flow)
    pill = page.locator(".pill.design")
    expect(pill).to_contain_text("2 轮没按设计走（共 6 轮）" if lang == "zh" else "2 of 6 turns not as designed")
    expect(pill).to_contain_text("1 条消息没有检查" if lang == "zh" else "1 message not checked")
    expect(page.locator(".legend-marks .design-missing")).to_have_count(1)
    wait_for(lambda: count(page, "ok"), "ticks on the map")
    page.locator("#map").focus()
    page.keyboard.press("d")
    title = page.locator(".inspector h1")
    turn = title.inner_text()
    page.keyboard.press("d")
    expect(title).not_to_have_text(turn)
    missing = page.locator(".design-steps li.missing")
    expect(missing).to_have_count(1)
    expect(missing).to_contain_text("m3")
    expect(missing).to_contain_text("业务变更")
    expect(page.locator(".design-steps li.matched")).to_have_count(4)
    assert axe.complaints(page) == []
    step = page.locator(".design-steps button").nth(1)
    seq = step.locator(".end").inner_text()
    step.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".event.picked")).to_contain_text(seq)
    expect(page.locator(".design-steps button").nth(1)).to_be_focused()


def test_texts_of_a_design_are_text(open_case: Open) -> None:
    page = open_case("lang=en")
    text = f"sequenceDiagram\nactor U\nU->>B: hi\nB->>B: clear {EVIL}\nB->>C: think {EVIL}\nB-->>U: ok\n"
    drop(page, f"{EVIL}.mmd", text)
    expect(page.locator(".pill.design b")).to_contain_text("<img src=x onerror=alert(1)>")
    page.keyboard.press("d")
    expect(page.locator(".design-steps li.missing").first).to_contain_text("clear <img src=x onerror=alert(1)>")
    expect(page.locator("#right img, .pills img")).to_have_count(0)
    expect(page.locator(".pill.design .warn")).to_have_attribute("title", re.compile("m3 think <img src=x"))
    assert "\u202e" not in page.locator("body").inner_text()


def test_taken_off_the_map_is_as_it_was(open_case: Open) -> None:
    page = open_case("lang=en&w=1_7")
    page.locator("#map").focus()
    before = pixels(page)
    ids = page.locator("#score-focus").inner_text()
    drop(page, "flow.puml", DESIGN)
    expect(page.locator(".pill.design")).to_contain_text("not as designed")
    wait_for(lambda: pixels(page) != before, "a design on the map")
    page.locator(".pill.design [aria-label='Take the design off']").click()
    expect(page.locator(".pill.design")).to_be_hidden()
    expect(page.locator(".legend-marks .design-missing")).to_have_count(0)
    wait_for(lambda: pixels(page) == before, "the map as it was")
    assert page.locator("#score-focus").inner_text() == ids


def test_a_broken_diagram_is_told_with_its_line_and_replaces_nothing(open_case: Open, watch: Watch) -> None:
    watch.forgiven.append("400")
    page = open_case("lang=en")
    drop(page, "flow.puml", DESIGN)
    expect(page.locator(".pill.design")).to_contain_text("2 of 6")
    drop(page, "broken.puml", BROKEN)
    was_told(page, ".toast", "broken.puml was not drawn: line 5")
    expect(page.locator(".pill.design b")).to_have_text("flow.puml")
    drop(page, "classes.puml", "@startuml\nclass A\n@enduml\n")
    was_told(page, ".toast", "a class diagram")
    drop(page, "large.puml", "'" + "x" * 300_000)
    was_told(page, ".toast", "256 thousand characters")
    expect(page.locator(".pill.design b")).to_have_text("flow.puml")


def test_a_design_that_has_nothing_to_do_with_the_record_is_told(open_case: Open) -> None:
    page = open_case("lang=zh")
    drop(page, "cache.mmd", "sequenceDiagram\nA->>B: clear cache\n")
    expect(page.locator(".pill.design")).to_contain_text("毫不相干")
    drop(page, "order.mmd", "sequenceDiagram\nactor User\nUser->>B: hi\nB->>C: deduct\nB-->>User: ok\n")
    expect(page.locator(".pill.design")).to_contain_text("只看得到有人说话")


def test_another_session_is_held_against_the_same_design(open_case: Open) -> None:
    page = open_case("lang=en")
    drop(page, "flow.puml", DESIGN)
    expect(page.locator(".pill.design")).to_contain_text("2 of 6")
    page.evaluate("key => { location.hash = 's=' + key + '&lang=en'; }", POLLUTED)
    expect(page.locator(".pill.design")).to_contain_text("of 19 turns")


def test_the_operators_design_follows_a_live_session(watch: Watch, tmp_path: Path, flow: Path) -> None:
    def turn(n: int, at: int, intent: str) -> list[Numbered]:
        signals: list[Signal] = [said("hi", turn=str(n)), routed(intent), answered("ok")]
        return [Numbered(session="live", n=at + i, signal=each, turn=str(n)) for i, each in enumerate(signals)]

    with Site(tmp_path / "data", "--design", str(flow)) as site:
        site.say(turn(1, 1, "repair"))
        page = watch.open(site, f"s={key_of('live')}&lang=en")
        expect(page.locator(".pill.design")).to_contain_text("all 1 turn as designed")
        site.say(turn(2, 4, "purchase"))
        expect(page.locator(".pill.design")).to_contain_text("1 of 2 turns not as designed")
        page.context.close()


def test_a_narrow_page_keeps_the_pill_in_sight(open_case: Open) -> None:
    page = open_case("lang=en", width=700, height=800)
    drop(page, "flow.puml", DESIGN)
    close = page.locator(".pill.design [aria-label='Take the design off']")
    expect(close).to_be_visible()
    box = close.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 700
    close.click()
    expect(page.locator(".pill.design")).to_be_hidden()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_on_a_phone_what_the_pill_says_is_whole_and_no_toast_covers_it(
    open_case: Open, watch: Watch, lang: str
) -> None:
    watch.forgiven.append("400")
    page = open_case(f"lang={lang}", width=400, height=800)
    drop(page, "cache-of-the-checkout-service.mmd", "sequenceDiagram\nA->>B: clear cache\n")
    said = page.locator(".design-said > span").first
    expect(said).to_contain_text("毫不相干" if lang == "zh" else "None of its steps")
    assert said.evaluate("words => words.scrollWidth - words.clientWidth") <= 0
    expect(page.locator(".toast")).to_have_count(0)
    drop(page, "broken.puml", BROKEN)
    expect(page.locator(".toast")).to_contain_text("broken.puml")
    toast, pill = page.locator(".toast").bounding_box(), page.locator(".pill.design").bounding_box()
    assert toast is not None
    assert pill is not None
    assert toast["y"] + toast["height"] <= pill["y"]
