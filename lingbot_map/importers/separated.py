"""Separated values (CSV): the header, and where each row lies, found in one pass however its cells are quoted."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from lingbot_map.errors import BadInput
from lingbot_map.importers.blob import Blob
from lingbot_map.importers.limits import LIMITS

_CHUNK = 1 << 20
_DELIMITERS = (",", ";", "\t", "|")
_NAME = 100  # characters; a longer cell in the first row is no name of a column
_REMEDY = "save it as UTF-8 (in a spreadsheet: CSV UTF-8)"


class Row(NamedTuple):
    """Row ``number`` (the header is row 1) and its place; ``bad`` says why there are no cells."""

    number: int
    offset: int
    length: int
    cells: list[str]
    bad: str = ""


class Separated:
    """A table of separated values. ``columns`` are the cells of its first row; none if the file is no such table."""

    def __init__(self, blob: Blob) -> None:
        """Look at the beginning. Raises ``BadInput`` where that is a table but isn't UTF-8."""
        self._blob = blob
        self._at = blob.start  # how far lines have been taken
        self._bad = ""
        self.columns: list[str] = []
        best = self.delimiter = _DELIMITERS[0]
        bad = ""
        for self.delimiter in _DELIMITERS:
            first, second = [*islice(self._read(), 2), None, None][:2]
            if first is None or second is None:
                continue
            names = [name.strip() for name in first.cells]
            plain = all(0 < len(name) <= _NAME for name in names) and len(set(names)) == len(names)
            if plain and len(second.cells) == len(names) > max(1, len(self.columns)):
                self.columns, best, bad = names, self.delimiter, first.bad
        self.delimiter = best
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
                self._bad = self._bad or f"{why}; is a quote not closed?"
                reader = csv.reader(lines, delimiter=self.delimiter)
                cells = []
            length = self._at - start
            if length > LIMITS.line:
                self._bad = self._bad or f"longer than {LIMITS.line:,} bytes"
            yield Row(number, start, length, cells, self._bad)

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
