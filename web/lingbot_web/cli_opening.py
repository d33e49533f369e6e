"""``open``: take recordings in and show them, a long one by its end first."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from lingbot_map.errors import BadInput, LingbotMapError
from lingbot_map.importers import columns_of
from lingbot_map.legible import legible
from lingbot_map.pipeline import Pipeline
from lingbot_map.pipeline.ending import WORTH, ending
from lingbot_map.store import key_of
from lingbot_map.store.appender import Fsync
from lingbot_map.store.recording import LOG
from lingbot_web import terminal
from lingbot_web.address import PORT, Address
from lingbot_web.ask_bases import Bases
from lingbot_web.beacon import serving
from lingbot_web.cli_bases import AskDiagram, AskDocs, AskGraph, AskRecord, ShownDesign, asked_bases
from lingbot_web.cli_recordings import (
    SNAPSHOTS,
    Data,
    Files,
    Flush,
    Mapping,
    Masked,
    fsync_of,
    report_problems,
    take_in,
)
from lingbot_web.cli_serving import serve_at

_BEAT = 0.2
"""Seconds between two looks at how far the reading is."""


def open_files(
    files: Files,
    data: Data = SNAPSHOTS,
    mask: Masked = False,
    mapping: Mapping = None,
    port: Annotated[int, typer.Option(help="The port to listen on, if no map serves the folder yet.")] = PORT,
    fsync: Flush = "batch",
    ask_diagram: AskDiagram = None,
    ask_graph: AskGraph = None,
    ask_docs: AskDocs = None,
    ask_record: AskRecord = False,
    design: ShownDesign = None,
) -> int:
    """Import recordings and show them: in the map that serves the folder, else in one that is started.

    Of a long file the end is shown at once, and the whole when it is read.

    Example: lingbot-map open call.jsonl

    Example: lingbot-map open call.jsonl --ask-diagram order.puml

    Example: lingbot-map open call.jsonl --design flow.puml

    Example: lingbot-map open calls.csv --map session=conv_id,user=question,bot=answer,slot.city=city
    """
    flush = fsync_of(fsync)
    paths = [path / LOG if (path / LOG).is_file() else path for path in files]
    long = [path for path in paths if path.is_file() and path.stat().st_size >= WORTH]
    beacon = serving(data)
    if beacon is not None and (ask_diagram or ask_graph or ask_docs):
        remedy = "start that one with these options"
        raise BadInput("--ask-diagram, --ask-graph and --ask-docs", "no map", "one that serves the folder", remedy)
    if beacon is not None and ask_record:
        raise BadInput("--ask-record", "no map", "one that serves the folder", "start that one with it")
    if beacon is not None and design is not None:
        raise BadInput("--design", "no map", "one that serves the folder", "drop the diagram onto its page")
    if design is not None:
        from lingbot_web.designs import read_design

        read_design(design)  # before anything is taken in
    bases = asked_bases(ask_diagram, ask_graph, ask_docs, record=ask_record)
    if long and beacon is None and all(path.is_file() for path in paths):
        return _open_long(paths, data, port, flush, mask=mask, mapping=mapping or (), bases=bases, design=design)
    if long and beacon is not None and not mask:  # under which name it is masked is for the map to say
        end = ending(long[0], legible(long[0].name), columns_of(mapping) if mapping else None)
        if end is not None:
            terminal.say(f"{beacon.address(key_of(end.session_id))}  (its end, until the whole is read)")
    taken = take_in(paths, data, mask=mask, fsync=flush, mapping=mapping or ())
    report_problems(taken)
    first = _first_of(taken)
    beacon = serving(data)
    if beacon is not None:
        terminal.say(beacon.address(first))
        return 0
    return serve_at(data, Address(port=port), flush, first, bases=bases, design=design)


def _first_of(taken: Sequence[dict[str, Any]]) -> str:
    """The key of the session to show; that there are others is said."""
    sessions = [session for one in taken for session in one["sessions"]]
    if len(sessions) > 1:
        terminal.say(f"Taken in  {len(sessions):,} sessions; this is the one with most turns, the list has them all")
    key: str = max(sessions, key=lambda session: session["turns"], default={"key": ""})["key"]
    return key


def _open_long(
    files: Sequence[Path],
    data: Path,
    port: int,
    fsync: Fsync,
    *,
    mask: bool,
    mapping: Sequence[str],
    bases: Bases | None,
    design: Path | None,
) -> int:
    """Start the map first and read while it shows."""
    opening = _Opening(files, mask=mask, mapping=mapping)
    work, may_end = opening.begin, opening.ended
    code = serve_at(data, Address(port=port), fsync, work=work, may_end=may_end, bases=bases, design=design)
    if opening.fault is not None:
        raise opening.fault
    return code


class _Opening:
    """Reads files into a map that runs, and says where it is as soon as there is something to look at."""

    def __init__(self, files: Sequence[Path], *, mask: bool, mapping: Sequence[str]) -> None:
        self.fault: LingbotMapError | OSError | None = None
        self._files = files
        self._mask = mask
        self._mapping = mapping
        self._task: asyncio.Task[None] | None = None
        self._said = False

    def begin(self, pipeline: Pipeline, announce: Callable[[str], None]) -> None:
        """Start; ``announce`` says the address of a session, once."""
        self._task = asyncio.get_running_loop().create_task(self._work(pipeline, announce))

    def ended(self) -> bool:
        """Whether nothing is read any more; when that is asked the end is wanted, so what is read is given up."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            return False
        return True

    async def _work(self, pipeline: Pipeline, announce: Callable[[str], None]) -> None:
        try:
            await pipeline.settled()
            taken = [await self._one(pipeline, path, announce) for path in self._files]
        except (LingbotMapError, OSError) as why:
            self.fault = why
            signal.raise_signal(signal.SIGTERM)  # as somebody would who sees that there is nothing to look at
            return
        report_problems(taken)
        first = _first_of(taken)
        if not self._said:
            announce(first)

    async def _one(self, pipeline: Pipeline, path: Path, announce: Callable[[str], None]) -> dict[str, Any]:
        far = (0, 0)
        begun = asyncio.Event()

        def progress(done: int, total: int) -> None:
            nonlocal far
            far = (done, total)

        def glimpsed(key: str) -> None:
            if not self._said:
                self._said = True
                announce(key)
            begun.set()

        name = legible(path.name)
        task = asyncio.create_task(
            pipeline.import_file(path, name, progress, mask=self._mask, mapping=self._mapping, glimpsed=glimpsed)
        )
        task.add_done_callback(lambda _: begun.set())
        try:
            await begun.wait()
            with terminal.progress(f"Reading {path.name}; shown is its end") as bar:
                while not task.done():
                    if bar is not None:
                        bar(*far)
                    await asyncio.wait([task], timeout=_BEAT)
        finally:
            task.cancel()
        return await task
