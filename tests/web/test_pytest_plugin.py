"""The plugin as a user's suite meets it: a pytest of its own, in a folder of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
Suite = Callable[..., "Ran"]

BOT = """
from lingbot_probes import Probe

probe = Probe("shop")
slots = {}


@probe.intent
def route(text):
    return ("price_query" if "much" in text else "change_plan", 0.9)


@probe.slots
def slots_of(session_id):
    return slots.setdefault(session_id, {})


@probe.retrieval(stage="reranked")
def search(text):
    return [{"id": "new", "score": 0.9}, {"id": "old", "score": 0.4}]


@probe.turn
def reply(session_id, text):
    intent = route(text)[0]
    if intent == "change_plan":
        slots_of(session_id)["plan"] = text[-1]
    return {"text": f"{slots_of(session_id).get('plan')}", "docs": [search(text)[0]["id"]]}


@probe.turn
async def areply(session_id, text):
    route(text)
    return "ok"
"""


class Ran:
    """What pytest said, and its exit code."""

    def __init__(self, done: subprocess.CompletedProcess[str], folder: Path) -> None:
        self.code = done.returncode
        self.text = done.stdout + done.stderr
        self.folder = folder

    def pages(self) -> list[Path]:
        """The pages that failures name."""
        return [Path(path) for path in re.findall(r"^E +its map as a page[^:]*: (.*)$", self.text, re.MULTILINE)]


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Runs a test file in a folder with a bot, with this plugin and no other."""

    def run(test: str, *options: str, settings: str = "") -> Ran:
        (tmp_path / "my_bot.py").write_text(BOT)
        (tmp_path / "test_it.py").write_text("from lingbot_map.testing import assert_map\n" + test)
        (tmp_path / "pytest.ini").write_text(f"[pytest]\npythonpath = .\nfilterwarnings = error\n{settings}\n")
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "300", "PY_COLORS": "0"}
        environment["PYTHONPATH"] = os.pathsep.join(str(ROOT / part) for part in (".", "probes", "web"))
        command = [sys.executable, "-m", "pytest", "-p", "lingbot_web.pytest_plugin", *options]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
        )
        return Ran(done, tmp_path)

    return run


GOOD = """
import asyncio

import my_bot


def test_a_bot(dialogue_map):
    recording = dialogue_map(my_bot.probe)
    my_bot.reply("s1", "plan B")
    assert_map(recording.map()).slot("plan").was("B", at_turn=1)
    my_bot.reply("s1", "how much")
    assert_map(recording.map()).jumped("change_plan", "price_query").recalled("new", rank_at_most=1)
    assert_map(recording.map()).has_no("findings", except_=["leak"])
    assert dialogue_map(my_bot.probe) is recording


def test_it_is_told_anew_in_each_test(dialogue_map):
    recording = dialogue_map.say(["plan C"])
    assert recording.sessions == ["regression"]
    assert_map(recording.map()).path("change_plan").slot("plan").ends_as("C")


def test_more_than_the_ring_holds(dialogue_map):
    map = dialogue_map.say([f"plan {i % 10}" for i in range(200)]).map()
    assert_map(map).never("gap")
    assert map.turn == 200
"""
ASYNC = """
import asyncio


def test_an_asynchronous_bot(dialogue_map):
    map = dialogue_map.say(["how much", "plan B"]).map()
    assert_map(map).path("price_query", "change_plan")


def test_within_a_loop(dialogue_map):
    async def talk():
        return (await dialogue_map.asay(["how much"])).map()

    assert_map(asyncio.run(talk())).path("price_query")


def test_say_within_a_loop(dialogue_map):
    async def talk():
        dialogue_map.say(["how much"])

    asyncio.run(talk())
"""
BAD = """
def test_turn_2(dialogue_map):
    map = dialogue_map.say(["plan B", "how much", "plan C", "how much"]).map()
    assert_map(map).slot("plan").was("C", at_turn=2)
"""
GOLDEN = """
def test_golden(dialogue_map):
    map = dialogue_map.say(["plan B", "how much"]).map()
    assert_map(map).matches("golden/two.jsonl")
"""


def test_a_bot_is_recorded_in_the_process_of_the_test(suite: Suite) -> None:
    ran = suite(GOOD, settings="lingbot_bot = my_bot:reply")
    assert ran.code == 0, ran.text
    assert "3 passed" in ran.text


def test_an_asynchronous_bot_is_recorded_with_and_without_a_loop(suite: Suite) -> None:
    ran = suite(ASYNC, settings="lingbot_bot = my_bot:areply\nlingbot_probe = my_bot:probe")
    assert "2 passed" in ran.text, ran.text
    assert "1 failed" in ran.text
    assert "the bot is asynchronous and so is the test: await dialogue_map.asay([...])" in ran.text


