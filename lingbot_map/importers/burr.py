"""Applications that Burr's tracker wrote down: a ``log.jsonl``, alone or behind the application's other rows.

``graph.json`` and ``metadata.json`` are rows of one line each, so they may stand before the log in one file. The row of
the metadata, or of the graph, begins the next application.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec
import orjson

from lingbot_map.importers.imported import ImportedSession, Reading
from lingbot_map.importers.lines import Index, Places, pieces, read_places
from lingbot_map.importers.records import BadRecord, parse
from lingbot_map.importers.shape import Shape
from lingbot_probes.adapters.burr import LOG, Burr

NAME = "burr"

ABOUT = ("application_metadata", "application")
"""Rows that stand before an application's log."""


class _Head(msgspec.Struct):
    """What kind of row it is."""

    type: Any = None


_head = msgspec.json.Decoder(_Head)


@dataclass(slots=True)
class _App:
    """One application of the file: where its rows lie, whether its graph is among them, its first logged row."""

    places: Places = field(default_factory=Places)
    graph: bool = False
    first: bytes = b""


def refuse(shape: Shape) -> str:
    """Why the file is no log of Burr's; "" if it is one."""
    if shape.kind in ("text", "sqlite"):
        return shape.why
    if any(map(_known, shape.samples)):
        return ""
    return "no `begin_entry` with an `action`" if shape.samples else shape.why or "no records"


def _known(sample: Any) -> bool:
    kind = sample.get("type")
    if kind in ("begin_entry", "end_entry"):
        return type(sample.get("action")) is str and "sequence_id" in sample
    return kind == "application_metadata" and ("parent_pointer" in sample or "partition_key" in sample)


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """A session for each application, in the order of the file."""
    index = Index(reading)
    word, text = ("line", None) if shape.kind == "lines" else ("item", shape.text)
    apps: list[_App] = []
    for number, offset, raw in pieces(reading, shape):
        try:
            kind = kind_of(raw)
        except BadRecord as why:
            reading.problem(f"{reading.blob.name} {word} {number}", why)
            continue
        if not apps or (kind in ABOUT and apps[-1].first):
            index.at(f"\n{len(apps)}")
            apps.append(_App())
        else:
            index.counted()
        app = apps[-1]
        app.graph = app.graph or kind == "application"
        if kind in LOG and not app.first:
            app.first = raw
        app.places.add(number, offset, len(raw))
    for app in apps:
        if not app.first:
            where = f"{reading.blob.name} {word} {next(iter(app.places))[0]}"
            reading.problem(where, "an application without a log: nothing was done in it")
            continue
        yield from reading.tell(
            NAME, Burr(called(app.first, graph=app.graph)), read_places(reading, app.places, word, text)
        )


def kind_of(raw: bytes) -> str:
    """What kind of row it is, "" if it says none. Raises ``BadRecord``."""
    try:
        kind = _head.decode(raw).type
    except (msgspec.MsgspecError, RecursionError):
        found = parse(raw)  # says what is wrong, or mends it
        if type(found) is not dict:
            raise BadRecord("expected an object") from None
        kind = found.get("type")
    return kind if type(kind) is str else ""


def called(first: bytes, *, graph: bool) -> str:
    """What an application is called: after its ``first`` logged row, however that is spaced. With its graph it holds
    more, and is another session."""
    with suppress(BadRecord, orjson.JSONEncodeError):
        first = orjson.dumps(parse(first), option=orjson.OPT_SORT_KEYS)
    return f"burr {hashlib.sha256(first + b'graph' * graph).hexdigest()[:12]}"
