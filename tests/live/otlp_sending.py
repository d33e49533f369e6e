"""Spans as SDKs send them: requests in both encodings, and a bot with the real SDK and exporter."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from tests.live.server import Client

PROTOBUF, JSON = "application/x-protobuf", "application/json"
KIND = "openinference.span.kind"
_WORDS = {str: "stringValue", int: "intValue", float: "doubleValue", bool: "boolValue"}


def span(trace: int, number: int, parent: int = 0, kind: str = "", **attributes: Any) -> dict[str, Any]:
    """A span in OTLP's JSON; ``session__id="x"`` is the attribute session.id."""
    named = {name.replace("__", "."): value for name, value in attributes.items()}
    if kind:
        named[KIND] = kind
    return {
        "traceId": f"{trace:032x}",
        "spanId": f"{number:016x}",
        "parentSpanId": f"{parent:016x}" if parent else "",
        "name": f"step {number}",
        "startTimeUnixNano": str(1_800_000_000_000_000_000 + number * 1_000_000),
        "endTimeUnixNano": str(1_800_000_000_500_000_000 + number * 1_000_000),
        "attributes": [{"key": key, "value": {_WORDS[type(value)]: value}} for key, value in named.items()],
    }


def turn(trace: int, session: str = "call", said: str = "hi") -> list[dict[str, Any]]:
    """A turn: a search, a model, and the agent around both, which ends last."""
    found = {"retrieval.documents.0.document.id": "d1", "retrieval.documents.0.document.content": "fibre is 99"}
    return [
        span(trace, 2, 1, "RETRIEVER", **found),
        span(trace, 3, 1, "LLM", llm__model_name="m"),
        span(trace, 1, 0, "AGENT", agent__name="desk", session__id=session, input__value=said, output__value="ok"),
    ]


def request(*spans: dict[str, Any], service: str = "shop", instance: str = "") -> dict[str, Any]:
    """A request with these spans of one process."""
    named = [{"key": "service.name", "value": {"stringValue": service}}]
    if instance:
        named.append({"key": "service.instance.id", "value": {"stringValue": instance}})
    return {"resourceSpans": [{"resource": {"attributes": named}, "scopeSpans": [{"spans": list(spans)}]}]}


def post(client: Client, body: bytes, kind: str = JSON, **headers: str) -> tuple[int, Any, dict[str, str]]:
    """(status, answer, headers) of a request as it stands."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.ask("POST", "/v1/traces", body, {"Content-Type": kind, **named})


def send(client: Client, *spans: dict[str, Any], **process: str) -> Any:
    """The answer to a request that must be taken."""
    status, said, _ = post(client, json.dumps(request(*spans, **process)).encode())
    assert status == 200, said
    return said


@contextmanager
def bot(endpoint: str, token: str, service: str = "shop", **more: Any) -> Iterator[TracerProvider]:
    """The real SDK with its OTLP exporter; all is sent when the block ends."""
    provider = TracerProvider(resource=Resource.create({"service.name": service}))
    exporter = OTLPSpanExporter(endpoint, headers={"Authorization": f"Bearer {token}"} if token else None, **more)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    try:
        yield provider
    finally:
        provider.shutdown()


def as_json(body: bytes) -> dict[str, Any]:
    """A request in protobuf, as OTLP's JSON: ids in hex, which protobuf's own JSON writes in base64."""
    from google.protobuf.json_format import MessageToDict

    message = ExportTraceServiceRequest.FromString(body)
    said: dict[str, Any] = MessageToDict(message, use_integers_for_enums=True)
    for held, raw in zip(said.get("resourceSpans", []), message.resource_spans, strict=True):
        for scope, raw_scope in zip(held.get("scopeSpans", []), raw.scope_spans, strict=True):
            for told, raw_span in zip(scope.get("spans", []), raw_scope.spans, strict=True):
                told["traceId"], told["spanId"] = raw_span.trace_id.hex(), raw_span.span_id.hex()
                told["parentSpanId"] = raw_span.parent_span_id.hex()
    return said
