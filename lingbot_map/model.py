"""What a map is made of. All values are frozen: a change is a delta, and the map puts a new value in place."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

Layer: TypeAlias = Literal["flow", "state", "knowledge"]
NodeKind: TypeAlias = Literal["utterance", "intent", "slot", "doc", "answer"]
EdgeKind: TypeAlias = Literal["jump", "assign", "read", "overwrite", "recall", "merge"]
FindingKind: TypeAlias = Literal["gap", "failure", "loop", "overwrite", "leak", "drift", "stale"]


class Cursor(msgspec.Struct, frozen=True, gc=False):
    """A place in a session's stream: everything up to and with ``seq`` of ``epoch`` has been applied."""

    epoch: str = ""
    seq: int = 0


class Node(msgspec.Struct, frozen=True, gc=False):
    """One merged entity. ``id`` names what it stands for (``intent:change_plan``), so the same thing is the same node.

    ``turn`` and ``seq`` are where it first appeared. Times are Unix seconds; ``expires_at`` is ``None`` where it
    does not expire by time. ``props`` holds the newest value of each property; older ones are in the map's history.
    """

    id: str
    kind: NodeKind
    layer: Layer
    label: str
    turn: int
    seq: int
    created_at: float
    updated_at: float
    expires_at: float | None
    expired: bool
    props: dict[str, Any]


class Edge(msgspec.Struct, frozen=True, gc=False):
    """One thing that happened between two nodes, in ``turn`` at event ``seq``. Edges never change."""

    id: str
    kind: EdgeKind
    layer: Layer
    source: str
    target: str
    turn: int
    seq: int
    at: float
    props: dict[str, Any]


class Turn(msgspec.Struct, frozen=True, gc=False):
    """A lane: ``number`` counts from 1 (0: before the first utterance). ``id`` is the source's opaque id of it."""

    number: int
    id: str
    seq: int
    at: float
    said_at: float | None


class Finding(msgspec.Struct, frozen=True, gc=False):
    """An anomaly with its evidence.

    ``code`` is ``LM###``. ``since`` to ``turn`` are the turns it spans; ``seq`` is the event at which it was found.
    ``nodes``, ``edges`` and ``seqs`` are the evidence, in order. ``facts`` are the values the sentence is made of.
    ``reason`` is the one sentence, as {"en": ..., "zh": ...}.
    """

    id: str
    code: str
    kind: FindingKind
    since: int
    turn: int
    seq: int
    at: float
    nodes: list[str]
    edges: list[str]
    seqs: list[int]
    facts: dict[str, Any]
    reason: dict[str, str]


class Lost(msgspec.Struct, frozen=True, gc=False):
    """``missing`` of the signals ``first`` to ``last`` of ``source`` did not arrive; noticed at ``seq`` in ``turn``."""

    source: str
    first: int
    last: int
    missing: int
    turn: int
    seq: int
    why: str


class Moment(msgspec.Struct, frozen=True, gc=False):
    """When an event was, and in which turn; ``kind`` is the number of its kind."""

    turn: int
    kind: int
    at: float


class Unplaced(msgspec.Struct, frozen=True, gc=False):
    """Event ``seq`` could not be placed on the map; it is kept in the log and shown as it is."""

    seq: int
    turn: int
    name: str
    why: str
