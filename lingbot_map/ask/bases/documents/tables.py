"""The tables of an index on disk, and how a document goes into them and out again.

``doc`` and ``line`` are documents and sentences, ``called`` what documents are called, ``held`` which sentences hold a
name (by the first eight bytes of its BLAKE2b), ``form`` how many sentences have a form, ``part`` the tables of a folder
and what the index was made with. The words stand in the two FTS5 tables of ``store``.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field

from lingbot_map.ask.bases.documents.files import Document, Folder, Line, Row
from lingbot_map.ask.bases.documents.spoken import Spoken, called_by, own_text, spoken_in
from lingbot_map.ask.bases.documents.store import indexed, make_tables
from lingbot_map.ask.bases.documents.wording import stems

_SCHEMA = """
create table doc(row integer primary key, id text unique, folder text, title text, family text, version text,
  retitled integer, first integer, count integer, size integer, changed integer, digest blob, vector integer);
create table line(row integer primary key, doc integer, n integer, text text, heading text, paragraph integer,
  place integer, names text, stems text, form integer);
create table called(name text, doc integer, proper integer);
create index called_doc on called(doc);
create table held(name integer, row integer, primary key(name, row)) without rowid;
create table form(form integer primary key, count integer);
create table part(name text primary key, value text);
"""
_BREAK = "\x1f"
"""Between names in a row; ``matching`` leaves no such character in a name that is not in the text itself."""
BATCH = 400
"""Documents that are written at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A document's file as it was when it was read: size, time of change (ns) and BLAKE2b of its bytes."""

    size: int = 0
    changed: int = 0
    digest: bytes = b""


@dataclass(slots=True)
class Writer:
    """Writes documents into a database within a transaction of the caller's; ``row`` is the next that is free."""

    db: sqlite3.Connection
    row: int = 1
    held: str = "held"
    _forms: Counter[int] = field(default_factory=Counter)

    @classmethod
    def first(cls, db: sqlite3.Connection) -> Writer:
        """Begin in an empty database: names are put in order once, at the end (``settle``)."""
        db.execute("create temp table held_unordered(name integer, row integer)")
        return cls(db, held="held_unordered")

    def settle(self) -> None:
        """Put the names of a first writing in order."""
        self.db.execute("insert or ignore into held select name, row from held_unordered order by name, row")
        self.db.execute("drop table held_unordered")

    @classmethod
    def over(cls, db: sqlite3.Connection) -> Writer:
        """Go on where the last writer ended."""
        (last,) = db.execute("select coalesce(max(first + count), 1) from doc").fetchone()
        return cls(db, last)

    def add(self, documents: Iterable[tuple[Document, Source]]) -> list[tuple[int, Document, int]]:
        """(row, document, first row of its sentences) of documents that were taken in; ``finish`` makes them found."""
        heads, docs, lines, words = [], [], [], []
        called: list[tuple[str, int, bool]] = []
        held: list[tuple[int, int]] = []
        for document, source in documents:
            row, first = self.row, self.row + 1
            spoken = spoken_in(document, first)
            self.row += 1 + len(spoken)
            heads.append((row, document, first))
            docs.append((
                row, document.id, document.folder, document.title, document.family, json.dumps(document.version),
                document.retitled, first, len(spoken), source.size, source.changed, source.digest, None,
            ))  # fmt: skip
            proper = document.title[:1].isupper()
            called.extend((name, row, proper) for name in called_by(document))
            for each in spoken:
                line = each.line
                lines.append((
                    each.row, row, line.n, line.text, line.heading, line.paragraph, line.line,
                    _BREAK.join(each.names), " ".join(stems(line.text)), each.form,
                ))  # fmt: skip
                held.extend((key(name), each.row) for name in each.names)
                words.append((each.row, indexed(f"{document.title} {line.heading}"), indexed(line.text)))
                self._forms[each.form] += 1
        held.sort()
        many = self.db.executemany
        many(f"insert into doc values({_places(13)})", docs)
        many(f"insert into line values({_places(10)})", lines)
        many("insert into called values(?,?,?)", called)
        many(f"insert or ignore into {self.held} values(?,?)", held)
        many("insert into sentences(rowid, title, body) values(?,?,?)", words)
        return heads

    def remove(self, ids: Iterable[str]) -> None:
        """Take documents out; one that isn't there is none."""
        for id in ids:
            found = self.db.execute("select row, first, count from doc where id=?", (id,)).fetchone()
            if found is None:
                continue
            row, first, count = found
            span = (first, first + count - 1)
            for each, names, form in self.db.execute(
                "select row, names, form from line where row between ? and ?", span
            ).fetchall():
                self._forms[form] -= 1
                gone = [(key(name), each) for name in names.split(_BREAK) if name]
                self.db.executemany("delete from held where name=? and row=?", gone)
            self.db.execute("delete from sentences where rowid between ? and ?", span)
            self.db.execute("delete from line where row between ? and ?", span)
            self.db.execute("delete from documents where rowid=?", (row,))
            self.db.execute("delete from called where doc=?", (row,))
            self.db.execute("delete from doc where row=?", (row,))

    def count_forms(self) -> None:
        """Write how many sentences have each form: what ``finish`` needs to know boilerplate."""
        changed = [(form, more) for form, more in self._forms.items() if more]
        self.db.executemany(
            "insert into form values(?,?) on conflict(form) do update set count = count + excluded.count", changed
        )
        self._forms.clear()

    def finish(self, rows: Iterable[int], total: int) -> None:
        """Make documents found by their words, those of boilerplate left out; ``total`` is how many there are."""
        for row in rows:
            title, first, count = self.db.execute("select title, first, count from doc where row=?", (row,)).fetchone()
            said = self.db.execute(
                "select body, (select count from form where form = line.form) from line join sentences "
                "on sentences.rowid = line.row where line.row between ? and ? order by line.row",
                (first, first + count - 1),
            ).fetchall()
            body = " ".join(own_text(said, total))
            self.db.execute("insert into documents(rowid, title, body) values(?,?,?)", (row, indexed(title), body))

    def say(self, folder: Folder) -> None:
        """The tables of a folder."""
        for name in ("fine", "graph"):
            self.put(name, json.dumps([asdict(row) for row in getattr(folder, name)], ensure_ascii=False))
        self.put("synonyms", json.dumps(folder.synonyms, ensure_ascii=False))

    def put(self, name: str, value: str) -> None:
        """A part of what the index says of itself."""
        self.db.execute("insert or replace into part values(?,?)", (name, value))


