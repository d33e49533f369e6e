"""Writers for the torture drivers: ``python -m tests.torture.write {write|sync|ingest} --data DIR ...``

``write`` appends numbered events whose content follows from their seq alone, goes on after the last stored one, and
prints ``ACK <seq>`` when all up to that seq are accepted; ``sync`` prints it when they are safe from a power cut.
``ingest`` takes signals as JSON lines (``numbered_to_dict`` with a ``source``) through the intake, as a server does.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from lingbot_map.errors import LingbotMapError, NotWritten
from lingbot_map.events import Event
from lingbot_map.policy import Policy
from lingbot_map.session import Session
from lingbot_map.store.files import FileStore
from lingbot_probes.codec import numbered_from_dict
from lingbot_probes.signals import Answered, Doc, IntentRouted, Retrieved, Signal, SlotAssigned, TurnStarted

BEGIN = 1_700_000_000.0
SESSION = "torture"
BATCH = 7
SNAPSHOT_EVERY = 200
"""Events between snapshots: far more often than in earnest, so that kills hit the inside of one."""
SYNC_EVERY = 20
"""Batches between flushes in ``write``."""
_PAUSE = threading.Event()


def signal_of(seq: int) -> Signal:
    """What the event ``seq`` says."""
    turn = seq // 6
    match seq % 6:
        case 0:
            return TurnStarted(turn=f"t{turn}", utterance=f"第 {turn} 句: where is order {seq}?")
        case 1:
            return IntentRouted(intent=f"intent_{turn % 7}", confidence=0.5 + turn % 40 / 100)
        case 2:
            return SlotAssigned(slot=f"slot_{seq * 7 % 40}", value=f"value {seq * 31 % 97}")
        case 5:
            return Answered(text=f"answer {turn} " + "x" * (seq % 50), docs=(f"doc-{seq % 11}",))
        case _:
            docs = tuple(Doc(id=f"doc-{(seq + i) % 11}", score=1 - i / 10) for i in range(3))
            return Retrieved(query=f"order {seq}", stage="vector" if seq % 6 == 3 else "prompt", docs=docs)


def event_of(seq: int) -> Event:
    """The event ``seq``, whoever writes it and whenever."""
    turn = seq // 6
    turn_id = f"t{turn}" if seq % 6 == 0 else ""
    signal = signal_of(seq)
    return Event(
        session=SESSION, seq=seq, at=BEGIN + seq, signal=signal, source="torture", n=seq, turn=turn, turn_id=turn_id
    )


def _say(line: str) -> None:
    os.write(1, line.encode())  # in one piece: a kill must not leave half a number


def write(folder: Path, count: int, *, durable: bool, every: int = SNAPSHOT_EVERY) -> None:
    """Append ``count`` events, in spite of whatever the disk does meanwhile."""
    store = FileStore(folder, fsync="batch")
    session = Session.create(store, SESSION, policy=Policy(), facts={"origin": "probe"}, now=BEGIN, epoch="torture")
    recording = session.recording
    last, acked, batches = session.map.cursor.seq + count, 0, 0
    while acked < last:
        seq = session.map.cursor.seq
        if seq < last and recording.room:
            try:
                session.apply([event_of(n) for n in range(seq + 1, min(seq + BATCH, last) + 1)])
            except NotWritten as why:
                _say(f"full: {why}\n")
            batches += 1
        if durable or batches % SYNC_EVERY == 0 or seq == last or recording.pending:
            store.sync()
            if recording.pending:
                _PAUSE.wait(0.05)
        safe = recording.synced_seq if durable else 0 if recording.pending else recording.written_seq
        if safe > acked:
            acked = safe
            _say(f"ACK {acked}\n")
        if session.map.cursor.seq // every > seq // every or recording.wants_snapshot:
            session.snapshot(BEGIN)
    store.close()


def _items(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def ingest(folder: Path, path: Path) -> None:
    """Take all signals of a file as if they came in one storm, then wait out what the intake holds back."""
    later = BEGIN + 10  # more than the intake waits for what is missing, less than anything lives
    store = FileStore(folder)
    sessions: dict[str, Session] = {}
    for source, items in groupby(_items(path), lambda item: str(item.get("source", "torture"))):
        for item in (numbered_from_dict(item) for item in items):
            session = sessions.get(item.session)
            if session is None:
                facts = {"origin": "probe"}
                session = Session.create(store, item.session, policy=Policy(), facts=facts, now=BEGIN, epoch="torture")
                sessions[item.session] = session
            session.apply(session.intake.take(source, [item], BEGIN).events)
    for session in sessions.values():
        session.apply(session.intake.release(later))
        session.close(later)
    store.close()


def main() -> int:
    """0, or 2 with one line on stderr."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture.write")
    parser.add_argument("mode", choices=("write", "sync", "ingest"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--snapshot-every", type=int, default=SNAPSHOT_EVERY)
    parser.add_argument("--file", type=Path, default=None)
    given = parser.parse_args()
    try:
        if given.mode == "ingest":
            ingest(given.data, given.file)
        else:
            write(given.data, given.count, durable=given.mode == "sync", every=given.snapshot_every)
    except (LingbotMapError, OSError, ValueError) as why:
        os.write(2, f"{type(why).__name__}: {why}\n".encode())
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
