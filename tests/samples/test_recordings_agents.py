"""Real saved runs of the OpenAI Agents SDK, field by field: what a file holds, read plainly, is what is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.errors import UnknownFormat
from lingbot_map.importers import Report
from lingbot_probes.signals import Answered, IntentRouted, Raw, SessionStarted, TurnStarted
from tests.conftest import RECORDINGS
from tests.samples.imports import Opened, mapped, opened

FOLDER = RECORDINGS / "sessions/openai_agents_run_state"
NAMES = sorted(path.name for path in FOLDER.glob("*.json")) or ["(the real recordings are not here)"]
STATES = [name for name in NAMES if not name.startswith("negative")]
SECRET = "RUNSTATE_SECRET_SENTINEL"


def file(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / name).read_text("utf-8"))
    return found


def session(name: str) -> Opened:
    report = Report()
    (found,) = opened(FOLDER / name, report)
    assert (report.format, report.problem_count) == ("openai-agents-state", 0)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_file_opens_or_is_refused_by_a_sentence_that_keeps_its_content(recordings: Path, name: str) -> None:
    state = file(name)
    if str(state.get("$schemaVersion", "")).startswith("1."):
        assert session(name).items
        return
    with pytest.raises(UnknownFormat) as caught:
        opened(FOLDER / name)
    reasons = {format: why for formats, why in caught.value.refusals for format in formats.split(", ")}
    if "$schemaVersion" in state:
        assert (
            reasons["openai-agents-state"]
            == f"a run state of schema version {state['$schemaVersion']}; 1.x can be read"
        )
    else:
        assert reasons["openai-agents-state"] == "a JSON object that holds no list of events"
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("name", STATES)
def test_what_the_run_was_given_and_where_it_stands(recordings: Path, name: str) -> None:
    state, found = file(name), session(name)
    assert found.of(TurnStarted) == [TurnStarted(turn="1", utterance=state["original_input"])]
    (started,) = found.of(SessionStarted)
    meta = started.meta
    assert meta["schema"] == state["$schemaVersion"]
    for key in ("current_agent", "current_turn", "max_turns"):
        assert meta[key] == state[key]
    for key in ("approvals", "hosted_mcp_approvals"):
        assert meta.get(key, {}) == (state["context"].get(key) or {})
    assert meta.get("stands_at") == (state["current_step"] or {}).get("type")
    trace = state["trace"] or {}
    assert (meta.get("trace"), started.title) == (trace.get("id"), trace.get("workflow_name", ""))
    assert "tracing_api_key_hash" not in str(found.items)
    assert "container" not in str(found.items)  # what the sandbox was made of
    lost = {fact["code"] for fact in found.session.lost}
    assert ("sandbox" in lost) == bool(state.get("sandbox"))


@pytest.mark.parametrize("name", STATES)
def test_each_item_and_each_response_is_told_in_order(recordings: Path, name: str) -> None:
    state, found = file(name), session(name)
    items = max(state["session_items"], state["generated_items"], key=len)
    names = [item["agent"]["name"] for item in items] or [state["current_agent"]["name"]]
    assert [signal.intent for signal in found.of(IntentRouted)] == list(dict.fromkeys(names))
    told = [signal for signal in found.of(Raw) if signal.name != "llm"]
    kinds = {"tool_call_item": "tool_call", "tool_call_output_item": "tool", "tool_approval_item": "approval"}
    assert [signal.name for signal in told] == [kinds[item["type"]] for item in items]
    for signal, item in zip(told, items, strict=True):
        raw = item["raw_item"]
        assert signal.data["call"] == raw["call_id"]
        if item["type"] == "tool_call_output_item":
            assert signal.data["result"] == item["output"]
            assert signal.data.get("custom_data") == item.get("custom_data")
        else:
            assert signal.data["tool"] == raw.get("name", raw["type"])
            given = raw.get("arguments", raw.get("input", raw.get("code")))
            assert signal.data["arguments"] == (json.loads(given) if given.startswith("{") else given)
    models = [signal.data for signal in found.of(Raw) if signal.name == "llm"]
    assert [data["response"] for data in models] == [answer["response_id"] for answer in state["model_responses"]]
    assert [data.get("request") for data in models] == [answer["request_id"] for answer in state["model_responses"]]
    assert not found.of(Answered)


@pytest.mark.parametrize("name", STATES)
def test_a_second_import_adds_nothing(recordings: Path, name: str) -> None:
    found = session(name)
    mapper = mapped(found.session.session_id, found.session.source, found.items)
    before = mapper.map.cursor.seq
    mapped(found.session.session_id, found.session.source, session(name).items, mapper)
    assert mapper.map.cursor.seq == before
    assert not mapper.map.losses
