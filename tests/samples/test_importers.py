"""Containers and contents: small files of every kind, each told as what it is and opened whole."""

from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.codec import dump
from lingbot_map.errors import UnknownFormat
from lingbot_map.importers import Report, read, sniff
from lingbot_probes.signals import (
    Answered,
    IntentRouted,
    Raw,
    Retrieved,
    SessionStarted,
    SlotAssigned,
    TurnStarted,
    Undone,
)
from tests.samples.imports import FILES, mapped, opened

FORMATS = {
    "tracker.json": "rasa",
    "broker.jsonl": "rasa",
    "rows.jsonl": "rasa",
    "exported.json": "rasa",
    "events.json": "rasa",
    "traces.transcript": "botframework",
    "wrapped.transcript": "botframework",
    "greeting.chat": "chat",
    "spans.jsonl": "openinference",
    "ag_ui.jsonl": "ag-ui",
    "dialogflow_rows.jsonl": "dialogflow",
    "dialogflow_conversation.json": "dialogflow",
    "dialogflow_pairs.json": "dialogflow",
    "dialogflow_tests.json": "dialogflow",
    "request.json": "otlp",
}


@pytest.mark.parametrize(("name", "format"), FORMATS.items())
def test_a_file_is_known_by_its_content_whatever_it_is_called(tmp_path: Path, name: str, format: str) -> None:
    content = (FILES / name).read_bytes()
    disguised = tmp_path / "photo.png"
    disguised.write_bytes(content)
    packed = tmp_path / "notes.txt"
    packed.write_bytes(gzip.compress(content))
    assert sniff(FILES / name) == sniff(content) == sniff(disguised) == sniff(packed) == format


@pytest.mark.parametrize("name", FORMATS)
def test_a_name_a_path_or_a_wrapping_changes_nothing(tmp_path: Path, name: str) -> None:
    content = (FILES / name).read_bytes()
    packed = tmp_path / "x.bin"
    packed.write_bytes(gzip.compress(content))
    plain = opened(FILES / name)
    marked = b"\xef\xbb\xbf" + content.removeprefix(b"\xef\xbb\xbf")
    for other in (opened(content, name="upload"), opened(packed), opened(marked)):
        assert [(o.session.session_id, o.session.source, o.items) for o in other] == [
            (o.session.session_id, o.session.source, o.items) for o in plain
        ]


def test_a_tracker_dump() -> None:
    report = Report()
    first, second = opened(FILES / "tracker.json", report)
    assert (first.session.session_id, second.session.session_id) == ("4711", "4711#2")
    assert first.session.source != second.session.source
    (started,) = first.of(SessionStarted)
    assert started.meta["slots"] == {"city": "Wuhan", "currency": "CNY"}
    assert first.of(TurnStarted) == [TurnStarted(turn="1", utterance="订一张去武汉的票")]
    assert first.of(IntentRouted)[0].candidates == (("book", 0.93), ("ask", 0.04))
    assert first.of(SlotAssigned) == [SlotAssigned(slot="city", value="Wuhan")]
    assert second.of(TurnStarted) == [TurnStarted(turn="1", utterance="hi")]
    assert [str(p) for p in report.problems] == ["tracker.json event 5: event: expected a mapping, found None"]
    assert first.session.problems == report.problems
    assert {item.n for item in first.items} == set(range(1, 11)) - {7}  # the null event is a hole
    assert first.session.coverage == {"flow": "full", "state": "partial", "knowledge": "none"}
    assert [fact["code"] for fact in first.session.lost] == ["unread", "reads", "knowledge", "backwards"]
    assert [fact["code"] for fact in second.session.lost] == ["unrouted", "knowledge"]


def test_everything_lost_is_said_in_both_languages() -> None:
    for name in FORMATS:
        for session in opened(FILES / name):
            for fact in session.session.lost:
                assert fact["en"].isascii()
                assert any("\u4e00" <= letter <= "\u9fff" for letter in fact["zh"])
                assert fact["zh"].endswith("。")
                assert fact["en"].endswith(".")


