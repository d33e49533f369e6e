"""Separated values (CSV): the header, and where each row lies, found in one pass however its cells are quoted."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from lingbot_map.errors import BadInput
from lingbot_map.importers.blob import Blob
from lingbot_map.importers.limits import LIMITS

_CHUNK = 1 << 20
_DELIMITERS = (",", ";", "\t", "|")
_NAME = 100  # characters; a longer cell in the first row is no name of a column
_LOOKED_AT = 20  # rows, of which the first good one below the header says whether they fit it
_PLAIN = re.compile(r"\w[\w .:/()#%-]*")
_UNCLOSED = 'a quote that is never closed and swallows what follows; close it, and write a quote within a cell as ""'
_SHORTEN = "shorten it, or import the rows as JSON lines"
_REMEDY = "save it as UTF-8 (in a spreadsheet: CSV UTF-8)"


class Row(NamedTuple):
    """Row ``number`` (the header is row 1) and its place; ``bad`` says why there are no cells."""

    number: int
    offset: int
    length: int
    cells: list[str]
    bad: str = ""


class Flaw(NamedTuple):
    """Why a text that is laid out as a table is none: ``where`` in it, what was ``expected`` and ``found``."""

    where: str
    expected: str
    found: str
    remedy: str

    @property
    def sentence(self) -> str:
        """For a list of reasons."""
        tail = f"; {self.remedy}" if self.remedy else ""
        return f"{self.where}: expected {self.expected}, found {self.found}{tail}"


_NO_TABLE = Flaw("", "rows of several cells", "none", "")


class Separated:
    """A table of separated values. ``columns`` are the cells of its first row; none if the file is no such table.

    ``flaw`` says why, where the first line has several cells.
    """

    def __init__(self, blob: Blob) -> None:
        """Look at the beginning. Raises ``BadInput`` where that is a table but isn't UTF-8."""
        self._blob = blob
        self._at = blob.start  # how far lines have been taken
        self._bad = ""
        self.columns: list[str] = []
        self.flaw: Flaw | None = None
        best = self.delimiter = _DELIMITERS[0]
        bad, widest = "", 1
        for self.delimiter in _DELIMITERS:
            rows = list(islice(self._read(), _LOOKED_AT))
            if not rows:
                continue
            first, others = rows[0], rows[1:]
            names = [name.strip() for name in first.cells]
            # A bad row costs that row and not the table, also where it is the first.
            second = next((row for row in others if _is_legible(row) and len(row.cells) > 1), None)
            flaw = _flaw(blob, first, names, second, others)
            if flaw is None and len(names) > max(1, len(self.columns)):
                self.columns, best, bad = names, self.delimiter, first.bad
            width = len(names) or blob.slice(first.offset, _NAME).count(self.delimiter.encode()) + 1
            if flaw is not None and flaw is not _NO_TABLE and width > widest:
                widest, self.flaw = width, flaw
        self.delimiter = best
        if self.columns:
            self.flaw = None
        if bad:
            raise BadInput(f"{blob.name} row 1", "a header in UTF-8", bad)

    def rows(self) -> Iterator[Row]:
        """Each row after the header that isn't blank."""
        for row in islice(self._read(), 1, None):
            if row.bad:
                yield row
            elif len(row.cells) > len(self.columns) and any(row.cells):
                bad = f"expected {len(self.columns)} cells, found {len(row.cells)}"
                yield row._replace(bad=f"{bad}; is a cell with {self.delimiter!r} in it not quoted?")
            elif any(row.cells):
                yield row._replace(cells=self._filled(row.cells))

    def parse(self, raw: bytes) -> list[str]:
        """The cells of one row's bytes."""
        return self._filled(next(csv.reader([raw.decode("utf-8", "replace")], delimiter=self.delimiter)))

    def _filled(self, cells: list[str]) -> list[str]:
        return cells + [""] * (len(self.columns) - len(cells))

    def _read(self) -> Iterator[Row]:
        self._at = self._blob.start
        lines = self._lines()
        reader = csv.reader(lines, delimiter=self.delimiter)
        number = 0
        while True:
            number += 1
            start, self._bad = self._at, ""
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as why:
                self._bad = self._bad or self._reason(str(why), start)
                reader = csv.reader(lines, delimiter=self.delimiter)
                cells = []
            length = self._at - start
            if self._at >= self._blob.size and not self._bad and self._is_open(start, length):
                self._bad = _UNCLOSED
            if length > LIMITS.line:
                self._bad = self._bad or f"longer than {LIMITS.line:,} bytes"
            yield Row(number, start, length, cells, self._bad)

    def _reason(self, why: str, start: int) -> str:
        """What is wrong with the row from ``start`` that the reader gave up for ``why``."""
        if "field limit" not in why:
            return why
        quotes = self._blob.slice(start, min(self._at - start, LIMITS.line)).count(b'"')
        most = f"{csv.field_size_limit():,} characters"
        if quotes % 2:
            return f"a quote that is not closed within {most}; close it, or shorten the cell"
        return f"a cell of more than {most}; {_SHORTEN}"

    def _is_open(self, start: int, length: int) -> bool:
        """Whether the file ends within a quote: what the reader swallowed then, it takes for the text of a cell."""
        raw = self._blob.slice(start, length) if length <= LIMITS.line else b""
        if b'"' not in raw:
            return False
        try:
            list(csv.reader([raw.decode("utf-8", "replace")], delimiter=self.delimiter, strict=True))
        except csv.Error as why:
            return "unexpected end" in str(why)
        return False

    def _lines(self) -> Iterator[str]:
        """The lines with their ends, as the reader asks for them: where it stands, a row ends."""
        rest = b""
        for offset in range(self._blob.start, self._blob.size, _CHUNK):
            parts = (rest + self._blob.slice(offset, _CHUNK)).split(b"\n")
            rest = parts.pop()
            for part in parts:
                self._at += len(part) + 1
                yield self._decoded(part) + "\n"
            if len(rest) > 2 * LIMITS.line:
                self._at += len(rest)
                self._bad = f"a line of more than {LIMITS.line:,} bytes"
                rest = b""
        if rest:
            self._at += len(rest)
            yield self._decoded(rest)

    def _decoded(self, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError as why:
            self._bad = f"not UTF-8 (byte 0x{line[why.start]:02x}); {_REMEDY}"
            return line.decode("utf-8", "replace")


def _flaw(blob: Blob, first: Row, names: list[str], second: Row | None, others: list[Row]) -> Flaw | None:
    """Why the rows are no table below ``names``; ``None`` if they are one, be it in another encoding."""
    where = f"{blob.name} row 1"
    if not _is_legible(first):
        return Flaw(where, "a header, the names of the columns", *_halves(first.bad))
    for place, name in enumerate(names):
        if not name:
            return Flaw(where, "a name for each column", f"none for column {place + 1}", "write one, or leave it out")
        if len(name) > _NAME:
            found = f"{len(name):,} characters for column {place + 1}"
            return Flaw(where, f"names of at most {_NAME} characters", found, "write a header as the first row")
        if name in names[:place]:
            found = f"{name!r} for columns {names.index(name) + 1} and {place + 1}"
            return Flaw(where, "a name of its own for each column", found, "give one of them another")
    if second is None:
        bad = next((row for row in others if row.bad), None)
        if bad is not None:
            return Flaw(f"{blob.name} row {bad.number}", f"a row of {len(names)} cells", *_halves(bad.bad))
        if others or not all(map(_PLAIN.fullmatch, names)):
            return _NO_TABLE
        return Flaw(where, "rows below the header", "the header alone", "export the rows with it")
    if len(second.cells) != len(names):
        found = f"{len(second.cells)} cells where the header has {len(names)}"
        remedy = "put a cell that has the separator in it in quotes, and write empty cells too"
        return Flaw(f"{blob.name} row {second.number}", "a cell for each column", found, remedy)
    return None


def _is_legible(row: Row) -> bool:
    """Whether it has cells, be they in another encoding."""
    return not row.bad or row.bad.startswith("not UTF-8")


def _halves(bad: str) -> tuple[str, str]:
    found, _, remedy = bad.partition("; ")
    return found, remedy
