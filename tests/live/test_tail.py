"""What grows is on the map within a second, once, whatever happens to the file, the map or the one who follows."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.errors import BadInput
from lingbot_map.store import key_of
from lingbot_web.cli_tail import tail
from lingbot_web.courier import Courier
from lingbot_web.running import Serving
from lingbot_web.tail_file import GrowingFile
from lingbot_web.tail_sqlite import GrowingTable, database_path
from lingbot_web.tailing import Growing, Note, Tail, Wish
from tests.live.server import PATIENCE, Client, running, wait_for
from tests.live.test_process import started
from tests.samples.imports import opened

Event = dict[str, Any]


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))


def said(text: str, sender: str = "a", at: float | None = None) -> Event:
    at = time.time() if at is None else at
    return {"sender_id": sender, "event": "user", "text": text, "parse_data": {}, "timestamp": at}


def write(path: Path, *records: Event | str, mode: str = "a") -> None:
    with path.open(mode, encoding="utf-8") as file:
        for record in records:
            file.write(record if type(record) is str else json.dumps(record) + "\n")


class Following:
    """A tail in a thread; ``notes`` is what it said."""

    def __init__(self, growing: Growing, find: Callable[[], tuple[str, str] | None], **wish: Any) -> None:
        self.notes: list[str] = []
        self.courier = Courier("tail", find, self.notes.append)
        what = str(getattr(growing, "path", "queue"))
        self.tail = Tail(Wish(what=what, **wish), growing, self.courier, Note(what, "map"), self.notes.append)
        self.thread = threading.Thread(target=self.tail.run)

    def end(self) -> None:
        self.courier.stop.set()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


@contextmanager
def following(growing: Growing, map: Serving | Callable[[], Any], **wish: Any) -> Iterator[Following]:
    one = Following(growing, (lambda: (map.base, map.token)) if isinstance(map, Serving) else map, **wish)
    one.thread.start()
    try:
        yield one
    finally:
        one.end()


def utterances(client: Client, session: str = "a") -> list[str]:
    """What was said, in the order of the map."""
    status, frame, _ = client.ask("GET", f"/api/sessions/{key_of(session)}/keyframe")
    if status == 404:
        return []
    nodes = frame["nodes"]
    return [label for label, kind in zip(nodes["label"], nodes["kind"], strict=True) if kind == "utterance"]


def test_a_line_is_on_the_map_within_a_second(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    with running() as (map, client), following(GrowingFile(path), map) as one:
        wait_for(lambda: one.notes, "a note that the file is not there")
        assert "not there yet" in one.notes[0]
        write(path, said("first"))
        wait_for(lambda: utterances(client) == ["first"])
        took, sent = [], []
        for number in range(5):
            write(path, said(f"more {number}"))
            begun = time.monotonic()
            wait_for(lambda number=number: utterances(client)[-1] == f"more {number}")  # type: ignore[misc]
            took.append(time.monotonic() - begun)
            # The same without a file between, on the same machine with the same other work.
            begun = time.monotonic()
            client.say(f"at once {number}", session="beside")
            wait_for(lambda number=number: utterances(client, "beside")[-1:] == [f"at once {number}"])  # type: ignore[misc]
            sent.append(time.monotonic() - begun)
        print(
            f"a line was on the map after {sorted(took)[2] * 1000:.0f} ms (median), {max(took) * 1000:.0f} ms at most"
        )
        assert sorted(took)[2] < 1.0 + sorted(sent)[2]
        assert one.tail.format == "rasa"


def test_a_second_run_sends_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    write(path, said("one"), said("two"), said("three", "b"))
    with running() as (map, client):
        seqs = []
        for _ in range(2):
            with following(GrowingFile(path), map, once=True) as one:
                one.thread.join(PATIENCE)
            assert one.courier.events == 5
            seqs.append(client.keyframe("a")["cursor"]["seq"])
        assert seqs[0] == seqs[1]
        assert utterances(client) == ["one", "two"]
        write(path, said("four"))
        with following(GrowingFile(path), map, once=True) as one:
            one.thread.join(PATIENCE)
        assert utterances(client) == ["one", "two", "four"]
        assert client.get("/api/stats")["sources"][0]["missing"] == 0


def test_half_a_line_waits_for_its_end_and_a_bad_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    whole = json.dumps(said("halved"))
    with running() as (map, client), following(GrowingFile(path), map) as one:
        write(path, said("one"), whole[:20])
        wait_for(lambda: utterances(client) == ["one"])
        write(path, whole[20:])  # no end, and whole all the same
        wait_for(lambda: utterances(client) == ["one", "halved"])
        write(path, "\n", "{broken\n", "7\n", "\n", said("after"))
        wait_for(lambda: utterances(client) == ["one", "halved", "after"])
        assert one.tail.bad == 2
        assert any(note.startswith("events.jsonl line 3: not JSON") for note in one.notes)
        assert any(note.startswith("events.jsonl line 4: expected an object") for note in one.notes)
    assert "2 records could not be read" in one.tail.summary()


def test_a_file_that_is_cut_or_replaced_is_followed_and_a_later_run_repeats_nothing(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    write(path, said("one"), said("two"))
    with running() as (map, client):
        with following(GrowingFile(path), map) as one:
            wait_for(lambda: utterances(client) == ["one", "two"])
            path.rename(tmp_path / "events.jsonl.1")
            write(tmp_path / "events.jsonl.1", said("last of the old"))
            wait_for(lambda: utterances(client)[-1] == "last of the old")
            write(path, said("first of the new"))
            wait_for(lambda: utterances(client)[-1] == "first of the new")
            assert any("was replaced" in note for note in one.notes)
            write(path, said("after the cut"), mode="w")
            wait_for(lambda: utterances(client)[-1] == "after the cut")
            assert any("was cut" in note for note in one.notes)
        so_far = ["one", "two", "last of the old", "first of the new", "after the cut"]
        assert utterances(client) == so_far
        write(path, said("while nobody followed"))
        with following(GrowingFile(path), map):
            wait_for(lambda: utterances(client)[-1] == "while nobody followed")
            write(path, said("and on"))
            wait_for(lambda: utterances(client)[-1] == "and on")
        path.rename(tmp_path / "events.jsonl.2")
        write(path, said("replaced while nobody followed"))
        with following(GrowingFile(path), map, once=True) as one:
            one.thread.join(PATIENCE)
        assert utterances(client) == [*so_far, "while nobody followed", "and on", "replaced while nobody followed"]
        assert client.get("/api/stats")["sources"][0]["missing"] == 0


@pytest.mark.parametrize("left", [True, False], ids=["old file there", "old file gone"])
def test_nothing_is_lost_or_doubled_when_it_is_killed_and_the_file_replaced(tmp_path: Path, left: bool) -> None:
    path = tmp_path / "events.jsonl"
    write(path, said("one"))
    with running() as (map, client):
        with following(GrowingFile(path), map) as one:
            wait_for(lambda: utterances(client) == ["one"])
            one.tail._keep()
            one.tail._keep = lambda **_: None  # type: ignore[method-assign]  # what was sent after the last note ...
            write(path, said("two"), said("three"))
            wait_for(lambda: utterances(client) == ["one", "two", "three"])  # ... and then it is killed
        write(path, said("unread"))
        path.rename(tmp_path / "events.jsonl.1")
        write(path, said("in the new file"))
        if not left:
            (tmp_path / "events.jsonl.1").unlink()
        with following(GrowingFile(path), map):
            wait_for(lambda: utterances(client)[-1] == "in the new file")
        between = ["unread"] if left else []
        assert utterances(client) == ["one", "two", "three", *between, "in the new file"]
        assert {source["missing"] for source in client.get("/api/stats")["sources"]} == {0}


def test_from_the_end_only_what_comes_is_sent_and_the_rest_can_follow(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    write(path, said("old"), said("older"))
    with running() as (map, client):
        with following(GrowingFile(path), map, from_end=True) as one:
            wait_for(lambda: one.tail.format == "rasa" and not one.tail._passing)
            write(path, said("new"))
            wait_for(lambda: utterances(client) == ["new"])
        with following(GrowingFile(path), map, once=True) as one:
            one.thread.join(PATIENCE)
        wait_for(lambda: sorted(utterances(client)) == ["new", "old", "older"])


def test_it_goes_on_when_the_map_is_started_again_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    maps: list[Serving] = []

    def find() -> tuple[str, str] | None:
        return (maps[-1].base, maps[-1].token) if maps else None

    with following(GrowingFile(path), find) as one:
        write(path, said("before there is a map"))
        wait_for(lambda: one.notes and "no map serves" in one.notes[-1])
        with running(tmp_path / "data") as (map, client):
            maps.append(map)
            wait_for(lambda: utterances(client) == ["before there is a map"])
        write(path, said("while it was away"))
        wait_for(lambda: "waiting for the map" in one.notes[-1])
        with running(tmp_path / "data") as (map, client):
            maps.append(map)
            wait_for(lambda: utterances(client) == ["before there is a map", "while it was away"])
            # It is said when the answer has come; the map shows what came before it answers.
            wait_for(lambda: one.notes[-1] == "the map is there again")


def test_what_is_sent_is_masked_as_a_probe_does(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    write(path, said("my card is 4111 1111 1111 1111", "13800138000"))
    with running() as (map, client), following(GrowingFile(path), map, once=True) as one:
        one.thread.join(PATIENCE)
        (session,) = client.get("/api/sessions")["sessions"]
        assert session["id"].startswith("[phone:")
        assert utterances(client, session["id"])[0].startswith("my card is [card:")
        assert one.courier.events == 2


class Store:
    """A tracker store as Rasa's SQLAlchemy makes it."""

    def __init__(self, path: Path, journal: str) -> None:
        self.database = sqlite3.connect(path)
        self.database.execute(f"PRAGMA journal_mode={journal}")
        self.database.execute(
            "CREATE TABLE events (id INTEGER NOT NULL PRIMARY KEY, sender_id VARCHAR(255) NOT NULL, type_name "
            "VARCHAR(255) NOT NULL, timestamp FLOAT, intent_name VARCHAR(255), action_name VARCHAR(255), data TEXT)"
        )
        self.database.commit()

    def save(self, *events: Event) -> None:
        for event in events:
            data = {name: value for name, value in event.items() if name != "sender_id"}
            row = (event["sender_id"], event["event"], event["timestamp"], json.dumps(data))
            self.database.execute("INSERT INTO events (sender_id, type_name, timestamp, data) VALUES (?, ?, ?, ?)", row)
        self.database.commit()


