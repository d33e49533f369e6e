"""The sender, against a real HTTP server: late, early, again, elsewhere, with and without a token."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from lingbot_probes import Probe
from lingbot_probes.link import local_token
from tests.probes.listening import Listener, Server, until


def numbers(map: Listener, session: str = "s") -> list[int]:
    return [event["n"] for event in map.events(session)]


def say(probe: Probe, count: int = 1, session: str = "s") -> None:
    for _ in range(count):
        probe.answered("hi", session=session)


def test_events_arrive_in_order_and_once(server: Server) -> None:
    probe = Probe("bot", server.url)
    say(probe, 300)
    assert probe.flush(10.0)
    assert numbers(server.map) == list(range(1, 301))
    assert server.map.repeated == 0
    assert server.map.batches[0]["v"] == 1
    assert server.map.batches[0]["probe"] == "bot"
    assert probe.stats()["state"] == "connected"
    probe.close()


def test_an_idle_sender_sends_at_once(server: Server) -> None:
    probe = Probe("bot", server.url)
    say(probe)
    assert probe.flush(10.0)
    until(lambda: probe._sender.bell == [1], "falling asleep")
    asked = server.asked
    say(probe)
    until(lambda: server.asked > asked, "a batch", 2.0)
    until(lambda: len(numbers(server.map)) == 2, "the second event")
    probe.close()


def test_a_map_attached_late_gets_the_recent_history(server: Server) -> None:
    port = server.port
    server.stop()
    probe = Probe("bot", f"http://127.0.0.1:{port}")
    say(probe, 700)
    until(lambda: probe.stats()["state"] == "waiting", "the first refusal")
    assert "connection refused" in probe.stats()["why"]
    server.restart()
    assert probe.flush(10.0)
    assert numbers(server.map) == list(range(201, 701))
    assert server.map.lost() == {"s": 200}
    assert probe.stats()["dropped"] == {"s": 200}
    probe.close()


def test_another_map_gets_the_recent_history_again(server: Server) -> None:
    probe = Probe("bot", server.url)
    say(probe, 600)
    assert probe.flush(10.0)
    first = server.map
    server.stop()
    say(probe, 10)
    server.restart()
    assert probe.flush(10.0)
    until(lambda: len(numbers(server.map)) == 500, "the ring's history")
    assert sorted(numbers(server.map)) == list(range(111, 611))
    assert set(numbers(first)) >= set(range(111, 601))
    probe.close()


def test_what_a_map_holds_back_is_sent_again_later(probe: Probe, map: Listener) -> None:
    map.holding = {2}
    say(probe, 3)
    until(lambda: sum(event["n"] == 2 for batch in list(map.batches) for event in batch["events"]) >= 2, "a second try")
    assert not probe.flush(0.01)
    map.holding = set()
    assert probe.flush(10.0)
    assert sorted(numbers(map)) == [1, 2, 3]


def test_a_token_is_sent_and_a_wrong_one_is_no_end(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.token = "right"
    wrong = Probe("bot", server.url, token="wrong")
    say(wrong)
    until(lambda: "401" in wrong.stats()["why"], "the refusal")
    server.token = "wrong"  # the map is started again with this one
    assert wrong.flush(10.0)
    wrong.close()
    for probe in (Probe("bot", server.url, token="wrong"), Probe("bot", f"{server.url}/#t=wrong")):
        say(probe)
        assert probe.flush(10.0)
        probe.close()
    monkeypatch.setenv("LINGBOT_TOKEN", "wrong")
    monkeypatch.setenv("LINGBOT_ENDPOINT", server.url)
    probe = Probe("bot")
    say(probe)
    assert probe.flush(10.0)
    probe.close()


def test_the_local_maps_own_token_is_found(server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    server.token = "local"
    folder = tmp_path / f"lingbot-map-{os.getuid()}"
    folder.mkdir(mode=0o700)
    probe = Probe("bot", server.url)
    say(probe)
    until(lambda: "401" in probe.stats()["why"], "the refusal")
    file = folder / f"{server.port}.token"
    file.write_text("local\n")
    file.chmod(0o600)
    assert probe.flush(10.0)
    probe.close()


def test_a_token_that_others_can_read_or_write_is_not_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = tmp_path / f"lingbot-map-{os.getuid()}"
    folder.mkdir()
    file = folder / "9.token"
    file.write_text("secret")
    file.chmod(0o640)
    assert local_token(9) == ""
    file.chmod(0o600)
    assert local_token(9) == "secret"
    file.rename(folder / "real")
    file.symlink_to(folder / "real")
    assert local_token(9) == ""
    file.unlink()
    os.mkfifo(file, 0o600)
    assert local_token(9) == ""  # and does not wait for somebody to write


def test_a_spoiled_event_does_not_hold_up_the_others(server: Server) -> None:
    def judge(batch: dict[str, Any]) -> int:
        return 400 if any(event["signal"]["text"] == "bad" for event in batch["events"]) else 200

    server.status = judge
    probe = Probe("bot", server.url)
    for text in ("one", "two", "bad", "three", "four"):
        probe.answered(text, session="s")
    assert probe.flush(10.0)
    assert numbers(server.map) == [1, 2, 4, 5]
    assert probe.stats()["refused"] == 1
    probe.close()


@pytest.mark.parametrize("status", [404, 500, 503])
def test_a_map_that_is_not_ready_is_waited_for(server: Server, status: int) -> None:
    server.status = lambda batch: status if server.asked < 3 else 200
    probe = Probe("bot", server.url)
    say(probe, 3)
    until(lambda: str(status) in probe.stats()["why"], "the refusal")
    probe.flush(0.1)
    server.asked = 3
    assert probe.flush(20.0)
    assert numbers(server.map) == [1, 2, 3]
    probe.close()


def test_big_events_travel_in_several_batches_and_losses_are_told_with_the_last(server: Server) -> None:
    server.stop()
    probe = Probe("bot", server.url)
    for _ in range(600):
        probe.answered("长" * 4_000, session="s")
    until(lambda: probe._ring.session("s").settled == 600, "settling of all numbers")
    server.restart()
    assert probe.flush(20.0)
    assert numbers(server.map) == list(range(101, 601))
    assert server.map.lost() == {"s": 100}
    told = 0
    for batch in server.map.batches:
        assert all(event["n"] > told for event in batch["events"]), "an event came after it was called lost"
        told = max(told, batch["numbered"].get("s", 0))
    assert len(server.map.batches) > 5
    probe.close()


def test_a_sink_that_raises_is_tried_again(probe: Probe, map: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    deliver, moods = map.deliver, iter(["raise", "raise", "nonsense"])

    def moody(batch: dict[str, Any]) -> dict[str, Any]:
        mood = next(moods, "")
        if mood == "raise":
            raise ZeroDivisionError
        return {"odd": "answer"} if mood else deliver(batch)

    monkeypatch.setattr(map, "deliver", moody)
    say(probe, 2)
    assert probe.flush(10.0)
    assert numbers(map) == [1, 2]


def test_sinks_are_changed_while_it_runs(server: Server) -> None:
    probe = Probe("bot", server.url)
    say(probe, 2)
    assert probe.flush(10.0)
    inside, fresh = Listener(), Listener()
    probe.drain_to(inside)
    say(probe)
    until(lambda: len(numbers(inside)) == 3, "the history in the other sink")
    probe.drain_to(fresh, history=False)
    say(probe)
    assert probe.flush(10.0)
    assert numbers(fresh) == [1]
    assert len({source for source, _ in (*inside.accepted, *fresh.accepted)}) == 2
    probe.drain_to(None)
    say(probe)
    until(lambda: numbers(server.map)[-2:] == [1, 2], "the rest at the server")
    probe.close()


def test_connect_changes_the_server(server: Server) -> None:
    probe = Probe("bot", "http://127.0.0.1:9")
    say(probe, 2)
    probe.connect(f"{server.url}/#t=x")
    assert probe.flush(10.0)
    assert numbers(server.map) == [1, 2]
    probe.close()


def test_a_flush_after_a_change_of_the_sink_waits_for_the_history(probe: Probe, map: Listener) -> None:
    say(probe, 3)
    assert probe.flush(10.0)
    for _ in range(20):
        fresh = Listener()
        probe.drain_to(fresh)
        assert probe.flush(10.0)
        assert numbers(fresh) == [1, 2, 3]


def test_a_closed_probe_starts_again(probe: Probe, map: Listener) -> None:
    say(probe)
    probe.close()
    assert numbers(map) == [1]
    assert not [thread for thread in threading.enumerate() if thread is probe._sender._thread]
    say(probe)
    assert probe.flush(10)
    assert numbers(map) == [1, 2]


def test_what_is_dropped_is_counted_by_session_while_nobody_listens() -> None:
    probe = Probe("bot", "http://127.0.0.1:9")
    say(probe, 10, "quiet")
    say(probe, 600, "loud")
    stats = probe.stats()
    assert stats["dropped"] == {"quiet": 10, "loud": 100}
    assert (stats["made"], stats["held"], stats["lost"]) == (610, 500, 110)
    probe.close()
