"""Exports of the OpenAI Agents SDK: containers, identity, order, what is lost, what is refused; saved runs too."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any

import pytest

from lingbot_map.codec import dump
from lingbot_map.errors import BadInput, LingbotMapError, UnknownFormat
from lingbot_map.importers import LIMITS, Report, columns_of, sniff
from lingbot_map.importers.growing import telling
from lingbot_probes.adapters.openai_agents import Trace, meaning
from lingbot_probes.signals import Answered, IntentRouted, Raw, Retrieved, SessionStarted, SlotAssigned, TurnStarted
from tests.samples import agents
from tests.samples.agents import call, lines, message, move, span, trace, whole_move
from tests.samples.imports import mapped, opened

SAVED: dict[str, Any] = {
    "$schemaVersion": "1.17",
    "current_agent": {"name": "teas"},
    "current_turn": 2,
    "context": {"approvals": {}, "context": {"customer": "anna"}, "usage": {"requests": 2}},
    "original_input": [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
        {"role": "user", "content": "send me Mao Jian"},
    ],
    "input_guardrail_results": [
        {"guardrail": {"type": "input", "name": "on topic"}, "output": {"tripwireTriggered": False}}
    ],
    "model_responses": [
        {"response_id": "r-1", "output": [{**call("transfer_to_teas"), "id": "fc-1"}], "usage": {"input_tokens": 9}},
        {"response_id": "r-2", "output": [{**call("order", tea="Mao Jian"), "id": "fc-2"}]},
    ],
    "generated_items": [
        {
            "type": "handoff_call_item",
            "agent": {"name": "desk"},
            "raw_item": {**call("transfer_to_teas"), "id": "fc-1"},
        },
        {
            "type": "handoff_output_item",
            "agent": {"name": "desk"},
            "raw_item": {"type": "function_call_output", "call_id": "call_transfer_to_teas", "output": "ok"},
            "source_agent": {"name": "desk"},
            "target_agent": {"name": "teas"},
        },
        {
            "type": "tool_call_item",
            "agent": {"name": "teas"},
            "tool_name": "order",
            "raw_item": {**call("order", tea="Mao Jian"), "id": "fc-2"},
        },
        {
            "type": "tool_approval_item",
            "agent": {"name": "teas"},
            "tool_name": "order",
            "raw_item": {**call("order", tea="Mao Jian"), "id": "fc-2"},
        },
    ],
    "trace": {"object": "trace", "id": "trace_1", "workflow_name": "Tea shop", "group_id": "chat-9"},
    "sandbox": {"session_state": {"environment": {"KEY": "sandbox-secret"}}},
}
LATER = [
    {
        "type": "tool_call_output_item",
        "agent": {"name": "teas"},
        "output": "ordered",
        "raw_item": {"type": "function_call_output", "call_id": "call_order", "output": "ordered"},
    },
    {
        "type": "message_output_item",
        "agent": {"name": "teas"},
        "raw_item": {**message("It is on its way."), "id": "m-1"},
    },
]


def test_traces_in_any_container_are_the_same_session() -> None:
    records = [*whole_move(), *move(2, "thanks", "welcome")]
    expected = opened(lines(records))
    assert [session.session.session_id for session in expected] == ["chat-1"]
    half = len(records) // 2
    for content in (
        json.dumps({"data": records}),
        json.dumps({"data": records}, indent=2),
        json.dumps(records),
        json.dumps(records, indent=1),
        "\n".join(json.dumps({"data": part}) for part in (records[:half], records[half:])),
        "\r\n".join(json.dumps(record) for record in records),
    ):
        assert sniff(content.encode()) == "openai-agents"
        found = opened(content.encode())
        assert [(o.session.source, o.items) for o in found] == [(o.session.source, o.items) for o in expected]


def test_one_span_alone_in_a_document_opens() -> None:
    (session,) = opened(json.dumps(whole_move()[6], indent=1).encode())
    assert session.of(Retrieved)
    assert session.session.session_id == f"trace_{1:032x}"


def test_the_session_is_the_group_else_the_trace() -> None:
    found = opened(
        lines([*move(1, "a", "b", group=None), *move(2, "c", "d", group="g"), *move(3, "e", "f", group="g")])
    )
    assert [(o.session.session_id, len(o.of(TurnStarted))) for o in found] == [(f"trace_{1:032x}", 1), ("g", 2)]


def test_turns_go_by_time_whatever_the_order_of_the_file() -> None:
    records = [record for number in range(1, 6) for record in move(number, f"ask {number}", f"answer {number}")]
    (expected,) = opened(lines(records))
    rng = random.Random(5)
    for _ in range(10):
        rng.shuffle(records)
        (session,) = opened(lines(records))
        assert session.items[1:] == expected.items[1:]
        assert session.session.source == expected.session.source
    turned = [record for number in (2, 1) for record in move(number, f"ask {number}", "ok")]
    (session,) = opened(lines(turned))
    assert [turn.utterance for turn in session.of(TurnStarted)] == ["ask 1", "ask 2"]
    assert {fact["code"]: fact["count"] for fact in session.session.lost}["reordered"] == 2
    assert session.of(SessionStarted)[0].meta["order_in_file"] == [2, 1]


def test_a_second_import_adds_nothing_and_a_longer_export_goes_on() -> None:
    short = [*whole_move(), *move(2, "thanks", "welcome")]
    long = [*short, *move(3, "one more", "sure")]
    (first,), (second,) = opened(lines(short)), opened(lines(long))
    assert first.session.source == second.session.source
    assert second.items[: len(first.items)] == first.items
    mapper = mapped("chat-1", first.session.source, first.items)
    before = mapper.map.cursor.seq
    mapped("chat-1", first.session.source, first.items, mapper)
    assert mapper.map.cursor.seq == before
    mapped("chat-1", second.session.source, second.items, mapper)
    assert dump(mapper.map) == dump(mapped("chat-1", second.session.source, second.items).map)


def test_a_batch_that_was_sent_twice_counts_once() -> None:
    report = Report()
    (session,) = opened(lines([*whole_move(), *whole_move()]), report)
    assert session.items == opened(lines(whole_move()))[0].items
    assert report.repeated == len(whole_move())


def test_what_was_lost_is_said_in_numbers_in_both_languages() -> None:
    records = [
        span(1, 2, "response", 0.1, 1, response_id="resp_1"),
        span(1, 4, "function", 0.3, 3, name="clock", input="{}", output="noon"),
        span(1, 1, "agent", 0.0, name="desk"),
    ]
    (session,) = opened(lines(records))
    facts = {fact["code"]: fact for fact in session.session.lost}
    counts = {code: fact["count"] for code, fact in facts.items()}
    assert counts == {"state": 0, "knowledge": 0, "unheard": 1, "unheard_answers": 1, "rootless": 1, "orphans": 1}
    assert "1" in facts["orphans"]["en"]
    assert "1" in facts["orphans"]["zh"]
    assert session.session.coverage == {"flow": "partial", "state": "none", "knowledge": "none"}


def test_one_bad_session_never_stops_the_others() -> None:
    bad = json.dumps({**trace(9, "broken"), "id": 9}).encode()
    deep = json.dumps(span(8, 1, "custom", 1.0, name="deep", data=json.loads("[" * 70 + "]" * 70))).encode()
    content = b"\n".join(
        [lines(move(1, "a", "b", group="first")), bad, b"no json", deep, lines(move(2, "c", "d", "g"))]
    )
    report = Report()
    found = opened(content, report)
    assert [session.session.session_id for session in found] == ["first", "g"]
    assert [str(problem).partition(": ")[0] for problem in report.problems] == [
        "the upload line 4", "the upload line 5", "the upload line 6",
    ]  # fmt: skip


def test_every_cut_of_an_export_gives_what_is_whole_in_it() -> None:
    content = json.dumps({"data": [*whole_move(), *move(2, "thanks", "welcome")]}).encode()
    for end in range(1, len(content), 97):
        report = Report()
        try:
            opened(content[:end], report)
        except LingbotMapError:
            continue
        assert report.problem_count


def test_a_conversation_of_one_agent_is_no_loop() -> None:
    records = [record for number in range(1, 30) for record in move(number, f"ask {number}", f"answer {number}")]
    (session,) = opened(lines(records))
    assert not mapped("chat-1", session.session.source, session.items).map.findings


# --- saved runs ------------------------------------------------------------------------------------------------------


def saved(**more: Any) -> bytes:
    return json.dumps({**SAVED, **more}, indent=2).encode()


def test_a_saved_run_opens_with_what_it_was_given_and_made() -> None:
    assert sniff(saved()) == "openai-agents-state"
    (session,) = opened(saved())
    assert session.session.session_id == "chat-9"
    assert [turn.utterance for turn in session.of(TurnStarted)] == ["hello", "send me Mao Jian"]
    assert session.of(Answered) == [Answered(text="hi")]
    assert session.of(IntentRouted) == [IntentRouted(intent="desk"), IntentRouted(intent="teas", predicted_by="desk")]
    steps = [signal.name for signal in session.of(Raw)]
    assert steps == ["guardrail", "llm", "tool_call", "llm", "tool_call", "approval"]
    assert session.of(Raw)[-1].data == {"tool": "order", "arguments": {"tea": "Mao Jian"}, "call": "call_order"}
    assert session.of(SessionStarted)[0].meta["context"] == {"customer": "anna"}
    assert {fact["code"] for fact in session.session.lost} >= {"untimed", "context", "sandbox"}
    assert "sandbox-secret" not in str(session.items)


def test_a_later_save_of_the_same_run_goes_on() -> None:
    (first,) = opened(saved())
    later = saved(generated_items=[*SAVED["generated_items"], *LATER], current_turn=3)
    (second,) = opened(later)
    assert second.session.source == first.session.source
    assert second.items[1 : len(first.items)] == first.items[1:]
    assert second.of(Answered)[-1] == Answered(text="It is on its way.")
    tools = [signal.data for signal in second.of(Raw) if signal.name == "tool"]
    assert tools == [{"tool": "order", "arguments": {"tea": "Mao Jian"}, "result": "ordered", "call": "call_order"}]


def test_the_longer_list_of_items_is_told() -> None:
    (session,) = opened(saved(generated_items=SAVED["generated_items"][:1], session_items=SAVED["generated_items"]))
    assert session.items == opened(saved())[0].items


def test_saved_runs_in_lines_and_lists_are_a_session_each() -> None:
    other = {**SAVED, "trace": {"id": "trace_2"}}
    for content in (json.dumps([SAVED, other]), json.dumps(SAVED) + "\n" + json.dumps(other)):
        assert sniff(content.encode()) == "openai-agents-state"
        assert [session.session.session_id for session in opened(content.encode())] == ["chat-9", "trace_2"]


def test_a_guardrail_that_stopped_a_saved_run_is_a_failure() -> None:
    tripped = {"guardrail": {"type": "output", "name": "no prices"}, "output": {"tripwireTriggered": True}}
    (session,) = opened(saved(output_guardrail_results=[tripped]))
    assert mapped("chat-9", session.session.source, session.items).map.findings


@pytest.mark.parametrize(
    ("version", "said"),
    [("999", "schema version 999; 1.x"), (2, "schema version 2; 1.x"), ("v", "schema version v; 1.x")],
)
def test_a_run_of_another_schema_is_refused_by_a_sentence(version: Any, said: str) -> None:
    for content in (saved(**{"$schemaVersion": version}), json.dumps({**SAVED, "$schemaVersion": version}).encode()):
        with pytest.raises(UnknownFormat) as caught:
            opened(content)
        assert said in str(caught.value)
        assert "sandbox-secret" not in str(caught.value)


def test_a_damaged_part_of_a_saved_run_costs_that_part() -> None:
    report = Report()
    (session,) = opened(saved(generated_items=[7, *SAVED["generated_items"]]), report)
    assert report.problem_count == 1
    assert "items 1" in str(report.problems[0])
    assert len(session.of(IntentRouted)) == 2
    deep = saved(metadata=json.loads("[" * 70 + "]" * 70))
    assert opened(deep)[0].of(TurnStarted)


def test_a_saved_run_longer_than_a_record_may_be_opens() -> None:
    many = [
        {"type": "message_output_item", "agent": {"name": "teas"}, "raw_item": message("x" * 1_000)}
        for _ in range(1_500)
    ]
    content = saved(generated_items=many)
    assert len(content) > LIMITS.line
    (session,) = opened(content)
    assert len(session.of(Answered)) == 1_501
    for end in range(1, len(content), len(content) // 20):
        report = Report()
        with suppress(BadInput, UnknownFormat):
            opened(content[:end], report)
            assert report.problem_count


# --- what functions mean ---------------------------------------------------------------------------------------------

SAID = ["retrieval=look_in:keyword,slots=set_city"]


def meant() -> list[dict[str, Any]]:
    """A trace whose functions don't say by themselves what they do: the lookup gives plain texts."""
    return [
        agents.trace(1),
        span(1, 2, "function", 1.1, 1, name="look_in", input='{"query": "tea"}', output='["Mao Jian", "Long Jing"]'),
        span(1, 3, "function", 1.2, 1, name="set_city", input='{"city": "Lund"}', output="ok"),
        span(1, 1, "agent", 1.0, name="desk", handoffs=[], tools=[]),
    ]


