"""Dialogflow CX: what each field of a turn becomes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lingbot_probes.adapters.dialogflow import Dialogflow
from lingbot_probes.adapters.dialogflow_fields import moment, plain, segment
from lingbot_probes.adapters.spelling import snake
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import (
    Answered,
    Doc,
    Failed,
    IntentRouted,
    Numbered,
    Raw,
    Retrieved,
    SessionEnded,
    SessionStarted,
    SlotAssigned,
    SlotCleared,
    TurnStarted,
)
from tests.samples.dialogflow import AGENT, FLOW, intent, matched, page, result, row, sequence, step, texts, turn


def told(*records: Any, **more: Any) -> list[Numbered]:
    """What the turns of a conversation say, its end included."""
    adapter = Dialogflow("s", **more)
    out = [item for record in records for item in adapter.take(record)]
    return [*out, *adapter.end()]


def of(items: list[Numbered], *kinds: type) -> list[Any]:
    """The signals of ``kinds``, in order."""
    return [item.signal for item in items if type(item.signal) in kinds]


def routes(items: list[Numbered]) -> list[tuple[str, float | None, str]]:
    """Each route as (intent, confidence, condition)."""
    return [(route.intent, route.confidence, route.condition) for route in of(items, IntentRouted)]


def snaked(value: Any) -> Any:
    """A message as Python spells it."""
    if type(value) is dict:
        return {snake(name): snaked(item) for name, item in value.items()}
    return [snaked(item) for item in value] if type(value) is list else value


# --- what the user said ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "asked", "utterance"),
    [
        ({"text": "hello"}, {}, "hello"),
        ({"transcript": "spoken"}, {"audio": {"config": {}}}, "spoken"),
        ({"triggerEvent": "WELCOME"}, {}, "[event WELCOME]"),
        ({}, {"event": {"event": "WELCOME"}}, "[event WELCOME]"),
        ({"dtmf": {"digits": "12", "finishDigit": "#"}}, {}, "[dtmf 12#]"),
        ({}, {"dtmf": {"digits": "7"}}, "[dtmf 7]"),
        ({"triggerIntent": f"{AGENT}/intents/greet-id"}, {}, "[intent greet]"),
        ({}, {"text": {"text": "typed"}}, "typed"),
        ({}, {"audio": {"config": {}}}, "[audio]"),
        ({}, {}, ""),
    ],
)
def test_the_utterance_is_what_was_put_in(query: dict[str, Any], asked: dict[str, Any], utterance: str) -> None:
    record = {"request": {"queryInput": asked}, "response": {"queryResult": {**query, "match": matched()}}}
    for spelt in (record, snaked(record)):
        assert of(told(spelt), TurnStarted) == [TurnStarted(turn="1", utterance=utterance)]


def test_what_the_user_did_not_say_is_no_utterance_that_was_not_captured() -> None:
    silent = {"match": {"matchType": "NO_INPUT", "event": "sys.no-input-default", "confidence": 0.3}}
    record = {"request": {"queryInput": {"audio": {"config": {}}}}, "response": {"queryResult": silent}}
    adapter = Dialogflow("s")
    items = adapter.take(record)
    assert of(items, TurnStarted)[0].utterance == "[no input]"
    left = adapter.scribe.found.left
    assert "unheard" not in left
    adapter.take({**record, "response": {"queryResult": {"match": matched()}}})
    assert left["unheard"] == 1


# --- the match -------------------------------------------------------------------------------------------------------


def test_a_match_has_its_confidence_its_type_and_the_alternatives() -> None:
    info = {
        "Alternative Matched Intents": [
            {"DisplayName": "order", "Score": 0.2},
            {"DisplayName": "greet", "Score": 0.9},
            {"Id": "x", "Score": "much"},
        ]
    }
    (route,) = of(told(turn(diagnosticInfo=info)), IntentRouted)
    expected = IntentRouted(
        intent="greet",
        confidence=0.9,
        candidates=(("greet", 0.9), ("order", 0.2), ("x", None)),
        predicted_by="INTENT",
    )
    assert route == expected
    exported = {"alternative_matched_intents": info["Alternative Matched Intents"]}
    assert of(told(turn(diagnosticInfo=exported)), IntentRouted) == [expected]


@pytest.mark.parametrize("kind", ["NO_MATCH", "NO_INPUT"])
def test_where_nothing_matched_no_intent_and_no_confidence_is_told(kind: str) -> None:
    number = {"NO_MATCH": 4, "NO_INPUT": 5}[kind]
    for spelt in (kind, number):
        match = {"matchType": spelt, "confidence": 0.3, "event": "sys.handler", "intent": intent("Default Fallback")}
        items = told(turn("?", match=match))
        assert routes(items) == [(kind, None, "sys.handler")]


def test_the_intent_that_would_have_matched_is_a_candidate() -> None:
    info = {"Alternative Matched Intents": [{"DisplayName": "low", "Score": 0.1}]}
    record = {
        "response": {"queryResult": result(match={"matchType": "NO_MATCH"}, diagnosticInfo=info)},
        "missingTransition": {"intentDisplayName": "refund", "score": 0.7},
    }
    items = told(record)
    assert of(items, IntentRouted)[0].candidates == (("refund", 0.7), ("low", 0.1))
    assert of(items, Raw) == [Raw(name="missing_transition", data={"intentDisplayName": "refund", "score": 0.7})]


@pytest.mark.parametrize(
    ("match", "route"),
    [
        ({"matchType": "EVENT", "event": "WELCOME", "confidence": 1}, ("WELCOME", 1.0, "")),
        ({"matchType": 6, "event": "WELCOME"}, ("WELCOME", None, "")),
        ({"matchType": 2, "intent": intent("greet"), "confidence": 1}, ("greet", 1.0, "")),
        ({"matchType": "KNOWLEDGE_CONNECTOR", "confidence": 0.7}, ("KNOWLEDGE_CONNECTOR", 0.7, "")),
        ({"matchType": 8, "confidence": 0.7}, ("KNOWLEDGE_CONNECTOR", 0.7, "")),
        ({"matchType": "PLAYBOOK"}, ("PLAYBOOK", None, "")),
        ({"matchType": "PARAMETER_FILLING", "confidence": 1}, ("PARAMETER_FILLING", 1.0, "")),
        ({"matchType": "SOMETHING_NEW", "confidence": 0.5}, ("SOMETHING_NEW", 0.5, "")),
        ({"intent": {"name": f"{AGENT}/intents/i-7"}, "matchType": "INTENT"}, ("i-7", None, "")),
        ({"matchType": 1, "confidence": 7, "intent": intent("greet")}, ("greet", None, "")),
    ],
)
def test_each_type_of_match(match: dict[str, Any], route: tuple[str, float | None, str]) -> None:
    assert routes(told(turn(match=match))) == [route]


def test_older_results_tell_the_intent_beside_the_match() -> None:
    old = {"text": "hi", "intent": intent("greet"), "intentDetectionConfidence": 0.4}
    assert routes(told({"queryResult": old})) == [("greet", 0.4, "")]


# --- pages -----------------------------------------------------------------------------------------------------------

START, ASK, DONE = ("main", "START_PAGE", "Start Page"), ("refund", "p1", "Ask"), ("refund", "p2", "Done")


def test_pages_are_routes_with_the_conditions_that_led_to_them() -> None:
    info = {
        "Execution Sequence": sequence(
            {"InitialState": {"FlowState": step(START)["StateMachine"]["FlowState"], "SessionParameters": {"a": 1}}},
            step(START, TriggeredIntent="refund", TriggeredCondition="true", TargetFlow="refund-id"),
            step(ASK, TriggeredCondition="$session.params.order = null", TargetPage="p2"),
            step(DONE),
        )
    }
    flow = f"{AGENT}/flows/refund-id"
    items = told(turn(diagnosticInfo=info, currentPage=page("p2", "Done", flow), parameters={"a": 1, "b": 2}))
    said = of(items, IntentRouted, SlotAssigned)
    assert said[0].parent == "main"
    assert said[1:] == [
        SlotAssigned(slot="a", value=1, scope="session"),
        IntentRouted(intent="refund / Ask", condition="true", parent="refund"),
        IntentRouted(intent="refund / Done", condition="$session.params.order = null", parent="refund"),
        SlotAssigned(slot="b", value=2, scope="session"),
    ]


def test_the_condition_of_a_route_that_leads_nowhere_is_no_later_ones() -> None:
    info = {
        "Execution Sequence": sequence(
            step(ASK, TriggeredCondition="$a = 1"), step(ASK, TargetPage="p2"), step(DONE), step(DONE)
        )
    }
    items = told(turn(diagnosticInfo=info, currentPage=page("p2", "Done", f"{AGENT}/flows/refund-id")))
    assert routes(items)[1:] == [("refund / Done", None, "")]


def test_a_page_that_leads_to_itself_is_a_move_and_one_that_stays_is_none() -> None:
    stays = {"Execution Sequence": sequence(step(ASK, TriggeredCondition="true"), step(ASK))}
    again = {"Execution Sequence": sequence(step(ASK, TriggeredCondition="$x = null", TargetPage="p1"), step(ASK))}
    flow = page("p1", "Ask", f"{AGENT}/flows/refund-id")
    items = told(turn(diagnosticInfo=stays, currentPage=flow), turn(diagnosticInfo=again, currentPage=flow))
    assert [route for route in routes(items) if route[0] != "greet"] == [("refund / Ask", None, "$x = null")]


def test_without_diagnostic_info_a_page_is_told_where_it_changed() -> None:
    adapter = Dialogflow("s")
    items: list[Numbered] = []
    for id, name in (("START_PAGE", "Start Page"), ("p1", "Ask"), ("p1", "Ask"), ("START_PAGE", "Start Page")):
        items += adapter.take(turn(currentPage=page(id, name)))
    assert [route[0] for route in routes(items) if route[0] != "greet"] == [
        "Default Start Flow / Ask",
        "Default Start Flow / Start Page",
    ]
    assert adapter.scribe.found.left["transitions"] == 2


def test_filling_a_form_routes_to_its_page_again() -> None:
    filling = {"matchType": "PARAMETER_FILLING", "confidence": 1}
    items = told(turn(currentPage=page("p1", "Ask")), turn("7", match=filling, currentPage=page("p2", "Done")))
    assert [route[:2] for route in routes(items)[-2:]] == [
        ("Default Start Flow / Ask", 1.0),
        ("Default Start Flow / Done", None),
    ]
    assert of(items, IntentRouted)[-2].predicted_by == "PARAMETER_FILLING"


def test_a_page_keeps_its_name_although_its_flow_is_named_later() -> None:
    flow = f"{AGENT}/flows/f-1"
    named = {"name": flow, "displayName": "Refunds"}
    items = told(
        turn(currentPage=page("p1", "Ask", flow)),
        turn(currentPage=page("p2", "Done", flow), currentFlow=named),
    )
    assert [route[0] for route in routes(items) if " / " in route[0]] == ["f-1 / Ask", "f-1 / Done"]
    items = told(turn(currentPage=page("p1", "Ask", flow)), flows={"f-1": "Refunds"})
    assert routes(items)[-1][0] == "Refunds / Ask"


# --- parameters ------------------------------------------------------------------------------------------------------


def test_parameters_are_told_where_they_change() -> None:
    turns = [{"a": 1, "b": None}, {"a": 1, "c": [1]}, {"a": True, "c": None}, {}]
    items = told(*(turn(parameters=parameters) for parameters in turns))
    changes = [(item.turn, item.signal) for item in items if type(item.signal) in (SlotAssigned, SlotCleared)]
    assert changes == [
        ("1", SlotAssigned(slot="a", value=1, scope="session")),
        ("2", SlotAssigned(slot="c", value=[1], scope="session")),
        ("3", SlotAssigned(slot="a", value=True, scope="session")),
        ("3", SlotCleared(slot="c")),
        ("4", SlotCleared(slot="a")),
    ]


def test_a_turn_that_tells_no_parameters_clears_none() -> None:
    assert not of(told(turn(parameters={"a": 1}), turn()), SlotCleared)


def test_injected_parameters_are_written_before_the_match() -> None:
    record = {
        "request": {"queryParams": {"parameters": {"who": "anna"}}},
        "response": {"queryResult": result(parameters={"who": "anna", "x": 1})},
    }
    said = of(told(record), Raw, SlotAssigned, IntentRouted)
    assert said[0] == Raw(name="injected_parameters", data=["who"])
    assert said[1] == SlotAssigned(slot="who", value="anna", scope="session")
    assert type(said[2]) is IntentRouted
    assert said[3:] == [SlotAssigned(slot="x", value=1, scope="session")]


def test_a_struct_as_it_lies_in_protobuf_is_the_mapping_it_stands_for() -> None:
    value = {
        "fields": {
            "tea": {"stringValue": "oolong", "kind": "stringValue"},
            "none": {"nullValue": "NULL_VALUE"},
            "list": {"listValue": {"values": [{"numberValue": 1}, {"boolValue": True}]}},
            "inner": {"structValue": {"fields": {"x": {"numberValue": 2}}}},
        }
    }
    assert plain(value) == {"tea": "oolong", "none": None, "list": [1, True], "inner": {"x": 2}}
    assert plain({"fields": {"tea": "oolong"}}) == {"fields": {"tea": "oolong"}}  # a parameter of that name


# --- knowledge -------------------------------------------------------------------------------------------------------

SIGNALS = {
    "rewrittenQuery": "refund of opened tea",
    "searchSnippets": [
        {"documentTitle": "Rules", "documentUri": "https://example.org/r", "text": "one", "metadata": {"v": 2}},
        {"documentTitle": "Old rules", "documentUri": "", "text": "two"},
        {"documentTitle": "Rules", "documentUri": "https://example.org/r", "text": "three"},
    ],
    "citedSnippets": [{"searchSnippet": {"documentTitle": "Old rules", "text": "two"}, "snippetIndex": 1}],
    "answer": "no",
    "groundingSignals": {"decision": "ACCEPTED_BY_GROUNDING", "score": "HIGH"},
}


def test_passages_of_a_data_store_are_retrieved_and_the_cited_ones_reach_the_answer() -> None:
    expected = Retrieved(
        query="refund of opened tea",
        stage="prompt",
        docs=(
            Doc(id="https://example.org/r", title="Rules", rank=1, snippet="one\n\nthree"),
            Doc(id="Old rules", title="Old rules", rank=2, snippet="two"),
        ),
        params={"grounding": "ACCEPTED", "grounding_score": "HIGH", "metadata": {"https://example.org/r": {"v": 2}}},
    )
    for signals in (SIGNALS, snaked(SIGNALS)):
        items = told(turn(answer="no", dataStoreConnectionSignals=signals))
        assert of(items, Retrieved) == [expected]
        assert of(items, Answered) == [Answered(text="no", docs=("Old rules",))]


OLD = ("Old rules",)


@pytest.mark.parametrize(
    ("cited", "docs"),
    [
        ({"citedSnippets": [{"snippetIndex": 1}, {}]}, (*OLD, "https://example.org/r")),  # a zero is left out
        ({"answerParts": [{"supportingIndices": [0, 2, 1]}], "citedSnippets": []}, ("https://example.org/r", *OLD)),
        ({"citedSnippets": [{"snippetIndex": 9}, {"snippetIndex": -1}, {"snippetIndex": "1"}]}, ()),
        ({"citedSnippets": []}, ()),
    ],
)
def test_what_an_answer_cites(cited: dict[str, Any], docs: tuple[str, ...]) -> None:
    items = told(turn(dataStoreConnectionSignals={**SIGNALS, **cited}))
    assert of(items, Answered)[0].docs == docs


def test_an_answer_that_was_rejected_is_a_failure_and_cites_nothing() -> None:
    checks = {"groundingSignals": {"decision": 2, "score": 3}}
    items = told(turn(answer="sorry", dataStoreConnectionSignals={**SIGNALS, **checks}))
    assert of(items, Failed) == [
        Failed(where="data store", error="the answer was rejected by the grounding check (LOW)")
    ]
    assert of(items, Answered) == [Answered(text="sorry")]


# --- what the agent did ----------------------------------------------------------------------------------------------


def test_texts_are_one_answer_and_other_messages_are_kept() -> None:
    messages = [
        *texts("one", "two"),
        {"payload": {"chips": ["a"]}},
        {"payload": {}},
        {"playAudio": {"audioUri": "u"}},
        {},
    ]
    items = told(turn(responseMessages=messages))
    assert of(items, Answered) == [Answered(text="one\ntwo")]
    assert of(items, Raw) == [
        Raw(name="payload", data={"chips": ["a"]}),
        Raw(name="play_audio", data={"audioUri": "u"}),
    ]
    assert of(told(turn(responseMessages=messages[2:])), Answered) == [Answered(text="[payload, play_audio]")]
    spoken = [{"outputAudioText": {"ssml": "<speak>hi</speak>"}}]
    assert of(told(turn(responseMessages=spoken)), Answered) == [Answered(text="<speak>hi</speak>")]


def test_what_a_final_response_repeats_of_a_partial_one_counts_once() -> None:
    record = row("s", 1)
    record["partial_responses"] = [{"queryResult": {"responseMessages": texts("wait")}}]
    for final, expected in (("done", "wait\ndone"), ("wait", "wait")):
        record["response"]["queryResult"]["responseMessages"] = texts(final)
        assert of(told(record), Answered) == [Answered(text=expected)]
    record["response"]["queryResult"]["responseMessages"] = texts("wait", "done")
    assert of(told(record), Answered) == [Answered(text="wait\ndone")]


def test_the_text_beside_an_interaction_stands_in_for_missing_messages() -> None:
    record = {"response": {"queryResult": {"match": matched()}}, "responseUtterances": "spoken answer"}
    assert of(told(record), Answered) == [Answered(text="spoken answer")]
    exported = {**row("s", 1), "derived_data": '{"agentUtterances": ["a", "b"], "userUtterances": "u"}'}
    exported["response"] = {"queryResult": {"match": matched()}}
    items = told(exported)
    assert of(items, Answered) == [Answered(text="a\nb")]
    assert of(items, TurnStarted)[0].utterance == "u"


def test_webhooks_fail_by_their_status_and_are_kept_otherwise() -> None:
    items = told(
        turn(
            webhookStatuses=[{}, {"code": 4, "message": "late"}, {"code": 99}],
            webhookDisplayNames=["orders", "stock"],
            webhookPayloads=[{"n": 1}],
        )
    )
    assert of(items, Failed) == [
        Failed(where="webhook stock", error="DEADLINE_EXCEEDED: late"),
        Failed(where="webhook 3", error="code 99"),
    ]
    assert of(items, Raw) == [
        Raw(name="webhook", data={"webhook": "orders", "payload": {"n": 1}}),
        Raw(name="webhook", data={"webhook": "stock"}),
    ]
    failed = step(ASK)
    failed["FunctionExecution"] = {"Webhook": {"Status": "ERROR_TIMEOUT", "Latency": "5 s"}}
    items = told(turn(diagnosticInfo={"Execution Sequence": sequence(failed)}))
    assert of(items, Failed) == [Failed(where="webhook 1", error="ERROR_TIMEOUT")]


def test_a_hand_off_is_a_place_to_go_to() -> None:
    items = told(turn(responseMessages=[*texts("bye"), {"liveAgentHandoff": {"metadata": {"queue": "q"}}}]))
    assert routes(items)[-1] == ("LIVE_AGENT_HANDOFF", None, "")
    assert of(items, Raw) == [Raw(name="live_agent_handoff", data={"queue": "q"})]
    assert not of(items, SessionEnded)


def test_the_end_of_the_interaction_ends_the_session_where_no_turn_follows() -> None:
    ends = turn(responseMessages=[*texts("bye"), {"endInteraction": {}}])
    assert told(ends)[-1].signal == SessionEnded(reason="end_interaction")
    items = told(ends, turn())
    assert not of(items, SessionEnded)
    assert Raw(name="end_interaction") in of(items, Raw)


def test_sentiment_feedback_and_signals_are_kept_as_they_came() -> None:
    record = row("s", 1, sentimentAnalysisResult={"score": -0.5, "magnitude": 0.5})
    record["bot_answer_feedback"] = '{"rating": "THUMBS_DOWN"}'
    record["conversation_signals"] = {"turnSignals": {"noMatch": True, "agentEscalated": False, "webhookStatuses": []}}
    assert of(told(record), Raw) == [
        Raw(name="sentiment", data={"score": -0.5, "magnitude": 0.5}),
        Raw(name="answer_feedback", data={"rating": "THUMBS_DOWN"}),
        Raw(name="conversation_signals", data={"turnSignals": {"noMatch": True}}),
    ]


def test_input_that_was_corrected_is_kept() -> None:
    assert of(told(turn("helo", match=matched(resolvedInput="hello"))), Raw) == [
        Raw(name="resolved_input", data="hello")
    ]


# --- playbooks -------------------------------------------------------------------------------------------------------


def block(*actions: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A trace block of the playbook "shop"."""
    about = {"playbook": f"{AGENT}/playbooks/p-1", "displayName": "shop"}
    return {"playbookTraceMetadata": about, "actions": list(actions), **more}


