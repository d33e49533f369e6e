"""What the READMEs say is true: their Python runs, their commands exist with these options, their links lead somewhere.

A comment on the line before a fenced block says how it is tested where its language alone does not:
``<!-- test: served -->`` runs Python while a real map listens and looks at what arrived, ``<!-- test: sketch -->``
only compiles it, ``<!-- test: pytest -->`` runs it as a test with our plugin, ``<!-- test: run -->`` runs the
``lingbot-map`` commands of a shell block, one after the other, and ``<!-- test: rules -->`` reads TOML as rules.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from lingbot_map.errors import UnknownFormat
from lingbot_map.importers import sniff
from lingbot_map.policy import Policy
from lingbot_map.session import Session
from lingbot_map.store.files import FileStore
from lingbot_map.testing import read_rules
from tests.live.server import running, wait_for

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
NOWHERE = "http://127.0.0.1:9"
"""A port nobody listens on: an example must not reach a map that happens to run here."""
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
        case [("python" | "python3"), name, *_]:
            assert name == "bot.py" or (ROOT / name).exists(), f"there is no {name}"
        case ["pytest", *_] | ["git", "clone", *_] | ["cd", _] | ["jq", *_] | ["grep", *_] | ["curl", *_]:
            pass
        case ["." | "source", *_]:
            pass
        case _:
            pytest.fail(f"teach this test what to make of: {shlex.join(words)}")


def check_install(what: list[str]) -> None:
    """Only the project itself is installed in a README, with extras that it has, and what an extra names."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = {re.split(r"[\[<>=~!; ]", requirement)[0] for extra in extras.values() for requirement in extra}
    for word in what:
        if word.startswith("-") or word in named - {"lingbot-map"}:
            continue
        match = re.fullmatch(r"(?:lingbot-map|\.)(?:\[([a-z,-]+)\])?", word)
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


@cache
def help_of(*names: str) -> str:
    """The help of a sub-command; fails where there is none of that name."""
    done = run(str(BIN / "lingbot-map"), *names, "--help", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("block", [block for block in SHELL if block.how == "run"], ids=str)
def test_the_commands_of_a_readme_do_what_they_say(block: Block, tmp_path: Path) -> None:
    # The examples find the committed recordings in the data folder, and the session of the bot that the README shows;
    # what they write stays here.
    shutil.copytree(ROOT / "snapshots" / "cases", tmp_path / "snapshots" / "cases")
    store = FileStore(tmp_path / "snapshots")
    Session.create(store, "call-17", policy=Policy(), facts={}, now=time.time())
    store.close()
    for words in commands(block.text):
        assert words[0] == "lingbot-map", "only our own command is run"
        done = run(str(BIN / words[0]), *words[1:], cwd=tmp_path)
        assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}\n{done.stderr}"


PYTHON = blocks("python", "py")


@pytest.mark.parametrize("block", [block for block in PYTHON if not block.how], ids=str)
def test_python_in_a_readme_runs(block: Block, tmp_path: Path) -> None:
    done = run(sys.executable, "-W", "error", "-c", block.text, cwd=tmp_path, LINGBOT_ENDPOINT=NOWHERE)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("block", [block for block in PYTHON if block.how == "pytest"], ids=str)
def test_a_test_in_a_readme_passes(block: Block, tmp_path: Path) -> None:
    (tmp_path / "test_readme.py").write_text(block.text, "utf-8")
    plugin = ("-p", "lingbot_web.pytest_plugin", "-W", "error")
    done = run(sys.executable, "-m", "pytest", *plugin, cwd=tmp_path, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("block", [block for block in blocks("toml") if block.how == "rules"], ids=str)
def test_rules_in_a_readme_are_rules(block: Block, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(block.text, "utf-8")
    assert read_rules(tmp_path / "rules.toml").rules


@pytest.mark.parametrize("block", [block for block in PYTHON if block.how == "served"], ids=str)
def test_a_bot_in_a_readme_shows_up_on_the_map(block: Block, tmp_path: Path) -> None:
    with running(tmp_path / "data") as (map, client):
        where = {"LINGBOT_ENDPOINT": map.base, "LINGBOT_TOKEN": map.token}
        done = run(sys.executable, "-W", "error", "-c", block.text, cwd=tmp_path, **where)
        assert done.returncode == 0, done.stderr
        sessions = wait_for(lambda: client.get("/api/sessions")["sessions"], "a session")
        (session,) = sessions
        ids = client.keyframe(session["id"])["nodes"]["id"]
    assert session["turns"] > 0
    assert not session["missing"]
    assert "failure" not in session["findings"]
    if block.path.parent == ROOT:
        assert session["findings"] == {"overwrite": 1}, "the first picture shows one thing that is wrong, and truly is"
        assert session["turns"] == 3
    # The example is there to show all three layers.
    assert {id.partition(":")[0] for id in ids} == {"utterance", "intent", "slot", "doc", "answer"}


@pytest.mark.parametrize("block", PYTHON, ids=str)
def test_python_in_a_readme_is_python(block: Block) -> None:
    compile(block.text, str(block), "exec")


def run(*command: str, cwd: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Runs ``command`` in ``cwd`` with ``settings`` added to the environment."""
    env = {**os.environ, "COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1", **settings}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=60, check=False)


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


FORMATS = {
    "recording": r"our own recordings|我们自己的录制",
    "rasa": "Rasa",
    "rasa-sql": "SQLite",
    "botframework": r"\.transcript",
    "chat": r"\.chat",
    "openinference": "OpenInference",
    "otlp": "OTLP JSON",
    "openai-agents": r"traces and\s+saved runs of the OpenAI Agents SDK|OpenAI Agents SDK 的追踪",
    "openai-agents-state": r"saved runs of the OpenAI Agents SDK|保存的运行状态",
    "langgraph-events": "astream_events",
    "langgraph-history": r"thread histories|线程历史",
    "langgraph-stream": r"thread histories and streams|流式输出（stream）",
    "dialogflow": "Dialogflow CX",
    "ag-ui": r"AG-UI events|AG-UI 事件",
    "burr": r"Burr's folders\s+and logs|Burr 的文件夹与日志",
    "langfuse": "Langfuse",
    "langsmith": "LangSmith",
    "atif": "ATIF",
    "sgd": "SGD",
    "crosswoz": "CrossWOZ",
    "kdconv": "KdConv",
    "star": "STAR",
}
"""How each format that is recognised is called where somebody looks for what can be opened."""


def test_what_can_be_opened_is_named_wherever_somebody_looks_for_it() -> None:
    with pytest.raises(UnknownFormat) as refused:
        sniff(b"no recording")
    assert {name for names, _ in refused.value.refusals for name in names.split(", ")} == set(FORMATS)
    places = {name: (ROOT / name).read_text("utf-8") for name in ("README.md", "README.zh.md")}
    places |= {f"{name} --help": " ".join(help_of(name).split()) for name in ("open", "import")}
    for place, text in places.items():
        missing = [format for format, word in FORMATS.items() if not re.search(word, text, re.IGNORECASE)]
        assert not missing, f"{place} says nothing of {missing}"
        for word in ("--map", "CSV"):
            assert word in text, f"{place} says nothing of tables"


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_session_that_is_forgotten_is_the_one_that_the_bot_made(name: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    bot = next(block for block in PYTHON if block.how == "served" and block.path == ROOT / name)
    made = re.findall(r'^ *reply\("([^"]+)"', bot.text, re.MULTILINE)
    assert re.findall(r"^lingbot-map forget (\S+)", text, re.MULTILINE) == made


PAIRS = [(path, there) for path in READMES if (there := path.with_suffix(".zh.md")) in READMES]


@pytest.mark.parametrize(("english", "chinese"), PAIRS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_both_languages_show_the_same_commands_and_the_same_code(english: Path, chinese: Path) -> None:

    def shown(path: Path) -> list[list[str]]:
        return [words for block in SHELL if block.path == path for words in commands(block.text)]

    def code(path: Path) -> list[str]:
        return [without_text(block.text) for block in blocks("python", "toml") if block.path == path]

    assert shown(english) == shown(chinese)
    assert code(english) == code(chinese)


def without_text(source: str) -> str:
    """Python without its comments and the contents of its strings: what must be the same in both languages."""
    return re.sub(r'"[^"\n]*"', '""', re.sub(r"\s*#[^\n]*", "", source))
