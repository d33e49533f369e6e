"""Snapshot files: caches of the map at a seq. Any of them may be damaged or gone; that costs time, never an event.

``000000020000.snapshot`` is a sealed header line (so ``head -1`` shows what it is) and the packed map, compressed.
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
from lingbot_map.store.disk import Quarantine, read_file, replace_file
from lingbot_map.store.lines import VERSION, read_object, seal, unseal

_NAME = re.compile(r"([0-9]{12,16})\.snapshot")
_LEVEL = 1


class Snapshots:
    """The snapshots of one session, in its folder."""

    def __init__(self, folder: Path, session: str) -> None:
        self._folder = folder
        self._session = session
        self._last_read: tuple[int, dict[str, object], bytes] | None = None

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

    def _read(self, seq: int) -> tuple[dict[str, object], bytes]:
        """Header and packed map. What was looked at last stays at hand: a recovery looks, then loads."""
        last = self._last_read
        if last is None or last[0] != seq:
            last = self._last_read = (seq, *self._read_file(seq))
        return last[1], last[2]

    def _read_file(self, seq: int) -> tuple[dict[str, object], bytes]:
        line, _, packed = (read_file(self.path(seq)) or b"").partition(b"\n")
        covered = unseal(line)
        header = read_object(covered) if covered is not None else {}
        good = header.get("seq") == seq and header.get("version") == VERSION
        if not good or header.get("size") != len(packed) or header.get("sum") != zlib.crc32(packed):
            return {}, b""
        return header, packed

    def good(self, seq: int) -> bool:
        return bool(self.header(seq))

    def newest_first(self, last: int | None = None) -> Iterator[tuple[int, bytes]]:
        for seq in reversed(self.seqs()):
            if last is None or seq <= last:
                header, packed = self._read(seq)
                self._last_read = None
                if header:
                    with contextlib.suppress(zlib.error):
                        yield seq, zlib.decompress(packed)

    def write(self, seq: int, packed: bytes) -> None:
        """Written beside, flushed, renamed, read back; then the ladder is thinned. Raises ``OSError``."""
        squeezed = zlib.compress(packed, _LEVEL)
        facts = {
            "lingbot": "snapshot",
            "version": VERSION,
            "seq": seq,
            "session": self._session,
            "size": len(squeezed),
            "sum": zlib.crc32(squeezed),
        }
        path = self.path(seq)
        if path.is_dir() and not path.is_symlink():
            Quarantine(self._folder).move(path)
        replace_file(path, seal(orjson.dumps(facts)) + squeezed)
        self._last_read = None
        good = self.good(seq)
        self._last_read = None
        if not good:
            raise OSError(5, "what was written does not read back", str(path))
        for rung in to_drop(self.seqs()):
            with contextlib.suppress(OSError):
                os.unlink(self.path(rung))

    def quarantine(self, seq: int) -> None:
        Quarantine(self._folder).move(self.path(seq))


def to_drop(seqs: list[int], spacing: int = SNAPSHOT_SPACING) -> list[int]:
    """Which of the snapshots (oldest first) a ladder of that spacing can spare."""
    drop, kept = [], 0
    for seq, after in itertools.pairwise(seqs[:-1]):
        if after - kept <= spacing:
            drop.append(seq)
        else:
            kept = seq
    return drop
