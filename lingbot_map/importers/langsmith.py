"""Runs of LangSmith: one a line, a list, or an object with a list of them as ``runs`` or ``data``."""

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
from lingbot_probes.adapters.langsmith import KINDS, read_run
from lingbot_probes.adapters.spans import Conversation
from lingbot_probes.adapters.spans_read import read_time

NAME = "langsmith"


def refuse(blob: Blob, shape: Shape) -> str:
    """Why the file holds no runs; "" if it does."""
    if _packed(blob, shape) is not None:
        return ""
    return "no run with a `run_type`" if shape.samples else shape.why or "no records"


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """The sessions of the file, in the order in which they first appear in it. Raises ``TooLarge`` over the limits."""
    how = _packed(reading.blob, shape)
    assert how is not None
    yield from traces.read(reading, shape, how, _DIALECT)


def _packed(blob: Blob, shape: Shape) -> Packed | None:
    return packed(blob, shape, NAME, _known, ("runs", "data"), b"run_type")


def _known(sample: dict[str, Any]) -> bool:
    return sample.get("run_type") in KINDS and type(sample.get("id")) is str


class _Metadata(msgspec.Struct):
    session_id: str | None = None
    conversation_id: str | None = None
    thread_id: str | None = None


class _Extra(msgspec.Struct):
    metadata: _Metadata


class _Run(msgspec.Struct):
    """What tells where a run belongs, in the plain spelling; any other is read whole."""

    id: str
    run_type: str
    trace_id: str
    extra: _Extra
    parent_run_id: str | None = None
    start_time: str | None = None


_run = msgspec.json.Decoder(_Run)


def _head(raw: bytes) -> Head:
    try:
        told = _run.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        told = None
    if told is None or not told.id or not told.trace_id:
        (run,) = read_run(parse(raw))
        return run.trace, run.session, not run.parent, run.start, True
    named = told.extra.metadata
    session = named.session_id or named.conversation_id or named.thread_id or ""
    return told.trace_id, session, not told.parent_run_id, read_time(told.start_time), True


def _teller(session: str, meta: Mapping[str, Any] | None) -> Conversation:
    return Conversation(session, {"framework": "langsmith", **(meta or {})})


_DIALECT = traces.Dialect(_head, read_run, _teller, "runs of LangSmith")
