"""Langfuse's exports to spans, which `spans` tells: traces, observations, and the events that they were ingested as.

A trace is the root of its observations. A record may hold a trace with all its observations, one of either, or one
event; events of one thing are put together in the order in which they come.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lingbot_probes.adapters.fields import items, mapping
from lingbot_probes.adapters.inner_json import read_json
from lingbot_probes.adapters.langsmith import fill, line_of, session_of, used
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.adapters.spans import Conversation as Spans
from lingbot_probes.adapters.spans_read import Span, read_time
from lingbot_probes.adapters.traced_messages import plain
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import Numbered

KINDS = {
    "GENERATION": "LLM",
    "SPAN": "CHAIN",
    "EVENT": "CHAIN",
    "AGENT": "AGENT",
    "TOOL": "TOOL",
    "CHAIN": "CHAIN",
    "RETRIEVER": "RETRIEVER",
    "EVALUATOR": "EVALUATOR",
    "EMBEDDING": "EMBEDDING",
    "GUARDRAIL": "GUARDRAIL",
}
"""The span's kind for each type of an observation."""

Record = Mapping[str, Any]


class Row(NamedTuple):
    """A trace (``of`` is "") or an observation, or a part of it; ``id`` tells this part from others of its trace."""

    trace: str
    id: str
    of: str
    record: Record


def field(record: Record, name: str, other: str) -> Any:
    """A field in either spelling (``traceId``, ``trace_id``)."""
    value = record.get(name)
    return record.get(other) if value is None else value


def read_rows(record: object) -> list[Row]:
    """The traces and observations in a record. Raises ``SignalError`` for what holds none."""
    if type(record) is not dict:
        raise SignalError("record", "a mapping", record)
    kind, body, own = record.get("type"), record.get("body"), record.get("id")
    if type(kind) is str and type(body) is dict and kind.endswith(("-create", "-update")):
        return _event(kind, body, own)
    if type(own) is not str or not own:
        raise SignalError("id", "the id of a trace or an observation", own)
    trace = field(record, "traceId", "trace_id")
    if type(trace) is str and trace:
        return [Row(trace, own, own, record)]
    held = record.get("observations")
    rows = [Row(own, "", "", {key: value for key, value in record.items() if key != "observations"})]
    for inner in items(held):
        if type(inner) is dict and type(inner.get("id")) is str:
            rows.append(Row(own, inner["id"], inner["id"], inner))
    return rows


def _event(kind: str, body: Record, event: object) -> list[Row]:
    """One event of the ingestion; scores and the like are none of a dialogue's."""
    what = kind.rpartition("-")[0]
    own = body.get("id")
    if type(own) is not str or not own:
        raise SignalError("body.id", "the id of a trace or an observation", own)
    part = f"{own}/{event if type(event) is str else kind}"
    if what == "trace":
        return [Row(own, part, "", body)]
    trace = field(body, "traceId", "trace_id")
    if type(trace) is not str or not trace:
        raise SignalError("body.traceId", "the id of a trace", trace)
    if what in ("span", "generation", "event", "observation") or what.upper() in KINDS:
        told = body if "type" in body or what == "observation" else {**body, "type": what.upper()}
        return [Row(trace, part, own, told)]
    return []


class Conversation:
    """Traces of one session in, numbered signals out."""

    def __init__(self, session: str, meta: Mapping[str, Any] | None = None) -> None:
        """As `spans.Conversation`."""
        self._spans = Spans(session, {"framework": "langfuse", **(meta or {})})
        self.scribe: Scribe = self._spans.scribe

    def tell(self, rows: list[Row]) -> list[Numbered]:
        """The signals of the rows of one trace."""
        return self._spans.tell(spans_of(rows))


def spans_of(rows: list[Row], *, rooted: bool = False) -> list[Span]:
    """The spans that the rows of one trace make, its root first. ``rooted``: that was told before."""
    merged: dict[str, dict[str, Any]] = {}
    for row in rows:
        told = {key: value for key, value in row.record.items() if value is not None}
        merged.setdefault(row.of, {}).update(told)
    trace = rows[0].trace if rows else ""
    spans = [_span(trace, own, record, rooted or "" in merged) for own, record in merged.items() if own]
    if "" in merged:
        spans.insert(0, _root(trace, merged[""], spans))
    return spans


def _root(trace: str, record: Record, spans: list[Span]) -> Span:
    name = record.get("name")
    user, session = field(record, "userId", "user_id"), field(record, "sessionId", "session_id")
    began = [span.start for span in spans if span.start is not None]
    start = read_time(record.get("timestamp"))
    if start is not None and began:
        start = min(start, *began)
    root = Span(
        trace,
        trace,
        "",
        name if type(name) is str else "",
        "CHAIN",
        session if type(session) is str and session else session_of(_metadata(record)),
        start if start is not None else min(began, default=None),
        max((end for span in spans if (end := span.end) is not None), default=None),
    )
    fill(root, _held(record.get("input")), _held(record.get("output")))
    if type(user) is str and user:
        root.attributes["user.id"] = user
    return root


def _span(trace: str, own: str, record: Record, rooted: bool) -> Span:
    parent = field(record, "parentObservationId", "parent_observation_id")
    kind = KINDS.get(str(record.get("type")).upper(), "CHAIN")
    name, metadata = record.get("name"), _metadata(record)
    message = field(record, "statusMessage", "status_message")
    session = field(record, "sessionId", "session_id")
    span = Span(
        trace,
        own,
        parent if type(parent) is str and parent else trace if rooted else "",
        name if type(name) is str else "",
        kind,
        session if type(session) is str and session else session_of(metadata),
        read_time(field(record, "startTime", "start_time")),
        field(record, "endTime", "end_time"),
        record.get("level") == "ERROR",
        line_of(message) if type(message) is str else "",
    )
    fill(span, _held(record.get("input")), _held(record.get("output")))
    if metadata.get("langgraph_node") == span.name and span.name:
        span.attributes["graph.node.id"] = span.name
    if kind == "LLM":
        usage = mapping(read_json(field(record, "usageDetails", "usage_details"))) or mapping(record.get("usage"))
        model = record.get("model") or field(record, "providedModelName", "provided_model_name")
        used(
            span,
            model,
            usage.get("input", usage.get("promptTokens")),
            usage.get("output", usage.get("completionTokens")),
        )
    return span


def _held(value: Any) -> Any:
    return plain(read_json(value))


def _metadata(record: Record) -> Record:
    return mapping(read_json(record.get("metadata")))
