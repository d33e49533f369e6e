"""The past of sessions: what a store and a recording promise, whoever keeps them.

**The log is the recording**; a snapshot is a cache of what the log says. *Accepted* means that ``Recording.append``
returned True: the events survive the end of the process at any moment, and after the next ``sync`` a power cut too.

``memory`` keeps everything in the process, ``files`` in a folder for each session; ``tests/contracts`` holds both to
this page. ``index`` answers what is asked across sessions, and is derived.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from lingbot_map.errors import NotWritten, StoreError
from lingbot_map.events import Event

if TYPE_CHECKING:
    from lingbot_map.store.deleted import Deleted
    from lingbot_map.store.footprint import Footprint
    from lingbot_map.store.span_ledger import SpanLedger

Origin = Literal["data", "case"]

BACKLOG_EVENTS = 50_000
BACKLOG_BYTES = 64 << 20
"""What a recording keeps in memory while the disk refuses. Past either bound it takes nothing more: sources are not
acknowledged, keep what they have and send it again; what their rings drop meanwhile is counted and drawn as a gap."""

SNAPSHOT_SPACING = 4_000
"""Older snapshots are thinned to about so many events apart: half of it is what a seek replays at the median."""


def key_of(session: str) -> str:
    """The session's name in folders and URLs: a hash of its id, never the id itself."""
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Damage:
    """Something in ``file`` (at ``line``, 0 if that says nothing) was not as it was written: ``reason``."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        place = f"{self.file} line {self.line}" if self.line else self.file
        return f"{place}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a recovery found. ``lost`` are the seqs that no line holds any more and that were not declared before.

    ``own`` are the statements appended because of it: a gap for each range lost, then a new epoch.
    """

    lost: list[tuple[int, int]] = field(default_factory=list)
    own: list[Event] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        return not (self.lost or self.own or self.damage)


class OutOfOrder(StoreError):
    """``where`` was given seq ``found`` when ``expected`` was next."""

    def __init__(self, where: str, expected: int, found: int) -> None:
        super().__init__(where, expected, found)
        self.where = where
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        return f"{self.where}: expected seq {self.expected}, found {self.found}; are two writers on this session?"


class Recording(Protocol):
    """One session's past. After ``Store.open`` call ``recover`` before the first ``append``."""

    @property
    def key(self) -> str: ...
    @property
    def session(self) -> str: ...
    @property
    def origin(self) -> Origin: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def last_seq(self) -> int:
        """The last seq that ``append`` took, on the log or waiting."""

    @property
    def written_seq(self) -> int:
        """The last seq on the log."""

    @property
    def synced_seq(self) -> int:
        """The last seq that is safe from a power cut."""

    @property
    def pending(self) -> int:
        """Events that are not as safe as was asked for, because the disk refused: in memory alone, or never flushed
        where each append is to be. While it isn't 0, acknowledge nothing of this session."""

    @property
    def room(self) -> bool:
        """Whether ``append`` takes more. False only when the disk has refused for so long that the backlog is full."""

    @property
    def trouble(self) -> NotWritten | None:
        """Why writing fails at present, if it does."""

    @property
    def wants_snapshot(self) -> bool:
        """The log went into a fresh file after an error: a snapshot is due."""

    @property
    def damage(self) -> list[Damage]:
        """What was found damaged so far."""

    def append(self, events: Sequence[Event]) -> bool:
        """True: the events are on the log. False: the disk refuses; they wait in memory, in order, for a later write.

        Raises ``NotWritten`` when the backlog is full, ``OutOfOrder`` when a seq is not the next one and ``BadInput``
        for what JSON can't hold. When it raises, nothing was taken.
        """

    def events(self, first: int = 1, last: int | None = None) -> Iterator[Event]:
        """The events from ``first`` to ``last``, in order; a damaged one is left out."""

    def snapshots(self, last: int | None = None) -> Iterator[tuple[int, bytes | bytearray | memoryview]]:
        """(seq, packed map) of the good snapshots up to ``last``, newest first."""

    def keep(self, seq: int, packed: bytes | bytearray) -> bool:
        """Keep the map at ``seq``. False if that was not possible, which costs nothing but time later."""

    def recover(self, now: float) -> Recovered:
        """Mend the log where the last process, or the disk, left it torn, and say what that cost."""

    def sync(self) -> bool:
        """Make what was accepted safe from a power cut and write what waits. False while something fails."""

    def close(self) -> None:
        """Sync, and note that the session is not open. Appending opens it again."""


class Store(Protocol):
    """All sessions of one place."""

    @property
    def deleted(self) -> Deleted:
        """Those that were deleted; ``note`` them there first if their sources may go on."""

    @property
    def spans(self) -> SpanLedger:
        """What came as spans and waits, and what of them was told."""

    def mask_key(self) -> str:
        """The key of the pseudonyms that probes share here, always the same."""

    def keys(self) -> list[str]:
        """The keys of all sessions."""

    def open_keys(self) -> list[str]:
        """The keys of those that were open when the last process ended: what a start has to recover."""

    def open(self, key: str) -> Recording:
        """The recording of an existing session. Raises ``UnknownSession`` or ``NewerFormat``."""

    def create(self, session: str) -> Recording:
        """The recording of the session ``session``, whether or not there was one."""

    def delete(self, key: str) -> None:
        """From here on there is no such session, also after a crash; ``empty_bin`` gives its place on the disk free.

        Raises ``UnknownSession``, and ``StoreError`` for a read-only one.
        """

    def empty_bin(self) -> None:
        """Remove the files of what was deleted, now or by a process that was killed. May run in a thread of its own.

        Raises ``NotRemoved`` for what can't be removed; the rest is.
        """

    def footprint(self, key: str) -> Footprint:
        """How much room the session takes, and when it was last written. May run in a thread of its own."""

    def remove_exports(self, key: str, session: str, events: Callable[[], Iterable[Event]]) -> list[str]:
        """Remove what was exported of a session to where it is kept; the names of the files in there. See ``exports``.

        May run in a thread of its own. Raises ``OSError`` for what can't be removed.
        """

    def release(self, key: str) -> None:
        """Drop a recording that was closed and is not used any more; ``open`` reads it anew."""

    def sync(self) -> None:
        """Once per batch: flush all recordings and try again to write what waits. May run in a thread of its own."""

    @property
    def trouble(self) -> NotWritten | None:
        """Why one of the recordings can't be written at present."""

    def close(self) -> None:
        """Close all recordings and give the place free."""
