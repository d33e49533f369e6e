"""The folder of a session: its form, who may write it, and what happens when the disk refuses."""

from __future__ import annotations

import errno
import json
import os
import resource
import stat
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lingbot_map.errors import BadInput, DataFolderBusy, NewerFormat, NotWritten, StoreError, UnknownSession
from lingbot_map.events import EpochStarted, Event, Gap
from lingbot_map.store import appender, key_of
from lingbot_map.store.files import FileStore
from lingbot_map.store.lines import header_line, joined, read_event, seal, unseal
from lingbot_map.store.recording import FileRecording
from lingbot_map.store.snapshots import to_drop
from lingbot_probes.signals import Raw
from tests.torture.write import BEGIN, event_of

KEY = key_of("torture")


def fill(folder: Path, count: int, *, sync: bool = True) -> Path:
    """A closed data folder with ``count`` events; returns its log."""
    store = FileStore(folder)
    recording = store.create("torture")
    recording.append([event_of(seq) for seq in range(1, count + 1)])
    if sync:
        recording.sync()
    store.leave()
    return folder / KEY / "events.jsonl"


@contextmanager
def opened(folder: Path) -> Iterator[FileRecording]:
    store = FileStore(folder)
    try:
        yield store.open(KEY)
    finally:
        store.leave()


def test_the_log_is_json_lines_closed_by_their_checksum(tmp_path: Path) -> None:
    log = fill(tmp_path, 40)
    header, *lines = log.read_bytes().splitlines()
    assert json.loads(header).items() >= {"lingbot": "recording", "version": 1, "session": "torture"}.items()
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 41))
    for line in lines:
        assert list(json.loads(line))[-1] == "crc"
        assert int(json.loads(line)["crc"], 16) == zlib.crc32(line[: line.rindex(b',"crc"')])
    assert "第 2 句" in log.read_text("utf-8")


def test_everything_is_private(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "data")
    recording = store.create("torture")
    recording.append([event_of(1)])
    recording.sync()
    recording.keep(1, b"map")
    for path in [tmp_path / "data", *(tmp_path / "data").rglob("*")]:
        mode = stat.S_IMODE(path.lstat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path
    store.close()


def test_no_folder_is_named_by_what_the_session_is_called(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "data")
    for session in ("../../evil", "a" * 32, KEY, "CON", "\x00", "."):
        store.create(session).append([msg(1, session)])
    store.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]
    assert not {"evil", "CON", "a" * 32, KEY} & {path.name for path in (tmp_path / "data").iterdir()}
    assert len(FileStore(tmp_path / "data", read_only=True).keys()) == 6


def msg(seq: int, session: str) -> Event:
    return Event(session=session, seq=seq, at=BEGIN, signal=Raw(name="x"))


