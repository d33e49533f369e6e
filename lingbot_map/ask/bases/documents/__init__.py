"""Folders of documents: what they say, from one of them (``recall``) or from several in a chain (``sentences``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lingbot_map.ask.bases.documents import files
from lingbot_map.ask.bases.documents.answering import Documents
from lingbot_map.ask.bases.documents.library import Library
from lingbot_map.ask.bases.documents.vectors import Encoder


def opened(paths: Sequence[Path], kind: str, *, encoder: Encoder | None = None) -> Documents:
    """The base ``kind`` ("recall" or "sentences") over ``paths``. Raises ``BadInput`` for what can't be read."""
    return Documents(Library(files.read(paths), encoder=encoder), "recall" if kind == "recall" else "sentences")
