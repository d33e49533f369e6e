"""What the checks look up in constant time, folded from the same deltas as the map and rebuilt from it after a load."""

from __future__ import annotations

import heapq
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from lingbot_map.model import Edge, Finding, Node
from lingbot_probes.signals import WIRING

if TYPE_CHECKING:
    from lingbot_map.graph import DialogueMap

LEARNED = frozenset({"set", "changed"})  # what an assignment must do to count as progress


class Visit(NamedTuple):
    """The dialogue came to ``intent`` at event ``seq`` of ``turn``; ``missing`` are the required slots then empty."""

    intent: str
    seq: int
    turn: int
    missing: tuple[str, ...]
    condition: str


class Rounds(NamedTuple):
    """The flow went round ``path`` (the intents from the first to the last before it closed) ``times`` times in a row.

    It learned nothing on the way. ``seq`` and ``turn`` are those of the visit at which the first round began.
    """

    path: tuple[str, ...]
    times: int
    seq: int
    turn: int


class Walk:
    """The flow of a session: the intents in the order in which they were routed to.

    A session's flow is a walk, so "was this intent visited before" is one look-up and the loop a slice of the walk.
    ``learned`` is the newest turn in which a slot got a value that it did not have; ``told`` whether the source says
    anything of slots at all. ``rounds`` has, for each intent, the loop that its newest visit closed, if nothing was
    learned on the way.
    """

    __slots__ = ("last", "learned", "rounds", "told", "visits")

    def __init__(self) -> None:
        self.visits: list[Visit] = []
        self.last: dict[str, int] = {}
        self.rounds: dict[str, Rounds] = {}
        self.learned = -1
        self.told = False

    @property
    def current(self) -> Visit | None:
        """The newest visit."""
        return self.visits[-1] if self.visits else None

    def previous(self, intent: str) -> Visit | None:
        """The newest visit of ``intent``."""
        place = self.last.get(intent)
        return None if place is None else self.visits[place]

    def see(self, edge: Edge) -> None:
        """Fold one flow or state edge in."""
        if edge.kind == "jump":
            if edge.id.startswith("jump:"):
                self._visit(edge)
        elif edge.kind == "assign":
            self.told = True
            if edge.props["change"] in LEARNED and edge.turn > self.learned:
                self.learned = edge.turn
                self.rounds.clear()

    def _visit(self, edge: Edge) -> None:
        intent = edge.target[7:]  # without "intent:"
        place = self.last.get(intent)
        if place is not None:
            first = self.visits[place]
            passed = edge.props.get("predicted_by") == WIRING and first.turn != edge.turn
            if self.learned <= first.turn and not passed:
                path = tuple(visit.intent for visit in self.visits[place:])
                before = self.rounds.get(intent)
                if before is not None and before.path == path:
                    self.rounds[intent] = before._replace(times=before.times + 1)
                else:
                    self.rounds[intent] = Rounds(path, 1, first.seq, first.turn)
            elif self.rounds:
                self.rounds.pop(intent, None)
        self.last[intent] = len(self.visits)
        props = edge.props
        missing = props.get("missing")
        self.visits.append(
            Visit(intent, edge.seq, edge.turn, tuple(missing) if missing else (), props.get("condition", ""))
        )


class Ranking(NamedTuple):
    """One stage of a retrieval: its documents best first, with their scores (``None`` where it has none)."""

    stage: str
    seq: int
    docs: list[str]
    scores: list[float | None]


class Retrieval:
    """The stages that one question went through, in the order in which they came.

    ``verdict`` is what a check found in them, kept until another stage comes: (what it was asked, its answer).
    """

    __slots__ = ("query", "stages", "turn", "verdict")

    def __init__(self, turn: int, query: str) -> None:
        self.turn = turn
        self.query = query
        self.stages: list[Ranking] = []
        self.verdict: tuple[object, object] | None = None

    def stage(self, name: str) -> Ranking | None:
        """The newest ranking of that stage."""
        for ranking in reversed(self.stages):
            if ranking.stage == name:
                return ranking
        return None


_REMEMBERED = 32  # retrievals kept for looking back; the policy's drift_recent is far below