def test_a_playbook_calls_searches_and_says() -> None:
    actions = (
        {"userUtterance": {"text": "tea?"}},
        {"toolUse": {"displayName": "catalogue", "dataStoreToolTrace": {"dataStoreConnectionSignals": SIGNALS}}},
        {
            "toolUse": {"tool": f"{AGENT}/tools/stock", "action": "count", "outputActionParameters": {"n": 3}},
            "status": {"exception": {"errorMessage": "timeout"}},
        },
        {"intentMatch": {"matchedIntents": [{"displayName": "low", "score": 0.2}, {"intentId": "buy", "score": 0.8}]}},
        {
            "flowStateUpdate": {
                "eventType": "sys.arrived",
                "destination": f"{FLOW}/pages/p9",
                "updatedParameters": {"seen": True},
                "functionCall": {"name": "f"},
            }
        },
        {"playbookTransition": {"displayName": "till"}},
        {"agentUtterance": {"text": "here"}},
    )
    trace = [block(*actions, endState="OUTPUT_STATE_FAILED", outputParameters={"ok": 1})]
    playbook = {"matchType": "PLAYBOOK", "confidence": 1}
    for spelt in (trace, snaked(trace)):
        items = told(turn("tea?", match=playbook, responseMessages=[], traceBlocks=spelt))
        assert routes(items) == [
            ("shop", 1.0, ""),
            ("buy", 0.8, ""),
            ("Default Start Flow / p9", None, "sys.arrived"),
            ("till", None, "transition"),
        ]
        assert len(of(items, Retrieved)) == 1
        assert of(items, SlotAssigned) == [SlotAssigned(slot="seen", value=True, scope="session")]
        assert of(items, Failed) == [
            Failed(where="tool stock", error="timeout"),
            Failed(where="shop", error="ended as FAILED"),
        ]
        assert of(items, Answered) == [Answered(text="here", docs=("Old rules",))]
        assert Raw(name="tool", data={"tool": "stock", "action": "count", "output": {"n": 3}}) in of(items, Raw)
        assert Raw(name="trace_block", data={"playbook": "shop", "input": {}, "output": {"ok": 1}}) in of(items, Raw)


