"""Sequence diagrams that answer questions: PlantUML, Mermaid and XMI, read into one form (``ir``)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from lingbot_map.ask.bases.sequence.asking import SequenceBase
from lingbot_map.ask.bases.sequence.ir import Diagram
from lingbot_map.ask.bases.sequence.source import SUFFIXES, Refused, read, text_of
from lingbot_map.errors import BadInput

__all__ = ["MOST_FILES", "SequenceBase", "opened"]

MOST_FILES = 5_000
"""Files of a folder that are read."""


def opened(paths: Sequence[Path]) -> SequenceBase:
    """The base over files and folders.

    A file that is named must hold a sequence diagram: else BadInput with the line. Of a folder's files those that hold
    none are kept as ``refused`` with their kind and place; BadInput where no file of it holds one.
    """
    diagrams: list[Diagram] = []
    refused: list[Refused] = []
    for path in paths:
        if path.is_dir():
            _folder(path, diagrams, refused)
        else:
            found, others = read(text_of(path), str(path))
            diagrams.extend(found)
            refused.extend(others)
    if not diagrams:
        where = ", ".join(str(path) for path in paths) or "no path"
        tried = "; ".join(f"{each.where}: {each.kind}" for each in refused[:3])
        raise BadInput(where, "at least one sequence diagram", tried or "none")
    return SequenceBase(diagrams, refused)


def _folder(folder: Path, diagrams: list[Diagram], refused: list[Refused]) -> None:
    named = (Path(at, name) for at, _, names in os.walk(folder) for name in names)
    files = sorted(path for path in named if path.suffix.lower() in SUFFIXES and path.is_file())
    if len(files) > MOST_FILES:
        raise BadInput(str(folder), f"at most {MOST_FILES} files", str(len(files)))
    for path in files:
        try:
            found, others = read(text_of(path), str(path))
        except BadInput as why:
            refused.append(Refused(why.where, f"expected {why.expected}, found {why.found}"))
        else:
            diagrams.extend(found)
            refused.extend(others)
