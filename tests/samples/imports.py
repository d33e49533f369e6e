"""Reading a file whole, and folding what it said into a map: what the import tests share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lingbot_map.importers import ImportedSession, Report, read
from lingbot_map.intake import Intake
from lingbot_map.mapper import Mapper
from lingbot_probes.signals import Numbered

FILES = Path(__file__).parent / "files"
CHUNK = 500
NOW = 1_800_000_000.0


@dataclass
class Opened:
    """A session with its items taken."""

    session: ImportedSession
    items: list[Numbered]

    def of(self, *kinds: type) -> list[Any]:
        """The signals of ``kinds``, in order."""
        return [item.signal for item in self.items if type(item.signal) in kinds]


def opened(source: Path | bytes, report: Report | None = None, **more: Any) -> list[Opened]:
    """Every session of a file, taken whole."""
    return [Opened(session, list(session.items)) for session in read(source, report=report, **more)]


def mapped(session: str, source: str, items: list[Numbered], mapper: Mapper | None = None) -> Mapper:
    """The map that the items make, taken in the way an import is."""
    mapper = mapper or Mapper(session=session)
    intake = Intake(mapper.map)
    for start in range(0, len(items), CHUNK):
        chunk = items[start : start + CHUNK]
        taken = intake.take(source, chunk, NOW, numbered=chunk[-1].n, recorded=True)
        for event in taken.events:
            mapper.apply(event)
    return mapper
