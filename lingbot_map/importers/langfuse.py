"""Langfuse's exports: traces with their observations, rows of observations and traces, events of the ingestion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from lingbot_map.importers import traces
from lingbot_map.importers.blob import Blob
from lingbot_map.importers.imported import ImportedSession, Reading
from lingbot_map.importers.packing import packed
from lingbot_map.importers.records import parse
from lingbot_map.importers.shape import Shape
from lingbot_map.importers.spans_heads import Head
from lingbot_map.importers.spans_places import Packed
from lingbot_probes.adapters.langfuse import KINDS, Conversation, field, read_rows
from lingbot_probes.adapters.spans_read import read_time
from lingbot_probes.codec import SignalError

NAME = "langfuse"

_OF_TRACES = ("sessionId", "session_id", "userId", "user_id", "observations", "htmlPath")
_EVENTS = ("-create", "-update")


def refuse(blob: Blob, shape: Shape) -> str:
    """Why the file holds no traces of Langfuse; "" if it does."""
    if _packed(blob, shape) is not None:
        return ""
    return "no trace with `observations`, no observation" if shape.samples else shape.why or "no records"


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """The sessions of the file, in the order in which they first appear in it. Raises ``TooLarge`` over the limits."""
    how = _packed(reading.blob, shape)
    assert how is not None
    yield from traces.read(reading, shape, how, _DIALECT)


def _packed(blob: Blob, shape: Shape) -> Packed | None:
    return packed(blob, shape, NAME, _known, ("data", "batch", "traces"), b"race")


def _known(sample: dict[str, Any]) -> bool:
    kind, body = sample.get("type"), sample.get("body")
    if type(kind) is str and type(body) is dict:
        return kind.endswith(_EVENTS) and type(body.get("id")) is str
    if type(sample.get("id")) is not str:
        return False
    if type(field(sample, "traceId", "trace_id")) is str:
        return str(kind).upper() in KINDS and field(sample, "startTime", "start_time") is not None
    return type(sample.get("timestamp")) is str and "name" in sample and any(key in sample for key in _OF_TRACES)


class _Observation(msgspec.Struct):
    """What tells where an observation belongs, in the plain spelling; anything else is read whole."""

    id: str
    traceId: str
    type: str
    startTime: str
    parentObservationId: str | None = None
    sessionId: str | None = None
    body: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_observation = msgspec.json.Decoder(_Observation)


def _head(raw: bytes) -> Head:
    try:
        told = _observation.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        told = None
    if told is not None and told.id and told.traceId and told.body is msgspec.UNSET:
        return told.traceId, told.sessionId or "", not told.parentObservationId, read_time(told.startTime), True
    rows = read_rows(parse(raw))
    if not rows:
        raise SignalError("type", "an event of a trace or an observation", "another")
    record = rows[0].record
    session = field(record, "sessionId", "session_id")
    start = record.get("timestamp") if not rows[0].of else field(record, "startTime", "start_time")
    root = not rows[0].of or not field(record, "parentObservationId", "parent_observation_id")
    return rows[0].trace, session if type(session) is str else "", root, read_time(start), True


_DIALECT = traces.Dialect(_head, read_rows, Conversation, "traces of Langfuse")
