"""Talking to the bot from the page: what goes to it, what comes back, and where nothing may go."""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from lingbot_map.pipeline import Pipeline
from lingbot_map.store import key_of
from lingbot_map.store.index import Index
from lingbot_map.store.memory import MemoryStore
from lingbot_web import reply
from lingbot_web.reply import Channel, Replies, Unsent, channel_of
from tests.live.server import Client, running, wait_for

SESSION = "退款 call/1"
PATH = f"/api/sessions/{key_of(SESSION)}/reply"


@pytest.fixture
def map() -> Iterator[Client]:
    with running() as (_, client):
        yield client


class Bot:
    """A bot's REST channel: keeps what it is sent and answers ``raw``, or leaves it to ``act``."""

    def __init__(self) -> None:
        self.raw = answer([{"recipient_id": SESSION, "text": "好的"}])
        self.act: Callable[[socket.socket], None] | None = None
        self.heard: list[bytes] = []
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/webhooks/rest/webhook?x=1"

    def message(self) -> Any:
        """The last message, and its head."""
        head, _, body = self.heard[-1].partition(b"\r\n\r\n")
        return head.decode().split("\r\n"), json.loads(body)


def answer(value: Any, status: str = "200 OK", *headers: str) -> bytes:
    """An HTTP answer."""
    body = value if type(value) is bytes else json.dumps(value).encode()
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


@contextmanager
def listening() -> Iterator[Bot]:
    """A bot on a free port of this machine."""
    bot = Bot()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            heard = b""
            while b"\r\n\r\n" not in heard or b"}" not in heard:
                data = self.request.recv(65536)
                if not data:
                    return
                heard += data
            bot.heard.append(heard)
            if bot.act is not None:
                bot.act(self.request)
            else:
                self.request.sendall(bot.raw)

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        bot.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield bot
        server.shutdown()
        thread.join()


@pytest.fixture
def bot() -> Iterator[Bot]:
    with listening() as bot:
        yield bot


def begin(map: Client, url: str, n: int = 1, session: str = SESSION) -> None:
    """The session begins, and names ``url``."""
    signal = {"kind": "session_started", "meta": {"channel": "test", "reply_url": url}}
    map.send([{"session": session, "n": n, "signal": signal}])


def refusal(map: Client, text: str = "我想退款") -> tuple[int, str]:
    """(status, sentence) of a message that does not get through."""
    status, said = map.post(PATH, {"text": text})
    assert status >= 400
    assert said["code"].isalpha()
    return status, said["error"]


def test_what_is_typed_reaches_the_bot_and_its_answer_comes_back(map: Client, bot: Bot) -> None:
    begin(map, bot.url)
    bot.raw = answer([{"recipient_id": SESSION, "text": "好的"}, {"image": "http://x/y.png"}, {"text": "还有吗？"}])
    assert map.post(PATH, {"text": "我想退款\n谢谢"}) == (200, {"answers": ["好的", "还有吗？"]})
    head, message = bot.message()
    assert message == {"sender": SESSION, "message": "我想退款\n谢谢"}
    assert head[0] == "POST /webhooks/rest/webhook?x=1 HTTP/1.1"
    fields = dict(line.lower().split(": ", 1) for line in head[1:])
    assert fields["host"] == f"127.0.0.1:{bot.port}"
    assert fields["content-type"] == "application/json"
    assert "authorization" not in fields
    assert "cookie" not in fields


def test_a_session_under_a_pseudonym_is_not_the_one_that_the_bot_knows(map: Client, bot: Bot) -> None:
    masked = "whatsapp:[phone:0123456789]"
    begin(map, bot.url, session=masked)
    status, said = map.post(f"/api/sessions/{key_of(masked)}/reply", {"text": "hello"})
    assert (status, said["code"]) == (409, "masked")
    assert "masked" in said["error"]
    assert bot.heard == []


