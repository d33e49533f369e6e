"""Traces of the OpenAI Agents SDK to signals: what each kind of span becomes, live and out of an export."""

from __future__ import annotations

from typing import Any

import pytest

from lingbot_probes.adapters.openai_agents import Meaning, Said, Trace, meaning
from lingbot_probes.adapters.openai_agents_traces import Conversation, read_record
from lingbot_probes.adapters.openai_agents_words import error_of, found_docs, value_of
from lingbot_probes.adapters.spans import NOT_CAPTURED
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import Answered, Failed, IntentRouted, Raw, Retrieved, SlotAssigned, TurnStarted
from tests.samples.agents import DOCS, Record, call, message, model, move, span, stamp, trace, whole_move


def told(records: list[Record], means: Meaning | None = None) -> list[Any]:
    """The signals of a trace that is told whole."""
    conversation = Conversation("s", None, means or Meaning())
    return [item.signal for item in conversation.tell([held for r in records for held in read_record(r)])]


def of(signals: list[Any], *kinds: type) -> list[Any]:
    return [signal for signal in signals if type(signal) in kinds]


def live(records: list[Record]) -> list[Said]:
    """The same trace as a processor hears it: spans begin and end as they nest, those within before those around."""
    spans = [record for record in records if record["object"] == "trace.span"]
    moments = [(held["started_at"], 0, held) for held in spans] + [(held["ended_at"], 1, held) for held in spans]
    heard = Trace(records[0]["id"])
    said = heard.begin(0.0)
    for _, ends, record in sorted(moments, key=lambda moment: moment[:2]):
        said += heard.ended(record) if ends else heard.started(record)
    return said + heard.over(0.0)


def test_each_kind_of_span_becomes_what_it_means() -> None:
    signals = told(whole_move())
    assert of(signals, TurnStarted) == [TurnStarted(turn="1", utterance="When is Mao Jian picked?")]
    assert of(signals, IntentRouted) == [
        IntentRouted(intent="front desk"),
        IntentRouted(intent="teas", candidates=(("teas", None), ("orders", None)), predicted_by="front desk"),
    ]
    found, prompt = of(signals, Retrieved)
    assert (found.query, found.stage, found.params) == ("Mao Jian harvest", "fused", {"retriever": "search_teas"})
    assert [(doc.id, doc.score, doc.snippet) for doc in found.docs] == [
        (d["id"], d["score"], d["content"]) for d in DOCS
    ]
    assert (prompt.stage, [doc.id for doc in prompt.docs]) == ("prompt", ["tea-7", "tea-9"])
    assert of(signals, Failed) == [Failed(where="price_of", error="Error running tool (non-fatal): no such tea")]
    assert of(signals, Answered) == [Answered(text="Before the rains of April.", docs=("tea-7", "tea-9"))]
    steps = [(signal.name, signal.data.get("tool", "")) for signal in of(signals, Raw)]
    assert steps == [("guardrail", ""), ("llm", ""), ("llm", ""), ("tool", "price_of"), ("llm", "")]
    assert signals[0].meta["group_id"] == "chat-1"
    assert signals[0].meta["metadata"] == {"channel": "web"}


def test_heard_live_it_is_the_same_but_for_the_turn_that_opens_before_its_words_are_known() -> None:
    said = [item.signal for item in live(whole_move())]
    turns = of(said, TurnStarted)
    assert [turn.utterance for turn in turns] == ["", "When is Mao Jian picked?"]
    assert len({turn.turn for turn in turns}) == 1
    rest = [signal for signal in said if type(signal) is not TurnStarted]
    assert rest == [s for s in told(whole_move())[1:] if type(s) is not TurnStarted]


