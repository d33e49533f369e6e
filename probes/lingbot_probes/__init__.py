"""Probes for a running chatbot: ``from lingbot_probes import Probe``.

Standard library only. Nothing here raises into the bot, blocks it or grows. The signals (``IntentRouted``,
``Answered`` ...) are loaded when they are first asked for.
"""

from lingbot_probes.probe import Probe
from lingbot_probes.wrapping import Misused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from lingbot_probes.signals import (
        SIGNALS,
        STAGES,
        Answered,
        Doc,
        Failed,
        IntentRouted,
        Raw,
        Retrieved,
        SessionEnded,
        SessionStarted,
        Signal,
        SlotAssigned,
        SlotCleared,
        SlotRead,
        TurnStarted,
        Undone,
    )

__all__ = [
    "SIGNALS",
    "STAGES",
    "Answered",
    "Doc",
    "Failed",
    "IntentRouted",
    "Misused",
    "Probe",
    "Raw",
    "Retrieved",
    "SessionEnded",
    "SessionStarted",
    "Signal",
    "SlotAssigned",
    "SlotCleared",
    "SlotRead",
    "TurnStarted",
    "Undone",
]


def __getattr__(name: str) -> "Any":
    if name in __all__:
        from lingbot_probes import signals

        return getattr(signals, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
