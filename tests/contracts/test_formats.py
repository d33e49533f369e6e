"""Recordings of every released format are read for ever: one folder for each, never regenerated."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lingbot_map.events import KINDS, event_to_dict
from lingbot_map.session import Session
from lingbot_map.store.files import FileStore
from lingbot_map.store.lines import event_line, header_line
from lingbot_map.store.verify import examine

FORMATS = sorted(Path(__file__).parent.glob("format-*"))


@pytest.mark.parametrize("folder", FORMATS, ids=lambda folder: folder.name)
def test_every_event_of_it_is_read(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "cases")
    assert examine(tmp_path).status == "clean"
    store = FileStore(tmp_path)
    (key,) = store.keys()
    session = Session.recover(store.open(key), 0.0)
    events = session.events(1, session.map.cursor.seq)
    assert [event.seq for event in events] == list(range(1, 19))
    assert {event.signal.kind for event in events} == set(KINDS)
    assert session.summary().title == "改套餐"
    assert [entry.seq for entry in session.map.unplaced] == [14]
    store.close()


def test_what_is_written_today_is_what_the_newest_of_them_holds() -> None:
    log = FORMATS[-1] / "change-plan" / "events.jsonl"
    store = FileStore(FORMATS[-1].parent, cases=FORMATS[-1], read_only=True)
    (key,) = store.case_keys()
    recording = store.open(key)
    lines = [header_line(recording.session), *map(event_line, recording.events())]
    assert b"".join(lines) == log.read_bytes()
    assert event_to_dict(next(recording.events()))["signal"]["epoch"] == "5f2c0e9b7a614d38"
