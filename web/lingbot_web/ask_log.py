"""What was asked of a session and found no answer, and which answers were of use: a small log beside its recording.

It lies in the session's own folder, so it goes with it when that is deleted or forgotten.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import orjson

from lingbot_map.store import Recording

NAME = "asked.jsonl"
MOST_BYTES = 256 * 1024
"""Of a session's log; then nothing is added."""


def note(recording: Recording, entry: dict[str, Any]) -> bool:
    """Add a line; false where nothing may be written (a case, in memory), or the disk or the bound says no."""
    folder = getattr(recording, "folder", None)
    if recording.read_only or not isinstance(folder, Path):
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
