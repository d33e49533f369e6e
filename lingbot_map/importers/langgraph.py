"""Records of LangGraph and LangChain: dumps of ``astream_events`` ("langgraph-events"), thread histories
("langgraph-history"), parts of a stream ("langgraph-stream").

Which of them a file holds shows in its first records. Threads stand mixed in a file; each is told whole.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from lingbot_map.importers import langgraph_history
from lingbot_map.importers.imported import ImportedSession, Reading
from lingbot_map.importers.langgraph_lost import EVENTS, FORMATS, HISTORY, STREAM
from lingbot_map.importers.lines import Index, pieces, read_places
from lingbot_map.importers.records import BadRecord, parse
from lingbot_map.importers.shape import Shape
from lingbot_probes.adapters.langgraph import LangGraph
from lingbot_probes.adapters.langgraph_stream import DEBUG, PARTS, Stream

_EVENT = re.compile(r"on_[a-z_]{1,40}_(?:start|stream|end|error)|on_custom_event")
_NAMES = ("thread_id", "session_id", "conversation_id")  # where a run's metadata name its dialogue
_REMEMBERED = 1_000_000  # events whose repeats are noticed; bounds the memory for it to some 70 MB


class _Named(msgspec.Struct):
    """What names the dialogue of an event."""

    thread_id: Any = None
    session_id: Any = None
    conversation_id: Any = None


class _Event(msgspec.Struct):
    """What tells where an event belongs; everything else in it is passed over."""

    event: str = ""
    run_id: str = ""
    metadata: _Named | None = None


class _Config(msgspec.Struct):
    configurable: _Named | None = None


class _Payload(msgspec.Struct):
    """A checkpoint in a part, or the debug payload around one."""

    config: _Config | None = None
    payload: Raw | UnsetType = UNSET


class _Part(msgspec.Struct):
    """What tells where a part belongs."""

    type: str = ""
    event: str = ""
    data: Raw | UnsetType = UNSET
    payload: Raw | UnsetType = UNSET


_event = msgspec.json.Decoder(_Event)
_part = msgspec.json.Decoder(_Part)
_payload = msgspec.json.Decoder(_Payload)


def refusals(shape: Shape) -> Iterator[tuple[str, str]]:
    """(format, why the file does not hold it; "" if it does)."""
    for format, known, why in (
        (EVENTS, _is_event, "no `event` (on_..._start, on_..._end) with a `run_id`"),
        (HISTORY, langgraph_history.is_state, "no state with `values` and its checkpoint"),
        (STREAM, _is_part, "no part with `type`, `ns` and `data`"),
    ):
        samples = shape.samples or (langgraph_history.listed(shape) if format == HISTORY else [])
        found = any(map(known, samples)) if shape.kind not in ("text", "sqlite") else False
        yield format, "" if found else why if samples else shape.why or "no records"


def _is_event(sample: Any) -> bool:
    event = sample.get("event")
    return type(event) is str and type(sample.get("run_id")) is str and bool(_EVENT.fullmatch(event))


def _is_part(sample: Any) -> bool:
    if "payload" in sample:
        return sample.get("type") in DEBUG and "step" in sample
    if "data" not in sample:
        return False
    if type(sample.get("event")) is str and sample.keys() <= {"event", "data", "id"}:
        return sample["event"].partition("|")[0].partition("/")[0] in PARTS
    kind = sample.get("type")
    return type(kind) is str and "ns" in sample and kind.partition("/")[0] in PARTS


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """The sessions of the file, in the order in which they first appear in it."""
    format = reading.report.format
    if format == HISTORY:
        yield from langgraph_history.read(reading, shape)
    elif format == EVENTS:
        yield from _events(reading, shape)
    else:
        yield from _stream(reading, shape)


def _events(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    index = Index(reading)
    word, text = ("line", None) if shape.kind == "lines" else ("item", shape.text)
    left: dict[str, int] = {}
    first: dict[str, str] = {}
    seen: set[int] = set()
    for number, offset, raw in pieces(reading, shape):
        try:
            head = _event.decode(raw)
        except (msgspec.MsgspecError, RecursionError):
            try:
                found = parse(raw)  # says what is wrong, or mends it
                if type(found) is not dict:
                    raise BadRecord("expected an object") from None
            except BadRecord as why:
                reading.problem(f"{reading.blob.name} {word} {number}", why)
                continue
            named = found.get("metadata")
            named = named if type(named) is dict else {}
            head = _Event(_text(found.get("event")), _text(found.get("run_id")))
            head.metadata = _Named(*(named.get(name) for name in _NAMES))
        key = _thread(head.metadata)
        if head.event.endswith("_stream") and b"__interrupt__" not in raw:
            left[key] = left.get(key, 0) + 1  # tokens are no events: the answer comes whole
            reading.report.records += 1
            continue
        if head.run_id and len(seen) < _REMEMBERED:
            known = hash(raw)
            if known in seen and head.event != "on_custom_event":
                reading.report.repeated += 1
                continue
            seen.add(known)
        first.setdefault(key, head.run_id)
        index.at(key).add(number, offset, len(raw))
    seen.clear()
    for key, places in index.places.items():
        adapter = LangGraph(key or _unnamed(first[key]))
        found_left = adapter.scribe.found.left
        found_left["pieces"] = left.get(key, 0)
        found_left["unthreaded"] = 0 if key else len(places)
        yield from reading.tell(EVENTS, adapter, read_places(reading, places, word, text), first[key])


def _stream(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """Few parts name their thread: a part belongs to the thread that was named last, the first ones to the first."""
    index = Index(reading)
    word, text = ("line", None) if shape.kind == "lines" else ("item", shape.text)
    left: dict[str, int] = {}
    first: dict[str, str] = {}
    thread = ""
    for number, offset, raw in pieces(reading, shape):
        kind, named = "", ""
        try:
            head = _part.decode(raw)
            kind = head.type or head.event
            named = _named_by(head)
        except (msgspec.MsgspecError, RecursionError):
            pass  # what it is not shows when it is told
        if named and named != thread:
            if not thread and "" in index.places:
                index.places[named] = index.places.pop("")
                left[named] = left.pop("", 0)
                first[named] = first.pop("")
            thread = named
        if kind.startswith("messages"):
            left[thread] = left.get(thread, 0) + 1
            reading.report.records += 1
            continue
        first.setdefault(thread, hashlib.sha256(raw).hexdigest())
        index.at(thread).add(number, offset, len(raw))
    for key, places in index.places.items():
        identity = first.get(key) or reading.blob.digest()
        adapter = Stream(key or _unnamed(identity))
        adapter.scribe.found.left["pieces"] = left.get(key, 0)
        yield from reading.tell(STREAM, adapter, read_places(reading, places, word, text), identity)


def _named_by(head: _Part) -> str:
    held = head.payload if type(head.payload) is Raw else head.data
    for _ in range(2):
        text = bytes(held) if type(held) is Raw else b""
        if text[:1] != b"{" or b'"configurable"' not in text:
            return ""
        found = _payload.decode(text)
        if found.config is not None:
            return _thread(found.config.configurable)
        held = found.payload
    return ""


def _thread(named: _Named | None) -> str:
    if named is None:
        return ""
    return _text(named.thread_id) or _text(named.session_id) or _text(named.conversation_id)


def thread_of(metadata: object) -> str:
    """The dialogue that a run's metadata name, "" if they name none."""
    named = metadata if type(metadata) is dict else {}
    return next((name for key in _NAMES if (name := _text(named.get(key)))), "")


def _text(value: object) -> str:
    if type(value) is int:
        return str(value)
    return value if type(value) is str else ""


def _unnamed(known_by: str) -> str:
    """What a dialogue without a name is called: after its first record, so that a longer export is called the same."""
    return f"langgraph {hashlib.sha256(known_by.encode('utf-8', 'replace')).hexdigest()[:12]}"


__all__ = ["FORMATS", "read", "refusals", "thread_of"]
