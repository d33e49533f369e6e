"""The command line as people use it: one line when something is wrong, and the exit code that belongs to it."""

from __future__ import annotations

import asyncio
import io
import json
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lingbot_map.events import EpochStarted, Event
from lingbot_map.pipeline import Pipeline
from lingbot_map.store.files import FileStore
from lingbot_map.store.lines import event_line, header_line
from lingbot_probes.signals import SessionEnded
from lingbot_web.address import Address
from lingbot_web.beacon import Beacon, token_file
from lingbot_web.cli_serving import _announcing
from lingbot_web.command import main
from lingbot_web.terminal import size, visible
from tests.web.commands import TRACKER, Command, Done, complaint


def test_help_says_what_there_is_and_each_command_gives_an_example(command: Command, tmp_path: Path) -> None:
    done = command()
    assert done.returncode == 0
    for name in ("serve", "open", "import", "export", "sessions", "verify", "demo", "stats"):
        assert f"\n  {name} " in done.stdout
        said = command(name, "-h")
        assert said.returncode == 0
        assert f"Example: lingbot-map {name}" in said.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["serve", "--nothing"],
        ["serve", "--port", "x"],
        ["serve", "--fsync", "never"],
        ["serve", "--host", "0.0.0.0"],
        ["serve", "--host", "192.0.2.1", "--allow-remote"],
        ["serve", "--host", "nowhere.invalid", "--allow-remote", "--insecure-remote"],
        ["serve", "--tls-cert", "x.pem"],
        ["serve", "--tls-cert", "x.pem", "--tls-key", "x.pem"],
        ["serve", "--port", "65536"],
        ["serve", "--port", "-1"],
        ["serve", "--public-url", "map.example.org", "--port", "0"],
        ["serve", "--public-url", "http://[::1"],
        ["serve", "--public-url", "http://\udcff/"],
        ["serve", "--public-url", "http://a:99999/"],
        ["serve", "--public-url", "http://a..b/"],
        ["serve", "--host", "\udcff"],
        ["serve", "--host", "a..b", "--allow-remote", "--insecure-remote"],
        ["serve", "--host", "a" * 64, "--allow-remote", "--insecure-remote"],
        ["serve", "--host", ""],
        ["serve", "--reply-host", "http://x/"],
        ["serve", "--reply-host", "x:80"],
        ["serve", "--reply-host", "\udcff"],
        ["serve", "--fsync", "\udcff"],
        ["sessions", "\udcff"],
        ["sessions", "--limit", "\udcff"],
        ["export", "\udcff"],
        ["export", "x", "--to", "\udcff"],
        ["export", "x", "--lang", "\udcff"],
        ["demo", "--lang", "\udcff"],
        ["import", "\udcff"],
        ["verify", "\udcff"],
        ["verify", "--json", "\udcff"],
        ["stats", "--data", "\udcff"],
        ["import", "nothing.json"],
        ["import", "."],
        ["open"],
        ["sessions", "--data", "nothing"],
        ["stats", "--data", "nothing"],
        ["demo", "--lang", "fr"],
    ],
)
def test_a_mistake_is_one_line_and_2(command: Command, tmp_path: Path, arguments: list[str]) -> None:
    complaint(command(*arguments), 2)
    assert not (tmp_path / "snapshots" / "lock").exists()


def test_an_open_door_needs_two_words(command: Command, tmp_path: Path) -> None:
    assert "--allow-remote" in complaint(command("serve", "--host", "0.0.0.0"), 2)
    assert "--insecure-remote" in complaint(command("serve", "--host", "0.0.0.0", "--allow-remote"), 2)


