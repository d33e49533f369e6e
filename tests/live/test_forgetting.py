"""Forgetting: of a session that is to be forgotten no byte is left, wherever one could be."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from lingbot_map import codec
from lingbot_map.errors import StoreError, UnknownSession
from lingbot_map.pipeline import Pipeline
from lingbot_map.session import Session
from lingbot_map.store import key_of
from lingbot_map.store.files import FileStore
from lingbot_probes.signals import TurnStarted
from tests.live.server import Client, running, wait_for
from tests.live.test_pipeline import Clock, pipeline, say
from tests.live.test_process import COMMAND, started

ID, TITLE, SAID = "caller 13800138000", "Blaubart", "the zebra eats 七个苹果"
EARLIER = "Grün ist 一开始说的"
"""What nothing but the log and the search of the index has: it was not said last, and is no title."""
KEY = key_of(ID)


def bytes_of(folder: Path) -> dict[str, bytes]:
    """All that stands in the folder: raw, and what can be unpacked of it unpacked as well."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            raw = path.read_bytes()
            found[str(path.relative_to(folder))] = b"\0".join([raw, *unpacked(raw)])
    return found


def unpacked(raw: bytes) -> Iterable[bytes]:
    if raw[:2] == b"\x1f\x8b":
        yield gzip.decompress(raw)
    for start in (found.end() for found in re.finditer(rb"\n|^", raw[:4096])):  # a snapshot: a line, then zlib
        try:
            yield zlib.decompressobj().decompress(raw[start:])
        except zlib.error:
            continue


def holding(folder: Path, *words: str) -> dict[str, list[str]]:
    """The files that hold one of the words in any way that we write text, and which."""
    forms = {word: {word.encode(), json.dumps(word)[1:-1].encode(), word.casefold().encode()} for word in words}
    found = {}
    for name, data in bytes_of(folder).items():
        if held := [word for word, spelt in forms.items() if any(form in data for form in spelt)]:
            found[name] = held
    return found


def speak(client: Client, session: str, *words: str, turns: int = 3, title: str = "") -> None:
    signals: list[dict[str, Any]] = [{"kind": "session_started", "title": title}] if title else []
    signals += [
        {"kind": "turn_started", "turn": f"t{i}", "utterance": f"{word} {i}"} for i in range(turns) for word in words
    ]
    first = client.made.get(session, 0) + 1
    client.made[session] = first + len(signals) - 1
    client.send([{"session": session, "n": n, "signal": signal} for n, signal in enumerate(signals, first)])


def command(runtime: Path, *arguments: str, code: int = 0, stdin: int = subprocess.DEVNULL) -> str:
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime)}
    runtime.mkdir(exist_ok=True)
    done = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=30, env=environment, stdin=stdin, check=False
    )
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stdout if not code else done.stderr


def tell(data: Path, runtime: Path) -> None:
    """A folder with a session to be forgotten in every place where one can leave something, and another beside it."""
    with started(data, runtime) as process:
        client = process.client
        wait_for(lambda: client.get("/healthz")["status"] == "ok", "recovery")
        for _ in range(11):
            speak(client, ID, SAID, turns=500, title=TITLE)
        speak(client, "another", "a harmless word")
        assert client.post(f"/api/sessions/{KEY}", {"name": TITLE})[0] == 200
        client.get("/api/sessions")
        process.end(signal.SIGTERM)
    store = FileStore(data)
    session = Session.recover(store.open(KEY), time.time())
    for seq in (2500, 4500):
        assert session.recording.keep(seq, codec.pack(session.at(seq)))
    store.leave()
    assert any(b'"packing":"zlib"' in path.read_bytes() for path in data.glob("*/*.snapshot"))
    log = data / KEY / "events.jsonl"
    with log.open("ab") as file:
        file.write(b'{"seq":9,"torn":"' + SAID.encode())
    (data / "exports" / "old").mkdir(parents=True)
    for name, form in (("call.html", "html"), ("exports/call.jsonl", "jsonl"), ("exports/old/call.csv", "csv")):
        command(runtime, "export", ID, "--to", form, "--out", str(data / name), "--data", str(data))
    (data / "exports" / "call.jsonl.gz").write_bytes(gzip.compress((data / "exports" / "call.jsonl").read_bytes()))
    for form in ("html", "jsonl", "csv"):
        command(runtime, "export", "another", "--to", form, "--out", str(data / f"another.{form}"), "--data", str(data))
    (data / "notes.txt").write_text("mine")


EXPORTS = ["call.html", "exports/call.jsonl", "exports/call.jsonl.gz", "exports/old/call.csv"]
OTHERS = {"another.html", "another.jsonl", "another.csv", "notes.txt", f"{key_of('another')}/events.jsonl"}


