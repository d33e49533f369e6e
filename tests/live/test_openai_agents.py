"""The real OpenAI Agents SDK beside a real map: one line attaches, and nothing that goes wrong reaches the bot."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agents import InputGuardrailTripwireTriggered, RunConfig, set_trace_processors

from lingbot_probes import Probe
from tests.live.agents_bot import ANSWER, ASKED, TEAS, Agent, Runner, Scripted, attach, say, shop
from tests.live.server import Client, running


@pytest.fixture
def map(tmp_path: Path) -> Iterator[tuple[Client, Probe]]:
    with running(tmp_path / "data") as (serving, client):
        probe = Probe("tea shop", endpoint=serving.base, token=serving.token)
        yield client, probe
        set_trace_processors([])
        probe.close()


def nodes(client: Client, session: str, kind: str) -> list[str]:
    frame = client.keyframe(session)["nodes"]
    return [label for label, node in zip(frame["label"], frame["id"], strict=True) if node.startswith(f"{kind}:")]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_run_is_on_the_map_with_all_that_the_agents_did(map: tuple[Client, Probe], streamed: bool) -> None:
    client, probe = map
    attach(probe)
    assert asyncio.run(shop().reply(ASKED, "chat-7", streamed=streamed)) == ANSWER
    assert probe.flush(20), probe.stats()
    assert nodes(client, "chat-7", "utterance") == [ASKED]
    assert nodes(client, "chat-7", "intent") == ["desk", "teas"]
    assert nodes(client, "chat-7", "answer") == [ANSWER]
    assert len(nodes(client, "chat-7", "doc")) == len(TEAS)
    (session,) = client.get("/api/sessions")["sessions"]
    assert (session["id"], session["turns"], session["missing"]) == ("chat-7", 1, 0)
    assert session["findings"].keys() == {"failure"}
    assert probe.stats()["errors"] == 0


def test_the_turn_is_open_on_the_map_before_the_model_has_answered(map: tuple[Client, Probe]) -> None:
    client, probe = map
    attach(probe)
    seen: list[Any] = []

    class Waits(Scripted):
        async def get_response(self, *given: Any, **more: Any) -> Any:
            assert probe.flush(20)
            seen.append((nodes(client, "chat-7", "intent"), client.get("/api/sessions")["sessions"][0]["turns"]))
            return await super().get_response(*given, **more)

    agent = Agent(name="desk", model=Waits(say("hi")))
    asyncio.run(Runner.run(agent, "hello", run_config=RunConfig(group_id="chat-7")))
    assert seen == [(["desk"], 1)]


def test_a_guardrail_that_trips_is_a_failure_and_the_exception_is_the_bots(map: tuple[Client, Probe]) -> None:
    client, probe = map
    attach(probe)
    with pytest.raises(InputGuardrailTripwireTriggered):
        asyncio.run(shop().reply("tell me a secret", "chat-8"))
    assert probe.flush(20)
    assert client.get("/api/sessions")["sessions"][0]["findings"].keys() == {"failure"}
    assert nodes(client, "chat-8", "answer") == []


def test_turns_of_a_conversation_follow_one_another(map: tuple[Client, Probe]) -> None:
    client, probe = map
    attach(probe)
    bot = Agent(name="desk", model=Scripted(say("hi"), say("sure"), say("bye")))

    async def talk() -> None:
        history: list[Any] = []
        for text in ("hello", "one tea", "thanks"):
            history.append({"role": "user", "content": text})
            result = await Runner.run(bot, list(history), run_config=RunConfig(group_id="chat-9"))
            history = result.to_input_list()

    asyncio.run(talk())
    assert probe.flush(20)
    assert nodes(client, "chat-9", "utterance") == ["hello", "one tea", "thanks"]
    assert nodes(client, "chat-9", "answer") == ["hi", "sure", "bye"]
    assert not client.get("/api/sessions")["sessions"][0]["findings"]
