"""What was asked and found no answer, and which answers were of use: a small log beside the recording that was asked,
or in the data folder for a diagram, a graph or documents.

That of a session lies in its own folder, so it goes with it when that is deleted or forgotten.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import orjson

from lingbot_map.store import Recording

NAME = "asked.jsonl"
MOST_BYTES = 256 * 1024
"""Of a log; then nothing is added."""
MOST_TOLD = 50
"""Questions without an answer that are told again, the latest first."""


def folder_of(recording: Recording) -> Path | None:
    """Where the log of a recording lies; ``None`` where nothing may be written (a case, in memory)."""
    folder = getattr(recording, "folder", None)
    return folder if isinstance(folder, Path) and not recording.read_only else None


def note(folder: Path | None, entry: dict[str, Any]) -> bool:
    """Add a line; false where nothing may be written, or the disk or the bound says no."""
    if folder is None:
        return False
    line = orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    try:
        file = os.open(folder / NAME, flags, 0o600)
        try:
            if os.fstat(file).st_size + len(line) > MOST_BYTES:
                return False
            return os.write(file, line) == len(line)
        finally:
            os.close(file)
    except OSError:  # a full disk, or the session has gone: an answer doesn't fail for its log
        return False


def unanswered(folder: Path | None, base: str = "") -> list[dict[str, Any]]:
    """The questions without an answer, the latest first and each once; of ``base`` alone where that is named."""
    if folder is None:
        return []
    try:
        file = os.open(folder / NAME, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(file, "rb") as stream:
            lines = stream.read(MOST_BYTES).splitlines()
    except OSError:
        return []
    found: dict[str, dict[str, Any]] = {}
    for line in reversed(lines):
        try:
            entry = orjson.loads(line)
        except orjson.JSONDecodeError:  # half a line: the disk was full
            continue
        if type(entry) is dict and entry.get("unanswerable") and entry.get("base", "") == base:
            question = entry.get("question")
            if type(question) is str and question not in found:
                found[question] = {"question": question, "at": entry.get("at"), "kind": entry.get("kind", "")}
            if len(found) == MOST_TOLD:
                break
    return list(found.values())
