"""Which conversation each record of a file belongs to, and where it lies: found in one pass, read in a second.

Lines of many conversations stand mixed in one file. Noting for each only its place (12 bytes a record) keeps the memory
small and lets a conversation be told whole.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from operator import le

from lingbot_map.errors import TooLarge
from lingbot_map.importers.imported import Reading, Record
from lingbot_map.importers.limits import LIMITS
from lingbot_map.importers.shape import Shape

_REMEDY = "split it and import the parts"
_LENGTH = 28  # bits for a record's length; its offset takes the bits above
_MASK = (1 << _LENGTH) - 1


class Places:
    """Where the records of one conversation lie, in order."""

    __slots__ = ("_numbers", "_spans")

    def __init__(self) -> None:
        """None yet."""
        self._spans = array("Q")
        self._numbers = array("I")

    def __len__(self) -> int:
        return len(self._spans)

    def first(self) -> tuple[int, int]:
        """(offset, length) of the first record."""
        return self._spans[0] >> _LENGTH, self._spans[0] & _MASK

    def add(self, number: int, offset: int, length: int) -> None:
        """Record ``number`` of the file lies at ``offset``."""
        self._spans.append(offset << _LENGTH | length)
        self._numbers.append(number)

    def order(self, keys: array[int]) -> None:
        """Put the records in the order of ``keys``, one for each; equal keys stay as they are."""
        if all(map(le, keys, islice(keys, 1, None))):
            return
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self._spans = array("Q", (self._spans[i] for i in order))
        self._numbers = array("I", (self._numbers[i] for i in order))

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        """(number, offset, length) of each."""
        for number, span in zip(self._numbers, self._spans, strict=True):
            yield number, span >> _LENGTH, span & _MASK


class Index:
    """The conversations of a file and the places of their records, in the order in which they first appear."""

    def __init__(self, reading: Reading) -> None:
        """Nothing yet."""
        self.reading = reading
        self.places: dict[str, Places] = {}
        self.count = 0

    def counted(self) -> None:
        """One more record. Raises ``TooLarge`` for one too many."""
        self.count += 1
        if self.count > LIMITS.events:
            raise TooLarge(self.reading.blob.name, "a file of events", self.count, LIMITS.events, _REMEDY)

    def at(self, key: str) -> Places:
        """The places of the conversation ``key``, for one more record. Raises ``TooLarge`` for one too many."""
        self.counted()
        found = self.places.get(key)
        if found is None:
            if len(self.places) >= LIMITS.sessions:
                name, most = self.reading.blob.name, LIMITS.sessions
                raise TooLarge(name, "a file of conversations", most + 1, most, _REMEDY)
            found = self.places[key] = Places()
        return found


def pieces(reading: Reading, shape: Shape) -> Iterator[tuple[int, int, bytes]]:
    """(number, offset, text) of each line or item of the file; what is none is a problem."""
    blob = reading.blob
    if shape.kind == "lines":
        for number, offset, line in blob.lines():
            if line is None:
                reading.problem(f"{blob.name} line {number}", f"longer than {LIMITS.line:,} bytes; import it alone")
            else:
                reading.done(len(line) + 1)
                yield number, offset, line
        if blob.cut:
            reading.problem(blob.name, blob.cut)
    else:
        for item in shape.items():
            reading.done(item.end - item.start)
            if item.bad:
                reading.problem(f"{blob.name} item {item.number}", item.bad)
            else:
                yield item.number, item.start, shape.text[item.start : item.end]


def unnamed(reading: Reading, kind: str, first: bytes) -> str:
    """What a conversation without a name is called: after its ``first`` record if that has a time, so that a longer
    export of it is called the same; else after the whole file."""
    if b'"timestamp"' in first:
        return f"{kind} {hashlib.sha256(first).hexdigest()[:12]}"
    return f"{kind} {reading.blob.digest()[:12]}"


def slicer(reading: Reading, text: bytes | None) -> Callable[[int, int], bytes]:
    """What gives ``length`` bytes from ``offset``: of ``text`` where the file is one document, else of the file."""
    return reading.blob.slice if text is None else lambda offset, length: text[offset : offset + length]


def read_places(reading: Reading, places: Places, word: str, text: bytes | None = None) -> Iterator[Record]:
    """The records at ``places``; ``word`` is what one of them is called."""
    name, slice_of = reading.blob.name, slicer(reading, text)
    for number, offset, length in places:
        reading.done(length)
        yield f"{name} {word} {number}", slice_of(offset, length), ""
