"""A folder of documents with its index on disk: made once, then brought up to what changed in the folder.

The index lies in ``.lingbot-ask`` within the folder; where nothing can be written there, in a temporary folder that
goes with the process. One process writes at a time (it holds ``lock``), any number read; a reader keeps the snapshot
that it began with and waits for nobody. A writer that is killed leaves the index as it was before.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import quote

from lingbot_map.ask.bases.documents import files, indexing, seal, tables
from lingbot_map.ask.bases.documents.encoders import Endpoint
from lingbot_map.ask.bases.documents.indexing import Progress
from lingbot_map.ask.bases.documents.mapped import ByWords, mapped
from lingbot_map.ask.bases.documents.shelf import StoredSnapshot, snapshot_of
from lingbot_map.ask.bases.documents.vectors import Encoder, Vectors
from lingbot_map.errors import BadInput

NAME = ".lingbot-ask"
_AGAIN = 20  # times that an index is opened which another process replaces meanwhile
_MAPPED = 1 << 30
_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_POLL = 0.05  # seconds between looks whether another writer is through


class Stored:
    """The documents of a folder, as ``Library`` has them, read from disk. ``snapshot`` is the present one."""

    def __init__(self, folder: Path, *, encoder: Encoder | None = None, progress: Progress | None = None) -> None:
        """Opens the index of ``folder``; makes it, or brings it up to date, where need be. ``progress(done, all)``
        hears of the documents that are read meanwhile.

        Raises ``BadInput`` for documents that can't be read, and for an index that is damaged, with the remedy.
        """
        self.folder, self.encoder = folder, encoder
        self._progress = progress
        self._writing = threading.Lock()
        self.home = folder / NAME
        self.snapshot = self._opened()

    def refresh(self) -> StoredSnapshot:
        """Take in what changed in the folder since; the present snapshot. Raises as the first reading; the snapshot is
        the one before then."""
        with self._writing:
            found = files.listed(self.folder)
            if not any(not each.is_table for each in found):
                raise files.nothing([self.folder])
            if not self._is_current(self.snapshot, found):
                if _writable(self.home):
                    self._update(found)
                    self.snapshot = self._read(check=False)
                else:
                    self.snapshot = self._opened()
            return self.snapshot

    def _opened(self) -> StoredSnapshot:
        found = files.listed(self.folder)
        if not any(not each.is_table for each in found):
            raise files.nothing([self.folder])
        if not _writable(self.home):
            if (known := self._as_it_is(found)) is not None:
                return known
            self.home = Path(tempfile.mkdtemp(prefix="lingbot-ask-"))
            weakref.finalize(self, shutil.rmtree, self.home, ignore_errors=True)
        elif seal.read(self.home) is not None:
            snapshot = self._read()
            if self._is_current(snapshot, found):
                return snapshot
            snapshot.close()
        self._update(found)
        return self._read()

    def _as_it_is(self, found: list[files.File]) -> StoredSnapshot | None:
        """The index of a folder where nothing can be written, if it is whole and up to date."""
        known = seal.read(self.home)
        if known is None or ((log := _log(self.home / known.database)).exists() and log.stat().st_size):
            return None
        snapshot = self._read()
        if self._is_current(snapshot, found):
            return snapshot
        snapshot.close()
        return None

    def _is_current(self, snapshot: StoredSnapshot, found: list[files.File]) -> bool:
        with _told(self.home):
            return indexing.Changes.of(snapshot.db, found, self.encoder).none

    def _update(self, found: list[files.File]) -> None:
        with _claimed(self.home), _told(self.home):
            known = seal.read(self.home)
            if known is not None:
                with closing(_connected(self.home / known.database, write=False)) as db:
                    fits = indexing.fits(db)
                if fits:
                    self._change(known, found)
                    return
            made = indexing.build(self.home, found, self.encoder, self._progress)
            seal.write(self.home, made)
            _sweep(self.home, made)

    def _change(self, known: seal.Seal, found: list[files.File]) -> None:
        path = self.home / known.database
        _strike(self.home, known)  # what a writer that was killed left in the log
        with closing(_connected(path, write=True)) as db:
            indexing.change(db, self.home, known, found, self.encoder, self._progress)
            _strike(self.home, known)
            db.execute("pragma busy_timeout=0")  # readers of an older snapshot are not waited for
            with suppress(sqlite3.OperationalError):  # a full disk: what changed stands in the log, and stays there
                db.execute("pragma wal_checkpoint(truncate)")
        log = _log(path)
        if not log.exists() or not log.stat().st_size:  # else a reader of an older snapshot holds it: sealed next time
            known.close(self.home, known.database)
        for name in list(known.files)[1:]:
            known.close(self.home, name)
        seal.write(self.home, known)
        _sweep(self.home, known)

    def _read(self, *, check: bool = True) -> StoredSnapshot:
        """The present snapshot; its files are compared with their checksums unless they were just written."""
        for attempt in range(_AGAIN):
            known = seal.read(self.home)
            if known is None:
                raise BadInput(str(self.home), "an index", "none", seal.REMEDY)
            try:
                if check:
                    seal.check(self.home, known)
                db = _connected(self.home / known.database, write=False, still=not _writable(self.home))
                return snapshot_of(db, partial(self._vectors, db))
            except (BadInput, sqlite3.DatabaseError) as why:
                if attempt + 1 < _AGAIN and seal.read(self.home) != known:
                    continue  # another process replaced it meanwhile
                if isinstance(why, BadInput):
                    raise
                raise BadInput(str(self.home / known.database), "what was written", str(why), seal.REMEDY) from None
        raise AssertionError

    def _vectors(self, db: sqlite3.Connection, places: Mapping[str, tuple[int, int]], by_words: ByWords) -> Vectors:
        name = tables.part(db, "vectors")
        if self.encoder is None or tables.part(db, "encoder") != self.encoder.name or not places:
            return Vectors(None)
        if not seal.is_vectors(name):
            raise BadInput(str(self.home), "vectors of its own", "others", seal.REMEDY)
        width = int(tables.part(db, "width"))
        if isinstance(self.encoder, Endpoint):
            self.encoder.expect(width)
        return mapped(self.encoder, self.home / name, width, places, by_words)


@contextmanager
def _claimed(home: Path) -> Iterator[None]:
    """Be the one that writes; waits for another process that does."""
    home.mkdir(parents=True, exist_ok=True)
    seal.plain(home)
    fd = os.open(home / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(_POLL)
        yield
    finally:
        os.close(fd)


@contextmanager
def _told(home: Path) -> Iterator[None]:
    """Say of what SQLite can't do where it was and what to do about it: mostly the disk is full."""
    try:
        yield
    except sqlite3.DatabaseError as why:
        if (getattr(why, "sqlite_errorcode", 0) & 0xFF) in _NO_ROOM:
            raise BadInput(str(home), "room to write an index", str(why), "make room, and ask again") from None
        raise BadInput(str(home), "what was written", str(why), seal.REMEDY) from None


