"""Tables of dialogue rows: CSV, JSON lines or a JSON list, with a mapping that says which column holds what.

Rows belong to a session by one of their columns and keep the order of the file. Nothing is guessed: without a mapping
a table is refused, with its columns and an example of a mapping.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

import msgspec
import orjson

from lingbot_map.errors import BadInput
from lingbot_map.importers.blob import Blob
from lingbot_map.importers.imported import ImportedSession, Reading, Record
from lingbot_map.importers.lines import Index, Places, pieces, slicer
from lingbot_map.importers.records import BadRecord, parse
from lingbot_map.importers.separated import Flaw, Separated
from lingbot_map.importers.shape import NO_JSON, Shape
from lingbot_probes.adapters.openai_agents import Meaning, meaning
from lingbot_probes.adapters.table import Columns, Table, cell
from lingbot_probes.codec import SignalError

NAME = "table"

_KEYS = ("session", "user", "bot", "role", "text", "intent", "confidence", "time", "doc")
_PAIR = re.compile(r",(?=\w[\w.-]*=)")  # a comma that no key follows belongs to the name of a column
_FUNCTIONS = ("retrieval", "slots")
_EXAMPLE = "session=conv_id,user=question,bot=answer"
_SHOWN = 30  # columns that a message names


def columns_of(said: Sequence[str]) -> Columns | Meaning:
    """What texts say of a file that can't say it itself. Raises ``BadInput``.

    Of a table ``session=conv_id,user=question,slot.city=city``: what its columns hold. Of traces of the OpenAI Agents
    SDK ``retrieval=search,retrieval=order_by:reranked,slots=set_city``: which functions search, and in which stage if
    their names don't tell, and whose arguments are slots.
    """
    pairs = [pair for text in said for pair in _PAIR.split(text)]
    if pairs and pairs[0].partition("=")[0] in _FUNCTIONS:
        return _meaning_of(pairs)
    found: dict[str, str] = {}
    slots: dict[str, str] = {}
    for pair in pairs:
        key, equals, column = pair.partition("=")
        key, into = (key[5:], slots) if key.startswith("slot.") else (key, found)
        if not equals or not key or not column or (into is found and key not in _KEYS):
            expected = f"pairs of {', '.join(_KEYS)} or slot.NAME and a column, as {_EXAMPLE}"
            raise BadInput("--map", expected, pair or "nothing")
        if key in into:
            raise BadInput("--map", f"one column for {key}", f"{into[key]} and {column}")
        into[key] = column
    if "session" not in found or not ("user" in found or "bot" in found or {"role", "text"} <= found.keys()):
        raise BadInput(
            "--map", f"session, and user or bot (or role and text), as {_EXAMPLE}", ",".join(said) or "nothing"
        )
    if ("role" in found) != ("text" in found):
        raise BadInput("--map", "role and text together", "one of them")
    return Columns(**found, slots=slots)


def _meaning_of(pairs: list[str]) -> Meaning:
    retrieval: dict[str, str] = {}
    slots: list[str] = []
    for pair in pairs:
        key, _, name = pair.partition("=")
        name, _, stage = name.partition(":") if key == "retrieval" else (name, "", "")
        if key not in _FUNCTIONS or not name:
            expected = "pairs of retrieval or slots and a function, as retrieval=search_docs,slots=set_city"
            raise BadInput("--map", expected, pair or "nothing")
        if key == "retrieval":
            retrieval[name] = stage
        else:
            slots.append(name)
    try:
        return meaning(retrieval, slots)
    except ValueError as why:
        raise BadInput("--map", "a stage that there is behind a function's name", str(why)) from None


def header(blob: Blob, shape: Shape) -> list[str]:
    """The columns of the table that the file holds; none if it holds no table. Raises ``BadInput`` for what is one
    but isn't UTF-8."""
    if shape.kind == "text":
        return Separated(blob).columns if shape.why == NO_JSON else []
    if shape.kind not in ("lines", "list"):
        return []
    return list(dict.fromkeys(path for sample in shape.samples for path in _paths(sample)))


def flaw_of(blob: Blob, shape: Shape) -> Flaw | None:
    """Why separated values are no table; ``None`` for what isn't laid out as one, or is one."""
    return Separated(blob).flaw if shape.kind == "text" and shape.why == NO_JSON else None


def _paths(sample: dict[str, Any]) -> Iterator[str]:
    for name, value in sample.items():
        if type(value) is dict and value:
            yield from (f"{name}.{inner}" for inner in value)
        else:
            yield name


def read(reading: Reading, shape: Shape, columns: Columns) -> Iterator[ImportedSession]:
    """A session for each value of the session's column, in the order in which they first appear."""
    blob = reading.blob
    found = header(blob, shape)
    if not found and (flaw := flaw_of(blob, shape)) is not None:
        raise BadInput(*flaw)
    if not found:
        why = "lines that no comma, semicolon, tab or | divides into cells" if shape.why == NO_JSON else shape.why
        raise BadInput(blob.name, "a table (CSV, or objects as JSON lines or a list)", why or "something else")
    if shape.kind == "text":
        _check(blob, found, columns, lambda column: column in found)
        yield from _sessions(reading, _Cells(reading, Separated(blob), columns), columns, found)
    else:
        rows = _Objects(reading, shape, columns)
        yield from _sessions(reading, rows, columns, found)


