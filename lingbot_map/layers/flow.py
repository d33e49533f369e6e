"""Flow: what the user said, the intents it was routed to, and the moves between them."""

from __future__ import annotations

from typing import Any

from lingbot_map.deltas import EdgeCreated, NodeCreated, NodeExpired, NodeUpdated, SeqsUndone
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.layers import Emit, shown, visible
from lingbot_map.model import Edge, Node
from lingbot_probes.signals import IntentRouted, TurnStarted, Undone

_PARENTS = 5  # how far sub-intents of sub-intents are followed; also ends a circle of parents


def utterance(map: DialogueMap, event: Event, emit: Emit, text: str = "") -> str:
    """The id of the turn's utterance node, which is made, or given its text, if need be."""
    node_id = f"utterance:{event.turn}"
    node = map.nodes.get(node_id)
    at, turn, seq = event.at, event.turn, event.seq
    label = text if visible(text) else ""
    if node is None:
        emit(NodeCreated(Node(node_id, "utterance", "flow", label, turn, seq, at, at, None, False, {"text": text})))
    elif text and node.props["text"] != text:
        emit(NodeUpdated(node_id, seq, at, {"text": text}, None, label))
    return node_id


def started(map: DialogueMap, event: Event, signal: TurnStarted, emit: Emit) -> None:
    """A turn opened: its utterance."""
    utterance(map, event, emit, signal.utterance)


def task_of(map: DialogueMap, intent: str) -> str:
    """The task that ``intent`` belongs to: the outermost of its parents, or itself."""
    nodes = map.nodes
    for _ in range(_PARENTS):
        node = nodes.get(f"intent:{intent}")
        parent = node.props.get("parent") if node is not None else None
        if not parent:
            break
        intent = parent
    return intent


def current_intent(map: DialogueMap) -> str:
    """The intent that the dialogue is in; "" before the first."""
    visit = map.indexes.walk.current
    return visit.intent if visit is not None else ""


def routed(map: DialogueMap, event: Event, signal: IntentRouted, emit: Emit) -> None:
    """The router chose: the intent's node, the routing edge, and the move from the intent before."""
    walk = map.indexes.walk
    before = walk.current
    earlier = walk.previous(signal.intent)
    seq, at, turn = event.seq, event.at, event.turn
    said = utterance(map, event, emit)
    intent_id = f"intent:{signal.intent}"
    _visit(map, event, signal, intent_id, emit)

    props: dict[str, Any] = {"confidence": signal.confidence}
    if visible(signal.condition):
        props["condition"] = signal.condition
    if visible(signal.predicted_by):
        props["predicted_by"] = signal.predicted_by
    if signal.missing:
        props["missing"] = list(signal.missing)
    if before is not None:
        move = dict(props)
        if earlier is not None:
            move["closes"] = earlier.seq
    if signal.candidates:
        props["candidates"] = [list(pair) for pair in signal.candidates]
    if signal.required:
        props["required"] = list(signal.required)
    emit(EdgeCreated(Edge(f"jump:{seq}", "jump", "flow", said, intent_id, turn, seq, at, props)))
    if before is not None:
        emit(
            EdgeCreated(Edge(f"move:{seq}", "jump", "flow", f"intent:{before.intent}", intent_id, turn, seq, at, move))
        )


def _visit(map: DialogueMap, event: Event, signal: IntentRouted, intent_id: str, emit: Emit) -> None:
    node = map.nodes.get(intent_id)
    props: dict[str, Any] = {"confidence": signal.confidence}
    facts = (
        ("parent", signal.parent),
        ("required", list(signal.required)),
        ("missing", list(signal.missing)),
        ("candidates", [list(pair) for pair in signal.candidates]),
        ("condition", signal.condition if visible(signal.condition) else ""),
    )
    if node is None:
        props["visits"] = 1
        props.update((name, value) for name, value in facts if value)
        label = shown(signal.label, signal.intent)
        at, turn, seq = event.at, event.turn, event.seq
        emit(NodeCreated(Node(intent_id, "intent", "flow", label, turn, seq, at, at, None, False, props)))
        return
    known = node.props
    props["visits"] = known["visits"] + 1
    for name, value in facts:
        if value:
            if known.get(name) != value:
                props[name] = value
        elif known.get(name):
            props[name] = value
    label = signal.label if signal.label != node.label and visible(signal.label) else ""
    emit(NodeUpdated(intent_id, event.seq, event.at, props, None, label))


def ended(map: DialogueMap, event: Event, emit: Emit) -> None:
    """The session is over: its intents go inactive."""
    for node in list(map.nodes.values()):
        if node.kind == "intent" and not node.expired:
            emit(NodeExpired(node.id, event.seq, event.at))


def undone(map: DialogueMap, event: Event, signal: Undone, emit: Emit) -> None:
    """Strike through what no longer holds. The slots' values of before are the state layer's matter."""
    first = first_undone(map, event, signal)
    if first < event.seq:
        emit(SeqsUndone(first, event.seq - 1, signal.why))


def first_undone(map: DialogueMap, event: Event, signal: Undone) -> int:
    """The first event that ``signal`` undoes; the event's own seq if it undoes nothing."""
    if signal.turn:
        number = map.turn_numbers.get(signal.turn)
        return event.seq if number is None else map.turns[number].seq
    source = map.sources.get(event.source)
    if source is None:
        return event.seq
    return min(source.seq_of(signal.to + 1), event.seq)