def test_broker_lines_of_many_senders_with_repeats_and_broken_ones() -> None:
    report = Report()
    anna, ben, path = opened(FILES / "broker.jsonl", report)
    assert [s.session.session_id for s in (anna, ben, path)] == ["anna", "ben", "../../etc"]
    assert anna.of(Answered) == [Answered(text="hi anna")]
    assert anna.of(Raw) == [Raw(name="of_tomorrow", data={"what": {"is": "this"}})]
    assert ben.of(Answered) == [Answered(text="half a pair: \ufffd")]
    assert path.of(TurnStarted)[0].utterance == "<script>alert(1)</script>\x1b[2J\u202e"
    assert path.of(IntentRouted)[0].intent == "__proto__"
    assert report.repeated == 1
    assert sorted(p.where for p in report.problems) == [f"broker.jsonl line {n}" for n in (6, 7, 9)]
    assert [p.where for p in ben.session.problems] == ["broker.jsonl line 7"]
    assert (anna.session.problem_count, ben.session.problem_count, report.problem_count) == (0, 1, 3)


def test_rows_are_put_in_the_order_of_their_ids() -> None:
    (session,) = opened(FILES / "rows.jsonl")
    assert session.of(TurnStarted)[0].utterance == "first"
    assert [s.text for s in session.of(Answered)] == ["second", "third"]
    assert {item.said_at for item in session.items} == {1700000003.0}


def test_an_exported_collection_of_trackers() -> None:
    report = Report()
    sessions = opened(FILES / "exported.json", report)
    assert [s.session.session_id for s in sessions] == ["x1", "65f1", "x2"]
    assert sessions[0].items[0].said_at == 1714550400.25
    assert [p.where for p in report.problems] == ["exported.json item 2", "exported.json item 4 event 2"]


def test_a_transcript_with_traces_that_have_no_name() -> None:
    report = Report()
    (session,) = opened(FILES / "traces.transcript", report)
    assert session.session.session_id == "conv|livechat"
    assert [t.utterance for t in session.of(TurnStarted)] == ["泳池几点开？", "thanks"]
    routed = [(r.intent, r.confidence, r.condition) for r in session.of(IntentRouted)]
    assert routed == [("q_faq", 0.94, ""), ("faqDialog", None, "dialog stack")]
    assert [d.id for r in session.of(Retrieved) for d in r.docs] == ["kb/12"]
    assert session.of(Answered) == [Answered(text="每天九点。", docs=("kb/12",))]
    slots = {s.slot: (s.value, s.scope, s.task) for s in session.of(SlotAssigned)}
    assert slots == {"user.language": ("zh", "user", "faqDialog"), "conversation.asked": (1, "session", "faqDialog")}
    assert session.session.coverage == {"flow": "partial", "state": "partial", "knowledge": "partial"}
    assert "backwards" in [fact["code"] for fact in session.session.lost]
    assert [str(p) for p in report.problems] == ["traces.transcript activity 7: type: expected a name, found None"]


def test_a_transcript_without_traces_says_that_only_the_chat_is_known() -> None:
    (session,) = opened(FILES / "wrapped.transcript")
    assert [fact["code"] for fact in session.session.lost] == ["chat_only"]
    assert session.session.coverage == {"flow": "none", "state": "none", "knowledge": "none"}


def test_a_chat() -> None:
    (session,) = opened(FILES / "greeting.chat")
    assert [t.utterance for t in session.of(TurnStarted)] == ["hello", "再见"]
    assert [a.text for a in session.of(Answered)] == ["hi: what can I do\nfor you?\nnobody: is this a speaker?"]


# --- one identity ----------------------------------------------------------------------------------------------------


