"""A folder of Burr's tracker goes in by the command line as it lies on the disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.samples.test_importers_burr import ABOUT, GRAPH, ROWS, app


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command line, with nothing of this machine's map."""
    env = {**os.environ, "XDG_RUNTIME_DIR": str(cwd), "TERM": "dumb", "NO_COLOR": "1"}
    words = [sys.executable, "-m", "lingbot_web", *arguments]
    return subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, timeout=60, check=False)


def test_a_folder_its_log_and_the_rows_in_one_file_are_the_same_session(tmp_path: Path) -> None:
    folder = app(tmp_path / "project" / "chat-1", ROWS)
    done = command("import", str(tmp_path / "project"), "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (session,) = json.loads(done.stdout)["sessions"]
    assert session["new"] == session["events"] > 10
    about = {**ABOUT, "app_id": "chat-1"}
    (tmp_path / "rows.jsonl").write_text("\n".join(json.dumps(row) for row in (about, GRAPH, *ROWS)))
    for place in (folder, folder / "log.jsonl", tmp_path / "rows.jsonl"):
        again = command("import", str(place), "--json", cwd=tmp_path)
        assert again.returncode == 0, again.stderr
        (same,) = json.loads(again.stdout)["sessions"]
        assert (same["id"], same["new"]) == (session["id"], 0)


def test_a_folder_that_holds_nothing_of_it_is_refused_as_before(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = command("import", "empty", cwd=tmp_path)
    assert done.returncode != 0
    assert "expected a file, or a recording's folder" in done.stderr
