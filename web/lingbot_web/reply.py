"""What somebody types on the page, handed to the bot: its own REST channel gets it, and says what it answers.

A session names the channel (``meta.reply_url``, from ``probe.session(id, reply=URL)``). Whoever can send events could
name any address there, so only this machine's are called, but for hosts the map's own command line allows: what the
name resolves to is looked at and connected to, in one go. No redirects, no proxies, no credentials, and bounds on
sizes and time.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Collection, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httptools
import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lingbot_map.errors import BadInput
from lingbot_map.pipeline import Pipeline
from lingbot_probes.finding import PSEUDONYM_IN_ID
from lingbot_web.api import json_object, session_key
from lingbot_web.api import reply as as_json
from lingbot_web.security import is_host

SECONDS = 10.0
"""So long may the bot take, from the look-up of its name to the last byte of its answer."""
MAX_TEXT = 4096
"""Bytes that can be said at once."""
MAX_ANSWER = 256 * 1024
MAX_MESSAGES = 100
AT_ONCE = 8
"""So many may be waiting for bots at the same time."""

_TARGET = re.compile(r"/[!-~]{0,2000}")


class Unsent(Exception):
    """Why a message got no answer: an HTTP status, a code that the page has words for, and one plain sentence."""

    def __init__(self, status: int, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Channel:
    """Where a bot takes messages."""

    tls: bool
    host: str
    port: int
    target: str

    @property
    def name(self) -> str:
        """Host and port as a ``Host`` header has them."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def channel_of(about: Mapping[str, Any]) -> Channel | None:
    """The channel that a session names; ``None`` if it names none or is not a bot's own session.

    Raises ``Unsent`` for an address that is none.
    """
    meta = about.get("meta")
    url = meta.get("reply_url") if type(meta) is dict else None
    if type(url) is not str or not url or about.get("origin", "probe") != "probe":
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
        parts = urlsplit("")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if parts.scheme not in ("http", "https") or "@" in parts.netloc or port == 0:
        host = ""
    if not is_host(host) or not _TARGET.fullmatch(target):
        raise Unsent(
            422,
            "address",
            "The bot's reply address can't be used; it has to be like http://127.0.0.1:5005/webhooks/rest/webhook.",
        )
    tls = parts.scheme == "https"
    return Channel(tls, host.lower(), port or (443 if tls else 80), target)


