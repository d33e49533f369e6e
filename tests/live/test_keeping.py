"""Keeping: what has had its time goes, by itself or when it is asked to, and what is in use stays."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lingbot_map.errors import UnknownSession
from lingbot_map.pipeline import Pipeline
from lingbot_map.store import key_of
from lingbot_map.store.files import FileStore
from lingbot_map.store.index import Index
from lingbot_map.store.retention import Keep
from lingbot_map.store.summary import Summary
from lingbot_probes.signals import SessionEnded, TurnStarted
from tests.live.server import running, wait_for
from tests.live.test_forgetting import command, listed
from tests.live.test_pipeline import BEGIN, Clock, pipeline, say, until
from tests.live.test_process import started

DAY = 86_400


def aged(data: Path, days: float, *sessions: str) -> None:
    """Let the logs look as if they were written that long before ``BEGIN``."""
    for session in sessions:
        os.utime(data / key_of(session) / "events.jsonl", (BEGIN - days * DAY,) * 2)


async def filled(data: Path, clock: Clock) -> None:
    """Sessions of ten days, one a day, each ended; the first is pinned."""
    async with pipeline(clock, FileStore(data), data / "index.sqlite3") as made:
        for day in range(10):
            clock.now = BEGIN - (9 - day) * DAY
            live = await say(
                made, [TurnStarted(turn="t", utterance="x" * 1000), SessionEnded(reason="bye")], f"day {day}"
            )
            if not day:
                made.describe(live, {"pinned": True})
    for day in range(10):
        aged(data, 9 - day, f"day {day}")


async def test_by_age_the_old_ones_go_but_for_what_is_pinned(tmp_path: Path) -> None:
    clock, data = Clock(), tmp_path / "data"
    await filled(data, clock)
    async with pipeline(clock, FileStore(data), data / "index.sqlite3") as made:
        wish = Keep(age=4.5 * DAY)
        said = await made.keeping.prune(wish, dry_run=True)
        assert len(said.going) == 4
        assert said.stayed == {"pinned": 1}
        assert len(listed(made)) == 10, "it was only asked"
        done = await made.keeping.prune(wish)
        assert done == said
        assert listed(made) == {"day 0", *(f"day {day}" for day in range(5, 10))}
        assert {key_of(name) for name in listed(made)} == set(made.store.keys())
        assert (await made.keeping.prune(wish)).going == []
        assert made.stats()["keep"]["pruned"] == 4
        assert done.left == sum(made.store.footprint(key).size for key in map(key_of, listed(made)))


async def test_by_size_the_oldest_go_until_the_rest_fits(tmp_path: Path) -> None:
    clock, data = Clock(), tmp_path / "data"
    await filled(data, clock)
    async with pipeline(clock, FileStore(data), data / "index.sqlite3") as made:
        room = sum(made.store.footprint(key_of(f"day {day}")).size for day in (0, 8, 9))
        done = await made.keeping.prune(Keep(size=room))
        assert listed(made) == {"day 0", "day 8", "day 9"}
        assert {one.why for one in done.going} == {"size"}
        assert done.left == room


async def test_a_server_prunes_at_its_start_and_what_came_back_meanwhile_stays(tmp_path: Path) -> None:
    clock, data = Clock(), tmp_path / "data"
    await filled(data, clock)
    store = FileStore(data)
    made = Pipeline(store, Index(data / "index.sqlite3"), clock=clock, keep=Keep(age=4.5 * DAY))
    await made.start()
    await say(made, [TurnStarted(turn="again", utterance="here I am")], "day 1", first=3)
    try:
        await until(lambda: made.keeping.pruned == 3)
        assert listed(made) == {"day 0", "day 1", *(f"day {day}" for day in range(5, 10))}
    finally:
        await made.stop()


async def test_a_live_or_watched_session_stays_and_an_abandoned_one_goes(tmp_path: Path) -> None:
    clock, data = Clock(), tmp_path / "data"
    await filled(data, clock)
    async with pipeline(clock, FileStore(data), data / "index.sqlite3") as made:
        await say(made, [TurnStarted(turn="t", utterance="talking")], "live")
        live = await made.open(key_of("day 3"))
        live.tail.watchers.add(lambda: None)
        done = await made.keeping.prune(Keep(age=60, size=1))
        assert listed(made) == {"day 0", "day 3", "live"}
        assert done.stayed == {"pinned": 1, "live": 1, "watched": 1}
        live.tail.watchers.clear()
        clock.now += 3 * 3600
        aged(data, -0.01, "live")
        await made.keeping.prune(Keep(age=60))
        assert listed(made) == {"day 0"}


async def test_what_was_pruned_does_not_come_back_and_its_bot_goes_on_without_a_gap(tmp_path: Path) -> None:
    clock, data = Clock(), tmp_path / "data"
    await filled(data, clock)
    async with pipeline(clock, FileStore(data), data / "index.sqlite3") as made:
        await made.keeping.prune(Keep(age=4.5 * DAY))
    async with pipeline(clock, FileStore(data), data / "index.sqlite3") as made:
        with pytest.raises(UnknownSession):
            await made.open(key_of("day 2"))
        live = await say(made, [TurnStarted(turn="t9", utterance="back again")], "day 2", first=3)
        assert not live.session.map.losses


@pytest.mark.parametrize("served", [True, False], ids=["through the map that serves it", "in a folder nobody holds"])
def test_prune_lists_what_would_go_then_removes_it(tmp_path: Path, served: bool) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    recording = tmp_path / "old.jsonl"
    recording.write_text(
        "".join(
            json.dumps({"sender_id": f"old {i}", "event": event, "text": "hello", "timestamp": 1_600_000_000.0 + i})
            + "\n"
            for i in range(3)
            for event in ("session_started", "user")
        )
    )
    command(runtime, "import", str(recording), "--fsync", "always", "--data", str(data))
    assert "3 session" not in command(runtime, "prune", "--keep", "1h", "--dry-run", "--data", str(data)), (
        "just taken in"
    )
    for i in range(3):
        os.utime(data / key_of(f"old {i}") / "events.jsonl", (time.time() - 9.5 * DAY,) * 2)

    def look() -> None:
        would = command(runtime, "prune", "--keep", "7d", "--dry-run", "--data", str(data))
        assert [line.split()[0] for line in would.splitlines()[1:4]] == [key_of(f"old {i}")[:12] for i in range(3)]
        assert len(re.findall(r" 9 d +\d\.\d kB  age", would)) == 3
        assert re.search(r"3 sessions, \d+\.\d kB would be removed; 0 B would be left", would)
        assert len(list(data.glob("*/events.jsonl"))) == 3
        done = command(runtime, "prune", "--keep", "7d", "--data", str(data))
        assert re.search(r"3 sessions, \d+\.\d kB removed; 0 B left", done)
        assert list(data.glob("*/events.jsonl")) == []

    if served:
        with started(data, runtime) as process:
            wait_for(lambda: process.client.get("/healthz")["status"] == "ok", "recovery")
            wait_for(lambda: process.client.get("/api/sessions")["total"] == 3, "the list")
            look()
    else:
        look()


def test_a_map_that_was_told_how_much_to_keep_removes_the_rest_and_says_so(tmp_path: Path) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    with running(data) as (_, map):
        map.say("hello", session="old")
        map.say("hello", session="new")
        map.send([{"session": "old", "n": 2, "signal": {"kind": "session_ended", "reason": "bye"}}])
        map.get("/api/sessions")
    index = Index(data / "index.sqlite3")
    for summary in index.summaries():
        if summary.id == "old":
            index.update([(older(summary), ())], time.time())
    index.close()
    os.utime(data / key_of("old") / "events.jsonl", (time.time() - 9 * DAY,) * 2)
    with started(data, runtime, "--keep", "7d", "--keep", "1GB") as process:
        sessions = wait_for(
            lambda: [one["id"] for one in process.client.get("/api/sessions")["sessions"]] == ["new"], "the end of it"
        )
        assert sessions
        keep = process.client.get("/api/stats")["keep"]
        assert (keep["age"], keep["size"], keep["pruned"]) == (7 * DAY, 10**9, 1)
        told = command(runtime, "stats", "--data", str(data))
        assert "keep      7 d and 1.0 GB; 1 session" in told
        assert "\nsources   none has said anything; counted since this map started (20" in told


def older(summary: Summary) -> Summary:
    return msgspec.structs.replace(summary, updated_at=time.time() - 9 * DAY)


@pytest.mark.parametrize("arguments", [["serve", "--keep", "soon"], ["prune", "--keep", "7"], ["prune"]])
def test_a_bound_that_is_none_is_refused_with_an_example(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "data").mkdir()
    told = command(tmp_path / "run", *arguments, "--data", str(tmp_path / "data"), code=2)
    assert "an age such as 7d" in told
    assert told.count("\n") == 1


def test_the_api_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    with running(tmp_path / "data") as (_, map):
        bodies: list[Any] = [
            {},
            {"keep": []},
            {"keep": ["x"]},
            {"keep": "7d"},
            {"keep": ["7d"], "dry_run": 1},
            {"kept": ["7d"]},
        ]
        for body in bodies:
            assert map.post("/api/prune", body)[0] == 400, body
        map.say("hello")
        assert map.post(f"/api/sessions/{key_of('call')}/forget", {"really": True})[0] == 400
        assert map.ask("POST", f"/api/sessions/{key_of('call')}/forget", b"{}")[0] == 415
        assert map.post(f"/api/sessions/{key_of('nobody')}/forget", {})[0] == 404
        assert map.get(f"/api/sessions/{key_of('call')}")["turns"] == 1