def events(count: int, sender: str = "anna", start: float = 1.7e9) -> list[dict[str, Any]]:
    """A tracker's events: messages, slots, answers."""
    out: list[dict[str, Any]] = []
    for i in range(count):
        parsed = {"intent": {"name": f"i{i % 3}", "confidence": 0.9}}
        kinds: tuple[dict[str, Any], ...] = (
            {"event": "user", "text": f"say {i}", "parse_data": parsed},
            {"event": "slot", "name": "x", "value": i},
            {"event": "bot", "text": f"answer {i}"},
        )
        out.append({"timestamp": start + i, "sender_id": sender, **kinds[i % 3]})
    return out


def test_a_longer_export_goes_on_where_the_shorter_one_ended() -> None:
    (short,) = opened(json.dumps({"sender_id": "anna", "events": events(10)}).encode())
    (long,) = opened(json.dumps({"sender_id": "anna", "events": events(25)}).encode())
    assert long.session.source == short.session.source
    assert long.items[: len(short.items)] == short.items
    mapper = mapped("anna", short.session.source, short.items)
    before = mapper.map.cursor.seq
    mapped("anna", short.session.source, short.items, mapper)
    assert mapper.map.cursor.seq == before
    mapped("anna", long.session.source, long.items, mapper)
    assert dump(mapper.map) == dump(mapped("anna", long.session.source, long.items).map)


def test_the_same_conversation_in_another_container_is_the_same_source(tmp_path: Path) -> None:
    rows = events(9)
    expected = opened(json.dumps({"sender_id": "anna", "events": rows}).encode())
    containers = [
        json.dumps([{"sender_id": "anna", "events": rows}]).encode(),
        b"".join(json.dumps(row).encode() + b"\r\n" for row in rows),
        json.dumps({"tracker": {"sender_id": "anna", "events": rows}}, indent=1).encode(),
        json.dumps(rows).encode(),
    ]
    for content in containers:
        assert [(o.session.source, o.items) for o in opened(content)] == [(o.session.source, o.items) for o in expected]


def test_two_conversations_of_one_name_in_a_file_do_not_mix() -> None:
    dumps = [{"sender_id": "default", "events": events(4, start=start)} for start in (1.7e9, 1.8e9, 1.7e9)]
    one, two, again = opened(json.dumps(dumps).encode())
    assert one.session.session_id == again.session.session_id == "default"
    assert one.session.source == again.session.source
    assert two.session.session_id == f"default~{two.session.source[-8:]}"
    assert {item.session for item in two.items} == {two.session.session_id}


def test_a_longer_list_without_any_name_goes_on_too() -> None:
    rows = [{key: value for key, value in row.items() if key != "sender_id"} for row in events(8)]
    (short,) = opened(json.dumps(rows[:5]).encode())
    (long,) = opened(json.dumps(rows).encode())
    assert (long.session.session_id, long.session.source) == (short.session.session_id, short.session.source)
    assert long.items[: len(short.items)] == short.items


def test_events_without_any_name_or_time_are_known_by_their_content() -> None:
    (one,) = opened(b'[{"event":"bot","text":"a"}]')
    (other,) = opened(b'[{"event":"bot","text":"b"}]')
    assert one.session.session_id != other.session.session_id
    assert one.session.source != other.session.source


# --- SQLite ----------------------------------------------------------------------------------------------------------

COLUMNS = {
    "conversation_event": "id INTEGER PRIMARY KEY, conversation_id TEXT, type_name TEXT, timestamp FLOAT, data TEXT",
    "events": "id INTEGER PRIMARY KEY, sender_id VARCHAR(255), type_name TEXT, timestamp FLOAT, data TEXT",
}


def database(path: Path, table: str, rows: Sequence[tuple[int, str, str | None]]) -> Path:
    """A tracker store with ``rows`` of (id, sender, data)."""
    with sqlite3.connect(path) as store:
        store.execute(f"CREATE TABLE {table} ({COLUMNS[table]})")
        marks = f"INSERT INTO {table} VALUES (?, ?, 'x', 0, ?)"
        store.executemany(marks, rows)
    store.close()
    return path


