"""Asking a map that runs, or seems to: how long it is waited for, and what is said of one that is silent."""

from __future__ import annotations

import http.server
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lingbot_web import remote
from lingbot_web.beacon import Beacon, lit
from lingbot_web.cli import run
from lingbot_web.remote import MapRefused, Remote


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "SILENT_S", 0.3)


@pytest.fixture
def stopped() -> Iterator[Beacon]:
    """A map that was stopped: the system takes connections for it, and nobody reads them."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield Beacon(f"http://127.0.0.1:{listener.getsockname()[1]}/", "token", "", 4711)


def test_a_stopped_map_is_named_by_its_process(stopped: Beacon, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(b"{}")
    asks: list[Callable[[], Any]] = [lambda: Remote(stopped).get("api/stats"), lambda: Remote(stopped).upload(file)]
    for ask in asks:
        with pytest.raises(MapRefused, match=r"process 4711\) has not answered") as refused:
            ask()
        assert refused.value.status == 0


def test_the_commands_say_so_and_fail(
    stopped: Beacon, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    file = tmp_path / "x.json"
    file.write_bytes(b"{}")
    light = Beacon(stopped.url, stopped.token, str(tmp_path.resolve()), os.getpid())
    with lit(1, light):
        for command in (["sessions"], ["stats", "--json"], ["import", str(file)], ["open", str(file)]):
            assert run([*command, "--data", str(tmp_path)]) == 1
            out, said = capfd.readouterr()
            assert out == ""
            assert said.count("\n") == 1
            assert f"process {light.pid}" in said


def test_a_map_that_works_on_a_file_is_waited_for(tmp_path: Path) -> None:
    asked = threading.Semaphore(0)

    class Busy(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            for _ in range(3):  # it is asked three times whether it lives before it is done
                assert asked.acquire(timeout=10)
            self.say(b'{"sessions": []}')

        def do_GET(self) -> None:
            self.say(b"{}")
            asked.release()

        def say(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    file = tmp_path / "x.json"
    file.write_bytes(b"{}")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Busy) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            beacon = Beacon(f"http://127.0.0.1:{server.server_address[1]}/", "", "", 1)
            assert Remote(beacon).upload(file) == {"sessions": []}
        finally:
            server.shutdown()
