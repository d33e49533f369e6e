"""Maps that listen, for the probe's tests: one in the process, one behind a real HTTP server. And a wait that ends."""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lingbot_probes import Probe


def until(true: Callable[[], object], what: str = "it", seconds: float = 10.0) -> None:
    """Waits for a condition, and says what did not happen when it is not met in time."""
    end = time.monotonic() + seconds
    pause = threading.Event()
    while not true():
        assert time.monotonic() < end, f"{what} did not happen within {seconds} s"
        pause.wait(0.005)


class Listener:
    """A sink that keeps what it is given and acknowledges it, as a map's intake would: repeats and losses known."""

    def __init__(self) -> None:
        self.server = secrets.token_hex(4)
        self.batches: list[dict[str, Any]] = []
        self.accepted: dict[tuple[str, str], dict[int, dict[str, Any]]] = {}
        self.order: list[tuple[str, str, int]] = []
        self.told: dict[tuple[str, str], int] = {}
        self.repeated = 0
        self.holding: set[int] = set()
        self._lock = threading.Lock()

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            self.batches.append(batch)
            acked: dict[str, list[list[int]]] = {}
            for event in batch["events"]:
                key = (batch["source"], event["session"])
                known = self.accepted.setdefault(key, {})
                if event["n"] in self.holding:
                    continue
                if event["n"] in known:
                    self.repeated += 1
                else:
                    known[event["n"]] = event
                    self.order.append((*key, event["n"]))
                acked.setdefault(event["session"], []).append([event["n"], event["n"]])
            for session, number in batch["numbered"].items():
                self.told[batch["source"], session] = number
            return {"v": 1, "server": self.server, "acked": acked, "refused": []}

    def events(self, session: str | None = None) -> list[dict[str, Any]]:
        """What was accepted, in the order of arrival."""
        return [self.accepted[source, id][n] for source, id, n in self.order if session in (None, id)]

    def signals(self, session: str | None = None) -> list[dict[str, Any]]:
        return [event["signal"] for event in self.events(session)]

    def lost(self) -> dict[str, int]:
        """How many numbers of each session were told and never came."""
        return {
            session: missing
            for (source, session), number in self.told.items()
            if (missing := number - sum(1 for n in self.accepted.get((source, session), {}) if n <= number))
        }


def where(probe: Probe, map: Listener) -> list[tuple[str, str]]:
    """(session, what) of every event but the beginnings, session by session: order is kept within a session."""
    assert probe.flush(10)
    return [
        (event["session"], event["signal"].get("intent") or event["signal"].get("text") or event["signal"]["kind"])
        for event in sorted(map.events(), key=lambda event: event["session"])
        if event["signal"]["kind"] != "session_started"
    ]


def turns(map: Listener) -> dict[str, list[str]]:
    """What was said in each turn, by the turn's utterance."""
    names: dict[str, str] = {}
    out: dict[str, list[str]] = {}
    for event in map.events():
        signal = event["signal"]
        if signal["kind"] == "turn_started":
            names[signal["turn"]] = signal.get("utterance", "")
            out[names[signal["turn"]]] = []
        elif "turn" in event:
            out[names[event["turn"]]].append(signal.get("intent") or signal.get("text") or signal["kind"])
    return out


class Server:
    """A listener behind a real HTTP server on a port of its own; it can go and come back at the same port."""

    def __init__(self, token: str = "", port: int = 0) -> None:
        self.token = token
        self.map = Listener()
        self.asked = 0
        self.cut = False  # takes a batch and is killed before it can answer
        self.status: Callable[[dict[str, Any]], int] = lambda batch: 200
        self._start(port)

    def _start(self, port: int) -> None:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer.asked += 1
                batch = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                status = outer.status(batch)
                if outer.token and self.headers.get("Authorization") != f"Bearer {outer.token}":
                    status = 401
                answer = outer.map.deliver(batch) if status == 200 else {"error": "no"}
                if outer.cut:
                    self.close_connection = True
                    return
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                return

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *args: object) -> None:
                return  # a client that went away is what some tests are about

        self._http = Quiet(("127.0.0.1", port), Handler)
        self.port = self._http.server_port
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def restart(self) -> None:
        """Another process at the same port: nothing remembered, another id."""
        self.map = Listener()
        self._start(self.port)
