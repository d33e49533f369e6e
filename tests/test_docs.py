"""What the READMEs say is true: their Python runs, their commands exist with these options, their links lead somewhere.

A comment on the line before a fenced block says how it is tested where its language alone does not:
``<!-- test: served -->`` runs it while a real map server listens, ``<!-- test: run -->`` runs a shell block.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
READMES = sorted(
    path
    for pattern in ("*.md", "*/*.md", "*/*/*.md")
    for path in ROOT.glob(pattern)
    if not {"node_modules", ".venv", "cases", "samples"} & set(path.relative_to(ROOT).parts)
)
BIN = Path(sys.executable).parent

FENCE = re.compile(
    r"(?:^<!-- test: (?P<how>[a-z]+) -->\n)?^```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"")
PICTURE_LIMIT = 300 * 1024


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: where it stands, its language, how it is to be tested, its text."""

    path: Path
    line: int
    language: str
    how: str
    text: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def blocks(*languages: str) -> list[Block]:
    """The blocks of all READMEs in one of ``languages``."""
    found = []
    for path in READMES:
        text = path.read_text("utf-8")
        for match in FENCE.finditer(text):
            if match["language"] in languages:
                line = text.count("\n", 0, match.start("text"))
                found.append(Block(path, line, match["language"], match["how"] or "", match["text"]))
    return found


def commands(text: str) -> Iterator[list[str]]:
    """The commands of a shell block as words; prompts, comments, settings before a command and ``&`` are left out."""
    for line in text.replace("\\\n", " ").splitlines():
        for part in re.split(r"\s(?:&&|\||&)(?:\s|$)", line.strip().removeprefix("$ ")):
            words = shlex.split(part, comments=True)
            while words and re.match(r"[A-Z_]+=", words[0]):
                words = words[1:]
            if words:
                yield words


SHELL = blocks("bash", "sh", "shell", "console")


@pytest.mark.parametrize("block", SHELL, ids=str)
def test_a_command_that_a_readme_shows_exists(block: Block) -> None:
    for words in commands(block.text):
        check_command(words)


def check_command(words: list[str]) -> None:
    """Fails unless the command is one that we know to be there, with these options."""
    match words:
        case ["make", *targets]:
            known = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
            asked = {word for word in targets if "=" not in word}
            assert asked <= known, f"make knows no {asked - known}"
        case ["lingbot-map", *rest]:
            check_options(rest)
        case [("pip" | "python" | "python3"), *rest] if "install" in rest:
            check_install(rest[rest.index("install") + 1 :])
        case [("python" | "python3"), "-m", "venv", _]:
            pass
        case [("python" | "python3"), "-m", ("bench" | "tests") as module, *_]:
            assert (ROOT / module / "__main__.py").exists()
        case [("python" | "python3"), name]:
            assert name == "bot.py" or (ROOT / name).exists(), f"there is no {name}"
        case ["pytest", *_] | ["git", "clone", *_] | ["cd", _] | ["jq", *_] | ["grep", *_] | ["curl", *_]:
            pass
        case ["." | "source", *_]:
            pass
        case _:
            pytest.fail(f"teach this test what to make of: {shlex.join(words)}")


def check_install(what: list[str]) -> None:
    """Only the project itself is installed in a README, and only with extras that it has."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for word in what:
        if word.startswith("-"):
            continue
        match = re.fullmatch(r"(?:lingbot-map|\.)(?:\[([a-z,]+)\])?", word)
        assert match, f"{word} is not this project"
        asked = set((match[1] or "").split(",")) - {""}
        assert asked <= set(extras), f"no such extra: {asked - set(extras)}"


def check_options(words: list[str]) -> None:
    """The sub-command is there and its help names each option."""
    names = [word for word in words if not word.startswith("-")][:1]
    shown = help_of(*names)
    for word in words:
        if word.startswith("-"):
            option = word.partition("=")[0]
            assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", shown), f"{names} has no {option}:\n{shown}"


def help_of(*names: str) -> str:
    """The help of a sub-command; fails where there is none of that name."""
    done = subprocess.run(
        [BIN / "lingbot-map", *names, "--help"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1", "PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("path", READMES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_and_pictures_lead_somewhere(path: Path) -> None:
    for match in LINK.finditer(path.read_text("utf-8")):
        target = (match[1] or match[2]).partition("#")[0]
        if not target or "://" in target or target.startswith("mailto:"):
            continue
        there = path.parent / target
        assert there.exists(), f"{target} leads nowhere"
        if there.suffix in (".png", ".gif", ".jpg", ".svg"):
            assert there.stat().st_size < PICTURE_LIMIT, f"{target} is heavier than {PICTURE_LIMIT} bytes"


def test_both_languages_show_the_same_commands_and_the_same_code() -> None:
    english, chinese = ROOT / "README.md", ROOT / "README.zh.md"

    def shown(path: Path) -> list[list[str]]:
        return [words for block in SHELL if block.path == path for words in commands(block.text)]

    def code(path: Path) -> list[str]:
        return [without_text(block.text) for block in blocks("python") if block.path == path]

    assert shown(english) == shown(chinese)
    assert code(english) == code(chinese)


def without_text(source: str) -> str:
    """Python without its comments and the contents of its strings: what must be the same in both languages."""
    return re.sub(r'"[^"\n]*"', '""', re.sub(r"\s*#[^\n]*", "", source))
