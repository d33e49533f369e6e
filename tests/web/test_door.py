"""Who may come in, by HTTP and by WebSocket alike: asked over raw sockets, so that nothing tidies the request up."""

from __future__ import annotations

import base64
import http.client
import json
import re
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from lingbot_web import security
from lingbot_web.security import door, examine
from lingbot_web.wire import BoundedHttp
from tests.live.server import PATIENCE, Client, running


@pytest.fixture(scope="module")
def map() -> Iterator[Client]:
    with running() as (_, client):
        yield client


def raw(map: Client, request: bytes) -> tuple[int, dict[str, str], bytes]:
    """Send bytes as they are; status 0 if the connection was cut without an answer."""
    with socket.create_connection(("127.0.0.1", map.port), PATIENCE) as wire:
        wire.settimeout(PATIENCE)
        data = b""
        try:
            wire.sendall(request)
            while chunk := wire.recv(65536):
                data += chunk
                if b" 101 " in data[:20]:
                    break
        except ConnectionError:
            pass
    head, _, body = data.partition(b"\r\n\r\n")
    found = re.match(rb"HTTP/1\.1 (\d{3})", head)
    lines = head.decode("latin-1").split("\r\n")[1:]
    return int(found[1]) if found else 0, {k.lower(): v.strip() for k, _, v in (x.partition(":") for x in lines)}, body


def ask(map: Client, way: str, path: str = "/api/sessions", **fields: str | None) -> tuple[int, bytes]:
    """A request by ``way`` (http or ws) with the right token and host, but for ``fields`` (None: left out)."""
    said: dict[str, str | None] = {
        "Host": f"127.0.0.1:{map.port}",
        "Authorization": f"Bearer {map.token}",
        "Connection": "close",
    }
    if way == "ws":
        path = "/ws"
        said |= {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(b"0123456789abcdef").decode(),
        }
    said |= {name.replace("_", "-"): value for name, value in fields.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in said.items() if value is not None)
    status, _, body = raw(map, f"GET {path} HTTP/1.1\r\n{head}\r\n".encode())
    return status, body


IN = {"http": 200, "ws": 101}


@pytest.mark.parametrize("way", ["http", "ws"])
def test_the_right_request_is_let_in(map: Client, way: str) -> None:
    origin = f"http://127.0.0.1:{map.port}"
    assert ask(map, way)[0] == IN[way]
    assert ask(map, way, Origin=origin, Sec_Fetch_Site="same-origin")[0] == IN[way]
    assert ask(map, way, Host=f"localhost:{map.port}", Origin=f"http://localhost:{map.port}")[0] == IN[way]
    assert ask(map, way, Host=f"[::1]:{map.port}")[0] == IN[way]


@pytest.mark.parametrize("way", ["http", "ws"])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1:{port}.evil.example",
        "127.0.0.1",
        "127.0.0.1:1",
        "localhost6:{port}",
        "0.0.0.0:{port}",
        "127.1:{port}",
        "0177.0.0.1:{port}",
        "2130706433:{port}",
        "user@127.0.0.1:{port}",
        "127.0.0.1:{port}, evil.example",
        "LOCALHOST:{port}",
        "[::1",
        "",
        "é.example",
        "x" * 5000,
    ],
)
def test_another_host_is_refused(map: Client, way: str, host: str) -> None:
    status, body = ask(map, way, Host=host.replace("{port}", str(map.port)))
    assert 400 <= status < 500
    assert b"evil" not in body


@pytest.mark.parametrize("way", ["http", "ws"])
def test_exactly_one_host_is_asked_for(map: Client, way: str) -> None:
    assert ask(map, way, Host=None)[0] == 400
    # A second Host beside the right one must not let the wrong one through.
    assert ask(map, way, host="evil.example")[0] == 400


@pytest.mark.parametrize("way", ["http", "ws"])
@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "http://127.0.0.1:{port}.evil.example",
        "http://evil127.0.0.1:{port}",
        "http://127.0.0.1:1",
        "http://127.0.0.1",
        "https://127.0.0.1:{port}",
        "file://",
        "http://[::1",
        "",
    ],
)
def test_another_origin_is_refused_and_gets_no_permission(map: Client, way: str, origin: str) -> None:
    assert ask(map, way, Origin=origin.replace("{port}", str(map.port)))[0] == 403


@pytest.mark.parametrize("way", ["http", "ws"])
@pytest.mark.parametrize("site", ["cross-site", "same-site", "x"])
def test_another_site_is_refused(map: Client, way: str, site: str) -> None:
    assert ask(map, way, Sec_Fetch_Site=site)[0] == 403


def test_a_link_to_the_page_may_be_followed_but_the_page_not_be_embedded(map: Client) -> None:
    visit = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert ask(map, "http", "/", Authorization=None, **visit)[0] == 200
    assert ask(map, "http", "/", Authorization=None, **{**visit, "Sec_Fetch_Dest": "iframe"})[0] == 403
    assert ask(map, "http", "/api/sessions", **visit)[0] == 403


