"""Recordings of any known format as maps, with all their turns, without a data folder."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from lingbot_map import importers
from lingbot_map.errors import BadInput
from lingbot_map.events import Described, EpochStarted, Event
from lingbot_map.graph import DialogueMap
from lingbot_map.intake import Intake
from lingbot_map.mapper import Mapper
from lingbot_map.session import collector_off
from lingbot_map.store.disk import what_is
from lingbot_map.store.recording import LOG
from lingbot_map.whole import ALL_TURNS, whole_map

_CHUNK = 1000


@dataclass(frozen=True, slots=True)
class Opened:
    """One session of a file: its ``map`` with all turns, the ``events`` behind it, and its ``format``.

    ``problems`` are what could not be read of the file so far, in words.
    """

    session: str
    map: DialogueMap
    events: list[Event]
    format: str
    problems: list[str] = field(default_factory=list)


def open_maps(path: str | os.PathLike[str], columns: importers.Mapped | None = None) -> Iterator[Opened]:
    """The sessions of a file, or of a recording's folder, one after the other.

    A recording of ours is taken as it is; anything else as an import takes it, with the default policy. Raises
    ``BadInput`` and what ``importers.read`` does.
    """
    file = Path(path)
    if (file / LOG).is_file():
        file = file / LOG
    if not file.is_file():
        found = "a folder without one" if file.is_dir() else what_is(file)
        raise BadInput(str(path), f"a file, or a recording's folder with its {LOG}", found)
    report = importers.Report()
    for imported in importers.read(file, str(path), report=report, columns=columns):
        with collector_off():
            map, events = _map(imported)
        problems = [str(problem) for problem in report.problems]
        if report.problem_count > len(problems):
            problems.append(f"... and {report.problem_count - len(problems):,} more")
        yield Opened(imported.session_id, map, events, report.format, problems)


def _map(imported: importers.ImportedSession) -> tuple[DialogueMap, list[Event]]:
    events = list(imported.events) if imported.events is not None else []
    if not _whole(events):
        return _taken(imported)
    deque(imported.items, 0)  # so that what can't be read of it is told
    events = [msgspec.structs.replace(event, session=imported.session_id) for event in events]
    return whole_map(imported.session_id, events), events


def _whole(events: list[Event]) -> bool:
    """Whether these are a log from its first event on, without holes."""
    if not events or type(events[0].signal) is not EpochStarted:
        return False
    return all(event.seq == number for number, event in enumerate(events, 1))


def _taken(imported: importers.ImportedSession) -> tuple[DialogueMap, list[Event]]:
    """The map of signals, placed as an import places them."""
    mapper = Mapper(session=imported.session_id)
    map = mapper.map
    map.policy = msgspec.structs.replace(map.policy, kept_turns=ALL_TURNS)
    intake = Intake(map)
    now = time.time()
    placed: list[Event] = []

    def apply(events: Iterable[Event]) -> None:
        for event in events:
            placed.append(event)
            mapper.apply(event)

    items = iter(imported.items)
    while chunk := list(islice(items, _CHUNK)):
        apply(intake.take(imported.source, chunk, now, numbered=chunk[-1].n, recorded=True).events)
    facts: dict[str, Any] = {"origin": imported.origin, "coverage": imported.coverage, "lost": imported.lost}
    if not imported.timed:
        facts["timed"] = False
    apply([intake.own(Described(facts=facts), max(map.at, 0.0) or now)])
    return map, placed
