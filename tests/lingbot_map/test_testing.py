"""What users' own suites lean on."""

from __future__ import annotations

import pytest

from lingbot_map.errors import UnknownSession
from lingbot_map.graph import DialogueMap
from lingbot_map.testing import assert_map, record
from lingbot_probes import Probe


def test_a_bot_is_recorded_and_its_map_asserted() -> None:
    probe = Probe("bot")

    @probe.intent
    def route(text: str) -> tuple[str, float]:
        return ("price_query", 0.9)

    @probe.turn
    def reply(session_id: str, text: str) -> str:
        route(text)
        slots["plan"] = "B"
        return f"plan {slots['plan']}"

    slots: dict[str, str] = probe.observed({})
    reply("before", "hello")
    with record(probe) as recording:
        assert reply("s1", "how much?") == "plan B"
    assert recording.sessions == ["s1"], "what was said before the block is not in it"
    map = recording.map("s1")
    assert [event.signal.kind for event in recording.events["s1"]] == [
        "turn_started",
        "intent_routed",
        "slot_assigned",
        "slot_read",
        "answered",
    ]
    assert_map(map, path=["price_query"], slots={"plan": "B", "other": None}, none=["loop", "LM302"], answered_from=[])
    with pytest.raises(AssertionError) as caught:
        assert_map(map, path=["bill"], slots={"plan": "A"}, has=["drift"], answered_from=["doc"])
    message = str(caught.value)
    assert "expected the flow bill, found price_query" in message
    assert "expected slot plan = 'A', found 'B'" in message
    assert "expected a drift finding, found none" in message
    assert "expected an answer from ['doc'], found []" in message
    with pytest.raises(UnknownSession, match="no session 's2' was recorded; these were: s1"):
        recording.map("s2")


def test_a_misspelt_finding_does_not_pass() -> None:
    with pytest.raises(ValueError, match="no finding is called 'leek'; there are gap \\(LM101\\)"):
        assert_map(DialogueMap("s"), none=["leek"])
