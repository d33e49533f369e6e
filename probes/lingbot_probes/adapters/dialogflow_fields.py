"""Fields of Dialogflow CX messages: both spellings, protobuf's long forms, resource names, enums.

The REST interface spells ``queryResult``, Python and BigQuery exports from it ``query_result``. Python's ``to_dict``
writes enums as numbers and fills every field in, Node's client leaves a ``Struct`` as it lies in protobuf. The fields
are those of google.cloud.dialogflow.cx v3 and v3beta1 (session.proto, trace.proto, response_message.proto).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from lingbot_probes.adapters.fields import instant, items, mapping, number
from lingbot_probes.adapters.spelling import Message, word

DEFAULT_FLOW = "00000000-0000-0000-0000-000000000000"
"""The id of every agent's first flow (REST reference, resource ``projects.locations.agents.flows``)."""

MATCH_TYPES = {
    0: "",
    1: "INTENT",
    2: "DIRECT_INTENT",
    3: "PARAMETER_FILLING",
    4: "NO_MATCH",
    5: "NO_INPUT",
    6: "EVENT",
    8: "KNOWLEDGE_CONNECTOR",
    9: "PLAYBOOK",
}
DIFFERENCES = {1: "INTENT", 2: "PAGE", 3: "PARAMETERS", 4: "UTTERANCE", 5: "FLOW"}
STATES = {1: "OK", 2: "CANCELLED", 3: "FAILED", 4: "ESCALATED", 5: "PENDING"}
DECISIONS = {1: "ACCEPTED", 2: "REJECTED"}
BUCKETS = {1: "VERY_LOW", 3: "LOW", 4: "MEDIUM", 5: "HIGH", 6: "VERY_HIGH"}
CODES = {
    1: "CANCELLED",
    2: "UNKNOWN",
    3: "INVALID_ARGUMENT",
    4: "DEADLINE_EXCEEDED",
    5: "NOT_FOUND",
    6: "ALREADY_EXISTS",
    7: "PERMISSION_DENIED",
    8: "RESOURCE_EXHAUSTED",
    9: "FAILED_PRECONDITION",
    10: "ABORTED",
    11: "OUT_OF_RANGE",
    12: "UNIMPLEMENTED",
    13: "INTERNAL",
    14: "UNAVAILABLE",
    15: "DATA_LOSS",
    16: "UNAUTHENTICATED",
}
"""google.rpc.Code, by number."""

_DEEP = 64  # levels of a Struct that are unfolded
_VALUES = ("stringValue", "numberValue", "boolValue", "structValue", "listValue", "nullValue")


def plain(value: object) -> dict[str, Any]:
    """The mapping that a ``Struct`` stands for, also where it was written as it lies in protobuf."""
    if type(value) is not dict:
        return {}
    held = value.get("fields")
    if type(held) is dict and len(value) == 1 and all(map(_is_value, held.values())):
        return {name: _value(item, _DEEP) for name, item in held.items()}
    return value


def _is_value(value: object) -> bool:
    return type(value) is dict and any(kind in value for kind in _VALUES)


def _value(value: object, levels: int) -> Any:
    if type(value) is not dict or not levels:
        return None
    for kind in _VALUES:
        if kind in value and (kind != "nullValue" or len(value) == 1):
            found = value[kind]
            if kind == "structValue":
                fields = mapping(mapping(found).get("fields"))
                return {name: _value(item, levels - 1) for name, item in fields.items()}
            if kind == "listValue":
                return [_value(item, levels - 1) for item in items(mapping(found).get("values"))]
            return None if kind == "nullValue" else found
    return None


def enum(value: object, names: Mapping[int, str], prefix: str = "") -> str:
    """The name of an enum's value, without ``prefix``; "" for one that is unspecified or none at all."""
    if type(value) is int:
        return names.get(value, "")
    found = value.removeprefix(prefix) if type(value) is str else ""
    return "" if found.endswith("UNSPECIFIED") else found


def moment(value: object) -> float | None:
    """Unix seconds of a time: RFC 3339, BigQuery's spelling (``2026-03-01 08:00:00.5 UTC``), or {seconds, nanos}."""
    if type(value) is dict and "seconds" in value:
        seconds, nanos = number(_spelt(value["seconds"])), number(value.get("nanos"))
        return None if seconds is None else instant(seconds + (nanos or 0.0) / 1e9)
    if type(value) is str:
        if value.endswith(" UTC"):
            return instant(value[:-4])
        found = instant(value)
        return instant(_spelt(value)) if found is None else found
    return instant(value)


def _spelt(value: object) -> object:
    if type(value) is str:
        with suppress(ValueError):
            return float(value[:64])
    return value


def last(name: str) -> str:
    """The last part of a resource's name (``projects/.../intents/ID``)."""
    return name.rsplit("/", 1)[-1]


def segment(name: str, kind: str) -> str:
    """The id that follows ``kind`` in a resource's name ("flows" in ``.../flows/ID/pages/ID``); "" if none does."""
    names = name.split("/")
    with suppress(ValueError):
        place = names.index(kind) + 1
        return names[place] if place < len(names) else ""
    return ""


def title(resource: Message) -> str:
    """What a resource is called: its display name, else its id."""
    return word(resource, "displayName") or last(word(resource, "name"))


def where(name: str) -> dict[str, str]:
    """What a session's or conversation's name tells of where it ran."""
    kinds = ("projects", "locations", "agents", "environments")
    return {kind[:-1]: found for kind in kinds if (found := segment(name, kind)[:256])}