def test_an_answer_in_chunks_or_until_the_end_is_an_answer(map: Client, bot: Bot) -> None:
    begin(map, bot.url)
    bot.raw = (
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[{"te\r\ne\r\nxt": "in two"}\r\n1\r\n]\r\n0\r\n\r\n'
    )
    assert map.post(PATH, {"text": "a"}) == (200, {"answers": ["in two"]})
    bot.raw = b'HTTP/1.0 200 OK\r\n\r\n[{"text": "to the end"}]'
    assert map.post(PATH, {"text": "a"}) == (200, {"answers": ["to the end"]})


def test_a_session_without_an_address_says_so(map: Client) -> None:
    map.say("hello", session=SESSION)
    assert refusal(map) == (404, "The bot of this session names no reply address.")
    status, _ = map.post(f"/api/sessions/{'0' * 32}/reply", {"text": "a"})
    assert status == 404


def test_an_imported_session_can_not_be_talked_to(bot: Bot) -> None:
    about = {"meta": {"reply_url": bot.url}}
    assert channel_of({**about, "origin": "import:rasa"}) is None
    assert channel_of({**about, "origin": "case"}) is None
    assert channel_of({**about, "origin": "probe"}) is not None


@pytest.mark.parametrize(
    "body", [{"text": ""}, {"text": "  \n"}, {"text": 3}, {"text": "a", "sender": "b"}, {}, [], "text"]
)
def test_a_message_is_a_text(map: Client, bot: Bot, body: Any) -> None:
    begin(map, bot.url)
    assert map.post(PATH, body)[0] == 400
    assert bot.heard == []


def test_a_message_has_a_bound(map: Client, bot: Bot) -> None:
    begin(map, bot.url)
    assert refusal(map, "字" * 1366) == (413, "A message may have at most 4,096 bytes.")
    assert map.post(PATH, {"text": "字" * 1365})[0] == 200


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "//127.0.0.1/",
        "127.0.0.1:5005",
        "http://user:word@127.0.0.1:5005/",
        "http://@127.0.0.1:5005/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:0/",
        "http://127.0.0.1:x/",
        "http:///path",
        "http://[::1/",
        "http://ex ample/",
        "http://a..b/",
        "http://./",
        "http://.a/",
        "http://a../",
        "http://" + "a" * 64 + ".example/",
        "http://" + "a." * 130 + "example/",
        "http://127.0.0.1/a b",
        "http://127.0.0.1/ü",
        "http://bücher.example/",
        "http://127.0.0.1/" + "a" * 3000,
        "javascript:alert(1)",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(Unsent) as refused:
        channel_of({"meta": {"reply_url": url}})
    assert (refused.value.status, refused.value.code) == (422, "address")


@pytest.mark.parametrize("host", ["localhost", "localhost.", "a" * 63 + ".my_bot", "[::1]", "127.0.0.1"])
def test_an_address_that_is_one_is_taken(host: str) -> None:
    channel = channel_of({"meta": {"reply_url": f"http://{host}/"}})
    assert channel is not None
    assert channel.host == host.strip("[]")
    channel.host.encode("idna")  # what a look-up does with it first


@pytest.mark.parametrize(
    "host", ["192.0.2.1", "0.0.0.0", "[::]", "169.254.169.254", "10.0.0.1", "[::ffff:192.0.2.1]", "[fe80::1]"]
)
def test_only_this_machine_is_called(map: Client, bot: Bot, host: str) -> None:
    begin(map, f"http://{host}:{bot.port}/")
    status, sentence = refusal(map)
    assert status == 403
    assert "not this machine" in sentence
    assert "--reply-host" in sentence
    assert bot.heard == []


async def test_a_host_that_was_allowed_is_called_under_that_name_alone() -> None:
    pipeline = Pipeline(MemoryStore(), Index(None))
    replies = Replies(pipeline, ["Bots.Example", "192.0.2.7"])
    assert await replies._addresses(Channel(False, "192.0.2.7", 80, "/")) == ["192.0.2.7"]
    assert await replies._addresses(Channel(False, "127.0.0.1", 80, "/")) == ["127.0.0.1"]
    with pytest.raises(Unsent):
        await replies._addresses(Channel(False, "192.0.2.8", 80, "/"))