@pytest.mark.parametrize("table", COLUMNS)
def test_a_tracker_store_gives_what_its_events_give(tmp_path: Path, table: str) -> None:
    both = events(6, "anna") + events(6, "ben", 1.6e9)
    rows = [(i, row["sender_id"], json.dumps(row)) for i, row in enumerate(both, 1)]
    path = database(tmp_path / "rasa?#%.db", table, rows[::-1])
    assert sniff(path) == "rasa-sql"
    lines = opened(b"\n".join(json.dumps(row).encode() for row in both))
    for source in (path, path.read_bytes()):
        assert [(o.session.source, o.items) for o in opened(source)] == [(o.session.source, o.items) for o in lines]


def test_reading_a_store_changes_nothing_beside_it(tmp_path: Path) -> None:
    path = database(tmp_path / "store", "events", [(1, "a", '{"event":"bot","text":"x"}')])
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    opened(path)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_each_step_of_the_reading_may_be_taken_in_another_thread(tmp_path: Path) -> None:
    rows = [(i, row["sender_id"], json.dumps(row)) for i, row in enumerate(events(4) + events(4, "ben"), 1)]
    for source in (path := database(tmp_path / "store", "events", rows), path.read_bytes()):
        found, taken = read(source), 0
        while (session := in_thread(next, found, None)) is not None:
            while in_thread(next, session.items, None) is not None:
                taken += 1
        assert taken == sum(len(o.items) for o in opened(source))


def in_thread(run: Callable[..., Any], *args: Any) -> Any:
    """What ``run`` gives in a thread of its own."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run, *args).result()


def test_a_bad_row_costs_that_row(tmp_path: Path) -> None:
    good = '{"event":"bot","text":"x","timestamp":1}'
    rows = [(1, "a", good), (2, "a", None), (3, "a", "{"), (4, "a", '"' + "x" * (3 << 20) + '"'), (5, "a", good)]
    report = Report()
    (session,) = opened(database(tmp_path / "store", "events", rows), report)
    assert len(session.of(Answered)) == 2
    assert [p.where for p in report.problems] == [f"store table events row {n}" for n in (2, 3, 4)]


def test_a_view_in_place_of_the_table_is_refused(tmp_path: Path) -> None:
    path = database(tmp_path / "store", "events", [(1, "a", "{}")])
    with sqlite3.connect(path) as store:
        store.execute("ALTER TABLE events RENAME TO real")
        store.execute("CREATE VIEW events AS SELECT * FROM real")
    store.close()
    with pytest.raises(UnknownFormat) as caught:
        opened(path)
    assert "no table of events" in str(caught.value)


# --- progress --------------------------------------------------------------------------------------------------------


def test_progress_rises_to_the_end_and_may_stop_the_reading() -> None:
    content = b"\n".join(json.dumps(row).encode() for row in events(2000))
    heard: list[tuple[int, int]] = []
    opened(content, progress=lambda done, total: heard.append((done, total)))
    assert 90 <= len(heard) <= 110
    assert heard == sorted(heard)
    assert heard[-1][0] / heard[-1][1] > 0.98

    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        opened(content, progress=stop)


def test_the_items_come_as_they_are_asked_for() -> None:
    content = b"\n".join(json.dumps(row).encode() for row in events(3000))
    report = Report()
    (session,) = [next(iter(read(content, report=report)))]
    first = [next(session.items) for _ in range(10)]
    assert len(first) == 10
    assert report.events < 100
    assert type(first[0].signal) is SessionStarted
    assert not any(type(item.signal) is Undone for item in first)


def test_a_gap_of_a_file_is_not_laid_on_a_queue() -> None:
    said = b'{"sender_id": "c", "event": "user", "text": "%s", "timestamp": %d}'
    lines = [said % (text, 1_700_000_000 + i) for i, text in enumerate((b"one", b"t\xffo", b"three"))]
    (taken,) = opened(b"\n".join(lines))
    (gap,) = mapped("c", taken.session.source, taken.items).map.findings.values()
    assert gap.reason == {
        "en": "1 event missing from the file that was imported, or unreadable in it",
        "zh": "1 条事件在导入的文件中缺失或无法读取",
    }
