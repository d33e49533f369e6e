"""``ask --record``: the questions of a command as a session, in a folder, at the map that serves it, at an address."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from lingbot_map.ask.demo.story import SHOP
from lingbot_map.graph import DialogueMap
from lingbot_map.session import map_of
from lingbot_map.store.files import FileStore
from lingbot_web import serve
from lingbot_web.cli import run
from tests.conftest import NOWHERE
from tests.web.commands import Command, complaint

GRAPH = ("--graph", str(SHOP / "zh" / "graph"))


def recorded(data: Path) -> list[DialogueMap]:
    store = FileStore(data, read_only=True)
    return [map_of(store.open(key)) for key in list(store.keys())]


def test_a_folder_gets_a_session_and_the_answer_stays_the_same(command: Command, tmp_path: Path) -> None:
    plain = command("ask", "青禾放在哪个仓库？", *GRAPH)
    done = command("ask", "青禾放在哪个仓库？", *GRAPH, "--record", "data")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert done.stderr.startswith("note: recorded as ask-")
    (map,) = recorded(tmp_path / "data")
    assert map.about["title"] == "青禾放在哪个仓库？"
    assert map.about["ended_because"] == "asked"
    assert map.nodes["slot:商品"].props["value"] == "青禾 [p4]"


def test_each_line_is_a_turn_and_json_is_json_alone(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("雪芽放在哪个仓库？\n那价格呢？\n老板是谁？\n"))
    done = command("ask", *GRAPH, "--record", "data", "--json")
    assert done.returncode == 1  # the last one is not answered
    assert done.stdout.count('"question"') == 3
    (map,) = recorded(tmp_path / "data")
    assert [turn for turn in map.turns if turn] == [1, 2, 3]
    assert map.nodes["intent:abstained"].turn == 3


def test_a_map_gets_it_by_its_folder_and_by_its_address(command: Command, tmp_path: Path) -> None:
    with serve(data=tmp_path / "data") as serving:
        for where in (str(tmp_path / "data"), serving.url):
            done = command("ask", "雪芽放在哪个仓库？", *GRAPH, "--record", where)
            assert (done.returncode, done.stderr.count("note: recorded as ask-")) == (0, 1), done
        listed = command("sessions", "--data", "data", "--json")
        assert [session["turns"] for session in json.loads(listed.stdout)["sessions"]] == [1, 1]


def test_what_can_not_be_recorded_is_said_and_changes_no_answer(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lingbot_web.ask_recording._PATIENCE", 0.2)
    done = command("ask", "雪芽放在哪个仓库？", *GRAPH, "--record", NOWHERE)
    assert done.returncode == 2
    assert "河岸仓" in done.stdout
    assert "--record: not all of it is there" in done.stderr


@pytest.mark.parametrize("where", ["http://", "ftp://127.0.0.1/x", "http://a b"])
def test_what_is_neither_address_nor_folder_is_refused_before_anything_is_asked(command: Command, where: str) -> None:
    complaint(command("ask", "雪芽放在哪个仓库？", *GRAPH, "--record", where), 2)


def test_probes_that_are_off_record_nothing_and_it_is_said(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINGBOT_MAP", "off")
    said = complaint(command("ask", "雪芽放在哪个仓库？", *GRAPH, "--record", "data"), 2)
    assert "LINGBOT_MAP=off" in said


def test_breaking_off_leaves_what_was_asked_recorded(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted:
        def __init__(self) -> None:
            self.lines = ["雪芽放在哪个仓库？\n"]

        def isatty(self) -> bool:
            return False

        def readline(self) -> str:
            if not self.lines:
                raise KeyboardInterrupt
            return self.lines.pop()

    monkeypatch.setattr("sys.stdin", Interrupted())
    assert run(["ask", *GRAPH, "--record", "data"]) == 130
    (map,) = recorded(tmp_path / "data")
    assert "河岸仓" in map.nodes["answer:1"].label
