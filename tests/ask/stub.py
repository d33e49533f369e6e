"""A real HTTP server on a free loopback port that speaks as an OpenAI-compatible endpoint does, or as none should."""

from __future__ import annotations

import json
import re
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[["Exchange"], object]


@dataclass
class Exchange:
    """One request and the means to answer it."""

    handler: BaseHTTPRequestHandler
    stub: Stub
    path: str
    headers: dict[str, str]
    body: Any

    @property
    def shown(self) -> Any:
        """What the first message of the user shows: question, answer, evidence."""
        return json.loads(self.body["messages"][1]["content"])

    def send(self, status: int, body: bytes, **headers: str) -> None:
        """An answer as it is given."""
        self.handler.send_response(status)
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.send_header("Content-Length", str(len(body)))
        self.handler.end_headers()
        self.handler.wfile.write(body)

    def json(self, value: Any, status: int = 200) -> None:
        """An answer in JSON."""
        self.send(status, json.dumps(value).encode(), Content_Type="application/json")

    def say(self, text: str, **usage: int) -> None:
        """A chat completion."""
        choices = [{"index": 0, "message": {"role": "assistant", "content": text}}]
        self.json({"choices": choices} | ({"usage": usage} if usage else {}))

    def write(self, data: bytes) -> None:
        """Bytes on the connection."""
        self.handler.wfile.write(data)
        self.handler.wfile.flush()


@dataclass
class Stub:
    """An endpoint whose behaviour is ``reply``; ``asked`` is what it was asked."""

    url: str
    reply: Reply
    asked: list[Exchange] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def each(self, *replies: str) -> None:
        """Say these, one after the other; the last again and again."""
        begun = len(self.asked)
        self.reply = lambda exchange: exchange.say(replies[min(len(self.asked) - begun, len(replies)) - 1])


@contextmanager
def endpoint(reply: Reply, tls: ssl.SSLContext | None = None) -> Iterator[Stub]:
    """A stub that answers by ``reply`` while the block lasts, over TLS (as "localhost") where there is a context."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            exchange = Exchange(self, stub, self.path, headers, body)
            stub.asked.append(exchange)
            try:
                stub.reply(exchange)
            except OSError:  # who asked has gone: that is what is tested
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Who asked has gone, or trusts nobody: that is what is tested."""

    server = Server(("127.0.0.1", 0), Handler)
    port = server.server_address[1]
    stub = Stub(f"http://127.0.0.1:{port}/v1" if tls is None else f"https://localhost:{port}/v1", reply)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield stub
    finally:
        stub.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()


_END = re.compile(r"[。.]?$")


def reworded(exchange: Exchange) -> str:
    """The answer that is shown in other words, as a model that keeps the rules says it."""
    lines = []
    for at, given in enumerate(exchange.shown["answer"]):
        text = given["text"]
        chinese = re.search(r"[\u4e00-\u9fff]", exchange.shown["question"]) is not None
        cites = "".join(f"[{n}]" for n in given["cites"])
        if chinese:
            text = text.replace("没有被改成别的值", "没有被改成其他值").replace("依次为", "依次是")
            text = text.replace("共 ", "一共 ").replace("第2轮", "第 2 轮")
            lead = "另外，" if at else ""
            lines.append(f"{lead}{text.rstrip('。')} {cites}。" if at % 2 else f"{lead}{text.rstrip('。')}。{cites}")
        else:
            lines.append(f"{'Also, ' if at else ''}{_END.sub('', text)} {cites}.")
    return "\n".join(lines)
