"""What every test folder may ask for: the real recordings, a Chromium, the folder of the project."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent
RECORDINGS = ROOT.parent / "shared" / "data"
BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")

# A probe without an endpoint speaks to the map of this machine, and a developer may have one that runs: here it speaks
# to a port that is taken but that nobody listens on. Probes are made by imports too, so this can't wait for a fixture.
_NOBODY = socket.socket()
atexit.register(_NOBODY.close)
_NOBODY.bind(("127.0.0.1", 0))
NOWHERE = f"http://127.0.0.1:{_NOBODY.getsockname()[1]}"
os.environ["LINGBOT_ENDPOINT"] = NOWHERE
os.environ.pop("LINGBOT_TOKEN", None)
os.environ.pop("LINGBOT_MAP", None)

IN_CI = os.environ.get("CI", "") not in ("", "0", "false")

# No deadline: the machine is shared, and a law that holds slowly holds. In CI the examples are the same at each run.
settings.register_profile("here", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("here"), derandomize=True, print_blob=True)
settings.load_profile("ci" if IN_CI else "here")


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The folder of real recordings beside the project; a test that asks for it is skipped where there is none."""
    if not RECORDINGS.is_dir():
        pytest.skip("the real recordings (../shared/data) are not here")
    return RECORDINGS


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a real Chromium: ``$CHROMIUM``, or the first one on the path."""
    named = os.environ.get("CHROMIUM", "")
    found = named or next((path for name in BROWSERS if (path := shutil.which(name))), "")
    if not found:
        pytest.skip("no Chromium on this machine; install it or name it in $CHROMIUM")
    return found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a test of the browser or of RabbitMQ that did not run has failed: nothing else looks at these."""
    report = yield
    named = next((name for name in ("browser", "rabbitmq") if item.get_closest_marker(name)), "")
    if IN_CI and report.skipped and named and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, but in CI every {named} test must run: {report.longrepr}"
    return report
