"""The map as a process: started from the command line, found by its files, killed, interrupted, started again."""

from __future__ import annotations

import json
import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lingbot_map.store import key_of
from tests.live.server import PATIENCE, Client, wait_for

COMMAND = [sys.executable, "-m", "lingbot_web"]


class Process:
    """A ``lingbot-map serve`` of our own."""

    def __init__(self, data: Path, runtime: Path, *arguments: str, command: str = "serve") -> None:
        runtime.mkdir(exist_ok=True)
        self.runtime = runtime
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [*COMMAND, command, "--data", str(data), "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/#t=([\w-]+)", line)
        assert found, (line, self.process.stderr and self.process.stderr.read())
        self.client = Client(int(found[1]), found[2])

    def end(self, how: signal.Signals) -> tuple[int, str, str]:
        """(exit code, rest of the output, errors)"""
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


@contextmanager
def started(data: Path, runtime: Path, *arguments: str, command: str = "serve") -> Iterator[Process]:
    process = Process(data, runtime, *arguments, command=command)
    try:
        yield process
    finally:
        if process.process.poll() is None:
            process.process.kill()
            process.process.communicate()


def test_kill_9_loses_nothing_that_was_acknowledged_or_shown(tmp_path: Path) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    acked = seen = 0
    for round_number in range(3):
        with started(data, runtime) as process:
            wait_for(lambda: process.client.get("/healthz")["status"] == "ok", "recovery")
            process.client.made["calls1"] = acked
            if acked:
                frame = process.client.keyframe("call")
                turns = [
                    label
                    for label, kind in zip(frame["nodes"]["label"], frame["nodes"]["kind"], strict=True)
                    if kind == "utterance"
                ]
                assert turns == [f"turn {i}" for i in range(1, acked + 1)]
                assert frame["cursor"]["seq"] == seen
                place = ("call", frame["cursor"]["epoch"], frame["cursor"]["seq"])
            else:
                process.client.say("turn 1")
                acked = 1
                frame = process.client.keyframe("call")
                place = ("call", frame["cursor"]["epoch"], frame["cursor"]["seq"])
                seen = frame["cursor"]["seq"]
            with process.client.watch(*place) as viewer:
                assert viewer.next("hello")["resume"] is True, "a killed process tore nothing"
                for _ in range(20 + round_number):
                    acked += 1
                    assert process.client.say(f"turn {acked}")["acked"] == {"call": [[1, acked]]}
                seen += 20 + round_number
                assert viewer.seqs_to(seen)[-1] == seen
            process.end(signal.SIGKILL)
    assert acked == 64


@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_it_ends_clean_and_quick_with_viewers_watching(tmp_path: Path, how: signal.Signals, code: int) -> None:
    starting = time.monotonic()
    with started(tmp_path / "data", tmp_path / "run") as process:
        start = time.monotonic() - starting
        process.client.say("hello")
        cursor = process.client.keyframe("call")["cursor"]
        with process.client.watch("call", cursor["epoch"], cursor["seq"]) as viewer:
            viewer.next("hello")
            began = time.monotonic()
            assert process.end(how)[0] == code
            # On a machine with other work it takes longer, but so did the start, which is far more to do.
            assert time.monotonic() - began < max(5, start)
        assert list((tmp_path / "run").glob("*/*")) == [], "the files by which it was found are gone"
    with started(tmp_path / "data", tmp_path / "run") as process:
        assert process.client.keyframe("call")["cursor"] == cursor
        _, out, err = process.end(signal.SIGINT)
    assert err == ""
    assert "Traceback" not in out


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_what_the_disk_did_not_take_is_said_at_the_end(tmp_path: Path, how: signal.Signals) -> None:
    with started(tmp_path / "data", tmp_path / "run") as process:
        process.client.say("hello")
        _, hard = resource.prlimit(process.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.process.pid, resource.RLIMIT_FSIZE, (100, hard))
        for session in ("call", "other"):
            assert process.client.say("more", session=session)["acked"] == {}
        waiting = process.client.get("/api/stats")["disk"]["waiting"]
        code, _, err = process.end(how)
    assert code == 1
    (line,) = [line for line in err.splitlines() if line.startswith("lingbot-map: ")]
    assert f"{waiting} events of 2 sessions" in line
    assert str(tmp_path / "data") in line
    assert "File too large" in line


