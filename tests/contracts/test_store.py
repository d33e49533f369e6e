"""What every store keeps to, whoever holds the events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lingbot_map.errors import BadInput, UnknownSession
from lingbot_map.events import Event
from lingbot_map.store import OutOfOrder, Recording, Store, key_of
from lingbot_map.store.files import FileStore
from lingbot_map.store.memory import MemoryStore
from lingbot_probes.signals import SlotAssigned
from tests.torture.write import BEGIN, event_of


@pytest.fixture(params=["memory", "files", "files, flushed always"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: dict[str, Callable[[], Store]] = {
        "memory": MemoryStore,
        "files": lambda: FileStore(tmp_path / "data"),
        "files, flushed always": lambda: FileStore(tmp_path / "data", fsync="always"),
    }
    store = made[request.param]()
    yield store
    store.close()


def events(first: int, last: int) -> list[Event]:
    return [event_of(seq) for seq in range(first, last + 1)]


def filled(store: Store, count: int, session: str = "torture") -> Recording:
    recording = store.create(session)
    recording.recover(BEGIN)
    assert recording.append(events(1, count))
    return recording


def test_what_was_appended_comes_back_as_it_was(store: Store) -> None:
    recording = filled(store, 700)
    assert list(recording.events()) == events(1, 700)
    assert list(recording.events(1, 1)) == events(1, 1)
    assert list(recording.events(350, 420)) == events(350, 420)
    assert list(recording.events(700)) == events(700, 700)
    assert list(recording.events(701)) == []
    assert list(recording.events(699, 5000)) == events(699, 700)


def test_it_keeps_one_key_for_pseudonyms(store: Store) -> None:
    key = store.mask_key()
    assert len(bytes.fromhex(key)) == 32
    assert store.mask_key() == key


def test_it_counts_what_it_took(store: Store) -> None:
    recording = filled(store, 12)
    assert (recording.last_seq, recording.written_seq, recording.pending, recording.room) == (12, 12, 0, True)
    assert recording.sync()
    assert recording.synced_seq == 12
    assert recording.trouble is None
    assert store.trouble is None


@pytest.mark.parametrize("first", [5, 12, 14])
def test_a_seq_that_is_not_the_next_is_refused_with_what_was_expected(store: Store, first: int) -> None:
    recording = filled(store, 12)
    with pytest.raises(OutOfOrder, match=f"expected seq 13, found {first}"):
        recording.append(events(first, first + 3))
    assert list(recording.events()) == events(1, 12)
    assert recording.append(events(13, 14))


def test_an_order_that_breaks_inside_a_batch_takes_nothing_of_it(store: Store) -> None:
    recording = filled(store, 3)
    with pytest.raises(OutOfOrder):
        recording.append([event_of(4), event_of(6)])
    assert recording.last_seq == 3


@pytest.mark.parametrize("value", ["\ud800", 2**70, {1: "a"}, {1, 2}])
def test_what_json_cannot_hold_is_refused_before_anything_is_taken(store: Store, value: object) -> None:
    recording = filled(store, 3)
    bad = Event(session="torture", seq=5, at=BEGIN, signal=SlotAssigned(slot="s", value=value))
    with pytest.raises(BadInput, match="event 5"):
        recording.append([event_of(4), bad])
    assert recording.last_seq == 3
    assert recording.append(events(4, 5))


def test_foreign_text_comes_back_to_the_letter(store: Store) -> None:
    recording = store.create('会话 ‮\x00\n{"seq":1} ../..')
    recording.recover(BEGIN)
    said = [
        Event(session=recording.session, seq=seq, at=BEGIN, signal=SlotAssigned(slot=text, value={text: [text]}))
        for seq, text in enumerate(('","crc":"00000000"}', "\n\r\x00\x1b[31m", "手机号 \u2028 🙂", '{"seq":9}\n'), 1)
    ]
    recording.append(said)
    assert list(recording.events()) == said


def test_a_session_is_found_by_its_key_and_is_the_same_one(store: Store) -> None:
    recording = filled(store, 3)
    assert store.keys() == [key_of("torture")] == [recording.key]
    assert store.open(recording.key) is recording
    assert store.create("torture") is recording
    assert recording.session == "torture"


@pytest.mark.parametrize("key", ["", "torture", "../torture", "0" * 32, "lock", "quarantine"])
def test_an_unknown_key_is_said_to_be_unknown(store: Store, key: str) -> None:
    filled(store, 3)
    with pytest.raises(UnknownSession):
        store.open(key)
    with pytest.raises(UnknownSession):
        store.delete(key)


def test_a_deleted_session_is_gone_and_its_name_free(store: Store) -> None:
    filled(store, 3)
    filled(store, 2, "other")
    store.delete(key_of("torture"))
    assert store.keys() == [key_of("other")]
    assert list(filled(store, 1).events()) == events(1, 1)


def test_snapshots_come_newest_first_and_stop_where_asked(store: Store) -> None:
    recording = filled(store, 900)
    for seq in (100, 500, 900):
        assert recording.keep(seq, b"map %d" % seq)
    assert list(recording.snapshots())[:2] == [(900, b"map 900"), (500, b"map 500")]
    assert next(recording.snapshots(899)) == (500, b"map 500")
    assert list(recording.snapshots(99)) == []


def test_recovering_a_well_kept_session_changes_nothing(store: Store) -> None:
    recording = filled(store, 30)
    recording.sync()
    assert recording.recover(BEGIN + 9).clean
    assert list(recording.events()) == events(1, 30)
    assert recording.damage == []
