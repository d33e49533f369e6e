"""What an import gives: sessions with their numbered signals, what they lack, and what could not be read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, Protocol

from lingbot_map.errors import BadInput
from lingbot_map.events import Event
from lingbot_map.importers.blob import Blob
from lingbot_map.importers.coverage import coverage, lost
from lingbot_map.importers.limits import LIMITS
from lingbot_map.importers.records import BadRecord, parse
from lingbot_map.intake import stamp_of
from lingbot_probes.adapters.openai_agents import NOTHING, Meaning
from lingbot_probes.adapters.scribe import Found, Scribe
from lingbot_probes.codec import MAX_SESSION_ID, SignalError
from lingbot_probes.signals import Numbered


@dataclass(frozen=True, slots=True)
class Problem:
    """Something at ``where`` (file and line, item or row) could not be read, for ``reason``."""

    where: str
    reason: str

    def __str__(self) -> str:
        return f"{self.where}: {self.reason}"


@dataclass(slots=True)
class Report:
    """What a file came to: filled while it is read. ``problems`` are the first ones, ``problem_count`` is all."""

    format: str = ""
    sessions: int = 0
    records: int = 0
    events: int = 0
    repeated: int = 0
    problems: list[Problem] = field(default_factory=list)
    problem_count: int = 0


@dataclass(slots=True)
class ImportedSession:
    """One session of a file.

    ``items`` can be gone through once, lazily; ``coverage``, ``lost``, ``timed`` and the problems are final after that.
    A hole in their n is a record that could not be read. ``source`` comes from the content: the same file, or a longer
    export of the same conversation, gives the same (source, n). ``events`` are the logged events themselves where the
    file is a recording of ours, to be copied as they are; they can be gone through again and again while it is read.
    """

    session_id: str
    source: str
    format: str
    items: Iterator[Numbered]
    found: Found
    events: Iterable[Event] | None = None
    problems: list[Problem] = field(default_factory=list)
    problem_count: int = 0
    timed: bool = False
    """Whether any of its items has a time."""

    @property
    def origin(self) -> str:
        """Where it comes from, as a session says it."""
        return f"import:{self.format}"

    @property
    def coverage(self) -> dict[str, str]:
        """{"flow" | "state" | "knowledge": "full" | "partial" | "none"}."""
        return coverage(self.format, self.found)

    @property
    def lost(self) -> list[dict[str, Any]]:
        """What the recording lacks, each {"code", "count", "en", "zh"}."""
        return lost(self.format, self.found, self.problem_count)

    def under(self, session_id: str) -> ImportedSession:
        """The session, told under another id from here on."""
        items = self.items
        self.session_id = session_id
        self.items = (replace(item, session=session_id) for item in items)
        return self

    def note(self, problem: Problem | None) -> None:
        """One record of this session could not be read; ``problem`` where the report tells it."""
        self.problem_count += 1
        if problem is not None:
            self.problems.append(problem)


class Adapter(Protocol):
    """What turns the records of one conversation into signals."""

    scribe: Scribe

    def take(self, record: object) -> list[Numbered]: ...
    def skip(self) -> list[Numbered]: ...
    def end(self) -> list[Numbered]: ...


Record = tuple[str, bytes | None, str]
"""(where, the JSON text, what is wrong with it before it is even parsed)."""


@dataclass(slots=True)
class Chunk:
    """What one record came to."""

    scribe: Scribe
    said: list[Numbered]
    bad: bool = False
    problem: Problem | None = None


class Reading:
    """One file being read: the blob, the report, and what must be known across its sessions."""

    def __init__(
        self,
        blob: Blob,
        report: Report,
        progress: Callable[[int, int], None] | None = None,
        strict: bool = False,
        meaning: Meaning = NOTHING,
    ) -> None:
        """``progress`` hears (bytes done, bytes in all) about a hundred times; ``strict`` raises on a problem;
        ``meaning`` is what functions mean, for a source that can't say it."""
        self.blob = blob
        self.meaning = meaning
        self.report = report
        self._progress = progress
        self._strict = strict
        self._passes = 2  # a file is gone through once to find the records and once to tell them
        self._told = 0
        self._sources: dict[str, str] = {}
        self._alike: dict[str, int] = {}

    def done(self, size: int) -> None:
        """``size`` more bytes of one pass are behind us."""
        if self._progress is None:
            return
        before, self._told = self._told, self._told + size
        total = max(1, self.blob.size * self._passes)
        if before * 100 // total != self._told * 100 // total:
            self._progress(min(self._told, total), total)

    def problem(self, where: str, reason: str | Exception) -> Problem | None:
        """Something could not be read: counted and, one of the first, told to the report (None: only counted).

        Raises ``BadInput`` if it is to be raised, or if too much of the file can't be read.
        """
        report = self.report
        if self._strict:
            raise BadInput(where, "a record that can be read", str(reason))
        report.problem_count += 1
        if report.problem_count > LIMITS.problems and report.problem_count * 2 > report.records:
            expected = f"at most {LIMITS.problems:,} records that can't be read"
            raise BadInput(self.blob.name, expected, f"more, the first of them {report.problems[0]}")
        if len(report.problems) >= LIMITS.shown_problems:
            return None
        problem = Problem(where, str(reason))
        report.problems.append(problem)
        return problem

    def tell(
        self, format: str, adapter: Adapter, records: Iterable[Record], identity: str = ""
    ) -> Iterator[ImportedSession]:
        """The sessions that ``adapter`` makes of the records of one conversation; one without anything readable is
        only a problem. ``identity`` is what a conversation without times is known by besides its name; "": by the
        whole file, and a longer one is another."""
        for _, chunks in groupby(self._chunks(adapter, records), key=lambda chunk: chunk.scribe):
            head: list[Chunk] = []
            for chunk in chunks:
                head.append(chunk)
                if chunk.said and not chunk.bad:
                    break
            else:
                continue
            # Goes on with what is left.
            yield self.session(format, head[-1].scribe, head, chunks, identity=identity)  # noqa: B031

    def session(
        self,
        format: str,
        scribe: Scribe,
        head: list[Chunk],
        chunks: Iterator[Chunk],
        events: Iterable[Event] | None = None,
        identity: str = "",
    ) -> ImportedSession:
        """A session of what ``head`` and then ``chunks`` say; ``identity`` as for ``tell``."""
        first = next((item for chunk in head for item in chunk.said), None)
        stamp = stamp_of(first) if first is not None else None
        session_id = scribe.session
        source = source_of(format, session_id, (identity or self.blob.digest()) if stamp is None else repr(stamp))
        if identity and stamp is None:  # two dialogues that begin alike are two, told apart by their order
            self._alike[source] = count = self._alike.get(source, 0) + 1
            source = source if count == 1 else source_of(format, session_id, f"{identity}\n{count}")
        told = ImportedSession(session_id, source, format, iter(()), scribe.found, events)
        told.items = self._items(told, head, chunks)
        known = self._sources.setdefault(session_id, source)
        self.report.sessions += 1
        if known != source:  # another conversation of the same name in this file: never mixed into one
            return told.under(f"{session_id[: MAX_SESSION_ID - 9]}~{source[-8:]}")
        return told

    def _items(self, session: ImportedSession, head: list[Chunk], chunks: Iterator[Chunk]) -> Iterator[Numbered]:
        for group in (head, chunks):
            for chunk in group:
                if chunk.bad:
                    session.note(chunk.problem)
                self.report.events += len(chunk.said)
                session.timed = session.timed or any(stamp_of(item) is not None for item in chunk.said)
                yield from chunk.said

    def _chunks(self, adapter: Adapter, records: Iterable[Record]) -> Iterator[Chunk]:
        report = self.report
        for where, raw, reason in records:
            report.records += 1
            bad, problem = False, None
            try:
                if raw is None:
                    raise BadRecord(reason)
                said = adapter.take(parse(raw))
            except (BadRecord, SignalError) as why:
                bad, problem = True, self.problem(where, why)
                said = adapter.skip()
            if said or bad:  # most spans are told with the last one of their turn
                yield Chunk(adapter.scribe, said, bad, problem)
        yield Chunk(adapter.scribe, adapter.end())


def source_of(format: str, session_id: str, known_by: str) -> str:
    """The source of a session that is ``known_by`` the time of its first signal, or by its content."""
    identity = f"{format}\n{session_id}\n{known_by}"
    return f"import:{format}:{hashlib.sha256(identity.encode('utf-8', 'replace')).hexdigest()[:24]}"
