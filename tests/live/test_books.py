"""The books of a real bot and a real map over HTTP: what was made is shown, missing or refused, to the last event."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from lingbot_web.cli import run
from tests.live.server import running
from tests.torture.driver import Report
from tests.torture.probe_books import Round

PARTS = ("accepted", "missing", "refused", "held")


class Luck(random.Random):
    """Draws what is told; then nothing happens on the way."""

    def __init__(self) -> None:
        super().__init__(1)
        self.next: list[float] = []

    def random(self) -> float:
        return self.next.pop() if self.next else 0.5


@pytest.fixture
def round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Round]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    made = Round(tmp_path, Report("books"), random.Random(1), "books")
    made.fate.rng = Luck()
    yield made
    made.close()
    assert made.report.failures == []
    assert made.report.passed > 5


def luck(round: Round, *draws: float) -> None:
    """Something is said until what was drawn has happened to it."""
    assert isinstance(round.fate.rng, Luck)
    for draw in draws:
        happened = round.fate.kinds.total()
        while round.fate.kinds.total() == happened:
            round.fate.rng.next = [draw]
            round.say(round.probe, 5)
            assert round.probe.flush(20), round.probe.stats()


def test_overflow_repeats_refusals_and_lost_answers(round: Round, capsys: pytest.CaptureFixture[str]) -> None:
    round.say(round.probe, 2_000)
    luck(round, 0.05, 0.15, 0.95)
    round.again()
    assert round.probe.flush(20), "the history has come again"
    assert sum(row["repeated"] for row in round.books().values()) >= 50
    round.say(round.probe, 2_000)
    for _ in range(1_000):  # of a flood so few may come through that no bad one is among them
        if round.probe.stats()["refused"]:
            break
        round.say(round.probe, 20)
        assert round.probe.flush(20), round.probe.stats()
    round.settle()
    round.compare()
    (row,) = round.books().values()
    assert row["missing"] >= 1_000
    assert row["refused"] >= 1
    assert row["produced"] == round.probe.stats()["made"] == sum(row[part] for part in PARTS)
    capsys.readouterr()
    assert run(["stats", "--data", str(round.map.data), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sources"] == [row]
    gaps = [
        event["signal"]
        for summary in round.map.client.get("/api/sessions")["sessions"]
        for event in round.map.client.get(f"/api/sessions/{summary['key']}/events?from=1&to=5000")["events"]
        if event["signal"]["kind"] == "gap"
    ]
    assert sum(gap["last"] - gap["first"] + 1 for gap in gaps) >= row["missing"], "they are on the axis of time"


def test_a_stopped_and_a_killed_map(round: Round) -> None:
    luck(round, 0.05)
    round.stop()
    luck(round, 0.95)
    round.kill()
    round.say(round.probe, 100)
    round.settle()
    round.compare()


def test_workers_have_books_of_their_own(round: Round) -> None:
    round.say(round.probe, 700)
    round.fork()
    round.say(round.probe, 100)
    round.fork()
    round.settle()
    round.compare()
    assert len(round.books()) == 3


@pytest.mark.parametrize("again", [True, False], ids=["it comes again", "it comes once"])
def test_a_refused_event_that_came_early_is_refused_when_it_has_its_place(again: bool) -> None:
    """Its stand-in waits in memory for what is before it; a source that was told so early would never send it again."""
    first, bad = ({"session": "s", "n": n, "signal": {"kind": "answered", "text": str(n)}} for n in (1, 2))
    bad["masked"] = -1
    with running() as (_, client):
        answer = client.send([bad], numbered={})
        assert (answer["acked"], answer["refused"]) == ({}, [])
        answer = client.send([first, bad] if again else [first], numbered={"s": 1})
        assert answer["acked"] == {"s": [[1, 2]]}
        assert [(refused["session"], refused["n"]) for refused in answer["refused"]] == [("s", 2)]
        (row,) = client.get("/api/stats")["sources"]
        assert [row[part] for part in ("produced", *PARTS)] == [2, 1, 0, 1, 0]
