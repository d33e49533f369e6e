"""What a bot's functions return, read as signals: an intent, the documents of a retrieval, an answer.

Frameworks agree on nothing but the words, so a result is read by the names of its fields, whether they stand in a
mapping, a named tuple, a dataclass or a pydantic model. What can't be read is said as such; ``extract=`` is there
for it.
"""

from __future__ import annotations

from itertools import islice

from lingbot_probes.capture import ITEMS, NAME, TEXT, Room, captured, name, scalar, text, type_name
from lingbot_probes.fields import fields_of, first, is_container, items_of, number, stands_for, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

SNIPPET = 400  # characters of a document's text; 50 documents have to share an event

# -- intents -----------------------------------------------------------------------------------------------------

_INTENT = ("intent", "intent_name", "name", "route", "label")
_CONFIDENCE = ("confidence", "score", "probability", "prob")
_CANDIDATES = ("candidates", "intent_ranking", "ranking", "alternatives", "scores")
_PARENT = ("parent", "parent_intent")
_REQUIRED = ("required", "required_slots")
_MISSING = ("missing", "missing_slots")


def intent_routed(result: Any) -> dict[str, Any]:
    """The routing that a router's result tells of; where it names no intent, a ``raw`` signal that shows the result."""
    room = Room()
    fields = _intent_fields(result)
    intent = first(fields, _INTENT)
    candidates = _pairs(first(fields, _CANDIDATES), room)
    if intent is None and candidates:
        intent = max(candidates, key=lambda pair: pair[1])[0]
    if intent is None or scalar(intent) is None:
        return {"kind": "raw", "name": "intent", "data": captured(result, room)}
    signal: dict[str, Any] = {"kind": "intent_routed", "intent": name(intent, room)}
    confidence = number(first(fields, _CONFIDENCE))
    if confidence is None and candidates:
        confidence = dict(candidates).get(signal["intent"])
    if confidence is not None:
        signal["confidence"] = confidence
    if candidates:
        signal["candidates"] = [list(pair) for pair in candidates]
    for field, value in (("condition", fields.get("condition")), ("parent", first(fields, _PARENT))):
        if value is not None:
            signal[field] = name(value, room) if field == "parent" else text(words(value) or name(value, room), room)
    for field, value in (("required", first(fields, _REQUIRED)), ("missing", first(fields, _MISSING))):
        if listed := _names(value, room):
            signal[field] = listed
    if "label" in fields and fields["label"] is not intent and words(fields["label"]):
        signal["label"] = name(fields["label"], room)
    return signal


def _intent_fields(result: Any) -> dict[str, Any]:
    fields = fields_of(result)
    if fields is not None and stands_for(result) is None:
        inner = fields_of(fields.get("intent"))
        if inner is not None:  # Rasa: {"intent": {"name", "confidence"}, "intent_ranking": [...]}
            fields = {**fields, **inner, "intent": first(inner, ("name", "intent", "label"))}
        elif not any(key in fields for key in (*_INTENT, *_CANDIDATES)) and _all_numbers(fields):
            fields = {"candidates": fields}  # {"buy": 0.9, "sell": 0.1}
        return fields
    items = items_of(result)
    if items is None:
        return {"intent": result}
    if items and (type(items[0]) is str or scalar(items[0]) is not None):
        return _positional(items)
    return {"candidates": items}


def _positional(items: list[Any]) -> dict[str, Any]:
    """("name", 0.93), ("name", 0.93, candidates) or ("name", 0.93, {further fields})."""
    fields: dict[str, Any] = {"intent": items[0]}
    for item in items[1:]:
        further = fields_of(item)
        if number(item) is not None:
            fields.setdefault("confidence", item)
        elif further is not None and not _all_numbers(further):
            fields = {**further, **fields}
        elif further is not None or items_of(item) is not None:
            fields.setdefault("candidates", item)
        elif words(item) is not None:
            fields.setdefault("condition", item)
    return fields


