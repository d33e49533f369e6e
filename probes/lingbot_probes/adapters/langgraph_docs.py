"""Documents as LangChain's retrievers give them: their names, their scores, their places in a source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from zlib import crc32

from lingbot_probes.adapters.fields import instant, items, mapping, number
from lingbot_probes.adapters.langgraph_words import SPELT, built, spelt
from lingbot_probes.signals import Doc

SCORE_KEYS = ("score", "relevance_score", "similarity", "distance", "_score")
"""Where a document keeps its score: in its metadata, the first of these that holds a number. Of a distance the lower
is the better, which its ``score_kind`` says."""

_SNIPPET = 4_096
_OWN_IDS = ("id", "doc_id", "document_id", "chunk_id", "_id", "uuid")
_SOURCES = ("source", "url", "path", "file_name", "filename")
_PLACES = ("chunk", "chunk_index", "start_index", "seq_num", "page", "row")
_TITLES = ("title", "heading", "name", *_SOURCES)
_CHANGED = ("updated_at", "last_modified", "modified_at")


# --- documents -------------------------------------------------------------------------------------------------------


def docs(value: Any) -> tuple[Doc, ...]:
    """The documents of a retrieval, in their order."""
    found: list[Doc] = []
    seen: set[str] = set()
    for item in items(value):
        doc = _doc(item, len(found) + 1, seen)
        if doc is not None:
            found.append(doc)
    return tuple(found)


def _doc(item: Any, rank: int, seen: set[str]) -> Doc | None:
    score, kind = None, ""
    if type(item) is list and len(item) == 2 and (score := number(item[1])) is not None:  # (document, score)
        item, kind = item[0], "score"
    item = built(item)
    if type(item) is str:
        item = spelt(item) if "page_content=" in item[:SPELT] else {"page_content": item}
    if type(item) is not dict:
        return None
    text = item.get("page_content")
    text = text if type(text) is str else ""
    meta = mapping(item.get("metadata"))
    changed = None
    if meta:
        if score is None:
            for key in SCORE_KEYS:
                if key in meta and (score := number(meta[key])) is not None:
                    kind = key.lstrip("_")
                    break
        for key in _CHANGED:
            if key in meta:
                changed = instant(meta[key])
                break
    version = meta.get("version")
    own = _name(item, meta, text)
    if own in seen:  # two passages of one source that don't say where in it they stand
        own = f"{own}~{crc32(text.encode('utf-8', 'replace')):08x}"
    seen.add(own)
    return Doc(
        id=own,
        title=_first(meta, _TITLES),
        score=score,
        score_kind=kind,
        rank=rank,
        version="" if version is None or type(version) in (dict, list) else str(version),
        updated_at=changed,
        snippet=text[:_SNIPPET],
    )


def _name(item: Mapping[str, Any], meta: Mapping[str, Any], text: str) -> str:
    """What a document is known by: its own id, else its source and the place in it, else its text."""
    own = _first(item, ("id",)) or _first(meta, _OWN_IDS)
    if own:
        return own
    source, place = _first(meta, _SOURCES), _first(meta, _PLACES)
    if source:
        return f"{source}#{place}" if place else source
    known = " ".join(text[:_SNIPPET].split())
    return f"{known[:48]}~{crc32(known.encode('utf-8', 'replace')):08x}" if known else "document"


def _first(held: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        if key in held:
            value = held[key]
            if type(value) is str and value:
                return value[:256]
            if type(value) is int:
                return str(value)
    return ""
