"""A second map in the folder that one serves already, on the command line."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

import lingbot_web
from lingbot_map.store.claim import busy
from lingbot_map.store.files import FileStore
from lingbot_web.running import Serving
from tests.web.commands import Command, complaint


@pytest.fixture
def first(command: Command, tmp_path: Path) -> Iterator[Serving]:
    """A map that serves the folder in which commands run."""
    with lingbot_web.serve(data=tmp_path / "snapshots") as map:
        yield map


@pytest.mark.parametrize("name", ["serve", "demo"])
def test_a_second_map_in_the_folder_says_where_the_first_one_is(command: Command, first: Serving, name: str) -> None:
    taken = first.base.rstrip("/").rpartition(":")[2]
    for port in (taken, "0"):
        said = complaint(command(name, "--port", port), 4)
        assert f"snapshots: a map already serves this data folder at {first.base} (process {os.getpid()}); " in said
        assert first.token not in said


def test_a_taken_port_is_told_where_the_folder_is_free(command: Command, first: Serving, tmp_path: Path) -> None:
    taken = first.base.rstrip("/").rpartition(":")[2]
    assert "choose another with --port" in complaint(command("serve", "--port", taken, "--data", "other"), 2)
    assert not (tmp_path / "other").exists()


def test_a_folder_that_no_map_serves_is_told_by_its_process(command: Command, tmp_path: Path) -> None:
    store = FileStore(tmp_path / "snapshots")
    try:
        with socket.create_server(("127.0.0.1", 0)) as other:
            said = complaint(command("serve", "--port", str(other.getsockname()[1])), 4)
        assert f"process {os.getpid()} is writing this data folder" in said
        assert busy(tmp_path / "snapshots") is not None
    finally:
        store.close()
    assert busy(tmp_path / "snapshots") is None
    assert busy(tmp_path / "nowhere") is None
