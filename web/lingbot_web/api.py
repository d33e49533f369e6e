"""The HTTP API: sessions, keyframes, history, the few writes, and how things stand. See ``web/README.md``."""

from __future__ import annotations

import asyncio
import gzip
import tempfile
from pathlib import Path
from typing import Any, get_args

import msgspec
import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lingbot_map import codec
from lingbot_map.errors import (
    BadInput,
    DataFolderBusy,
    LingbotMapError,
    NewerFormat,
    NotWritten,
    TooLarge,
    UnknownFormat,
    UnknownMoment,
    UnknownSession,
    Unreadable,
)
from lingbot_map.events import event_to_dict
from lingbot_map.legible import legible
from lingbot_map.pipeline import Live, Pipeline
from lingbot_map.store.index import Apart
from lingbot_web.export import page as page_of
from lingbot_web.messages import is_key

MAX_EVENTS = 1000
MAX_PAGE = 200
BLOCK = 500
"""Events in one block of history; a complete block never changes."""
MAX_NAME = 200
MAX_QUERY = 500
"""Characters of what is searched for: more than any id or name has."""

_APART: tuple[Apart, ...] = get_args(Apart)

_FOR_EVER = "private, max-age=31536000, immutable"
_COMPRESS_FROM = 4096
_STATUS: tuple[tuple[type[LingbotMapError], int], ...] = (
    (UnknownSession, 404),
    (UnknownMoment, 404),
    (TooLarge, 413),
    (UnknownFormat, 422),
    (BadInput, 400),
    (DataFolderBusy, 409),
    (NewerFormat, 409),
    (Unreadable, 409),
    (NotWritten, 507),
    (LingbotMapError, 500),
)


