"""What somebody who follows the pages counts on: each command is explained, and git passes over what is written."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_docs import LINK, READMES, ROOT, SHELL, Block, commands, help_of, run

WRITTEN = ("--out", "--junit", "--sarif", "--golden")
TABLE = re.findall(r"^\| `(\w+)\b([^`]*)` \|", (ROOT / "web" / "README.md").read_text("utf-8"), re.MULTILINE)
"""Command and options of each row of the table of commands; rows of other tables are among them."""


def test_each_command_stands_in_the_table_with_options_that_it_has() -> None:
    names = re.findall(r"^  ([a-z]+)  ", help_of().partition("Commands:")[2], re.MULTILINE)
    rows = dict(TABLE)
    assert len(names) > 10
    assert not set(names) - set(rows), "a command is explained nowhere"
    for name in names:
        lacking = set(re.findall(r"--[a-z-]+", rows[name])) - set(re.findall(r"--[a-z-]+", help_of(name)))
        assert not lacking, f"{name} has no {lacking}"


@pytest.mark.parametrize("block", [block for block in SHELL if block.how in ("run", "langgraph")], ids=str)
def test_git_passes_over_what_the_commands_of_a_page_write(block: Block) -> None:
    for words in commands(block.text):
        files = [words[place + 1] for place, word in enumerate(words) if word in WRITTEN]
        if "--record" in words and "ask" not in words:  # what is asked goes into a data folder
            name = words[words.index("--record") + 1]
            files += [f"{name}.events.jsonl", f"{name}.history.json"]
        for file in files:
            done = subprocess.run(["git", "check-ignore", "-q", file], cwd=ROOT, check=False)
            assert done.returncode in (0, 128), (
                f"git shows {file}, which {words[:2]} writes, as new"
            )  # 128: no checkout


@pytest.mark.parametrize("path", [path for path in READMES if path.name.endswith(".zh.md")], ids=lambda path: path.name)
def test_a_chinese_page_leads_to_chinese_pages_where_there_are_some(path: Path) -> None:
    own = path.name.replace(".zh.md", ".md")
    for match in LINK.finditer(path.read_text("utf-8")):
        target = (match[1] or match[2]).partition("#")[0]
        if target.endswith(".md") and not target.endswith(".zh.md") and target != own:
            assert not (path.parent / target).with_suffix(".zh.md").exists(), f"{target} is there in Chinese, too"


EXAMPLES = sorted(set((ROOT / "docs" / "examples").glob("*_bot.py")) - {ROOT / "docs" / "examples" / "mounted_bot.py"})
"""The bots that hold a dialogue and end; the mounted one is a server that takes a port."""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_an_example_says_what_it_takes_and_takes_nothing_else(path: Path, tmp_path: Path) -> None:
    shown = run(sys.executable, str(path), "--help", cwd=tmp_path, LINGBOT_MAP="off")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.startswith("usage: ")
    refused = run(sys.executable, str(path), "--sing", cwd=tmp_path, LINGBOT_MAP="off")
    assert refused.returncode == 2, "an option that is none was taken for something that the user said"
