"""Taking things out of the page: one file that opens from disk with no network, pictures, and none of it acts."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from lingbot_web.cli import run as command
from tests.browser import picture
from tests.browser.conftest import KEY, Watch
from tests.browser.passing import was_told
from tests.browser.picture import drawn, until
from tests.browser.serving import PATIENCE, Site
from tests.torture import export_xss
from tests.torture.export_xss import Heard, Markup
from tests.torture.hostile import STRINGS, hostile

pytestmark = pytest.mark.browser
Open = Callable[..., Page]

PLACE = "w=9_22&sel=node~18~0~slot:brand&at=130&l=flow,state&theme=dark&lang=zh"
MOST_BESIDE_DATA = 1_000_000
SVG = "{http://www.w3.org/2000/svg}"


def take(page: Page, kind: str, out: Path) -> Path:
    """Choose ``kind`` in the export menu and keep what comes."""
    page.keyboard.press("e")
    with page.expect_download() as download:
        page.locator(f".export-menu [data-kind={kind}]").click()
    path = out / download.value.suggested_filename
    download.value.save_as(path)
    return path


@pytest.fixture
def from_disk(browser: Browser) -> Iterator[Callable[..., tuple[Page, Heard]]]:
    """Opens a file with the network off; what it says or asks for is heard."""
    opened: list[tuple[Path, Heard]] = []

    def open_file(path: Path, fragment: str = "") -> tuple[Page, Heard]:
        # Another language, theme and zone than the exporter's: what the file says goes before them.
        context = browser.new_context(
            viewport={"width": 1600, "height": 1000},
            offline=True,
            locale="en-US",
            color_scheme="light",
            reduced_motion="reduce",
            accept_downloads=True,
        )
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        heard = Heard(page)
        opened.append((path, heard))
        page.goto(path.as_uri() + fragment)
        page.wait_for_selector(".range b")
        until(page, "document.querySelector('.range b').textContent !== '0'")
        drawn(page)
        return page, heard

    yield open_file
    for path, heard in opened:
        assert heard.said == []
        assert [url.partition("#")[0] for url in heard.asked if not url.startswith("blob:")] == [path.as_uri()]
    for context in browser.contexts:
        context.close()


Disk = Callable[..., tuple[Page, Heard]]


def state(page: Page) -> dict[str, object]:
    """What a reader sees of where they are."""
    return {
        "moment": page.locator("#panel-inspect .moment").inner_text(),
        "subject": page.locator("#panel-inspect .heading h1").inner_text(),
        "facts": page.locator("#panel-inspect .facts").first.inner_text(),
        "events": page.locator("#panel-inspect .event").all_inner_texts(),
        "range": page.locator(".range").inner_text(),
        "layers": [each.get_attribute("aria-pressed") for each in page.locator(".layer").all()],
        "title": page.locator(".crumb b").inner_text(),
        "theme": page.evaluate("document.documentElement.dataset.theme"),
        "lang": page.evaluate("document.documentElement.lang"),
    }


def test_the_file_shows_what_was_shown_when_it_was_exported(open_told: Open, from_disk: Disk, tmp_path: Path) -> None:
    page = open_told(PLACE)
    page.locator("#panel-inspect .event").first.wait_for()
    path = take(page, "html", tmp_path)
    assert path.name == "套餐变更 · 流量争议.html"
    was_told(page, ".toast", "套餐变更 · 流量争议.html")
    markup = Markup(path.read_text("utf-8"))
    data = sum(len(block.encode()) for block in markup.blocks())
    assert path.stat().st_size - data < MOST_BESIDE_DATA
    copy, _ = from_disk(path)
    copy.locator("#panel-inspect .event").first.wait_for()
    assert state(copy) == state(page)
    assert state(copy)["theme"] == "dark"
    assert state(copy)["lang"] == "zh-CN"


def test_a_file_is_a_recording_to_be_read(open_told: Open, from_disk: Disk, tmp_path: Path) -> None:
    path = take(open_told(), "html", tmp_path)
    page, _ = from_disk(path)
    expect(page.locator(".badge")).to_contain_text("Recorded")
    expect(page.locator(".badge .mono")).not_to_be_empty()
    expect(page.locator("#left-list")).to_be_hidden()
    expect(page.locator("#about-file")).to_contain_text("套餐变更 · 流量争议")
    expect(page.locator("#about-file")).to_contain_text("40 turns")
    page.keyboard.press("]")
    expect(page.locator("#right .callout").first).to_be_visible()
    page.locator("#panel-inspect .event").first.wait_for()
    page.keyboard.press(",")
    expect(page.locator(".badge")).to_contain_text("Replay")
    page.keyboard.press("/")
    page.keyboard.type("流量")
    page.keyboard.press("Enter")
    expect(page.locator("#right h1").first).not_to_have_text("Session overview")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    kinds = page.locator(".export-menu [data-kind]").evaluate_all("all => all.map((item) => item.dataset.kind)")
    assert set(kinds) == {"png", "svg", "csv", "print"}, "the others are for a server to make"


def test_a_file_that_lies_open_for_long_misses_no_server(open_told: Open, browser: Browser, tmp_path: Path) -> None:
    path = take(open_told(), "html", tmp_path)
    page = browser.new_page()
    page.clock.install()
    page.goto(path.as_uri())
    expect(page.locator(".badge")).to_have_class(re.compile(r"\brecorded\b"))
    page.evaluate(
        """() => {
          window.seen = [];
          const look = () => window.seen.push(document.querySelector('.badge').className);
          new MutationObserver(look).observe(document.body, {subtree: true, childList: true, attributes: true});
        }"""
    )
    for _ in range(4):
        page.clock.fast_forward(20_500)
        page.keyboard.press("[")
        page.keyboard.press("]")
        expect(page.locator(".badge")).not_to_have_class(re.compile(r"\boffline\b"))
    seen = page.evaluate("window.seen")
    assert seen
    assert not [classes for classes in seen if "offline" in classes]
    page.context.close()


def test_the_help_of_a_file_lists_what_works_in_it(open_told: Open, from_disk: Disk, tmp_path: Path) -> None:
    served = open_told("lang=en")
    path = take(served, "html", tmp_path)
    page, _ = from_disk(path)
    for shown, live in ((served, True), (page, False)):
        shown.keyboard.press("?")
        keys = shown.locator(".help dt kbd").all_inner_texts()
        assert ("O" in keys) is live, keys
        assert ("F" in keys) is live, keys
        assert bool(re.search(r"\blive\b|\bimport\b", shown.locator(".help").inner_text())) is live


def test_a_link_into_a_file_opens_at_its_own_place(open_told: Open, from_disk: Disk, tmp_path: Path) -> None:
    path = take(open_told("at=130"), "html", tmp_path)
    page, _ = from_disk(path, "#at=100&sel=node~18~0~slot:brand")
    expect(page.locator("#panel-inspect .moment")).to_contain_text("seq 100")
    expect(page.locator("#right .facts dd").first).to_have_text("星途")


_PARSES = """() => {
  const said = [];
  for (const act of [() => { document.createElement('p').innerHTML = '<b>x</b>'; },
    () => { document.createElement('script').textContent = 'x'; }, () => trustedTypes.createPolicy('any', {})]) {
    try { act(); said.push('done'); } catch (error) { said.push(error.name); }
  }
  return said;
}"""
_REFUSED = ["TypeError", "TypeError", "TypeError"]


def test_neither_page_nor_file_makes_markup_or_code_of_text(
    open_told: Open, watch: Watch, browser: Browser, tmp_path: Path
) -> None:
    page = open_told()
    path = take(page, "html", tmp_path)
    watch.forgiven += ["TrustedHTML", "TrustedScript", "trusted-types", "Trusted Type", "unsafe-eval", "CSP"]
    assert page.evaluate(_PARSES) == _REFUSED
    copy = browser.new_context(offline=True).new_page()
    copy.goto(path.as_uri())
    assert copy.evaluate(_PARSES) == _REFUSED
    copy.evaluate("document.body.append(Object.assign(document.createElement('img'), { src: 'http://127.0.0.1:1/x' }))")
    assert copy.evaluate("fetch('http://127.0.0.1:1/').then(() => 'sent', (error) => error.name)") == "TypeError"


def test_raw_events_can_be_left_out_of_the_file(open_told: Open, from_disk: Disk, tmp_path: Path) -> None:
    page = open_told("sel=node~18~0~slot:brand")
    page.keyboard.press("e")
    page.locator(".export-events").click()
    page.keyboard.press("Escape")
    path = take(page, "html", tmp_path)
    assert len(Markup(path.read_text("utf-8")).blocks()) == 2
    copy, _ = from_disk(path)
    expect(copy.locator("#right .raw")).to_contain_text("without raw events")


def test_the_command_gives_a_file_that_opens_at_the_moment_asked_for(from_disk: Disk, tmp_path: Path) -> None:
    session = hostile(tmp_path / "data", ("one", "two", "three"), session="call")
    out = tmp_path / "call.html"
    arguments = ["export", session, "--to", "html", "--at", "9", "--data", str(tmp_path / "data"), "--out", str(out)]
    assert command(arguments) == 0
    page, _ = from_disk(out)
    expect(page.locator("#panel-inspect .moment")).to_contain_text("seq 9")


def test_a_picture_is_the_view_with_a_title_at_twice_the_resolution(open_told: Open, tmp_path: Path) -> None:
    page = open_told("w=9_22")
    picture.wait_for_colour(page, "state-bg")
    path = take(page, "png", tmp_path)
    assert path.name.endswith(" 9-21.png")
    content = path.read_bytes()
    width, height = (int.from_bytes(content[at : at + 4]) for at in (16, 20))
    map_width, map_height = page.evaluate(
        "[document.querySelector('#map').clientWidth, document.querySelector('#map').clientHeight]"
    )
    assert width == 2 * map_width
    assert 2 * map_height + 120 < height < 2 * map_height + 400
    assert len(content) > 100_000, "an empty canvas packs into next to nothing"


def test_the_svg_has_title_time_range_and_legend_as_text(open_told: Open, tmp_path: Path) -> None:
    page = open_told("w=9_22&at=150&lang=en")
    picture.wait_for_colour(page, "state-bg")
    root = ElementTree.fromstring(take(page, "svg", tmp_path).read_text("utf-8"))
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert texts[0] == "套餐变更 · 流量争议"
    assert "turns 9–21 of 40" in texts[1]
    assert "as of seq 150" in texts[1]
    assert "UTC" in texts[1]
    assert "Intent, confidence, slots" in texts
    assert "Flow" in texts
    assert {"9", "21"} <= set(texts)


def test_nothing_of_a_hostile_recording_acts(browser: Browser) -> None:
    report = export_xss.run(browser, STRINGS)
    assert report.failures == []


def test_a_hostile_picture_is_well_formed_and_holds_shapes_and_text_alone(
    watch: Watch, site: Site, tmp_path: Path
) -> None:
    session = hostile(tmp_path / "recorded", STRINGS[:12], session="evil")
    out = tmp_path / "evil.jsonl"
    assert command(["export", session, "--data", str(tmp_path / "recorded"), "--out", str(out)]) == 0
    assert command(["import", str(out), "--data", str(site.data)]) == 0
    page = watch.open(site)
    page.locator(".range b").wait_for()
    until(page, "document.querySelector('.range b').textContent !== '0'")
    page.keyboard.press("0")
    root = ElementTree.fromstring(take(page, "svg", tmp_path).read_text("utf-8"))
    allowed = {"svg", "title", "defs", "clipPath", "linearGradient", "stop", "g", "path", "rect", "text"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= allowed
    names = {name for element in root.iter() for name in element.attrib}
    assert not [name for name in names if name.startswith("on") or "href" in name or name == "style"]
    assert any("<script>" in "".join(text.itertext()) for text in root.iter(f"{SVG}text"))


def test_the_table_is_the_one_that_the_command_writes(open_told: Open, told: Site, tmp_path: Path) -> None:
    page = open_told("at=150&lang=zh")
    page.keyboard.press("0")
    taken = take(page, "csv", tmp_path).read_bytes()
    out = tmp_path / "command.csv"
    arguments = [
        "export",
        KEY,
        "--to",
        "csv",
        "--at",
        "150",
        "--lang",
        "zh",
        "--data",
        str(told.data),
        "--out",
        str(out),
    ]
    assert command(arguments) == 0
    assert taken == out.read_bytes()
    assert taken.count(b"\r\n") > 10


def test_the_recording_comes_out_as_it_is_kept(open_told: Open, told: Site, tmp_path: Path) -> None:
    lines = take(open_told(), "jsonl", tmp_path).read_text("utf-8").splitlines()
    events = told.get(f"api/sessions/{KEY}")["events"]
    assert len(lines) == events + 1
    assert json.loads(lines[0])["session"] == "s-7f3a91"
