"""Bots that others instrumented: the real SDK, exporter and LangChain instrumentation against a real map."""

from __future__ import annotations

import gzip
import json
import os
import socket
import subprocess
import sys
import zlib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Status, StatusCode

from lingbot_map.store import key_of
from lingbot_web import doorstep
from lingbot_web.address import Address
from lingbot_web.otlp import Refused, unpacked
from lingbot_web.otlp_read import read_json, reader_of_protobuf
from lingbot_web.running import Serving
from lingbot_web.security import MAX_TRACES
from tests.live.otlp_sending import JSON, KIND, PROTOBUF, as_json, bot, post, request, send, span, turn
from tests.live.server import Client, running

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Serving, Client]]:
    with running(tmp_path / "data") as found:
        yield found


def signals(client: Client, session: str) -> list[dict[str, Any]]:
    found = client.get(f"/api/sessions/{key_of(session)}/events")["events"]
    return [event["signal"] for event in found if "source" in event]


def kinds(client: Client, session: str) -> list[str]:
    return [signal["kind"] for signal in signals(client, session)]


def balanced(client: Client) -> None:
    for row in client.get("/api/stats")["sources"]:
        assert row["produced"] == row["accepted"] + row["missing"] + row["refused"] + row["held"]
        assert row["missing"] == row["refused"] == row["held"] == 0


# --- the real thing --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compression", [Compression.NoCompression, Compression.Gzip, Compression.Deflate])
def test_a_bot_with_the_sdk_and_its_exporter_shows_up(served: tuple[Serving, Client], compression: Compression) -> None:
    map, client = served
    with bot(f"{map.base}v1/traces", map.token, compression=compression) as provider:
        tracer = provider.get_tracer("bot")
        root = {KIND: "AGENT", "agent.name": "desk", "session.id": "call-1", "input.value": "my phone is 13812345678"}
        with tracer.start_as_current_span("turn", attributes={**root, "output.value": "noted"}):
            attributes = {KIND: "RETRIEVER", "retrieval.documents.0.document.id": "d1", "input.value": "phones"}
            with tracer.start_as_current_span("vector_search", attributes=attributes):
                pass
            with pytest.raises(ValueError, match="no stock"), tracer.start_as_current_span("stock", attributes={}):
                raise ValueError("no stock")
    said = signals(client, "call-1")
    assert [signal["kind"] for signal in said] == [
        *("session_started", "turn_started", "intent_routed", "retrieved", "failed", "answered"),
    ]
    assert said[0]["meta"] == {"framework": "spans", "service": "shop"}
    assert said[1]["utterance"].startswith("my phone is [phone:"), "what a probe would have masked is masked here"
    assert said[3]["stage"] == "vector"
    assert said[4]["error"] == "ValueError: no stock"
    (summary,) = client.get("/api/sessions")["sessions"]
    assert summary["coverage"] == {"flow": "partial", "state": "none", "knowledge": "partial"}
    assert summary["masked"] == 1
    assert summary["live"]
    (source,) = client.get("/api/stats")["sources"]
    assert source["probe"] == "shop"
    assert source["source"].startswith("otlp:shop")
    balanced(client)


def test_the_token_may_come_in_the_address_so_that_one_variable_is_enough(served: tuple[Serving, Client]) -> None:
    map, client = served
    endpoint = map.base.rstrip("/").replace("://", f"://any:{map.token}@") + "/v1/traces"
    with bot(endpoint, "") as provider, provider.get_tracer("x").start_as_current_span("t", attributes={KIND: "AGENT"}):
        pass
    assert client.get("/api/sessions")["total"] == 1


