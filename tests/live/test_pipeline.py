"""The pipeline with a clock of our own: what happens when nobody says anything, and what is kept in memory."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from lingbot_map.events import event_to_dict
from lingbot_map.pipeline import Batch, Live, Pipeline
from lingbot_map.pipeline.tail import MAX_TAIL, Tail
from lingbot_map.store import Store, key_of
from lingbot_map.store.files import FileStore
from lingbot_map.store.index import Index
from lingbot_map.store.memory import MemoryStore
from lingbot_probes.signals import Doc, Numbered, Retrieved, Signal, SlotAssigned, TurnStarted
from tests.live.server import PATIENCE

BEGIN = 1_800_000_000.0


class Clock:
    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def pipeline(clock: Clock, store: Store | None = None, index: Path | None = None) -> AsyncIterator[Pipeline]:
    made = Pipeline(store or MemoryStore(), Index(index), clock=clock)
    await made.start()
    await made.settled()
    try:
        yield made
    finally:
        await made.stop()


async def say(made: Pipeline, signals: Iterable[Signal], session: str = "call", first: int = 1) -> Live:
    items = [Numbered(session=session, n=n, signal=signal) for n, signal in enumerate(signals, first)]
    accepted = await made.ingest(Batch("s", "bot", {session: items}, {session: items[-1].n}, []))
    assert list(accepted.acked) == [session]  # with all that is here of this source
    assert any(a <= first and items[-1].n <= b for a, b in accepted.acked[session])
    return await made.open(key_of(session))


def kinds(live: Live) -> list[str]:
    return [event_to_dict(event)["signal"]["kind"] for event in live.session.events(1, live.tail.last)]


async def until(look: Callable[[], object]) -> None:
    """Let the loop turn until ``look()`` is true."""
    end = asyncio.get_running_loop().time() + PATIENCE
    while not look():
        assert asyncio.get_running_loop().time() < end
        await asyncio.wait([asyncio.create_task(asyncio.sleep(0.005))])


def snapshots(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("*/*.snapshot")]


async def test_a_slot_fades_in_silence_and_the_log_says_when() -> None:
    clock = Clock()
    async with pipeline(clock) as made:
        live = await say(made, [SlotAssigned(slot="phone", value="1")])
        clock.now += 30 * 60 - 1
        made.pass_time(live)
        assert "tick" not in kinds(live)
        clock.now += 2
        made.pass_time(live)
        assert kinds(live)[-1] == "tick"
        assert live.session.map.nodes["slot:phone"].expired


async def test_a_session_that_fell_silent_is_ended_where_its_silence_was_too_long() -> None:
    clock = Clock()
    async with pipeline(clock) as made:
        live = await say(made, [TurnStarted(turn="a", utterance="hello")])
        clock.now += 2 * 3600 - 1
        made.pass_time(live)
        assert live.session.map.about.get("ended_at") is None
        clock.now += 24 * 3600  # we look much later: a machine was asleep
        made.pass_time(live)
        assert kinds(live)[-1] == "session_ended"
        assert live.session.map.about["ended_at"] == BEGIN + 2 * 3600
        assert live.due() is None
        last = live.tail.last
        made.pass_time(live)
        assert live.tail.last == last


async def test_neither_a_name_nor_what_fades_makes_a_session_look_alive() -> None:
    clock = Clock()
    async with pipeline(clock) as made:
        live = await say(made, [TurnStarted(turn="a", utterance="hello"), SlotAssigned(slot="phone", value="1")])
        clock.now += 31 * 60
        made.pass_time(live)
        assert kinds(live)[-1] == "tick"
        assert live.summary()["updated_at"] == BEGIN
        clock.now += 60 * 60
        made.describe(live, {"name": "invoice", "pinned": True})
        assert live.summary()["updated_at"] == BEGIN
        assert live.session.map.at == BEGIN + 31 * 60, "nor does it move the session's clock"
        assert live.due() == BEGIN + 2 * 3600, "it is silent since the bot was"
        clock.now = BEGIN + 2 * 3600 + 1
        made.pass_time(live)
        assert live.session.map.about["ended_at"] == BEGIN + 2 * 3600
        await say(made, [TurnStarted(turn="b", utterance="again")], first=3)
        assert live.summary()["updated_at"] == clock.now


async def test_a_session_ends_also_if_the_map_was_away_meanwhile(tmp_path: Path) -> None:
    clock = Clock()
    async with pipeline(clock, FileStore(tmp_path), tmp_path / "index") as made:
        await say(made, [TurnStarted(turn="a", utterance="hello")])
    clock.now += 3 * 3600
    async with pipeline(clock, FileStore(tmp_path), tmp_path / "index") as made:
        assert made.shelf.asleep, "it was closed well, so nothing had to be recovered; and yet it has no end"
        await until(lambda: (made.summary(key_of("call")) or {})["ended_at"])


async def test_hits_of_seven_days_are_written_into_the_event() -> None:
    clock = Clock()
    said = Retrieved(query="q", stage="prompt", docs=(Doc(id="plan-b"),))
    async with pipeline(clock) as made:
        for i in range(3):
            await say(made, [said], session=f"s{i}")
            made.search()  # brings the index up to now
        live = await say(made, [said], session="last")
        assert event_to_dict(live.session.events(4, 4)[0])["signal"]["docs"][0]["hits"] == 3
        clock.now += 8 * 24 * 3600
        live = await say(made, [said], session="later")
        assert event_to_dict(live.session.events(4, 4)[0])["signal"]["docs"][0]["hits"] == 0


async def test_sessions_over_the_bound_go_to_the_disk_and_come_back_as_they_were(tmp_path: Path) -> None:
    clock = Clock()
    async with pipeline(clock, FileStore(tmp_path)) as made:
        made.shelf.most = 3
        for i in range(6):
            await say(made, [TurnStarted(turn="a", utterance=f"hello {i}")], session=f"s{i}")
        made.search()
        watched = await made.open(key_of("s1"))
        watched.tail.watchers.add(lambda: None)
        await made.open(key_of("s0"))
        before = (await made.open(key_of("s2"))).keyframe()
        for key in ("s3", "s4", "s5"):
            await made.open(key_of(key))
        await made.shelf.put_away_some()
        assert {live.session.id for live in made.shelf.lives.values()} == {"s1", "s4", "s5"}
        assert set(made.shelf.asleep) == {key_of(name) for name in ("s0", "s2", "s3")}
        back = await made.open(key_of("s2"))
        assert back.keyframe() == before
        await say(made, [TurnStarted(turn="b", utterance="goes on")], session="s2", first=2)
        assert kinds(back).count("turn_started") == 2


async def test_heavy_sessions_count_by_what_they_hold() -> None:
    async with pipeline(Clock()) as made:
        for i in range(4):
            await say(made, [SlotAssigned(slot=f"s{k}", value=k) for k in range(50)], session=f"s{i}")
        made.search()
        made.shelf.heaviest = sum(live.weight for live in made.shelf.lives.values()) // 2
        await made.shelf.put_away_some()
        assert [live.session.id for live in made.shelf.lives.values()] == ["s2", "s3"]


async def test_tails_nobody_watches_are_forgotten_when_all_are_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    async with pipeline(Clock()) as made:
        lives = [await say(made, [TurnStarted(turn="a", utterance="x" * 999)], session=f"s{i}") for i in range(3)]
        lives[0].tail.watchers.add(lambda: None)
        monkeypatch.setattr("lingbot_map.pipeline.shelf.MAX_TAILS", sum(live.tail.size for live in lives[:2]))
        made.shelf.trim_tails()
        assert [live.tail.holds_after(3) for live in lives] == [True, False, True]
        assert lives[1].tail.holds_after(4), "who stands at the end needs nothing"


async def test_who_asks_for_a_session_that_is_just_being_closed_gets_it_whole(tmp_path: Path) -> None:
    async with pipeline(Clock(), FileStore(tmp_path)) as made:
        live = await say(made, [TurnStarted(turn=str(i), utterance="x") for i in range(600)])
        made.search()
        closing = asyncio.create_task(made.shelf.put_away(live))
        await asyncio.sleep(0)
        again, same = await asyncio.gather(made.open(live.session.key), made.open(live.session.key))
        await closing
        assert again is same is not live
        assert made.store.open(live.session.key) is again.session.recording, "one writer, never two"
        assert again.tail.last == live.tail.last
        await say(made, [TurnStarted(turn="new", utterance="y")], first=601)


async def test_a_new_session_asked_for_twice_at_once_begins_once() -> None:
    async with pipeline(Clock()) as made:
        one = Batch("s1", "", {"call": [Numbered(session="call", n=1, signal=TurnStarted(turn="a"))]}, {}, [])
        two = Batch("s2", "", {"call": [Numbered(session="call", n=1, signal=TurnStarted(turn="b"))]}, {}, [])
        await asyncio.gather(made.ingest(one), made.ingest(two))
        live = await made.open(key_of("call"))
        assert kinds(live) == ["epoch_started", "policy_set", "described", "turn_started", "turn_started"]


@pytest.mark.parametrize("later", range(8))
async def test_a_session_that_two_bots_begin_a_moment_apart_is_one(later: int, tmp_path: Path) -> None:
    """Who begins to look for it just before it is there must not read a second one from the disk."""

    async def begin(made: Pipeline, source: str, turns: int) -> Live | None:
        for _ in range(turns):
            await asyncio.sleep(0)
        items = [Numbered(session="call", n=1, signal=TurnStarted(turn=source))]
        await made.ingest(Batch(source, "bot", {"call": items}, {"call": 1}, []))
        return made.shelf.lives.get(key_of("call"))

    async with pipeline(Clock(), FileStore(tmp_path)) as made:
        one, other = await asyncio.gather(begin(made, "a", 0), begin(made, "b", later))
        assert one is other is made.shelf.lives[key_of("call")]
        assert [row["held"] for row in made.books.report()] == [0, 0]
        assert {row["source"]: row["produced"] for row in made.books.report()} == {"a": 1, "b": 1}
        assert kinds(made.shelf.lives[key_of("call")]).count("turn_started") == 2


async def test_snapshots_are_kept_while_something_changes(tmp_path: Path) -> None:
    clock = Clock()
    async with pipeline(clock, FileStore(tmp_path)) as made:
        await say(made, [TurnStarted(turn=str(i), utterance="x") for i in range(50)])
        await until(lambda: made.store.trouble is None)
        await made._keep_snapshots()
        clock.now += 31
        await made._keep_snapshots()
        assert snapshots(tmp_path) == ["000000000053.snapshot"]
        clock.now += 31
        await made._keep_snapshots()
        assert len(snapshots(tmp_path)) == 1, "nothing has changed"


async def test_a_lost_index_is_made_again_and_a_late_one_catches_up(tmp_path: Path) -> None:
    clock = Clock()
    async with pipeline(clock, FileStore(tmp_path), tmp_path / "index") as made:
        for name in ("refund", "invoice", "roaming"):
            await say(made, [TurnStarted(turn="a", utterance=f"hello {name}")], session=name)
    (tmp_path / "index").unlink()
    async with pipeline(clock, FileStore(tmp_path), tmp_path / "index") as made:
        assert made.search("hello").total == 3
        assert made.search("hello refund").total == 1
        assert made.shelf.lives == {}, "reading them for the index doesn't keep them in memory"


async def test_while_the_disk_refuses_nothing_is_acknowledged_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    store = FileStore(tmp_path)
    async with pipeline(clock, store) as made:
        live = await say(made, [TurnStarted(turn="a", utterance="before")])

        def full(fd: int, data: bytes) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("lingbot_map.store.appender.write_all", full)
        items = [Numbered(session="call", n=2, signal=TurnStarted(turn="b", utterance="meanwhile"))]
        accepted = await made.ingest(Batch("s", "", {"call": items}, {"call": 2}, []))
        assert accepted.acked == {}
        assert made.status == "degraded"
        assert "No space left" in made.stats()["disk"]["trouble"]
        assert live.session.map.nodes["utterance:2"].label == "meanwhile", "the map in memory goes on"
        monkeypatch.undo()
        await until(lambda: made.status == "ok")  # the retry is the pipeline's own
        accepted = await made.ingest(Batch("s", "", {"call": items}, {"call": 2}, []))
        assert accepted.acked == {"call": [(1, 2)]}
        assert kinds(live).count("turn_started") == 2


async def test_the_list_counts_no_event_that_a_killed_map_had_in_memory_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, data, left = Clock(), tmp_path / "data", tmp_path / "left"
    doc = Retrieved(query="q", stage="prompt", docs=(Doc(id="d"),))
    async with pipeline(clock, FileStore(data), data / "index.sqlite3") as made:
        live = await say(made, [TurnStarted(turn="a", utterance="before"), doc])
        made.search()
        written = live.session.map.cursor.seq

        def full(fd: int, data: bytes) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("lingbot_map.store.appender.write_all", full)
        said: list[Signal] = [TurnStarted(turn="b", utterance="meanwhile"), doc]
        items = [Numbered(session="call", n=n, signal=signal) for n, signal in enumerate(said, 3)]
        await made.ingest(Batch("s", "", {"call": items}, {"call": 4}, []))
        (summary,) = made.search("meanwhile").sessions
        assert summary.events == written + 2, "while it runs the list has what the map has"
        shutil.copytree(data, left)  # what a killed process leaves
        monkeypatch.undo()
        await until(lambda: made.status == "ok")
    async with pipeline(clock, FileStore(left), left / "index.sqlite3") as made:
        (summary,) = made.search().sessions
        assert (summary.events, summary.last_utterance) == (written, "before")
        assert made.index.hits("d", clock.now) == 1


async def test_the_list_counts_no_event_that_the_log_has_lost(tmp_path: Path) -> None:
    clock = Clock()
    async with pipeline(clock, FileStore(tmp_path), tmp_path / "index.sqlite3") as made:
        live = await say(made, [TurnStarted(turn=str(n), utterance=f"turn {n}") for n in range(5)])
        key = live.session.key
    log = tmp_path / key / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:-4]))
    (tmp_path / key / "head").unlink()
    async with pipeline(clock, FileStore(tmp_path), tmp_path / "index.sqlite3") as made:
        live = await made.open(key)
        (summary,) = made.search().sessions
        assert summary.events == live.session.map.cursor.seq == len(lines) - 1 - 4
        assert summary.last_utterance == "turn 0"


def test_a_tail_keeps_a_megabyte_and_knows_what_it_holds() -> None:
    tail = Tail("e", 10)
    assert tail.holds_after(10)
    assert not tail.holds_after(9)
    for _ in range(3):
        tail.add(b"x" * (MAX_TAIL // 2))
    assert (tail.first, tail.last) == (12, 13)
    assert not tail.holds_after(10)
    assert tail.after(11, 1 << 30) == (11, []), "nothing is shown before show()"
    woken: list[int] = []
    tail.watchers.add(lambda: woken.append(1))
    tail.show()
    assert woken == [1]
    assert [len(piece) for piece in tail.after(11, 1 << 30)[1]] == [MAX_TAIL // 2] * 2
    assert tail.after(11, 10)[0] == 12, "a batch ends behind the piece that takes it past its size"
    tail.restart("f")
    assert not tail.holds_after(12)
    assert tail.holds_after(13)
