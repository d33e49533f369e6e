"""The words of documents and sentences in SQLite FTS5: Chinese words and pairs of characters, Latin words by stem.

Rows are numbered once and never again: a snapshot knows its rows, so a reader of an older one sees nothing newer.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterable
from pathlib import Path

from lingbot_map.ask.bases.documents.wording import HAN, matching
from lingbot_map.ask.text import bigrams, words
from lingbot_map.errors import BadInput

_RUN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_MOST_TERMS = 64
"""Terms of one search: a question that is a whole document searches by its first."""
TITLE = 2.0
"""What a word counts in a title, beside one in the text."""


def indexed(text: str) -> str:
    """The text as it stands in the index: its words, and all pairs of neighbouring Chinese characters."""
    whole = matching(text)
    pairs = [pair for run in _RUN.findall(whole) for pair in bigrams(run)]
    return " ".join((*words(whole), *pairs))


def term(form: str) -> str:
    """A word as FTS5 reads it: all its pairs and Latin words; one Chinese character: words that begin so."""
    whole = matching(form)
    if len(whole) == 1 and HAN.match(whole):
        return f'"{whole}" *'
    parts = [pair for run in _RUN.findall(whole) for pair in bigrams(run)]
    parts += [word for word in words(whole) if not HAN.match(word)]
    found = [f'"{part}"' for part in dict.fromkeys(parts)]
    return found[0] if len(found) == 1 else "(" + " AND ".join(found) + ")" if found else '""'


def either(forms: Iterable[str]) -> str:
    """Any of the words. A query that matches nothing if there are none."""
    found = list(dict.fromkeys(term(form) for form in forms))[:_MOST_TERMS]
    return " OR ".join(found) or '""'


class Store:
    """An index, in memory or at ``path``. Any thread may search."""

    def __init__(self, path: Path | None = None) -> None:
        self._lock = threading.Lock()
        self._db = sqlite3.connect(str(path) if path else ":memory:", check_same_thread=False)
        try:
            for table in ("documents", "sentences"):
                self._db.execute(
                    f"create virtual table if not exists {table} using fts5(title, body, "
                    "tokenize='porter unicode61 remove_diacritics 2')"
                )
        except sqlite3.DatabaseError as why:
            self._db.close()
            raise BadInput(str(path or "SQLite"), "an index with FTS5", str(why)) from None

    def add(self, documents: Iterable[tuple[int, str, str]], sentences: Iterable[tuple[int, str, str]]) -> None:
        """(row, title, text) of documents and of their sentences."""
        with self._lock, self._db:
            for table, rows in (("documents", documents), ("sentences", sentences)):
                self._db.executemany(
                    f"insert into {table}(rowid, title, body) values(?,?,?)",
                    ((row, indexed(title), indexed(text)) for row, title, text in rows),
                )

    def remove(self, documents: Iterable[int], sentences: Iterable[int]) -> None:
        """Rows that no reader needs any more."""
        with self._lock, self._db:
            self._db.executemany("delete from documents where rowid=?", [(row,) for row in documents])
            self._db.executemany("delete from sentences where rowid=?", [(row,) for row in sentences])

    def documents(self, match: str, most: int) -> list[tuple[int, float]]:
        """(row, score) of documents, best first; scores are negated BM25, so more is better."""
        return self._search("documents", match, most)

    def sentences(self, match: str, most: int) -> list[tuple[int, float]]:
        """(row, score) of sentences, best first."""
        return self._search("sentences", match, most)

    def holding(self, match: str, most: int) -> list[int]:
        """The rows of at most ``most`` sentences that match, in order."""
        with self._lock:
            sql = "select rowid from sentences where sentences match ? order by rowid limit ?"
            return [row for (row,) in self._db.execute(sql, (match, most))]

    def count(self, match: str) -> int:
        """How many documents match."""
        with self._lock:
            sql = "select count(*) from documents where documents match ?"
            return int(self._db.execute(sql, (match,)).fetchone()[0])

    def close(self) -> None:
        """No search after this."""
        self._db.close()

    def _search(self, table: str, match: str, most: int) -> list[tuple[int, float]]:
        with self._lock:
            found = self._db.execute(
                f"select rowid, bm25({table}, ?, 1.0) from {table} where {table} match ? order by 2, rowid limit ?",
                (TITLE, match, most),
            ).fetchall()
        return [(row, -score) for row, score in found]
