"""Pictures of the page in all its states, into ``shots/``: ``python -m tests.browser.shots [part of a name ...]``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, WebSocketRoute, sync_playwright

from bench.dialogues import generate
from lingbot_web.cli import run
from tests.browser.conftest import KEY, SESSION
from tests.browser.serving import Site, key_of, wait_for
from tests.browser.shots_access import listed
from tests.browser.shots_ask import answering
from tests.browser.shots_states import standing
from tests.browser.telecom import numbered
from tests.browser.test_reply import demo, session_of
from tests.conftest import BROWSERS

OUT = Path(__file__).resolve().parent.parent.parent / "shots"
STARTED = 1_790_000_000.0
SIZES = ((1600, 1000), (1280, 800), (1024, 700))

Act = Callable[[Page], None]


def nothing(page: Page) -> None:
    """Leave the page as it opened."""


def trace(page: Page) -> None:
    """Light what the picked mark reaches."""
    page.locator("#map").focus()
    page.keyboard.press("Enter")
    page.locator(".trail").wait_for()


def press(*keys: str) -> Act:
    """Press keys, one after the other."""

    def act(page: Page) -> None:
        for key in keys:
            page.keyboard.press(key)

    return act


def menu(page: Page) -> None:
    """Open the menu of a session."""
    page.locator(".session").nth(1).hover()
    page.locator(".session-more").nth(1).click()


def open_event(page: Page) -> None:
    """Open the event that the moment is at to what was logged."""
    page.locator(".event-row.current .disclose button").click()


def search(page: Page) -> None:
    """Search for something that is there."""
    page.keyboard.press("/")
    page.keyboard.type("流量")
    page.keyboard.press("Enter")


def grammar(page: Page) -> None:
    """Open what the search box understands."""
    page.keyboard.press("/")
    page.locator(".finder-button").click()
    page.locator(".grammar").wait_for()


def hinted(page: Page) -> None:
    """Search with a term that is none."""
    page.keyboard.press("/")
    page.keyboard.insert_text("turn:soon slot:brand")
    page.locator(".finder-hint").wait_for()


def lower(page: Page) -> None:
    """Show the end of the panel on the right."""
    page.locator("#panel-inspect .event").first.wait_for()
    page.locator("#right .panel:not([hidden])").evaluate("panel => { panel.scrollTop = panel.scrollHeight / 2.4; }")


def on_paper(page: Page) -> None:
    """Show what the printer gets."""
    page.emulate_media(media="print")
    page.locator(".print-sheet table").wait_for()


# Name, fragment after the session, what is done then. Each is taken in both themes and languages at 1600x1000.
VIEWS: tuple[tuple[str, str, Act], ...] = (
    ("main", "w=9_22&sel=node~18~SEQ~slot:brand", nothing),
    ("live", "", nothing),
    ("trace", "w=9_22&sel=node~16~INTENT~intent:change_plan", trace),
    ("overview", "", press("0")),
    ("detail", "w=14_19&sel=node~17~0~intent:data_dispute", nothing),
    ("knowledge", "w=16_25&l=knowledge&sel=node~19~0~doc:kb-0117", nothing),
    ("turn", "w=9_22&sel=turn~18~0~utterance:18", nothing),
    ("answer", "w=9_22&sel=node~19~0~answer:19", nothing),
    ("finding", "", press("]", "]")),
    ("replay", "w=9_22&at=130&sel=node~18~0~slot:brand", nothing),
    ("pane-intent", "w=9_22&sel=node~16~0~intent:change_plan", lower),
    ("pane-slot", "w=9_22&sel=node~18~SEQ~slot:brand", lower),
    ("pane-doc", "w=16_25&sel=node~19~0~doc:kb-0117", lower),
    ("changes", "w=9_22&tab=changes&sel=turn~18~0~utterance:18", nothing),
    ("changes-far", "w=9_22&tab=changes&ab=60_250", nothing),
    ("changes-none", "w=9_22&tab=changes&ab=100_100", nothing),
    ("table", "w=9_22&view=table&sel=turn~18~0~utterance:18", nothing),
    ("table-past", "w=9_22&view=table&at=131&l=flow,state", nothing),
    ("print", "w=9_22", on_paper),
    ("dialogue", "w=9_22&at=130&sel=turn~17~0~utterance:17&tab=dialogue", nothing),
    ("events", "w=9_22&at=130&tab=events", open_event),
    ("search", "", search),
    ("search-slot", "w=9_22&q=slot%3Abrand", nothing),
    ("search-far", "w=1_41&q=conf%3C0.7", nothing),
    ("search-grammar", "w=9_22", grammar),
    ("search-hint", "w=9_22", hinted),
    ("filter", "w=9_22&f=anomalies", press("x")),
    ("filter-kinds", "w=9_22&f=-read,-doc", nothing),
    ("menu", "", menu),
    ("help", "", press("?")),
    ("export", "w=9_22&sel=node~18~0~slot:brand", press("e")),
    ("ask", "w=9_22&tab=ask", nothing),
    ("ask-why", "w=9_22&tab=ask&aq=Why%20was%20turn%2018%20answered%20like%20this%3F", nothing),
)


class Camera:
    """Takes the pictures whose name holds one of ``wanted`` (all, if there is none)."""

    def __init__(self, browser: Browser, wanted: list[str]) -> None:
        self.browser = browser
        self.wanted = wanted

    def wants(self, name: str) -> bool:
        """Whether that picture was asked for."""
        return not self.wanted or any(part in name for part in self.wanted)

    def take(
        self,
        name: str,
        address: str,
        act: Act = nothing,
        *,
        size: tuple[int, int] = SIZES[0],
        prepare: Act = nothing,
    ) -> None:
        """Open ``address``, do ``act``, wait until nothing moves, and keep the picture."""
        if not self.wants(name):
            return
        context = self.browser.new_context(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
        page = context.new_page()
        prepare(page)
        page.goto(address)
        page.wait_for_load_state("networkidle")
        page.locator(".range b").wait_for()
        act(page)
        page.mouse.move(2, 2)
        still(page)
        page.screenshot(path=OUT / f"{name}.png")
        context.close()


def still(page: Page) -> None:
    """Wait until two looks in a row show the same."""
    before: list[bytes] = [b""]

    def same() -> bool:
        now = page.screenshot()
        last, before[0] = before[0], now
        return last == now

    wait_for(same, "a still picture")


def variants() -> list[tuple[str, str]]:
    """(suffix of the name, part of the fragment)"""
    return [(f"{lang}-{theme}", f"lang={lang}&theme={theme}") for lang in ("zh", "en") for theme in ("light", "dark")]


def told(camera: Camera, site: Site) -> None:
    """All views of a session that is told already."""
    site.say(numbered(SESSION, at=STARTED))
    site.say(numbered("s-7f3a8c", 12, at=STARTED, title="宽带报修 · 上门预约"), "b")
    site.say(numbered("s-7f3a77", 23, at=STARTED, title="国际漫游开通"), "c")
    story = numbered("s-7f39e2", 31, at=STARTED, title="携号转网咨询")
    site.say([item for item in story if not 150 < item.n <= 187], "d", made=len(story))
    keyframe = site.get(f"api/sessions/{KEY}/keyframe")
    seqs = {
        "SEQ": next(
            s for i, s in zip(keyframe["edges"]["id"], keyframe["edges"]["seq"], strict=True) if "overwrite" in i
        ),
        "INTENT": next(
            s
            for i, s, t in zip(*(keyframe["edges"][k] for k in ("id", "seq", "turn")), strict=True)
            if i.startswith("jump") and t == 16
        ),
    }
    for name, fragment, act in VIEWS:
        for mark, seq in seqs.items():
            fragment = fragment.replace(mark, str(seq))
        for suffix, how in variants():
            camera.take(f"{name}-{suffix}", f"{site.url}#t={site.token}&s={KEY}&{how}&{fragment}", act)
    for width, height in SIZES[1:]:
        for suffix, how in variants():
            address = f"{site.url}#t={site.token}&s={KEY}&{how}&w=9_22&sel=node~18~{seqs['SEQ']}~slot:brand"
            camera.take(f"main-{width}-{suffix}", address, size=(width, height))
            camera.take(f"table-{width}-{suffix}", f"{address}&view=table", size=(width, height))
            camera.take(f"changes-{width}-{suffix}", f"{address}&tab=changes", size=(width, height))
            camera.take(f"plain-{width}-{suffix}", f"{site.url}#t={site.token}&s={KEY}&{how}", size=(width, height))
    for suffix, how in variants():
        dropped = f"{site.url}#t={site.token}&s={key_of('s-7f39e2')}&{how}"
        camera.take(f"state-dropped-{suffix}", dropped, press("0"))
        camera.take(f"state-unauthorised-{suffix}", f"{site.url}#{how}")


def filed(camera: Camera, site: Site) -> None:
    """A page of one file, opened from disk."""
    site.say(numbered(SESSION, at=STARTED))
    out = site.data / "filed.html"
    if run(["export", KEY, "--to", "html", "--data", str(site.data), "--out", str(out)]):
        raise RuntimeError("the session could not be exported")
    for suffix, how in variants():
        camera.take(f"file-{suffix}", f"{out.as_uri()}#{how}&w=9_22&at=130&sel=node~18~0~slot:brand")
    for width, height in SIZES[1:]:
        camera.take(f"file-{width}", f"{out.as_uri()}#lang=en&theme=light", press("e"), size=(width, height))


def troubled(camera: Camera, site: Site) -> None:
    """A line that breaks, and an event that can't be applied."""
    site.say(numbered(SESSION, 39, at=STARTED))
    rest = numbered(SESSION, at=STARTED)[len(numbered(SESSION, 39)) :]

    def broken(page: Page) -> None:
        lines: list[WebSocketRoute] = []

        def meddle(route: WebSocketRoute) -> None:
            lines.append(route)
            if len(lines) > 1:
                route.close(code=1011)
                return
            route.connect_to_server()

        page.route_web_socket(lambda url: "/ws" in url, meddle)
        page.lines = lines  # type: ignore[attr-defined]

    def cut(page: Page) -> None:
        page.locator(".badge.live").wait_for()
        page.route("**/api/sessions?*", lambda route: route.abort())
        page.lines[-1].close(code=1011)  # type: ignore[attr-defined]
        page.locator(".banner").wait_for()

    def spoil(page: Page) -> None:
        def meddle(route: WebSocketRoute) -> None:
            server = route.connect_to_server()

            def passed(message: bytes | str) -> None:
                data = message if isinstance(message, bytes) else message.encode()
                route.send(data.replace(b'"d":"node"', b'"d":"nodule"', 1))

            server.on_message(passed)

        page.route_web_socket(lambda url: "/ws" in url, meddle)

    def grow(page: Page) -> None:
        page.locator(".badge.live").wait_for()
        site.say(rest)
        page.locator(".banner.bad").wait_for()

    for suffix, how in variants():
        address = f"{site.url}#t={site.token}&s={KEY}&{how}"
        camera.take(f"state-offline-{suffix}", address, cut, prepare=broken)
    suffix, how = variants()[0]
    camera.take(f"state-error-{suffix}", f"{site.url}#t={site.token}&s={KEY}&{how}", grow, prepare=spoil)


