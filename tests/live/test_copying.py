"""A recording of ours that is imported: its map is the map it was, here or in another folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.codec import dump
from lingbot_map.events import Event
from lingbot_map.pipeline import Batch, Live, Pipeline
from lingbot_map.store import key_of
from lingbot_map.store.lines import event_line, header_line
from lingbot_probes.signals import Answered, Numbered, SessionEnded, Signal, SlotAssigned, SlotRead, TurnStarted
from tests.live.test_pipeline import BEGIN, Clock, pipeline, say

SAID: list[Signal] = [
    TurnStarted(turn="a", utterance="hi"),
    SlotAssigned(slot="city", value="北京"),
    SlotRead(slot="city"),
    Answered(text="hello"),
    TurnStarted(turn="b", utterance="and then?"),
]


async def recorded(made: Pipeline, session: str = "call", signals: Sequence[Signal] = SAID) -> Live:
    """A session with a gap in it, one signal that came too late, and times of its source's own."""
    items = [
        Numbered(session=session, n=n, signal=signal, said_at=BEGIN - 100 + n) for n, signal in enumerate(signals, 1)
    ]
    await made.ingest(Batch("s", "bot", {session: [items[0], *items[3:]]}, {session: len(items)}, []))
    await made.ingest(Batch("s", "bot", {session: [items[1]]}, {}, []))
    return await made.open(key_of(session))


def log(live: Live) -> list[bytes]:
    return [event_line(event) for event in events(live)]


def events(live: Live) -> list[Event]:
    return list(live.session.recording.events())


def exported(path: Path, live: Live, most: int | None = None) -> Path:
    lines = [event_line(event) for event in events(live)[:most]]
    path.write_bytes(b"".join([header_line(live.session.id), *lines]))
    return path


async def brought(made: Pipeline, path: Path) -> dict[str, Any]:
    session: dict[str, Any]
    (session,) = (await made.import_file(path))["sessions"]
    return session


def balanced(made: Pipeline) -> bool:
    return all(
        row["produced"] == row["accepted"] + row["missing"] + row["refused"] + row["held"] and row["held"] == 0
        for row in made.books.report()
    )


async def test_a_copy_is_what_it_was_whenever_it_is_made(tmp_path: Path) -> None:
    clock = Clock()
    async with pipeline(clock) as here, pipeline(clock) as there:
        original = await recorded(here)
        clock.now += 365 * 24 * 3600
        came = await brought(there, exported(tmp_path / "x.jsonl", original))
        copy = await there.open(came["key"])
        assert (came["id"], came["new"], came["copy_of"]) == ("call", len(events(original)), "")
        assert log(copy) == log(original)
        assert dump(copy.session.map) == dump(original.session.map)
        assert copy.due() is None, "no time passes in what nobody speaks in"
        assert balanced(there)
        assert there.books.report()[0]["missing"] > 0


async def test_what_is_here_already_is_not_taken_again_and_what_follows_is(tmp_path: Path) -> None:
    async with pipeline(Clock()) as here, pipeline(Clock()) as there:
        original = await recorded(here)
        count = len(events(original))
        whole = exported(tmp_path / "whole.jsonl", original)
        assert (await brought(here, whole))["new"] == 0
        assert (await brought(there, exported(tmp_path / "part.jsonl", original, 5)))["new"] == 5
        assert (await brought(there, whole))["new"] == count - 5
        assert (await brought(there, whole))["new"] == 0
        assert (await brought(there, tmp_path / "part.jsonl"))["new"] == 0
        copy = await there.open(key_of("call"))
        assert log(copy) == log(original)
        assert dump(copy.session.map) == dump(original.session.map)
        assert balanced(there)


