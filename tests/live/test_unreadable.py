"""A session that can't be read is listed with the reason, and no other one suffers from it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.pipeline import Glance
from lingbot_map.store import key_of
from lingbot_map.store.lines import seal
from lingbot_map.store.verify import REFUSED, examine
from tests.live.server import Client, running, wait_for

BAD, GOOD = key_of("bad"), key_of("good")


def replaced(path: Path, make: Callable[[Path], object]) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    make(path)


def log(folder: Path) -> Path:
    return folder / "events.jsonl"


HARMS: dict[str, tuple[Callable[[Path], object], str]] = {
    "folder": (lambda folder: replaced(log(folder), Path.mkdir), "a folder, not a file"),
    "pipe": (lambda folder: replaced(log(folder), os.mkfifo), "a pipe, not a file"),
    "loop": (lambda folder: replaced(log(folder), lambda path: path.symlink_to(path.name)), "a link"),
    "link": (lambda folder: replaced(log(folder), lambda path: path.symlink_to("/etc/passwd")), "a link"),
    "file for a folder": (lambda folder: replaced(folder, Path.touch), "not a folder"),
    "link for a folder": (lambda folder: replaced(folder, lambda path: path.symlink_to("/tmp")), "not a folder"),
    "newer": (
        lambda folder: log(folder).write_bytes(seal(b'{"lingbot":"recording","version":99,"session":"bad"}')),
        "version 99",
    ),
    "locked": (lambda folder: log(folder).chmod(0), "Permission denied"),
    "locked folder": (lambda folder: folder.chmod(0), "Permission denied"),
}

every_harm = pytest.mark.parametrize("harm", HARMS)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with running(tmp_path / "data") as (_, map):
        map.say("hello", session="bad")
        map.say("hello", session="good")
    return tmp_path / "data"


def harmed(folder: Path, harm: str) -> str:
    """Do it; the words that must be told."""
    do, words = HARMS[harm]
    do(folder)
    if harm.startswith("locked") and os.access(log(folder), os.R_OK):
        folder.chmod(0o700)
        pytest.skip("nothing is locked to this user")
    return words


def listed(map: Client) -> dict[str, Any]:
    return {summary["key"]: summary for summary in map.get("/api/sessions")["sessions"]}


@pytest.mark.parametrize(("harm", "index"), [*((harm, True) for harm in HARMS), ("folder", False), ("pipe", False)])
def test_it_is_listed_as_damaged_and_the_others_go_on(data: Path, harm: str, index: bool) -> None:
    words = harmed(data / BAD, harm)
    if not index:
        for path in data.glob("index.sqlite3*"):
            path.unlink()
    with running(data) as (_, map):
        wait_for(lambda: len(listed(map)) == 2, "the list")
        status, said, _ = map.ask("GET", f"/api/sessions/{BAD}/keyframe")
        assert status == 409
        assert words in said["error"]
        found = listed(map)
        assert words in found[BAD]["damaged"]
        assert (found[BAD]["live"], found[GOOD]["damaged"]) == (False, "")
        assert words in "\n".join(map.get("/api/stats")["disk"]["damage"])
        for rest in ("/events", "/deltas/0", "/keyframe?at=1", "/export"):
            assert map.ask("GET", f"/api/sessions/{BAD}{rest}")[0] == 409
        map.made["goods1"] = 1
        assert map.say("again", session="good")["acked"] == {"good": [[1, 2]]}
        answer = map.say("again", session="bad")
        assert (answer["acked"], [r["session"] for r in answer["refused"]]) == ({}, ["bad"])
        assert words in answer["refused"][0]["why"]


@every_harm
def test_who_only_looks_sees_it_too(data: Path, harm: str) -> None:
    words = harmed(data / BAD, harm)
    page = {summary.key: summary for summary in Glance(data).search().sessions}
    assert words in page[BAD].damaged
    assert page[GOOD].damaged == ""
    assert words in "\n".join(Glance(data).stats()["disk"]["damage"])


@every_harm
@pytest.mark.parametrize("repair", [False, True])
def test_verify_names_it(data: Path, harm: str, repair: bool) -> None:
    words = harmed(data / BAD, harm)
    report = examine(data, repair=repair)
    found = {session.key: session for session in report.sessions}
    assert (found[BAD].status, found[GOOD].status, report.exit_code) == ("refused", "clean", REFUSED)
    assert words in found[BAD].refused


def test_it_comes_back_when_it_can_be_read_again(data: Path) -> None:
    kept = log(data / BAD).read_bytes()
    harmed(data / BAD, "folder")
    with running(data) as (_, map):
        map.ask("GET", f"/api/sessions/{BAD}")
        assert map.ask("GET", f"/api/sessions/{BAD}/keyframe")[0] == 409
    replaced(log(data / BAD), lambda path: path.write_bytes(kept))
    with running(data) as (_, map):
        wait_for(lambda: listed(map)[BAD]["damaged"] == "", "the list")
        assert map.get(f"/api/sessions/{BAD}")["last_utterance"] == "hello"


@pytest.mark.parametrize("harm", ["folder", "pipe", "loop", "file for a folder", "link for a folder"])
def test_it_can_be_deleted(data: Path, harm: str) -> None:
    harmed(data / BAD, harm)
    with running(data) as (_, map):
        assert map.ask("DELETE", f"/api/sessions/{BAD}")[0] == 200
        assert list(listed(map)) == [GOOD]
        assert map.say("again", session="bad")["acked"] == {"bad": [[1, 1]]}
    assert not list(data.glob("deleted-*"))
    assert Path("/tmp").is_dir()


def test_a_damaged_case_hides_neither_itself_nor_the_others(data: Path, root: Path) -> None:
    shutil.copytree(root / "snapshots" / "cases", data / "cases")
    (first, *others) = sorted(path for path in (data / "cases").iterdir() if path.is_dir())
    replaced(log(first), Path.mkdir)
    with running(data) as (_, map):
        wait_for(lambda: len(listed(map)) == 3 + len(others), "the list")
        damaged = [summary for summary in listed(map).values() if summary["damaged"]]
        assert [first.name in summary["damaged"] for summary in damaged] == [True]
        assert map.ask("DELETE", f"/api/sessions/{damaged[0]['key']}")[0] >= 400
    assert first.is_dir()
    report = examine(data)
    assert [session.status for session in report.sessions].count("refused") == 1
    json.loads(report.as_json())
