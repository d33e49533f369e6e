"""Which session somebody means, by its id, its key or the beginning of the key; and what comes near where none fits."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path

from lingbot_map.errors import BadInput, LingbotMapError, UnknownSession
from lingbot_map.store import key_of
from lingbot_map.store.files import FileStore
from lingbot_map.store.index import remembered

_MOST_NEAR = 3


def find_key(store: FileStore, session: str, where: Path, *, least: int = 1) -> str:
    """The key of the session that ``session`` names, by at least ``least`` digits of the key.

    Raises ``BadInput`` for a beginning of several, ``UnknownSession`` with what is near for one of none.
    """
    keys = store.keys()
    key = key_of(session)
    if key in keys:
        return key
    fits = [known for known in keys if len(session) >= least and known.startswith(session)]
    if len(fits) > 1:
        raise BadInput("session", "the beginning of one key", f"{len(fits)} that begin so")
    if not fits:
        raise UnknownSession(session, str(where), nearest(store, session))
    return fits[0]


def nearest(store: FileStore, word: str) -> list[str]:
    """The ids of up to three sessions whose id, name or title comes near ``word``, the nearest first."""
    ids: dict[str, str] = {}
    for name, session in _names(store):
        ids.setdefault(name.casefold(), session)
    sought = word.casefold()
    close = difflib.get_close_matches(sought, ids, _MOST_NEAR, 0.6)
    within = sorted((name for name in ids if len(sought) > 1 and sought in name), key=len)
    return list(dict.fromkeys(ids[name] for name in [*close, *within]))[:_MOST_NEAR]


def _names(store: FileStore) -> Iterator[tuple[str, str]]:
    """(id, name or title; id) of all sessions that have one."""
    known = remembered(store.folder / "index.sqlite3")
    keys = store.keys()
    for key in keys:
        summary = known.get(key)
        if summary is None:
            try:
                session = store.open(key).session
            except (LingbotMapError, OSError):
                continue
            finally:
                store.release(key)
            yield session, session
        else:
            yield from ((name, summary.id) for name in (summary.id, summary.name, summary.title) if name)
