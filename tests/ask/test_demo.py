"""Ask as a demo bot: what it asks itself, what a person asks it, and how it ends."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from lingbot_map.ask.demo import bot, story
from lingbot_map.testing import record


def _flushed(_seconds: float) -> bool:
    """Goes on once everything has arrived."""
    return not bot.probe.flush(10)


def test_the_story_is_the_same_each_time_and_shows_what_it_promises() -> None:
    said = []
    for run in ("one", "two"):
        with record(bot.probe) as recording:
            desk = bot.Desk()
            asked = bot.run_demo(desk, lang="en", pace=0, run=run, stop=_flushed)
            desk.close()
        assert asked == sum(len(topic.questions) for topic in story.TOPICS)
        maps = [recording.map(name) for name in recording.sessions]
        assert [map.about["meta"]["language"] for map in maps] == ["en", "en", "en", "zh", "zh", "zh"]
        assert all(map.about["ended_because"] == "stopped" for map in maps)
        assert all("intent:abstained" in map.nodes for map in maps)
        found = {finding.kind for map in maps for finding in map.findings.values()}
        assert found == {"overwrite"}  # a name that is bound anew; nothing lost, nothing failed, no leak
        said.append([[node.label for node in map.nodes.values() if node.kind == "answer"] for map in maps])
    assert said[0] == said[1]


@pytest.mark.parametrize("lang", story.LANGUAGES)
def test_labels_are_in_the_language_of_the_question(lang: str) -> None:
    with record(bot.probe) as recording:
        desk = bot.Desk()
        bot.run_demo(desk, lang=lang, pace=0, turns=20, stop=_flushed)
        desk.close()
    assert len(recording.sessions) == 3
    for name in recording.sessions:
        for node in recording.map(name).nodes.values():
            if node.kind in ("intent", "slot"):
                assert node.label.isascii() == (lang == "en"), node
                assert len(node.label) <= 16, node


def test_whoever_asks_on_the_page_takes_the_dialogue_over() -> None:
    topic = story.topics("zh")[0]
    with record(bot.probe) as recording:
        desk = bot.Desk()
        desk.listen()
        desk.open("page", topic)
        assert desk.ask("page", topic.questions[0])
        url = recording.map("page").about["meta"]["reply_url"]
        body = json.dumps({"sender": "page", "message": "雪芽放在哪个仓库？"}).encode()
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert "河岸仓" in json.load(answer)[0]["text"]
        assert desk.ask("page", topic.questions[1]) is None
        assert "结束" in desk.hear("of another run", "雪芽放在哪个仓库？")
        desk.close()
        assert [turn for turn in recording.map("page").turns if turn] == [1, 2]


def test_a_person_can_type(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    typed = "满多少元包邮？\n\n/graph\n雪芽放在哪个仓库？\n/nothing\n/quit\n不再读\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    with record(bot.probe) as recording:
        desk = bot.Desk()
        bot.chat(desk, "zh", run="typed")
        desk.close()
    shown = capsys.readouterr().out
    assert "满 99 元包邮" in shown
    assert "河岸仓" in shown
    assert [len(recording.map(name).turns) for name in recording.sessions] == [1, 2]


def test_the_end_of_the_input_ends_the_chat(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("Is there a car park?\n"))
    with record(bot.probe):
        bot.chat(bot.Desk(), "en")
    assert capsys.readouterr().out.endswith("\n")


def test_the_program_leaves_when_its_parent_is_gone(root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lingbot_map.ask.demo", "--pace", "0", "--parent", "1"],
        cwd=root,
        env={**os.environ, "LINGBOT_MAP": "off"},
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
