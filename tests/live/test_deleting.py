"""A session that is deleted while its bot talks: what was deleted stays away, and what comes next is a new session."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from lingbot_map.errors import UnknownSession
from lingbot_map.events import event_to_dict
from lingbot_map.pipeline import Accepted, Batch, Live, Pipeline
from lingbot_map.store import key_of
from lingbot_map.store.files import FileStore
from lingbot_probes.signals import Numbered, TurnStarted
from tests.live.server import running
from tests.live.test_pipeline import Clock, kinds, pipeline

KEY = key_of("call")


async def send(made: Pipeline, numbers: Iterable[int], source: str = "s", numbered: int | None = None) -> Accepted:
    items = [Numbered(session="call", n=n, signal=TurnStarted(turn=f"{source}{n}", utterance=str(n))) for n in numbers]
    highest = max([item.n for item in items], default=0) if numbered is None else numbered
    return await made.ingest(Batch(source, "bot", {"call": items}, {"call": highest} if highest else {}, []))


def said(live: Live) -> list[str]:
    events = [event_to_dict(event) for event in live.session.events(1, live.tail.last)]
    return [event["signal"]["utterance"] for event in events if event["signal"]["kind"] == "turn_started"]


def account(made: Pipeline) -> dict[str, int]:
    (source,) = made.stats()["sources"]
    names = ("produced", "accepted", "missing", "refused", "held", "repeated")
    return {name: source[name] for name in names}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


async def test_what_comes_next_is_a_new_session_without_a_gap() -> None:
    async with pipeline(Clock()) as made:
        await send(made, range(1, 6))
        old = (await made.open(KEY)).session.map.epoch
        await made.delete(KEY)
        assert (await send(made, [6, 7])).acked == {"call": [(1, 7)]}
        live = await made.open(KEY)
        assert (said(live), live.session.map.epoch == old) == (["6", "7"], False)
        assert not live.session.map.losses
        assert live.summary()["missing"] == 0
        assert "gap" not in kinds(live)


async def test_what_was_deleted_does_not_come_back_by_being_said_again() -> None:
    async with pipeline(Clock()) as made:
        await send(made, range(1, 6))
        await made.delete(KEY)
        assert (await send(made, [4, 5])).acked == {"call": [(1, 5)]}
        assert (await send(made, [], numbered=5)).acked == {"call": [(1, 5)]}
        with pytest.raises(UnknownSession):
            await made.open(KEY)
        await send(made, range(3, 8))
        assert said(await made.open(KEY)) == ["6", "7"]


async def test_it_stays_deleted_when_the_map_is_started_again_and_hears_all_once_more(data: Path) -> None:
    async with pipeline(Clock(), FileStore(data)) as made:
        await send(made, range(1, 6))
        await made.delete(KEY)
    async with pipeline(Clock(), FileStore(data)) as made:
        await send(made, range(1, 6))
        assert made.store.keys() == []
        await send(made, [6])
    async with pipeline(Clock(), FileStore(data)) as made:
        await send(made, range(1, 8))  # a probe tells a new map its recent past
        live = await made.open(KEY)
        assert said(live) == ["6", "7"]
        assert not live.session.map.losses
        await made.delete(KEY)
        await send(made, range(1, 9))
        assert said(await made.open(KEY)) == ["8"]


async def test_a_loss_after_the_deletion_is_a_loss() -> None:
    async with pipeline(Clock()) as made:
        await send(made, range(1, 6))
        await made.delete(KEY)
        await send(made, [8])
        losses = (await made.open(KEY)).session.map.losses.values()
        assert [(lost.first, lost.last) for lost in losses] == [(6, 7)]


async def test_all_workers_go_on_where_they_were() -> None:
    async with pipeline(Clock()) as made:
        await send(made, [1, 2], source="a")
        await send(made, [1, 2, 3], source="b")
        await made.delete(KEY)
        await send(made, [3], source="a")
        await send(made, [1, 2, 3, 4], source="b")
        live = await made.open(KEY)
        assert (said(live), len(live.session.map.losses)) == (["3", "4"], 0)


async def test_the_books_balance_over_a_deletion() -> None:
    async with pipeline(Clock()) as made:
        await send(made, [1, 2, 5], numbered=0)  # 5 waits for 3 and 4
        await made.delete(KEY)
        await send(made, [2, 3, 4, 5])
        want = {"produced": 5, "accepted": 5, "missing": 0, "refused": 0, "held": 0, "repeated": 1}
        assert account(made) == want


async def test_a_recording_that_was_deleted_is_taken_in_whole_again(data: Path, tmp_path: Path) -> None:
    chat = tmp_path / "call.chat"
    chat.write_text("user=Ann\nbot=Bot\nAnn: hello\nBot: hi\nAnn: bye\n")
    async with pipeline(Clock(), FileStore(data)) as made:
        first = (await made.import_file(chat))["sessions"][0]
        await made.delete(first["key"])
        assert (await made.import_file(chat))["sessions"][0]["new"] == first["new"] > 3


def test_a_damaged_memory_of_deletions_says_nothing(data: Path) -> None:
    with_marks = FileStore(data)
    with_marks.deleted.note(KEY, {"s": 5})
    with_marks.close()
    path = data / "deleted"
    assert FileStore(data, read_only=True).deleted.marks(KEY) == {"s": 5}
    path.write_bytes(path.read_bytes().replace(b'"s":5', b'"s":6'))
    assert KEY not in FileStore(data, read_only=True).deleted


def test_who_watches_a_session_is_told_that_it_was_deleted() -> None:
    with running() as (_, map):
        map.say("hello", session="call")
        with map.watch("call") as viewer, map.watch("call") as reader:
            cursor = viewer.next("hello")
            viewer.place(session=KEY, epoch=cursor["epoch"], after=cursor["seq"])
            assert viewer.next("hello")["resume"]
            assert not reader.next("hello")["resume"], "it reads a keyframe and follows nothing yet"
            map.ask("DELETE", f"/api/sessions/{KEY}")
            for one in (viewer, reader):
                told = one.next("hello")
                assert (told["why"], told["session"], told["resume"]) == ("deleted", None, False)
            map.say("again", session="call")
            viewer.place(session=KEY, epoch=cursor["epoch"], after=cursor["seq"])
            told = viewer.next("hello")
            assert (told["why"], told["session"]["last_utterance"]) == ("epoch", "again"), "the line is still open"


def test_who_comes_later_is_told_too(data: Path) -> None:
    with running(data) as (_, map):
        map.say("hello", session="call")
        map.ask("DELETE", f"/api/sessions/{KEY}")
        with map.watch("call", epoch="e", after=3) as viewer:
            assert viewer.next("hello")["why"] == "deleted"
        with map.watch("never") as viewer:
            assert viewer.next("hello")["why"] == "unknown"
    with running(data) as (_, map), map.watch("call") as viewer:
        assert viewer.next("hello")["why"] == "deleted"


def test_another_session_under_the_same_name_is_not_taken_for_the_deleted_one() -> None:
    with running() as (_, map):
        map.say("hello", session="call")
        with map.watch("call") as viewer:
            cursor = viewer.next("hello")
            viewer.place(session=KEY, epoch=cursor["epoch"], after=cursor["seq"])
            viewer.next("hello")
            map.ask("DELETE", f"/api/sessions/{KEY}")
            map.say("again", session="call")
            assert viewer.next("hello")["why"] == "deleted"


def test_who_watches_a_session_that_cannot_be_read_is_told(data: Path) -> None:
    with running(data) as (_, map):
        map.say("hello", session="call")
    log = data / KEY / "events.jsonl"
    log.unlink()
    log.mkdir()
    with running(data) as (_, map), map.watch("call") as viewer:
        told = viewer.next("hello")
        assert (told["why"], told["session"]) == ("damaged", None)


async def test_a_look_at_the_past_of_what_is_deleted_meanwhile_finds_no_session(data: Path) -> None:
    async with pipeline(Clock(), FileStore(data), data / "index.sqlite3") as made:
        await send(made, range(1, 6))
        live = await made.open(KEY)
        await made.delete(KEY)
        with pytest.raises(UnknownSession):
            await made.past(live, lambda session: session.events(1, 5))