def test_a_redirect_is_not_followed(map: Client, bot: Bot) -> None:
    with listening() as other:
        begin(map, bot.url)
        bot.raw = answer(b"", "307 Temporary Redirect", f"Location: {other.url}")
        status, sentence = refusal(map)
        assert (status, "not followed" in sentence) == (502, True)
        assert other.heard == []


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (answer(b"{}", "500 Internal Server Error"), "refused the message (500)"),
        (answer(b"no json"), "not a list of messages"),
        (answer({"text": "no list"}), "not a list of messages"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "is not HTTP"),
        (b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nx", "is not HTTP"),
        (b"", "does not answer"),
        (answer(b"[" + b" " * reply.MAX_ANSWER + b"]"), "more than"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 60_000, "more than"),
    ],
)
def test_what_goes_wrong_is_one_sentence(map: Client, bot: Bot, raw: bytes, sentence: str) -> None:
    begin(map, bot.url)
    bot.raw = raw
    status, said = refusal(map)
    assert status == 502
    assert sentence in said
    assert "\n" not in said
    bot.raw = answer([{"text": "again"}])
    assert map.post(PATH, {"text": "a"}) == (200, {"answers": ["again"]})


def test_a_bot_that_is_away_is_said_to_be(map: Client, bot: Bot) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        begin(map, f"http://127.0.0.1:{taken.getsockname()[1]}/")
        status, said = refusal(map)
    assert status == 502
    assert said.endswith("does not answer; is it running?")
    begin(map, bot.url, 2)
    assert map.post(PATH, {"text": "a"})[0] == 200


def test_a_bot_that_drips_runs_out_of_time(map: Client, bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reply, "SECONDS", 0.5)
    done = threading.Event()

    def drip(connection: socket.socket) -> None:
        try:
            connection.sendall(b"HTTP/1.1 200 OK\r\n")
            while not done.wait(0.05):
                connection.sendall(b"X: y\r\n")
        except OSError:
            done.set()

    begin(map, bot.url)
    bot.act = drip
    status, said = refusal(map)
    assert (status, "did not answer within" in said) == (504, True)
    assert done.wait(10), "the connection was let go"


def test_when_the_page_goes_the_bot_is_let_go(map: Client, bot: Bot) -> None:
    gone = threading.Event()

    def hold(connection: socket.socket) -> None:
        if connection.recv(1) == b"":
            gone.set()

    begin(map, bot.url)
    bot.act = hold
    with socket.create_connection(("127.0.0.1", map.port)) as page:
        body = b'{"text": "a"}'
        page.sendall(
            f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{map.port}\r\nAuthorization: Bearer {map.token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        wait_for(lambda: bot.heard, "the message at the bot")
    assert gone.wait(10)


def test_a_few_may_wait_and_no_more(map: Client, bot: Bot) -> None:
    free = threading.Event()
    begin(map, bot.url)

    def wait(connection: socket.socket) -> None:
        free.wait(10)
        connection.sendall(answer([]))

    bot.act = wait
    results: list[int] = []
    threads = [
        threading.Thread(target=lambda: results.append(map.post(PATH, {"text": "a"})[0])) for _ in range(reply.AT_ONCE)
    ]
    for thread in threads:
        thread.start()
    wait_for(lambda: len(bot.heard) == reply.AT_ONCE, "all messages at the bot")
    assert refusal(map)[0] == 503
    free.set()
    for thread in threads:
        thread.join()
    assert results == [200] * reply.AT_ONCE
    bot.act = None
    assert map.post(PATH, {"text": "a"})[0] == 200


def test_the_door_stands_before_it(map: Client, bot: Bot) -> None:
    begin(map, bot.url)
    token, map.token = map.token, "wrong"
    assert map.post(PATH, {"text": "a"})[0] == 401
    map.token = token
    body = json.dumps({"text": "a"}).encode()
    assert map.ask("POST", PATH, body, {"Content-Type": "text/plain"})[0] == 415
    assert map.ask("POST", PATH, body, {"Content-Type": "application/json", "Origin": "https://evil.example"})[0] == 403
    assert bot.heard == []
