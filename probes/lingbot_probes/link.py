"""The way to a map server over HTTP, one of the sinks that a sender can have.

HTTP is spoken over a plain socket. ``http.client`` reads through a buffered file, whose lock a fork can leave locked
for ever in the child, and importing it costs the bot 35 ms; a socket has neither lock nor price.
"""

from __future__ import annotations

import os
import stat
from time import monotonic

from lingbot_probes import trouble
from lingbot_probes.options import a_token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket
    from typing import Any

DEFAULT = f"http://127.0.0.1:{trouble.PORT}"
CONNECT = 2.0  # seconds
ANSWER = 5.0  # seconds; a server that recovers a big recording answers 503 at once, it doesn't hold the line
LONGEST = 4 << 20  # bytes of an answer
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_IN_IPV6 = frozenset("0123456789abcdefABCDEF:.")
_IN_HOST = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_")


class NotTaken(Exception):
    """A batch was not taken. ``wait``: at least so many seconds until it is worth another try; ``spoiled``: the server
    found fault with the batch itself, the same bytes must not come again; ``unsure``: it went out and no answer came,
    so it may have been taken after all."""

    def __init__(self, why: str, *, wait: float = 0.0, spoiled: bool = False, unsure: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.wait = wait
        self.spoiled = spoiled
        self.unsure = unsure


class Endpoint:
    """``http(s)://host[:port][/base][#t=TOKEN]``. Raises ``ValueError``: what is wrong, what to do."""

    def __init__(self, url: str) -> None:
        address, _, fragment = url.strip().partition("#")
        scheme, found, rest = address.partition("://")
        scheme = scheme.lower()
        authority, _, path = rest.partition("/")
        if scheme not in ("http", "https") or not found:
            raise _unusable(url, "http:// or https:// at its beginning")
        if "?" in rest or "@" in authority or "\\" in rest:
            raise _unusable(url, "http(s)://host[:port][/path] and nothing else")
        if not path.isascii() or not path.isprintable() or " " in path:
            raise _unusable(url, "a path of ASCII without blanks")
        self.secure = scheme == "https"
        self.host, port = _host_and_port(url, authority)
        if port and not (port.isascii() and port.isdigit() and len(port) <= 5 and 0 < int(port) < 65_536):
            raise _unusable(url, f"a port from 1 to 65535, not {port[:20]!r}")
        self.port = int(port) if port else 443 if self.secure else 80
        self.path = f"/{path.strip('/')}/ingest" if path.strip("/") else "/ingest"
        self.token = a_token(fragment.removeprefix("t="), "endpoint #t=") if fragment.startswith("t=") else ""
        self.local = self.host in _LOOPBACK

    def __str__(self) -> str:
        """The address without its token."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}{self.path.removesuffix('/ingest')}"


def _host_and_port(url: str, authority: str) -> tuple[str, str]:
    if authority.startswith("["):
        host, closed, rest = authority[1:].partition("]")
        if not closed or ":" not in host or not set(host) <= _IN_IPV6:
            raise _unusable(url, "an IPv6 address between [ and ]")
        if rest and not rest.startswith(":"):
            raise _unusable(url, "a port after ]")
        return host, rest[1:]
    host, _, port = authority.partition(":")
    if ":" in port:
        raise _unusable(url, "an IPv6 address between [ and ]")
    if not host or not set(host) <= _IN_HOST:
        raise _unusable(url, "a host of ASCII letters, digits, dots and hyphens")
    return host, port


def _unusable(url: str, expected: str) -> ValueError:
    shown = url.strip().partition("#")[0]  # neither the token nor a password is for a log
    head, at, tail = shown.rpartition("@")
    shown = f"{head.partition('://')[0]}://…@{tail}" if at else shown
    remedy = f"give the address that the map server prints, like {DEFAULT}"
    return ValueError(f"endpoint: expected {expected}, found {shown[:80]!r}; {remedy}")


class Nowhere:
    """A sink that takes nothing, for a bot whose environment names no map server that could be used."""

    def __init__(self, why: str) -> None:
        self.why = why

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Never succeeds."""
        raise NotTaken(self.why, wait=60.0)


def destination(sink: object) -> str:
    """Where a sink's batches go: a map server's address without its token, another sink's class, or ""."""
    if isinstance(sink, Nowhere):
        return ""
    return str(sink.endpoint) if isinstance(sink, Link) else f"{type(sink).__name__} in this process"


def local_token(port: int) -> str:
    """The token that a map server of ours on this machine has left for us, "" if there is none we may trust.

    The file must be a regular one, belong to us and be closed to everybody else: another user's file could make us
    send the bot's dialogues to another user's server.
    """
    import tempfile

    try:
        temporary = tempfile.gettempdir()
    except OSError:  # there is none
        temporary = ""
    for folder in (os.environ.get("XDG_RUNTIME_DIR"), temporary):
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
        self.end: float | None = None  # of the process, by the monotonic clock, when it is near
        self._given = token or endpoint.token
        self._token = ""
        self._socket: socket | None = None
        self._found: list[tuple[Any, Any]] = []  # where the endpoint's name led to the last time

    def prepare(self) -> None:
        """Load and ask for what the work needs, so that no lock of a module is held in the middle of it.

        Nobody forks meanwhile.
        """
        import json  # noqa: F401
        import socket  # noqa: F401

        if self.endpoint.secure:
            import ssl  # noqa: F401
        if self.endpoint.local and not self._given:
            import tempfile

            try:
                tempfile.gettempdir()  # its first answer is found under a lock that a fork would leave locked
            except OSError:
                return  # ``local_token`` does without

    def _within(self) -> float:
        """Seconds that an answer may take. ``TimeoutError`` if there is no time left for one."""
        if self.end is None:
            return ANSWER
        left = self.end - monotonic()
        if left <= 0:
            raise TimeoutError("the process ends")
        return left

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The server's answer to the batch. Raises ``NotTaken``; then nothing is known about the batch."""
        import json

        body = json.dumps(batch, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        kept = self._socket is not None
        try:
            status, data = self._post(body)
        except (OSError, ValueError) as error:
            unsure = self._socket is not None
            self.close()
            if not kept or isinstance(error, TimeoutError):
                raise NotTaken(trouble.sentence(self.endpoint, error), unsure=unsure) from None
            try:  # the server closed a connection that had been idle; a repeated batch does no harm
                status, data = self._post(body)
            except (OSError, ValueError) as again:
                self.close()
                raise NotTaken(trouble.sentence(self.endpoint, again), unsure=True) from None
        if status != 200:
            self.close()
            raise _refusal(self.endpoint, status)
        try:
            answer = json.loads(data)
        except ValueError:
            answer = None
        if type(answer) is not dict or type(answer.get("server")) is not str:
            self.close()
            raise NotTaken(f"{self.endpoint}: {trouble.stranger()}", wait=5.0)
        return answer

    def _post(self, body: bytes) -> tuple[int, bytes]:
        connection = self._socket
        if connection is None:
            connection = self._socket = self._connected()
            self._token = self._given or (local_token(self.endpoint.port) if self.endpoint.local else "")
        within = self._within()
        connection.settimeout(within)
        to = self.endpoint
        host = f"[{to.host}]" if ":" in to.host else to.host
        lines = [
            f"POST {to.path} HTTP/1.1", f"Host: {host}:{to.port}", "Content-Type: application/json",
            f"Content-Length: {len(body)}",
        ]  # fmt: skip
        if self._token:
            lines.append(f"Authorization: Bearer {self._token}")
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body)
        status, data, stays = _answer(Reading(connection, monotonic() + within))
        if not stays:
            self.close()
        return status, data

    def _connected(self) -> socket:
        known = _spelt_out(self.endpoint)
        if not known:
            if self.end is None:
                known = self._found = _asked(self.endpoint)
            else:  # a resolver takes the time that it wants
                known = self._found
        within = self._within()
        return _connect(self.endpoint, known, min(CONNECT, within if self.end is None else within / 2))

    def close(self) -> None:
        connection, self._socket = self._socket, None
        if connection is not None:
            connection.close()

    def forked(self) -> None:
        """In a child: let go of the parent's connection without a word on it."""
        connection, self._socket = self._socket, None
        if connection is not None:
            handle = connection.detach()
            if handle >= 0:
                os.close(handle)


def _spelt_out(to: Endpoint) -> list[tuple[Any, Any]]:
    """(family, address) of a host that is spelt out: a resolver's lock can be left locked by a fork as well."""
    import socket

    if to.host == "localhost":
        return [(socket.AF_INET, ("127.0.0.1", to.port)), (socket.AF_INET6, ("::1", to.port))]
    if to.local or to.host.replace(".", "").isdigit() or ":" in to.host:
        return [(socket.AF_INET6 if ":" in to.host else socket.AF_INET, (to.host, to.port))]
    return []


def _asked(to: Endpoint) -> list[tuple[Any, Any]]:
    """The same of a name."""
    import socket

    found = socket.getaddrinfo(to.host, to.port, type=socket.SOCK_STREAM)
    return [(family, address[:2]) for family, _, _, _, address in found]


def _connect(to: Endpoint, known: list[tuple[Any, Any]], within: float) -> socket:
    import socket

    error: OSError = OSError("no address is known")
    for family, address in known:
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.settimeout(within)
            connection.connect(address)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if to.secure:
                import ssl

                return ssl.create_default_context().wrap_socket(connection, server_hostname=to.host)
            return connection
        except OSError as failed:
            connection.close()
            error = failed
    raise error


class Reading:
    """An answer as it comes: whole at ``deadline``, or not at all. A server that lets it drip holds up nobody."""

    def __init__(self, connection: socket, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline
        self._data = bytearray()
        self._length = 0

    def until(self, mark: bytes) -> bytes:
        """What comes before ``mark``, which is taken away with it."""
        searched = 0
        while (end := self._data.find(mark, searched)) < 0:
            searched = max(len(self._data) - len(mark) + 1, 0)
            self._more()
        found = self.exactly(end)
        del self._data[: len(mark)]
        return found

    def exactly(self, size: int) -> bytes:
        """So many bytes."""
        if size < 0:
            raise ValueError("a negative length")
        while len(self._data) < size:
            self._more()
        found = bytes(self._data[:size])
        del self._data[:size]
        return found

    def rest(self) -> bytes:
        """All that comes until the server closes."""
        while True:
            try:
                self._more()
            except ConnectionError:
                return bytes(self._data)

    def _more(self) -> None:
        left = self._deadline - monotonic()
        if left <= 0:
            raise TimeoutError("the answer took too long")
        if self._length > LONGEST:
            raise ValueError("an answer without an end")
        self._connection.settimeout(left)
        more = self._connection.recv(65_536)
        if not more:
            raise ConnectionResetError("the server closed the connection")
        self._data += more
        self._length += len(more)


def _answer(reading: Reading) -> tuple[int, bytes, bool]:
    """Status, body, and whether the connection stays open. ``ValueError`` for what is no HTTP."""
    first, *lines = reading.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
    version, status, *_ = first.split(" ", 2)
    if not version.startswith("HTTP/1."):
        raise ValueError("no HTTP")
    headers = {}
    for line in lines:
        field, _, value = line.partition(":")
        headers[field.strip().lower()] = value.strip().lower()
    stays = version == "HTTP/1.1" and headers.get("connection") != "close"
    if headers.get("transfer-encoding") == "chunked":
        return int(status), _chunks(reading), stays
    if "content-length" in headers:
        return int(status), reading.exactly(int(headers["content-length"])), stays
    return int(status), reading.rest(), False


def _chunks(reading: Reading) -> bytes:
    body = b""
    while True:
        size = int(reading.until(b"\r\n").split(b";")[0], 16)
        body += reading.exactly(size)
        reading.until(b"\r\n")
        if size == 0:
            return body


def _refusal(to: Endpoint, status: int) -> NotTaken:
    why = trouble.refusal(to, status)
    if status in (401, 403):  # it may be started again with our token, or leave us its own
        return NotTaken(why, wait=2.0)
    if status in (400, 413, 422):
        return NotTaken(why, spoiled=True)
    if status in (429, 503):
        return NotTaken(why, wait=0.2)
    # A server that failed may have done so after it had written.
    return NotTaken(why, wait=0.5 if status >= 500 else 5.0, unsure=status >= 500)
