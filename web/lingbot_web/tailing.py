"""What follows something that grows and tells the map: one loop for files, tables and queues."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import orjson

from lingbot_map.errors import BadInput
from lingbot_map.importers import Columns, Mapped
from lingbot_map.importers.growing import Telling, format_of, telling
from lingbot_map.importers.growing_spans import Told
from lingbot_map.importers.sse import data_of
from lingbot_web.courier import Courier, Stopped
from lingbot_web.tail_file import GrowingFile, Line
from lingbot_web.terminal import count

BEAT = 0.1
"""Seconds between two looks at something that has not grown."""
KEEP_BEAT = 5.0
"""Seconds between two notes of how far it is."""
SHOWN = 20
"""Lines that can't be read are named one by one up to so many; the others are counted."""


class Growing(Protocol):
    """What is followed."""

    renewed: int
    why: str

    def poll(self) -> list[Line]:
        """The records that are new; none if nothing is."""

    def left(self) -> list[Line]:
        """What is left at the end, when nothing more is waited for: a last line without an end."""

    def pending(self) -> bool:
        """Whether there is more although nothing is new."""

    def noted(self) -> bool:
        """Whether what was handed out has to be noted before ``taken``."""

    def taken(self) -> None:
        """The map has all that was handed out."""

    def standing(self) -> list[Any]:
        """Where ``resume`` goes on, as JSON."""

    def resume(self, standing: list[Any]) -> bool:
        """Go on there, if that is possible; whether it is."""

    def close(self) -> None:
        """Let go of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What to follow how: ``format`` may be "auto", ``from_end`` leaves out what is there, ``once`` ends at the end."""

    what: str
    format: str = "auto"
    columns: Mapped | None = None
    from_end: bool = False
    once: bool = False


class Note:
    """How far a run has come, kept for the next: a small file of the user's own."""

    def __init__(self, what: str, where: str) -> None:
        """Of ``what`` is followed into the map ``where``."""
        base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
        name = hashlib.sha256(f"{what}\n{where}".encode("utf-8", "surrogateescape")).hexdigest()[:32]
        self._path = Path(base) / "lingbot-map" / f"tail-{name}.json"

    def read(self) -> dict[str, Any]:
        """What was noted; nothing where that can't be read."""
        try:
            said = orjson.loads(self._path.read_bytes())
        except (OSError, ValueError):
            return {}
        return said if type(said) is dict and said.get("v") == 1 else {}

    def write(self, said: dict[str, Any]) -> None:
        """Note it, whole or not at all. Raises ``OSError``."""
        self._path.parent.mkdir(0o700, parents=True, exist_ok=True)
        beside = self._path.with_suffix(f".{os.getpid()}")
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(orjson.dumps({"v": 1, **said}))
        beside.replace(self._path)


