"""HTTP and WebSocket byte by byte; nothing tidies up what a driver sends: requests, frames, a client that errs."""

from __future__ import annotations

import json
import os
import re
import socket
import struct
import time
from base64 import b64encode
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from lingbot_map.store import key_of
from tests.torture.write import SESSION

Fields = Mapping[str, str | None]
"""Headers to send instead of the usual ones; None leaves one out."""
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
_WANTED = 1 << 20
"""So much of an answer is read at most."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; status 0 if nothing did."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    seconds: float = 0.0

    @property
    def refused(self) -> bool:
        return 400 <= self.status < 500


@dataclass(frozen=True, slots=True)
class Target:
    """A map on this machine and the token that it wants."""

    port: int
    token: str

    @property
    def netloc(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.netloc}"

    def connect(self, timeout: float) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def send(self, request: bytes, timeout: float = 5.0) -> Answer:
        """Send the bytes as they are and read until the map closes."""
        data, began = b"", time.monotonic()
        try:
            with self.connect(timeout) as wire:
                wire.settimeout(timeout)
                with suppress(ConnectionError):  # it closed while we were sending: its answer may be there all the same
                    wire.sendall(request)
                while len(data) < _WANTED and (piece := wire.recv(65536)):
                    data += piece
        except OSError:
            pass
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        status = re.match(r"HTTP/1\.[01] (\d{3})", lines[0])
        named = [line.partition(":") for line in lines[1:]]
        headers = {name.strip().lower(): value.strip() for name, _, value in named}
        return Answer(int(status[1]) if status else 0, headers, body, time.monotonic() - began)

    def head(self, method: str, path: str, fields: Fields, *, token: bool = True) -> bytes:
        """The head of a request, as somebody with or without the token sends it, but for ``fields``."""
        said: dict[str, str | None] = {"Host": self.netloc, "Connection": "close"}
        if token:
            said["Authorization"] = f"Bearer {self.token}"
        said |= fields
        lines = "".join(f"{name}: {value}\r\n" for name, value in said.items() if value is not None)
        return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode("utf-8", "surrogateescape")

    def ask(
        self,
        path: str,
        fields: Fields | None = None,
        *,
        method: str = "GET",
        body: bytes = b"",
        token: bool = True,
        timeout: float = 5.0,
    ) -> Answer:
        """A whole request."""
        said = dict(fields or {})
        if body:
            said.setdefault("Content-Length", str(len(body)))
        return self.send(self.head(method, path, said, token=token) + body, timeout)

    def healthy(self, within: float = 2.0) -> bool:
        """Whether the health path answers in time."""
        answer = self.ask("/healthz", token=False, timeout=within)
        return answer.status == 200 and answer.seconds <= within

    def handshake(self, path: str, fields: Fields | None = None, *, token: bool = True) -> bytes:
        """The request for a WebSocket, as the page sends it, but for ``fields``."""
        usual: dict[str, str | None] = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": b64encode(os.urandom(16)).decode(),
            "Origin": self.origin,
        }
        return self.head("GET", path, usual | dict(fields or {}), token=token)


def place(epoch: str = "", after: int | str | None = None, session: str = SESSION) -> str:
    """The path of a session, the drivers' own unless told, for somebody who stands there."""
    where = f"/ws?session={key_of(session)}"
    return where if after is None else f"{where}&epoch={epoch}&after={after}"


