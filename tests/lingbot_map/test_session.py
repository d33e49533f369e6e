"""A session over its recording: log before map, any moment again, and a start that reads little."""

from __future__ import annotations

import gc
import json
import random
import tracemalloc
from itertools import islice
from pathlib import Path

import pytest

from bench.dialogues import BEGIN, generate
from lingbot_map import codec
from lingbot_map import session as session_module
from lingbot_map.errors import BadInput, UnknownMoment
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.mapper import Mapper, replay
from lingbot_map.model import Cursor
from lingbot_map.policy import Policy
from lingbot_map.session import Session
from lingbot_map.store import Store
from lingbot_map.store.files import FileStore
from lingbot_map.store.memory import MemoryStore
from lingbot_probes.signals import Numbered, SlotAssigned

FACTS = {"origin": "probe", "coverage": {"flow": "full"}}


def grown(store: Store, turns: int = 60, *, snapshots: bool = True) -> Session:
    """A session of ``turns`` turns that came in batches of 50, with a snapshot after each fourth."""
    session = Session.create(store, "bench", policy=Policy(), facts=FACTS, now=BEGIN)
    items = generate(turns)
    batches = 0
    while batch := list(islice(items, 50)):
        session.apply(session.intake.take("bench", batch, BEGIN, recorded=True).events)
        batches += 1
        if snapshots and batches % 4 == 0:
            assert session.snapshot(session.map.at)
    return session


