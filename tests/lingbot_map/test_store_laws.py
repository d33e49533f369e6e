"""Laws of the file store over any course of things: appends, flushes, snapshots, kills, power cuts, I/O errors, damage.

A machine does at random what may happen to a recording and holds it against a list of what was accepted.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from lingbot_map import codec
from lingbot_map.events import EpochStarted, Event, Gap, event_to_dict
from lingbot_map.policy import Policy
from lingbot_map.session import Session
from lingbot_map.store import Recovered, appender, key_of
from lingbot_map.store.files import FileStore
from lingbot_map.store.index import Index
from lingbot_map.store.lines import header_line, seal
from lingbot_map.store.recording import FileRecording
from lingbot_map.store.verify import examine
from lingbot_probes.signals import Numbered, SlotAssigned
from tests.lingbot_map.test_store_damage import damaged, edits
from tests.torture.write import BEGIN, SESSION, event_of

KEY = key_of(SESSION)


def span(first: int, last: int) -> set[int]:
    return set(range(first, last + 1))


class Course(RuleBasedStateMachine):
    """One recording. ``said`` is what must be there, ``highest`` the highest seq that anybody was ever shown."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="lingbot-map-test-"))
        self.said: dict[int, Event] = {}
        self.highest = self.synced = self.synced_size = 0
        self.epochs: set[str] = set()
        self.store = FileStore(self.folder)
        self.recording: FileRecording = self.store.create(SESSION)
        self.recording.recover(BEGIN)

    @property
    def log(self) -> Path:
        return self.folder / KEY / "events.jsonl"

    def teardown(self) -> None:
        self.store.leave()
        assert examine(self.folder, repair=True).status in ("clean", "repaired")
        assert examine(self.folder).status == "clean"
        shutil.rmtree(self.folder)

    # --- what a map does ---

    @rule(count=st.integers(1, 12))
    def append(self, count: int) -> None:
        first = self.recording.last_seq + 1
        events = [event_of(seq) for seq in range(first, first + count)]
        assert self.recording.append(events)
        self.said |= {event.seq: event for event in events}
        self.highest = max(self.highest, self.recording.last_seq)

    @rule()
    def sync(self) -> None:
        assert self.recording.sync()
        self.note_synced()

    def note_synced(self) -> None:
        self.synced = self.recording.synced_seq
        self.synced_size = self.log.stat().st_size if self.log.exists() else 0
        assert self.synced == self.recording.last_seq

    @precondition(lambda self: self.recording.last_seq)
    @rule()
    def keep_a_snapshot(self) -> None:
        assert self.recording.keep(self.recording.last_seq, b"map" * 40)
        self.note_synced()

    @rule()
    def rest(self) -> None:
        self.recording.rest()

    @rule()
    def close(self) -> None:
        self.recording.close()
        self.store.release(KEY)
        self.note_synced()
        self.reopen(whole=False)

    # --- what happens to it ---

    @rule(whole=st.booleans())
    def kill(self, whole: bool) -> None:
        self.store.leave()
        assert self.again(whole=whole).clean

    @rule(kept=st.floats(0, 1))
    def cut_the_power(self, kept: float) -> None:
        """What was not flushed is gone, or is there in part."""
        self.store.leave()
        if self.log.exists():
            size = self.log.stat().st_size
            with self.log.open("r+b") as file:
                file.truncate(self.synced_size + int(kept * (size - self.synced_size)))
        mark = self.folder / "open" / KEY
        if mark.exists():
            mark.write_text("another start of the machine")
        self.again(whole=False)
        there = {event.seq for event in self.recording.events()}
        assert span(1, self.synced) & set(self.said) <= there, "what was flushed is safe"
        self.take_over()

    @rule(error=st.sampled_from([errno.EIO, errno.ENOSPC, errno.EDQUOT]), count=st.integers(1, 4))
    def fail_to_flush(self, error: int, count: int) -> None:
        """The flush fails once, events come meanwhile, then the disk is well again."""
        failed: list[int] = []

        def refuse(fd: int) -> None:
            failed.append(fd)
            raise OSError(error, "refused")

        self.append(count)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(appender, "datasync", refuse)
            assert not self.recording.sync()
        assert len(failed) == 1
        first = self.recording.last_seq + 1
        assert not self.recording.append([event_of(first)]), "it waits in memory"
        self.said[first] = event_of(first)
        self.highest = max(self.highest, first)
        assert self.recording.sync()
        self.note_synced()
        assert self.recording.wants_snapshot

    @rule(edits=edits, whole=st.booleans())
    def damage_the_log(self, edits: list[tuple[str, float, int]], whole: bool) -> None:
        self.sync()
        self.store.leave()
        if self.log.exists():
            self.log.write_bytes(damaged(self.log.read_bytes(), edits))
        self.again(whole=whole)
        if not whole:  # a start looks at the tail alone
            self.store.leave()
            self.again(whole=True)
        assert self.recording.last_seq >= self.highest, "no number is used twice"
        self.take_over()

    @rule(edits=edits, which=st.sampled_from(["head", "snapshot", "mark", "half a snapshot", "half a log"]))
    def damage_what_stands_beside(self, edits: list[tuple[str, float, int]], which: str) -> None:
        self.sync()
        self.store.leave()
        if self.log.exists():
            paths = {"head": [self.folder / KEY / "head"], "mark": [self.folder / "open" / KEY]}
            paths["snapshot"] = list(self.log.parent.glob("*.snapshot"))
            for path in paths.get(which, ()):
                if path.exists():
                    path.write_bytes(damaged(path.read_bytes(), edits))
            for half, name in (("half a snapshot", "000000000009.snapshot.new"), ("half a log", "events.jsonl.new")):
                if which == half:
                    (self.log.parent / name).write_bytes(damaged(b"x" * 100, edits))
        recovered = self.again(whole=False)
        assert not recovered.lost, "nothing beside the log is needed"
        self.take_over()
        assert not list(self.folder.glob("*/*.new"))

    # --- how it is looked at ---

    def again(self, *, whole: bool) -> Recovered:
        """Another process opens the folder."""
        self.store = FileStore(self.folder)
        return self.reopen(whole=whole)

    def reopen(self, *, whole: bool) -> Recovered:
        self.recording = self.store.create(SESSION)
        recovered = self.recording.recover(BEGIN, whole=whole)
        assert self.recording.recover(BEGIN, whole=whole).clean, "a second look finds nothing"
        return recovered

    def take_over(self) -> None:
        """Nothing is invented, what is lost is declared, a loss begins an epoch; from here on that is what was said."""
        there = {event.seq: event for event in self.recording.events()}
        declared: set[int] = set()
        for seq, event in there.items():
            if isinstance(event.signal, Gap):
                declared |= span(event.signal.first, event.signal.last)
            elif not isinstance(event.signal, EpochStarted):
                assert event == self.said[seq]
        assert declared == span(1, self.recording.last_seq) - set(there)
        if there and set(there) != set(self.said):
            last = there[max(there)].signal
            assert isinstance(last, EpochStarted)
            assert last.epoch not in self.epochs
            self.epochs.add(last.epoch)
        self.said = there
        self.highest = self.recording.last_seq
        self.sync()

    @invariant()
    def all_is_there(self) -> None:
        assert {event.seq: event for event in self.recording.events()} == self.said
        assert self.recording.pending == 0


