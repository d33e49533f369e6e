"""A real LangGraph bot beside a real map: one line attaches it, and nothing that goes wrong reaches the bot."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langgraph.types import Command

from lingbot_map.store import key_of
from lingbot_probes import Misused, Probe
from lingbot_probes.langchain import MapCallback
from tests.live import tea_graph
from tests.live.hearing import said, told
from tests.live.server import Client, running, wait_for
from tests.live.tea_graph import POSTAGE, PRICES, ask, before, graph, thread
from tests.probes.listening import Listener


@pytest.fixture
def heard() -> Iterator[tuple[Listener, Probe]]:
    listener = Listener()
    probe = Probe("tea shop", sink=listener)
    yield listener, probe
    assert probe.stats()["errors"] == 0
    probe.close()


@pytest.fixture
def map(tmp_path: Path) -> Iterator[tuple[Client, Probe]]:
    with running(tmp_path / "data") as (serving, client):
        probe = Probe("tea shop", endpoint=serving.base, token=serving.token)
        yield client, probe
        probe.close()


def script(bot: Any, name: str, callback: MapCallback) -> None:
    """Two turns, an approval, and a fork of the second turn."""
    config = thread(name, callback)
    bot.invoke(ask("good day"), config)
    bot.invoke(ask("price please", user="anna"), config)
    bot.invoke(Command(resume=True), config)
    forked = bot.update_state({**before(bot, config, "approve"), "callbacks": [callback]}, {"found": ["Out of stock."]})
    bot.invoke(None, {**forked, "callbacks": [callback]})
    bot.invoke(Command(resume=False), config)


async def script_async(bot: Any, name: str, callback: MapCallback) -> None:
    config = thread(name, callback)
    await bot.ainvoke(ask("good day"), config)
    await bot.ainvoke(ask("price please", user="anna"), config)
    await bot.ainvoke(Command(resume=True), config)
    place = {**before(bot, config, "approve"), "callbacks": [callback]}
    forked = await bot.aupdate_state(place, {"found": ["Out of stock."]})
    await bot.ainvoke(None, {**forked, "callbacks": [callback]})
    await bot.ainvoke(Command(resume=False), config)


# --- on a real map ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sleepless", [False, True])
def test_one_line_shows_all_three_layers(map: tuple[Client, Probe], sleepless: bool) -> None:
    client, probe = map
    bot = graph(sleepless=sleepless)
    if sleepless:
        asyncio.run(script_async(bot, "anna", MapCallback(probe)))
    else:
        script(bot, "anna", MapCallback(probe))
    assert probe.flush(20), probe.stats()
    frame = wait_for(lambda: client.keyframe("anna"))
    nodes: dict[str, list[str]] = {}
    for id, label in zip(frame["nodes"]["id"], frame["nodes"]["label"], strict=True):
        nodes.setdefault(id.partition(":")[0], []).append(label)
    assert nodes["utterance"] == ["good day", "price please"]
    assert nodes["intent"] == ["understand", "prepare", "chat", "note", "greet", "look_up", "approve", "tell", "refuse"]
    assert sorted(nodes["slot"]) == ["approved", "found", "intent", "notes", "user"]
    assert sorted(nodes["doc"]) == ["Price list", "post.md"]
    assert nodes["answer"][0].strip() == "(2) Small talk, nothing to look up at all."
    assert nodes["answer"][-1] == "Not today."
    assert frame["findings"] == [] or {finding["kind"] for finding in frame["findings"]} <= {"overwrite"}
    (session,) = client.get("/api/sessions")["sessions"]
    assert (session["turns"], session["missing"]) == (2, 0)


def test_a_running_turn_is_seen_before_it_ends(map: tuple[Client, Probe]) -> None:
    client, probe = map
    bot = graph()
    bot.invoke(ask("price please"), thread("ben", MapCallback(probe)))  # waits for an approval
    assert probe.flush(20)
    labels = client.keyframe("ben")["nodes"]["label"]
    assert "approve" in labels
    events = client.get(f"/api/sessions/{key_of('ben')}/events")["events"]
    assert [e["signal"]["data"]["value"] for e in events if e["signal"].get("name") == "interrupt"] == [
        {"question": "Tell the price?"}
    ]


# --- field by field --------------------------------------------------------------------------------------------------


def test_routes_carry_what_led_to_them(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    bot, config = graph(), thread("a", MapCallback(probe))
    bot.invoke(ask("price please"), config)
    bot.invoke(Command(resume=True), config)
    bot.invoke(ask("an order"), config)
    bot.invoke(ask("fan out"), config)
    bot.invoke(ask("hello"), config)
    assert said(told(listener, probe), "intent_routed", "in", "intent", "condition", "parent", "label") == [
        (1, "understand", None, None, None),
        (1, "look_up", "by_intent → look_up", None, None),
        (1, "approve", None, None, None),
        (1, "tell", "whether → True", None, None),
        (2, "understand", None, None, None),
        (2, "order", "by_intent → order", None, None),
        (2, "refuse", "order: goto", None, None),
        (3, "understand", None, None, None),
        (3, "count", "by_intent → count", None, None),  # two tasks of one step are one visit
        (3, "refuse", None, None, None),
        (4, "understand", None, None, None),
        (4, "prepare", "by_intent → chat", None, None),  # a word of the path map
        (4, "chat", None, None, None),
        (4, "chat/note", None, "chat", "note"),
        (4, "chat/greet", None, "chat", "greet"),
    ]


def test_state_is_told_when_a_step_is_over_with_who_wrote_it(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    bot, config = graph(), thread("a", MapCallback(probe))
    bot.invoke(ask("fan out", user="anna", notes=[7]), config)
    bot.invoke(ask("an order"), config)
    signals = told(listener, probe)
    assert said(signals, "slot_assigned", "in", "slot", "value", "task") == [
        (1, "user", "anna", None),
        (1, "notes", [7], None),
        (1, "intent", "fan", "understand"),
        (1, "notes", [7, 1, 2], "count"),  # what the reducer made of two tasks' writes, once
        (2, "intent", "order", "understand"),
    ]
    assert said(signals, "slot_cleared", "slot", "task") == [("user", "order")]
    assert said(signals, "raw", "name", "data") == [
        ("tool", {"name": "weigh", "input": {"grams": 50}, "output": "50 g"})
    ]


def test_documents_have_scores_and_stages_and_the_answer_what_it_was_made_of(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    bot, config = graph(), thread("a", MapCallback(probe))
    bot.invoke(ask("price please"), config)
    bot.invoke(Command(resume=True), config)
    signals = told(listener, probe)
    found, prompt = (signal for signal in signals if signal["kind"] == "retrieved")
    assert (found["query"], found["stage"], found["params"]) == (
        "price please",
        "vector",
        {"retriever": "vector_shelf"},
    )
    assert found["docs"] == [
        {"id": "prices", "title": "Price list", "score": 0.91, "score_kind": "relevance_score", "rank": 1,
         "snippet": PRICES},
        {"id": "post.md#2", "title": "post.md", "score": 0.4, "score_kind": "distance", "rank": 2, "snippet": POSTAGE},
    ]  # fmt: skip
    assert (prompt["stage"], [doc["id"] for doc in prompt["docs"]]) == ("prompt", ["prices"])
    assert said(signals, "answered", "text", "docs") == [(f"(2) {PRICES}", ["prices"])]


def test_a_document_that_an_earlier_answer_repeats_is_not_in_the_prompt(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    texts = {"a": "经人工批准后，三天之内退回。", "b": "光纤套餐每月九十九元，含路由器一台。"}
    with probe.session("desk"):
        callback: Any = MapCallback(probe)
        callback.on_chain_start({}, {"question": "?"}, run_id="r")
        found = [Document(id=id, page_content=text) for id, text in texts.items()]
        callback.on_retriever_start({}, "?", run_id="s", parent_run_id="r")
        callback.on_retriever_end(found, run_id="s", parent_run_id="r")
        prompt = [[SystemMessage(texts["a"]), HumanMessage("多少钱？"), AIMessage(texts["b"]), HumanMessage("?")]]
        callback.on_chat_model_start({}, prompt, run_id="m", parent_run_id="r")
    stages = said(told(listener, probe, "desk"), "retrieved", "stage", "docs")
    assert [(stage, [doc["id"] for doc in docs]) for stage, docs in stages] == [
        ("fused", ["a", "b"]),
        ("prompt", ["a"]),
    ]


def test_an_interrupt_is_a_wait_within_its_turn(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    bot, config = graph(), thread("a", MapCallback(probe))
    bot.invoke(ask("price please"), config)
    bot.invoke(Command(resume=True), config)
    signals = told(listener, probe)
    waits = [(s["in"], s["name"], s["data"]) for s in signals if s.get("name") in ("interrupt", "resume")]
    assert [(turn, name, data["value"] if name == "interrupt" else data) for turn, name, data in waits] == [
        (1, "interrupt", {"question": "Tell the price?"}),
        (1, "resume", True),
    ]
    assert said(signals, "intent_routed", "intent").count("approve") == 1  # run twice by the library, one step
    assert said(signals, "failed", "error") == []


def test_a_graph_that_stops_before_a_node_waits_there(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    bot = graph(interrupt_before=["prepare"])
    config = thread("a", MapCallback(probe))
    bot.invoke(ask("hello"), config)
    bot.invoke(None, config)
    signals = told(listener, probe)
    order = [signal.get("intent") or signal.get("name") for signal in signals if signal["kind"] != "slot_assigned"]
    assert order[2:5] == ["understand", "interrupt", "prepare"]
    assert said(signals, "turn_started", "utterance") == ["hello"]


# --- the bot's own words beside --------------------------------------------------------------------------------------


def test_a_graph_inside_a_turn_of_the_bot_is_part_of_it(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    bot, callback = graph(), MapCallback(probe)

    @probe.turn
    def reply(session_id: str, text: str) -> str:
        return str(bot.invoke(ask(text), thread(session_id, callback))["messages"][-1].content).strip()

    reply("a", "hello")
    signals = told(listener, probe)
    assert said(signals, "turn_started", "utterance") == ["hello"]
    assert said(signals, "answered", "in", "text") == [(1, "(2) Small talk, nothing to look up at all.")]
    assert {signal["in"] for signal in signals if signal["kind"] == "intent_routed"} == {1}


def test_what_nodes_tell_by_decorators_belongs_to_the_run(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard

    @probe.intent
    def guess(text: str) -> tuple[str, float]:
        return "teatime", 0.8

    bot = graph()
    plain = tea_graph.understand
    bot.nodes["understand"].bound.func = lambda state: guess("x") and plain(state)
    callback = MapCallback(probe)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: bot.invoke(ask("hello"), thread(f"t{i}", callback)), range(8)))
    for i in range(8):
        signals = told(listener, probe, f"t{i}")
        assert said(signals, "intent_routed", "in", "intent")[:3] == [(1, "understand"), (1, "teatime"), (1, "prepare")]
    assert set(probe.stats()["dropped"]) == set()


def test_without_a_thread_the_probe_says_which_session_it_is(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    chain = ChatPromptTemplate.from_messages([("user", "{question}")]) | tea_graph.parrot | StrOutputParser()
    with probe.session("desk"):
        chain.invoke({"question": "what is tea"}, {"callbacks": [MapCallback(probe)]})
    signals = told(listener, probe, "desk")
    assert said(signals, "turn_started", "utterance") == ["what is tea"]
    assert said(signals, "answered", "text") == ["(1) what is tea"]


def test_a_retriever_alone_is_a_turn(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    with probe.session("desk"):
        tea_graph.shelf.invoke("postage", {"callbacks": [MapCallback(probe)]})
    signals = told(listener, probe, "desk")
    assert said(signals, "turn_started", "utterance") == ["postage"]
    assert said(signals, "retrieved", "in", "query", "stage") == [(1, "postage", "vector")]


@pytest.mark.parametrize("mode", ["messages", "values", "updates"])
def test_a_stream_is_one_answer(heard: tuple[Listener, Probe], mode: str) -> None:
    listener, probe = heard
    pieces = list(graph().stream(ask("hello"), thread("a", MapCallback(probe)), stream_mode=mode))
    assert pieces
    signals = told(listener, probe)
    assert [text.strip() for text in said(signals, "answered", "text")] == [
        "(2) Small talk, nothing to look up at all."
    ]
    assert len(signals) == 12  # no token is an event


async def test_an_async_stream_that_is_broken_off_is_no_failure(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    bot, callback = graph(sleepless=True), MapCallback(probe)
    stream = bot.astream(ask("price please"), thread("a", callback), stream_mode="updates")
    async for _ in stream:
        break
    await stream.aclose()
    await bot.ainvoke(ask("hello"), thread("a", callback))
    signals = told(listener, probe)
    assert said(signals, "failed", "error") == []
    assert said(signals, "turn_started", "utterance") == ["price please", "hello"]


# --- what goes wrong -------------------------------------------------------------------------------------------------


def test_a_failure_is_told_once_where_it_arose_and_goes_on_unchanged(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    with pytest.raises(ValueError, match="the kettle is empty"):
        graph().invoke(ask("fail"), thread("a", MapCallback(probe)))
    assert said(told(listener, probe), "failed", "in", "where", "error") == [
        (1, "fail", "ValueError: the kettle is empty")
    ]


class Trap:
    """Whatever is done with it raises."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("the bot's own object was called")

    def __repr__(self) -> str:
        raise RuntimeError("the bot's own object was called")


