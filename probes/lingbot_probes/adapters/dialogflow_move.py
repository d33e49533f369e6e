"""One turn with a Dialogflow CX agent, whatever it was recorded as: a row, an interaction, a pair, a turn of a test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lingbot_probes.adapters.dialogflow_fields import MATCH_TYPES, enum, last, moment, plain, title
from lingbot_probes.adapters.fields import items, mapping
from lingbot_probes.adapters.inner_json import read_json
from lingbot_probes.adapters.spelling import Message, got, part, parts, word
from lingbot_probes.codec import SignalError

AUDIO = "[audio]"
"""What stands for an utterance that was heard and not written down."""
SILENCE = "[no input]"
"""What stands for an utterance that did not come."""


@dataclass(slots=True)
class Move:
    """A turn. ``result`` is its QueryResult; ``position`` its number in the source, ``None`` where it has none.

    ``parameters`` are all of the session's after the turn, ``None`` where they are not told. ``answered`` is what the
    agent said in all, where the messages themselves may be missing.
    """

    request: Message
    result: Message
    position: int | None = None
    at: float | None = None
    utterance: str = ""
    answered: str = ""
    partial: list[Message] = field(default_factory=list)
    injected: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] | None = None
    about: dict[str, Any] = field(default_factory=dict)
    differences: list[Message] = field(default_factory=list)
    status: Message = field(default_factory=dict)
    missing: Message = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)


_ABOUT = {
    "answerFeedback": "answer_feedback",
    "botAnswerFeedback": "answer_feedback",
    "conversationSignals": "conversation_signals",
    "missingTransition": "missing_transition",
}
"""Columns and fields that are kept as they came, and what they are kept as."""


def read_move(record: Message) -> Move:
    """The turn in ``record``. Raises ``SignalError`` for what is none."""
    if "userInput" in record or "user_input" in record or got(record, "virtualAgentOutput") is not None:
        return _tested(record)
    response = read_json(got(record, "response"))
    if type(response) is not dict:
        if got(record, "queryResult") is None and response is None and not _asked(record):
            raise SignalError("response", "a turn with a response or a queryResult", response)
        if response is not None:
            raise SignalError("response", "a mapping, or its JSON", response)
        response = record
    request = mapping(read_json(got(record, "request"))) or record
    result = part(response, "queryResult") or part(record, "queryResult")
    derived = mapping(read_json(got(record, "derivedData")))
    partial = [item for item in items(read_json(got(record, "partialResponses"))) if type(item) is dict]
    position = got(record, "turnPosition")
    if type(position) is str and position.isascii() and position.isdigit() and len(position) < 10:
        position = int(position)
    at = moment(got(record, "requestTime") or got(record, "createTime") or got(record, "receiveTimestamp"))
    move = Move(request, result, position if type(position) is int and 0 <= position < 2**31 else None, at)
    move.answered = word(record, "responseUtterances") or _joined(got(derived, "agentUtterances"))
    move.utterance = _utterance(move, word(record, "requestUtterances") or _joined(got(derived, "userUtterances")))
    move.partial = [part(item, "queryResult") or item for item in partial]
    move.injected = plain(got(part(request, "queryParams"), "parameters"))
    parameters = got(result, "parameters")
    move.parameters = plain(parameters) if type(parameters) is dict else None
    for name, kept in _ABOUT.items():
        value = read_json(got(record, name))
        if value and (value := _telling(value)):
            move.about[kept] = value
    move.missing = mapping(move.about.get("missing_transition"))
    if got(response, "outputAudio") or got(part(part(request, "queryInput"), "audio"), "audio"):
        move.left["audio"] = 1
    if got(record, "stepMetrics"):
        move.left["step_metrics"] = 1
    return move


def _telling(value: Any) -> Any:
    """``value`` without what says nothing: protobuf's defaults, filled in."""
    if type(value) is dict:
        return {name: held for name, item in value.items() if (held := _telling(item)) not in (None, {}, [], "", False)}
    return value


def _asked(record: Message) -> bool:
    return bool(part(record, "request")) or got(record, "queryInput") is not None


def _joined(value: object) -> str:
    if type(value) is list:
        return "\n".join(item for item in value if type(item) is str and item)
    return value if type(value) is str else ""


def _utterance(move: Move, told: str) -> str:
    result, asked = move.result, part(move.request, "queryInput")
    said = word(result, "text") or word(result, "transcript") or told or word(part(asked, "text"), "text")
    return said or pressed(part(result, "dtmf")) or _called(result, asked)


def _called(result: Message, asked: Message) -> str:
    """What stands for a turn in which nobody spoke."""
    if digits := pressed(part(asked, "dtmf")):
        return digits
    if event := word(result, "triggerEvent") or word(part(asked, "event"), "event"):
        return f"[event {event}]"
    if intent := word(result, "triggerIntent") or word(part(asked, "intent"), "intent"):
        name = title(part(part(result, "match"), "intent"))
        return f"[intent {name or last(intent)}]"
    if got(asked, "audio") is None:
        return ""
    return SILENCE if enum(got(part(result, "match"), "matchType"), MATCH_TYPES) == "NO_INPUT" else AUDIO


def pressed(dtmf: Message) -> str:
    """The keys that were pressed, with the one that ended them; "" for none."""
    keys = word(dtmf, "digits") + word(dtmf, "finishDigit")
    return f"[dtmf {keys}]" if keys else ""


def _tested(record: Message) -> Move:
    """A turn of a test case: what was put in, and what the agent made of it."""
    said, output = part(record, "userInput"), part(record, "virtualAgentOutput")
    asked, intent = part(said, "input"), part(output, "triggeredIntent")
    match: dict[str, Any] = {"intent": intent, "matchType": "INTENT"} if title(intent) else {}
    event = word(part(asked, "event"), "event")
    if event and not match:
        match = {"event": event, "matchType": "EVENT"}
    result: dict[str, Any] = {
        "match": match,
        "currentPage": part(output, "currentPage"),
        "currentFlow": part(output, "currentFlow"),
        "diagnosticInfo": got(output, "diagnosticInfo"),
        "responseMessages": [{"text": text} for text in parts(output, "textResponses")],
    }
    move = Move({"queryInput": asked}, result)
    move.utterance = _utterance(move, "")
    move.injected = plain(got(said, "injectedParameters"))
    parameters = got(output, "sessionParameters")
    move.parameters = plain(parameters) if type(parameters) is dict else None
    move.differences = parts(output, "differences")
    move.status = part(output, "status")
    return move
