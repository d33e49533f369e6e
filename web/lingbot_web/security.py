"""The gate: one ASGI middleware that HTTP and WebSocket pass before anything is routed.

A page that somebody visits in the same browser must not reach the map, by no name and through no protocol. So a
request needs an exact ``Host`` (a rebound name is refused), an exact ``Origin`` where it has one, a
``Sec-Fetch-Site`` that is not foreign, and the token. Open are only ``/``, ``/static/`` and ``/healthz``, which say
nothing. Headers are compared as bytes and never decoded: nothing in here can raise because of what a header holds.
"""

from __future__ import annotations

import hmac
import ipaddress
import logging
import re
import secrets
import traceback
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlsplit

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lingbot_map.errors import BadInput

MAX_HEADERS = 100
MAX_HEADER_BYTES = 16 * 1024
MAX_INGEST = 1024 * 1024
MAX_IMPORT = 256 * 1024 * 1024
MAX_TRACES = 20 * 1024 * 1024
"""Of a request with spans, packed or not: as the OpenTelemetry collector's receiver. A batch of 512 spans with prompts
is several MiB, and an exporter drops all of one that is refused."""
MAX_ASKED = 1024 * 1024
"""Of a question, which may bring a diagram along, and of a design."""
MAX_BODY = 64 * 1024

TRACES = "/v1/traces"
"""Where OTLP comes in: the one path where a body may be compressed and the token may come as a password."""

_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE"})
_ASKED = dict.fromkeys(("/api/ask", "/api/ask/examples", "/api/ask/item", "/api/design"), MAX_ASKED)
_BODY_LIMITS = {"/ingest": MAX_INGEST, TRACES: MAX_TRACES, "/api/import": MAX_IMPORT, **_ASKED}
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

_NAME = re.compile(r"(?=.{1,253}$)[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?")
"""A host name of labels: the codec of look-ups raises for an empty label and for one of 64 characters."""

_log = logging.getLogger("lingbot_web")


def is_host(text: str) -> bool:
    """Whether ``text`` is an address, or a name that a look-up can be asked for."""
    if ":" not in text:
        return _NAME.fullmatch(text) is not None
    try:
        return ipaddress.ip_address(text).version == 6 and "%" not in text
    except ValueError:
        return False


def new_token() -> str:
    """256 random bits, safe in a URL; a new one at each start."""
    return secrets.token_urlsafe(32)


@dataclass(frozen=True, slots=True)
class Door:
    """Who may come in: exact ``hosts`` (with port), exact ``origins`` and the ``token``, all as bytes."""

    token: bytes
    hosts: frozenset[bytes]
    origins: frozenset[bytes]


def door(token: str, port: int, *, host: str = "127.0.0.1", tls: bool = False, public_urls: Iterable[str] = ()) -> Door:
    """The door of a server on ``host``:``port``; ``public_urls`` are addresses at which a proxy shows it.

    Raises ``BadInput`` for a public URL that is none.
    """
    scheme, default_port = ("https", 443) if tls else ("http", 80)
    names = {*_LOOPBACK, f"[{host}]" if ":" in host and not host.startswith("[") else host} - {"0.0.0.0", "[::]"}
    hosts = {f"{name}:{port}" for name in names}
    if port == default_port:  # a browser leaves the default port out
        hosts |= names
    origins = {f"{scheme}://{name}" for name in hosts}
    for url in public_urls:
        try:
            parts = urlsplit(url)
            good = parts.scheme in ("http", "https") and is_host(parts.hostname or "") and parts.port != 0
        except ValueError:  # half a bracket, a port beyond 65,535
            good = False
        if not good or "@" in parts.netloc:
            raise BadInput("--public-url", "an address such as https://map.example.org/", url)
        hosts.add(parts.netloc)
        origins.add(f"{parts.scheme}://{parts.netloc}")
    return Door(token.encode(), frozenset(h.encode() for h in hosts), frozenset(o.encode() for o in origins))


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request doesn't get in: an HTTP status and one plain sentence."""

    status: int
    sentence: str


