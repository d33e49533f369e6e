"""Running the map: a socket, uvicorn with its bounds, the beacon; in the foreground or in a thread of the bot."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import socket
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import uvicorn

from lingbot_map.errors import BadInput
from lingbot_map.pipeline import Pipeline
from lingbot_map.store.appender import fsync_from
from lingbot_map.store.index import Index
from lingbot_map.store.memory import MemoryStore
from lingbot_map.store.retention import keep_from
from lingbot_web import beacon, wire
from lingbot_web.address import Address, is_loopback
from lingbot_web.asgi import app
from lingbot_web.ask_bases import Bases, bases_of
from lingbot_web.beacon import Beacon
from lingbot_web.design_api import ShownDesign
from lingbot_web.ingest import delivered
from lingbot_web.messages import MAX_IN
from lingbot_web.security import Door, new_token

if TYPE_CHECKING:
    from lingbot_map.ask.llm import Llm

SHUTDOWN_SECONDS = 3
"""So long may answers under way take when the server ends; with closing the recordings it stays below 5 s."""
IDLE_SECONDS = 60
"""So long a connection may rest between two requests: a probe of a quiet bot keeps its own."""
_START_SECONDS = 15.0


class Server(uvicorn.Server):
    """uvicorn that says when it is ready and which signal ended it, and never raises the signal again."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None], ending: asyncio.Event) -> None:
        super().__init__(config)
        self.ended_by = 0
        self.may_end: Callable[[], bool] = lambda: True
        self.kept: Callable[[], list[socket.socket]] = list
        self._ending = ending
        self._ready = ready

    async def on_tick(self, counter: int) -> bool:
        """As uvicorn's, every 100 ms; once the end is wanted it comes when ``may_end`` agrees."""
        return await super().on_tick(counter) and (self.force_exit or self.may_end())

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's; what ``kept`` gives back are connections that were accepted before, and go on here."""
        kept = self.kept()
        await super().startup(sockets)
        for connection in kept:
            await asyncio.get_running_loop().connect_accepted_socket(self._protocol, connection)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's; ``ending`` is set before answers under way are waited for."""
        self._ending.set()
        await super().shutdown(sockets)

    def _protocol(self) -> asyncio.Protocol:
        made: asyncio.Protocol = wire.BoundedHttp(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return made

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """SIGINT and SIGTERM end the server; a second SIGINT ends it without waiting for anybody."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: Any) -> None:
        self.ended_by = self.ended_by or number
        self.handle_exit(number, frame)


def make_server(
    pipeline: Pipeline,
    address: Address,
    gate: Door,
    ready: Callable[[], None],
    *,
    reply_hosts: Collection[str] = (),
    bases: Bases | None = None,
    design: ShownDesign | None = None,
) -> Server:
    """A server for ``pipeline`` behind ``gate``; run it with the socket that ``address.listen`` gave."""
    wire.quiet_logs()
    ending = asyncio.Event()
    config = uvicorn.Config(
        app(pipeline, gate, reply_hosts, bases, design, ending),
        loop="asyncio",
        http=wire.BoundedHttp,
        ws=wire.BoundedWebSocket,
        ws_max_size=MAX_IN,
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        lifespan="on",
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        ssl_certfile=address.certificate,
        ssl_keyfile=address.key,
    )
    return Server(config, ready, ending)


def run(
    pipeline: Pipeline,
    address: Address,
    listener: socket.socket,
    *,
    data: Path | None,
    ready: Callable[[Beacon], None],
    may_end: Callable[[], bool] = lambda: True,
    reply_hosts: Collection[str] = (),
    bases: Bases | None = None,
    design: ShownDesign | None = None,
    kept: Callable[[], list[socket.socket]] = list,
) -> int:
    """Serve on ``listener`` (of ``address.listen``) until a signal comes; what comes back is the signal's number.

    ``ready`` is called once the map answers. When the end is wanted, ``may_end`` is asked until it agrees. ``kept``
    ends whatever answered at ``listener`` before and gives the connections that it accepted and did not read.
    """
    port = listener.getsockname()[1]
    token = new_token()
    light = Beacon(address.url(port), token, str(data.resolve()) if data else "", os.getpid())
    door = address.door(token, port)
    server = make_server(
        pipeline, address, door, lambda: ready(light), reply_hosts=reply_hosts, bases=bases, design=design
    )
    # What was recovered stays: a full collection over 300,000 objects would stop everybody for 150 ms. What comes is
    # seldom garbage either: at Python's own thresholds the collector takes 10 to 30 % of the mapper's time.
    pipeline.on_recovered = gc.freeze
    gc.set_threshold(50_000, 20, 50)
    server.may_end = may_end
    server.kept = kept
    with beacon.lit(port, light):
        asyncio.run(server.serve(sockets=[listener]))
    return server.ended_by


class Tapped(Protocol):
    """What ``serve`` needs of a probe: a place to hand its batches to."""

    def drain_to(self, sink: Any) -> None: ...


class Serving:
    """A map in a thread of this process. ``url`` is the address to open; leaving the ``with`` block stops it."""

    def __init__(self, pipeline: Pipeline, address: Address, data: Path | None, bases: Bases | None = None) -> None:
        self._pipeline = pipeline
        self._listener = address.listen()
        port = self._listener.getsockname()[1]
        self.token = new_token()
        self._light = Beacon(address.url(port), self.token, str(data.resolve()) if data else "", os.getpid())
        self._port = port
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = threading.Event()
        self._probes: list[Tapped] = []
        self._fault: BaseException | None = None
        self._server = make_server(pipeline, address, address.door(self.token, port), self._ready.set, bases=bases)
        self._thread = threading.Thread(target=self._run, name="lingbot-map", daemon=True)
        self._thread.start()
        if not self._ready.wait(_START_SECONDS) or self._fault is not None:
            self.stop()
            raise self._fault or RuntimeError(f"the map did not start within {_START_SECONDS:.0f} s")

    @property
    def base(self) -> str:
        """The address without the token."""
        return self._light.url

    @property
    def url(self) -> str:
        """The address to open in a browser, token included."""
        return self._light.address()

    @property
    def pipeline(self) -> Pipeline:
        """What is behind it; use it from its own loop only."""
        return self._pipeline

    def attach(self, probe: Tapped) -> None:
        """Take the probe's batches directly, without HTTP."""
        self._probes.append(probe)
        probe.drain_to(self)

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        """A batch as ``POST /ingest`` takes it, and its answer; called in the probe's own thread."""
        if self._loop is None or self._loop.is_closed():
            raise ConnectionError("the map has stopped")
        return delivered(self._pipeline, self._loop, batch)

    def stop(self) -> None:
        """Stop serving and close the recordings. A second call does nothing."""
        for probe in self._probes:
            probe.drain_to(None)
        self._probes.clear()
        self._server.should_exit = True
        self._thread.join(SHUTDOWN_SECONDS + 5)
        self._listener.close()

    def __enter__(self) -> Serving:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<lingbot-map at {self.base}>"

    def _run(self) -> None:
        try:
            with beacon.lit(self._port, self._light):
                asyncio.run(self._serve())
        except BaseException as fault:
            self._fault = fault
        finally:
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self._server.serve(sockets=[self._listener])


def serve(
    probe: Tapped | None = None,
    *,
    data: str | Path | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    fsync: str = "batch",
    keep: str | Sequence[str] = (),
    ask_diagrams: Sequence[str | Path] = (),
    ask_graphs: Sequence[str | Path] = (),
    ask_docs: Sequence[str | Path] = (),
    llm: Llm | None = None,
    ask_record: bool = False,
) -> Serving:
    """Show a map from inside this process, on a free port unless ``port`` names one.

    ``probe`` is attached directly, without HTTP. Recordings are kept in the folder ``data``, or in memory only if
    there is none. Only loopback addresses are served this way.

    ``fsync`` and ``keep`` mean what they do to ``lingbot-map serve``: "batch" (a power cut costs 100 ms at most) or
    "always"; an age ("30d"), a size ("20GB") or one of each, past which sessions are removed at the start and once an
    hour. Both need ``data``. ``ask_diagrams``, ``ask_graphs`` and ``ask_docs`` are files and folders that the page can
    ask beside its sessions; ``llm`` (``lingbot_map.ask.llm.Llm``) words the answers. With ``ask_record`` what
    is asked on the page is recorded, each conversation as a session of this map. Raises ``BadInput`` or
    ``DataFolderBusy``.
    """
    bases = bases_of(ask_diagrams, ask_graphs, ask_docs, llm, record=ask_record)
    if not is_loopback(host):
        raise BadInput("host", "a loopback address", host, "use the command lingbot-map serve for anything else")
    flush, bounds = fsync_from(fsync, "fsync"), keep_from([keep] if isinstance(keep, str) else keep, "keep")
    folder = Path(data) if data is not None else None
    if folder is None and (bounds or flush != "batch"):
        raise BadInput(
            "keep" if bounds else "fsync", "a folder in which recordings are kept", "none", "give data=FOLDER"
        )
    if folder is not None:
        pipeline = Pipeline.of_folder(folder, fsync=flush, keep=bounds)
    else:
        pipeline = Pipeline(MemoryStore(), Index(None))
    try:
        serving = Serving(pipeline, Address(host, port), folder, bases)
    except BaseException:  # nobody has it: the folder is free again
        pipeline.store.close()
        pipeline.index.close()
        raise
    if probe is not None:
        serving.attach(probe)
    return serving
