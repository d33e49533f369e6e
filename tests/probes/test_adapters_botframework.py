"""Bot Framework activities to signals: chat, recognisers, knowledge base, state."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lingbot_probes.adapters.botframework import BotFramework
from lingbot_probes.codec import SignalError, numbered_from_dict, numbered_to_dict
from lingbot_probes.signals import (
    Answered,
    Failed,
    IntentRouted,
    Numbered,
    Raw,
    Retrieved,
    SessionEnded,
    SlotAssigned,
    SlotCleared,
    TurnStarted,
    Undone,
)
from tests.probes.test_adapters_rasa import VALUES, signals

Activity = dict[str, Any]
LUIS = "https://www.luis.ai/schemas/trace"
QNA = "https://www.qnamaker.ai/schemas/trace"
STATE = "https://www.botframework.com/schemas/botState"


def told(*activities: Activity) -> list[Numbered]:
    """What the adapter says to ``activities``."""
    bot = BotFramework("c")
    return [item for activity in activities for item in bot.take(activity)] + bot.end()


def user(text: str | None, id: str = "", **more: Any) -> Activity:
    return {"type": "message", "id": id, "from": {"id": "u", "role": "user"}, "text": text, **more}


def bot(text: str | None, reply: str = "", **more: Any) -> Activity:
    return {"type": "message", "from": {"id": "b", "role": "bot"}, "text": text, "replyToId": reply, **more}


def trace(value: Any, **more: Any) -> Activity:
    return {"type": "trace", "value": value, **more}


def luis(entities: Any = None, model: str = "m", **scores: float) -> Activity:
    intents = {name: {"score": score} for name, score in scores.items()}
    result = {"text": "t", "intents": intents, "entities": entities or {"$instance": {}}}
    return trace({"recognizerResult": result, "luisModel": {"ModelID": model}}, name="LuisRecognizer", valueType=LUIS)


def test_a_user_message_opens_a_turn_and_a_reply_joins_its_own() -> None:
    items = told(
        user("one", "m1"),
        user("two", "m2"),
        bot("to two", "m2"),
        bot("to one", "m1"),
        bot("to nobody", "gone"),
        bot("late"),
    )
    answers = [(item.turn, item.signal.text) for item in items if type(item.signal) is Answered]
    assert signals(items, TurnStarted) == [
        TurnStarted(turn="1", utterance="one"),
        TurnStarted(turn="2", utterance="two"),
    ]
    assert answers == [("2", "to two"), ("1", "to one"), ("2", "to nobody"), ("2", "late")]


@pytest.mark.parametrize(
    ("sender", "more", "by_user"),
    [
        ({"role": "user"}, {}, True),
        ({"role": "User"}, {"replyToId": "x"}, True),
        ({"role": "bot"}, {}, False),
        ({"id": "u"}, {}, True),
        ({"id": "other"}, {"replyToId": "x"}, False),
        ({"id": "b"}, {}, False),
        (None, {}, True),
    ],
)
def test_who_speaks_is_told_by_role_else_by_the_reply_else_by_a_known_bot(
    sender: Any, more: Activity, by_user: bool
) -> None:
    items = told(bot("hi"), {"type": "message", "text": "x", "from": sender, **more})
    assert bool(signals(items, TurnStarted)) is by_user


def test_fields_in_another_case_are_read() -> None:
    activity = {
        "Type": "message",
        "Text": "hello",
        "From": {"Role": "user"},
        "Timestamp": "2024-01-02T03:04:05.1234567Z",
    }
    (turn,) = [item for item in told(activity) if type(item.signal) is TurnStarted]
    assert turn.signal == TurnStarted(turn="1", utterance="hello")
    assert turn.said_at == pytest.approx(1704164645.123456)


def test_a_pressed_button_is_what_the_user_said() -> None:
    items = told(user(None, value={"yes": "是"}))
    assert signals(items, TurnStarted) == [TurnStarted(turn="1", utterance='{"yes":"是"}')]
    assert signals(items, Raw) == [Raw(name="message", data={"value": {"yes": "是"}})]


def test_a_card_stands_for_an_answer_without_text() -> None:
    card = {"contentType": "application/x.card", "content": {"body": []}}
    items = told(bot(None, attachments=[card]))
    assert signals(items, Answered) == [Answered(text="[application/x.card]")]
    assert signals(items, Raw) == [Raw(name="message", data={"attachments": [card]})]


@pytest.mark.parametrize("named", [True, False])
def test_a_recogniser_routes_and_its_entities_are_kept(named: bool) -> None:
    activity = luis({"date": ["today"], "$instance": {"date": []}}, book=0.9, cancel=0.3)
    if not named:
        activity = trace(activity["value"])
    items = told(user("t"), activity)
    assert signals(items, IntentRouted) == [
        IntentRouted(intent="book", confidence=0.9, candidates=(("book", 0.9), ("cancel", 0.3)))
    ]
    assert signals(items, Raw) == [Raw(name="entities", data={"date": ["today"]})]


def test_a_bare_recogniser_result_is_one_too() -> None:
    items = told(user("t"), trace({"text": "t", "intents": {"book": {"score": 0.8}}}))
    assert signals(items, IntentRouted)[0].intent == "book"


def test_a_skill_is_a_sub_intent_of_the_dispatcher_and_weak_results_are_candidates() -> None:
    items = told(
        user("t"),
        luis(model="general", ReadAloud=0.2),
        luis(model="dispatch", hotel=0.95),
        luis(model="general", ReadAloud=0.1),
        luis(model="hotel", Extend=0.9),
        luis(model="hotel", Extend=0.9),
        bot("done"),
    )
    assert signals(items, IntentRouted) == [
        IntentRouted(intent="hotel", confidence=0.95, candidates=(("hotel", 0.95), ("ReadAloud", 0.2))),
        IntentRouted(intent="Extend", confidence=0.9, candidates=(("Extend", 0.9), ("ReadAloud", 0.1)), parent="hotel"),
    ]
    assert signals(items, Raw) == [Raw(name="recognized", data={"intent": "Extend", "score": 0.9})]


def test_the_best_weak_result_is_the_route_when_nothing_better_came() -> None:
    items = told(user("t"), luis(a=0.1), luis(c=0.0), luis(b=0.3), bot("?"))
    kinds = [type(item.signal) for item in items[1:]]
    assert kinds == [TurnStarted, IntentRouted, Answered]
    routed = signals(items, IntentRouted)[0]
    assert (routed.intent, routed.confidence) == ("b", 0.3)
    assert routed.candidates == (("b", 0.3), ("a", 0.1), ("c", 0.0))


def test_none_is_no_route_beside_another() -> None:
    luis_none = trace({"recognizerResult": {"text": "t", "intents": {"None": {"score": 0.8}}}})
    items = told(user("t"), luis(Confirm=0.9), luis_none, bot("ok"), user("u"), luis_none, bot("?"))
    assert [s.intent for s in signals(items, IntentRouted)] == ["Confirm", "None"]


def test_weak_results_at_the_end_of_the_file_are_not_lost() -> None:
    assert signals(told(user("t"), luis(a=0.1)), IntentRouted)[0].intent == "a"


@pytest.mark.parametrize("named", [True, False])
def test_a_knowledge_base_retrieves_and_the_answer_names_its_document(named: bool) -> None:
    rows = [
        {"id": 7, "questions": ["Pool?"], "answer": "On the roof. ", "score": 0.86, "source": "Editorial"},
        {"id": 8, "questions": [], "answer": "In the cellar.", "score": 0.4, "source": "faq.tsv"},
        {"id": -1, "questions": [], "answer": "No good match found", "score": 0},
    ]
    value = {"queryResults": rows, "knowledgeBaseId": "kb", "top": 3, "message": {"text": "where is the pool"}}
    items = told(
        user("x"), trace(value, **({"valueType": QNA} if named else {})), bot("On the roof."), bot("Anything else?")
    )
    (found,) = signals(items, Retrieved)
    assert (found.query, found.stage, found.params) == (
        "where is the pool",
        "fused",
        {"knowledgeBaseId": "kb", "top": 3},
    )
    assert [(d.id, d.title, d.score, d.rank, d.snippet) for d in found.docs] == [
        ("kb/7", "Pool?", 0.86, 1, "On the roof. "),
        ("kb/8", "faq.tsv", 0.4, 2, "In the cellar."),
    ]
    assert [s.docs for s in signals(items, Answered)] == [("kb/7",), ()]


def test_an_answer_of_another_turn_is_not_made_from_this_turns_documents() -> None:
    value = {"queryResults": [{"id": 1, "answer": "Yes.", "score": 1}]}
    items = told(user("x"), trace(value), user("y"), bot("Yes."))
    assert [s.docs for s in signals(items, Answered)] == [()]


def adaptive(dialog: dict[str, Any] | None, user_scope: dict[str, Any] | None = None, top: str = "order") -> Activity:
    value: dict[str, Any] = {
        "turn": {"activity": {}},
        "user": user_scope or {},
        "conversation": {
            "_lastAccess": "x",
            "DialogState": {"dialogStack": [{"id": top, "state": {}}] if dialog else []},
        },
    }
    if dialog is not None:
        value["dialog"] = value["this"] = {"eventCounter": 1, "_tracker": {}, "retries": 0, **dialog}
    return trace(value, name="BotState", valueType=STATE)


def test_state_is_told_as_what_changed() -> None:
    items = told(
        user("x"),
        adaptive({"Name": "jim", "requiredProperties": ["Name", "Bread"]}, {"lang": {"code": "zh", "auto": True}}),
        adaptive({"Name": "tom", "Bread": ["a"]}, {"lang": {"code": "zh", "auto": True}}),
        adaptive({"Bread": ["a"]}, {"lang": {"code": "zh", "auto": True}}),
        adaptive(None, {"lang": {"code": "zh", "auto": None}}),
    )
    assert signals(items, SlotAssigned, SlotCleared) == [
        SlotAssigned(slot="user.lang.code", value="zh", scope="user", task="order"),
        SlotAssigned(slot="user.lang.auto", value=True, scope="user", task="order"),
        SlotAssigned(slot="dialog.Name", value="jim", scope="task", task="order"),
        SlotAssigned(slot="dialog.Name", value="tom", scope="task", task="order"),
        SlotAssigned(slot="dialog.Bread", value=["a"], scope="task", task="order"),
        SlotCleared(slot="dialog.Name", task="order"),
        SlotCleared(slot="user.lang.auto", task="order"),
        SlotCleared(slot="dialog.Bread", task="order"),
    ]


def test_the_dialog_on_top_is_a_route_and_says_what_it_needs() -> None:
    items = told(user("x"), adaptive({"requiredProperties": ["A", "B"], "A": 1}), user("y"), luis(order=0.9))
    dialog, routed = signals(items, IntentRouted)
    assert (dialog.intent, dialog.condition) == ("order", "dialog stack")
    assert (routed.required, routed.missing) == (("dialog.A", "dialog.B"), ("dialog.B",))


@pytest.mark.parametrize("key", ["conversationState", "userState"])
def test_the_older_state_is_recognised_without_a_name(key: str) -> None:
    items = told(user("x"), trace({key: {"profile": {"name": "Li", "eTag": "*"}}}))
    (written,) = signals(items, SlotAssigned)
    assert (written.slot.split(".", 1)[1], written.value) == ("profile.name", "Li")


def test_a_difference_clears_only_what_it_names() -> None:
    diff = "https://www.botframework.com/schemas/diff"
    items = told(
        user("x"),
        trace({"userState": {"a": 1, "b": 2}}),
        trace({"userState": {"a": None, "c": 3}}, valueType=diff),
        trace({"userState": {"b": 2, "c": 3}}),
    )
    told_of = [(s.slot, getattr(s, "value", None)) for s in signals(items, SlotAssigned, SlotCleared)]
    assert told_of == [("user.a", 1), ("user.b", 2), ("user.a", None), ("user.c", 3)]


def test_nested_stacks_lead_to_the_innermost_dialog_and_its_steps_are_left_aside() -> None:
    steps = [{"id": "ActionScope[x]", "state": {}}, {"id": "SendActivity(y)", "state": {}}]
    inner = {"dialogStack": [*steps, {"id": "pizza", "state": {}}]}
    stack = [{"id": "AdaptiveDialog", "state": {"_adaptive": {"actions": [{"dialogId": "s", **inner}]}}}]
    items = told(user("x"), trace({"conversationState": {"dialogState": {"dialogStack": stack}}}))
    assert [s.intent for s in signals(items, IntentRouted)] == ["pizza"]


def test_errors_are_failures() -> None:
    name, kind = "OnTurnError Trace", "https://www.botframework.com/schemas/error"
    items = told(trace("boom", name=name, valueType=kind), {"type": "trace", "valueType": kind, "text": "bang"})
    assert signals(items, Failed) == [Failed(where=name, error="boom"), Failed(where="bot", error="bang")]


def test_deleting_what_was_said_last_takes_it_back_and_an_earlier_message_is_only_noted() -> None:
    items = told(
        user("one", "m1"),
        bot("a", id="b1"),
        user("two", "m2"),
        bot("b", id="b2"),
        {"type": "messageDelete", "id": "b2"},
    )
    (undone,) = signals(items, Undone)
    assert next(i.signal for i in items if i.n == undone.to) == TurnStarted(turn="2", utterance="two")
    whole = told(
        user("one", "m1"), bot("a", id="b1"), user("two", "m2"), bot("b"), {"type": "messageDelete", "id": "m2"}
    )
    (undone,) = signals(whole, Undone)
    assert next(i.signal for i in whole if i.n == undone.to) == Answered(text="a")
    early = told(user("one", "m1"), bot("a", id="b1"), user("two", "m2"), {"type": "messageDelete", "id": "b1"})
    assert signals(early, Undone) == []
    assert signals(early, Raw) == [Raw(name="messageDelete", data={"deleted": "b1"})]


def test_the_end_of_a_conversation_ends_the_session_only_as_the_last_activity() -> None:
    end = {"type": "endOfConversation", "code": "completedSuccessfully"}
    assert told(user("x"), end)[-1].signal == SessionEnded(reason="completedSuccessfully")
    items = told(user("x"), end, bot("welcome back"))
    assert signals(items, SessionEnded) == []
    assert signals(items, Raw) == [Raw(name="endOfConversation", data={"code": "completedSuccessfully"})]


@pytest.mark.parametrize("kind", ["typing", "event", "handoff", "invoke", "conversationUpdate", "ofTomorrow"])
def test_other_and_unknown_activities_are_kept_without_their_envelope(kind: str) -> None:
    items = told({"type": kind, "id": "1", "serviceUrl": "u", "name": "n", "value": {"a": 1}, "from": {"id": "b"}})
    assert signals(items, Raw) == [Raw(name=kind, data={"name": "n", "value": {"a": 1}})]


@pytest.mark.parametrize(
    ("bad", "where"), [(None, "activity"), ({}, "type"), ({"type": 1.5, "text": []}, "text"), ({"type": []}, "type")]
)
def test_what_is_no_activity_says_where_and_leaves_a_hole(bad: Any, where: str) -> None:
    adapter = BotFramework("c")
    before = adapter.take(user("x"))
    with pytest.raises(SignalError) as caught:
        adapter.take(bad)
    assert caught.value.where == where
    assert adapter.skip() == []
    assert adapter.take(bot("y"))[0].n == before[-1].n + 2


WORDS = [
    "recognizerResult",
    "intents",
    "text",
    "entities",
    "queryResults",
    "conversation",
    "user",
    "dialog",
    "turn",
    "dialogState",
    "dialogStack",
    "id",
    "state",
    "userState",
    "answer",
    "score",
    "message",
    "requiredProperties",
]
SHAPES = st.recursive(
    VALUES,
    lambda inner: st.dictionaries(st.sampled_from(WORDS), inner, max_size=4) | st.lists(inner, max_size=2),
    max_leaves=12,
)
KINDS = ["message", "trace", "messageDelete", "endOfConversation", "typing", "x"]
FIELDS = ["text", "from", "id", "replyToId", "timestamp", "name", "valueType", "attachments", "code", "channelId"]


@given(
    st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(KINDS)}, optional=dict.fromkeys(FIELDS, VALUES) | {"value": SHAPES}
        ),
        max_size=12,
    )
)
def test_whatever_comes_the_numbers_rise_and_every_signal_can_be_written(activities: list[Activity]) -> None:
    adapter = BotFramework("c")
    items: list[Numbered] = []
    for activity in activities:
        try:
            items += adapter.take(activity)
        except SignalError:
            items += adapter.skip()
    items += adapter.end()
    numbers = [item.n for item in items]
    assert numbers == sorted(set(numbers))
    for item in items:
        assert numbered_from_dict(numbered_to_dict(item)) == item
