"""The ring: bounded, drop-oldest, and an account that is exact to the event."""

from __future__ import annotations

import gc
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingbot_probes import Probe
from lingbot_probes import ring as ring_module
from lingbot_probes.link import NotTaken
from lingbot_probes.ring import SETTLE, Place, Ring
from lingbot_probes.runs import Numbers
from tests.probes.listening import Listener, until


def pair() -> tuple[str, float]:
    return "a", 0.5


def filled(value: object) -> dict[str, object]:
    return {"a": value, "b": [value] * 3}


def make(ring: Ring, session: str, count: int = 1) -> None:
    place = Place(ring.session(session))
    for _ in range(count):
        ring.append((place, place.session.number(), 0.0, {"kind": "answered", "text": ""}))


def settled(ring: Ring) -> float:
    """A time at which every number made so far counts as settled."""
    ring.parcels(1.0)
    ring.parcels(1.0 + SETTLE)
    return 1.0 + 2 * SETTLE


RUNS = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 10)), max_size=12)


@given(RUNS, st.sets(st.integers(1, 50)), st.integers(0, 60))
def test_numbers_are_a_set(runs: list[tuple[int, int]], gone: set[int], top: int) -> None:
    numbers, plain = Numbers(), set[int]()
    for first, more in runs:
        numbers.add(first, first + more)
        plain |= set(range(first, first + more + 1))
    for n in gone:
        numbers.discard(n)
        plain.discard(n)
    assert {n for n in range(1, 80) if n in numbers} == plain
    assert numbers.total() == len(plain)
    assert {n for first, last in numbers.missing(top) for n in range(first, last + 1)} == set(range(1, top + 1)) - plain
    assert numbers.full(top) == (set(range(1, top + 1)) <= plain)
    assert all(a[1] < b[0] for a, b in zip(numbers.runs, numbers.runs[1:], strict=False))


def test_the_highest_number_is_read_from_the_counter() -> None:
    session = Ring(5).session("a")
    assert session.made() == 0
    for n in range(1, 4):
        assert session.number() == n
        assert session.made() == n


def test_the_oldest_goes_first_and_every_drop_is_counted_by_session() -> None:
    ring = Ring(500)
    make(ring, "quiet", 3)
    make(ring, "loud", 700)
    assert len(ring.entries) == 500
    assert ring.dropped() == {"quiet": 3, "loud": 200}


def test_a_quiet_sessions_lost_tail_is_proven() -> None:
    ring = Ring(10)
    make(ring, "quiet", 2)
    make(ring, "loud", 10)
    (parcel,) = ring.parcels(settled(ring)).values()
    assert parcel.numbered == {"quiet": 2, "loud": 10}
    assert [(session.id, first, last) for session, first, last in parcel.lost] == [("quiet", 1, 2)]
    assert [entry[1] for entry in parcel.entries] == list(range(1, 11))


def test_a_session_that_came_and_went_between_two_looks_is_not_forgotten() -> None:
    ring = Ring(10)
    make(ring, "first", 10)
    ring.parcels(1.0)
    make(ring, "quiet", 2)
    make(ring, "loud", 10)
    lost = {session.id for parcel in ring.parcels(settled(ring)).values() for session, _, _ in parcel.lost}
    assert lost == {"first", "quiet"}


def test_a_number_on_its_way_is_not_called_lost() -> None:
    ring = Ring(10)
    place = Place(ring.session("a"))
    number = place.session.number()  # taken, and its thread put aside before the append
    make(ring, "a", 1)
    (parcel,) = ring.parcels(1.0).values()
    assert (parcel.numbered, parcel.lost) == ({}, [])
    ring.append((place, number, 0.0, {"kind": "answered", "text": ""}))
    (parcel,) = ring.parcels(settled(ring)).values()
    assert [entry[1] for entry in parcel.entries] == [1, 2]
    assert parcel.lost == []


