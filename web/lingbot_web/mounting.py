"""The map inside the bot's own server: ``bot.mount("/map", lingbot_web.app(probe, url="http://127.0.0.1:8000/map/"))``.

The bot's server is told of no token and no route of ours: the gate stands before everything here as it does in a
server of our own. The probe hands its batches over in the process, without HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.types import Receive, Scope, Send

from lingbot_map.errors import BadInput, DataFolderBusy
from lingbot_map.pipeline import Pipeline
from lingbot_map.store.appender import Fsync
from lingbot_map.store.index import Index
from lingbot_map.store.memory import MemoryStore
from lingbot_map.store.retention import Keep, keep_from
from lingbot_web import asgi, beacon
from lingbot_web.address import is_loopback
from lingbot_web.ask_bases import Bases, bases_of
from lingbot_web.beacon import Beacon
from lingbot_web.ingest import delivered
from lingbot_web.running import Tapped
from lingbot_web.security import Door, door, is_host, new_token


class Mounted:
    """An ASGI app. ``address`` is what to open in a browser, token included; ``lifespan`` begins and ends it.

    Hand ``lifespan`` to the outer app (``FastAPI(lifespan=map.lifespan)``), or enter it in one of your own: then the
    map starts with the server. Without it the map starts when it is first asked for, and of what the bot said before it
    has the last 500 events.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        light: Beacon,
        port: int,
        reply_hosts: Collection[str],
        bases: Bases | None = None,
    ) -> None:
        self.pipeline = pipeline
        self._light = light
        self._port = port
        self._bases = bases
        self._app = asgi.app(pipeline, _door(light, port), reply_hosts, bases)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._probe: Tapped | None = None
        self._held = AsyncExitStack()
        self._turnstile = asyncio.Lock()

    @property
    def address(self) -> str:
        """The address to open, token included."""
        return self._light.address()

    @property
    def token(self) -> str:
        """What a request of a program of yours must show as ``Authorization: Bearer``."""
        return self._light.token

    def attach(self, probe: Tapped) -> None:
        """Take the probe's batches directly."""
        self._probe = probe
        probe.drain_to(self)

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        """A batch as ``POST /ingest`` takes it, and its answer; called in the probe's own thread.

        Raises ``ConnectionError`` while the map doesn't run: the probe keeps what it has and comes again.
        """
        loop = self._loop
        if loop is None or not loop.is_running():
            raise ConnectionError("the server that the map is mounted in does not run")
        return delivered(self.pipeline, loop, batch)

    @asynccontextmanager
    async def lifespan(self, _: object = None) -> AsyncIterator[None]:
        """The map runs while this lasts. Raises ``StoreError`` where the place for its token isn't ours alone."""
        await self._start()
        try:
            yield
        finally:
            await self._stop()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":  # served alone
            await self._app(scope, receive, send)
            return
        await self._start()
        await self._app(scope, receive, send)

    async def _start(self) -> None:
        async with self._turnstile:
            if self._loop is None:
                self._held.enter_context(beacon.lit(self._port, self._light))
                await self.pipeline.start()
                self._loop = asyncio.get_running_loop()

    async def _stop(self) -> None:
        if self._probe is not None:
            self._probe.drain_to(None)
        if self._bases is not None and self._bases.sessions is not None:
            await self._bases.sessions.end()
        self._loop = None
        try:
            await self.pipeline.stop()
        finally:
            await self._held.aclose()


def _pipeline(folder: Path, fsync: Fsync, bounds: Keep) -> Pipeline:
    try:
        return Pipeline.of_folder(folder, fsync=fsync, keep=bounds)
    except DataFolderBusy as why:
        why.add_note("With several workers give one of them the map, or run `lingbot-map serve` beside them.")
        raise
    except BadInput as why:  # here it is no option
        raise BadInput("data", why.expected, f"{why.where} ({why.found})") from None


def app(
    probe: Tapped | None = None,
    *,
    url: str,
    data: str | Path | None = None,
    fsync: Fsync = "batch",
    keep: Iterable[str] = (),
    reply_hosts: Collection[str] = (),
    insecure_remote: bool = False,
    ask_diagrams: Sequence[str | Path] = (),
    ask_graphs: Sequence[str | Path] = (),
    ask_docs: Sequence[str | Path] = (),
    ask_record: bool = False,
) -> Mounted:
    """A map to be mounted in another ASGI app (Starlette, FastAPI), for one process.

    ``url`` is where people will open it, the path of the mount included (``http://127.0.0.1:8000/map/``). ``probe`` is
    attached without HTTP. Recordings are kept in the folder ``data``, or in memory only if there is none; ``fsync``,
    ``keep`` and ``reply_hosts`` are what ``lingbot-map serve`` takes. An address that other machines reach needs https,
    or ``insecure_remote=True``. ``ask_diagrams``, ``ask_graphs`` and ``ask_docs`` are files and folders that the page
    can ask beside its sessions; with ``ask_record`` what is asked there is recorded, each conversation as a session.

    Raises ``BadInput``; ``DataFolderBusy`` where another process, such as a second worker of the same server, writes
    the folder.
    """
    base, port = _place(url, insecure_remote)
    bases = bases_of(ask_diagrams, ask_graphs, ask_docs, record=ask_record)
    try:
        bounds = keep_from(list(keep))
    except BadInput as why:
        raise BadInput("keep", why.expected, why.found, why.remedy) from None
    folder = Path(data) if data is not None else None
    if folder is None:
        pipeline = Pipeline(MemoryStore(), Index(None))
    else:
        pipeline = _pipeline(folder, fsync, bounds)
    light = Beacon(base, new_token(), str(folder.resolve()) if folder else "", os.getpid())
    mounted = Mounted(pipeline, light, port, reply_hosts, bases)
    if probe is not None:
        mounted.attach(probe)
    return mounted


def _place(url: str, insecure_remote: bool) -> tuple[str, int]:
    """(the address with a slash at its end, its port)."""
    expected = "the address at which it will be opened, such as http://127.0.0.1:8000/map/"
    with contextlib.suppress(ValueError):
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        if parts.scheme in ("http", "https") and is_host(host) and port != 0 and "@" not in parts.netloc:
            if parts.query or parts.fragment:
                raise BadInput("url", expected, url)
            if parts.scheme == "http" and not is_loopback(host) and not insecure_remote:
                remedy = "serve it with https, or say insecure_remote=True where nobody else can listen"
                raise BadInput("url", "https for an address that other machines reach", url, remedy)
            return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/", port or _PORTS[parts.scheme]
    raise BadInput("url", expected, url)


def _door(light: Beacon, port: int) -> Door:
    """One address where others reach it; on this machine also its other names."""
    parts = urlsplit(light.url)
    if is_loopback(parts.hostname or ""):
        return door(light.token, port, public_urls=(light.url,))
    origin = f"{parts.scheme}://{parts.netloc}"
    return Door(light.token.encode(), frozenset((parts.netloc.encode(),)), frozenset((origin.encode(),)))


_PORTS = {"http": 80, "https": 443}
