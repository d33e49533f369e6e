"""What the attributes of a span say, in either convention (OpenInference, OpenTelemetry's GenAI): messages, documents,
tools and routes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from lingbot_probes.adapters.fields import instant, items, mapping, number
from lingbot_probes.adapters.inner_json import read_json
from lingbot_probes.adapters.spans_read import Message, Span
from lingbot_probes.signals import WIRING, Doc

_ASKED = (
    "input",
    "question",
    "query",
    "user_input",
    "user_message",
    "prompt",
    "message",
    "messages",
    "text",
    "content",
)
_ANSWERED = (
    "output",
    "answer",
    "response",
    "result",
    "output_text",
    "message",
    "messages",
    "text",
    "content",
    "choices",
)
_USERS = ("user", "human")
_OWN_IDS = ("id", "doc_id", "document_id", "chunk_id", "_id")
_TITLES = ("title", "source", "file_name", "filename", "name", "url")
_CHANGED = ("updated_at", "last_modified", "modified_at")
SCORE_KEYS = ("score", "relevance_score", "_score", "similarity", "distance")
"""Where a document that has no score of its own keeps one in its metadata."""

_PATHS = {"input": ("llm.input_messages", "gen_ai.input.messages", "gen_ai.prompt")}
_PATHS["output"] = ("llm.output_messages", "gen_ai.output.messages", "gen_ai.completion")
_LISTS = {
    **dict.fromkeys((*_PATHS["input"], *_PATHS["output"]), "message"),
    **dict.fromkeys(("retrieval.documents", "gen_ai.retrieval.documents"), "document"),
    **dict.fromkeys(("reranker.input_documents", "reranker.output_documents"), "document"),
}
"""Attributes that are lists of records, and the word that stands around each record."""
_RETRIEVALS = frozenset(
    (
        "retrieval.documents",
        "gen_ai.retrieval.documents",
        *(f"retrieval.documents.0.document.{field}" for field in ("id", "content", "score", "metadata")),
    )
)
"""One of these is there where a span that is no retriever tells of documents."""
_LANGGRAPH = '"langgraph_node"'
_KEYS = 20_000  # spellings that are remembered: the same few come again in every span
_UNKNOWN = (("", 0), "")
_parts: dict[str, tuple[tuple[str, int], str] | None] = {}
_NESTED = 4  # containers within containers in which words are looked for


def rows(span: Span, path: str) -> list[dict[str, Any]]:
    """The list at ``path``, one of `_LISTS`: flat (``path.0.inner.field``), nested ([{inner: {field}}]) or a text of
    JSON."""
    inner = _LISTS[path]
    whole = span.attributes.get(path)
    if whole is not None:
        found = read_json(whole)
        return [_inside(row, inner) for row in (found if type(found) is list else [found]) if type(row) is dict]
    if span.lists is None:
        span.lists = _flat_lists(span.attributes)
    by_place = span.lists.get(path)
    return [_inside(by_place[place], inner) for place in sorted(by_place)] if by_place else []


def _flat_lists(attributes: Mapping[str, Any]) -> dict[str, dict[int, dict[str, Any]]]:
    """{path: {place: {field: value}}} of all that is spelt flat; one pass, since a model's span has hundreds."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    known, row_of = _parts.get, found.get
    for key, value in attributes.items():
        parts = known(key, _UNKNOWN)
        if parts is _UNKNOWN:
            parts = _split(key)
        if parts is not None:
            row = row_of(parts[0])
            if row is None:
                row = found[parts[0]] = {}
            row[parts[1]] = value
    lists: dict[str, dict[int, dict[str, Any]]] = {}
    for (path, place), row in found.items():
        lists.setdefault(path, {})[place] = row
    return lists


def _split(key: str) -> tuple[tuple[str, int], str] | None:
    """((path, place), field) of a key that is one of a list's."""
    parts = None
    for path, inner in _LISTS.items():
        if key.startswith(path + "."):
            place, _, name = key[len(path) + 1 :].partition(".")
            if place.isdecimal() and len(place) < 8:
                parts = (path, int(place)), name.removeprefix(inner + ".") if inner else name
    if len(_parts) < _KEYS and len(key) < 200:
        _parts[key] = parts
    return parts


def _inside(row: dict[str, Any], inner: str) -> dict[str, Any]:
    if inner not in row:
        return row
    held = row[inner]
    return held if type(held) is dict else row


# --- messages --------------------------------------------------------------------------------------------------------


def messages(span: Span, way: str) -> list[Message]:
    """The messages that a model was given (``way`` "input") or gave ("output")."""
    if span.messages is None:
        span.messages = {}
    told = span.messages.get(way)
    if told is None:
        told = span.messages[way] = _messages(span, way)
    return told


def given(span: Span) -> str:
    """All the text that a model was given."""
    if span.lists is None:
        span.lists = _flat_lists(span.attributes)
    for path in _PATHS["input"]:
        if path in span.lists:
            return "\n".join(v for row in span.lists[path].values() for v in row.values() if type(v) is str)
    return "\n".join(message.text for message in messages(span, "input"))


