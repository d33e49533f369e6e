"""Where a followed file's lines end: the last one without an end, very long ones, a file that is written anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lingbot_web.tail_file import GrowingFile
from tests.live.server import PATIENCE, running, wait_for
from tests.live.test_tail import at_home, command, following, said, utterances, write

__all__ = ["at_home"]

ONE = json.dumps(said("one"))
CUT = "the file ends in the middle of the line"


@pytest.mark.parametrize(
    ("content", "mapping", "code", "told"),
    [
        (ONE, "", 0, "2 events of 1 session sent\n"),
        ("\ufeff" + ONE, "", 0, "2 events of 1 session sent\n"),
        ('{"id":"c","said":"one"}', "session=id,user=said", 0, "2 events of 1 session sent\n"),
        (f"{ONE}\n{ONE[:-9]}", "", 0, f"note: events.jsonl line 2: {CUT}\n2 events of 1 session sent, 1 record "),
        ("<p>one</p>", "", 0, f"note: events.jsonl line 1: {CUT}\n0 events"),
        ("[]", "", 2, "lingbot-map: "),
    ],
    ids=["whole", "bom", "table", "cut", "markup", "list"],  # the content has the time in it: no name for two workers
)
def test_once_takes_a_last_line_without_an_end_or_says_why_not(
    tmp_path: Path, content: str, mapping: str, code: int, told: str
) -> None:
    path = tmp_path / "events.jsonl"
    (tmp_path / "run").mkdir()
    path.write_text(content, "utf-8")
    more = ("--map", mapping) if mapping else ()
    with command(str(path), "--data", str(tmp_path / "data"), "--port", "0", "--once", *more) as process:
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == code, err
    assert told in err


@pytest.mark.parametrize("between", ["x" * 700_000, "\n" * 700_000])
def test_what_stands_behind_a_long_line_or_many_blank_ones_is_there_as_well(tmp_path: Path, between: str) -> None:
    path = tmp_path / "events.jsonl"
    write(path, said("before", at=1.7e9), said(between, at=1.7e9 + 1) if "x" in between else between)
    write(path, said("behind", at=1.7e9 + 2))
    with running() as (map, client):
        with following(GrowingFile(path), map, from_end=True) as one:
            wait_for(lambda: not one.tail._passing)
            write(path, said("new", at=1.7e9 + 3))
            wait_for(lambda: "new" in utterances(client))
            assert utterances(client) == ["new"], "what was there is left out, all of it"
            assert not one.notes
        with following(GrowingFile(path), map, once=True) as one:
            one.thread.join(PATIENCE)
            assert not one.thread.is_alive()
        assert sorted(text for text in utterances(client) if len(text) < 9) == ["before", "behind", "new"]


@pytest.mark.parametrize("more", [0, 3])
def test_a_file_written_anew_as_long_as_it_was_or_longer_is_read_from_its_beginning(tmp_path: Path, more: int) -> None:
    path = tmp_path / "events.jsonl"
    write(path, *(said(f"old {i}", at=1_700_000_000.5 + i) for i in range(3)))
    with running() as (map, client), following(GrowingFile(path), map) as one:
        wait_for(lambda: utterances(client) == ["old 0", "old 1", "old 2"])
        # Cut and written between two looks: it never seems shorter.
        anew = "".join(json.dumps(said(f"new {i}", at=1_700_000_100.5 + i)) + "\n" for i in range(3 + more))
        with path.open("r+") as file:
            file.write(anew)
        wait_for(lambda: utterances(client)[3:] == [f"new {i}" for i in range(3 + more)])
        assert len(one.notes) == 1
        assert "was cut" in one.notes[0]
