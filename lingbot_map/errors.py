"""What can go wrong, as values with parts; the sentence is made from them.

LingbotMapError
├── BadInput            something from outside can't be read: where, expected, found, remedy
│   ├── UnknownFormat   no importer knows the file: which were tried and why each said no
│   │   └── Unmapped    it is a table, and nobody said which column holds what: its columns, an example
│   └── TooLarge        a limit was passed: what, how much, the limit
├── StoreError
│   ├── DataFolderBusy  another process writes the data folder: its process id, where it serves it
│   ├── NewerFormat     written by a newer version; left untouched
│   ├── Unreadable      not what it should be, or nobody may read it; left untouched
│   ├── NotWritten      the disk refused; what was accepted in memory goes on
│   └── NotRemoved      something that was deleted is still on the disk
├── UnknownSession      no session of that name or key
└── UnknownMoment       a seq that the session does not have
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence


class LingbotMapError(Exception):
    """Root of all errors of the project; the command line shows it as one line."""


class BadInput(LingbotMapError):
    """``where`` (file, line, field), what was ``expected``, what was ``found``, and the ``remedy`` ("" if plain)."""

    def __init__(self, where: str, expected: str, found: str, remedy: str = "") -> None:
        super().__init__(where, expected, found, remedy)
        self.where = where
        self.expected = expected
        self.found = found
        self.remedy = remedy

    def __str__(self) -> str:
        tail = f"; {self.remedy}" if self.remedy else ""
        return f"{self.where}: expected {self.expected}, found {self.found}{tail}"


class UnknownFormat(BadInput):
    """No importer took the file. ``refusals`` pairs each format tried with its reason."""

    def __init__(self, where: str, refusals: list[tuple[str, str]]) -> None:
        super().__init__(where, "a recording in a known format", "none that fits")
        self.refusals = refusals

    def __str__(self) -> str:
        tried = "; ".join(f"{name}: {why}" for name, why in self.refusals)
        return f"{self.where}: no known format fits ({tried})"


class Unmapped(UnknownFormat):
    """The file is a table: ``columns`` are the first of its columns, ``example`` is a mapping that may fit."""

    def __init__(self, where: str, refusals: list[tuple[str, str]], columns: str, example: str) -> None:
        super().__init__(where, refusals)
        self.columns = columns
        self.example = example

    def __str__(self) -> str:
        return (
            f"{self.where}: a table with the columns {self.columns}; say which holds what, for example: "
            f"lingbot-map open {shlex.quote(self.where)} --map {shlex.quote(self.example)}"
        )


class TooLarge(BadInput):
    """A limit was passed: ``what`` had ``size``, at most ``limit`` is taken."""

    def __init__(self, where: str, what: str, size: int, limit: int, remedy: str = "") -> None:
        super().__init__(where, f"{what} of at most {limit:,}", f"{size:,}", remedy)
        self.size = size
        self.limit = limit


class StoreError(LingbotMapError):
    """The data folder can't be used as asked."""


class DataFolderBusy(StoreError):
    """``folder`` is being written by the process ``pid`` (0 if it could not be read), which serves it as a map at
    ``url`` ("" if that is not known)."""

    def __init__(self, folder: str, pid: int, url: str = "") -> None:
        super().__init__(folder, pid, url)
        self.folder = folder
        self.pid = pid
        self.url = url

    def __str__(self) -> str:
        holder = f"process {self.pid}" if self.pid else "another process"
        if self.url:
            return (
                f"{self.folder}: a map already serves this data folder at {self.url} ({holder}); open the address that "
                "it printed, stop it, or choose another folder with --data"
            )
        return f"{self.folder}: {holder} is writing this data folder; stop it or choose another with --data"


class NewerFormat(StoreError):
    """``path`` has format ``version``, this program reads up to ``known``. Nothing was changed."""

    def __init__(self, path: str, version: int, known: int) -> None:
        super().__init__(path, version, known)
        self.path = path
        self.version = version
        self.known = known

    def __str__(self) -> str:
        return (
            f"{self.path}: format version {self.version}, but this program reads up to {self.known}; "
            "it was left untouched, upgrade lingbot-map to open it"
        )


class Unreadable(StoreError):
    """``path`` can't be read, for ``reason``. ``session`` is the id of the session it belongs to ("" if not known)."""

    def __init__(self, path: str, reason: str, session: str = "") -> None:
        super().__init__(path, reason, session)
        self.path = path
        self.reason = reason
        self.session = session

    def __str__(self) -> str:
        return f"{self.path}: can't be read ({self.reason}); it was left untouched"


class NotWritten(StoreError):
    """Writing ``path`` failed with ``reason``."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: could not be written ({self.reason})"


class NotRemoved(StoreError):
    """``path`` belongs to what was deleted, and removing it failed with ``reason``."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: deleted, but could not be removed ({self.reason}); the next start tries again"


class UnknownSession(LingbotMapError):
    """``name`` is neither the id nor the key of a session in ``where``; ``near`` are ids that look like it."""

    def __init__(self, name: str, where: str = "", near: Sequence[str] = ()) -> None:
        super().__init__(name, where, near)
        self.name = name
        self.where = where
        self.near = near

    def __str__(self) -> str:
        place = f" in {self.where}" if self.where else ""
        near = f"; near it: {', '.join(map(repr, self.near))}" if self.near else ""
        return f"no session {self.name!r}{place}{near}; `lingbot-map sessions` lists them"


class UnknownMoment(LingbotMapError):
    """Seq ``seq`` was asked for in a session that holds 1 to ``last``."""

    def __init__(self, seq: int, last: int) -> None:
        super().__init__(seq, last)
        self.seq = seq
        self.last = last

    def __str__(self) -> str:
        return f"seq {self.seq}: expected a seq from 0 to {self.last}"
