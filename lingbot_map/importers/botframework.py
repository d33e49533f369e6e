"""Bot Framework transcripts: a list of activities, an object with a ``transcript``, or an activity a line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from lingbot_map.importers.imported import ImportedSession, Reading
from lingbot_map.importers.lines import Index, pieces, read_places, slicer, unnamed
from lingbot_map.importers.records import BadRecord, parse
from lingbot_map.importers.shape import Shape
from lingbot_probes.adapters.botframework import BotFramework
from lingbot_probes.adapters.botframework_activity import conversation_of, folded

NAME = "botframework"

_TYPES = frozenset(
    (
        "command",
        "commandresult",
        "contactrelationupdate",
        "conversationupdate",
        "endofconversation",
        "event",
        "handoff",
        "installationupdate",
        "invoke",
        "message",
        "messagedelete",
        "messagereaction",
        "messageupdate",
        "suggestion",
        "trace",
        "typing",
    )
)
_MARKS = frozenset(("from", "conversation", "recipient", "channelid", "replytoid", "text", "valuetype", "membersadded"))


class _Conversation(msgspec.Struct):
    id: Any = None


class _Head(msgspec.Struct):
    conversation: _Conversation | None = None


_head = msgspec.json.Decoder(_Head)


def refuse(shape: Shape) -> str:
    """Why the file holds no activities; "" if it does."""
    if shape.kind in ("text", "sqlite"):
        return shape.why
    if any(map(_known, shape.samples)):
        return ""
    return "no activity with a known `type`" if shape.samples else shape.why or "no records"


def _known(sample: Any) -> bool:
    keys = {key.lower() for key in sample}
    kind = folded(sample).get("type")
    return type(kind) is str and kind.lower() in _TYPES and bool(keys & _MARKS)


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """One session for each conversation in the file."""
    index = Index(reading)
    key = ""  # an activity that names no conversation belongs to that of the one before it
    early = []
    for number, offset, raw in pieces(reading, shape):
        key = _conversation(raw) or key
        if not key:
            early.append((number, offset, len(raw)))
            continue
        places = index.at(key)
        for piece in early:
            places.add(*piece)
        early.clear()
        places.add(number, offset, len(raw))
    for piece in early:
        index.at("").add(*piece)
    lines = shape.kind == "lines"
    for name, places in index.places.items():
        text = None if lines else shape.text
        adapter = BotFramework(name or unnamed(reading, "conversation", slicer(reading, text)(*places.first())))
        records = read_places(reading, places, "line" if lines else "activity", text)
        yield from reading.tell(NAME, adapter, records)


def _conversation(raw: bytes) -> str:
    try:
        head = _head.decode(raw)
        if head.conversation is not None and type(head.conversation.id) is str:
            return head.conversation.id
        if head.conversation is None and b"onversation" not in raw:
            return ""
    except (msgspec.MsgspecError, RecursionError):
        pass  # told with its reason when the record is read
    try:
        found = parse(raw)  # an id that is a number, fields in another case
    except BadRecord:
        return ""
    return conversation_of(found) if type(found) is dict else ""
