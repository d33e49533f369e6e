"""Records of single spans, however they were exported, to `Span`.

One reader for all containers: Phoenix's downloads (flat, nested or in columns), the JSON of the OpenTelemetry SDKs,
and the spans within an OTLP request. They differ in how fields are spelt and attributes packed, and in nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lingbot_probes.adapters.fields import instant, items, mapping, number
from lingbot_probes.adapters.inner_json import read_json
from lingbot_probes.codec import SignalError

KINDS = frozenset(
    ("LLM", "EMBEDDING", "CHAIN", "RETRIEVER", "RERANKER", "TOOL", "AGENT", "GUARDRAIL", "EVALUATOR", "PROMPT")
)
"""OpenInference's kinds of spans; those of other conventions are told as one of them."""

_OPERATIONS = {
    "chat": "LLM",
    "text_completion": "LLM",
    "generate_content": "LLM",
    "embeddings": "EMBEDDING",
    "retrieval": "RETRIEVER",
    "execute_tool": "TOOL",
    "create_agent": "AGENT",
    "invoke_agent": "AGENT",
    "invoke_workflow": "CHAIN",
}
_SESSIONS = ("session.id", "gen_ai.conversation.id", "traceloop.association.properties.session_id")
_WHOLE = frozenset(("metadata", "value", "parameters", "invocation_parameters", "json_schema", "prompt_template"))
_REMOTE = 0x300  # SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK and ..._IS_REMOTE_MASK of opentelemetry-proto's trace.proto
_NO_PARENT = "0" * 16  # some write it for a root
_DEEP = 6  # levels of nested attributes that are names and not values

Record = Mapping[str, Any]


class Message(NamedTuple):
    """One message of a model's input or output, and the tools that it calls."""

    role: str
    text: str
    calls: tuple[str, ...] = ()


@dataclass(slots=True)
class Span:
    """One span. ``kind`` is one of `KINDS`, or "" for plumbing; ``session`` is its own, "" where it names none.

    ``attributes`` are flat (dotted names). ``start`` and ``end`` are in Unix seconds; ``ended`` is as it was written,
    since few ends are asked for. ``error`` is a line about what went wrong and may be "" although it ``failed``.
    ``entry``: it says itself that its parent is in another process. ``lists`` and ``messages`` hold what was read of
    the attributes.
    """

    trace: str
    id: str
    parent: str = ""
    name: str = ""
    kind: str = ""
    session: str = ""
    start: float | None = None
    ended: object = None
    failed: bool = False
    error: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)
    entry: bool = False
    lists: dict[str, dict[int, dict[str, Any]]] | None = None
    messages: dict[str, list[Message]] | None = None

    @property
    def end(self) -> float | None:
        """When it ended, in Unix seconds; ``None`` where that is not known."""
        return read_time(self.ended)


def ids_of(record: Record) -> tuple[str, str]:
    """(trace, span) ids of a record; "" for what it does not name."""
    context = record.get("context")
    if type(context) is dict:
        trace = context.get("trace_id") or context.get("traceId")
        span = context.get("span_id") or context.get("spanId")
    else:
        trace = record.get("traceId") or record.get("trace_id") or record.get("context.trace_id")
        span = record.get("spanId") or record.get("span_id") or record.get("context.span_id")
    return read_id(trace), read_id(span)


def read_span(record: object) -> Span:
    """The span in a record. Raises ``SignalError`` for what is none."""
    if type(record) is not dict:
        raise SignalError("span", "a mapping", record)
    trace, span_id = ids_of(record)
    if not trace:
        raise SignalError("trace_id", "the id of a trace", record.get("trace_id"))
    if not span_id:
        raise SignalError("span_id", "the id of a span", record.get("span_id"))
    return _span(record, trace, span_id, read_attributes(record))


def span_of(record: Record, attributes: dict[str, Any]) -> Span:
    """The span in a record of an OTLP request (its names are those of its JSON) of which ``attributes`` are read."""
    return _span(record, read_id(record["traceId"]), read_id(record["spanId"]), attributes)


def _span(record: Record, trace: str, span_id: str, attributes: dict[str, Any]) -> Span:
    get = record.get
    parent = read_id(get("parentSpanId") or get("parent_id") or get("parent_span_id") or get("parentId"))
    name = get("name")
    events, flags = get("events"), get("flags")
    said = _events(events, attributes) if events else ""
    if not said and "exception.message" in attributes:
        said = _exception(attributes)
    start = get("startTimeUnixNano") or get("start_time") or get("startTime") or get("start_time_unix_nano")
    end = get("endTimeUnixNano") or get("end_time") or get("endTime") or get("end_time_unix_nano")
    failed, message = _status(record)
    if said and not failed:
        # An exception that was recorded but handled: the span says itself that it went well, or says nothing.
        failed = get("status_code") is None and not mapping(get("status"))
    return Span(
        trace,
        span_id,
        "" if parent == _NO_PARENT else parent,
        name if type(name) is str else "",
        _kind(record, attributes),
        _session(attributes),
        read_time(start),
        end,
        failed,
        _error(message, said) if failed else "",
        attributes,
        type(flags) is int and flags & _REMOTE == _REMOTE,
    )


def read_id(value: object) -> str:
    """Ids are hex of any case, in some exports with 0x before it; anything else is an id as it stands."""
    if type(value) is str:
        length = len(value)
        if length == 16 or length == 32:
            return value.lower()
        return value[2:].lower() if (length == 18 or length == 34) and value[:2] == "0x" else value[:256]
    return str(value) if type(value) is int else ""


