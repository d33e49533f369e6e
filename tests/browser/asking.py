"""What tests of the Ask tab share: ids of what is asked, and asking it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

ORDER, FILMS, WIKI, CHAINS = "diagram:order.puml", "graph:films", "docs:wiki", "chains:wiki"
Open = Callable[..., Page]


def ask(page: Page, question: str) -> None:
    """Ask, and wait for the answer."""
    page.locator(".ask-input").fill(question)
    page.locator(".ask-input").press("Enter")
    page.locator(".ask-uses").wait_for()
