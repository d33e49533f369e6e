"""LangGraph's ready-made agent on the map: a model that calls tools until it knows the answer."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.prebuilt import create_react_agent

from lingbot_probes import Probe
from lingbot_probes.langchain import MapCallback
from tests.live import tea_graph
from tests.live.hearing import said, told
from tests.live.tea_graph import thread
from tests.probes.listening import Listener


@pytest.fixture
def heard() -> Iterator[tuple[Listener, Probe]]:
    listener = Listener()
    probe = Probe("tea shop", sink=listener)
    yield listener, probe
    assert probe.stats()["errors"] == 0
    probe.close()


class Agent(GenericFakeChatModel):
    """A model that is told its tools."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


def test_an_agent_that_calls_tools_is_no_state_and_no_loop(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    calls = [{"name": "weigh", "args": {"grams": grams}, "id": str(grams)} for grams in (1, 2)]
    said_by_model = [AIMessage("let me see", tool_calls=[call]) for call in calls]
    model = Agent(messages=iter([*said_by_model, AIMessage("3 g")]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the newer package of agents is no dependency
        agent = create_react_agent(model, [tea_graph.weigh])
    agent.invoke({"messages": [("user", "weigh both")]}, thread("a", MapCallback(probe)))
    signals = told(listener, probe)
    assert said(signals, "intent_routed", "intent") == ["agent", "tools", "agent", "tools", "agent"]
    assert said(signals, "slot_assigned", "slot") == []  # the steps that it has left are none of its values
    assert said(signals, "answered", "text") == ["3 g"]
    assert [raw["data"]["output"]["content"] for raw in signals if raw.get("name") == "tool"] == ["1 g", "2 g"]