def frame(
    content: bytes | str,
    *,
    op: int = TEXT,
    last: bool = True,
    reserved: int = 0,
    masked: bool = True,
    length: int | None = None,
) -> bytes:
    """One frame of a client, right or wrong; ``length`` is what it says of its length, in 64 bits."""
    payload = content.encode() if isinstance(content, str) else content
    size = len(payload) if length is None else length
    head, mask = bytes([last << 7 | reserved << 4 | op]), masked << 7
    if length is not None or size > 0xFFFF:
        head += bytes([mask | 127]) + struct.pack("!Q", size)
    elif size > 125:
        head += bytes([mask | 126]) + struct.pack("!H", size)
    else:
        head += bytes([mask | size])
    if not masked:
        return head + payload
    key = os.urandom(4)
    pad = int.from_bytes((key * (len(payload) // 4 + 1))[: len(payload)], "big")
    return head + key + (int.from_bytes(payload, "big") ^ pad).to_bytes(len(payload), "big")


class WebSocket:
    """A viewer that may misbehave. ``status`` is of the handshake, ``code`` how the map closed (1006: it just cut)."""

    def __init__(
        self,
        target: Target,
        path: str | None = None,
        fields: Fields | None = None,
        *,
        token: bool = True,
        timeout: float = 5.0,
        receive_buffer: int = 0,
    ) -> None:
        self.code: int | None = None
        self.status, self.head, self._rest = 0, "", b""
        self._wire = socket.socket()
        if receive_buffer:
            self._wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self._wire.settimeout(timeout)
        try:
            self._wire.connect(("127.0.0.1", target.port))
            with suppress(ConnectionError):  # refused before it was read whole
                self._wire.sendall(target.handshake(path or place(), fields, token=token))
            while b"\r\n\r\n" not in self._rest and (piece := self._wire.recv(4096)):
                self._rest += piece
        except OSError:
            pass
        head, _, self._rest = self._rest.partition(b"\r\n\r\n")
        self.head = head.decode("latin-1")
        found = re.match(r"HTTP/1\.1 (\d{3})", self.head)
        self.status = int(found[1]) if found else 0

    @property
    def open(self) -> bool:
        return self.status == 101

    def send(self, data: bytes) -> bool:
        """Whether the system took it."""
        try:
            self._wire.sendall(data)
        except OSError:
            return False
        return True

    def next(self, within: float = 5.0) -> tuple[int, bytes] | None:
        """(opcode, content) of the next frame; None where it closed (then there is a ``code``) or kept silent."""
        stop = time.monotonic() + within
        try:
            first, size = self._need(2, stop)
            if size & 127 == 126:
                (size,) = struct.unpack("!H", self._need(2, stop))
            elif size & 127 == 127:
                (size,) = struct.unpack("!Q", self._need(8, stop))
            content = self._need(size, stop)
        except TimeoutError:
            return None
        except OSError:
            self.code = self.code or 1006
            return None
        if first & 15 == CLOSE:
            self.code = struct.unpack("!H", content[:2])[0] if len(content) > 1 else 1005
            return None
        return first & 15, content

    def _need(self, size: int, stop: float) -> bytes:
        while len(self._rest) < size:
            self._wire.settimeout(max(0.001, stop - time.monotonic()))
            piece = self._wire.recv(65536)
            if not piece:
                raise ConnectionError
            self._rest += piece
        found, self._rest = self._rest[:size], self._rest[size:]
        return found

    def message(self, kind: str, within: float = 5.0) -> Any:
        """The next message of the map of that kind; None if there is none."""
        stop = time.monotonic() + within
        while (found := self.next(max(0.001, stop - time.monotonic()))) is not None:
            if found[0] in (TEXT, BINARY) and (said := json.loads(found[1]))["t"] == kind:
                return said
        return None

    def closed(self, within: float) -> bool:
        """Whether the map closes it in time; what it says until then is passed over."""
        stop = time.monotonic() + within
        while self.code is None and time.monotonic() < stop:
            self.next(max(0.001, stop - time.monotonic()))
        return self.code is not None

    def close(self) -> None:
        self._wire.close()

    def __enter__(self) -> WebSocket:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def hosts(target: Target) -> Collection[str]:
    """22 names under which nobody may reach the map."""
    port = target.port
    return (
        "evil.example",
        f"evil.example:{port}",
        f"{target.netloc}.evil.example",
        f"127.0.0.1.evil.example:{port}",
        f"localhost6:{port}",
        f"0.0.0.0:{port}",
        f"127.1:{port}",
        f"0177.0.0.1:{port}",
        f"2130706433:{port}",
        f"127.0.0.1:{port + 1}",
        f"user@127.0.0.1:{port}",
        "[::1",
        "[::ffff:127.0.0.1",
        f"127.0.0.1:{port}:80",
        "a b",
        "\t",
        "",
        "127.0.0.1:99999",
        "127.0.0.1:-1",
        f"127.0.0.1:{port}, evil.example",
        "x" * 5000,
        "\u00e9.example",
    )


def origins(target: Target) -> Collection[str]:
    """Four pages that may not use the map."""
    return "http://evil.example", "null", f"{target.origin}.evil.example", f"http://127.0.0.1:{target.port + 1}"
