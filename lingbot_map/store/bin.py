"""Deleting a session's folder so that no crash leaves half of it: it is renamed first, in one step, and removed later.

``deleted-KEY-1f0c`` is in the bin: nobody lists or opens it, and whoever empties the bin next goes on where the last
one was stopped.
"""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path

from lingbot_map.errors import NotRemoved
from lingbot_map.store.disk import is_folder, sync_folder

_PREFIX = "deleted-"


class Bin:
    """The bin of the data folder ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str) -> None:
        """What has this name in the data folder is gone from here on, also after a power cut. Raises ``OSError``."""
        # A name of its own: an older one of the same session may be just being removed.
        os.rename(self._folder / name, self._folder / f"{_PREFIX}{name}-{secrets.token_hex(2)}")
        sync_folder(self._folder)

    def empty(self) -> None:
        """Remove what is in the bin, however long that takes. Raises ``NotRemoved`` for what can't be removed."""
        refused: OSError | None = None
        for name in os.listdir(self._folder):
            if name.startswith(_PREFIX):
                try:
                    remove(self._folder / name)
                except OSError as why:
                    refused = why
        if refused is not None:
            raise NotRemoved(str(refused.filename or self._folder), refused.strerror or str(refused))


def remove(path: Path) -> None:
    """A folder with all that is in it, or what is in its place; no link is followed. Raises ``OSError``."""
    try:
        if is_folder(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    except FileNotFoundError:  # somebody else empties it too
        if os.path.lexists(path):
            raise
