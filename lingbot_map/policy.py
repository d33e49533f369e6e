"""The numbers that decide what a replay concludes; recorded with each session, settable, never read from a clock."""

from __future__ import annotations

from typing import Any

import msgspec

from lingbot_map.errors import BadInput


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Times are in seconds. The defaults of the first three groups are the ones our users asked for."""

    slot_lifetime: float = 30 * 60
    """A slot that nobody read or wrote for so long fades."""
    session_silence: float = 2 * 3600
    """A session that said nothing for so long is ended."""

    overwrite_window: float = 10 * 60
    """Two different values of a slot within so long are an overwrite."""
    shared_scopes: tuple[str, ...] = ("session", "user", "conversation", "global")
    """A slot of such a scope is meant for every task: reading it elsewhere is no leak."""

    drift_margin: float = 0.05
    """An earlier stage's first beat the winner by this share of the stage's score range."""
    drift_recent: int = 5
    """So many retrievals are looked back over ..."""
    drift_repeats: int = 2
    """... and so many of them must show the inversion."""
    popular_firsts: int = 3
    """A document that came first so often ..."""
    popular_ratio: float = 5.0
    """... and was hit so many times as often in seven days as the runner-up is favoured by habit."""
    stale_age: float = 365 * 24 * 3600
    """A winner not updated for so long is stale."""
    near_similarity: float = 0.8
    """Documents at least so similar are taken for versions of one another."""

    loop_intents: int = 3
    """One round through so many intents with nothing learned is a loop."""
    loop_rounds: int = 2
    """Through fewer intents, so many rounds with nothing learned are."""

    low_confidence: float = 0.6
    """A routing below this is drawn dashed."""

    kept_turns: int = 1000
    """At least so many turns, and at most twice as many, stay on the map; older ones come back by seeking."""


def policy_values(policy: Policy) -> dict[str, Any]:
    """The policy as plain JSON values, as a session records it."""
    values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(policy))
    return values


def policy_from(values: dict[str, Any], base: Policy | None = None) -> Policy:
    """``base`` (the defaults if None) with ``values`` put over it. Raises ``BadInput`` naming the setting."""
    merged = {**msgspec.to_builtins(base or Policy()), **values}
    try:
        return msgspec.convert(merged, Policy)
    except msgspec.ValidationError as why:
        raise BadInput("policy", "a known setting with a fitting value", str(why)) from None
