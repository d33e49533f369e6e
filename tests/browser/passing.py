"""What a page says in passing: a toast is gone after 6 s, a badge at once, and a busy machine looks later than that."""

from __future__ import annotations

import re

from playwright.sync_api import Page

from tests.browser.serving import wait_for

SCRIPT = """(() => {
  const said = window.toldInPassing = {};
  const places = ['.toast', '.banner', '.badge', '#speech'];
  const look = () => {
    for (const place of places) {
      for (const element of document.querySelectorAll(place)) {
        const words = place === '.badge' ? `${element.className}: ${element.textContent}` : element.textContent;
        if (words && said[place]?.at(-1) !== words) (said[place] ??= []).push(words);
      }
    }
  };
  new MutationObserver(look).observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
})();"""
"""Runs in each page before its own scripts do."""

HOLD_TOASTS = """new MutationObserver((changes) => {
  for (const {addedNodes} of changes) {
    for (const node of addedNodes) {
      if (node.matches?.('.toast')) node.dispatchEvent(new PointerEvent('pointerenter'));
    }
  }
}).observe(document, {subtree: true, childList: true});"""
"""For a test that presses a toast's button: as if the pointer lay on each toast, which then stays until it is used."""


def was_told(page: Page, place: str, words: str | re.Pattern[str]) -> None:
    """Until the page has said ``words`` at ``place``, be they still there or not."""
    pattern = words if isinstance(words, re.Pattern) else re.compile(re.escape(words))

    def found() -> bool:
        return any(pattern.search(said) for said in page.evaluate("place => window.toldInPassing[place] ?? []", place))

    wait_for(found, f"{pattern.pattern!r} at {place}")
