"""Rasa events in a SQLite file: the tracker store's ``events`` table, the event broker's, or Rasa X's.

The file is foreign: it is opened read-only and immutable (or read into memory), no view or trigger of it is used, and
only two statements run, over one real table.
"""

from __future__ import annotations

import os
import sqlite3
from array import array
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from urllib.parse import quote

from lingbot_map.errors import BadInput
from lingbot_map.importers.blob import Blob
from lingbot_map.importers.imported import ImportedSession, Reading, Record
from lingbot_map.importers.limits import LIMITS
from lingbot_map.importers.lines import Index
from lingbot_map.importers.rasa import Rows
from lingbot_map.importers.shape import Shape

NAME = "rasa"

_TABLES = ("conversation_event", "events", "event")
_SENDERS = ("conversation_id", "sender_id")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of events."""

    name: str
    sender: str
    ordered: str  # the column that orders the rows


def refuse(blob: Blob, shape: Shape) -> str:
    """Why the file is no tracker store; "" if it is one."""
    if shape.kind != "sqlite":
        return "not a SQLite database"
    try:
        with closing(_opened(blob)) as database:
            return "" if table_of(database) else f"no table of events ({', '.join(_TABLES)})"
    except sqlite3.Error as why:
        return f"the database can't be read ({why})"


def _opened(blob: Blob) -> sqlite3.Connection:
    # A reader may go on in another thread at each step, though never in two at a time: no check for the same thread.
    if blob.path is not None:
        # What a writer in WAL mode has not yet put into the file itself stands beside it, and counts.
        beside = os.path.exists(f"{blob.path}-wal")
        place = f"file:{quote(blob.path)}?mode=ro{'' if beside else '&immutable=1'}"
        database = sqlite3.connect(place, uri=True, check_same_thread=False)
    else:
        database = sqlite3.connect(":memory:", check_same_thread=False)
        database.deserialize(blob.slice(0, blob.size))
    careful(database)
    return database


def careful(database: sqlite3.Connection) -> None:
    """Bound what a foreign database may do to its reader."""
    database.text_factory = bytes  # a text that isn't UTF-8 is that row's problem
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * LIMITS.line)
    for pragma in ("query_only = 1", "trusted_schema = 0", "cell_size_check = 1", "mmap_size = 0", "temp_store = 2"):
        database.execute(f"PRAGMA {pragma}")


def table_of(database: sqlite3.Connection) -> Table | None:
    """The table of events in it; ``None`` if there is none."""
    for name in _TABLES:
        real = database.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)).fetchone()
        if real is None:
            continue
        columns = {row[1].decode("utf-8", "replace") for row in database.execute(f'PRAGMA table_info("{name}")')}
        sender = next((column for column in _SENDERS if column in columns), "")
        if sender and "data" in columns:
            return Table(name, sender, "id" if "id" in columns else "rowid")
    return None


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """The sessions in the table, each in the order of its ids."""
    blob = reading.blob
    try:
        with closing(_opened(blob)) as database:
            table = table_of(database)
            if table is None:
                raise BadInput(blob.name, "a table of Rasa events", "none")
            for sender, rows in _rows(reading, database, table).items():
                adapter = Rows(sender or f"rasa {blob.digest()[:12]}")
                yield from reading.tell(NAME, adapter, _records(reading, database, table, rows))
    except sqlite3.Error as why:
        raise BadInput(blob.name, "a SQLite database that can be read", str(why)) from None


def _rows(reading: Reading, database: sqlite3.Connection, table: Table) -> dict[str, array[int]]:
    """The row numbers of each sender. Rows are fetched by number later, so no index of the file is needed."""
    index = Index(reading)
    found: dict[str, array[int]] = {}
    query = f'SELECT rowid, "{table.sender}" FROM "{table.name}" ORDER BY "{table.ordered}"'
    for row, sender in database.execute(query):
        name = sender.decode("utf-8", "replace") if type(sender) is bytes else "" if sender is None else str(sender)
        index.at(name)
        found.setdefault(name, array("q")).append(row)
    return found


def _records(reading: Reading, database: sqlite3.Connection, table: Table, rows: array[int]) -> Iterator[Record]:
    query = f'SELECT data FROM "{table.name}" WHERE rowid = ?'
    for row in rows:
        where = f"{reading.blob.name} table {table.name} row {row}"
        try:
            held = database.execute(query, (row,)).fetchone()
        except sqlite3.Error as why:
            yield where, None, str(why)
            continue
        data = held[0] if held else None
        if type(data) is bytes:
            reading.done(len(data))
            yield where, data, ""
        else:
            yield where, None, "no event in the column `data`"
