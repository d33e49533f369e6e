"""Saved runs of the OpenAI Agents SDK: one state, a list of them, or one a line. Each is a session."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import orjson

from lingbot_map.importers.blob import Blob
from lingbot_map.importers.imported import ImportedSession, Reading, Record
from lingbot_map.importers.lines import Index, pieces
from lingbot_map.importers.records import BadRecord, Member, items, members, parse
from lingbot_map.importers.shape import Shape
from lingbot_probes.adapters.openai_agents_state import PARTS, VERSIONS, RunState

NAME = "openai-agents-state"

_VERSION = re.compile(rb'"\$schemaVersion"\s*+:\s*+("(?:[^"\\]|\\.){0,40}"|[0-9.]{1,10})')
_HEAD = 1 << 16
_HEADER = 1 << 18  # bytes of one member beside the lists; a longer one is left out


def refuse(blob: Blob, shape: Shape) -> str:
    """Why the file holds no run state that can be read; "" if it does."""
    if shape.kind in ("text", "sqlite"):
        return shape.why
    versions = _versions(blob, shape)
    if any(map(_readable, versions)):
        return ""
    if versions:
        return f"a run state of schema version {str(versions[0])[:40]}; {VERSIONS}x can be read"
    return "no `$schemaVersion` of a run state" if shape.samples else shape.why or "no records"


def of_another_version(blob: Blob, shape: Shape) -> bool:
    """Whether the file is a run state, though none that can be read: then it is no table either."""
    versions = [] if shape.kind in ("text", "sqlite") else _versions(blob, shape)
    return bool(versions) and not any(map(_readable, versions))


def _versions(blob: Blob, shape: Shape) -> list[Any]:
    found = _VERSION.findall(blob.slice(blob.start, _HEAD)) if shape.kind == "object" or not shape.samples else []
    versions = [orjson.loads(version) for version in found]
    return versions + [sample["$schemaVersion"] for sample in shape.samples if "$schemaVersion" in sample]


def _readable(version: object) -> bool:
    return str(version).startswith(VERSIONS)


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """A session for each state, in the order of the file."""
    index = Index(reading)
    for where, text in _states(reading, shape):
        parts = list(members(text, text.find(b"{"))) if text.lstrip()[:1] == b"{" else []
        if not any(part.name == "$schemaVersion" and _readable(_value(text, part)) for part in parts):
            reading.problem(where, f"no run state of schema version {VERSIONS}x")
            continue
        index.at(where)
        yield from _told(reading, index, where, text, parts)


def _states(reading: Reading, shape: Shape) -> Iterator[tuple[str, bytes]]:
    """(where, text) of each state of the file."""
    name = reading.blob.name
    if shape.kind == "list" or (shape.kind == "lines" and shape.samples):
        word = "item" if shape.kind == "list" else "line"
        for number, _, raw in pieces(reading, shape):
            yield f"{name} {word} {number}", raw
    else:
        text = reading.blob.whole()
        reading.done(len(text))
        yield name, text


def _value(text: bytes, part: Member) -> Any:
    try:
        return parse(text[part.start : part.end])
    except BadRecord:
        return None


def _told(reading: Reading, index: Index, where: str, text: bytes, parts: list[Member]) -> Iterator[ImportedSession]:
    header: dict[str, Any] = {}
    lists: dict[str, Member] = {}
    cut, left = "", 0
    for part in parts:
        if part.bad:
            cut = part.bad
        elif part.name in (*PARTS, "generated_items", "session_items"):
            lists[part.name] = part
        elif part.name in ("last_model_response", "last_processed_response"):
            continue  # told among the others
        elif part.end - part.start > _HEADER:
            left += 1
        else:
            try:
                header[part.name] = parse(text[part.start : part.end])
            except BadRecord as why:
                reading.problem(f"{where} {part.name}", why)
    made = [list(_items(text, lists.get(name))) for name in ("session_items", "generated_items")]
    told = {name: list(_items(text, lists.get(name))) for name in PARTS if name != "items"}
    told["items"] = max(made, key=len)
    known = _identity(header, text, lists.get("original_input"), told)
    adapter = RunState(_session(header) or f"run {known[:12]}", header, reading.meaning)
    adapter.scribe.found.left["header"] += left

    def records() -> Iterator[Record]:
        for name in PARTS:
            for number, (start, end, bad) in enumerate(told[name], 1):
                index.counted()
                raw = b'{"%b":%b}' % (name.encode(), text[start:end]) if not bad else None
                yield f"{where} {name} {number}", raw, bad
        if cut:
            yield where, None, cut

    yield from reading.tell(NAME, adapter, records(), known)


def _items(text: bytes, part: Member | None) -> Iterator[tuple[int, int, str]]:
    """(start, end, what is wrong) of each item of a part; a part that is no list is one item, null is none."""
    if part is None or text[part.start : part.end] == b"null":
        return
    if text[part.start : part.start + 1] != b"[":
        yield part.start, part.end, ""
        return
    inside = text[part.start : part.end]
    for item in items(inside, 0):
        yield part.start + item.start, part.start + item.end, item.bad


def _session(header: dict[str, Any]) -> str:
    """The session that the run belongs to: its trace's group, its conversation, its trace; "" if it names none."""
    trace = header.get("trace")
    trace = trace if type(trace) is dict else {}
    for named in (trace.get("group_id"), header.get("conversation_id"), trace.get("id")):
        if type(named) is str and named:
            return named
    return ""


def _identity(
    header: dict[str, Any], text: bytes, given: Member | None, told: dict[str, list[tuple[int, int, str]]]
) -> str:
    """What a run is known by: its trace, what it was given and what it made first, however that is spaced. A later save
    of it has the same."""
    said = [_session(header).encode()]
    firsts = [(given.start, given.end)] if given is not None else []
    firsts += [told[name][0][:2] for name in ("model_responses", "items") if told[name]]
    for start, end in firsts:
        try:
            said.append(orjson.dumps(parse(text[start:end]), option=orjson.OPT_SORT_KEYS))
        except (BadRecord, orjson.JSONEncodeError):
            said.append(text[start:end])
    return hashlib.sha256(b"\n".join(said)).hexdigest()