def test_a_bot_of_langchain_as_openinference_instruments_it(served: tuple[Serving, Client]) -> None:
    map, client = served
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "tests" / "live" / "langchain_bot.py")],
        env={**os.environ, **exporting(map)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = signals(client, "call-17")
    turns = [signal["utterance"] for signal in said if signal["kind"] == "turn_started"]
    assert turns[0] == "What is the price of fibre?"
    assert turns[1].startswith("我的手机号是[phone:"), "masked on the map, since nothing masks it in the bot"
    assert "13812345678" not in json.dumps(said)
    recalled = [signal for signal in said if signal["kind"] == "retrieved" and signal["stage"] != "prompt"]
    assert [(doc["id"], doc["title"], doc["score"]) for doc in recalled[0]["docs"]] == [
        ("prices-2025", "Price list 2025", 0.87),
        ("prices-2019", "Price list 2019", 0.41),
    ]
    (prompt,) = [signal for signal in said if signal["kind"] == "retrieved" and signal["stage"] == "prompt"][:1]
    assert [doc["id"] for doc in prompt["docs"]] == ["prices-2025", "prices-2019"]
    answers = [signal for signal in said if signal["kind"] == "answered"]
    assert [answer["text"] for answer in answers] == ["It is 99 a month.", "好的。"]
    assert answers[0]["docs"] == ["prices-2025", "prices-2019"]
    about = client.keyframe("call-17")["about"]
    assert about["coverage"]["state"] == "none"
    assert [lack["code"] for lack in about["lost"]] == ["state", "unrouted"]
    balanced(client)


def exporting(map: Serving) -> dict[str, str]:
    """What a bot's environment says."""
    return {
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{map.base.rstrip('/')}/v1/traces",
        "OTEL_EXPORTER_OTLP_TRACES_HEADERS": f"Authorization=Bearer%20{map.token}",
    }


# --- the protocol ----------------------------------------------------------------------------------------------------


def test_protobuf_and_json_say_the_same() -> None:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("bot")
    values: dict[str, Any] = {"text": "文", "whole": 2**53 + 1, "real": 0.5, "yes": True, "list": ["a", "b"], "none": 0}
    with tracer.start_as_current_span("outer", attributes={KIND: "LLM", **values}) as outer:
        outer.add_event("exception", {"exception.type": "E", "exception.message": "m"})
        outer.set_status(Status(StatusCode.ERROR, "bad"))
        with tracer.start_as_current_span("inner"):
            pass
    sent = encode_spans(kept.get_finished_spans())
    body = sent.SerializeToString()
    from_protobuf = reader_of_protobuf()(body)
    from_json = read_json(json.dumps(as_json(body)).encode())
    for found in (from_protobuf, from_json):
        for _, _, one in found.spans:
            one.ended = int(str(one.ended))
    assert from_protobuf == from_json
    outer_read = from_json.spans[1][2]
    assert {name: outer_read.attributes[name] for name in values} == values
    assert (outer_read.failed, outer_read.error) == (True, "bad (E: m)")


def test_what_is_no_span_is_rejected_and_the_rest_is_taken(served: tuple[Serving, Client]) -> None:
    _, client = served
    bad = [{**span(9, 1), "traceId": "00"}, {**span(9, 1), "spanId": "0" * 16}, {**span(9, 1), "traceId": None}]
    said = send(client, *turn(1), *bad)
    assert said["partialSuccess"]["rejectedSpans"] == "3"
    assert "traceId of 16 bytes" in said["partialSuccess"]["errorMessage"]
    assert kinds(client, "call")[-1] == "answered"
    message = ExportTraceServiceRequest()
    message.resource_spans.add().scope_spans.add().spans.add(trace_id=b"1" * 16, span_id=b"2")
    status, body, headers = post(client, message.SerializeToString(), PROTOBUF)
    answer = ExportTraceServiceResponse.FromString(body)
    assert (status, headers["content-type"]) == (200, PROTOBUF)
    assert answer.partial_success.rejected_spans == 1
    assert "spanId of 8" in answer.partial_success.error_message


def test_all_well_is_an_empty_answer_in_the_encoding_of_the_request(served: tuple[Serving, Client]) -> None:
    _, client = served
    assert send(client, *turn(1)) == {}
    status, body, headers = post(client, b"", PROTOBUF)
    assert (status, body, headers["content-type"]) == (200, b"", PROTOBUF)


@pytest.mark.parametrize(
    ("body", "kind", "headers", "status", "word"),
    [
        (b"{", JSON, {}, 400, "can't be read"),
        (b"[]", JSON, {}, 400, "resourceSpans"),
        (b'{"resourceSpans": 7}', JSON, {}, 400, "list of resourceSpans"),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": [7]}]}]}', JSON, {}, 400, "objects in spans"),
        (b"\xff\xff\xff", PROTOBUF, {}, 400, "can't be read"),
        (b"{}", "text/plain", {}, 415, PROTOBUF),
        (b"{}", JSON, {"Content_Encoding": "br"}, 415, "gzip or deflate"),
        (b"{}", JSON, {"Content_Encoding": "gzip"}, 400, "not gzip"),
        (gzip.compress(b"{}", mtime=0)[:-9], JSON, {"Content_Encoding": "gzip"}, 400, "in the middle"),
        (gzip.compress(b" " * (MAX_TRACES + 1), mtime=0), JSON, {"Content_Encoding": "gzip"}, 413, "unpacked"),
    ],
)
def test_what_can_not_be_taken_is_refused_with_the_reason(
    served: tuple[Serving, Client], body: bytes, kind: str, headers: dict[str, str], status: int, word: str
) -> None:
    _, client = served
    answered, said, shown = post(client, body, kind, **headers)
    assert answered == status
    text = said.decode("utf-8", "replace") if type(said) is bytes else said["message"]
    assert word in text
    assert shown["content-type"] == (PROTOBUF if kind == PROTOBUF else JSON)


def test_a_large_request_is_taken_while_others_are_answered(served: tuple[Serving, Client]) -> None:
    _, client = served
    spans = [one for trace in range(1, 601) for one in turn(trace, said="x" * 200)]
    body = json.dumps(request(*spans)).encode()
    assert len(body) > 256 * 1024
    assert post(client, gzip.compress(body), Content_Encoding="gzip")[0] == 200
    (summary,) = client.get("/api/sessions")["sessions"]
    assert summary["turns"] == 600
    balanced(client)


def test_a_small_body_that_holds_terabytes_costs_no_more_than_the_bound() -> None:
    packed = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packed.compress(bytes(1 << 20)) for _ in range(64)) + packed.flush()
    assert len(bomb) < 100_000
    with pytest.raises(Refused, match="unpacked") as refused:
        unpacked(bomb, "gzip")
    assert refused.value.status == 413
    assert unpacked(gzip.compress(b"x" * 1_000), "gzip", most=1_000) == b"x" * 1_000


