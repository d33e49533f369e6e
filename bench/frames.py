"""What the page costs: script time per frame while the map moves, the first picture, a hit test, a batch of deltas.

A real Chromium draws keyframes of a real mapper. Script is the CPU time of the frames' callbacks as the browser counts
it (``Performance.getMetrics`` in thread ticks) and the gesture before it by the page's clock; the best of a few rounds.
Needs a Chromium on the path or in ``$CHROMIUM``.
"""

from __future__ import annotations

import http.server
import json
import os
import random
import shutil
import statistics
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

from bench import Figure
from lingbot_map.codec import encode_deltas, keyframe
from lingbot_map.deltas import Delta
from lingbot_map.events import PolicySet
from lingbot_map.intake import Intake
from lingbot_map.mapper import Mapper
from lingbot_probes.signals import (
    Answered,
    Doc,
    IntentRouted,
    Numbered,
    Retrieved,
    Signal,
    SlotAssigned,
    SlotRead,
    TurnStarted,
)

STATIC = Path(__file__).resolve().parent.parent / "web" / "lingbot_web" / "static"
ROUNDS = 5
FRAMES = 90
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

PAGE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/style.css">
<script type="importmap">IMPORTS</script>
<style>
body { margin: 0 }
#map { position: absolute; inset: 0 0 104px; overflow: hidden }
#scrub { position: absolute; left: 152px; right: 0; bottom: 0; height: 104px }
</style>
<div id="map"></div><div id="scrub"></div>
<script type="module">
import { Score } from 'lb/score';
import { DialogueMap } from 'lb/fold';
const kf = await (await fetch('/keyframe' + location.search)).json();
const start = performance.now();
const map = DialogueMap.fromKeyframe(kf);
const folded = performance.now() - start;
const text = (key, params) => key + (params ? JSON.stringify(params) : '');
const options = { text, lang: () => 'zh', reducedMotion: () => true };
const score = new Score(document.getElementById('map'), document.getElementById('scrub'), options);
score.setMap(map);
Object.assign(window, { score, map });
requestAnimationFrame(() => setTimeout(() => {
  window.ready = { folded, since: performance.now() };
}));
</script>"""

# A gesture in each frame; tells how long the gesture itself took, since the browser counts frames but no microtasks.
SWEEP = """async ([frames, step]) => {
  const act = {
    pan: (i) => score.pan(i < frames / 2 ? 0.37 : -0.37),
    zoom: (i) => score.zoom(i < frames / 2 ? 1.04 : 1 / 1.04),
    redraw: () => { score.themeChanged(); },
  }[step];
  const times = [];
  for (let i = 0; i < frames; i++) {
    await new Promise(requestAnimationFrame);
    const start = performance.now();
    act(i);
    times.push(performance.now() - start);
  }
  await new Promise(requestAnimationFrame);
  return times;
}"""

HIT = """() => {
  const box = score.host.getBoundingClientRect();
  let found = 0;
  const start = performance.now();
  for (let i = 0; i < 2000; i++) if (score.at(160 + (i * 37) % (box.width - 160), (i * 53) % box.height)) found++;
  return { ms: (performance.now() - start) / 2000, found };
}"""

BATCH = """async (deltas) => {
  await new Promise((done) => requestAnimationFrame(() => {
    for (const delta of deltas) window.dirty |= map.apply(delta);
    score.changed(window.dirty);
    setTimeout(done, 80);
  }));
}"""


class Told:
    """A session in memory, fed signal by signal."""

    def __init__(self, session: str) -> None:
        self.mapper = Mapper(session=session)
        self.intake = Intake(self.mapper.map)
        self.now = 1_750_000_000.0
        self.n = 0
        self.apply(self.intake.own(PolicySet(values={"kept_turns": 1_000_000}), self.now))

    def apply(self, *events: Any) -> list[Delta]:
        return [delta for event in events for delta in self.mapper.apply(event)]

    def tell(self, signal: Signal) -> list[Delta]:
        self.n += 1
        self.now += 0.5
        number = Numbered(session=self.mapper.map.session, n=self.n, signal=signal)
        return self.apply(*self.intake.take("bench", [number], self.now).events)


def turn(rng: random.Random, number: int, docs: int, recalled: int) -> Iterator[Signal]:
    """One turn: an utterance, its intent, two slots, ``recalled`` of ``docs`` documents, an answer."""
    yield TurnStarted(turn=f"t{number}", utterance=f"第 {number} 轮：套餐变更之后流量怎么算，能叠加优惠吗")
    intent = rng.randrange(14)
    missing = ("s2",) if rng.random() < 0.2 else ()
    yield IntentRouted(
        intent=f"i{intent}",
        confidence=rng.choice((0.5, 0.7, 0.8, 0.95)),
        label=f"意图 {intent}",
        required=("s1", "s2"),
        missing=missing,
    )
    for _ in range(2):
        slot = rng.randrange(24)
        if rng.random() < 0.4:
            yield SlotAssigned(slot=f"s{slot}", value=f"值 {rng.randrange(40)}", label=f"槽位 {slot}", scope="session")
        else:
            yield SlotRead(slot=f"s{slot}")
    ids = rng.sample(range(docs), recalled)
    found = tuple(
        Doc(id=f"d{i}", title=f"文档 {i} 的说明", score=round(rng.random(), 3), score_kind="cosine") for i in ids
    )
    yield Retrieved(query=f"q{number}", stage="reranked", docs=found)
    yield Answered(text="好的", docs=tuple(doc.id for doc in found[:2]))


def dialogue(turns: int, docs: int, recalled: int) -> Told:
    """A session of so many turns; the same one each time."""
    rng = random.Random(7)
    told = Told(f"frames-{turns}")
    for number in range(1, turns + 1):
        for signal in turn(rng, number, docs, recalled):
            told.tell(signal)
    return told


def measure() -> Iterator[Figure]:
    """Pans at reading zoom, further out and at fit-all, a zoom, first picture, hit test and batch, for S, M and L."""
    sizes = {"S": dialogue(180, 9000, 15), "M": dialogue(1800, 90_000, 15), "L": dialogue(6000, 200_000, 17)}
    files = {f"/keyframe?{name}": keyframe(told.mapper.map) for name, told in sizes.items()}
    small = 0.0
    with serve(files) as address, browser() as page:
        page.goto(
            f"{address}/?S"
        )  # warm: what is told of the first picture is the page's work, not the browser's start
        page.wait_for_function("window.ready", timeout=60_000)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        for name, told in sizes.items():
            held = told.mapper.map
            note = f"{len(held.nodes):,} nodes, {len(held.edges):,} edges, {held.turn:,} turns"
            before = totals(session)["TaskDuration"]
            page.goto(f"{address}/?{name}")
            page.wait_for_function("window.ready", timeout=60_000)
            ready = page.evaluate("window.ready")
            after = totals(session)["TaskDuration"]
            cost = (after - before if after > before else after) * 1000  # a new renderer counts from nought
            waited = f"{note}; CPU time of the main thread, {ready['since']:.0f} ms by the clock"
            yield Figure(name=f"{name} first picture", value=cost, unit="ms", bar=1000, note=waited)
            middle = held.turn // 2
            for span in (13, 40, 80):
                page.evaluate(f"score.setWindow({middle}, {middle + span})")
                script, whole = per_frame(page, session, "redraw")
                bar = 2.0 if span == 13 else None
                yield Figure(
                    name=f"{name} pan, {span} lanes: script",
                    value=script,
                    unit="ms/frame",
                    bar=bar,
                    note=f"all of the main thread {whole:.1f} ms",
                )
                if span == 13 and name == "S":
                    small = script
                if span == 13 and name == "L":
                    yield Figure(name="L beside S", value=script / small, unit="times", bar=1.5)
            page.evaluate("score.fit()")
            script, whole = per_frame(page, session, "redraw")
            yield Figure(
                name=f"{name} fit all: script", value=script, unit="ms/frame", bar=2.0, note=f"all {whole:.1f} ms"
            )
            page.evaluate(f"score.setWindow({middle}, {middle + 13})")
            script, whole = per_frame(page, session, "zoom")
            yield Figure(
                name=f"{name} zoom: script", value=script, unit="ms/frame", bar=2.0, note=f"all {whole:.1f} ms"
            )
            hit = min((page.evaluate(HIT) for _ in range(ROUNDS)), key=lambda found: float(found["ms"]))
            yield Figure(
                name=f"{name} hit test", value=hit["ms"], unit="ms", bar=0.1, note=f"{hit['found']} of 2,000 hit"
            )
            yield batch(page, session, told, name)


def batch(page: Page, session: CDPSession, told: Told, name: str) -> Figure:
    """Some 200 deltas at the live edge, folded and painted."""
    page.evaluate("() => { window.dirty = 0; score.follow(true); }")
    rng = random.Random(8)
    costs = []
    for _ in range(ROUNDS):
        deltas: list[Delta] = []
        while len(deltas) < 200:
            for signal in turn(rng, told.mapper.map.turn + 1, 9000, 15):
                deltas += told.tell(signal)
        before = script_ms(session)
        page.evaluate(BATCH, json.loads(encode_deltas(deltas)))
        costs.append(script_ms(session) - before)
    return Figure(name=f"{name} batch of 200 deltas: script", value=min(costs), unit="ms", bar=5.0)


def per_frame(page: Page, session: CDPSession, sweep: str) -> tuple[float, float]:
    """Milliseconds of script and of the whole main thread per frame; the best round of each."""
    rounds = []
    for _ in range(ROUNDS):
        before = totals(session)
        times = page.evaluate(SWEEP, [FRAMES, sweep])
        after = totals(session)
        script, whole = ((after[key] - before[key]) * 1000 / FRAMES for key in ("ScriptDuration", "TaskDuration"))
        rounds.append((script + statistics.median(times), whole))
    return min(cost[0] for cost in rounds), min(cost[1] for cost in rounds)


def totals(session: CDPSession) -> dict[str, float]:
    """The browser's own counters, in seconds."""
    return {row["name"]: row["value"] for row in session.send("Performance.getMetrics")["metrics"]}


