"""The way to a map server over HTTP, one of the sinks that a sender can have.

Loads ``http.client`` and its kin when it is first used, never when the probe is imported.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from http.client import HTTPConnection, HTTPResponse
    from typing import Any

DEFAULT = "http://127.0.0.1:8700"
CONNECT = 2.0  # seconds
ANSWER = 5.0  # seconds; a server that recovers a big recording answers 503 at once, it doesn't hold the line
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class NotTaken(Exception):
    """A batch was not taken. ``wait``: at least so many seconds until it is worth another try; ``spoiled``: the server
    found fault with the batch itself, the same bytes must not come again."""

    def __init__(self, why: str, *, wait: float = 0.0, spoiled: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.wait = wait
        self.spoiled = spoiled


class Endpoint:
    """``http(s)://host[:port][/base][#t=TOKEN]``. Raises ``ValueError`` that says what is wrong with it."""

    def __init__(self, url: str) -> None:
        address, _, fragment = url.strip().partition("#")
        scheme, found, rest = address.partition("://")
        authority, _, path = rest.partition("/")
        host, port = authority, ""
        if authority.startswith("["):
            host, _, port = authority[1:].partition("]")
            port = port.removeprefix(":")
        elif ":" in authority:
            host, _, port = authority.rpartition(":")
        if scheme not in ("http", "https") or not found or not host or "@" in authority or "?" in path:
            raise ValueError(f"endpoint: expected http(s)://host[:port][/path], found {url[:80]!r}")
        if port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65_536):
            raise ValueError(f"endpoint: expected a port from 1 to 65535, found {port[:20]!r}")
        self.secure = scheme == "https"
        self.host = host
        self.port = int(port) if port else 443 if self.secure else 80
        self.path = f"/{path.strip('/')}/ingest" if path.strip("/") else "/ingest"
        self.token = fragment.removeprefix("t=") if fragment.startswith("t=") else ""
        self.local = host in _LOOPBACK


def local_token(port: int) -> str:
    """The token that a map server of ours on this machine has left for us, "" if there is none we may trust.

    The file must be a regular one, belong to us and be closed to everybody else: another user's file could make us
    send the bot's dialogues to another user's server.
    """
    import tempfile

    for folder in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir()):
        if not folder or not hasattr(os, "getuid"):
            continue
        path = os.path.join(folder, f"lingbot-map-{os.getuid()}", f"{port}.token")
        try:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            continue
        try:
            found = os.fstat(handle)
            if stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
                return os.read(handle, 4_096).decode("ascii", "ignore").strip()
        except OSError:
            continue
        finally:
            os.close(handle)
    return ""


class Link:
    """A kept-alive connection to a map server's ``/ingest``. Used by one thread at a time."""

    def __init__(self, endpoint: Endpoint, token: str = "") -> None:
        self.endpoint = endpoint
        self._given = token or endpoint.token
        self._token = ""
        self._connection: HTTPConnection | None = None
        self.within = ANSWER  # seconds for an answer; less when the process is about to end

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The server's answer to the batch. Raises ``NotTaken``; then nothing is known about the batch."""
        import http.client
        import json

        body = json.dumps(batch, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        kept = self._connection is not None
        try:
            response, data = self._post(body)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if not kept:
                raise NotTaken(f"{type(error).__name__}: {error}") from None
            try:  # the server closed a connection that had been idle; a repeated batch does no harm
                response, data = self._post(body)
            except (OSError, http.client.HTTPException) as again:
                self.close()
                raise NotTaken(f"{type(again).__name__}: {again}") from None
        if response.status != 200:
            self.close()
            raise _refusal(response)
        try:
            answer = json.loads(data)
        except ValueError:
            answer = None
        if type(answer) is not dict or type(answer.get("server")) is not str:
            self.close()
            raise NotTaken(f"what answers at port {self.endpoint.port} is no map server", wait=5.0)
        return answer

    def _post(self, body: bytes) -> tuple[HTTPResponse, bytes]:
        import http.client

        connection = self._connection
        if connection is None:
            to = self.endpoint
            kind = http.client.HTTPSConnection if to.secure else http.client.HTTPConnection
            connection = kind(to.host, to.port, timeout=min(CONNECT, self.within))
            connection.connect()
            self._connection = connection
            self._token = self._given or (local_token(to.port) if to.local else "")
        connection.sock.settimeout(self.within)
        headers = {"Content-Type": "application/json"}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        connection.request("POST", self.endpoint.path, body, headers)
        response = connection.getresponse()
        return response, response.read(4 << 20)

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _refusal(response: HTTPResponse) -> NotTaken:
    status = response.status
    if status in (401, 403):  # it may be started again with our token, or leave us its own
        return NotTaken(f"the map server answered {status}: is the token right?", wait=2.0)
    if status in (400, 413, 422):
        return NotTaken(f"the map server answered {status}", spoiled=True)
    if status == 503 or status == 429:
        return NotTaken(f"the map server is busy ({status})", wait=0.2)
    return NotTaken(f"the map server answered {status}", wait=0.5 if status >= 500 else 5.0)
