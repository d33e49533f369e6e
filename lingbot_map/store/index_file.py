"""The file of the index: opened or begun anew, left for memory when the disk refuses, found again when it doesn't.

It is derived, so it is never flushed and never repaired. What can be read of it is taken along into memory.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from lingbot_map.store.disk import FILE_MODE, open_file

T = TypeVar("T")


class IndexFile:
    """The database at ``path``, or in memory without one. ``db`` is another one after ``run`` or ``settle``.

    ``fresh``: nothing was there at the start. ``wants_filling``: what was there is gone, and has to be read anew from
    the recordings; whoever does that sets it back.
    """

    def __init__(self, path: Path | None, version: int, tables: str) -> None:
        self.wants_filling = False
        self.adrift = False  # in memory, because the disk refused
        self._path = path
        self._version = version
        self._tables = tables
        found = self._opened()
        self.fresh = found is None
        self.db = found or self._anew(None)

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What ``work`` makes of the database, in one transaction; again elsewhere if the file went bad under us."""
        try:
            with self.db as db:
                return work(db)
        except sqlite3.DatabaseError:
            if self._path is None or self.adrift:
                raise
        self._move(_copy_of(self.db, self._version))
        with self.db as db:
            return work(db)

    def settle(self) -> None:
        """Go back to the file if the disk takes it again."""
        if self.adrift:
            self._move(self.db)

    def scrub(self) -> bool:
        """Leave no byte of what was removed, neither in free pages nor in the log beside the file. False if that meant
        to begin anew, because the disk has no room for it or somebody else reads."""
        if self._path is None or self.adrift:
            return True
        try:
            self.db.execute("VACUUM")
            busy, _, _ = self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.DatabaseError:
            busy = True
        if busy:
            self._move(None)
        return not busy

    def close(self) -> None:
        """Nothing is lost without it."""
        self.db.close()

    # --- where it lives ---

    def _opened(self) -> sqlite3.Connection | None:
        if self._path is None:
            return None
        try:
            db = _connected(self._path)
            if _version_of(db) == self._version and _is_sound(db):
                return db
            db.close()
        except (sqlite3.Error, OSError):
            pass
        return None

    def _move(self, held: sqlite3.Connection | None) -> None:
        """Begin anew with what ``held`` has."""
        before = self.db
        self.wants_filling = self.wants_filling or held is None
        self.db = self._anew(held)
        if before is not self.db:
            before.close()
        if held not in (None, before, self.db):
            held.close()

    def _anew(self, held: sqlite3.Connection | None) -> sqlite3.Connection:
        """A new file with what ``held`` has; where the disk refuses that, ``held`` itself, or a new one in memory."""
        self.adrift = False
        if self._path is not None:
            try:
                _unlink(self._path)
                return self._filled(_connected(self._path), held)
            except (sqlite3.Error, OSError):
                self.adrift = True
                with contextlib.suppress(OSError):  # half an index is worse than none, should we be killed
                    _unlink(self._path)
        return held or self._filled(_in_memory(), None)

    def _filled(self, db: sqlite3.Connection, held: sqlite3.Connection | None) -> sqlite3.Connection:
        with _closed_on_error(db):
            if held is not None:
                held.backup(db)
                db.execute("PRAGMA journal_mode = WAL")
            else:
                db.executescript(self._tables)
                db.execute(f"PRAGMA user_version = {self._version}")
                db.commit()
        return db


def _connected(path: Path) -> sqlite3.Connection:
    os.close(open_file(path, os.O_RDWR | os.O_CREAT))  # ours alone to read, and no link
    os.chmod(path, FILE_MODE)
    db = sqlite3.connect(path, check_same_thread=False)
    with _closed_on_error(db):
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")  # what a power cut damages is begun anew
        db.execute("PRAGMA secure_delete = ON")
    return db


@contextlib.contextmanager
def _closed_on_error(db: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error:
        db.close()
        raise


def _in_memory() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", check_same_thread=False)


def _copy_of(db: sqlite3.Connection, version: int) -> sqlite3.Connection | None:
    """What can still be read of a database, if all of it can."""
    copy = _in_memory()
    try:
        db.backup(copy)
        if _version_of(copy) == version and _is_sound(copy):
            return copy
    except sqlite3.Error:
        pass
    copy.close()
    return None


def _version_of(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _is_sound(db: sqlite3.Connection) -> bool:
    return bool(db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")


def _unlink(path: Path) -> None:
    for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
