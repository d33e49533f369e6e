"""Deleting: in one step, for good, and whatever else goes on in the folder meanwhile."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lingbot_map.errors import NotRemoved, NotWritten, UnknownSession
from lingbot_map.store import appender, bin, key_of
from lingbot_map.store.disk import datasync, write_all
from lingbot_map.store.files import FileStore
from lingbot_map.store.recording import FileRecording
from lingbot_map.store.verify import examine
from tests.torture.write import BEGIN, event_of

KEY = key_of("torture")


def filled(store: FileStore, count: int = 5) -> FileRecording:
    recording = store.create("torture")
    recording.recover(BEGIN)
    recording.append([event_of(seq) for seq in range(1, count + 1)])
    recording.sync()
    return recording


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


KILLED = """
import os, signal, sys
from lingbot_map.store.files import FileStore
from lingbot_map.store import key_of
store, left = FileStore(sys.argv[1]), int(sys.argv[2])
def count(event, arguments):
    global left
    if event in ("os.rename", "os.remove", "os.rmdir", "open", "os.listdir", "os.scandir"):
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(count)
store.delete(key_of("torture"))
store.empty_bin()
os._exit(0)
"""
"""Deletes a session and is killed before the n-th call that reads or changes a folder."""


def test_a_kill_at_any_moment_leaves_all_of_a_session_or_none(tmp_path: Path) -> None:
    made = tmp_path / "made"
    store = FileStore(made)
    recording = filled(store)
    recording.keep(5, b"map")
    (recording.folder / "quarantine").mkdir()
    (recording.folder / "quarantine" / "0001.events").write_bytes(b"torn")
    store.leave()
    whole = (made / KEY / "events.jsonl").read_bytes()
    ends: list[bool] = []
    for calls in range(100):
        data = tmp_path / "data"
        shutil.copytree(made, data)
        done = subprocess.run([sys.executable, "-c", KILLED, str(data), str(calls)], check=False)
        again = FileStore(data)
        there = again.keys() == [KEY]
        if there:
            assert (data / KEY / "events.jsonl").read_bytes() == whole
            assert again.open(KEY).recover(BEGIN).clean
            assert next(again.open(KEY).snapshots())[0] == 5
        else:
            assert again.keys() == []
            assert again.open_keys() == []
            again.empty_bin()
            assert names(data) == ["lock", "open"]
            assert filled(again, 2).last_seq == 2
        ends.append(there)
        again.leave()
        assert examine(data).status == "clean"
        shutil.rmtree(data)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
    assert ends == sorted(ends, reverse=True), "once gone, it stays gone"
    assert set(ends) == {True, False}
    assert len(ends) > 8


@pytest.mark.parametrize("flushed", [True, False])
def test_a_flush_or_a_snapshot_under_way_does_not_bring_the_folder_back(
    tmp_path: Path, flushed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FileStore(tmp_path)
    recording = store.create("torture")
    recording.recover(BEGIN)

    def refuse(fd: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        if not flushed:
            patched.setattr(appender, "datasync", refuse)
        recording.append([event_of(1)])
        assert recording.sync() is flushed
    store.delete(KEY)
    assert recording.sync()  # the thread that flushes had it in its hands
    assert not recording.keep(1, b"map")
    with pytest.raises(NotWritten, match="deleted"):
        recording.append([event_of(2)])
    assert store.trouble is None
    assert store.keys() == []
    store.empty_bin()
    assert names(tmp_path) == ["lock", "open"]
    fresh = filled(store, 3)
    assert not recording.keep(1, b"map"), "it would land beside the log of another session"
    assert list(fresh.snapshots()) == []
    store.close()


def test_a_bin_that_could_not_be_emptied_is_said_and_keeps_no_session_from_going(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FileStore(tmp_path)
    filled(store)
    store.delete(KEY)

    def refuse(path: Path) -> None:
        raise OSError(errno.EPERM, "Operation not permitted", str(path))

    with monkeypatch.context() as patched:
        patched.setattr(bin, "remove", refuse)
        with pytest.raises(NotRemoved, match="Operation not permitted"):
            store.empty_bin()
    filled(store)
    store.delete(KEY)
    with pytest.raises(UnknownSession):
        store.open(KEY)
    assert len(list(tmp_path.glob("deleted-*"))) == 2
    store.empty_bin()
    assert names(tmp_path) == ["lock", "open"]
    store.close()


def test_what_a_kill_left_half_written_beside_is_swept_up(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    filled(store)
    store.leave()
    (tmp_path / KEY / "000000000005.snapshot.new").write_bytes(b"half")
    (tmp_path / KEY / "events.jsonl.new").write_bytes(b"half")
    reading = FileStore(tmp_path, read_only=True)
    reading.open(KEY).recover(BEGIN)
    assert len(list(tmp_path.glob("*/*.new"))) == 2, "who only reads removes nothing"
    store = FileStore(tmp_path)
    assert store.open(KEY).recover(BEGIN).clean
    assert not list(tmp_path.glob("*/*.new"))
    store.close()


def test_flushed_always_acknowledges_nothing_that_is_not_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FileStore(tmp_path, fsync="always")
    recording = store.create("torture")
    recording.recover(BEGIN)

    def no_descriptors(path: Path) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patched:
        patched.setattr(appender, "sync_folder", no_descriptors)
        assert not recording.append([event_of(1)])
        assert recording.pending == 1
        assert recording.synced_seq == 0
    assert recording.append([event_of(2)])
    assert (recording.pending, recording.synced_seq) == (0, 2)
    store.close()


def test_each_append_is_flushed_before_it_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def writing(fd: int, data: bytes) -> None:
        calls.append("write")
        write_all(fd, data)

    def flushing(fd: int) -> None:
        calls.append("flush")
        datasync(fd)

    monkeypatch.setattr(appender, "write_all", writing)
    monkeypatch.setattr(appender, "datasync", flushing)
    for fsync, wanted in (("always", ["write", "flush"] * 3), ("batch", ["write"] * 3)):
        store = FileStore(tmp_path / fsync, fsync=fsync)  # type: ignore[arg-type]
        recording = store.create("torture")
        recording.recover(BEGIN)
        calls.clear()
        for seq in (1, 2, 3):
            assert recording.append([event_of(seq)])
        assert calls == wanted
        store.close()


def test_a_new_data_folder_is_there_after_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    fsync = os.fsync

    def noting(fd: int) -> None:
        synced.append(os.fstat(fd).st_ino)
        fsync(fd)

    monkeypatch.setattr(os, "fsync", noting)
    store = FileStore(tmp_path / "a" / "b")
    assert {tmp_path.stat().st_ino, (tmp_path / "a").stat().st_ino} <= set(synced)
    store.close()
