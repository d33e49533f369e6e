"""What docs/otlp.md tells a new user to do puts a bot on the map: its blocks are run against a real one.

``<!-- test: otlp -->`` before a block of Python or of a shell: it runs while a map listens, told of it by the two
variables that the page is about.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.live.server import running, wait_for
from tests.test_docs import ROOT, SHELL, Block, blocks, commands, run, without_text

PYTHON = blocks("python")
PAGES = [ROOT / "docs" / name for name in ("otlp.md", "otlp.zh.md")]


@pytest.mark.parametrize("block", [block for block in (*SHELL, *PYTHON) if block.how == "otlp"], ids=str)
def test_a_bot_that_only_sends_spans_shows_up_on_the_map(block: Block, tmp_path: Path) -> None:
    scripts = [["-c", block.text]] if block.language == "python" else started_in(block)
    with running(tmp_path / "data") as (map, client):
        where = {
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{map.base.rstrip('/')}/v1/traces",
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS": f"Authorization=Bearer%20{map.token}",
        }
        for script in scripts:
            done = run(sys.executable, "-W", "error", *script, cwd=ROOT, **where)
            assert done.returncode == 0, done.stderr
        (session,) = wait_for(lambda: client.get("/api/sessions")["sessions"], "a session")
        frame = client.keyframe(session["id"])
    assert session["turns"] > 0
    assert not session["missing"]
    assert not session["id"].startswith("trace "), "the example names its session"
    assert "unheard" not in [lack["code"] for lack in frame["about"]["lost"]]
    assert {id.partition(":")[0] for id in frame["nodes"]["id"]} == {"utterance", "intent", "doc", "answer"}


def started_in(block: Block) -> list[list[str]]:
    """The scripts that a shell block starts."""
    found = [words[1:] for words in commands(block.text) if words[0] == "python"]
    assert found, f"{block} starts nothing"
    return found


def test_both_languages_show_the_same_commands_and_the_same_code() -> None:
    english, chinese = (
        (
            [words for block in SHELL if block.path == page for words in commands(block.text)],
            [without_text(block.text) for block in PYTHON if block.path == page],
        )
        for page in PAGES
    )
    assert english == chinese
    assert english[0]
    assert english[1]