def gone_by(camera: Camera, site: Site) -> None:
    """A session of which the map has let the first turns go."""
    names = [f"long-{what}-{suffix}" for what in ("live", "past", "whole") for suffix, _ in variants()]
    if not any(camera.wants(name) for name in names):
        return
    site.say(list(generate(2400, session="s-long")))
    key = key_of("s-long")

    def fetched(page: Page) -> None:
        page.locator(".badge.replay").wait_for()

    for suffix, how in variants():
        address = f"{site.url}#t={site.token}&s={key}&{how}"
        camera.take(f"long-live-{suffix}", address)
        camera.take(f"long-past-{suffix}", f"{address}&w=1_14&at=60", fetched)
        camera.take(f"long-whole-{suffix}", address, press("0"))


def talked(camera: Camera, site: Site) -> None:
    """Somebody talks to the demo's bot from the page, and to nobody once it has gone."""
    with demo(site, 0.2) as bot:
        session = session_of(site)
        wait_for(lambda: site.get(f"api/sessions/{session['key']}")["turns"] >= 9, "a dialogue")

        def talk(page: Page) -> None:
            field = page.locator(".reply-field")
            with page.expect_response("**/reply"):
                field.fill("等一下，我想先问：国际漫游怎么收费？")
                field.press("Enter")
            page.locator(".pending").wait_for(state="detached")
            field.fill("日本呢？")

        def fail(page: Page) -> None:
            bot.kill()
            bot.wait()
            page.locator(".reply-field").fill("还在吗？")
            page.locator(".reply-send").click()
            page.locator(".pending.failed").wait_for()

        address = f"{site.url}#t={site.token}&s={session['key']}&tab=dialogue"
        for suffix, how in variants():
            camera.take(f"talk-{suffix}", f"{address}&{how}", talk)
        for suffix, how in variants():
            camera.take(f"talk-failed-{suffix}", f"{address}&{how}", fail, size=SIZES[1])


def main(wanted: list[str]) -> int:
    """Take the pictures; the exit code."""
    if {"-h", "--help"} & set(wanted):
        print(__doc__)
        return 0
    chromium = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if chromium is None:
        print("no Chromium on this machine", file=sys.stderr)
        return 1
    OUT.mkdir(exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium)
        camera = Camera(browser, wanted)
        with Site(Path(folder, "empty")) as site:
            for suffix, how in variants():
                camera.take(f"state-empty-{suffix}", f"{site.url}#t={site.token}&{how}")
        for scene in (told, gone_by, talked, filed, troubled):
            with Site(Path(folder, scene.__name__)) as site:
                scene(camera, site)
        with Site(Path(folder, "listed")) as site:
            listed(camera, site, variants())
        with Site(Path(folder, "standing")) as site:
            standing(camera, site, variants())
        answering(camera, variants())
        browser.close()
    print(f"pictures in {OUT.name}/")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