def _all_numbers(fields: dict[str, Any]) -> bool:
    return bool(fields) and all(number(value) is not None for value in fields.values())


def _pairs(value: Any, room: Room) -> list[tuple[str, float]]:
    """Names with their numbers: a mapping, or a list of pairs or of records. What has no number is left out."""
    found: list[tuple[Any, Any]] = []
    fields = fields_of(value)
    if fields is not None:
        found = list(fields.items())
    else:
        for item in items_of(value) or ():
            parts = items_of(item)
            if parts is not None and len(parts) >= 2:
                found.append((parts[0], parts[1]))
            elif (record := fields_of(item)) is not None:
                label = first(record, ("name", "intent", "label", "id"))
                found.append((label, first(record, (*_CONFIDENCE, "similarity"))))
    pairs = []
    for label, value in found[:ITEMS]:
        value = number(value)
        if label is not None and value is not None:
            pairs.append((name(label, room), value))
    return pairs


def _names(value: Any, room: Room) -> list[str]:
    if value is None:
        return []
    if words(value):
        return [name(value, room)]
    if type(value) is set or type(value) is frozenset:
        return sorted(name(item, room) for item in list(islice(value, ITEMS)))
    items = items_of(value)
    if items is None:
        items = list(fields_of(value) or ())  # {"phone": ..., "name": ...}: the names
    return [name(item, room) for item in items]


# -- documents ---------------------------------------------------------------------------------------------------

_LISTS = ("docs", "documents", "results", "hits", "matches", "chunks", "passages", "nodes", "points", "data")
_INNER = ("document", "doc", "node", "metadata", "meta", "_source", "payload", "fields")
_ID = ("id", "doc_id", "document_id", "_id", "id_", "node_id", "chunk_id", "uuid", "key", "source", "url", "path")
_TITLE = ("title", "heading", "name")
_SCORE = ("score", "similarity", "relevance", "relevance_score", "rerank_score", "_score", "distance", "_distance")
_SNIPPET = ("snippet", "text", "page_content", "content", "passage", "body", "chunk")
_UPDATED = ("updated_at", "last_modified", "modified", "updated", "modified_at", "date")


def docs_of(result: Any, room: Room, score_kind: str = "") -> list[dict[str, Any]] | None:
    """The documents of a retrieval in their order, at most 50; ``None`` if the result holds none that can be read."""
    for _ in range(3):  # {"hits": {"hits": [...]}} is the deepest nest of them
        items = items_of(result)
        if items is not None or result is None:
            break
        fields = fields_of(result)
        if fields is None:
            return None
        if items_of(fields.get("ids")) is not None and "documents" in fields:
            items = _columns(fields)
            break
        inner = first(fields, _LISTS)
        if inner is None:
            return None
        result = inner
    else:
        return None
    docs = [_doc(item, score_kind, room) for item in items or ()]
    for doc in docs:  # the texts last: ids and scores of all documents come before anybody's text
        if doc.get("snippet"):
            doc["snippet"] = text(doc["snippet"], room, SNIPPET)
            if not doc["snippet"]:
                del doc["snippet"]
    return docs


def _columns(fields: dict[str, Any]) -> list[Any]:
    """Chroma's answer: one list a field, each perhaps inside the list of queries."""
    columns = {}
    for key, field in (("ids", "id"), ("documents", "text"), ("distances", "distance"), ("metadatas", "metadata")):
        column = items_of(fields.get(key))
        if column and items_of(column[0]) is not None:
            column = items_of(column[0])
        columns[field] = column or []
    return [
        {field: column[i] for field, column in columns.items() if i < len(column)} for i in range(len(columns["id"]))
    ]


