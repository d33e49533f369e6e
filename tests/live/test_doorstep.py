"""The first moments of ``lingbot-map serve``: it answers before its parts are loaded, and refuses nobody meanwhile."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from lingbot_map.events import EpochStarted, Event
from lingbot_map.store.files import FileStore
from lingbot_web import doorstep
from lingbot_web.doorstep import Doorstep, place_of
from tests.live.server import PATIENCE, wait_for
from tests.live.test_process import COMMAND
from tests.torture.write import BEGIN, SESSION, event_of

BAR_S = 0.2
"""From the start of the process to the first answer: median 0.06 s, at most 0.10 s in 20 starts on a busy machine."""
SLACK, STARTS = 2, 6
"""One of so many starts has to be that quick on a machine that tests many things at once. With the imports first none
is: they alone take 0.5 s of processor time."""


@contextmanager
def serving(folder: Path, port: int, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    (folder / "run").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [*COMMAND, "serve", "--data", str(folder / "data"), "--port", str(port), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "XDG_RUNTIME_DIR": str(folder / "run"), "PYTHONUNBUFFERED": "1"},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def connected(port: int) -> socket.socket:
    def attempt() -> socket.socket | None:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        except ConnectionRefusedError:
            return None

    made = wait_for(attempt, "a listener")
    assert made is not None
    return made


def head(path: str, port: int, *more: str, method: str = "GET", host: str = "") -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", *more]
    return "".join(line + "\r\n" for line in [*lines, ""]).encode()


def read(connection: socket.socket) -> tuple[int, bytes]:
    """(status, body) of the answer."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        more = connection.recv(65536)
        assert more, f"closed after {answer!r}"
        answer += more
    top, _, body = answer.partition(b"\r\n\r\n")
    length = next(int(line[15:]) for line in top.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    while len(body) < length:
        body += connection.recv(65536)
    return int(top.split()[1]), body


def health(port: int) -> bytes:
    with connected(port) as connection:
        connection.sendall(head("/healthz", port))
        status, body = read(connection)
    assert status == 200
    return body


def settled(port: int) -> bool:
    body = health(port)
    assert body in (b'{"status":"recovering"}', b'{"status":"ok"}')
    return b"ok" in body


@pytest.fixture
def long_recovery(tmp_path: Path) -> Path:
    """A folder whose recording takes a second or so to read."""
    store = FileStore(tmp_path / "data")
    recording = store.create(SESSION)
    recording.append([Event(session=SESSION, seq=1, at=BEGIN, signal=EpochStarted(epoch="e"))])
    recording.append([event_of(seq) for seq in range(2, 30_001)])
    store.leave()
    return tmp_path


def test_healthz_answers_within_200_ms_of_the_start_and_is_never_refused_after(long_recovery: Path) -> None:
    waits: list[float] = []
    while not waits or (waits[-1] >= BAR_S * SLACK and len(waits) < STARTS):
        port, began = free_port(), time.monotonic()
        with serving(long_recovery, port) as process:
            assert json.loads(health(port)) == {"status": "recovering"}
            waits.append(time.monotonic() - began)
            if len(waits) == 1:
                wait_for(partial(settled, port), "recovery")
                process.send_signal(signal.SIGINT)
                assert process.wait(PATIENCE) == 130
    assert min(waits) < BAR_S * SLACK, waits


def test_what_the_doorstep_does_not_answer_goes_on_to_the_server(tmp_path: Path) -> None:
    port = free_port()
    asked = {
        "the gate": (head("/api/sessions", port), 401),
        "another host": (head("/healthz", port, host="evil.example.org"), 403),
        "another site": (head("/healthz", port, "Origin: https://evil.example.org"), 403),
        "a body": (head("/ingest", port, "Content-Length: 2", method="POST") + b"{}", 401),
        "two at once": (head("/healthz", port) + head("/healthz", port), 200),
        "the page": (head("/", port), 200),
    }
    with serving(tmp_path, port) as process:
        early = health(port)
        connections = {name: connected(port) for name in asked}
        silent, torn = connected(port), connected(port)
        torn.sendall(head("/healthz", port)[:20])
        for name, (request, _) in asked.items():
            connections[name].sendall(request)
        assert process.stdout is not None
        assert "Map" in process.stdout.readline()
        assert early == b'{"status":"recovering"}'
        assert {name: read(connections[name])[0] for name in asked} == {name: code for name, (_, code) in asked.items()}
        torn.sendall(head("/healthz", port)[20:])
        silent.sendall(head("/healthz", port))
        for late in (torn, silent):
            assert read(late)[0] == 200
        for connection in (silent, torn, *connections.values()):
            connection.close()


def test_more_connections_than_are_kept_wait_in_the_systems_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorstep, "MOST_KEPT", 8)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    step = Doorstep("127.0.0.1", listener)
    crowd = [connected(port) for _ in range(20)]
    for connection in crowd:
        connection.sendall(head("/", port))
    with connected(port) as last:
        kept = step.leave()
        assert 0 < len(kept) <= 8
        assert step.leave() == []
        listener.settimeout(PATIENCE)
        for _ in range(21 - len(kept)):  # nobody was refused or lost
            listener.accept()[0].close()
        last.close()
    for connection in (*crowd, *kept):
        connection.close()
    step.close()


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ("serve", ("127.0.0.1", 8700)),
        ("serve --data d --port 8800 --keep 30d --fsync=always", ("127.0.0.1", 8800)),
        ("serve --host=::1 --port=8800", ("::1", 8800)),
        ("serve --host 0.0.0.0 --allow-remote --insecure-remote", ("0.0.0.0", 8700)),
        ("serve --host 0.0.0.0 --allow-remote", None),
        ("serve --host 0.0.0.0", None),
        ("serve --host map.example.org --allow-remote --insecure-remote", None),
        ("serve --tls-cert c --tls-key k", None),
        ("serve --port 0", None),
        ("serve --port 65536", None),
        ("serve --port x", None),
        ("serve --port", None),
        ("serve --prot 8800", None),
        ("serve --help", None),
        ("serve extra", None),
        ("demo", None),
        ("", None),
    ],
)
def test_only_plain_arguments_open_the_port_early(arguments: str, place: tuple[str, int] | None) -> None:
    assert place_of(arguments.split()) == place


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--fsync", "never"], 2, "--fsync"),
        (["--keep", "soon"], 2, "--keep"),
        (["--reply-host", "a b"], 2, "--reply-host"),
        (["--public-url", "nonsense"], 2, "--public-url"),
        (["--prot", "1"], 2, "--prot"),
        (["--port", "99999"], 2, "--port"),
    ],
)
def test_bad_arguments_end_in_one_line_as_before(tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    with serving(tmp_path, free_port(), *arguments) as process:
        out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, err.count("\n")) == (code, "", 1), err
        assert said in err
    assert not (tmp_path / "data").exists()


def test_it_loads_the_standard_library_alone_before_it_listens() -> None:
    look = "import lingbot_web.doorstep, sys; print(sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-X", "frozen_modules", "-c", look], capture_output=True, text=True)
    loaded = set(json.loads(done.stdout.replace("'", '"')))
    assert not loaded & {"starlette", "uvicorn", "msgspec", "orjson", "typer", "rich", "lingbot_map", "asyncio", "ssl"}
