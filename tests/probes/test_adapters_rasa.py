"""Rasa events to signals: every event name, and above all what no longer holds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingbot_probes.adapters.rasa import Rasa
from lingbot_probes.codec import SignalError, numbered_from_dict, numbered_to_dict
from lingbot_probes.signals import (
    Answered,
    Failed,
    IntentRouted,
    Numbered,
    Raw,
    SessionStarted,
    SlotAssigned,
    SlotCleared,
    TurnStarted,
    Undone,
)

Event = dict[str, Any]


def told(*events: Event, sender: str = "s", slots: dict[str, Any] | None = None) -> list[Numbered]:
    """What the adapter says to ``events``."""
    rasa = Rasa(sender, slots)
    out = [item for event in events for item in rasa.take(event)]
    return out + rasa.end()


def signals(items: list[Numbered], *kinds: type) -> list[Any]:
    """The signals of ``kinds`` among ``items``."""
    return [item.signal for item in items if type(item.signal) in kinds]


def user(text: str, intent: str = "", confidence: float = 0.9, **more: Any) -> Event:
    parsed: Event = {"intent": {"name": intent or None, "confidence": confidence}, **more}
    return {"event": "user", "text": text, "parse_data": parsed, "timestamp": 1.0}


def action(name: str, policy: str = "RulePolicy", confidence: float = 1.0) -> Event:
    return {"event": "action", "name": name, "policy": policy, "confidence": confidence}


def slot(name: str, value: Any) -> Event:
    return {"event": "slot", "name": name, "value": value}


LISTEN = action("action_listen")


def undone_to(items: list[Numbered]) -> Any:
    """The signal that the (only) undoing names as the last that still holds; None for the beginning."""
    (undone,) = signals(items, Undone)
    return next((item.signal for item in items if item.n == undone.to), None)


def test_a_user_message_opens_a_turn_and_names_the_intent_with_its_rivals() -> None:
    ranking = [{"name": "a", "confidence": 0.7}, {"name": "b", "confidence": 0.2}, {"name": None}, "x"]
    entities = [{"entity": "size", "value": "30cm"}]
    items = told(user("hello", "a", 0.7, intent_ranking=ranking, entities=entities))
    assert [item.n for item in items] == [1, 2, 3, 4]
    assert type(items[0].signal) is SessionStarted
    assert items[1].signal == TurnStarted(turn="1", utterance="hello")
    assert items[2].signal == IntentRouted(intent="a", confidence=0.7, candidates=(("a", 0.7), ("b", 0.2)))
    assert items[3].signal == Raw(name="entities", data=entities)
    assert [item.turn for item in items] == ["", "1", "1", "1"]
    assert [item.said_at for item in items] == [1.0] * 4


def test_two_messages_with_one_message_id_are_two_turns() -> None:
    twice = [{**user("again"), "message_id": "m"}] * 2
    assert [s.turn for s in signals(told(*twice), TurnStarted)] == ["1", "2"]


def test_bot_messages_are_answers_and_their_buttons_are_kept() -> None:
    data = {"buttons": [{"title": "yes", "payload": "/yes"}], "image": None}
    items = told(
        {"event": "bot", "text": "sure?", "data": data}, {"event": "bot", "text": None, "data": {"image": "u"}}
    )
    assert signals(items, Answered) == [Answered(text="sure?"), Answered(text="[image]")]
    assert signals(items, Raw) == [
        Raw(name="bot", data={"buttons": data["buttons"]}),
        Raw(name="bot", data={"image": "u"}),
    ]


def test_slots_are_assigned_and_null_clears() -> None:
    items = told(slot("a", [1, {"b": None}]), slot("a", None), slot("zero", 0), slot("no", False))
    assert signals(items, SlotAssigned, SlotCleared) == [
        SlotAssigned(slot="a", value=[1, {"b": None}]),
        SlotCleared(slot="a"),
        SlotAssigned(slot="zero", value=0),
        SlotAssigned(slot="no", value=False),
    ]


def test_reset_slots_clears_each_slot_that_holds_a_value() -> None:
    items = told(slot("a", 1), slot("b", 2), slot("b", None), {"event": "reset_slots"}, {"event": "reset_slots"})
    assert signals(items, SlotCleared) == [SlotCleared(slot="b"), SlotCleared(slot="a")]
    assert signals(items, Raw) == [Raw(name="reset_slots", data={})]


@pytest.mark.parametrize("name", ["active_loop", "form"])
def test_a_form_is_the_task_of_what_follows_and_asks_for_its_slot(name: str) -> None:
    items = told(
        user("order", "start"),
        action("pizza_form", "FormPolicy", 0.8),
        {"event": name, "name": "pizza_form"},
        slot("requested_slot", "size"),
        LISTEN,
        user("what?", "other"),
        action("pizza_form", "FormPolicy", 0.7),
        slot("size", "L"),
        {"event": name, "name": None},
        slot("done", True),
    )
    start, form, other, again = signals(items, IntentRouted)
    assert (start.intent, start.parent) == ("start", "")
    assert (form.intent, form.confidence, form.missing) == ("pizza_form", 0.8, ())
    assert (form.predicted_by, form.condition) == ("FormPolicy", ""), "a policy predicts; it is no condition"
    assert (other.intent, other.parent) == ("other", "pizza_form")
    assert (again.intent, again.confidence, again.missing) == ("pizza_form", 0.7, ("size",))
    assert (again.predicted_by, again.condition) == ("FormPolicy", "")
    assert [s.task for s in signals(items, SlotAssigned)] == ["pizza_form", "pizza_form", ""]


def test_a_filled_slot_is_not_missing() -> None:
    items = told({"event": "form", "name": "f"}, slot("requested_slot", "size"), slot("size", "L"), action("f"))
    assert signals(items, IntentRouted)[-1].missing == ()


def test_rewind_takes_back_the_message_and_the_listening_before_it() -> None:
    items = told(
        user("one", "a"),
        LISTEN,
        slot("x", 1),
        LISTEN,
        user("two", "b"),
        slot("x", 2),
        action("utter"),
        {"event": "rewind"},
    )
    assert undone_to(items) == SlotAssigned(slot="x", value=1)


def test_two_rewinds_go_two_messages_back() -> None:
    items = told(
        LISTEN, user("one", "a"), action("u1"), LISTEN, user("two", "b"), {"event": "rewind"}, {"event": "rewind"}
    )
    first, second = signals(items, Undone)
    assert (first.to, second.to) == (5, 1)  # 1 session, 2 listen, 3-4 turn one, 5 u1, 6 listen, 7-8 turn two


def test_undo_takes_back_the_last_action() -> None:
    items = told(user("one", "a"), action("first"), action("second"), slot("x", 1), {"event": "undo"})
    assert undone_to(items) == Raw(name="action", data={"name": "first", "policy": "RulePolicy", "confidence": 1.0})


def test_what_a_rewind_takes_back_holds_no_slot_any_more() -> None:
    items = told(LISTEN, user("one", "a"), slot("x", 1), {"event": "rewind"}, {"event": "reset_slots"})
    assert signals(items, SlotCleared) == []


def test_a_rewind_ends_the_form_that_it_takes_back() -> None:
    items = told(LISTEN, user("one", "a"), {"event": "form", "name": "f"}, {"event": "rewind"}, user("two", "b"))
    assert signals(items, IntentRouted)[-1] == IntentRouted(intent="b", confidence=0.9)


def test_rewind_and_undo_with_nothing_before_them_take_nothing_back() -> None:
    items = told({"event": "rewind"}, {"event": "undo"})
    assert [(item.n, item.signal.to) for item in items[1:] if type(item.signal) is Undone] == [(2, 1), (3, 2)]


def test_restart_takes_everything_back_but_the_session_itself() -> None:
    items = told(user("one", "a"), slot("x", 1), {"event": "form", "name": "f"}, {"event": "restart"}, slot("y", 1))
    assert undone_to(items) == items[0].signal
    assert signals(items, SlotAssigned)[-1].task == ""


def test_a_session_started_after_somebody_spoke_begins_another_session() -> None:
    start = [action("action_session_start"), {"event": "session_started"}]
    items = told(*start, LISTEN, user("one", "a"), *start, slot("kept", 1), LISTEN, user("two", "b"), sender="anna")
    first = [item for item in items if item.session == "anna"]
    second = [item for item in items if item.session == "anna#2"]
    assert len(first) + len(second) == len(items)
    assert [item.n for item in second] == list(range(1, len(second) + 1))
    assert signals(second, Raw)[0].data["name"] == "action_session_start"
    assert signals(second, TurnStarted) == [TurnStarted(turn="1", utterance="two")]


def test_session_started_twice_before_anybody_spoke_is_one_session() -> None:
    items = told({"event": "session_started"}, action("action_session_start"), {"event": "session_started"}, LISTEN)
    assert {item.session for item in items} == {"s"}
    assert len(signals(items, SessionStarted)) == 1


def test_initial_slots_are_facts_of_the_session() -> None:
    items = told(slot("a", 1), slots={"a": 1, "currency": "EUR", "empty": None})
    (started,) = signals(items, SessionStarted)
    assert started.meta["slots"] == {"a": 1, "currency": "EUR"}


def test_a_rejected_action_is_a_failure() -> None:
    items = told({"event": "action_execution_rejected", "name": "pizza_form", "policy": "FormPolicy", "confidence": 1})
    (failed,) = signals(items, Failed)
    assert failed.where == "pizza_form"
    assert "FormPolicy" in failed.error


def test_calm_flows_are_tasks_within_tasks() -> None:
    items = told(
        {"event": "flow_started", "flow_id": "transfer"},
        {"event": "flow_started", "flow_id": "add_contact"},
        slot("name", "Li"),
        {"event": "flow_completed", "flow_id": "add_contact"},
        {"event": "flow_resumed", "flow_id": "transfer", "step_id": "ask"},
        slot("amount", 5),
        {"event": "stack", "update": '[{"op":"add","path":"/0","value":{}}]'},
        {"event": "stack", "update": "no json"},
    )
    routed = [(s.intent, s.parent, s.condition) for s in signals(items, IntentRouted)]
    assert routed == [("transfer", "", ""), ("add_contact", "transfer", ""), ("transfer", "", "ask")]
    assert [s.task for s in signals(items, SlotAssigned)] == ["add_contact", "transfer"]
    assert [s.data for s in signals(items, Raw) if s.name == "stack"] == [
        {"update": [{"op": "add", "path": "/0", "value": {}}], "stack": [""]},
        "no json",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "followup",
        "pause",
        "resume",
        "reminder",
        "cancel_reminder",
        "export",
        "user_featurization",
        "entities",
        "loop_interrupted",
        "form_validation",
        "topic",
        "flow_interrupted",
        "a_name_of_tomorrow",
    ],
)
def test_other_and_unknown_events_are_kept_as_they_came(name: str) -> None:
    items = told({"event": name, "timestamp": 2, "sender_id": "s", "name": "x", "deep": [1, {"a": None}]})
    assert signals(items, Raw) == [Raw(name=name, data={"name": "x", "deep": [1, {"a": None}]})]


def test_a_human_agents_message_is_an_answer() -> None:
    items = told({"event": "agent", "text": "I take over", "data": {"id": 7}})
    assert signals(items, Answered) == [Answered(text="I take over")]
    assert signals(items, Raw) == [Raw(name="agent", data={"text": "I take over", "data": {"id": 7}})]


@pytest.mark.parametrize(
    ("bad", "where"),
    [
        (None, "event"),
        ([], "event"),
        ({}, "event"),
        ({"event": None}, "event"),
        ({"event": {"a": 1}}, "event"),
        ({"event": "user", "text": {"a": 1}}, "user.text"),
        ({"event": "slot", "value": 1}, "slot.name"),
        ({"event": "slot", "name": [], "value": 1}, "slot.name"),
        ({"event": "flow_started"}, "flow_id"),
    ],
)
def test_what_is_no_event_says_where_and_leaves_a_hole(bad: Any, where: str) -> None:
    rasa = Rasa("s")
    before = rasa.take(slot("a", 1))
    with pytest.raises(SignalError) as caught:
        rasa.take(bad)
    assert caught.value.where == where
    hole = rasa.skip()
    after = rasa.take(slot("a", 2))
    assert hole == []
    assert after[0].n == before[-1].n + 2


def test_a_session_that_begins_with_a_bad_event_still_begins() -> None:
    rasa = Rasa("s")
    with pytest.raises(SignalError):
        rasa.take(None)
    items = rasa.skip() + rasa.take(slot("a", 1))
    assert [(item.n, type(item.signal)) for item in items] == [(1, SessionStarted), (3, SlotAssigned)]


def test_times_that_disagree_with_the_order_are_counted_and_change_nothing() -> None:
    rasa = Rasa("s")
    stamps = [10.0, 10.0, 9.0, 11.0, None, 1e300, {"$numberDouble": "12.5"}]
    items = [i for t in stamps for i in rasa.take({"event": "slot", "name": "a", "value": 1, "timestamp": t})]
    assert [item.said_at for item in items[1:]] == [10.0, 10.0, 9.0, 11.0, None, None, 12.5]
    assert (rasa.scribe.found.backwards, rasa.scribe.found.timeless) == (1, 2)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = [
    "text",
    "name",
    "value",
    "timestamp",
    "parse_data",
    "data",
    "policy",
    "confidence",
    "flow_id",
    "update",
    "metadata",
]
NAMES = ["user", "bot", "slot", "action", "form", "active_loop", "restart", "rewind", "undo", "reset_slots"]
MORE = ["session_started", "flow_started", "flow_completed", "stack", "agent", "action_execution_rejected", "x"]


@given(
    st.lists(
        st.fixed_dictionaries({"event": st.sampled_from(NAMES + MORE)}, optional=dict.fromkeys(FIELDS, VALUES)),
        max_size=12,
    )
)
def test_whatever_comes_the_numbers_rise_and_every_signal_can_be_written(events: list[Event]) -> None:
    rasa = Rasa("s")
    items: list[Numbered] = []
    for event in events:
        try:
            items += rasa.take(event)
        except SignalError:
            items += rasa.skip()
    items += rasa.end()
    for session in {item.session for item in items}:
        numbers = [item.n for item in items if item.session == session]
        assert numbers == sorted(set(numbers))
        assert type(next(item for item in items if item.session == session).signal) is SessionStarted
    for item in items:
        assert numbered_from_dict(numbered_to_dict(item)) == item
        if type(item.signal) is Undone:
            assert 0 < item.signal.to < item.n
