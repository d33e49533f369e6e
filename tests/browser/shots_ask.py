"""Pictures of the tab Ask in its states, narrow and wide; see shots."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import Page, Route

from tests.browser.asking import CHAINS, FILMS, ORDER, WIKI, ask
from tests.browser.conftest import CASE, CASES
from tests.browser.serving import Site
from tests.web.asked import folders

if TYPE_CHECKING:
    from tests.browser.shots import Camera

SIZES = ((1600, 1000), (1024, 700), (400, 800))


def asked(question: str, then: str = "") -> Callable[[Page], None]:
    """Ask, and press what is asked for."""

    def act(page: Page) -> None:
        ask(page, question)
        if then:
            page.locator(then).first.click()
            page.locator(".ask-source-place").wait_for()

    return act


def begun(page: Page) -> None:
    """Wait for what can be asked."""
    page.locator(".ask-try").wait_for()


def typed(page: Page) -> None:
    """Type a question in which a name may be another's."""
    page.locator(".ask-input").fill("赵牧主演过哪些电影？")
    page.locator(".ask-bound select").wait_for()


def stopped(page: Page) -> None:
    """Ask what is never answered, and stop it."""
    held: list[Route] = []
    page.route("**/api/ask", lambda route: held.append(route))
    page.locator(".ask-input").fill("What comes after reserveItem?")
    page.locator(".ask-input").press("Enter")
    page.locator(".ask-send.stop").wait_for()
    page.keyboard.press("Escape")
    page.locator(".ask-notice.stopped").wait_for()
    for route in held:
        route.abort()


def away(page: Page) -> None:
    """Ask a map that is gone."""
    page.route("**/api/ask", lambda route: route.abort("connectionrefused"))
    page.locator(".ask-input").fill("What comes after reserveItem?")
    page.locator(".ask-input").press("Enter")
    page.locator(".ask-notice.away").wait_for()


STATES: tuple[tuple[str, str, Callable[[Page], None]], ...] = (
    ("begun", ORDER, begun),
    ("session", "session", asked("第17轮为什么这么回答？")),
    ("abstained", "session", asked("What happened in turn 40?")),
    ("line", ORDER, asked("Under which condition is retryCharge called?", ".ask-said [data-item=m4]")),
    ("triple", FILMS, asked("谁执导了星河彼岸？", ".ask-said [data-item='p1-DIRECTED-f1']")),
    ("names", FILMS, typed),
    ("passage", WIKI, asked("Which bodies does the gateway refuse?", ".ask-said [data-item]")),
    ("chain", CHAINS, asked("In which release is the layer that the gateway runs switched off?")),
    ("stopped", ORDER, stopped),
    ("away", ORDER, away),
)


def answering(camera: Camera, variants: list[tuple[str, str]]) -> None:
    """All of it, beside a map that has a recorded case and can ask a diagram, a graph and documents."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        diagram, graph, docs = folders(root / "named")
        named = ("--ask-diagram", str(diagram), "--ask-graph", str(graph), "--ask-docs", str(docs))
        shutil.copytree(CASES, root / "data" / "cases")
        with Site(root / "data", *named) as site:
            for suffix, how in variants:
                for width, height in SIZES:
                    for name, base, act in STATES:
                        address = f"{site.url}#t={site.token}&s={CASE}&{how}&tab=ask&ask={base}"
                        camera.take(f"asked-{name}-{width}-{suffix}", address, shown(act), size=(width, height))


def shown(act: Callable[[Page], None]) -> Callable[[Page], None]:
    """The act, once the tab is open and knows what can be asked: in narrow windows it lies in a drawer."""

    def first(page: Page) -> None:
        if not page.locator(".ask-input").is_visible():
            page.keyboard.press("a")
        page.locator(".ask-base option").nth(1).wait_for(state="attached")
        act(page)

    return first
