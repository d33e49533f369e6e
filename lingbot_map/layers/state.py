"""State: slots, who wrote and read them, and how long they live."""

from __future__ import annotations

from typing import Any

from lingbot_map.deltas import EdgeCreated, NodeCreated, NodeUpdated
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.layers import Emit, shown, visible
from lingbot_map.model import Edge, Node
from lingbot_probes.codec import same_json
from lingbot_probes.signals import SlotAssigned, SlotCleared, SlotRead


def assigned(map: DialogueMap, event: Event, signal: SlotAssigned, task: str, actor: str, emit: Emit) -> None:
    """A slot got a value for ``task``; ``actor`` is the node that wrote it (an intent, or the utterance)."""
    slot_id = f"slot:{signal.slot}"
    node = map.nodes.get(slot_id)
    value = signal.value
    held = node is not None and node.props["set"]
    old = node.props["value"] if node is not None and held else None
    if value is None:
        change = "null"
    elif not held or old is None:
        change = "set"
    else:
        change = "same" if same_json(old, value) else "changed"
    props: dict[str, Any] = {"value": value, "change": change, "task": task}
    if held and old is not None:
        props["old"] = old
    _write(map, event, slot_id, signal.label, value, True, signal.scope, task, emit)
    seq, at, turn = event.seq, event.at, event.turn
    emit(EdgeCreated(Edge(f"assign:{seq}", "assign", "state", actor, slot_id, turn, seq, at, props)))
    if change != "changed" or node is None or _only_grew(old, value):
        return
    if at - _written_at(map, node) <= map.policy.overwrite_window:
        props = {"old": old, "new": value, "old_turn": node.props["turn"], "old_seq": node.props["seq"]}
        emit(EdgeCreated(Edge(f"overwrite:{seq}", "overwrite", "state", slot_id, slot_id, turn, seq, at, props)))


def _only_grew(old: Any, new: Any) -> bool:
    """Whether a list got more at its end: what it held is still there, as with the messages of a dialogue."""
    return type(old) is list and type(new) is list and len(new) > len(old) and same_json(old, new[: len(old)])


def _written_at(map: DialogueMap, node: Node) -> float:
    written = map.moment(node.props["seq"])
    return written.at if written is not None else float("-inf")


def cleared(map: DialogueMap, event: Event, signal: SlotCleared, task: str, actor: str, emit: Emit) -> None:
    """A slot was emptied."""
    slot_id = f"slot:{signal.slot}"
    node = map.nodes.get(slot_id)
    props: dict[str, Any] = {"value": None, "change": "cleared", "task": task}
    if node is not None and node.props["set"]:
        props["old"] = node.props["value"]
    _write(map, event, slot_id, "", None, False, "", task, emit)
    seq = event.seq
    emit(EdgeCreated(Edge(f"assign:{seq}", "assign", "state", actor, slot_id, event.turn, seq, event.at, props)))


def read(map: DialogueMap, event: Event, signal: SlotRead, task: str, actor: str, emit: Emit) -> None:
    """A slot's value was used, which refreshes its lifetime."""
    slot_id = f"slot:{signal.slot}"
    node = map.nodes.get(slot_id)
    seq, at, turn = event.seq, event.at, event.turn
    expires_at = at + map.policy.slot_lifetime
    props: dict[str, Any] = {"value": None, "written": 0, "written_turn": 0, "task": task}
    if node is None:
        empty = {"value": None, "set": False, "scope": "", "task": "", "turn": 0, "seq": 0}
        emit(
            NodeCreated(Node(slot_id, "slot", "state", shown(signal.slot), turn, seq, at, at, expires_at, False, empty))
        )
    else:
        known = node.props
        props["value"] = known["value"]
        props["written"] = known["seq"]
        props["written_turn"] = known["turn"]
        if node.expired:
            props["stale"] = True
        emit(NodeUpdated(slot_id, seq, at, {}, expires_at))
    if visible(signal.reader):
        props["reader"] = signal.reader
    emit(EdgeCreated(Edge(f"read:{seq}", "read", "state", slot_id, actor, turn, seq, at, props)))


def _write(
    map: DialogueMap,
    event: Event,
    slot_id: str,
    label: str,
    value: Any,
    is_set: bool,
    scope: str,
    task: str,
    emit: Emit,
) -> None:
    props = {"value": value, "set": is_set, "scope": scope, "task": task, "turn": event.turn, "seq": event.seq}
    expires_at = event.at + map.policy.slot_lifetime
    seq, at = event.seq, event.at
    node = map.nodes.get(slot_id)
    if node is None:
        label = shown(label, slot_id[5:])
        emit(NodeCreated(Node(slot_id, "slot", "state", label, event.turn, seq, at, at, expires_at, False, props)))
        return
    if not scope:
        del props["scope"]
    named = label if label != node.label and label != slot_id[5:] and visible(label) else ""
    emit(NodeUpdated(slot_id, seq, at, props, expires_at, named))


def restore(map: DialogueMap, event: Event, first: int, emit: Emit) -> None:
    """Give every slot that events from ``first`` on wrote the value that it had before them, and a fresh lifetime."""
    expires_at = event.at + map.policy.slot_lifetime
    for node in [n for n in map.nodes.values() if n.kind == "slot" and n.props["seq"] >= first]:
        before = map.props_at(node.id, first - 1) or {"value": None, "set": False, "task": "", "turn": 0, "seq": 0}
        changed = {name: value for name, value in before.items() if not same_json(node.props[name], value)}
        emit(NodeUpdated(node.id, event.seq, event.at, changed, expires_at))
