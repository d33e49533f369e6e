"""Exports of spans: containers, identity, order, what is said to be lost, and what is refused."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from lingbot_map.codec import dump
from lingbot_map.errors import BadInput, LingbotMapError, TooLarge
from lingbot_map.importers import LIMITS, Report, read, sniff, traces
from lingbot_probes.signals import Answered, Failed, IntentRouted, Retrieved, SessionStarted, TurnStarted
from tests.samples.imports import FILES, mapped, opened

Record = dict[str, Any]
LINES = (FILES / "spans.jsonl").read_text("utf-8").splitlines()
RECORDS: list[Record] = [json.loads(line) for line in LINES]
REQUEST: Record = json.loads((FILES / "request.json").read_text("utf-8"))


def record(trace: int, own: int, parent: int = 0, at: float = 0.0, kind: str = "CHAIN", **more: Any) -> Record:
    """A span as Phoenix writes it; ``more`` are attributes with ``__`` for dots."""
    return {
        "name": f"step {own}",
        "context": {"trace_id": f"{trace:032x}", "span_id": f"{trace:08x}{own:08x}"},
        "parent_id": f"{trace:08x}{parent:08x}" if parent else None,
        "span_kind": kind,
        "start_time": 1.7e9 + at,
        "end_time": 1.7e9 + at + 1,
        "status_code": "OK",
        "attributes": {key.replace("__", "."): value for key, value in more.items()},
    }


def turns(count: int, session: str = "s", first: int = 1) -> list[Record]:
    """``count`` turns of two spans each, children first, as exporters write them."""
    out = []
    for i in range(first, first + count):
        out.append(record(i, 2, 1, i * 10 + 1, "TOOL", tool__name=f"tool {i}"))
        out.append(record(i, 1, 0, i * 10, session__id=session, input__value=f"say {i}", output__value=f"answer {i}"))
    return out


def lines(records: list[Record]) -> bytes:
    return b"\n".join(json.dumps(record).encode() for record in records)


# --- containers ------------------------------------------------------------------------------------------------------


def test_phoenix_lines() -> None:
    report = Report()
    (session,) = opened(FILES / "spans.jsonl", report)
    assert (report.format, report.records, report.problem_count) == ("openinference", 4, 0)
    assert session.session.session_id == "tea-shop"
    assert [s.utterance for s in session.of(TurnStarted)] == ["毛尖多少钱？", "那寄到上海要多久？"]
    assert [s.text for s in session.of(Answered)] == ["每百克八十元。", "两天。"]
    assert session.of(IntentRouted) == [IntentRouted(intent="shop")]
    (found,) = session.of(Retrieved)
    assert [(doc.id, doc.score, doc.rank) for doc in found.docs] == [("tea-7", 0.82, 1), ("tea-9", 0.79, 2)]
    assert session.of(Failed) == [Failed(where="price_of", error="no such tea (KeyError: 毛尖)")]
    assert session.session.coverage == {"flow": "partial", "state": "none", "knowledge": "partial"}
    assert {fact["code"]: fact["count"] for fact in session.session.lost} == {"unrouted": 1, "state": 0, "reordered": 2}
    assert session.of(SessionStarted)[0].meta["order_in_file"] == [2, 1]


def test_an_otlp_request() -> None:
    report = Report()
    (session,) = opened(FILES / "request.json", report)
    assert (report.format, report.records, report.problem_count) == ("otlp", 3, 0)
    assert session.session.session_id == "conv-1"
    assert session.of(TurnStarted) == [TurnStarted(turn="1", utterance="How do I get a refund?")]
    assert [doc.id for doc in session.of(Retrieved)[0].docs] == ["faq-3"]
    assert session.of(Failed) == [Failed(where="SELECT", error="locked")]
    assert session.of(Answered) == [Answered(text="Write to us.")]
    assert {fact["code"]: fact["count"] for fact in session.session.lost} == {"state": 0, "plumbing": 1, "aside": 1}


def test_the_same_spans_in_any_container_are_the_same_session() -> None:
    expected = opened(FILES / "spans.jsonl")
    nested = [
        {**r, "attributes": {"openinference": {"span": {"kind": r["span_kind"]}}, **r["attributes"]}} for r in RECORDS
    ]
    for content in (
        json.dumps(RECORDS),
        json.dumps(RECORDS, indent=1),
        json.dumps({"traceId": "aa", "project": "p", "spans": RECORDS}),
        json.dumps({"traceId": "aa", "spans": RECORDS}, indent=2),
        json.dumps([{"traceId": "aa", "spans": RECORDS[:1]}, {"traceId": "ab", "spans": RECORDS[1:]}]),
        "\n".join(json.dumps({"spans": RECORDS[i : i + 2]}) for i in (0, 2)),
        json.dumps({"first try": RECORDS[:3], "second try": RECORDS[3:]}, indent=1),
        json.dumps({"data": RECORDS}),
        "\r\n".join(json.dumps(r) for r in nested),
        "\n".join(json.dumps({**r, "attributes": json.dumps(r["attributes"])}) for r in RECORDS),
    ):  # fmt: skip
        assert sniff(content.encode()) == "openinference"
        found = opened(content.encode())
        assert [(o.session.source, o.items) for o in found] == [(o.session.source, o.items) for o in expected]


def test_one_span_alone_in_a_document() -> None:
    (session,) = opened(json.dumps(RECORDS[-1], indent=1).encode())
    assert session.of(TurnStarted)[0].utterance == "毛尖多少钱？"


def test_a_request_a_line_also_where_a_line_is_longer_than_any_span_may_be() -> None:
    (expected,) = opened(FILES / "request.json")
    (two,) = opened(b"\n".join([json.dumps(REQUEST).encode()] * 2))
    assert two.items == expected.items
    request = json.loads(json.dumps(REQUEST))
    many = request["resourceSpans"][1]["scopeSpans"][0]["spans"]
    health = many[1]
    many += [{**health, "traceId": f"{i:032x}", "attributes": [{"key": "k", "value": {"stringValue": "x" * 900}}]}
             for i in range(2, 1500)]  # fmt: skip
    long = json.dumps(request).encode()
    assert len(long) > LIMITS.line
    for content in (long, long + b"\n" + long, json.dumps(REQUEST).encode() + b"\n" + long):
        assert sniff(content) == "otlp"
        (session,) = opened(content)
        assert session.items == expected.items


def test_attributes_of_a_resource_that_look_like_spans_are_none() -> None:
    request = json.loads(json.dumps(REQUEST))
    trap = {"key": "note", "value": {"stringValue": '{"spans": [{"traceId": "x", "spanId": "y"}]}'}}
    request["resourceSpans"][0]["resource"]["attributes"].append(trap)
    assert opened(json.dumps(request).encode())[0].items == opened(FILES / "request.json")[0].items


# --- sessions, order, identity ---------------------------------------------------------------------------------------


def test_sessions_are_told_apart_and_turns_go_by_time_whatever_the_order_of_the_file() -> None:
    records = [*turns(5, "a"), *turns(5, "b", 6), record(90, 1, at=5000.0, input__value="alone")]
    expected = {o.session.session_id: (o.session.source, o.items[1:]) for o in opened(lines(records))}
    assert set(expected) == {"a", "b", f"trace {90:032x}"}
    rng = random.Random(3)
    for _ in range(20):
        rng.shuffle(records)
        found = opened(lines(records))
        assert {o.session.session_id: (o.session.source, o.items[1:]) for o in found} == expected
        for o in found:
            told = [int(s.utterance.split()[1]) for s in o.of(TurnStarted)] if o.session.session_id in "ab" else []
            assert told == sorted(told)


def test_where_times_are_equal_the_order_of_the_file_counts() -> None:
    two = [record(i, 1, at=5.0, session__id="s", input__value=f"say {i}") for i in (1, 2)]
    for order in (two, two[::-1]):
        (session,) = opened(lines(order))
        assert [s.utterance for s in session.of(TurnStarted)] == [r["attributes"]["input.value"] for r in order]
        assert "reordered" not in {fact["code"] for fact in session.session.lost}


def test_a_longer_export_goes_on_where_the_shorter_one_ended_and_a_second_import_adds_nothing() -> None:
    (short,) = opened(lines(turns(3)))
    for content in (lines(turns(7)), lines(turns(7)[::-1]), json.dumps(turns(7)).encode()):
        (long,) = opened(content)
        assert long.session.source == short.session.source
        assert long.items[1 : len(short.items)] == short.items[1:]
        mapper = mapped("s", short.session.source, short.items)
        before = mapper.map.cursor.seq
        mapped("s", short.session.source, short.items, mapper)
        assert mapper.map.cursor.seq == before
        mapped("s", long.session.source, long.items, mapper)
        (plain,) = opened(lines(turns(7)))
        assert dump(mapper.map) == dump(mapped("s", plain.session.source, plain.items).map)


def test_spans_that_stand_twice_in_a_file_count_once() -> None:
    report = Report()
    (session,) = opened(lines(turns(3) * 2), report)
    assert session.items == opened(lines(turns(3)))[0].items
    assert report.repeated == 6


# --- what is lost ----------------------------------------------------------------------------------------------------


def test_what_was_lost_is_said_in_numbers_in_both_languages() -> None:
    records = [
        record(1, 1, 9, 0, "LLM", session__id="s"),
        record(1, 2, 8, 5, "UNKNOWN"),
        record(1, 3, 1, -5, "CHAIN", session__id="other"),
        record(2, 1, 0, 50, "AGENT", session__id="s", input__value="hi", output__value="yo"),
    ]
    (session,) = opened(lines(records))
    facts = {fact["code"]: fact for fact in session.session.lost}
    counts = {code: fact["count"] for code, fact in facts.items()}
    expected = {"unrouted": 2, "knowledge": 0, "unheard": 1, "unheard_answers": 1, "rootless": 1, "orphans": 2}
    expected |= {"skewed": 1, "mixed": 1, "chains": 1, "plumbing": 1, "state": 0}
    assert counts == expected
    assert all(fact["en"] and fact["zh"] and "{" not in fact["en"] + fact["zh"] for fact in facts.values())


def test_traces_of_other_programs_alone_are_refused_by_a_sentence() -> None:
    request = {"resourceSpans": [REQUEST["resourceSpans"][1]]}
    with pytest.raises(BadInput) as caught:
        opened(json.dumps(request).encode(), name="f")
    assert str(caught.value) == (
        "f: expected spans of OpenInference or of OpenTelemetry's GenAI conventions, found 2 spans of other kinds alone"
    )


def test_a_bad_span_costs_that_span_and_no_session() -> None:
    bad = [
        b'{"context": {"trace_id": "t"',
        b"17",
        b'{"name": "no ids"}',
        b'{"context": {"trace_id": "t"}, "name": "x"}',
    ]
    good = lines(turns(1)).split(b"\n")
    report = Report()
    (session,) = opened(b"\n".join([good[0], *bad, good[1]]), report, name="f")
    assert session.items == opened(lines(turns(1)))[0].items
    assert [problem.where for problem in report.problems] == ["f line 2", "f line 3", "f line 4", "f line 5"]
    with pytest.raises(BadInput):
        opened(b"\n".join([good[0], *bad]), strict=True)


def test_a_span_that_is_too_deep_is_a_gap_in_its_own_session() -> None:
    deep = json.dumps(record(1, 3, 1, 1, "TOOL", session__id="s")).replace('"step 3"', "[" * 70 + "]" * 70)
    report = Report()
    other, session = opened(lines(turns(1, "o", 2)) + b"\n" + deep.encode() + b"\n" + lines(turns(1)), report)
    assert [o.session.problem_count for o in (other, session)] == [0, 1]
    assert "nested deeper" in report.problems[0].reason
    assert "unread" in {fact["code"] for fact in session.session.lost}


@pytest.mark.parametrize("format", ["openinference", "otlp"])
def test_in_lines_of_exports_each_line_that_is_none_is_named_by_its_number(format: str) -> None:
    def export(*spans: Record) -> str:
        if format == "openinference":
            return json.dumps({"spans": spans})
        return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})

    told = turns(4)
    good = [export(*told[i : i + 2]) for i in range(0, 8, 2)]
    nothing = export()
    content = [good[0], "5", "[1, 2]", good[1], '{"a": 1}', '"text"', nothing, '{"resourceSpans": []}', "null", ""]
    content += ["{broken", '{"resourceSpans": 5}', good[2], good[2].replace("say", "cut")[:-60], good[3]]
    report = Report()
    (session,) = opened("\n".join(content).encode(), report)
    assert report.format == format
    assert [signal.utterance for signal in session.of(TurnStarted)] == [f"say {i}" for i in range(1, 5)]
    assert [problem.where for problem in report.problems] == [
        f"the upload line {n}" for n in (2, 3, 5, 6, 9, 11, 12, 14)
    ]
    assert report.problem_count == 8
    assert "found one with a" in report.problems[2].reason
    for first in ("7", "{broken"):
        report = Report()
        opened("\n".join([first, *content]).encode(), report)
        assert [problem.where for problem in report.problems] == [
            f"the upload line {n}" for n in (1, 3, 4, 6, 7, 10, 12, 13, 15)
        ]


def test_a_document_over_several_lines_is_no_file_of_lines() -> None:
    spread = '{"a":\n' + json.dumps({"spans": turns(1)}) + "\n}"
    report = Report()
    assert len(opened(spread.encode(), report)) == 1
    assert report.problem_count == 0


def test_a_cut_or_damaged_export_gives_what_is_whole_in_it() -> None:
    for content in (json.dumps(RECORDS), json.dumps({"spans": RECORDS}), json.dumps(REQUEST)):
        whole = content.encode()
        for cut in range(len(whole) // 2, len(whole) - 1, 97):
            report = Report()
            try:
                sessions = opened(whole[:cut], report, name="f")
            except LingbotMapError:
                continue
            assert sessions
            assert report.problems
    lists = [{"spans": turns(1)}, {"spans": turns(1, "s", 2)}, {"spans": turns(1, "s", 3)}]
    text = json.dumps(lists)
    damaged = text.replace('"step 2", "context": {"trace_id": "' + f"{2:032x}", '"step 2", !')
    assert damaged != text
    report = Report()
    (session,) = opened(damaged.encode(), report)
    assert [s.utterance for s in session.of(TurnStarted)][-1] == "say 3"
    assert report.problem_count == 1


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traces, "_TRACES", 2)
    with pytest.raises(TooLarge):
        opened(lines(turns(3)))
    monkeypatch.undo()
    monkeypatch.setattr(traces, "MOST_SPANS", 4)
    many = [record(1, 1, 0, 0, session__id="s", input__value="q", output__value="a")]
    many += [record(1, i, 1, i, "TOOL", tool__name="t") for i in range(2, 12)]
    (session,) = opened(lines(many))
    assert len(session.items) == 3 + 10
    assert {item.turn for item in session.items[1:]} == {"1"}
    assert {fact["code"]: fact["count"] for fact in session.session.lost}["late"] == 7


def test_a_consumer_that_leaves_a_session_unread_gets_the_next_one_whole() -> None:
    content = lines([*turns(3, "a"), *turns(3, "b", 4)])
    _, skipped = read(content)
    assert len(list(skipped.items)) > 0
    assert skipped.session_id == "b"