@pytest.mark.parametrize("way", ["http", "ws"])
@pytest.mark.parametrize(
    "said",
    [None, "", "Bearer", "Bearer ", "Bearer wrong", "Bearer {token}x", "Bearer {half}", "Basic {token}", "Bearer é中"],
)
def test_without_the_token_nobody_comes_in(map: Client, way: str, said: str | None) -> None:
    if said is not None:
        said = said.replace("{token}", map.token).replace("{half}", map.token[:-1])
    status, body = ask(map, way, Authorization=said)
    assert status == 401
    assert map.token.encode() not in body


def test_a_page_shows_its_token_as_a_subprotocol(map: Client) -> None:
    assert ask(map, "ws", Authorization=None, Sec_WebSocket_Protocol=f"lingbot.v1, token.{map.token}")[0] == 101
    assert ask(map, "ws", Authorization=None, Sec_WebSocket_Protocol="lingbot.v1, token.wrong")[0] == 401
    assert ask(map, "http", Authorization=None, Sec_WebSocket_Protocol=f"token.{map.token}")[0] == 401


def test_what_is_open_says_nothing(map: Client) -> None:
    map.say("a secret", session="very private")
    for path in ("/", "/healthz", "/static/app.js", "/static/nothing"):
        _, body = ask(map, "http", path, Authorization=None)
        assert b"private" not in body
        assert map.token.encode() not in body
    assert ask(map, "http", "/healthz", Authorization=None) == (200, b'{"status":"ok"}')
    for path in (
        "/docs",
        "/openapi.json",
        "/api/stats",
        "/.env",
        "/static/../security.py",
        "/static/%2e%2e/security.py",
    ):
        status, body = ask(map, "http", path, Authorization=None)
        assert status in (401, 404)
        assert b"token" not in body.replace(b"The token is missing", b"")


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PUT", "PATCH", "OPTIONS", "FOO", "POST", "DELETE"])
def test_the_page_can_only_be_got(map: Client, method: str) -> None:
    head = f"Host: 127.0.0.1:{map.port}\r\nAuthorization: Bearer {map.token}\r\nConnection: close\r\n"
    status, headers, _ = raw(map, f"{method} / HTTP/1.1\r\n{head}\r\n".encode())
    assert 400 <= status < 500
    assert "access-control-allow-origin" not in headers


def test_every_answer_carries_the_headers_that_keep_it_inert(map: Client) -> None:
    nonces = set()
    for path in ("/", "/", "/api/sessions", "/healthz", "/api/nothing", "/static/nothing"):
        _, _, headers = map.ask("GET", path)
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        nonces |= set(re.findall(r"'nonce-([^']+)'", policy))
    assert len(nonces) == 2, "a nonce for each time the page is served"
    _, page, headers = map.ask("GET", "/")
    (nonce,) = re.findall(r"'nonce-([^']+)'", headers["content-security-policy"])
    for tag in re.findall(rb"<script[^>]*>", page):
        assert b'nonce="' + nonce.encode() + b'"' in tag
    assert not re.search(rb"""(src|href)=["']/""", page), "relative addresses: the page works below any path"


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(b"A: b\r\n" * 200, id="200 headers"),
        pytest.param(b"A: " + b"b" * 20_000 + b"\r\n", id="a header of 20 kB"),
        pytest.param(b"".join(b"X-%d: %s\r\n" % (i, b"y" * 8000) for i in range(200)), id="1.6 MB of headers"),
        pytest.param(b"A: " + b"b" * 3_000_000, id="a header without end"),
    ],
)
@pytest.mark.parametrize("upgrade", [b"", b"Connection: Upgrade\r\nUpgrade: websocket\r\n"])
def test_heads_are_bounded(map: Client, head: bytes, upgrade: bytes) -> None:
    host = b"Host: 127.0.0.1:%d\r\n" % map.port
    status, _, _ = raw(map, b"GET / HTTP/1.1\r\n" + host + upgrade + head + b"\r\n")
    assert status == 431  # 0: cut while we were still sending
    assert map.get("/healthz") == {"status": "ok"}


