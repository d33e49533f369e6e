"""What can be asked: each module is one kind of base; none knows of another, but sessions are held against diagrams."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lingbot_map.ask.engine import Base

KINDS = ("session", "diagram", "graph", "recall", "sentences")
"""``recall`` and ``sentences`` are both folders of documents: the first answers by what fits, the second by chains."""


def opened(kind: str, paths: Sequence[Path]) -> Base:
    """The base of ``kind`` over files or folders. Raises ``BadInput`` for what can't be read, with the place."""
    if kind == "session":
        from lingbot_map.ask.bases import session

        return session.opened(paths)
    if kind == "diagram":
        from lingbot_map.ask.bases import sequence

        return sequence.opened(paths)
    if kind == "graph":
        from lingbot_map.ask.bases import triples

        return triples.opened(paths)
    from lingbot_map.ask.bases import documents

    return documents.opened(paths, kind)
