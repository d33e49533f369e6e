"""Sessions in formats that others read, straight from the data folder: a map that serves it isn't disturbed."""

from __future__ import annotations

import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from lingbot_map import codec
from lingbot_map.errors import BadInput
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.session import map_of
from lingbot_map.store import Recording
from lingbot_map.store.files import FileStore
from lingbot_map.store.index import Page
from lingbot_map.store.lines import event_line, header_line
from lingbot_map.store.naming import find_key
from lingbot_map.store.summary import summarize
from lingbot_map.whole import MOST_EVENTS, whole_map
from lingbot_web.export_csv import turns_csv

Progress = Callable[[int, int], None]
"""Called with how many events were read, and of how many."""

_TOLD_EVERY = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How a session is wanted: ``to`` a format; pages and tables ``at`` a seq (None: the end) and in a ``lang`` (""; a
    page then speaks its reader's, a table English); a page with the raw ``events``."""

    to: str = "jsonl"
    at: int | None = None
    lang: str = ""
    events: bool = True


def page(found: Page) -> dict[str, Any]:
    """A page of the list of sessions as the HTTP API gives it."""
    return {"sessions": msgspec.to_builtins(found.sessions), "total": found.total, "next": found.next or None}


def export(data: Path, session: str, wish: Wish, out: Path | None, progress: Progress | None = None) -> str:
    """Write ``session`` (an id, a key, or the beginning of one) to ``out``, or to standard output (None or ``-``); what
    comes back is its id.

    A file is written beside and renamed, so what stands at ``out`` is whole; a link stays and what it names is
    replaced, a pipe or a device is written to. Raises ``BadInput`` for an unknown format, a folder at ``out``, a moment
    that isn't there or a beginning that fits several, ``UnknownSession`` for none, ``TooLarge``.
    """
    if wish.to not in _WRITERS:
        raise BadInput("--to", " or ".join(_WRITERS), wish.to)
    if wish.to == "jsonl" and wish.at is not None:
        raise BadInput("--at", "--to html or csv beside it", "--to jsonl", "a recording is written whole")
    if wish.lang not in ("", "zh", "en"):
        raise BadInput("--lang", "zh or en", wish.lang)
    to_terminal = out is None and sys.stdout.isatty()
    if wish.to == "html" and to_terminal:
        raise BadInput("--out", "a file for the page", "none", "name one, or - for standard output")
    target = None if out is None or str(out) == "-" else _target(out)
    recording = find(FileStore(data, read_only=True), session, data)
    write = _WRITERS[wish.to]
    if target is None:
        write(recording, wish, sys.stdout.buffer, progress)
        sys.stdout.buffer.flush()
        return recording.session
    if target.exists() and not target.is_file():
        with target.open("wb") as file:
            write(recording, wish, file, progress)
        return recording.session
    beside = target.with_name(f".{secrets.token_hex(8)}.part")  # a name of its own: no file of anybody's is lost
    try:
        with beside.open("xb") as file:
            if target.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
            write(recording, wish, file, progress)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
    return recording.session


def _target(out: Path) -> Path:
    """What ``out`` is to be written to: a pipe or device itself, else the file that it or its link names."""
    if out.is_dir() or not out.name:
        raise BadInput("--out", "a file to write", f"the folder {out}", "name the file in it")
    if out.exists() and not out.is_file():
        return out  # not resolved: what /dev/stdout leads to has no path
    target = Path(os.path.realpath(out))
    if target.is_symlink():
        raise BadInput("--out", "a file to write", f"the link {out}, which leads to itself")
    if not target.parent.is_dir():
        raise BadInput("--out", "a file in a folder that is there", str(out))
    return target


def find(store: FileStore, session: str, where: Path) -> Recording:
    """The recording that ``session`` names."""
    return store.open(find_key(store, session, where))


def jsonl(recording: Recording) -> Iterator[bytes]:
    """The recording as it is kept, line by line."""
    yield header_line(recording.session)
    for event in recording.events():
        yield event_line(event)


def _write_jsonl(recording: Recording, wish: Wish, file: BinaryIO, progress: Progress | None) -> None:
    for number, line in enumerate(jsonl(recording)):
        file.write(line)
        if progress and number % _TOLD_EVERY == 0:
            progress(number, recording.last_seq)


def _write_html(recording: Recording, wish: Wish, file: BinaryIO, progress: Progress | None) -> None:
    from lingbot_web.export_html import Recorded, html  # with jinja2 and starlette: other commands start without them

    map = _map(recording, wish)
    last = map.cursor.seq

    def events() -> Iterator[Event]:
        for number, event in enumerate(recording.events(1, last)):
            if progress and number % _TOLD_EVERY == 0:
                progress(number, last)
            yield event

    recorded = Recorded(
        summary=msgspec.to_builtins(summarize(map, recording.key, case=recording.origin == "case")),
        keyframe=codec.keyframe(map),
        events=events() if wish.events else None,
        place="&".join(f"{name}={value}" for name, value in (("at", wish.at), ("lang", wish.lang)) if value),
    )
    remedy = "leave the raw events out with --no-events" if wish.events else "send the recording itself: --to jsonl"
    file.write(html(recorded, remedy=remedy))


def _write_csv(recording: Recording, wish: Wish, file: BinaryIO, progress: Progress | None) -> None:
    map = _map(recording, wish)
    file.write(turns_csv(map, upto=wish.at, lang="zh" if wish.lang == "zh" else "en").encode())


def _map(recording: Recording, wish: Wish) -> DialogueMap:
    map = map_of(recording)
    if map.retired and map.cursor.seq <= MOST_EVENTS:
        map = whole_map(recording.session, recording.events(1, map.cursor.seq))
    if wish.at is not None and not 1 <= wish.at <= map.cursor.seq:
        raise BadInput("--at", f"a seq from 1 to {map.cursor.seq:,}", f"{wish.at:,}")
    return map


_WRITERS: dict[str, Callable[[Recording, Wish, BinaryIO, Progress | None], None]] = {
    "jsonl": _write_jsonl,
    "html": _write_html,
    "csv": _write_csv,
}
FORMATS = tuple(_WRITERS)