class Retrievals:
    """The newest retrievals, and how often each document came first after re-ranking."""

    __slots__ = ("_open", "firsts", "recent")

    def __init__(self) -> None:
        self._open: Ranking | None = None
        self.recent: deque[Retrieval] = deque(maxlen=_REMEMBERED)
        self.firsts: dict[str, list[int]] = {}

    @property
    def current(self) -> Retrieval | None:
        """The newest retrieval."""
        return self.recent[-1] if self.recent else None

    def see(self, edge: Edge) -> None:
        """Fold one recall edge in; the edges of a stage come together, in order of rank."""
        props = edge.props
        ranking = self._open
        if ranking is None or ranking.seq != edge.seq:
            ranking = self._begin(edge, props["stage"], props["query"])
        ranking.docs.append(edge.target)
        ranking.scores.append(props["score"])

    def refill(self, edges: list[Edge]) -> None:
        """Begin anew from all recall edges, in order: as `see` for each would, without making what is forgotten."""
        start = len(edges)
        runs = 0
        while start and runs <= _REMEMBERED:  # a new turn begins a new retrieval, so that many are enough
            start -= 1
            if not start or edges[start - 1].turn != edges[start].turn:
                runs += 1
        seq = 0
        for edge in edges[:start]:
            if edge.seq != seq:
                seq = edge.seq
                if edge.props["stage"] == "reranked":
                    self.firsts.setdefault(edge.target, []).append(seq)
        for edge in edges[start:]:
            self.see(edge)

    def _begin(self, edge: Edge, stage: str, query: str) -> Ranking:
        current = self.recent[-1] if self.recent else None
        if current is None or current.turn != edge.turn or current.query != query or current.stage(stage):
            current = Retrieval(edge.turn, query)
            self.recent.append(current)
        ranking = self._open = Ranking(stage, edge.seq, [], [])
        current.stages.append(ranking)
        current.verdict = None
        if stage == "reranked":
            self.firsts.setdefault(edge.target, []).append(edge.seq)
        return ranking


class Deadlines:
    """When nodes expire, soonest first.

    A node has one entry, which may lie before its deadline: touching a node moves its deadline on, and its entry
    follows when it comes up. So a touch costs a look-up, and the heap is no larger than the nodes are many.
    """

    __slots__ = ("_entry", "heap")

    def __init__(self) -> None:
        self.heap: list[tuple[float, str]] = []  # no node expires before the first entry
        self._entry: dict[str, float] = {}

    def add(self, at: float, node_id: str) -> None:
        """Node ``node_id`` now expires ``at``."""
        entry = self._entry.get(node_id)
        if entry is None or at < entry:
            self._entry[node_id] = at
            heapq.heappush(self.heap, (at, node_id))

    def next(self, nodes: dict[str, Node]) -> float | None:
        """The soonest deadline; ``None`` if no node has one."""
        heap, entries = self.heap, self._entry
        while heap:
            at, node_id = heap[0]
            if entries.get(node_id) != at:  # an earlier one was put in its place
                heapq.heappop(heap)
                continue
            node = nodes.get(node_id)
            if node is None or node.expired or node.expires_at is None:
                heapq.heappop(heap)
                del entries[node_id]
            elif node.expires_at > at:
                entries[node_id] = node.expires_at
                heapq.heapreplace(heap, (node.expires_at, node_id))
            else:
                return at
        return None

    def due(self, at: float, nodes: dict[str, Node]) -> list[tuple[float, str]]:
        """Take out what is due up to and with ``at``, in the order (deadline, id)."""
        out: list[tuple[float, str]] = []
        while (soonest := self.next(nodes)) is not None and soonest <= at:
            entry = heapq.heappop(self.heap)
            del self._entry[entry[1]]
            out.append(entry)
        return out


class Indexes:
    """All of them; the map folds each edge in as it appears."""

    __slots__ = ("answers", "deadlines", "documents", "newest", "retrievals", "walk")

    def __init__(self) -> None:
        self.walk = Walk()
        self.retrievals = Retrievals()
        self.deadlines = Deadlines()
        self.answers: dict[int, int] = {}
        # The newest finding of a kind on a node, for those that grow while the same thing goes on.
        self.newest: dict[tuple[str, str], str] = {}
        # What a source last said of each document: most stages of a retrieval say the same again. Not rebuilt after
        # a load, since comparing with the node then comes to the same.
        self.documents: dict[str, tuple[object, ...]] = {}

    def answered(self, node: Node) -> None:
        """Fold one answer in: ``answers`` has the number of each turn's newest, as in ``answer:{turn}.{number}``."""
        self.answers[node.turn] = int(node.id.partition(".")[2] or 1)

    def found(self, finding: Finding) -> None:
        """Fold one finding in."""
        if finding.nodes:
            self.newest[finding.kind, finding.nodes[0]] = finding.id

    def rebuild(self, map: DialogueMap) -> None:
        """Make everything anew from the map: after a load, and when turns retired or were undone.

        A map that was loaded and one that grew thus look things up alike.
        """
        self.walk = Walk()
        self.retrievals = Retrievals()
        self.deadlines = Deadlines()
        self.answers = {}
        self.newest = {}
        for finding in map.findings.values():
            self.found(finding)
        undone = bool(map.undone)
        recalls = []
        for edge in map.edges.values():
            kind = edge.kind
            if (kind == "recall" or kind == "jump" or kind == "assign") and not (undone and map.is_undone(edge.seq)):
                if kind == "recall":
                    recalls.append(edge)
                else:
                    self.walk.see(edge)
        self.retrievals.refill(recalls)
        for node in map.nodes.values():
            if node.expires_at is not None and not node.expired:
                self.deadlines.add(node.expires_at, node.id)
            elif node.kind == "answer":
                self.answered(node)