def test_foreign_objects_in_the_state_are_not_called(heard: tuple[Listener, Probe]) -> None:
    listener, probe = heard
    bot = graph(saver=False)  # which would write it down
    bot.invoke(ask("an order", user=Trap()), thread("a", MapCallback(probe)))
    assert said(told(listener, probe), "slot_assigned", "slot", "value")[0] == ("user", "Trap")


def test_a_handler_that_hears_nonsense_raises_nothing() -> None:
    listener = Listener()
    probe = Probe("bot", sink=listener)
    callback: Any = MapCallback(probe)
    nonsense: tuple[Any, ...] = (None, Trap(), 7, [], {"a": Trap()}, "x" * 100_000)
    for argument in nonsense:
        callback.on_chain_start(
            argument, argument, run_id=argument, parent_run_id=None, tags=argument, metadata=argument
        )
        callback.on_chain_end(argument, run_id=argument)
        callback.on_retriever_end(argument, run_id=argument)
        callback.on_llm_end(argument, run_id=argument)
        callback.on_tool_end(argument, run_id=argument)
        callback.on_chain_error(argument, run_id=argument)
        callback.on_interrupt(argument)
    callback.on_chain_start(None, {}, run_id="r", metadata={"thread_id": Trap()})
    probe.close()


def test_off_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINGBOT_MAP", "off")
    listener = Listener()
    probe = Probe("bot", sink=listener)
    graph().invoke(ask("hello"), thread("a", MapCallback(probe)))
    assert probe.flush(1)
    assert listener.batches == []


