"""What docs/mounted.md tells a new user to do shows a turn on a map below the bot's own path."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from lingbot_map.store import key_of
from tests.live.server import PATIENCE, Client, wait_for
from tests.test_docs import ROOT, SHELL, blocks, commands, run

PAGES = [ROOT / "docs" / name for name in ("mounted.md", "mounted.zh.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_bot_of_the_page_carries_its_map(page: Path) -> None:
    shell = [block for block in SHELL if block.path == page and block.how == "mounted"]
    start, say = (next(iter(commands(block.text))) for block in shell)
    assert start[0] == "python"
    assert say[0] == "curl"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-W", "error", start[1], str(port)]
    bot = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert bot.stdout is not None
        found = re.search(rf"http://127\.0\.0\.1:{port}/map/#t=([\w-]+)", bot.stdout.readline())
        assert found
        client = Client(port, found[1])
        wait_for(lambda: _answers(client), "the bot")
        path = say[2].partition(":8000")[2]
        status, answer, _ = client.ask("POST", path, say[say.index("-d") + 1].encode())
        assert (status, answer) == (200, {"text": "fibre: 99 a month"})
        labels = wait_for(lambda: _labels(client, json.loads(say[-1])["session"]), "the turn on the map")
        assert {"what is the price of fibre", "fibre: 99 a month", "price_query", "product"} <= labels
    finally:
        bot.terminate()
        bot.communicate(timeout=PATIENCE)


def _answers(client: Client) -> bool:
    try:
        return client.ask("GET", "/map/healthz")[0] == 200
    except ConnectionError:
        return False


def _labels(client: Client, session: str) -> set[str]:
    status, frame, _ = client.ask("GET", f"/map/api/sessions/{key_of(session)}/keyframe")
    labels = set(frame["nodes"]["label"]) if status == 200 else set()
    return labels if "fibre: 99 a month" in labels else set()


@pytest.mark.parametrize("block", [b for b in blocks("python") if b.how == "mounted"], ids=str)
def test_the_lines_of_the_page_make_an_app(block: object, tmp_path: Path) -> None:
    text = getattr(block, "text", "")
    done = run(sys.executable, "-W", "error", "-c", text, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "http://127.0.0.1:8000/map/#t=" in done.stdout
