"""What docs/langgraph.md tells a new user to do puts a bot on the map: its blocks are run against a real one.

``<!-- test: langgraph -->`` before a block of Python or of a shell: it runs while a map listens.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from lingbot_map.store import key_of
from tests.live.server import running, wait_for
from tests.test_docs import BIN, ROOT, SHELL, Block, blocks, commands, run, without_text

PYTHON = blocks("python")
PAGES = [ROOT / "docs" / name for name in ("langgraph.md", "langgraph.zh.md")]
KINDS = {"utterance", "intent", "slot", "doc", "answer"}


@pytest.mark.parametrize("block", [block for block in (*SHELL, *PYTHON) if block.how == "langgraph"], ids=str)
def test_a_graph_of_the_page_shows_up_on_the_map(block: Block, tmp_path: Path) -> None:
    with running(tmp_path / "data") as (map, client):
        where = {"LINGBOT_ENDPOINT": map.base, "LINGBOT_TOKEN": map.token}
        todo = [["python", "-c", block.text]] if block.language == "python" else list(commands(block.text))
        for name, *words in todo:
            if name == "python":
                words[:1] = [str(ROOT / words[0])] if words[0].endswith(".py") else words[:1]
                command = [sys.executable, "-W", "error", *words]
            else:
                command = [str(BIN / name), *words, "--data", str(tmp_path / "other")]
            done = run(*command, cwd=tmp_path, **where)
            assert done.returncode == 0, done.stderr
            assert "refused" not in done.stdout
        (session,) = wait_for(lambda: client.get("/api/sessions")["sessions"], "a session")
        frame = client.keyframe(session["id"])
        events = client.get(f"/api/sessions/{key_of(session['id'])}/events")["events"]
    assert not session["missing"]
    assert session["id"].startswith("call-")
    kinds = {id.partition(":")[0] for id in frame["nodes"]["id"]}
    assert kinds == KINDS if block.language == "bash" else kinds == {"utterance", "intent", "answer"}
    assert not {"loop", "failure", "gap"} & {finding["kind"] for finding in frame["findings"]}
    if block.language == "bash":
        assert session["turns"] == 3
        assert session["findings"] == {"overwrite": 4}, "the page says what is red, and why"
        assert [event["signal"]["why"] for event in events if event["signal"]["kind"] == "undone"] == ["fork"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_bot_speaks_both_languages(lang: str, tmp_path: Path) -> None:
    done = run(
        sys.executable, "-W", "error", str(ROOT / "docs/examples/langgraph_bot.py"), "--lang", lang,
        cwd=tmp_path, LINGBOT_MAP="off",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert bool(re.search("[一-鿿]", done.stdout)) == (lang == "zh")


def test_both_languages_show_the_same_commands_and_the_same_code() -> None:
    english, chinese = (
        (
            [words for block in SHELL if block.path == page for words in commands(block.text)],
            [without_text(block.text) for block in PYTHON if block.path == page],
            len(re.findall(r"^\|", page.read_text("utf-8"), re.MULTILINE)),
        )
        for page in PAGES
    )
    assert english == chinese
    assert all(english)
