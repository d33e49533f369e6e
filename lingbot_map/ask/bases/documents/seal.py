"""Which files an index is made of, and the checksums that tell whether they are what was written.

One small file, ``current``, names the database and the vectors and holds a checksum of every 64 KiB of them. It is
replaced as a whole: whoever opens an index sees the old one or the new one. Of a database that is written further the
pages that change are struck out first and sealed again afterwards, so that a process that is killed in between leaves
no index that looks damaged.

A folder of documents may come from anybody, and its index with it: nothing that stands in one names a file elsewhere,
by a path or by a link, and no file is removed that an index doesn't make.
"""

from __future__ import annotations

import json
import os
import re
import stat
import struct
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lingbot_map.errors import BadInput

NAME = "current"
FORMAT = 1
PIECE = 64 * 1024
"""Bytes that have one checksum."""
_OPEN = -1
"""Instead of a checksum: this piece is being written, or was when the writer was killed."""
REMEDY = "delete the folder; it is made again from the documents"
_DATABASE = re.compile(r"words-[0-9a-f]{12}\.db")
_VECTORS = re.compile(r"vectors-[0-9a-f]{12}\.i8")
_MADE = re.compile(r"(?:words-[0-9a-f]{12}\.db(?:-\w+)?|vectors-[0-9a-f]{12}\.i8|current\.new|\.probe-\d+)")
_LARGEST = 16 * 1024 * 1024
"""Bytes of a seal; that of 500,000 sentences with vectors has 200 thousand."""


@dataclass(slots=True)
class Seal:
    """``files`` maps a name within the folder to the checksums (CRC-32) of its pieces; the first is the database."""

    files: dict[str, list[int]] = field(default_factory=dict)

    @property
    def database(self) -> str:
        """The name of the database."""
        return next(iter(self.files))

    def strike(self, name: str, pieces: set[int]) -> None:
        """These pieces of a file are about to be written."""
        known = self.files[name]
        known.extend([_OPEN] * (max(pieces, default=-1) + 1 - len(known)))
        for piece in pieces:
            known[piece] = _OPEN

    def close(self, folder: Path, name: str) -> None:
        """Take the checksums of the pieces that were written."""
        path = folder / name
        known = self.files.setdefault(name, [])
        count = -(-path.stat().st_size // PIECE)
        del known[count:]
        known.extend([_OPEN] * (count - len(known)))
        with path.open("rb") as file:
            for piece, check in enumerate(known):
                if check == _OPEN:
                    file.seek(piece * PIECE)
                    known[piece] = zlib.crc32(file.read(PIECE))


def plain(folder: Path) -> None:
    """Raises ``BadInput`` unless ``folder`` is one, and all in it are files, or there is none: a link would have other
    files written and removed, and one reads a pipe for ever."""
    try:
        if not stat.S_ISDIR(folder.lstat().st_mode):
            raise BadInput(str(folder), "the folder of an index", "something else", "delete it")
        names = os.listdir(folder)
    except FileNotFoundError:
        return
    for path in (folder / name for name in names):
        with suppress(FileNotFoundError):  # another process is through with it
            if not stat.S_ISREG(path.lstat().st_mode):
                raise BadInput(str(path), "a file of an index", "something else", REMEDY)


def is_vectors(name: str) -> bool:
    """Whether a file of vectors is called so."""
    return _VECTORS.fullmatch(name) is not None


def is_made(name: str) -> bool:
    """Whether a file is called so that an index makes beside its seal and its lock."""
    return _MADE.fullmatch(name) is not None


def read(folder: Path) -> Seal | None:
    """The seal of an index; ``None`` where there is none. Raises ``BadInput`` for one that is damaged, and for a folder
    that no index makes."""
    plain(folder)
    path = folder / NAME
    try:
        with path.open("rb") as file:
            check, _, text = file.read(_LARGEST).partition(b"\n")
    except FileNotFoundError:
        return None
    if check != b"%08x" % zlib.crc32(text):
        raise BadInput(str(path), "what was written", "other bytes", REMEDY)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("format") != FORMAT or not _are_pieces(data.get("files")):
        raise BadInput(str(path), f"an index of format {FORMAT}", "another", REMEDY)
    return Seal(data["files"])


def _are_pieces(files: Any) -> bool:
    """Whether these are the names of a database and of vectors that an index makes, each with its checksums."""
    if not isinstance(files, Mapping) or not files:
        return False
    first, *others = files
    checks = (each for pieces in files.values() for each in (pieces if isinstance(pieces, list) else [None]))
    return (
        _DATABASE.fullmatch(first) is not None and all(map(is_vectors, others)) and all(type(c) is int for c in checks)
    )


def write(folder: Path, seal: Seal) -> None:
    """Put a seal in the place of the one before."""
    text = json.dumps({"format": FORMAT, "files": seal.files}).encode()
    fresh = folder / f"{NAME}.new"
    fresh.unlink(missing_ok=True)
    with fresh.open("xb") as file:
        file.write(b"%08x\n" % zlib.crc32(text) + text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(folder / NAME)


def check(folder: Path, seal: Seal) -> None:
    """Read the files through. Raises ``BadInput`` naming the file, the place and the remedy where a byte is another.

    A seal that was replaced meanwhile is no damage: the caller reads the new one.
    """
    for name, pieces in seal.files.items():
        path = folder / name
        try:
            with path.open("rb") as file:
                for at, wanted in enumerate(pieces):
                    if zlib.crc32(file.read(PIECE)) != wanted and wanted != _OPEN:
                        raise _damaged(path, at * PIECE)
                if _OPEN not in pieces and file.read(1):
                    raise _damaged(path, len(pieces) * PIECE)
        except FileNotFoundError:
            raise BadInput(str(path), "a part of the index", "no file", REMEDY) from None


def _damaged(path: Path, at: int) -> BadInput:
    return BadInput(f"{path} from byte {at}", "what was written", "other bytes", REMEDY)


def pages_in_log(log: Path) -> set[int]:
    """The pieces of the database that SQLite's write-ahead log will change: the format is fixed, see SQLite's file
    format (32 bytes, then frames of 24 bytes and a page, each of which begins with the number of its page)."""
    try:
        data = log.open("rb")
    except FileNotFoundError:
        return set()
    found: set[int] = set()
    with data as file:
        head = file.read(32)
        if len(head) < 32:
            return found
        (size,) = struct.unpack(">I", head[8:12])
        size = 65536 if size == 1 else size
        if not 512 <= size <= 65536:
            return found
        while len(frame := file.read(24)) == 24:
            begin = (struct.unpack(">I", frame[:4])[0] - 1) * size
            found.update(range(max(0, begin) // PIECE, (begin + size - 1) // PIECE + 1))
            file.seek(size, os.SEEK_CUR)
    return found
