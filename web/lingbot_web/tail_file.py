"""A file that grows, line by line: half-written lines, truncation and rotation seen to."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from lingbot_map.errors import BadInput
from lingbot_map.importers.limits import LIMITS
from lingbot_map.importers.sse import data_of
from lingbot_map.store.disk import what_is

_PIECE = 1 << 18
"""Bytes that are read at a time."""
_PATIENCE = 5
"""Looks without anything new after which a file that was replaced is left: its writer may open the new one late."""
_BOM = b"\xef\xbb\xbf"
_HEAD = 1024
"""Bytes at the beginning that tell whether a file is still the one that it was."""


@dataclass(frozen=True, slots=True)
class Line:
    """A whole line and its number in the file; ``bad`` says why it can't be read."""

    where: str
    raw: bytes
    bad: str = ""


class GrowingFile:
    """Follows ``path``, also into the file that takes its place. ``renewed`` counts how often that happened."""

    def __init__(self, path: Path) -> None:
        """Raises ``BadInput`` for what is no file. One that isn't there yet is waited for."""
        if path.exists() and not path.is_file():
            raise BadInput(str(path), "a file, sqlite:///FILE or amqp://HOST", what_is(path))
        self.path = path
        self.renewed = 0
        self.why = ""
        self._file: Any = None
        self._identity = (0, 0)
        self._number = self._offset = 0  # of what was handed out
        self._rest = bytearray()
        self._skipping = False  # the rest of a line that is too long
        self._idle = 0  # looks since something came
        self._beginning, self._changed_at = b"", 0

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def poll(self) -> list[Line]:
        """The lines that are new, a piece at a time; none if nothing is."""
        if self._file is None and not self._open():
            return []
        if self._is_cut():
            self._renew("was cut; it is read again from its beginning")
            self._file.seek(0)
            return []  # where it stands is noted first
        self._idle += 1
        while piece := self._file.read(_PIECE):  # a line may be longer than that, and lines may be blank
            self._idle = 0
            if lines := list(self._lines(piece)):
                return lines
        if not self._idle:
            return []
        lines = self._whole_rest()
        if not lines and self._idle >= _PATIENCE and self._replaced():
            if self._rest:
                lines = [Line(self._where(1), b"", "the file was replaced in the middle of the line")]
            self.close()
            self._renew("was replaced; the new file is read")
        return lines

    def left(self) -> list[Line]:
        """The last line without an end, if it is whole; else what is wrong with it, and it stays for the next run."""
        if self._skipping or not self._rest.strip():
            return []
        if not _is_whole(self._rest.removeprefix(_BOM)):
            return [Line(self._where(1), b"", "the file ends in the middle of the line")]
        return [self._take_rest()]

    def pending(self) -> bool:
        """Whether there is another file to go on with."""
        return self._replaced() if self._file is not None else self.path.exists()

    def noted(self) -> bool:
        """Nothing is lost if it isn't: it can be read again."""
        return False

    def taken(self) -> None:
        """A file keeps what was read of it."""

    def standing(self) -> list[Any]:
        """[inode, offset, number, digest of the beginning, renewed]: where ``resume`` goes on."""
        if self._file is None:
            return [0, 0, 0, "", self.renewed] if self.renewed else []
        return [self._identity[1], self._offset, self._number, self._digest(self._offset), self.renewed]

    def resume(self, standing: list[Any]) -> bool:
        """Go on where the last run stood: in that file, whatever its name in the folder is now. Whether it is there."""
        inode, offset, number, digest, self.renewed = standing
        for path in (self.path, *_siblings(self.path, inode)):
            self.close()
            if not self._open(path):
                continue
            size = os.fstat(self._file.fileno()).st_size
            if inode == self._identity[1] and offset <= size and digest == self._digest(offset):
                self._file.seek(offset)
                self._offset, self._number = offset, number
                return True
        self.close()
        return False

    def is_same(self, standing: list[Any]) -> bool:
        """Whether the file is still the one of that standing, by its own name, and has lost nothing of it."""
        inode, offset, _, digest, _ = standing
        if self._file is None and not self._open():
            return False
        size = os.fstat(self._file.fileno()).st_size
        return bool(inode == self._identity[1] and offset <= size and digest == self._digest(offset))

    def _is_cut(self) -> bool:
        """Whether the file is shorter than before, or was written anew up to where it was and further."""
        status = os.fstat(self._file.fileno())
        if status.st_size < self._file.tell():
            return True
        if status.st_mtime_ns == self._changed_at:
            return False
        self._changed_at = status.st_mtime_ns
        known = self._beginning
        self._beginning = os.pread(self._file.fileno(), _HEAD, 0)
        return not self._beginning.startswith(known)

    def _digest(self, offset: int) -> str:
        return hashlib.sha256(os.pread(self._file.fileno(), min(offset, _HEAD), 0)).hexdigest()

    def _open(self, path: Path | None = None) -> bool:
        try:
            self._file = (path or self.path).open("rb", buffering=0)
        except FileNotFoundError:
            self.why = "it is not there yet"
            return False
        except OSError as why:
            self.why = why.strerror or type(why).__name__
            return False
        self.why = ""
        status = os.fstat(self._file.fileno())
        self._identity = status.st_dev, status.st_ino
        return True

    def _replaced(self) -> bool:
        try:
            status = self.path.stat()
        except OSError:  # moved away, and nothing has taken its place yet
            return False
        return (status.st_dev, status.st_ino) != self._identity

    def _renew(self, why: str) -> None:
        self.renewed += 1
        self.why = why
        self._number = self._offset = 0
        self._rest.clear()
        self._skipping = False
        self._idle = 0
        self._beginning, self._changed_at = b"", 0

    def _lines(self, piece: bytes) -> Iterator[Line]:
        self._rest += piece
        *lines, rest = self._rest.split(b"\n")
        self._rest = bytearray(rest)
        for line in lines:
            where = self._taken(len(line) + 1)
            if self._skipping:
                self._skipping = False
            elif len(line) > LIMITS.line:
                yield Line(where, b"", f"longer than {LIMITS.line:,} bytes")
            elif line.strip():
                yield Line(where, self._record(line, self._number == 1))
        if len(self._rest) > LIMITS.line:
            if not self._skipping:
                yield Line(self._where(1), b"", f"longer than {LIMITS.line:,} bytes")
            self._skipping = True
            self._offset += len(self._rest)
            self._rest.clear()

    def _whole_rest(self) -> list[Line]:
        """A last line without an end is whole if it is a whole object and nothing came since the last look."""
        if self._idle < 2 or self._skipping or not self._rest.rstrip().endswith(b"}"):
            return []
        return [self._take_rest()] if _is_whole(self._rest.removeprefix(_BOM)) else []

    def _take_rest(self) -> Line:
        line = Line(self._where(1), self._record(self._rest, self._number == 0))
        self._offset += len(self._rest)
        self._rest.clear()
        return line

    @staticmethod
    def _record(line: bytes | bytearray, first: bool) -> bytes:
        return bytes(line.removeprefix(_BOM) if first else line)

    def _taken(self, size: int) -> str:
        self._number += 1
        self._offset += size
        return self._where(0)

    def _where(self, ahead: int) -> str:
        return f"{self.path.name} line {self._number + ahead}"


def _siblings(path: Path, inode: int) -> list[Path]:
    """What lies beside ``path`` and is that file."""
    try:
        return [Path(entry.path) for entry in os.scandir(path.parent) if entry.is_file() and entry.inode() == inode]
    except OSError:
        return []


def _is_whole(line: bytearray) -> bool:
    try:
        orjson.loads(data_of(bytes(line)))
    except orjson.JSONDecodeError:
        return False
    return True
