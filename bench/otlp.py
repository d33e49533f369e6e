"""How many spans a second the map takes in: read, held until they make a turn, masked, told, logged, mapped.

The endpoint's own work on one core, without the socket: requests of a hundred spans, each span in its place as an SDK
sends them, in protobuf and in JSON. ``over HTTP`` is the same through a server of its own process and one connection.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from bench import Figure
from bench.imports import spans
from bench.live import serving
from lingbot_map.pipeline import Arrived, Pipeline
from lingbot_web.otlp_read import Found, read_json, reader_of_protobuf

SPANS = 8_000
A_REQUEST = 100
BAR = 5_000.0  # spans a second
ROUNDS = 3
_WORDS = {str: "stringValue", int: "intValue", float: "doubleValue"}


def requests(count: int) -> list[dict[str, Any]]:
    """``count`` spans of turns of eight as requests in JSON, each turn's root last, as it ends."""
    found = spans(count)
    out = []
    for first in range(0, len(found), A_REQUEST):
        packed = [_packed(span) for span in found[first : first + A_REQUEST]]
        name = {"key": "service.name", "value": {"stringValue": "bench"}}
        scope = {"scope": {"name": "bench"}, "spans": packed}
        out.append({"resourceSpans": [{"resource": {"attributes": [name]}, "scopeSpans": [scope]}]})
    return out


def apart(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same spans in requests of which the roots come last: all others wait for them."""
    held = [one["resourceSpans"][0]["scopeSpans"][0]["spans"] for one in said]
    spans = sorted((span for each in held for span in each), key=lambda span: not span["parentSpanId"])
    resource = said[0]["resourceSpans"][0]["resource"]
    return [
        {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans[first : first + A_REQUEST]}]}]}
        for first in range(0, len(spans), A_REQUEST)
    ]


def _packed(span: dict[str, Any]) -> dict[str, Any]:
    attributes = {"openinference.span.kind": span["span_kind"], **span["attributes"]}
    return {
        "traceId": span["context"]["trace_id"],
        "spanId": span["context"]["span_id"],
        "parentSpanId": span["parent_id"] or "",
        "name": span["name"],
        "startTimeUnixNano": str(int(span["start_time"] * 1e9)),
        "endTimeUnixNano": str(int(span["end_time"] * 1e9)),
        "attributes": [{"key": key, "value": {_WORDS[type(value)]: value}} for key, value in attributes.items()],
        "status": {"code": 1},
    }


def protobuf(said: dict[str, Any]) -> bytes:
    """The same request in protobuf."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    request = ExportTraceServiceRequest()
    for held in said["resourceSpans"]:
        resource = request.resource_spans.add()
        for pair in held["resource"]["attributes"]:
            _put(resource.resource.attributes.add(), pair)
        for scope in held["scopeSpans"]:
            into = resource.scope_spans.add()
            for told in scope["spans"]:
                span = into.spans.add(
                    trace_id=bytes.fromhex(told["traceId"]),
                    span_id=bytes.fromhex(told["spanId"]),
                    parent_span_id=bytes.fromhex(told["parentSpanId"]),
                    name=told["name"],
                    start_time_unix_nano=int(told["startTimeUnixNano"]),
                    end_time_unix_nano=int(told["endTimeUnixNano"]),
                )
                span.status.code = told["status"]["code"]
                for pair in told["attributes"]:
                    _put(span.attributes.add(), pair)
    body: bytes = request.SerializeToString()
    return body


def _put(into: Any, pair: dict[str, Any]) -> None:
    into.key = pair["key"]
    ((word, value),) = pair["value"].items()
    setattr(into.value, {"stringValue": "string_value", "intValue": "int_value"}.get(word, "double_value"), value)


def measure() -> Iterable[Figure]:
    """Spans a second of the map's own time, for both encodings, then through a real server."""
    said = requests(SPANS)
    bodies = {"protobuf": [protobuf(one) for one in said], "JSON": [json.dumps(one).encode() for one in said]}
    readers: dict[str, Callable[[bytes], Found]] = {"protobuf": reader_of_protobuf(), "JSON": read_json}
    for name, made in bodies.items():
        note = f"{A_REQUEST} spans a request, {sum(map(len, made)) // SPANS} bytes each"
        reading = min(_read(made, readers[name]) for _ in range(ROUNDS))
        yield Figure(name=f"{name}: reading alone", value=SPANS / reading, unit="spans/s", better="more", note=note)
        taking = min(asyncio.run(_taken(made, readers[name])) for _ in range(ROUNDS))
        yield Figure(name=f"{name}: intake", value=SPANS / taking, unit="spans/s", bar=BAR, better="more", note=note)
    made = [json.dumps(one).encode() for one in apart(said)]
    taking = min(asyncio.run(_taken(made, read_json)) for _ in range(ROUNDS))
    note = "each span masked and written while it waits"
    yield Figure(
        name="JSON: intake, roots in later requests",
        value=SPANS / taking,
        unit="spans/s",
        bar=BAR,
        better="more",
        note=note,
    )
    with serving() as server:
        for name, type in (("protobuf", "application/x-protobuf"), ("JSON", "application/json")):
            before, began = server.cpu(), time.perf_counter()
            for _ in _posted(server.port, server.token, type, bodies[name]):
                pass
            cpu, passed = server.cpu() - before, time.perf_counter() - began
            note = f"one connection; {SPANS / passed:,.0f} a second by the clock"
            yield Figure(
                name=f"{name}: over HTTP", value=SPANS / cpu, unit="spans/s", bar=BAR, better="more", note=note
            )
            bodies["JSON"] = [body.replace(b'"traceId": "0', b'"traceId": "f') for body in bodies["JSON"]]


async def _taken(bodies: list[bytes], read: Callable[[bytes], Found]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        pipeline = Pipeline.of_folder(Path(folder))
        await pipeline.start()
        await pipeline.settled()
        began = time.thread_time()
        for body in bodies:
            await pipeline.tracing.take([Arrived(*one) for one in read(body).spans])
        spent = time.thread_time() - began
        await pipeline.stop()
    return spent


def _posted(port: int, token: str, type: str, bodies: list[bytes]) -> Iterator[int]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for body in bodies:
        connection.request("POST", "/v1/traces", body, {"Authorization": f"Bearer {token}", "Content-Type": type})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        yield answer.status
    connection.close()


def _read(bodies: list[bytes], read: Callable[[bytes], Found]) -> float:
    began = time.thread_time()
    for body in bodies:
        read(body)
    return time.thread_time() - began
