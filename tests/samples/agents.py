"""Traces of the OpenAI Agents SDK as its exporter writes them, made for tests."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

Record = dict[str, Any]


def stamp(at: float) -> str:
    """A time as the SDK writes it; ``at`` counts seconds from a fixed moment."""
    return datetime.fromtimestamp(1.78e9 + at, UTC).isoformat()


def trace(number: int, group: str | None = "chat-1", **more: Any) -> Record:
    """A trace; its id is made of ``number``."""
    return {
        "object": "trace",
        "id": f"trace_{number:032x}",
        "workflow_name": "Tea shop",
        "group_id": group,
        "metadata": None,
        **more,
    }


def span(trace: int, own: int, kind: str, at: float, parent: int = 0, *, error: Any = None, **data: Any) -> Record:
    """A span of one second's tenth; ``data`` is what its kind tells."""
    lasts = 0.1 if kind != "agent" else 0.9
    return {
        "object": "trace.span",
        "id": f"span_{trace:012x}{own:012x}",
        "trace_id": f"trace_{trace:032x}",
        "parent_id": f"span_{trace:012x}{parent:012x}" if parent else None,
        "started_at": stamp(at),
        "ended_at": stamp(at + lasts),
        "span_data": {"type": kind, **data},
        "error": error,
    }


def message(text: str, role: str = "assistant") -> Record:
    """A message as models give it."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def call(name: str, **arguments: Any) -> Record:
    """A call of a tool as models give it."""
    return {"type": "function_call", "call_id": f"call_{name}", "name": name, "arguments": json.dumps(arguments)}


def model(trace: int, own: int, at: float, parent: int, asked: str, *output: Record, **more: Any) -> Record:
    """A model that was asked something."""
    given = [{"role": "user", "content": asked}, *more.pop("given", [])]
    usage = {"input_tokens": 7, "output_tokens": 3}
    return span(
        trace, own, "generation", at, parent, input=given, output=list(output), model="m-1", usage=usage, **more
    )


def move(number: int, asked: str, answer: str, group: str | None = "chat-1", at: float | None = None) -> list[Record]:
    """A trace in which one agent answers, in the order in which the SDK exports it."""
    at = number * 10.0 if at is None else at
    return [
        trace(number, group),
        model(number, 2, at + 0.1, 1, asked, message(answer)),
        span(number, 1, "agent", at, name="front desk", handoffs=["teas"], tools=[], output_type="str"),
    ]


DOCS = [
    {"id": "tea-7", "content": "Mao Jian is picked before the rains of April.", "score": 0.82},
    {"id": "tea-9", "content": "Long Jing is roasted in a pan, leaf by leaf.", "score": 0.61},
]


def whole_move() -> list[Record]:
    """A trace with a handoff, a guardrail, a search, a tool that fails and an answer made of what was found."""
    asked = "When is Mao Jian picked?"
    found = {"type": "function_call_output", "call_id": "call_search_teas", "output": str(DOCS)}
    failed = {"message": "Error running tool (non-fatal)", "data": {"tool_name": "price_of", "error": "no such tea"}}
    return [
        trace(1, metadata={"channel": "web"}),
        span(1, 2, "guardrail", 0.1, 1, name="on topic", triggered=False),
        model(1, 3, 0.2, 1, asked, call("transfer_to_teas")),
        span(1, 4, "handoff", 0.4, 1, from_agent="front desk", to_agent="teas"),
        span(1, 1, "agent", 0.0, name="front desk", handoffs=["teas", "orders"], tools=[], output_type="str"),
        model(1, 6, 1.1, 5, asked, call("search_teas", query="Mao Jian harvest")),
        span(1, 7, "function", 1.3, 5, name="search_teas", input='{"query": "Mao Jian harvest"}', output=str(DOCS)),
        span(1, 8, "function", 1.4, 5, name="price_of", input='{"tea": "?"}', output="An error", error=failed),
        model(1, 9, 1.5, 5, asked, message("Before the rains of April."), given=[found]),
        span(1, 5, "agent", 1.0, name="teas", handoffs=[], tools=["search_teas"], output_type="str"),
    ]


def lines(records: list[Record]) -> bytes:
    """A record a line."""
    return b"\n".join(json.dumps(record, ensure_ascii=False).encode() for record in records)
