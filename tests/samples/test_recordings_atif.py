"""Real trajectories of agents, field by field: what a file holds, read plainly, is what the import says."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.importers import Report
from lingbot_probes.signals import Answered, IntentRouted, Raw, SessionStarted, TurnStarted
from tests.conftest import RECORDINGS
from tests.samples.imports import Opened, mapped, opened

FOLDER = RECORDINGS / "sessions/atif_trajectories"
NAMES = sorted(path.name for path in FOLDER.glob("*.json")) or ["(the real recordings are not here)"]


def file(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / name).read_text("utf-8"))
    return found


def session(name: str) -> Opened:
    report = Report()
    (found,) = opened(FOLDER / name, report)
    assert (report.format, report.problem_count) == ("atif", 0)
    assert report.records == len(file(name)["steps"])
    return found


@pytest.mark.parametrize("name", NAMES)
def test_who_said_what_and_when(recordings: Path, name: str) -> None:
    trajectory, found = file(name), session(name)
    steps = trajectory["steps"]
    assert found.session.session_id == trajectory["session_id"]
    (started,) = found.of(SessionStarted)
    assert started.meta["schema"] == trajectory["schema_version"]
    assert started.meta["agent"]["name"] == trajectory["agent"]["name"]
    asked = [step["message"] for step in steps if step["source"] == "user"]
    assert [turn.utterance for turn in found.of(TurnStarted)] == (
        asked if steps[0]["source"] == "user" else ["", *asked]
    )
    spoken = [s["message"] for s in steps if s["source"] == "agent" and not s.get("tool_calls") and s["message"]]
    assert [answer.text for answer in found.of(Answered)] == spoken
    assert {signal.intent for signal in found.of(IntentRouted)} == {trajectory["agent"]["name"]}
    times = {
        datetime.fromisoformat(step["timestamp"].replace("Z", "+00:00")).timestamp()
        for step in steps
        if "timestamp" in step
    }
    assert {item.said_at for item in found.items} - {None} == times


@pytest.mark.parametrize("name", NAMES)
def test_each_call_has_what_was_observed_of_it(recordings: Path, name: str) -> None:
    found = session(name)
    told = {signal.data["call"]: signal.data for signal in found.of(Raw) if signal.name == "tool"}
    calls = {}
    for step in file(name)["steps"]:
        for call in step.get("tool_calls") or []:
            calls[call["tool_call_id"]] = call
            seen = [
                r
                for r in (step.get("observation") or {}).get("results", [])
                if r.get("source_call_id") == call["tool_call_id"]
            ]
            data = told[call["tool_call_id"]]
            assert data["tool"] == call["function_name"]
            assert data["arguments"] == call["arguments"]
            if seen:
                content = seen[0].get("content") or ""
                assert data["result"] == content or data["result"] == json.loads(content)
    assert list(told) == list(calls)


@pytest.mark.parametrize("name", NAMES)
def test_models_systems_and_other_observations_are_kept(recordings: Path, name: str) -> None:
    steps, found = file(name)["steps"], session(name)
    models = [signal.data for signal in found.of(Raw) if signal.name == "llm"]
    agents = [step for step in steps if step["source"] == "agent"]
    assert [data.get("model") for data in models] == [step.get("model_name") for step in agents]
    assert [data.get("reasoning") for data in models] == [step.get("reasoning_content") for step in agents]
    used = [(step.get("metrics") or {}).get("prompt_tokens") for step in agents]
    assert [data.get("tokens_in") for data in models] == used
    systems = [signal.data["text"] for signal in found.of(Raw) if signal.name == "system"]
    assert systems == [step["message"] for step in steps if step["source"] == "system"]


@pytest.mark.parametrize("name", NAMES)
def test_a_second_import_adds_nothing_and_a_longer_one_goes_on(recordings: Path, name: str) -> None:
    trajectory, found = file(name), session(name)
    mapper = mapped("s", found.session.source, found.items)
    before = mapper.map.cursor.seq
    mapped("s", found.session.source, session(name).items, mapper)
    assert mapper.map.cursor.seq == before
    shorter = {**trajectory, "steps": trajectory["steps"][:-1]}
    (part,) = opened(json.dumps(shorter).encode())
    assert part.session.source == found.session.source
    assert found.items[: len(part.items)] == part.items
