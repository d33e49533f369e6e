"""The map mounted in the bot's own server: one process, one port, a path below it, and the same gate."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from websockets import Subprotocol
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

import lingbot_web
from lingbot_map.errors import BadInput, DataFolderBusy
from lingbot_map.store import key_of
from lingbot_probes import Probe
from lingbot_web.beacon import serving
from lingbot_web.mounting import Mounted
from tests.live.server import PATIENCE, Client, wait_for
from tests.web.asked import folders


@contextmanager
def bot(
    data: Path | None = None, *, with_lifespan: bool = True, path: str = "/tools/map", **more: Any
) -> Iterator[tuple[Mounted, Client, Probe]]:
    """A bot with a chat route and its map, served by uvicorn as people serve them."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        probe = Probe("bot", "http://127.0.0.1:1")
        map = lingbot_web.app(probe, url=f"http://127.0.0.1:{port}{path}", data=data, **more)

        @probe.turn
        def reply(session: str, text: str) -> str:
            return f"you said {text}"

        async def chat(request: Request) -> Response:
            return PlainTextResponse(reply("call-1", (await request.body()).decode()))

        outer = Starlette(
            routes=[Route("/chat", chat, methods=["POST"]), Mount(path, map)],
            lifespan=map.lifespan if with_lifespan else None,
        )
        server = uvicorn.Server(uvicorn.Config(outer, log_config=None, access_log=False))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            wait_for(lambda: server.started, "the bot's server")
            yield map, Client(port, map.token), probe
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            probe.close()
        assert not thread.is_alive()


def shown(client: Client) -> set[str]:
    """What was said in the call, as the map holds it."""
    status, frame, _ = client.ask("GET", f"/tools/map/api/sessions/{key_of('call-1')}/keyframe")
    return set(frame["nodes"]["label"]) if status == 200 else set()


def test_what_is_said_to_the_bot_is_on_the_map_below_its_path(tmp_path: Path) -> None:
    with bot(tmp_path / "data") as (map, client, _):
        assert client.ask("POST", "/chat", b"hello")[1] == b"you said hello"
        wait_for(lambda: {"hello", "you said hello"} <= shown(client), "the turn on the map")
        status, page, _ = client.ask("GET", "/tools/map/")
        assert status == 200
        assert b"static/" in page
        assert map.address.startswith(f"http://127.0.0.1:{client.port}/tools/map/#t=")


def test_a_viewer_follows_over_the_bots_own_server(tmp_path: Path) -> None:
    with bot(tmp_path / "data") as (map, client, _):
        client.ask("POST", "/chat", b"one")
        wait_for(lambda: len(shown(client)) >= 2, "the turn on the map")
        offers = [Subprotocol("lingbot.v1"), Subprotocol(f"token.{map.token}")]
        address = f"ws://127.0.0.1:{client.port}/tools/map/ws?session={key_of('call-1')}"
        with connect(address, subprotocols=offers, open_timeout=PATIENCE) as viewer:
            hello = json.loads(viewer.recv(PATIENCE))
            viewer.send(json.dumps({"epoch": hello["epoch"], "after": hello["seq"]}))
            client.ask("POST", "/chat", b"two")
            texts = ""
            while "you said two" not in texts:
                texts += str(viewer.recv(PATIENCE))
        with pytest.raises(InvalidStatus):
            connect(address, subprotocols=[Subprotocol("lingbot.v1")], open_timeout=PATIENCE)


def test_the_gate_stands_before_the_map_and_not_before_the_bot(tmp_path: Path) -> None:
    with bot(tmp_path / "data") as (_, client, _):
        stranger = Client(client.port, "wrong")
        assert stranger.ask("GET", "/tools/map/api/sessions")[0] == 401
        assert client.ask("GET", "/tools/map/api/sessions", headers={"Host": "elsewhere.example"})[0] == 403
        assert client.ask("GET", "/tools/map/api/sessions", headers={"Origin": "http://elsewhere.example"})[0] == 403
        assert stranger.ask("POST", "/chat", b"hi")[0] == 200


