"""How programs of the same user find a running map: two small files in a private folder, gone when it ends.

``<port>.token`` holds the token, for probes; ``<port>.json`` says which data folder is served, for the command line.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from lingbot_map.errors import StoreError
from lingbot_map.legible import legible


@dataclass(frozen=True, slots=True)
class Beacon:
    """A map that runs: its address, its token, the data folder that it serves ("" for none) and its process."""

    url: str
    token: str
    data: str
    pid: int

    def address(self, session: str = "") -> str:
        """The address to open in a browser; the token stands in the fragment, which no browser sends."""
        return f"{self.url}#t={self.token}" + (f"&s={session}" if session else "")


def folder() -> Path:
    """Where the files are: below the user's runtime folder, or else the folder for temporary files."""
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    return Path(base) / f"lingbot-map-{os.getuid()}"


def token_file(port: int) -> Path:
    """The file that holds the token of the map on ``port`` while that runs."""
    return folder() / f"{port}.token"


@contextlib.contextmanager
def lit(port: int, beacon: Beacon) -> Iterator[None]:
    """The files are there while this lasts. Raises ``StoreError`` if the folder isn't ours alone."""
    place = folder()
    _make_private(place)
    names = {f"{port}.token": beacon.token.encode() + b"\n"}
    names[f"{port}.json"] = orjson.dumps({"url": beacon.url, "data": legible(beacon.data), "pid": beacon.pid})
    for name, content in names.items():
        _write(place / name, content)
    try:
        yield
    finally:
        for name in names:
            with contextlib.suppress(OSError):
                (place / name).unlink()


def beacons() -> list[Beacon]:
    """All maps of this user that run. Files of those that were killed are removed on the way."""
    place = folder()
    found: list[Beacon] = []
    if not _is_private(place):
        return found
    for path in sorted(place.glob("*.json")):
        token_path = path.with_suffix(".token")
        try:
            said = orjson.loads(path.read_bytes())
            token = token_path.read_text("ascii").strip()
            beacon = Beacon(str(said["url"]), token, str(said["data"]), int(said["pid"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if _runs(beacon.pid):
            found.append(beacon)
        else:
            for leftover in (path, token_path):
                with contextlib.suppress(OSError):
                    leftover.unlink()
    return found


def serving(data: Path) -> Beacon | None:
    """The map that serves the folder ``data``, if one does."""
    wanted = legible(os.path.realpath(data))
    return next((beacon for beacon in beacons() if beacon.data == wanted), None)


def _make_private(place: Path) -> None:
    with contextlib.suppress(FileExistsError):
        place.mkdir(0o700, parents=True)
    if not _is_private(place):
        raise StoreError(f"{place}: expected a folder of your own that nobody else may enter (0700); remove it")


def _is_private(place: Path) -> bool:
    try:
        status = place.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o077


def _write(path: Path, content: bytes) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(content)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
