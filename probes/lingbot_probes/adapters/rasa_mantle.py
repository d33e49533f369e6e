"""Events of Rasa Mantle, nested as ProtoJSON, to the flat events that `Rasa` tells.

An event is an envelope (``conversation_id``, ``timestamp``, ``event_id``, ``sequence`` ...) around exactly one payload,
whose name says what happened (rasa.com/docs/mantle/reference/events). The documentation names the payloads, and of
their members only those that hold JSON; so the usual names of the others are looked for, and what has none of them is
kept raw, as it came. A conversation may hold flat events of older versions beside these: which kind one is, is asked
of each.

| payload | flat event |
|---|---|
| ``user``, ``bot`` | the same |
| ``memory_set``, any other ``memory_*`` | ``slot`` with its value, ``slot`` to null |
| ``skill_*``, ``ordered_block_*`` that begin or go on | ``flow_started``, ``flow_resumed`` |
| the same that end | ``flow_completed``, ``flow_cancelled`` |
| any other, ``tool_executed`` too | by its own name, raw, its JSON read |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lingbot_probes.adapters.inner_json import inner

ENVELOPE = frozenset(
    ("conversation_id", "timestamp", "event_id", "sequence", "user_id", "deployment_environment", "session_id")
)
"""The members that every event may have beside its payload; ``metadata`` and a store's own ``sender_id`` may be too."""

_BESIDE = ENVELOPE | {"metadata", "sender_id"}
_NAMES = ("name", "key", "memory_key", "slot", "memory")
_FLOWS = ("skill_id", "skill_name", "skill", "block_id", "block_name", "ordered_block_id", "name", "id")
_STEPS = ("step_id", "step", "block_step_id")
_BEGIN = frozenset(("activated", "started", "entered"))
_GO_ON = frozenset(("resumed", "continued"))
_END = frozenset(("completed", "finished", "ended", "exited"))
_BREAK_OFF = frozenset(("cancelled", "canceled", "deactivated", "aborted", "failed"))


def payload_of(event: Any) -> str:
    """The name of the payload if ``event`` is one of Mantle's, else ""."""
    if type(event) is not dict or "event" in event or type(event.get("conversation_id")) is not str:
        return ""
    inner = [name for name, held in event.items() if name not in _BESIDE and type(held) is dict]
    return inner[0] if len(inner) == 1 else ""


def flat(event: Mapping[str, Any], payload: str) -> dict[str, Any]:
    """The flat event that ``event`` with its ``payload`` comes to."""
    held = {name: _read(name, value) for name, value in event[payload].items()}
    out: dict[str, Any] = {"timestamp": event.get("timestamp"), "sender_id": event["conversation_id"]}
    if event.get("metadata"):
        out["metadata"] = event["metadata"]
    family, _, act = payload.rpartition("_")
    if payload == "user":
        return {**out, "event": "user", "text": held.get("text"), "parse_data": _parsed(held)}
    if payload == "bot":
        return {**out, "event": "bot", "text": held.get("text"), "data": _rich(held)}
    if family == "memory" and (name := _first(held, _NAMES)):
        value = held.get("value", held.get("value_json")) if act == "set" else None
        return {**out, "event": "slot", "name": name, "value": value}
    if family in ("skill", "ordered_block") and (name := _first(held, _FLOWS)):
        kind = _kind(act)
        if kind:
            return {**out, "event": kind, "flow_id": name, "step_id": _first(held, _STEPS)}
    return {**held, **out, "event": payload}


def _read(name: str, value: Any) -> Any:
    """A member's value; JSON in a text, as ``*_json`` hold it, is read once: "42" is 42 and not 42.0."""
    if name.endswith("_json") and type(value) is str:
        try:
            return inner(value)
        except ValueError:
            return value
    return value


def _parsed(held: Mapping[str, Any]) -> dict[str, Any]:
    """What was understood, where Mantle says it: beside the text, or in a ``parse_data`` of the older kind."""
    parsed = held.get("parse_data")
    out = dict(parsed) if type(parsed) is dict else {}
    for name in ("intent", "intent_ranking", "entities", "commands"):
        if name not in out and name in held:
            out[name] = held[name]
    if type(out.get("intent")) is str:
        out["intent"] = {"name": out["intent"], "confidence": held.get("confidence")}
    return out


def _rich(held: Mapping[str, Any]) -> dict[str, Any]:
    data = held.get("data")
    rest = {name: held[name] for name in ("buttons", "attachment", "image", "custom", "elements") if held.get(name)}
    return {**(data if type(data) is dict else {}), **rest}


def _first(held: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((value for name in names if type(value := held.get(name)) is str and value), "")


def _kind(act: str) -> str:
    for acts, kind in (
        (_BEGIN, "flow_started"), (_GO_ON, "flow_resumed"), (_END, "flow_completed"), (_BREAK_OFF, "flow_cancelled"),
    ):  # fmt: skip
        if act in acts:
            return kind
    return ""
