"""The dialogue stack of CALM: followed through its patches, with the slot that the flow on top still asks for."""

from __future__ import annotations

import json
from typing import Any

from lingbot_probes.adapters.rasa import Rasa
from lingbot_probes.signals import IntentRouted, Raw, SlotAssigned
from tests.probes.test_adapters_rasa import Event, signals, slot, told


def stacked(*operations: Event) -> Event:
    return {"event": "stack", "update": json.dumps(operations)}


def frame(id: str, flow: str, **more: Any) -> Event:
    return {"frame_id": id, "flow_id": flow, "step_id": "START", "type": "flow", **more}


def asking(id: str, slot: str) -> Event:
    return frame(id, "pattern_collect_information", type="pattern_collect_information", collect=slot)


def test_a_stack_is_patched_and_shows_which_slot_the_flow_still_asks_for() -> None:
    items = told(
        stacked({"op": "add", "path": "/0", "value": frame("F1", "transfer")}),
        stacked(
            {"op": "replace", "path": "/0/step_id", "value": "ask_amount"},
            {"op": "add", "path": "/1", "value": asking("F2", "amount")},
        ),
        stacked({"op": "replace", "path": "/1/step_id", "value": "ask"}),  # the same question goes on
        stacked({"op": "replace", "path": "/1", "value": asking("F3", "amount")}),  # and is put anew
        slot("amount", 5),
        stacked({"op": "replace", "path": "/1", "value": asking("F4", "amount")}),
        stacked({"op": "remove", "path": "/9"}),
        stacked({"op": "remove", "path": "/1"}, {"op": "add", "path": "/-", "value": frame("F5", "contact")}),
    )
    assert [(s.intent, s.parent, s.condition, s.missing) for s in signals(items, IntentRouted)] == [
        ("transfer", "", "START", ()),
        ("transfer", "", "ask_amount", ("amount",)),
        ("transfer", "", "ask_amount", ("amount",)),
        ("contact", "transfer", "START", ()),
    ]
    assert signals(items, SlotAssigned)[0].task == "transfer"
    told_stacks = [s.data for s in signals(items, Raw) if s.name == "stack"]
    assert told_stacks[-1]["stack"] == ["transfer / ask_amount", "contact / START"]
    assert told_stacks[-2] == [{"op": "remove", "path": "/9"}]


def test_updates_of_the_stack_that_do_not_fit_are_counted() -> None:
    rasa = Rasa("s")
    high = stacked(*({"op": "add", "path": "/-", "value": frame(f"F{i}", "transfer")} for i in range(65)))
    for event in (stacked({"op": "remove", "path": "/0"}), {"event": "stack", "update": 7}, stacked(), high):
        rasa.take(event)
    assert rasa.scribe.found.left["stack"] == 3


def test_flows_that_events_tell_are_not_told_by_the_stack_again() -> None:
    items = told(
        {"event": "flow_started", "flow_id": "transfer"},
        stacked({"op": "add", "path": "/0", "value": frame("F1", "transfer")}),
    )
    assert [s.intent for s in signals(items, IntentRouted)] == ["transfer"]


def test_a_rewind_takes_the_stack_back_too() -> None:
    items = told(
        {"event": "action", "name": "action_listen"},
        {"event": "user", "text": "hi"},
        stacked({"op": "add", "path": "/0", "value": frame("F1", "transfer")}),
        {"event": "rewind"},
        stacked({"op": "add", "path": "/0", "value": frame("F2", "balance")}),
        {"event": "restart"},
        stacked({"op": "add", "path": "/0", "value": frame("F3", "card")}),
    )
    stacks = [s.data["stack"] for s in signals(items, Raw) if s.name == "stack"]
    assert stacks == [["transfer / START"], ["balance / START"], ["card / START"]]
