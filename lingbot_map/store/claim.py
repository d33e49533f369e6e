"""Who writes a data folder: one process at a time, which holds its lock."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from lingbot_map.errors import BadInput, DataFolderBusy
from lingbot_map.store.disk import FOLDER_MODE, open_file, sync_folder


def claim(folder: Path) -> int:
    """The lock of the data folder ``folder``, which is made if it isn't there; it holds until it is closed.

    Raises ``DataFolderBusy`` if another process holds it, ``BadInput`` where there can't be one.
    """
    try:
        _make_folders(folder)
        return _take_lock(folder)
    except OSError as why:
        found = "a file" if folder.is_file() else why.strerror or type(why).__name__
        raise BadInput(str(folder), "a data folder that can be written", found, "name another with --data") from None


def _make_folders(folder: Path) -> None:
    """The data folder, with a name that a power cut does not take back."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
    for each in missing:
        sync_folder(each.parent)


def _take_lock(folder: Path) -> int:
    fd = open_file(folder / "lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        why = _busy(folder, fd)
        os.close(fd)
        raise why from None
    with contextlib.suppress(OSError):  # a full disk must not keep the lock from being held
        os.ftruncate(fd, 0)
        os.pwrite(fd, b"%d\n" % os.getpid(), 0)
    return fd


def busy(folder: Path) -> DataFolderBusy | None:
    """That another process writes the data folder, if one does. Makes nothing and waits for nobody."""
    try:
        fd = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _busy(folder, fd)
    finally:
        os.close(fd)  # and with it what was locked
    return None


def _busy(folder: Path, lock: int) -> DataFolderBusy:
    said = os.pread(lock, 32, 0).strip()
    return DataFolderBusy(str(folder), int(said) if said.isdigit() else 0)
