"""A snapshot of an index on disk: one read transaction, and of its documents no more in memory than was asked for.

What a question touches is read from the database and remembered up to a bound; titles and the list of documents are
read whole, with the first question. A change by another connection, or another process, isn't seen.
"""

from __future__ import annotations

import json
import sqlite3
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, overload

from lingbot_map.ask.bases.documents import tables
from lingbot_map.ask.bases.documents.files import Document, Line
from lingbot_map.ask.bases.documents.library import Snapshot
from lingbot_map.ask.bases.documents.links import Titles
from lingbot_map.ask.bases.documents.mapped import ByWords
from lingbot_map.ask.bases.documents.spoken import OWN, Spoken, context_of, form_worth
from lingbot_map.ask.bases.documents.store import Store
from lingbot_map.ask.bases.documents.synonyms import Synonyms
from lingbot_map.ask.bases.documents.vectors import Vectors
from lingbot_map.ask.bases.documents.wording import matching, stems
from lingbot_map.ask.text import terms

_REMEMBERED = 30_000
"""Sentences, and rows of names, that stay in memory: about a kilobyte each."""
_HELD = 1_000
"""Rows of a name that are read: one that more sentences hold ties nothing."""
_HOLDING = (
    "select value, (select json_group_array(row) from "
    "(select row from held where name = json_each.value order by row limit ?)) from json_each(?)"
)
_LINE = (
    "select row, doc, n, text, heading, paragraph, place, names, stems, form, "
    "(select count from form where form.form = line.form) from line"
)


_K = TypeVar("_K")
_V = TypeVar("_V")


class _Read(Mapping[_K, _V]):
    """A mapping whose values are read when they are asked for, and remembered up to a bound."""

    def __init__(
        self, read: Callable[[_K], _V | None], size: Callable[[], int], keys: Callable[[], Iterator[_K]]
    ) -> None:
        self._read, self._size, self._keys = read, size, keys
        self.known: dict[_K, _V] = {}

    def __getitem__(self, key: _K) -> _V:
        value = self.known.get(key)
        if value is None:
            value = self._read(key)
            if value is None:
                raise KeyError(key)
            if len(self.known) >= _REMEMBERED:
                self.known.clear()
            self.known[key] = value
        return value

    def __iter__(self) -> Iterator[_K]:
        return self._keys()

    def __len__(self) -> int:
        return self._size()


class _Lines(Sequence[Line]):
    """The sentences of a document, read each time that they are asked for."""

    def __init__(self, read: Callable[[int, int], list[Line]], first: int, count: int) -> None:
        self._read, self._first, self._count = read, first, count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, at: int) -> Line: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Line]: ...

    def __getitem__(self, at: int | slice) -> Line | Sequence[Line]:
        return self._read(self._first, self._count)[at]

    def __iter__(self) -> Iterator[Line]:
        return iter(self._read(self._first, self._count))