def presented_token(headers: Iterable[tuple[bytes, bytes]], *, websocket: bool, password: bool = False) -> bytes:
    """The token that the request shows (``Authorization: Bearer``, or a subprotocol ``token.X``); empty if none.

    With ``password`` also as that of ``Basic``: what HTTP clients make of ``http://any:TOKEN@host/``.
    """
    for name, value in headers:
        if name == b"authorization":
            if value[:7].lower() == b"bearer ":
                return value[7:].strip()
            if password and value[:6].lower() == b"basic ":
                return _password(value[6:].strip())
    if websocket:
        for name, value in headers:
            if name == b"sec-websocket-protocol":
                for offer in value.split(b","):
                    if offer.strip().startswith(b"token."):
                        return offer.strip()[6:]
    return b""


def _password(encoded: bytes) -> bytes:
    try:
        return b64decode(encoded, validate=True).partition(b":")[2]
    except ValueError:
        return b""


def examine(door: Door, scope: Scope) -> Refusal | None:
    """``None`` if the request may pass. Looks at the head only; ``scope`` is of type http or websocket."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    if len(headers) > MAX_HEADERS or sum(len(name) + len(value) for name, value in headers) > MAX_HEADER_BYTES:
        return Refusal(431, f"The request has more than {MAX_HEADERS} headers or 16 KiB of them.")
    seen: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        seen.setdefault(name, []).append(value)
    hosts = seen.get(b"host", [])
    if len(hosts) != 1:
        return Refusal(400, "A request needs exactly one Host header.")
    if hosts[0] not in door.hosts:
        return Refusal(403, "This Host is not an address of this map; open the address that it printed at start.")
    websocket = scope["type"] == "websocket"
    method = "GET" if websocket else scope["method"]
    path = route_path(scope)
    is_open = method in ("GET", "HEAD") and (path in ("/", "/healthz") or path.startswith("/static/"))
    origins = seen.get(b"origin", [])
    if origins and (len(origins) > 1 or origins[0] not in door.origins):
        return Refusal(403, "This Origin may not use the map.")
    site = seen.get(b"sec-fetch-site", [])
    if any(value not in (b"same-origin", b"none") for value in site) and not _is_visit(path, method, seen):
        return Refusal(403, "Another site may not use the map.")
    if method not in _METHODS:
        return Refusal(405, "The map answers GET, POST and DELETE only.")
    if is_open and not websocket:
        return None
    shown = presented_token(headers, websocket=websocket, password=path == TRACES)
    if not hmac.compare_digest(shown, door.token):
        return Refusal(401, "The token is missing or wrong; open the address that the map printed at start.")
    return None


def _is_visit(path: str, method: str, seen: dict[bytes, list[bytes]]) -> bool:
    """Following a link to the page from elsewhere is no use of the map: the page holds no token and can't be framed."""
    return (
        path == "/"
        and method == "GET"
        and seen.get(b"sec-fetch-mode") == [b"navigate"]
        and seen.get(b"sec-fetch-dest") == [b"document"]
    )


