"""A recorded session: who wrote a slot, why a turn was answered so, what was recalled, where the flow went round."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lingbot_map.ask.bases.sequence import opened as designs
from lingbot_map.ask.bases.session.answering import SessionBase
from lingbot_map.ask.bases.session.opening import map_of_path
from lingbot_map.errors import BadInput
from lingbot_map.graph import DialogueMap

__all__ = ["SessionBase", "map_of_path", "opened", "over"]

_DIAGRAMS = (".puml", ".plantuml", ".pu", ".iuml", ".wsd", ".mmd", ".mermaid", ".xmi", ".uml")


def opened(paths: Sequence[Path]) -> SessionBase:
    """The base over one session, and perhaps the diagrams that designed it. Raises ``BadInput``."""
    sessions = [path for path in paths if path.suffix.lower() not in _DIAGRAMS]
    if len(sessions) != 1:
        raise BadInput("session", "one session", f"{len(sessions)}")
    return over(map_of_path(sessions[0]), [path for path in paths if path.suffix.lower() in _DIAGRAMS])


def over(map: DialogueMap, diagrams: Sequence[Path] = ()) -> SessionBase:
    """The base over a map, and perhaps the diagrams that designed it."""
    return SessionBase(map, designed=designs(diagrams) if diagrams else None)
