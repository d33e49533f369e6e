"""Requests of spans, read: anything is taken, refused alone or refused as a whole, and nothing else happens."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from lingbot_web.otlp_read import Found, Unreadable, read_json, reader_of_protobuf, source_of
from tests.live.otlp_sending import request, span, turn

SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=9)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
)
NAMES = st.sampled_from([*span(1, 1), "flags", "status", "events", "kind", "links"])


@given(st.dictionaries(NAMES, VALUES), VALUES, VALUES)
def test_whatever_stands_in_a_span_it_is_taken_or_refused(said: dict[str, Any], resource: Any, whole: Any) -> None:
    body = request({**span(1, 1), **said}, *turn(2))
    body["resourceSpans"][0]["resource"] = resource
    for sent in (body, {"resourceSpans": whole}, whole):
        try:
            found = read_json(json.dumps(sent).encode())
        except Unreadable:
            continue
        assert all(one.trace and one.id for _, _, one in found.spans)
        if sent is body:
            assert len(found.spans) + found.rejected == 4


@given(st.binary(max_size=200), st.integers(0, 10_000))
def test_whatever_bytes_come_as_protobuf_they_are_read_or_refused(body: bytes, place: int) -> None:
    read = reader_of_protobuf()
    message = ExportTraceServiceRequest()
    message.resource_spans.add().scope_spans.add().spans.add(trace_id=b"1" * 16, span_id=b"2" * 8, name="x" * 40)
    good = bytearray(message.SerializeToString())
    good[place % len(good)] ^= 0xFF
    for sent in (body, bytes(good), bytes(good[: place % len(good)])):
        try:
            assert isinstance(read(sent), Found)
        except Unreadable:
            continue


@pytest.mark.parametrize(
    ("resource", "source"),
    [
        ({}, "otlp:unknown_service"),
        ({"service.name": "shop"}, "otlp:shop"),
        ({"service.name": "shop", "service.instance.id": "7"}, "otlp:shop:7"),
        ({"service.name": "shop", "service.instance.id": 7}, "otlp:shop:7"),
        ({"service.name": 3, "service.instance.id": ""}, "otlp:unknown_service"),
    ],
)
def test_a_source_is_a_process_of_a_service(resource: dict[str, Any], source: str) -> None:
    assert source_of(resource)[0] == source


def test_a_long_source_is_cut_and_still_another_one_for_each() -> None:
    one, other = (source_of({"service.name": "s" * 300, "service.instance.id": str(i)})[0] for i in range(2))
    assert one != other
    assert len(one) <= 64
    assert one.startswith("otlp:sss")
