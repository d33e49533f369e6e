"""Recordings that live as long as the process: for ``record()`` in tests and for bots that want no files."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from lingbot_map.errors import UnknownSession
from lingbot_map.events import Event
from lingbot_map.store import Damage, OutOfOrder, Recovered, key_of
from lingbot_map.store.deleted import Deleted
from lingbot_map.store.footprint import Footprint
from lingbot_map.store.lines import event_line
from lingbot_map.store.snapshots import to_drop
from lingbot_map.store.span_ledger import SpanLedger


class MemoryRecording:
    """A list of events and a few snapshots."""

    origin: Literal["data"] = "data"
    read_only = False
    pending = 0
    room = True
    trouble = None
    wants_snapshot = False

    def __init__(self, session: str) -> None:
        self.key = key_of(session)
        self.session = session
        self.damage: list[Damage] = []
        self._events: list[Event] = []
        self._snapshots: dict[int, bytes | bytearray] = {}

    @property
    def last_seq(self) -> int:
        return self._events[-1].seq if self._events else 0

    @property
    def written_seq(self) -> int:
        return self.last_seq

    @property
    def synced_seq(self) -> int:
        return self.last_seq

    def append(self, events: Sequence[Event]) -> bool:
        for expected, event in enumerate(events, self.last_seq + 1):
            if event.seq != expected:
                raise OutOfOrder(f"session {self.session!r}", expected, event.seq)
            event_line(event)  # what can't be written to a file isn't taken here either
        self._events += events
        return True

    def events(self, first: int = 1, last: int | None = None) -> Iterator[Event]:
        return iter(self._events[max(0, first - 1) : last])

    def snapshots(self, last: int | None = None) -> Iterator[tuple[int, bytes | bytearray | memoryview]]:
        for seq in sorted(self._snapshots, reverse=True):
            if last is None or seq <= last:
                yield seq, self._snapshots[seq]

    def keep(self, seq: int, packed: bytes | bytearray) -> bool:
        self._snapshots[seq] = packed
        for rung in to_drop(sorted(self._snapshots)):
            del self._snapshots[rung]
        return True

    def recover(self, now: float) -> Recovered:
        return Recovered()

    def sync(self) -> bool:
        return True

    def close(self) -> None:
        pass


class MemoryStore:
    """All sessions of the process."""

    trouble = None

    def __init__(self) -> None:
        self.deleted = Deleted()
        self.spans = SpanLedger()
        self._mask_key = secrets.token_hex(32)
        self._recordings: dict[str, MemoryRecording] = {}

    def mask_key(self) -> str:
        return self._mask_key

    def keys(self) -> list[str]:
        return list(self._recordings)

    def open_keys(self) -> list[str]:
        return []

    def open(self, key: str) -> MemoryRecording:
        if key not in self._recordings:
            raise UnknownSession(key)
        return self._recordings[key]

    def create(self, session: str) -> MemoryRecording:
        return self._recordings.setdefault(key_of(session), MemoryRecording(session))

    def delete(self, key: str) -> None:
        if self._recordings.pop(key, None) is None:
            raise UnknownSession(key)

    def empty_bin(self) -> None:
        pass

    def footprint(self, key: str) -> Footprint:
        return Footprint(0, 0.0)

    def remove_exports(self, key: str, session: str, events: Callable[[], Iterable[Event]]) -> list[str]:
        return []

    def release(self, key: str) -> None:
        pass

    def sync(self) -> None:
        pass

    def close(self) -> None:
        pass