def test_what_a_playbook_invokes_is_below_it() -> None:
    called = {"flowInvocation": {"flow": f"{AGENT}/flows/f-2", "inputActionParameters": {"a": 1}, "flowState": 3}}
    items = told(turn(match={"matchType": 9}, traceBlocks=[block(called)]))
    assert of(items, IntentRouted)[1] == IntentRouted(intent="f-2", parent="shop", condition="invocation")
    assert of(items, Failed) == [Failed(where="f-2", error="ended as FAILED")]
    gone = {"playbookTransition": {"displayName": "till"}}
    (_, _, inner) = of(told(turn(match={"matchType": 9}, traceBlocks=[block(gone, called)])), IntentRouted)
    assert inner.parent == "till"
    assert of(items, Raw) == [Raw(name="flow_invocation", data={"flow": "f-2", "input": {"a": 1}, "output": {}})]


# --- tests -----------------------------------------------------------------------------------------------------------


def test_what_a_test_run_did_otherwise_is_a_failure() -> None:
    record = {
        "userInput": {"input": {"text": {"text": "hi"}}, "injectedParameters": {"x": 1}},
        "virtualAgentOutput": {
            "sessionParameters": {"x": 1, "y": 2},
            "triggeredIntent": intent("greet"),
            "currentPage": page("p1", "Ask"),
            "textResponses": [{"text": ["hello"]}],
            "differences": [{"type": 4, "description": "hello, not hi"}, {"type": "PAGE"}],
            "status": {"code": 5, "message": "no agent"},
        },
    }
    for spelt in (record, snaked(record)):
        items = told(spelt, at=5.0)
        assert {item.said_at for item in items} == {5.0}
        assert routes(items) == [("greet", None, ""), ("Default Start Flow / Ask", None, "")]
        assert of(items, Answered) == [Answered(text="hello")]
        assert [slot.slot for slot in of(items, SlotAssigned)] == ["x", "y"]
        assert of(items, Failed) == [
            Failed(where="agent", error="NOT_FOUND: no agent"),
            Failed(where="test UTTERANCE", error="hello, not hi"),
            Failed(where="test PAGE", error="differs"),
        ]


