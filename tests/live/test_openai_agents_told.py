"""What a probe makes of the real OpenAI Agents SDK, taken as it leaves the bot's process."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from agents import RunConfig, set_trace_processors

from lingbot_probes import Misused, Probe
from lingbot_probes.openai_agents import MapTracing
from lingbot_probes.signals import Answered, Failed, IntentRouted, Raw, Retrieved, SlotAssigned, TurnStarted
from tests.live.agents_bot import ANSWER, ASKED, Agent, Responding, Runner, Scripted, attach, call, say, shop, trace
from tests.probes.listening import Listener
from tests.samples.agents import lines
from tests.samples.imports import opened


def told(run: Any, **more: Any) -> tuple[list[dict[str, Any]], Probe]:
    """The events that a probe made of what ``run`` does, and the probe."""
    kept = Listener()
    probe = Probe("tea shop", sink=kept)
    attach(probe, **more)
    try:
        run(probe)
        probe.flush(20)
    finally:
        set_trace_processors([])
        probe.close()
    return kept.events(), probe


def signals(found: list[dict[str, Any]], *kinds: Any) -> list[dict[str, Any]]:
    names = [kind.kind for kind in kinds]
    return [event["signal"] for event in found if event["signal"]["kind"] in names]


class Exported:
    """Keeps what the SDK's own exporter would write."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []

    def on_trace_start(self, trace: Any) -> None:
        self.items.append(trace.export())

    def on_span_end(self, span: Any) -> None:
        self.items.append(span.export())

    def on_trace_end(self, trace: Any) -> None: ...
    def on_span_start(self, span: Any) -> None: ...
    def shutdown(self) -> None: ...
    def force_flush(self) -> None: ...


def test_live_and_exported_it_is_the_same_session() -> None:
    exported = Exported()

    def run(probe: Probe) -> None:
        set_trace_processors([MapTracing(probe), exported])  # type: ignore[list-item]
        asyncio.run(shop().reply(ASKED, "chat-7"))

    live, _ = told(run)
    (session,) = opened(lines(exported.items))
    imported = [item.signal for item in session.items]
    for kind in (IntentRouted, Retrieved, Failed, Answered, Raw):
        assert len(signals(live, kind)) == len([s for s in imported if type(s) is kind]) > 0, kind
    assert [s["intent"] for s in signals(live, IntentRouted)] == ["desk", "teas"]
    assert [s["text"] for s in signals(live, Answered)] == [s.text for s in imported if type(s) is Answered]
    assert [s["error"] for s in signals(live, Failed)] == [s.error for s in imported if type(s) is Failed]
    assert [s.utterance for s in imported if type(s) is TurnStarted] == [signals(live, TurnStarted)[-1]["utterance"]]
    found = [[doc["id"] for doc in s["docs"]] for s in signals(live, Retrieved)]
    assert found == [[doc.id for doc in s.docs] for s in imported if type(s) is Retrieved]


def test_functions_mean_what_was_said_of_them() -> None:
    found, _ = told(
        lambda probe: asyncio.run(shop().reply(ASKED, "chat-7")),
        retrieval={"search_teas": "vector"},
        slots=["take_order"],
    )
    assert [signal["stage"] for signal in signals(found, Retrieved)] == ["vector", "prompt"]
    slots = {signal["slot"]: (signal["value"], signal["task"]) for signal in signals(found, SlotAssigned)}
    assert slots == {"tea": ("Mao Jian", "teas"), "grams": (5_000, "teas")}


def test_inside_a_turn_of_the_bots_own_a_run_is_part_of_it() -> None:
    def run(probe: Probe) -> None:
        @probe.turn
        async def reply(text: str, session_id: str) -> str:
            return await shop().reply(text, "another name")

        asyncio.run(reply(ASKED, "call-1"))

    found, _ = told(run)
    assert {event["session"] for event in found} == {"call-1"}
    assert len({event["turn"] for event in found if event.get("turn")}) == 1
    assert [signal["utterance"] for signal in signals(found, TurnStarted)] == [ASKED]
    assert [signal["text"] for signal in signals(found, Answered)] == [ANSWER]
    assert [signal["intent"] for signal in signals(found, IntentRouted)] == ["desk", "teas"]


