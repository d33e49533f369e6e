"""What was exported of a session into the data folder itself: recordings, pages and tables, packed by gzip or not.

A recording names its session in its first line, a page its key, both as we write them. A table of turns names none: it
is the session's if each of its times is one of the session's, and each thing said was said in it.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from lingbot_map.events import Event
from lingbot_map.store.disk import is_folder, open_to_read
from lingbot_map.store.lines import read_object, unseal
from lingbot_probes.signals import TurnStarted

_OURS = re.compile(r"[0-9a-f]{32}|open|cases|deleted.*|lock|mask\.key.*|spans\..*|index\.sqlite3.*")
"""What stands in a data folder anyway: sessions, what was deleted, what belongs to all."""
_LARGEST = 256 << 20
_TABLE = b"\xef\xbb\xbfturn,time,said,"


def exports_of(folder: Path, key: str, session: str, events: Callable[[], Iterable[Event]]) -> list[Path]:
    """The files below the data folder ``folder`` that are exports of ``session`` ("": not known), whose key is ``key``.

    ``events`` is asked for only where a table has to be held against them. No link is followed.
    """
    said: list[tuple[set[str], set[str]]] = []
    found = []
    for path in _files(folder):
        data = _read(path)
        if data.startswith(_TABLE):
            if not said:
                said.append(_times_and_words(events()))
            ours = _is_table(data, *said[0])
        else:
            ours = _is_recording(data, session) or _is_page(data, key)
        if ours:
            found.append(path)
    return found


def _files(folder: Path) -> Iterator[Path]:
    for name in sorted(os.listdir(folder)):
        path = folder / name
        if _OURS.fullmatch(name):
            continue
        if not is_folder(path):
            yield path
            continue
        for place, _, names in os.walk(path):
            yield from (Path(place, each) for each in sorted(names))


def _read(path: Path) -> bytes:
    """What the file holds, unpacked; b"" for what is none or can't be read, and no more than any export has."""
    try:
        with open(open_to_read(path), "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            if packed:
                with gzip.open(file) as plain:
                    return plain.read(_LARGEST)
            return file.read(_LARGEST)
    except (OSError, EOFError, zlib.error, LookupError):
        return b""


def _is_recording(data: bytes, session: str) -> bool:
    covered = unseal(data[: data.find(b"\n")])
    header = read_object(covered) if covered is not None else {}
    return bool(session) and header.get("lingbot") == "recording" and header.get("session") == session


def _is_page(data: bytes, key: str) -> bool:
    return b'"made_by":"lingbot-map ' in data and b'"summary":{"key":"%b"' % key.encode() in data


def _is_table(data: bytes, times: set[str], words: set[str]) -> bool:
    rows = [row for row in csv.reader(io.StringIO(data.decode("utf-8", "replace"), newline="")) if len(row) > 2][1:]
    return bool(rows) and all(row[1] in times and (not row[2] or _plain(row[2]) in words) for row in rows)


def _times_and_words(events: Iterable[Event]) -> tuple[set[str], set[str]]:
    times, words = {""}, {""}
    for event in events:
        for at in (event.at, event.said_at):
            if at is not None:
                times.add(_time(at))
        if isinstance(event.signal, TurnStarted):
            words.add(_plain(event.signal.utterance))
    return times, words


def _time(at: float) -> str:
    try:
        return datetime.fromtimestamp(at // 1, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, OSError):
        return ""


def _plain(text: str) -> str:
    """Text as it can be compared: a table changes what a spreadsheet would take for a formula or can't show."""
    return "".join(char for char in text.lstrip("'") if char.isprintable() and char != "\ufffd")
