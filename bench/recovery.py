"""How soon a server serves again after kill -9: the newest snapshot and the tail, in a fresh process.

Judged in processor time: one thread does it all, and the disk adds what reading some 20 MB takes.
"""

from __future__ import annotations

import gc
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from bench import Figure
from bench.dialogues import BEGIN, generate
from lingbot_map.policy import Policy
from lingbot_map.session import Session, collector_off
from lingbot_map.store.files import FileStore

NODES = 50_000
TAIL = 20_000
ROUNDS = 5


def build(folder: Path) -> None:
    """A session of 50,000 nodes as a killed process leaves it: snapshots on the way, 20,000 events after the newest."""
    store = FileStore(folder)
    session = Session.create(store, "bench", policy=Policy(kept_turns=1_000_000), facts={}, now=BEGIN)
    items = generate(10**6, docs=1_000_000)
    left = -1
    while left != 0:
        batch = list(islice(items, 500 if left < 0 else min(500, left)))
        session.apply(session.intake.take("bench", batch, BEGIN, recorded=True).events)
        if left > 0:
            left -= len(batch)
        elif session.snapshot_due(BEGIN):
            session.snapshot(BEGIN)
            if len(session.map.nodes) >= NODES - 0.6 * TAIL:
                left = TAIL - 1  # the most that a session lets come together, asked or not
    store.sync()
    store.leave()


def recovered(folder: Path) -> dict[str, float]:
    """What one start takes, told by the process that does it."""
    code = "import sys; from bench.recovery import child; child(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=True)
    out: dict[str, float] = json.loads(done.stdout)
    return out


def child(folder: str) -> None:
    """Recovers all that was open and says how long it took."""
    gc.collect()
    began, used = time.perf_counter(), time.process_time()
    store = FileStore(folder)
    with collector_off():
        sessions = [Session.recover(store.open(key), BEGIN) for key in store.open_keys()]
        gc.freeze()
    took = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - used}
    map = sessions[0].map
    store.leave()
    print(json.dumps({**took, "nodes": len(map.nodes), "edges": len(map.edges), "seq": map.cursor.seq}))


def measure() -> Iterable[Figure]:
    """The two figures: undamaged, and with the newest snapshot destroyed."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "data"
        build(folder)
        runs = [recovered(folder) for _ in range(ROUNDS)]
        one = min(runs, key=lambda run: run["cpu"])
        size = f"{one['nodes']:,.0f} nodes, {one['edges']:,.0f} edges, a tail of {TAIL:,} events"
        yield Figure(name="recovery after kill -9", value=one["cpu"], unit="s", bar=0.8, note=size)
        wall = min(run["seconds"] for run in runs)
        yield Figure(
            name="recovery after kill -9, by the clock", value=wall, unit="s", note="on a shared machine: noise"
        )
        times = []
        for _ in range(ROUNDS):
            copy = Path(work) / "copy"
            shutil.copytree(folder, copy)
            newest = sorted(copy.rglob("*.snapshot"))[-1]
            newest.write_bytes(b"destroyed")
            times.append(recovered(copy)["cpu"])
            shutil.rmtree(copy)
        yield Figure(name="the same, newest snapshot destroyed", value=min(times), unit="s", bar=2.0, note=size)


if __name__ == "__main__":
    for figure in measure():
        print(figure)
