"""Every change of a map is one of these; folding them into an empty map gives the mapper's map.

On the wire a delta is an object whose ``d`` says which it is. Each event's deltas begin with ``Applied``, which
carries the event's place; all deltas up to the next ``Applied`` belong to it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from lingbot_map.model import Edge, Finding, Lost, Node, Turn, Unplaced


class Applied(msgspec.Struct, frozen=True, gc=False, tag_field="d", tag="applied", omit_defaults=True):
    """Event ``seq`` of ``kind`` was applied at ``at`` in ``turn``.

    It is number ``n`` of ``source`` (0 and "" for the map's own statements), which is marked as seen.
    """

    seq: int
    at: float
    turn: int
    kind: str
    source: str = ""
    n: int = 0


class SessionChanged(msgspec.Struct, frozen=True, gc=False, tag_field="d", tag="session"):
    """``props`` of the session as a whole are merged over those it has.

    Keys: ``title``, ``meta``, ``started_at``, ``ended_at`` (None while live), ``ended_because``, ``epoch``, ``policy``,
    ``masked`` (how many values were masked before they came) and those of ``Described``.
    """

    props: dict[str, Any]


class TurnOpened(msgspec.Struct, frozen=True, gc=False, tag_field="d", tag="turn"):
    """A lane appears."""

    turn: Turn


class NodeCreated(msgspec.Struct, frozen=True, gc=False, tag_field="d", tag="node"):
    """A node appears; its props are also the first entry of its history."""

    node: Node


class NodeUpdated(msgspec.Struct, frozen=True, gc=False, tag_field="d", tag="update"):
    """Node ``id`` changes at event ``seq``: ``props`` (only what changed) are merged and added to its history if any.

    ``expires_at`` is its new deadline; an expired node lives again. ``label`` is "" where it stays.
    """

    id: str
    seq: int
    at: float
    props: dict[str, Any]
    expires_at: float | None
    label: str = ""


class NodeExpired(msgspec.Struct, frozen=True, gc=False, tag_field="d", tag="expire"):
    """Node ``id`` fades at event ``seq``; ``at`` is its deadline, or the moment its session ended."""

    id: str
    seq: int
    at: float


class EdgeCreated(msgspec.Struct, frozen=True, gc=False, tag_field="d", tag="edge"):
    """Something happened between two nodes that are there."""

    edge: Edge


class FindingRaised(msgspec.Struct, frozen=True, gc=False, tag_field="d", tag="finding"):
    """A finding appears, or the one of the same id is replaced (a loop's next round)."""

    finding: Finding


class LossNoted(msgspec.Struct, frozen=True, gc=False, tag_field="d", tag="lost"):
    """The loss of the same (source, first) appears or changes; with ``missing`` 0 it is gone."""

    lost: Lost


class SeqsUndone(msgspec.Struct, frozen=True, gc=False, tag_field="d", tag="undone"):
    """What events ``first`` to ``last`` brought no longer holds: it is struck through."""

    first: int
    last: int
    why: str


class TurnsRetired(msgspec.Struct, frozen=True, gc=False, tag_field="d", tag="retire"):
    """Turns up to ``turn``, all that happened before event ``before``, leave the map; the log keeps them.

    What goes: edges, findings, losses, undone ranges, unplaced events and moments before ``before``; turns up to
    ``turn``; utterances and answers from before it that no edge holds. The entries of each
    history from before it are folded into one, which keeps the newest one's seq.
    """

    turn: int
    before: int


class EventUnplaced(msgspec.Struct, frozen=True, gc=False, tag_field="d", tag="unplaced"):
    """An event has no place on the map; the log has it."""

    unplaced: Unplaced


Delta: TypeAlias = (
    Applied
    | SessionChanged
    | TurnOpened
    | NodeCreated
    | NodeUpdated
    | NodeExpired
    | EdgeCreated
    | FindingRaised
    | LossNoted
    | SeqsUndone
    | TurnsRetired
    | EventUnplaced
)
