"""`lingbot-map verify`: what it says of a folder, to people and to programs, and that it changes nothing unasked."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from lingbot_map import codec
from lingbot_map.policy import Policy
from lingbot_map.session import Session
from lingbot_map.store import key_of
from lingbot_map.store.files import FileStore
from lingbot_map.store.lines import seal
from lingbot_map.store.verify import DAMAGED, REFUSED, examine, shown, verify, verify_stream
from tests.torture.write import BEGIN, SESSION, event_of

NAMES = (SESSION, "一个会话\x1b[31m", "third")


def fill(folder: Path) -> None:
    store = FileStore(folder)
    for name in NAMES:
        session = Session.create(store, name, policy=Policy(), facts={}, now=BEGIN)
        for seq in range(4, 60):
            session.apply([event_of(seq)])
        session.snapshot(BEGIN)
    store.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fill(tmp_path / "data")
    return tmp_path / "data"


def state(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", ["as it is", "cases/named", "cases/" + key_of(NAMES[1])])
def test_the_folder_of_one_session_can_be_looked_at_alone(folder: Path, name: str) -> None:
    one = folder / key_of(NAMES[1])
    if name != "as it is":
        (folder / "cases").mkdir()
        one = one.rename(folder / name)
    (session,) = examine(one).sessions
    assert (session.id, session.status, len(session.events)) == (NAMES[1], "clean", 59)
    (one / "events.jsonl").write_bytes((one / "events.jsonl").read_bytes()[:-9])
    report = examine(one)
    assert ([session.status for session in report.sessions], report.exit_code) == (["damaged"], DAMAGED)
    before = state(folder)
    report = examine(one, repair=True)
    if name == "as it is":
        assert (report.status, examine(one).status) == ("repaired", "clean")
        assert examine(folder).status == "clean"
    else:
        assert (report.status, state(folder) == before) == ("damaged", True)


def damage(folder: Path, name: str = NAMES[1]) -> Path:
    log = folder / key_of(name) / "events.jsonl"
    lines = log.read_bytes().splitlines(keepends=True)
    lines[20] = lines[20].replace(b"17", b"18", 1)
    log.write_bytes(b"".join(lines))
    return log


def test_a_healthy_folder_is_clean_and_untouched(folder: Path) -> None:
    before = state(folder)
    out = io.StringIO()
    assert verify([folder], out) == 0
    assert "3 of 3 sessions clean, 177 events read" in out.getvalue()
    assert state(folder) == before


def test_damage_is_named_by_file_and_line_and_left_unless_asked(folder: Path) -> None:
    log = damage(folder)
    before = state(folder)
    out = io.StringIO()
    assert verify([folder], out) == DAMAGED
    text = out.getvalue()
    assert f"{log} line 21: checksum does not fit" in text
    assert "events 20 to 20 are lost" in text
    assert "2 of 3 sessions clean" in text
    assert state(folder) == before


def test_foreign_names_do_not_reach_the_terminal_as_they_are(folder: Path) -> None:
    damage(folder)
    out = io.StringIO()
    verify([folder], out)
    assert "一个会话\\u001b[31m" in out.getvalue()
    assert "\x1b" not in out.getvalue()
    assert shown("a\u202eb\n") == "a\\u202eb\\u000a"


def test_repair_mends_once_and_the_second_look_is_clean(folder: Path) -> None:
    damage(folder)
    first = examine(folder, repair=True)
    assert (first.status, first.exit_code) == ("repaired", 0)
    second = examine(folder, repair=True)
    assert second.status == "clean"
    assert [s.digest for s in first.sessions] == [s.digest for s in second.sessions]
    mended = next(s for s in second.sessions if s.key == key_of(NAMES[1]))
    assert mended.gaps == [(20, 20)]
    assert 20 not in mended.events


def test_what_was_mended_before_is_said_of_a_folder_that_is_clean(folder: Path) -> None:
    key = key_of(SESSION)
    (folder / key / "events.jsonl").write_bytes(b"")
    store = FileStore(folder)  # as a start does
    store.open(key).recover(BEGIN)
    store.close()
    report = examine(folder)
    assert (report.status, report.exit_code) == ("clean", 0)
    text = report.as_text()
    assert f"session {SESSION}: mended before, and clean now" in text
    assert "events 1 to 59 are lost" in text
    assert f"put aside in {key}/quarantine: 0001.000000000059.snapshot" in text
    assert "3 of 3 sessions clean (1 of them mended before)" in text
    told = {session["key"]: session["quarantine"] for session in json.loads(report.as_json())["sessions"]}
    assert told == {key_of(name): [] for name in NAMES} | {key: ["0001.000000000059.snapshot"]}


def test_many_files_in_quarantine_are_counted(folder: Path) -> None:
    place = folder / key_of(SESSION) / "quarantine"
    place.mkdir()
    for n in range(1, 9):
        (place / f"{n:04d}.events").write_bytes(b"x")
    assert "0005.events and 3 more\n" in examine(folder).as_text()


def test_an_emptied_log_with_nothing_beside_it_is_named(folder: Path) -> None:
    session = folder / key_of(SESSION)
    for path in session.iterdir():
        path.unlink()
    assert examine(folder).empty == [], "a folder without a log is none of a session"
    (session / "events.jsonl").write_bytes(b"")
    report = examine(folder, repair=True)
    assert (report.exit_code, report.empty) == (0, [session.name])
    assert f"{session.name}: its log is empty" in report.as_text()


def test_what_cannot_be_mended_is_never_called_repaired(folder: Path) -> None:
    session = folder / key_of(SESSION)
    for path in session.iterdir():
        path.unlink()
    (session / "events.jsonl").write_bytes(bytes(3000))
    before = state(folder)
    report = examine(folder, repair=True)
    assert (report.status, report.exit_code) == ("damaged", DAMAGED)
    assert "it can't be mended, move it away or `forget` its key" in report.as_text()
    assert state(folder) == before


def test_one_bad_session_does_not_hide_the_others(folder: Path) -> None:
    log = folder / key_of("third") / "events.jsonl"
    log.write_bytes(seal(b'{"lingbot":"recording","version":99,"session":"third"}'))
    report = examine(folder, repair=True)
    assert report.exit_code == REFUSED
    assert sorted(session.status for session in report.sessions) == ["clean", "clean", "refused"]
    assert "format version 99" in next(s.refused for s in report.sessions if s.refused)
    store = FileStore(folder)
    assert store.open(key_of(SESSION)).recover(BEGIN).clean
    store.close()


def test_a_snapshot_that_says_something_else_than_the_log_is_put_aside(folder: Path) -> None:
    store = FileStore(folder)
    recording = store.open(key_of(SESSION))
    recording.recover(BEGIN)
    seq, packed = next(recording.snapshots())
    map = codec.unpack(packed)
    map.about["title"] = "a lie"
    recording.keep(seq, codec.pack(map))
    store.close()
    report = examine(folder, repair=True)
    assert report.status == "repaired"
    assert "does not hold what the log says" in report.as_text()
    assert examine(folder).status == "clean"
    assert not list((folder / key_of(SESSION)).glob("*.snapshot"))


def test_programs_get_a_line_of_json_for_each_folder(folder: Path, tmp_path: Path) -> None:
    out = io.StringIO()
    assert verify_stream([f"{folder}\n", f"{tmp_path / 'nowhere'}\n"], out, repair=True) == REFUSED
    good, missing = map(json.loads, out.getvalue().splitlines())
    assert good["status"] == "clean"
    assert good["last_seq"] == 59
    assert good["gaps"] == []
    assert set(good["events"]) == {f"{key_of(name)}/{seq}" for name in NAMES for seq in range(1, 60)}
    assert {session["id"] for session in good["sessions"]} == set(NAMES)
    assert (missing["status"], missing["refused"]) == ("refused", "no such folder")


def test_a_folder_in_use_is_read_but_not_repaired(folder: Path) -> None:
    store = FileStore(folder)
    try:
        assert examine(folder).status == "clean"
        assert "is writing this data folder" in examine(folder, repair=True).refused
    finally:
        store.close()
