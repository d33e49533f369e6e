"""Rows of Burr's tracker, told as its log grows: an application is called after its first logged row."""

from __future__ import annotations

from typing import Any

from lingbot_map.importers import burr
from lingbot_map.importers.growing_spans import Taken, Told
from lingbot_map.importers.imported import source_of
from lingbot_map.importers.records import BadRecord, parse
from lingbot_map.intake import stamp_of
from lingbot_probes.adapters.burr import LOG, Burr
from lingbot_probes.codec import SignalError

_ABOUT = 100  # rows that may stand before the log: what the application is, and its graph


class GrowingBurr:
    """Rows of an application, or of one after the other: the row of the metadata or the graph begins the next one."""

    def __init__(self) -> None:
        self.repeated = 0
        self._adapter: Burr | None = None
        self._source = ""
        self._before: list[bytes] = []  # rows before the log
        self._graph = False

    def take(self, raw: bytes) -> Taken:
        """What one row comes to; those before the log are told with its first one."""
        try:
            kind = burr.kind_of(raw)
        except BadRecord as why:
            return Taken([], str(why))
        if kind in burr.ABOUT and self._adapter is not None:
            self._adapter, self._source, self._before, self._graph = None, "", [], False
        if self._adapter is not None:
            return self._told(self._adapter, [raw])
        self._graph = self._graph or kind == "application"
        self._before.append(raw)
        if kind not in LOG:
            if len(self._before) > _ABOUT:
                del self._before[-1]
                return Taken([], "more rows without a log than an application has before it")
            return Taken([])
        self._adapter = Burr(burr.called(raw, graph=self._graph))
        rows, self._before = self._before, []
        return self._told(self._adapter, rows)

    def _told(self, adapter: Burr, rows: list[bytes]) -> Taken:
        said, problem = [], ""
        for raw in rows:
            try:
                said += adapter.take(parse(raw))
            except (BadRecord, SignalError) as why:
                said += adapter.skip()
                problem = problem or str(why)
        if not said:
            return Taken([], problem)
        session = adapter.scribe.session
        self._source = self._source or source_of(burr.NAME, session, repr(stamp_of(said[0])))
        return Taken([Told(session, self._source, said, adapter.scribe.n)], problem)

    def overdue(self, now: float) -> list[Told]:
        """Nothing waits here."""
        return []

    def standing(self) -> dict[str, Any]:
        """An application's log is never rotated."""
        return {}

    def resume(self, standing: dict[str, Any], *, exact: bool = True) -> None:
        """See ``standing``."""
