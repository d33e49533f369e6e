"""What a bot can say about itself: one frozen value for each kind of statement.

A signal is said at the level of meaning ("an intent was recognised", "a slot was set"), never at the level of
calls and timings. Its ``kind`` is a chosen string that is written to disk and must never change; the class name may.

Every value in a signal is JSON: ``None``, ``bool``, ``int``, ``float``, ``str``, lists and string-keyed mappings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

JSON: TypeAlias = Any
"""``None``, ``bool``, ``int``, ``float``, ``str``, or a list or string-keyed mapping of these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStarted:
    """A dialogue begins. ``title`` is what a list of sessions shows; ``meta`` is free (channel, language ...)."""

    kind: ClassVar[str] = "session_started"
    title: str = ""
    meta: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    """The user's move opens a turn. ``turn`` is the source's opaque id; ``utterance`` is "" where the bot opens it."""

    kind: ClassVar[str] = "turn_started"
    turn: str
    utterance: str = ""


WIRING = "graph"
"""``IntentRouted.predicted_by`` where a graph's wiring led to a node: it leads through the same nodes in every turn, so
coming back to one is a round only within the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentRouted:
    """The router chose ``intent``.

    ``confidence`` lies in 0..1 and is ``None`` where the source gives none. ``candidates`` are the intents it was
    chosen from as (intent, confidence), best first, the confidence ``None`` where there is none. ``condition`` is the
    slot condition that let the jump through, as the bot words it. ``parent`` names the intent that this one is a
    sub-intent of. ``required`` are the slots the intent needs, ``missing`` those of them that were empty. ``label`` is
    the name to show. ``predicted_by`` names the part of the bot that predicted it (Rasa: the policy), which let nothing
    through by itself.
    """

    kind: ClassVar[str] = "intent_routed"
    intent: str
    confidence: float | None = None
    candidates: tuple[tuple[str, float | None], ...] = ()
    condition: str = ""
    parent: str = ""
    required: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    label: str = ""
    predicted_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotAssigned:
    """A slot got a value (``None`` is a value: "asked for and not there").

    ``scope`` is how far the bot means the value to carry: "turn", "task", "session", "user", or "" where it does
    not say. ``task`` is the intent for which it was written; "" means the intent then current.
    """

    kind: ClassVar[str] = "slot_assigned"
    slot: str
    value: JSON
    scope: str = ""
    task: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotRead:
    """A slot's value was used by ``reader`` (a function or policy; may be "") for ``task`` ("": the current intent)."""

    kind: ClassVar[str] = "slot_read"
    slot: str
    reader: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotCleared:
    """A slot was emptied on purpose."""

    kind: ClassVar[str] = "slot_cleared"
    slot: str
    task: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doc:
    """One document in one stage of a retrieval.

    ``score`` is in the stage's own unit, which ``score_kind`` names ("cosine", "bm25", "rrf", "cross-encoder" ...).
    ``rank`` counts from 1; 0 means the source ranks by position only, and then the position counts. ``updated_at``
    is in Unix seconds. ``dropped_because`` is the reason why the document goes no further ("" = it does).
    ``hits`` is how often it reached a prompt in the last seven days; the map's intake fills it in where it is
    ``None``. ``near`` are documents known to be similar, as (id, similarity in 0..1).
    """

    id: str
    title: str = ""
    score: float | None = None
    score_kind: str = ""
    rank: int = 0
    version: str = ""
    updated_at: float | None = None
    snippet: str = ""
    dropped_because: str = ""
    hits: int | None = None
    near: tuple[tuple[str, float], ...] = ()


STAGES = ("vector", "keyword", "fused", "reranked", "prompt")
"""The stages of a retrieval in the order in which a document passes them; a source may have any of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """One stage of a retrieval returned ``docs``, best first. ``params`` are its settings (top-k, filter, model)."""

    kind: ClassVar[str] = "retrieved"
    query: str
    stage: str
    docs: tuple[Doc, ...] = ()
    params: Mapping[str, JSON] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The bot said ``text``. ``docs`` are the ids of the documents that the answer was made from."""

    kind: ClassVar[str] = "answered"
    text: str
    docs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Something inside the bot went wrong at ``where``; ``error`` is its one-line description."""

    kind: ClassVar[str] = "failed"
    where: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """Part of the dialogue no longer holds (a rewind, an undo, a fork, a deletion). It is struck through, not removed.

    Give one of two: ``to``, this source's own number of the last signal of the session that still holds (0: none
    does), or ``turn``, the opaque id of the first turn that no longer holds. ``why`` is the source's word for it.
    """

    kind: ClassVar[str] = "undone"
    to: int = 0
    turn: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded:
    """The dialogue is over."""

    kind: ClassVar[str] = "session_ended"
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """A statement without a meaning here yet: kept as it came, shown as such. ``name`` is the source's word for it."""

    kind: ClassVar[str] = "raw"
    name: str
    data: JSON = None


Signal: TypeAlias = (
    SessionStarted
    | TurnStarted
    | IntentRouted
    | SlotAssigned
    | SlotRead
    | SlotCleared
    | Retrieved
    | Answered
    | Failed
    | Undone
    | SessionEnded
    | Raw
)
"""Everything that a bot can say."""

SIGNALS: tuple[type[Signal], ...] = (
    SessionStarted,
    TurnStarted,
    IntentRouted,
    SlotAssigned,
    SlotRead,
    SlotCleared,
    Retrieved,
    Answered,
    Failed,
    Undone,
    SessionEnded,
    Raw,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """A signal with the place that its source gives it.

    ``n`` is 1, 2, 3 ... for each (source, session), as the signals are made: how repeats are recognised and losses
    proven. ``turn`` is the source's opaque id of the turn it belongs to ("" = no turn said; the current one then).
    ``said_at`` is the source's own clock in Unix seconds (``None`` where it has none); it is for display only.
    ``masked`` is how many of its values were masked before it left the bot's process.
    """

    session: str
    n: int
    signal: Signal
    turn: str = ""
    said_at: float | None = None
    masked: int = 0
