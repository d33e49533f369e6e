"""LangChain's messages, documents and commands, however they were written down.

A recording holds objects as its maker serialised them: plain mappings, LangChain's constructor form ({"lc", "type",
"id", "kwargs"}), or the text that ``str`` or ``repr`` gave. All three are read; what can't be is left as it is.
"""

from __future__ import annotations

import ast
import re
from typing import Any, NamedTuple

from lingbot_probes.adapters.fields import items, mapping

_MANAGED = ("remaining_steps", "is_last_step")  # nodes are given these, and no node writes them
_NESTED = 32  # levels of a value that are unwrapped
SPELT = 65_536  # characters of a text representation that are read
_BY = {
    **dict.fromkeys(("human", "user"), "human"),
    **dict.fromkeys(("ai", "assistant", "AIMessageChunk"), "ai"),
    **{kind: kind for kind in ("system", "developer", "tool", "function", "remove", "chat")},
}  # what a message says that it is -> who said it
_QUESTIONS = ("question", "query", "input", "user_input", "utterance", "text", "prompt")
_ANSWERS = ("answer", "output", "response", "reply", "result", "generation", "text")
_AROUND = 2_048  # characters before and after its words in which the names of a text representation are read
_CONTENT = re.compile(r"""content=('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")""", re.DOTALL)
_NAMED = re.compile(r"""\b(id|name|metadata|tool_call_id)=(None|'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|\{[^{}]*\})""")
_CALL = re.compile(r"([A-Za-z_]\w*)\(")


class Message(NamedTuple):
    """What somebody said: ``by`` "human", "ai" or another role; ``calls`` tells that it asks for tools."""

    by: str
    text: str
    id: str = ""
    name: str = ""
    calls: bool = False


# --- objects ---------------------------------------------------------------------------------------------------------


def plain(value: Any, depth: int = _NESTED) -> Any:
    """The value without constructors around it; documents and messages in it in one form each."""
    kind = type(value)
    if kind is str or value is None:
        return value
    if kind is list:
        if not depth:
            return f"{len(value)} items"
        return [item if type(item) is str else plain(item, depth - 1) for item in value]
    if kind is not dict:
        return value
    if not depth:
        return f"{len(value)} items"
    if "lc" in value:
        value = built(value)
        if type(value) is not dict:
            return plain(value, depth - 1)
    if "page_content" in value:
        kept = {"page_content": value["page_content"], "metadata": plain(mapping(value.get("metadata")), depth - 1)}
        return {"id": value["id"], **kept} if value.get("id") is not None else kept
    if "content" in value and (said := message(value)) is not None:
        return {"type": said.by, "content": said.text, **({"id": said.id} if said.id else {})}
    return {key: plain(item, depth - 1) for key, item in value.items()}


def built(value: Any) -> Any:
    """What a constructor form was built from: its arguments, or what its text representation says."""
    if type(value) is not dict or "lc" not in value:
        return value
    kwargs = value.get("kwargs")
    if type(kwargs) is dict and "type" in kwargs:
        return kwargs
    path = items(value.get("id"))
    name = path[-1] if path and type(path[-1]) is str else ""
    if type(kwargs) is dict:
        if name.endswith(("Message", "MessageChunk")):
            return {**kwargs, "type": name.removesuffix("Chunk").removesuffix("Message").lower()}
        return kwargs
    written = value.get("repr")
    if type(written) is not str:
        return {"type": name or "object"}
    called = call(written)
    return written if called is None else called[1]


def call(text: str) -> tuple[str, dict[str, Any]] | None:
    """(name, arguments by name) of the text of a call, as ``repr`` writes objects; ``None`` for another text. What is
    no literal stays the text that it is."""
    if len(text) > SPELT or not _CALL.match(text):
        return None
    try:
        tree = ast.parse(text, mode="eval").body
        if type(tree) is not ast.Call or type(tree.func) is not ast.Name:
            return None
        return tree.func.id, {word.arg: _literal(word.value, text) for word in tree.keywords if word.arg}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _literal(node: ast.expr, text: str) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return ast.get_source_segment(text, node) or ""


def spelt(text: str) -> dict[str, Any]:
    """What the text of a message or document ("content='..' id='..'") says by name.

    The words are looked for once, where their name first stands, and the rest in a short stretch before and after: a
    text that is made to be slow is read in one go all the same.
    """
    found: dict[str, Any] = {}
    start = text.find("content=", 0, SPELT)
    words = _CONTENT.match(text, start, SPELT) if start >= 0 else None
    if words is None:
        return found
    ends = words.end()
    whole = text[max(0, start - 5) : start] == "page_"
    parts = [(f"{'page_' if whole else ''}content", words[1])]
    for stretch in (text[max(0, start - _AROUND) : start], text[ends : ends + _AROUND]):
        parts += [(match[1], match[2]) for match in _NAMED.finditer(stretch)]
    for name, value in parts:
        if name not in found:
            try:
                found[name] = ast.literal_eval(value)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue
    return found


# --- messages --------------------------------------------------------------------------------------------------------


def message(value: Any) -> Message | None:
    """The message that a value is, ``None`` if it is none."""
    kind = type(value)
    if kind is str:
        return _spelt_message(value)
    if kind is list:  # ["user", "hello"]
        if len(value) == 2 and type(value[0]) is str and value[0] in _BY and type(value[1]) is str:
            return Message(_BY[value[0]], value[1])
        return None
    if kind is not dict:
        return None
    if "lc" in value:
        value = built(value)
        if type(value) is not dict:
            return None
    kind, held = value.get("type"), value.get("data")
    by = _BY.get(kind) if type(kind) is str else None
    if type(held) is dict and "content" in held:  # {"type": "human", "data": {...}}
        value = held
    elif "content" not in value:
        return None
    elif by is None:
        role = value.get("role")
        by = _BY.get(role) if type(role) is str else None
    if by is None:
        return None
    more = value.get("additional_kwargs")
    calls = bool(value.get("tool_calls")) or (type(more) is dict and bool(more.get("tool_calls")))
    own, name = value.get("id"), value.get("name")
    return Message(
        by,
        words(value["content"]),
        own if type(own) is str else "",
        name if type(name) is str else "",
        calls,
    )


