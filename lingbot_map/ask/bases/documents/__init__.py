"""Folders of documents: what they say, from one of them (``recall``) or from several in a chain (``sentences``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lingbot_map.ask.bases.documents import files
from lingbot_map.ask.bases.documents.answering import Documents
from lingbot_map.ask.bases.documents.indexing import Progress
from lingbot_map.ask.bases.documents.library import Library
from lingbot_map.ask.bases.documents.stored import Stored
from lingbot_map.ask.bases.documents.vectors import Encoder

KEPT = 1024 * 1024
"""Bytes of a folder's documents from which on an index of it is kept: below, reading them takes no second."""


def opened(
    paths: Sequence[Path], kind: str, *, encoder: Encoder | None = None, progress: Progress | None = None
) -> Documents:
    """The base ``kind`` ("recall" or "sentences") over ``paths``. Raises ``BadInput`` for what can't be read.

    Of a large folder an index is kept within it (``.lingbot-ask``), and only what changed since is read; ``progress``
    hears of that.
    """
    return Documents(held(paths, encoder=encoder, progress=progress), "recall" if kind == "recall" else "sentences")


def held(
    paths: Sequence[Path], *, encoder: Encoder | None = None, progress: Progress | None = None
) -> Library | Stored:
    """The documents of ``paths``: in memory, or those of one large folder by its index."""
    if len(paths) == 1 and paths[0].is_dir() and sum(each.size for each in files.listed(paths[0])) >= KEPT:
        return Stored(paths[0], encoder=encoder, progress=progress)
    return Library(files.read(paths), encoder=encoder)
