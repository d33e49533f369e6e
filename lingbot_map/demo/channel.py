"""The assistant's REST channel on a free port of this machine: what is posted there, a person says.

``POST {"sender": session, "message": text}`` is answered by ``[{"recipient_id": session, "text": answer}]``, the shape
that chatbot frameworks have in common; the map's page speaks it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATH = "/webhooks/rest/webhook"
MAX_BODY = 64 * 1024
MAX_MESSAGE = 4096
MAX_SENDER = 256
SECONDS = 10.0
"""So long may a request take to arrive."""


class RestChannel:
    """Open from its making to ``close``. ``answer`` is called with session and text, from a thread for each message."""

    def __init__(self, answer: Callable[[str, str], str]) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.answer = answer
        self._server.host = f"127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, name="rest-channel", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address to post to."""
        return f"http://{self._server.host}{PATH}"

    def close(self) -> None:
        """Take no more messages."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    answer: Callable[[str, str], str]
    host: str


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = SECONDS

    def do_POST(self) -> None:
        # A page that somebody visits may post to this port too, but not as JSON, and not under this name.
        kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        length = self.headers.get("Content-Length", "")
        if self.path.partition("?")[0] != PATH:
            self._say(404, {"error": f"messages are posted to {PATH}"})
        elif kind != "application/json" or self.headers.get("Host") != self.server.host:
            self._say(403, {"error": "messages are posted as application/json to this very address"})
        elif not (length.isascii() and length.isdigit() and len(length) < 9 and int(length) <= MAX_BODY):
            self._say(413, {"error": f"a body has a length, of at most {MAX_BODY} bytes"})
        else:
            self._hear(self.rfile.read(int(length)))

    def _hear(self, body: bytes) -> None:
        try:
            said: Any = json.loads(body)
        except ValueError:
            said = None
        fields = said if type(said) is dict else {}
        sender, message = _text(fields.get("sender"), MAX_SENDER), _text(fields.get("message"), MAX_MESSAGE)
        if not sender or not message:
            self._say(400, {"error": 'a message is {"sender": text, "message": text}'})
            return
        self._say(200, [{"recipient_id": sender, "text": self.server.answer(sender, message)}])

    def _say(self, status: int, value: Any) -> None:
        body = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """The demo's terminal is for the map's address."""


def _text(value: object, most: int) -> str:
    """``value`` without the space around it; "" where it is no text, too long, or can't be sent on."""
    if type(value) is not str or len(value) > most:
        return ""
    try:
        value.encode()
    except UnicodeEncodeError:
        return ""
    return value.strip()
