"""axe-core in the page: what of it keeps people out. The test puts it there, so the page's policy stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SOURCE = Path(__file__).resolve().parent.parent.parent / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")

_RUN = """() => axe.run(document, {resultTypes: ['violations'], elementRef: false}).then(({violations}) =>
  violations.map(({id, impact, nodes}) => ({id, impact, nodes: nodes.map(({target, failureSummary, html}) =>
    [target.join(' '), html.slice(0, 160), failureSummary])})))"""


def complaints(page: Page) -> list[str]:
    """What is serious or critical on the page as it stands: rule, element and what to mend."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(SOURCE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate(_RUN)
    return [
        f"{each['impact']} {each['id']}: {target} {html} {summary}"
        for each in found
        if each["impact"] in GRAVE
        for target, html, summary in each["nodes"]
    ]
