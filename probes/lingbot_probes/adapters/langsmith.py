"""Runs of LangSmith's exports to spans, which `spans` tells.

A run is a span of its ``run_type``; its session is a ``session_id``, ``conversation_id`` or ``thread_id`` of its
metadata. A run that is called like the node of a graph that it is in is a route.
"""

from __future__ import annotations

from typing import Any

from lingbot_probes.adapters.fields import mapping
from lingbot_probes.adapters.spans_read import Span, read_time
from lingbot_probes.adapters.traced_messages import messages, plain
from lingbot_probes.codec import SignalError

KINDS = {
    "llm": "LLM",
    "chain": "CHAIN",
    "tool": "TOOL",
    "retriever": "RETRIEVER",
    "embedding": "EMBEDDING",
    "prompt": "PROMPT",
    "parser": "CHAIN",
}
"""The span's kind for each ``run_type``."""

SESSIONS = ("session_id", "conversation_id", "thread_id")
"""What names the session, in the metadata of a run."""


def read_run(record: object) -> list[Span]:
    """The span of a run. Raises ``SignalError`` for what is none."""
    if type(record) is not dict:
        raise SignalError("run", "a mapping", record)
    get = record.get
    own, kind = get("id"), get("run_type")
    if type(own) is not str or not own:
        raise SignalError("id", "the id of a run", own)
    if type(kind) is not str:
        raise SignalError("run_type", "the type of a run", kind)
    parent = get("parent_run_id")
    trace = get("trace_id") or (own if not parent else None)
    if type(trace) is not str or not trace:
        raise SignalError("trace_id", "the id of a trace", trace)
    extra = mapping(get("extra"))
    metadata = mapping(extra.get("metadata")) or mapping(get("metadata"))
    error = get("error")
    told = error if type(error) is str else ""
    name = get("name")
    span = Span(
        trace,
        own,
        parent if type(parent) is str else "",
        name if type(name) is str else "",
        KINDS.get(kind, "CHAIN"),
        session_of(metadata),
        read_time(get("start_time")),
        get("end_time"),
        bool(error) or get("status") == "error",
        line_of(told),
    )
    given, gave = plain(get("inputs")), plain(get("outputs"))
    if type(given) is dict and len(given) == 1 and "input" in given:
        given = given["input"]
    if type(gave) is dict and len(gave) == 1 and "output" in gave and span.kind != "RETRIEVER":
        gave = gave["output"]
    fill(span, given, gave)
    if metadata.get("langgraph_node") == span.name and span.name:
        span.attributes["graph.node.id"] = span.name
    if span.kind == "LLM":
        model = metadata.get("ls_model_name") or mapping(extra.get("invocation_params")).get("model")
        usage = mapping(mapping(mapping(get("outputs")).get("llm_output")).get("token_usage"))
        used(span, model, get("prompt_tokens", usage.get("prompt_tokens")), get("completion_tokens"))
    return [span]


def session_of(metadata: Any) -> str:
    """The session that the metadata of a run names; "" if none."""
    for key in SESSIONS:
        value = mapping(metadata).get(key)
        if type(value) is str and value:
            return value
        if type(value) is int:
            return str(value)
    return ""


def line_of(error: str) -> str:
    """What an error says in one line: of a traceback the last, which names the exception."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    if not lines:
        return ""
    return lines[-1] if "Traceback (" in error else lines[0]


def fill(span: Span, given: Any, gave: Any) -> None:
    """What a step was given and gave, as spans hold it."""
    held = span.attributes
    if span.kind == "LLM":
        held["llm.input_messages"] = messages(given, "input")
        held["llm.output_messages"] = messages(gave, "output")
        return
    if given not in (None, "", {}, []):
        held["input.value"] = given
    if gave not in (None, "", {}, []):
        held["output.value"] = gave
    if span.kind == "TOOL":
        held["tool.name"] = span.name
    elif span.kind == "AGENT" and span.name:
        held["agent.name"] = span.name


def used(span: Span, model: Any, given: Any, gave: Any) -> None:
    """Which model it was, and the tokens that it took."""
    facts = {"llm.model_name": model, "llm.token_count.prompt": given, "llm.token_count.completion": gave}
    span.attributes.update((key, value) for key, value in facts.items() if value is not None)