class Replies:
    """The endpoint. ``hosts`` are names beyond this machine that bots may name."""

    def __init__(self, pipeline: Pipeline, hosts: Collection[str] = ()) -> None:
        self._pipeline = pipeline
        self._hosts = frozenset(host.lower() for host in hosts)
        self._waiting = 0

    def routes(self) -> list[Route]:
        """The one path."""
        return [Route("/api/sessions/{key}/reply", self.say, methods=["POST"])]

    async def say(self, request: Request) -> Response:
        """``{"text": ...}`` to the bot of the session; ``{"answers": [text, ...]}`` is what it said.

        What goes wrong is ``{"error": sentence, "code": which}``.
        """
        try:
            return as_json({"answers": await self._say(request)})
        except Unsent as why:
            return as_json({"error": why.sentence, "code": why.code}, why.status)

    async def _say(self, request: Request) -> list[str]:
        said = await json_object(request)
        text = said.get("text")
        if set(said) != {"text"} or type(text) is not str or not text.strip():
            raise BadInput("body", 'an object with "text", which says something', "something else")
        if len(text.encode()) > MAX_TEXT:
            raise Unsent(413, "long", f"A message may have at most {MAX_TEXT:,} bytes.")
        live = await self._pipeline.open(session_key(request))
        map = live.session.map
        channel = None if live.session.recording.read_only else channel_of(map.about)
        if channel is None:
            raise Unsent(404, "none", "The bot of this session names no reply address.")
        if PSEUDONYM_IN_ID.search(map.session):
            raise Unsent(409, "masked", "The bot knows this session by an id that was masked, and would begin another.")
        if self._waiting >= AT_ONCE:
            raise Unsent(503, "busy", "Too many messages are waiting for an answer; try again in a moment.")
        self._waiting += 1
        try:
            return await _unless_gone(request, self._send(channel, map.session, text))
        finally:
            self._waiting -= 1

    async def _send(self, channel: Channel, session: str, text: str) -> list[str]:
        body = orjson.dumps({"sender": session, "message": text})
        try:
            async with asyncio.timeout(SECONDS):
                return _texts(await _post(channel, await self._addresses(channel), body))
        except TimeoutError:
            raise Unsent(504, "slow", f"The bot at {channel.name} did not answer within {SECONDS:.0f} s.") from None
        except ssl.SSLError:
            raise Unsent(502, "tls", f"The bot at {channel.name} can't be reached by TLS.") from None
        except (OSError, EOFError):
            raise Unsent(502, "away", f"The bot at {channel.name} does not answer; is it running?") from None

    async def _addresses(self, channel: Channel) -> list[str]:
        """What the host resolves to, and may be called: the very addresses that are then connected to."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(channel.host, channel.port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        if channel.host not in self._hosts and not all(_is_here(address) for address in addresses):
            raise Unsent(
                403,
                "elsewhere",
                f"The bot's reply address names {channel.host}, which is not this machine; "
                f"`lingbot-map serve --reply-host {channel.host}` would allow it.",
            )
        return addresses


def _is_here(address: str) -> bool:
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


async def _post(channel: Channel, addresses: list[str], body: bytes) -> bytes:
    """The body of the answer. Raises ``OSError``, ``EOFError`` or ``Unsent``."""
    reader, writer = await _connect(channel, addresses)
    try:
        writer.write(
            b"POST %b HTTP/1.1\r\nhost: %b\r\nuser-agent: lingbot-map\r\naccept: application/json\r\n"
            b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%b"
            % (channel.target.encode(), channel.name.encode(), len(body), body)
        )
        await writer.drain()
        return await _read(channel, reader)
    finally:
        writer.close()


async def _connect(channel: Channel, addresses: list[str]) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    trouble: OSError = ConnectionRefusedError()
    for address in addresses:
        try:
            if channel.tls:
                context = ssl.create_default_context()
                return await asyncio.open_connection(address, channel.port, ssl=context, server_hostname=channel.host)
            return await asyncio.open_connection(address, channel.port)
        except OSError as why:
            trouble = why
    raise trouble


class _Heard:
    """What the parser found so far."""

    def __init__(self) -> None:
        self.body = bytearray()
        self.headed = self.complete = False

    def on_headers_complete(self) -> None:
        self.headed = True

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        self.complete = True


async def _read(channel: Channel, reader: asyncio.StreamReader) -> bytes:
    heard = _Heard()
    parser = httptools.HttpResponseParser(heard)
    taken = 0
    while not heard.complete:
        data = await reader.read(65536)
        if not data:
            if not heard.headed:
                raise EOFError
            break  # an answer without a length ends with the connection
        taken += len(data)
        if taken > MAX_ANSWER:
            raise Unsent(502, "large", f"The bot at {channel.name} answered with more than {MAX_ANSWER:,} bytes.")
        try:
            parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            raise Unsent(502, "garbled", f"What the bot at {channel.name} answered is not HTTP.") from None
    status = parser.get_status_code()
    if 300 <= status < 400:
        raise Unsent(502, "redirect", f"The bot at {channel.name} sends elsewhere ({status}), which is not followed.")
    if not 200 <= status < 300:
        raise Unsent(502, "refused", f"The bot at {channel.name} refused the message ({status}).")
    return bytes(heard.body)


def _texts(body: bytes) -> list[str]:
    """The texts in ``[{"text": ...}, ...]``; what is no text (a picture, buttons) is left out."""
    try:
        said: Any = orjson.loads(body)
    except orjson.JSONDecodeError:
        said = None
    if type(said) is not list:
        raise Unsent(502, "odd", "The bot took the message, but its answer is not a list of messages.")
    texts = [item.get("text") for item in said[:MAX_MESSAGES] if type(item) is dict]
    return [text for text in texts if type(text) is str]


async def _unless_gone(request: Request, work: Coroutine[Any, Any, list[str]]) -> list[str]:
    """What ``work`` returns; it is broken off when whoever asked has gone."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Unsent(499, "gone", "The page has gone.")
        return task.result()
    finally:
        for each in (task, gone):
            each.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await each