def test_an_address_of_a_megabyte_is_refused(map: Client) -> None:
    status, _, _ = raw(map, b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")
    assert status == 431


def test_bodies_are_bounded_whether_they_say_their_length_or_not(map: Client) -> None:
    head = (
        f"POST /ingest HTTP/1.1\r\nHost: 127.0.0.1:{map.port}\r\nAuthorization: Bearer {map.token}\r\n"
        "Content-Type: application/json\r\nConnection: close\r\n"
    ).encode()
    assert raw(map, head + b"Content-Length: 200000000\r\n\r\n")[0] == 413
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    assert raw(map, head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 20 + b"0\r\n\r\n")[0] == 413
    assert raw(map, head + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")[0] == 400
    assert raw(map, head + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}")[0] == 415


@pytest.mark.parametrize("leaving", ["", "Connection: close\r\n"])
@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(
    ("path", "kind", "token", "status"),
    [
        ("/ingest", "application/json", "", 413),
        ("/api/sessions/x", "application/json", "", 413),
        ("/ingest", "application/json", "wrong", 401),
        ("/api/import", "text/plain", "", 415),
    ],
)
def test_a_client_that_sends_too_much_sees_why_and_no_reset(
    map: Client, path: str, kind: str, token: str, status: int, chunked: bool, leaving: str
) -> None:
    size = 8 << 20
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}"
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{map.port}\r\nAuthorization: Bearer {token or map.token}\r\n"
        f"Content-Type: {kind}\r\n{leaving}{length}\r\n\r\n"
    ).encode()
    body = b" " * 0x10000
    piece = b"10000\r\n" + body + b"\r\n" if chunked else body
    with socket.create_connection(("127.0.0.1", map.port), timeout=PATIENCE) as connection:
        connection.sendall(head)
        for _ in range(size // len(body)):  # all of it, before it looks for an answer
            connection.sendall(piece)
        with connection.makefile("rb") as answer:
            said = answer.read()  # and the map closes, since it has not read the body
    assert said.startswith(b"HTTP/1.1 %d " % status), said[:40]
    assert json.loads(said.partition(b"\r\n\r\n")[2])["error"]


def flood(connection: socket.socket) -> None:
    for _ in range(100_000):
        connection.sendall(b" " * 0x10000)


@pytest.mark.parametrize("path", ["/ingest", "/api/import?name=x"])
def test_who_leaves_before_all_is_said_is_no_fault(
    path: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = "json" if path == "/ingest" else "octet-stream"
    left = threading.Event()
    receive = security._Bounded.__call__

    async def noticed(self: Any) -> Any:
        message = await receive(self)
        if message["type"] == "http.disconnect":
            left.set()
        return message

    monkeypatch.setattr(security._Bounded, "__call__", noticed)
    with running() as (_, map):
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{map.port}\r\nAuthorization: Bearer {map.token}\r\n"
            f"Content-Type: application/{kind}\r\nContent-Length: 100\r\n\r\n{{"
        ).encode()
        with socket.create_connection(("127.0.0.1", map.port)) as leaving:
            leaving.sendall(head)
        assert left.wait(PATIENCE)
        assert map.get("/healthz") == {"status": "ok"}
    assert "fault" not in caplog.text


def test_nobody_is_heard_out_for_ever(map: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedHttp, "_unheard", 1 << 20)
    head = f"POST /ingest HTTP/1.1\r\nHost: 127.0.0.1:{map.port}\r\nContent-Length: 900000000\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", map.port), timeout=PATIENCE) as connection:
        connection.sendall(head)
        assert connection.recv(12) == b"HTTP/1.1 401"
        with pytest.raises(ConnectionError):
            flood(connection)


def test_a_connection_whose_bodies_were_read_goes_on(map: Client) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", map.port, timeout=PATIENCE)
    for _ in range(2):
        fields = {"Authorization": f"Bearer {map.token}", "Content-Type": "application/json"}
        connection.request("POST", "/ingest", b"{}", fields)
        answer = connection.getresponse()
        assert (answer.status, answer.will_close, bool(answer.read())) == (400, False, True)
    connection.close()


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_what_a_form_could_send_is_refused(map: Client, kind: str) -> None:
    for path in ("/ingest", f"/api/sessions/{'0' * 32}", "/api/import"):
        status, _, _ = map.ask("POST", path, b'{"v":1}', {"Content-Type": kind})
        assert status in (404, 415)


def test_a_proxys_address_is_let_in_exactly() -> None:
    shown = door("t", 8700, public_urls=["https://map.example.org/deep/"])

    def asked(*headers: tuple[bytes, bytes]) -> int:
        refusal = examine(shown, {"type": "http", "method": "GET", "path": "/", "headers": list(headers)})
        return 0 if refusal is None else refusal.status

    host = (b"host", b"map.example.org")
    assert asked(host) == 0
    assert asked(host, (b"origin", b"https://map.example.org")) == 0
    assert asked(host, (b"origin", b"http://map.example.org")) == 403
    assert asked((b"host", b"map.example.org:8700")) == 403


def test_refusals_are_one_plain_sentence(map: Client) -> None:
    for fields in ({"Host": "evil"}, {"Origin": "null"}, {"Authorization": None}):
        _, body = ask(map, "http", **fields)
        said = json.loads(body)
        assert list(said) == ["error"]
        assert re.fullmatch(r"[A-Z][^\n]{10,120}\.", said["error"])