def test_a_decorated_function_that_an_agent_calls_stands_in_the_agents_turn() -> None:
    from agents import function_tool

    def run(probe: Probe) -> None:
        @function_tool
        def note(city: str) -> str:
            """Note where the caller is."""
            memory = probe.observed()
            memory["city"] = city
            return "noted"

        agent = Agent(name="desk", model=Scripted(call("note", city="Lund"), say("fine")), tools=[note])
        asyncio.run(Runner.run(agent, "I am in Lund", run_config=RunConfig(group_id="chat-7")))
        assert probe._where.current.get() is None
        assert not probe._where.open

    found, _ = told(run)
    assert {event["session"] for event in found} == {"chat-7"}
    assert len({event["turn"] for event in found if event.get("turn")}) == 1
    assert [signal["slot"] for signal in signals(found, SlotAssigned)] == ["city"]


def test_the_session_is_the_one_around_the_run_where_no_group_is_named() -> None:
    def run(probe: Probe) -> None:
        agent = Agent(name="desk", model=Scripted(say("hi"), say("bye")))
        with probe.session("call-2"):
            asyncio.run(Runner.run(agent, "hello"))
        asyncio.run(Runner.run(agent, "thanks"))

    found, _ = told(run)
    first, second = dict.fromkeys(event["session"] for event in found)
    assert first == "call-2"
    assert second.startswith("trace_")


def test_runs_within_one_trace_are_turns() -> None:
    def run(probe: Probe) -> None:
        async def talk() -> None:
            agent = Agent(name="desk", model=Scripted(say("hi"), say("bye")))
            with trace("chat", group_id="chat-7"):
                await Runner.run(agent, "hello")
                await Runner.run(agent, "thanks")

        asyncio.run(talk())
        assert probe._where.current.get() is None

    found, _ = told(run)
    assert [s["utterance"] for s in signals(found, TurnStarted) if s.get("utterance")] == ["hello", "thanks"]
    assert len({event["turn"] for event in found if event.get("turn")}) == 2


def test_many_runs_at_the_same_time_never_mix() -> None:
    async def all_of_them() -> None:
        await asyncio.gather(*(shop().reply(f"{ASKED} {i}", f"chat-{i}") for i in range(20)))

    found, probe = told(lambda probe: asyncio.run(all_of_them()))
    assert probe.stats()["errors"] == 0
    for i in range(20):
        mine = [event for event in found if event["session"] == f"chat-{i}"]
        assert signals(mine, TurnStarted)[-1]["utterance"] == f"{ASKED} {i}"
        assert [signal["intent"] for signal in signals(mine, IntentRouted)] == ["desk", "teas"]


def test_an_error_of_the_model_is_told_once_and_is_the_bots_own() -> None:
    def run(probe: Probe) -> None:
        agent = Agent(name="desk", model=Scripted(RuntimeError("503 from the model")))
        with pytest.raises(RuntimeError, match="503"):
            asyncio.run(Runner.run(agent, "hello"))

    found, _ = told(run)
    assert [signal["error"] for signal in signals(found, Failed)] == ["Error getting response: 503 from the model"]
    assert signals(found, Answered) == []


def test_what_only_the_live_span_holds_is_told_and_what_may_not_be_recorded_is_not() -> None:
    def run(probe: Probe) -> None:
        async def talk() -> None:
            agent = Agent(name="desk", model=Responding([say("hi")], [say("a secret")]))
            await Runner.run(agent, "hello", run_config=RunConfig(group_id="chat-7"))
            quiet = RunConfig(group_id="chat-8", trace_include_sensitive_data=False)
            await Runner.run(agent, "my secret", run_config=quiet)

        asyncio.run(talk())

    found, _ = told(run)
    heard = [event for event in found if event["session"] == "chat-7"]
    assert signals(heard, TurnStarted)[-1]["utterance"] == "hello"
    assert [signal["text"] for signal in signals(heard, Answered)] == ["hi"]
    (model,) = signals(heard, Raw)
    assert (model["data"]["model"], model["data"]["response"]) == ("responding", "r")
    quiet = [event for event in found if event["session"] == "chat-8"]
    assert "secret" not in json.dumps(quiet)
    assert signals(quiet, TurnStarted)[-1]["utterance"] == "[content not captured]"


