"""How far the sources of deleted sessions had come, so that what was deleted is not asked back, nor told as lost.

A bot doesn't know that its session was deleted: it goes on, and after a restart of the map it says its recent past once
more. Of a deleted session there remain its key, which is a hash, and a number for each source; no word of it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from lingbot_map.intake import read_marks
from lingbot_map.store.disk import read_file, replace_file
from lingbot_map.store.lines import VERSION, read_object, seal, unseal

MOST = 10_000
"""So many deleted sessions are remembered; of an older one that goes on, what was before is told as lost."""
_LIMIT = 16 << 20


class Deleted:
    """The deleted sessions by key, oldest first; kept in the file ``path``, or in memory alone without one."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._marks: dict[str, dict[str, int]] = _read(path) if path is not None else {}

    def __contains__(self, key: str) -> bool:
        return key in self._marks

    def marks(self, key: str) -> dict[str, int]:
        """The highest number that each source had said in the session ``key``; {} if it wasn't deleted."""
        return dict(self._marks.get(key, {}))

    def note(self, key: str, marks: Mapping[str, int]) -> None:
        """The session ``key`` is being deleted, with its sources as far as ``marks``."""
        known = self._marks.pop(key, {})
        self._marks[key] = {**known, **{source: max(n, known.get(source, 0)) for source, n in marks.items()}}
        while len(self._marks) > MOST:
            del self._marks[next(iter(self._marks))]
        self._write()

    def drop(self, key: str) -> None:
        """The session ``key`` has begun again, and says itself where."""
        if self._marks.pop(key, None) is not None:
            self._write()

    def _write(self) -> None:
        if self._path is None:
            return
        facts = {"lingbot": "deleted", "version": VERSION, "sessions": self._marks}
        with contextlib.suppress(OSError):  # costs a gap on the map after a restart, and must not keep from deleting
            replace_file(self._path, seal(orjson.dumps(facts)))


def _read(path: Path) -> dict[str, dict[str, int]]:
    covered = unseal((read_file(path, _LIMIT) or b"").rstrip(b"\n"))
    said: Any = read_object(covered).get("sessions") if covered is not None else None
    return {key: read_marks(marks) for key, marks in said.items()} if type(said) is dict else {}
