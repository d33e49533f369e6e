"""The test that the page writes from what a reader picked runs as it is: against the recording, and against the bot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lingbot_map import codec
from lingbot_map.testing import Opened, open_maps

ROOT = Path(__file__).resolve().parents[2]
CASES = sorted((ROOT / "snapshots" / "cases").iterdir())
SCRIPT = """
import { readFileSync } from 'node:fs';
import { assertionFor } from 'lb/assertion';
import { DialogueMap } from 'lb/fold';
const { keyframe, picked, lang } = JSON.parse(readFileSync(0, 'utf8'));
const { setLang } = await import('lb/i18n');
setLang(lang);
const map = DialogueMap.fromKeyframe(keyframe);
process.stdout.write(JSON.stringify(picked.map((selection) => assertionFor(map, selection, Infinity))));
"""


def written(opened: Opened, picked: list[dict[str, Any] | None], lang: str = "en") -> list[str]:
    """What the page writes for each thing picked."""
    told = {"keyframe": json.loads(codec.keyframe(opened.map)), "picked": picked, "lang": lang}
    done = subprocess.run(
        ["node", "--import", "./tests/js/names.mjs", "--input-type=module", "--eval", SCRIPT],
        input=json.dumps(told).encode(),
        capture_output=True,
        check=True,
        timeout=60,
        cwd=ROOT,
    )
    texts: list[str] = json.loads(done.stdout)
    return texts


def ran(folder: Path, tests: list[str], *options: str) -> subprocess.CompletedProcess[str]:
    """A pytest of its own over the texts, each as a file, with our plugin and no other."""
    for number, text in enumerate(tests):
        (folder / f"test_{number}.py").write_text(text, "utf-8")
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "300", "PY_COLORS": "0"}
    environment["PYTHONPATH"] = os.pathsep.join(str(ROOT / part) for part in (".", "probes", "web"))
    command = [sys.executable, "-m", "pytest", "-p", "lingbot_web.pytest_plugin", "-W", "error", *options]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(params=CASES, ids=lambda path: path.name[:6])
def case(request: pytest.FixtureRequest) -> tuple[Path, Opened]:
    (opened,) = open_maps(request.param)
    return request.param / "events.jsonl", opened


def test_a_test_made_from_a_finding_fails_on_the_recording_that_shows_it(
    case: tuple[Path, Opened], tmp_path: Path
) -> None:
    path, opened = case
    findings = list(opened.map.findings.values())
    picked: list[dict[str, Any] | None] = [
        {"kind": "finding", "id": finding.id, "turn": finding.turn, "seq": finding.seq} for finding in findings
    ]
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    done = ran(tmp_path, written(opened, picked, "zh"), f"--dialogue-recording={path}")
    assert f"{len(findings)} failed" in done.stdout, done.stdout + done.stderr
    assert "passed" not in done.stdout
    for finding in findings:
        assert f"turn {finding.turn}: expected no {finding.kind} finding, found" in done.stdout


def test_a_test_of_what_was_recorded_holds_on_the_recording(case: tuple[Path, Opened], tmp_path: Path) -> None:
    path, opened = case
    map = opened.map
    picked: list[dict[str, Any] | None] = [None]
    for kind in ("slot", "intent", "doc", "answer"):
        nodes = [node for node in map.nodes.values() if node.kind == kind]
        picked += [{"kind": "node", "id": node.id, "turn": map.turn // 2, "seq": 0} for node in nodes[:2]]
    picked += [{"kind": "turn", "id": f"utterance:{turn}", "turn": turn, "seq": 0} for turn in (2, map.turn)]
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    done = ran(tmp_path, written(opened, picked), f"--dialogue-recording={path}")
    assert f"{len(picked)} passed" in done.stdout, done.stdout + done.stderr


def test_a_test_that_the_page_wrote_asks_the_bot_that_the_settings_name(tmp_path: Path) -> None:
    (opened,) = open_maps(next(case for case in CASES if "slot-pollution" in _head(case)))
    (finding,) = [f for f in opened.map.findings.values() if f.kind == "overwrite"]
    text = written(opened, [{"kind": "finding", "id": finding.id, "turn": finding.turn, "seq": finding.seq}])
    (tmp_path / "my_bot.py").write_text(BOT)
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\nlingbot_bot = my_bot:reply\n")
    for mended, result in ((True, "1 passed"), (False, "1 failed")):
        (tmp_path / "mended").write_text("yes" if mended else "")
        done = ran(tmp_path, text)
        assert result in done.stdout, done.stdout + done.stderr


BOT = """
from pathlib import Path

from lingbot_probes import Probe

probe = Probe("bot")
slots = probe.observed({"brand": ""})


@probe.turn
def reply(session_id, text):
    if "星舟" in text and "轻语" not in text:
        slots["brand"] = "星舟"
    elif "轻语" in text and not Path("mended").read_text():
        slots["brand"] = "轻语"
    return "ok"
"""


def _head(case: Path) -> str:
    with (case / "events.jsonl").open(encoding="utf-8") as lines:
        return lines.readline()
