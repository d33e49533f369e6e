"""Spans to signals: turns, sessions, retrieval, models, tools, errors; in any order, in either convention."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingbot_probes.adapters import spans_wait
from lingbot_probes.adapters.spans import NOT_CAPTURED
from lingbot_probes.signals import (
    Answered,
    Doc,
    Failed,
    IntentRouted,
    Raw,
    Retrieved,
    SessionStarted,
    TurnStarted,
)
from tests.probes.spans_telling import Telling

Record = dict[str, Any]
START = 1_700_000_000.0


def span(id: str, kind: str = "", parent: str = "", at: float = 0.0, **more: Any) -> Record:
    """A span as Phoenix writes it; attributes are given with ``__`` for dots."""
    fields = ("name", "status_code", "status_message", "events", "trace")
    attributes = {key.replace("__", "."): value for key, value in more.items() if key not in fields}
    return {
        "name": more.get("name", id),
        "context": {"trace_id": more.get("trace", "t1"), "span_id": id},
        "parent_id": parent or None,
        "span_kind": kind or "UNKNOWN",
        "start_time": START + at,
        "end_time": START + at + 0.5,
        "status_code": more.get("status_code", "OK"),
        "status_message": more.get("status_message", ""),
        "attributes": attributes,
        "events": more.get("events", []),
    }


def told(*records: Record) -> list[Any]:
    """What is said to ``records``, one after the other, and at the end: `Numbered` signals."""
    spans = Telling()
    return [item for record in records for item in spans.take(record)] + spans.end()


def signals(*records: Record) -> list[Any]:
    return [item.signal for item in told(*records)]


def of(kind: type, *records: Record) -> list[Any]:
    return [signal for signal in signals(*records) if type(signal) is kind]


def rag(trace: str = "t1", at: float = 0.0, session: str = "s") -> list[Record]:
    """A turn that retrieves, reranks and answers; the root comes last, as it ends last."""
    texts = {
        "a": "Refunds within 30 days are free of charge.",
        "b": "Older refunds cost five euros each.",
        "c": "We sell tea.",
    }
    found: Record = {f"retrieval__documents__{i}__document__id": id for i, id in enumerate("abc")}
    found |= {f"retrieval__documents__{i}__document__content": texts[id] for i, id in enumerate("abc")}
    found |= {f"retrieval__documents__{i}__document__score": 0.9 - i / 10 for i in range(3)}
    ranked: Record = {f"reranker__input_documents__{i}__document__id": id for i, id in enumerate("abc")}
    ranked |= {f"reranker__output_documents__{i}__document__id": id for i, id in enumerate("ba")}
    ranked |= {f"reranker__output_documents__{i}__document__score": 7.5 - i for i in range(2)}
    prompt: Record = {
        "llm__input_messages__0__message__role": "system",
        "llm__input_messages__0__message__content": f"Use this: {texts['b']} And this: {texts['a']}",
        "llm__input_messages__1__message__role": "user",
        "llm__input_messages__1__message__content": "can I return it?",
        "llm__output_messages__0__message__role": "assistant",
        "llm__output_messages__0__message__content": "Yes, for free.",
    }
    names = {"trace": trace}
    return [
        span("2", "RETRIEVER", "1", at + 1, input__value="return", name="faq", **found, **names),
        span("3", "RERANKER", "1", at + 2, reranker__query="return", reranker__top_k=2, **ranked, **names),
        span("4", "LLM", "1", at + 3, name="chat", llm__model_name="m", **prompt, **names),
        span("1", "CHAIN", at=at, session__id=session, input__value="can I return it?", output__value="Yes.", **names),
    ]


def test_a_trace_is_a_turn_from_the_question_to_the_answer() -> None:
    items = told(*rag())
    assert {item.session for item in items} == {"s"}
    assert [item.n for item in items] == list(range(1, len(items) + 1))
    assert [type(item.signal) for item in items] == [
        SessionStarted,
        TurnStarted,
        Retrieved,
        Retrieved,
        Retrieved,
        Raw,
        Answered,
    ]
    assert items[1].signal == TurnStarted(turn="1", utterance="can I return it?")
    assert (items[1].said_at, items[-1].said_at) == (START, START + 0.5)
    assert items[-1].signal == Answered(text="Yes.", docs=("a", "b"))
    recalled, ranked, prompt = (item.signal for item in items[2:5])
    assert (recalled.query, recalled.stage, recalled.params) == ("return", "fused", {"retriever": "faq"})
    assert [(doc.id, doc.score, doc.rank) for doc in recalled.docs] == [("a", 0.9, 1), ("b", 0.8, 2), ("c", 0.7, 3)]
    assert recalled.docs[2].snippet == "We sell tea."
    assert (ranked.stage, ranked.params) == ("reranked", {"top_k": 2})
    assert ranked.docs == (Doc(id="b", score=7.5, rank=1), Doc(id="a", score=6.5, rank=2))
    assert (prompt.stage, [doc.id for doc in prompt.docs], prompt.params["known_by"]) == ("prompt", ["a", "b"], "text")
    assert items[5].signal == Raw(name="llm", data={"span": "chat", "model": "m", "text": "Yes, for free."})


@given(st.permutations(range(4)))
def test_the_order_of_arrival_changes_nothing(order: list[int]) -> None:
    records = rag()
    expected = told(*records)
    mixed = [records[place] for place in order]
    if order[-1] == 3:
        assert told(*mixed) == expected
    items = told(*mixed)  # what comes after its root joins the turn that was told, and nothing is said twice
    assert {item.turn for item in items[1:]} == {"1"}
    assert [item.n for item in items] == list(range(1, len(items) + 1))
    stages = [item.signal.stage for item in items if type(item.signal) is Retrieved]
    assert stages.count("reranked") == 1
    assert len([item for item in items if type(item.signal) in (Answered, TurnStarted)]) == 2


def test_a_span_that_arrives_twice_counts_once() -> None:
    records = rag()
    assert told(*records[:3], *records, *records) == told(*records)


def test_a_turn_is_told_when_its_root_has_ended_and_not_before() -> None:
    spans = Telling()
    *rest, root = rag()
    assert [spans.take(record) for record in rest] == [[], [], []]
    assert len(spans.take(root)) == 7
    assert spans.end() == []


def test_without_a_root_what_is_there_is_told_at_the_end() -> None:
    items = told(*rag()[:3])
    assert [type(item.signal) for item in items[:2]] == [SessionStarted, TurnStarted]
    assert items[1].signal == TurnStarted(turn="1", utterance="can I return it?")
    assert items[-1].signal == Answered(text="Yes, for free.", docs=("a", "b"))


def test_the_session_comes_from_the_root_else_from_any_span_else_it_is_the_trace() -> None:
    root = span("1", "AGENT", input__value="hi")
    assert {i.session for i in told(span("2", "LLM", "1", session__id="inner"), root)} == {"inner"}
    named = span("1", "AGENT", input__value="hi", session__id="outer")
    assert {i.session for i in told(span("2", "LLM", "1", session__id="inner"), named)} == {"outer"}
    assert {i.session for i in told(root)} == {"trace t1"}


def test_two_traces_of_a_session_are_two_turns_of_it_also_when_they_mix() -> None:
    one, two = rag("t1"), rag("t2", 100.0)
    items = told(*one[1:3], *two[:2], one[0], one[3], *two[2:])
    assert [(i.turn, i.n) for i in items if type(i.signal) is TurnStarted] == [("1", 2), ("2", 8)]
    assert [i.n for i in items] == list(range(1, 14))


def test_a_wordless_root_over_turns_of_one_name_is_the_conversation() -> None:
    turns = [span(str(i), "AGENT", "0", i, name="turn", input__value=f"say {i}") for i in (1, 2, 3)]
    steps = [span(f"{i}b", "TOOL", str(i), i + 0.1, tool__name=f"tool{i}") for i in (1, 2, 3)]
    items = told(*steps, *turns, span("0", "CHAIN", name="conversation", session__id="s"))
    assert [(i.turn, i.signal.utterance) for i in items if type(i.signal) is TurnStarted] == [
        ("1", "say 1"),
        ("2", "say 2"),
        ("3", "say 3"),
    ]
    assert [i.turn for i in items if type(i.signal) is Raw] == ["1", "2", "3"]


def test_a_wordless_root_over_different_steps_is_one_turn() -> None:
    items = signals(
        span("1", "AGENT", "0", 1, name="plan", input__value="hi"),
        span("2", "AGENT", "0", 2, name="act", input__value="do it", output__value="done"),
        span("0", name="POST /chat"),
    )
    assert [s for s in items if type(s) is TurnStarted] == [TurnStarted(turn="1", utterance="hi")]


# --- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("订一张票", "订一张票"),
        ('{"question": "订一张票"}', "订一张票"),
        ('{"input": {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}}', "a"),
        ('[{"type": "human", "content": "1"}, {"type": "ai", "content": "x"}, {"type": "human", "content": "2"}]', "2"),
        ('{"unknown": 1}', '{"unknown": 1}'),
        ("{not json", "{not json"),
        ("__REDACTED__", "__REDACTED__"),
        ("", NOT_CAPTURED),
    ],
)  # fmt: skip
def test_what_was_asked(value: str, said: str) -> None:
    assert of(TurnStarted, span("1", "AGENT", input__value=value))[0].utterance == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("ok", "ok"),
        ('{"answer": "ok"}', "ok"),
        ('{"choices": [{"message": {"role": "assistant", "content": "ok"}}]}', "ok"),
        ('{"messages": [{"type": "human", "content": "a"}, {"type": "ai", "content": "ok"}]}', "ok"),
    ],
)
def test_what_was_answered(value: str, said: str) -> None:
    assert of(Answered, span("1", "CHAIN", input__value="q", output__value=value)) == [Answered(text=said)]


def test_words_that_were_not_captured_are_said_to_be_missing() -> None:
    items = signals(span("2", "LLM", "1", 1), span("1", "AGENT"))
    assert TurnStarted(turn="1", utterance=NOT_CAPTURED) in items
    assert items[-1] == Answered(text=NOT_CAPTURED)


def test_what_a_model_said_before_the_turn_failed_is_no_answer() -> None:
    said = span("2", "LLM", "1", 1, llm__output_messages__0__message__content="almost")
    assert of(Answered, said, span("1", "AGENT", input__value="q", status_code="ERROR")) == []
    assert of(Answered, said, span("1", "AGENT", input__value="q")) == [Answered(text="almost")]


def test_a_models_calls_of_tools_and_the_tools_themselves_are_kept() -> None:
    call = {
        "llm__output_messages__0__message__role": "assistant",
        "llm__output_messages__0__message__tool_calls__0__tool_call__function__name": "search",
    }
    kept = of(
        Raw,
        span("2", "LLM", "1", 1, name="m", llm__token_count__prompt=10, llm__token_count__completion=0, **call),
        span("3", "TOOL", "1", 2, tool__name="search", input__value='{"q": 1}', output__value="none", tool__id="c1"),
        span("1", "AGENT", input__value="q"),
    )
    assert kept == [
        Raw(name="llm", data={"span": "m", "tokens_in": 10, "tokens_out": 0, "calls": ["search"]}),
        Raw(name="tool", data={"span": "3", "tool": "search", "call": "c1", "arguments": {"q": 1}, "result": "none"}),
    ]


# --- flow ------------------------------------------------------------------------------------------------------------


def test_agents_and_nodes_are_routes_below_the_agent_around_them() -> None:
    routes = of(
        IntentRouted,
        span("2", "CHAIN", "1", 1, agent__name="desk"),
        span("3", "AGENT", "2", 2, agent__name="billing"),
        span("4", "CHAIN", "1", 3, graph__node__id="n2", graph__node__name="Reply", graph__node__parent_id="n1"),
        span("5", "CHAIN", "1", 4),
        span("6", "TOOL", "1", 5, agent__name="no route"),
        span("1", "AGENT", agent__name="desk", input__value="q"),
    )
    assert routes == [
        IntentRouted(intent="desk"),
        IntentRouted(intent="billing", parent="desk"),
        IntentRouted(intent="n2", label="Reply", parent="n1", predicted_by="graph"),
    ]


# --- errors ----------------------------------------------------------------------------------------------------------


def test_an_error_that_rose_through_several_spans_is_told_once_where_it_arose() -> None:
    boom = [{"name": "exception", "attributes": {"exception.type": "Timeout", "exception.message": "after 5 s\nof 5"}}]
    failures = of(
        Failed,
        span("3", "TOOL", "2", 2, name="lookup", status_code="ERROR", events=boom),
        span("2", "CHAIN", "1", 1, status_code="ERROR", status_message="Timeout: after 5 s of 5"),
        span("1", "AGENT", status_code="ERROR", input__value="q"),
    )
    assert failures == [Failed(where="lookup", error="Timeout: after 5 s of 5")]
    both = of(
        Failed,
        span("2", "TOOL", "1", 1, status_code="ERROR", status_message="no network"),
        span("1", "AGENT", status_code="ERROR", status_message="gave up after 3 tries", input__value="q"),
    )
    assert both == [Failed(where="2", error="no network"), Failed(where="1", error="gave up after 3 tries")]


def test_a_status_and_an_exception_that_differ_are_both_told() -> None:
    boom = [{"name": "exception", "attributes": {"exception.type": "KeyError", "exception.message": "tea"}}]
    for message, error in (
        ("no such tea", "no such tea (KeyError: tea)"),
        ("KeyError: tea", "KeyError: tea"),
        ("tea", "KeyError: tea"),
        ("in price_of KeyError: tea", "in price_of KeyError: tea"),
    ):
        failed = span("1", "TOOL", status_code="ERROR", status_message=message, events=boom)
        assert of(Failed, failed) == [Failed(where="1", error=error)]


def test_an_exception_that_was_handled_is_no_failure() -> None:
    boom = [{"name": "exception", "attributes": {"exception.message": "x"}}]
    assert of(Failed, span("1", "TOOL", events=boom)) == []


# --- knowledge -------------------------------------------------------------------------------------------------------


def test_documents_may_be_nested_or_a_text_and_may_lack_everything() -> None:
    metadata = json.dumps({"relevance_score": 0.5, "source": "faq.md", "version": 3, "updated_at": "2024-01-01"})
    nested = [{"document": {"content": "x", "metadata": metadata}}, {"document": {}}, {"document": {"id": 7}}]
    for value in (nested, json.dumps(nested)):
        (found,) = of(Retrieved, span("1", "RETRIEVER", input__value="q", retrieval__documents=value))
        first, empty, numbered = found.docs
        assert (first.title, first.score, first.score_kind, first.version) == ("faq.md", 0.5, "relevance_score", "3")
        assert first.updated_at == 1_704_067_200.0
        assert first.id.startswith("text:")
        assert empty == Doc(id=empty.id, rank=2)
        assert numbered.id == "7"
    (plain,) = of(Retrieved, span("1", "RETRIEVER", input__value="q", output__value='[{"page_content": "y"}]'))
    assert plain.docs[0].snippet == "y"
    (none,) = of(Retrieved, span("1", "RETRIEVER", input__value="q"))
    assert none.docs == ()


def test_a_retriever_that_says_how_it_searches_is_believed() -> None:
    for name, stage in (("BM25Retriever", "keyword"), ("VectorStoreRetriever", "vector"), ("Ensemble", "fused")):
        assert of(Retrieved, span("1", "RETRIEVER", name=name))[0].stage == stage


def test_what_a_reranker_was_given_is_told_where_no_retriever_told_it() -> None:
    stages = of(Retrieved, *rag()[1:2], rag()[3])
    assert [(s.stage, [doc.id for doc in s.docs]) for s in stages] == [
        ("fused", ["a", "b", "c"]),
        ("reranked", ["b", "a"]),
    ]


# --- bounds ---------------------------------------------------------------------------------------------------------


def test_a_circle_of_parents_and_a_chain_without_end_are_told() -> None:
    circle = signals(span("1", "TOOL", "2"), span("2", "TOOL", "1"), span("3", "TOOL", "3"))
    assert sum(type(s) is Raw for s in circle) == 3
    deep = [span(str(i), "TOOL", str(i - 1) if i else "") for i in range(5_000)]
    assert sum(type(s) is Raw for s in signals(*reversed(deep))) == 5_000


def test_no_more_than_so_many_spans_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans_wait, "MOST_SPANS", 3)
    spans = Telling()
    out = [spans.take(span(str(i), "TOOL", "0", i)) for i in range(1, 5)]
    assert [len(items) for items in out] == [0, 0, 0, 6]
    (late,) = spans.take(span("5", "TOOL", "0", 5))
    assert late.turn == "1"
