"""Traces of the OpenAI Agents SDK: export batches (``{"data": [...]}``), lines of them, and traces and spans a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from lingbot_probes.adapters.fields import instant
from lingbot_probes.adapters.openai_agents_traces import Conversation, read_record

NAME = "openai-agents"


class _Record(msgspec.Struct):
    """What tells where a record belongs."""

    object: str
    id: str
    trace_id: str | None = None
    parent_id: str | None = None
    group_id: str | None = None
    started_at: str | None = None
    span_data: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


_record = msgspec.json.Decoder(_Record)


def refuse(blob: Blob, shape: Shape) -> str:
    """Why the file holds no traces of the SDK; "" if it does."""
    if _packed(blob, shape) is not None:
        return ""
    return 'no trace or span with `object` "trace"' if shape.samples else shape.why or "no records"


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """The sessions of the file, in the order in which they first appear in it. Raises ``TooLarge`` over the limits."""
    how = _packed(reading.blob, shape)
    assert how is not None

    def teller(session: str, meta: Mapping[str, Any] | None) -> Conversation:
        return Conversation(session, meta, reading.meaning)

    dialect = traces.Dialect(_head_of, read_record, teller, "traces of the OpenAI Agents SDK")
    yield from traces.read(reading, shape, how, dialect)


def _packed(blob: Blob, shape: Shape) -> Packed | None:
    return packed(blob, shape, NAME, _known, ("data",), b'"trace')


def _known(sample: dict[str, Any]) -> bool:
    return sample.get("object") in ("trace", "trace.span") and "id" in sample


def _head_of(raw: bytes) -> Head:
    try:
        record = _record.decode(raw)
        trace = record.id if record.object == "trace" else record.trace_id
    except (msgspec.MsgspecError, RecursionError):
        trace = None
    if not trace or not record.id or record.object not in ("trace", "trace.span"):
        held = read_record(parse(raw))[0]  # says what is wrong, or mends it
        group = held.record.get("group_id")
        start = instant(held.record.get("started_at"))
        parent = bool(held.id and held.record.get("parent_id"))
        return held.trace, group if type(group) is str else "", not parent, start, True
    if record.object == "trace":
        return trace, record.group_id or "", True, None, True
    return trace, "", not record.parent_id, instant(record.started_at), True
