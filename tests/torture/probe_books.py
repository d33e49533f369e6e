"""The books balance: what a bot made is what a map has, what it knows to be missing, and what it refused; exactly.

``python -m tests.torture.probe_books``; LB_ROUNDS (6) of 30 strokes of fate each, drawn by LB_SEED: bursts larger than
the ring, answers that get lost, batches that come twice, events that are spoiled on the way, a map that is stopped or
killed and started again, the same map attached again, workers that are forked. After each round three accounts are
compared: the probe's, the map's (if it was not killed) and that of the recordings.
"""

from __future__ import annotations

import json
import os
import random
import signal
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

from lingbot_probes import Probe
from lingbot_probes.link import Endpoint, Link, NotTaken
from tests.live.server import wait_for
from tests.torture.driver import Report, end, setting
from tests.torture.serving import Served

STROKES = 30
BAD = 60
"""One event of so many is bad."""
SEEN_WITHIN = 2.0
"""Seconds from a loss to the gap in the recording, where the map can be reached."""
_SESSIONS = ("call", "chat", "desk")
_PAUSE = threading.Event()


@dataclass(slots=True)
class Told:
    """What the recordings say of one source."""

    events: int = 0
    stand_ins: int = 0
    late: int = 0
    missing: int = 0
    twice: int = 0


def recorded(data: Path) -> dict[str, Told]:
    """What all recordings of a data folder say, by source."""
    found: dict[str, Told] = {}
    seen: Counter[tuple[str, str, int]] = Counter()
    for log in data.glob("*/events.jsonl"):
        for line in log.read_text("utf-8").splitlines()[1:]:
            event = json.loads(line)
            said = event["signal"]
            if event.get("n"):
                told = found.setdefault(event["source"], Told())
                told.events += 1
                told.stand_ins += said["kind"] == "raw" and said.get("name") == "unreadable"
                told.late += event.get("late", False)
                seen[event["source"], log.parent.name, event["n"]] += 1
                told.twice += seen[event["source"], log.parent.name, event["n"]] > 1
            elif said["kind"] == "gap" and said["source"]:
                found.setdefault(said["source"], Told()).missing += said["last"] - said["first"] + 1
    for told in found.values():
        told.missing -= told.late
    return found


def is_bad(batch: dict[str, Any], event: dict[str, Any]) -> bool:
    """Whether the event is such as no map takes; it is so each time that it comes."""
    return crc32(f"{batch['source']} {event['session']} {event['n']}".encode()) % BAD == 0


class Fate:
    """A way to the map on which things happen: batches or answers get lost, batches come twice, events are bad."""

    def __init__(self, link: Link, rng: random.Random) -> None:
        self.link = link
        self.rng = rng
        self.kinds = Counter[str]()

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        """As the link's, with luck."""
        luck = self.rng.random()
        if luck < 0.1:
            self.kinds["never sent"] += 1
            raise NotTaken("never sent")
        spoiled = [{**event, "masked": -1} if is_bad(batch, event) else event for event in batch["events"]]
        batch = {**batch, "events": spoiled}
        if luck < 0.2:
            self.kinds["twice"] += 1
            self.link.deliver(batch)
        answer = self.link.deliver(batch)
        if luck > 0.9:
            self.kinds["answer lost"] += 1
            raise NotTaken("answer lost", unsure=True)
        return answer