def reply(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """``value`` as JSON."""
    try:
        body = orjson.dumps(value, default=msgspec.to_builtins)
    except TypeError:  # a path that is no UTF-8
        body = orjson.dumps(legible(msgspec.to_builtins(value)))
    return Response(body, status, headers=headers, media_type="application/json")


async def on_error(request: Request, error: Exception) -> Response:
    """Our errors and the router's as one JSON sentence."""
    if isinstance(error, HTTPException):
        return reply({"error": error.detail}, error.status_code, dict(error.headers or {}))
    if isinstance(error, OSError):
        return reply({"error": f"A file can't be read or written ({error.strerror or type(error).__name__})."}, 500)
    status = next(code for kind, code in _STATUS if isinstance(error, kind))
    said: dict[str, str] = {"error": str(error)}
    if isinstance(error, BadInput) and error.remedy:
        said = {"error": str(error).removesuffix(f"; {error.remedy}"), "remedy": error.remedy}
    return reply(said, status)


class Api:
    """The endpoints over one pipeline."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline

    def routes(self) -> list[Route]:
        """All paths below ``/api/`` and the health path."""
        one = "/api/sessions/{key}"
        return [
            Route("/healthz", self.health),
            Route("/api/stats", self.stats),
            Route("/api/sessions", self.sessions),
            Route("/api/import", self.take_file, methods=["POST"]),
            Route(one, self.session),
            Route(one, self.change, methods=["POST"]),
            Route(one, self.delete, methods=["DELETE"]),
            Route(one + "/keyframe", self.keyframe),
            Route(one + "/events", self.events),
            Route(one + "/deltas/{block}", self.deltas),
        ]

    async def health(self, request: Request) -> Response:
        """Open to everybody on the machine, so it says how the map is and nothing about what is in it."""
        return reply({"status": self.pipeline.status})

    async def stats(self, request: Request) -> Response:
        return reply(self.pipeline.stats())

    async def sessions(self, request: Request) -> Response:
        query = request.query_params
        limit = _number(query.get("limit", "50"), "limit", 1, MAX_PAGE)
        apart = query.get("apart", "")
        if apart not in _APART:
            raise BadInput("apart", " or ".join(filter(None, _APART)), "something else")
        q = query.get("q", "")
        if len(q) > MAX_QUERY:
            raise BadInput("q", f"at most {MAX_QUERY} characters", f"{len(q):,}")
        page = self.pipeline.search(q, before=query.get("before", ""), limit=limit, apart=apart)
        return reply(page_of(page))

    async def session(self, request: Request) -> Response:
        key = session_key(request)
        summary = self.pipeline.summary(key)
        if summary is None:
            raise UnknownSession(key)
        return reply(summary)

    async def keyframe(self, request: Request) -> Response:
        live = await self._live(request)
        at = request.query_params.get("at")
        if at is None:
            body = live.keyframe()
        else:
            seq = _number(at, "at", 0)
            body = await self.pipeline.past(live, lambda session: codec.keyframe(session.at(seq)))
        return await _compressed(request, body)

    async def events(self, request: Request) -> Response:
        live = await self._live(request)
        query = request.query_params
        first = _number(query.get("from", "1"), "from", 1)
        last = _number(query.get("to", str(first + MAX_EVENTS - 1)), "to", first)
        last = min(last, first + MAX_EVENTS - 1, live.tail.last)
        if first > last:
            return reply({"events": []})
        found = await self.pipeline.past(live, lambda session: session.events(first, last))
        return reply({"events": [event_to_dict(event) for event in found]})

    async def deltas(self, request: Request) -> Response:
        live = await self._live(request)
        block = _number(request.path_params["block"], "block", 0)
        if block * BLOCK >= max(live.tail.last, 1):
            raise UnknownMoment(block * BLOCK + 1, live.tail.last)
        complete = (block + 1) * BLOCK <= live.tail.last
        body = await self.pipeline.past(live, lambda session: session.deltas_block(block))
        response = await _compressed(request, body)
        # A lossy recovery re-uses numbers under another epoch, so only an address that names the epoch is for ever.
        if complete and request.query_params.get("epoch") == live.tail.epoch:
            response.headers["cache-control"] = _FOR_EVER
        return response

    async def change(self, request: Request) -> Response:
        said = await json_object(request)
        facts: dict[str, Any] = {}
        if "name" in said:
            if type(said["name"]) is not str or len(said["name"]) > MAX_NAME:
                raise BadInput("name", f"text of at most {MAX_NAME} characters", "something else")
            facts["name"] = said["name"].strip()  # blanks alone are no name
        if "pinned" in said:
            if type(said["pinned"]) is not bool:
                raise BadInput("pinned", "true or false", "something else")
            facts["pinned"] = said["pinned"]
        if not facts or set(said) - {"name", "pinned"}:
            raise BadInput("body", 'an object with "name", "pinned" or both', "something else")
        live = await self._live(request)  # last: a session may be put away while we wait for a body
        self.pipeline.describe(live, facts)
        return reply(live.summary())

    async def delete(self, request: Request) -> Response:
        await self.pipeline.delete(session_key(request))
        return reply({"deleted": True})

    async def take_file(self, request: Request) -> Response:
        name = request.query_params.get("name", "")[:255] or "upload"
        mask = request.query_params.get("mask", "0")
        if mask not in ("0", "1"):
            raise BadInput("mask", "0 or 1", "something else")
        if _content_type(request) != "application/octet-stream":
            raise HTTPException(415, "Send the file as application/octet-stream.")
        with tempfile.TemporaryDirectory(prefix="lingbot-map-") as folder:
            path = Path(folder) / "upload"  # the name comes from outside and never becomes a path
            with path.open("wb") as file:
                async for chunk in request.stream():
                    file.write(chunk)
            taken = await self.pipeline.import_file(
                path, name, mask=mask == "1", mapping=request.query_params.getlist("map")
            )
        return reply(taken)

    async def _live(self, request: Request) -> Live:
        return await self.pipeline.open(session_key(request))


def session_key(request: Request) -> str:
    """The key that the path names; 404 if it has not the form of one."""
    key = request.path_params["key"]
    if not is_key(key):
        raise HTTPException(404, "There is no such session; a key has 32 hex digits.")
    return str(key)


def _number(text: str, name: str, least: int, most: int = 2**53 - 1) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 16) or not least <= int(text) <= most:
        raise BadInput(name, f"a number from {least} to {most}", "something else")
    return int(text)


def _content_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def expect_json(request: Request) -> None:
    """Refuse what a form on a foreign page could send without asking."""
    if _content_type(request) != "application/json":
        raise HTTPException(415, "Send the body as application/json.")


async def json_object(request: Request) -> dict[str, Any]:
    """The body, which has to be a JSON object. Raises ``BadInput``, or ``HTTPException`` for another type."""
    expect_json(request)
    try:
        said: Any = orjson.loads(await request.body())
    except orjson.JSONDecodeError:
        raise BadInput("body", "JSON", "something else") from None
    if type(said) is not dict:
        raise BadInput("body", "an object", "something else")
    return said


async def _compressed(request: Request, body: bytes) -> Response:
    """Compressed for viewers elsewhere: on the same machine packing costs more time than it saves."""
    headers = {"vary": "accept-encoding"}
    local = request.client is None or request.client.host in ("127.0.0.1", "::1")
    if not local and len(body) >= _COMPRESS_FROM and "gzip" in request.headers.get("accept-encoding", ""):
        body = await asyncio.to_thread(gzip.compress, body, 5)
        headers["content-encoding"] = "gzip"
    return Response(body, headers=headers, media_type="application/json")
