"""A real Chromium on a page of its own with the score's modules, and the browser's own counters of what it costs.

Script is the CPU time of the page's callbacks as the browser counts it (``Performance.getMetrics`` in thread ticks),
with a gesture before a frame by the page's clock; all is the CPU time of the page's main thread, raster of its canvases
included. Needs a Chromium on the path or in ``$CHROMIUM``.
"""

from __future__ import annotations

import http.server
import json
import os
import shutil
import statistics
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

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
let folded = 0;
async function load() {
  const response = await fetch('/keyframe' + location.search);
  return fold(await response.json());
}
function fold(kf) {
  const start = performance.now();
  const map = DialogueMap.fromKeyframe(kf);
  folded = performance.now() - start;
  return map;
}
const map = await load();
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
    redraw: () => score.themeChanged(),
    playhead: (i) => score.setPlayhead(1 + Math.floor(map.cursor.seq * ((i * 0.618) % 1))),
    peer: (i) => peer.pan(i < frames / 2 ? 41 : -41),
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


def per_frame(
    page: Page, session: CDPSession, sweep: str, frames: int = FRAMES, rounds: int = ROUNDS
) -> tuple[float, float]:
    """Milliseconds of script and of the whole main thread per frame: the middle one of ``rounds``."""
    costs = []
    for _ in range(rounds):
        before = totals(session)
        times = page.evaluate(SWEEP, [frames, sweep])
        after = totals(session)
        script, whole = ((after[key] - before[key]) * 1000 / frames for key in ("ScriptDuration", "TaskDuration"))
        costs.append((script + statistics.median(times), whole))
    return statistics.median(cost[0] for cost in costs), statistics.median(cost[1] for cost in costs)


def totals(session: CDPSession) -> dict[str, float]:
    """The browser's own counters; times in seconds."""
    return {row["name"]: row["value"] for row in session.send("Performance.getMetrics")["metrics"]}


def script_ms(session: CDPSession) -> float:
    """Milliseconds of script so far."""
    return totals(session)["ScriptDuration"] * 1000


def heap_mb(session: CDPSession) -> float:
    """What the page's script holds after a collection, in MB."""
    for _ in range(2):
        session.send("HeapProfiler.collectGarbage")
    return totals(session)["JSHeapUsedSize"] / 1e6


def counters(page: Page) -> CDPSession:
    """A session whose ``totals`` count CPU time."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return session


@contextmanager
def browser() -> Iterator[tuple[Browser, Page]]:
    """A fresh Chromium and a page of 1600 by 1000 in it."""
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
            page = chromium.new_page(viewport={"width": 1600, "height": 1000})
            page.set_default_timeout(300_000)
            yield chromium, page
        finally:
            chromium.close()


@contextmanager
def serve(answers: Mapping[str, bytes | Callable[[], bytes]], page: str = PAGE) -> Iterator[str]:
    """``page`` at ``/``, the score's modules and ``answers`` (by path and query) on a free port of this machine."""
    imports = {f"lb/{path.stem}": f"/static/{path.name}" for path in STATIC.glob("*.js")}
    body = page.replace("IMPORTS", json.dumps({"imports": imports})).encode()
    types = {".js": "text/javascript", ".css": "text/css"}

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            static = STATIC / Path(path).name
            if path == "/":
                self.answer(body, "text/html; charset=utf-8")
            elif self.path in answers:
                found = answers[self.path]
                kind = types.get(Path(path).suffix, "application/json")
                self.answer(found if isinstance(found, bytes) else found(), kind)
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

        def log_message(self, format: str, *args: Any) -> None:
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


def ready(page: Page) -> dict[str, float]:
    """Waits for the first picture; when it stood and how long the fold took, in ms by the page's clock."""
    page.wait_for_function("window.ready")
    told: dict[str, float] = page.evaluate("window.ready")
    return told
