"""Viewers: each is a cursor, none has a queue.

What a viewer is sent is everything after its cursor that is shown. A slow one is only a cursor that stands still:
its handler waits in its own ``send``, and nobody waits for it. What it missed is encoded when it asks again, or, if
that is more than the tail keeps, replaced by the advice to fetch a keyframe.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

import orjson
from starlette.datastructures import QueryParams
from starlette.types import Message, Receive, Scope, Send

from lingbot_map.errors import BadInput, LingbotMapError, UnknownSession
from lingbot_map.pipeline import Live, Pipeline
from lingbot_web import messages
from lingbot_web.messages import Place, Why

MAX_VIEWERS = 1000
RECENT_CHANGES = 5
MAX_MESSAGES = 100
"""So many messages a minute may a viewer send."""

_REFUSED = 1008


class Viewers:
    """The WebSocket endpoint, as a plain ASGI app."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self.count = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        if message["type"] != "websocket.connect":
            return
        if self.count >= MAX_VIEWERS:
            await _refuse(send, 503, f"The map serves at most {MAX_VIEWERS} viewers at a time.")
            return
        try:
            place = messages.place_from_query(QueryParams(scope["query_string"]))
        except BadInput as why:
            await _refuse(send, 400, str(why))
            return
        offered = scope.get("subprotocols", [])
        accept: Message = {"type": "websocket.accept"}
        if messages.PROTOCOL in offered:
            accept["subprotocol"] = messages.PROTOCOL
        await send(accept)
        self.count += 1
        viewer = Viewer(self.pipeline, send, place)
        reader = asyncio.create_task(viewer.read(receive))
        try:
            await viewer.write()
        except OSError:
            pass  # the viewer left while we were sending (uvicorn's ClientDisconnected is one)
        finally:
            self.count -= 1
            viewer.leave()
            reader.cancel()
            with suppress(asyncio.CancelledError):
                await reader


class Viewer:
    """One connection. ``read`` and ``write`` run side by side: one learns what the viewer wants, the other sends."""

    def __init__(self, pipeline: Pipeline, send: Send, place: Place) -> None:
        self._pipeline = pipeline
        self._send = send
        self._asked: Place | None = place
        self._live: Live | None = None
        self._key = ""
        self._epoch = ""
        self._seq = 0
        self._following = False
        # The list that a page has read may be some seconds older than its socket: the last changes are told again.
        self._version = max(0, pipeline.board.version - RECENT_CHANGES)
        self._woken = asyncio.Event()
        self._gone = False
        self._refusal = ""
        pipeline.board.watchers.add(self._woken.set)

    async def read(self, receive: Receive) -> None:
        """Take the viewer's places until it leaves."""
        minute, count = time.monotonic(), 0
        while not self._gone:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                self._gone = True
            else:
                now = time.monotonic()
                if now - minute > 60:
                    minute, count = now, 0
                count += 1
                try:
                    if count > MAX_MESSAGES:
                        raise BadInput("messages", f"at most {MAX_MESSAGES} a minute", "more")
                    data = message.get("bytes")
                    self._asked = messages.read_place(data if data is not None else message.get("text", ""))
                except BadInput as why:
                    self._refusal = str(why)
                    self._gone = True
            self._woken.set()

    async def write(self) -> None:
        """Send what is new after the viewer's place, whenever there is something, until it leaves."""
        while not self._gone:
            self._woken.clear()
            if self._asked is not None:
                place, self._asked = self._asked, None
                await self._go_to(place)
            sent = await self._send_batch()
            sent = await self._send_sessions() or sent
            if not sent and self._asked is None:
                await self._woken.wait()
        if self._refusal:
            await self._send({"type": "websocket.close", "code": _REFUSED, "reason": self._refusal[:120]})

    def leave(self) -> None:
        """Take the viewer's hands off what it watched."""
        self._gone = True
        self._pipeline.board.watchers.discard(self._woken.set)
        self._unfollow()

    def _unfollow(self) -> None:
        if self._live is not None:
            self._live.tail.watchers.discard(self._woken.set)
        self._live = None
        self._following = False

    async def _go_to(self, place: Place) -> None:
        """Answer a place with ``hello``; batches follow if it says ``resume``."""
        key = self._key if place.session is None else place.session
        self._unfollow()
        self._key = key
        if not key:
            await self._hello(resume=True)
            return
        try:
            live = await self._pipeline.open(key)
        except UnknownSession:
            await self._hello(resume=False, why="deleted" if self._pipeline.was_deleted(key) else "unknown")
            return
        except (LingbotMapError, OSError):  # the list of sessions says more
            await self._hello(resume=False, why="damaged")
            return
        self._live = live
        live.tail.watchers.add(self._woken.set)
        why: Why = ""
        if place.after is None:
            resume = False
        elif place.epoch != live.tail.epoch or place.after > live.tail.last:
            resume, why = False, "epoch"
        elif not live.tail.holds_after(place.after):
            resume, why = False, "behind"
        else:
            resume = True
            self._epoch, self._seq = place.epoch, place.after
        self._following = resume
        await self._hello(resume=resume, why=why)

    async def _hello(self, *, resume: bool, why: Why = "") -> None:
        live = self._live
        summary = live.summary() if live is not None else None
        epoch, seq = (live.tail.epoch, live.tail.shown) if live is not None else ("", 0)
        data = messages.hello(self._pipeline.server, summary, epoch, seq, resume=resume, why=why)
        await self._send({"type": "websocket.send", "bytes": data})

    async def _send_batch(self) -> bool:
        live = self._live
        if live is not None and live.deleted:  # also where its bot has begun another one under the same name
            self._unfollow()
            await self._hello(resume=False, why="deleted")
            return True
        if live is None or not self._following:
            return False
        tail = live.tail
        if live.gone:
            await self._go_to(Place(self._key, self._epoch, self._seq))
            return True
        if self._epoch != tail.epoch or not tail.holds_after(self._seq):
            self._following = False
            await self._hello(resume=False, why="epoch" if self._epoch != tail.epoch else "behind")
            return True
        if self._seq >= tail.shown:
            return False
        made = tail.shared.get(self._seq)
        if made is None:
            last, pieces = tail.after(self._seq, messages.MAX_BATCH)
            made = last, messages.batch(tail.epoch, self._seq + 1, last, pieces, time.time())
            tail.shared[self._seq] = made
        self._seq, data = made
        await self._send({"type": "websocket.send", "bytes": data})
        return True

    async def _send_sessions(self) -> bool:
        board = self._pipeline.board
        if self._version == board.version:
            return False
        data = board.shared.get(self._version)
        if data is None:
            data = messages.sessions(*board.after(self._version))
            board.shared[self._version] = data
        self._version = board.version
        await self._send({"type": "websocket.send", "bytes": data})
        return True


async def _refuse(send: Send, status: int, sentence: str) -> None:
    body = orjson.dumps({"error": sentence})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": body})