class Round:
    """One map, one bot, and what becomes of them."""

    def __init__(self, work: Path, report: Report, rng: random.Random, name: str) -> None:
        self.work = work
        self.report = report
        self.rng = rng
        self.name = name
        self.killed = False
        self.slowest = 0.0
        self.children: list[dict[str, Any]] = []
        self.map = Served(work / "data", work)
        self.fate = Fate(self.way(), rng)
        self.probe = Probe("bot", sink=self.fate, capacity=rng.choice((50, 500)))

    def way(self) -> Link:
        """To the map, as it is now."""
        link = Link(Endpoint(f"http://127.0.0.1:{self.map.port}/#t={self.map.token}"))
        link.prepare()
        return link

    def run(self) -> None:
        """Strokes, then accounts."""
        try:
            strokes = [self.burst, self.trickle, self.trickle, self.again, self.stop, self.fork]
            if self.rng.random() < 0.5:  # a map that was killed has forgotten its account
                strokes.append(self.kill)
            for _ in range(STROKES):
                self.rng.choice(strokes)()
            self.settle()
            self.compare()
            self.see_a_loss()
        finally:
            self.close()

    def close(self) -> None:
        """End what it started."""
        self.probe.close()
        self.fate.link.close()
        end(self.map.process)

    # -- strokes ---------------------------------------------------------------------------------------------------

    def say(self, probe: Probe, count: int) -> None:
        for i in range(count):
            probe.answered(f"word {i}", session=self.rng.choice(_SESSIONS))

    def burst(self) -> None:
        """More than the ring holds, before anybody can send it."""
        self.say(self.probe, self.rng.randint(1, 3_000))

    def trickle(self) -> None:
        for _ in range(self.rng.randint(1, 10)):
            self.say(self.probe, self.rng.randint(1, 20))
            _PAUSE.wait(self.rng.random() * 0.03)

    def again(self) -> None:
        """The same map is attached anew and gets the history again."""
        self.probe.drain_to(Same(self.fate))

    def stop(self) -> None:
        """The map stands still for a moment."""
        os.kill(self.map.pid, signal.SIGSTOP)
        self.say(self.probe, self.rng.randint(0, 1_500))
        _PAUSE.wait(self.rng.random() * 0.2)
        os.kill(self.map.pid, signal.SIGCONT)

    def kill(self) -> None:
        """The map is killed and started again, with the same token's file and at the same port."""
        self.killed = True
        end(self.map.process)
        self.say(self.probe, self.rng.randint(0, 1_500))
        self.map = Served(self.work / "data", self.work, "--port", str(self.map.port))
        before, self.fate.link = self.fate.link, self.way()
        before.close()

    def fork(self) -> None:
        """A worker that speaks for itself; what it made comes back through a pipe."""
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                probe = self.probe
                self.fate.link.forked()
                self.say(probe, self.rng.randint(1, 800))
                flushed = probe.flush(60)
                os.write(writing, json.dumps({**probe.stats(), "flushed": flushed}).encode())
            finally:
                os._exit(0)
        os.close(writing)
        with open(reading, "rb") as pipe:
            said = pipe.read()
        os.waitpid(pid, 0)
        if self.report.check(f"{self.name}: a worker ends well", said):
            self.children.append(json.loads(said))

    # -- accounts --------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Until all is told, and the map waits for nothing."""
        self.report.check(f"{self.name}: all of it is told", self.probe.flush(60), self.probe.stats())
        try:
            wait_for(lambda: all(row["held"] == 0 for row in self.books().values()), "what came out of order")
        except AssertionError as why:
            raise AssertionError(f"{why}: {self.books()}, {self.probe.stats()}, {self.children}") from None

    def books(self) -> dict[str, dict[str, Any]]:
        return {row["source"]: row for row in self.map.client.get("/api/stats")["sources"]}

    def compare(self) -> None:
        books, logs = self.books(), recorded(self.map.data)
        for stats in [self.probe.stats(), *self.children]:
            name, told = f"{self.name}: source {stats['source'][:6]}", logs.get(stats["source"], Told())
            parts = {field: stats[field] for field in ("acked", "lost", "refused", "unconfirmed", "waiting")}
            self._equal(f"{name}: made is what became of it", stats["made"], sum(parts.values()), parts)
            self._equal(f"{name}: nothing is in doubt", 0, parts["unconfirmed"] + parts["waiting"], parts)
            self._equal(f"{name}: nothing is recorded twice", 0, told.twice, told)
            self._equal(f"{name}: made is what is recorded", stats["made"], told.events + told.missing, told)
            self._equal(f"{name}: lost is missing", stats["lost"], told.missing, (parts, told))
            # Of an event that was refused in an answer that got lost, the next answer names only the number as taken.
            doubted = told.stand_ins - stats["refused"]
            fair = doubted >= 0 and (doubted == 0 or self.killed or self.fate.kinds["answer lost"])
            self.report.check(f"{name}: what was refused has a stand-in", fair, (parts, told))
            if not self.killed and stats["made"]:
                row = books[stats["source"]]
                of_map = [row[field] for field in ("produced", "accepted", "missing", "refused")]
                of_log = [stats["made"], told.events - told.stand_ins, told.missing, told.stand_ins]
                self._equal(f"{name}: the map's account is that of the recordings", of_log, of_map, (stats, row))
                self._equal(f"{name}: the map's account balances", row["produced"], sum(of_map[1:]), row)

    def _equal(self, name: str, expected: object, found: object, detail: object) -> None:
        self.report.check(name, expected == found, f"expected {expected}, found {found}: {detail}")

    def see_a_loss(self) -> None:
        """With the map there, a loss is in the recording within 2 s."""
        before = sum(told.missing for told in recorded(self.map.data).values())
        self.probe.drain_to(self.way())
        self.probe.flush(10)
        self.say(self.probe, 20_000)
        began = time.monotonic()
        while sum(told.missing for told in recorded(self.map.data).values()) <= before:
            if time.monotonic() - began > 10:
                break
            _PAUSE.wait(0.02)
        self.slowest = time.monotonic() - began
        self.report.check(f"{self.name}: a loss is seen", self.slowest <= SEEN_WITHIN, f"after {self.slowest:.1f} s")


class Same:
    """Another sink that leads to the same map."""

    def __init__(self, to: Fate) -> None:
        self._to = to

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        """As the other's."""
        return self._to.deliver(batch)


def run(*, rounds: int, seed: int) -> Report:
    """All of it, each round in folders of its own."""
    report, rng = Report("probe_books"), random.Random(seed)
    kinds, made, slowest = Counter[str](), 0, 0.0
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as work:
            one = Round(Path(work), report, rng, f"round {number}")
            one.run()
            kinds += one.fate.kinds
            made += one.probe.stats()["made"] + sum(child["made"] for child in one.children)
            slowest = max(slowest, one.slowest)
    report.figures |= {"events made": made, **kinds, "a loss is seen after, s": round(slowest, 2)}
    return report


if __name__ == "__main__":
    raise SystemExit(run(rounds=setting("LB_ROUNDS", 6), seed=setting("LB_SEED", 1)).show())
