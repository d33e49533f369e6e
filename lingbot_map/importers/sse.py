"""Captures of server-sent events as lines of JSON: what stands behind ``data:`` is the record, the rest its frame."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_FIELDS = (b"data:", b"event:", b"id:", b"retry:", b":")
_RECORD = re.compile(rb"^data:[ \t]*+[{\[]", re.MULTILINE)
_OVER = b"[DONE]"  # what some servers say at the end, which is no record


def is_sse(head: bytes) -> bool:
    """Whether a text that begins so is a capture: a field comes first, and soon a record."""
    return head.lstrip().startswith(_FIELDS) and _RECORD.search(head) is not None


def data_of(line: bytes) -> bytes:
    """The record in a line, nothing where the line is only frame; a line that is no frame's is given as it is."""
    if not line.startswith(_FIELDS):
        return line
    data = line[5:].strip() if line.startswith(b"data:") else b""
    return b"" if data == _OVER else data


def records(lines: Iterable[bytes]) -> Iterator[bytes]:
    """A line for each line, so that their numbers stay: blank where it was frame. Data of one event that is cut over
    several lines is put together on the first of them."""
    held: list[bytes] = []
    for line in lines:
        line = line.rstrip(b"\r")
        if line.startswith(b"data:"):
            held.append(data_of(line))
        else:
            yield from _joined(held)
            held = []
            yield data_of(line)
    yield from _joined(held)


def _joined(held: list[bytes]) -> list[bytes]:
    """The data of lines that follow one another: records, or one record in pieces."""
    if len(held) < 2 or all(data[:1] == b"{" and data[-1:] == b"}" for data in held if data):
        return held
    return [b" ".join(held), *[b""] * (len(held) - 1)]
