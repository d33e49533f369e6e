"""The key of the pseudonyms: from the environment, from the map, or the probe's own; and ids that are masked."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from lingbot_probes import Probe
from lingbot_probes.signals import SlotAssigned
from tests.probes.listening import Listener, Server, until

PHONE = "13800138000"


class Keeper(Listener):
    """A map that has a key."""

    def __init__(self, key: str = "ab" * 32) -> None:
        super().__init__()
        self.key = key
        self.asked = 0

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        answer = super().deliver(batch)
        if batch.get("mask_key"):
            assert batch["events"] == []
            self.asked += 1
            answer["mask_key"] = self.key
        return answer


def told(probe: Probe, map: Listener, value: Any = PHONE, session: str = "s") -> Any:
    probe.emit(SlotAssigned(slot="x", value=value), session=session)
    assert probe.flush(10)
    return map.signals()[-1]["value"]


def test_two_probes_of_one_map_agree_and_say_which_key_it_was() -> None:
    map = Keeper()
    probes = [Probe("bot", sink=map), Probe("bot", sink=map)]
    values = {told(probe, map) for probe in probes}
    assert len(values) == 1
    assert map.asked == 2
    (name,) = {batch["masked_with"] for batch in map.batches if batch["events"]}
    assert len(name) == 8
    assert name not in map.key
    for probe in probes:
        probe.close()


def test_the_key_is_asked_for_once_and_only_when_it_is_needed() -> None:
    map = Keeper()
    probe = Probe("bot", sink=map)
    assert told(probe, map, "nothing to hide") == "nothing to hide"
    assert (map.asked, len(map.batches)) == (0, 1)
    first = told(probe, map)
    assert told(probe, map) == first
    assert map.asked == 1
    probe.close()


def test_another_map_has_another_key() -> None:
    one, other = Keeper("ab" * 32), Keeper("cd" * 32)
    probe = Probe("bot", sink=one)
    first = told(probe, one)
    probe.drain_to(other)
    second = told(probe, other)
    assert first != second
    assert {event["signal"]["value"] for event in other.events()} == {second}, "the history has it too"
    probe.close()


@pytest.mark.parametrize("key", ["", "short", "g" * 64, 5, None, "ab" * 4000])
def test_a_map_without_a_key_costs_the_comparison_with_others_alone(key: Any) -> None:
    map = Keeper(key)
    probe = Probe("bot", sink=map)
    assert told(probe, map) == told(probe, map)
    assert map.signals()[-1]["value"].startswith("[phone:")
    probe.close()


def test_a_key_from_the_environment_is_never_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINGBOT_MASK_KEY", "correct horse battery staple")
    maps = Keeper("ab" * 32), Keeper("cd" * 32)
    values = set()
    for map in maps:
        probe = Probe("bot", sink=map)
        values.add(told(probe, map))
        probe.close()
    assert len(values) == 1
    assert [map.asked for map in maps] == [0, 0]


def test_a_busy_map_is_asked_again_and_nothing_leaves_before(server: Server) -> None:
    answers = [503, 503, 500]
    seen: list[dict[str, Any]] = []

    def status(batch: dict[str, Any]) -> int:
        seen.append(batch)
        return answers.pop() if answers else 200

    server.status = status
    probe = Probe("bot", server.url)
    told(probe, server.map)
    assert [batch["events"] for batch in seen[:4]] == [[]] * 4
    assert PHONE not in str(seen)
    probe.close()


def test_how_many_values_were_masked_goes_with_the_event(map: Listener, probe: Probe) -> None:
    told(probe, map, {"password": "x", "who": f"{PHONE}, anna@example.com", "n": 1})
    told(probe, map, "nothing")
    assert [event.get("masked", 0) for event in map.events()] == [3, 0]


def test_sessions_that_are_named_by_phones_stay_two_and_are_acknowledged() -> None:
    map = Keeper()
    probe = Probe("bot", sink=map)
    for session in ("+86 13800138000", "+86 13800138001", "plain"):
        with probe.session(session, title=session), probe.turn_scope("hi", id=f"{session}#1"):
            probe.answered("hello")
        assert probe.flush(10)
    names = {event["session"] for event in map.events()}
    assert len(names) == 3
    assert "plain" in names
    assert "1380013800" not in str(map.batches)
    assert map.lost() == {}
    assert probe.stats()["unconfirmed"] == 0
    assert probe.stats()["acked"] == probe.stats()["made"] == 9
    for name in names:
        events = map.events(name)
        assert {event["turn"] for event in events[1:]} == {events[1]["signal"]["turn"]}
    probe.close()


def test_what_is_lost_of_such_a_session_is_told(server: Server) -> None:
    port = server.port
    server.stop()
    probe = Probe("bot", f"http://127.0.0.1:{port}", capacity=10)
    for _ in range(15):
        probe.answered("hello", session=PHONE)
    until(lambda: probe.stats()["state"] == "waiting", "the first refusal")
    server.restart()
    assert probe.flush(10)
    ((_, n),) = server.map.told.items()
    assert n == 15
    assert list(server.map.lost().values()) == [5]
    assert probe.stats()["dropped"] == {PHONE: 5}
    probe.close()


def test_masks_are_loaded_by_the_sender_and_not_by_the_import() -> None:
    code = (
        "import sys, lingbot_probes; p = lingbot_probes.Probe('b'); p.off = True\n"
        "print([m for m in ('re', 'hmac', 'lingbot_probes.mask', 'lingbot_probes.finding') if m in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == "[]", done.stderr