def test_a_recording_goes_in_is_listed_and_comes_out_again(command: Command, tmp_path: Path, tracker: Path) -> None:
    first = command("import", str(tracker), "--json")
    assert (first.returncode, first.stderr) == (0, "")
    (session,) = json.loads(first.stdout)["sessions"]
    again = command("import", str(tracker))
    assert again.returncode == 0
    assert "nothing new" in again.stdout
    listed = command("sessions")
    assert listed.returncode == 0
    assert session["key"][:12] in listed.stdout
    assert "北京" not in listed.stdout
    page = json.loads(command("sessions", "--json").stdout)
    assert (page["total"], page["sessions"][0]["id"]) == (1, TRACKER["sender_id"])
    assert command("sessions", "nowhere", "--json").stdout.count('"total": 0') == 1
    none = command("sessions", "nowhere")
    assert (none.returncode, none.stdout) == (0, "")
    assert none.stderr == "no session matches 'nowhere'; without words `lingbot-map sessions` lists all\n"

    out = tmp_path / "out.jsonl"
    written = command("export", session["key"][:6], "--out", str(out))
    assert (written.returncode, written.stdout) == (0, "")
    id = visible(str(TRACKER["sender_id"]))
    assert written.stderr == f"written to {out}: {id} as jsonl, {size(out.stat().st_size)}\n"
    piped = command("export", str(TRACKER["sender_id"]))
    assert piped.stdout == out.read_text()
    assert len(out.read_text().splitlines()) == session["events"] + 1
    other = command("import", str(out), "--data", "other")
    assert other.returncode == 0, other.stderr
    assert json.loads(command("verify", "other", "--json").stdout)


def test_a_recording_s_folder_stands_for_its_log(command: Command, tracker: Path) -> None:
    command("import", str(tracker))
    (folder,) = [path.parent for path in Path("snapshots").glob("*/events.jsonl")]
    done = command("import", str(folder), "--data", "other")
    assert done.returncode == 0, done.stderr
    listed = [json.loads(command("sessions", "--json", "--data", data).stdout) for data in ("snapshots", "other")]
    assert listed[0]["sessions"][0]["turns"] == listed[1]["sessions"][0]["turns"] > 0


def test_foreign_text_commands_no_terminal(command: Command, tmp_path: Path, tracker: Path) -> None:
    for done in (command("import", str(tracker)), command("sessions")):
        assert done.returncode == 0
        assert "退款" in done.stdout
        assert not set("\x1b\u202e") & set(done.stdout + done.stderr)
        assert r"\x1b[31m\u202e" in done.stdout
    bad = tmp_path / "\x1b[2Jx.json"
    bad.write_text("no recording")
    assert "\x1b" not in complaint(command("import", str(bad)), 2)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("退款 αβ é ok", "退款 αβ é ok"),
        ("a\u3000b", "a\u3000b"),
        ("a\nb\tc\x00", r"a\nb\tc\x00"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202e\u2066\u200b\ufeff", r"\u202e\u2066\u200b\ufeff"),
        ("\u2028\ud800", r"\u2028\ud800"),
        ("a\udcffb", r"a\xffb"),
    ],
)
def test_what_can_not_be_seen_is_written_out(text: str, seen: str) -> None:
    assert visible(text) == seen


@pytest.mark.parametrize("content", ["", "no recording", "{", "[]", '{"a": 1}', "\x00"])
def test_an_unknown_file_says_which_formats_were_tried_and_changes_nothing(
    command: Command, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    assert "x.json" in complaint(command("import", str(path)), 2)
    assert json.loads(command("sessions", "--json").stdout)["total"] == 0


def test_a_recording_of_a_newer_version_is_refused_as_any_other_file(command: Command, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(
        '{"lingbot":"recording","version":99,"session":"s"}\n{"seq":1,"at":1,"signal":{}}\n'
    )
    assert "format version 99" in complaint(command("import", "x.jsonl"), 2)
    assert command("sessions", "--json").returncode == 0
    assert json.loads(command("sessions", "--json").stdout)["total"] == 0


def test_verify_reads_folders_from_its_input(command: Command, tracker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert command("import", str(tracker)).returncode == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("snapshots\nsnapshots\n"))
    done = command("verify", "--stdin")
    assert done.returncode == 0
    first, second = (json.loads(line) for line in done.stdout.splitlines())
    assert first == second
    assert first["status"] == "clean"


def test_export_names_what_it_does_not_find(command: Command, tmp_path: Path, tracker: Path) -> None:
    assert command("import", str(tracker)).returncode == 0
    assert "nobody" in complaint(command("export", "nobody"), 1)
    for line, said in (
        ("x --to xls", "jsonl or html or csv"),
        ("x --to jsonl --at 1", "another --to beside it"),
        ("x --to csv --lang fr", "zh or en"),
        ("rasa --to html --at 99", "rasa"),
    ):
        assert said in complaint(command("export", *line.split()), 1 if "rasa" in line else 2)
    key = json.loads(command("sessions", "--json").stdout)["sessions"][0]["key"]
    assert "a seq from 1 to" in complaint(command("export", key[:8], "--to", "html", "--at", "0"), 2)


def test_an_export_goes_to_a_file_or_to_standard_output(command: Command, tmp_path: Path, tracker: Path) -> None:
    assert command("import", str(tracker)).returncode == 0
    key = json.loads(command("sessions", "--json").stdout)["sessions"][0]["key"]
    for to, begin in (("html", "<!doctype html>"), ("csv", "\ufeffturn,"), ("jsonl", "{")):
        out = tmp_path / f"out.{to}"
        assert command("export", key, "--to", to, "--out", str(out)).returncode == 0
        content = out.read_bytes().decode()
        assert content.startswith(begin)
        assert "北京" in content
        for arguments in ((), ("--out", "-")):
            done = command("export", key, "--to", to, *arguments)
            assert (done.returncode, done.stderr) == (0, "")
            assert done.stdout == content


def test_a_reader_that_leaves_is_no_error(command: Command, tmp_path: Path, tracker: Path) -> None:
    assert command("import", str(tracker)).returncode == 0
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path / "run")}
    line = f"{sys.executable} -m lingbot_web sessions --json | true"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=60)
    assert done.stderr == ""


