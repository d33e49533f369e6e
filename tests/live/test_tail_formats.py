"""Following what is no plain JSONL: a folder of Burr's tracker, a capture of server-sent events, traces of agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lingbot_map.errors import BadInput
from lingbot_map.importers.burr_folder import gathered
from lingbot_web.tail_burr import GrowingApp, app_at
from lingbot_web.tail_file import GrowingFile
from tests.live.server import PATIENCE, running, wait_for
from tests.live.test_tail import at_home, command, following, utterances, write
from tests.samples import agents
from tests.samples.imports import opened
from tests.samples.test_importers_burr import ROWS, app

__all__ = ["at_home"]


def test_an_application_of_burr_is_followed_with_its_graph_and_an_import_adds_nothing(tmp_path: Path) -> None:
    folder = app(tmp_path / "project" / "app-1", ROWS[:2])
    with gathered([folder]) as (path,):
        (whole,) = opened(path)
    with (folder / "log.jsonl").open("a") as log:
        log.write("\n")
    session = whole.session.session_id
    with running() as (map, client), following(GrowingApp(folder), map) as one:
        wait_for(lambda: utterances(client, session) == ["why?"])
        write(folder / "log.jsonl", *ROWS[2:])
        with gathered([folder]) as (path,):
            (whole,) = opened(path)
        assert whole.session.session_id == session
        wait_for(lambda: one.courier.events == len(whole.items))
        assert not one.notes


def test_which_folders_are_followed(tmp_path: Path) -> None:
    first = app(tmp_path / "project" / "app-1", ROWS)
    assert app_at(first) == app_at(first / "log.jsonl") == app_at(tmp_path / "project") == first
    assert app_at(first / "graph.json") is None
    app(tmp_path / "project" / "app-2", ROWS)
    with pytest.raises(BadInput, match="a project with 2 of them; follow one at a time; the latest is"):
        app_at(tmp_path / "project")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="another folder; give the file that grows"):
        app_at(tmp_path / "empty")


def test_server_sent_events_are_followed_and_their_frame_is_nothing(tmp_path: Path) -> None:
    path = tmp_path / "capture.sse"
    write(path, ": open\n\n", "event: message\n")
    began = {"type": "RUN_STARTED", "threadId": "t", "runId": "r", "input": {"messages": []}}
    with running() as (map, client), following(GrowingFile(path), map) as one:
        write(path, f"data: {json.dumps(began)}\n\n", "data: [DONE]\n")
        wait_for(lambda: len(utterances(client, "t")) == 1)
        assert not one.notes
        assert one.tail.format == "ag-ui"


def test_traces_of_agents_are_followed(tmp_path: Path) -> None:
    path = tmp_path / "traces.jsonl"
    path.touch()
    with running() as (map, client), following(GrowingFile(path), map) as one:
        write(path, *agents.move(1, "one", "yes"))
        wait_for(lambda: utterances(client, "chat-1") == ["one"])
        write(path, *agents.move(2, "two", "no"))
        wait_for(lambda: utterances(client, "chat-1") == ["one", "two"])
        assert not one.notes


def test_a_folder_is_followed_by_the_command(tmp_path: Path) -> None:
    folder = app(tmp_path / "app-1", ROWS)
    (tmp_path / "run").mkdir()
    with command(str(folder), "--data", str(tmp_path / "data"), "--port", "0", "--once") as process:
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert "of 1 session sent" in err
