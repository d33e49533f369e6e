"""Nothing that a probe sees can hurt it or the bot: hostile objects in every place, and none is touched."""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from typing import Any

import pytest

from lingbot_probes import Probe
from lingbot_probes.capture import EVENT, Room, captured
from lingbot_probes.codec import numbered_from_dict
from tests.probes.listening import Listener
from tests.torture.probe_measure import STORMS
from tests.torture.probe_objects import CALLED, HOSTILE, PLACES, Trapped, Unread


@pytest.mark.parametrize("name", HOSTILE)
def test_is_taken_without_a_touch(name: str, probe: Probe, map: Listener) -> None:
    value = HOSTILE[name]
    for place, put in PLACES.items():
        CALLED.clear()
        spent = []
        for _ in range(3):
            began = time.thread_time()
            put(probe, value)
            spent.append(time.thread_time() - began)
        assert CALLED == [], place
        assert probe.errors == 0, place
        assert min(spent) < 0.05, place  # the other times the collector may have passed by
    assert probe.flush(10.0)
    assert len(map.events()) >= 3 * len(PLACES) - 6
    for event in map.events():
        assert len(json.dumps(event, ensure_ascii=False, allow_nan=False).encode()) <= EVENT
        numbered_from_dict(event)  # the map can read it


@pytest.mark.parametrize("name", HOSTILE)
def test_the_result_is_the_very_object(name: str, probe: Probe) -> None:
    value = HOSTILE[name]

    async def coroutine() -> Any:
        return value

    for decorator in (probe.turn, probe.intent, probe.retrieval(), probe.slots(assigns=True)):
        assert decorator(lambda: value)() is value
        with pytest.raises(StopIteration) as stop:  # by hand: asyncio describes the results that it sees
            decorator(coroutine)().send(None)
        assert stop.value.value is value


def test_an_exception_is_not_asked_to_describe_itself(probe: Probe, map: Listener) -> None:
    def fails() -> None:
        raise Unread("why", Trapped())

    CALLED.clear()
    for decorator in (probe.turn, probe.intent, probe.retrieval(), probe.slots(assigns=True)):
        with pytest.raises(Unread):
            decorator(fails)()
    assert CALLED == []
    assert probe.flush(10)
    told = [signal["error"] for signal in map.signals() if signal["kind"] == "failed"]
    assert told == ["Unread: why"] * 4


def test_a_raising_extract_costs_one_event_that_shows_as_a_gap(probe: Probe, map: Listener) -> None:
    def extract(result: Any) -> Any:
        raise ZeroDivisionError

    with probe.session("s"):
        assert probe.intent(extract=extract)(lambda: "x")() == "x"
        probe.answered("after")
    assert probe.stats()["errors"] == 1
    assert probe.flush(10)
    assert [event["n"] for event in map.events("s")] == [1, 3]
    assert map.lost() == {"s": 1}


def test_what_is_captured_is_a_copy(probe: Probe, map: Listener) -> None:
    held = {"city": ["Paris"]}
    routed = {"intent": "a", "confidence": 0.5}
    probe.observed({})["trip"] = held
    probe.intent(lambda: routed)()
    held["city"].append("Rome")
    routed["intent"] = "b"
    assert probe.flush(10)
    assigned, intent = map.signals()
    assert assigned["value"] == {"city": ["Paris"]}
    assert intent["intent"] == "a"


@pytest.mark.parametrize("answer", ["list", "mapping", "nested"])
def test_of_an_answer_in_big_pieces_no_more_is_copied_than_is_told(answer: str, probe: Probe, map: Listener) -> None:
    piece = "é" * 10_000_000
    value: Any = {"list": [piece] * 100, "mapping": {"text": [piece] * 100}, "nested": [[{"text": piece}] * 50] * 50}
    tracemalloc.start()
    try:
        probe.turn(lambda x: value[answer])("hi")
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    assert probe.flush(10)
    (text,) = [signal["text"] for signal in map.signals() if signal["kind"] == "answered"]
    assert text == "é" * 4_095 + "…"


def test_an_answer_in_pieces_is_whole_up_to_the_bound(probe: Probe, map: Listener) -> None:
    pieces = ["x" * 1_000] * 4 + ["y" * 92]
    for more in ([], [""], ["z"]):
        probe.turn(lambda x, more=more: pieces + more)("hi")
    assert probe.flush(10)
    whole = "\n".join(pieces)
    assert len(whole) == 4_096
    texts = [signal["text"] for signal in map.signals() if signal["kind"] == "answered"]
    assert texts == [whole, whole, whole[:-1] + "…"]


@pytest.mark.parametrize("name", STORMS)
def test_an_event_takes_no_more_in_memory_than_twice_its_bound(name: str) -> None:
    """Whatever it is made of: 500 of them are 16 MB at most."""

    def size(value: Any) -> int:
        parts = [*value, *value.values()] if type(value) is dict else value if type(value) is list else ()
        return sys.getsizeof(value) + sum(map(size, parts))

    room = Room()
    assert size(captured(STORMS[name][1](7), room)) <= 2 * EVENT
    assert room.left > -EVENT // 4


def test_the_bounds_are_said(probe: Probe, map: Listener) -> None:
    slots = probe.observed({})
    slots["long"] = "x" * 5_000
    slots["many"] = list(range(1_000))
    slots["deep"] = {"a": {"b": {"c": {"d": {"e": {"f": {"g": 1}}}}}}}
    assert probe.flush(10)
    long, many, deep = [signal["value"] for signal in map.signals()]
    assert (len(long), long[-1]) == (4_096, "…")
    assert many[49:] == [49, "… 950 more"]
    assert deep["a"]["b"]["c"]["d"]["e"]["f"] == "1 items"
