"""Real exports of spans, field by field: what a file holds, read plainly, is what the import says."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.errors import LingbotMapError, UnknownFormat
from lingbot_map.importers import Report
from lingbot_probes.adapters.spans import NOT_CAPTURED
from lingbot_probes.signals import Answered, Failed, IntentRouted, Raw, Retrieved, TurnStarted
from tests.conftest import RECORDINGS
from tests.samples.imports import Opened, mapped, opened

Record = dict[str, Any]
FOLDER = RECORDINGS / "sessions/openinference_phoenix"
NAMES = sorted(path.name for path in FOLDER.glob("*.json")) or ["(the real recordings are not here)"]


def spans_of(value: Any) -> list[Record]:
    """The spans of a file, however it nests its lists of them."""
    if isinstance(value, list):
        return [span for item in value for span in spans_of(item)]
    if isinstance(value, dict) and "span_id" in value.get("context", {}):
        return [value]
    return [span for item in value.values() for span in spans_of(item)] if isinstance(value, dict) else []


def file(name: str) -> list[Record]:
    return spans_of(json.loads((FOLDER / name).read_text("utf-8")))


TRACES = [name for name in NAMES if (FOLDER / name).is_file() and file(name)] or NAMES[:1]


def per_session(spans: list[Record]) -> dict[str, list[list[Record]]]:
    """The traces of each session, by the time of their roots; the spans of each by time, the root first."""
    traces: dict[str, list[Record]] = defaultdict(list)
    for span in spans:
        traces[span["context"]["trace_id"]].append(span)
    found: dict[str, list[list[Record]]] = defaultdict(list)
    for trace in traces.values():
        (root,) = [span for span in trace if not span["parent_id"]]
        rest = sorted((s for s in trace if s is not root), key=lambda span: str(span["start_time"]))
        found[root["attributes"]["session.id"]].append([root, *rest])
    for mine in found.values():
        mine.sort(key=lambda trace: str(trace[0]["start_time"]))
    return found


def sessions(name: str) -> dict[str, Opened]:
    """The sessions of a file, read without a problem."""
    report = Report()
    found = opened(FOLDER / name, report)
    assert report.problem_count == 0
    assert report.records == len(file(name))
    return {session.session.session_id: session for session in found}


def told(session: Opened) -> dict[int, list[Any]]:
    found = defaultdict(list)
    for item in session.items:
        found[int(item.turn or 0)].append(item.signal)
    return found


def parsed(value: Any) -> Any:
    """The object or list in a text of JSON; a text within quotes stays the text it is."""
    return json.loads(value) if isinstance(value, str) and value[:1] in ("{", "[") else value


def flat(span: Record, lead: str, tail: str) -> list[Any]:
    """The values of the attributes from ``lead`` to ``tail``, by their numbers."""
    keys = [key for key in span["attributes"] if key.startswith(lead) and key.endswith(tail)]
    numbers = {key: [int(part) for part in key.split(".") if part.isdigit()] for key in keys}
    return [span["attributes"][key] for key in sorted(keys, key=numbers.__getitem__)]


@pytest.mark.parametrize("name", NAMES)
def test_every_file_opens_or_is_refused_by_a_sentence(recordings: Path, name: str) -> None:
    if file(name):
        assert sessions(name)
        return
    with pytest.raises(UnknownFormat) as caught:
        opened(FOLDER / name)
    reasons = {format: why for formats, why in caught.value.refusals for format in formats.split(", ")}
    assert reasons["openinference"] == "no span with the ids of its trace and its own"
    assert reasons["otlp"] == "no `resourceSpans`"


@pytest.mark.parametrize("name", TRACES)
def test_each_trace_is_a_turn_with_its_roots_words(recordings: Path, name: str) -> None:
    expected, found = per_session(file(name)), sessions(name)
    assert list(found) == list(expected)
    for session_id, traces in expected.items():
        session = found[session_id]
        asked = [root["attributes"].get("input.value", NOT_CAPTURED) for root, *_ in traces]
        assert [s.utterance for s in session.of(TurnStarted)] == asked
        for number, (root, *_) in enumerate(traces, 1):
            answers = [s.text for s in told(session)[number] if type(s) is Answered]
            said = root["attributes"].get("output.value")
            assert answers == ([said] if said else [])


@pytest.mark.parametrize("name", TRACES)
def test_each_model_and_tool_is_kept_in_order_with_its_fields(recordings: Path, name: str) -> None:
    found = sessions(name)
    for session_id, traces in per_session(file(name)).items():
        for number, (_, *rest) in enumerate(traces, 1):
            kept = [s for s in told(found[session_id])[number] if type(s) is Raw]
            steps = [span for span in rest if span["span_kind"] in ("LLM", "TOOL")]
            assert [(s.name, s.data["span"]) for s in kept] == [(s["span_kind"].lower(), s["name"]) for s in steps]
            for signal, span in zip(kept, steps, strict=True):
                attributes, data = span["attributes"], signal.data
                if signal.name == "llm":
                    assert data.get("model") == attributes.get("llm.model_name")
                    assert data.get("tokens_in") == attributes.get("llm.token_count.prompt")
                    assert data.get("tokens_out") == attributes.get("llm.token_count.completion")
                    assert data.get("calls", []) == flat(span, "llm.output_messages.", "function.name")
                    texts = [*flat(span, "llm.output_messages.", "message.content")]
                    texts += flat(span, "llm.output_messages.", "message_content.text")
                    assert data.get("text", "") == "\n".join(text for text in texts if text)
                else:
                    assert data["tool"] == attributes["tool.name"]
                    assert data.get("call") == attributes.get("tool.id")
                    assert data.get("arguments") == parsed(attributes.get("input.value"))
                    assert data.get("result") == parsed(attributes.get("output.value"))


@pytest.mark.parametrize("name", TRACES)
def test_errors_routes_and_retrievals_are_those_of_the_file(recordings: Path, name: str) -> None:
    found = sessions(name)
    for session_id, traces in per_session(file(name)).items():
        session = found[session_id]
        expected = []
        for root, *rest in traces:
            failed = [span for span in rest if span["status_code"] == "ERROR"]
            expected += [span["name"] for span in failed]
            if root["status_code"] == "ERROR" and not failed:
                expected.append(root["name"])
        assert [s.where for s in session.of(Failed)] == expected
        spans = [span for trace in traces for span in trace]
        named = [s for s in spans if {"agent.name", "graph.node.id"} & set(s["attributes"])]
        assert len(session.of(IntentRouted)) == len(named)
        rows = [flat(span, "retrieval.documents.", "document.id") for span in spans if span["span_kind"] == "RETRIEVER"]
        assert [[doc.id for doc in s.docs] for s in session.of(Retrieved)] == rows
        said = [str(s.get("status_message") or "") for s in spans if s["status_code"] == "ERROR"]
        for signal, message in zip(session.of(Failed), said, strict=False):
            assert " ".join(message.split()) in signal.error


@pytest.mark.parametrize("name", TRACES)
def test_the_map_holds_it_too_and_a_second_import_adds_nothing(recordings: Path, name: str) -> None:
    for session_id, session in sessions(name).items():
        mapper = mapped(session_id, session.session.source, session.items)
        before = mapper.map.cursor.seq
        labels = {node.turn: node.label for node in mapper.map.nodes.values() if node.kind == "utterance"}
        assert list(labels.values()) == [s.utterance for s in session.of(TurnStarted)]
        answers = [node.label for node in mapper.map.nodes.values() if node.kind == "answer"]
        assert answers == [s.text for s in session.of(Answered)]
        assert not mapper.map.losses
        mapped(session_id, session.session.source, session.items, mapper)
        assert mapper.map.cursor.seq == before


def test_every_cut_of_a_real_export_is_read_as_far_as_it_goes(recordings: Path) -> None:
    content = (FOLDER / TRACES[-1]).read_bytes()
    whole = len(file(TRACES[-1]))
    for tenth in range(1, 10):
        report = Report()
        try:
            opened(content[: len(content) * tenth // 10], report)
        except LingbotMapError:
            continue
        assert 0 < report.records < whole
        assert report.problem_count
