"""LM102: the bot itself reported an error."""

from __future__ import annotations

from lingbot_map.checks import finding, shown
from lingbot_map.events import Event
from lingbot_map.model import Finding
from lingbot_probes.signals import Failed


def check(event: Event, signal: Failed, said: str) -> Finding:
    """The finding for a failure in the turn whose utterance node is ``said``."""
    error = shown(signal.error, 160)
    return finding(
        "failure",
        f"failure:{event.seq}",
        event,
        since=event.turn,
        nodes=[said],
        edges=[],
        seqs=[event.seq],
        facts={"where": signal.where, "error": signal.error},
        en=f"{signal.where} failed: {error}",
        zh=f"{signal.where} 出错：{error}",
    )
