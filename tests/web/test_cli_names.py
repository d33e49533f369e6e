"""Folders and files whose names are no text: each is said visibly, and none spoils another."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from tests.web.commands import Command, complaint


def test_a_line_that_names_no_folder_spoils_no_other(
    command: Command, tracker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("import", str(tracker)).returncode == 0
    lines = b"\xff\n" + b"x" * 100_000 + b"\nnu\0l\ntracker.json\nsnapshots\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines), encoding="utf-8"))
    done = command("verify", "--stdin")
    assert (done.returncode, done.stderr) == (3, "")
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["status"] for one in said] == ["refused"] * 4 + ["clean"]
    assert said[0]["folder"] == "\\xff"
    assert [said[0]["refused"], said[3]["refused"]] == ["no such folder", "not a folder"]


def test_names_in_other_encodings_are_said_visibly(command: Command, tmp_path: Path, tracker: Path) -> None:
    odd = tracker.rename(tmp_path / "\udcff.json")
    done = command("import", str(odd), "--data", "\udcfe", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    for arguments in (["stats", "--json"], ["verify", "--json"], ["sessions"], ["verify"]):
        assert command(*arguments, "--data", "\udcfe").returncode == 0
    key = json.loads(done.stdout)["sessions"][0]["key"]
    (tmp_path / "\udcfe" / key / "events.jsonl").write_bytes(b"nothing\n")
    done = command("verify", "--json", "\udcfe")
    assert done.returncode != 0
    assert "\\xfe" in json.loads(done.stdout)["folder"]
    assert command("stats", "--json", "--data", "\udcfe").returncode == 0
    assert command("verify", "\udcfe").stdout


def test_what_is_no_recording_is_called_what_it_is(command: Command, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("link")
    (tmp_path / "text").write_text("no folder")
    for name, found in (
        ("folder", "a folder without one"),
        ("pipe", "a pipe or a device"),
        ("link", "a link that leads nowhere"),
        ("gone", "nothing"),
    ):
        for said in (("import",), ("diff", str(tmp_path / "text"))):
            done = command(*said[:1], str(tmp_path / name), *said[1:])
            assert complaint(done, 2).endswith(f"its events.jsonl, found {found}\n"), said
    assert "expected a data folder, found a file" in complaint(command("sessions", "--data", str(tmp_path / "text")), 2)
    assert complaint(command("tail", str(tmp_path / "folder")), 2).endswith(
        "of an application that Burr tracks, found another folder; give the file that grows\n"
    )
