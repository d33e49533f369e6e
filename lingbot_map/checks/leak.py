"""LM302: a value that was written for one task was read for another, and nobody had cleared or confirmed it."""

from __future__ import annotations

from lingbot_map.checks import finding, shown
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.model import Finding


def check(map: DialogueMap, event: Event, slot: str, task: str) -> Finding | None:
    """The finding, if reading ``slot`` for ``task`` is one. A value written again, even unchanged, is confirmed."""
    node = map.nodes[f"slot:{slot}"]
    props = node.props
    owner = props["task"]
    if not task or not owner or owner == task or not props["set"] or props["value"] is None:
        return None
    if props["scope"] in map.policy.shared_scopes:
        return None
    written = props["seq"]
    id = f"leak:{slot}:{written}:{task}"
    if id in map.findings:
        return None
    value, turn = shown(props["value"]), props["turn"]
    source, reader = _label(map, owner), _label(map, task)
    return finding(
        "leak",
        id,
        event,
        since=turn,
        nodes=[node.id, *(n for n in (f"intent:{owner}", f"intent:{task}") if n in map.nodes)],
        edges=[f"assign:{written}", f"read:{event.seq}"],
        seqs=[written, event.seq],
        facts={
            "slot": slot,
            "value": props["value"],
            "from_task": owner,
            "to_task": task,
            "written_turn": turn,
            "read_turn": event.turn,
        },
        en=f"{node.label} = {value}, set in turn {turn} for {source}, was read in turn {event.turn} for {reader} "
        "without being cleared or confirmed",
        zh=f"{node.label} = {value} 在第 {turn} 轮为「{source}」设置，第 {event.turn} 轮被「{reader}」读取，"
        "其间未清除也未确认",
    )


def _label(map: DialogueMap, task: str) -> str:
    node = map.nodes.get(f"intent:{task}")
    return node.label if node is not None else task