# --- spelling, times, refusals ---------------------------------------------------------------------------------------


def test_python_spells_and_numbers_what_rest_names_and_both_are_one() -> None:
    rest = {
        "request": {"queryInput": {"text": {"text": "hi"}}},
        "response": {
            "queryResult": {
                "text": "hi",
                "match": {**matched(), "resolvedInput": "hi"},
                "responseMessages": texts("hello"),
                "currentPage": page("p1", "Ask"),
                "webhookStatuses": [{"code": 14, "message": "gone"}],
                "sentimentAnalysisResult": {"score": 0.5},
            }
        },
    }
    python = snaked(rest)
    filled = python["response"]["query_result"]
    filled["match"]["match_type"] = 1
    filled.update(trigger_event="", transcript="", dtmf=None, parameters=None, diagnostic_info={}, trace_blocks=[])
    assert told(python) == told(rest)


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2026-03-02T08:00:00.5Z", 1772438400.5),
        ("2026-03-02 08:00:00.500000 UTC", 1772438400.5),
        ("2026-03-02T08:00:00.123456789Z", 1772438400.123456),
        ("1.7724384005E9", 1772438400.5),
        (1772438400.5, 1772438400.5),
        ({"seconds": "1772438400", "nanos": 500_000_000}, 1772438400.5),
        ({"seconds": None}, None),
        ("soon", None),
        ("nan", None),
        (None, None),
    ],
)
def test_each_spelling_of_a_time(written: Any, at: float | None) -> None:
    assert moment(written) == at