def test_a_failure_says_turn_expected_and_found_and_names_a_page_opened_there(suite: Suite) -> None:
    ran = suite(BAD, "--junit-xml", "out.xml", settings="lingbot_bot = my_bot:reply")
    assert ran.code == 1
    assert "turn 2: expected slot plan = 'C', found 'B' (written in turn 1)" in ran.text
    assert "asserting.py" not in ran.text, "the traceback ends in the user's own test"
    (page,) = ran.pages()
    assert "opened at turn 2: " in ran.text
    assert page.is_relative_to(ran.folder / ".pytest_cache")
    html = page.read_text("utf-8")
    place = re.search(r'"place":"([^"]*)"', html)
    assert place is not None
    at = re.fullmatch(r"at=(\d+)&sel=turn~2~0~utterance%3A2", place[1])
    assert at is not None
    events = re.search(r'id="file-events">(.*?)</script>', html, re.DOTALL)
    assert events is not None
    turns = [event["turn"] for event in json.loads(events[1])]
    assert turns[int(at[1]) - 1 : int(at[1]) + 1] == [2, 3], "at the end of the turn, as the claim is"
    assert "plan B" in html
    assert '"events":true' in html
    (failure,) = ElementTree.parse(ran.folder / "out.xml").iter("failure")
    assert str(page) in (failure.text or "")


def test_the_folder_of_the_pages_can_be_named(suite: Suite) -> None:
    for options, settings, folder in (
        (["--dialogue-maps=pages"], "", "pages"),
        ([], "lingbot_maps = kept/pages", "kept/pages"),
        (["-p", "no:cacheprovider"], "", ""),
    ):
        ran = suite(BAD, *options, settings=f"lingbot_bot = my_bot:reply\n{settings}")
        (page,) = ran.pages()
        assert page.stat().st_size > 100_000
        if folder:
            assert page.parent == ran.folder / folder
        else:
            page.unlink()
            page.parent.rmdir()
    (ran.folder / "file").write_text("")
    ran = suite(BAD, "--dialogue-maps=file", settings="lingbot_bot = my_bot:reply")
    assert "its map could not be written as a page: [Errno 17] File exists" in ran.text
    assert "expected slot plan = 'C'" in ran.text


def test_golden_maps_are_written_with_the_flag_and_compared_without(suite: Suite) -> None:
    settings = "lingbot_bot = my_bot:reply"
    ran = suite(GOLDEN, settings=settings)
    golden = ran.folder / "golden" / "two.jsonl"
    assert f"{golden}: there is no golden map yet; --update-golden writes it" in ran.text
    ran = suite(GOLDEN, "--update-golden", settings=settings)
    assert ran.code == 0, ran.text
    assert f"golden map written: {golden}" in ran.text
    assert suite(GOLDEN, settings=settings).code == 0
    golden.write_text(golden.read_text().replace('"plan": "B"', '"plan": "X"'))
    ran = suite(GOLDEN, settings=settings)
    assert "turn 1: expected slot plan = 'X', found = 'B'" in ran.text
    assert len(ran.pages()) == 1


def test_a_regression_test_fails_on_the_recording_of_the_incident(suite: Suite) -> None:
    cases = ROOT / "snapshots" / "cases"
    (case,) = [path for path in cases.iterdir() if "case-slot-pollution" in (path / "events.jsonl").read_text("utf-8")]
    from lingbot_map.testing import open_maps

    (opened,) = open_maps(case)
    said = [opened.map.nodes[f"utterance:{turn}"].props["text"] for turn in sorted(opened.map.turns)]
    test = f"""
SAID = {said[:17]!r}

def test_turn_17(dialogue_map):
    map = dialogue_map.say(SAID).map()
    assert map.turn == 17
    assert_map(map).never("overwrite").never("leak")
"""
    ran = suite(test, f"--dialogue-recording={case / 'events.jsonl'}")
    assert ran.code == 1
    assert "turn 17: expected no leak finding, found" in ran.text
    assert "星舟" in ran.pages()[0].read_text("utf-8")
    ran = suite(test.replace(said[3], "nobody says this"), f"--dialogue-recording={case / 'events.jsonl'}")
    assert "nobody says these 17 things one after the other in" in ran.text
    ran = suite(test, "--dialogue-recording=nothing.jsonl")
    assert re.search(r"--dialogue-recording: .*nothing\.jsonl: expected a file", ran.text)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("", "lingbot_bot = module:function"),
        ("lingbot_bot = my_bot", "lingbot_bot: expected module:name, found my_bot"),
        ("lingbot_bot = no_bot:reply", "lingbot_bot: there is no module no_bot on the path; `pythonpath = .`"),
        ("lingbot_bot = my_bot:answer", "lingbot_bot: my_bot has no answer"),
        ("lingbot_bot = my_bot:slots", "lingbot_bot: my_bot:slots is no function"),
        ("lingbot_bot = my_bot:reply\nlingbot_probe = my_bot:slots", "lingbot_probe: my_bot:slots is no Probe"),
        ("lingbot_bot = json:dumps", "lingbot_bot: json has no probes; name the one of the bot"),
    ],
)
def test_a_setting_that_is_missing_or_wrong_is_named(suite: Suite, settings: str, message: str) -> None:
    ran = suite(BAD, settings=settings)
    assert ran.code == 1
    assert message in ran.text


def test_loading_it_loads_nothing_of_the_map_and_nothing_else_that_pytest_has_not() -> None:
    code = (
        "import sys, pytest; before = set(sys.modules); import lingbot_web.pytest_plugin; "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["lingbot_web", "lingbot_web.pytest_plugin"]


def test_the_distribution_names_it_to_pytest() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"lingbot": "lingbot_web.pytest_plugin"}
    assert any(need.startswith("pytest>=") for need in project["optional-dependencies"]["pytest"])
