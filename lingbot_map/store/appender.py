"""The writing end of a log: what is accepted, what waits for the disk, what is safe.

After an I/O error a file is never flushed again, since the system may have dropped what it failed to write and call the
next flush a success: the log goes on in a fresh file, made of the flushed part of the old one and of memory.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

from lingbot_map.errors import BadInput, NotWritten
from lingbot_map.events import EpochStarted, Event
from lingbot_map.store import BACKLOG_BYTES, BACKLOG_EVENTS, OutOfOrder
from lingbot_map.store.disk import datasync, make_folder, open_file, sync_folder, write_all
from lingbot_map.store.head import Head, write_head
from lingbot_map.store.lines import header_line
from lingbot_map.store.rewrite import fresh_log

Fsync = Literal["batch", "always"]


def fsync_from(said: str, where: str = "--fsync") -> Fsync:
    """What ``batch`` (a power cut costs 100 ms at most) and ``always`` mean. Raises ``BadInput``."""
    if said not in ("batch", "always"):
        raise BadInput(where, "batch or always", said)
    return "always" if said == "always" else "batch"


_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE}
"""Refusals that leave a file as it was: it can be cut back and go on."""
_UNSYNCED_BYTES = 8 << 20
_PIECE = 256 << 10
_RETRY_S = 1.0


class Appender:
    """Appends on one thread; ``sync`` may run on another.

    ``size`` is how long the log is as far as it is whole; 0 means that not even its header is written. ``opened`` is
    called before a log is written to for the first time.
    """

    def __init__(
        self, path: Path, session: str, size: int, seq: int, *, fsync: Fsync, new: bool, opened: Callable[[], None]
    ) -> None:
        self.size = size
        self.epoch = ""
        self.last_seq = self.written_seq = self.synced_seq = seq
        self.trouble: NotWritten | None = None
        self.wants_snapshot = False
        self.discarded = False  # the session is deleted: nothing is written any more
        self.unreadable = False  # a part of the old file could not be read when a fresh one took its place
        self.lock = threading.RLock()  # guards all fields; never held during a flush
        self._path = path
        self._session = session
        self._fsync = fsync
        self._opened = opened
        self._fd = -1
        self._broken = False  # an I/O error: go on in a fresh file
        self._keep_old = False  # what is torn could not be put in quarantine: then the whole file goes there
        self._new_names = new
        self._retry_at = 0.0
        self._synced_size = size
        self._unsynced: deque[bytes] = deque()
        self._unsynced_bytes = 0
        self._backlog: deque[tuple[Event, bytes]] = deque()
        self._backlog_bytes = 0
        self._flushing = threading.Lock()  # one flush at a time

    # --- accepting ---

    @property
    def pending(self) -> int:
        """Events that are not as safe as was asked for."""
        unsafe = len(self._unsynced) if self._fsync == "always" else 0
        return len(self._backlog) + unsafe

    @property
    def room(self) -> bool:
        """Whether the backlog takes more."""
        return len(self._backlog) < BACKLOG_EVENTS and self._backlog_bytes < BACKLOG_BYTES

    def waiting(self) -> list[Event]:
        """The events that are not on the log."""
        return [event for event, _ in self._backlog]

    def append(self, events: Sequence[Event], lines: Sequence[bytes]) -> bool:
        """As ``Recording.append``."""
        with self.lock:
            if self.discarded:
                raise NotWritten(str(self._path), "it was deleted")
            for expected, event in enumerate(events, self.last_seq + 1):
                if event.seq != expected:
                    raise OutOfOrder(str(self._path), expected, event.seq)
            if (self._broken or self._backlog) and not self.room:
                raise NotWritten(str(self._path), self.trouble.reason if self.trouble else "the backlog is full")
            self.hold(events, lines)
            if self._broken or not self._drain():
                return False
        if self._fsync == "always" or self._unsynced_bytes > _UNSYNCED_BYTES:
            return self.sync()
        return True

    def hold(self, events: Iterable[Event], lines: Iterable[bytes]) -> None:
        """Take events in memory only, for a later write."""
        for event, line in zip(events, lines, strict=True):
            self._backlog.append((event, line))
            self._backlog_bytes += len(line)
            self.last_seq = event.seq
            if isinstance(event.signal, EpochStarted):
                self.epoch = event.signal.epoch

    def _drain(self) -> bool:
        """Write what waits, in pieces, each of them whole or not at all."""
        while self._backlog:
            piece: list[bytes] = []
            length = last = 0
            for event, line in self._backlog:
                if piece and length + len(line) > _PIECE:
                    break
                piece.append(line)
                length += len(line)
                last = event.seq
            try:
                self._write(b"".join(piece))
            except OSError as why:
                self.failed(why)
                return False
            for _ in piece:
                self._backlog.popleft()
            self._backlog_bytes -= length
            self._unsynced.extend(piece)
            self._unsynced_bytes += length
            self.written_seq = last
        self.trouble = None
        return True

    def _write(self, data: bytes) -> None:
        fd = self._open()
        if not self.size:
            data = header_line(self._session) + data
        try:
            write_all(fd, data)
        except OSError:
            try:
                os.ftruncate(fd, self.size)
            except OSError:
                self._broken = True
            raise
        self.size += len(data)

    def _open(self) -> int:
        if self._fd < 0:
            make_folder(self._path.parent)
            self._opened()
            fd = open_file(self._path, os.O_RDWR | os.O_APPEND | (0 if self.size else os.O_CREAT))
            if os.fstat(fd).st_size != self.size:  # a piece of a write that failed, or of a session never written
                os.ftruncate(fd, self.size)
            self._fd = fd
        return self._fd

    def failed(self, why: OSError, *, broken: bool = False) -> None:
        """The disk refused. Unless it merely had no room, the file is left for a fresh one."""
        self.trouble = NotWritten(str(self._path), why.strerror or str(why))
        if broken or why.errno not in _FULL:
            self._broken = True

    # --- making safe ---

    def sync(self) -> bool:
        """As ``Recording.sync``."""
        with self._flushing:
            with self.lock:
                if self.discarded:
                    return True
                if self._broken:
                    if time.monotonic() < self._retry_at or not self._start_afresh():
                        return False
                elif self._backlog and not self._drain():
                    return False
                if not self.size or not (self._unsynced or self._new_names or self.synced_seq < self.written_seq):
                    return True
                count, size, seq = len(self._unsynced), self.size, self.written_seq
            try:
                datasync(self._open())
                if self._new_names:
                    sync_folder(self._path.parent)
                    sync_folder(self._path.parent.parent)
                    self._new_names = False
            except OSError as why:
                with self.lock:
                    self.failed(why, broken=why.errno not in (errno.EMFILE, errno.ENFILE))
                return False
            with self.lock:
                for _ in range(count):
                    self._unsynced_bytes -= len(self._unsynced.popleft())
                self._synced_size, self.synced_seq = size, seq
                self.trouble = None
            self.write_head()
            return True

    def write_head(self) -> None:
        """A head that can't be written only notices less; the next flush writes it again."""
        with contextlib.suppress(OSError):
            write_head(self._path.parent, Head(self.synced_seq, self.epoch, self._session))

    def _start_afresh(self) -> bool:
        """Put a fresh file in the log's place: the flushed part of the old one, then what memory holds."""
        header = b"" if self._synced_size else header_line(self._session)
        memory = [*self._unsynced, *(line for _, line in self._backlog)]
        try:
            make_folder(self._path.parent)
            fd, readable = fresh_log(self._path, header, [(0, self._synced_size)], memory, keep_old=self._keep_old)
        except OSError as why:
            self.failed(why)
            self._retry_at = time.monotonic() + _RETRY_S
            return False
        self.unreadable = self.unreadable or not readable
        self._unsynced.clear()
        self._backlog.clear()
        self._unsynced_bytes = self._backlog_bytes = 0
        self.replaced(fd, self.last_seq)
        self._broken, self._keep_old, self.wants_snapshot = False, False, True
        return True

    def replaced(self, fd: int, seq: int) -> None:
        """A log that is whole and safe up to ``seq`` has taken the place of the old one; ``fd`` appends to it."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = fd
        self.settled(os.fstat(fd).st_size, seq)

    def settled(self, size: int, seq: int) -> None:
        """The log is whole and safe up to ``size``, which holds all up to ``seq``."""
        self.size = self._synced_size = size
        self.last_seq = self.written_seq = self.synced_seq = seq
        self.trouble = None
        self.write_head()

    def unsettled(self, size: int, seq: int, events: Sequence[Event], lines: Sequence[bytes], why: OSError) -> None:
        """The log could not be mended: it is whole up to ``size`` and ``seq``, and ``events`` wait to follow."""
        self.size = self._synced_size = size
        self.last_seq = self.written_seq = self.synced_seq = seq
        self._keep_old = True
        self.hold(events, lines)
        self.failed(why, broken=True)

    def rest(self) -> None:
        """Give the descriptor back where nothing waits for it; the next append opens the log again."""
        with self._flushing, self.lock:
            if self._fd >= 0 and not self._unsynced and not self._broken:
                os.close(self._fd)
                self._fd = -1

    def discard(self) -> None:
        """Drop what waits, and never write again: a write would bring back the folder of a session that is deleted."""
        with self._flushing, self.lock:
            self.discarded = True
            self._unsynced.clear()
            self._backlog.clear()
            self._unsynced_bytes = self._backlog_bytes = 0
            self._broken, self.trouble = False, None
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

    def close(self) -> bool:
        """Flush and give the descriptor back. False while something waits."""
        done = self.sync() and not self._backlog
        with self._flushing, self.lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1
        return done
