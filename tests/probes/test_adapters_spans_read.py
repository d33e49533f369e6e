"""Records of spans as they are exported: OTLP, Phoenix and the SDKs' own JSON; old names, new names, and anything."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingbot_probes.adapters.spans_read import read_span
from lingbot_probes.codec import SignalError, numbered_from_dict, numbered_to_dict
from lingbot_probes.signals import (
    Answered,
    Doc,
    Failed,
    IntentRouted,
    Numbered,
    Raw,
    Retrieved,
    SessionStarted,
    TurnStarted,
)
from tests.probes.spans_telling import Telling
from tests.probes.test_adapters_rasa import VALUES
from tests.probes.test_adapters_spans import START, Record, of, signals, told

# --- OpenTelemetry's own spelling ------------------------------------------------------------------------------------


def otel(id: str, parent: str = "", at: float = 0.0, code: int = 0, **more: Any) -> Record:
    """A span of an OTLP request."""

    def packed(value: Any) -> Record:
        if isinstance(value, list):
            return {"arrayValue": {"values": [packed(item) for item in value]}}
        if isinstance(value, dict):
            return {"kvlistValue": {"values": [{"key": key, "value": packed(held)} for key, held in value.items()]}}
        name = {str: "stringValue", bool: "boolValue", int: "intValue", float: "doubleValue"}[type(value)]
        return {name: str(value) if type(value) is int else value}

    return {
        "traceId": "AB" * 16,
        "spanId": id * 16,
        "parentSpanId": parent * 16,
        "name": id,
        "kind": 1,
        "startTimeUnixNano": str(int((START + at) * 1e9)),
        "endTimeUnixNano": int((START + at + 1) * 1e9),
        "attributes": [{"key": k.replace("__", "."), "value": packed(v)} for k, v in more.items()],
        "status": {"code": code, "message": "it broke"} if code else {},
    }


def test_genai_spans_inherit_the_conversation_and_bring_documents_and_messages() -> None:
    asked = [{"role": "user", "parts": [{"type": "text", "content": "退票要多少钱？"}]}]
    answer = [{"role": "assistant", "parts": [{"type": "text", "content": "免费。"}], "finish_reason": "stop"}]
    items = told(
        otel("2", "1", 1, gen_ai__operation__name="retrieval", gen_ai__retrieval__query__text="退票",
             gen_ai__retrieval__documents=[{"id": "d1", "score": 0.5}], gen_ai__request__top_k=3),
        otel("3", "1", 2, gen_ai__operation__name="execute_tool", gen_ai__tool__name="price", code=2),
        otel("4", "1", 3, gen_ai__operation__name="chat", gen_ai__request__model="m",
             gen_ai__usage__input_tokens=12, gen_ai__output__messages=json.dumps(answer, ensure_ascii=False)),
        otel("1", "", 0, gen_ai__operation__name="invoke_agent", gen_ai__agent__name="desk",
             gen_ai__conversation__id="c9", gen_ai__input__messages=json.dumps(asked)),
    )  # fmt: skip
    assert {item.session for item in items} == {"c9"}
    assert [item.signal for item in items][1:] == [
        TurnStarted(turn="1", utterance="退票要多少钱？"),
        IntentRouted(intent="desk"),
        Retrieved(
            query="退票", stage="fused", docs=(Doc(id="d1", score=0.5, rank=1),), params={"top_k": 3, "retriever": "2"}
        ),
        Raw(name="tool", data={"span": "3", "tool": "price"}),
        Failed(where="3", error="it broke"),
        Raw(name="llm", data={"span": "4", "model": "m", "tokens_in": 12, "text": "免费。"}),
        Answered(text="免费。"),
    ]
    assert items[1].said_at == START


@pytest.mark.parametrize(
    "old",
    [
        {"gen_ai__prompt": "hello", "gen_ai__completion": "bye"},
        {"gen_ai__prompt__0__role": "user", "gen_ai__prompt__0__content": "hello",
         "gen_ai__completion__0__content": "bye"},
        {"gen_ai__input__messages": [{"role": "user", "content": "hello"}],
         "gen_ai__output__messages": [{"role": "assistant", "parts": [{"type": "text", "content": "bye"}]}]},
    ],
)  # fmt: skip
def test_older_names_of_messages(old: Record) -> None:
    items = signals(otel("1", gen_ai__system="openai", gen_ai__usage__prompt_tokens=4, **old))
    assert items[1:] == [
        TurnStarted(turn="1", utterance="hello"),
        Raw(name="llm", data={"span": "1", "tokens_in": 4, "text": "bye"}),
        Answered(text="bye"),
    ]


def test_messages_recorded_as_events() -> None:
    record = otel("1", gen_ai__system="x")
    record["events"] = [
        {"name": "gen_ai.user.message", "attributes": [{"key": "content", "value": {"stringValue": "hello"}}]},
        {"name": "gen_ai.choice", "attributes": [{"key": "message", "value": {"stringValue": '{"content": "bye"}'}}]},
    ]
    assert [type(s) for s in signals(record)] == [SessionStarted, TurnStarted, Raw, Answered]
    assert of(TurnStarted, record)[0].utterance == "hello"
    assert of(Answered, record)[0].text == "bye"


def test_openinference_attributes_within_otlp_count_too() -> None:
    (found,) = of(
        Retrieved, otel("1", openinference__span__kind="RETRIEVER", retrieval__documents__0__document__id="d")
    )
    assert [doc.id for doc in found.docs] == ["d"]


def test_spellings_of_a_span() -> None:
    flat = {"openinference.span.kind": "LLM", "session.id": "s"}
    nested = {"openinference": {"span": {"kind": "LLM"}}, "session": {"id": "s"}}
    iso, end = "2023-11-14T22:13:20.000000000Z", "2023-11-14T22:13:21Z"
    spellings: list[Record] = [
        {"context": {"trace_id": "0x" + "ab" * 16, "span_id": "0x" + "CD" * 8}, "attributes": flat, "start_time": iso,
         "end_time": end, "status": {"status_code": "ERROR", "description": "e"}},
        {"trace_id": "ab" * 16, "span_id": "cd" * 8, "attributes": nested, "start_time": START, "end_time": START + 1,
         "status_code": "ERROR", "status_message": "e"},
        {"traceId": "AB" * 16, "spanId": "CD" * 8, "attributes": json.dumps(flat), "startTime": int(START * 1000),
         "endTime": int(START * 1e6) + 1_000_000, "status": {"code": "STATUS_CODE_ERROR", "message": "e"}},
        {"context.trace_id": "ab" * 16, "context.span_id": "cd" * 8, "start_time": START * 1e9, "end_time": end,
         "status_code": "ERROR", "status_message": "e", **{f"attributes.{k}": v for k, v in flat.items()}},
    ]  # fmt: skip
    for record in spellings:
        read = read_span(record)
        assert (read.trace, read.id, read.kind, read.session) == ("ab" * 16, "cd" * 8, "LLM", "s")
        assert (read.start, read.end, read.failed, read.error) == (START, START + 1, True, "e")


# --- whatever comes --------------------------------------------------------------------------------------------------


NAMES = [
    "agent.name",
    "gen_ai.operation.name",
    "gen_ai.output.messages",
    "graph.node.id",
    "input",
    "input.value",
    "llm.input_messages",
    "metadata",
    "output.value",
    "reranker.input_documents.x",
    "retrieval.documents",
    "retrieval.documents.0.document.metadata",
    "session.id",
]


@given(
    st.lists(
        st.fixed_dictionaries(
            {"trace_id": st.sampled_from(["t", "u"]), "span_id": st.sampled_from("123")},
            optional={
                "parent_id": st.sampled_from("0123") | VALUES,
                "span_kind": st.sampled_from(["LLM", "RETRIEVER", "RERANKER", "AGENT", "TOOL", "CHAIN"]) | VALUES,
                "start_time": st.floats() | VALUES,
                "end_time": VALUES,
                "name": VALUES,
                "status": VALUES,
                "status_code": st.sampled_from(["ERROR", "OK"]) | VALUES,
                "events": VALUES | st.lists(st.fixed_dictionaries({"name": VALUES, "attributes": VALUES})),
                "attributes": VALUES
                | st.dictionaries(
                    st.sampled_from(NAMES),
                    VALUES,
                ),
            },
        )
        | VALUES
    )
)
def test_anything_is_told_or_refused_and_nothing_else_happens(records: list[Any]) -> None:
    spans = Telling()
    items: list[Numbered] = []
    for record in records:
        try:
            items += spans.take(record)
        except SignalError:
            continue
    items += spans.end()
    by_session: dict[str, list[int]] = {}
    for item in items:
        by_session.setdefault(item.session, []).append(item.n)
        assert numbered_from_dict(json.loads(json.dumps(numbered_to_dict(item)))).n == item.n
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in by_session.values())