@pytest.mark.parametrize("streamed", [False, True])
def test_a_run_that_waits_for_approval_goes_on_in_its_turn_and_its_state_opens(streamed: bool) -> None:
    from agents import function_tool

    states: list[dict[str, Any]] = []

    def run(probe: Probe) -> None:
        @function_tool(needs_approval=True)
        def pay(amount: int) -> str:
            """Pay."""
            return f"paid {amount}"

        agent = Agent(name="desk", model=Scripted(call("pay", amount=5), say("It is paid.")), tools=[pay])
        config = RunConfig(group_id="chat-7", workflow_name="Shop")

        async def talk() -> None:
            paused = await Runner.run(agent, "pay 5", run_config=config)
            state = paused.to_state()
            states.append(state.to_json())
            state.approve(paused.interruptions[0])
            if streamed:
                result = Runner.run_streamed(agent, state, run_config=config)
                async for _ in result.stream_events():
                    pass
            else:
                await Runner.run(agent, state, run_config=config)

        asyncio.run(talk())

    found, probe = told(run)
    assert probe.stats()["errors"] == 0
    assert {event["session"] for event in found} == {"chat-7"}
    assert len({event["turn"] for event in found if event.get("turn")}) == 1
    results = [s["data"].get("result") for s in signals(found, Raw) if s["name"] == "tool"]
    assert results == [None, "paid 5"]
    assert [signal["text"] for signal in signals(found, Answered)] == ["It is paid."]
    (session,) = opened(json.dumps(states[0]).encode())
    items = [item.signal for item in session.items]
    assert session.session.session_id == "chat-7"
    assert [s.name for s in items if type(s) is Raw] == ["llm", "tool_call", "approval"]
    assert [s.utterance for s in items if type(s) is TurnStarted] == ["pay 5"]


class Newer:
    """What a span of a kind that this SDK doesn't have tells of itself: newer ones have a ``task`` around each run."""

    trace_id, span_id, parent_id, error = "trace_1", "span_1", None, None
    started_at = ended_at = "2026-01-01T10:00:00+00:00"

    def __init__(self, type: str, exported: dict[str, Any]) -> None:
        self.type = type
        self.exported = exported
        self.span_data = self

    def export(self) -> dict[str, Any]:
        return self.exported


def test_spans_of_kinds_that_came_later_are_what_their_export_says() -> None:
    def run(probe: Probe) -> None:
        tracing = MapTracing(probe)
        task = Newer("task", {"type": "custom", "name": "task", "data": {"sdk_span_type": "task"}})
        other = Newer("telepathy", {"type": "telepathy", "mood": "good"})
        for span in (task, other):
            tracing.on_span_start(span)
            tracing.on_span_end(span)

    found, _ = told(run)
    assert [(signal["name"], signal["data"]) for signal in signals(found, Raw)] == [("telepathy", {"mood": "good"})]


class Broken:
    """A span of which everything raises."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no {name}")


def test_nothing_raises_into_the_bot() -> None:
    def run(probe: Probe) -> None:
        tracing = MapTracing(probe)
        for hook in (tracing.on_trace_start, tracing.on_span_start, tracing.on_span_end, tracing.on_trace_end):
            hook(Broken())
        assert probe.stats()["errors"] == 4

    told(run)


def test_a_probe_that_is_off_hears_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINGBOT_MAP", "off")
    found, _ = told(lambda probe: asyncio.run(shop().reply(ASKED, "chat-7")))
    assert found == []


def test_a_map_that_is_not_there_costs_the_bot_nothing() -> None:
    attach(Probe("tea shop"))  # the tests' environment names an address where nobody listens
    try:
        assert asyncio.run(shop().reply(ASKED, "chat-7")) == ANSWER
    finally:
        set_trace_processors([])


@pytest.mark.parametrize(
    "wrong", [{"probe": "bot"}, {"retrieval": 7}, {"slots": [7]}, {"retrieval": {"search": "best"}}]
)
def test_what_can_not_be_used_is_refused_at_once(wrong: dict[str, Any]) -> None:
    with pytest.raises(Misused, match="MapTracing"):
        MapTracing(**{"probe": Probe("bot"), **wrong})


def test_traces_without_end_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    from lingbot_probes import openai_agents

    monkeypatch.setattr(openai_agents, "OPEN", 5)

    def run(probe: Probe) -> None:
        tracing = MapTracing(probe)
        set_trace_processors([tracing])
        for _ in range(20):
            trace("never ended").start()
        assert len(tracing._open) == 5

    told(run)
