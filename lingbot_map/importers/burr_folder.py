"""A folder of Burr's tracker as one file: the rows of each application, one application after the other."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from lingbot_map.errors import TooLarge
from lingbot_map.importers.limits import LIMITS

_LOG = "log.jsonl"
_GRAPH = "graph.json"
_ABOUT = ("metadata.json", _GRAPH)
_CHILDREN = "children.jsonl"
_CHUNK = 1 << 20


def apps_of(path: Path) -> list[Path]:
    """The folders of applications at ``path``: an application's folder or its log with the graph beside it, a
    project's folder, or the folder of all projects; none if it is something else."""
    if path.is_file():
        return [path.parent] if path.name == _LOG and _is_app(path.parent) else []
    if not path.is_dir():
        return []
    if _is_app(path):
        return [path]
    inner = sorted(folder for folder in path.iterdir() if folder.is_dir())
    return [folder for folder in inner if _is_app(folder)] or [
        app for folder in inner for app in sorted(folder.iterdir()) if _is_app(app)
    ]


def _is_app(folder: Path) -> bool:
    return folder.is_dir() and (folder / _LOG).is_file() and any((folder / name).is_file() for name in _ABOUT)


@contextmanager
def gathered(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """``paths``, a file in the place of each that holds applications, while this lasts. Raises ``TooLarge``."""
    with ExitStack() as stack:
        found = []
        for path in paths:
            apps = apps_of(path)
            if apps:
                place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lingbot-burr-")))
                named = path.resolve()
                named = place / f"{(named.parent if named.is_file() else named).name or 'burr'}.jsonl"
                _write(apps, named)
                path = named
            found.append(path)
        yield found


def _write(apps: list[Path], to: Path) -> None:
    left = LIMITS.file
    with to.open("wb") as out:
        for app in apps:
            out.write(_about(app))
            for name in (_GRAPH, _LOG, _CHILDREN):
                if not (app / name).is_file():
                    continue
                with (app / name).open("rb") as rows:
                    while chunk := rows.read(_CHUNK):
                        left -= len(chunk)
                        if left < 0:
                            size = LIMITS.file - left
                            raise TooLarge(str(app.parent), "a folder", size, LIMITS.file, "open fewer applications")
                        # The graph is one record, and a row of the log holds no line break of its own.
                        out.write(chunk.replace(b"\n", b" ") if name == _GRAPH else chunk)
                out.write(b"\n")


def about(app: Path) -> list[tuple[str, bytes]]:
    """(file, row) of what stands beside an application's log: its metadata, and its graph where that is there."""
    rows = [("metadata.json", _about(app).strip())]
    with suppress(OSError):
        rows.append((_GRAPH, (app / _GRAPH).read_bytes().replace(b"\n", b" ")))
    return rows


def _about(app: Path) -> bytes:
    """The row of the application's metadata, its id among it: Burr keeps that as the folder's name."""
    try:
        told = json.loads((app / "metadata.json").read_bytes())
    except (OSError, ValueError, RecursionError):
        told = {}
    told = told if isinstance(told, dict) else {}
    row = {**told, "type": "application_metadata", "app_id": app.name, "partition_key": told.get("partition_key")}
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
