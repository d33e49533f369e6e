"""Knowledge: the documents that each stage of a retrieval returned, and the answers made from them."""

from __future__ import annotations

from typing import Any

from lingbot_map.deltas import EdgeCreated, NodeCreated, NodeUpdated
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.layers import Emit, shown, visible
from lingbot_map.model import Edge, Node
from lingbot_probes.signals import Answered, Doc, Retrieved


def retrieved(map: DialogueMap, event: Event, signal: Retrieved, said: str, emit: Emit) -> None:
    """One stage returned its documents: a recall edge to each, in order of rank."""
    seq, at, turn = event.seq, event.at, event.turn
    query, stage = signal.query, signal.stage
    known = map.indexes.documents
    for place, doc in enumerate(signal.docs, 1):
        doc_id = f"doc:{doc.id}"
        facts = (doc.title, doc.version, doc.updated_at, doc.hits, doc.snippet, doc.near)
        if known.get(doc_id) != facts:
            _document(map, event, doc, doc_id, emit)
            known[doc_id] = facts
        props: dict[str, Any] = {"stage": stage, "score": doc.score, "rank": doc.rank or place, "query": query}
        if doc.score_kind:
            props["score_kind"] = doc.score_kind
        if doc.dropped_because:
            props["dropped_because"] = doc.dropped_because
        emit(EdgeCreated(Edge(f"recall:{seq}.{place}", "recall", "knowledge", said, doc_id, turn, seq, at, props)))


def _document(map: DialogueMap, event: Event, doc: Doc, doc_id: str, emit: Emit) -> None:
    node = map.nodes.get(doc_id)
    title = doc.title if visible(doc.title) else ""
    if node is None:
        props: dict[str, Any] = {}
        if title:
            props["title"] = title
        if doc.version:
            props["version"] = doc.version
        if doc.updated_at is not None:
            props["updated_at"] = doc.updated_at
        if doc.hits is not None:
            props["hits"] = doc.hits
        if doc.snippet:
            props["snippet"] = doc.snippet
        if doc.near:
            props["near"] = [list(pair) for pair in doc.near]
        at, label = event.at, shown(title, doc.id)
        emit(NodeCreated(Node(doc_id, "doc", "knowledge", label, event.turn, event.seq, at, at, None, False, props)))
        return
    known = node.props
    props = {}
    if doc.hits is not None and known.get("hits") != doc.hits:
        props["hits"] = doc.hits
    if title and known.get("title") != title:
        props["title"] = title
    if doc.version and known.get("version") != doc.version:
        props["version"] = doc.version
    if doc.updated_at is not None and known.get("updated_at") != doc.updated_at:
        props["updated_at"] = doc.updated_at
    if doc.snippet and known.get("snippet") != doc.snippet:
        props["snippet"] = doc.snippet
    if doc.near:
        near = [list(pair) for pair in doc.near]
        if known.get("near") != near:
            props["near"] = near
    if props:
        emit(NodeUpdated(doc_id, event.seq, event.at, props, None, props.get("title", "")))


def answered(map: DialogueMap, event: Event, signal: Answered, emit: Emit) -> str:
    """The bot spoke: an answer, and an edge from each document that it was made from. Returns the answer's id."""
    number = map.indexes.answers.get(event.turn, 0) + 1
    answer_id = f"answer:{event.turn}" if number == 1 else f"answer:{event.turn}.{number}"
    seq, at, turn = event.seq, event.at, event.turn
    props: dict[str, Any] = {"text": signal.text, "docs": list(signal.docs)}
    label = signal.text if visible(signal.text) else ""
    emit(NodeCreated(Node(answer_id, "answer", "knowledge", label, turn, seq, at, at, None, False, props)))
    for place, doc in enumerate(signal.docs, 1):
        doc_id = f"doc:{doc}"
        if doc_id not in map.nodes:
            emit(NodeCreated(Node(doc_id, "doc", "knowledge", shown(doc), turn, seq, at, at, None, False, {})))
        emit(EdgeCreated(Edge(f"merge:{seq}.{place}", "merge", "knowledge", doc_id, answer_id, turn, seq, at, {})))
    return answer_id
