"""An hour of a busy bot on one page that follows it: 50 events a second in 36,000 ticks of 5, as fast as may be.

Each tick is folded as one message from the server is. After every twelfth comes a frame: a painting waits for the
screen, and an hour of them would take an hour. How long each callback of the page kept its thread is told by the
browser's trace, in CPU time. A map keeps 1,000 to 2,000 turns, so what it holds stops growing; so must the page's heap,
which is told beside that of a page that has just opened the same map.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator

from playwright.sync_api import Browser, Page

from bench import Figure
from bench.page import browser, counters, heap_mb, ready, serve
from bench.told import Told, turn
from lingbot_map.codec import encode_deltas, keyframe
from lingbot_probes.signals import Signal

TICKS = 36_000
EVENTS = 5
CHUNK = 2_000
"""Ticks fetched and traced at a time."""
PAINTED = 12
LONG = 50.0
BESIDE = 1.3

FEED = """async ([painted]) => {
  score.follow(true);
  const ticks = await (await fetch('/deltas')).json();
  const { port1, port2 } = new MessageChannel();
  let next = 0;
  await new Promise((done) => {
    const go = () => (next === ticks.length ? done() : port2.postMessage(0));
    port1.onmessage = () => {
      let dirty = 0;
      for (const delta of ticks[next]) dirty |= map.apply(delta);
      ticks[next++] = null;
      score.changed(dirty);
      if (next % painted) go();
      else requestAnimationFrame(() => setTimeout(go));
    };
    go();
  });
}"""


class Hour:
    """The bot, a chunk of ticks at a time."""

    def __init__(self) -> None:
        self.told = Told("hour", kept=1000)
        self.rng = random.Random(9)
        self.signals = self._signals()

    def _signals(self) -> Iterator[Signal]:
        number = 0
        while True:
            number += 1
            yield from turn(self.rng, number, 400, 6)

    def ticks(self) -> bytes:
        """The deltas of the next ``CHUNK`` ticks, a list for each."""
        ticks = []
        for _ in range(CHUNK):
            deltas = [delta for _ in range(EVENTS) for delta in self.told.tell(next(self.signals))]
            ticks.append(encode_deltas(deltas))
        return b"[" + b",".join(ticks) + b"]"


def measure() -> Iterator[Figure]:
    """The longest callback of the hour, and the page's heap after it."""
    hour = Hour()
    answers: dict[str, bytes | Callable[[], bytes]] = {
        "/keyframe?hour": keyframe(hour.told.mapper.map),
        "/deltas": hour.ticks,
    }
    longest: list[float] = []
    heaps: list[float] = []
    with serve(answers) as address:
        with browser() as (chromium, page):
            page.goto(f"{address}/?hour")
            ready(page)
            session = counters(page)
            for _ in range(TICKS // CHUNK):
                longest.append(max(callbacks(chromium, page)))
                heaps.append(heap_mb(session))
        map = hour.told.mapper.map
        answers["/keyframe?after"] = keyframe(map)
        with browser() as (_, page):
            page.goto(f"{address}/?after")
            ready(page)
            fresh = heap_mb(counters(page))
    note = f"{TICKS * EVENTS:,} events, {map.turn:,} turns, {len(map.turns):,} of them kept"
    yield Figure(name="longest script of a fold or a frame", value=max(longest), unit="ms CPU", bar=LONG, note=note)
    note = f"{heaps[-1]:.1f} MB after {', '.join(f'{heap:.0f}' for heap in heaps[:-1:4])}; {fresh:.1f} opened afresh"
    yield Figure(
        name="heap beside a page that opens the same map", value=heaps[-1] / fresh, unit="times", bar=BESIDE, note=note
    )


def callbacks(chromium: Browser, page: Page) -> list[float]:
    """Feeds a chunk; how long each callback of the page kept its thread, in ms of CPU time."""
    chromium.start_tracing(page=page, categories=["devtools.timeline"])
    page.evaluate(FEED, [PAINTED])
    events = json.loads(chromium.stop_tracing())["traceEvents"]
    return [event.get("tdur", 0) / 1000 for event in events if event["name"] == "FunctionCall"]
