"""Dialogflow CX: what the agent knew, said, called and handed off, and what a test of it found."""

from __future__ import annotations

from typing import Any

import pytest

from lingbot_probes.signals import (
    Answered,
    Doc,
    Failed,
    IntentRouted,
    Raw,
    Retrieved,
    SessionEnded,
    SlotAssigned,
    TurnStarted,
)
from tests.samples.dialogflow import (
    AGENT,
    FLOW,
    intent,
    matched,
    of,
    page,
    routes,
    row,
    sequence,
    snaked,
    step,
    texts,
    told,
    turn,
)

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
    failed = step(("refund", "p1", "Ask"))
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
