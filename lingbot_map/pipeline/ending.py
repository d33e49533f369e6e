"""The end of a long file, read by itself: what can be shown in a moment while the whole is still being read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from lingbot_map import importers
from lingbot_map.errors import LingbotMapError
from lingbot_map.importers.blob import Blob
from lingbot_map.importers.records import BadRecord, parse
from lingbot_map.intake import stamp_of
from lingbot_probes.signals import Numbered

WORTH = 8 << 20
"""Bytes of the smallest file whose end is shown first: one of 8 MiB is taken in within some 4 s."""
_EARLIEST, _HOUR, _DAY = 946_684_800.0, 3600.0, 86_400.0  # 2000-01-01: before it nobody recorded a bot

LENGTH = 1 << 20
"""Bytes of the end that are read: some 5,000 events, told in a quarter of a second."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What the last records of a file say of one of its sessions, as if the file began with them."""

    session_id: str
    source: str
    format: str
    items: Sequence[Numbered]


def ending(path: Path, name: str, columns: importers.Mapped | None = None) -> Ending | None:
    """The session with most turns among the last records of a file of lines.

    ``None`` where there is nothing to gain: a short file, one document, a conversation that is named after the whole
    file's content, an end that can't be read. What is wrong with the file is for the import to say.
    """
    try:
        if os.stat(path).st_size < WORTH:
            return None
        with Blob(path, name) as blob:
            first = _first_line(blob)
            if not _is_record(first) and columns is None:
                return None
            end = blob.slice(blob.size - LENGTH, LENGTH)
    except (LingbotMapError, OSError):
        return None
    end = end[end.find(b"\n") + 1 :]
    half = end[end.find(b"\n", len(end) // 2) + 1 :]
    head = first + b"\n" if not _is_record(first) or b'"lingbot":"recording"' in first[:200] else b""
    found = max(_endings(head + end, name, columns), key=_turns, default=None)
    # Named after its content, not after anything in its records: in the whole file it bears another name.
    if found is None or all(found.session_id != other.session_id for other in _endings(head + half, name, columns)):
        return None
    return found


def _first_line(blob: Blob) -> bytes:
    head = blob.slice(blob.start, 1 << 20)
    return head[: head.find(b"\n")] if b"\n" in head else b""


def _is_record(line: bytes) -> bool:
    try:
        return type(parse(line)) is dict
    except BadRecord:
        return False


def _turns(found: Ending) -> int:
    return sum(item.signal.kind == "turn_started" for item in found.items)


def _endings(text: bytes, name: str, columns: importers.Mapped | None) -> list[Ending]:
    """What the sessions of the text say, one after the other; none where it can't be read to its end."""
    try:
        return [
            Ending(session.session_id, session.source, session.format, list(session.items))
            for session in importers.read(text, name, columns=columns)
        ]
    except LingbotMapError:
        return []


def begin_of(items: Sequence[Numbered], now: float) -> float:
    """When the recording begins: its first time that can be believed (the next one is not an hour earlier)."""
    stamps = [at for item in items if (at := stamp_of(item)) is not None and _EARLIEST <= at <= now + _DAY]
    for stamp, following in pairwise([*stamps, *stamps[-1:]]):
        if following >= stamp - _HOUR:
            return stamp
    return now
