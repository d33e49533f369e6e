"""Annotated dialogues to signals, record by record: what each becomes, what is not told twice, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from lingbot_probes.adapters.crosswoz import CrossWoz
from lingbot_probes.adapters.dialogue import Dialogue
from lingbot_probes.adapters.kdconv import KdConv
from lingbot_probes.adapters.sgd import SchemaGuided
from lingbot_probes.adapters.star import Star
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import (
    Answered,
    Failed,
    IntentRouted,
    Raw,
    Retrieved,
    SessionEnded,
    SessionStarted,
    SlotAssigned,
    SlotCleared,
    SlotRead,
    TurnStarted,
)


@pytest.mark.parametrize(
    ("dialogue", "title"),
    [
        (SchemaGuided("1_0", {"services": ["Cafes_1", 3, "Buses_2"]}), "1_0 · Cafes_1, Buses_2"),
        (
            CrossWoz("7", {"goal": [[1, "餐馆", "名称", "", False], [], [2, "景点", "评分", "", False]]}),
            "7 · 餐馆, 景点",
        ),
        (KdConv("长城", {"name": "长城"}), ""),
        (Star("12", {"Scenario": {"Domains": ["ride", "hotel", "ride"]}}), "12 · ride, hotel"),
    ],
)
def test_a_list_of_sessions_shows_what_a_dialogue_is_about(dialogue: Dialogue, title: str) -> None:
    (started,) = [item.signal for item in dialogue.skip()]
    assert type(started) is SessionStarted
    assert started.title == title


def said(adapter: Dialogue, *records: Any) -> list[Any]:
    """All signals of ``records`` but the first, which starts the session."""
    items = [item for record in records for item in adapter.take(record)] + adapter.end()
    assert [item.n for item in items] == list(range(1, len(items) + 1))
    first, *rest = [item.signal for item in items]
    assert type(first) is SessionStarted
    return rest


# --- Schema-Guided Dialogue ------------------------------------------------------------------------------------------


def user(text: str, intent: str = "NONE", slots: dict[str, list[str]] | None = None, **more: Any) -> dict[str, Any]:
    """A turn of the user with one frame."""
    state = {"active_intent": intent, "requested_slots": [], "slot_values": slots or {}, **more}
    frame = {"service": "Cafes_1", "actions": [], "slots": [], "state": state}
    return {"speaker": "USER", "utterance": text, "frames": [frame]}


def system(text: str, *acts: tuple[str, str, str], **more: Any) -> dict[str, Any]:
    """A turn of the system with one frame."""
    actions = [{"act": act, "slot": slot, "values": [value], "canonical_values": [value]} for act, slot, value in acts]
    frame = {"service": "Cafes_1", "actions": actions, "slots": [], **more}
    return {"speaker": "SYSTEM", "utterance": text, "frames": [frame]}


ROWS = [{"cafe_name": "Bean", "city": "Lund", "open": "9"}, {"cafe_name": "Leaf", "city": "Lund", "open": "9"}]


def test_a_turn_of_the_user_is_its_intent_and_the_slots_that_changed() -> None:
    assert said(
        SchemaGuided("d", {"services": ["Cafes_1"]}),
        user("coffee in Lund", "FindCafe", {"city": ["Lund"]}),
        user("tomorrow", "FindCafe", {"city": ["Lund"], "day": ["tomorrow", "the 3rd"]}),
        user("yes, the 3rd", "FindCafe", {"city": ["Lund"], "day": ["3/3", "tomorrow"]}),
        user("no, in Ystad", "FindCafe", {"city": ["Ystad"]}),
        user("thanks", requested_slots=["open"]),
    ) == [
        TurnStarted(turn="1", utterance="coffee in Lund"),
        IntentRouted(intent="FindCafe"),
        SlotAssigned(slot="Cafes_1.city", value="Lund", scope="session", task="FindCafe"),
        TurnStarted(turn="2", utterance="tomorrow"),
        IntentRouted(intent="FindCafe"),
        SlotAssigned(slot="Cafes_1.day", value="tomorrow", scope="session", task="FindCafe"),
        TurnStarted(turn="3", utterance="yes, the 3rd"),
        IntentRouted(intent="FindCafe"),
        TurnStarted(turn="4", utterance="no, in Ystad"),
        IntentRouted(intent="FindCafe"),
        SlotCleared(slot="Cafes_1.day", task="FindCafe"),
        SlotAssigned(slot="Cafes_1.city", value="Ystad", scope="session", task="FindCafe"),
        TurnStarted(turn="5", utterance="thanks"),
        SlotCleared(slot="Cafes_1.city"),
        Raw(name="requested_slots", data={"Cafes_1": ["open"]}),
    ]


def test_a_call_reads_its_slots_and_the_answer_names_the_row_it_is_made_from() -> None:
    call = {"method": "FindCafe", "parameters": {"city": "Lund", "quiet": "yes"}}
    adapter = SchemaGuided("d")
    told = said(
        adapter,
        user("coffee in Lund", "FindCafe", {"city": ["Lund"]}),
        system("There is Leaf.", ("OFFER", "cafe_name", "Leaf"), service_call=call, service_results=ROWS),
        system("It is in Lund.", ("INFORM", "city", "Lund")),
        system("Sorry.", ("NOTIFY_FAILURE", "", "")),
    )
    read, found, answer = told[3:6]
    assert read == SlotRead(slot="Cafes_1.city", reader="FindCafe", task="FindCafe")
    assert (found.query, found.stage) == ("FindCafe(city=Lund, quiet=yes)", "fused")
    assert [(doc.title, doc.rank, doc.snippet) for doc in found.docs] == [
        ("Bean", 1, "cafe_name: Bean, city: Lund, open: 9"),
        ("Leaf", 2, "cafe_name: Leaf, city: Lund, open: 9"),
    ]
    assert found.params == {"service": "Cafes_1", **call}
    assert answer == Answered(text="There is Leaf.", docs=(found.docs[1].id,))
    assert Answered(text="It is in Lund.") in told  # both rows are
    assert Failed(where="FindCafe", error="NOTIFY_FAILURE") in told
    again = said(SchemaGuided("e"), system("x", service_results=ROWS[::-1]))[0]
    assert {doc.id for doc in again.docs} == {doc.id for doc in found.docs}


# --- CrossWOZ --------------------------------------------------------------------------------------------------------


def asked(text: str, *acts: list[str]) -> dict[str, Any]:
    """A message of the user."""
    return {"role": "usr", "content": text, "dialog_act": list(acts), "user_state": [[1, "餐馆", "名称", "", False]]}


def state(picked: list[str], **slots: Any) -> dict[str, Any]:
    """The system's state in one domain."""
    return {"餐馆": {"名称": "", "评分": "", **slots, "selectedResults": picked}}


