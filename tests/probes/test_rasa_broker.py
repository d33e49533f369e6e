"""The event broker for Rasa, driven as Rasa drives it: loaded by its name, fed by the tracker store, closed."""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lingbot_map.store import key_of
from lingbot_probes import rasa
from lingbot_probes.adapters.rasa import Rasa
from lingbot_probes.rasa import MapBroker
from lingbot_probes.signals import Undone
from tests.live.server import running, wait_for
from tests.live.test_tail import said, utterances

Event = dict[str, Any]


@dataclass
class EndpointConfig:
    """What Rasa makes of an entry of ``endpoints.yml``: some keys it keeps as attributes, ``kwargs`` are the others."""

    type: str
    url: str | None = None
    token: str | None = None
    kwargs: dict[str, Any] = field(default_factory=dict)


async def loaded(config: EndpointConfig) -> Any:
    """As ``rasa.core.brokers.broker`` loads a class that it doesn't know."""
    module, _, name = config.type.rpartition(".")
    broker = getattr(importlib.import_module(module), name)
    assert asyncio.iscoroutinefunction(broker.from_endpoint_config)
    return await broker.from_endpoint_config(config)


def save(broker: Any, sender: str, events: Sequence[Event]) -> None:
    """As ``TrackerStore.stream_events`` publishes what is new when a tracker is saved."""
    for event in events:
        broker.publish({"sender_id": sender, **{name: value for name, value in event.items() if name != "sender_id"}})


def config(map: Any, **kwargs: Any) -> EndpointConfig:
    return EndpointConfig("lingbot_probes.rasa.MapBroker", map.base, map.token, kwargs)


def message(text: str, **more: Any) -> list[Event]:
    """What Rasa adds to a tracker for a message of the user."""
    now = time.time()
    return [
        {**said(text, at=now), "parse_data": {"intent": {"name": "book", "confidence": 0.9}}, "metadata": {}, **more},
        {"event": "slot", "timestamp": now, "name": "city", "value": "Oslo"},
        {"event": "action", "timestamp": now, "name": "utter_done", "policy": "RulePolicy", "confidence": 1.0},
        {"event": "bot", "timestamp": now, "text": "done", "data": {"buttons": None}, "metadata": {}},
        {"event": "action", "timestamp": now, "name": "action_listen", "policy": "RulePolicy", "confidence": 1.0},
    ]


START = [
    {"event": "action", "timestamp": 1.0, "name": "action_session_start", "policy": None, "confidence": 1.0},
    {"event": "session_started", "timestamp": 1.0},
]


async def test_a_bot_is_on_the_map_by_one_entry_of_its_endpoints() -> None:
    with running() as (map, client):
        broker = await loaded(config(map, name="pizza"))
        assert broker.is_ready()
        save(broker, "anna", [*START, *message("hello")])
        save(broker, "ben", message("hi"))
        save(broker, "anna", [*message("again"), *START, *message("next day, 13800138000")])
        await asyncio.to_thread(wait_for, lambda: len(utterances(client, "anna#2")) == 1)
        await broker.close()
        assert utterances(client, "anna") == ["hello", "again"]
        assert utterances(client, "ben") == ["hi"]
        assert utterances(client, "anna#2")[0].startswith("next day, [phone:")
        frame = client.keyframe("anna")
        assert {"intent:book", "slot:city"} <= set(frame["nodes"]["id"])
        (source,) = client.get("/api/stats")["sources"]
        assert (source["probe"], source["missing"], source["refused"]) == ("pizza", 0, 0)
        assert broker.errors == 0


async def test_what_is_told_is_what_an_import_of_the_tracker_tells() -> None:
    events = [*START, *message("one"), {"event": "rewind"}, *message("two"), {"event": "undo"}, {"event": "restart"}]
    adapter = Rasa("anna")
    told = [item for event in events for item in adapter.take(event)]
    assert sum(type(item.signal) is Undone for item in told) == 3
    with running() as (map, client):
        broker = await loaded(config(map, mask=False))
        save(broker, "anna", events)
        assert broker.probe.flush(5.0)
        got = client.get(f"/api/sessions/{key_of('anna')}/events")["events"]
        got = [event for event in got if event.get("n")]
        assert [event["n"] for event in got] == [item.n for item in told]
        assert [event["signal"]["kind"] for event in got] == [item.signal.kind for item in told]
        assert [e["signal"]["to"] for e in got if e["signal"]["kind"] == "undone"] == [
            item.signal.to for item in told if type(item.signal) is Undone
        ]
        await broker.close()