@pytest.mark.parametrize(
    "arguments", ["sessions", "sessions --json", "export 'rasa \x1b[31m\u202e退款'", "sessions -h"]
)
def test_a_reader_that_has_gone_is_success(tmp_path: Path, command: Command, tracker: Path, arguments: str) -> None:
    assert command("import", str(tracker)).returncode == 0
    reading, writing = os.pipe()
    os.close(reading)
    try:
        line = f"exec {sys.executable} -m lingbot_web {arguments}"
        done = subprocess.run(line, shell=True, stdout=writing, stderr=subprocess.PIPE, cwd=tmp_path, timeout=60)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_terminal_without_chinese_gets_escapes_and_json_stays_json(
    tmp_path: Path, command: Command, tracker: Path
) -> None:
    assert command("import", str(tracker)).returncode == 0
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "XDG_RUNTIME_DIR": str(tmp_path / "run")}

    def listed(*options: str) -> subprocess.CompletedProcess[bytes]:
        line = [sys.executable, "-m", "lingbot_web", "sessions", *options]
        return subprocess.run(line, capture_output=True, cwd=tmp_path, env=environment, timeout=60)

    table = listed()
    assert (table.returncode, table.stderr) == (0, b"")
    assert b"\\u9000\\u6b3e" in table.stdout
    assert json.loads(listed("--json").stdout)["sessions"][0]["id"].endswith("退款")


def test_verify_does_not_mend_what_another_process_writes(command: Command, tmp_path: Path, tracker: Path) -> None:
    assert command("import", str(tracker)).returncode == 0
    store = FileStore(tmp_path / "snapshots")
    try:
        assert command("verify").returncode == 0
        busy = command("verify", "--repair")
        assert busy.returncode == 4
        what = f"process {os.getpid()} is writing this data folder; stop it or choose another with --data"
        assert busy.stdout == f"{tmp_path / 'snapshots'}: {what}\n"
    finally:
        store.close()


def test_verify_takes_its_folder_as_all_commands_do(command: Command, tmp_path: Path, tracker: Path) -> None:
    assert command("import", str(tracker), "--data", "there").returncode == 0
    for arguments in (("--data", "there"), ("there",), ("there", "--data", "there")):
        done = command("verify", *arguments)
        assert (done.returncode, done.stdout) == (0, "there: 1 of 1 sessions clean, 9 events read\n")
    assert "--data" in complaint(command("verify", "there", "--data", "elsewhere"), 2)
    for name, said in (
        ("nowhere", "no such folder"),
        ("tracker.json", "not a folder"),
        ("bare", "without any recording"),
    ):
        (tmp_path / "bare").mkdir(exist_ok=True)
        assert said in complaint(command("verify", name), 2)
        assert said in complaint(command("verify", "--json", "--data", name), 2)


