"""What can be asked: each module is one kind of base; none knows of another, but sessions are held against diagrams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lingbot_map.ask.askable import Base
from lingbot_map.errors import BadInput

if TYPE_CHECKING:
    from lingbot_map.ask.bases.documents.vectors import Encoder

KINDS = ("session", "diagram", "graph", "recall", "sentences")
"""``recall`` and ``sentences`` are both folders of documents: the first answers by what fits, the second by chains."""


def opened(
    kind: str,
    paths: Sequence[Path],
    *,
    encoder: Encoder | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Base:
    """The base of ``kind`` over files or folders; ``encoder`` makes vectors of documents (``documents.encoders``),
    ``progress`` hears of documents that are indexed: how many, of how many.

    Raises ``BadInput`` for what can't be read, with the place."""
    if encoder is not None and kind not in ("recall", "sentences"):
        raise BadInput("encoder", "documents, whose sentences it encodes", kind)
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

    return documents.opened(paths, kind, encoder=encoder, progress=progress)
