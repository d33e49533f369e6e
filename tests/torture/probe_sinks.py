"""What a probe may find where its map should be: nothing, silence, drops of an answer, errors, noise; and a real map.

Each is a context manager that gives an address; all on loopback.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from tests.torture.serving import served

_PAUSE = threading.Event()


def _url(listening: socket.socket) -> str:
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


@contextmanager
def refused() -> Iterator[str]:
    """Nobody listens, and nobody else gets the port meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield _url(taken)


@contextmanager
def hung() -> Iterator[str]:
    """The connection is made, then nothing ever comes."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:
        yield _url(listening)


@contextmanager
def answering(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """Each connection is read and answered in a thread of its own."""
    listening = socket.create_server(("127.0.0.1", 0), backlog=128)
    over = threading.Event()

    def read(connection: socket.socket) -> None:
        with connection:
            try:
                while not over.is_set() and connection.recv(1 << 20):
                    answer(connection)
            except OSError:
                return

    def accept() -> None:
        while not over.is_set():
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=read, args=(connection,), daemon=True).start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield _url(listening)
    finally:
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        accepting.join(5)


def _said(status: str) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(f"HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\n{{}}".encode())


def _drips(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while True:
        connection.sendall(b" ")
        _PAUSE.wait(0.05)


def _slowly(connection: socket.socket) -> None:
    _PAUSE.wait(0.3)
    _said("503 Service Unavailable")(connection)


@contextmanager
def serving(*, stopped: bool = False) -> Iterator[str]:
    """A map in a process of its own, with its token in the address; ``stopped`` by SIGSTOP."""
    with served() as map:
        if stopped:
            os.kill(map.pid, signal.SIGSTOP)
        yield f"http://127.0.0.1:{map.port}/#t={map.token}"


SINKS: dict[str, Callable[[], AbstractContextManager[str]]] = {
    "a map": serving,
    "a stopped map": lambda: serving(stopped=True),
    "nobody": refused,
    "silence": hung,
    "drops": lambda: answering(_drips),
    "a slow one": lambda: answering(_slowly),
    "a busy one": lambda: answering(_said("503 Service Unavailable")),
    "one that fails": lambda: answering(_said("500 Internal Server Error")),
    "one that finds fault": lambda: answering(_said("400 Bad Request")),
    "noise": lambda: answering(lambda connection: connection.sendall(b"\xff" * 1_000)),
}