def test_events_stay_after_they_were_accounted_for() -> None:
    ring = Ring(10)
    make(ring, "a", 5)
    ring.session("a").done.add(1, 5)
    assert ring.parcels(1.0) == {}
    assert not ring.outstanding()
    ring.again()
    (parcel,) = ring.parcels(2.0).values()
    assert [entry[1] for entry in parcel.entries] == [1, 2, 3, 4, 5]


def test_threads_number_without_holes_or_twins() -> None:
    map = Listener()
    probe = Probe("bot", sink=map, capacity=50_000)
    route = probe.intent(pair)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with probe.session("s"):
            threads = [threading.Thread(target=probe.carry(lambda: [route() for _ in range(2_000)])) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert probe.flush(20.0)
    (numbers,) = map.accepted.values()
    assert sorted(numbers) == list(range(1, 16_002))
    assert not any(map.lost().values())
    assert map.repeated == 0
    probe.close()


def test_a_storm_balances() -> None:
    """Made = accepted + dropped, for each session, whatever the ring could not hold."""
    map = Listener()
    probe = Probe("bot", sink=map)
    route = probe.intent(pair)
    for session in [*"abcdef"] * 20:
        with probe.session(session):
            for _ in range(100):
                route()
    assert probe.flush(20.0)
    dropped = probe.stats()["dropped"]
    for session in "abcdef":
        (accepted,) = [len(events) for (_, id), events in map.accepted.items() if id == session]
        assert accepted + dropped.get(session, 0) == 2_001
        assert map.lost()[session] == dropped.get(session, 0)
    assert probe.stats()["lost"] == sum(dropped.values())
    probe.close()


def test_idle_sessions_are_let_go_and_one_that_comes_back_is_no_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ring_module, "SESSIONS", 100)
    monkeypatch.setattr("lingbot_probes.sender.SESSIONS", 100)
    map = Listener()
    probe = Probe("bot", sink=map, capacity=50)
    probe._sender._evict_at = 100
    with probe.session("open"):
        for number in range(1_000):
            with probe.session(f"s{number}"):
                probe.answered("hi")
            if number % 20 == 0:
                assert probe.flush(10)
        until(lambda: probe.flush() and len(probe._ring.sessions) <= 160, "letting go of idle sessions")
        assert "open" in probe._ring.sessions
        probe.answered("s0 again", session="s0")
        assert probe.flush(10)
    assert [event["signal"].get("text") for event in map.events("s0")] == [None, "hi", "s0 again"]
    assert len({source for source, id in map.accepted if id == "s0"}) == 2
    assert map.repeated == 0
    probe.close()


def test_the_registry_is_bounded_without_a_map_and_counts_what_it_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ring_module, "SESSIONS", 100)

    class Nobody:
        def deliver(self, batch: object) -> dict[str, object]:
            raise NotTaken("nobody there", wait=60.0)

    probe = Probe("bot", sink=Nobody(), capacity=50)
    probe._ring._limit = 200
    for number in range(2_000):
        probe.answered("hi", session=f"s{number}")
    assert len(probe._ring.sessions) <= 200
    assert probe.stats()["lost"] == 2_000 - 50
    probe.close()


def test_memory_is_bounded_whatever_is_told() -> None:
    ring_bytes = 500 * 16 * 1024
    probe = Probe("bot", sink=Listener())
    fill = probe.slots(assigns=True)(filled)
    fill("warm")
    gc.collect()
    for number in range(1_000):
        fill({f"{number} {i}": chr(0x4E00 + i) * 3_000 for i in range(100)})
    held = sum(_size(entry[3]) for entry in probe._ring.copy())
    assert held <= ring_bytes
    probe.close()


def _size(value: object) -> int:
    """Bytes of a captured value with all that is in it."""
    size = sys.getsizeof(value)
    if isinstance(value, dict):
        size += sum(_size(key) + _size(item) for key, item in value.items())
    elif isinstance(value, list | tuple):
        size += sum(_size(item) for item in value)
    return size