def create(db: sqlite3.Connection) -> None:
    """The tables in an empty database. Raises ``BadInput`` where SQLite has no FTS5."""
    for each in filter(str.strip, _SCHEMA.split(";")):
        db.execute(each)
    make_tables(db)


def part(db: sqlite3.Connection, name: str) -> str:
    """What the index says of itself under a name; "" if nothing."""
    found = db.execute("select value from part where name=?", (name,)).fetchone()
    return str(found[0]) if found else ""


def folder_tables(db: sqlite3.Connection) -> Folder:
    """The tables of the folder, without its documents."""
    fine, graph, synonyms = (json.loads(part(db, name) or "[]") for name in ("fine", "graph", "synonyms"))
    return Folder(
        documents=(),
        fine=tuple(Row(**row) for row in fine),
        graph=tuple(Row(**row) for row in graph),
        synonyms=tuple(tuple(group) for group in synonyms),
    )


def spoken_from(
    row: tuple[int, int, int, str, str, int, int, str, str, int], document: Document, context: str, held: frozenset[str]
) -> Spoken:
    """A sentence from its row; ``context`` and its stems ``held`` are those of its title and heading."""
    at, _, n, text, heading, paragraph, place, names, said, form = row
    return Spoken(
        row=at,
        id=f"{document.id}#{n}",
        document=document.id,
        line=Line(n=n, text=text, heading=heading, paragraph=paragraph, line=place),
        names=tuple(names.split(_BREAK)) if names else (),
        context=context,
        stems=held.union(said.split(" ")),
        form=form,
    )


def key(name: str) -> int:
    """A name as ``held`` knows it."""
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest(), "big", signed=True)


def batches(documents: Iterable[tuple[Document, Source]]) -> Iterator[list[tuple[Document, Source]]]:
    """So many at once."""
    batch: list[tuple[Document, Source]] = []
    for each in documents:
        batch.append(each)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _places(count: int) -> str:
    return ",".join("?" * count)
