"""LM301: a slot got another value soon after it had got one."""

from __future__ import annotations

from typing import Any

from lingbot_map.checks import finding, shown
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.model import Finding


def check(map: DialogueMap, event: Event, slot: str, edge_id: str) -> Finding:
    """The finding for the overwrite edge ``edge_id`` of ``slot``."""
    props: dict[str, Any] = map.edges[edge_id].props
    old, new = shown(props["old"]), shown(props["new"])
    label = map.nodes[f"slot:{slot}"].label
    turn = props["old_turn"]
    return finding(
        "overwrite",
        edge_id,
        event,
        since=turn,
        nodes=[f"slot:{slot}"],
        edges=[f"assign:{props['old_seq']}", f"assign:{event.seq}", edge_id],
        seqs=[props["old_seq"], event.seq],
        facts={"slot": slot, "old": props["old"], "new": props["new"], "old_turn": turn},
        en=f"{label}: {old} from turn {turn} was overwritten with {new} in turn {event.turn}",
        zh=f"{label}：第 {turn} 轮的 {old} 在第 {event.turn} 轮被覆盖为 {new}",
    )