def _spelt_message(text: str) -> Message | None:
    if "content=" not in text[:40] or "page_content=" in text[:60]:
        return None
    found = spelt(text)
    if type(found.get("content")) is not str:
        return None
    known, name = found.get("id"), found.get("name")
    own = known if type(known) is str else ""
    if text.startswith(("AIMessage", "HumanMessage", "SystemMessage", "ToolMessage")):
        by = text.partition("Message")[0].lower()
    elif "tool_call_id=" in text:
        by = "tool"
    else:
        by = "ai" if "tool_calls=" in text or own.startswith(("lc_run-", "run-")) else "human"
    return Message(by, found["content"], own, name if type(name) is str else "", "tool_calls=[{" in text)


def words(content: Any) -> str:
    """The words of a message: of its blocks those that are text, one under the other."""
    if type(content) is str:
        return content
    said = []
    for block in items(content):
        if type(block) is str:
            said.append(block)
        elif type(block) is dict and type(block.get("text")) is str:
            said.append(block["text"])
    return "\n".join(said)


def messages(value: Any) -> list[Message] | None:
    """The messages in a list of them (also one in a list alone, as models are given them), or in one message alone;
    ``None`` if the value is no such thing."""
    single = message(value)
    if single is not None:
        return [single]
    if type(value) is not list:
        return None
    if len(value) == 1 and type(value[0]) is list and value[0]:
        inner = messages(value[0])
        if inner is not None:
            return inner
    found = []
    for item in value:
        said = message(item)
        if said is None:
            return None
        found.append(said)
    return found or None


def is_messages(key: str, value: Any) -> bool:
    """Whether what the state holds as ``key`` is what was said, and no slot."""
    if type(value) is list and value:
        return speaks(value[0]) and (len(value) == 1 or speaks(value[-1]))
    return key == "messages"


def slots(values: Any) -> dict[str, Any]:
    """What a state holds other than messages, what is LangGraph's own, and the values that it counts for a node."""
    found = {}
    for key, value in values.items() if type(values) is dict else ():
        if key[:2] == "__" or key in _MANAGED:
            continue
        if type(value) is str and key != "messages":
            found[key] = value
        elif not is_messages(key, value):
            found[key] = plain(value)
    return found


def speaks(value: Any) -> bool:
    """Whether a value is a message: the usual forms by a look, any other by reading it."""
    if type(value) is dict:
        path = value.get("id") if "lc" in value else None
        if type(path) is list:
            return bool(path) and type(path[-1]) is str and path[-1].endswith(("Message", "MessageChunk"))
        if "content" not in value and "data" not in value:
            return False
    elif type(value) is str:
        return "content=" in value[:40] and message(value) is not None
    elif type(value) is not list:
        return False
    return message(value) is not None


def heard(values: Any) -> str:
    """The user's words in what a run was given: the last message of the user, else the field for it, else the text."""
    if type(values) is str:
        return values
    said = messages(values)
    if said is None and type(values) is dict:
        values = built(values)
        for key, value in values.items() if type(values) is dict else ():
            if is_messages(key, value) or (type(value) is dict and message(value) is not None):
                said = [*(said or ()), *(messages(value) or ())]
    if said:
        return next((one.text for one in reversed(said) if one.by == "human"), "")
    return _field(values, _QUESTIONS)


def spoken(values: Any) -> str:
    """The bot's words in what a run gave back that holds no messages: the text, or the field for it."""
    if type(values) is str:
        return values
    said = message(values)
    if said is not None:
        return said.text if said.by == "ai" else ""
    return _field(values, _ANSWERS)


def _field(values: Any, keys: tuple[str, ...]) -> str:
    if type(values) is dict:
        for key in keys:
            value = values.get(key)
            if type(value) is str and value:
                return value
            said = message(value) if type(value) is dict else None
            if said is not None and said.text:
                return said.text
    return ""


# --- waits and commands ----------------------------------------------------------------------------------------------


def waits(value: Any) -> list[dict[str, Any]]:
    """The interrupts in a list of them, each {"value", "id"} as far as it says."""
    found = []
    for item in items(value):
        item = built(item)
        if type(item) is str:
            called = call(item)
            item = called[1] if called is not None else {"value": item}
        if type(item) is dict:
            found.append({key: plain(item[key]) for key in ("value", "id") if item.get(key) is not None})
    return found


def command(value: Any) -> dict[str, Any] | None:
    """The arguments of a ``Command`` (resume, goto, update, graph); ``None`` for anything else."""
    if type(value) is str:
        called = call(value) if value.startswith("Command(") else None
        return called[1] if called is not None else None
    if type(value) is not dict:
        return None
    if "lc" in value:
        path = items(value.get("id"))
        found = built(value) if path and path[-1] == "Command" else None
        return found if type(found) is dict else None
    if "goto" not in value and "resume" not in value:
        return None
    return value if value.keys() <= {"resume", "goto", "update", "graph"} else None


def begun(run: Any) -> float | None:
    """When a run began, in Unix seconds: what an id of version 7 says by itself, to the millisecond."""
    if type(run) is str and len(run) == 36 and run[14] == "7" and run[8] == run[13] == "-":
        try:
            return int(run[:8] + run[9:13], 16) / 1_000
        except ValueError:
            return None
    return None
