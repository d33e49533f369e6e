"""One session in its folder: ``events.jsonl`` and what stands beside it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lingbot_map.errors import NewerFormat, NotWritten
from lingbot_map.events import EpochStarted, Event
from lingbot_map.store import Damage, Origin, Recovered
from lingbot_map.store.appender import Appender, Fsync
from lingbot_map.store.disk import Quarantine, datasync, open_to_read, sweep_beside
from lingbot_map.store.head import read_head
from lingbot_map.store.lines import VERSION, event_line, header_line, read_event
from lingbot_map.store.log import Bad, Header, find, last_good, newer, read_header, walk
from lingbot_map.store.mend import FARTHEST, Tail, read_tail, statements
from lingbot_map.store.rewrite import fresh_log, overwrite, pieces
from lingbot_map.store.snapshots import Snapshots

LOG = "events.jsonl"


class FileRecording:
    """Appends on one thread; ``sync``, ``keep`` and all that reads may run on others."""

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
        self._path = folder / LOG
        self._snapshots = Snapshots(folder, session)
        self._damage: list[Damage] = []
        self._rebooted = rebooted
        self._opened, self._closed = opened, closed
        self._header = header
        self._ready = fresh  # nothing to recover
        self._keeping = threading.Lock()
        last = 0
        if size:
            fd = open_to_read(self._path)
            try:
                good = last_good(fd, header.end, size)
                last = good.seq if good else 0
            finally:
                os.close(fd)
        self._log = Appender(self._path, session, size, last, fsync=fsync, new=fresh, opened=opened)

    # --- how it stands ---

    @property
    def last_seq(self) -> int:
        return self._log.last_seq

    @property
    def written_seq(self) -> int:
        return self._log.written_seq

    @property
    def synced_seq(self) -> int:
        return self._log.synced_seq

    @property
    def pending(self) -> int:
        return 0 if self.read_only else self._log.pending

    @property
    def room(self) -> bool:
        return self._log.room

    @property
    def trouble(self) -> NotWritten | None:
        return self._log.trouble

    @property
    def wants_snapshot(self) -> bool:
        return self._log.wants_snapshot

    @property
    def damage(self) -> list[Damage]:
        if self._log.unreadable:
            self._log.unreadable = False
            self._damage.append(Damage(str(self._path), 0, "a part can't be read any more; it is in quarantine"))
        return self._damage

    def _note(self, fd: int, bad: Bad) -> None:
        line = 1 + sum(piece.count(b"\n") for piece in pieces(fd, 0, bad.start))
        found = Damage(str(self._path), line, bad.reason)
        if found not in self._damage:
            self._damage.append(found)

    # --- reading ---

    def events(self, first: int = 1, last: int | None = None) -> Iterator[Event]:
        with self._log.lock:  # the log may be replaced while it is read: what is open here is then still the old one
            stop, waiting = self._log.size, self._log.waiting()
            fd = open_to_read(self._path) if stop else -1
        previous, at = first - 1, 0.0
        try:
            if stop:
                begin = read_header(fd, stop).end
                start = find(fd, begin, stop, first) if first > 1 else begin
                for item in walk(fd, start, stop):
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
        for event in waiting:
            if event.seq > previous and (last is None or event.seq <= last):
                yield event

    def snapshots(self, last: int | None = None) -> Iterator[tuple[int, bytes | bytearray | memoryview]]:
        return self._snapshots.newest_first(last)

    def snapshot_seqs(self) -> set[int]:
        """The seqs of the good snapshots."""
        return {seq for seq in self._snapshots.seqs() if self._snapshots.good(seq)}

    # --- writing ---

    def append(self, events: Sequence[Event]) -> bool:
        if self.read_only:
            raise NotWritten(str(self._path), "it is opened for reading")
        if not self._ready:
            raise RuntimeError("recover() comes before the first append()")
        return self._log.append(events, [event_line(event) for event in events])

    def sync(self) -> bool:
        return self.read_only or not self._ready or self._log.sync()

    def keep(self, seq: int, packed: bytes | bytearray) -> bool:
        if self.read_only or (seq > self.synced_seq and not (self.sync() and seq <= self.synced_seq)):
            return False  # a snapshot must not say more than the log will after a power cut
        with self._keeping:
            if self._log.discarded:
                return False
            try:
                self._snapshots.write(seq, packed)
            except OSError:
                return False
        self._log.wants_snapshot = False
        return True

    def distrust(self, seq: int) -> None:
        """Put a snapshot aside that does not hold what the log says."""
        if not self.read_only:
            with contextlib.suppress(OSError):
                self._snapshots.quarantine(seq)

    def rest(self) -> None:
        """Give the descriptor back where nothing waits for it; the next append opens the log again."""
        self._log.rest()

    def close(self) -> None:
        if not self.read_only and self._log.close():
            self._closed()

    def discard(self) -> None:
        """The folder is about to be deleted: what waits for it is dropped, and nothing is written there any more."""
        with self._keeping:  # or a snapshot under way would land beside the log of the next session of this name
            self._log.discard()

    # --- recovering ---

    def recover(self, now: float, *, whole: bool = False) -> Recovered:
        """With ``whole`` all of the log and each snapshot is looked at, not only the tail that a start needs."""
        with self._log.lock:
            if self._ready:
                return Recovered()
            try:
                fd = open_to_read(self._path)
            except FileNotFoundError:  # what stands beside it says what is lost
                fd = os.open(os.devnull, os.O_RDONLY)
            try:
                return self._recover(fd, now, whole)
            finally:
                os.close(fd)

    def _recover(self, fd: int, now: float, whole: bool) -> Recovered:
        head, wrong = read_head(self.folder)
        if wrong:
            self._damage.append(Damage(str(self.folder / "head"), 0, wrong))
        if self._header.damaged:
            self._damage.append(Damage(str(self._path), 1, self._header.damaged))
        rungs, good = self._snapshots.seqs(), 0
        distrusted: list[int] = []
        for seq in reversed(rungs):
            if self._snapshots.good(seq):
                good = good or seq
                if not whole:
                    break
            else:
                distrusted.append(seq)
                self._damage.append(Damage(str(self._snapshots.path(seq)), 0, "damaged; older ones and the log serve"))
        known = max(head.seq if head else 0, good)
        tail = self._tail(fd, rungs if not whole else [], known)
        for bad in tail.bad:
            self._note(fd, bad)
        if tail.lost:
            distrusted += [seq for seq in rungs if seq >= tail.lost[0][0] and seq not in distrusted]
        signal = read_event(self.session, tail.epoch, now).signal if tail.epoch is not None else None
        self._log.epoch = signal.epoch if isinstance(signal, EpochStarted) else head.epoch if head else ""
        own = statements(self.session, tail, now) if tail.lost or tail.bad or self._rebooted else []
        self._mend(fd, tail, own, distrusted, flushed=head is not None and head.seq == tail.last_seq)
        self._ready = True
        return Recovered(tail.lost, own, list(self._damage))

    def _tail(self, fd: int, rungs: list[int], known: int) -> Tail:
        """What follows the newest good snapshot whose event the log still has; without one, the whole log."""
        begin, size = self._header.end, self._log.size
        for anchor in reversed(rungs):
            if self._snapshots.good(anchor):
                tail = read_tail(fd, self.session, begin, size, anchor, known)
                if tail is not None:
                    return tail
        tail = read_tail(fd, self.session, begin, size, 0, known)
        assert tail is not None
        return tail

    def _mend(self, fd: int, tail: Tail, own: list[Event], distrusted: list[int], *, flushed: bool) -> None:
        """Cut what is torn, declare what is lost: in one step, so that no crash leaves the one without the other.

        ``flushed`` says that all of the tail is known to be safe: else it is flushed now, since the process that
        wrote it may have died before it did.
        """
        lines = [event_line(event) for event in own]
        last = tail.last.seq if tail.last else 0
        if self.read_only:
            self._log.size = tail.end  # what is torn is not read
            self._log.hold(own, lines)
            return
        try:
            sweep_beside(self.folder)
            for seq in distrusted:
                with contextlib.suppress(FileNotFoundError):
                    self._snapshots.quarantine(seq)
            torn = b"".join(piece for bad in tail.bad for piece in pieces(fd, bad.start, bad.end))
            if torn:
                Quarantine(self.folder).put("events", torn)
            after = own[-1].seq if own else last
            for event in own:
                if isinstance(event.signal, EpochStarted):
                    self._log.epoch = event.signal.epoch
            if tail.inner or self._header.damaged:
                header = header_line(self.session) if self._header.damaged else b""
                before = (self._header.end if header else 0, tail.start)
                self._log.replaced(fresh_log(self._path, header, [before, *tail.good], lines)[0], after)
            elif own:
                self._log.settled(overwrite(self._path, tail.end, lines), after)
            elif not flushed:
                datasync(fd)
                self._log.settled(tail.end, after)
            if self._rebooted:
                self._opened()  # said once: the next recovery after the same start has nothing to add
        except OSError as why:
            self._log.unsettled(tail.end, last, own, lines, why)


def refuse_newer(path: Path, header: Header) -> None:
    """Raises ``NewerFormat``."""
    if newer(header):
        raise NewerFormat(str(path), header.version, VERSION)
