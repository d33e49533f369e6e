"""The words of documents and sentences in SQLite FTS5: Chinese words and pairs of characters, Latin words by stem.

Rows are numbered once and never again: a snapshot knows its rows, so a reader of an older one sees nothing newer.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Iterable
from functools import lru_cache

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


@lru_cache(50_000)
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


_RARE = 5_000
"""Rows that hold a word up to which it is rare: such words are counted exactly, in about a millisecond."""
_SCORED = 20_000
"""Rows that one search scores at most: beyond, its most common words are left out."""
_REMEMBERED = 20_000  # words whose number of rows is remembered


def make_tables(db: sqlite3.Connection) -> None:
    """The two indexes, where they aren't there yet. Raises ``BadInput`` where SQLite has no FTS5."""
    try:
        for table in ("documents", "sentences"):
            db.execute(
                f"create virtual table if not exists {table} using fts5(title, body, "
                "tokenize='porter unicode61 remove_diacritics 2')"
            )
    except sqlite3.OperationalError as why:
        raise BadInput("SQLite", "one with FTS5", str(why)) from None


class Store:
    """An index, in memory or in the database ``db`` that ``make_tables`` prepared. Any thread may search."""

    def __init__(self, db: sqlite3.Connection | None = None) -> None:
        self.lock = threading.Lock()
        self._db = db or sqlite3.connect(":memory:", check_same_thread=False)
        self._sizes: dict[tuple[str, str], int] = {}
        if db is None:
            make_tables(self._db)

    def add(self, documents: Iterable[tuple[int, str, str]], sentences: Iterable[tuple[int, str, str]]) -> None:
        """(row, title, text) of documents and of their sentences."""
        self._sizes.clear()
        with self.lock, self._db:
            for table, rows in (("documents", documents), ("sentences", sentences)):
                self._db.executemany(
                    f"insert into {table}(rowid, title, body) values(?,?,?)",
                    ((row, indexed(title), indexed(text)) for row, title, text in rows),
                )

    def remove(self, documents: Iterable[int], sentences: Iterable[int]) -> None:
        """Rows that no reader needs any more."""
        self._sizes.clear()
        with self.lock, self._db:
            self._db.executemany("delete from documents where rowid=?", [(row,) for row in documents])
            self._db.executemany("delete from sentences where rowid=?", [(row,) for row in sentences])

    def documents(self, words: Iterable[str], most: int) -> list[tuple[int, float]]:
        """(row, score) of documents that hold any of the words, best first; a score is negated BM25: more is better."""
        return self._search("documents", words, most)

    def sentences(self, words: Iterable[str], most: int) -> list[tuple[int, float]]:
        """(row, score) of sentences that hold any of the words, best first."""
        return self._search("sentences", words, most)

    def holding(self, match: str, most: int) -> list[int]:
        """The rows of at most ``most`` sentences that match, in order."""
        with self.lock:
            sql = "select rowid from sentences where sentences match ? order by rowid limit ?"
            return [row for (row,) in self._db.execute(sql, (match, most))]

    def titled(self, words: Iterable[str], most: int) -> list[int]:
        """The rows of at most ``most`` documents whose title holds any of the words, in order."""
        with self.lock:
            sql = "select rowid from documents where documents match ? order by rowid limit ?"
            return [row for (row,) in self._db.execute(sql, (f"title : ({either(words)})", most))]

    def count(self, match: str) -> int:
        """How many documents match."""
        with self.lock:
            sql = "select count(*) from documents where documents match ?"
            return int(self._db.execute(sql, (match,)).fetchone()[0])

    def size(self, match: str, table: str = "sentences", most: int = _RARE) -> int:
        """How many sentences (or documents) match; ``most`` + 1 if they are more."""
        known = self._sizes.get((table, match))
        if known is None:
            with self.lock:
                sql = f"select count(*) from (select 1 from {table} where {table} match ? limit ?)"
                known = int(self._db.execute(sql, (match, most + 1)).fetchone()[0])
            if len(self._sizes) >= _REMEMBERED:
                self._sizes.clear()
            self._sizes[table, match] = known
        return known

    def close(self) -> None:
        """No search after this."""
        self._db.close()

    def _search(self, table: str, words: Iterable[str], most: int) -> list[tuple[int, float]]:
        """Rows by BM25. FTS5 walks every row of every word to weigh it, so of very many rows those of the rare words
        alone are scored; where no word is rare, those that hold the two rarest, or failing such the first of them."""
        terms = list(dict.fromkeys(map(term, words)))[:_MOST_TERMS]
        if len(terms) < 2 or sum(self.size(each, table) for each in terms) <= _SCORED:
            return self._scored(table, " OR ".join(terms) or '""', most)
        terms.sort(key=lambda each: self.size(each, table))
        kept, total = [], 0
        for each in terms:
            total += self.size(each, table)
            if self.size(each, table) > _RARE or total > _SCORED:
                break
            if self.size(each, table):
                kept.append(each)
        if kept:
            return self._scored(table, " OR ".join(kept), most)
        return self._scored(table, " AND ".join(terms[:2]), most) or self._scored(table, terms[0], most)

    def _scored(self, table: str, match: str, most: int) -> list[tuple[int, float]]:
        with self.lock:
            found = self._db.execute(
                f"select rowid, bm25({table}, ?, 1.0) from {table} where {table} match ? order by 2, rowid limit ?",
                (TITLE, match, most),
            ).fetchall()
        return [(row, -score) for row, score in found]
