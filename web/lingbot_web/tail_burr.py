"""A growing application of Burr's tracker: the log in its folder, with what stands beside it told first."""

from __future__ import annotations

from pathlib import Path

from lingbot_map.errors import BadInput
from lingbot_map.importers.burr_folder import about, apps_of
from lingbot_web.tail_file import GrowingFile, Line

_LOG = "log.jsonl"


class GrowingApp(GrowingFile):
    """Follows an application's log; its metadata and its graph are handed out with the first rows."""

    def __init__(self, app: Path) -> None:
        """``app`` is the application's folder."""
        super().__init__(app / _LOG)
        self._app = app
        self._headed = -1  # how often the log had been replaced when they were

    def poll(self) -> list[Line]:
        """The rows that are new."""
        lines = super().poll()
        if not lines or self._headed == self.renewed:
            return lines
        self._headed = self.renewed
        return [*(Line(f"{self._app.name}/{name}", row) for name, row in about(self._app)), *lines]


def app_at(path: Path) -> Path | None:
    """The folder of the application at ``path``, which may be its log; ``None`` for another file. Raises ``BadInput``
    for a folder of none, or of several."""
    apps = apps_of(path)
    if len(apps) == 1:
        return apps[0]
    if not path.is_dir():
        return None
    if not apps:
        remedy = "give the file that grows"
        raise BadInput(str(path), "a file, or the folder of an application that Burr tracks", "another folder", remedy)
    latest = max(apps, key=lambda app: (app / _LOG).stat().st_mtime)
    remedy = f"follow one at a time; the latest is {latest}"
    raise BadInput(str(path), "the folder of one application", f"a project with {len(apps):,} of them", remedy)