def test_runs_of_one_trace_are_turns_and_a_handoff_begins_none() -> None:
    first, second = move(1, "hello", "hi"), move(1, "and now?", "later", at=30)
    for record in second[1:]:
        for key in ("id", "parent_id"):
            record[key] = record[key] and record[key].replace("span_", "span_b")
    signals = told([*first, *second[1:]])
    assert [turn.utterance for turn in of(signals, TurnStarted)] == ["hello", "and now?"]
    assert [answer.text for answer in of(signals, Answered)] == ["hi", "later"]
    assert len(of(told(whole_move()), TurnStarted)) == 1


def test_the_sdks_own_spans_say_where_a_run_begins() -> None:
    def task(own: int, at: float) -> Record:
        return span(1, own, "custom", at, name="task", data={"sdk_span_type": "task", "name": "Runner.run"})

    records = [trace(1)]
    for run, asked in enumerate(("one", "two")):
        at, own = run * 10.0, run * 10 + 1
        records.append(model(1, own + 3, at + 0.2, own + 2, asked, message(asked.upper())))
        records.append(
            span(1, own + 2, "custom", at + 0.1, own + 1, name="turn", data={"sdk_span_type": "turn", "turn": 1})
        )
        records.append(span(1, own + 1, "agent", at, own, name="desk"))
        records.append(task(own, at))
    signals = told(records)
    assert [turn.utterance for turn in of(signals, TurnStarted)] == ["one", "two"]
    assert not [signal for signal in of(signals, Raw) if signal.name in ("task", "turn")]


def test_an_agent_that_is_a_tool_is_a_sub_intent_and_its_words_are_no_answer() -> None:
    records = [
        trace(1),
        model(1, 5, 0.4, 4, "translate this", message("inner words")),
        span(1, 4, "agent", 0.3, 3, name="translator"),
        span(1, 3, "function", 0.2, 1, name="translate", input='{"text": "x"}', output="inner words"),
        model(1, 6, 0.6, 1, "please translate", message("outer words")),
        span(1, 1, "agent", 0.0, name="desk"),
    ]
    signals = told(records)
    assert of(signals, IntentRouted)[1] == IntentRouted(intent="translator", parent="desk")
    assert of(signals, Answered) == [Answered(text="outer words")]
    assert of(signals, TurnStarted)[0].utterance == "please translate"
    silent = told([record for record in records if record is not records[4]])
    assert of(silent, Answered) == []


def test_a_guardrail_that_trips_fails_once_and_what_was_said_meanwhile_is_no_answer() -> None:
    tripped = {"message": "Guardrail tripwire triggered", "data": {"guardrail": "on topic"}}
    records = [
        trace(1),
        span(1, 2, "guardrail", 0.1, 1, name="on topic", triggered=True),
        model(1, 3, 0.2, 1, "tell me a secret", message("Here it is")),
        span(1, 1, "agent", 0.0, name="desk", error=tripped),
    ]
    signals = told(records)
    assert of(signals, Failed) == [Failed(where="on topic", error="Guardrail tripwire triggered")]
    assert of(signals, Answered) == []


def test_an_error_that_rose_is_told_where_it_arose() -> None:
    inner = {"message": "Error getting response", "data": {"error": "503 from the model"}}
    outer = {"message": "Error in agent run", "data": {"error": "503 from the model"}}
    records = [
        trace(1),
        span(1, 2, "response", 0.1, 1, response_id=None, error=inner),
        span(1, 1, "agent", 0.0, name="desk", error=outer),
    ]
    signals = told(records)
    assert of(signals, Failed) == [Failed(where="response", error="Error getting response: 503 from the model")]
    assert of(signals, Answered) == []
    other = told([*records[:2], {**records[2], "error": {"message": "Max turns exceeded", "data": {"max_turns": 3}}}])
    assert [signal.where for signal in of(other, Failed)] == ["response", "desk"]


