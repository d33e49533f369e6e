"""What the page costs while its map moves, grows and is looked at, at 3,000, 30,000 and 100,000 nodes.

Medians of a few rounds. A pan goes 0.37 lanes a frame; a zoom six times as far out and back; a full redraw, which
neither needs, is told beside them.
"""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Iterator

from playwright.sync_api import CDPSession, Page

from bench import Figure
from bench.page import ROUNDS, browser, counters, heap_mb, per_frame, ready, script_ms, serve, totals
from bench.told import SIZES, Told, dialogue, turn
from lingbot_map.codec import encode_deltas, keyframe
from lingbot_map.deltas import Delta

SCRIPT = 1.5
ALL = 12.0
SPANS = (13, 40, 80)
JUMPS = 40

HIT = """() => {
  const box = score.host.getBoundingClientRect();
  let found = 0;
  const start = performance.now();
  for (let i = 0; i < 2000; i++) if (score.at(160 + (i * 37) % (box.width - 160), (i * 53) % box.height)) found++;
  return { ms: (performance.now() - start) / 2000, found };
}"""

HOVER = """async () => {
  for (let i = 0; i < 200; i++) {
    score.hover(score.at(160 + (i * 37) % 1200, (i * 53) % 800));
    if (i % 10 === 0) await new Promise(requestAnimationFrame);
  }
  await new Promise(requestAnimationFrame);
}"""

BATCH = """async (deltas) => {
  await new Promise((done) => requestAnimationFrame(() => {
    for (const delta of deltas) window.dirty |= map.apply(delta);
    score.changed(window.dirty);
    setTimeout(done, 80);
  }));
}"""

# Data every 5 ms for a second: how often it was painted.
LIVE = """async () => {
  await new Promise((done) => setTimeout(done, 300));
  let painted = 0;
  const { paint } = score.frames;
  score.frames.paint = (...args) => { painted++; paint(...args); };
  const start = performance.now();
  while (performance.now() - start < 1000) {
    score.changed(1);
    await new Promise((done) => setTimeout(done, 5));
  }
  const seconds = (performance.now() - start) / 1000;
  score.frames.paint = paint;
  return painted / seconds;
}"""


def measure() -> Iterator[Figure]:
    """First picture, heap, pans, zooms, fit, scrub, hit test, hover, batch and live data, for S, M and L."""
    sizes = {name: dialogue(*size) for name, size in SIZES.items()}
    small: dict[str, float] = {}
    answers = {f"/keyframe?{name}": keyframe(told.mapper.map) for name, told in sizes.items()}
    with serve(answers) as address, browser() as (_, page):
        page.goto(f"{address}/?S")  # warm: what is told of the first picture is the page's work, not the start's
        ready(page)
        session = counters(page)
        for name, told in sizes.items():
            yield from opened(page, session, address, name, told)
            yield from moved(page, session, name, told.mapper.map.turn, small)
            yield from looked(page, session, name)
            yield batch(page, session, told, name)
        painted = page.evaluate(LIVE)
        yield Figure(name="live data", value=painted, unit="paints/s", bar=20, note="told 200 times a second")


def opened(page: Page, session: CDPSession, address: str, name: str, told: Told) -> Iterator[Figure]:
    """The first picture of a session, and what it holds."""
    held = told.mapper.map
    before = totals(session)["TaskDuration"]
    page.goto(f"{address}/?{name}")
    stood = ready(page)
    after = totals(session)["TaskDuration"]
    cost = (after - before if after > before else after) * 1000  # a new renderer counts from nought
    size = f"{len(held.nodes):,} nodes, {len(held.edges):,} edges, {held.turn:,} turns"
    note = f"{size}; {stood['since']:.0f} ms by the clock, {stood['folded']:.0f} to fold"
    yield Figure(name=f"{name} first picture", value=cost, unit="ms CPU", bar=1000, note=note)
    bar = 60.0 if name == "L" else None
    yield Figure(name=f"{name} heap", value=heap_mb(session), unit="MB", bar=bar)


def moved(page: Page, session: CDPSession, name: str, turns: int, small: dict[str, float]) -> Iterator[Figure]:
    """Pans and zooms at reading zoom and further out, and the whole picture drawn anew."""
    middle = turns // 2
    for span in SPANS:
        for sweep in ("pan", "zoom", "redraw"):
            page.evaluate(f"score.setWindow({middle}, {middle + span})")
            script, whole = per_frame(page, session, sweep)
            judged = sweep != "redraw"
            what = f"{sweep}, {span} lanes"
            note = f"all of the main thread {whole:.1f} ms"
            yield Figure(
                name=f"{name} {what}: script", value=script, unit="ms/frame", bar=SCRIPT if judged else None, note=note
            )
            if judged:
                yield Figure(name=f"{name} {what}: all", value=whole, unit="ms/frame", bar=ALL)
            if span == SPANS[0] and judged:
                if name == "S":
                    small[sweep] = script
                elif name == "L":
                    yield Figure(name=f"L beside S, {what}", value=script / small[sweep], unit="times", bar=1.3)
    page.evaluate("score.fit()")
    script, whole = per_frame(page, session, "redraw")
    note = f"all of the main thread {whole:.1f} ms; drawn anew each frame"
    yield Figure(name=f"{name} fit all: script", value=script, unit="ms/frame", bar=2.0, note=note)


def looked(page: Page, session: CDPSession, name: str) -> Iterator[Figure]:
    """The playhead dragged to any event, what lies under the pointer, and what a hover costs."""
    page.evaluate("score.setWindow(map.lastTurn / 2, map.lastTurn / 2 + 13)")
    script, whole = per_frame(page, session, "playhead", frames=JUMPS, rounds=3)
    bar = {"S": 16.0, "L": 30.0}.get(name)
    yield Figure(
        name=f"{name} scrub to any event", value=whole, unit="ms/frame", bar=bar, note=f"script {script:.1f} ms"
    )
    page.evaluate("() => { score.setPlayhead(null); score.setWindow(map.lastTurn / 2, map.lastTurn / 2 + 13); }")
    page.evaluate("() => new Promise((done) => setTimeout(done, 300))")
    hits = [page.evaluate(HIT) for _ in range(ROUNDS)]
    note = f"{hits[0]['found']} of 2,000 hit"
    yield Figure(
        name=f"{name} hit test", value=statistics.median(hit["ms"] for hit in hits), unit="ms", bar=0.1, note=note
    )
    before = totals(session)["LayoutCount"]
    page.evaluate(HOVER)
    yield Figure(name=f"{name} layouts in 200 hovers", value=totals(session)["LayoutCount"] - before, unit="", bar=0)


def batch(page: Page, session: CDPSession, told: Told, name: str) -> Figure:
    """Some 200 deltas at the live edge, folded and painted."""
    page.evaluate("() => { window.dirty = 0; score.follow(true); }")
    rng = random.Random(8)
    costs = []
    for _ in range(2 * ROUNDS):
        deltas: list[Delta] = []
        while len(deltas) < 200:
            for signal in turn(rng, told.mapper.map.turn + 1, 9000, 15):
                deltas += told.tell(signal)
        before = script_ms(session)
        page.evaluate(BATCH, json.loads(encode_deltas(deltas)))
        costs.append(script_ms(session) - before)
    bar = 4.0 if name == "L" else None
    return Figure(name=f"{name} batch of 200 deltas: script", value=statistics.median(costs), unit="ms", bar=bar)
