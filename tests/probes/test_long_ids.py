"""Two ids that begin alike stay two, however long: from a probe, from spans, from a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from lingbot_probes.adapters.botframework import BotFramework
from lingbot_probes.adapters.burr import Burr
from lingbot_probes.adapters.dialogflow import Dialogflow
from lingbot_probes.adapters.dialogue import Dialogue
from lingbot_probes.adapters.langgraph import LangGraph
from lingbot_probes.adapters.langgraph_states import Thread
from lingbot_probes.adapters.openai_agents_state import RunState
from lingbot_probes.adapters.openai_agents_traces import Conversation as Traces
from lingbot_probes.adapters.rasa import Rasa
from lingbot_probes.adapters.spans import Conversation as Spans
from lingbot_probes.codec import MAX_SESSION_ID
from lingbot_probes.context import id_text
from lingbot_probes.long_ids import MAX_ID, shortened
from tests.samples.imports import opened

ADAPTERS: list[Callable[[str], Any]] = [
    BotFramework, Burr, Dialogflow, Dialogue, LangGraph, Thread, lambda id: RunState(id, {}), Traces, Rasa, Spans,
]  # fmt: skip


def test_an_id_that_fits_stays_as_it_is_and_a_longer_one_keeps_its_beginning() -> None:
    assert MAX_ID == MAX_SESSION_ID
    assert shortened("话" * MAX_ID) == "话" * MAX_ID
    long = "call/" * 60
    assert len(shortened(long)) == MAX_ID
    assert shortened(long)[:200] == long[:200]
    assert shortened(long) == id_text(long), "a bot that is attached and its recording are one session"
    assert shortened("\ud800" * 300) != shortened("\ud800" * 301)


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_adapters_keep_long_ids_apart(adapter: Callable[[str], Any]) -> None:
    one, other = (adapter("x" * 300 + end).scribe.session for end in "ab")
    assert one != other
    assert len(one) == len(other) == MAX_ID


def test_of_two_dialogues_with_long_names_none_is_taken_for_the_other() -> None:
    lines = [
        json.dumps({"sender_id": "x" * 300 + end, "event": "user", "text": end, "timestamp": 1_700_000_000.0})
        for end in "ab"
    ]
    both = [taken.session for line in lines for taken in opened(line.encode())]
    assert len({session.session_id for session in both}) == len({session.source for session in both}) == 2
    assert len({taken.session.session_id for taken in opened("\n".join(lines).encode())}) == 2