@pytest.mark.parametrize("journal", ["delete", "wal"])
def test_a_tracker_store_is_followed_while_it_is_written(tmp_path: Path, journal: str) -> None:
    path = tmp_path / "rasa.db"
    with running() as (map, client), following(GrowingTable(path), map, format="rasa") as one:
        store = Store(path, journal)
        with closing(store.database):
            store.save(said("one"), said("hi", "b"))
            wait_for(lambda: utterances(client) == ["one"])
            store.database.execute("INSERT INTO events (sender_id, type_name, data) VALUES ('a', 'x', 'no json')")
            store.save(said("two"))
            wait_for(lambda: utterances(client) == ["one", "two"])
            assert any(note.startswith("rasa.db table events row 3: not JSON") for note in one.notes)
            before = client.keyframe("a")["cursor"]["seq"]
            with following(GrowingTable(path), map, format="rasa", once=True) as again:
                again.thread.join(PATIENCE)
            assert client.keyframe("a")["cursor"]["seq"] == before
            assert again.courier.events > 0


def test_a_row_in_the_journal_alone_is_imported_too(tmp_path: Path) -> None:
    path = tmp_path / "rasa.db"
    store = Store(path, "wal")
    with closing(store.database):
        store.save(said("one"))
        assert [session.session.session_id for session in opened(path)] == ["a"]


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE things (id INTEGER)")
    with pytest.raises(BadInput, match="a table of Rasa events"):
        GrowingTable(tmp_path / "other.db")
    with pytest.raises(BadInput, match="sqlite:///FILE"):
        database_path("sqlite://")


