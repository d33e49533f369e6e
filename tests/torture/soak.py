"""Many bots and viewers while the map is killed again and again: in the end nothing is missing, doubled or leaked.

``python -m tests.torture.soak``; LB_SECONDS (1800), LB_BOTS (20) with real probes, LB_VIEWERS (50), LB_KILL_S (120)
from one kill -9 of the map to the next, LB_RATE (10) events a second of each bot, LB_BYTES_EVENT (6000) of the map's
memory for an event at most, LB_SEED. ``python -m tests.torture.soak bots PORT SECONDS BOTS RATE SEED`` are the bots.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.dialogues import generate
from lingbot_map import codec
from lingbot_map.events import Event
from lingbot_map.mapper import Mapper
from lingbot_map.store import key_of
from lingbot_map.store.files import FileStore
from lingbot_probes import Probe
from lingbot_probes.signals import Numbered
from tests.live.server import wait_for
from tests.torture.crowd import Viewer
from tests.torture.driver import PYTHON, ROOT, Report, end, setting
from tests.torture.raw import Target
from tests.torture.serving import Served, resident_kb

CATCH_UP = 20.0
"""Seconds in which the last event must have reached every viewer."""
_PAUSE = 0.2


def session_of(bot: int) -> str:
    return f"soak-{bot}"


def dialogue(bot: int, seed: int) -> Iterator[Numbered]:
    """What that bot says, for as long as it is let."""
    return generate(10**6, seed * 1000 + bot, session=session_of(bot))


class Follower(Viewer):
    """A viewer that comes back whenever the line is cut, as a page does."""

    def __init__(self, where: Callable[[], Target | None], session: str) -> None:
        super().__init__(Target(0, ""), session)
        self.where = where
        self.cuts = 0

    async def follow(self, done: Callable[[], bool]) -> None:
        while not done():
            target = self.where()
            if target is not None:
                self.target = target
                before = len(self.faults)
                await self.watch(time.time() + 1 if done() else time.time() + 3600)
                cut = [fault for fault in self.faults[before:] if fault.startswith("cut: ")]
                self.faults[before:] = [fault for fault in self.faults[before:] if fault not in cut]
                self.cuts += len(cut)
            await asyncio.sleep(_PAUSE)


class Soak:
    """One map that is killed and started again, and what is seen of it."""

    def __init__(self, report: Report, work: Path) -> None:
        self.report = report
        self.work = work
        self.map = Served(work / "data", work)
        self.port = self.map.port
        self.up = threading.Event()
        self.up.set()
        self.kills = 0
        self.grown: list[tuple[int, int]] = []  # (events so far, kB of the map's process)

    def where(self) -> Target | None:
        """The map as it can be reached now."""
        return Target(self.port, self.map.token) if self.up.is_set() else None

    def kill(self) -> None:
        """Kill it and start it again in the same place."""
        self.weigh()
        self.up.clear()
        end(self.map.process)
        self.map = Served(self.work / "data", self.work, "--port", str(self.port))
        self.kills += 1
        self.up.set()

    def weigh(self) -> None:
        self.grown.append((sum(self.sessions().values()), resident_kb(self.map.pid)))

    def sessions(self) -> dict[str, int]:
        """How many events each session has."""
        rows = self.map.client.get("/api/sessions?limit=200")["sessions"]
        return {row["id"]: row["events"] for row in rows}

    def disturb(self, bots: subprocess.Popen[str], every: float) -> None:
        """Kill it every so many seconds, until the bots are done."""
        while True:
            try:
                bots.wait(every)
                return
            except subprocess.TimeoutExpired:
                self.kill()


def run(*, seconds: float, bots: int, viewers: int, every: float, rate: int, bytes_event: int, seed: int) -> Report:
    """All of it, in a folder of its own."""
    report = Report("soak")
    with tempfile.TemporaryDirectory() as name:
        soak = Soak(report, Path(name))
        try:
            told = _talk(soak, seconds, bots, viewers, every, rate, seed)
            _check_books(soak, told)
            maps = {
                bot: soak.map.client.get(f"/api/sessions/{key_of(session_of(bot))}/keyframe") for bot in range(bots)
            }
            soak.weigh()
            _check_memory(soak, bytes_event)
            report.check("no traceback", "Traceback" not in soak.map.printed(), soak.map.printed()[-300:])
        finally:
            end(soak.map.process)
        store = FileStore(Path(name) / "data")
        for bot, shown in maps.items():
            _check_map(report, store, bot, told[bot]["count"], shown, seed)
        store.leave()
    return report


def _talk(
    soak: Soak, seconds: float, bots: int, viewers: int, every: float, rate: int, seed: int
) -> list[dict[str, Any]]:
    """Bots talk, viewers watch, the map is killed; what each bot said of itself at its end."""
    arguments = [str(value) for value in (soak.port, seconds, bots, rate, seed)]
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(soak.work / "run")}
    talking = subprocess.Popen(
        [PYTHON, "-m", "tests.torture.soak", "bots", *arguments],
        cwd=ROOT,
        env=environment,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )
    crowd = [Follower(soak.where, session_of(i % bots)) for i in range(viewers)]
    last: dict[str, int] = {}
    over = threading.Event()

    def done() -> bool:
        return over.is_set()

    async def watch() -> None:
        wait_for(lambda: len(soak.sessions()) == bots, "every bot's first word")
        following = [asyncio.create_task(viewer.follow(done)) for viewer in crowd]
        try:
            await asyncio.to_thread(soak.disturb, talking, every)
        except asyncio.CancelledError:
            end(talking)  # Ctrl-C: the thread waits for the bots
            raise
        last.update(soak.sessions())
        beats = range(int(CATCH_UP / _PAUSE))
        for _ in beats:
            if all(viewer.last >= last[viewer.session] for viewer in crowd):
                break
            await asyncio.sleep(_PAUSE)
        over.set()
        for task in following:
            task.cancel()
        await asyncio.gather(*following, return_exceptions=True)

    try:
        asyncio.run(watch())
        assert talking.stdout is not None
        told: list[dict[str, Any]] = [json.loads(line) for line in talking.stdout]
    finally:
        end(talking)
    check, figures = soak.report.check, soak.report.figures
    check("every bot came to its end", len(told) == bots, f"{len(told)} of {bots}")
    faults = [f"{viewer.session}: {fault}" for viewer in crowd for fault in viewer.faults]
    check("no viewer missed an event or saw one twice", not faults, f"{len(faults)}: {faults[:3]}")
    behind = [viewer.session for viewer in crowd if viewer.last != last[viewer.session]]
    check("every viewer has seen the last event", not behind, behind[:3])
    check("the line was cut, and not the first time", all(viewer.cuts >= soak.kills for viewer in crowd), soak.kills)
    figures["kills"] = soak.kills
    figures["events"] = sum(last.values())
    figures["fresh starts of viewers instead of going on"] = sum(viewer.fresh_starts for viewer in crowd)
    return told


def _check_books(soak: Soak, told: list[dict[str, Any]]) -> None:
    """What the probes made is what the map has, each counted once."""
    check = soak.report.check
    books = {source["source"]: source for source in soak.map.client.get("/api/stats")["sources"]}
    for bot in told:
        name, stats = session_of(bot["bot"]), bot["stats"]
        check(
            f"{name}: the probe has all acknowledged",
            bot["flushed"] and stats["acked"] == stats["made"] == bot["count"],
            stats,
        )
        book = books.get(stats["source"])
        if book is not None:  # since its last start the map may have heard nothing of a bot
            sums = book["accepted"] + book["missing"] + book["refused"]
            check(f"{name}: produced is the sum", book["produced"] == sums, book)
            check(f"{name}: nothing is missing", not book["missing"] and not book["refused"], book)


def _check_memory(soak: Soak, bytes_event: int) -> None:
    """From half way on the map's process grows with its data alone."""
    half = soak.grown[len(soak.grown) // 2 - 1 if len(soak.grown) > 1 else 0]
    events, kb = soak.grown[-1][0] - half[0], soak.grown[-1][1] - half[1]
    each = kb * 1024 / max(1, events)
    soak.report.figures["memory of the map from half way to the end, MB"] = (
        f"{half[1] / 1024:.0f} to {soak.grown[-1][1] / 1024:.0f}"
    )
    soak.report.figures["bytes an event of that"] = round(each)
    soak.report.check("memory grows with the data alone", each <= bytes_event, f"{each:.0f} bytes an event")


def _check_map(report: Report, store: FileStore, bot: int, count: int, shown: dict[str, Any], seed: int) -> None:
    """The log has what the bot said, once and in order; a map of it that nothing disturbed is the one shown."""
    name = session_of(bot)
    events: list[Event] = list(store.open(key_of(name)).events(1))
    said = [event.signal for event in events if event.source]
    wanted = [item.signal for item, _ in zip(dialogue(bot, seed), range(count), strict=False)]
    report.check(f"{name}: the log has all that was said, once", said == wanted, f"{len(said)} of {len(wanted)}")
    mapper = Mapper(session=name)
    for event in events:
        mapper.apply(event)
    undisturbed = json.loads(codec.keyframe(mapper.map))
    other = [part for part in undisturbed if undisturbed[part] != shown.get(part)]
    report.check(f"{name}: the map equals an undisturbed one", not other, other)


def talk(port: int, seconds: float, bots: int, rate: int, seed: int) -> None:
    """So many bots with a probe each, in threads; a line of JSON for each at its end."""
    until = time.monotonic() + seconds
    lines: list[str] = []

    def bot(number: int) -> None:
        probe = Probe(session_of(number), endpoint=f"http://127.0.0.1:{port}", mask=False)
        pause, began, count = threading.Event(), time.monotonic(), 0
        for item in dialogue(number, seed):
            pause.wait(max(0.0, began + count / rate - time.monotonic()))
            if time.monotonic() > until:
                break
            probe.emit(item.signal, session=item.session, turn=item.turn or None)
            count += 1
        flushed = probe.flush(60)
        lines.append(json.dumps({"bot": number, "count": count, "flushed": flushed, "stats": probe.stats()}))

    threads = [threading.Thread(target=bot, args=(number,)) for number in range(bots)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("\n".join(sorted(lines, key=lambda line: int(json.loads(line)["bot"]))), flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    if sys.argv[1:2] == ["bots"]:
        port, length, crowd, each, seed = sys.argv[2:]
        talk(int(port), float(length), int(crowd), int(each), int(seed))
        raise SystemExit(0)
    raise SystemExit(
        run(
            seconds=setting("LB_SECONDS", 1800),
            bots=setting("LB_BOTS", 20),
            viewers=setting("LB_VIEWERS", 50),
            every=setting("LB_KILL_S", 120),
            rate=setting("LB_RATE", 10),
            bytes_event=setting("LB_BYTES_EVENT", 6000),
            seed=setting("LB_SEED", 1),
        ).show()
    )
