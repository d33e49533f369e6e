"""``/healthz`` from the first moment: the port is bound and answered for while the server's parts are still loading.

Importing starlette, uvicorn and what they bring takes 0.5 to 1.5 s on a loaded machine. Whoever started the map
(a supervisor, a container) asks meanwhile, and a refused connection looks like a map that is dead. Standard library
alone, and little of it: this is loaded before anything else.

Only what is beyond doubt is answered here: a whole ``GET /healthz`` with a plain ``Host`` of this map. Any other
connection is kept unread and handed to the server with the listening socket, so its gate decides and nobody is refused.
"""

from __future__ import annotations

import selectors
import socket
import threading
from collections.abc import Sequence
from contextlib import suppress

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8700
"""As ``serve`` has them."""
MOST_KEPT = 256
"""Connections kept for the server; later ones wait in the system's own queue."""
_BACKLOG = 2048
_LONGEST_HEAD = 4096
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_WITH_VALUE = frozenset({"--data", "--fsync", "--keep", "--public-url", "--reply-host", "--host", "--port"})
_ADDRESS = frozenset("0123456789abcdefABCDEF.:")
_ANYWHERE = frozenset({"--allow-remote", "--insecure-remote"})
_JUDGED = frozenset({b"origin", b"sec-fetch-site", b"content-length", b"transfer-encoding", b"upgrade", b"expect"})
"""Headers of which only the gate can judge, and those that announce more than a head."""
_RECOVERING = b'{"status":"recovering"}'
_ANSWER = (
    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n"
    b"cache-control: no-store\r\nx-content-type-options: nosniff\r\n\r\n%b" % (len(_RECOVERING), _RECOVERING)
)


class Doorstep:
    """Answers on ``listener`` from a thread until ``leave`` is called."""

    def __init__(self, host: str, listener: socket.socket) -> None:
        self.host = host
        self.listener = listener
        self._port = listener.getsockname()[1]
        named = f"[{host}]" if ":" in host else host
        names = {"127.0.0.1", "localhost", "[::1]", named} - {"0.0.0.0", "[::]"}
        self._hosts = {f"{name}:{self._port}".encode() for name in names}
        self._kept: list[socket.socket] = []
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        listener.setblocking(False)
        self._selector.register(listener, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._answer, name="lingbot-map doorstep", daemon=True)
        self._thread.start()

    def leave(self) -> list[socket.socket]:
        """Stop answering. What comes back are the connections that nobody has read from; a second call has none."""
        if self._thread.is_alive():
            self._wake.send(b".")
            self._thread.join()
        kept, self._kept = self._kept, []
        return kept

    def close(self) -> None:
        """Stop answering and give the port back."""
        for connection in self.leave():
            connection.close()
        self.listener.close()

    def _answer(self) -> None:
        leaving = False
        while not leaving:
            for key, _ in self._selector.select():
                if key.fileobj is self._woken:
                    leaving = True
                elif key.fileobj is self.listener:
                    self._accept()
                else:
                    self._look(key.fileobj)  # type: ignore[arg-type]
        for key in list(self._selector.get_map().values()):
            if key.fileobj not in (self._woken, self.listener):
                self._kept.append(key.fileobj)  # type: ignore[arg-type]
        self._selector.close()
        self._wake.close()
        self._woken.close()

    def _accept(self) -> None:
        try:
            connection, _ = self.listener.accept()
        except OSError:  # it left again, or there are no descriptors for it: the server will see
            return
        connection.setblocking(False)
        self._selector.register(connection, selectors.EVENT_READ)
        if len(self._selector.get_map()) + len(self._kept) >= MOST_KEPT:
            self._selector.unregister(self.listener)

    def _look(self, connection: socket.socket) -> None:
        self._selector.unregister(connection)
        try:
            head = connection.recv(_LONGEST_HEAD, socket.MSG_PEEK)
        except OSError:
            connection.close()
            return
        if not self._is_plain(head):
            self._kept.append(connection)
            return
        with connection, suppress(OSError):
            connection.recv(len(head))  # else closing would reset it, and the answer be lost
            connection.sendall(_ANSWER)
            connection.shutdown(socket.SHUT_WR)

    def _is_plain(self, head: bytes) -> bool:
        request, *lines = head.split(b"\r\n")
        if request != b"GET /healthz HTTP/1.1" or lines[-2:] != [b"", b""] or b"" in lines[:-2]:
            return False
        hosts = []
        for line in lines[:-2]:
            name, colon, value = line.partition(b":")
            if not colon or name.lower() in _JUDGED:
                return False
            if name.lower() == b"host":
                hosts.append(value.strip())
        return len(hosts) == 1 and hosts[0] in self._hosts


_opened: Doorstep | None = None


def open_for(arguments: Sequence[str]) -> None:
    """Begin to answer if ``arguments`` are those of a ``serve`` that will listen on a port we can tell already.

    Whatever is unusual in them (an unknown option, a port that is taken, TLS) leaves all to the command itself,
    which says what is wrong as it always does.
    """
    global _opened
    place = place_of(arguments)
    if place is None:
        return
    host, port = place
    with suppress(OSError):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # said to be TCP, as `Address` does
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            raise
        _opened = Doorstep(host, listener)


def taken(host: str, port: int) -> Doorstep | None:
    """The doorstep at that place, from now on the caller's to leave; one at any other place is closed."""
    global _opened
    doorstep, _opened = _opened, None
    if doorstep is None or (doorstep.host, doorstep.listener.getsockname()[1]) == (host, port):
        return doorstep
    doorstep.close()
    return None


def place_of(arguments: Sequence[str]) -> tuple[str, int] | None:
    """(host, port) on which these arguments will serve without TLS; ``None`` wherever that is not plain.

    Port 0 is not: nobody can ask at a port that only we know.
    """
    if not arguments or arguments[0] != "serve":
        return None
    host, port, flags = DEFAULT_HOST, str(DEFAULT_PORT), set()
    rest = iter(arguments[1:])
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name in _ANYWHERE and not equals:
            flags.add(name)
            continue
        if name not in _WITH_VALUE:
            return None
        given = value if equals else next(rest, None)
        if given is None:
            return None
        host, port = (given if name == "--host" else host), (given if name == "--port" else port)
    if host not in _LOOPBACK and (flags != _ANYWHERE or set(host) - _ADDRESS):  # a name may take long to look up
        return None
    if not (port.isascii() and port.isdigit() and len(port) <= 5 and 0 < int(port) <= 65535):
        return None
    return host, int(port)
