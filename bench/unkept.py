"""A base whose answers are not kept: what is measured is the work of a question, not of the same one again."""

from __future__ import annotations

from typing import Any


class Unkept:
    """``base``, which says no version of itself, so that each question is answered anew."""

    version = None

    def __init__(self, base: Any) -> None:
        self._base = base

    def __getattr__(self, name: str) -> Any:
        return getattr(self._base, name)
