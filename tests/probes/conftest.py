"""Fixtures of the probe's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lingbot_probes import Probe
from tests.probes.listening import Listener, Server


@pytest.fixture
def map() -> Listener:
    return Listener()


@pytest.fixture
def probe(map: Listener) -> Iterator[Probe]:
    """A probe that tells ``map``, without any network."""
    probe = Probe("bot", sink=map)
    yield probe
    probe.close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.stop()