def _doc(item: Any, score_kind: str, room: Room) -> dict[str, Any]:
    score: Any = None
    parts = items_of(item) if fields_of(item) is None else None
    texts: list[str] = []
    if parts is not None:
        scores = [part for part in parts if number(part) is not None]
        score = scores[-1] if scores else None
        rest = [part for part in parts if number(part) is None]
        item = rest[0] if rest else None
        texts = [found for part in rest[1:] if (found := words(part)) is not None]
    fields = _flat(item)
    if fields is None:
        spoken = words(item)
        if spoken is None:
            spoken = name(item, room)
        fields = {"id": spoken} if len(spoken) <= 128 else {"text": spoken}
    if texts:
        fields.setdefault("text", texts[0])
    return _doc_signal(fields, score, score_kind, room)


def _flat(item: Any, depth: int = 2) -> dict[str, Any] | None:
    """A document's fields with those of its metadata, its node, its payload; the outer ones win."""
    fields = fields_of(item)
    if fields is None or stands_for(item) is not None:
        return None
    out = {key: value for key, value in fields.items() if value is not None}
    if depth:
        for key in _INNER:
            inner = _flat(fields.get(key), depth - 1)
            if inner:
                out = {**inner, **{k: v for k, v in out.items() if k != key}}
    return out


def _doc_signal(fields: dict[str, Any], score: Any, score_kind: str, room: Room) -> dict[str, Any]:
    snippet = words(first(fields, _SNIPPET))
    named = first(fields, _ID)
    if named is None or is_container(named):
        named = first(fields, _TITLE)
    doc: dict[str, Any] = {"id": name(named, room) if named is not None else _id_from(snippet or "")}
    if title := words(first(fields, _TITLE)):
        doc["title"] = text(title, room, NAME)
    found = number(score if score is not None else first(fields, _SCORE))
    if found is not None:
        doc["score"] = found
        if not score_kind and score is None and ("distance" in fields or "_distance" in fields):
            score_kind = "" if any(key in fields for key in _SCORE[:-2]) else "distance"
    kind = words(fields.get("score_kind")) or score_kind
    if kind:
        doc["score_kind"] = text(kind, room, NAME)
    for field in ("rank", "hits"):
        value = number(fields.get(field))
        if type(value) is int and value >= 0:
            doc[field] = value
    if (version := fields.get("version")) is not None:
        doc["version"] = name(version, room)
    if (updated := _moment(first(fields, _UPDATED))) is not None:
        doc["updated_at"] = updated
    if dropped := words(fields.get("dropped_because")):
        doc["dropped_because"] = text(dropped, room, NAME)
    if near := _pairs(fields.get("near"), room):
        doc["near"] = [list(pair) for pair in near]
    if snippet and snippet != doc["id"]:
        doc["snippet"] = snippet[: SNIPPET + 1]
    room.left -= 64
    return doc


def _id_from(snippet: str) -> str:
    """A document without a name is known by its text: the same passage is the same node, whoever recalls it."""
    from zlib import crc32

    words_of_it = " ".join(snippet[:4_096].split())
    return f"{words_of_it[:48]}~{crc32(words_of_it.encode('utf-8', 'replace')):08x}" if words_of_it else "document"


def _moment(value: Any) -> float | None:
    """Unix seconds of a number, a date or its ISO text; a time without a zone is taken as UTC."""
    found = number(value)
    if found is not None:
        return float(found)
    spoken = words(value)
    if spoken is None or len(spoken) > 40:
        return None
    import datetime

    try:
        moment = datetime.datetime.fromisoformat(spoken)
        return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


# -- answers -----------------------------------------------------------------------------------------------------

_SPOKEN = ("text", "answer", "response", "reply", "output_text", "content", "output", "message", "result", "delta")
_DOCS = ("docs", "sources", "documents", "source_documents", "citations", "source_nodes")