@pytest.mark.parametrize("served", [True, False], ids=["through the map that serves it", "in a folder nobody holds"])
def test_a_forgotten_session_leaves_no_byte(tmp_path: Path, served: bool) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    tell(data, runtime)
    if served:
        with started(data, runtime) as process:
            client = process.client
            wait_for(lambda: client.get("/healthz")["status"] == "ok", "recovery")
            speak(client, ID, SAID)
            before = holding(data, ID, TITLE, SAID)
            said = command(runtime, "forget", ID, "--yes", "--data", str(data))
            after = holding(data, ID, TITLE, SAID)
            assert [one["id"] for one in client.get("/api/sessions")["sessions"]] == ["another"]
            assert client.ask("GET", f"/api/sessions/{KEY}")[0] == 404
            client.send([{"session": ID, "n": n, "signal": {"kind": "answered", "text": SAID}} for n in (1, 2)])
            assert client.ask("GET", f"/api/sessions/{KEY}")[0] == 404, "its bot says its recent past once more"
    else:
        with started(data, runtime) as process:  # it is killed
            process.client.keyframe(ID)  # mends the torn tail
        before = holding(data, ID, TITLE, SAID)
        said = command(runtime, "forget", KEY[:6], "--yes", "--data", str(data))
        after = holding(data, ID, TITLE, SAID)
    for place in ("events.jsonl", "head", "quarantine/0001.events", "snapshot"):
        assert any(place in name for name in before if name.startswith(KEY)), (place, list(before))
    assert any(name.startswith("index.sqlite3") for name in before)
    assert set(EXPORTS) <= set(before)
    assert after == {}
    assert not (data / KEY).exists()
    assert not list(data.glob("deleted-*"))
    assert {str(path.relative_to(data)) for path in data.rglob("*")} >= OTHERS
    assert said.splitlines()[0].startswith(f"forgotten  {ID} (")
    assert [line.split(maxsplit=1)[1] for line in said.splitlines()[1:]] == [str(data / name) for name in EXPORTS]
    with running(data) as (_, map):
        assert [one["id"] for one in map.get("/api/sessions")["sessions"]] == ["another"]
    assert holding(data, ID, TITLE, SAID) == {}