def _connected(path: Path, *, write: bool, still: bool = False) -> sqlite3.Connection:
    """A connection to a database; ``still``: nothing can change it, so that nothing need be written beside it."""
    if not path.is_file():
        raise BadInput(str(path), "a part of the index", "no file", seal.REMEDY)
    how = "mode=rw" if write else "mode=ro&immutable=1" if still else "mode=ro"
    db = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?{how}", uri=True, check_same_thread=False, isolation_level=None
    )
    db.execute("pragma wal_autocheckpoint=0" if write else f"pragma mmap_size={_MAPPED}")
    db.execute("pragma cache_size=-16384")
    return db


def _strike(home: Path, known: seal.Seal) -> None:
    """Say of the pages in the log of a database that they are being written."""
    pieces = seal.pages_in_log(_log(home / known.database))
    if pieces:
        known.strike(known.database, pieces)
        seal.write(home, known)


def _log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _sweep(home: Path, made: seal.Seal) -> None:
    """Remove what an older index, or one that was never finished, left; its readers keep what they have open."""
    for path in home.iterdir():
        if seal.is_made(path.name) and not path.name.startswith(tuple(made.files)):
            path.unlink(missing_ok=True)


def _writable(home: Path) -> bool:
    """Whether an index can be written: asked of the system by trying, since a root user may write to all but a file
    system that is mounted to be read."""
    seal.plain(home)
    try:
        home.mkdir(exist_ok=True)
        probe = home / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return os.access(home, os.W_OK)
