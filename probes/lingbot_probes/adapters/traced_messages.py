"""Messages as LangChain, OpenAI and others put them into traces, as the one kind that spans are read with."""

from __future__ import annotations

from typing import Any

from lingbot_probes.adapters.fields import items, mapping
from lingbot_probes.adapters.openai_agents_words import said

_ROLES = {
    "human": "user",
    "humanmessage": "user",
    "humanmessagechunk": "user",
    "ai": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "system": "system",
    "systemmessage": "system",
    "tool": "tool",
    "toolmessage": "tool",
    "function": "tool",
    "functionmessage": "tool",
}
_DEEP = 8  # levels of what a trace was given that are looked at
_MOST = 1_000  # items of a list


def plain(value: Any, level: int = 0) -> Any:
    """``value`` with LangChain's constructors ({"lc", "id", "kwargs"}) and messages in the common form."""
    if level > _DEEP:
        return value
    if type(value) is list:
        return [plain(item, level + 1) for item in value[:_MOST]]
    if type(value) is not dict:
        return value
    if "lc" in value and type(value.get("kwargs")) is dict:
        path = items(value.get("id"))
        named = path[-1].lower() if path and type(path[-1]) is str else ""
        held = plain(value["kwargs"], level + 1)
        return {**held, "role": _ROLES[named]} if named in _ROLES else held
    kind = value.get("type")
    told = {key: plain(item, level + 1) for key, item in value.items()}
    if type(kind) is str and kind in _ROLES and "content" in value and "role" not in value:
        told["role"] = _ROLES[kind]
    return told


def messages(value: Any, way: str) -> list[dict[str, Any]]:
    """The messages in what a model was given (``way`` "input") or gave ("output"), in plain form."""
    default = "user" if way == "input" else "assistant"
    if type(value) is str:
        return [{"role": default, "content": value}] if value else []
    if type(value) is list:
        return [message for item in value for message in messages(item, way)]
    held = mapping(value)
    for key in ("messages", "generations", "choices", "prompts", "input", "output"):
        if type(held.get(key)) in (list, str) and (found := messages(held[key], way)):
            return found
    for key in ("message", "output"):
        if type(held.get(key)) is dict and (found := messages(held[key], way)):
            return found
    calls = [call for key in ("tool_calls",) for call in items(held.get(key))]
    calls += items(mapping(held.get("additional_kwargs")).get("tool_calls")) if not calls else []
    words = said(held.get("content")) or (held["text"] if type(held.get("text")) is str else "")
    if not words and not calls:
        return []
    role = held.get("role")
    named = _ROLES.get(role, role) if type(role) is str else default
    return [{"role": named, "content": words, "tool_calls": calls}]
