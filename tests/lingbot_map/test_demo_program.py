"""The demo as a program: it talks by itself until it is told to leave, and with a person."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from lingbot_map.demo import bot
from lingbot_map.demo.probing import probe
from lingbot_map.testing import Recording, record
from lingbot_probes.signals import Retrieved


def _flushed(_seconds: float) -> bool:
    """Goes on once everything has arrived: without a pause the probe's ring of 500 events would drop some."""
    return not probe.flush(10)


def _sessions(recording: Recording, run: str) -> list[str]:
    """The sessions of ``run``; the probe is one for the whole process, and tells what it told before."""
    return [name for name in recording.sessions if f"-{run}-" in name]


def test_what_the_bot_says_of_itself_is_a_whole_map() -> None:
    with record(probe) as recording:
        assert bot.run_demo(lang="zh", pace=0, turns=42, run="whole", stop=_flushed) == 42
    story, second = _sessions(recording, "whole")
    map = recording.map(story)
    assert len(map.turns) == 40
    assert map.about["title"] == "套餐变更 · 流量争议"
    assert map.about["ended_at"] is not None
    assert recording.map(second).about["title"] == "New plan and a data dispute"

    kinds = Counter(event.signal.kind for event in recording.events[story])
    assert kinds["turn_started"] == kinds["answered"] == kinds["intent_routed"] == 40
    stages = Counter(event.signal.stage for event in recording.events[story] if isinstance(event.signal, Retrieved))
    assert set(stages) == {"vector", "keyword", "fused", "reranked", "prompt"}
    assert len(set(stages.values())) == 1
    assert stages["prompt"] > 30
    assert map.nodes["intent:change_plan"].label == "套餐变更"
    assert map.nodes["slot:brand"].label == "产品线"
    assert map.nodes["slot:phone"].props["scope"] == "session"

    found = {(finding.code, finding.turn) for finding in map.findings.values()}
    assert found == {
        ("LM201", 9),
        ("LM302", 17),
        ("LM301", 18),
        ("LM401", 21),  # one finding that grew with each retrieval, told at the newest
        ("LM402", 21),
    }


def test_the_demo_goes_on_until_it_is_stopped() -> None:
    asked: list[float] = []

    def stop(seconds: float) -> bool:
        asked.append(seconds)
        return _flushed(seconds) or len(asked) == 150

    with record(probe) as recording:
        assert bot.run_demo(lang="en", pace=2, run="long", stop=stop) == 150
    names = _sessions(recording, "long")
    assert len(names) > 4
    assert all(1.3 < seconds < 2.7 for seconds in asked)
    titles = [recording.map(name).about["title"] for name in names]
    assert len(set(titles)) == len(titles)
    assert recording.map(names[-1]).about["ended_because"] == "stopped"


def test_once_means_both_stories() -> None:
    with record(probe) as recording:
        said = bot.run_demo(pace=0, once=True, run="once", stop=_flushed)
    names = _sessions(recording, "once")
    assert len(names) == 2
    assert said == sum(len(recording.map(name).turns) for name in names)


def test_a_person_can_type(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("我想换个套餐\n\n/new\n你好\n/quit\n不再读\n"))
    with record(probe) as recording:
        bot.chat("zh", run="typed")
    shown = capsys.readouterr().out
    assert "请告诉我要办理的手机号" in shown
    assert "苇声通信" in shown
    first, second = _sessions(recording, "typed")
    assert [len(recording.map(name).turns) for name in (first, second)] == [1, 1]


def test_the_end_of_the_input_ends_the_chat(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hello\n"))
    with record(probe):
        bot.chat("en")
    assert capsys.readouterr().out.endswith("\n")


class _Map(BaseHTTPRequestHandler):
    """Takes nothing, but notices that somebody came."""

    came: threading.Event

    def do_POST(self) -> None:
        self.server.came.set()  # type: ignore[attr-defined]
        self.send_error(503)

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_program_speaks_to_its_map_and_leaves_cleanly_when_told(number: int, root: Path) -> None:
    server = HTTPServer(("127.0.0.1", 0), _Map)
    came = server.came = threading.Event()  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    child = subprocess.Popen(
        [sys.executable, "-m", "lingbot_map.demo.bot", "--pace", "30", "--parent", str(os.getpid())],
        cwd=root,
        env={
            **os.environ,
            "LINGBOT_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
            "LINGBOT_TOKEN": "t",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert came.wait(20)
        child.send_signal(number)
        out, err = child.communicate(timeout=20)
    finally:
        child.kill()
        server.shutdown()
        server.server_close()
    assert (child.returncode, out, err) == (0, b"", b"")


def test_the_program_leaves_when_its_parent_is_gone(root: Path) -> None:
    # The parent named is not its parent, as after a crash; the pace is short, so it looks at once.
    done = subprocess.run(
        [sys.executable, "-m", "lingbot_map.demo", "--pace", "0", "--parent", "1"],
        cwd=root,
        env={**os.environ, "LINGBOT_MAP": "off"},
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
