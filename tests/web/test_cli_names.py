"""Folders and files whose names are no text: each is said visibly, and none spoils another."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.web.commands import Command


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