def test_a_file_is_told_what_its_functions_mean_and_then_says_what_the_live_processor_says() -> None:
    means = columns_of(SAID)
    assert means == meaning({"look_in": "keyword"}, ["set_city"])
    raw = lines(meant())
    (plain,), (told,) = opened(raw), opened(raw, columns=means)
    assert not plain.of(Retrieved, SlotAssigned)
    (found,) = told.of(Retrieved)
    assert (found.stage, [doc.snippet for doc in found.docs]) == ("keyword", ["Mao Jian", "Long Jing"])
    (slot,) = told.of(SlotAssigned)
    assert (slot.slot, slot.value, slot.task) == ("city", "Lund", "desk")
    live = Trace(meant()[0]["id"], means)
    _, search, writer, top = meant()
    said = [*live.started(top)]
    for record in (search, writer):
        said += [*live.started(record), *live.ended(record)]
    assert [one.signal for one in said if type(one.signal) in (Retrieved, SlotAssigned)] == [found, slot]
    one = telling("openai-agents", means)
    items = [
        item.signal for record in meant() for part in one.take(json.dumps(record).encode()).told for item in part.items
    ]
    assert [signal for signal in items if type(signal) in (Retrieved, SlotAssigned)] == [found, slot]


def test_a_saved_run_is_told_what_its_functions_mean_too() -> None:
    (told,) = opened(saved(generated_items=[*SAVED["generated_items"], *LATER]), columns=columns_of(["slots=order"]))
    assert [(signal.slot, signal.value, signal.task) for signal in told.of(SlotAssigned)] == [
        ("tea", "Mao Jian", "teas")
    ]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (["retrieval=x:nowhere"], "expected one of vector, keyword"),
        (["retrieval="], "retrieval=search_docs,slots=set_city"),
        (["slots=a,session=b"], "pairs of retrieval or slots and a function"),
    ],
)
def test_a_meaning_that_is_none_is_refused(said: list[str], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        columns_of(said)


def test_a_file_whose_functions_have_no_meaning_refuses_one() -> None:
    with pytest.raises(BadInput, match="whose functions have a meaning, found rasa"):
        opened(b'{"sender_id":"a","event":"user","text":"hi","timestamp":1}', columns=columns_of(SAID))
    with pytest.raises(BadInput, match="whose functions have a meaning"):
        telling("rasa", columns_of(SAID))
