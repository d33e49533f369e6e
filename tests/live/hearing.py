"""What a probe's listener heard, by turns: for tests that look at single signals."""

from __future__ import annotations

from typing import Any

from lingbot_probes import Probe
from tests.probes.listening import Listener

Signal = dict[str, Any]


def told(listener: Listener, probe: Probe, session: str | None = None) -> list[Signal]:
    """The signals, each with the number of its turn as ``in``, without what is the same in all."""
    assert probe.flush(20)
    turns: dict[str, int] = {}
    out = []
    for event in listener.events(session):
        signal = dict(event["signal"])
        signal.pop("predicted_by", None)
        turn = event.get("turn") or ""
        out.append({"in": turns.setdefault(turn, len(turns) + 1) if turn else 0, **signal})
    return out


def said(signals: list[Signal], kind: str, *fields: str) -> list[Any]:
    found = [tuple(signal.get(field) for field in fields) for signal in signals if signal["kind"] == kind]
    return [one[0] for one in found] if len(fields) == 1 else found
