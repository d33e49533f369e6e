"""Burr's tracker: logs alone, folders, forks, steps that were taken up again, and what is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.errors import BadInput, LingbotMapError
from lingbot_map.importers import Report, sniff
from lingbot_map.importers.burr_folder import apps_of, gathered
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
    Undone,
)
from tests.samples.imports import mapped, opened

Row = dict[str, Any]

GRAPH: Row = {
    "type": "application",
    "entrypoint": "ask",
    "actions": [
        {"name": "ask", "reads": [], "writes": ["question", "history"]},
        {"name": "answer", "reads": ["question"], "writes": ["history"]},
        {"name": "refuse", "reads": ["question"], "writes": ["history"]},
    ],
    "transitions": [
        {"type": "transition", "from_": "ask", "to": "refuse", "condition": "safe=False"},
        {"type": "transition", "from_": "ask", "to": "answer", "condition": "default"},
        {"type": "transition", "from_": "answer", "to": "ask", "condition": "default"},
    ],
}
ABOUT: Row = {"type": "application_metadata", "partition_key": "anna", "parent_pointer": None}


def begin(step: int, action: str, **inputs: Any) -> Row:
    at = f"2025-03-01T10:00:{step:02d}.100000"
    return {"type": "begin_entry", "start_time": at, "action": action, "inputs": inputs, "sequence_id": step}


def end(step: int, action: str, exception: str | None = None, **state: Any) -> Row:
    at = f"2025-03-01T10:00:{step:02d}.900000"
    held = {"__SEQUENCE_ID": step, "__PRIOR_STEP": action, **state}
    row = {"type": "end_entry", "end_time": at, "action": action, "result": {}, "sequence_id": step}
    return {**row, "exception": exception, "state": held}


def said(role: str, text: str) -> Row:
    return {"role": role, "content": text, "type": "text"}


HISTORY = [said("user", "why?"), said("assistant", "because")]
ROWS = [
    begin(0, "ask", question="why?"),
    end(0, "ask", question="why?", history=HISTORY[:1]),
    begin(1, "answer"),
    {"type": "begin_span", "start_time": "2025-03-01T10:00:01.2", "span_name": "model", "span_id": "1:0.0"},
    {"type": "attribute", "key": "tokens", "value": 7, "span_id": "1:0.0", "time_logged": "2025-03-01T17:00:01Z"},
    {"type": "end_span", "end_time": "2025-03-01T10:00:01.3", "action_sequence_id": 1, "span_id": "1:0.0"},
    end(1, "answer", question="why?", history=HISTORY),
]


def lines(*rows: Row) -> bytes:
    return b"\n".join(json.dumps(row).encode() for row in rows)


def app(folder: Path, rows: list[Row], *, children: list[Row] | None = None) -> Path:
    folder.mkdir(parents=True)
    (folder / "log.jsonl").write_bytes(lines(*rows))
    (folder / "graph.json").write_text(json.dumps(GRAPH, indent=1))
    (folder / "metadata.json").write_text(json.dumps(ABOUT))
    if children:
        (folder / "children.jsonl").write_bytes(lines(*children))
    return folder


def test_a_log_tells_moves_actions_state_and_answers() -> None:
    assert sniff(lines(*ROWS)) == "burr"
    (session,) = opened(lines(ABOUT, GRAPH, *ROWS))
    assert session.of(TurnStarted) == [TurnStarted(turn="1", utterance="why?")]
    assert session.of(IntentRouted) == [
        IntentRouted(intent="ask"),
        IntentRouted(intent="answer", candidates=(("refuse", None), ("answer", None))),
    ]
    assert session.of(SlotRead) == [SlotRead(slot="question", reader="answer", task="answer")]
    written = [(signal.slot, signal.value, signal.task) for signal in session.of(SlotAssigned)]
    assert written == [("question", "why?", "ask"), ("history", HISTORY[:1], "ask"), ("history", HISTORY, "answer")]
    assert session.of(Answered) == [Answered(text="because")]
    assert [signal.name for signal in session.of(Raw)] == ["span", "attribute"]
    (started,) = session.of(SessionStarted)
    assert started.meta == {"framework": "burr", "partition_key": "anna", "entrypoint": "ask"}
    assert session.session.coverage == {"flow": "partial", "state": "full", "knowledge": "none"}
    facts = {fact["code"]: fact for fact in session.session.lost}
    assert {code: fact["count"] for code, fact in facts.items()} == {"knowledge": 0, "zoneless": 6, "declared": 1}
    assert "UTC" in facts["zoneless"]["en"]
    assert "6" in facts["zoneless"]["zh"]


def test_without_its_graph_nothing_is_said_of_reads() -> None:
    (session,) = opened(lines(*ROWS))
    assert session.of(SlotRead) == []
    assert session.session.coverage["state"] == "partial"
    (whole,) = opened(lines(GRAPH, *ROWS))
    assert whole.session.session_id != session.session.session_id


def test_the_condition_that_was_met_stands_on_the_jump() -> None:
    rows = [*ROWS[:2], begin(1, "refuse"), end(1, "refuse", question="why?", history=HISTORY[:1])]
    (session,) = opened(lines(GRAPH, *rows))
    assert session.of(IntentRouted)[1].condition == "safe=False"


def test_a_second_import_adds_nothing_and_a_longer_log_goes_on() -> None:
    more = [begin(2, "ask", question="and?"), end(2, "ask", question="and?", history=HISTORY)]
    (first,), (second,) = opened(lines(*ROWS)), opened(lines(*ROWS, *more))
    assert first.session.source == second.session.source
    assert second.items[: len(first.items)] == first.items
    mapper = mapped("s", first.session.source, first.items)
    before = mapper.map.cursor.seq
    mapped("s", first.session.source, opened(lines(*ROWS))[0].items, mapper)
    assert mapper.map.cursor.seq == before


def test_what_left_the_state_is_cleared_and_an_exception_is_a_failure() -> None:
    trace = "Traceback (most recent call last):\n  File x\nValueError: no such tea\n"
    rows = [*ROWS, begin(2, "ask", question="tea?"), end(2, "ask", trace, history=HISTORY)]
    (session,) = opened(lines(*rows))
    assert session.of(SlotCleared) == [SlotCleared(slot="question", task="ask")]
    assert session.of(Failed) == [Failed(where="ask", error="ValueError: no such tea")]
    empty = {**end(2, "ask", trace), "state": {}}
    (session,) = opened(lines(*ROWS, begin(2, "ask", question="tea?"), empty))
    assert session.of(SlotCleared) == []


def test_a_step_that_is_taken_up_again_undoes_what_came_after_it() -> None:
    again = [
        begin(1, "answer"),
        end(1, "answer", question="why?", history=[*HISTORY[:1], said("assistant", "so it is")]),
    ]
    (session,) = opened(lines(*ROWS, *again))
    (undone,) = session.of(Undone)
    told = [item.signal for item in session.items if item.n <= undone.to]
    assert type(told[-1]) is SlotAssigned
    assert told[-1].value == HISTORY[:1]
    assert [answer.text for answer in session.of(Answered)] == ["because", "so it is"]


def test_texts_with_a_speaker_before_them_are_messages_too() -> None:
    rows = [
        begin(0, "ask", user_question="why?"),
        end(0, "ask", history=["Human: why?"]),
        begin(1, "answer"),
        end(1, "answer", history=["Human: why?", "AI: because"]),
    ]
    assert opened(lines(*rows))[0].of(Answered) == [Answered(text="because")]


def test_a_history_that_was_rewritten_says_nothing_anew() -> None:
    rewritten = [said("user", "earlier, in short"), *HISTORY]
    (session,) = opened(lines(*ROWS, begin(2, "answer"), end(2, "answer", question="why?", history=rewritten)))
    assert session.of(Answered) == [Answered(text="because")]
    assert session.of(SlotAssigned)[-1].value == rewritten


def test_a_declared_read_of_what_is_not_there_yet_is_none() -> None:
    rows = [begin(0, "answer"), end(0, "answer", history=HISTORY)]
    assert opened(lines(GRAPH, *rows))[0].of(SlotRead) == []


def test_a_folder_opens_with_all_its_applications(tmp_path: Path) -> None:
    fork = {"child": {"app_id": "two"}, "event_time": "2025-03-01T10:00:00", "event_type": "fork", "sequence_id": 1}
    app(tmp_path / "project" / "one", ROWS, children=[fork])
    other = [begin(0, "ask", question="what?"), end(0, "ask", question="what?")]
    app(tmp_path / "project" / "two", other)
    (tmp_path / "project" / "notes").mkdir()
    for place in (tmp_path / "project", tmp_path):
        with gathered([place]) as (file,):
            report = Report()
            first, second = opened(file, report)
        assert report.problem_count == 0
        assert [session.of(SessionStarted)[0].title for session in (first, second)] == ["one", "two"]
        assert first.of(Raw)[-1] == Raw(name="fork", data={"child": {"app_id": "two"}, "step": 1})
        assert second.of(TurnStarted)[0].utterance == "what?"
    for place in (tmp_path / "project" / "one", tmp_path / "project" / "one" / "log.jsonl"):
        with gathered([place]) as (file,):
            (alone,) = opened(file)
        assert alone.items == first.items
        assert alone.session.source == first.session.source


def test_what_is_no_folder_of_burrs_stays_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(lines(*ROWS))
    for place in (tmp_path, tmp_path / "log.jsonl", tmp_path / "nothing"):
        assert apps_of(place) == []
        with gathered([place]) as found:
            assert found == [place]


def test_damaged_files_in_a_folder_cost_what_is_in_them(tmp_path: Path) -> None:
    folder = app(tmp_path / "one", ROWS)
    (folder / "metadata.json").write_text("{")
    (folder / "graph.json").write_text('{"type": "application", "actions": ')
    with gathered([folder]) as (file,):
        report = Report()
        (session,) = opened(file, report)
    assert report.problem_count == 1
    assert session.of(Answered) == [Answered(text="because")]


def test_an_application_that_never_did_anything_stops_no_other() -> None:
    report = Report()
    (session,) = opened(lines(ABOUT, GRAPH, ABOUT, *ROWS), report)
    assert session.of(Answered)
    with pytest.raises(BadInput, match="nothing was done in it"):
        opened(lines(ABOUT, GRAPH))


def test_bad_rows_cost_themselves_alone() -> None:
    bad = [b"{", b"7", b'{"type": []}', b'{"type": "begin_entry", "action": 7.5e400}', b'{"type": "begin_entry"}']
    report = Report()
    (session,) = opened(lines(*ROWS[:2]) + b"\n" + b"\n".join(bad) + b"\n" + lines(*ROWS[2:]), report)
    assert report.problem_count == len(bad)
    assert session.of(Answered) == [Answered(text="because")]
    content = lines(ABOUT, GRAPH, *ROWS)
    for cut in range(1, len(content), 61):
        try:
            opened(content[:cut])
        except LingbotMapError:
            continue
