"""Dialogflow CX: what each field of a turn becomes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lingbot_probes.adapters.dialogflow import Dialogflow
from lingbot_probes.adapters.dialogflow_fields import moment, plain, segment
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import (
    IntentRouted,
    Numbered,
    Raw,
    SessionStarted,
    SlotAssigned,
    SlotCleared,
    TurnStarted,
)
from tests.samples.dialogflow import (
    AGENT,
    intent,
    matched,
    of,
    page,
    result,
    routes,
    row,
    sequence,
    snaked,
    step,
    texts,
    told,
    turn,
)

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
