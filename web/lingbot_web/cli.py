"""The commands of ``lingbot-map``. What goes wrong is one line on standard error and an exit code that is not 0."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer
from typer.core import TyperGroup

from lingbot_map.errors import BadInput, DataFolderBusy, LingbotMapError
from lingbot_map.pipeline import Pipeline
from lingbot_web import export as exporting
from lingbot_web import terminal
from lingbot_web.address import PORT, Address, is_loopback
from lingbot_web.beacon import Beacon, serving
from lingbot_web.demo import DemoBot
from lingbot_web.remote import MapRefused, Remote

T = TypeVar("T")

OK, FAILED, BAD_INPUT, BUSY, INTERRUPTED = 0, 1, 2, 4, 130
"""Exit codes. ``verify`` has 3 besides: a recording was refused."""


class _InOrder(TyperGroup):
    """Commands in the order in which somebody needs them."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)


main = typer.Typer(
    cls=_InOrder,
    name="lingbot-map",
    help="See what a chatbot does while it talks: a map of its dialogue, live and recorded.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)

Data = Annotated[Path, typer.Option("--data", help="The folder that holds the recordings.", show_default=True)]
Json = Annotated[bool, typer.Option("--json", help="Answer with JSON.")]
Files = Annotated[list[Path], typer.Argument(help="Recordings: ours, or of Rasa, Bot Framework and others.")]
SNAPSHOTS = Path("snapshots")


def run(arguments: Sequence[str]) -> int:
    """Run one command; what comes back is the exit code. Nothing is raised for what a user can cause."""
    try:
        code = main(args=list(arguments) or ["--help"], standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else OK
    except typer.TyperException as why:
        terminal.complain(f"lingbot-map: {why.format_message()} (`lingbot-map -h` says what there is)")
        return BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read us has gone (`| head`); Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except LingbotMapError as why:
        terminal.complain(f"lingbot-map: {why}")
        return _code(why)
    except OSError as why:
        terminal.complain(f"lingbot-map: {why.filename or ''}: {why.strerror or type(why).__name__}")
        return FAILED


def _code(why: LingbotMapError) -> int:
    if isinstance(why, DataFolderBusy):
        return BUSY
    if isinstance(why, BadInput) or (isinstance(why, MapRefused) and 400 <= why.status < 500):
        return BAD_INPUT
    return FAILED


# --- serving --------------------------------------------------------------------------------------------------------


@main.command()
def serve(
    data: Data = SNAPSHOTS,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0 for any free one.")] = PORT,
    fsync: Annotated[
        str, typer.Option(help="Flush to the disk once per 'batch' (a power cut costs 100 ms at most) or 'always'.")
    ] = "batch",
    public_url: Annotated[
        list[str] | None, typer.Option(help="An address at which a proxy shows the map; may be given several times.")
    ] = None,
    allow_remote: Annotated[bool, typer.Option("--allow-remote", help="Let other machines reach the map.")] = False,
    insecure_remote: Annotated[
        bool, typer.Option("--insecure-remote", help="With --allow-remote: without TLS, readable on the way.")
    ] = False,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate (PEM) to serve with TLS.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its private key (PEM).")] = None,
) -> int:
    """Start the map and print the address to open. Ctrl-C ends it.

    Example: lingbot-map serve --data recordings --port 8800
    """
    if fsync not in ("batch", "always"):
        raise BadInput("--fsync", "batch or always", fsync)
    address = Address(host, port, tls_cert, tls_key, tuple(public_url or ()))
    address.door("", port)  # a public address that is none is found before anything is touched
    _refuse_open_door(address, allow_remote=allow_remote, insecure_remote=insecure_remote)
    return _serve(data, address, "always" if fsync == "always" else "batch")


def _refuse_open_door(address: Address, *, allow_remote: bool, insecure_remote: bool) -> None:
    if (address.certificate is None) != (address.key is None):
        raise BadInput("--tls-cert and --tls-key", "both or none", "one of them")
    if is_loopback(address.host):
        return
    if not allow_remote:
        raise BadInput("--host", "an address of this machine alone", address.host, "add --allow-remote if you mean it")
    if address.certificate is None and not insecure_remote:
        remedy = "give --tls-cert and --tls-key, or --insecure-remote to let everybody on the way read along"
        raise BadInput("--allow-remote", "a certificate", "none", remedy)


def _serve(data: Path, address: Address, fsync: Literal["batch", "always"] = "batch", session: str = "") -> int:
    from lingbot_web import running  # uvicorn and starlette: 0.25 s that no other command needs

    _allow_many_files()
    listener = address.listen()  # before the data folder is touched: a taken port is the commoner mistake
    pipeline = _pipeline(data, listener, fsync)
    ended_by = running.run(pipeline, address, listener, data=data, ready=lambda beacon: _announce(beacon, session))
    return INTERRUPTED if ended_by == signal.SIGINT else OK


@main.command()
def demo(
    chat: Annotated[bool, typer.Option("--chat", help="Talk to the bot yourself.")] = False,
    data: Data = SNAPSHOTS,
    port: Annotated[int, typer.Option(help="The port to listen on; 0 for any free one.")] = PORT,
    lang: Annotated[str, typer.Option(help="The language that comes first: zh or en.")] = "zh",
    pace: Annotated[float, typer.Option(help="Seconds between two turns of the scripted customer.", min=0)] = 3.0,
) -> int:
    """Start a map, a telecom assistant and a customer who talks to it; open the address and watch.

    Example: lingbot-map demo --lang en
    """
    if lang not in ("zh", "en"):
        raise BadInput("--lang", "zh or en", lang)
    address = Address(port=port)
    listener = address.listen()
    pipeline = _pipeline(data, listener)
    from lingbot_web import running

    bot = DemoBot(lang=lang, pace=pace, chat=chat, announce=_announce)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if chat else None
    try:
        ended_by = running.run(
            pipeline, address, listener, data=data, ready=bot.start, may_end=bot.gone, interruptible=not chat
        )
    finally:
        bot.end()
        if chat:
            signal.signal(signal.SIGINT, before)
    return INTERRUPTED if ended_by == signal.SIGINT else OK


def _announce(beacon: Beacon, session: str = "") -> None:
    terminal.say(f"Map       {beacon.address(session)}")
    terminal.say(f"Data      {terminal.visible(beacon.data)}")
    terminal.say("Probes on this machine find it by themselves. Ctrl-C ends it.")


def _pipeline(data: Path, listener: socket.socket, fsync: Literal["batch", "always"] = "batch") -> Pipeline:
    try:
        return Pipeline.of_folder(data, fsync=fsync)
    except BaseException:
        listener.close()
        raise


def _allow_many_files() -> None:
    """1,000 viewers need 1,000 descriptors; the usual soft limit of 1,024 leaves no room for logs."""
    with suppress(ValueError, OSError):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 8192 if hard == resource.RLIM_INFINITY else min(hard, 8192)
        if soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


# --- recordings -----------------------------------------------------------------------------------------------------


@main.command("open")
def open_files(
    files: Files,
    data: Data = SNAPSHOTS,
    port: Annotated[int, typer.Option(help="The port to listen on, if no map serves the folder yet.")] = PORT,
) -> int:
    """Import recordings and show them: in the map that serves the folder, else in one that is started.

    Example: lingbot-map open call.jsonl
    """
    taken = _import(files, data)
    _report_problems(taken)
    sessions = [session for one in taken for session in one["sessions"]]
    first = sessions[0]["key"] if sessions else ""
    beacon = serving(data)
    if beacon is not None:
        terminal.say(beacon.address(first))
        return OK
    return _serve(data, Address(port=port), session=first)


@main.command("import")
def import_files(files: Files, data: Data = SNAPSHOTS, as_json: Json = False) -> int:
    """Take recordings into the data folder. A file that can't be read changes nothing.

    Example: lingbot-map import tracker.json transcript.json
    """
    taken = _import(files, data)
    if as_json:
        terminal.say_json(taken if len(taken) > 1 else taken[0])
        return OK
    for one in taken:
        for session in one["sessions"]:
            new = f"{session['new']:,} new" if session["new"] else "nothing new"
            terminal.say(f"{session['key']}  {terminal.visible(session['id'])}  {session['events']:,} events, {new}")
    _report_problems(taken)
    return OK


def _report_problems(taken: list[dict[str, Any]]) -> None:
    for one in taken:
        for problem in one["report"]:
            terminal.complain(f"note: {problem}")


def _import(files: Sequence[Path], data: Path) -> list[dict[str, Any]]:
    for path in files:
        if not path.is_file():
            raise BadInput(str(path), "a file", "nothing" if not path.exists() else "something else")
    beacon = serving(data)
    if beacon is not None:
        remote = Remote(beacon)
        taken = []
        for path in files:
            with terminal.progress(f"Sending {path.name}") as progress:
                taken.append(remote.upload(path, progress))
        return taken

    async def work(pipeline: Pipeline) -> list[dict[str, Any]]:
        taken = []
        for path in files:
            with terminal.progress(f"Reading {path.name}") as progress:
                taken.append(await pipeline.import_file(path, path.name, progress))
        return taken

    return _with_pipeline(data, work)


@main.command()
def sessions(
    query: Annotated[str, typer.Argument(help="Words that id, title, name or last utterance must contain.")] = "",
    data: Data = SNAPSHOTS,
    limit: Annotated[int, typer.Option(help="How many to list.", min=1, max=200)] = 50,
    as_json: Json = False,
) -> int:
    """List the recorded sessions, newest first.

    Example: lingbot-map sessions refund
    """

    async def look(pipeline: Pipeline) -> dict[str, Any]:
        return exporting.page(pipeline.search(query, limit=limit))

    page = _ask(data, lambda remote: remote.get("api/sessions", q=query, limit=limit), look)
    if as_json:
        terminal.say_json(page)
        return OK
    rows = []
    for summary in page["sessions"]:
        at = datetime.fromtimestamp(summary["updated_at"]).astimezone().strftime("%Y-%m-%d %H:%M")
        findings = sum(summary["findings"].values())
        title = summary["name"] or summary["title"] or summary["id"]
        rows.append((summary["key"][:12], title, at, str(summary["turns"]), f"{summary['events']:,}", str(findings)))
    terminal.table(("key", "session", "last event", "turns", "events", "findings"), rows, right=(3, 4, 5))
    if page["total"] > len(rows):
        terminal.complain(f"shown {len(rows)} of {page['total']}; ask for more with --limit, or for fewer with words")
    return OK


@main.command()
def export(
    session: Annotated[str, typer.Argument(help="The session's id, its key, or the beginning of the key.")],
    to: Annotated[str, typer.Option("--to", help="The format; jsonl is the recording as it is kept.")] = "jsonl",
    out: Annotated[Path | None, typer.Option(help="The file to write; standard output without it.")] = None,
    data: Data = SNAPSHOTS,
) -> int:
    """Write a session in a format that others read.

    Example: lingbot-map export 3f0a --to jsonl --out call.jsonl
    """
    exporting.export(data, session, to, out)
    return OK


@main.command()
def verify(
    folder: Annotated[Path | None, typer.Argument(help="A data folder or a session's folder.")] = None,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what can be mended.")] = False,
    as_json: Json = False,
    stdin: Annotated[bool, typer.Option("--stdin", help="Read folders from standard input, one a line.")] = False,
) -> int:
    """Check recordings: each line, each snapshot, each number. Exit code 3 if one can't be read at all.

    Example: lingbot-map verify snapshots --repair
    """
    from lingbot_map.store.verify import verify as check
    from lingbot_map.store.verify import verify_stream

    if stdin:
        return verify_stream(sys.stdin, sys.stdout, repair=repair)
    return check([folder or SNAPSHOTS], sys.stdout, repair=repair, as_json=as_json)


@main.command()
def stats(data: Data = SNAPSHOTS, as_json: Json = False) -> int:
    """Say how things stand: sources and their books, sessions, viewers, the disk.

    Example: lingbot-map stats --json
    """

    async def look(pipeline: Pipeline) -> dict[str, Any]:
        return pipeline.stats()

    said = _ask(data, lambda remote: remote.get("api/stats"), look)
    if as_json:
        terminal.say_json(said)
        return OK
    terminal.say(f"status    {said['status']}")
    terminal.say(f"sessions  {said['sessions']['stored']:,} stored, {said['sessions']['in_memory']:,} in memory")
    terminal.say(f"viewers   {said['viewers']:,}")
    if said["disk"]["trouble"]:
        terminal.say(f"disk      {terminal.visible(said['disk']['trouble'])}")
    columns = ("source", "probe", "produced", "accepted", "missing", "refused", "held", "repeated")
    rows = [[str(source[column]) for column in columns] for source in said["sources"]]
    if rows:
        terminal.table(columns, rows, right=range(2, len(columns)))
    return OK


def _ask(
    data: Path, remotely: Callable[[Remote], Any], here: Callable[[Pipeline], Awaitable[dict[str, Any]]]
) -> dict[str, Any]:
    """Ask the map that serves the folder, or look into the folder if none does."""
    beacon = serving(data)
    if beacon is not None:
        said: dict[str, Any] = remotely(Remote(beacon))
        return said
    if not data.is_dir():
        raise BadInput(str(data), "a data folder", "nothing", "name it with --data")
    return _with_pipeline(data, here)


def _with_pipeline(data: Path, work: Callable[[Pipeline], Awaitable[T]]) -> T:
    async def whole() -> T:
        pipeline = Pipeline.of_folder(data)
        await pipeline.start()
        try:
            await pipeline.settled()
            return await work(pipeline)
        finally:
            await pipeline.stop()

    return asyncio.run(whole())
