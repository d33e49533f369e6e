"""``POST /v1/traces``: spans as any OpenTelemetry SDK or collector sends them over HTTP, in protobuf or JSON.

Answers are those of the OTLP specification (opentelemetry.io/docs/specs/otlp, 1.x): of the request's own type, with
what was rejected and why as a partial success; 429 and 503 with ``Retry-After`` where it is worth sending again.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from lingbot_map.errors import NotWritten
from lingbot_map.pipeline import Arrived, Pipeline, Traced
from lingbot_web.otlp_read import Found, Unreadable, read_json, reader_of_protobuf
from lingbot_web.security import MAX_TRACES

MAX_HELD = 3 * MAX_TRACES
"""Bytes of requests that are read or wait for their turn at the same time; who comes then is asked to come again."""
PROTOBUF, JSON = "application/x-protobuf", "application/json"
_WINDOW = {"gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}
_INVALID, _EXHAUSTED, _UNIMPLEMENTED, _UNAVAILABLE = 3, 8, 12, 14  # of google.rpc.Code
_LONG = 256 * 1024  # bytes from which a body is read beside the event loop
_MESSAGE = 1_000  # characters of a sentence in an answer
_INSTALL = "The map takes OTLP in protobuf once its extra is installed: pip install 'lingbot-map[otlp]'. Or have the \
sender use OTEL_EXPORTER_OTLP_PROTOCOL=http/json where it can."


class Refused(Exception):
    """The request as a whole is not taken: HTTP ``status``, google.rpc ``code``, a ``sentence``; ``again``: later."""

    def __init__(self, status: int, code: int, sentence: str, *, again: bool = False) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.sentence = sentence
        self.again = again


def traces(pipeline: Pipeline) -> Any:
    """The endpoint."""
    held = 0

    async def post(request: Request) -> Response:
        nonlocal held
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        size = _size(request)
        try:
            read = _reader(kind)
            if pipeline.status == "recovering":
                sentence = "The map is reading its recordings; send that again in a moment."
                raise Refused(503, _UNAVAILABLE, sentence, again=True)
            if held + size > MAX_HELD:
                raise Refused(429, _EXHAUSTED, "The map is busy with other spans; send that again.", again=True)
            held += size
            try:
                return _answer(kind, await _taken(pipeline, request, read))
            finally:
                held -= size
        except Refused as why:
            return _refusal(kind, why)

    return post


def _size(request: Request) -> int:
    said = request.headers.get("content-length", "")
    packed = request.headers.get("content-encoding", "identity").lower() != "identity"
    return int(said) if said.isdigit() and not packed else MAX_TRACES


def _reader(kind: str) -> Callable[[bytes], Found]:
    if kind == JSON:
        return read_json
    if kind != PROTOBUF:
        raise Refused(415, _INVALID, f"Send spans as {PROTOBUF} or {JSON}.")
    try:
        return reader_of_protobuf()
    except ImportError:
        raise Refused(501, _UNIMPLEMENTED, _INSTALL) from None


async def _taken(pipeline: Pipeline, request: Request, read: Callable[[bytes], Found]) -> Traced:
    body = await request.body()
    encoding = request.headers.get("content-encoding", "identity").strip().lower()

    def found_in() -> Found:
        return read(unpacked(body, encoding))

    try:
        found = found_in() if len(body) < _LONG else await asyncio.to_thread(found_in)
    except Unreadable as why:
        raise Refused(400, _INVALID, f"The body can't be read: {why}") from None
    try:
        traced = await pipeline.tracing.take([Arrived(*one) for one in found.spans])
    except (NotWritten, OSError):
        sentence = "The disk of the map refuses what is written; send that again."
        raise Refused(503, _UNAVAILABLE, sentence, again=True) from None
    traced.rejected += found.rejected
    traced.why = found.why or traced.why
    return traced


def unpacked(body: bytes, encoding: str, most: int = MAX_TRACES) -> bytes:
    """The body without its compression, at most ``most`` bytes: a small one may hold terabytes. Raises ``Refused``."""
    if encoding in ("", "identity"):
        return body
    if encoding not in _WINDOW:
        raise Refused(415, _INVALID, "The body may be compressed with gzip or deflate alone.")
    unpacking = zlib.decompressobj(_WINDOW[encoding])
    try:
        data = unpacking.decompress(body, most + 1)
    except zlib.error as why:
        raise Refused(400, _INVALID, f"The body is not {encoding}: {why}") from None
    if len(data) > most:
        raise Refused(413, _EXHAUSTED, f"The body may have at most {most:,} bytes unpacked; send fewer spans at once.")
    if not unpacking.eof:
        raise Refused(400, _INVALID, f"The body ends in the middle of its {encoding}.")
    return data


# --- answers: ExportTraceServiceResponse and google.rpc.Status, of a few fields each ---------------------------------


def _answer(kind: str, traced: Traced) -> Response:
    why = traced.why[:_MESSAGE] if traced.rejected else ""
    if kind == JSON:
        partial = {"partialSuccess": {"rejectedSpans": str(traced.rejected), "errorMessage": why}}
        return Response(orjson.dumps(partial if traced.rejected else {}), media_type=JSON)
    body = b""
    if traced.rejected:
        body = _message(1, _number(1, traced.rejected) + _message(2, why.encode("utf-8", "replace")))
    return Response(body, media_type=PROTOBUF)


def _refusal(kind: str, why: Refused) -> Response:
    if kind == PROTOBUF:
        body = _number(1, why.code) + _message(2, why.sentence.encode())
    else:
        body = orjson.dumps({"code": why.code, "message": why.sentence, "error": why.sentence})
    headers = {"retry-after": "1"} if why.again else None
    return Response(body, why.status, headers=headers, media_type=PROTOBUF if kind == PROTOBUF else JSON)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _message(field: int, body: bytes | Sequence[int]) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(body)) + bytes(body)
