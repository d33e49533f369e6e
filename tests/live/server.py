"""A real server for tests: uvicorn on a free port in a thread, reached over real sockets."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from websockets import Subprotocol
from websockets.sync.client import ClientConnection, connect

from lingbot_map.store import key_of
from lingbot_web.running import Serving, serve

PATIENCE = 20.0
"""Seconds in which anything that a test waits for must have happened, on a machine with other work."""

T = TypeVar("T")


def wait_for(look: Callable[[], T], what: str = "it") -> T:
    """What ``look`` returns once that is true."""
    end = time.monotonic() + PATIENCE
    pause = threading.Event()
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < end, f"{what} did not happen"
        pause.wait(0.01)


class Client:
    """Speaks to one map as a probe and as a page do."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self.token = token
        self.made: dict[str, int] = {}

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any, dict[str, str]]:
        """(status, JSON or bytes, headers)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            fields = {"Authorization": f"Bearer {self.token}", **(headers or {})}
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        said = {name.lower(): value for name, value in answer.getheaders()}
        if said.get("content-type", "").startswith("application/json"):
            return answer.status, json.loads(content), said
        return answer.status, content, said

    def get(self, path: str) -> Any:
        """The JSON at ``path``; it must be there."""
        status, said, _ = self.ask("GET", path)
        assert status == 200, (path, status, said)
        return said

    def post(self, path: str, value: Any) -> tuple[int, Any]:
        """(status, answer) of a JSON body."""
        status, said, _ = self.ask("POST", path, json.dumps(value).encode(), {"Content-Type": "application/json"})
        return status, said

    def send(self, events: list[dict[str, Any]], source: str = "s1", **more: Any) -> Any:
        """A batch as a probe sends it; the answer."""
        numbered: dict[str, int] = {}
        for event in events:
            numbered[event["session"]] = max(numbered.get(event["session"], 0), event["n"])
        batch = {"v": 1, "source": source, "probe": "bot", "events": events, "numbered": numbered, **more}
        status, said = self.post("/ingest", batch)
        assert status == 200, said
        return said

    def say(self, *utterances: str, session: str = "call", source: str = "s1") -> Any:
        """A turn for each utterance."""
        events = []
        for utterance in utterances:
            n = self.made[session + source] = self.made.get(session + source, 0) + 1
            signal = {"kind": "turn_started", "turn": f"{source}-{n}", "utterance": utterance}
            events.append({"session": session, "n": n, "signal": signal})
        return self.send(events, source)

    def watch(self, session: str = "", epoch: str = "", after: int | None = None) -> Viewer:
        """A viewer at that place."""
        query = f"?session={key_of(session)}" if session else "?"
        if after is not None:
            query += f"&epoch={epoch}&after={after}"
        return Viewer(f"ws://127.0.0.1:{self.port}/ws{query}", self.token)

    def keyframe(self, session: str) -> Any:
        """The whole map as a page gets it."""
        return self.get(f"/api/sessions/{key_of(session)}/keyframe")


class Viewer:
    """A page's socket, open while the ``with`` block lasts."""

    def __init__(self, url: str, token: str) -> None:
        self._opening = connect(
            url,
            subprotocols=[Subprotocol("lingbot.v1"), Subprotocol(f"token.{token}")],
            compression=None,
            max_size=None,
            open_timeout=PATIENCE,
        )
        self.socket: ClientConnection

    def next(self, kind: str) -> Any:
        """The next message of that kind; others are passed over."""
        while True:
            data = self.socket.recv(timeout=PATIENCE)
            assert isinstance(data, bytes), "messages are binary frames"
            message = json.loads(data)
            if message["t"] == kind:
                return message

    def seqs_to(self, last: int) -> list[int]:
        """The seqs of all batches up to ``last``."""
        seqs: list[int] = []
        while not seqs or seqs[-1] < last:
            seqs += seqs_of(self.next("batch"))
        return seqs

    def place(self, **place: Any) -> None:
        """Say where this viewer stands."""
        self.socket.send(json.dumps(place))

    def __enter__(self) -> Viewer:
        self.socket = self._opening.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._opening.__exit__(None, None, None)


def seqs_of(batch: dict[str, Any]) -> list[int]:
    """The seqs in a batch, which must be those that it announces."""
    seqs = [delta["seq"] for delta in batch["deltas"] if delta["d"] == "applied"]
    assert seqs == list(range(batch["first"], batch["last"] + 1)), batch
    return seqs


@contextmanager
def running(data: Path | None = None) -> Iterator[tuple[Serving, Client]]:
    """A map in a thread, and a client for it."""
    with serve(data=data) as map:
        client = Client(int(map.base.rsplit(":", 1)[1].strip("/")), map.token)
        wait_for(lambda: client.get("/healthz")["status"] == "ok", "recovery")
        yield map, client
