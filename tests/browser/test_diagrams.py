"""Diagrams of a session in Mermaid: it draws them, each text is the one that was said, and nothing in it acts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from lingbot_web.export_diagram import mermaid
from lingbot_web.export_sequence import Block, Message, Note, Sequence, Step, sequence_of
from tests.builders import Dialogue, answered, assigned, read, recalled, routed, said
from tests.torture.hostile import STRINGS

pytestmark = pytest.mark.browser

SOURCE = Path(__file__).resolve().parents[2] / "node_modules" / "mermaid" / "dist" / "mermaid.min.js"

_DRAW = """async (text) => {
  const {svg} = await mermaid.render('drawn', text);
  document.body.innerHTML = svg;
  const told = (selector) => [...document.querySelectorAll(selector)].map((each) => each.textContent);
  return {messages: told('.messageText'), notes: told('.noteText'), blocks: told('.loopText'),
    labels: told('.labelText')};
}"""


@pytest.fixture
def drawing(browser: Browser) -> Page:
    page = browser.new_context(viewport={"width": 1600, "height": 1200}).new_page()
    page.set_content("<title>drawing</title><body></body>")
    page.add_script_tag(path=SOURCE)
    page.evaluate("mermaid.initialize({startOnLoad: false, maxTextSize: 1e6, maxEdges: 1e5})")
    return page


def drawn(page: Page, sequence: Sequence) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(_DRAW, mermaid(sequence))
    assert page.title() == "drawing", "a text was run"
    return found


def flat(steps: list[Step]) -> list[Step]:
    return [inner for step in steps for inner in ((step, *flat(step.steps)) if isinstance(step, Block) else (step,))]


def squeezed(texts: list[str]) -> list[str]:
    """Without white space: a drawing breaks long lines."""
    return ["".join(text.split()) for text in texts]


def test_conditions_loops_and_findings_are_drawn(drawing: Page) -> None:
    dialogue = Dialogue("s")
    for _ in range(3):
        dialogue.tell(said("我要改套餐"), routed("change_plan", missing=("phone",), condition="phone = null"))
        dialogue.tell(answered("请问手机号？"))
    dialogue.tell(said("138"), routed("change_plan"), assigned("phone", "138"), read("phone"))
    dialogue.tell(recalled("vector", {"plan-a": 0.9, "plan-b": 0.8}), answered("好的", "plan-a"))
    assert dialogue.findings("loop"), "what is to be drawn happened"
    sequence = sequence_of(dialogue.map, dialogue.events, "zh")
    found = drawn(drawing, sequence)
    assert found["labels"].count("alt") == 3
    assert found["labels"].count("loop") == len(dialogue.findings("loop"))
    assert any("phone = null" in text for text in found["blocks"])
    assert squeezed(found["messages"]) == squeezed([
        step.text for step in flat(sequence.steps) if isinstance(step, Message)
    ])  # fmt: skip
    assert any("LM2" in text for text in found["notes"])


def test_hostile_texts_are_drawn_as_they_are(drawing: Page) -> None:
    dialogue = Dialogue("s")
    orders = (
        "end",
        "wrap: x",
        "note over bot: x",
        "x;user->>bot: forged",
        "%%{init: {'theme':'dark'}}%%",
        "$$x^2$$",
        "",
    )
    for text in (*STRINGS, *orders):
        dialogue.tell(said(text), routed(text or "empty", condition=text), assigned(text or "empty", text))
        dialogue.tell(recalled("keyword", {text or "empty": 0.5}, query=text), answered(text, text or "empty"))
    sequence = sequence_of(dialogue.map, dialogue.events, "en")
    found = drawn(drawing, sequence)
    steps = flat(sequence.steps)
    assert len(found["messages"]) == sum(isinstance(step, Message) for step in steps), "none was forged, none is gone"
    assert found["labels"].count("alt") == sum(isinstance(step, Block) and step.kind == "alt" for step in steps)
    assert drawing.locator("svg script, svg a, svg img, svg iframe, svg style + script").count() == 0
    plain = [text for text in STRINGS if text.isascii() and text.isprintable() and len(text) < 150]
    shown = "".join("".join(squeezed(found["messages"])))
    for text in plain:
        assert "".join(text.split()) in shown
    assert sum(isinstance(step, Note) for step in steps) <= len(found["notes"])
