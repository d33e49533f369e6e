"""The spans of one OTLP request, with the process that each comes from: out of JSON or out of protobuf."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import orjson

from lingbot_probes.adapters.spans_read import Span, read_attributes, read_span, span_of
from lingbot_probes.capture import real
from lingbot_probes.codec import SignalError

_TRACE, _SPAN = re.compile(r"(?!0{32})[0-9a-fA-F]{32}"), re.compile(r"(?!0{16})[0-9a-fA-F]{16}")
_LEVELS = 32
_SOURCE = 64
_NO_IDS = "a span needs a traceId of 16 bytes and a spanId of 8, not all zero"


class Unreadable(ValueError):
    """The request as a whole can't be read; the text says why."""


@dataclass(slots=True)
class Found:
    """(source, probe, span) of each, and how many were refused, with the reason of the first of them."""

    spans: list[tuple[str, str, Span]] = field(default_factory=list)
    rejected: int = 0
    why: str = ""

    def refuse(self, why: str) -> None:
        """One more is none."""
        self.rejected += 1
        self.why = self.why or why


def source_of(resource: dict[str, Any]) -> tuple[str, str]:
    """(source, probe): the id of the process that a resource describes, and the name of its service."""
    name, instance = resource.get("service.name"), resource.get("service.instance.id")
    probe = name[:256] if type(name) is str and name else "unknown_service"
    source = f"otlp:{probe}"
    if instance not in (None, ""):
        source += f":{instance}"
    if len(source) > _SOURCE:
        source = f"otlp:{probe[:26]}:{hashlib.sha256(source.encode('utf-8', 'replace')).hexdigest()[:32]}"
    return source, probe


def read_json(body: bytes) -> Found:
    """The spans of a request in JSON. Raises ``Unreadable``."""
    try:
        said = orjson.loads(body)
    except orjson.JSONDecodeError as why:
        raise Unreadable(f"{why.msg} at byte {why.pos}") from None
    if type(said) is not dict:
        raise Unreadable("expected an object with resourceSpans")
    found = Found()
    for held in _list(said, "resourceSpans", "resource_spans"):
        resource = held.get("resource")
        source, probe = source_of(read_attributes(resource) if type(resource) is dict else {})
        for scope in _list(held, "scopeSpans", "scope_spans"):
            for record in _list(scope, "spans", "spans"):
                if not (_is_id(_TRACE, record, "traceId", "trace_id") and _is_id(_SPAN, record, "spanId", "span_id")):
                    found.refuse(_NO_IDS)
                    continue
                try:
                    found.spans.append((source, probe, read_span(record)))
                except (SignalError, ValueError, TypeError) as why:
                    found.refuse(str(why)[:200])
    return found


def _list(held: dict[str, Any], name: str, old: str) -> Iterator[dict[str, Any]]:
    listed = held.get(name, held.get(old))
    if listed is not None and type(listed) is not list:
        raise Unreadable(f"expected a list of {name}")
    for item in listed or ():
        if type(item) is not dict:
            raise Unreadable(f"expected objects in {name}")
        yield item


def _is_id(form: re.Pattern[str], record: dict[str, Any], name: str, old: str) -> bool:
    value = record.get(name, record.get(old))
    return type(value) is str and form.fullmatch(value) is not None


@cache
def reader_of_protobuf() -> Callable[[bytes], Found]:
    """What reads a request in protobuf. Raises ``ImportError`` without the package opentelemetry-proto."""
    from google.protobuf.message import DecodeError
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    def read(body: bytes) -> Found:
        try:
            request = ExportTraceServiceRequest.FromString(body)
        except DecodeError as why:
            raise Unreadable(str(why)[:200]) from None
        found = Found()
        for held in request.resource_spans:
            source, probe = source_of(_attributes(held.resource.attributes))
            for scope in held.scope_spans:
                for span in scope.spans:
                    trace, own = span.trace_id, span.span_id
                    if len(trace) != 16 or len(own) != 8 or not (any(trace) and any(own)):
                        found.refuse(_NO_IDS)
                    else:
                        found.spans.append((source, probe, span_of(_record(span), _attributes(span.attributes))))
        return found

    return read


def _record(span: Any) -> dict[str, Any]:
    """A span of protobuf as its JSON would name things."""
    record: dict[str, Any] = {
        "traceId": span.trace_id.hex(),
        "spanId": span.span_id.hex(),
        "parentSpanId": span.parent_span_id.hex(),
        "name": span.name,
        "flags": span.flags,
        "startTimeUnixNano": span.start_time_unix_nano,
        "endTimeUnixNano": span.end_time_unix_nano,
    }
    if span.events:
        record["events"] = [{"name": e.name, "attributes": _attributes(e.attributes)} for e in span.events]
    if span.HasField("status"):
        record["status"] = {"code": span.status.code, "message": span.status.message}
    return record


def _attributes(pairs: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for pair in pairs:
        value = pair.value
        out[pair.key] = value.string_value if value.HasField("string_value") else _value(value, 0)
    return out


def _value(value: Any, level: int) -> Any:
    kind = value.WhichOneof("value")
    if kind is None or level > _LEVELS:
        return None
    held = getattr(value, kind)
    if kind == "array_value":
        return [_value(item, level + 1) for item in held.values]
    if kind == "kvlist_value":
        return {pair.key: _value(pair.value, level + 1) for pair in held.values}
    if kind == "double_value":
        return real(held)  # JSON has no word for NaN
    return b64encode(held).decode() if kind == "bytes_value" else held
