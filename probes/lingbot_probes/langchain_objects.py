"""LangChain's objects as the plain mappings that recordings hold, within bounds: messages, documents, states, commands.

They are read from their storage by the names of their fields; no method of theirs runs, and LangChain is not imported.
"""

from __future__ import annotations

from itertools import islice

from lingbot_probes.capture import DEPTH, ITEMS, TEXT, bases, scalar, type_name
from lingbot_probes.context import id_text
from lingbot_probes.fields import fields_of
from lingbot_probes.shapes import failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MESSAGE = ("type", "content", "id", "name", "tool_calls", "tool_call_id", "usage_metadata", "role")
_ROOM = 256 * 1024  # bytes of one state that are taken; a text takes its length, any value 16 besides


def state(value: Any) -> Any:
    """``value`` as JSON: of a list of messages the newest, of any other list the first 50; objects as their fields."""
    return _plain(value, DEPTH + 2, [_ROOM])


def _plain(value: Any, depth: int, left: list[int]) -> Any:
    cls = type(value)
    if value is None or cls is bool:
        return value
    left[0] -= 16
    if cls is str:
        value = value[: max(min(TEXT, left[0]), 0)]
        left[0] -= len(value)
        return value
    if depth < 0 or left[0] < 0:
        return type_name(cls)
    if cls is list or cls is tuple:
        spoken = bool(value) and _is_message(value[-1])
        items = value[-ITEMS:] if spoken else value[:ITEMS]
        return [_plain(item, depth - 1, left) for item in items]
    if cls is dict:
        return _mapping(value, depth, left)
    known = scalar(value)
    if known is not None:
        return known
    fields = fields_of(value)
    if not fields:
        return sorted(map(str, islice(value, ITEMS))) if cls is set or cls is frozenset else type_name(cls)
    if "content" in fields and "type" in fields:
        fields = {name: fields[name] for name in _MESSAGE if fields.get(name) not in (None, [], ())}
    elif "page_content" in fields:
        fields = {name: fields.get(name) for name in ("id", "page_content", "metadata") if fields.get(name) is not None}
    elif type_name(cls) == "Command":
        kept = {name: held for name, held in fields.items() if held is not None and held != ()}
        return {"lc": 1, "type": "constructor", "id": ["Command"], "kwargs": _mapping(kept, depth, left)}
    elif "root" in fields and len(fields) == 1:
        return _plain(fields["root"], depth - 1, left)
    return _mapping({name: held for name, held in fields.items() if name[:1] != "_"}, depth, left)


def _mapping(value: dict[Any, Any], depth: int, left: list[int]) -> dict[str, Any]:
    return {
        key if type(key) is str else id_text(key): _plain(item, depth - 1, left)
        for key, item in list(islice(value.items(), ITEMS))
    }


def _is_message(value: Any) -> bool:
    fields = fields_of(value)
    return fields is not None and "content" in fields and ("type" in fields or "role" in fields)


def given(metadata: Any) -> dict[str, Any]:
    """A run's metadata, as far as they are plain."""
    if type(metadata) is not dict:
        return {}
    found = {}
    for key, value in list(islice(metadata.items(), ITEMS)):
        if type(key) is str:
            found[key] = list(value) if type(value) is tuple else value if type(value) is list else scalar(value)
    return found


def tags_of(tags: Any) -> list[str]:
    """A run's tags."""
    return [tag for tag in tags[:ITEMS] if type(tag) is str] if type(tags) is list else []


def ident(value: Any) -> str:
    """A run's id as text; "" for none."""
    return id_text(value)


def error_of(kind: str, error: Any) -> tuple[str, dict[str, Any]]:
    """(event, data) of what ended a run of that ``kind``: a graph that stops to wait, or hands over to the graph around
    it, ends without an error, and so does a task that is given up."""
    names = {type_name(cls) for cls in bases(type(error))}
    if "GraphInterrupt" in names:
        arguments = BaseException.__dict__["args"].__get__(error)
        waits = arguments[0] if arguments else ()
        return f"on_{kind}_error", {"error": {"interrupts": state(waits)}}
    if "GraphBubbleUp" in names or not issubclass(type(error), Exception):
        return f"on_{kind}_end", {"output": None}
    return f"on_{kind}_error", {"error": failed("", error)["error"]}
