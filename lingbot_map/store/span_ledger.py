"""What came as spans and is in no recording yet, and which spans are in one already.

A bot that sends spans is told "accepted" and forgets them, but a turn is recorded only when its root has ended. So what
waits for its root stands in ``spans.waiting`` until then (it survives ``kill -9``); where nothing waits the file is
empty. ``spans.told`` holds the ids of those that were told, so that what is sent once more after a restart is known;
the older half of it is in ``spans.told.old``. Neither names a session but by its key.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson

from lingbot_map.store.disk import open_file, read_file, replace_file, write_all
from lingbot_map.store.lines import read_object, seal, unseal

TOLD_BYTES = 8 << 20
"""After so many ids of what was told (some 400,000) the older ones go."""
WAITING_BYTES = 64 << 20
"""From here on what waits no more is taken out while other spans still wait."""


class SpanLedger:
    """The ledger in ``folder``, or none at all without one: then everything here does nothing."""

    def __init__(self, folder: Path | None = None) -> None:
        """Files are made when there is something to write."""
        self._folder = folder
        self._owed: dict[str, list[bytes]] = {"spans.waiting": [], "spans.told": []}
        self._sizes: dict[str, int] = {}
        self._tidied = 0

    @property
    def kept(self) -> bool:
        """Whether anything is written."""
        return self._folder is not None

    def wait(self, spans: Iterable[dict[str, Any]]) -> None:
        """These wait for their roots. Raises ``OSError`` where the disk refuses; the next call tries again."""
        self._append("spans.waiting", spans)

    def told(self, trace: str, source: str, key: str, turn: str, spans: Iterable[str]) -> None:
        """These spans of a trace were told in the session ``key``. Raises as ``wait``."""
        said = {"trace": trace, "source": source, "key": key, "turn": turn, "spans": list(spans)}
        self._append("spans.told", [said])
        if self._folder is not None and self._sizes.get("spans.told", 0) > TOLD_BYTES:
            with contextlib.suppress(OSError):
                os.replace(self._folder / "spans.told", self._folder / "spans.told.old")
                self._sizes["spans.told"] = 0

    def nothing_waits(self) -> None:
        """Leave no word in the file."""
        self._owed["spans.waiting"].clear()
        if self._folder is None or self._sizes.get("spans.waiting", 0) == 0:
            return
        with contextlib.suppress(OSError):  # tried again with the next one that waits no more
            os.truncate(self._folder / "spans.waiting", 0)
            self._sizes["spans.waiting"] = 0

    @property
    def grown(self) -> bool:
        """Whether it is worth while to ``tidy``."""
        return self._sizes.get("spans.waiting", 0) > max(WAITING_BYTES, 2 * self._tidied)

    def tidy(self, waits: Callable[[str], bool]) -> None:
        """Leave in the file only the spans of traces that wait. May run in a thread of its own."""
        if self._folder is None:
            return
        path = self._folder / "spans.waiting"
        lines = (read_file(path) or b"").splitlines(keepends=True)
        data = b"".join(line for line in lines if waits(_trace_of(line)))
        with contextlib.suppress(OSError):  # tried again when more has come
            replace_file(path, data)
            self._sizes["spans.waiting"] = self._tidied = len(data)

    def read(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """("told" | "wait", what was said) of all that stands in the files; what can't be read is passed over."""
        if self._folder is None:
            return
        for name in ("spans.told.old", "spans.told", "spans.waiting"):
            data = read_file(self._folder / name) or b""
            self._sizes[name] = len(data)
            for line in data.split(b"\n"):
                covered = unseal(line)
                if covered is not None:
                    yield "wait" if name == "spans.waiting" else "told", read_object(covered)

    def _append(self, name: str, said: Iterable[dict[str, Any]]) -> None:
        if self._folder is None:
            return
        owed = self._owed[name]
        owed += map(_line, said)
        if not owed:
            return
        data = b"".join(owed)
        fd = open_file(self._folder / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            before = os.fstat(fd).st_size
            try:
                write_all(fd, data)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(fd, before)  # no half line, which would spoil the next one
                raise
        finally:
            os.close(fd)
        owed.clear()
        self._sizes[name] = before + len(data)


def _trace_of(line: bytes) -> str:
    covered = unseal(line.rstrip(b"\n"))
    span = read_object(covered).get("span") if covered is not None else None
    return str(span[0]) if type(span) is list and span else ""


def _line(said: dict[str, Any]) -> bytes:
    return seal(orjson.dumps(said))