def answered(result: Any) -> dict[str, Any] | None:
    """The answer that a result tells of; ``None`` where the bot said nothing; ``raw`` where it can't be read."""
    room = Room()
    if result is None:
        return None
    if type(result) is str and len(result) <= TEXT:
        return {"kind": "answered", "text": result}
    spoken, docs = answer_text(result), None
    fields = fields_of(result)
    parts = items_of(result) if type(result) is tuple else None
    if fields is not None:
        docs = first(fields, _DOCS)
    elif parts and len(parts) == 2 and items_of(parts[1]) is not None:  # (text, docs)
        spoken, docs = answer_text(parts[0]), parts[1]
    if spoken is None:
        return {"kind": "raw", "name": "answer", "data": captured(result, room)}
    signal: dict[str, Any] = {"kind": "answered", "text": text(spoken, room)}
    if ids := doc_ids(docs, room):
        signal["docs"] = ids
    return signal


def answer_text(value: Any) -> str | None:
    """The words in an answer or in a streamed piece of one, however it is wrapped."""
    return _answer_text(value, 5, [100])


def _answer_text(value: Any, depth: int, looks: list[int]) -> str | None:
    spoken = words(value)
    looks[0] -= 1  # at most a hundred values are looked at: lists of lists of lists are no answer
    if spoken is not None or value is None or depth == 0 or looks[0] <= 0:
        return spoken
    items = items_of(value)
    if items is not None:
        return _joined(items, depth, looks)
    fields = fields_of(value)
    if fields is None:
        return None
    choices = items_of(fields.get("choices"))
    if choices:
        choice = fields_of(choices[0]) or {}
        return _answer_text(first(choice, ("message", "delta", "text")), depth - 1, looks)
    for key in _SPOKEN:
        if fields.get(key) is not None:
            spoken = _answer_text(fields[key], depth - 1, looks)
            if spoken is not None:
                return spoken
    return None


def _joined(items: list[Any], depth: int, looks: list[int]) -> str | None:
    """The words in all of them, as many as a text may have and one more: of pieces of 10 MB none is copied whole."""
    found, left = [], TEXT + 1
    for item in items:
        part = _answer_text(item, depth - 1, looks)
        if part:
            found.append(part[:left])
            left -= len(part) + 1
            if left < 0:
                break
    return "\n".join(found) if found else None


def doc_ids(docs: Any, room: Room) -> list[str]:
    """The ids of documents given as ids or as documents."""
    if docs is None:
        return []
    single = words(docs)
    if single is not None:
        return [name(single, room)]
    return [doc["id"] for doc in docs_of(docs, room) or ()]


# -- slots -------------------------------------------------------------------------------------------------------


def slots_assigned(
    result: Any, scope_of: Callable[[str], str], labels: Mapping[str, str]
) -> list[dict[str, Any]] | dict[str, Any]:
    """One assignment for each item of a mapping or field of a record; ``raw`` where there is no such thing."""
    if result is None:
        return []
    fields = fields_of(result)
    if fields is None:
        return {"kind": "raw", "name": "slots", "data": captured(result, Room())}
    return [slot_assigned(slot, value, scope_of(slot), labels.get(slot, "")) for slot, value in fields.items()]


def slot_assigned(slot: str, value: Any, scope: str = "", label: str = "") -> dict[str, Any]:
    """The signal that ``slot`` got ``value``, cut to what a signal may hold."""
    room = Room()
    signal = {"kind": "slot_assigned", "slot": text(slot, room, NAME), "value": captured(value, room)}
    if scope:
        signal["scope"] = scope
    if label:
        signal["label"] = label
    return signal


def failed(where: str, error: BaseException) -> dict[str, Any]:
    """What went wrong, in one line, without asking the exception to describe itself."""
    told = type_name(type(error))
    arguments = BaseException.__dict__["args"].__get__(error)
    spoken = words(arguments[0]) if type(arguments) is tuple and arguments else None
    if spoken:
        told = f"{told}: {' '.join(spoken[:500].split())}"
    return {"kind": "failed", "where": where, "error": told}
