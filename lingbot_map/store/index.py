"""What is asked across sessions: the list, the search, findings by kind, a document's hits in seven days.

``index.sqlite3`` is derived (``index_file`` keeps it): where it is missing, of another version or damaged, it is begun
anew and fed from the recordings. All calls come from one thread, but for ``Index.read_hits``.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from lingbot_map.errors import BadInput
from lingbot_map.events import Event
from lingbot_map.store import Recording
from lingbot_map.store.disk import open_file
from lingbot_map.store.index_file import IndexFile
from lingbot_map.store.index_said import TABLE, append, folded, said, sessions_with
from lingbot_map.store.summary import Summary
from lingbot_probes.signals import Retrieved

VERSION = 4
_HOUR = 3600
WINDOW_S = 7 * 24 * _HOUR
"""How far back hits count."""

_KEY = re.compile(r"[0-9a-f]{32}")
_TABLES = """
CREATE TABLE sessions (
    key TEXT PRIMARY KEY, updated_at REAL NOT NULL, live INTEGER NOT NULL, ended INTEGER NOT NULL, seq INTEGER NOT NULL,
    apart TEXT NOT NULL, words TEXT NOT NULL, summary BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX by_apart ON sessions (apart) WHERE apart <> '';
CREATE INDEX by_time ON sessions (updated_at DESC, key DESC);
CREATE TABLE findings (
    key TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (key, kind)
) WITHOUT ROWID;
CREATE TABLE hits (
    doc TEXT NOT NULL, hour INTEGER NOT NULL, key TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (doc, hour, key)
) WITHOUT ROWID;
CREATE INDEX hits_by_key ON hits (key);
CREATE TABLE ahead (key TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_OF_A_SESSION = ("sessions", "findings", "hits", "said")
"""The tables of what is counted of it."""

Apart = Literal["", "pinned", "case"]
"""What a list shows apart from its days, however old it is: what somebody pinned, and the cases that come along."""

Hits = Counter[tuple[str, int]]
"""(document, hour) -> how often the document was in a `prompt` stage in that hour."""


@dataclass(frozen=True, slots=True)
class Page:
    """``sessions`` newest first; ``total`` of all that fit; ``next`` is the cursor of the next page, "" at the end."""

    sessions: list[Summary]
    total: int
    next: str


class Index:
    """Opens the index at ``path``, or begins it anew; without a path it lives in memory."""

    def __init__(self, path: Path | None) -> None:
        self.file = IndexFile(path, VERSION, _TABLES + TABLE)
        self.file.run(_behind_again)

    def close(self) -> None:
        """Nothing is lost without it."""
        self.file.close()

    def _ask(self, question: str, *values: object) -> list[Any]:
        return self.file.run(lambda db: db.execute(question, values).fetchall())

    # --- feeding it ---

    def reconcile(self, keys: Iterable[str]) -> list[str]:
        """Forget sessions that are not among ``keys``, and name those that are not known here, or were damaged."""
        there, known = set(keys), dict(self._ask("SELECT key, seq FROM sessions"))
        gone = known.keys() - there
        for key in gone:
            self.remove(key)
        if gone and not self.file.scrub():  # a deletion was killed in the middle
            known = {}
        return sorted(key for key in there if not known.get(key))

    def seq(self, key: str) -> int:
        """Up to which event the session is counted; 0 if it isn't known."""
        rows = self._ask("SELECT seq FROM sessions WHERE key = ?", key)
        return int(rows[0][0]) if rows else 0

    def add(self, recording: Recording, summary: Summary, now: float, hits: Hits | None = None) -> None:
        """Take in one session whole. ``hits`` are those of ``read_hits``, if that was done on another thread."""
        if hits is None:
            hits = Counter() if summary.updated_at < now - 2 * WINDOW_S else self.read_hits(recording, now)
        self.remove(summary.key)
        self._write([(summary, hits, said(recording.events()))])

    @staticmethod
    def read_hits(recording: Recording, now: float) -> Hits:
        """The hits that a recording holds within the window. May run on any thread."""
        return _hits(recording.events(), now)

    def update(self, items: Iterable[tuple[Summary, Sequence[Event]]], now: float, ahead: Collection[str] = ()) -> None:
        """Once per batch: the sessions that changed, each with the events that are new since its last update.

        ``ahead`` are the keys of those with events that wait for the disk: the next start counts them anew.
        """
        rows = []
        for summary, events in items:
            counted = self.seq(summary.key)
            fresh = [event for event in events if event.seq > counted]
            rows.append((summary, _hits(fresh, now), said(fresh)))
        self._write(rows, ahead)

    def _write(self, rows: Sequence[tuple[Summary, Hits, bytes]], ahead: Collection[str] = ()) -> None:
        def write(db: sqlite3.Connection) -> None:
            for summary, hits, text in rows:
                key = summary.key
                db.execute(
                    "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        key,
                        summary.updated_at,
                        summary.live,
                        summary.ended_at is not None,
                        0 if summary.damaged else summary.events,
                        _apart(summary),
                        _words(summary),
                        msgspec.msgpack.encode(summary),
                    ),
                )
                db.execute("DELETE FROM ahead WHERE key = ?", (key,))
                if key in ahead:
                    db.execute("INSERT INTO ahead VALUES (?)", (key,))
                db.execute("DELETE FROM findings WHERE key = ?", (key,))
                db.executemany(
                    "INSERT INTO findings VALUES (?, ?, ?)",
                    [(key, kind, count) for kind, count in summary.findings.items()],
                )
                db.executemany(
                    "INSERT INTO hits VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
                    [(doc, hour, key, count) for (doc, hour), count in hits.items()],
                )
                append(db, key, text)

        self.file.run(write)

    def hear(self, key: str, text: bytes) -> None:
        """Add ``text``, as ``index_said.said`` makes it, to what was said in a session."""
        self.file.run(lambda db: append(db, key, text))

    def forget_old_hits(self, now: float) -> None:
        """Drop what no window will reach any more: once a day will do."""
        self.file.run(lambda db: db.execute("DELETE FROM hits WHERE hour < ?", (_hour(now - 2 * WINDOW_S),)))

    def remove(self, key: str) -> None:
        """Forget a session."""

        def remove(db: sqlite3.Connection) -> None:
            for table in (*_OF_A_SESSION, "ahead"):
                db.execute(f"DELETE FROM {table} WHERE key = ?", (key,))

        self.file.run(remove)

    # --- asking it ---

    def summaries(self) -> list[Summary]:
        """All there are, in no order."""
        return [_summary(row) for (row,) in self._ask("SELECT summary FROM sessions")]

    def get(self, key: str) -> Summary | None:
        """One session's summary."""
        rows = self._ask("SELECT summary FROM sessions WHERE key = ?", key)
        return _summary(rows[0][0]) if rows else None

    def search(self, q: str = "", *, before: str = "", limit: int = 50, finding: str = "", apart: Apart = "") -> Page:
        """Sessions whose id, title or name contain all words of ``q``, or in which they were said, newest first.

        Case doesn't count; a key is found by its beginning; of a long session its beginning and its end are looked
        through (``index_said``). ``finding`` asks for sessions that have a finding of that kind, ``apart`` for those
        that lists show apart. ``before`` is the ``next`` of the page before ("": the first page). Raises
        ``BadInput`` for what is none.
        """
        words = q.casefold().split()
        where, values = ["is_found(key)" if words else "1"], list[object]()
        if finding:
            where.append("key IN (SELECT key FROM findings WHERE kind = ? AND count > 0)")
            values.append(finding)
        if apart:
            where.append("apart = ?")
            values.append(apart)
        fits = " AND ".join(where)
        place = _place(before)
        limit = max(1, min(limit, 1000))
        after = "(updated_at, key) < (?, ?)" if place is not None else "1"
        asked = (
            f"SELECT updated_at, key, summary FROM sessions WHERE {fits} AND {after}"
            " ORDER BY updated_at DESC, key DESC LIMIT ?"
        )

        def ask(db: sqlite3.Connection) -> tuple[int, list[Any]]:
            keys = sessions_with(db, words) if words else set()
            db.create_function("is_found", 1, keys.__contains__, deterministic=True)
            total = len(keys)
            if not words or len(where) > 1:
                total = db.execute(f"SELECT count(*) FROM sessions WHERE {fits}", values).fetchone()[0]
            return total, db.execute(asked, (*values, *(place or ()), limit + 1)).fetchall()

        total, found = self.file.run(ask)
        more = len(found) > limit
        found = found[:limit]
        following = f"{found[-1][0]!r}:{found[-1][1]}" if more else ""
        return Page([_summary(row[2]) for row in found], total, following)

    def damaged(self) -> list[Summary]:
        """The sessions that can't be read."""
        return [_summary(row) for (row,) in self._ask("SELECT summary FROM sessions WHERE seq = 0")]

    def unended(self) -> list[tuple[str, float]]:
        """(key, time of the last event) of the live sessions."""
        return self._ask("SELECT key, updated_at FROM sessions WHERE live AND NOT ended")

    def hits(self, doc: str, now: float) -> int:
        """How often ``doc`` was in a `prompt` stage within the seven days before ``now``, over all sessions."""
        first = _hour(now - WINDOW_S) + 1
        rows = self._ask("SELECT sum(count) FROM hits WHERE doc = ? AND hour BETWEEN ? AND ?", doc, first, _hour(now))
        return int(rows[0][0] or 0)

    def findings(self) -> dict[str, int]:
        """How many findings of each kind there are."""
        return dict(self._ask("SELECT kind, sum(count) FROM findings GROUP BY kind"))


def _behind_again(db: sqlite3.Connection) -> None:
    """Forget the sessions of which more was counted than the log may have: a killed map had it in memory only."""
    for table in _OF_A_SESSION:
        db.execute(f"DELETE FROM {table} WHERE key IN (SELECT key FROM ahead)")
    db.execute("DELETE FROM ahead")


def remembered(path: Path) -> dict[str, Summary]:
    """The summaries in the index at ``path``, by key, read without writing or locking; {} where that is not possible.

    A process that writes there keeps its newest rows beside it, and what it is just writing may be read half old, half
    new: hold each against its recording.
    """
    try:
        return {key: _summary(row) for key, row in _read(path, "SELECT key, summary FROM sessions")}
    except msgspec.MsgspecError:
        return {}


def said_before(path: Path) -> dict[str, bytes]:
    """What was said, by key, as far as the index at ``path`` knows it: read and to be doubted as ``remembered``."""
    return dict(_read(path, "SELECT key, text FROM said"))


def _read(path: Path, question: str) -> list[Any]:
    try:
        os.close(open_file(path, os.O_RDONLY | os.O_NONBLOCK))  # no link
        db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        with contextlib.closing(db):
            if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
                return []
            return db.execute(question).fetchall()
    except (sqlite3.Error, OSError):
        return []


def _apart(summary: Summary) -> Apart:
    return "pinned" if summary.pinned else "case" if summary.origin == "case" else ""


def _words(summary: Summary) -> str:
    """What a search looks through besides what was said before."""
    return folded("\n".join((summary.title, summary.name, summary.id, summary.last_utterance))).decode()


def _summary(row: bytes) -> Summary:
    return msgspec.msgpack.decode(row, type=Summary)


def _hour(at: float) -> int:
    return math.floor(at / _HOUR)


def _hits(events: Iterable[Event], now: float) -> Hits:
    oldest = now - 2 * WINDOW_S
    found: Hits = Counter()
    for event in events:
        signal = event.signal
        if type(signal) is Retrieved and signal.stage == "prompt" and event.at >= oldest:
            found.update((doc.id, _hour(event.at)) for doc in signal.docs if not doc.dropped_because)
    return found


def _place(before: str) -> tuple[float, str] | None:
    if not before:
        return None
    at, _, key = before.partition(":")
    try:
        place = float(at)
    except ValueError:
        place = math.nan
    if not (math.isfinite(place) and _KEY.fullmatch(key)):
        raise BadInput("before", "the `next` of the page before", "something else", "leave it out for the first page")
    return place, key
