"""A session as spans: one OTLP JSON document that tracing tools read, and that imports as the same map.

A turn is a trace, what happened in it are its spans, with the names of OpenInference (``session.id``,
``input.value``, ``graph.node.id``, ``retrieval.documents.N.document.*``). What it has no word for (a slot, a condition,
a document that was cut) stands in ``lingbot.signal``: the whole signal, as a recording holds it.
Ids are made from the session and the event's number: exported again, the same span has the same id.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from lingbot_map.events import Event, Gap
from lingbot_probes import codec
from lingbot_probes.adapters.spans_own import SEQ, SIGNAL, TURN
from lingbot_probes.signals import SIGNALS, Answered, Doc, Failed, IntentRouted, Retrieved, TurnStarted

_ERROR = 2  # status codes of opentelemetry.proto.trace.v1
_SAID = frozenset(SIGNALS)


def otlp(session: str, events: Iterable[Event]) -> Iterator[bytes]:
    """The document in pieces. What the map itself noted (ticks, policies) is no part of it, but for gaps, which are
    spans that failed."""
    scope = {"name": "lingbot-map"}
    resource = {"attributes": _attributes({"service.name": scope["name"], "session.id": session})}
    head = json.dumps({"resource": resource, "scope": scope}, ensure_ascii=False)
    opening = head.replace('"scope"', '"scopeSpans": [{"scope"', 1)[:-1]
    yield f'{{"resourceSpans": [{opening}, "spans": ['.encode()
    first = True
    for turn in _turns(events):
        for span in _spans(session, turn):
            yield ("" if first else ",\n").encode() + json.dumps(span, ensure_ascii=False).encode("utf-8", "replace")
            first = False
    yield b"]}]}]}\n"


def _turns(events: Iterable[Event]) -> Iterator[list[Event]]:
    """The events of each stretch of one turn."""
    held: list[Event] = []
    for event in events:
        if type(event.signal) not in _SAID and type(event.signal) is not Gap:
            continue
        if held and event.turn != held[0].turn:
            yield held
            held = []
        held.append(event)
    if held:
        yield held


def _spans(session: str, events: list[Event]) -> Iterator[dict[str, Any]]:
    """The spans of one stretch: its first event is the root, or hangs below it where the turn goes on later."""
    turn = events[0].turn
    trace = hashlib.sha256(f"{session}\n{turn}".encode("utf-8", "replace")).hexdigest()[:32]
    root, last = events[0], _at(events[-1])
    spoken = "\n".join(event.signal.text for event in events if isinstance(event.signal, Answered))
    above = ""
    for place, event in enumerate(events):
        signal = event.signal
        facts = _facts(signal)
        if place == 0:
            facts["openinference.span.kind"] = facts.get("openinference.span.kind", "CHAIN")
            if spoken:
                facts["output.value"] = spoken
        facts |= {"session.id": session, TURN: turn, SEQ: event.seq}
        if type(signal) in _SAID:
            facts[SIGNAL] = json.dumps(codec.signal_to_dict(signal), ensure_ascii=False)
        if isinstance(signal, IntentRouted):
            above = _id(event)
        span: dict[str, Any] = {"traceId": trace, "spanId": _id(event), "name": _name(event), "kind": 1}
        if place:
            span["parentSpanId"] = above if above and above != _id(event) else _id(root)
        end = last if place == 0 or isinstance(signal, IntentRouted) else _at(event)
        span |= {"startTimeUnixNano": str(_at(event)), "endTimeUnixNano": str(max(end, _at(event)))}
        span["attributes"] = _attributes(facts)
        if isinstance(signal, Failed):
            span["status"] = {"code": _ERROR, "message": signal.error}
        elif isinstance(signal, Gap):
            span["status"] = {"code": _ERROR, "message": f"{signal.last - signal.first + 1} events lost: {signal.why}"}
        yield span


def _id(event: Event) -> str:
    return f"{event.seq:016x}"


def _at(event: Event) -> int:
    return round((event.at if event.said_at is None else event.said_at) * 1e6) * 1000


def _name(event: Event) -> str:
    signal = event.signal
    word = next(
        (
            str(getattr(signal, field))
            for field in ("intent", "slot", "stage", "where", "name")
            if hasattr(signal, field)
        ),
        str(event.turn) if isinstance(signal, TurnStarted) else "",
    )
    return f"{signal.kind} {word}".strip()


def _facts(signal: Any) -> dict[str, Any]:
    """What a tracing tool understands of it."""
    match signal:
        case TurnStarted():
            return {"openinference.span.kind": "CHAIN", "input.value": signal.utterance}
        case IntentRouted():
            facts = {
                "openinference.span.kind": "AGENT",
                "graph.node.id": signal.intent,
                "graph.node.name": signal.label or signal.intent,
            }
            return facts | ({"graph.node.parent_id": signal.parent} if signal.parent else {})
        case Retrieved(stage="reranked"):
            facts = {"openinference.span.kind": "RERANKER", "reranker.query": signal.query}
            return facts | _documents("reranker.output_documents", signal.docs)
        case Retrieved():
            facts = {"openinference.span.kind": "RETRIEVER", "input.value": signal.query}
            return facts | _documents("retrieval.documents", signal.docs)
        case Answered():
            return {"output.value": signal.text}
    return {}


def _documents(path: str, docs: tuple[Doc, ...]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for place, doc in enumerate(docs):
        at = f"{path}.{place}.document"
        facts[f"{at}.id"] = doc.id
        if doc.score is not None:
            facts[f"{at}.score"] = float(doc.score)
        if doc.snippet:
            facts[f"{at}.content"] = doc.snippet
        if doc.title:
            facts[f"{at}.metadata"] = json.dumps({"title": doc.title}, ensure_ascii=False)
    return facts


def _attributes(facts: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in facts.items()]


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}