def test_whatever_happens_to_a_recording_nothing_accepted_is_lost_unsaid() -> None:
    run_state_machine_as_test(Course, settings=settings(max_examples=40, stateful_step_count=20))


# --- repeats, in any order, over kills ---

SOURCES = ("a", "b")
COUNT = 12
deliveries = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(SOURCES), st.lists(st.integers(1, COUNT), min_size=1, max_size=COUNT)),
        st.sampled_from(["kill", "wait", "tell"]),
    ),
    max_size=12,
)


def numbered(source: str, n: int) -> Numbered:
    return Numbered(session=SESSION, n=n, signal=SlotAssigned(slot=source, value=n))


def places(events: Iterable[Event]) -> list[tuple[str, int]]:
    return [(event.source, event.n) for event in events if event.n]


@given(deliveries=deliveries)
@settings(max_examples=100)
def test_each_signal_counts_once_in_whatever_order_and_however_often_it_comes(deliveries: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as work:
        store, now = FileStore(work), BEGIN
        session = Session.create(store, SESSION, policy=Policy(), facts={}, now=now)
        acked: set[tuple[str, int]] = set()

        def deliver(source: str, numbers: list[int], *, highest: int = 0) -> None:
            items = [numbered(source, n) for n in numbers]
            taken = session.intake.take(source, items, now, numbered=highest)
            session.apply(taken.events)
            acked.update((source, n) for first, last in taken.acked for n in range(first, last + 1))

        for what in [*deliveries, "kill", *((source, list(range(1, COUNT + 1))) for source in SOURCES), "wait"]:
            if what == "kill":
                store.leave()
                store = FileStore(work)
                session = Session.recover(store.open(KEY), now)
            elif what == "wait":
                now += 2
                session.apply(session.intake.release(now))
            elif what == "tell":
                for source in SOURCES:
                    deliver(source, [], highest=COUNT)
            else:
                deliver(*what)
            logged = places(session.recording.events())
            assert len(logged) == len(set(logged)), "nothing counts twice"
            declared = {
                (event.signal.source, n)
                for event in session.recording.events()
                if isinstance(event.signal, Gap)
                for n in span(event.signal.first, event.signal.last)
            }
            assert acked <= set(logged) | declared, "what is acknowledged is on the log, or said to be lost"
        assert set(logged) == {(source, n) for source in SOURCES for n in range(1, COUNT + 1)}
        assert not any(lost.missing for lost in session.map.losses.values())
        store.leave()


# --- behind a good checksum ---

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all members and items in ``value``."""
    inner = value.items() if type(value) is dict else enumerate(value) if type(value) is list else ()
    found = [path] if path else []
    for key, item in inner:
        found += leaves(item, (*path, key))
    return found


@given(changes=st.lists(st.tuples(st.integers(2, 40), st.floats(0, 1), JSON), min_size=1, max_size=4))
@settings(max_examples=100)
def test_any_event_behind_a_good_checksum_is_survived(changes: list[tuple[int, float, Any]]) -> None:
    lines = {seq: event_to_dict(event_of(seq)) for seq in range(2, 41)}
    for seq, where, value in changes:
        paths = [path for path in leaves(lines[seq]) if path != ("seq",)]
        *way, last = paths[int(where * (len(paths) - 1))]
        place: Any = lines[seq]
        for step in way:
            place = place[step]
        place[last] = value
    begun = Event(session=SESSION, seq=1, at=BEGIN, signal=EpochStarted(epoch="e"))
    log = [seal(orjson.dumps(said)) for said in (event_to_dict(begun), *lines.values())]
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / KEY
        folder.mkdir()
        (folder / "events.jsonl").write_bytes(header_line(SESSION) + b"".join(log))
        store = FileStore(work)
        session = Session.recover(store.open(KEY), BEGIN)
        assert [event.seq for event in session.recording.events()] == list(range(1, 41))
        session.apply([msgspec.structs.replace(event_of(41), at=session.map.at)])
        assert session.snapshot(BEGIN)
        codec.keyframe(session.map)
        session.summary()
        store.leave()
        assert examine(Path(work)).status == "clean"


@pytest.mark.parametrize("name", ["head", "deleted", "mask.key", "lock", "index.sqlite3"])
@given(data=st.binary(max_size=200))
@settings(max_examples=15)
def test_any_bytes_in_a_file_beside_the_logs_are_survived(name: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as work:
        store = FileStore(work)
        recording = store.create(SESSION)
        recording.append([event_of(seq) for seq in range(1, 6)])
        store.close()
        path = Path(work) / (f"{KEY}/head" if name == "head" else name)
        path.write_bytes(data)
        store = FileStore(work)
        recovered = store.open(KEY).recover(BEGIN)
        assert not recovered.lost
        assert [event.seq for event in store.open(KEY).events()][:5] == [1, 2, 3, 4, 5]
        assert len(bytes.fromhex(store.mask_key())) == 32
        store.deleted.note("k", {"s": 1})
        assert store.deleted.marks("k") == {"s": 1}
        index = Index(Path(work) / "index.sqlite3")
        assert index.reconcile(store.keys()) == [KEY]
        index.close()
        store.close()


def test_a_power_cut_before_the_first_flush_leaves_no_session_behind(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    recording = store.create(SESSION)
    recording.append([event_of(1)])
    store.leave()
    (tmp_path / KEY / "events.jsonl").write_bytes(b"")
    assert examine(tmp_path).status == "clean"
    store = FileStore(tmp_path)
    assert (store.keys(), store.open_keys()) == ([], [])
    again = store.create(SESSION)
    assert again.append([event_of(1)])
    assert store.keys() == [KEY]
    store.close()
    (tmp_path / KEY / "events.jsonl").write_bytes(b"")  # now something says that there were events
    assert FileStore(tmp_path, read_only=True).keys() == [KEY]
    assert examine(tmp_path, repair=True).sessions[0].lost == [(1, 1)]
