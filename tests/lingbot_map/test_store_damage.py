"""Laws of recovery, over real folders: whatever is cut or flipped, nothing is invented and every loss is declared."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lingbot_map.errors import UnknownSession
from lingbot_map.events import EpochStarted, Event, Gap
from lingbot_map.policy import Policy
from lingbot_map.session import Session
from lingbot_map.store import key_of
from lingbot_map.store.files import FileStore
from lingbot_map.store.lines import seal
from lingbot_map.store.verify import digest_of, examine
from tests.torture import corrupt_log, kill9, ordering
from tests.torture.write import BEGIN, SESSION, event_of

COUNT = 60


@cache
def healthy() -> Path:
    """A folder with a session of 60 events and two snapshots, as a killed process leaves it."""
    folder = Path(tempfile.mkdtemp(prefix="lingbot-map-test-"))
    store = FileStore(folder)
    session = Session.create(store, SESSION, policy=Policy(), facts={}, now=BEGIN, epoch="e")
    for seq in range(session.map.cursor.seq + 1, COUNT + 1):
        session.apply([event_of(seq)])
        if seq in (20, 45):
            session.recording.sync()
            session.snapshot(BEGIN)
    store.sync()
    store.leave()
    return folder


@pytest.fixture(scope="module", autouse=True)
def _swept() -> Iterator[None]:
    yield
    shutil.rmtree(healthy(), ignore_errors=True)
    healthy.cache_clear()


def log_of(folder: Path) -> Path:
    return folder / key_of(SESSION) / "events.jsonl"


@cache
def original() -> dict[int, Event]:
    store = FileStore(healthy(), read_only=True)
    return {event.seq: event for event in store.open(key_of(SESSION)).events()}


Edit = tuple[str, float, int]


def damaged(data: bytes, edits: list[Edit]) -> bytes:
    for kind, where, what in edits:
        at = int(where * max(0, len(data) - 1))
        match kind:
            case "flip" if data:
                data = data[:at] + bytes([data[at] ^ (1 << what % 8)]) + data[at + 1 :]
            case "cut":
                data = data[:at]
            case "drop":
                data = data[:at] + data[at + what :]
            case "repeat":
                data = data[:at] + data[at : at + what] + data[at:]
            case "zero":
                data = data[:at] + bytes(min(what, len(data) - at)) + data[at + what :]
            case "line":
                lines = data.splitlines(keepends=True)
                data = b"".join(line for i, line in enumerate(lines) if i != int(where * len(lines)))
    return data


edits = st.lists(
    st.tuples(
        st.sampled_from(("flip", "flip", "flip", "cut", "drop", "repeat", "zero", "line")),
        st.floats(0, 1),
        st.integers(1, 300),
    ),
    min_size=1,
    max_size=3,
)


@given(edits=edits, whole=st.booleans())
@settings(max_examples=300)
def test_recovery_invents_nothing_and_declares_every_loss(edits: list[Edit], whole: bool) -> None:
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "data"
        shutil.copytree(healthy(), folder)
        log = log_of(folder)
        log.write_bytes(damaged(log.read_bytes(), edits))
        store = FileStore(folder)
        recording = store.open(key_of(SESSION))
        recording.recover(BEGIN, whole=whole)
        if not whole:  # what a start didn't look at is read past, and found by the next thorough look
            recording.rest()
            store.leave()
            store = FileStore(folder)
            recording = store.open(key_of(SESSION))
            recording.recover(BEGIN, whole=True)
        declared: set[int] = set()
        for event in recording.events():
            if isinstance(event.signal, Gap):
                declared |= set(range(event.signal.first, event.signal.last + 1))
            elif not (isinstance(event.signal, EpochStarted) and event.signal.why == "recovered"):
                assert event == original()[event.seq]
                assert event.seq not in declared
        found = {event.seq for event in recording.events()}
        assert set(original()) - found <= declared
        assert declared <= set(original()) - found
        store.leave()


@given(edits=edits)
@settings(max_examples=60)
def test_a_start_after_damage_and_a_replay_of_the_mended_log_agree(edits: list[Edit]) -> None:
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work) / "data"
        shutil.copytree(healthy(), folder)
        log = log_of(folder)
        log.write_bytes(damaged(log.read_bytes(), edits))
        first = examine(folder, repair=True)
        assert first.status in ("clean", "repaired")
        store = FileStore(folder)
        session = Session.recover(store.open(key_of(SESSION)), BEGIN)
        store.leave()
        again = examine(folder, repair=True)
        assert again.status == "clean"
        assert digest_of(session.map) == again.sessions[0].digest == first.sessions[0].digest


@given(data=st.binary(max_size=400))
@settings(max_examples=150)
def test_a_log_of_any_bytes_is_survived(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        log = log_of(folder)
        log.parent.mkdir()
        log.write_bytes(data)
        assert examine(folder, repair=False).exit_code in (0, 1)
        assert log.read_bytes() == data
        store = FileStore(folder)
        try:
            session = Session.create(store, SESSION, policy=Policy(), facts={}, now=BEGIN)
        except UnknownSession:
            return
        session.apply([event_of(session.map.cursor.seq + 1)])
        session.close(BEGIN)
        store.close()
        assert examine(folder, repair=False).status == "clean"


@pytest.mark.parametrize("far", [5_000_100, 2**52, 10**16 - 1])
def test_a_sealed_line_with_a_wild_seq_does_not_open_a_hole_of_that_size(tmp_path: Path, far: int) -> None:
    shutil.copytree(healthy(), tmp_path / "data")
    log = log_of(tmp_path / "data")
    with log.open("ab") as file:
        file.write(seal(b'{"seq":%d,"at":1.0,"signal":{"kind":"tick"}}' % far))
    report = examine(tmp_path / "data", repair=True)
    assert report.status == "repaired"
    assert report.sessions[0].gaps == []
    assert len(report.sessions[0].events) == COUNT


def test_a_small_run_of_corrupt_log_passes() -> None:
    assert corrupt_log.run(trials=10, events=60, seed=3).failures == []


def test_a_small_run_of_kill9_passes() -> None:
    assert kill9.run(rounds=2, points=0, seed=3, limit=10.0).failures == []


def test_a_small_run_of_ordering_passes() -> None:
    assert ordering.run(events=800, seed=3).failures == []
