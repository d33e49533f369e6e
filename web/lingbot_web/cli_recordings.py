"""The commands on recordings: ``import``, ``sessions``, ``export``, ``verify``, ``stats``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from lingbot_map.errors import BadInput
from lingbot_map.importers.burr_folder import gathered
from lingbot_map.legible import legible
from lingbot_map.pipeline import Glance, Pipeline
from lingbot_map.store.appender import Fsync, fsync_from
from lingbot_map.store.disk import what_is
from lingbot_map.store.recording import LOG
from lingbot_web import export as exporting
from lingbot_web import terminal
from lingbot_web.beacon import serving
from lingbot_web.remote import Remote

T = TypeVar("T")

Data = Annotated[Path, typer.Option("--data", help="The folder that holds the recordings.", show_default=True)]
Json = Annotated[bool, typer.Option("--json", help="Answer with JSON.")]
Files = Annotated[
    list[Path],
    typer.Argument(
        help="Our own recordings; trackers of Rasa (JSON, SQLite); traces (OpenInference, OTLP JSON); traces and "
        "saved runs of the OpenAI Agents SDK; LangGraph's astream_events, thread histories and streams; Dialogflow "
        "CX (BigQuery export, conversations, detect-intent responses, test cases); AG-UI events; Burr's folders "
        "and logs; exports of Langfuse and LangSmith; ATIF trajectories; Bot Framework's .transcript and .chat; "
        "dialogues of SGD, MultiWOZ 2.2, CrossWOZ, KdConv, STAR; with --map tables (CSV, rows as JSON). Gzipped or not."
    ),
]
Flush = Annotated[
    str,
    typer.Option("--fsync", help="Flush to the disk once per 'batch' (a power cut costs 100 ms at most) or 'always'."),
]
Masked = Annotated[bool, typer.Option("--mask", help="Mask passwords, tokens, phones and the like, as a probe does.")]
Mapping = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        help="For CSV, or rows as JSON: which column holds session, user, bot (or role and text), intent, "
        "confidence, time, doc, slot.NAME. For traces of the OpenAI Agents SDK: retrieval=FUNCTION (or FUNCTION:STAGE) "
        "for what searches, slots=FUNCTION for what sets slots.",
        metavar="KEY=COLUMN,...",
    ),
]
SNAPSHOTS = Path("snapshots")


def import_files(
    files: Files,
    data: Data = SNAPSHOTS,
    mask: Masked = False,
    mapping: Mapping = None,
    fsync: Flush = "batch",
    as_json: Json = False,
) -> int:
    """Take recordings into the data folder. A file that can't be read changes nothing.

    What was taken is on the disk when the command ends. A map that serves the folder flushes as it was told itself.

    Example: lingbot-map import tracker.json transcript.json

    Example: lingbot-map import calls.csv --map session=conv_id,user=question,bot=answer
    """
    taken = take_in(files, data, mask=mask, fsync=fsync_of(fsync), mapping=mapping or ())
    if as_json:
        terminal.say_json(taken if len(taken) > 1 else taken[0])
        return 0
    for one in taken:
        for session in one["sessions"]:
            new = f"{session['new']:,} new" if session["new"] else "nothing new"
            terminal.say(f"{session['key']}  {terminal.visible(session['id'])}  {session['events']:,} events, {new}")
    report_problems(taken)
    return 0


def report_problems(taken: list[dict[str, Any]]) -> None:
    """What could not be read of the files or goes by another name, a line each on standard error."""
    for one in taken:
        for session in one["sessions"]:
            if session["copy_of"]:
                name, other = terminal.visible(session["id"]), terminal.visible(session["copy_of"])
                terminal.complain(f"note: the {other} that is here is another recording; this one is now {name}")
        for problem in one["report"]:
            terminal.complain(f"note: {problem}")


def fsync_of(said: str) -> Fsync:
    """What ``--fsync`` says. Raises ``BadInput``."""
    return fsync_from(said)


def take_in(
    files: Sequence[Path], data: Path, *, mask: bool = False, fsync: Fsync = "batch", mapping: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Import files into the folder, through the map that serves it if one does; what each of them brought."""
    found = [path / LOG if (path / LOG).is_file() else path for path in files]  # a recording's folder is its log
    with gathered(found) as held:  # and one of Burr's is all that lies in it
        return _taken(held, data, mask=mask, fsync=fsync, mapping=mapping)


