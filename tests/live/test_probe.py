"""A probe in a bot, the map beside it: in the same process, or found over HTTP."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lingbot_map.errors import StoreError
from lingbot_probes import Probe
from lingbot_web import serve
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
        assert probe.flush(5)
        client = Client(int(map.base.rsplit(":", 1)[1].strip("/")), map.token)
        heard(client)
        assert client.get("/api/stats")["sources"][0]["probe"] == "bot"
    probe.close()


def test_a_probe_finds_the_map_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with running() as (_, client):
        probe = Probe("bot", endpoint=f"http://127.0.0.1:{client.port}")
        talk(probe)
        assert probe.flush(5), probe.stats()
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
