"""What goes into a bot loads nothing but the standard library, and importing anything starts nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

STAGES = {
    "lingbot_probes": Path("probes/lingbot_probes"),
    "lingbot_map": Path("lingbot_map"),
    "lingbot_web": Path("web/lingbot_web"),
}

ATTACHES = {"lingbot_probes.langchain": "LangChain: pip install 'lingbot-map[langchain]'"}
"""Modules that attach to a framework and need it, with what they say where it is missing."""

SEEN = """
import importlib, json, sys, threading
before = set(sys.modules)
for name in {names!r}:
    importlib.import_module(name)
foreign = sorted(
    name for name in set(sys.modules) - before
    if name.partition(".")[0] not in sys.stdlib_module_names and name.partition(".")[0] not in {own!r}
)
print(json.dumps({{"foreign": foreign, "threads": [t.name for t in threading.enumerate()], "handlers": [
    type(handler).__name__ for handler in __import__("logging").getLogger().handlers]}}))
"""


def modules_of(root: Path, package: str) -> list[str]:
    """The dotted names of all modules of ``package``, the ones that are run rather than imported left out."""
    folder = root / STAGES[package]
    names = []
    for path in sorted(folder.rglob("*.py")):
        if path.name == "__main__.py":
            continue
        parts = path.relative_to(folder.parent).with_suffix("").parts
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def import_fresh(names: list[str], own: list[str]) -> dict[str, list[str]]:
    """What a fresh interpreter holds after importing ``names``: foreign modules, threads, log handlers."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SEEN.format(names=names, own=own)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen: dict[str, list[str]] = json.loads(done.stdout)
    return seen


def test_importing_the_probes_loads_the_standard_library_alone(root: Path) -> None:
    names = [name for name in modules_of(root, "lingbot_probes") if name not in ATTACHES]
    seen = import_fresh(names, ["lingbot_probes"])
    assert seen["foreign"] == []


@pytest.mark.parametrize("name", ATTACHES)
def test_what_attaches_to_a_framework_says_which_is_missing(name: str) -> None:
    code = f"import sys; sys.modules['langchain_core'] = None; import {name}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr.rstrip().endswith(f"ImportError: {name} needs {ATTACHES[name]}")


def test_importing_the_probes_does_not_load_what_a_bot_may_not_have_wanted(root: Path) -> None:
    code = "import lingbot_probes, sys; print(*[m for m in ('asyncio', 'http.server', 'sqlite3') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("package", STAGES)
def test_importing_starts_no_thread_and_sets_no_log_handler(root: Path, package: str) -> None:
    seen = import_fresh(modules_of(root, package), list(STAGES))
    assert seen["threads"] == ["MainThread"]
    assert seen["handlers"] == []


def test_the_core_does_not_load_a_web_server(root: Path) -> None:
    seen = import_fresh(["lingbot_map.mapper"], ["lingbot_map", "lingbot_probes"])
    assert not {"starlette", "uvicorn", "websockets", "jinja2", "typer", "networkx"} & {
        name.partition(".")[0] for name in seen["foreign"]
    }