def _taken(
    files: Sequence[Path], data: Path, *, mask: bool, fsync: Fsync, mapping: Sequence[str]
) -> list[dict[str, Any]]:
    for path in files:
        if not path.is_file():
            found = "a folder without one" if path.is_dir() else what_is(path)
            raise BadInput(str(path), f"a file, or a recording's folder with its {LOG}", found)
    beacon = serving(data)
    if beacon is not None:
        remote = Remote(beacon)
        taken = []
        for path in files:
            with terminal.progress(f"Sending {path.name}") as progress:
                taken.append(remote.upload(path, progress, mask=mask, mapping=mapping))
        return taken

    async def work(pipeline: Pipeline) -> list[dict[str, Any]]:
        taken = []
        for path in files:
            with terminal.progress(f"Reading {path.name}") as progress:
                taken.append(await pipeline.import_file(path, legible(path.name), progress, mask=mask, mapping=mapping))
        return taken

    return with_pipeline(data, work, fsync)


def sessions(
    query: Annotated[str, typer.Argument(help="Words to be found in id, title, name or what was said.")] = "",
    data: Data = SNAPSHOTS,
    limit: Annotated[int, typer.Option(help="How many to list.", min=1, max=200)] = 50,
    as_json: Json = False,
) -> int:
    """List the recorded sessions, newest first.

    Example: lingbot-map sessions refund
    """

    terminal.text("QUERY", query)
    page = _ask(
        data,
        lambda remote: remote.get("api/sessions", q=query, limit=limit),
        lambda glance: exporting.page(glance.search(query, limit=limit)),
    )
    if as_json:
        terminal.say_json(page)
        return 0
    if not page["sessions"]:
        none = f"no session matches {query!r}" if query else f"no session is recorded in {data} yet"
        terminal.complain(f"{none}; without words `lingbot-map sessions` lists all" if query else none)
        return 0
    rows = []
    for summary in page["sessions"]:
        at = datetime.fromtimestamp(summary["updated_at"]).astimezone().strftime("%Y-%m-%d %H:%M")
        if not summary.get("timed", True):
            at = "no times"
        findings = sum(summary["findings"].values())
        title = summary["name"] or summary["title"] or summary["id"]
        if summary.get("damaged"):
            title = f"{title} (damaged)".lstrip()
        rows.append((summary["key"][:12], title, at, str(summary["turns"]), f"{summary['events']:,}", str(findings)))
    terminal.table(("key", "session", "last event", "turns", "events", "findings"), rows, right=(3, 4, 5))
    for summary in page["sessions"]:
        if summary.get("damaged"):
            terminal.complain(f"damaged: {summary['key'][:12]}  {summary['damaged']}")
    if page["total"] > len(rows):
        terminal.complain(f"shown {len(rows)} of {page['total']}; ask for more with --limit, or for fewer with words")
    return 0


def export(
    session: Annotated[str, typer.Argument(help="The session's id, its key, or the beginning of the key.")],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            help="jsonl: the recording as it is kept; html: one page that opens offline; csv: a table of turns; "
            "slots: a table of every write; mermaid, plantuml: a sequence diagram; otlp: spans; "
            "graphml, graph: the map for networkx and others, the latter as node-link JSON.",
        ),
    ] = "jsonl",
    at: Annotated[
        int | None, typer.Option("--at", help="All but jsonl: as of this event, by its seq; a page opens there.")
    ] = None,
    turns: Annotated[
        str, typer.Option("--turns", help="mermaid, plantuml: from this turn to that, as in 3-9.", metavar="A-B")
    ] = "",
    lang: Annotated[str, typer.Option("--lang", help="zh or en; else a page speaks its reader's, the others en.")] = "",
    events: Annotated[
        bool, typer.Option("--events/--no-events", help="html: with the raw events that the inspector shows.")
    ] = True,
    out: Annotated[Path | None, typer.Option("--out", help="The file to write; - or nothing: standard output.")] = None,
    data: Data = SNAPSHOTS,
) -> int:
    """Write a session in a format that others read.

    Example: lingbot-map export 3f0a --to html --at 130 --out incident.html

    Example: lingbot-map export 3f0a --to csv --lang zh --out turns.csv

    Example: lingbot-map export 3f0a --to mermaid --turns 3-9 --out incident.mmd

    Example: lingbot-map export 3f0a --out call.jsonl
    """
    terminal.text("SESSION", session)
    wish = exporting.Wish(to=to, at=at, lang=lang, events=events, turns=exporting.turns_of(turns))
    with terminal.progress("Reading the recording") as progress:
        id = exporting.export(data, session, wish, out, progress)
    if out is not None and out.is_file():  # not `-`, a pipe or a device: who reads there has what was written
        terminal.complain(f"written to {out}: {id} as {to}, {terminal.size(out.stat().st_size)}")
    return 0


