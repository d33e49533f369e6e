"""A LangGraph bot that goes on from an earlier checkpoint: what came after it is struck through, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from langgraph.types import Command

from lingbot_probes import Probe
from lingbot_probes.langchain import MapCallback
from tests.live.hearing import said, told
from tests.live.tea_graph import ask, before, graph, thread
from tests.probes.listening import Listener


@pytest.fixture
def heard() -> Iterator[tuple[Listener, Probe]]:
    listener = Listener()
    probe = Probe("tea shop", sink=listener)
    yield listener, probe
    assert probe.stats()["errors"] == 0
    probe.close()


@pytest.mark.parametrize("watched", [True, False])
def test_a_fork_strikes_out_what_came_after_it(heard: tuple[Listener, Probe], watched: bool) -> None:
    """Also where the handler did not hear of the change, which then shows in the steps alone."""
    listener, probe = heard
    callback = MapCallback(probe)
    bot, config = graph(), thread("a", callback)
    bot.invoke(ask("price please"), config)
    bot.invoke(Command(resume=True), config)
    bot.invoke(ask("hello"), config)
    place = {**before(bot, config, "approve"), **({"callbacks": [callback]} if watched else {})}
    bot.invoke(None, {**bot.update_state(place, {"found": ["Out of stock."]}), "callbacks": [callback]})
    signals = told(listener, probe)
    (undone,) = [i for i, signal in enumerate(signals) if signal["kind"] == "undone"]
    last = signals[signals[undone]["to"] - 1]
    assert (last["kind"], last["slot"], last["task"]) == ("slot_assigned", "found", "look_up")
    assert signals[undone]["why"] == "fork"
    after = signals[undone + 1 :]
    assert said(after, "slot_assigned", "in", "slot", "value") == [(1, "found", ["Out of stock."])]
    assert said(after, "intent_routed", "in", "intent") == [(1, "approve")]


def test_a_replay_strikes_out_the_step_that_it_goes_on_from(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    callback = MapCallback(probe)
    bot, config = graph(), thread("a", callback)
    bot.invoke(ask("hello"), config)
    bot.invoke(ask("hello again"), config)
    bot.invoke(None, {**before(bot, config, "chat"), "callbacks": [callback]})
    signals = told(listener, probe)
    (undone,) = [i for i, signal in enumerate(signals) if signal["kind"] == "undone"]
    last = signals[signals[undone]["to"] - 1]
    assert (last["in"], last["slot"], last["task"]) == (1, "found", "prepare")
    assert said(signals[undone:], "intent_routed", "intent") == ["chat", "chat/note", "chat/greet"]


def test_new_words_from_an_earlier_checkpoint_take_the_place_of_the_old_ones(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    callback = MapCallback(probe)
    bot, config = graph(), thread("a", callback)
    bot.invoke(ask("hello"), config)
    end = bot.get_state(config).config
    bot.invoke(ask("price please"), config)
    bot.invoke(ask("an order"), {**end, "callbacks": [callback]})
    signals = told(listener, probe)
    (undone,) = [i for i, signal in enumerate(signals) if signal["kind"] == "undone"]
    assert signals[signals[undone]["to"]]["utterance"] == "price please"
    assert said(signals[undone:], "turn_started", "utterance") == ["an order"]


def test_going_on_from_the_newest_checkpoint_strikes_out_nothing(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    callback = MapCallback(probe)
    bot, config = graph(), thread("a", callback)
    for words in ("hello", "an order", "fan out"):
        bot.invoke(ask(words), {**bot.get_state(config).config, "callbacks": [callback]})
    assert said(told(listener, probe), "undone", "to") == []