async def test_nothing_raises_into_the_bot_and_what_can_not_be_read_is_a_gap() -> None:
    class Hostile(dict[str, Any]):
        def get(self, *_: Any) -> Any:
            raise RuntimeError

    with running() as (map, client):
        broker = await loaded(config(map))
        strange: Any
        for strange in (None, 7, "event", [], {}, {"sender_id": []}, {"event": None, "sender_id": "a"}, Hostile(a=1)):
            broker.publish(strange)
        broker.publish_batch(7)
        broker.publish_batch([*message("hello")])
        save(broker, "a", [*message("one"), {"event": None}, *message("two")])
        assert broker.probe.flush(5.0)
        await asyncio.to_thread(wait_for, lambda: utterances(client, "a")[-2:] == ["one", "two"])
        assert client.keyframe("a")["losses"] or client.get("/api/stats")["sources"][0]["missing"] > 0
        await broker.close()
    save(broker, "a", message("after it was closed and the map is gone"))
    await broker.close()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"url": "map.example.org:8700"}, "http:// or https://"),
        ({"kwargs": {"capacity": "many"}}, "whole number"),
        ({"kwargs": {"mask": 7}}, "key paths"),
        ({"kwargs": {"name": ""}}, "the bot's name"),
        ({"kwargs": {"colour": "red"}}, "knows no colour"),
    ],
)
async def test_a_wrong_entry_costs_a_warning_and_no_bot(
    entry: dict[str, Any], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "lingbot_probes"):
        broker = await loaded(EndpointConfig("lingbot_probes.rasa.MapBroker", **entry))
    assert said in caplog.text
    broker.publish({"sender_id": "a", "event": "bot", "text": "x"})
    await broker.close()


async def test_without_an_entry_there_is_no_broker() -> None:
    assert await MapBroker.from_endpoint_config(None, asyncio.get_running_loop()) is None


async def test_senders_without_end_are_bounded_and_one_that_comes_back_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rasa, "CONVERSATIONS", 2)
    with running() as (map, client):
        broker = await loaded(config(map))
        for sender in ("a", "b", "c", "a"):
            save(broker, sender, message(f"{sender} speaks"))
        assert len(broker._conversations) == 2
        save(broker, "a", [{"event": "rewind"}])
        assert broker.probe.flush(5.0)
        assert utterances(client, "a") == ["a speaks", "a speaks"]
        events = [e for e in client.get(f"/api/sessions/{key_of('a')}/events")["events"] if e.get("n")]
        again = [e["n"] for e in events if e["signal"]["kind"] == "turn_started"][1]
        (undone,) = [e["signal"] for e in events if e["signal"]["kind"] == "undone"]
        assert undone["to"] == again - 1, "the turn that was told after it came back is struck through, not the first"
        assert sum(e["signal"]["kind"] == "session_started" for e in events) == 1
        assert {source["missing"] for source in client.get("/api/stats")["sources"]} == {0}
        await broker.close()


SDK: list[Event] = [
    {"event": "user", "text": "hi", "parse_data": None, "input_channel": None},
    {"event": "bot", "text": None, "data": None, "metadata": None},
    {"event": "slot", "name": "city", "value": None},
    {"event": "slot", "name": "city", "value": {"name": "Oslo"}},
    {"event": "reset_slots"},
    {"event": "reminder", "intent": "nag", "entities": None, "date_time": "2026-01-01T00:00:00", "name": None},
    {"event": "cancel_reminder", "intent": None, "entities": None, "name": "nag"},
    {"event": "followup", "name": "action_listen"},
    {"event": "pause"},
    {"event": "resume"},
    {"event": "action", "name": "utter_hi", "policy": None, "confidence": None},
    {"event": "active_loop", "name": "form"},
    {"event": "loop_interrupted", "is_interrupted": True},
    {"event": "action_execution_rejected", "name": "form", "policy": None, "confidence": None},
    {"event": "active_loop", "name": None},
    {"event": "agent", "text": None, "data": None},
    {"event": "undo"},
    {"event": "rewind"},
    {"event": "export"},
    {"event": "restart"},
    {"event": "session_ended", "metadata": {"reason": "done"}},
]
"""Every event that an action of ``rasa_sdk`` can return, with the fields that it leaves empty."""


async def test_every_event_of_an_action_arrives_with_its_empty_fields() -> None:
    with running() as (map, client):
        broker = await loaded(config(map))
        save(broker, "a", [{**event, "timestamp": None} for event in SDK])
        assert broker.probe.flush(5.0)
        assert broker.errors == 0
        (source,) = client.get("/api/stats")["sources"]
        assert (source["missing"], source["refused"]) == (0, 0)
        events = [e["signal"] for e in client.get(f"/api/sessions/{key_of('a')}/events")["events"] if e.get("n")]
        assert {"turn_started", "answered", "slot_assigned", "slot_cleared", "failed", "undone"} <= {
            signal["kind"] for signal in events
        }
        assert [s["reason"] for s in events if s["kind"] == "session_ended"] == ["done"]
        await broker.close()


def test_publishing_costs_a_bot_little() -> None:
    broker = MapBroker("http://127.0.0.1:9")
    events = [{"sender_id": "a", **event} for event in message("hello")] * 200
    begun = time.perf_counter()
    broker.publish_batch(events)
    took = (time.perf_counter() - begun) / len(events)
    print(f"publishing an event takes {took * 1e6:.0f} us")
    assert took < 0.002
    broker.probe.close(0.01)


def test_it_is_loaded_with_the_standard_library_alone(root: Path) -> None:
    code = (
        "import sys; before = set(sys.modules); import lingbot_probes.rasa as r; b = r.MapBroker('http://127.0.0.1:9');"
        "b.publish({'sender_id': 'a', 'event': 'bot', 'text': 'x'}); b.probe.close(0.01);"
        "print(sorted({m.partition('.')[0] for m in set(sys.modules) - before} - sys.stdlib_module_names))"
    )
    probes = str(root / "probes")
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {json.dumps(probes)}); {code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "['lingbot_probes']"
