"""A data folder looked at from outside: no lock, no write, whether or not a map serves it, also where nobody may write.

What an index left there knows is believed where it has come as far as the log; the rest is read from the recordings.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from lingbot_map.errors import LingbotMapError
from lingbot_map.pipeline.keeping import Pruned, weigh
from lingbot_map.policy import Policy
from lingbot_map.session import map_of
from lingbot_map.store.files import FileStore
from lingbot_map.store.index import Index, Page, remembered, said_before
from lingbot_map.store.index_said import said
from lingbot_map.store.retention import Keep
from lingbot_map.store.summary import Summary, summarize, unreadable


class Glance:
    """What the data folder ``folder`` held when this was made."""

    def __init__(self, folder: Path) -> None:
        self.damage: list[str] = []
        self._store = FileStore(folder, read_only=True)
        self._index = Index(None)
        self._left = folder / "index.sqlite3"
        self._believed: set[str] = set()
        self._heard = False
        known = remembered(self._left)
        self._keys = self._store.keys()
        summaries = [self._summary(key, known.get(key)) for key in self._keys]
        self._index.update([(found, ()) for found in summaries], time.time())

    def _summary(self, key: str, known: Summary | None) -> Summary:
        try:
            recording = self._store.open(key)
            if known is not None and known.events == recording.last_seq and not known.damaged:
                self._believed.add(key)
                return known
            map = map_of(recording)
            self.damage += [str(damage) for damage in recording.damage]
            return summarize(map, key, case=recording.origin == "case")
        except (LingbotMapError, OSError) as why:  # one bad session never hides the others
            found = unreadable(key, why, time.time(), known)
            self.damage.append(f"session {found.id or key}: {found.damaged}")
            return found
        finally:
            self._store.release(key)

    def search(self, q: str = "", *, limit: int = 50) -> Page:
        """As ``Pipeline.search``."""
        if q and not self._heard:
            self._heard = True
            self._hear()
        return self._index.search(q, limit=limit)

    def _hear(self) -> None:
        """Take up what was said in each session: from the index that was left there, or from the recording."""
        known = said_before(self._left)
        for key in self._keys:
            text = known.get(key, b"") if key in self._believed else b""
            if key not in self._believed:
                try:
                    text = said(self._store.open(key).events())
                except (LingbotMapError, OSError):  # told already
                    continue
                finally:
                    self._store.release(key)
            self._index.hear(key, text)

    def prune(self, keep: Keep) -> Pruned:
        """What ``Pipeline.keeping.prune`` would remove."""
        known = [(one, self._store.footprint(one.key)) for one in self._index.summaries()]
        return weigh(known, keep, time.time(), Policy().session_silence)

    def stats(self) -> dict[str, Any]:
        """As ``Pipeline.stats``, of a map that does not run."""
        return {
            "server": "",
            "status": "stopped",
            "started_at": 0.0,
            "viewers": 0,
            "sessions": {"stored": len(self._keys), "in_memory": 0},
            "findings": self._index.findings(),
            "sources": [],
            "spans": {"waiting": 0, "repeated": 0, "aside": 0},
            "disk": {"trouble": "", "waiting": 0, "damage": self.damage[:100]},
            "keep": {"age": None, "size": None, "pruned": 0, "freed": 0},
        }