def _check(blob: Blob, found: list[str], columns: Columns, there: Callable[[str], bool]) -> None:
    for column in columns:
        if not there(column):
            near = get_close_matches(column, found, 1)
            remedy = f"did you mean {near[0]}?" if near else ""
            raise BadInput(f"--map {column}", f"a column of {blob.name} ({named(found)})", "none of that name", remedy)


def named(columns: Sequence[str]) -> str:
    """Columns as a message lists them."""
    rest = f" and {len(columns) - _SHOWN} more" if len(columns) > _SHOWN else ""
    return ", ".join(columns[:_SHOWN]) + rest


class _Cells:
    """Rows of separated values."""

    word = "row"

    def __init__(self, reading: Reading, table: Separated, columns: Columns) -> None:
        self._reading = reading
        self._table = table
        self._at = {column: table.columns.index(column) for column in columns}
        self._session = self._at[columns.session]

    def places(self) -> Iterator[tuple[int, int, int, object]]:
        """(number, offset, length, session) of each row that can be told apart."""
        name = self._reading.blob.name
        for row in self._table.rows():
            self._reading.done(row.length)
            if row.bad:
                self._reading.problem(f"{name} row {row.number}", row.bad)
            else:
                yield row.number, row.offset, row.length, row.cells[self._session]

    def record(self, raw: bytes) -> bytes:
        """The row's named cells as JSON."""
        cells = self._table.parse(raw)
        return orjson.dumps({column: cells[at] for column, at in self._at.items()})


class _Objects:
    """Rows that are objects, by lines or in a list."""

    def __init__(self, reading: Reading, shape: Shape, columns: Columns) -> None:
        self.word = "line" if shape.kind == "lines" else "item"
        self._reading, self._shape, self._columns = reading, shape, columns
        head = msgspec.defstruct("_Head", [("session", Any, None)], rename={"session": columns.session})
        self._head: msgspec.json.Decoder[Any] = msgspec.json.Decoder(head)

    def places(self) -> Iterator[tuple[int, int, int, object]]:
        """(number, offset, length, session) of each row that can be told apart. Raises ``BadInput`` at the end for
        a column that no row has."""
        name = self._reading.blob.name
        unseen = {column: orjson.dumps(column.rpartition(".")[2]) for column in self._columns}
        for number, offset, raw in pieces(self._reading, self._shape):
            for column in [column for column, key in unseen.items() if key in raw]:
                del unseen[column]
            try:
                session = self._head.decode(raw).session
            except (msgspec.MsgspecError, RecursionError):
                session = None
            if session is None:
                try:
                    found = parse(raw)
                    if type(found) is not dict:
                        raise BadRecord("expected an object")
                except BadRecord as why:
                    self._reading.problem(f"{name} {self.word} {number}", why)
                    continue
                session = cell(found, self._columns.session)
            yield number, offset, len(raw), session
        _check(self._reading.blob, header(self._reading.blob, self._shape), self._columns, lambda c: c not in unseen)

    def record(self, raw: bytes) -> bytes:
        """The row as it stands."""
        return raw


def _sessions(
    reading: Reading, rows: _Cells | _Objects, columns: Columns, found: list[str]
) -> Iterator[ImportedSession]:
    index = Index(reading)
    blob = reading.blob
    for number, offset, length, session in rows.places():
        key = str(session) if type(session) in (int, float) else session
        if type(key) is str and key.strip():
            index.at(key.strip()).add(number, offset, length)
        else:
            why = SignalError(f"column {columns.session}", "the name of a session", session)
            reading.problem(f"{blob.name} {rows.word} {number}", why)
    text = reading_text(reading, rows)
    for key, places in index.places.items():
        table = Table(key, columns)
        named_ones = set(columns)
        table.scribe.found.left["columns"] = sum(column not in named_ones for column in found)
        known = hashlib.sha256(rows.record(text(*places.first()))).hexdigest()
        yield from reading.tell(NAME, table, _records(reading, rows, places, text), known)


def reading_text(reading: Reading, rows: _Cells | _Objects) -> Callable[[int, int], bytes]:
    """What gives the bytes of a row."""
    return slicer(reading, rows._shape.text if type(rows) is _Objects and rows.word == "item" else None)


def _records(
    reading: Reading, rows: _Cells | _Objects, places: Places, text: Callable[[int, int], bytes]
) -> Iterator[Record]:
    for number, offset, length in places:
        reading.done(length)
        yield f"{reading.blob.name} {rows.word} {number}", rows.record(text(offset, length)), ""
