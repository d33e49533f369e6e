"""One session in its folder: ``events.jsonl`` and what stands beside it.

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
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from lingbot_map.errors import NewerFormat, NotWritten
from lingbot_map.events import EpochStarted, Event
from lingbot_map.store import (
    BACKLOG_BYTES,
    BACKLOG_EVENTS,
    Damage,
    Origin,
    OutOfOrder,
    Recovered,
)
from lingbot_map.store.disk import (
    Quarantine,
    datasync,
    make_folder,
    open_file,
    sync_folder,
    write_all,
)
from lingbot_map.store.head import Head, read_head, write_head
from lingbot_map.store.lines import VERSION, event_line, header_line, read_event
from lingbot_map.store.log import Bad, Header, find, last_good, newer, read_header, walk
from lingbot_map.store.mend import FARTHEST, Tail, read_tail, statements
from lingbot_map.store.snapshots import Snapshots

Fsync = Literal["batch", "always"]

LOG = "events.jsonl"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE}
"""Refusals that leave a file as it was: it can be cut back and go on."""
_UNSYNCED_BYTES = 8 << 20
_PIECE = 256 << 10
_RETRY_S = 1.0


class FileRecording:
    """Appends on one thread; ``sync`` and ``keep`` may run on another."""

    def __init__(
        self,
        folder: Path,
        key: str,
        session: str,
        *,
        header: Header,
        size: int,
        fresh: bool = False,
        origin: Origin = "data",
        read_only: bool = False,
        fsync: Fsync = "batch",
        rebooted: bool = False,
        opened: Callable[[], None] = lambda: None,
        closed: Callable[[], None] = lambda: None,
    ) -> None:
        self.key = key
        self.session = session
        self.origin: Origin = origin
        self.read_only = read_only
        self.folder = folder
        self.trouble: NotWritten | None = None
        self.wants_snapshot = False
        self.damage: list[Damage] = []
        self._path = folder / LOG
        self._snapshots = Snapshots(folder, session)
        self._fsync = fsync
        self._rebooted = rebooted
        self._opened, self._closed = opened, closed
        self._header = header
        self._begin = header.end  # where events begin
        self._size = size  # up to here the log is whole; 0 means that not even its header is written
        self._fd = -1
        self._broken = False  # an I/O error: go on in a fresh file
        self._ready = fresh
        self._new_names = size == 0
        self._retry_at = 0.0
        self._unsynced: deque[bytes] = deque()
        self._unsynced_bytes = 0
        self._synced_size = size
        self._backlog: deque[tuple[Event, bytes]] = deque()
        self._backlog_bytes = 0
        self._write_lock = threading.RLock()  # guards all fields; never held during a flush but in `always`
        self._sync_lock = threading.Lock()  # one flush at a time
        self._epoch = ""
        self.last_seq = self.written_seq = self.synced_seq = 0
        if size:
            fd = open_file(self._path, os.O_RDONLY)
            try:
                good = last_good(fd, self._begin, size)
            finally:
                os.close(fd)
            self.last_seq = self.written_seq = self.synced_seq = good.seq if good else 0

    # --- reading ---

    def events(self, first: int = 1, last: int | None = None) -> Iterator[Event]:
        with self._write_lock:
            stop, waiting = self._size, list(self._backlog)
            fd = open_file(self._path, os.O_RDONLY) if stop else -1
        previous, at = first - 1, 0.0
        try:
            start = (find(fd, self._begin, stop, first) if first > 1 else self._begin) if stop else 0
            for item in walk(fd, start, stop) if stop else ():
                if isinstance(item, Bad):
                    self._note(fd, item)
                elif last is not None and item.seq > last:
                    return
                elif previous < item.seq <= previous + FARTHEST:
                    event = read_event(self.session, item.covered, at)
                    previous, at = event.seq, event.at
                    yield event
        finally:
            if fd >= 0:
                os.close(fd)
        for event, _ in waiting:
            if event.seq > previous and (last is None or event.seq <= last):
                yield event

    def snapshots(self, last: int | None = None) -> Iterator[tuple[int, bytes]]:
        return self._snapshots.newest_first(last)

    def snapshot_seqs(self) -> set[int]:
        """The seqs of the good snapshots."""
        return {seq for seq in self._snapshots.seqs() if self._snapshots.good(seq)}

    def distrust(self, seq: int) -> None:
        """Put a snapshot aside that does not hold what the log says."""
        if not self.read_only:
            with contextlib.suppress(OSError):
                self._snapshots.quarantine(seq)

    def _note(self, fd: int, bad: Bad) -> None:
        line = 1 + sum(chunk.count(b"\n") for chunk in _pieces(fd, 0, bad.start))
        found = Damage(str(self._path), line, bad.reason)
        if found not in self.damage:
            self.damage.append(found)

    # --- writing ---

    @property
    def pending(self) -> int:
        if self.read_only:
            return 0
        unsafe = len(self._unsynced) if self._broken and self._fsync == "always" else 0
        return len(self._backlog) + unsafe

    @property
    def room(self) -> bool:
        return len(self._backlog) < BACKLOG_EVENTS and self._backlog_bytes < BACKLOG_BYTES

    def append(self, events: Sequence[Event]) -> bool:
        if self.read_only:
            raise NotWritten(str(self._path), "it is opened for reading")
        if not self._ready:
            raise RuntimeError("recover() comes before the first append()")
        lines = [event_line(event) for event in events]
        with self._write_lock:
            expected = self.last_seq + 1
            for event in events:
                if event.seq != expected:
                    raise OutOfOrder(str(self._path), expected, event.seq)
                expected += 1
            if (self._broken or self._backlog) and not self.room:
                raise NotWritten(str(self._path), self.trouble.reason if self.trouble else "the backlog is full")
            for event, line in zip(events, lines, strict=True):
                self._backlog.append((event, line))
                self._backlog_bytes += len(line)
                if isinstance(event.signal, EpochStarted):
                    self._epoch = event.signal.epoch
            self.last_seq = expected - 1
            if self._broken or not self._drain():
                return False
        if self._fsync == "always" or self._unsynced_bytes > _UNSYNCED_BYTES:
            return self.sync()
        return True

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
                self._failed(why)
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
        fd = self._open_log()
        if not self._size:
            header = header_line(self.session)
            data, self._begin = header + data, len(header)
        try:
            write_all(fd, data)
        except OSError:
            try:
                os.ftruncate(fd, self._size)
            except OSError:
                self._broken = True
            raise
        self._size += len(data)

    def _open_log(self) -> int:
        if self._fd < 0:
            make_folder(self.folder)
            self._opened()
            flags = os.O_RDWR | os.O_APPEND | (0 if self._size else os.O_CREAT)
            fd = open_file(self._path, flags)
            if os.fstat(fd).st_size != self._size:  # a piece of a write that failed, or of a session never written
                os.ftruncate(fd, self._size)
            self._fd = fd
        return self._fd

    def _failed(self, why: OSError) -> None:
        self.trouble = NotWritten(str(self._path), why.strerror or str(why))
        if why.errno not in _FULL:
            self._broken = True

    def sync(self) -> bool:
        with self._sync_lock:
            with self._write_lock:
                if self._broken:
                    if time.monotonic() < self._retry_at or not self._start_afresh():
                        return False
                elif self._backlog and not self._drain():
                    return False
                if not self._unsynced and not self._new_names:
                    return True
                if self._fd < 0 and not self._size:
                    return True
                count, size, seq = len(self._unsynced), self._size, self.written_seq
            try:
                fd = self._open_log()
                datasync(fd)
                if self._new_names:
                    sync_folder(self.folder)
                    sync_folder(self.folder.parent)
                    self._new_names = False
            except OSError as why:
                with self._write_lock:
                    self._failed(why)
                    self._broken = self._broken or why.errno not in (errno.EMFILE, errno.ENFILE)
                return False
            with self._write_lock:
                for _ in range(count):
                    self._unsynced_bytes -= len(self._unsynced.popleft())
                self._synced_size, self.synced_seq = size, seq
                self.trouble = None
            self._write_head()
            return True

    def _write_head(self) -> None:
        # A head that lags only notices less; the next flush writes it again.
        with contextlib.suppress(OSError):
            write_head(self.folder, Head(self.synced_seq, self._epoch, self.session))

    def _start_afresh(self) -> bool:
        """Put a fresh file in the log's place: the flushed part of the old one, then what memory holds."""
        memory = [*self._unsynced, *(line for _, line in self._backlog)]
        try:
            make_folder(self.folder)
            header = b"" if self._synced_size else header_line(self.session)
            readable = self._replace([(0, self._synced_size)], header, memory)
        except OSError as why:
            self.trouble = NotWritten(str(self._path), why.strerror or str(why))
            self._retry_at = time.monotonic() + _RETRY_S
            return False
        if not readable:
            self.damage.append(Damage(str(self._path), 0, "part of it can't be read; it is in quarantine"))
        self.written_seq = self.last_seq
        self._unsynced.clear()
        self._backlog.clear()
        self._unsynced_bytes = self._backlog_bytes = 0
        self._synced_size, self.synced_seq = self._size, self.written_seq
        self._broken, self.trouble, self.wants_snapshot = False, None, True
        self._write_head()
        return True

    def _replace(self, ranges: list[tuple[int, int]], header: bytes, lines: Sequence[bytes]) -> bool:
        """A fresh log: ``header``, ``ranges`` of the old one, ``lines``. False if not all ranges could be read."""
        beside = self._path.with_name(LOG + ".new")
        fresh = open_file(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND)
        readable = True
        try:
            write_all(fresh, header)
            if any(end > start for start, end in ranges):
                old = open_file(self._path, os.O_RDONLY)
                try:
                    for start, end in ranges:
                        try:
                            ending = b"\n"
                            for piece in _pieces(old, start, end):
                                write_all(fresh, piece)
                                ending = piece[-1:]
                        except OSError as why:
                            if why.errno != errno.EIO:
                                raise
                            readable, ending = False, b""
                        if ending != b"\n":
                            write_all(fresh, b"\n")
                finally:
                    os.close(old)
            for line in lines:
                write_all(fresh, line)
            os.fsync(fresh)
            if not readable:
                Quarantine(self.folder).move(self._path)
            os.rename(beside, self._path)
            sync_folder(self.folder)
        except OSError:
            os.close(fresh)
            with contextlib.suppress(OSError):
                os.unlink(beside)
            raise
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = fresh
        self._size = os.fstat(fresh).st_size
        self._begin = read_header(fresh, self._size).end
        return readable

    def keep(self, seq: int, packed: bytes) -> bool:
        if self.read_only or (seq > self.synced_seq and not (self.sync() and seq <= self.synced_seq)):
            return False
        try:
            self._snapshots.write(seq, packed)
        except OSError:
            return False
        self.wants_snapshot = False
        return True

    def rest(self) -> None:
        """Give the descriptor back where nothing waits for it; the next append opens the log again."""
        with self._sync_lock, self._write_lock:
            if self._fd >= 0 and not self._unsynced and not self._broken:
                os.close(self._fd)
                self._fd = -1

    def close(self) -> None:
        if self.read_only:
            return
        done = self.sync() and not self._backlog
        with self._sync_lock, self._write_lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1
        if done:
            self._closed()

    # --- recovering ---

    def recover(self, now: float, *, whole: bool = False) -> Recovered:
        """With ``whole`` all of the log and each snapshot is looked at, not only the tail that a start needs."""
        with self._sync_lock, self._write_lock:
            if self._ready:
                return Recovered()
            try:
                fd = open_file(self._path, os.O_RDONLY)
            except FileNotFoundError:  # what stands beside it says what is lost
                fd = os.open(os.devnull, os.O_RDONLY)
            try:
                return self._recover(fd, now, whole)
            finally:
                os.close(fd)

    def _recover(self, fd: int, now: float, whole: bool) -> Recovered:
        head, wrong = read_head(self.folder)
        if wrong:
            self.damage.append(Damage(str(self.folder / "head"), 0, wrong))
        if self._header.damaged:
            self.damage.append(Damage(str(self._path), 1, self._header.damaged))
        rungs, good = self._snapshots.seqs(), 0
        distrusted: list[int] = []
        for seq in reversed(rungs):
            if self._snapshots.good(seq):
                good = good or seq
                if not whole:
                    break
            else:
                distrusted.append(seq)
                self.damage.append(Damage(str(self._snapshots.path(seq)), 0, "damaged; older ones and the log serve"))
        tail = self._tail(fd, rungs if not whole else [], max(head.seq if head else 0, good))
        for bad in tail.bad:
            self._note(fd, bad)
        if tail.lost:
            distrusted += [seq for seq in rungs if seq >= tail.lost[0][0] and seq not in distrusted]
        signal = read_event(self.session, tail.epoch, now).signal if tail.epoch is not None else None
        self._epoch = signal.epoch if isinstance(signal, EpochStarted) else head.epoch if head else ""
        own = statements(self.session, tail, now) if tail.lost or tail.bad or self._rebooted else []
        if own and isinstance(own[-1].signal, EpochStarted):
            self._epoch = own[-1].signal.epoch
        self.last_seq = tail.last_seq + len(own)
        self._mend(fd, tail, own, distrusted)
        self._ready = True
        if self._rebooted and not self.read_only and not self._broken:
            self._opened()  # said once: the next recovery after the same start has nothing to add
        return Recovered(tail.lost, own, list(self.damage))

    def _tail(self, fd: int, rungs: list[int], known: int) -> Tail:
        """What follows the newest good snapshot whose event the log still has; without one, the whole log."""
        for anchor in reversed(rungs):
            if self._snapshots.good(anchor):
                tail = read_tail(fd, self.session, self._begin, self._size, anchor, known)
                if tail is not None:
                    return tail
        tail = read_tail(fd, self.session, self._begin, self._size, 0, known)
        assert tail is not None
        return tail

    def _mend(self, fd: int, tail: Tail, own: list[Event], distrusted: list[int]) -> None:
        """Cut what is torn, declare what is lost: in one step, so that no crash leaves the one without the other."""
        lines = [event_line(event) for event in own]
        self._size = tail.end  # what is torn is not read any more, whether or not it can be cut
        if not self.read_only:
            try:
                for seq in distrusted:
                    with contextlib.suppress(FileNotFoundError):
                        self._snapshots.quarantine(seq)
                if tail.bad:
                    torn = b"".join(piece for bad in tail.bad for piece in _pieces(fd, bad.start, bad.end))
                    if torn:
                        Quarantine(self.folder).put("events", torn)
                if tail.inner or self._header.damaged:
                    header = header_line(self.session) if self._header.damaged else b""
                    before = (self._begin if header else 0, tail.start)
                    self._replace([before, *tail.good], header, lines)
                elif own:
                    self._overwrite(tail, lines)
                self.written_seq = self.synced_seq = self.last_seq
                self._synced_size = self._size
                if self.damage or own:
                    self._write_head()
                return
            except OSError as why:
                self._failed(why)
                self._broken = True
        self.written_seq = self.synced_seq = tail.last.seq if tail.last else 0
        self._synced_size = tail.end
        for event, line in zip(own, lines, strict=True):
            self._backlog.append((event, line))
            self._backlog_bytes += len(line)

    def _overwrite(self, tail: Tail, lines: list[bytes]) -> None:
        """Write over what is torn and cut the rest. A crash in between leaves a torn tail, for the next recovery."""
        fd = open_file(self._path, os.O_RDWR)
        try:
            data = b"".join(lines)
            if tail.end > 0 and os.pread(fd, 1, tail.end - 1) != b"\n":
                data = b"\n" + data
            os.lseek(fd, tail.end, os.SEEK_SET)
            write_all(fd, data)
            os.ftruncate(fd, tail.end + len(data))
            datasync(fd)
            self._size = tail.end + len(data)
        finally:
            os.close(fd)


def refuse_newer(path: Path, header: Header) -> None:
    if newer(header):
        raise NewerFormat(str(path), header.version, VERSION)


def _pieces(fd: int, start: int, stop: int) -> Iterator[bytes]:
    while start < stop:
        piece = os.pread(fd, min(1 << 20, stop - start), start)
        if not piece:
            return
        start += len(piece)
        yield piece
