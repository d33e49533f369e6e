"""What is picked comes into view with what it is linked to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from lingbot_probes.signals import (
    Answered,
    Doc,
    IntentRouted,
    Numbered,
    Retrieved,
    SessionStarted,
    Signal,
    TurnStarted,
)
from tests.browser.conftest import Watch
from tests.browser.picture import count
from tests.browser.serving import Site, key_of, wait_for

pytestmark = pytest.mark.browser
SESSION = "s-library"
TURNS = 30
GUTTER = 152
SHOWN = 13
FILLED = 40
"""The least number of pixels in which a used document has the full colour."""


def library() -> Iterator[tuple[str, Signal]]:
    """Thirty turns of three new documents each. The last answer is made from two of the first ones."""
    yield "", SessionStarted(title="library")
    for turn in range(1, TURNS + 1):
        name = f"t{turn}"
        yield name, TurnStarted(turn=name, utterance=f"question {turn}")
        yield name, IntentRouted(intent="ask", confidence=0.9)
        told = [turn * 3, turn * 3 + 1, turn * 3 + 2, *((5, 7) if turn == TURNS else ())]
        docs = tuple(Doc(id=f"d{n}", title=f"doc {n}", score=0.9 - i / 10, rank=i + 1) for i, n in enumerate(told))
        yield name, Retrieved(query=name, stage="reranked", docs=docs)
        yield name, Answered(text="so", docs=("d5", "d7") if turn == TURNS else ())


def in_lane(page: Page, turn: int) -> int:
    """How many pixels of a lane have exactly the colour of documents that were used."""
    wide = page.locator("#map").evaluate("map => map.clientWidth") - GUTTER
    lane = wide / SHOWN
    high = page.locator("#map").evaluate("map => map.clientHeight")
    return count(page, "know", (GUTTER + (turn - (TURNS - SHOWN + 1)) * lane, 0, lane - 1, high))


def test_the_documents_of_a_picked_answer_come_into_view(watch: Watch, site: Site) -> None:
    site.say([Numbered(session=SESSION, n=n, turn=t, signal=s) for n, (t, s) in enumerate(library(), 1)])
    address = f"s={key_of(SESSION)}&w={TURNS - SHOWN + 1}_{TURNS + 1}"
    page = watch.open(site, address)
    wait_for(lambda: in_lane(page, TURNS), "the last turn's question")
    without = in_lane(page, TURNS)
    page.locator("#map").focus()
    told = page.locator("#score-focus")
    page.keyboard.press("ArrowDown")  # the first intent in the window
    for turn in range(TURNS - SHOWN + 2, TURNS + 1):
        page.keyboard.press("ArrowRight")
        expect(told).to_contain_text(f"Turn {turn}, intent ask")
    while "answer so" not in (before := told.inner_text()):
        page.keyboard.press("ArrowDown")
        expect(told).not_to_have_text(before)
    wait_for(lambda: in_lane(page, TURNS) > without + 2 * FILLED, "both documents in view")
    # A link to the answer shows the same.
    keyframe = site.get(f"api/sessions/{key_of(SESSION)}/keyframe")
    seq = keyframe["cursor"]["seq"]
    page = watch.open(site, f"{address}&sel=node~{TURNS}~{seq}~answer:{TURNS}")
    wait_for(lambda: in_lane(page, TURNS) > without + 2 * FILLED, "both documents in view")