def test_a_session_deleted_on_the_page_leaves_no_byte_of_what_was_said_either(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with started(data, tmp_path / "run") as process:
        client = process.client
        wait_for(lambda: client.get("/healthz")["status"] == "ok", "recovery")
        for name in ("another", ID, "one more", f"{ID} again"):
            if name.startswith(ID):
                speak(client, name, EARLIER, turns=1)
            speak(client, name, SAID if name.startswith(ID) else "a harmless word", title=TITLE)
        assert client.get("/api/sessions?q=gr%C3%BCn%20%E5%BC%80%E5%A7%8B")["total"] == 2  # the index has counted them
        for word in (SAID, EARLIER):
            assert "index.sqlite3-wal" in holding(data, word), word
        for name in (ID, f"{ID} again"):
            assert client.ask("DELETE", f"/api/sessions/{key_of(name)}")[0] == 200
        assert holding(data, ID, SAID, EARLIER) == {}
        assert client.get("/api/sessions")["total"] == 2
        process.end(signal.SIGKILL)
    assert holding(data, ID, SAID, EARLIER) == {}


def test_who_is_asked_may_still_say_no(tmp_path: Path) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    with running(data) as (_, map):
        map.say("hello", session="call")
    for answer, code, there in (("n", 1, True), ("", 1, True), ("y", 0, False)):
        pid, terminal = pty.fork()
        if not pid:
            os.environ["XDG_RUNTIME_DIR"] = str(runtime)
            os.execv(sys.executable, [*COMMAND, "forget", "call", "--data", str(data)])
        shown = b""
        while b"[y/N]" not in shown:
            shown += os.read(terminal, 4096)
        assert b"call (4 events" in shown
        os.write(terminal, answer.encode() + b"\n")
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == code
        os.close(terminal)
        assert (data / key_of("call")).exists() is there


def test_where_nobody_can_be_asked_it_wants_to_be_told(tmp_path: Path) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    with running(data) as (_, map):
        map.say("hello", session="call")
    told = command(runtime, "forget", "call", "--data", str(data), code=2)
    assert "nobody can be asked here, since standard input is no terminal; say --yes to answer: Forget call" in told
    assert (data / key_of("call")).exists()


def test_an_unknown_session_is_told_with_what_is_near(tmp_path: Path) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    with running(data) as (_, map):
        for session in ("call-17", "call-18", "quite something else"):
            map.say("hello", session=session)
        map.post(f"/api/sessions/{key_of('call-18')}", {"name": "Refund of Mrs Li"})
        map.get("/api/sessions")
    for asked, near in (("cal-17", "'call-17'"), ("refund", "'call-18'"), (key_of("call-17")[:3], "no session")):
        told = command(runtime, "forget", asked, "--yes", "--data", str(data), code=1)
        assert near in told
        assert told.count("\n") == 1
    (data / "index.sqlite3").unlink()
    assert "near it: 'call-17'" in command(runtime, "forget", "call17", "--yes", "--data", str(data), code=1)
    assert "data folder" in command(runtime, "forget", "x", "--yes", "--data", str(tmp_path / "nowhere"), code=2)
    assert not (tmp_path / "nowhere").exists()


def test_a_committed_case_is_neither_forgotten_nor_pruned(tmp_path: Path, root: Path) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    shutil.copytree(root / "snapshots" / "cases", data / "cases")
    before = {path: path.read_bytes() for path in (data / "cases").rglob("*") if path.is_file()}
    assert "never" in command(runtime, "forget", "case-slot-pollution", "--yes", "--data", str(data), code=1)
    said = json.loads(command(runtime, "prune", "--keep", "1min", "--keep", "1kB", "--json", "--data", str(data)))
    assert said == {"sessions": [], "freed": 0, "stayed": {}, "left": 0}
    with running(data) as (_, map):
        key = key_of("case-slot-pollution")
        assert map.post(f"/api/sessions/{key}/forget", {})[0] == 500
        assert map.post("/api/prune", {"keep": ["1min", "1kB"]})[1]["sessions"] == []
    assert {path: path.read_bytes() for path in (data / "cases").rglob("*") if path.is_file()} == before


def test_one_that_cannot_be_read_is_forgotten_by_its_key(tmp_path: Path) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    with running(data) as (_, map):
        speak(map, ID, SAID)
        map.get("/api/sessions")
    log = data / KEY / "events.jsonl"
    log.unlink()
    log.mkdir()
    assert holding(data, ID)
    command(runtime, "forget", KEY, "--yes", "--data", str(data))
    assert holding(data, ID, SAID) == {}


def listed(made: Pipeline) -> set[str]:
    return {summary.id for summary in made.index.summaries()}


async def test_where_the_index_cannot_be_scrubbed_it_is_begun_anew_and_filled_again(tmp_path: Path) -> None:
    async with pipeline(Clock(), FileStore(tmp_path), tmp_path / "index.sqlite3") as made:
        for session in (ID, "another"):
            await say(made, [TurnStarted(turn="t", utterance=f"{SAID} to {session}")], session)
        made.showing.count()
        reader = sqlite3.connect(tmp_path / "index.sqlite3")
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM sessions").fetchall()
        made.index.file.db.execute("PRAGMA busy_timeout = 0")
        assert await made.keeping.forget(KEY) == []
        reader.close()
        assert holding(tmp_path, ID) == {}
        assert listed(made) == {"another"}


async def test_what_is_deleted_while_the_index_is_filled_is_not_listed_as_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with pipeline(Clock(), FileStore(tmp_path), tmp_path / "index.sqlite3") as made:
        await say(made, [TurnStarted(turn="t", utterance="hello")], ID)
        await made.keeping.forget(KEY)
        monkeypatch.setattr(made.index, "reconcile", lambda keys: [KEY])  # what there was when the filling began
        await made._fill_index()
        assert listed(made) == set()


@pytest.mark.parametrize("arguments", [["forget", "call", "--yes"], ["prune", "--keep", "7d"]])
def test_a_folder_that_another_process_holds_is_left_alone(tmp_path: Path, arguments: list[str]) -> None:
    data = tmp_path / "data"
    with running(data) as (_, map):
        map.say("hello", session="call")
        told = command(tmp_path / "another user's", *arguments, "--data", str(data), code=4)
        assert f"process {os.getpid()} is writing" in told
        assert told.count("\n") == 1
        assert map.get(f"/api/sessions/{key_of('call')}")["turns"] == 1


async def test_a_case_is_refused(tmp_path: Path, root: Path) -> None:
    shutil.copytree(root / "snapshots" / "cases", tmp_path / "cases")
    async with pipeline(Clock(), FileStore(tmp_path)) as made:
        with pytest.raises(StoreError, match="never removed"):
            await made.keeping.forget(key_of("case-slot-pollution"))
        with pytest.raises(UnknownSession):
            await made.keeping.forget(key_of("nobody"))
