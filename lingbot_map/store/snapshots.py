"""Snapshot files: caches of the map at a seq. Any of them may be damaged or gone; that costs time, never an event.

``000000020000.snapshot`` is a sealed header line (so ``head -1`` shows what it is) and the packed map.
The newest two stay always; of the older ones a ladder with rungs at most ``SNAPSHOT_SPACING`` events apart.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import orjson

from lingbot_map.store import SNAPSHOT_SPACING
from lingbot_map.store.disk import Quarantine, open_file, read_file, replace_file
from lingbot_map.store.lines import VERSION, read_object, seal, unseal
from lingbot_map.store.rewrite import pieces

_NAME = re.compile(r"([0-9]{12,16})\.snapshot")
_LEVEL = 1
_LARGEST = 1 << 30
_LONGEST_HEADER = 1 << 14


class Snapshots:
    """The snapshots of one session, in its folder."""

    def __init__(self, folder: Path, session: str) -> None:
        self._folder = folder
        self._session = session
        self._last_read: tuple[int, dict[str, object], memoryview] | None = None

    def path(self, seq: int) -> Path:
        return self._folder / f"{seq:012d}.snapshot"

    def seqs(self) -> list[int]:
        """The seqs of all that are there, good or not, oldest first."""
        try:
            names = os.listdir(self._folder)
        except OSError:
            return []
        return sorted(int(found[1]) for name in names if (found := _NAME.fullmatch(name)))

    def header(self, seq: int) -> dict[str, object]:
        """What the file says of itself; {} if the file is damaged in any place."""
        return self._read(seq)[0]

    def _read(self, seq: int) -> tuple[dict[str, object], memoryview]:
        """Header and packed map. What was looked at last stays at hand: a recovery looks, then loads."""
        last = self._last_read
        if last is None or last[0] != seq:
            last = self._last_read = (seq, *self._read_file(seq))
        return last[1], last[2]

    def _read_file(self, seq: int) -> tuple[dict[str, object], memoryview]:
        held = read_file(self.path(seq)) or b""
        line = held[: held.find(b"\n")]
        packed = memoryview(held)[len(line) + 1 :]  # some 30 MB: not to be copied about
        covered = unseal(line)
        header = read_object(covered) if covered is not None else {}
        good = header.get("seq") == seq and header.get("version") == VERSION
        if not good or header.get("size") != len(packed) or header.get("sum") != zlib.crc32(packed):
            return {}, memoryview(b"")
        return header, packed

    def good(self, seq: int) -> bool:
        return bool(self.header(seq))

    def newest_first(self, last: int | None = None) -> Iterator[tuple[int, bytes | memoryview]]:
        for seq in reversed(self.seqs()):
            if last is None or seq <= last:
                header, packed = self._read(seq)
                self._last_read = None
                plain: bytes | memoryview = _expanded(packed) if header.get("packing") == "zlib" else packed
                if header and plain:
                    yield seq, plain

    def write(self, seq: int, packed: bytes | bytearray) -> None:
        """Written beside, flushed, renamed, read back; then the ladder is thinned. Raises ``OSError``.

        The newest two stand as they are, which saves a start 70 ms for 50,000 nodes; what stays behind them on the
        ladder is squeezed to a quarter.
        """
        self._put(seq, packed, "none")
        seqs = self.seqs()
        for rung in to_drop(seqs):
            with contextlib.suppress(OSError):
                os.unlink(self.path(rung))
        for rung in seqs[-3:-2]:
            squeezed = self._squeezed(rung)
            if squeezed and self.path(rung).exists():
                self._put(rung, squeezed, "zlib")

    def _squeezed(self, seq: int) -> bytes:
        """A good snapshot's map, squeezed by pieces and never whole in memory; b"" where there is none to squeeze."""
        try:
            fd = open_file(self.path(seq), os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return b""
        try:
            size = os.fstat(fd).st_size
            line = os.pread(fd, _LONGEST_HEADER, 0).partition(b"\n")[0]
            covered = unseal(line)
            header = read_object(covered) if covered is not None else {}
            begin = len(line) + 1
            if header.get("packing") != "none" or (header.get("seq"), header.get("size")) != (seq, size - begin):
                return b""
            squeezer, found, out = zlib.compressobj(_LEVEL), 0, []
            for piece in pieces(fd, begin, size):
                found = zlib.crc32(piece, found)
                out.append(squeezer.compress(piece))
            out.append(squeezer.flush())
            return b"".join(out) if found == header.get("sum") else b""
        except OSError:
            return b""
        finally:
            os.close(fd)

    def _put(self, seq: int, packed: bytes | bytearray, packing: str) -> None:
        facts = {
            "lingbot": "snapshot",
            "version": VERSION,
            "seq": seq,
            "session": self._session,
            "packing": packing,
            "size": len(packed),
            "sum": zlib.crc32(packed),
        }
        path = self.path(seq)
        if path.is_dir() and not path.is_symlink():
            Quarantine(self._folder).move(path)
        header = seal(orjson.dumps(facts))
        replace_file(path, header, packed)
        self._last_read = None
        if not _reads_back(path, header, zlib.crc32(packed)):
            raise OSError(5, "what was written does not read back", str(path))

    def quarantine(self, seq: int) -> None:
        Quarantine(self._folder).move(self.path(seq))


def _reads_back(path: Path, header: bytes, sum: int) -> bool:
    """Whether the file holds what was written: read by pieces, since a map in memory twice more would be 70 MB."""
    fd = open_file(path, os.O_RDONLY)
    try:
        held = os.pread(fd, len(header), 0) == header
        found = 0
        for piece in pieces(fd, len(header), os.fstat(fd).st_size):
            found = zlib.crc32(piece, found)
        return held and found == sum
    finally:
        os.close(fd)


def _expanded(packed: memoryview) -> bytes:
    """b"" for what can't be expanded, or to more than any map needs."""
    expander = zlib.decompressobj()
    try:
        plain = expander.decompress(packed, _LARGEST)
    except zlib.error:
        return b""
    return plain if expander.eof else b""


def to_drop(seqs: list[int], spacing: int = SNAPSHOT_SPACING) -> list[int]:
    """Which of the snapshots (oldest first) a ladder of that spacing can spare."""
    drop, kept = [], 0
    for seq, after in itertools.pairwise(seqs[:-1]):
        if after - kept <= spacing:
            drop.append(seq)
        else:
            kept = seq
    return drop
