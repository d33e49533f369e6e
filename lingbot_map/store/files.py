"""Sessions in folders below a data folder.

::

    snapshots/                 the data folder (0700; files 0600)
        lock                   held while a process writes here, with its process id
        open/KEY               one for each session that is open: what a start has to recover
        index.sqlite3          derived, see ``index``
        mask.key               what probes make pseudonyms with, see ``mask_key``
        deleted                how far the sources of deleted sessions had come, see ``deleted``
        spans.*                what came as spans, see ``span_ledger``
        KEY/events.jsonl       the recording
        KEY/head               the last seq that is safe on disk
        KEY/000000020000.snapshot
        KEY/quarantine/        bytes that could not be read
        cases/NAME/events.jsonl    committed recordings: listed, never written
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from lingbot_map.errors import LingbotMapError, NotWritten, StoreError, UnknownSession, Unreadable
from lingbot_map.events import Event
from lingbot_map.store import Origin, key_of
from lingbot_map.store.appender import Fsync
from lingbot_map.store.bin import Bin
from lingbot_map.store.claim import claim
from lingbot_map.store.deleted import Deleted
from lingbot_map.store.disk import (
    FOLDER_MODE,
    is_folder,
    open_file,
    open_to_read,
    read_file,
    sync_folder,
    unreadable,
)
from lingbot_map.store.exports import exports_of
from lingbot_map.store.footprint import Footprint, footprint
from lingbot_map.store.head import read_head
from lingbot_map.store.log import Header, last_good, read_header
from lingbot_map.store.mask_key import mask_key
from lingbot_map.store.recording import LOG, FileRecording, refuse_newer
from lingbot_map.store.snapshots import Snapshots
from lingbot_map.store.span_ledger import SpanLedger

_KEY = re.compile(r"[0-9a-f]{32}")
_OPEN_FILES = 256
"""So many logs stay open between batches; more would run into the usual limit of 1,024 descriptors."""


class FileStore:
    """The one that writes ``folder``, unless ``read_only``. Raises ``DataFolderBusy`` when another process does."""

    def __init__(
        self,
        folder: Path | str,
        *,
        fsync: Fsync = "batch",
        cases: Path | str | None = None,
        read_only: bool = False,
    ) -> None:
        self.folder = Path(folder).absolute()
        self._cases = Path(cases).absolute() if cases is not None else self.folder / "cases"
        self._fsync: Fsync = fsync
        self._read_only = read_only
        self._lock = -1
        self._boot = _boot_id()
        self._mask_key = ""
        self._marked: dict[str, str] = {}
        self._used: dict[str, FileRecording] = {}  # least used first
        self._used_lock = threading.RLock()  # sessions may be opened on any thread
        self._case_folders: dict[str, Path] | None = None
        if not read_only:
            self._lock = claim(self.folder)
        self._bin = Bin(self.folder)
        self._marked = self._read_marks()
        self.deleted = Deleted(self.folder / "deleted")
        self.spans = SpanLedger(self.folder)

    def mask_key(self) -> str:
        if not self._mask_key:
            self._mask_key = mask_key(self.folder / "mask.key")
        return self._mask_key

    # --- what there is ---

    def keys(self) -> list[str]:
        own = [key for key in _names(self.folder) if _KEY.fullmatch(key) and self._holds(self.folder / key)]
        return own + [key for key in self.case_keys() if key not in set(own)]

    def case_keys(self) -> list[str]:
        """The keys of the committed recordings; their folders may have any name."""
        if self._case_folders is None:
            self._case_folders = {}
            for name in sorted(_names(self._cases)):
                folder = self._cases / name
                if is_folder(folder) and self._holds(folder):
                    self._case_folders[case_key(folder)] = folder
        return list(self._case_folders)

    def open_keys(self) -> list[str]:
        return [key for key in self._marked if self._holds(self.folder / key)]

    @staticmethod
    def _holds(folder: Path) -> bool:
        if not is_folder(folder):
            return os.path.lexists(folder)  # a link or a file has taken the session's place
        return _has_log(folder) or _remembers(folder) or not os.access(folder, os.R_OK | os.X_OK)

    # --- one session ---

    def open(self, key: str) -> FileRecording:
        with self._used_lock:
            return self._found(key)

    def _found(self, key: str) -> FileRecording:
        if key in self._used:
            self._used[key] = self._used.pop(key)
            return self._used[key]
        if not _KEY.fullmatch(key):
            raise UnknownSession(key, str(self.folder))
        if self._holds(self.folder / key):
            return self._open(self.folder / key, key, "data")
        if key in self.case_keys() and self._case_folders is not None:
            return self._open(self._case_folders[key], key, "case")
        raise UnknownSession(key, str(self.folder))

    def create(self, session: str) -> FileRecording:
        key = key_of(session)
        with self._used_lock:
            if key in self._used or key in self.case_keys():
                return self._found(key)
            return self._open(self.folder / key, key, "data", session)

    def _open(self, folder: Path, key: str, origin: Origin, session: str = "") -> FileRecording:
        try:
            return self._opened(folder, key, origin, session)
        except Unreadable as why:
            raise Unreadable(why.path, why.reason, session or _named_beside(folder)) from None
        except OSError as why:
            raise unreadable(folder / LOG, why) from None

    def _opened(self, folder: Path, key: str, origin: Origin, session: str) -> FileRecording:
        header, size = _header(folder)
        refuse_newer(folder / LOG, header)
        fresh = not size and not _remembers(folder)
        if not fresh:
            session = session or _session_of(folder, key, header, size)
        recording = FileRecording(
            folder,
            key,
            session,
            header=header,
            size=size,
            fresh=fresh,
            origin=origin,
            read_only=self._read_only or origin == "case",
            fsync=self._fsync,
            rebooted=self._marked.get(key, self._boot) != self._boot,
            opened=lambda: self._mark(key),
            closed=lambda: self._unmark(key),
        )
        if not session:
            raise UnknownSession(key, str(self.folder))
        self._used[key] = recording
        return recording

    def delete(self, key: str) -> None:
        try:
            recording = self.open(key)
        except LingbotMapError:  # what can't be read can be deleted all the same
            if not (_KEY.fullmatch(key) and os.path.lexists(self.folder / key)):
                raise
        else:
            if recording.read_only:
                raise StoreError(f"{recording.folder}: a committed recording is never deleted")
            recording.discard()
        self.release(key)
        self._bin.put(key)
        self._unmark(key)

    def empty_bin(self) -> None:
        self._bin.empty()

    def footprint(self, key: str) -> Footprint:
        return footprint(self.folder / key)

    def remove_exports(self, key: str, session: str, events: Callable[[], Iterable[Event]]) -> list[str]:
        found = exports_of(self.folder, key, session, events)
        for path in found:
            path.unlink(missing_ok=True)
            sync_folder(path.parent)
        return [str(path.relative_to(self.folder)) for path in found]

    def release(self, key: str) -> None:
        with self._used_lock:
            recording = self._used.pop(key, None)
        if recording is not None:
            recording.rest()

    # --- all of them ---

    def sync(self) -> None:
        with self._used_lock:
            recordings = list(self._used.values())
        for recording in recordings:
            recording.sync()
        for recording in recordings[:-_OPEN_FILES]:
            recording.rest()

    @property
    def trouble(self) -> NotWritten | None:
        return next((r.trouble for r in list(self._used.values()) if r.trouble is not None), None)

    def close(self) -> None:
        for recording in list(self._used.values()):
            recording.close()
        self.leave()

    def leave(self) -> None:
        """Give the folder free, the sessions as open as they were."""
        for recording in list(self._used.values()):
            recording.rest()
        self._used.clear()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    # --- which are open ---

    def _read_marks(self) -> dict[str, str]:
        marks = self.folder / "open"
        keys = [key for key in _names(marks) if _KEY.fullmatch(key)]
        if not self._read_only:  # a kill in the middle of a deletion leaves the mark of a session that is none
            for key in [key for key in keys if not os.path.lexists(self.folder / key)]:
                with contextlib.suppress(OSError):
                    os.unlink(marks / key)
                keys.remove(key)
        return {key: (read_file(marks / key, 256) or b"").decode("ascii", "replace") for key in keys}

    def _mark(self, key: str) -> None:
        if self._marked.get(key) == self._boot:
            return
        marks = self.folder / "open"
        if not is_folder(marks):
            with contextlib.suppress(FileExistsError):
                os.mkdir(marks, FOLDER_MODE)
            sync_folder(self.folder)
        fd = open_file(marks / key, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        try:
            os.write(fd, self._boot.encode())
        finally:
            os.close(fd)
        sync_folder(marks)
        self._marked[key] = self._boot

    def _unmark(self, key: str) -> None:
        if self._marked.pop(key, None) is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.folder / "open" / key)


def _names(folder: Path) -> list[str]:
    if not is_folder(folder) and not folder.is_dir():
        return []
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _has_log(folder: Path) -> bool:
    """An empty one is none: a power cut came before the first flush."""
    try:
        status = os.lstat(folder / LOG)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return bool(status.st_size) or not stat.S_ISREG(status.st_mode)


def _remembers(folder: Path) -> bool:
    """Whether something beside the log says that there were events: then a log that is gone was lost."""
    return os.path.lexists(folder / "head") or bool(Snapshots(folder, "").seqs())


def _header(folder: Path) -> tuple[Header, int]:
    """The log's header and the log's size; a size of 0 where there is no log."""
    if not os.path.lexists(folder):
        return Header(0, 0, ""), 0
    if not is_folder(folder):
        raise Unreadable(str(folder), "a link or a file, not a folder")
    try:
        fd = open_to_read(folder / LOG)
    except FileNotFoundError:
        return Header(0, 0, "", "the log is gone"), 0
    try:
        size = os.fstat(fd).st_size
        return read_header(fd, size), size
    finally:
        os.close(fd)


def _session_of(folder: Path, key: str, header: Header, size: int) -> str:
    """The session's id: from the header, else from the head or a snapshot; a name of its own if all are damaged."""
    if named := header.session or _named_beside(folder):
        return named
    if not size:
        return ""
    fd = open_to_read(folder / LOG)
    try:
        return f"recovered {key}" if last_good(fd, header.end, size) else ""
    finally:
        os.close(fd)


def _named_beside(folder: Path) -> str:
    """The session's id as what stands beside the log has it; "" if nothing does."""
    if not is_folder(folder):
        return ""
    head, _ = read_head(folder)
    if head is not None:
        return head.session
    snapshots = Snapshots(folder, "")
    for seq in reversed(snapshots.seqs()):
        said = snapshots.header(seq).get("session")
        if isinstance(said, str) and said:
            return said
    return ""


def case_key(folder: Path) -> str:
    """The key of its session; one of its own for what doesn't tell it, so that it is listed and named as damaged."""
    try:
        session = _header(folder)[0].session
    except (LingbotMapError, OSError):
        session = ""
    return key_of(session or f"case {folder.name}")


def _boot_id() -> str:
    """Changes with each start of the machine: what was not flushed before it is gone."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return "unknown"
