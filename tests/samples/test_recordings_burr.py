"""Real folders of Burr's tracker, field by field: what the files hold, read plainly, is what the import says."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.importers import Report
from lingbot_map.importers.burr_folder import gathered
from lingbot_probes.signals import (
    Answered,
    Failed,
    IntentRouted,
    Raw,
    SessionStarted,
    SlotAssigned,
    SlotCleared,
    SlotRead,
    TurnStarted,
)
from tests.conftest import RECORDINGS
from tests.samples.imports import Opened, mapped, opened

Row = dict[str, Any]
FOLDER = RECORDINGS / "sessions/burr"
APPS = sorted(path.parent.relative_to(FOLDER).as_posix() for path in FOLDER.glob("*/*/log.jsonl")) or ["(not here)"]


def rows(app: str) -> list[Row]:
    return [json.loads(line) for line in (FOLDER / app / "log.jsonl").read_text("utf-8").splitlines()]


def of(app: str, kind: str) -> list[Row]:
    return [row for row in rows(app) if row["type"] == kind]


def session(app: str) -> Opened:
    report = Report()
    with gathered([FOLDER / app]) as (file,):
        (found,) = opened(file, report)
    assert (report.format, report.problem_count) == ("burr", 0)
    return found


@pytest.mark.parametrize("app", APPS)
def test_moves_and_actions_are_those_of_the_log(recordings: Path, app: str) -> None:
    found = session(app)
    assert found.of(SessionStarted)[0].title == Path(app).name
    inputs = [list(row["inputs"].values()) for row in of(app, "begin_entry") if row["inputs"]]
    assert [[turn.utterance] for turn in found.of(TurnStarted)] == inputs
    assert [signal.intent for signal in found.of(IntentRouted)] == [row["action"] for row in of(app, "begin_entry")]
    assert found.of(Failed) == []
    told = [signal.name for signal in found.of(Raw)]
    assert told.count("span") == len(of(app, "begin_span"))
    kept = [signal.data for signal in found.of(Raw) if signal.name == "attribute"]
    assert [data["key"] for data in kept] == [row["key"] for row in of(app, "attribute")]
    assert [data.get("value") for data in kept] == [row["value"] for row in of(app, "attribute")]


@pytest.mark.parametrize("app", APPS)
def test_every_state_can_be_put_together_again(recordings: Path, app: str) -> None:
    found = session(app)
    ends = of(app, "end_entry")
    state: dict[str, Any] = {}
    task = 0
    states = []
    for item in found.items:
        signal = item.signal
        if type(signal) is IntentRouted:
            if task:
                states.append(dict(state))
            task += 1
        elif type(signal) is SlotAssigned:
            assert signal.task == ends[task - 1]["action"]
            state[signal.slot] = signal.value
        elif type(signal) is SlotCleared:
            del state[signal.slot]
    states.append(state)
    logged = [{key: value for key, value in row["state"].items() if key[:2] != "__"} for row in ends]
    assert states == logged


@pytest.mark.parametrize("app", APPS)
def test_reads_and_conditions_are_those_of_the_graph(recordings: Path, app: str) -> None:
    found, graph = session(app), json.loads((FOLDER / app / "graph.json").read_text("utf-8"))
    reads = {action["name"]: set(action["reads"]) for action in graph["actions"]}
    for signal in found.of(SlotRead):
        assert signal.slot in reads[signal.reader]
    assert {signal.reader for signal in found.of(SlotRead)} <= set(reads)
    ways = {(way["from_"], way["to"]): way["condition"] for way in graph["transitions"]}
    routed = found.of(IntentRouted)
    for before, after in pairwise(routed):
        condition = ways.get((before.intent, after.intent), "default")
        assert after.condition == ("" if condition == "default" else condition)


@pytest.mark.parametrize("app", APPS)
def test_answers_are_the_assistants_messages(recordings: Path, app: str) -> None:
    history = of(app, "end_entry")[-1]["state"].get("chat_history", [])
    expected = [item["content"] for item in history if isinstance(item, dict) and item["role"] == "assistant"]
    expected += [item.removeprefix("AI: ") for item in history if isinstance(item, str) and item.startswith("AI: ")]
    assert [answer.text for answer in session(app).of(Answered)] == expected


@pytest.mark.parametrize("app", APPS)
def test_the_map_holds_it_and_a_second_import_adds_nothing(recordings: Path, app: str) -> None:
    found = session(app)
    mapper = mapped(found.session.session_id, found.session.source, found.items)
    assert not mapper.map.losses
    before = mapper.map.cursor.seq
    mapped(found.session.session_id, found.session.source, session(app).items, mapper)
    assert mapper.map.cursor.seq == before
    times = [item.said_at for item in found.items]
    assert None not in times
    assert "backwards" not in {fact["code"] for fact in found.session.lost}


def test_all_projects_open_at_once(recordings: Path) -> None:
    with gathered([FOLDER]) as (file,):
        found = opened(file)
    assert sorted(session.of(SessionStarted)[0].title for session in found) == sorted(Path(app).name for app in APPS)
    assert len({session.session.source for session in found}) == len(APPS)
