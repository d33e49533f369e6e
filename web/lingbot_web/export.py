"""Sessions in formats that others read, straight from the data folder: a map that serves it isn't disturbed."""

from __future__ import annotations

import io
import os
import re
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
from lingbot_web.export_diagram import mermaid, plantuml
from lingbot_web.export_graph import graphml, node_link
from lingbot_web.export_otlp import otlp
from lingbot_web.export_sequence import Lang, Sequence, sequence_of
from lingbot_web.export_slots import slots_csv

Progress = Callable[[int, int], None]
"""Called with how many events were read, and of how many."""

_TOLD_EVERY = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """How a session is wanted: ``to`` a format; all but a recording ``at`` a seq (None: the end) and, where there are
    words, in a ``lang`` ("": a page speaks its reader's, the others English); a page with the raw ``events``; a diagram
    of some ``turns``, the first and the last (None: all)."""

    to: str = "jsonl"
    at: int | None = None
    lang: str = ""
    events: bool = True
    turns: tuple[int, int] | None = None

    @property
    def spoken(self) -> Lang:
        """The language where no reader's is known."""
        return "zh" if self.lang == "zh" else "en"


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
    check(wish)
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


def check(wish: Wish) -> None:
    """Raises ``BadInput`` for a wish that no session can meet."""
    if wish.to not in _WRITERS:
        raise BadInput("--to", " or ".join(_WRITERS), wish.to)
    if wish.to == "jsonl" and wish.at is not None:
        raise BadInput("--at", "another --to beside it", "--to jsonl", "a recording is written whole")
    if wish.turns is not None and wish.to not in _DIAGRAMS:
        raise BadInput("--turns", f"--to {' or '.join(_DIAGRAMS)} beside it", f"--to {wish.to}")
    if wish.lang not in ("", "zh", "en"):
        raise BadInput("--lang", "zh or en", wish.lang)


def written(recording: Recording, wish: Wish) -> bytes:
    """The recording in the wished format. Raises as ``export`` does for the wish."""
    check(wish)
    file = io.BytesIO()
    _WRITERS[wish.to](recording, wish, file, None)
    return file.getvalue()


def turns_of(said: str) -> tuple[int, int] | None:
    """The first and the last turn of ``3-9`` or ``3``; ``None`` where nothing is said. Raises ``BadInput``."""
    found = re.fullmatch(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*", said, re.ASCII)
    if said and found is None:
        raise BadInput("--turns", "the first and the last turn, as in 3-9", said)
    return None if found is None else (int(found[1]), int(found[2] or found[1]))


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
    recorded = Recorded(
        summary=msgspec.to_builtins(summarize(map, recording.key, case=recording.origin == "case")),
        keyframe=codec.keyframe(map),
        events=_told(recording, map.cursor.seq, progress) if wish.events else None,
        place="&".join(f"{name}={value}" for name, value in (("at", wish.at), ("lang", wish.lang)) if value),
    )
    remedy = "leave the raw events out with --no-events" if wish.events else "send the recording itself: --to jsonl"
    file.write(html(recorded, remedy=remedy))


def _write_csv(recording: Recording, wish: Wish, file: BinaryIO, progress: Progress | None) -> None:
    file.write(turns_csv(_map(recording, wish), upto=wish.at, lang=wish.spoken).encode())


def _write_slots(recording: Recording, wish: Wish, file: BinaryIO, progress: Progress | None) -> None:
    file.write(slots_csv(_map(recording, wish), upto=wish.at).encode())


def _write_diagram(recording: Recording, wish: Wish, file: BinaryIO, progress: Progress | None) -> None:
    map = _map(recording, wish, then=True)
    if wish.turns is not None and not 0 <= wish.turns[0] <= wish.turns[1] <= map.turn:
        found = f"{wish.turns[0]:,}-{wish.turns[1]:,}"
        raise BadInput("--turns", f"turns from 0 to {map.turn:,}, the first and the last as in 3-9", found)
    told = sequence_of(map, _told(recording, map.cursor.seq, progress), wish.spoken, wish.turns)
    file.write(_DIAGRAMS[wish.to](told).encode())


def _write_otlp(recording: Recording, wish: Wish, file: BinaryIO, progress: Progress | None) -> None:
    last = recording.last_seq if wish.at is None else wish.at
    _checked(wish, recording.last_seq)
    for piece in otlp(recording.session, _told(recording, last, progress)):
        file.write(piece)


def _write_graphml(recording: Recording, wish: Wish, file: BinaryIO, progress: Progress | None) -> None:
    file.write(graphml(_map(recording, wish, then=True)).encode())


def _write_graph(recording: Recording, wish: Wish, file: BinaryIO, progress: Progress | None) -> None:
    file.write(node_link(_map(recording, wish, then=True)).encode())


def _told(recording: Recording, last: int, progress: Progress | None) -> Iterator[Event]:
    for number, event in enumerate(recording.events(1, last)):
        if progress and number % _TOLD_EVERY == 0:
            progress(number, last)
        yield event


def _checked(wish: Wish, last: int) -> None:
    if wish.at is not None and not 1 <= wish.at <= last:
        raise BadInput("--at", f"a seq from 1 to {last:,}", f"{wish.at:,}")


def _map(recording: Recording, wish: Wish, *, then: bool = False) -> DialogueMap:
    """The map of all turns; with ``then`` as it stood at the wished moment, else what that moment's is cut from."""
    _checked(wish, recording.last_seq)
    map = map_of(recording, wish.at if then else None)
    if map.retired and map.cursor.seq <= MOST_EVENTS:
        map = whole_map(recording.session, recording.events(1, map.cursor.seq))
    return map


_DIAGRAMS: dict[str, Callable[[Sequence], str]] = {"mermaid": mermaid, "plantuml": plantuml}
_WRITERS: dict[str, Callable[[Recording, Wish, BinaryIO, Progress | None], None]] = {
    "jsonl": _write_jsonl,
    "html": _write_html,
    "csv": _write_csv,
    "slots": _write_slots,
    **dict.fromkeys(_DIAGRAMS, _write_diagram),
    "otlp": _write_otlp,
    "graphml": _write_graphml,
    "graph": _write_graph,
}
FORMATS = tuple(_WRITERS)
