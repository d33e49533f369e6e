"""The map as a test, in pytest: the fixture ``dialogue_map``, golden maps, and a page of the map for each failure.

Loading this costs an import of pytest and no more: the map itself is loaded by the first test that asks for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from lingbot_web.pytest_recorder import Recorder

_UPDATE = "LINGBOT_UPDATE_GOLDEN"  # as in lingbot_map.testing.golden, which is not to be loaded for it
_BEFORE = pytest.StashKey[str | None]()
_RECORDER = pytest.StashKey["Recorder"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options and settings of the plugin."""
    group = parser.getgroup("lingbot-map", "dialogue maps")
    group.addoption("--update-golden", action="store_true", help="write golden maps anew instead of comparing them")
    group.addoption(
        "--dialogue-recording",
        metavar="FILE",
        help="let dialogue_map.say() find what happened in this recording instead of asking the bot: shows that a "
        "regression test fails on the incident it was made from",
    )
    group.addoption(
        "--dialogue-maps", metavar="FOLDER", help="where the pages of failed maps go (default: in pytest's cache)"
    )
    parser.addini("lingbot_bot", "the bot under test as module:function; it is called with (session_id, text)")
    parser.addini("lingbot_probe", "its probe as module:name; not needed where the bot's module has just one")
    parser.addini("lingbot_maps", "where the pages of failed maps go, from the folder of this file on")


def pytest_configure(config: pytest.Config) -> None:
    """Say to the map that golden maps are to be written."""
    if config.getoption("update_golden"):
        config.stash[_BEFORE] = os.environ.get(_UPDATE)
        os.environ[_UPDATE] = "1"


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave the environment as it was."""
    if _BEFORE in config.stash:
        before = config.stash[_BEFORE]
        if before is None:
            os.environ.pop(_UPDATE, None)
        else:
            os.environ[_UPDATE] = before


@pytest.fixture
def dialogue_map(request: pytest.FixtureRequest) -> Generator[Recorder]:
    """Records a bot under test: ``dialogue_map(probe)`` from then on, ``dialogue_map.say([...])`` a whole dialogue.

    Both return a ``Recording``, whose ``map()`` has all that was said before the call. Nothing leaves the process.
    """
    try:
        from lingbot_web.pytest_recorder import Recorder
    except ModuleNotFoundError as why:
        raise pytest.UsageError(f"{why}; dialogue_map needs the map: install lingbot-map[pytest]") from why

    config = request.config
    with Recorder(
        bot=config.getini("lingbot_bot"),
        probe=config.getini("lingbot_probe"),
        recording=config.getoption("dialogue_recording"),
        folder=config.invocation_params.dir,
    ) as recorder:
        request.node.stash[_RECORDER] = recorder
        yield recorder


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A map that is not as a test says is written as a page, which the failure names."""
    asserting = sys.modules.get("lingbot_map.testing.asserting")
    if asserting is not None and call.excinfo is not None and isinstance(call.excinfo.value, asserting.MapDiffers):
        from lingbot_web.pytest_page import write_page

        why = call.excinfo.value
        recorder = item.stash.get(_RECORDER, None)
        events = recorder.events_of(why.map) if recorder is not None else None
        why.add_note(write_page(_folder(item.config), item.nodeid, why, events))
    return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the golden maps that were written."""
    golden = sys.modules.get("lingbot_map.testing.golden")
    for path in golden.written if golden is not None else ():
        terminalreporter.write_line(f"golden map written: {path}")


def _folder(config: pytest.Config) -> Path | None:
    """Where pages go; ``None``: there is no cache to put them in, and nobody named a folder."""
    said = config.getoption("dialogue_maps")
    if said:
        return config.invocation_params.dir / str(said)
    said = config.getini("lingbot_maps")
    if said:
        return (config.inipath.parent if config.inipath else config.rootpath) / str(said)
    cache: pytest.Cache | None = getattr(config, "cache", None)  # there is none with -p no:cacheprovider
    return cache.mkdir("dialogue-maps") if cache is not None else None