def _kind(record: Record, attributes: Mapping[str, Any]) -> str:
    known = record.get("span_kind")
    if type(known) is str and known in KINDS:
        return known
    for value in (known, attributes.get("openinference.span.kind"), record.get("kind")):
        if type(value) is str and value.upper() in KINDS:
            return value.upper()
    operation = attributes.get("gen_ai.operation.name")
    if type(operation) is str and operation:
        return _OPERATIONS.get(operation, "CHAIN")
    spoken = attributes.get("traceloop.span.kind")
    if type(spoken) is str:
        return {"tool": "TOOL", "agent": "AGENT"}.get(spoken, "CHAIN")
    if "gen_ai.request.model" in attributes or "gen_ai.system" in attributes or "gen_ai.provider.name" in attributes:
        return "LLM"
    return ""


def _session(attributes: Mapping[str, Any]) -> str:
    for key in _SESSIONS:
        if key in attributes:
            value = attributes[key]
            if type(value) is str and value:
                return value
            if type(value) is int:
                return str(value)
    return ""


def read_time(value: object) -> float | None:
    """Unix seconds; a bare number may count seconds, milli-, micro- or nanoseconds, and its size says which."""
    kind = type(value)
    if (kind is float or kind is int) and 0 <= value <= 1e11:  # type: ignore[operator]
        return float(value)  # type: ignore[arg-type]
    if kind is str:
        if not value.isdigit():  # type: ignore[attr-defined]
            return instant(value)
        value = int(value[:20])  # type: ignore[index]
    elif value is None:
        return None
    count = number(value)
    if count is None:
        return None
    for above, unit in ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3)):
        if count > above:
            return count / unit
    return instant(count)


def _status(record: Record) -> tuple[bool, str]:
    code, message = record.get("status_code"), record.get("status_message")
    if code == "OK":
        return False, ""
    status = record.get("status")
    if type(status) is dict:
        code = status.get("code", status.get("status_code"))
        message = status.get("message") or status.get("description")
    failed = code == 2 or (type(code) is str and code.upper() in ("ERROR", "STATUS_CODE_ERROR", "2"))
    return failed, message if type(message) is str else ""


# --- attributes ------------------------------------------------------------------------------------------------------


def read_attributes(record: Record) -> dict[str, Any]:
    """The attributes of a span, an event or a resource, flat, however they are packed."""
    found = record.get("attributes")
    if type(found) is list:
        return _pairs(found)
    if type(found) is str:
        found = read_json(found)
    if type(found) is not dict:  # a table that was written row by row: each attribute is a column
        return {key[11:]: value for key, value in record.items() if key[:11] == "attributes." and value is not None}
    if dict not in map(type, found.values()):
        return found
    flat: dict[str, Any] = {}
    _flatten(found, "", flat, 1)
    return flat


def _flatten(held: Record, before: str, flat: dict[str, Any], level: int) -> None:
    for key, value in held.items():
        if type(value) is dict and value and key not in _WHOLE and level < _DEEP:
            _flatten(value, f"{before}{key}.", flat, level + 1)
        else:
            flat[before + key] = value


def _pairs(found: list[Any]) -> dict[str, Any]:
    """The attributes of a protocol message: {key, value: {stringValue: ...}} each."""
    out: dict[str, Any] = {}
    for pair in found:
        if type(pair) is dict and type(key := pair.get("key")) is str:
            value = pair.get("value")
            if type(value) is dict and "stringValue" in value:
                out[key] = value["stringValue"]
            else:
                out[key] = _value(value, 0)
    return out


def _value(value: Any, level: int) -> Any:
    if type(value) is not dict or level > 32:
        return None
    for kind, held in value.items():
        if kind == "intValue":
            return int(held) if type(held) is str and held.lstrip("-").isdigit() and len(held) < 20 else held
        if kind == "arrayValue":
            return [_value(item, level + 1) for item in items(mapping(held).get("values"))]
        if kind == "kvlistValue":
            pairs = items(mapping(held).get("values"))
            return {p["key"]: _value(p.get("value"), level + 1) for p in pairs if type(p) is dict and _named(p)}
        return held
    return None


def _named(pair: Record) -> bool:
    return type(pair.get("key")) is str


# --- what happened within a span -------------------------------------------------------------------------------------


def _events(events: object, attributes: dict[str, Any]) -> str:
    """The line of the last exception. Messages that older conventions record as events are put among the attributes."""
    said = ""
    if type(events) is str:
        events = read_json(events)
    for event in items(events):
        if type(event) is not dict:
            continue
        name = event.get("name")
        if name == "exception":
            said = _exception(read_attributes(event)) or said
        elif type(name) is str and name[:7] == "gen_ai.":
            held = read_attributes(event)
            way = {"gen_ai.choice": "output", "gen_ai.assistant.message": "input", "gen_ai.user.message": "input"}
            if name in way:
                role = "user" if name == "gen_ai.user.message" else "assistant"
                told = mapping(read_json(held.get("message"))) or held
                kept = attributes.setdefault(f"gen_ai.{way[name]}.messages", [])
                if type(kept) is list:
                    kept.append({"role": role, "content": told.get("content", told.get("gen_ai.event.content"))})
            else:
                for key, value in held.items():
                    attributes.setdefault(key, value)
    return said


def _error(message: str, said: str) -> str:
    """What the status and the exception say, once where they say the same."""
    if not message or message in said:
        return said
    return message if said in message else f"{message} ({said})"


def _exception(held: Mapping[str, Any]) -> str:
    kind, message = held.get("exception.type"), held.get("exception.message")
    return ": ".join(part for part in (kind, message) if type(part) is str and part)