def replied(text: str, before: dict[str, Any], after: dict[str, Any], *acts: list[str]) -> dict[str, Any]:
    """A message of the wizard."""
    return {"role": "sys", "content": text, "dialog_act": list(acts), "sys_state_init": before, "sys_state": after}


def test_the_wizards_edit_is_an_overwrite_and_what_was_picked_a_retrieval() -> None:
    adapter = CrossWoz("7", {"type": "单领域"})
    name = ["Inform", "餐馆", "名称", "老面馆"]
    told = said(
        adapter,
        asked("找家4分以上的面馆", ["General", "greet", "none", "none"], ["Inform", "餐馆", "评分", "4分以上"]),
        replied("去老面馆吧", state([], 评分="4分以上"), state(["老面馆", "小食堂"], 评分="4.5分"), name),
        asked("好吗", ["Request", "餐馆", "评分", ""], ["Request", "餐馆", "名称", ""]),
        replied("4.5分", state([]), state(["老面馆", "小食堂"], 评分="4.5分"), ["Inform", "餐馆", "评分", "4.5分"]),
    )
    docs = ("餐馆/老面馆", "餐馆/小食堂")
    told = [signal for signal in told if type(signal) is not Raw]
    assert told[:5] == [
        TurnStarted(turn="1", utterance="找家4分以上的面馆"),
        IntentRouted(intent="General-greet"),
        IntentRouted(intent="Inform-餐馆"),
        SlotAssigned(slot="餐馆.评分", value="4分以上", scope="session", task="Inform-餐馆"),
        SlotAssigned(slot="餐馆.评分", value="4.5分", scope="session", task="Inform-餐馆"),
    ]
    assert type(told[5]) is Retrieved
    assert (told[5].query, tuple(doc.id for doc in told[5].docs)) == ("餐馆(评分=4.5分)", docs)
    assert told[6:] == [
        Answered(text="去老面馆吧", docs=docs[:1]),
        TurnStarted(turn="2", utterance="好吗"),
        IntentRouted(intent="Request-餐馆"),
        SlotCleared(slot="餐馆.评分", task="Request-餐馆"),
        SlotAssigned(slot="餐馆.评分", value="4.5分", scope="session", task="Request-餐馆"),
        Answered(text="4.5分", docs=docs),  # the same entities, found no second time
    ]
    assert adapter.scribe.found.left["user_state"] == 2


