"""How much of the disk a session takes, and when it was last written: what decides how long it is kept."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from lingbot_map.store.disk import is_folder
from lingbot_map.store.recording import LOG


@dataclass(frozen=True, slots=True)
class Footprint:
    """``size`` in bytes, of all files; ``written_at`` of the log in Unix seconds, 0 where there is none."""

    size: int
    written_at: float


def footprint(folder: Path) -> Footprint:
    """That of the session in ``folder``, or of what is in its place; nothing for what is gone meanwhile."""
    try:
        written_at = os.lstat(folder / LOG).st_mtime
    except OSError:
        written_at = 0.0
    if not is_folder(folder):
        return Footprint(_size(folder), written_at)
    return Footprint(sum(_size(Path(at, name)) for at, _, names in os.walk(folder) for name in names), written_at)


def _size(path: Path) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0
