"""The runner of the torture drivers: none is forgotten, a failure is one, and Ctrl-C leaves nothing behind."""

from __future__ import annotations

import ast
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests.live.server import PATIENCE, wait_for
from tests.torture import __main__ as runner
from tests.torture.driver import PYTHON, ROOT


def test_every_driver_is_run_once() -> None:
    named = set()
    for path in (ROOT / "tests" / "torture").glob("*.py"):
        functions = [node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef)]
        if any(each.name == "run" and each.returns and ast.unparse(each.returns) == "Report" for each in functions):
            named.add(path.stem)
    assert sorted(named) == sorted(driver.name for driver in runner.DRIVERS)


def test_a_driver_that_breaks_down_has_failed(capfd: pytest.CaptureFixture[str]) -> None:
    outcome = runner.run(runner.Driver("no_such_driver"), long=False, seed="1")
    assert outcome.failed == "broke down (a check failed)"
    assert "No module named" in outcome.said


def test_an_unknown_driver_is_refused_with_those_there_are(capfd: pytest.CaptureFixture[str]) -> None:
    assert runner.main(["kill9", "kill8"]) == 2
    assert "no such driver: kill8; there are corrupt_log, kill9" in capfd.readouterr().err


def test_a_driver_without_its_tool_fails_in_ci_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = runner.Driver("ordering", {"LB_EVENTS": "1000"}, tools=("no-such-tool",))
    assert runner.missing_in_ci(driver) == ("no-such-tool" if runner.IN_CI else "")
    monkeypatch.setattr(runner, "IN_CI", True)
    assert runner.missing_in_ci(driver) == "no-such-tool"
    assert runner.missing_in_ci(runner.Driver("ordering", tools=("sh",))) == ""


def alive(group: int) -> list[int]:
    """The processes of a group that run; one that ended may stand in the list until somebody asks for its exit code."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has gone meanwhile
            state, _, its_group = (folder / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                found.append(int(folder.name))
    return found


def test_ctrl_c_ends_it_with_all_that_it_started() -> None:
    def children(pid: int) -> list[int]:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    with subprocess.Popen(
        [PYTHON, "-m", "tests.torture", "soak"], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            (driver,) = wait_for(lambda: children(process.pid), "the driver")
            wait_for(lambda: children(driver), "what the driver starts")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=6 * PATIENCE)
        finally:
            process.kill()
    assert process.returncode == 130
    assert "stopped during soak" in out
    assert err == ""
    wait_for(lambda: not alive(driver), "the end of all that it started")
