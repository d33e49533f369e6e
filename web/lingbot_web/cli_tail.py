"""``tail``: follow what a bot writes and show it while it grows."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from lingbot_map.errors import BadInput, LingbotMapError
from lingbot_map.importers import columns_of
from lingbot_map.importers.growing import GROWING
from lingbot_map.pipeline import Pipeline
from lingbot_probes.link import Endpoint
from lingbot_web import terminal
from lingbot_web.address import PORT, Address
from lingbot_web.beacon import serving
from lingbot_web.cli_recordings import SNAPSHOTS, Data, Flush, fsync_of
from lingbot_web.cli_serving import serve_at
from lingbot_web.courier import Courier
from lingbot_web.tail_burr import GrowingApp, app_at
from lingbot_web.tail_file import GrowingFile
from lingbot_web.tail_queue import EXCHANGE, QUEUE, GrowingQueue, is_queue, without_password
from lingbot_web.tail_sqlite import SCHEME, GrowingTable, database_path
from lingbot_web.tailing import Growing, Note, Tail, Wish

INTERRUPTED = 130
FORMATS = ("auto", *GROWING)


def tail(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="A file that grows by lines (JSONL, or a capture of server-sent events); the folder of an application "
            "that Burr tracks; sqlite:///FILE, a tracker store or SQL event broker of Rasa; "
            "amqp://USER:PASSWORD@HOST, a RabbitMQ to which Rasa publishes.",
        ),
    ],
    format: Annotated[
        str, typer.Option("--format", help=f"What the lines are: {', '.join(FORMATS)} (told by the first ones).")
    ] = "auto",
    mapping: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            help="For rows of your own, a JSON object on each line: which key holds session, user, bot (or role and "
            "text), intent, confidence, time, doc, slot.NAME. For traces of the OpenAI Agents SDK: retrieval=FUNCTION, "
            "slots=FUNCTION.",
            metavar="KEY=COLUMN,...",
        ),
    ] = None,
    from_end: Annotated[
        bool, typer.Option("--from-end", help="Leave out what is there already and begin with what comes.")
    ] = False,
    once: Annotated[bool, typer.Option("--once", help="End when all that is there is on the map.")] = False,
    data: Data = SNAPSHOTS,
    endpoint: Annotated[
        str, typer.Option("--endpoint", help="The address of a map elsewhere, with #t=TOKEN, instead of --data.")
    ] = "",
    port: Annotated[int, typer.Option(help="The port to listen on, if no map serves the folder yet.")] = PORT,
    no_mask: Annotated[
        bool, typer.Option("--no-mask", help="Keep passwords, tokens, phones and the like, which are masked else.")
    ] = False,
    queue: Annotated[
        str, typer.Option("--queue", help="amqp: the queue. Whoever else reads it gets what this doesn't.")
    ] = QUEUE,
    exchange: Annotated[
        str, typer.Option("--exchange", help="amqp: the exchange that a queue of your own is bound to.")
    ] = EXCHANGE,
    fsync: Flush = "batch",
) -> int:
    """Follow a file, a database or a queue of a running bot, and show what comes within a second. Ctrl-C ends it.

    It sends to the map that serves the data folder; if none does it starts one, as `lingbot-map serve` does, and
    prints its address. A map that is started again is found again. What is there already comes first, and a second
    run sends nothing twice. A file may be cut or replaced (rotated) meanwhile; a line that can't be read is named and
    leaves a gap. A trace is shown when it has ended, and one that doesn't say so (rows of Langfuse) when nothing more
    of it has come for 30 s. PostgreSQL and MySQL are not read: attach to such a bot by its event broker.

    Example: lingbot-map tail events.jsonl

    Example: lingbot-map tail calls.jsonl --map session=conv_id,user=question,bot=answer --from-end

    Example: lingbot-map tail sqlite:///rasa.db --data incident

    Example: lingbot-map tail amqp://guest:guest@127.0.0.1 --queue lingbot-map
    """
    flush = fsync_of(fsync)
    terminal.text("WHAT", without_password(what))
    if format not in FORMATS:
        raise BadInput("--format", f"one of {', '.join(FORMATS)}", format)
    if format != "auto" and mapping:
        raise BadInput("--map", "no --format beside it, for a table has none", format)
    columns = columns_of(mapping) if mapping else None
    shown = without_password(what)
    wish = Wish(what=shown, format=format, columns=columns, from_end=from_end, once=once)
    where = _endpoint(endpoint)
    growing, wish = _growing(what, wish, queue, exchange)
    followed = f"{shown}\n{queue}" if is_queue(what) else os.path.abspath(what)
    note = Note(followed, str(Endpoint(endpoint)) if endpoint else os.path.realpath(data))
    beacon = None if where else serving(data)
    courier = Courier(f"tail {shown}", where or _finding(data), _say, masked=not no_mask)
    following = Tail(wish, growing, courier, note, _say)
    if where is not None or beacon is not None:
        to = str(Endpoint(endpoint)) if where is not None else beacon.address() if beacon is not None else ""
        terminal.say(f"Following {terminal.visible(shown)} into {to}")
        return _follow(following, courier)
    return _serve(following, courier, data, Address(port=port), flush, terminal.visible(shown))


def _say(line: str) -> None:
    terminal.complain(f"note: {line}")


def _endpoint(said: str) -> Callable[[], tuple[str, str] | None] | None:
    if not said:
        return None
    try:
        Endpoint(said)
    except ValueError as why:
        raise BadInput("--endpoint", "the address that a map server prints", str(why)) from None
    token = os.environ.get("LINGBOT_TOKEN", "")
    return lambda: (said, token)


def _finding(data: Path) -> Callable[[], tuple[str, str] | None]:
    def find() -> tuple[str, str] | None:
        beacon = serving(data)
        return (beacon.url, beacon.token) if beacon is not None else None

    return find


def _growing(what: str, wish: Wish, queue: str, exchange: str) -> tuple[Growing, Wish]:
    rasa = Wish(what=wish.what, format="rasa", from_end=wish.from_end, once=wish.once)
    if is_queue(what):
        if wish.from_end:
            raise BadInput("--from-end", "a file or a database", "a queue, in which nothing stays", "leave it out")
        growing: Growing = GrowingQueue(what, queue, exchange)
    elif what.startswith(SCHEME):
        growing = GrowingTable(database_path(what))
    else:
        if "://" in what:
            raise BadInput(what, "a file, sqlite:///FILE or amqp://HOST", "another address")
        path = Path(what)
        if wish.once and not path.exists():
            raise BadInput(what, "a file", "nothing")
        if (app := app_at(path)) is not None and wish.columns is None and wish.format in ("auto", "burr"):
            return GrowingApp(app), wish
        return GrowingFile(path), wish
    if wish.columns is not None or wish.format not in ("auto", "rasa"):
        raise BadInput("--map" if wish.columns is not None else "--format", "rasa, the only one here", wish.format)
    return growing, rasa


def _follow(following: Tail, courier: Courier) -> int:
    """Follow in this thread, until Ctrl-C or a signal to end."""
    ended: list[int] = []

    def end(number: int, frame: object) -> None:
        ended.append(number)
        courier.stop.set()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        following.run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    terminal.complain(following.summary())
    return INTERRUPTED if signal.SIGINT in ended else 0


def _serve(following: Tail, courier: Courier, data: Path, address: Address, fsync: str, shown: str) -> int:
    """Start a map, and follow in a thread beside it."""
    fault: list[LingbotMapError | OSError] = []

    def follow() -> None:
        try:
            following.run()
        except (LingbotMapError, OSError) as why:
            fault.append(why)
        finally:
            if not courier.stop.is_set():  # it ended by itself
                os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=follow, name="lingbot-map tail", daemon=True)

    def begin(pipeline: Pipeline, announce: Callable[[str], None]) -> None:
        announce("")
        terminal.say(f"Following {shown}")
        thread.start()

    def may_end() -> bool:
        courier.stop.set()
        return not thread.is_alive()

    code = serve_at(data, address, fsync_of(fsync), work=begin, may_end=may_end)
    if fault:
        raise fault[0]
    terminal.complain(following.summary())
    return code
