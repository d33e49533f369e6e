"""The map: what a session's dialogue looks like at one moment.

``DialogueMap.apply(delta)`` is its only mutator, so the same deltas give the same map wherever they are folded: in
the mapper, after a recovery, in a browser. What the checks look things up in (``indexes``) is folded along with it
and never written to a snapshot.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import msgspec

from lingbot_map import deltas as d
from lingbot_map.events import KIND_NUMBER
from lingbot_map.indexes import Indexes
from lingbot_map.model import Cursor, Edge, Finding, Lost, Moment, Node, Turn, Unplaced
from lingbot_map.policy import Policy, policy_from

_GAP = KIND_NUMBER["gap"]
_RUNS_KEPT = 4096  # of a source interleaved with others; an import has one run, and undoing reaches back no further


class Source:
    """What has arrived from one source: all up to ``mark`` but for the ``missing`` ranges.

    ``runs`` are (n, seq) where the distance between the two changes, so that a source's number finds its event.
    """

    __slots__ = ("_distance", "mark", "missing", "runs")

    def __init__(
        self, mark: int = 0, missing: list[list[int]] | None = None, runs: list[list[int]] | None = None
    ) -> None:
        self.mark = mark
        self.missing: list[list[int]] = missing or []
        self.runs: list[list[int]] = runs or []
        self._distance = self.runs[-1][1] - self.runs[-1][0] if self.runs else None

    def has(self, n: int) -> bool:
        """Whether number ``n`` has arrived."""
        if n > self.mark:
            return False
        return not any(first <= n <= last for first, last in self.missing)

    def see(self, n: int, seq: int) -> None:
        """Number ``n`` arrived as event ``seq``."""
        if n == self.mark + 1:
            self.mark = n
        elif n > self.mark:
            self.missing.append([self.mark + 1, n - 1])
            self.mark = n
        else:
            self._fill(n)
            return  # a late one: its distance says nothing about those that follow
        if seq - n != self._distance:
            self._distance = seq - n
            self.runs.append([n, seq])
            if len(self.runs) > _RUNS_KEPT:
                del self.runs[: _RUNS_KEPT // 2]

    def lose(self, last: int) -> None:
        """All up to ``last`` that has not come is lost for good, for all that is known: it is missing, not awaited."""
        if last > self.mark:
            self.missing.append([self.mark + 1, last])
            self.mark = last

    def _fill(self, n: int) -> None:
        for i, (first, last) in enumerate(self.missing):
            if first <= n <= last:
                self.missing[i : i + 1] = [[a, b] for a, b in ((first, n - 1), (n + 1, last)) if a <= b]
                return

    def seq_of(self, n: int) -> int:
        """The event that number ``n`` became, or would have become; the oldest known one where that is forgotten."""
        found = self.runs[0] if self.runs else [n, n]
        for run in self.runs:
            if run[0] > n:
                break
            found = run
        return found[1] + max(n - found[0], 0)


class DialogueMap:
    """One session's map. Read its attributes freely; change it by ``apply`` alone.

    ``about`` are facts on the session as a whole; ``history`` has (seq, props) of each node, oldest first, each entry
    with the props that changed; ``moments`` are the events themselves by turn, kind number and time, the first of
    them being event ``first_moment``; ``turn`` is the newest turn's number, ``retired`` that of the newest that left.
    """

    __slots__ = (
        "about",
        "at",
        "edges",
        "epoch",
        "findings",
        "first_moment",
        "found",
        "gone",
        "history",
        "indexes",
        "losses",
        "moment_at",
        "moment_kind",
        "moment_turn",
        "nodes",
        "policy",
        "retired",
        "seq",
        "session",
        "sources",
        "turn",
        "turn_numbers",
        "turns",
        "undone",
        "unplaced",
    )

    def __init__(self, session: str = "") -> None:
        self.session = session
        self.epoch = ""
        self.seq = 0
        self.at = 0.0
        self.about: dict[str, Any] = {}
        self.policy = Policy()
        self.nodes: dict[str, Node] = {}
        self.history: dict[str, list[tuple[int, dict[str, Any]]]] = {}
        self.edges: dict[str, Edge] = {}
        self.turn = 0
        self.turns: dict[int, Turn] = {}
        self.turn_numbers: dict[str, int] = {}
        self.findings: dict[str, Finding] = {}
        self.losses: dict[tuple[str, int], Lost] = {}
        self.undone: list[tuple[int, int, str]] = []
        self.unplaced: list[Unplaced] = []
        self.sources: dict[str, Source] = {}
        self.retired = 0
        self.gone = {"nodes": 0, "edges": 0}
        self.found: dict[str, int] = {}
        self.first_moment = 1
        self.moment_turn = array("L")
        self.moment_kind = array("B")
        self.moment_at = array("d")
        self.indexes = Indexes()

    def apply(self, delta: d.Delta) -> None:
        """Fold one delta in. Deltas come in the order in which they were made, each once."""
        FOLDS[type(delta)](self, delta)

    @property
    def next_deadline(self) -> float | None:
        """When the next node expires if nothing touches it before; ``None`` if none will."""
        return self.indexes.deadlines.next(self.nodes)

    @property
    def cursor(self) -> Cursor:
        """The place in the session's stream up to which this map has come."""
        return Cursor(self.epoch, self.seq)

    @property
    def totals(self) -> dict[str, int]:
        """How many nodes, edges, turns and findings of each kind there ever were, what has retired included."""
        counts = {
            "nodes": self.gone["nodes"] + len(self.nodes),
            "edges": self.gone["edges"] + len(self.edges),
            "turns": self.turn,
        }
        counts.update((f"finding:{kind}", n) for kind, n in self.found.items())
        return counts

    def props_at(self, node_id: str, seq: int) -> dict[str, Any]:
        """The node's props as they stood after event ``seq``; empty before its first entry."""
        props: dict[str, Any] = {}
        for at_seq, changed in self.history.get(node_id, ()):
            if at_seq > seq:
                break
            props.update(changed)
        return props

    def moment(self, seq: int) -> Moment | None:
        """When event ``seq`` was; ``None`` for one that has retired or is yet to come."""
        place = seq - self.first_moment
        if not 0 <= place < len(self.moment_at):
            return None
        return Moment(self.moment_turn[place], self.moment_kind[place], self.moment_at[place])

    def is_undone(self, seq: int) -> bool:
        """Whether what event ``seq`` brought was struck through later."""
        return any(first <= seq <= last for first, last, _ in self.undone)

    # --- folding: one method a delta ----------------------------------------------------------------------------

    def _applied(self, delta: d.Applied) -> None:
        seq = delta.seq
        expected = self.first_moment + len(self.moment_at)
        if seq != expected:
            if expected == 1:
                self.first_moment = seq
            else:  # events that a damaged log lost: their places stay, so that a seq still finds its moment
                for _ in range(seq - expected):
                    self.moment_turn.append(delta.turn)
                    self.moment_kind.append(_GAP)
                    self.moment_at.append(self.at)
        self.seq = seq
        at = self.at = delta.at
        self.moment_turn.append(delta.turn)
        self.moment_kind.append(KIND_NUMBER[delta.kind])
        self.moment_at.append(at)
        if delta.n:
            source = self.sources.get(delta.source)
            if source is None:
                source = self.sources[delta.source] = Source()
            source.see(delta.n, seq)

    def _session_changed(self, delta: d.SessionChanged) -> None:
        self.about.update(delta.props)
        if "epoch" in delta.props:
            self.epoch = delta.props["epoch"]
        if "policy" in delta.props:
            self.policy = policy_from(delta.props["policy"])

    def _turn_opened(self, delta: d.TurnOpened) -> None:
        turn = delta.turn
        self.turns[turn.number] = turn
        if turn.id:
            self.turn_numbers[turn.id] = turn.number
        if turn.number > self.turn:
            self.turn = turn.number

    def _node_created(self, delta: d.NodeCreated) -> None:
        node = delta.node
        self.nodes[node.id] = node
        self.history[node.id] = [(node.seq, node.props)]
        if node.expires_at is not None:
            self.indexes.deadlines.add(node.expires_at, node.id)
        elif node.kind == "answer":
            self.indexes.answered(node)

    def _node_updated(self, delta: d.NodeUpdated) -> None:
        old = self.nodes[delta.id]
        props = delta.props
        if props:
            self.history[delta.id].append((delta.seq, props))
            props = {**old.props, **props}
        else:
            props = old.props
        self.nodes[delta.id] = Node(
            old.id,
            old.kind,
            old.layer,
            delta.label or old.label,
            old.turn,
            old.seq,
            old.created_at,
            delta.at,
            delta.expires_at,
            False,
            props,
        )
        if delta.expires_at is not None:
            self.indexes.deadlines.add(delta.expires_at, old.id)

    def _node_expired(self, delta: d.NodeExpired) -> None:
        old = self.nodes[delta.id]
        self.nodes[delta.id] = msgspec.structs.replace(old, expired=True)

    def _edge_created(self, delta: d.EdgeCreated) -> None:
        edge = delta.edge
        self.edges[edge.id] = edge
        kind = edge.kind
        if kind == "recall":
            self.indexes.retrievals.see(edge)
        elif kind == "jump" or kind == "assign":
            self.indexes.walk.see(edge)

    def _finding_raised(self, delta: d.FindingRaised) -> None:
        finding = delta.finding
        if finding.id not in self.findings:
            self.found[finding.kind] = self.found.get(finding.kind, 0) + 1
        self.findings[finding.id] = finding
        self.indexes.found(finding)

    def _loss_noted(self, delta: d.LossNoted) -> None:
        lost = delta.lost
        if lost.missing:
            self.losses[lost.source, lost.first] = lost
            if lost.source:
                source = self.sources.get(lost.source)
                if source is None:
                    source = self.sources[lost.source] = Source()
                source.lose(lost.last)
            return
        self.losses.pop((lost.source, lost.first), None)
        if self.findings.pop(gap_id(lost), None) is not None:
            self.found["gap"] -= 1

    def _seqs_undone(self, delta: d.SeqsUndone) -> None:
        self.undone.append((delta.first, delta.last, delta.why))
        self.indexes.rebuild(self)

    def _event_unplaced(self, delta: d.EventUnplaced) -> None:
        self.unplaced.append(delta.unplaced)

    def _turns_retired(self, delta: d.TurnsRetired) -> None:
        before = delta.before
        self.retired = delta.turn
        edges, nodes = len(self.edges), len(self.nodes)
        self.edges = {key: edge for key, edge in self.edges.items() if edge.seq >= before}
        self.gone["edges"] += edges - len(self.edges)
        held = {end for edge in self.edges.values() for end in (edge.source, edge.target)}
        for node in [n for n in self.nodes.values() if n.seq < before and n.kind in ("utterance", "answer")]:
            if node.id not in held:
                del self.nodes[node.id]
                del self.history[node.id]
        self.gone["nodes"] += nodes - len(self.nodes)
        for entries in self.history.values():
            keep = 0
            while keep + 1 < len(entries) and entries[keep + 1][0] < before:
                keep += 1
            if keep:
                first: dict[str, Any] = {}
                for _, changed in entries[: keep + 1]:
                    first.update(changed)
                entries[: keep + 1] = [(entries[keep][0], first)]
        for number in [n for n in self.turns if n <= delta.turn]:
            self.turn_numbers.pop(self.turns.pop(number).id, None)
        self.findings = {k: v for k, v in self.findings.items() if v.seq >= before}
        self.losses = {k: v for k, v in self.losses.items() if v.seq >= before}
        self.undone = [entry for entry in self.undone if entry[1] >= before]
        self.unplaced = [entry for entry in self.unplaced if entry.seq >= before]
        skip = before - self.first_moment
        if skip > 0:
            self.first_moment = before
            del self.moment_turn[:skip]
            del self.moment_kind[:skip]
            del self.moment_at[:skip]
        self.indexes.rebuild(self)


FOLDS: dict[type[Any], Callable[[DialogueMap, Any], None]] = {
    d.Applied: DialogueMap._applied,
    d.SessionChanged: DialogueMap._session_changed,
    d.TurnOpened: DialogueMap._turn_opened,
    d.NodeCreated: DialogueMap._node_created,
    d.NodeUpdated: DialogueMap._node_updated,
    d.NodeExpired: DialogueMap._node_expired,
    d.EdgeCreated: DialogueMap._edge_created,
    d.FindingRaised: DialogueMap._finding_raised,
    d.LossNoted: DialogueMap._loss_noted,
    d.SeqsUndone: DialogueMap._seqs_undone,
    d.TurnsRetired: DialogueMap._turns_retired,
    d.EventUnplaced: DialogueMap._event_unplaced,
}
"""How each delta is folded: ``DialogueMap.apply`` by another name, for the mapper, which folds several an event."""


def gap_id(lost: Lost) -> str:
    """The id of the finding that names this loss."""
    return f"gap:{lost.source}:{lost.first}"
