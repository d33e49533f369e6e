"""Not built yet: see `opened`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lingbot_map.ask.engine import Base


def opened(paths: Sequence[Path], kind: str) -> Base:
    """The base over ``paths``."""
    raise NotImplementedError(str(paths))
