"""Which files an index is made of, and the checksums that tell whether they are what was written.

One small file, ``current``, names the database and the vectors and holds a checksum of every 64 KiB of them. It is
replaced as a whole: whoever opens an index sees the old one or the new one. Of a database that is written further the
pages that change are struck out first and sealed again afterwards, so that a process that is killed in between leaves
no index that looks damaged.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from lingbot_map.errors import BadInput

NAME = "current"
FORMAT = 1
PIECE = 64 * 1024
"""Bytes that have one checksum."""
_OPEN = -1
"""Instead of a checksum: this piece is being written, or was when the writer was killed."""
REMEDY = "delete the folder; it is made again from the documents"


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


def read(folder: Path) -> Seal | None:
    """The seal of an index; ``None`` where there is none. Raises ``BadInput`` for one that is damaged."""
    path = folder / NAME
    try:
        check, _, text = path.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    if check != b"%08x" % zlib.crc32(text):
        raise BadInput(str(path), "what was written", "other bytes", REMEDY)
    data = json.loads(text)
    if data.pop("format") != FORMAT:
        raise BadInput(str(path), f"an index of format {FORMAT}", "another", REMEDY)
    return Seal(**data)


def write(folder: Path, seal: Seal) -> None:
    """Put a seal in the place of the one before."""
    text = json.dumps({"format": FORMAT, "files": seal.files}).encode()
    fresh = folder / f"{NAME}.new"
    with fresh.open("wb") as file:
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
