"""The one distribution, installed as users do: the wheel, and an editable checkout, each in a fresh environment."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.live.server import PATIENCE, Client, wait_for

pytestmark = pytest.mark.slow

SERVER_SIDE = ("msgspec", "orjson", "starlette", "uvicorn", "websockets", "networkx", "jinja2", "typer", "rich")


class Environment:
    """A fresh environment with nothing in it, not even pip; ``lend`` lets it see this one's packages."""

    def __init__(self, folder: Path, *, lend: bool) -> None:
        venv.create(folder, symlinks=True)
        self.bin = folder / "bin"
        self.packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
        if lend:
            # Only the folder: the .pth files in it are not read, so this checkout's editable install stays unseen.
            (self.packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def install(self, *what: str) -> None:
        """Installs with this environment's pip and no network."""
        command = ("-m", "pip", "--python", str(self.bin / "python"), "install", "--quiet", "--no-deps", "--no-index")
        run(sys.executable, *command, "--no-build-isolation", "--disable-pip-version-check", *what, cwd=self.bin)

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs a command of the environment, away from the checkout so that nothing is picked up from there."""
        return run(str(self.bin / command[0]), *command[1:], cwd=self.bin, check=check)


def run(*command: str, cwd: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs ``command`` without this process's Python settings; a failure shows its output."""
    done = subprocess.run(
        command, cwd=cwd, env=clean_environment(), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0 or not check, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done


def clean_environment() -> dict[str, str]:
    """This process's environment without its Python settings."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution: what that one lacks is lacking here."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(root), cwd=out)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment as a bot has it: the wheel and nothing else."""
    environment = Environment(tmp_path_factory.mktemp("bare"), lend=False)
    environment.install(str(wheel))
    return environment


@pytest.fixture(scope="module", params=["wheel", "editable"])
def served(
    request: pytest.FixtureRequest, wheel: Path, root: Path, tmp_path_factory: pytest.TempPathFactory
) -> Environment:
    """An environment with the server's packages, the project installed either way."""
    environment = Environment(tmp_path_factory.mktemp(request.param), lend=True)
    environment.install(*((str(wheel),) if request.param == "wheel" else ("--editable", str(root))))
    return environment


def test_the_wheel_holds_all_three_stages_and_all_that_the_page_needs(wheel: Path, root: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    for package, base in (("lingbot_probes", "probes"), ("lingbot_map", "."), ("lingbot_web", "web")):
        sources = {
            path.relative_to(root / base).as_posix()
            for path in (root / base / package).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert f"{package}/py.typed" in sources
        assert sources <= inside, "files that stay behind"
    assert any(name.startswith("lingbot_web/static/") and name.endswith(".js") for name in inside)
    assert any(name.startswith("lingbot_web/templates/") for name in inside)
    strangers = {name.split("/", 1)[0] for name in inside} - {"lingbot_probes", "lingbot_map", "lingbot_web"}
    assert all(name.endswith(".dist-info") for name in strangers), strangers


def test_the_wheel_asks_for_nothing_unless_an_extra_is_named(wheel: Path) -> None:
    files = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
    needs = [line for line in files.read(metadata).decode().splitlines() if line.startswith("Requires-Dist:")]
    assert needs
    assert [need for need in needs if "extra ==" not in need] == []


def test_the_probes_work_where_nothing_else_is_installed(bare: Environment) -> None:
    seen = bare.run("python", "-I", "-c", "import lingbot_probes; print(lingbot_probes.__file__)")
    assert Path(seen.stdout.strip()).is_relative_to(bare.packages)
    for name in SERVER_SIDE:
        assert bare.run("python", "-I", "-c", f"import {name}", check=False).returncode, f"{name} is there after all"


def test_without_the_server_extra_the_command_says_in_one_line_what_to_install(bare: Environment) -> None:
    done = bare.run("lingbot-map", "--help", check=False)
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert "lingbot-map[server]" in line


def test_the_command_runs(served: Environment) -> None:
    done = served.run("lingbot-map", "--help")
    assert "demo" in done.stdout


def test_pytest_finds_the_plugin_by_itself(served: Environment, tmp_path: Path) -> None:
    (tmp_path / "test_bot.py").write_text(
        "from lingbot_map.testing import assert_map\n"
        "from lingbot_probes import Probe\n"
        "def test_it(dialogue_map):\n"
        "    probe = Probe('bot')\n"
        "    recording = dialogue_map(probe)\n"
        "    probe.turn(lambda session_id, text: 'ok')('s', 'hello')\n"
        "    assert_map(recording.map()).has_no('findings')\n"
    )
    done = served.run("python", "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path))
    assert "1 passed" in done.stdout


def test_the_demo_runs_and_stops_when_asked(served: Environment, tmp_path: Path) -> None:
    command = (
        str(served.bin / "lingbot-map"),
        "demo",
        "--port",
        "0",
        "--pace",
        "0.1",
        "--data",
        str(tmp_path / "data"),
    )
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env=clean_environment()) as demo:
        try:
            assert demo.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)/#t=(\S+)", demo.stdout.readline())
            assert found, "the first line names the address to open"
            client = Client(int(found[1]), found[2])
            sessions = wait_for(lambda: client.get("/api/sessions")["sessions"], "the first session")
            with client.watch(sessions[0]["id"]) as viewer:
                hello = viewer.next("hello")
                viewer.place(epoch=hello["epoch"], after=hello["seq"])
                batch = viewer.next("batch")
            assert any(delta["d"] == "node" for delta in batch["deltas"])
        finally:
            demo.send_signal(signal.SIGINT)
        assert demo.wait(PATIENCE) in (0, 130), "130 is what a shell calls an interrupt"


def test_the_wheel_is_imported_from_where_it_was_installed(wheel: Path, tmp_path: Path) -> None:
    """Guards this file: the lent packages must not bring this checkout in by the back door."""
    environment = Environment(tmp_path / "one", lend=True)
    environment.install(str(wheel))
    for package in ("lingbot_probes", "lingbot_map", "lingbot_web"):
        seen = environment.run("python", "-I", "-c", f"import {package}; print({package}.__file__)")
        assert Path(seen.stdout.strip()).is_relative_to(environment.packages)