# --- KdConv ----------------------------------------------------------------------------------------------------------


def test_speakers_alternate_also_over_a_message_that_cannot_be_read() -> None:
    triple = {"name": "长城", "attrname": "门票", "attrvalue": "40元" * 60}
    adapter = KdConv("长城")
    items = [*adapter.take({"message": "去过长城吗"}), *adapter.take({"message": "去过", "attrs": [triple]})]
    with pytest.raises(SignalError, match=r"message: expected text, found \['x'\]"):
        adapter.take({"message": ["x"]})
    adapter.skip()
    items += adapter.take({"message": "好", "attrs": []})
    signals: list[Any] = [item.signal for item in items]
    first, turn, found, answer, last = signals
    assert first == SessionStarted(title="", meta={"corpus": "kdconv"})
    assert turn == TurnStarted(turn="1", utterance="去过长城吗")
    assert (found.query, found.stage, found.params) == ("去过长城吗", "prompt", {"drawn_on_by": "bot"})
    (doc,) = found.docs
    assert (doc.title, doc.snippet, doc.rank) == ("长城 · 门票", "40元" * 60, 1)
    assert doc.id.startswith("长城/门票/40元")
    assert len(doc.id) == 111
    assert answer == Answered(text="去过", docs=(doc.id,))
    assert last == Answered(text="好")
    assert [item.n for item in items] == [1, 2, 3, 4, 6]


# --- STAR ------------------------------------------------------------------------------------------------------------


def star(agent: str, action: str, **more: Any) -> dict[str, Any]:
    """An event."""
    return {"Agent": agent, "Action": action, **more}


ITEM = {"APIName": "taxi", "Driver": "Vera Lind", "Minutes": 4}


def test_events_of_a_wizard() -> None:
    adapter = Star("12", {"Scenario": {"Domains": ["ride"]}, "CompletionLevel": "Complete"})
    options = ["ask_name", "taxi_found", "ask_name"]
    query = star("Wizard", "query", APIName="taxi", Constraints=[{"To": '"Zoo"'}, {"At": "1"}, {"At": "2"}])
    told = said(
        adapter,
        star("UserGuide", "instruct", Text="Ask for a taxi", UnixTime=10),
        star("User", "utter", Text="a taxi", UnixTime=11),
        star("Wizard", "select_task", Task="taxi_book", UnixTime=12),
        {**query, "UnixTime": 13},
        star("KnowledgeBase", "return_item", APIName="taxi", Item=ITEM, TotalItems=3),
        star(
            "Wizard",
            "pick_suggestion",
            ActionLabel="taxi_found",
            ActionLabelOptions=options,
            PrimaryItem=ITEM,
            Text="Vera Lind comes.",
            UnixTime=15,
        ),
        star("Wizard", "query", APIName="taxi", Constraints=[{"To": '"Sea"'}], UnixTime=16),
        star("KnowledgeBase", "return_item", APIName="taxi", TotalItems=0),
        star("Wizard", "utter", PrimaryItem=ITEM, Text="None.", UnixTime=17),
        star("User", "complete", UnixTime=18),
    )
    found, none = [signal for signal in told if type(signal) is Retrieved]
    assert [signal for signal in told if type(signal) is not Retrieved] == [
        Raw(name="UserGuide instruct", data={"Text": "Ask for a taxi"}),
        TurnStarted(turn="1", utterance="a taxi"),
        IntentRouted(intent="taxi_book"),
        SlotAssigned(slot="taxi.To", value='"Zoo"', scope="session", task="taxi_book"),
        SlotAssigned(slot="taxi.At", value=["1", "2"], scope="session", task="taxi_book"),
        SlotRead(slot="taxi.To", reader="taxi", task="taxi_book"),
        SlotRead(slot="taxi.At", reader="taxi", task="taxi_book"),
        IntentRouted(intent="taxi_found", parent="taxi_book", candidates=(("ask_name", None), ("taxi_found", None))),
        Answered(text="Vera Lind comes.", docs=(found.docs[0].id,)),
        SlotCleared(slot="taxi.At", task="taxi_book"),
        SlotAssigned(slot="taxi.To", value='"Sea"', scope="session", task="taxi_book"),
        SlotRead(slot="taxi.To", reader="taxi", task="taxi_book"),
        Answered(text="None."),
        SessionEnded(reason="complete"),
    ]
    assert [(doc.title, doc.rank) for doc in found.docs] == [("Vera Lind", 1)]
    assert found.params == {"api": "taxi", "total": 3, "constraints": {"To": '"Zoo"', "At": ["1", "2"]}}
    assert (none.docs, none.params["total"]) == ((), 0)
    assert adapter.scribe.found.timeless == 2


