"""A growing table of Rasa events in a SQLite file: the tracker store's, the SQL event broker's, Rasa X's.

It is opened read-only and asked for what comes after the last id. Whoever writes it is never held up: a reader of a
database in WAL mode blocks nobody, and in the other modes it lets go after each look.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson

from lingbot_map.errors import BadInput
from lingbot_map.importers import rasa_sql
from lingbot_web.tail_file import Line

SCHEME = "sqlite:///"
_ROWS = 500


class GrowingTable:
    """Follows the table of events in ``path``. ``renewed`` counts how often it was found emptied or replaced."""

    def __init__(self, path: Path) -> None:
        """Raises ``BadInput`` for what is no such database. One that isn't there yet is waited for."""
        self.path = path
        self.renewed = 0
        self.why = ""
        self._last = 0
        if path.exists():
            try:
                with closing(self._opened()) as database:
                    self._table(database)
            except sqlite3.OperationalError:
                return  # busy, or it holds no table yet
            except sqlite3.Error as why:
                raise BadInput(str(path), "a SQLite database of Rasa events", str(why)) from None

    def poll(self) -> list[Line]:
        """The rows that are new, some hundred at a time."""
        if not self.path.exists():
            self.why = "is not there yet"
            return []
        try:
            with closing(self._opened()) as database:
                return self._rows(database)
        except sqlite3.Error as why:
            self.why = f"can't be read now ({why})"
            return []

    def left(self) -> list[Line]:
        """Nothing is ever half there."""
        return []

    def pending(self) -> bool:
        """All that is there was handed out."""
        return False

    def noted(self) -> bool:
        """Nothing is lost if it isn't: it can be read again."""
        return False

    def taken(self) -> None:
        """A table keeps its rows."""

    def standing(self) -> list[Any]:
        """A table is read from its beginning each time, for what was said before matters; the map knows what it has."""
        return []

    def resume(self, standing: list[Any]) -> bool:
        """Never: see ``standing``."""
        return False

    def close(self) -> None:
        """It is open only while it is looked at."""

    def _opened(self) -> sqlite3.Connection:
        database = sqlite3.connect(f"file:{quote(str(self.path))}?mode=ro", uri=True, timeout=1.0)
        try:
            rasa_sql.careful(database)
        except BaseException:
            database.close()
            raise
        return database

    def _table(self, database: sqlite3.Connection) -> rasa_sql.Table | None:
        table = rasa_sql.table_of(database)
        if table is None and database.execute("SELECT 1 FROM sqlite_master WHERE type = 'table'").fetchone():
            raise BadInput(str(self.path), "a table of Rasa events (events, conversation_event)", "none of that name")
        return table

    def _rows(self, database: sqlite3.Connection) -> list[Line]:
        table = self._table(database)
        self.why = ""
        if table is None:
            return []
        order = table.ordered
        (highest,) = database.execute(f'SELECT max("{order}") FROM "{table.name}"').fetchone()
        if (highest or 0) < self._last:
            self.why = "was emptied; it is read again from its beginning"
            self.renewed += 1
            self._last = 0
        query = f'SELECT "{order}", "{table.sender}", data FROM "{table.name}" WHERE "{order}" > ? ORDER BY "{order}"'
        return [self._line(table, row) for row in database.execute(f"{query} LIMIT {_ROWS}", (self._last,))]

    def _line(self, table: rasa_sql.Table, row: tuple[Any, Any, Any]) -> Line:
        number, sender, data = row
        self._last = number
        where = f"{self.path.name} table {table.name} row {number}"
        if type(data) is not bytes:
            return Line(where, b"", "no event in the column `data`")
        name = sender.decode("utf-8", "replace") if type(sender) is bytes else "" if sender is None else str(sender)
        with suppress(orjson.JSONEncodeError, UnicodeError):
            return Line(where, orjson.dumps({"id": number, "sender_id": name, "data": data.decode()}))
        return Line(where, b"", "a text that is not UTF-8")


def database_path(what: str) -> Path:
    """The file in ``sqlite:///FILE``, as SQLAlchemy writes it: three slashes and a path, four and an absolute one."""
    path = what.removeprefix(SCHEME)
    if not path or what == path:
        raise BadInput(what, "sqlite:///FILE, or sqlite:////ABSOLUTE/FILE", "no file")
    return Path(path)
