"""Commands that only look need no lock and write nothing: they work beside a map, and where nobody may write."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.store import key_of
from lingbot_web.cli import run
from tests.live.server import running

Look = Callable[..., Any]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder as a map left it: three sessions, one of them open when it was last written."""
    with running(tmp_path / "data") as (_, client):
        for i in range(3):
            client.say("hello", f"refund {i}", session=f"call {i}")
        client.get("/api/sessions")
    return tmp_path / "data"


def look_of(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Look:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "another user's"))

    def look(*arguments: str) -> Any:
        capfd.readouterr()
        code = run([*arguments, "--json", "--data", str(tmp_path / "data")])
        said, complaint = capfd.readouterr()
        assert code == 0, complaint
        return json.loads(said)

    return look


@pytest.fixture
def look(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, data: Path
) -> Iterator[Look]:
    """Runs a command on the folder, in which nothing may be opened for writing; afterwards it must be as it was."""
    open_really = os.open

    def open_to_read(path: Any, flags: int, *more: Any, **named: Any) -> int:
        writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        if writes and str(path).startswith(str(data)):
            raise OSError(30, "Read-only file system", str(path))
        return open_really(path, flags, *more, **named)

    monkeypatch.setattr(os, "open", open_to_read)
    before = standing(data)
    yield look_of(monkeypatch, capfd, tmp_path)
    assert standing(data) == before


def standing(folder: Path) -> dict[str, tuple[int, int, int]]:
    return {
        str(path): (path.stat().st_size, path.stat().st_mtime_ns, path.stat().st_mode) for path in folder.rglob("*")
    }


def listed(page: Any) -> list[tuple[str, int, str]]:
    return sorted((one["id"], one["events"], one["last_utterance"]) for one in page["sessions"])


WHOLE = [(f"call {i}", 5, f"refund {i}") for i in range(3)]


def test_the_list_is_read_where_nobody_may_write(look: Look) -> None:
    assert listed(look("sessions")) == WHOLE
    assert listed(look("sessions", "refund 1")) == [WHOLE[1]]
    assert listed(look("sessions", "HELL")) == WHOLE  # said before the last
    page = look("sessions", "--limit", "2")
    assert (len(page["sessions"]), page["total"]) == (2, 3)


def test_a_damaged_session_says_so_in_the_table(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, data: Path
) -> None:
    log = data / key_of("call 1") / "events.jsonl"
    log.unlink()
    log.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert run(["sessions", "--data", str(data)]) == 0
    said, complaint = capfd.readouterr()
    assert [("(damaged)" in line) for line in said.splitlines() if "call" in line].count(True) == 1
    assert "a folder, not a file" in complaint
    assert complaint.startswith(f"damaged: {key_of('call 1')[:12]}")


def test_the_standing_is_read_where_nobody_may_write(look: Look) -> None:
    said = look("stats")
    assert (said["status"], said["sessions"]) == ("stopped", {"stored": 3, "in_memory": 0})
    assert said["disk"]["damage"] == []


@pytest.mark.parametrize("index", [None, b"", b"SQLite format 3\0 and then nothing"])
def test_the_list_needs_no_index(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, data: Path, index: bytes | None
) -> None:
    for path in data.glob("index.sqlite3*"):
        path.unlink()
    if index is not None:
        (data / "index.sqlite3").write_bytes(index)
    assert listed(look_of(monkeypatch, capfd, tmp_path)("sessions")) == WHOLE
    assert listed(look_of(monkeypatch, capfd, tmp_path)("sessions", "hell 2")) == [WHOLE[2]]


def test_an_index_that_has_fallen_behind_is_not_believed(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, data: Path
) -> None:
    old = (data / "index.sqlite3").read_bytes()
    with running(data) as (_, client):
        client.made["call 0" + "s1"] = 2
        client.say("goodbye", session="call 0")
    (data / "index.sqlite3").write_bytes(old)
    assert ("call 0", 6, "goodbye") in listed(look_of(monkeypatch, capfd, tmp_path)("sessions"))


def test_a_map_that_writes_there_is_no_hindrance(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path, data: Path
) -> None:
    with running(data) as (_, client):
        look = look_of(monkeypatch, capfd, tmp_path)  # from now on the map can't be found
        client.say("good morning", session="call 3")
        assert listed(look("sessions")) == [*WHOLE, ("call 3", 4, "good morning")]
        assert look("stats")["sessions"]["stored"] == 4


def test_stats_say_from_when_on_sources_are_counted(
    data: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    assert run(["stats", "--data", str(data)]) == 0
    assert "no map serves this folder; events of sources are counted only while one does" in capfd.readouterr().out
    with running(data) as (_, client):
        client.say("hello", session="call 0")
        started = datetime.fromtimestamp(client.get("/api/stats")["started_at"]).astimezone()
        assert run(["stats", "--data", str(data)]) == 0
    assert f"sources   counted since this map started ({started:%Y-%m-%d %H:%M})\n" in capfd.readouterr().out


def test_a_folder_without_any_session_says_so(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    assert run(["sessions", "--data", str(tmp_path)]) == 0
    assert capfd.readouterr() == ("", f"no session is recorded in {tmp_path} yet\n")


def test_a_long_id_leaves_room_for_the_others_in_the_table(
    data: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "another user's"))
    with running(data) as (_, client):
        client.say("hello", "refund", session="x" * 250)
        client.get("/api/sessions")
    capfd.readouterr()
    assert run(["sessions", "--data", str(data)]) == 0
    shown, _ = capfd.readouterr()
    assert "x" * 60 + "xxx…" in shown
    assert "x" * 64 not in shown