def test_a_second_writer_is_refused_and_told_who_holds_the_folder(tmp_path: Path) -> None:
    hold = "import sys; from lingbot_map.store.files import FileStore; FileStore(sys.argv[1]); print('held', flush=1)"
    holder = subprocess.Popen(
        [sys.executable, "-c", f"{hold}; sys.stdin.read()", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(DataFolderBusy) as raised:
            FileStore(tmp_path)
        assert raised.value.pid == holder.pid
        FileStore(tmp_path, read_only=True).close()
    finally:
        holder.kill()
        holder.communicate()
    FileStore(tmp_path).close()  # the lock dies with its holder


def test_what_can_be_no_data_folder_is_named_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BadInput, match="file: expected a data folder that can be written, found a file; name another"):
        FileStore(tmp_path / "file")
    with pytest.raises(BadInput, match="found Not a directory"):
        FileStore(tmp_path / "file" / "below")
    (tmp_path / "data" / "lock").mkdir(parents=True)
    with pytest.raises(BadInput, match="data: expected a data folder that can be written, found Is a directory"):
        FileStore(tmp_path / "data")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_newer_format_is_refused_and_left_as_it_was(tmp_path: Path) -> None:
    log = fill(tmp_path, 3)
    log.write_bytes(seal(b'{"lingbot":"recording","version":2,"session":"torture"}') + b"\x00new things\n")
    before = log.read_bytes()
    store = FileStore(tmp_path)
    with pytest.raises(NewerFormat, match="version 2, but this program reads up to 1"):
        store.open(KEY)
    store.close()
    assert log.read_bytes() == before


@pytest.mark.parametrize("what", ["folder", "log"])
def test_links_are_not_followed(tmp_path: Path, what: str) -> None:
    log = fill(tmp_path / "other", 5)
    data = tmp_path / "data"
    data.mkdir()
    if what == "folder":
        (data / KEY).symlink_to(log.parent)
    else:
        (data / KEY).mkdir()
        (data / KEY / "events.jsonl").symlink_to(log)
    before = log.read_bytes()
    store = FileStore(data)
    with pytest.raises((StoreError, UnknownSession)):
        store.create("torture").append([event_of(1)])
    store.close()
    assert log.read_bytes() == before


def test_sessions_stay_open_until_they_are_closed(tmp_path: Path) -> None:
    fill(tmp_path, 5)
    store = FileStore(tmp_path)
    assert store.open_keys() == [KEY]
    recording = store.open(KEY)
    assert recording.recover(BEGIN).clean
    recording.close()
    store.leave()
    assert FileStore(tmp_path, read_only=True).open_keys() == []


def test_a_start_of_the_machine_begins_a_new_epoch_once(tmp_path: Path) -> None:
    fill(tmp_path, 5)
    (tmp_path / "open" / KEY).write_text("another start")
    with opened(tmp_path) as recording:
        recovered = recording.recover(BEGIN)
        assert [type(event.signal) for event in recovered.own] == [EpochStarted]
        assert recording.last_seq == 6
    with opened(tmp_path) as recording:
        assert recording.recover(BEGIN).clean


def test_committed_cases_are_listed_and_never_written(tmp_path: Path) -> None:
    log = fill(tmp_path / "made", 5)
    case = tmp_path / "data" / "cases" / "a drift"
    case.mkdir(parents=True)
    (case / "events.jsonl").write_bytes(log.read_bytes()[:-9])  # damaged on top of it
    before = sorted(path.name for path in case.rglob("*"))
    store = FileStore(tmp_path / "data")
    assert store.keys() == [KEY]
    recording = store.open(KEY)
    assert (recording.origin, recording.read_only) == ("case", True)
    recording.recover(BEGIN)
    assert [event.seq for event in recording.events()][:4] == [1, 2, 3, 4]
    with pytest.raises(NotWritten):
        recording.append([event_of(6)])
    assert not recording.keep(4, b"map")
    with pytest.raises(StoreError):
        store.delete(KEY)
    store.close()
    assert sorted(path.name for path in case.rglob("*")) == before


# --- damage, one kind at a time; the drivers in tests/torture do the rest ---


def test_a_torn_tail_is_kept_in_quarantine_and_starts_an_epoch(tmp_path: Path) -> None:
    log = fill(tmp_path, 5, sync=False)
    whole = log.read_bytes()
    log.write_bytes(whole + b'{"seq":6,"at":17')
    with opened(tmp_path) as recording:
        recovered = recording.recover(BEGIN)
        assert recovered.lost == []
        assert [event.signal.kind for event in recovered.own] == ["epoch_started"]
    assert log.read_bytes().startswith(whole)
    (kept,) = (log.parent / "quarantine").iterdir()
    assert kept.read_bytes() == b'{"seq":6,"at":17'


def test_a_damaged_line_costs_its_event_and_is_named(tmp_path: Path) -> None:
    log = fill(tmp_path, 20)
    lines = log.read_bytes().splitlines(keepends=True)
    lines[8] = lines[8].replace(b"17000", b"17001")
    log.write_bytes(b"".join(lines))
    with opened(tmp_path) as recording:
        recovered = recording.recover(BEGIN)
        assert recovered.lost == [(8, 8)]
        assert str(recovered.damage[0]) == f"{log} line 9: checksum does not fit"
        assert [event.seq for event in recording.events()] == [*range(1, 8), *range(9, 23)]
        gap, epoch = recovered.own
        assert isinstance(gap.signal, Gap)
        assert (gap.signal.first, gap.signal.last, gap.signal.why) == (8, 8, "damaged")
        assert gap.at == event_of(20).at
        assert isinstance(epoch.signal, EpochStarted)
    with opened(tmp_path) as recording:
        assert recording.recover(BEGIN).clean


def test_a_cut_exactly_between_two_lines_is_noticed(tmp_path: Path) -> None:
    log = fill(tmp_path, 20)
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:-3]))
    with opened(tmp_path) as recording:
        assert recording.recover(BEGIN).lost == [(18, 20)]
        assert recording.append([event_of(23)])  # 21 is the gap, 22 the epoch: no number is used twice


def test_a_line_that_only_contains_a_sealed_line_is_never_taken_for_it() -> None:
    inner = seal(b'{"seq":7,"at":1.0,"signal":{"kind":"raw","name":"forged"}}')[:-1]
    outer = seal(b'{"seq":3,"at":1.0,"signal":{"kind":"raw","name":"x","data":' + inner + b"}}")[:-1]
    assert unseal(outer) is not None
    assert unseal(inner) is not None
    assert list(joined(outer.replace(b'"seq":3', b'"seq":4'))) == []


