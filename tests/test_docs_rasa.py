"""What docs/rasa.md tells a new user to do puts a bot on the map: its blocks are run against a real one."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest

from lingbot_probes.rasa import MapBroker
from lingbot_web.tail_queue import EXCHANGE, QUEUE
from tests.live.server import running, wait_for
from tests.probes.test_rasa_broker import EndpointConfig, loaded
from tests.samples.imports import opened
from tests.test_docs import BIN, ROOT, SHELL, Block, blocks, commands, run

PAGES = ("rasa.md", "rasa.zh.md")
MINE = [block for block in SHELL if block.how == "rasa"]


@pytest.mark.parametrize("block", MINE, ids=str)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_example_of_the_page_shows_up_on_the_map(block: Block, lang: str, tmp_path: Path) -> None:
    (words,) = commands(block.text)
    with running(tmp_path / "data") as (map, client):
        where = {"LINGBOT_ENDPOINT": map.base, "LINGBOT_TOKEN": map.token, "XDG_STATE_HOME": str(tmp_path)}
        if words[0] == "python":
            done = run(sys.executable, "-W", "error", *words[1:], "--lang", lang, cwd=ROOT, **where)
        else:
            done = run(str(BIN / words[0]), *words[1:], "--endpoint", f"{map.base}#t={map.token}", cwd=ROOT, **where)
            assert "Following" in done.stdout
        assert done.returncode == 0, done.stderr
        assert "nothing is on the map" not in done.stdout
        (session,) = wait_for(lambda: client.get("/api/sessions")["sessions"], "a session")
        nodes = client.keyframe(session["id"])["nodes"]["id"]
    assert (session["turns"], session["missing"]) == (6, 0)
    assert session["findings"] == {"loop": 2}, "the form that asks again and again, from either end, and nothing else"
    assert {"intent:pizza_form", "intent:order_salad", "slot:address"} <= set(nodes)


def test_the_lines_of_the_example_are_what_its_bot_publishes(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    done = run(sys.executable, "docs/examples/rasa_bot.py", "--to", str(path), cwd=ROOT)
    assert done.returncode == 0, done.stderr
    (now,), (then,) = opened(path), opened(ROOT / "docs/examples/rasa_events.jsonl")
    assert [item.signal for item in now.items] == [item.signal for item in then.items]


@pytest.mark.parametrize("block", [block for block in blocks("yaml") if block.path.name in PAGES], ids=str)
def test_the_entry_of_the_page_makes_a_broker(block: Block) -> None:
    found = dict(re.findall(r"^  (\w+): (\S+)", block.text, re.MULTILINE))
    assert block.text.startswith("event_broker:\n")
    broker = asyncio.run(loaded(EndpointConfig(found["type"], found["url"])))
    assert type(broker) is MapBroker
    assert broker.probe.stats()["to"] == found["url"]


@pytest.mark.parametrize("name", PAGES)
def test_the_page_names_what_is_so(name: str) -> None:
    text = (ROOT / "docs" / name).read_text("utf-8")
    assert f"`{EXCHANGE}`" in text
    assert f"`{QUEUE}`" in text
    anchors = {re.sub(r"[^\w-]", "", head.lower().replace(" ", "-")) for head in re.findall(r"^## (.+)$", text, re.M)}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= anchors


def test_both_pages_show_the_same_commands() -> None:
    shown = [[words for block in SHELL if block.path.name == name for words in commands(block.text)] for name in PAGES]
    assert shown[0] == shown[1]
    assert json.dumps(shown[0]).count("tail") >= 5
