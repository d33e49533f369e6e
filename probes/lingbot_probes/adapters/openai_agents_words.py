"""What the spans and saved items of the OpenAI Agents SDK say: messages, tools, documents, errors."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from typing import Any

from lingbot_probes.adapters.fields import items, mapping, number
from lingbot_probes.adapters.inner_json import read_json
from lingbot_probes.adapters.spans_words import SCORE_KEYS, documents
from lingbot_probes.signals import Doc

_TEXTS = ("content", "page_content", "text", "snippet")
_LISTS = ("documents", "docs", "results", "hits", "matches", "chunks", "passages", "data")
_QUERIES = ("query", "question", "q", "search_query", "text", "input", "keywords")
_LITERAL = 100_000  # characters of Python's own spelling that are read; the SDK's exporter cuts fields there
_DETAIL = 500  # characters of what an error tells besides its message

Record = Mapping[str, Any]


def said(content: object) -> str:
    """The words of a message's content: a text, or parts of it, refusals among them."""
    if type(content) is str:
        return content
    texts = []
    for part in items(content):
        if type(part) is str:
            texts.append(part)
        elif type(part) is dict:
            told = part.get("text") or part.get("refusal") or part.get("transcript")
            if type(told) is str:
                texts.append(told)
    return "\n".join(texts)


def asked(given: object) -> str:
    """What the user said last, as a model was given it; "" where that was not recorded."""
    if type(given) is str:
        return given
    for message in reversed(items(given)):
        if type(message) is dict and message.get("role") == "user" and (words := said(message.get("content"))):
            return words
    return ""


def given(messages: object) -> str:
    """All the words that a model was given, tools' results among them."""
    if type(messages) is str:
        return messages
    texts = []
    for message in items(messages):
        if type(message) is dict:
            texts.append(said(message.get("content")) or said(message.get("output")))
    return "\n".join(texts)


def outputs(output: object) -> list[Record]:
    """The items that a model gave: messages and calls, also out of a whole response."""
    found: list[Record] = []
    for item in items(output):
        if type(item) is dict:
            inner = item.get("output")
            if item.get("object") == "response" and type(inner) is list:
                found.extend(held for held in inner if type(held) is dict)
            else:
                found.append(item)
    return found


def spoken(output: Sequence[Record]) -> str:
    """The words of a model's messages."""
    texts = [said(item.get("content")) for item in output if item.get("type", "message") == "message"]
    return "\n".join(filter(None, texts))


def calls(output: Sequence[Record]) -> list[str]:
    """The names of the tools that a model called."""
    names = []
    for item in output:
        kind = item.get("type")
        if type(kind) is str and kind.endswith("_call"):
            name = item.get("name")
            names.append(name if type(name) is str and name else kind)
        for call in items(item.get("tool_calls")):
            name = mapping(mapping(call).get("function")).get("name")
            if type(name) is str:
                names.append(name)
    return names


def searches(output: Sequence[Record]) -> list[tuple[str, tuple[Doc, ...]]]:
    """(question, documents) of each search in files that the model's own service made; nothing where its results were
    not asked for."""
    found = []
    for item in output:
        results = item.get("results")
        if item.get("type") == "file_search_call" and type(results) is list:
            rows = [{**row, "id": row.get("file_id"), "title": row.get("filename")} for row in results if _is_row(row)]
            queries = [query for query in items(item.get("queries")) if type(query) is str]
            found.append(("; ".join(queries), documents(rows)))
    return found


def value_of(text: object) -> Any:
    """What a tool's input or output holds: JSON, or Python's own spelling of lists and mappings, which the SDK writes
    for results that are no text. Anything else stays as it is."""
    found = read_json(text)
    if type(found) is not str or found[:1] not in ("[", "{") or len(found) > _LITERAL:
        return found
    try:
        return _plain(ast.literal_eval(found))
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return found


def _plain(value: Any) -> Any:
    """A Python literal as JSON holds it. Raises ``ValueError`` where it holds what JSON has no word for."""
    return json.loads(json.dumps(value, allow_nan=False))


def query_of(arguments: object) -> str:
    """What a search was asked: the argument that is called so, else the only text among them."""
    if type(arguments) is str:
        return arguments
    held = mapping(arguments)
    for key in _QUERIES:
        if type(held.get(key)) is str:
            return str(held[key])
    texts = [value for value in held.values() if type(value) is str]
    return texts[0] if len(texts) == 1 else ""


def found_docs(result: object, *, sure: bool) -> tuple[Doc, ...] | None:
    """The documents in a tool's result; ``None`` if it holds none.

    ``sure`` says that the tool is known to search: then any list is one of documents. Of another tool a list is one
    only where each row has a text and a score.
    """
    rows = result
    if type(rows) is dict:
        rows = next((rows[key] for key in _LISTS if type(rows.get(key)) is list), [rows] if sure else None)
    if type(rows) is str and sure and rows:
        rows = [rows]
    if type(rows) is not list or (not rows and not sure):
        return None
    if not sure and not all(_is_row(row) and _scored(row) for row in rows):
        return None
    return documents([{"content": row} if type(row) is str else row for row in rows if type(row) in (str, dict)])


def _is_row(row: object) -> bool:
    return type(row) is dict and any(type(row.get(key)) is str for key in _TEXTS)


def _scored(row: Record) -> bool:
    return any(number(row.get(key)) is not None for key in SCORE_KEYS)


def stands_in(text: str, words: str) -> bool:
    """Whether ``text`` stands in ``words``, plainly or escaped as a tool's result is."""
    return text in words or json.dumps(text, ensure_ascii=False)[1:-1] in words or repr(text)[1:-1] in words


def error_of(error: object) -> str:
    """An error in one line: its message, and what its data says besides; "" where there is none."""
    if type(error) is str:
        return " ".join(error.split())
    if type(error) is not dict:
        return ""
    message, data = error.get("message"), error.get("data")
    told = message if type(message) is str else ""
    if type(data) is dict and data:
        detail = next((data[key] for key in ("error", "guardrail", "message") if type(data.get(key)) is str), None)
        detail = json.dumps(data, ensure_ascii=False, default=str) if detail is None else detail
        told = f"{told}: {detail[:_DETAIL]}" if told else detail[:_DETAIL]
    elif type(data) is str and data:
        told = f"{told}: {data[:_DETAIL]}" if told else data[:_DETAIL]
    return " ".join(told.split()) or ("error" if error else "")
