"""A recorded session: who wrote a slot, why a turn was answered so, what was recalled, where the flow went round."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lingbot_map.ask.bases.session.answering import SessionBase
from lingbot_map.ask.bases.session.opening import map_of_path
from lingbot_map.errors import BadInput

__all__ = ["SessionBase", "map_of_path", "opened"]

_DIAGRAMS = (".puml", ".plantuml", ".pu", ".iuml", ".mmd", ".mermaid", ".xmi", ".uml")


def opened(paths: Sequence[Path]) -> SessionBase:
    """The base over one session, and perhaps the diagram that designed it. Raises ``BadInput``."""
    sessions = [path for path in paths if path.suffix.lower() not in _DIAGRAMS]
    if len(sessions) != 1:
        raise BadInput("session", "one session", f"{len(sessions)}")
    return SessionBase(map_of_path(sessions[0]))
