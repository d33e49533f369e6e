"""``.chat`` files: a header (``user=...``, ``bot=...``), then ``Name: text``.

A line without a name goes on with the text before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import orjson

from lingbot_map.importers.blob import Blob
from lingbot_map.importers.imported import ImportedSession, Reading, Record
from lingbot_map.importers.shape import NO_JSON, Shape
from lingbot_probes.adapters.botframework import BotFramework

NAME = "chat"

_HEADER = re.compile(r"\s*(user|bot)\s*=\s*(\S.*?)\s*", re.IGNORECASE)
_SAID = re.compile(r"\s*([^:]{1,200}?)\s*:(.*)", re.DOTALL)
_HEAD_LINES = 20


def refuse(blob: Blob, shape: Shape) -> str:
    """Why the file is no chat; "" if it is one."""
    if shape.kind != "text":
        return "not plain text"
    if shape.why and shape.why != NO_JSON:
        return shape.why
    return "" if "user" in _names(blob) or "bot" in _names(blob) else "no header `user=...` or `bot=...`"


def _names(blob: Blob) -> dict[str, str]:
    names = {}
    for number, _, line in blob.lines():
        found = _HEADER.fullmatch(line.decode("utf-8", "replace")) if line is not None else None
        if found:
            names[found[1].lower()] = found[2].lower()
        if number >= _HEAD_LINES:
            break
    return names


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """The one session of the file. Nothing in it names it, so it is known by its content."""
    adapter = BotFramework(f"chat {reading.blob.digest()[:12]}")
    yield from reading.tell(NAME, adapter, _records(reading))


def _records(reading: Reading) -> Iterator[Record]:
    blob = reading.blob
    names = _names(blob)
    roles = {names.get("user", "user"): "user", names.get("bot", "bot"): "bot"}
    role, first, text = "", 0, [""]
    for number, _, line in blob.lines():
        if line is None:
            yield f"{blob.name} line {number}", None, "longer than 1 MiB"
            continue
        reading.done(len(line) + 1)
        plain = line.decode("utf-8", "replace")
        if not role and _HEADER.fullmatch(plain):
            continue
        said = _SAID.fullmatch(plain)
        speaker = roles.get(said[1].lower(), "") if said else ""
        if said and speaker:
            if role:
                yield _message(blob, first, role, text)
            role, first, text = speaker, number, [said[2].strip()]
        elif role:
            text.append(plain)
        else:
            yield f"{blob.name} line {number}", None, "nobody is named who said it"
    if role:
        yield _message(blob, first, role, text)


def _message(blob: Blob, number: int, role: str, text: list[str]) -> Record:
    activity = {"type": "message", "from": {"role": role}, "text": "\n".join(text)}
    return f"{blob.name} line {number}", orjson.dumps(activity), ""
