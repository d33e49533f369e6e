"""uvicorn's two protocols with the bounds that it doesn't set itself.

uvicorn counts neither headers nor the time they take, answers a handshake that its WebSocket parser can't read with
silence, and prints a traceback for text that is not UTF-8. What is over a bound is answered in one line and closed;
so is HTTP/2, in its own words.

It also closes a connection while the client still sends: the system then resets it, and the client never sees the
answer. Here what is still sent is read and dropped first, up to a bound.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

from lingbot_web.security import MAX_HEADER_BYTES, MAX_HEADERS

HEAD_SECONDS = 5.0
"""So long may the head of a request take."""
LINGER_SECONDS = 30.0
LINGER_BYTES = 512 * 1024 * 1024
"""So long, and for so much, is a client heard out that was answered already: twice the largest body that is taken."""
MAX_UNSENT = 1024 * 1024
"""More than this many bytes of pongs nobody reads: the connection is cut."""

_HTTP_2 = b"PRI * HTTP/2.0"
_NO_GRPC = b"lingbot-map takes OTLP over HTTP/1.1: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"
_GO_AWAY = (
    bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))  # RFC 9113: SETTINGS, which a server says first; then GOAWAY, of no stream,
    + (8 + len(_NO_GRPC)).to_bytes(3, "big")
    + bytes((7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0D))  # with HTTP_1_1_REQUIRED
    + _NO_GRPC
)
"""What a gRPC sender is answered: its library prints the text."""


class _HeadTooLarge(Exception):
    """Raised inside the parser's callbacks to stop it; answered with 431."""


class _ClosedLate:
    """A transport of which ``close`` first hears the client out."""

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self._transport = transport
        self.close = close

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class BoundedHttp(HttpToolsProtocol):
    """HTTP/1.1 whose request heads are bounded in number, bytes and time."""

    _lingering: asyncio.TimerHandle | None = None
    _unheard = LINGER_BYTES
    _head_bytes = 0
    _in_head = True
    _deadline: asyncio.TimerHandle | None = None
    _too_large = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._deadline = self.loop.call_later(HEAD_SECONDS, self._head_overdue)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        if self._lingering is not None:
            self._lingering.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self._lingering is not None:
            self._unheard -= len(data)
            if self._unheard < 0:
                self.transport.close()
            return
        if not self.cycle and data.startswith(_HTTP_2):  # none has begun yet
            self.transport.write(_GO_AWAY)
            self._hear_out()
            return
        super().data_received(data)
        if self._in_head and self.parser is not None and not self.transport.is_closing():
            # Counted by what came, since the parser hands over a header only when it is whole.
            self._head_bytes += len(data)
            if self._head_bytes > 4 * MAX_HEADER_BYTES:
                self._too_large = True
                self.send_400_response("")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        self._head_bytes = 0
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEAD_SECONDS, self._head_overdue)

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._bound(len(self.url))

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        self._bound(sum(len(n) + len(v) for n, v in self.headers[-1:]), count=len(self.headers))

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._stop_clock()
        before = self.cycle
        super().on_headers_complete()
        cycle = self.cycle
        if cycle is before:  # it goes on as a WebSocket
            return

        def close() -> None:
            self._hear_out() if cycle.more_body else self.transport.close()

        cycle.transport = _ClosedLate(self.transport, close)  # type: ignore[assignment]

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._lingering is not None:
            self._unset_keepalive_if_required()  # another clock runs

    def send_400_response(self, msg: str) -> None:
        if self.transport.is_closing() or self._lingering is not None:
            return
        status, sentence = b"400 Bad Request", b"The request is no HTTP that can be read."
        if self._too_large:
            status, sentence = b"431 Request Header Fields Too Large", b"The head of the request is too large."
        body = b'{"error":"%b"}' % sentence
        self.transport.write(
            b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n%b"
            % (status, len(body), body)
        )
        self._hear_out()

    def _hear_out(self) -> None:
        """The answer is sent: close, but not before the client had the time to send what it sends and to read it."""
        self._lingering = self.loop.call_later(LINGER_SECONDS, self.transport.close)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self.flow.resume_reading()

    def _bound(self, size: int, count: int = 0) -> None:
        if size > MAX_HEADER_BYTES or count > MAX_HEADERS:
            self._too_large = True
            raise _HeadTooLarge

    def _stop_clock(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _head_overdue(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """WebSocket without compression whose handshake always gets an answer and whose faults are closed in silence."""

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if not self.handshake_initiated and self.conn.handshake_exc is not None:
            self.transport.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            self.transport.close()

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text":
            text = b"".join(self.frames)
            try:
                text.decode()
            except UnicodeDecodeError:
                self.frames = []
                try:
                    self.conn.send_close(1007)
                except InvalidState:  # already closing
                    return
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    def handle_ping(self) -> None:
        if self.transport.get_write_buffer_size() > MAX_UNSENT:
            self.transport.abort()
            return
        super().handle_ping()


def quiet_logs() -> None:
    """Keep uvicorn from writing what a stranger can provoke: only its own faults remain, one line each."""
    logger = logging.getLogger("uvicorn.error")
    if not any(isinstance(present, _OneLine) for present in logger.filters):
        logger.addFilter(_OneLine())
    logging.getLogger("uvicorn.access").disabled = True


_CAUSED_BY_CLIENTS = {"ASGI callable returned without completing handshake."}  # it left in the middle of one


class _OneLine(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.ERROR or record.getMessage() in _CAUSED_BY_CLIENTS:
            return False
        record.exc_info = None
        record.exc_text = None
        return True
