"""Dialogues of plain talk: signals of a session without a story."""

from __future__ import annotations

from lingbot_probes.signals import Answered, Numbered, Signal, TurnStarted


def dialogue(*signals: tuple[str, Signal], session: str = "s", first: int = 1) -> list[Numbered]:
    """Signals of ``session``, each with the id of its turn."""
    return [
        Numbered(session=session, n=n, turn=turn, said_at=1_790_000_000.0 + n, signal=signal)
        for n, (turn, signal) in enumerate(signals, first)
    ]


def exchange(turn: int, user: str, *bot: str) -> list[tuple[str, Signal]]:
    """What a turn of plain talk says."""
    name = f"t{turn}"
    return [(name, TurnStarted(turn=name, utterance=user)), *((name, Answered(text=text)) for text in bot)]
