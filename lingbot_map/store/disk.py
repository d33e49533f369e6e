"""The few things we ask of the file system, each in the way that survives a crash and follows no link."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

from lingbot_map.errors import Unreadable

FILE_MODE = 0o600
FOLDER_MODE = 0o700
BESIDE = ".new"
"""What a file is called besides, while it is written that is to take the place of another."""

datasync = getattr(os, "fdatasync", os.fsync)


def is_folder(path: Path) -> bool:
    """A real folder, not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def open_file(path: Path, flags: int) -> int:
    """A descriptor of the file itself; a link in its place is refused."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE)


PASSING = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN})
"""Errors that say nothing about a file: the next attempt may go well."""

_KINDS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))


def open_to_read(path: Path) -> int:
    """A descriptor of the plain file ``path``. Raises ``Unreadable`` for what is none or nobody may read, and
    ``FileNotFoundError``."""
    try:
        fd = open_file(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        raise
    except OSError as why:
        raise unreadable(path, why) from None
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):
        os.close(fd)
        raise Unreadable(str(path), f"{next((name for fits, name in _KINDS if fits(mode)), 'a device')}, not a file")
    return fd


def unreadable(path: Path, why: OSError) -> Exception:
    """What to raise for an error that came while ``path`` was read."""
    if why.errno in PASSING:
        return why
    reason = "a link, which is not followed" if why.errno == errno.ELOOP else why.strerror or str(why)
    return Unreadable(str(path), reason)


def read_file(path: Path, limit: int = 1 << 34) -> bytes | None:
    """What the file holds; None if it is not there, no file, or can't be read."""
    try:
        fd = open_file(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return None
        with open(fd, "rb", closefd=False) as file:
            return file.read()
    except OSError:
        return None
    finally:
        os.close(fd)


def write_all(fd: int, data: bytes | bytearray) -> None:
    """Write all of it, however often the system takes only a part."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def sync_folder(path: Path) -> None:
    """Make the names in a folder safe from a power cut."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_folder(path: Path) -> None:
    """The folder is there afterwards; ``NotADirectoryError`` where something else has its name."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, FOLDER_MODE)
    if not is_folder(path):
        raise NotADirectoryError(20, "not a folder", str(path))


def replace_file(path: Path, *parts: bytes | bytearray) -> None:
    """Put ``parts`` in the place of ``path``: after a crash either the old or the new is there, whole."""
    beside = path.with_name(path.name + BESIDE)
    fd = open_file(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        try:
            for part in parts:
                write_all(fd, part)
            os.fsync(fd)
        finally:
            os.close(fd)
        os.rename(beside, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    sync_folder(path.parent)


def sweep_beside(folder: Path) -> None:
    """Remove what a kill left half written beside the files of ``folder``; each of them still stands whole."""
    for name in os.listdir(folder) if is_folder(folder) else ():
        if name.endswith(BESIDE):
            with contextlib.suppress(OSError):
                os.unlink(folder / name)


class Quarantine:
    """Where damaged bytes go, so that nothing is ever deleted because it could not be read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "quarantine"

    def names(self) -> list[str]:
        """What is kept there, oldest first."""
        try:
            return sorted(os.listdir(self._folder))
        except OSError:
            return []

    def _place(self, name: str) -> Path:
        make_folder(self._folder)
        taken = set(os.listdir(self._folder))
        number = len(taken) + 1
        while f"{number:04d}.{name}" in taken:
            number += 1
        return self._folder / f"{number:04d}.{name}"

    def put(self, name: str, data: bytes) -> None:
        """Raises ``OSError`` when it can't; then the caller must leave what it meant to cut."""
        replace_file(self._place(name), data)
        sync_folder(self._folder.parent)

    def move(self, path: Path) -> None:
        os.rename(path, self._place(path.name))
        sync_folder(path.parent)


def what_is(path: Path) -> str:
    """What stands at ``path``, in words for whoever expected something else there."""
    if path.is_dir():
        return "a folder"
    if path.is_file():
        return "a file"
    if path.exists():
        return "a pipe or a device"
    return "a link that leads nowhere" if path.is_symlink() else "nothing"