def verify(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A data folder or a session's folder.", show_default=False)
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="The folder that holds the recordings, if no DIR is given.")
    ] = None,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what can be mended.")] = False,
    as_json: Json = False,
    stdin: Annotated[bool, typer.Option("--stdin", help="Read folders from standard input, one a line.")] = False,
) -> int:
    """Check recordings: each line, each snapshot, each number. Exit code 3 if one can't be read at all.

    Example: lingbot-map verify snapshots --repair
    """
    from lingbot_map.store.verify import no_data_folder, verify_stream
    from lingbot_map.store.verify import verify as check

    if stdin:
        return verify_stream(sys.stdin, sys.stdout, repair=repair)
    if folder is not None and data is not None and folder != data:
        raise BadInput("verify", "one folder, as DIR or with --data", "both")
    place = folder or data or SNAPSHOTS
    if found := no_data_folder(place):
        raise BadInput(str(place), "a data folder, or the folder of a session", found)
    return check([place], sys.stdout, repair=repair, as_json=as_json)


def stats(data: Data = SNAPSHOTS, as_json: Json = False) -> int:
    """Say how things stand: sources and their books, sessions, viewers, the disk.

    Example: lingbot-map stats --json
    """

    said = _ask(data, lambda remote: remote.get("api/stats"), Glance.stats)
    if as_json:
        terminal.say_json(said)
        return 0
    terminal.say(f"status    {said['status']}")
    terminal.say(f"sessions  {said['sessions']['stored']:,} stored, {said['sessions']['in_memory']:,} in memory")
    terminal.say(f"viewers   {said['viewers']:,}")
    if said["disk"]["trouble"]:
        terminal.say(f"disk      {terminal.visible(said['disk']['trouble'])}")
    if kept := _kept(said["keep"]):
        terminal.say(f"keep      {kept}")
    if any(said["spans"].values()):
        waiting, repeated, aside = (f"{said['spans'][name]:,}" for name in ("waiting", "repeated", "aside"))
        terminal.say(f"spans     {waiting} wait for their roots, {repeated} came again, {aside} of no dialogue")
    terminal.say(f"sources   {_since(said)}")
    columns = ("source", "probe", "produced", "accepted", "missing", "refused", "held", "repeated", "masked")
    rows = [[str(source[column]) for column in columns] for source in said["sources"]]
    if rows:
        terminal.table(columns, rows, right=range(2, len(columns)))
    return 0


def _since(said: dict[str, Any]) -> str:
    """From when on the books of the sources count; a map that was stopped left none."""
    if said["status"] == "stopped":
        return "no map serves this folder; events of sources are counted only while one does"
    started = datetime.fromtimestamp(said["started_at"]).astimezone().strftime("%Y-%m-%d %H:%M")
    counted = f"counted since this map started ({started})"
    return counted if said["sources"] else f"none has said anything; {counted}"


def _kept(keep: dict[str, Any]) -> str:
    bounds = [terminal.age(keep["age"])] if keep["age"] is not None else []
    bounds += [terminal.size(keep["size"])] if keep["size"] is not None else []
    removed = f"; {terminal.count(keep['pruned'], 'session')}, {terminal.size(keep['freed'])} removed since the start"
    return " and ".join(bounds) + removed if bounds else ""


def _ask(data: Path, remotely: Callable[[Remote], Any], here: Callable[[Glance], dict[str, Any]]) -> dict[str, Any]:
    """Ask the map that serves the folder, or look into the folder if none does; nothing is written there."""
    beacon = serving(data)
    if beacon is not None:
        said: dict[str, Any] = remotely(Remote(beacon))
        return said
    there(data)
    return here(Glance(data))


def there(data: Path) -> None:
    """Raises ``BadInput`` if there is no such data folder: who looks or removes makes none."""
    if not data.is_dir():
        raise BadInput(str(data), "a data folder", what_is(data), "name it with --data")


def with_pipeline(data: Path, work: Callable[[Pipeline], Awaitable[T]], fsync: Fsync = "batch") -> T:
    """What ``work`` makes of a pipeline over the folder, which no map serves. Raises ``DataFolderBusy``."""

    async def whole() -> T:
        pipeline = Pipeline.of_folder(data, fsync=fsync)
        await pipeline.start()
        try:
            await pipeline.settled()
            return await work(pipeline)
        finally:
            await pipeline.stop()

    return asyncio.run(whole())
