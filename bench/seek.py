"""Going back to any moment of a session of a million events, in processor time.

BENCH_SEEK_EVENTS makes it a smaller session.
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from bench import Figure
from bench.dialogues import BEGIN, generate
from lingbot_map import codec
from lingbot_map.policy import Policy
from lingbot_map.session import Session
from lingbot_map.store.files import FileStore

EVENTS = int(os.environ.get("BENCH_SEEK_EVENTS", 1_000_000))
SEEKS = 60


def build(folder: Path) -> Session:
    """The session as an import makes it: in batches, with a snapshot whenever one is due."""
    store = FileStore(folder)
    session = Session.create(store, "bench", policy=Policy(), facts={}, now=BEGIN)
    items = generate(10**9)
    while session.map.cursor.seq < EVENTS:
        session.apply(session.intake.take("bench", list(islice(items, 500)), BEGIN, recorded=True).events)
        if session.snapshot_due(BEGIN):
            session.snapshot(BEGIN)
        store.sync()
    return session


def measure() -> Iterable[Figure]:
    """Random moments, each from the nearest rung of the ladder; then reading the history block by block."""
    with tempfile.TemporaryDirectory() as work:
        session = build(Path(work))
        files = [path for path in Path(work).rglob("*") if path.is_file()]
        rungs = sum(path.suffix == ".snapshot" for path in files)
        cached = sum(path.stat().st_size for path in files if path.suffix == ".snapshot") / 1e6
        log = sum(path.stat().st_size for path in files if path.suffix == ".jsonl") / 1e6
        note = f"{EVENTS:,} events, {log:,.0f} MB of log, {rungs} snapshots of {cached:,.0f} MB in all"
        rng = random.Random(1)
        times = []
        for _ in range(SEEKS):
            seq = rng.randint(1, EVENTS)
            began = time.process_time()
            map = session.at(seq)
            times.append((time.process_time() - began) * 1000)
            assert map.cursor.seq == seq
        yield Figure(
            name="seek to a random moment, median", value=statistics.median(times), unit="ms", bar=200, note=note
        )
        yield Figure(name="seek to a random moment, 95 %", value=sorted(times)[int(SEEKS * 0.95)], unit="ms")
        began = time.process_time()
        size = len(codec.keyframe(map))
        took = (time.process_time() - began) * 1000
        yield Figure(
            name="keyframe of that moment", value=took, unit="ms", note=f"{size / 1e6:.1f} MB before compression"
        )
        times = []
        first = EVENTS // 1000
        for block in range(first, first + 20):
            began = time.process_time()
            session.deltas_block(block)
            times.append((time.process_time() - began) * 1000)
        yield Figure(name="a block of 500 events, read on", value=statistics.median(times[1:]), unit="ms")
        yield Figure(name="a block of 500 events, anywhere", value=times[0], unit="ms")


if __name__ == "__main__":
    for figure in measure():
        print(figure)
