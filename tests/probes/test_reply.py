"""A bot that can be talked to says where."""

from __future__ import annotations

from typing import Any

import pytest

from lingbot_probes import Probe
from tests.probes.listening import Listener

URL = "http://127.0.0.1:5005/webhooks/rest/webhook"


def begun(**said: Any) -> list[dict[str, Any]]:
    """The signals with which a session begins."""
    listener = Listener()
    probe = Probe("bot", sink=listener)
    with probe.session("s", **said):
        pass
    probe.flush(5)
    probe.close()
    return listener.signals("s")


def test_the_address_goes_with_what_is_known_of_the_session() -> None:
    assert begun(reply=URL) == [{"kind": "session_started", "meta": {"reply_url": URL}}]
    assert begun(title="t", meta={"channel": "web"}, reply=URL) == [
        {"kind": "session_started", "title": "t", "meta": {"channel": "web", "reply_url": URL}}
    ]
    assert begun(meta={"channel": "web"}) == [{"kind": "session_started", "meta": {"channel": "web"}}]


@pytest.mark.parametrize("reply", [None, 3, b"http://x/", ["http://x/"]])
def test_what_is_no_address_hurts_nobody(reply: Any) -> None:
    assert begun(reply=reply) == [{"kind": "session_started"}]