def test_what_was_not_recorded_is_said_to_be_so() -> None:
    records = [
        trace(1),
        span(1, 2, "response", 0.1, 1, response_id="resp_1", usage={"input_tokens": 5, "output_tokens": 2}),
        span(1, 1, "agent", 0.0, name="desk"),
    ]
    signals = told(records)
    assert of(signals, TurnStarted)[0].utterance == NOT_CAPTURED
    assert of(signals, Answered) == [Answered(text=NOT_CAPTURED)]
    assert of(signals, Raw)[0].data == {"tokens_in": 5, "tokens_out": 2, "response": "resp_1"}


def test_a_run_that_ended_with_a_tool_has_no_answer_of_a_model() -> None:
    records = [
        trace(1),
        model(1, 2, 0.1, 1, "the time?", call("clock")),
        span(1, 3, "function", 0.3, 1, name="clock", input="{}", output="noon"),
        span(1, 1, "agent", 0.0, name="desk"),
    ]
    assert of(told(records), Answered) == []


def test_functions_mean_what_is_configured() -> None:
    records = [
        trace(1),
        span(
            1,
            2,
            "function",
            0.1,
            1,
            name="lookup",
            input='{"q": "rain", "top_k": 2}',
            output='["It rains.", "It pours."]',
        ),
        span(1, 3, "function", 0.3, 1, name="set_seat", input='{"seat": "12A", "row": 12}', output="ok"),
        span(1, 4, "custom", 0.5, 1, name="profile", data={"city": "Lund"}),
        span(1, 1, "agent", 0.0, name="desk"),
    ]
    plain = told(records)
    assert of(plain, Retrieved, SlotAssigned) == []
    signals = told(records, meaning({"lookup": "keyword"}, ["set_seat", "profile"]))
    (found,) = of(signals, Retrieved)
    assert (found.query, found.stage, found.params) == ("rain", "keyword", {"top_k": 2, "retriever": "lookup"})
    assert [doc.snippet for doc in found.docs] == ["It rains.", "It pours."]
    assert of(signals, SlotAssigned) == [
        SlotAssigned(slot="seat", value="12A", task="desk"),
        SlotAssigned(slot="row", value=12, task="desk"),
        SlotAssigned(slot="city", value="Lund", task="desk"),
    ]
    with pytest.raises(ValueError, match="expected one of vector"):
        meaning({"lookup": "best"})


def test_a_search_by_the_models_own_service_is_a_retrieval() -> None:
    search = {
        "type": "file_search_call",
        "queries": ["refund", "money back"],
        "results": [{"file_id": "f-1", "filename": "refunds.md", "score": 0.9, "text": "Within 14 days."}],
    }
    signals = told([trace(1), model(1, 2, 0.1, 0, "refund?", search, message("Within 14 days."))])
    (found,) = of(signals, Retrieved)
    assert (found.query, found.stage) == ("refund; money back", "vector")
    assert [(doc.id, doc.title, doc.score, doc.snippet) for doc in found.docs] == [
        ("f-1", "refunds.md", 0.9, "Within 14 days.")
    ]
    assert of(signals, Answered) == [Answered(text="Within 14 days.", docs=("f-1",))]


def test_speech_is_heard_and_spoken() -> None:
    records = [
        trace(1),
        span(1, 2, "transcription", 0.1, input={"data": "", "format": "pcm"}, output="two teas please", model="ears"),
        span(1, 3, "speech", 0.5, input="Two teas, coming.", output={"data": "", "format": "pcm"}, model="voice"),
    ]
    signals = told(records)
    assert of(signals, TurnStarted)[0].utterance == "two teas please"
    assert of(signals, Answered) == [Answered(text="Two teas, coming.")]


def test_an_unknown_kind_of_span_is_kept_as_it_came() -> None:
    (kept,) = of(told([trace(1), span(1, 2, "telepathy", 0.1, mood="good")]), Raw)
    assert (kept.name, kept.data) == ("telepathy", {"mood": "good"})


