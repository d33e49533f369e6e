"""What ``probe.stats()`` says when nothing arrives: the address, what happened there, what to do about it."""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Iterator

import pytest

from lingbot_probes import Probe, link
from lingbot_probes.link import Endpoint
from lingbot_probes.trouble import refusal, sentence
from tests.probes.listening import Listener, Server, until


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """A port where a connection is taken and never answered."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def why(probe: Probe) -> str:
    """What a probe says once an attempt has failed."""
    probe.answered("hi", session="s")
    until(lambda: probe.stats()["state"] == "waiting", "a failed attempt")
    said = probe.stats()["why"]
    assert isinstance(said, str)
    return said


def test_where_nothing_listens_the_sentence_says_how_to_start_a_map(server: Server) -> None:
    server.stop()
    probe = Probe("bot", f"{server.url}/#t=secret")
    assert probe.stats()["to"] == server.url
    assert why(probe).startswith(
        f"{server.url}: no map listens there (connection refused); start `lingbot-map serve --port {server.port}`, or "
    )
    server.restart()
    assert probe.flush(10.0)
    assert (probe.stats()["to"], probe.stats()["why"]) == (server.url, "")
    probe.close()


def test_a_host_that_nobody_knows_is_named() -> None:
    probe = Probe("bot", "http://nowhere.invalid:8700")
    said = why(probe)
    assert said.startswith("http://nowhere.invalid:8700: the host nowhere.invalid is not known (")
    assert "LINGBOT_ENDPOINT" in said
    probe.close(0.01)


def test_a_connection_that_is_closed_unanswered_is_told(server: Server) -> None:
    server.cut = True
    probe = Probe("bot", server.url)
    said = why(probe)
    assert said.startswith(
        f"{server.url}: the connection was closed before an answer came; see that `lingbot-map serve"
    )
    assert "https://" in said
    probe.close(0.01)


def test_what_does_not_answer_is_told(silent: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "ANSWER", 0.05)
    url = f"http://127.0.0.1:{silent.getsockname()[1]}"
    probe = Probe("bot", url)
    assert why(probe).startswith(f"{url}: no answer in time; see that `lingbot-map serve --port")
    probe.close(0.01)


def test_a_wrong_token_leads_to_the_right_one(server: Server) -> None:
    server.token = "right"
    probe = Probe("bot", server.url, token="wrong")
    said = why(probe)
    assert said.startswith(f"{server.url}: the map answered 401: is the token right?")
    assert "LINGBOT_TOKEN" in said
    assert "wrong" not in said
    probe.close(0.01)


@pytest.mark.parametrize(
    "error",
    [
        *(OSError(number, os.strerror(number)) for number in (101, 104, 110, 111, 113, 32)),
        OSError("no address is known"),
        TimeoutError("the answer took too long"),
        ConnectionResetError("the server closed the connection"),
        socket.gaierror(-2, "Name or service not known"),
        ssl.SSLCertVerificationError(1, "certificate verify failed"),
        ValueError("no HTTP"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("url", ["http://127.0.0.1:8700", "https://map.example.org:443/there", "http://[::1]:9"])
def test_every_failure_names_the_address_and_a_remedy_and_no_class(url: str, error: Exception) -> None:
    said = sentence(Endpoint(f"{url}/#t=secret"), error)
    assert said.startswith(f"{url}: ")
    assert "; " in said
    assert "Error" not in said
    assert "secret" not in said


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 413, 429, 500, 503])
def test_every_refusal_names_the_address_and_the_status(status: int) -> None:
    said = refusal(Endpoint("http://127.0.0.1:8700"), status)
    assert said.startswith("http://127.0.0.1:8700: ")
    assert str(status) in said


def test_a_sink_that_is_no_map_server_is_named_by_its_class(map: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    probe = Probe("bot", sink=map)
    assert probe.stats()["to"] == "Listener in this process"
    probe.connect("http://localhost:8701/base/")
    assert probe.stats()["to"] == "http://localhost:8701/base"
    monkeypatch.setenv("LINGBOT_MAP", "off")
    assert Probe("bot").stats()["to"] == ""
