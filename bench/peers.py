"""The same dialogue as a graph in cytoscape (preset layout) and in vis-network (fixed, no physics), beside the page.

A pan of 41 pixels a frame, as far as the page's own goes. Nodes stand where their first turn's lane is, so about as
many are in view as on the page; labels and all else as each library draws them of itself. They come from npm, for this
alone: ``make bench-web`` installs them into ``bench/peers``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench import Figure
from bench.page import PAGE, browser, counters, per_frame, ready, serve
from bench.told import SIZES, dialogue
from lingbot_map.codec import keyframe

MODULES = Path(__file__).resolve().parent / "peers" / "node_modules"
PEERS = {
    "cytoscape": ("cytoscape", "dist/cytoscape.min.js"),
    "vis-network": ("vis-network", "standalone/umd/vis-network.min.js"),
}
TIMES = 200.0
FRAMES = 6
"""So few, since one takes seconds."""

HOST = (MODULES.parent / "page.html").read_text(encoding="utf-8")


def measure() -> Iterator[Figure]:
    """Script per frame of the page and of each peer at L, one after the other in one run."""
    missing = [name for name, (folder, file) in PEERS.items() if not (MODULES / folder / file).is_file()]
    if missing:
        raise RuntimeError(f"{', '.join(missing)} not installed: run `make bench-web`, or `npm ci` in bench/peers")
    turns, docs, recalled = SIZES["L"]
    told = dialogue(turns, docs, recalled)
    frame = keyframe(told.mapper.map)
    with serve({"/keyframe?L": frame}, PAGE) as address, browser() as (_, page):
        page.goto(f"{address}/?L")
        ready(page)
        session = counters(page)
        page.evaluate(f"score.setWindow({turns // 2}, {turns // 2 + 13})")
        ours, _ = per_frame(page, session, "pan")
    yield Figure(name="L pan: the page, script", value=ours, unit="ms/frame")
    drawn = graph(frame)
    for name, (folder, file) in PEERS.items():
        release = json.loads((MODULES / folder / "package.json").read_text())["version"]
        host = HOST.replace("LIBRARY", file).replace("NAME", name).replace("MIDDLE", str(turns // 2 * LANE))
        files = {f"/{file}": (MODULES / folder / file).read_bytes(), "/graph": drawn}
        with serve(files, host) as address, browser() as (_, page):
            page.goto(address)
            stood = ready(page)["since"] / 1000
            theirs, whole = per_frame(page, counters(page), "peer", frames=FRAMES, rounds=2)
        note = f"{release}: {theirs:,.0f} ms/frame of script, {whole:,.0f} in all; stood after {stood:.1f} s"
        yield Figure(
            name=f"L pan: less script than {name}",
            value=theirs / ours,
            unit="times",
            bar=TIMES,
            better="more",
            note=note,
        )


LANE = 111
STEP = 20


def graph(frame: bytes) -> bytes:
    """A keyframe's nodes, each below the last of its turn's lane, and its edges."""
    kf = msgspec.json.decode(frame)
    held: dict[int, int] = {}
    nodes = []
    columns = kf["nodes"]
    for id, label, kind, turn in zip(columns["id"], columns["label"], columns["kind"], columns["turn"], strict=True):
        place = held[turn] = held.get(turn, 0) + 1
        nodes.append([id, label, kind, turn * LANE, 20 + place * STEP])
    names = columns["id"]
    edges = [
        [id, names[source], names[target]]
        for id, source, target in zip(*(kf["edges"][key] for key in ("id", "source", "target")), strict=True)
    ]
    return msgspec.json.encode({"nodes": nodes, "edges": edges})