@contextmanager
def command(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "lingbot_web", "tail", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def test_ctrl_c_ends_it_whether_the_map_is_its_own_or_not(tmp_path: Path) -> None:
    path, data = tmp_path / "events.jsonl", tmp_path / "data"
    write(path, said("one"))
    with started(data, tmp_path / "run") as map:
        wait_for(lambda: map.client.get("/healthz")["status"] == "ok", "recovery")
        with command(str(path), "--data", str(data)) as process:
            assert process.stdout is not None
            assert str(map.client.port) in process.stdout.readline()
            wait_for(lambda: utterances(map.client) == ["one"])
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=PATIENCE)
            assert (process.returncode, err) == (130, "2 events of 1 session sent\n")
    (tmp_path / "run").mkdir(exist_ok=True)
    with command(str(path), "--data", str(data), "--port", "0") as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Following"):
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, (out, err)
        assert "Traceback" not in err
        assert " sent" in err


def test_once_ends_by_itself_and_a_mistake_is_said_in_a_line(tmp_path: Path) -> None:
    path, data = tmp_path / "events.jsonl", tmp_path / "data"
    (tmp_path / "run").mkdir()
    write(path, said("one"))
    with command(str(path), "--data", str(data), "--port", "0", "--once") as process:
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err) == (0, "2 events of 1 session sent\n"), out
    write(tmp_path / "other.jsonl", '{"something": "else"}\n')
    with command(str(tmp_path / "other.jsonl"), "--data", str(data), "--port", "0", "--once") as process:
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 2
        assert err.startswith("lingbot-map: ")
        assert err.count("\n") == 1
    with command(str(tmp_path / "none.jsonl"), "--data", str(data), "--port", "0", "--once") as process:
        _, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, err.count("\n")) == (2, 1), err
    with pytest.raises(BadInput, match="sqlite:///FILE or amqp://HOST"):
        tail("kafka://host")