def test_what_is_no_probe_is_refused_at_once() -> None:
    with pytest.raises(Misused, match="MapCallback takes a Probe"):
        MapCallback("bot")  # type: ignore[arg-type]


def test_many_runs_and_sessions_stay_within_bounds(
    heard: tuple[Listener, Probe], monkeypatch: pytest.MonkeyPatch
) -> None:
    from lingbot_probes import langchain

    monkeypatch.setattr(langchain, "SESSIONS", 3)
    monkeypatch.setattr(langchain, "RUNS", 5)
    _, probe = heard
    callback = MapCallback(probe)
    for i in range(10):
        callback.on_chain_start({}, {"question": "?"}, run_id=f"r{i}", metadata={"thread_id": f"t{i}"})
    assert (len(callback._sessions), len(callback._runs)) == (3, 5)


def test_two_handlers_of_two_probes_do_not_mix() -> None:
    first, second = Listener(), Listener()
    one, other = Probe("one", sink=first), Probe("other", sink=second)
    graph().invoke(ask("hello"), thread("a", MapCallback(one), MapCallback(other)))
    for signals in (told(first, one), told(second, other)):
        assert said(signals, "answered", "in", "text") == [(1, "(2) Small talk, nothing to look up at all.")]
        assert len(signals) == 12
    one.close()
    other.close()
