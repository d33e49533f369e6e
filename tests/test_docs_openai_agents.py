"""What docs/openai-agents.md tells a new user to do puts a bot on the map: its blocks are run against a real one."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from lingbot_map.importers import columns_of
from lingbot_probes.adapters.openai_agents import meaning
from tests.live.server import running, wait_for
from tests.test_docs import ROOT, SHELL, Block, blocks, commands, run

PYTHON = blocks("python")
RUNS = (
    "\nfrom tests.live.agents_bot import Agent, Runner, Scripted, say\nfrom agents import RunConfig\nimport asyncio\n"
)


@pytest.mark.parametrize("block", [block for block in SHELL if block.how == "agents"], ids=str)
def test_the_bot_of_the_page_shows_up_on_the_map(block: Block, tmp_path: Path) -> None:
    (script,) = (words[1:] for words in commands(block.text) if words[0] == "python")
    with running(tmp_path / "data") as (map, client):
        where = {"LINGBOT_ENDPOINT": map.base, "LINGBOT_TOKEN": map.token, "PYTHONPATH": str(ROOT)}
        done = run(sys.executable, "-W", "error", *script, cwd=ROOT, **where)
        assert done.returncode == 0, done.stderr
        assert "it is on the map" in done.stdout
        (session,) = wait_for(lambda: client.get("/api/sessions")["sessions"], "a session")
        frame = client.keyframe(session["id"])["nodes"]
    assert (session["turns"], session["missing"]) == (4, 0)
    assert session["findings"] == {"failure": 1}, "the guardrail, and nothing else"
    assert {id.partition(":")[0] for id in frame["id"]} == {"utterance", "intent", "slot", "doc", "answer"}
    assert {"front desk", "product expert"} <= set(frame["label"])
    assert frame["label"].count("[content not captured]") == 1, "the turn that no model was called in, as the page says"


@pytest.mark.parametrize("block", [block for block in PYTHON if block.how == "agents"], ids=str)
def test_the_lines_of_the_page_attach_a_bot(block: Block, tmp_path: Path) -> None:
    talk = "agent = Agent(name='desk', model=Scripted(say('hi')))\n"
    talk += "asyncio.run(Runner.run(agent, 'hello', run_config=RunConfig(group_id='call-17')))\n"
    with running(tmp_path / "data") as (map, client):
        where = {"LINGBOT_ENDPOINT": map.base, "LINGBOT_TOKEN": map.token, "PYTHONPATH": str(ROOT)}
        where["OPENAI_API_KEY"] = ""  # the SDK's own export says that it has none, and goes nowhere
        done = run(sys.executable, "-c", block.text + RUNS + talk, cwd=ROOT, **where)
        assert done.returncode == 0, done.stderr
        (session,) = wait_for(lambda: client.get("/api/sessions")["sessions"], "a session")
        assert (session["id"], session["turns"]) == ("call-17", 1)
        assert wait_for(lambda: "hi" in client.keyframe("call-17")["nodes"]["label"], "the answer")


def test_the_page_opens_what_it_says() -> None:
    for name in ("openai-agents.md", "openai-agents.zh.md"):
        text = (ROOT / "docs" / name).read_text("utf-8")
        assert len(re.findall(r"^lingbot-map open ", text, re.MULTILINE)) == 3
        assert len(re.findall(r"^lingbot-map tail ", text, re.MULTILINE)) == 1
        (mapping,) = re.findall(r"--map (\S+)", text)
        assert columns_of([mapping]) == meaning({"search_docs": "vector", "rerank": ""}, ["update_seat"])