def _messages(span: Span, way: str) -> list[Message]:
    for path in _PATHS[way]:
        found = span.attributes.get(path)
        if type(found) is str and found[:1] not in ("[", "{"):
            return [Message("user" if way == "input" else "assistant", found)] if found else []
        told = rows(span, path)
        if told:
            return [_message(row, way) for row in told]
    return []


def _message(row: Mapping[str, Any], way: str) -> Message:
    role, content = row.get("role"), row.get("content")
    named = role if type(role) is str and role else "user" if way == "input" else "assistant"
    if type(content) is str and content and len(row) <= 2:
        return Message(named, content)
    parts = [words for key in ("content", "parts", "contents") if (words := _content(row.get(key)))]
    calls = [_called(call) for key in ("tool_calls", "parts") for call in items(row.get(key))]
    for key, value in row.items():  # flat: contents.0.message_content.text, tool_calls.0.tool_call.function.name
        if type(value) is str and "." in key:
            if key[:9] == "contents." and key.endswith(".text"):
                parts.append(value)
            elif key[:11] == "tool_calls." and key.endswith("function.name"):
                calls.append(value)
    return Message(named, "\n".join(parts), tuple(filter(None, calls)))


def _called(call: object) -> str:
    held = mapping(call)
    held = mapping(held.get("tool_call")) or held
    if held.get("type", "tool_call") not in ("tool_call", "function"):
        return ""
    name = mapping(held.get("function")).get("name") or held.get("function.name") or held.get("name")
    return name if type(name) is str else ""


def _content(value: object) -> str:
    if type(value) is str:
        return value
    texts = []
    for part in items(value):
        part = mapping(part)
        held = mapping(part.get("message_content")) or part
        told = held.get("text") or (held.get("content") if held.get("type", "text") == "text" else None)
        if type(told) is str:
            texts.append(told)
    return "\n".join(texts)


# --- who said what ---------------------------------------------------------------------------------------------------


def asked(span: Span) -> str:
    """What the user said, as this span was given it; "" if that was not captured."""
    return _said(span, "input")


def answered(span: Span) -> str:
    """What this span gave as its answer; "" if that was not captured."""
    return _said(span, "output")


def _said(span: Span, way: str) -> str:
    value = span.attributes.get("input.value" if way == "input" else "output.value")
    if span.kind == "LLM" or value is None:
        told = messages(span, way)
        for message in reversed(told):
            if message.text and (way == "output" or message.role in _USERS):
                return message.text
        if told and span.kind == "LLM":
            return ""
    if value is None or value == "":
        return ""
    found = read_json(value)
    if type(found) is str:
        return found
    words = _words(found, _ASKED if way == "input" else _ANSWERED, way, 0)
    return words or (value if type(value) is str else "")


def _words(found: Any, keys: tuple[str, ...], way: str, level: int) -> str:
    if type(found) is str:
        return found
    if level > _NESTED:
        return ""
    if type(found) is dict:
        for key in keys:
            if key in found and (words := _words(found[key], keys, way, level + 1)):
                return words
    elif type(found) is list:
        for row in reversed(found):
            role = row.get("role", row.get("type")) if type(row) is dict else None
            if (way == "output" or role is None or role in _USERS) and (words := _words(row, keys, way, level + 1)):
                return words
    return ""


# --- documents -------------------------------------------------------------------------------------------------------


def retrieved(span: Span) -> tuple[Doc, ...] | None:
    """The documents that a retriever returned; ``None`` if the span tells of none."""
    attributes = span.attributes
    if span.kind != "RETRIEVER" and _RETRIEVALS.isdisjoint(attributes):
        return None
    for path in ("retrieval.documents", "gen_ai.retrieval.documents"):
        found = rows(span, path)
        if found or path in attributes:
            return documents(_identified(found, span))
    return documents(_returned(span))


def _returned(span: Span) -> list[dict[str, Any]]:
    """The documents that stand in the span's output as a whole."""
    value = read_json(span.attributes.get("output.value"))
    value = value.get("documents", value.get("results")) if type(value) is dict else value
    return [_inside(row, "document") for row in items(value) if type(row) is dict]


def _identified(found: list[dict[str, Any]], span: Span) -> list[dict[str, Any]]:
    """The same documents with the ids that only the output as a whole tells: OpenInference's LangChain leaves them out
    of the list."""
    if not found or "id" in found[0]:
        return found
    whole = _returned(span)
    if len(whole) != len(found):
        return found
    return [{"id": told.get("id"), **row} for row, told in zip(found, whole, strict=True)]


def reranked(span: Span) -> tuple[tuple[Doc, ...], tuple[Doc, ...]]:
    """(what went into a reranker, what came out of it)."""
    before = rows(span, "reranker.input_documents")
    after = rows(span, "reranker.output_documents")
    return documents(before), documents(after)