async def test_another_recording_of_that_name_gets_a_name_of_its_own(tmp_path: Path) -> None:
    async with pipeline(Clock()) as here, pipeline(Clock()) as there:
        original = await recorded(here)
        mine = await say(there, SAID[:1])
        before = log(mine)
        path = exported(tmp_path / "x.jsonl", original)
        came = await brought(there, path)
        assert came["copy_of"] == "call"
        assert came["id"].startswith("call~")
        assert log(mine) == before
        assert log(await there.open(came["key"])) == log(original)
        again = await brought(there, path)
        assert (again["id"], again["new"]) == (came["id"], 0)


async def test_a_recording_that_took_another_course_is_not_mixed_in(tmp_path: Path) -> None:
    async with pipeline(Clock()) as here, pipeline(Clock()) as there:
        original = await recorded(here)
        await brought(there, exported(tmp_path / "early.jsonl", original))
        await say(here, [Answered(text="one")], first=6)
        copy = await say(there, [Answered(text="other")], first=6)
        before = log(copy)
        came = await brought(there, exported(tmp_path / "late.jsonl", original))
        assert came["id"] != "call"
        assert log(copy) == before
        assert log(await there.open(came["key"])) == log(original)


async def test_a_bot_goes_on_in_a_copy(tmp_path: Path) -> None:
    clock = Clock()
    async with pipeline(clock) as here, pipeline(clock) as there:
        original = await recorded(here)
        copy = await there.open((await brought(there, exported(tmp_path / "x.jsonl", original)))["key"])
        last = events(copy)[-1].seq
        await say(there, [SessionEnded()], first=6)
        assert [(event.seq, event.n) for event in events(copy)[last:]] == [(last + 1, 6)]
        assert balanced(there)


def damaged(path: Path, line: int) -> Path:
    """The same recording with a bit flipped in that line."""
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line] = lines[line].replace(b'"at":1', b'"at":2', 1)
    beside = path.with_name("damaged.jsonl")
    beside.write_bytes(b"".join(lines))
    return beside


async def test_a_damaged_recording_keeps_both_its_times_and_a_second_import_changes_nothing(tmp_path: Path) -> None:
    clock = Clock()
    async with pipeline(clock) as here, pipeline(clock) as there:
        live = await recorded(here)
        clock.now += 3600
        path = damaged(exported(tmp_path / "call.jsonl", live), 6)
        assert (await brought(there, path))["new"] > 0
        copy = await there.open(key_of("call"))
        times = {event.signal: (event.said_at, event.at) for event in events(live) if event.n}
        kept = {event.signal: (event.said_at, event.at) for event in events(copy) if event.n}
        assert len(kept) == len(times) - 1
        assert all(times[signal] == kept[signal] for signal in kept)
        before = log(copy)
        clock.now += 3600
        again = await brought(there, path)
        assert (again["new"], again["key"], log(copy)) == (0, copy.session.key, before)
        assert there.search().total == 1


@pytest.mark.parametrize("line", [1, 4, 6, 8])
async def test_a_damaged_recording_of_a_session_that_is_here_changes_nothing(tmp_path: Path, line: int) -> None:
    async with pipeline(Clock()) as made:
        live = await recorded(made)
        before = log(live)
        path = damaged(exported(tmp_path / "call.jsonl", live), line)
        for _ in range(2):
            taken = await made.import_file(path)
            assert [(one["new"], one["id"]) for one in taken["sessions"]] == [(0, "call")]
            assert f"line {line + 1}" in taken["report"][0]
        assert (made.search().total, log(live) == before) == (1, True)


async def test_what_a_damaged_recording_has_beyond_is_added(tmp_path: Path) -> None:
    clock = Clock()
    async with pipeline(clock) as here, pipeline(clock) as there:
        live = await recorded(here)
        await brought(there, exported(tmp_path / "short.jsonl", live, 7))
        taken = await brought(there, damaged(exported(tmp_path / "call.jsonl", live), 5))
        assert (taken["new"], taken["id"]) == (len(events(live)) - 7, "call")
        assert log(await there.open(key_of("call"))) == log(live)