@pytest.fixture(params=["memory", "files"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return MemoryStore() if request.param == "memory" else FileStore(tmp_path / "data")


def test_a_session_begins_with_an_epoch_a_policy_and_what_it_is(store: Store) -> None:
    session = Session.create(store, "s", policy=Policy(slot_lifetime=60), facts=FACTS, now=BEGIN, epoch="e1")
    assert [event.signal.kind for event in session.events(1, 9)] == ["epoch_started", "policy_set", "described"]
    assert session.map.cursor == Cursor("e1", 3)
    assert session.map.policy.slot_lifetime == 60
    assert session.summary().coverage == {"flow": "full"}


def test_all_snapshots_of_a_map_that_grows_cost_little_more_than_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "SNAPSHOT_EVENTS", 20)

    def packed(events: int) -> int:
        """Nodes in all snapshots that were due, while each event made a new one."""
        session = Session.create(MemoryStore(), "s", policy=Policy(), facts=FACTS, now=BEGIN)
        nodes = 0
        for n in range(events):
            signal = SlotAssigned(slot=f"slot {n}", value=n)
            session.apply([Event(session="s", seq=session.map.cursor.seq + 1, at=BEGIN, signal=signal)])
            if session.snapshot_due(BEGIN):
                session.pack(BEGIN)
                nodes += len(session.map.nodes)
        return nodes

    assert packed(2400) > 2400
    assert packed(2400) < 2.6 * packed(1200)


def test_creating_a_session_that_is_there_goes_on_with_it(store: Store) -> None:
    first = grown(store, 3)
    again = Session.create(store, "bench", policy=Policy(slot_lifetime=1), facts={"origin": "other"}, now=BEGIN)
    assert codec.dump(again.map) == codec.dump(first.map)


def test_what_was_applied_is_on_the_log_before_the_map_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session.create(FileStore(tmp_path), "s", policy=Policy(), facts={}, now=BEGIN)
    log = tmp_path / session.key / "events.jsonl"
    apply = session.mapper.apply
    logged: list[bool] = []

    def watched(event: Event) -> list[object]:
        logged.append(f'{{"seq":{event.seq},' in log.read_text("utf-8"))
        return apply(event)  # type: ignore[return-value]

    monkeypatch.setattr(session.mapper, "apply", watched)
    session.apply(session.intake.take("b", list(generate(2, session="s")), BEGIN).events)
    assert logged
    assert all(logged)


def test_what_the_log_refuses_does_not_reach_the_map_and_the_intake_counts_anew(store: Store) -> None:
    session = Session.create(store, "s", policy=Policy(), facts={}, now=BEGIN)
    before = codec.dump(session.map)
    bad = Event(session="s", seq=4, at=BEGIN, signal=SlotAssigned(slot="s", value="\ud800"))
    session.intake.take("b", list(generate(1, session="s")), BEGIN)
    with pytest.raises(BadInput):
        session.apply([bad])
    assert codec.dump(session.map) == before
    session.apply(session.intake.take("b", list(generate(1, session="s")), BEGIN).events)
    assert session.map.turn == 1


@pytest.mark.parametrize("snapshots", [True, False])
def test_every_moment_comes_back_as_a_replay_gives_it(store: Store, snapshots: bool) -> None:
    session = grown(store, snapshots=snapshots)
    events = session.events(1, session.map.cursor.seq)
    assert codec.dump(session.at(session.map.cursor.seq)) == codec.dump(session.map)
    assert session.at(0).cursor.seq == 0
    for seq in random.Random(5).sample(range(1, len(events)), 25):
        assert codec.dump(session.at(seq)) == codec.dump(replay(events[:seq], "bench"))


@pytest.mark.parametrize("seq", [-1, 100_000])
def test_a_moment_that_never_was_is_refused(store: Store, seq: int) -> None:
    session = grown(store, 2)
    with pytest.raises(UnknownMoment, match=f"seq {seq}"):
        session.at(seq)


def test_the_blocks_are_the_live_deltas_whatever_the_order_they_are_asked_in(store: Store) -> None:
    session = Session.create(store, "bench", policy=Policy(), facts=FACTS, now=BEGIN, epoch="e")
    live = []
    twin = Session.create(MemoryStore(), "bench", policy=Policy(), facts=FACTS, now=BEGIN, epoch="e")
    for event in twin.events(1, 3):
        live.append((event.seq, Mapper(session.at(event.seq - 1)).apply(event)))
    for item in generate(170):
        for event in session.intake.take("bench", [item], BEGIN).events:
            live.append((event.seq, session.apply([event])))
    session.snapshot(BEGIN)
    last = session.map.cursor.seq
    assert last > 2 * session_module.BLOCK
    for block in (2, 0, 1, 2, 1):
        first = block * session_module.BLOCK
        expected = [delta for seq, deltas in live if first < seq <= first + 500 for delta in deltas]
        assert json.loads(session.deltas_block(block)) == json.loads(codec.encode_deltas(expected))
    with pytest.raises(UnknownMoment):
        session.deltas_block(last // session_module.BLOCK + 1)


def test_a_start_reads_the_newest_snapshot_and_the_tail(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    session = grown(store)
    want = codec.dump(session.map)
    store.sync()
    store.leave()

    store = FileStore(tmp_path)
    (key,) = store.open_keys()
    recording = store.open(key)
    read: list[int] = []
    events = recording.events

    def watched(first: int = 1, last: int | None = None) -> object:
        read.append(first)
        return events(first, last)

    recording.events = watched  # type: ignore[method-assign,assignment]
    was_on = gc.isenabled()
    again = Session.recover(recording, BEGIN)
    assert gc.isenabled() == was_on
    assert codec.dump(again.map) == want
    newest = max(int(path.name[:12]) for path in (tmp_path / key).glob("*.snapshot"))
    assert read == [newest + 1]
    again.apply(again.intake.take("bench", list(generate(61))[-20:], BEGIN).events)
    store.close()


def test_a_snapshot_of_another_version_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = FileStore(tmp_path)
    session = grown(store)
    want = codec.dump(session.map)
    monkeypatch.setattr(codec, "MAP_VERSION", codec.MAP_VERSION + 1)
    assert codec.dump(session.at(session.map.cursor.seq)) == want
    store.close()


def test_a_snapshot_is_due_by_time_or_by_events_but_never_without_a_change(store: Store) -> None:
    session = Session.create(store, "bench", policy=Policy(), facts=FACTS, now=BEGIN)
    assert not session.snapshot_due(BEGIN)  # from now on it counts
    assert not session.snapshot_due(BEGIN + 29)
    assert session.snapshot_due(BEGIN + 30)
    session.recording.sync()
    assert session.snapshot(BEGIN + 30)
    assert not session.snapshot_due(BEGIN + 1000)
    session.apply(session.intake.take("bench", list(generate(1100)), BEGIN + 30).events)
    assert session.snapshot_due(BEGIN + 31)


def test_a_long_import_gets_a_ladder_even_if_nobody_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "_LONGEST", 400)
    store = FileStore(tmp_path)
    session = Session.create(store, "bench", policy=Policy(), facts=FACTS, now=BEGIN)
    session.apply(session.intake.take("bench", list(generate(150)), BEGIN, recorded=True).events)
    kept = [seq for seq, _ in session.recording.snapshots()]
    assert kept == [800, 400] or kept == [1200, 800]
    store.close()


def test_closing_leaves_a_snapshot_where_it_pays_and_the_session_not_open(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    short = Session.create(store, "short", policy=Policy(), facts=FACTS, now=BEGIN)
    short.close(BEGIN)
    long = grown(store, 120, snapshots=False)
    long.close(BEGIN)
    assert not list((tmp_path / short.key).glob("*.snapshot"))
    assert [int(path.name[:12]) for path in (tmp_path / long.key).glob("*.snapshot")] == [long.map.cursor.seq]
    assert store.open_keys() == []
    store.close()


def test_a_long_replay_keeps_snapshots_on_its_way_and_one_that_is_killed_goes_on_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FileStore(tmp_path)
    session = grown(store, 150, snapshots=False)
    want, last = codec.dump(session.map), session.map.cursor.seq
    store.sync()
    store.leave()
    monkeypatch.setattr(session_module, "_LONGEST", 400)

    class Killed(Exception):
        pass

    def die_at_900(event: Event) -> None:
        if event.seq == 900:
            raise Killed

    store = FileStore(tmp_path)
    with pytest.raises(Killed):
        Session.recover(store.open(session.key), BEGIN, die_at_900)
    store.leave()
    assert last > 900
    store, seqs = FileStore(tmp_path), list[int]()
    again = Session.recover(store.open(session.key), BEGIN, lambda event: seqs.append(event.seq))
    assert codec.dump(again.map) == want
    assert seqs == list(range(801, last + 1))
    store.close()


def test_a_replay_of_a_large_map_packs_it_no_more_often_than_it_has_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FileStore(tmp_path)
    session = Session.create(store, "wide", policy=Policy(), facts=FACTS, now=BEGIN)
    slots = [Numbered(session="wide", n=n, signal=SlotAssigned(slot=f"s{n}", value=n)) for n in range(1, 3001)]
    session.apply(session.intake.take("bench", slots, BEGIN, recorded=True).events)
    store.sync()
    store.leave()
    monkeypatch.setattr(session_module, "_LONGEST", 100)
    packed: list[int] = []
    pack = codec.pack

    def counted(map: DialogueMap) -> bytearray:
        packed.append(len(map.nodes))
        return pack(map)

    monkeypatch.setattr(codec, "pack", counted)
    store = FileStore(tmp_path)
    Session.recover(store.open(session.key), BEGIN)
    assert packed, "snapshots are kept"
    assert sum(packed) <= 2 * 3000, "and all together hold no more than twice what the last would"
    store.close()


def test_a_snapshot_takes_little_more_memory_than_its_text(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    session = Session.create(store, "wide", policy=Policy(), facts=FACTS, now=BEGIN)
    slots = [Numbered(session="wide", n=n, signal=SlotAssigned(slot=f"s{n}", value=n)) for n in range(1, 20_001)]
    session.apply(session.intake.take("bench", slots, BEGIN, recorded=True).events)
    assert session.snapshot(BEGIN)
    tracemalloc.start()
    try:
        seq, packed = session.pack(BEGIN)
        assert tracemalloc.get_traced_memory()[1] < 2 * len(packed), "rows and text at once were 2.6 times"
        for later in (seq + 1, seq + 2):  # the third squeezes the first
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            session.recording._snapshots.write(later, packed)  # type: ignore[attr-defined]
            assert tracemalloc.get_traced_memory()[1] - before < 0.9 * len(packed), "read back whole it was once more"
    finally:
        tracemalloc.stop()
    assert codec.dump(codec.unpack(packed)) == codec.dump(session.map)
    store.close()
