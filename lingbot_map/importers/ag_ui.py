"""Events of the AG-UI protocol: one a line, or a list of them. Runs of many threads may stand in a file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec

from lingbot_map.importers.ag_ui_lost import NAME
from lingbot_map.importers.imported import ImportedSession, Reading
from lingbot_map.importers.lines import Index, pieces, read_places, slicer
from lingbot_map.importers.shape import Shape
from lingbot_probes.adapters.ag_ui import KINDS, AgUi


class _Head(msgspec.Struct):
    """What names the thread: the events that begin and end a run."""

    threadId: Any = None
    thread_id: Any = None


_head = msgspec.json.Decoder(_Head)


def refuse(shape: Shape) -> str:
    """Why the file holds no events of AG-UI; "" if it does."""
    if shape.kind in ("text", "sqlite"):
        return shape.why
    if any(sample.get("type") in KINDS for sample in shape.samples if type(sample.get("type")) is str):
        return ""
    return "no event of AG-UI with a known `type`" if shape.samples else shape.why or "no records"


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """The sessions of the file, in the order in which they first appear in it. Raises ``TooLarge`` over the limits.

    Only a run's first and last event name their thread: the others belong to the one that was named last.
    """
    index = Index(reading)
    word, text = ("line", None) if shape.kind == "lines" else ("item", shape.text)
    thread = ""
    for number, offset, raw in pieces(reading, shape):
        try:
            head = _head.decode(raw)
            named = head.thread_id if head.threadId is None else head.threadId
        except (msgspec.MsgspecError, RecursionError):
            named = None  # what it is not shows when it is told
        if type(named) is str and named and named != thread:
            if not thread and "" in index.places:
                index.places[named] = index.places.pop("")
            thread = named
        index.at(thread).add(number, offset, len(raw))
    for key, places in index.places.items():
        identity = hashlib.sha256(slicer(reading, text)(*places.first())).hexdigest()
        adapter = AgUi(key or f"ag-ui {identity[:12]}")
        yield from reading.tell(NAME, adapter, read_places(reading, places, word, text), identity)


__all__ = ["NAME", "read", "refuse"]
