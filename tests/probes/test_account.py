"""The account after a map was killed: what it had written is not called lost, what it had not is, and nothing twice."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from lingbot_map.events import Gap
from lingbot_map.testing import Recording
from lingbot_probes import Probe
from lingbot_probes.link import NotTaken
from lingbot_probes.ring import Session
from lingbot_probes.runs import RUNS, Numbers
from tests.probes.listening import Server, until


class Killed:
    """A map with a real intake that can be killed after it has written a batch and before it answers, or before."""

    def __init__(self) -> None:
        self.map = Recording()
        self.server = "first"
        self.dies = ""
        self.tried = threading.Event()

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        try:
            if self.dies == "away":
                raise NotTaken("refused")
            answer = self.map.deliver(batch)
            if self.dies == "after writing":
                raise NotTaken("reset", unsure=True)
            return {**answer, "server": self.server}
        finally:
            self.tried.set()

    def try_again(self, probe: Probe) -> None:
        self.tried.clear()
        probe._sender.nudge()
        assert self.tried.wait(10)


def account(probe: Probe) -> tuple[int, int, int, int]:
    """(made, acknowledged, lost, unconfirmed)"""
    stats = probe.stats()
    return stats["made"], stats["acked"], stats["lost"], stats["unconfirmed"]


def say(probe: Probe, count: int, first: int = 0) -> None:
    for i in range(first, first + count):
        probe.answered(str(i), session="s")


def written(map: Recording) -> int:
    return sum(1 for event in map.events["s"] if event.n)


def missing(map: Recording) -> int:
    gaps = [event.signal for event in map.events["s"] if isinstance(event.signal, Gap)]
    return sum(gap.last - gap.first + 1 for gap in gaps)


def test_what_a_killed_map_had_written_is_not_called_lost() -> None:
    sink = Killed()
    probe = Probe("bot", sink=sink)
    say(probe, 100)
    assert probe.flush(10)
    assert account(probe) == (100, 100, 0, 0)
    sink.dies = "after writing"
    say(probe, 50)
    until(lambda: written(sink.map) == 150, "the last batch")
    sink.dies = "away"
    sink.try_again(probe)
    say(probe, 700)  # pushes out all that was unconfirmed, and 200 more
    assert account(probe) == (850, 100, 200, 50)
    sink.try_again(probe)
    assert account(probe) == (850, 100, 200, 50)
    sink.dies, sink.server = "", "second"  # started again, with all it had written
    assert probe.flush(10)
    assert account(probe) == (850, 650, 200, 0)
    assert (written(sink.map), missing(sink.map)) == (650, 200)
    assert probe.stats()["dropped"] == {"s": 200}
    probe.close()


def test_a_map_that_has_forgotten_turns_unconfirmed_into_lost() -> None:
    sink = Killed()
    probe = Probe("bot", sink=sink, capacity=50)
    sink.dies = "after writing"
    say(probe, 20)
    until(lambda: written(sink.map) == 20, "the last batch")
    sink.dies = "away"
    sink.try_again(probe)
    say(probe, 50)
    assert account(probe) == (70, 0, 0, 20)
    remembered, sink.map = sink.map, Recording()  # another disk
    sink.dies, sink.server = "", "second"
    assert probe.flush(10)
    assert account(probe) == (70, 50, 20, 0)
    assert missing(sink.map) == 20
    sink.map, sink.server = remembered, "third"  # and the first disk comes back
    probe.answered("again", session="s")
    assert probe.flush(10)
    assert account(probe) == (71, 71, 0, 0)
    assert written(sink.map) == 70  # number 21 had left the ring, but the map on the other disk has it
    probe.close()


def test_an_event_that_is_still_held_is_neither_lost_nor_unconfirmed() -> None:
    sink = Killed()
    probe = Probe("bot", sink=sink)
    sink.dies = "after writing"
    say(probe, 20)
    until(lambda: written(sink.map) == 20, "the batch")
    assert account(probe) == (20, 0, 0, 0)
    assert probe.stats()["held"] == 20
    sink.dies = ""
    assert probe.flush(10)
    assert account(probe) == (20, 20, 0, 0)
    probe.close()


def test_a_map_that_cannot_write_yet_says_so_and_nothing_is_called_lost() -> None:
    class Waiting(Killed):
        full = True

        def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
            answer = super().deliver(batch)
            return {**answer, "acked": {}} if self.full else answer

    sink = Waiting()
    probe = Probe("bot", sink=sink, capacity=50)
    say(probe, 50)
    until(lambda: written(sink.map) == 50, "the batch")
    say(probe, 50)
    until(lambda: written(sink.map) == 100, "the next batch")
    assert account(probe) == (100, 0, 0, 50)
    sink.full = False
    probe.answered("x", session="s")
    assert probe.flush(10)
    assert account(probe) == (101, 101, 0, 0)
    probe.close()


def test_a_cut_connection_leaves_doubt_and_a_refused_one_does_not(server: Server) -> None:
    probe = Probe("bot", server.url, capacity=10)
    server.cut = True
    say(probe, 5)
    until(lambda: len(server.map.signals()) == 5, "the batch")
    until(lambda: probe.stats()["state"] == "waiting", "the reset")
    server.stop()
    asked = probe._sender._failures
    say(probe, 15)
    until(lambda: probe._sender._failures > asked, "the refusal")
    assert account(probe) == (20, 0, 5, 5)
    probe.close()


def test_what_was_refused_is_not_acknowledged(server: Server) -> None:
    probe = Probe("bot", server.url)
    server.status = lambda batch: 400 if any(e["signal"].get("text") == "1" for e in batch["events"]) else 200
    say(probe, 3)
    assert probe.flush(10)
    assert account(probe) == (3, 2, 0, 0)
    assert probe.stats()["refused"] == 1
    server.stop()
    server.restart()  # another server: the recent history comes again, and what is refused is refused once
    say(probe, 1, first=7)
    assert probe.flush(10)
    assert account(probe) == (4, 3, 0, 0)
    assert probe.stats()["refused"] == 1
    probe.close()


@pytest.mark.parametrize(("start", "end"), [(1, 3), (4, 4), (2, 9), (1, 20), (12, 30), (21, 30)])
def test_numbers_count_and_lose_ranges(start: int, end: int) -> None:
    numbers = Numbers()
    held = {2, 3, 4, 8, 9, 10, 15, 20}
    for n in held:
        numbers.add(n, n)
    asked = set(range(start, end + 1))
    assert numbers.within(start, end) == len(held & asked)
    assert {n for first, last in numbers.holes(start, end) for n in range(first, last + 1)} == asked - held
    numbers.discard(start, end)
    assert {n for n in range(1, 31) if n in numbers} == held - asked


def test_losses_and_refusals_without_end_take_bounded_memory_and_stay_counted() -> None:
    session = Session("s", "source")
    for n in range(1, 20_001):
        session.number()
        if n % 4 == 0:
            session.refuse(n)
        elif n % 4 == 1:
            session.lost(n, n)
        else:
            session.acked(n, n)
    assert (session.delivered(), session.gone.total(), session.refused.total()) == (10_000, 5_000, 5_000)
    assert max(len(session.gone.runs), len(session.refused.runs)) <= RUNS
    assert session.done.runs == [[1, 20_000]]
    session.refused.discard(20_000)
    session.acked(19_997, 19_997)
    assert (session.gone.total(), session.refused.total()) == (4_999, 4_999)


def test_doubts_without_end_take_bounded_memory() -> None:
    session = Session("s", "source")
    for n in range(1, 20_001):
        session.number()
        if n % 2:
            session.doubt(n)
    session.lost(1, 20_000)
    assert len(session.unsure.runs) <= RUNS
    assert session.delivered() == 0
    assert session.gone.total() + session.unsure.total() == 20_000


def test_all_that_was_made_is_in_one_of_five_places() -> None:
    class Picky(Killed):
        def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
            answer = super().deliver(batch)
            bad = [event for event in batch["events"] if event["signal"].get("text", "").endswith("7")]
            said = [{"session": event["session"], "n": event["n"], "why": "seven"} for event in bad]
            return {**answer, "refused": said}

    def sums() -> bool:
        stats = probe.stats()
        return bool(stats["made"] == sum(stats[f] for f in ("acked", "lost", "refused", "unconfirmed", "waiting")))

    sink = Picky()
    probe = Probe("bot", sink=sink, capacity=50)
    for dies in ("", "after writing", "away", "", "away", "after writing", ""):
        sink.dies = dies
        say(probe, 70)
        assert sums(), probe.stats()
        sink.try_again(probe)
        say(probe, 20)
        assert sums(), probe.stats()
    assert probe.flush(10)
    assert sums(), probe.stats()
    assert probe.stats()["waiting"] == probe.stats()["unconfirmed"] == 0
    probe.close()
