"""What tells that files which can be asked have changed, at a bounded cost, and folders of documents that follow suit.

Nothing watches in the background: the files are listed when a question comes, in the thread that works on it.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lingbot_map.ask.bases.documents.library import Library
    from lingbot_map.ask.bases.documents.stored import Stored
    from lingbot_map.ask.bases.documents.vectors import Encoder

EVERY = 2.0
"""Seconds between two looks at many files."""
MANY = 500
"""Files from which on they are not looked at with each question: so many are listed in 2 ms, 20,000 in 0.1 s."""
_SHORT = 0.05  # seconds of a look that is taken with each question
_SHARE = 20  # a look at more is taken for a twentieth of the time at most
Status = tuple[str, int, int]
"""Name, time and size of a file."""


class Watched:
    """Files whose ``stamp`` changes once one of them is changed, added or removed. For several threads."""

    def __init__(self, listed: Callable[[], Iterable[Status]], clock: Callable[[], float]) -> None:
        """``listed`` gives what is there now, ``clock`` seconds."""
        self._listed, self._clock = listed, clock
        self._looking = threading.Lock()
        self._stamp = ""
        self._due = 0.0

    def stamp(self) -> str:
        """What stands for the files, as of now or, where many are there, of the last look. Raises as ``listed``."""
        with self._looking:
            began = self._clock()
            if not self._stamp or began >= self._due:
                found = sorted(self._listed())
                self._stamp = hashlib.sha256(repr(found).encode("utf-8", "surrogateescape")).hexdigest()
                ended = self._clock()
                took = ended - began
                self._due = ended + max(EVERY, _SHARE * took) if len(found) > MANY or took > _SHORT else 0.0
            return self._stamp


class ServedFolder:
    """Documents that are served, read once for all ways of asking them."""

    def __init__(self, path: Path, encoder: Encoder | None, clock: Callable[[], float]) -> None:
        self._path, self._encoder = path, encoder
        self._watched = Watched(self._listed, clock)
        self._reading = threading.Lock()
        self._read: tuple[str, Library | Stored] | None = None

    def current(self) -> tuple[str, Library | Stored]:
        """The documents as they are now, with the stamp that they were read at: of a folder with an index only what
        changed is read. A question that is being answered keeps what it began with. Raises ``BadInput`` and ``OSError``
        for what can't be read."""
        from lingbot_map.ask.bases.documents import held
        from lingbot_map.ask.bases.documents.stored import Stored

        with self._reading:
            stamp = self._watched.stamp()
            if self._read is None:
                self._read = stamp, held([self._path], encoder=self._encoder)
            elif self._read[0] != stamp:
                known = self._read[1]
                if isinstance(known, Stored):
                    known.refresh()
                else:
                    known = held([self._path], encoder=self._encoder)
                self._read = stamp, known
            return self._read

    def _listed(self) -> Iterator[Status]:
        from lingbot_map.ask.bases.documents.files import listed

        return ((each.id, each.changed, each.size) for each in listed(self._path))


def files_below(path: Path) -> Iterator[Status]:
    """The file, or the files below a folder, nothing hidden; what goes meanwhile is left out."""
    for each in _below(path) if path.is_dir() else [path]:
        try:
            status = each.stat()
        except OSError:
            continue
        yield str(each), status.st_mtime_ns, status.st_size


def _below(path: Path) -> Iterator[Path]:
    for at, below, names in os.walk(path):
        below[:] = (each for each in below if not each.startswith("."))
        yield from (Path(at, each) for each in names if not each.startswith("."))