def test_it_is_found_by_two_private_files(tmp_path: Path) -> None:
    data, runtime = tmp_path / "data", tmp_path / "run"
    with started(data, runtime) as process:
        folder = runtime / f"lingbot-map-{os.getuid()}"
        assert folder.stat().st_mode & 0o777 == 0o700
        token = folder / f"{process.client.port}.token"
        assert token.stat().st_mode & 0o777 == 0o600
        assert token.read_text() == process.client.token + "\n"
        said = (folder / f"{process.client.port}.json").read_text()
        assert process.client.token not in said
        assert json.loads(said)["pid"] == process.process.pid
        for path in data.rglob("*"):
            if path.is_file():
                assert process.client.token.encode() not in path.read_bytes()


def test_the_token_is_printed_once_and_hostile_requests_print_nothing(tmp_path: Path) -> None:
    with started(tmp_path / "data", tmp_path / "run") as process:
        process.client.ask("GET", "/x%0aINFO:%20forged%1b[2J", None, {"User-Agent": "a\x1b[31mforged"})
        process.client.ask("POST", "/ingest", b"\xff\xfe", {"Content-Type": "application/json"})
        with process.client.watch() as viewer:
            viewer.next("hello")
            viewer.socket.send(b"\xff\xfe", text=True)
            with pytest.raises(Exception, match="1007"):
                viewer.socket.recv(timeout=PATIENCE)
        _, out, err = process.end(signal.SIGINT)
    assert err == ""
    assert process.client.token not in out
    assert "forged" not in out


def test_a_second_map_on_the_same_folder_says_who_has_it(tmp_path: Path) -> None:
    with started(tmp_path / "data", tmp_path / "run") as process:
        done = subprocess.run(
            [*COMMAND, "serve", "--data", str(tmp_path / "data"), "--port", "0"],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env=process.environment,
        )
    assert done.returncode == 4
    assert str(process.process.pid) in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_taken_port_is_named_with_the_way_out(tmp_path: Path) -> None:
    with started(tmp_path / "data", tmp_path / "run") as process:
        done = subprocess.run(
            [*COMMAND, "serve", "--data", str(tmp_path / "other"), "--port", str(process.client.port)],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env=process.environment,
        )
    assert done.returncode == 2
    assert "--port 0" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "other").exists()