def test_the_books_of_an_import_balance(command: Command, tmp_path: Path, tracker: Path) -> None:
    async def taken() -> list[dict[str, Any]]:
        pipeline = Pipeline.of_folder(tmp_path / "data")
        await pipeline.start()
        await pipeline.settled()
        for _ in range(2):
            await pipeline.import_file(tracker)
        await pipeline.stop()
        return pipeline.books.report()

    (books,) = asyncio.run(taken())
    assert books["produced"] == books["accepted"] + books["missing"] + books["refused"] > 0
    assert books["held"] == 0
    assert books["repeated"] == books["accepted"]


def test_an_import_that_the_disk_refuses_is_no_success(
    command: Command, tracker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(fd: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("lingbot_map.store.appender.write_all", full)
    assert "No space left" in complaint(command("import", str(tracker)), 1)


def test_ctrl_c_while_the_parts_are_loaded_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    class Loading(ModuleType):
        def __getattr__(self, name: str) -> Any:
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "lingbot_web.cli", Loading("lingbot_web.cli"))
    assert main() == 130


def test_without_the_server_parts_one_line_says_what_to_install(tmp_path: Path) -> None:
    # A module of this name that can't be imported stands for one that isn't installed.
    code = "import sys; sys.modules['rich'] = None; from lingbot_web.command import main; sys.exit(main())"
    arguments = [sys.executable, "-c", code, "serve"]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60, cwd=tmp_path)
    said = complaint(Done(done.returncode, done.stdout, done.stderr), 1)
    assert "pip install '.[server]' in a checkout" in said
    assert "pip install 'lingbot-map[server]' from an index" in said


def test_a_copy_under_another_name_is_said(command: Command, tmp_path: Path) -> None:
    def log(name: str, epoch: str) -> Path:
        event = Event(session="call", seq=1, at=1.7e9, signal=EpochStarted(epoch=epoch))
        end = Event(session="call", seq=2, at=1.7e9, source="s", n=1, signal=SessionEnded())
        path = tmp_path / name
        path.write_bytes(header_line("call") + event_line(event) + event_line(end))
        return path

    first = command("import", str(log("one.jsonl", "one")))
    assert "  call  2 events, 2 new\n" in first.stdout
    assert first.stderr == ""
    assert "  call  2 events, nothing new\n" in command("import", str(tmp_path / "one.jsonl")).stdout
    other = command("import", str(log("two.jsonl", "two")))
    assert "  call~" in other.stdout
    assert "the call that is here is another recording; this one is now call~" in other.stderr
    assert json.loads(command("sessions", "--json").stdout)["total"] == 2


def test_the_version_is_told(command: Command) -> None:
    done = command("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"lingbot-map {version('lingbot-map')}\n", "")
    assert "See what a chatbot does while it talks" in command("--help").stdout


@pytest.mark.parametrize(
    ("address", "port", "said"),
    [
        (Address(), 8700, "Probes on this machine find it by themselves."),
        (Address(host="0.0.0.0"), 8700, "Probes on this machine find it by themselves."),
        (Address(), 8701, "Probes on this machine find it with LINGBOT_ENDPOINT=http://127.0.0.1:8701"),
        (
            Address(public_urls=("https://map.example.org/",)),
            8800,
            "Probes on this machine find it with LINGBOT_ENDPOINT=http://127.0.0.1:8800",
        ),
    ],
)
def test_what_a_probe_needs_to_find_the_map_is_said(
    address: Address, port: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _announcing(address, port)(Beacon("http://x/", "hush", "data", 1))
    lines = capsys.readouterr().out.splitlines()
    assert said in lines
    assert f"          OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:{port}/v1/traces" in lines
    headers = f'          OTEL_EXPORTER_OTLP_TRACES_HEADERS="Authorization=Bearer%20$(cat {token_file(port)})"'
    assert headers in lines
    assert "\n".join(lines).count("hush") == 1, "the token is printed once, in the address"


def test_a_document_that_is_no_recording_is_not_blamed_for_its_lines(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "package.json"
    path.write_text(json.dumps({"name": "x", "version": "1.0.0", "scripts": {"a": "b"}}, indent=2))
    said = complaint(command("import", str(path)), 2)
    assert "a JSON object that holds no list of events" in said
    assert "line 1" not in said