def test_what_happens_beside_a_long_span_is_told_when_it_happens() -> None:
    records = [
        trace(1),
        span(1, 3, "function", 0.5, 2, name="slow", input="{}", output="done"),
        {**span(1, 2, "custom", 0.1, 1, name="step", data={}), "ended_at": stamp(0.7)},
        span(1, 4, "guardrail", 0.2, 1, name="quick", triggered=False),
        span(1, 1, "agent", 0.0, name="desk"),
    ]
    told_at = Conversation("s").tell([h for r in records for h in read_record(r)])
    steps = [item.signal.name for item in told_at if type(item.signal) is Raw]
    assert steps == ["guardrail", "tool", "step"]
    times = [item.said_at or 0.0 for item in told_at]
    assert times == sorted(times)


def test_clocks_that_are_wrong_or_missing_put_no_span_outside_of_its_parent() -> None:
    early = {**span(1, 2, "function", -50.0, 1, name="early", input="{}", output="x"), "ended_at": None}
    timeless = {**span(1, 3, "function", 0.0, 1, name="timeless", input="{}", output="y"), "started_at": "soon"}
    signals = told([trace(1), early, timeless, span(1, 1, "agent", 0.0, name="desk")])
    assert [type(signal) for signal in signals[1:]] == [TurnStarted, IntentRouted, Raw, Raw]


def test_spans_in_a_circle_are_all_told_once() -> None:
    records = [trace(1), span(1, 2, "agent", 0.0, 3, name="a"), span(1, 3, "agent", 0.1, 2, name="b")]
    assert {signal.intent for signal in of(told(records), IntentRouted)} == {"a", "b"}


@pytest.mark.parametrize(
    "record",
    [
        [],
        {"object": "trace"},
        {"object": "trace", "id": 7},
        {"object": "trace.span", "id": "span_1"},
        {"object": "trace.span", "id": "span_1", "trace_id": "trace_1", "span_data": "agent"},
        {"object": "response", "id": "resp_1"},
    ],
)
def test_what_is_no_trace_and_no_span_is_refused(record: Any) -> None:
    with pytest.raises(SignalError):
        read_record(record)


@pytest.mark.parametrize("damage", [None, 7, "x", [], {"type": 3}, {"type": "generation", "output": "x", "input": 3}])
def test_no_damage_within_a_span_stops_the_trace(damage: Any) -> None:
    records = whole_move()
    for place in range(1, len(records)):
        broken = [{**record, "span_data": damage} if at == place else record for at, record in enumerate(records)]
        heard = live(broken)
        assert heard[0].signal == TurnStarted(turn=records[0]["id"])


def test_values_of_tools_are_read_in_json_and_in_pythons_own_spelling() -> None:
    assert value_of('{"a": 1}') == {"a": 1}
    assert value_of("[{'id': 'a', 'ok': True, 'none': None}]") == [{"id": "a", "ok": True, "none": None}]
    assert value_of("[1, 2") == "[1, 2"
    assert value_of("[print(1)]") == "[print(1)]"
    assert value_of("[b'x']") == "[b'x']"
    assert value_of("[" * 5_000) == "[" * 5_000
    assert value_of("plain") == "plain"


def test_a_list_is_one_of_documents_only_where_its_rows_have_text_and_score() -> None:
    assert found_docs(DOCS, sure=False) is not None
    assert found_docs([{"content": "no score"}], sure=False) is None
    assert found_docs([{"score": 1.0}], sure=False) is None
    assert found_docs([], sure=False) is None
    assert found_docs([], sure=True) == ()
    assert found_docs("one passage", sure=True) is not None
    assert found_docs(7, sure=True) is None


def test_an_error_is_one_line() -> None:
    assert error_of({"message": "a\n b", "data": None}) == "a b"
    assert error_of({"message": "m", "data": {"max_turns": 3}}) == 'm: {"max_turns": 3}'
    assert error_of({"message": None, "data": {"error": "e"}}) == "e"
    assert error_of("plain\nwords") == "plain words"
    assert error_of(None) == ""
