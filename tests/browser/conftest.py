"""A Chromium, a served page, and a watch over what no page may do."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, expect, sync_playwright

from lingbot_web.running import Serving, serve
from tests.browser import passing
from tests.browser.picture import drawn, until
from tests.browser.serving import PATIENCE, Site, key_of
from tests.browser.telecom import numbered
from tests.web.asked import folders

SESSION = "s-7f3a91"
KEY = key_of(SESSION)
CASES = Path(__file__).resolve().parents[2] / "snapshots" / "cases"
CASE = key_of("case-slot-pollution")

# What is expected of a page has as long as all else that is waited for; Playwright would give it a quarter of that.
expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    """One Chromium for all tests; each page has a context of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        yield browser
        browser.close()


@pytest.fixture
def site(tmp_path: Path, browser: Browser) -> Iterator[Site]:
    """A server over an empty data folder. Pages are closed before it ends, else they would complain that it went."""
    with Site(tmp_path / "data") as site:
        yield site
        for context in browser.contexts:
            context.close()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server that holds the telecom dialogue; for tests that only look."""
    with Site(tmp_path_factory.mktemp("told")) as site:
        site.say(numbered(SESSION, at=1_790_000_000.0))
        yield site


class Watch:
    """Opens pages and keeps what they complain of. ``forgiven`` are parts of complaints that a test causes itself."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.complaints: list[str] = []
        self.forgiven = ["willReadFrequently"]  # Chromium's advice to whoever reads a canvas back, as these tests do
        self.hosts: set[str] = set()

    def page(
        self,
        *,
        width: int = 1600,
        height: int = 1000,
        locale: str = "en-US",
        zone: str = "UTC",
        scheme: str = "light",
        init: str = "",
    ) -> Page:
        """A fresh page with a fresh context."""
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            locale=locale,
            timezone_id=zone,
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        page.on("console", self._console)
        page.on("pageerror", self._error)
        page.on("request", self._request)
        page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        page.add_init_script(
            "addEventListener('securitypolicyviolation', (event) =>"
            " console.error('CSP', event.violatedDirective, event.blockedURI, event.sample));" + passing.SCRIPT + init
        )
        return page

    def open(self, site: Site, fragment: str = "", **how: object) -> Page:
        """The page of ``site``, with its token."""
        page = self.page(**how)  # type: ignore[arg-type]
        page.goto(f"{site.url}#t={site.token}&{fragment}")
        return page

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text} {message.location['url']}")

    def _error(self, error: Error) -> None:
        self.complaints.append(f"uncaught: {error.message} {error.stack}")

    def _request(self, request: Request) -> None:
        self.hosts.add(urlsplit(request.url).hostname or "")

    def verdict(self) -> list[str]:
        """What is left to complain of."""
        return [said for said in self.complaints if not any(part in said for part in self.forgiven)]


@pytest.fixture
def watch(browser: Browser) -> Iterator[Watch]:
    """Pages under watch: no errors logged, no breach of the content policy, nothing asked of another host."""
    watch = Watch(browser)
    yield watch
    for context in browser.contexts:
        context.close()
    assert watch.verdict() == []
    assert watch.hosts <= {"127.0.0.1"}, watch.hosts


@pytest.fixture
def open_told(watch: Watch, told: Site) -> Callable[..., Page]:
    """Opens the telecom dialogue and waits until it is drawn."""

    def open_page(fragment: str = "", **how: object) -> Page:
        page = watch.open(told, f"s={KEY}&{fragment}", **how)
        page.wait_for_selector(".range b")
        until(page, "document.querySelector('.range b').textContent !== '0'")
        drawn(page)
        return page

    return open_page


@pytest.fixture(scope="module")
def asked_map(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A map with the demo's cases that can also ask a diagram, a graph and documents."""
    folder = tmp_path_factory.mktemp("asked")
    diagram, graph, docs = folders(folder / "named")
    shutil.copytree(CASES, folder / "data" / "cases")
    with serve(data=folder / "data", ask_diagrams=[diagram], ask_graphs=[graph], ask_docs=[docs]) as map:
        yield map


@pytest.fixture
def open_ask(watch: Watch, asked_map: Serving) -> Callable[..., Page]:
    """Opens the Ask tab of that map and waits until it offers what can be asked."""

    def open_page(fragment: str = "", **how: object) -> Page:
        page = watch.page(**how)  # type: ignore[arg-type]
        page.goto(f"{asked_map.url}&s={CASE}&tab=ask&{fragment}")
        page.locator(".ask-base option").nth(1).wait_for(state="attached")
        return page

    return open_page
