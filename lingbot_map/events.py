"""An event is a signal with its place in the session; the log of a session is its events, and nothing else.

Besides what bots say there are a few statements of the map's own, all facts that a replay must see: silence passed,
signals were lost, the policy in force, a new epoch, how the session came in and what people call it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import msgspec

from lingbot_probes import codec
from lingbot_probes.signals import JSON, Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """Time passed in silence up to the event's ``at``: what was due expires."""

    kind: ClassVar[str] = "tick"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Signals ``first`` to ``last`` of ``source`` did not arrive in time; ``why``: "dropped", "late" or "damaged"."""

    kind: ClassVar[str] = "gap"
    source: str
    first: int
    last: int
    why: str = "dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochStarted:
    """From here on ``epoch`` holds, a fresh random id. ``why``: "new", or "recovered" after a lossy recovery."""

    kind: ClassVar[str] = "epoch_started"
    epoch: str
    why: str = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySet:
    """``values`` of the policy hold from here on; fields left out keep theirs."""

    kind: ClassVar[str] = "policy_set"
    values: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """Facts about the session as a whole, merged over earlier ones.

    Known keys: ``origin`` ("probe", "import:rasa" ...), ``coverage`` ({"flow" | "state" | "knowledge": "full" |
    "partial" | "none"}), ``lost`` (sentences on what an import could not carry over, or a live source does not tell),
    ``timed`` (false: the source gave no times, so those of the events say when they were taken in and nothing of the
    dialogue), ``name`` and ``pinned`` (set by people), ``skipped`` ({source: n}: what it said up to its number n was
    deleted and is not waited for), ``mask_keys`` (names of the keys of its pseudonyms; where there are two, one thing
    may have two pseudonyms), ``unmasked`` (true: it was taken in without masking, all or a part of it).
    """

    kind: ClassVar[str] = "described"
    facts: Mapping[str, JSON] = field(default_factory=dict)


OwnSignal: TypeAlias = Tick | Gap | EpochStarted | PolicySet | Described
AnySignal: TypeAlias = Signal | OwnSignal

codec.register(Tick, Gap, EpochStarted, PolicySet, Described)

KINDS: tuple[str, ...] = (
    "session_started",
    "turn_started",
    "intent_routed",
    "slot_assigned",
    "slot_read",
    "slot_cleared",
    "retrieved",
    "answered",
    "failed",
    "undone",
    "session_ended",
    "raw",
    "tick",
    "gap",
    "epoch_started",
    "policy_set",
    "described",
)
"""Every kind of signal, in a fixed order: its index is the kind's number in columns. Only ever append."""

KIND_NUMBER: dict[str, int] = {kind: i for i, kind in enumerate(KINDS)}


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One line of a session's log.

    ``seq`` is 1, 2, 3 ... in the session, without holes. ``at`` is the map's clock in Unix seconds and never runs
    backwards within a session. ``source`` and ``n`` are the probe process and its own number ("" and 0 for the map's
    own statements). ``turn`` is the turn's number in the session (0 before the first); ``turn_id`` is the source's
    opaque id of it, on the first event of the turn only. ``said_at`` is the source's clock, for display. ``late``
    marks a signal that arrived after its gap had been logged. ``masked`` is how many of its values the probe masked.
    """

    session: str
    seq: int
    at: float
    signal: AnySignal
    source: str = ""
    n: int = 0
    turn: int = 0
    turn_id: str = ""
    said_at: float | None = None
    late: bool = False
    masked: int = 0


def event_to_dict(event: Event) -> dict[str, Any]:
    """The event as its log line holds it (without the session, which the log's header names, and the checksum)."""
    out: dict[str, Any] = {"seq": event.seq, "at": event.at}
    if event.source:
        out["source"] = event.source
        out["n"] = event.n
    if event.turn:
        out["turn"] = event.turn
    if event.turn_id:
        out["turn_id"] = event.turn_id
    if event.said_at is not None:
        out["said_at"] = event.said_at
    if event.late:
        out["late"] = True
    if event.masked:
        out["masked"] = event.masked
    out["signal"] = codec.signal_to_dict(event.signal)
    return out


def event_from_dict(session: str, data: dict[str, Any]) -> Event:
    """The reverse. Raises ``codec.SignalError`` naming the field that can't be read."""
    read = codec.read_event_fields(data)
    return Event(session=session, **read)
