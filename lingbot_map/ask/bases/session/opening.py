"""The map of the session that is asked: of a recording, of a file that an importer knows, of a file of turns."""

from __future__ import annotations

from pathlib import Path

from lingbot_map.ask.bases.session.turns_file import is_turns_file, read_turns
from lingbot_map.errors import BadInput
from lingbot_map.graph import DialogueMap
from lingbot_map.testing import open_maps


def map_of_path(path: Path, session: str = "") -> DialogueMap:
    """The map of the one session at ``path`` (of several: the one whose id is ``session``).

    Raises ``BadInput`` for none, for several without a choice, and for what can't be read.
    """
    if path.is_file() and is_turns_file(path):
        return read_turns(path)
    found = {opened.session: opened.map for opened in open_maps(path) if not session or opened.session == session}
    if len(found) != 1:
        expected = f"the session {session}" if session else "one session"
        some = ", ".join(list(found)[:5]) or "none"
        raise BadInput(str(path), expected, some, "import the file and ask one of its sessions" if found else "")
    return next(iter(found.values()))