def test_every_flipped_bit_of_a_line_is_noticed() -> None:
    line = seal(b'{"seq":3,"at":1.0,"signal":{"kind":"raw","name":"abc"}}')[:-1]
    for bit in range(len(line) * 8):
        flipped = bytearray(line)
        flipped[bit // 8] ^= 1 << bit % 8
        assert unseal(bytes(flipped)) is None, bit


@pytest.mark.parametrize(
    "signal",
    [
        "null",
        "[]",
        '{"kind":5}',
        '{"kind":"slot_assigned"}',
        '{"kind":"slot_assigned","slot":{},"value":1}',
        "7",
        '"x"',
    ],
)
def test_a_sealed_line_that_says_nothing_we_know_is_kept_as_raw(signal: str) -> None:
    covered = b'{"seq":3,"at":5.0,"signal":%b' % signal.encode()
    event = read_event("s", covered, 9.0)
    assert isinstance(event.signal, Raw)
    assert (event.seq, event.at) == (3, 9.0)


def test_a_headerless_log_gets_its_name_from_the_head(tmp_path: Path) -> None:
    log = fill(tmp_path, 5)
    log.write_bytes(b"x" * 40 + log.read_bytes()[40:])
    with opened(tmp_path) as recording:
        assert recording.session == "torture"
        assert recording.recover(BEGIN).lost == []
        assert [event.seq for event in recording.events()][:5] == [1, 2, 3, 4, 5]
    assert log.read_bytes().startswith(header_line("torture"))


# --- the disk refuses ---


def trouble_of(recording: FileRecording) -> str:
    return str(recording.trouble or "")


def test_a_full_disk_keeps_events_in_memory_and_loses_none(tmp_path: Path) -> None:
    fill(tmp_path, 3)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with opened(tmp_path) as recording:
        recording.recover(BEGIN)
        size = os.path.getsize(tmp_path / KEY / "events.jsonl")
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50, hard))
        try:
            assert not recording.append([event_of(seq) for seq in range(4, 9)])
            assert not recording.append([event_of(9)])
            assert (recording.pending, recording.last_seq, recording.written_seq) == (6, 9, 3)
            assert recording.trouble is not None
            assert "File too large" in str(recording.trouble)
            assert [event.seq for event in recording.events()] == list(range(1, 10))
            assert os.path.getsize(tmp_path / KEY / "events.jsonl") == size  # the short write was cut back
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert recording.sync()
        assert (recording.pending, recording.written_seq, trouble_of(recording)) == (0, 9, "")
    with opened(tmp_path) as recording:
        assert recording.recover(BEGIN).clean
        assert list(recording.events()) == [event_of(seq) for seq in range(1, 10)]


def test_a_backlog_that_is_full_takes_nothing_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, 3)
    monkeypatch.setattr(appender, "BACKLOG_EVENTS", 10)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with opened(tmp_path) as recording:
        recording.recover(BEGIN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
        try:
            assert not recording.append([event_of(seq) for seq in range(4, 15)])
            assert not recording.room
            with pytest.raises(NotWritten):
                recording.append([event_of(15)])
            assert recording.last_seq == 14
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        assert recording.sync()
        assert recording.append([event_of(15)])
        assert [event.seq for event in recording.events()] == list(range(1, 16))


def test_after_a_failed_flush_the_log_goes_on_in_a_fresh_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = fill(tmp_path, 3)
    flushed: list[int] = []

    def refuse(fd: int) -> None:
        flushed.append(os.fstat(fd).st_ino)
        raise OSError(errno.EIO, "Input/output error")

    with opened(tmp_path) as recording:
        recording.recover(BEGIN)
        old = log.stat().st_ino
        recording.append([event_of(4)])
        with monkeypatch.context() as patched:
            patched.setattr(appender, "datasync", refuse)
            assert not recording.sync()
        assert flushed == [old]
        assert not recording.append([event_of(5)])
        assert recording.sync()
        assert log.stat().st_ino != old
        assert recording.wants_snapshot
        assert recording.synced_seq == 5
        assert list(recording.events()) == [event_of(seq) for seq in range(1, 6)]


def test_the_ladder_keeps_the_newest_two_and_rungs_that_are_not_too_far_apart() -> None:
    kept: list[int] = []
    for seq in range(100, 50_001, 100):
        kept.append(seq)
        kept = [rung for rung in kept if rung not in to_drop(kept, 8000)]
    assert kept[-2:] == [49_900, 50_000]
    gaps = [b - a for a, b in zip([0, *kept], kept, strict=False)]
    assert max(gaps) <= 8000
    assert len(kept) <= 10
