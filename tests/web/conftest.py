"""Fixtures of the command line's tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lingbot_web.cli import run
from tests.web.commands import TRACKER, Command, Done


@pytest.fixture
def tracker(tmp_path: Path) -> Path:
    path = tmp_path / "tracker.json"
    path.write_text(json.dumps(TRACKER))
    return path


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in an empty folder, in this process: what ``main`` does, without starting Python each time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))

    def call(*arguments: str) -> Done:
        capfd.readouterr()
        code = run(arguments)
        return Done(code, *capfd.readouterr())

    return call
