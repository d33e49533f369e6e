"""Sessions in formats that others read, straight from the data folder: a map that serves it isn't disturbed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from lingbot_map.errors import BadInput, UnknownSession
from lingbot_map.store import Recording, key_of
from lingbot_map.store.files import FileStore
from lingbot_map.store.index import Page
from lingbot_map.store.lines import event_line, header_line

FORMATS = ("jsonl",)


def page(found: Page) -> dict[str, Any]:
    """A page of the list of sessions as the HTTP API gives it."""
    return {"sessions": msgspec.to_builtins(found.sessions), "total": found.total, "next": found.next or None}


def export(data: Path, session: str, to: str, out: Path | None) -> None:
    """Write ``session`` (an id, a key, or the beginning of one) to ``out``, or to standard output.

    Raises ``BadInput`` for an unknown format or a beginning that fits several, ``UnknownSession`` for none.
    """
    if to not in FORMATS:
        raise BadInput("--to", " or ".join(FORMATS), to)
    recording = find(FileStore(data, read_only=True), session, data)
    if out is None:
        _write(recording, sys.stdout.buffer)
        return
    beside = out.with_name(out.name + ".part")
    try:
        with beside.open("wb") as file:
            _write(recording, file)
        beside.replace(out)
    finally:
        beside.unlink(missing_ok=True)


def find(store: FileStore, session: str, where: Path) -> Recording:
    """The recording that ``session`` names."""
    keys = store.keys()
    key = key_of(session)
    if key not in keys:
        fits = [known for known in keys if session and known.startswith(session)]
        if len(fits) > 1:
            raise BadInput("session", "the beginning of one key", f"{len(fits)} that begin so")
        if not fits:
            raise UnknownSession(session, str(where))
        key = fits[0]
    return store.open(key)


def _write(recording: Recording, file: BinaryIO) -> None:
    file.write(header_line(recording.session))
    for line in _lines(recording):
        file.write(line)
    file.flush()


def _lines(recording: Recording) -> Iterator[bytes]:
    for event in recording.events():
        yield event_line(event)
