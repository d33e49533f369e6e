"""What a map says and does while it recovers, and while its disk is full."""

from __future__ import annotations

import errno
import os
import re
import resource
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lingbot_map.events import EpochStarted, Event
from lingbot_map.policy import Policy
from lingbot_map.session import SNAPSHOT_AGAIN_S, Session
from lingbot_map.store import appender, key_of
from lingbot_map.store.files import FileStore
from tests.live.server import Client, wait_for
from tests.live.test_process import COMMAND, Process, started
from tests.torture.write import BEGIN, SESSION, event_of


def status(client: Client) -> str:
    return str(client.get("/healthz")["status"])


@contextmanager
def full_disk(process: Process) -> Iterator[None]:
    """No file of the process grows any more: short writes and EFBIG, as a quota gives them."""
    pid = process.process.pid
    soft, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (100, hard))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("fsync", ["batch", "always"])
def test_map_and_bot_go_on_while_the_disk_is_full_and_nothing_is_lost(tmp_path: Path, fsync: str) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    with started(data, runtime, "--fsync", fsync) as process:
        client = process.client
        for session in ("call", "other", "quiet"):
            client.say("before", session=session)
        wait_for(lambda: client.get("/api/sessions")["total"] == 3, "the list")
        assert status(client) == "ok"
        with full_disk(process):
            for session in ("call", "other", "begun meanwhile"):
                assert client.say("meanwhile", session=session)["acked"] == {}, "nothing is acknowledged"
            assert status(client) == "degraded"
            assert "File too large" in client.get("/api/stats")["disk"]["trouble"]
            labels = client.keyframe("call")["nodes"]["label"]
            assert {"before", "meanwhile"} <= set(labels), "the map goes on in memory"
            wait_for(lambda: client.get("/api/sessions")["total"] == 4, "the whole list")
            assert client.get("/api/sessions?q=quiet")["total"] == 1
        wait_for(lambda: status(client) == "ok", "writing again, which nobody asked for")
        for session in ("call", "other", "begun meanwhile"):
            assert client.say("after", session=session)["acked"] == {session: [[1, client.made[session + "s1"]]]}
        process.end(signal.SIGKILL)
    with started(data, runtime) as process:
        client = process.client
        wait_for(lambda: status(client) == "ok", "recovery")
        for session, wanted in (("call", 3), ("other", 3), ("quiet", 1), ("begun meanwhile", 2)):
            frame = client.keyframe(session)
            assert frame["nodes"]["kind"].count("utterance") == wanted, session
            assert frame["losses"] == []
        assert client.get("/api/sessions")["total"] == 4


def test_after_an_outage_there_is_a_snapshot_though_nothing_new_was_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FileStore(tmp_path)
    session = Session.create(store, SESSION, policy=Policy(), facts={}, now=BEGIN)
    session.apply([event_of(seq) for seq in range(session.map.cursor.seq + 1, 20)])

    def refuse(fd: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(appender, "datasync", refuse)
        assert not session.recording.sync()
        assert not session.snapshot(BEGIN), "it met the error too"
    assert session.recording.sync()
    assert session.recording.wants_snapshot
    assert session.snapshot_due(BEGIN + SNAPSHOT_AGAIN_S)
    assert session.snapshot(BEGIN + SNAPSHOT_AGAIN_S)
    assert not session.snapshot_due(BEGIN + 1000)
    assert [seq for seq, _ in session.recording.snapshots()] == [19]
    store.close()


def test_healthz_says_at_once_that_a_large_log_is_being_recovered(tmp_path: Path) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    store = FileStore(data)
    recording = store.create(SESSION)
    recording.append([Event(session=SESSION, seq=1, at=BEGIN, signal=EpochStarted(epoch="e"))])
    recording.append([event_of(seq) for seq in range(2, 40_001)])
    store.leave()
    (data / "deleted-x").mkdir()
    runtime.mkdir()
    process = subprocess.Popen(
        [*COMMAND, "serve", "--data", str(data), "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime), "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout is not None
        found = re.search(r":(\d+)/#t=([\w-]+)", process.stdout.readline())
        assert found, "the address is printed before the recovery is done"
        client = Client(int(found[1]), found[2])
        said = [status(client)]
        assert said == ["recovering"]
        refused = client.post("/ingest", {"v": 1, "source": "s", "events": []})
        assert refused[0] == 503

        def ok() -> bool:
            said.append(status(client))
            return said[-1] == "ok"

        wait_for(ok, "recovery")
        assert set(said) == {"recovering", "ok"}
        assert client.get(f"/api/sessions/{key_of(SESSION)}")["events"] >= 40_000
        assert client.say("hello")["acked"] == {"call": [[1, 1]]}
    finally:
        process.kill()
        process.communicate()
