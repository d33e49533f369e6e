"""What was said in each session, as far as a search across sessions looks into it.

One row a session and no inverted index: what is written costs the live map one append, what is forgotten goes with its
row, and any two characters of any language are found. All rows are gone through for each search,
which 10,000 sessions of the most that a row holds take 50 ms for, whatever the number of words.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from lingbot_map.events import Event
from lingbot_probes.signals import Answered, TurnStarted

TABLE = "CREATE TABLE said (key TEXT PRIMARY KEY, text BLOB NOT NULL);\n"

KEY_BEGINS = 4
"""So many characters of a key find it: lists show six; with fewer than four, every year and price would."""

HALF = 1920
"""Bytes that are kept of a session's beginning, and of its end: 640 characters of Chinese each. What lies between is
not searched; in a session of 20 plain turns that is nothing. A full row has just room on one page of the file."""

_MOST_EACH = 400
"""Characters that are kept of one utterance or answer, so that a long one does not crowd out the others."""


def said(events: Iterable[Event]) -> bytes:
    """What users and bot say in ``events``, one a line, case folded; b"" if they say nothing."""
    lines = []
    for event in events:
        signal = event.signal
        if type(signal) is TurnStarted:
            lines.append(signal.utterance[:_MOST_EACH])
        elif type(signal) is Answered:
            lines.append(signal.text[:_MOST_EACH])
    return folded("\n".join(filter(None, lines)))


def folded(text: str) -> bytes:
    """As it is searched: case folded here, since SQLite folds ASCII only; without what is no character."""
    return text.casefold().encode("utf-8", "replace")


def append(db: sqlite3.Connection, key: str, text: bytes) -> None:
    """Add to what was said in the session ``key``."""
    if not text:
        return
    row = db.execute("SELECT text FROM said WHERE key = ?", (key,)).fetchone()
    db.execute("INSERT OR REPLACE INTO said VALUES (?, ?)", (key, _bounded(row[0] + b"\n" + text if row else text)))


def _bounded(text: bytes) -> bytes:
    """The beginning and the end; where they are cut apart nothing can be found that nobody said."""
    return text if len(text) <= 2 * HALF else text[:HALF] + b"\n" + text[1 - HALF :]


def sessions_with(db: sqlite3.Connection, words: Sequence[str]) -> set[str]:
    """The keys of the sessions that hold each of ``words`` (case folded) in their name, in their key's beginning, or in
    what was said. What the short columns tell is not looked for in the long one."""
    wanted = [(word, folded(word)) for word in words]
    found: set[str] = set()
    lacking: dict[str, list[bytes]] = {}
    for key, known in db.execute("SELECT key, words FROM sessions"):
        lacks = [as_said for word, as_said in wanted if word not in known and not _begins(key, word)]
        if lacks:
            lacking[key] = lacks
        else:
            found.add(key)

    def told(key: str, text: bytes) -> bool:
        return key in lacking and all(word in text for word in lacking[key])

    db.create_function("told", 2, told, deterministic=True)
    found.update(key for (key,) in db.execute("SELECT key FROM said WHERE told(key, text)"))
    return found


def _begins(key: str, word: str) -> bool:
    return len(word) >= KEY_BEGINS and key.startswith(word)
