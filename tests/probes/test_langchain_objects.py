"""LangChain's objects become what a recording can hold, within bounds, and none of their methods runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import Command, Interrupt
from pydantic import BaseModel

from lingbot_probes.adapters.langgraph_words import command, message, messages, waits
from lingbot_probes.langchain_objects import state


class Order(BaseModel):
    """A value as bots hold them."""

    tea: str
    grams: int


@dataclass
class Point:
    """Another."""

    x: int


def test_objects_are_told_by_their_fields() -> None:
    values: dict[str, Any] = {
        "order": Order(tea="毛尖", grams=50),
        "point": Point(1),
        "both": (Order(tea="龙井", grams=5), {"n": [1.5, None, True]}),
        "set": {3},
        "found": [Document(page_content="text", metadata={"score": 0.5})],
    }
    assert state(values) == {
        "order": {"tea": "毛尖", "grams": 50},
        "point": {"x": 1},
        "both": [{"tea": "龙井", "grams": 5}, {"n": [1.5, None, True]}],
        "set": ["3"],
        "found": [{"page_content": "text", "metadata": {"score": 0.5}}],
    }
    assert json.loads(json.dumps(state(values))) == state(values)


def test_messages_and_commands_are_read_back() -> None:
    said = message(state(AIMessage(content=[{"type": "text", "text": "你好"}], id="m")))
    assert said is not None
    assert (said.by, said.text, said.id, said.calls) == ("ai", "你好", "m", False)
    calling = message(state(AIMessage(content="", tool_calls=[{"name": "weigh", "args": {}, "id": "1"}])))
    assert calling is not None
    assert calling.calls
    assert command(state(Command(resume=False))) == {"resume": False}
    assert command(state(Command(goto="there", update={"a": 1}))) == {"goto": "there", "update": {"a": 1}}
    assert waits(state((Interrupt(value={"q": 1}, id="i"),))) == [{"value": {"q": 1}, "id": "i"}]


def test_of_many_messages_the_newest_are_taken() -> None:
    many = messages(state([HumanMessage(str(i)) for i in range(1_000)]))
    assert many is not None
    assert (len(many), many[-1].text) == (50, "999")


def test_a_state_of_any_size_is_bounded() -> None:
    inner = {f"j{i}": ["x" * 100_000] for i in range(100)}
    huge = {f"k{i}": inner for i in range(1_000)}
    assert len(json.dumps(state(huge))) < 1 << 20
    deep: Any = "end"
    for _ in range(10_000):
        deep = {"d": deep}
    assert len(json.dumps(state(deep))) < 1_000