def test_without_a_lifespan_it_starts_when_it_is_asked_for_and_has_what_was_said_before() -> None:
    with bot(with_lifespan=False) as (_, client, probe):
        client.ask("POST", "/chat", b"early")
        wait_for(lambda: probe.stats()["why"], "a probe that has nobody to send to")
        wait_for(lambda: {"early", "you said early"} <= shown(client), "what was said before")


def test_commands_find_it_and_its_recording_is_whole_after_its_end(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with bot(data) as (map, client, _):
        client.ask("POST", "/chat", b"hello")
        wait_for(lambda: len(shown(client)) >= 2, "the turn on the map")
        light = serving(data)
        assert light is not None
        assert light.address() == map.address
        with pytest.raises(DataFolderBusy) as busy:
            lingbot_web.app(url="http://127.0.0.1:9/map", data=data)
        assert "several workers" in busy.value.__notes__[0]
        with pytest.raises(
            BadInput, match=r"^data: expected a data folder that can be written, found .*lock \(a file\)"
        ):
            lingbot_web.app(url="http://127.0.0.1:9/map", data=data / "lock")
    assert serving(data) is None
    with bot(data) as (_, client, _):
        wait_for(lambda: "you said hello" in shown(client), "the recording again")


@pytest.mark.parametrize(
    "url",
    ["", "map", "/map", "ftp://127.0.0.1/map", "http://u:p@127.0.0.1/", "http://127.0.0.1:0/", "http://127.0.0.1/#t"],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="url: expected the address at which it will be opened"):
        lingbot_web.app(url=url)


def test_an_address_that_others_reach_needs_https_or_a_word() -> None:
    with pytest.raises(BadInput, match="url: expected https for an address that other machines reach"):
        lingbot_web.app(url="http://bot.example.org/map")
    for map in (
        lingbot_web.app(url="https://bot.example.org/map"),
        lingbot_web.app(url="http://bot.example.org/map", insecure_remote=True),
    ):
        assert "bot.example.org/map/#t=" in map.address


def test_a_bound_that_is_none_is_refused_by_its_name() -> None:
    with pytest.raises(BadInput, match=r"^keep: expected an age such as 7d"):
        lingbot_web.app(url="http://127.0.0.1/map", keep=["7 potatoes"])


def test_what_can_be_asked_beside_the_sessions_is_named_there_too(tmp_path: Path) -> None:
    diagram, graph, docs = folders(tmp_path)
    with pytest.raises(BadInput, match="nothing there"):
        lingbot_web.app(url="http://127.0.0.1/map", ask_docs=[tmp_path / "nowhere"])
    with bot(ask_diagrams=[diagram], ask_graphs=[graph], ask_docs=[docs]) as (_, client, _):
        said = client.get("/tools/map/api/ask/bases")
    assert [base["kind"] for base in said["bases"]] == ["diagram", "graph", "docs", "chains"]


def test_what_is_asked_there_is_recorded_beside_the_bots_calls(tmp_path: Path) -> None:
    _, graph, _ = folders(tmp_path)
    body = json.dumps({"base": "graph:films", "question": "谁执导了星河彼岸？"}).encode()
    with bot(tmp_path / "data", ask_graphs=[graph], ask_record=True) as (_, client, _):
        client.ask("POST", "/chat", b"hello")
        status, text, _ = client.ask("POST", "/tools/map/api/ask", body, {"content-type": "application/json"})
        assert status == 200
        told = json.loads(text.splitlines()[-1])["recorded"]
        assert told["turn"] == 1
        wait_for(lambda: "you said hello" in shown(client), "the bot's own call")
        found = {each["key"] for each in client.get("/tools/map/api/sessions")["sessions"]}
        assert found == {told["session"], key_of("call-1")}
    with bot(tmp_path / "data") as (_, client, _):
        asked = wait_for(lambda: client.get(f"/tools/map/api/sessions/{told['session']}"), "the recording")
        assert asked["ended_at"] is not None
