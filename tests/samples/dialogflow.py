"""Turns with a Dialogflow CX agent, as the service returns them, made for tests."""

from __future__ import annotations

import json
from typing import Any

from lingbot_probes.adapters.dialogflow import Dialogflow
from lingbot_probes.adapters.spelling import snake
from lingbot_probes.signals import IntentRouted, Numbered
from tests.samples.imports import Opened

Record = dict[str, Any]

AGENT = "projects/p/locations/global/agents/a"
FLOW = f"{AGENT}/flows/00000000-0000-0000-0000-000000000000"


def page(id: str, name: str, flow: str = FLOW) -> Record:
    """A page, as results name it."""
    return {"name": f"{flow}/pages/{id}", "displayName": name}


def intent(name: str) -> Record:
    """An intent, as matches name it."""
    return {"name": f"{AGENT}/intents/{name}-id", "displayName": name}


def matched(name: str = "greet", confidence: float = 0.9, **more: Any) -> Record:
    """A match of an intent."""
    return {"intent": intent(name), "matchType": "INTENT", "confidence": confidence, **more}


def texts(*lines: str) -> list[Record]:
    """Messages of one text each."""
    return [{"text": {"text": [line]}} for line in lines]


def result(said: str = "hello", answer: str = "hi", **more: Any) -> Record:
    """A QueryResult in which an intent matched."""
    return {"text": said, "languageCode": "en", "match": matched(), "responseMessages": texts(answer), **more}


def turn(said: str = "hello", answer: str = "hi", **more: Any) -> Record:
    """A response, as it is written down beside nothing else."""
    return {"responseId": f"r-{said}", "queryResult": result(said, answer, **more)}


def row(session: str, position: int, at: str = "2026-03-02T08:00:00Z", **more: Any) -> Record:
    """A row of the BigQuery export."""
    return {
        "conversation_name": f"{AGENT}/sessions/{session}",
        "turn_position": position,
        "request_time": at,
        "request": {"session": f"{AGENT}/sessions/{session}"},
        "response": {"queryResult": result(f"say {position}", f"answer {position}", **more)},
    }


def rows(session: str, count: int) -> list[Record]:
    """Rows of one conversation, a second apart, each with another parameter."""
    return [
        row(session, i, f"2026-03-02T{i // 3600:02}:{i // 60 % 60:02}:{i % 60:02}Z", parameters={"n": i})
        for i in range(1, count + 1)
    ]


def step(place: tuple[str, str, str], **machine: Any) -> Record:
    """A step of an execution sequence at (flow, page id, page name)."""
    flow, id, name = place
    state = {"FlowId": f"{flow}-id", "Name": flow, "PageState": {"PageId": id, "Name": name}}
    return {"Type": "STATE_MACHINE", "StateMachine": {"FlowState": state, **machine}}


def sequence(*steps: Record) -> list[Record]:
    """The steps as the diagnostic info lists them."""
    return [{f"Step {number}": each} for number, each in enumerate(steps, 1)]


def lines(records: list[Record]) -> bytes:
    """A record a line."""
    return b"\n".join(json.dumps(record, ensure_ascii=False).encode() for record in records)


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


def codes(session: Opened) -> dict[str, int]:
    """What the session lost, as code -> count."""
    return {fact["code"]: fact["count"] for fact in session.session.lost}


def interaction(at: str | None, said: str, **more: Any) -> dict[str, Any]:
    """An interaction of the history."""
    held = {"response": {"queryResult": result(said, f"re: {said}", **more)}, "requestUtterances": said}
    return held if at is None else {**held, "createTime": at}


def conversation(name: str, *interactions: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A conversation of the history."""
    return {"name": f"{AGENT}/conversations/{name}", "interactions": list(interactions), **more}


def case(name: str, *turns: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A test case."""
    return {
        "name": f"{AGENT}/testCases/{name}-id",
        "displayName": name,
        "testCaseConversationTurns": list(turns),
        **more,
    }


def tried(said: str, **output: Any) -> dict[str, Any]:
    """A turn of a test."""
    return {
        "userInput": {"input": {"text": {"text": said}}},
        "virtualAgentOutput": {"triggeredIntent": intent("greet"), "textResponses": [{"text": ["ok"]}], **output},
    }
