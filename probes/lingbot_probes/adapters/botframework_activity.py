"""One Bot Framework activity: its fields in their right case, and what can be read off it alone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lingbot_probes.adapters.fields import confidence, items, mapping

ENVELOPE = frozenset(
    (
        "attachmentLayout",
        "channelData",
        "channelId",
        "conversation",
        "from",
        "id",
        "inputHint",
        "locale",
        "localTimestamp",
        "localTimezone",
        "recipient",
        "replyToId",
        "serviceUrl",
        "speak",
        "textFormat",
        "timestamp",
        "type",
    )
)
"""Fields about the delivery of an activity; a raw signal goes without them."""

_READ = ("attachments", "code", "name", "role", "suggestedActions", "text", "transcript", "value", "valueType")
_FIELDS = {field.lower(): field for field in (*ENVELOPE, *_READ)}
_RIGHT = frozenset(_FIELDS.values())

Activity = Mapping[str, Any]


def folded(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record with its known fields in their right case."""
    if not any(key.lower() in _FIELDS for key in record.keys() - _RIGHT):
        return dict(record)
    return {_FIELDS.get(key.lower(), key): value for key, value in record.items()}


def conversation_of(activity: Mapping[str, Any]) -> str:
    """The id of the activity's conversation; "" where it has none."""
    found = folded(mapping(folded(activity).get("conversation"))).get("id")
    return found if type(found) is str else str(found) if type(found) is int else ""


def ranking(result: Mapping[str, Any]) -> list[tuple[str, float | None]]:
    """A recogniser's intents as (intent, score), best first; those without a score come last."""
    found = []
    for intent, held in mapping(result.get("intents")).items():
        if intent:
            score = held.get("score") if type(held) is dict else held
            found.append((intent, confidence(score)))
    return sorted(found, key=lambda pair: -1.0 if pair[1] is None else pair[1], reverse=True)


def compact(value: object) -> str:
    """A text as it is, anything else as JSON in one line."""
    return value if type(value) is str else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def attached(rich: Mapping[str, Any]) -> str:
    """What stands for a message without text: the types of what is attached to it."""
    kinds = [str(mapping(card).get("contentType") or "attachment") for card in items(rich.get("attachments"))]
    return f"[{', '.join(kinds)}]" if kinds else f"[{', '.join(rich)}]" if rich else ""