def test_the_first_signal_says_where_and_in_what_language_it_ran() -> None:
    about = {"agent": "a", "language": "zh"}
    (started,) = of(told(turn(), about=about, name="Test"), SessionStarted)
    assert started == SessionStarted(title="Test", meta={"framework": "dialogflow", "agent": "a", "language": "zh"})
    assert of(told(turn()), SessionStarted)[0].meta["language"] == "en"
    assert segment(f"{AGENT}/sessions/s", "agents") == "a"
    assert segment("flows", "flows") == ""


@pytest.mark.parametrize("bad", [17, None, [], {"a": 1}, {"response": 5}, {"response": "{"}, {"response": "[]"}])
def test_what_is_no_turn_is_refused_and_leaves_a_hole(bad: Any) -> None:
    adapter = Dialogflow("s")
    adapter.take(turn())
    with pytest.raises(SignalError):
        adapter.take(bad)
    before = adapter.scribe.n
    assert adapter.skip() == []
    assert adapter.take(turn())[0].n == before + 2


def test_texts_of_json_that_are_nested_too_deep_stay_texts() -> None:
    deep = {"queryResult": result(parameters={"x": json.loads("[" * 70 + "]" * 70)})}
    with pytest.raises(SignalError):
        told({"response": json.dumps(deep)})
    fine = {"queryResult": result(parameters={"x": json.loads("[" * 40 + "]" * 40)})}
    assert of(told({"response": json.dumps(fine)}), SlotAssigned)


def test_positions_are_the_ids_of_turns_and_missing_ones_are_counted() -> None:
    adapter = Dialogflow("s")
    items = [item for position in (2, 3, 6, 6) for item in adapter.take(row("s", position))]
    assert [signal.turn for signal in of(items, TurnStarted)] == ["2", "3", "6", "6~4"]
    assert adapter.scribe.found.left["missing_turns"] == 3
    from_zero = Dialogflow("s")
    for position in (0, 1):
        from_zero.take(row("s", position))
    assert not from_zero.scribe.found.left["missing_turns"]