def documents(found: list[dict[str, Any]]) -> tuple[Doc, ...]:
    """Rows as documents, ranked as they stand. One without an id is known by what its metadata or its text says."""
    return tuple(_document(row, place) for place, row in enumerate(found, 1))


def _document(row: Mapping[str, Any], rank: int) -> Doc:
    content = row.get("content")
    if type(content) is not str:
        content = next((row[key] for key in ("page_content", "text") if type(row.get(key)) is str), "")
    doc_id, score = row.get("id"), number(row.get("score"))
    if len(row) <= 3 and type(doc_id) is str and doc_id and "metadata" not in row and type(row.get("content")) is str:
        return Doc(id=doc_id, score=score, rank=rank, snippet=content)  # as instrumentations write them
    metadata = read_json(row.get("metadata"))
    if type(metadata) is not dict:
        metadata = {key[9:]: value for key, value in row.items() if key[:9] == "metadata."}
    if type(doc_id) is not str or not doc_id:
        doc_id = _first(row, ("id",)) or _first(metadata, _OWN_IDS) or _by_content(metadata, content, rank)
    if not metadata:
        return Doc(id=doc_id, title=_first(row, ("title",)), score=score, rank=rank, snippet=content)
    kind = ""
    if score is None:
        kind = next((key for key in SCORE_KEYS if number(metadata.get(key)) is not None), "")
        score = number(metadata.get(kind))
    return Doc(
        id=doc_id,
        title=_first(row, ("title",)) or _first(metadata, _TITLES),
        score=score,
        score_kind=kind,
        rank=rank,
        version=_first(metadata, ("version",)),
        updated_at=next((when for key in _CHANGED if (when := instant(metadata.get(key))) is not None), None),
        snippet=content,
    )


def _by_content(metadata: Mapping[str, Any], content: str, rank: int) -> str:
    known = content or repr(sorted(metadata.items(), key=lambda pair: pair[0])) if content or metadata else f"#{rank}"
    return f"text:{hashlib.sha256(known.encode('utf-8', 'replace')).hexdigest()[:12]}"


def _first(held: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = held.get(key)
        if type(value) is str and value:
            return value
        if type(value) is int:
            return str(value)
    return ""


# --- routes and steps ------------------------------------------------------------------------------------------------


def route(span: Span) -> tuple[str, str, str, str] | None:
    """(intent, name to show, the node that it is below, what led there) of an agent or of a node of a graph; ``None``
    for no route."""
    if span.kind not in ("AGENT", "CHAIN"):
        return None
    get = span.attributes.get
    node = get("graph.node.id")
    if node is not None and type(node) is str and node:
        label, above = get("graph.node.name"), get("graph.node.parent_id")
        return node, label if type(label) is str else "", above if type(above) is str else "", WIRING
    metadata = get("metadata")
    if type(metadata) is str and _LANGGRAPH in metadata:  # as OpenInference's LangChain tells of LangGraph's nodes
        node = mapping(read_json(metadata)).get("langgraph_node")
        if type(node) is str and node:
            return node, "", "", WIRING
    name = get("agent.name") or get("gen_ai.agent.name") or get("gen_ai.workflow.name")
    return (name, "", "", "") if type(name) is str and name else None


def step(span: Span) -> dict[str, Any]:
    """A step that has no meaning of its own here (a tool, a model, a guardrail), as the map keeps it: the facts, not
    the conversation so far that each call of a model repeats."""
    get = span.attributes.get
    facts: dict[str, Any] = {"span": span.name}
    if span.kind == "LLM":
        out = messages(span, "output")
        facts["model"] = get("gen_ai.response.model") or get("llm.model_name") or get("gen_ai.request.model")
        facts["tokens_in"] = _count(span, "llm.token_count.prompt", "gen_ai.usage.input_tokens", "prompt_tokens")
        facts["tokens_out"] = _count(
            span, "llm.token_count.completion", "gen_ai.usage.output_tokens", "completion_tokens"
        )
        facts["text"] = out[0].text if len(out) == 1 else "\n".join(message.text for message in out if message.text)
        facts["calls"] = [name for message in out for name in message.calls]
    elif span.kind == "TOOL":
        facts["tool"] = get("tool.name") or get("gen_ai.tool.name") or span.name
        facts["call"] = get("tool.id") or get("gen_ai.tool.call.id")
        given = get("gen_ai.tool.call.arguments") or get("input.value") or get("tool.parameters")
        facts["arguments"] = read_json(given)
        facts["result"] = read_json(get("gen_ai.tool.call.result") or get("output.value"))
    elif span.kind == "EMBEDDING":
        facts["model"] = get("embedding.model_name") or get("gen_ai.request.model")
    else:
        facts["input"] = read_json(get("input.value"))
        facts["output"] = read_json(get("output.value"))
    return {key: value for key, value in facts.items() if value is not None and value != "" and value != []}


def _count(span: Span, first: str, second: str, old: str) -> Any:
    attributes = span.attributes
    if first in attributes:
        return attributes[first]
    return attributes.get(second, attributes.get(f"gen_ai.usage.{old}"))
