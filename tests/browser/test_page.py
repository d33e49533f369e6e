"""The page over a recorded dialogue: looking, picking, switching, moving."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import picture
from tests.browser.conftest import KEY, SESSION, Watch
from tests.browser.passing import was_told
from tests.browser.picture import until
from tests.browser.serving import Site, key_of, wait_for
from tests.browser.telecom import numbered

pytestmark = pytest.mark.browser
Open = Callable[..., Page]

_OVERLAPS = """() => {
  const parts = '.top > *, .top button, .transport button, .range, #scrub, .legend span, .session';
  const boxes = [...document.querySelectorAll(parts)]
    .filter((e) => e.checkVisibility({visibilityProperty: true}))
    .map((e) => ({e, r: e.getBoundingClientRect()}))
    .filter(({r}) => r.width > 1 && r.height > 1);
  const bad = [];
  for (const a of boxes) {
    if (a.r.left < -0.5 || a.r.right > innerWidth + 0.5 || a.r.bottom > innerHeight + 0.5) {
      bad.push(['outside', a.e.className]);
    }
    for (const b of boxes) {
      if (a.e === b.e || a.e.contains(b.e) || b.e.contains(a.e)) continue;
      const w = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left);
      const h = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
      if (w > 1 && h > 1) bad.push([a.e.className, b.e.className]);
    }
  }
  return bad;
}"""


def test_a_click_on_a_mark_shows_its_values_and_raw_events(open_told: Open) -> None:
    page = open_told("w=9_22")
    picture.wait_for_colour(page, "state-bg")
    page.mouse.click(*picture.place_of(page, "flow-bg"))
    expect(page.locator("#right .heading .chip")).to_have_text("intent")
    expect(page.locator("#right .chart .point").first).to_be_visible()
    page.locator("#right .step").first.wait_for()
    events = page.locator("#panel-inspect .event")
    expect(events.first).to_contain_text("intent_routed")
    seqs = [int(seq) for seq in events.evaluate_all("all => all.map((event) => event.dataset.seq)")]
    assert seqs == sorted(seqs)
    page.mouse.move(5, 5)
    expect(page.locator(".trail")).to_be_visible()  # a click traces what the mark reaches
    page.keyboard.press("Escape")
    expect(page.locator(".trail")).to_be_hidden()
    expect(page.locator("#right .heading .chip")).to_have_text("intent")
    page.keyboard.press("Escape")
    expect(page.locator("#right h1").first).to_have_text("Session overview")


def test_the_pointer_is_told_what_it_is_over(open_told: Open) -> None:
    page = open_told("w=1_40.9")
    picture.wait_for_colour(page, "flow-bg")
    x, y = picture.place_of(page, "flow-bg")
    page.mouse.move(x, y)
    expect(page.locator(".tip")).to_contain_text("confidence 0.")
    page.keyboard.press("+")  # the mark leaves from under the pointer
    expect(page.locator(".tip")).to_be_hidden()
    page.mouse.move(5, 5)
    expect(page.locator(".tip")).to_be_hidden()


def test_a_slot_tells_who_wrote_and_read_it(open_told: Open) -> None:
    page = open_told("sel=node~18~0~slot:brand")
    steps = page.locator("#right .steps.state .step")
    expect(steps).to_have_count(7)
    assert [text.split()[1] for text in steps.all_inner_texts() if "set" in text or "overwrote" in text] == [
        "星途",
        "轻语",
    ]
    expect(page.locator("#right .step.bad").first).to_contain_text("overwrote")
    expect(page.locator("#right .callout")).to_have_count(2)
    steps.first.click()
    expect(steps.first).to_have_attribute("aria-current", "true")
    expect(page.locator("#panel-inspect .event.picked")).to_contain_text('"星途"')


def test_values_are_those_at_the_playhead(open_told: Open) -> None:
    page = open_told("sel=node~18~0~slot:brand&at=100")
    expect(page.locator("#panel-inspect .moment")).to_contain_text("seq 100")
    expect(page.locator("#right .facts dd").first).to_have_text("星途")
    expect(page.locator("#right .steps.state .step")).to_have_count(2)
    expect(page.locator("#right .callout")).to_have_count(0)
    assert all(
        int(seq) <= 100
        for seq in page.locator("#panel-inspect .event").evaluate_all("all => all.map((e) => e.dataset.seq)")
    )
    expect(page.locator(".badge")).to_contain_text("Replay")
    page.locator(".badge").click()
    expect(page.locator("#right .facts dd").first).to_have_text("轻语")


def test_a_moment_of_the_past_counts_what_had_happened_by_then(open_told: Open) -> None:
    page = open_told("at=100")
    size = page.locator("#right .heading .sub").last
    expect(page.locator("#panel-inspect .moment")).to_have_text("as of seq 100 · turn 14")
    expect(size).to_contain_text("14 turns · ")
    past = size.inner_text()
    expect(page.locator("#right .facts dd").first).to_have_text("100")
    expect(page.locator(".anomalies .count")).to_have_text("No anomalies")
    page.locator(".badge").click()
    expect(page.locator(".anomalies .count")).to_have_text("5 anomalies")
    expect(size).to_contain_text("40 turns · ")
    assert int(past.split()[3]) < int(size.inner_text().split()[3]), "nodes"


def test_findings_are_walked_through(open_told: Open) -> None:
    page = open_told()
    expect(page.locator(".anomalies .count")).to_have_text("5 anomalies")
    expect(page.locator("#right .callout")).to_have_count(5)
    seen = set()
    for _ in range(5):
        page.keyboard.press("]")
        expect(page.locator("#right .chip.bad")).to_be_visible()
        seen.add(page.locator("#right .heading .sub").inner_text())
        names = page.locator("#right .facts dt").all_inner_texts()
        assert all(name[0].isupper() for name in names), f"a fact without words: {names}"
        turns = page.locator("#right .of-turn").all_inner_texts()
        assert turns, "evidence stands by turn"
        assert len(set(turns)) == len(turns), f"a turn is told twice: {turns}"
    assert len(seen) == 5
    expect(page.locator("#panel-inspect .event").first).to_be_visible()


def test_layers_switch_and_one_stays_on(open_told: Open) -> None:
    page = open_told()
    layers = page.locator(".segment .layer")
    picture.wait_for_colour(page, "know")
    page.keyboard.press("3")
    expect(layers.nth(2)).to_have_attribute("aria-pressed", "false")
    layers.nth(1).click()
    expect(layers.nth(1)).to_have_attribute("aria-pressed", "false")
    layers.nth(0).click()
    expect(layers.nth(0)).to_have_attribute("aria-pressed", "true")  # the last one stays
    wait_for(lambda: not picture.count(page, "know") and picture.count(page, "flow"), "the flow alone")
    until(page, "location.hash.includes('l=flow')")
    page.reload()
    expect(layers.nth(2)).to_have_attribute("aria-pressed", "false")


def test_the_theme_follows_the_system_until_it_is_chosen(open_told: Open) -> None:
    page = open_told(scheme="dark")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.emulate_media(color_scheme="light")
    until(page, "document.documentElement.dataset.theme === 'light'")
    picture.wait_for_colour(page, "flow-bg")
    page.keyboard.press("t")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    picture.wait_for_colour(page, "flow-bg")
    page.emulate_media(color_scheme="dark")
    page.emulate_media(color_scheme="light")
    page.reload()
    page.wait_for_selector(".range b")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark", "a choice is kept"


def test_the_language_follows_the_reader_until_it_is_chosen(open_told: Open) -> None:
    page = open_told(locale="zh-CN")
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    expect(page.locator(".legend h2")).to_contain_text("图例")
    page.keyboard.press("l")
    expect(page.locator(".legend h2")).to_contain_text("Legend")
    words = page.locator(".top, .legend, .transport, .session-foot").all_inner_texts()
    titles = page.locator("button:visible").evaluate_all("all => all.map((b) => b.ariaLabel ?? '')")
    interface = " ".join(words + titles).replace("套餐变更 · 流量争议", "").replace("中文", "")
    assert not [char for char in interface if "\u4e00" <= char <= "\u9fff"]
    page.reload()
    expect(page.locator(".legend h2")).to_contain_text("Legend")


def test_the_window_is_dragged_on_the_timeline(open_told: Open) -> None:
    page = open_told()
    expect(page.locator(".range b")).to_have_text("28–40")
    expect(page.locator(".latest")).to_be_hidden()
    box = page.locator("#scrub").bounding_box()
    assert box is not None
    middle = box["y"] + 50
    page.mouse.move(box["x"] + box["width"] * 0.83, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.4, middle, steps=8)
    page.mouse.up()
    until(page, "(([first]) => first >= 5 && first <= 20)(document.querySelector('.range b').textContent.split('–'))")
    expect(page.locator(".latest")).to_contain_text("newer turn")
    page.keyboard.press("f")
    expect(page.locator(".range b")).to_have_text("28–40")


def test_play_steps_and_ends_at_the_latest(open_told: Open) -> None:
    page = open_told()
    page.get_by_role("button", name="To the start").click()
    expect(page.locator(".range b")).to_contain_text("1–")
    expect(page.locator(".badge")).to_contain_text("Replay")
    page.locator(".step-unit").click()
    page.locator(".step-speed").click()  # at 2x it takes half a minute: it doesn't end before it is stopped
    page.get_by_role("button", name="Play", exact=True).click()
    until(page, "Number(document.querySelector('.badge .mono').textContent.replace(/\\D/g, '')) > 20")
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    held = page.locator(".badge .mono").inner_text()
    page.get_by_role("button", name="Step forward").click()
    expect(page.locator(".badge .mono")).not_to_have_text(held)
    page.get_by_role("button", name="To the latest").click()
    expect(page.locator(".range b")).to_have_text("28–40")
    expect(page.locator(".badge")).to_contain_text("Live")


def test_search_steps_through_and_leaves_a_composition_alone(open_told: Open) -> None:
    page = open_told()
    page.keyboard.press("/")
    field = page.locator(".finder input")
    expect(field).to_be_focused()
    field.fill("工单")
    expect(page.locator(".found")).to_have_text("33")
    field.evaluate(
        "f => f.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))"
    )
    expect(page.locator(".found")).to_have_text("33")
    page.keyboard.press("Enter")
    expect(page.locator(".found")).to_have_text(re.compile(r"^\d+/33$"))
    first = page.locator(".found").inner_text()
    page.keyboard.press("Shift+Enter")
    expect(page.locator(".found")).to_have_text(f"{int(first.split('/')[0]) - 1}/33")
    page.keyboard.press("t")  # in a field keys are letters
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
    page.keyboard.press("Escape")
    expect(field).to_have_value("")
    expect(field).not_to_be_focused()


def test_a_copied_link_leads_to_the_same_place(open_told: Open, watch: Watch, told: Site) -> None:
    # Without the clipboard API, as over plain HTTP on another machine.
    page = open_told(
        "w=5_16&sel=node~12~0~slot:brand", init="Object.defineProperty(navigator, 'clipboard', {value: undefined});"
    )
    page.evaluate("document.addEventListener('copy', () => { window.copied = document.activeElement.value; })")
    page.locator(".pane-bar").get_by_role("button", name="Copy link").click()
    expect(page.locator(".toast")).to_contain_text("Link copied")
    link = page.evaluate("window.copied")
    assert told.token not in link
    other = watch.page(locale="zh-CN")
    other.goto(link.replace("#", f"#t={told.token}&"))
    expect(other.locator("#right h1").first).to_contain_text("产品线")
    expect(other.locator(".range b")).to_have_text("5–15")
    expect(other.locator(".legend h2")).to_contain_text("Legend")  # the link carries the language too
    assert told.token not in other.url


def test_an_address_opens_its_session_in_a_tab_that_shows_another(site: Site, watch: Watch) -> None:
    site.say(numbered(SESSION, title="first"), source="one")
    site.say(numbered("s-other", 3, title="second"), source="two")
    page = watch.open(site, f"s={KEY}")
    title = page.locator(".crumb b")
    expect(title).to_have_text("first")
    page.goto(f"{site.url}#t={site.token}&s={key_of('s-other')}")
    expect(title).to_have_text("second")
    until(page, f"location.hash.startsWith('#s={key_of('s-other')}')")
    page.goto(f"{site.url}#t={site.token}&s={KEY[:12]}&w=5_16")
    expect(title).to_have_text("first")
    expect(page.locator(".range b")).to_have_text("5–15")
    page.goto(f"{site.url}#s={'0' * 32}")
    was_told(page, ".toast", f"No session has the key {'0' * 32}")
    expect(title).to_have_text("first")
    until(page, f"location.hash.startsWith('#s={KEY}')")
    fresh = watch.open(site, "s=0123456789ab")
    was_told(fresh, ".toast", "No session has the key 0123456789ab")
    expect(fresh.locator(".card h1")).to_have_text("This session is not here")
    fresh.locator(".session", has_text="second").click()
    expect(fresh.locator(".crumb b")).to_have_text("second")


def test_without_a_token_the_page_asks_for_it(watch: Watch, told: Site) -> None:
    watch.forgiven.append("401")
    page = watch.page()
    page.goto(f"{told.url}#s={KEY}")
    expect(page.locator(".card h1")).to_have_text("An access token is needed")
    expect(page.locator(".card .refused")).to_have_count(0)
    page.locator(".token").fill("wrong")
    page.locator(".card .primary").click()
    expect(page.locator(".card h1")).to_have_text("An access token is needed")
    expect(page.locator(".card .refused")).to_contain_text("refused this token")
    page.locator(".token").fill(f"{told.url}#t={told.token}")
    page.locator(".card .primary").click()
    expect(page.locator(".range b")).to_have_text("28–40")
    page.reload()
    expect(page.locator(".range b")).to_have_text("28–40")


def test_under_a_sub_path_every_address_stays_below_it(watch: Watch, told: Site) -> None:
    page = watch.page()
    asked: list[str] = []

    def proxy(route: Route) -> None:
        url = urlsplit(route.request.url)
        asked.append(url.path)
        if not url.path.startswith("/map/"):
            route.abort()
            return
        query = f"?{url.query}" if url.query else ""
        route.fulfill(response=route.fetch(url=told.url + url.path.removeprefix("/map/") + query))

    page.route("**/*", proxy)
    page.route_web_socket(lambda url: True, lambda line: asked.append(urlsplit(line.url).path))
    page.goto(f"{told.url}map/#t={told.token}&s={KEY}")
    expect(page.locator(".range b")).to_have_text("28–40")
    page.keyboard.press("]")
    expect(page.locator("#panel-inspect .event").first).to_be_visible()
    wait_for(lambda: page.evaluate("true") and "/map/ws" in asked, "the live line")
    assert [path for path in asked if not path.startswith("/map/")] == []
    assert f"/map/api/sessions/{KEY}/events" in asked
    assert urlsplit(page.url).path == "/map/"
    page.goto("about:blank")  # the page asks for more until it is left, and a picture may still be under way
    page.unroute_all(behavior="ignoreErrors")


@pytest.mark.parametrize("locale", ["zh-CN", "en-US"])
def test_nothing_overlaps(open_told: Open, locale: str) -> None:
    page = open_told(locale=locale)
    for width, height in ((1600, 1000), (1280, 800), (1024, 700), (860, 640)):
        picture.resize(page, width, height)
        assert page.evaluate(_OVERLAPS) == [], (width, height)
        assert page.evaluate("[document.body.scrollWidth, document.body.scrollHeight]") == [width, height]


def test_every_control_has_a_name_and_a_size(open_told: Open) -> None:
    page = open_told("sel=node~16~0~intent:change_plan")
    controls = page.locator("button:visible, input:visible, [tabindex='0']:visible")
    nameless = controls.evaluate_all(
        "all => all.filter((e) => !(e.ariaLabel || e.textContent.trim() || e.title)).map((e) => e.outerHTML)"
    )
    assert nameless == []
    small = page.locator("button:visible:not(.link)").evaluate_all(
        "all => all.filter((e) => Math.min(e.offsetWidth, e.offsetHeight) < 24).map((e) => e.outerHTML.slice(0, 120))"
    )
    assert small == []
    host = page.locator("#map")
    expect(host).to_have_attribute("role", "application")
    expect(host).to_have_attribute("aria-label", "Dialogue score")


def test_the_keyboard_reaches_everything(open_told: Open) -> None:
    page = open_told()
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.className || document.activeElement.id"))
    for part in ("layer flow", "badge", "session", "map", "play", "session-search", "callout-head"):
        assert any(part in name for name in reached), (part, reached)
    page.locator("#map").focus()
    page.keyboard.press("?")
    expect(page.locator("dialog.help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog.help")).to_have_count(0)
    expect(page.locator("#map")).to_be_focused()