def route_path(scope: Scope) -> str:
    """The path below the place where the app is mounted."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    return path[len(root) :] if root and (path == root or path.startswith(root + "/")) else path


_ALWAYS: tuple[tuple[bytes, bytes], ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
)
_LEAVE = ((b"connection", b"close"),)
"""Said where a body was not read: what follows on the connection is the rest of it, and no request."""
_UNLESS_SAID: tuple[tuple[bytes, bytes], ...] = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)


def page_policy(nonce: str, door: Door) -> str:
    """The content security policy of the page: its own files, its own server, no markup made from text."""
    # 'self' means sockets too in today's browsers; for older ones they are named (IPv6 can't be, in any of them).
    named = (origin.decode() for origin in door.origins if b"[" not in origin)
    sockets = " ".join(sorted(origin.replace("http", "ws", 1) for origin in named))
    return (
        f"default-src 'none'; script-src 'nonce-{nonce}' 'self'; style-src 'self'; img-src 'self' data:; "
        f"font-src 'self'; connect-src 'self' {sockets}; manifest-src 'self'; base-uri 'none'; object-src 'none'; "
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def file_policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
    """The policy that a page carries in itself when it is opened from disk: these texts run, nothing is fetched.

    What only a header may say (``frame-ancestors``) is left out.
    """
    return (
        f"default-src 'none'; script-src {_hashes(scripts)}; style-src {_hashes(styles)}; img-src data:; "
        "connect-src 'none'; base-uri 'none'; object-src 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hashes(texts: Iterable[str]) -> str:
    return " ".join(f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts)


class Gate:
    """Lets through what ``examine`` finds nothing against, bounds bodies, sets the headers that all answers carry."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app = app
        self.door = door
        self.refused = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = examine(self.door, scope)
        path = route_path(scope)
        limit = _BODY_LIMITS.get(path, MAX_BODY)
        if refusal is None and scope["type"] == "http":
            refusal = _examine_body(scope["headers"], scope["method"], limit, packed=path == TRACES)
        if refusal is not None:
            self.refused += 1
            await _refuse(scope, send, refusal, _unread(scope))
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        await self._answer(scope, _Bounded(receive, limit, unread=_unread(scope)), send)

    async def _answer(self, scope: Scope, receive: _Bounded, send: Send) -> None:
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = list(message.get("headers", []))
                said = {name for name, _ in headers}
                headers += _ALWAYS
                headers += [header for header in _UNLESS_SAID if header[0] not in said]
                headers += _LEAVE if receive.unread else ()
                message = {**message, "headers": headers}
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except ClientDisconnect:
            pass  # it left before it had said all: nobody is there to be answered
        except Exception as fault:
            # One line: where it was, never what came in; a traceback that a request can provoke would fill the log.
            _log.error("fault while answering: %s", one_line(fault))
            if not started:
                refusal = Refusal(500, "The map could not answer that; its log says more.")
                await _refuse(scope, send, refusal, receive.unread)


def one_line(fault: BaseException) -> str:
    """Type and place of a fault, without any text that came from outside."""
    frames = traceback.extract_tb(fault.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "nowhere"
    return f"{type(fault).__name__} at {place}"


def _examine_body(
    headers: list[tuple[bytes, bytes]], method: str, limit: int, *, packed: bool = False
) -> Refusal | None:
    if method not in ("POST", "DELETE"):
        return None
    for name, value in headers:
        if name == b"content-length" and (not value.isdigit() or len(value) > 15 or int(value) > limit):
            return Refusal(413, f"The body may have at most {limit:,} bytes.")
        if name == b"content-encoding" and value.lower() != b"identity" and not packed:
            return Refusal(415, "The body must not be compressed.")
    return None


class _Bounded:
    """A request's ``receive`` that takes at most ``limit`` bytes; ``unread``: there is a body, and not all is here."""

    def __init__(self, receive: Receive, limit: int, *, unread: bool) -> None:
        self.unread = unread
        self._receive = receive
        self._limit = limit
        self._taken = 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._taken += len(message.get("body", b""))
        if self._taken > self._limit:
            raise HTTPException(413, f"The body may have at most {self._limit:,} bytes.")
        self.unread = self.unread and bool(message.get("more_body"))
        return message


def _unread(scope: Scope) -> bool:
    """Whether a body follows the head."""
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0"))
        for name, value in scope["headers"]
    )


async def _refuse(scope: Scope, send: Send, refusal: Refusal, unread: bool) -> None:
    body = orjson.dumps({"error": refusal.sentence})
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        *_ALWAYS,
        *_UNLESS_SAID,
    ]
    if unread and scope["type"] == "http":
        headers += _LEAVE
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    kind = "http.response"
    if scope["type"] == "websocket":
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008})
            return
        kind = "websocket.http.response"
    await send({"type": f"{kind}.start", "status": refusal.status, "headers": headers})
    await send({"type": f"{kind}.body", "body": body})
