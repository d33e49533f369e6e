"""The suite leaves the map that a developer has running alone."""

from __future__ import annotations

import os

import pytest

from lingbot_map.demo.probing import probe as demo_probe
from lingbot_probes import Probe
from lingbot_probes.link import DEFAULT, Link
from tests.live.server import wait_for


def test_a_probe_that_names_no_map_reaches_nobody() -> None:
    assert os.environ["LINGBOT_ENDPOINT"] != DEFAULT
    probe = Probe("bot")
    for each in (probe, demo_probe):
        assert isinstance(each._link, Link)
        assert each._link.endpoint.port == int(os.environ["LINGBOT_ENDPOINT"].rpartition(":")[2])
    with probe.session("nobody hears this"):
        probe.answered("hello")
    assert "refused" in wait_for(lambda: probe.stats()["why"], "the attempt").lower()
    assert probe.stats()["acked"] == 0
    probe.close()


def test_outside_of_the_suite_it_is_the_map_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LINGBOT_ENDPOINT")
    link = Probe("bot")._link  # says nothing, so connects to nobody
    assert isinstance(link, Link)
    endpoint = link.endpoint
    assert (endpoint.host, endpoint.port, endpoint.local) == ("127.0.0.1", 8700, True)