@dataclass(frozen=True, eq=False)
class StoredSnapshot(Snapshot):
    """Documents as they stood when the read transaction of ``db`` began."""

    db: sqlite3.Connection = field(kw_only=True, repr=False)

    @cached_property
    def titles(self) -> Titles:
        """Documents by what they are called, as it was written with them."""
        called: dict[str, tuple[str, ...]] = {}
        proper = set()
        for name, row, is_proper in self._all("select name, doc, proper from called order by doc"):
            called[name] = (*called.get(name, ()), self.rows[row])
            if is_proper:
                proper.add(name)
        return Titles(called, frozenset(proper))

    @cached_property
    def ids(self) -> Mapping[str, Spoken]:
        """Sentences by id, each read when it is asked for."""

        def read(id: str) -> Spoken | None:
            document, _, n = id.rpartition("#")
            rows = self.by_document.get(document, ())
            return self.sentences[rows[int(n) - 1]] if n.isdecimal() and 0 < int(n[:9]) <= len(rows) else None

        return _Read(read, lambda: len(self.sentences), lambda: (each.id for each in self.sentences.values()))

    def spoken(self, rows: Iterable[int]) -> list[Spoken]:
        """The sentences of these rows, in their order; those that aren't in memory in one go."""
        wanted = list(rows)
        known = _known(self.sentences)
        missing = [row for row in wanted if row not in known]
        for begin in range(0, len(missing), 500):
            part = missing[begin : begin + 500]
            self._take(self._all(f"{_LINE} where row in ({','.join('?' * len(part))})", part))
        return [self.sentences[row] for row in wanted]

    def of(self, document: str) -> list[Spoken]:
        """The sentences of a document, in order."""
        rows = self.by_document[document]
        known = _known(self.sentences)
        if not all(row in known for row in rows):
            self._take(self._all(f"{_LINE} where row between ? and ?", (rows[0], rows[-1])))
        return [self.sentences[row] for row in rows]

    def known(self, match: str, most: int = 2000) -> list[int]:
        """Rows of sentences that match; the index holds this snapshot's alone."""
        return self.store.holding(match, most)

    def found(self, words: Iterable[str], most: int) -> list[tuple[int, float]]:
        """(row, score) of sentences that hold any of the words, best first."""
        return self.store.sentences(words, most)

    def hold(self, names: Iterable[str]) -> None:
        """Read which sentences hold these names, in one go."""
        known = _known(self.postings)
        missing = {tables.key(name): name for name in names if name not in known}
        if not missing:
            return
        if len(known) + len(missing) > _REMEMBERED:
            known.clear()
        for key, rows in self._all(_HOLDING, (_HELD, json.dumps(list(missing)))):
            if rows != "[]":
                known[missing[key]] = tuple(json.loads(rows))

    def without_boilerplate(self, rows: Sequence[int]) -> tuple[int, ...]:
        """Of these sentences those that are written for their documents."""
        if not self._any_boilerplate:
            return tuple(rows)
        total = len(self.documents)
        sql = "select line.row, form.count from line join form on form.form = line.form where line.row in "
        found = self._all(f"{sql}({','.join('?' * len(rows))}) order by line.row", rows)
        return tuple(row for row, count in found if form_worth(count, total) > OWN)

    @cached_property
    def _any_boilerplate(self) -> bool:
        most = self._all("select max(count) from form")[0][0] or 0
        return form_worth(most, len(self.documents)) <= OWN

    def close(self) -> None:
        """End the read transaction: the database may forget what only this snapshot saw."""
        self.db.close()

    def _take(self, rows: Iterable[tuple[Any, ...]]) -> None:
        known = _known(self.sentences)
        if len(known) >= _REMEMBERED:
            known.clear()
        for row in rows:
            known[row[0]] = self._spoken(row)

    def _spoken(self, row: tuple[Any, ...]) -> Spoken:
        forms = _known(self.forms)
        if len(forms) >= _REMEMBERED:
            forms.clear()
        forms[row[9]] = row[10]
        document = self.documents[self.rows[row[1]]]
        key = (document.id, row[4])
        above = self._contexts.get(key)
        if above is None:
            if len(self._contexts) >= _REMEMBERED:
                self._contexts.clear()
            context = context_of(matching(document.title), row[4], document.title)
            above = self._contexts[key] = (context, stems(context))
        return tables.spoken_from(row[:10], document, *above)

    @cached_property
    def _contexts(self) -> dict[tuple[str, str], tuple[str, frozenset[str]]]:
        return {}

    def _all(self, sql: str, given: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self.store.lock:
            return self.db.execute(sql, given).fetchall()


def _known(read: Mapping[_K, _V]) -> dict[_K, _V]:
    assert isinstance(read, _Read)
    return read.known


def snapshot_of(
    db: sqlite3.Connection, vectors: Callable[[Mapping[str, tuple[int, int]], ByWords], Vectors]
) -> StoredSnapshot:
    """The snapshot of a connection, whose read transaction begins here. ``vectors`` makes them from the (first row in
    the file, count) of each document that has some, and from a way to search by words."""
    db.execute("begin")
    store = Store(db)

    def all(sql: str, *given: object) -> list[tuple[Any, ...]]:
        with store.lock:
            return db.execute(sql, given).fetchall()

    def one(sql: str, *given: object) -> int:
        found = all(sql, *given)
        return int(found[0][0]) if found else 0

    folder = tables.folder_tables(db)
    documents: dict[str, Document] = {}
    rows: dict[int, str] = {}
    by: dict[str, range] = {}
    blocks: dict[str, tuple[int, int]] = {}
    reading: list[weakref.ref[StoredSnapshot]] = []  # no circle: the last reader's going ends the transaction

    def lines(first: int, count: int) -> list[Line]:
        sql = "select n, text, heading, paragraph, place from line where row between ? and ? order by row"
        return [
            Line(n=n, text=text, heading=heading, paragraph=paragraph, line=place)
            for n, text, heading, paragraph, place in all(sql, first, first + count - 1)
        ]

    for row, id, top, title, family, version, retitled, first, count, vector in all(
        "select row, id, folder, title, family, version, retitled, first, count, vector from doc order by row"
    ):
        rows[row] = id
        by[id] = range(first, first + count)
        documents[id] = Document(
            id=id,
            folder=top,
            title=title,
            lines=_Lines(lines, first, count),
            family=family,
            version=tuple(json.loads(version)) if version != "[]" else (),
            retitled=bool(retitled),
        )
        if vector is not None:
            blocks[id] = (vector, count)

    def sentence(row: int) -> Spoken | None:
        found = all(f"{_LINE} where row=?", row)
        snapshot = reading[0]()
        return snapshot._spoken(found[0]) if found and snapshot is not None else None

    def held(name: str) -> tuple[int, ...] | None:
        rows = all("select row from held where name=? order by row limit ?", tables.key(name), _HELD)
        return tuple(row for (row,) in rows) or None

    def by_words(text: str, most: int) -> list[tuple[str, int]]:
        snapshot = reading[0]()
        found = [] if snapshot is None else snapshot.spoken(row for row, _ in store.sentences(terms(text), most))
        return [(each.document, each.line.n - 1) for each in found]

    total = sum(map(len, by.values()))
    made = StoredSnapshot(
        documents=documents,
        rows=rows,
        sentences=_Read(sentence, lambda: total, lambda: (row for each in by.values() for row in each)),
        by_document=by,  # type: ignore[arg-type]
        postings=_Read(held, lambda: one("select count(distinct name) from held"), lambda: iter(())),
        forms=_Read(
            lambda form: one("select count from form where form=?", form),
            lambda: one("select count(*) from form"),
            lambda: (form for (form,) in all("select form from form")),
        ),
        store=store,
        synonyms=Synonyms(folder.synonyms),
        vectors=vectors(blocks, by_words),
        fine=folder.fine,
        graph=folder.graph,
        db=db,
    )
    reading.append(weakref.ref(made))
    return made
