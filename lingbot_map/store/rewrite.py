"""Putting a mended log in the place of a torn one."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lingbot_map.store.disk import BESIDE, Quarantine, datasync, open_file, sync_folder, write_all


def fresh_log(
    path: Path, header: bytes, ranges: Iterable[tuple[int, int]], lines: Iterable[bytes], *, keep_old: bool = False
) -> tuple[int, bool]:
    """Replace the log by ``header``, ``ranges`` of the old one and ``lines``: (descriptor to append to, whether all
    ranges could be read). After a crash either the old or the new one is there, whole.

    The old file goes to quarantine if a part of it can't be read, or with ``keep_old``. Raises ``OSError``.
    """
    beside = path.with_name(path.name + BESIDE)
    fresh = open_file(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
    readable = True
    try:
        write_all(fresh, header)
        spans = [(start, end) for start, end in ranges if end > start]
        if spans:
            old = open_file(path, os.O_RDONLY)
            try:
                for start, end in spans:
                    readable = _copy(old, fresh, start, end) and readable
            finally:
                os.close(old)
        for line in lines:
            write_all(fresh, line)
        os.fsync(fresh)
        if keep_old or not readable:
            Quarantine(path.parent).move(path)
        os.rename(beside, path)
        sync_folder(path.parent)
    except OSError:
        os.close(fresh)
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    return fresh, readable


def _copy(old: int, fresh: int, start: int, end: int) -> bool:
    """Copy whole lines; False if the disk gives only a part of them back."""
    ending = b"\n"
    try:
        for piece in pieces(old, start, end):
            write_all(fresh, piece)
            ending = piece[-1:]
    except OSError as why:
        if why.errno != errno.EIO:
            raise
        write_all(fresh, b"\n")
        return False
    if ending != b"\n":
        write_all(fresh, b"\n")
    return True


def overwrite(path: Path, end: int, lines: Sequence[bytes]) -> int:
    """Write ``lines`` over what is torn after ``end`` and cut the rest; the log's new size.

    A crash on the way leaves another torn tail, for the next recovery. Raises ``OSError``.
    """
    fd = open_file(path, os.O_RDWR)
    try:
        data = b"".join(lines)
        if end and os.pread(fd, 1, end - 1) != b"\n":
            data = b"\n" + data
        os.lseek(fd, end, os.SEEK_SET)
        write_all(fd, data)
        os.ftruncate(fd, end + len(data))
        datasync(fd)
        return end + len(data)
    finally:
        os.close(fd)


def pieces(fd: int, start: int, stop: int) -> Iterator[bytes]:
    """Bytes ``start`` to ``stop`` of a file, a megabyte at a time."""
    while start < stop:
        piece = os.pread(fd, min(1 << 20, stop - start), start)
        if not piece:
            return
        start += len(piece)
        yield piece