def test_without_the_package_for_protobuf_the_answer_says_what_to_install(
    served: tuple[Serving, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, client = served
    reader_of_protobuf.cache_clear()
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "opentelemetry.proto.collector.trace.v1.trace_service_pb2", None)
        status, body, headers = post(client, b"", PROTOBUF)
        assert (status, headers["content-type"]) == (501, PROTOBUF)
        assert b"pip install 'lingbot-map[otlp]'" in body
        assert send(client, *turn(1)) == {}, "JSON needs no package"
    assert post(client, b"", PROTOBUF)[0] == 200


def test_only_who_has_the_token_sends_and_no_other_site(served: tuple[Serving, Client]) -> None:
    map, client = served
    basic = b64encode(f"any:{map.token}".encode()).decode()
    for name, value, status in (
        ("Authorization", "Bearer wrong", 401),
        ("Authorization", "Basic wrong!", 401),
        ("Authorization", f"Basic {basic}", 200),
        ("Host", "evil.example.org", 403),
        ("Origin", "http://evil.example.org", 403),
    ):
        assert post(client, b"{}", **{name: value})[0] == status, (name, value)
    assert client.ask("GET", "/api/stats", headers={"Authorization": f"Basic {basic}"})[0] == 401, "for spans alone"


def test_who_comes_while_much_is_held_is_asked_to_come_again(
    served: tuple[Serving, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, client = served
    monkeypatch.setattr("lingbot_web.otlp.MAX_HELD", 10)
    status, said, headers = post(client, json.dumps(request(*turn(1))).encode())
    assert (status, headers["retry-after"]) == (429, "1")
    assert "send that again" in said["message"]
    monkeypatch.undo()
    assert send(client, *turn(1)) == {}


def test_a_grpc_sender_is_told_in_its_own_protocol_what_to_set(served: tuple[Serving, Client]) -> None:
    _, client = served
    with socket.create_connection(("127.0.0.1", client.port), timeout=10) as wire:
        wire.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0)))
        answer = b""
        while chunk := wire.recv(4096):
            answer += chunk
    assert answer[3] == 4, "a server's first frame is SETTINGS"
    goaway = answer[9:]
    assert (goaway[3], int.from_bytes(goaway[:3], "big")) == (7, len(goaway) - 9)
    assert goaway[17:].startswith(b"lingbot-map takes OTLP over HTTP/1.1")


def test_an_answer_does_not_wait_for_an_acknowledgement() -> None:
    why = "asyncio switches Nagle's algorithm off only for what says to be TCP"
    with Address(port=0).listen() as listener:
        assert listener.proto == socket.IPPROTO_TCP, why
        port = listener.getsockname()[1]
    doorstep.open_for(["serve", "--port", str(port)])
    opened = doorstep.taken("127.0.0.1", port)
    assert opened is not None
    with opened.listener:
        assert opened.listener.proto == socket.IPPROTO_TCP, why
        opened.close()
