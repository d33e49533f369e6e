"""``ask --record``: the questions of one command as a recorded session, at a map that runs or in a data folder."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lingbot_map.errors import BadInput
from lingbot_probes import Probe
from lingbot_web import terminal
from lingbot_web.beacon import serving

if TYPE_CHECKING:
    from lingbot_map.ask import Ask

Record = Annotated[
    str,
    typer.Option(
        "--record",
        help="Record each question as a turn of a session, with intent, slots, recalls and evidence: at the map of "
        "that address (with #t=TOKEN), or in that data folder.",
        metavar="URL|FOLDER",
    ),
]
_PATIENCE = 5.0
"""So many seconds may it take until what was told has arrived."""


class Recorder:
    """Brings what is asked to ``where``, an address or a folder.

    Raises ``BadInput`` for what is neither and ``DataFolderBusy`` where something else writes the folder.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self.lost = ""
        self._folder: _Folder | None = None
        url, token = (where, None) if "://" in where else ("", None)
        if not url:
            terminal.text("--record", where)
            beacon = serving(Path(where))
            if beacon is not None:
                url, token = beacon.url, beacon.token
        try:
            self.probe = Probe("ask", url, token) if url else Probe("ask", sink=_Unset())
        except ValueError as why:
            raise BadInput("--record", "a folder, or the address that a map prints", str(why)) from None
        if self.probe.off:
            raise BadInput("--record", "probes that are on", "LINGBOT_MAP=off in the environment", "unset it")
        if not url:
            self._folder = _Folder(Path(where))
            self.probe.drain_to(self._folder)

    def settle(self) -> None:
        """Wait until all that was told has arrived, unless it is known that nothing arrives."""
        if not self.lost and not self.probe.flush(_PATIENCE):
            self.lost = self.probe.stats()["why"] or f"{self.where} does not answer"

    def end(self, asking: Ask) -> bool:
        """The session is over: say where it is, or why it is not all there, and give the folder free. Whether all is
        there."""
        report = asking.report
        try:
            if report is not None and report.asked:
                self.probe.ended("asked", session=report.session)
                self.settle()
                if self.lost:
                    terminal.complain(f"lingbot-map: --record: not all of it is there: {terminal.visible(self.lost)}")
                else:
                    terminal.complain(f"note: recorded as {report.session}")
        finally:
            self.probe.close(0.01 if self.lost else 0.5)
            if self._folder is not None:
                self._folder.close()
        return not self.lost


class _Unset:
    """Takes nothing; what is told meanwhile waits."""

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        raise ConnectionError("not open yet")


class _Folder:
    """A data folder that no map serves, written from a thread of its own."""

    def __init__(self, folder: Path) -> None:
        from lingbot_map.pipeline import Pipeline

        self._pipeline = Pipeline.of_folder(folder)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="lingbot-map ask", daemon=True)
        self._thread.start()
        self._run(self._pipeline.start())

    def _run(self, work: Any) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        """As ``POST /ingest`` takes it."""
        from lingbot_web.ingest import delivered

        return delivered(self._pipeline, self._loop, batch)

    def close(self) -> None:
        """Write what is owed and give the folder free."""
        self._run(self._pipeline.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