def test_what_follows_a_complete_makes_it_no_end() -> None:
    told = said(Star("1"), star("User", "complete", UnixTime=1), star("User", "utter", Text="wait", UnixTime=2))
    assert told == [Raw(name="User complete"), TurnStarted(turn="1", utterance="wait")]


# --- what is none ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("adapter", "record", "said"),
    [
        (SchemaGuided, 3, "record: expected a mapping, found 3"),
        (SchemaGuided, {"speaker": "BOT", "utterance": "x"}, "speaker: expected USER or SYSTEM, found 'BOT'"),
        (SchemaGuided, {"speaker": "USER", "utterance": []}, r"utterance: expected text, found \[\]"),
        (CrossWoz, {"role": "bot", "content": "x"}, "role: expected usr or sys, found 'bot'"),
        (KdConv, {"message": {}}, "message: expected text"),
        (Star, {"Agent": "User"}, "Action: expected a name, found None"),
    ],
)
def test_what_is_no_record_is_refused_by_its_field(adapter: Any, record: object, said: str) -> None:
    with pytest.raises(SignalError, match=said):
        adapter("d").take(record)


JUNK: list[Any] = [None, 0, "x", [], {}, [[]], [{}], {"a": None}, [None, 1], {"a": {"b": []}}]


@pytest.mark.parametrize("adapter", [SchemaGuided, CrossWoz, KdConv, Star])
def test_nothing_in_a_record_makes_an_adapter_stumble(adapter: Any) -> None:
    good: dict[Any, list[dict[str, Any]]] = {
        SchemaGuided: [user("a", "B", {"c": ["d"]}), system("e", ("OFFER", "f", "g"), service_results=ROWS)],
        CrossWoz: [asked("a", ["b", "c", "d", "e"]), replied("f", state([]), state(["g"]), ["h", "i", "j", "k"])],
        KdConv: [{"message": "a", "attrs": [{"name": "b", "attrname": "c", "attrvalue": "d"}]}],
        Star: [
            star("Wizard", "query", APIName="a", Constraints=[{"b": "c"}]),
            star("KnowledgeBase", "return_item", APIName="a", Item=ITEM, TotalItems=1),
            star("Wizard", "pick_suggestion", ActionLabel="a", ActionLabelOptions=["a"], PrimaryItem=ITEM, Text="b"),
        ],
    }
    for record in good[adapter]:
        for spoilt in _spoilt(record):
            dialogue = adapter("d", {"services": 1, "type": [], "name": {}, "Scenario": []})
            try:
                dialogue.take(spoilt)
            except SignalError:
                dialogue.skip()
            dialogue.end()


def _spoilt(value: Any) -> list[Any]:
    """The record with each of its parts, however deep, replaced by each piece of junk."""
    out = list(JUNK)
    if isinstance(value, dict):
        out += [{**value, key: junk} for key, held in value.items() for junk in _spoilt(held)]
    elif isinstance(value, list):
        out += [[*value[:at], junk, *value[at + 1 :]] for at, held in enumerate(value) for junk in _spoilt(held)]
    return out