def test_import_and_open_hand_files_to_the_map_that_serves_the_folder(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "call.jsonl"
    with started(data, tmp_path / "run") as process:
        process.client.say("hello", "again", session="to export")

        def command(*arguments: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [*COMMAND, *arguments, "--data", str(data)],
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                env=process.environment,
            )

        exported = command("export", "to export", "--out", str(file))
        assert (exported.returncode, exported.stdout) == (0, "")
        assert exported.stderr.startswith(f"written to {file}: to export as jsonl, ")
        listed = json.loads(command("sessions", "--json").stdout)
        assert [summary["id"] for summary in listed["sessions"]] == ["to export"]
        assert json.loads(command("stats", "--json").stdout)["server"] == process.client.get("/api/stats")["server"]
        assert process.client.ask("DELETE", f"/api/sessions/{key_of('to export')}")[0] == 200
        opened = command("open", str(file))
        assert opened.returncode == 0, opened.stderr
        assert opened.stdout.strip() == (
            f"http://127.0.0.1:{process.client.port}/#t={process.client.token}&s={key_of('to export')}"
        )
        summary = process.client.get(f"/api/sessions/{key_of('to export')}")
        assert (summary["turns"], summary["last_utterance"]) == (2, "again")
        calls = tmp_path / "calls.jsonl"
        told = [("none", "session_started"), ("one", "user"), ("two", "user"), ("two", "user"), ("last", "user")]
        calls.write_text("".join(json.dumps({"sender_id": a, "event": b, "text": "x"}) + "\n" for a, b in told))
        first, second = command("open", str(calls)).stdout.splitlines()
        assert "4 sessions" in first
        assert second.endswith(f"&s={key_of('two')}")
        broken = tmp_path / "broken.jsonl"
        broken.write_text("no recording")
        refused = command("import", str(broken))
        assert refused.returncode == 2
        assert "broken.jsonl" in refused.stderr


@pytest.mark.parametrize("bot", ["telecom", "ask"])
def test_the_demo_talks_until_it_is_stopped_and_leaves_nothing_open(tmp_path: Path, bot: str) -> None:
    data = tmp_path / "data"
    with started(data, tmp_path / "run", "--pace", "0.05", "--lang", "en", "--bot", bot, command="demo") as process:
        (talked, *_) = wait_for(lambda: process.client.get("/api/sessions")["sessions"], "a talk")
        assert talked["live"] is True
        body = json.dumps({"session": talked["key"], "question": "What happened in turn 1?"}).encode()
        status, text, _ = process.client.ask("POST", "/api/ask", body, {"content-type": "application/json"})
        assert status == 200
        assert (b'{"recorded":' in text) == (bot == "ask")  # a customer's bot is shown alone
        code, _, err = process.end(signal.SIGINT)
    assert (code, err) == (130, "")
    with started(data, tmp_path / "run") as process:
        sessions = wait_for(lambda: process.client.get("/api/sessions")["sessions"], "the sessions")
        open = [summary["title"] for summary in sessions if not summary["ended_at"]]
        assert open == [], "the bot was given the time to say goodbye"


def test_open_starts_a_map_where_none_serves_the_folder(tmp_path: Path) -> None:
    with started(tmp_path / "data", tmp_path / "run") as process:
        process.client.say("hello")
        process.end(signal.SIGINT)
    (recording,) = (tmp_path / "data").glob("*/events.jsonl")
    with started(tmp_path / "elsewhere", tmp_path / "run", str(recording), command="open") as process:
        wait_for(lambda: process.client.get("/healthz")["status"] == "ok", "recovery")
        assert process.client.get(f"/api/sessions/{key_of('call')}")["last_utterance"] == "hello"
        assert process.end(signal.SIGINT)[0] == 130


@pytest.mark.parametrize(("arguments", "said"), [([], ""), (["--chat"], "I want to change my plan\n")])
def test_ctrl_c_at_the_terminal_ends_the_demo_and_its_bot(tmp_path: Path, arguments: list[str], said: str) -> None:
    run = tmp_path / "run"
    run.mkdir()
    pid, terminal = pty.fork()
    if not pid:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.environ["XDG_RUNTIME_DIR"] = str(run)
        command = [*COMMAND, "demo", "--lang", "en", "--port", "0", "--data", str(tmp_path / "data"), *arguments]
        os.execv(sys.executable, command)
    shown = b""

    def read() -> bool:
        """Whether there may be more."""
        nonlocal shown
        if not select.select([terminal], [], [], 0.01)[0]:
            return True
        try:
            more = os.read(terminal, 4096)
        except OSError:  # nobody holds the other side any more
            return False
        shown += more
        return bool(more)

    try:
        if said:
            wait_for(lambda: read() and b"> " in shown, "the prompt")
            os.write(terminal, said.encode())
            wait_for(lambda: read() and shown.count(b"> ") == 2, "the answer")
        else:
            wait_for(lambda: read() and b"Ctrl-C" in shown, "the address")
        os.write(terminal, b"\x03")
        wait_for(lambda: not read(), "the end of everybody at the terminal")
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    finally:
        os.close(terminal)
    assert b"Traceback" not in shown
    recordings = list((tmp_path / "data").glob("*/events.jsonl"))
    if said:
        assert b'"reason":"customer left"' in recordings[0].read_bytes()