def script_ms(session: CDPSession) -> float:
    """Milliseconds of script so far."""
    return totals(session)["ScriptDuration"] * 1000


@contextmanager
def browser() -> Iterator[Page]:
    """A page of 1600 by 1000 in a fresh Chromium."""
    path = (
        os.environ.get("CHROMIUM")
        or shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if not path:
        raise RuntimeError("no Chromium on the path; name one in $CHROMIUM")
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield chromium.new_page(viewport={"width": 1600, "height": 1000})
        finally:
            chromium.close()


@contextmanager
def serve(files: dict[str, bytes]) -> Iterator[str]:
    """The page's modules and ``files`` on a free port of this machine."""
    imports = {f"lb/{path.stem}": f"/static/{path.name}" for path in STATIC.glob("*.js")}
    page = PAGE.replace("IMPORTS", json.dumps({"imports": imports})).encode()
    types = {".js": "text/javascript", ".css": "text/css"}

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            static = STATIC / Path(path).name
            if path == "/":
                self.answer(page, "text/html; charset=utf-8")
            elif self.path in files:
                self.answer(files[self.path], "application/json")
            elif path.startswith("/static/") and static.is_file():
                self.answer(static.read_bytes(), types.get(static.suffix, "application/octet-stream"))
            else:
                self.send_error(404)

        def answer(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")  # with the next: a clock of 5 µs, not 100
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


if __name__ == "__main__":
    for figure in measure():
        verdict = {None: "", True: "ok", False: "MISSED"}[figure.holds]
        bar = f"(<= {figure.bar:g})" if figure.bar is not None else ""
        print(f"{figure.name:36} {figure.value:9.3f} {figure.unit:9} {bar:12} {verdict:6} {figure.note}", flush=True)
