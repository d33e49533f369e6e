"""The rules of the house, as far as a machine can see them."""

from __future__ import annotations

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("probes/lingbot_probes", "lingbot_map", "web/lingbot_web")

LONG = 400
LONG_FOR_A_REASON: dict[str, str] = {}
"""Modules over the limit, each with the reason why it is better whole."""

DRAWERS = re.compile(r"^(utils?|commons?|helpers?|managers?|misc|base)\.(py|js|mjs)$")

TEXT = {
    ".py",
    ".js",
    ".mjs",
    ".json",
    ".toml",
    ".md",
    ".html",
    ".css",
    ".txt",
    ".cfg",
    ".ini",
    ".yml",
    ".yaml",
    ".jsonl",
    "",
}

# Spelt in pieces, so that this file does not name what it forbids.
MACHINE_PATH = re.compile(r"(?<![\w.:/~-])/(?:root|work|farm|home/\w+|Users/\w+)/")
REGISTRY_HOST = re.compile(
    r"pypi\.or" + r"g|pythonhosted\.or" + r"g|npmjs\.(?:or" + r"g|com)|deb\.debia" + r"n", re.IGNORECASE
)
DOWNLOAD = re.compile(r"https?://[^\s\"'<>]+(?:/simple/|\.whl|\.tgz|\.tar\.gz)|\"resolved\": *\"http|index-ur" + r"l")


@cache
def tracked() -> tuple[Path, ...]:
    """The files that git knows or would take, as they stand in the folder; every file where there is no git."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("not a git checkout")
    paths = (ROOT / name for name in done.stdout.decode().split("\0") if name)
    return tuple(sorted(path for path in paths if path.is_file()))


def named(path: Path) -> str:
    """The path as the messages show it."""
    return path.relative_to(ROOT).as_posix()


def code(*suffixes: str) -> list[Path]:
    """Tracked files with one of ``suffixes``."""
    return [path for path in tracked() if path.suffix in suffixes]


def lines_with(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    """``file:line: text`` for each line of ``paths`` that ``pattern`` is found in."""
    found = []
    for path in paths:
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{named(path)}:{number}: {line.strip()[:160]}")
    return found


def text_files() -> list[Path]:
    """Tracked files meant to be read, recordings included."""
    return [path for path in tracked() if path.suffix in TEXT]


def test_a_module_over_400_lines_knows_why() -> None:
    long = {
        named(path): lines
        for path in code(".py", ".js", ".mjs")
        if (lines := len(path.read_text("utf-8").splitlines())) > LONG
    }
    unexplained = {name: lines for name, lines in long.items() if name not in LONG_FOR_A_REASON}
    assert unexplained == {}, "split it, or give the reason in LONG_FOR_A_REASON"
    no_longer = [name for name in LONG_FOR_A_REASON if name not in long]
    assert no_longer == [], "short again: take it off the list"


def test_there_is_no_drawer_that_everything_ends_up_in() -> None:
    assert [named(path) for path in tracked() if DRAWERS.match(path.name)] == []


def test_no_test_sleeps() -> None:
    calls = []
    for path in code(".py"):
        if not named(path).startswith("tests/"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("time.sleep", "sleep"):
                calls.append(f"{named(path)}:{node.lineno}: {ast.unparse(node)}")
    assert calls == [], "wait for a condition with a deadline"


def test_no_tracked_file_names_a_path_of_a_machine() -> None:
    assert lines_with(MACHINE_PATH, text_files()) == []


def test_no_tracked_file_names_a_registry_or_a_download() -> None:
    assert lines_with(REGISTRY_HOST, text_files()) == []
    assert lines_with(DOWNLOAD, text_files()) == []


def test_pinned_versions_are_names_and_versions_only() -> None:
    pins = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line and not line.startswith("#")]
    assert pins
    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.+!]*", pin)] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_everything_public_says_what_it_promises(package: str) -> None:
    silent = []
    for path in code(".py"):
        name = named(path)
        if not name.startswith(f"{package}/"):
            continue
        tree = ast.parse(path.read_text("utf-8"), str(path))
        if tree.body and not ast.get_docstring(tree):
            silent.append(name)
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                silent += [f"{name}:{line}: {what}" for line, what in undocumented(node)]
    assert silent == []


def undocumented(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[tuple[int, str]]:
    """Public definitions at the top of a module without a docstring; overloads are said once, by the last."""
    if node.name.startswith("_") or any("overload" in ast.unparse(mark) for mark in node.decorator_list):
        return []
    return [] if ast.get_docstring(node) else [(node.lineno, node.name)]