class Tail:
    """Follows ``growing`` until it is told to stop, or until its end."""

    def __init__(self, wish: Wish, growing: Growing, courier: Courier, note: Note, say: Callable[[str], None]) -> None:
        self.bad = 0
        self.format = wish.format
        self._wish, self._growing, self._courier, self._note, self._say = wish, growing, courier, note, say
        self._telling: Telling | None = None
        self._first: dict[tuple[str, str], Told] = {}
        self._passing = wish.from_end
        self._renewed = 0
        self._kept_at = 0.0
        self._why = ""

    def run(self) -> None:
        """Raises ``BadInput`` for what can't be followed."""
        growing, stop = self._growing, self._courier.stop
        try:
            self._resume()
            while not stop.is_set():
                lines = growing.poll()
                self._look()
                if lines:
                    self._tell(lines)
                elif self._wait():
                    break
            self._keep(clean=True)
        except Stopped:
            return  # what was not acknowledged comes again, with the same numbers
        finally:
            growing.close()
            self._courier.close()

    def summary(self) -> str:
        """What was done, in a line."""
        courier = self._courier
        said = f"{count(courier.events, 'event')} of {count(len(courier.sessions), 'session')} sent"
        if self._telling is not None and self._telling.repeated:
            said += f", {count(self._telling.repeated, 'record')} had been there before"
        if courier.refused:
            said += f", {courier.refused:,} refused by the map"
        return said + (f", {count(self.bad, 'record')} could not be read" if self.bad else "")

    # --- telling ------------------------------------------------------------------------------------------------

    def _tell(self, lines: Sequence[Line]) -> None:
        lines = [line if line.bad else replace(line, raw=data_of(line.raw)) for line in lines]
        lines = [line for line in lines if line.bad or line.raw]  # without what frames server-sent events
        if self._telling is None and any(not line.bad for line in lines):
            self._telling = self._of(lines)
        told: list[Told] = []
        for line in lines:
            if line.bad:
                self._problem(line.where, line.bad)
                continue
            assert self._telling is not None
            taken = self._telling.take(line.raw)
            told += taken.told
            if taken.problem:
                self._problem(line.where, taken.problem)
        self._bring(told)
        if self._growing.noted() or time.monotonic() - self._kept_at > KEEP_BEAT:
            self._keep()
        self._growing.taken()

    def _of(self, lines: Sequence[Line]) -> Telling:
        wish = self._wish
        if type(wish.columns) is not Columns and wish.format == "auto":
            self.format = format_of(b"\n".join(line.raw for line in lines if not line.bad), wish.what)
        return telling(self.format, wish.columns, wish.what)

    def _bring(self, told: list[Told]) -> None:
        if self._passing:
            for part in told:  # that a session began is told with the first that is new in it
                self._first.setdefault((part.session, part.source), replace(part, items=part.items[:1]))
            return
        out: list[Told] = []
        for part in told:
            first = self._first.pop((part.session, part.source), None) if self._first else None
            out += [first] if first is not None else []
            out.append(part)
        if out:
            self._courier.send(out)

    def _wait(self) -> bool:
        """Nothing is new. Whether this is the end."""
        now = time.monotonic()
        if self._telling is not None:
            self._bring(self._telling.overdue(now))
        if self._wish.once:
            if self._telling is None and self._growing.why:
                raise BadInput(self._wish.what, "something to read", self._growing.why)
            if not self._growing.pending():
                if left := self._growing.left():
                    self._tell(left)
                if self._telling is not None:
                    self._bring(self._telling.overdue(float("inf")))
                return True
        self._passing = False
        return self._courier.stop.wait(BEAT)

    def _problem(self, where: str, why: str) -> None:
        self.bad += 1
        if self.bad <= SHOWN:
            self._say(f"{where}: {why}")
            if self.bad == SHOWN:
                self._say("further records that can't be read are counted only")

    # --- how far it is ------------------------------------------------------------------------------------------

    def _look(self) -> None:
        growing = self._growing
        if growing.why != self._why:
            self._why = growing.why
            if self._why:
                self._say(f"{self._wish.what} {self._why}")
        if growing.renewed != self._renewed:
            self._renewed = growing.renewed
            self._keep()

    def _resume(self) -> None:
        """A file that was never replaced is read again from its beginning, for what was said before matters; what is
        known of it is recognised by its numbers. Of one that was, the earlier part is gone: the numbers go on."""
        said = self._note.read()
        standing = said.get("at", [])
        growing = self._growing
        try:
            if not standing or (not standing[-1] and isinstance(growing, GrowingFile) and growing.is_same(standing)):
                return
            format = self._wish.format if self._wish.format != "auto" else said["format"]
            made = telling(format, self._wish.columns, self._wish.what)
            there = growing.resume(standing)
            made.resume(said["conversations"], exact=there or said["clean"])
        except (TypeError, ValueError, KeyError):
            return  # a note that was written by nobody we know
        self.format, self._telling = format, made
        self._renewed = growing.renewed = max(growing.renewed, 1)

    def _keep(self, *, clean: bool = False) -> None:
        self._kept_at = time.monotonic()
        standing = self._growing.standing()
        if self._telling is None or not standing:
            return
        conversations = self._telling.standing()
        said = {"at": standing, "format": self.format, "clean": clean, "conversations": conversations}
        try:
            self._note.write(said)
        except OSError as why:
            self._say(f"how far it is could not be noted: {why.strerror or why}")
