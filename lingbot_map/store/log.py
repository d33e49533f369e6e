"""Reading ``events.jsonl``: line by line past any damage, and by bisection to a seq.

Lines are in order of seq, so the place of a seq is found in about 20 small reads, without an index that could be wrong.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lingbot_map.store.lines import VERSION, joined, read_object, seq_of, unseal

_CHUNK = 1 << 20
_STEP = 64 << 10


class Good(NamedTuple):  # made for each event that is read: a frozen dataclass takes three times as long
    """The event ``seq`` stands in bytes ``start`` to ``end``, its line end included if that is whole."""

    start: int
    end: int
    seq: int
    covered: bytes


class Bad(NamedTuple):
    """Bytes ``start`` to ``end`` hold no event, for ``reason``."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True, slots=True)
class Header:
    """``end`` is where events begin; ``session`` is "" and ``version`` 0 where the header can't be read."""

    end: int
    version: int
    session: str
    damaged: str = ""


def _chunks(fd: int, start: int, stop: int, size: int) -> Iterator[tuple[int, list[bytes], bytes]]:
    """(offset, whole lines without their ends, what follows them and is not whole), in pieces from ``size`` bytes on.

    What is not whole comes again at the head of the next piece, but at the end of it all.
    """
    rest, at = b"", start
    while start < stop:
        chunk = os.pread(fd, min(size, stop - start), start)
        if not chunk:
            break
        start += len(chunk)
        size = _CHUNK
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        yield at, lines, rest if start >= stop else b""
        at = start - len(rest)
        if not lines:
            size = min(4 * len(rest), 64 * _CHUNK)  # a very long line: don't go through it again for each piece


def _first_line(fd: int, start: int, stop: int) -> tuple[int, bytes]:
    """(offset, line with its end if it has one)."""
    for at, lines, rest in _chunks(fd, start, stop, _STEP):
        if lines:
            return at, lines[0] + b"\n"
        if rest:
            return at, rest
    return start, b""


def walk(fd: int, start: int, stop: int, *, chunk: int = _CHUNK) -> Iterator[Good | Bad]:
    """Everything from ``start``, which is the beginning of a line, to ``stop``."""
    for at, lines, rest in _chunks(fd, start, stop, chunk):
        for line in lines:
            covered = unseal(line)
            end = at + len(line) + 1
            if covered is not None and (seq := seq_of(covered)):
                yield Good(at, end, seq, covered)
            else:
                yield from _resync(at, line + b"\n")
            at = end
        if rest:
            yield from _resync(at, rest)


def _resync(at: int, line: bytes) -> Iterator[Good | Bad]:
    """A line that isn't good as a whole: what of it is, and what is damaged. A good one may lack its line end here."""
    text = line.rstrip(b"\n")
    place = 0
    for start, end, covered in joined(text):
        seq = seq_of(covered)
        if not seq:
            break
        place = min(end + 1, len(line))
        if line[end:place] == b"\n":
            yield Good(at + start, at + place, seq, covered)
        else:
            yield Good(at + start, at + end, seq, covered)
            yield Bad(at + end, at + place, "the line's end is damaged")
    if place < len(line):
        if line[-1:] != b"\n":
            reason = "torn: the line has no end"
        elif b',"crc":"' in line[place:]:
            reason = "checksum does not fit"
        else:
            reason = "no event with a checksum"
        yield Bad(at + place, at + len(line), reason)


def read_header(fd: int, size: int) -> Header:
    """The first line, also if the byte after it or something in it is damaged."""
    _, line = _first_line(fd, 0, size)
    if not line:
        return Header(0, 0, "", "empty")
    for start, end, covered in joined(line.rstrip(b"\n")):
        if start:
            break
        if seq_of(covered):
            return Header(0, 0, "", "no header before the first event")
        found = read_object(covered)
        version, session = found.get("version"), found.get("session")
        if found.get("lingbot") == "recording" and type(version) is int:
            ended = end + 1 <= len(line) and line[end : end + 1] == b"\n"
            damage = "" if ended else "the header's line end is damaged"
            return Header(min(end + 1, size), version, session if type(session) is str else "", damage)
    return Header(len(line), 0, "", "header: checksum does not fit")


def newer(header: Header) -> bool:
    """Whether a later version of the program wrote it."""
    return header.version > VERSION


def find(fd: int, start: int, stop: int, seq: int) -> int:
    """The offset of the first good event from ``seq`` on; ``stop`` if there is none. Events begin at ``start``."""
    low, high = start, stop
    while high - low > _STEP:
        middle = (low + high) // 2
        line = _first_after(fd, middle, high)
        if line is not None and line.seq < seq:
            low = line.end
        else:
            high = middle
    # The line that straddles ``high`` may be the one, and damage may push the next good one beyond it.
    for item in walk(fd, low, stop, chunk=_STEP):
        if isinstance(item, Good) and item.seq >= seq:
            return item.start
    return stop


def _first_after(fd: int, middle: int, high: int) -> Good | None:
    """The first good event that begins after ``middle`` and before ``high``."""
    at, line = _first_line(fd, middle, high)
    if line[-1:] != b"\n":
        return None
    begin = at + len(line)
    for item in walk(fd, begin, high, chunk=_STEP):
        if isinstance(item, Good):
            return item
    return None


def last_good(fd: int, start: int, stop: int) -> Good | None:
    """The last good event, read from the end."""
    reach = _STEP
    while True:
        begin = max(start, stop - reach)
        found = None
        lines = walk(fd, begin, stop)
        for item in lines:  # the first may be the rest of a line: then it is merely bad
            if isinstance(item, Good):
                found = item
        if found is not None or begin == start:
            return found
        reach *= 16
