"""A probe in a bot, the map beside it: in the same process, or found over HTTP."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.errors import BadInput, StoreError
from lingbot_map.store import key_of
from lingbot_probes import Probe
from lingbot_web import serve
from lingbot_web.running import Serving
from tests.live.server import Client, running, wait_for


def talk(probe: Probe) -> None:
    @probe.turn
    def reply(text: str, session_id: str) -> str:
        route(text)
        return f"you said {text}"

    @probe.intent
    def route(text: str) -> tuple[str, float]:
        return ("greet", 0.9)

    reply("hello", "desk")


def heard(client: Client) -> None:
    def labels() -> list[str]:
        status, frame, _ = client.ask("GET", "/api/sessions?q=desk")
        assert status == 200
        if not frame["sessions"]:
            return []
        found: list[str] = client.keyframe("desk")["nodes"]["label"]
        return found if "you said hello" in found else []

    assert set(wait_for(labels, "the answer")) == {"hello", "greet", "you said hello"}


def test_serve_shows_a_probe_of_the_same_process() -> None:
    probe = Probe("bot")
    with serve(probe) as map:
        talk(probe)
        assert probe.flush(20)
        client = Client(int(map.base.rsplit(":", 1)[1].strip("/")), map.token)
        heard(client)
        assert client.get("/api/stats")["sources"][0]["probe"] == "bot"
    probe.close()


def test_a_probe_finds_the_map_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with running() as (_, client):
        probe = Probe("bot", endpoint=f"http://127.0.0.1:{client.port}")
        talk(probe)
        assert probe.flush(20), probe.stats()
        heard(client)
        probe.close()


def test_serve_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with serve(data=tmp_path / "data") as map:
        assert f"#t={map.token}" in map.url
        assert map.token not in repr(map)
        assert list(tmp_path.glob("lingbot-map-*/*"))
    assert list(tmp_path.glob("lingbot-map-*/*")) == []
    map.stop()  # a second time does nothing
    with serve(data=tmp_path / "data"):  # the folder is free again
        pass


def test_the_folder_of_the_files_must_be_ours_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / f"lingbot-map-{os.getuid()}").mkdir(mode=0o777)
    (tmp_path / f"lingbot-map-{os.getuid()}").chmod(0o777)
    with pytest.raises(StoreError, match="0700"):
        serve()


def client_of(map: Serving) -> Client:
    return Client(int(map.base.rsplit(":", 1)[1].strip("/")), map.token)


def test_serve_flushes_and_keeps_as_the_command_does(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with serve(data=data, fsync="always", keep=["30d", "20GB"]) as map:
        client = client_of(map)
        wait_for(lambda: client.get("/healthz")["status"] == "ok", "recovery")
        for n in range(20):
            client.say(f"turn {n}", session="new")
            recording = map.pipeline.store.open(key_of("new"))
            assert recording.synced_seq == recording.last_seq, "what is acknowledged is safe from a power cut"
        client.send([{"session": "new", "n": 21, "signal": {"kind": "session_ended"}}])
        kept = client.get("/api/stats")["keep"]
        assert (kept["age"], kept["size"]) == (30 * 86_400, 20 * 10**9)
    with serve(data=data, keep="1 kB") as map:
        client = client_of(map)
        wait_for(lambda: client.get("/api/stats")["keep"]["pruned"] == 1, "what is too large to go")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"fsync": "never"}, "^fsync: expected batch or always, found never$"),
        ({"keep": "soon"}, "^keep: expected an age such as 7d, a size such as 20GB, or one of each, found soon; min"),
        ({"keep": ["1d", "2d"]}, "^keep: .* found another age"),
        ({"keep": "30d", "data": None}, "^keep: expected a folder .* found none; give data=FOLDER$"),
        ({"fsync": "always", "data": None}, "^fsync: expected a folder .* found none; give data=FOLDER$"),
    ],
)
def test_serve_refuses_what_the_command_refuses(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        serve(**{"data": tmp_path / "data", **options})
    assert not (tmp_path / "data").exists()


def test_a_port_that_is_taken_leaves_the_folder_free(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        with pytest.raises(BadInput, match="a free port"):
            serve(data=tmp_path / "data", port=taken.getsockname()[1])
        serve(data=tmp_path / "data").stop()
