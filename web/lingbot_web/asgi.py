"""The ASGI app: gate, routes, and the pipeline's life. Mountable under any path of another app."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from lingbot_map.errors import LingbotMapError
from lingbot_map.pipeline import Pipeline
from lingbot_web.api import Api, on_error
from lingbot_web.ask_api import Asking, available
from lingbot_web.ask_bases import Bases
from lingbot_web.design_api import Designs, ShownDesign
from lingbot_web.export_api import export_route
from lingbot_web.ingest import ingest
from lingbot_web.keep_api import keep_routes
from lingbot_web.live import Viewers
from lingbot_web.otlp import traces
from lingbot_web.page import page_routes
from lingbot_web.reply import Replies
from lingbot_web.security import TRACES, Door, Gate


def app(
    pipeline: Pipeline,
    door: Door,
    reply_hosts: Collection[str] = (),
    bases: Bases | None = None,
    design: ShownDesign | None = None,
    ending: asyncio.Event | None = None,
) -> ASGIApp:
    """The map as an ASGI app. It starts and stops ``pipeline`` with the server, or at the first request where a
    server doesn't tell (a mounted app hears of no start); then call ``await pipeline.stop()`` yourself.

    ``reply_hosts`` are hosts beyond this machine to which messages typed on the page may go; ``bases`` is what the page
    can ask beside its sessions, ``design`` what it draws turns against from the start. ``ending`` is to be set when the
    server is to end and waits for answers under way."""
    viewers = Viewers(pipeline)
    pipeline.viewers = lambda: viewers.count

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        await pipeline.start()
        try:
            yield
        finally:
            if bases is not None and bases.sessions is not None:
                await bases.sessions.end()
            await pipeline.stop()

    inner = Starlette(
        routes=[
            *page_routes(door, asks=available()),
            *Api(pipeline).routes(),
            *Replies(pipeline, reply_hosts).routes(),
            *Asking(pipeline, bases, ending).routes(),
            *Designs(pipeline, design).routes(),
            export_route(pipeline),
            *keep_routes(pipeline),
            Route("/ingest", ingest(pipeline), methods=["POST"]),
            Route(TRACES, traces(pipeline), methods=["POST"]),
            WebSocketRoute("/ws", viewers),
        ],
        exception_handlers={HTTPException: on_error, LingbotMapError: on_error, OSError: on_error},
        lifespan=life,
    )
    inner.router.redirect_slashes = False
    return Gate(_Started(inner, pipeline), door)


class _Started:
    """Starts the pipeline at the first request if the server didn't."""

    def __init__(self, app: ASGIApp, pipeline: Pipeline) -> None:
        self.app = app
        self.pipeline = pipeline
        self._starting = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and not self.pipeline.started:
            async with self._starting:
                await self.pipeline.start()
        await self.app(scope, receive, send)
