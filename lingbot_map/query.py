"""Questions to a map: what is reachable from here, what led here, what is in these turns, what differs.

Nothing here changes a map. Adjacency is built when it is asked for: the mapper never walks it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lingbot_map.graph import DialogueMap
from lingbot_map.model import Edge, Node
from lingbot_probes.codec import same_json

if TYPE_CHECKING:
    import networkx as nx


class Neighbours:
    """Who points to whom, as sets; made once from a map as it stands."""

    def __init__(self, map: DialogueMap) -> None:
        self.out: dict[str, set[str]] = {}
        self.into: dict[str, set[str]] = {}
        for edge in map.edges.values():
            self.out.setdefault(edge.source, set()).add(edge.target)
            self.into.setdefault(edge.target, set()).add(edge.source)

    def within(self, start: str, hops: int, *, upstream: bool = True, downstream: bool = True) -> dict[str, int]:
        """{node: its distance} for what lies within ``hops`` of ``start`` against or along the edges; start is 0."""
        found = {start: 0}
        for ways, wanted in ((self.out, downstream), (self.into, upstream)):
            front = {start} if wanted else set()
            for distance in range(1, hops + 1):
                front = {end for node in front for end in ways.get(node, ())} - {start}
                for node in front:
                    found[node] = min(distance, found.get(node, distance))
        return found


def trail(map: DialogueMap, start: str, hops: int = 3) -> dict[str, int]:
    """What is one, two ... ``hops`` away from node ``start``, up- and downstream. Empty if there is no such node."""
    return Neighbours(map).within(start, hops) if start in map.nodes else {}


class Window(NamedTuple):
    """What the turns ``first`` to ``last`` hold."""

    first: int
    last: int
    nodes: list[Node]
    edges: list[Edge]


def window(map: DialogueMap, first: int, last: int) -> Window:
    """The edges of the turns ``first`` to ``last`` and the nodes at their ends, in the order in which they appeared."""
    edges = [edge for edge in map.edges.values() if first <= edge.turn <= last]
    ends = {end for edge in edges for end in (edge.source, edge.target)}
    nodes = [node for node in map.nodes.values() if node.id in ends or first <= node.turn <= last]
    return Window(first, last, nodes, edges)


def why(map: DialogueMap, edge_id: str) -> list[Edge]:
    """The chain of causes of an edge, oldest first, itself last; empty if there is no such edge.

    A read is caused by the write of what it read, a write or a read by the routing of its turn, an overwrite by the
    two writes, an answer's document by the stages that recalled it in that turn, a move by its routing.
    """
    edge = map.edges.get(edge_id)
    if edge is None:
        return []
    chain: dict[str, Edge] = {}
    pending = [edge]
    while pending:
        current = pending.pop()
        if current.id not in chain:
            chain[current.id] = current
            pending.extend(_causes(map, current))
    return sorted(chain.values(), key=lambda e: (e.seq, e.id))


def _causes(map: DialogueMap, edge: Edge) -> list[Edge]:
    ids: list[str] = []
    if edge.kind == "read":
        ids.append(f"assign:{edge.props['written']}")
    elif edge.kind == "overwrite":
        ids.append(f"assign:{edge.props['old_seq']}")
        ids.append(f"assign:{edge.seq}")
    elif edge.kind == "jump" and edge.id.startswith("move:"):
        ids.append(f"jump:{edge.seq}")
    found = [map.edges[id] for id in ids if id in map.edges]
    if edge.kind in ("assign", "read"):
        found.extend(_routing(map, edge))
    elif edge.kind == "merge":
        found.extend(
            e for e in map.edges.values() if e.kind == "recall" and e.turn == edge.turn and e.target == edge.source
        )
    return found


def _routing(map: DialogueMap, edge: Edge) -> Iterable[Edge]:
    before = None
    for other in map.edges.values():
        if other.seq >= edge.seq:
            break
        if other.turn == edge.turn and other.id.startswith("jump:"):
            before = other
    return () if before is None else (before,)


class Difference(NamedTuple):
    """What the slots of two moments differ in: names of slots, sorted.

    ``rewritten`` were written in between with the value that they had. ``stale`` were read in between although their
    value was past its time: expired, written for another task, or for an earlier turn alone.
    """

    added: list[str]
    changed: list[str]
    deleted: list[str]
    rewritten: list[str]
    stale: list[str]


def slots_between(map: DialogueMap, before: int, after: int) -> Difference:
    """How the slots changed from event ``before`` to event ``after``."""
    stale = {e.source[5:] for e in map.edges.values() if before < e.seq <= after and why_stale(map, e)}
    out = Difference([], [], [], [], sorted(stale))
    for node in sorted((n for n in map.nodes.values() if n.kind == "slot"), key=lambda n: n.id):
        name = node.id[5:]
        old, new = map.props_at(node.id, before), map.props_at(node.id, after)
        if old.get("seq", 0) == new.get("seq", 0):
            continue
        was, is_now = bool(old.get("set")), bool(new.get("set"))
        if is_now and not was:
            out.added.append(name)
        elif was and not is_now:
            out.deleted.append(name)
        elif was and is_now:
            (out.rewritten if same_json(old["value"], new["value"]) else out.changed).append(name)
    return out


def why_stale(map: DialogueMap, edge: Edge) -> Literal["", "expired", "task", "turn"]:
    """Why the value that ``edge`` read should not have been; "" for a read that is in order, and for other edges.

    "expired": nobody had touched it for the slot lifetime. "task": it was written for another task, in a scope that
    tasks do not share (what LM302 tells once for each task). "turn": its scope was a turn that had passed.
    """
    if edge.kind != "read":
        return ""
    if edge.props.get("stale"):
        return "expired"
    slot = map.props_at(edge.source, edge.seq)
    if not slot.get("set") or slot["value"] is None:
        return ""
    owner, task, scope = slot["task"], edge.props["task"], slot.get("scope", "")
    if scope == "turn" and slot["turn"] < edge.turn:
        return "turn"
    return "task" if owner and task and owner != task and scope not in map.policy.shared_scopes else ""


def totals(map: DialogueMap) -> dict[str, Any]:
    """Counts of what was ever in the session, retired turns included, and of what is missing."""
    return {
        "events": map.seq,
        "turns": map.turn,
        "nodes": map.totals["nodes"],
        "edges": map.totals["edges"],
        "findings": {kind: n for kind, n in map.found.items() if n},
        "missing": sum(lost.missing for lost in map.losses.values()),
    }


def to_networkx(map: DialogueMap) -> nx.MultiDiGraph[str]:
    """The map as a networkx graph, for its algorithms and formats; a copy, not a view."""
    import networkx as nx

    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(session=map.session)
    for node in map.nodes.values():
        facts = {"kind": node.kind, "layer": node.layer, "label": node.label, "turn": node.turn}
        graph.add_node(node.id, **{**node.props, **facts})
    for edge in map.edges.values():
        graph.add_edge(
            edge.source,
            edge.target,
            key=edge.id,
            **{**edge.props, "kind": edge.kind, "layer": edge.layer, "turn": edge.turn, "seq": edge.seq},
        )
    return graph
