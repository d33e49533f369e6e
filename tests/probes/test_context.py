"""Which session and turn an event belongs to: tasks, threads, executors, generators, explicit ids, orphans."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from lingbot_probes import Answered, IntentRouted, Probe, TurnStarted
from tests.probes.listening import Listener, turns, where


def same(name: str) -> str:
    return name


def second(context: object, words: str) -> str:
    return "ok"


def ok(text: str) -> str:
    return "ok"


def test_a_session_scope_holds_what_is_inside(probe: Probe, map: Listener) -> None:
    route = probe.intent(same)
    with probe.session("a", title="Anna", meta={"channel": "web"}):
        route("1")
        with probe.session("b"):
            route("2")
        route("3")
    assert where(probe, map) == [("a", "1"), ("a", "3"), ("b", "2")]
    assert map.signals("a")[0] == {"kind": "session_started", "title": "Anna", "meta": {"channel": "web"}}
    with probe.session("a"):
        route("4")
    assert probe.flush(10)
    assert [signal["kind"] for signal in map.signals("a")].count("session_started") == 1


async def test_scopes_are_asynchronous_too(probe: Probe, map: Listener) -> None:
    route = probe.intent(same)
    async with probe.session("a"), probe.turn_scope(utterance="hi") as turn:
        route("1")
        turn.answer("ho", docs=["d"])
    assert where(probe, map) == [("a", "turn_started"), ("a", "1"), ("a", "ho")]
    assert turns(map) == {"hi": ["1", "ho"]}


async def test_tasks_keep_their_own(probe: Probe, map: Listener) -> None:
    @probe.intent
    async def route(name: str) -> str:
        await asyncio.sleep(0)
        return name

    @probe.turn
    async def handle(session_id: str, text: str) -> str:
        await asyncio.gather(route(f"{text}1"), asyncio.create_task(route(f"{text}2")))
        await asyncio.to_thread(probe.intent(lambda: f"{text}3"))
        return f"{text}!"

    await asyncio.gather(*(handle(f"s{i}", f"t{i}") for i in range(5)))
    assert where(probe, map)
    found = {utterance: sorted(said) for utterance, said in turns(map).items()}
    assert found == {f"t{i}": [f"t{i}!", f"t{i}1", f"t{i}2", f"t{i}3"] for i in range(5)}


def test_carry_brings_session_and_turn_into_threads_and_executors(probe: Probe, map: Listener) -> None:
    route = probe.intent(same)

    async def later(name: str) -> str:
        return route(name)

    with probe.session("other"), ThreadPoolExecutor(2) as pool:
        with probe.session("a"), probe.turn_scope(utterance="hi"):
            thread = threading.Thread(target=probe.carry(route), args=("1",))
            thread.start()
            thread.join()
            pool.submit(probe.carry(route), "2").result()
            list(pool.map(probe.carry(route), ["3", "4"]))
            carried = probe.carry(later)
        pool.submit(asyncio.run, carried("5")).result()
        pool.submit(route, "6").result()  # the pool's thread is as it was; that it isn't at a's work, nobody can say
    nowhere = probe._where.orphan().id
    assert where(probe, map) == [
        ("a", "turn_started"), ("a", "1"), ("a", "2"), ("a", "3"), ("a", "4"), ("a", "5"), (nowhere, "6"),
    ]  # fmt: skip
    assert turns(map)["hi"] == ["1", "2", "3", "4", "5"]


def test_without_carry_the_only_open_session_is_meant(probe: Probe, map: Listener) -> None:
    route = probe.intent(same)
    with ThreadPoolExecutor(1) as pool:
        with probe.session("a"), probe.turn_scope(utterance="hi"):
            pool.submit(route, "1").result()
            inside = threading.Event()
            done = threading.Event()

            def another() -> None:
                with probe.session("b"):
                    inside.set()
                    done.wait(10)

            thread = threading.Thread(target=another)
            thread.start()
            inside.wait(10)
            pool.submit(route, "2").result()  # of two it can't be told
            done.set()
            thread.join()
        pool.submit(route, "3").result()
    found = {what: session for session, what in where(probe, map)}
    assert found["1"] == "a"
    assert found["2"] == found["3"]
    assert found["2"].startswith(f"bot-{os.getpid()}-")
    assert turns(map)["hi"] == ["1"]


def test_orphans_go_to_a_session_of_their_own(probe: Probe, map: Listener) -> None:
    probe.emit(Answered(text="x"))
    with probe.session(None), probe.turn_scope():
        probe.answered("y")
    assert {session for session, _ in where(probe, map)} == {probe._where.orphan().id}


def test_ids_may_be_explicit_everywhere(probe: Probe, map: Listener) -> None:
    @probe.intent(session="user", turn=lambda name, user: f"turn of {user}")
    def route(name: str, user: int) -> str:
        return name

    with probe.session("other"):
        probe.emit(TurnStarted(turn="t1", utterance="hi"), session="a", said_at=5.0)
        probe.emit(IntentRouted(intent="1"), session="a", turn="t1")
        route("2", user=7)
        probe.answered("3", session="a", turn="t1")
        probe.failed("here", ValueError("4"), session="a", turn="t1")
        probe.failed("there", "5", session="a")
        probe.ended("bye", session="a")
    assert probe.flush(10)
    assert [(event["n"], event.get("turn", "")) for event in map.events("a")] == [
        (1, ""), (2, "t1"), (3, "t1"), (4, "t1"), (5, ""), (6, ""),
    ]  # fmt: skip
    assert map.events("a")[0]["said_at"] == 5.0
    assert map.signals("a")[3:] == [
        {"kind": "failed", "where": "here", "error": "ValueError: 4"},
        {"kind": "failed", "where": "there", "error": "5"},
        {"kind": "session_ended", "reason": "bye"},
    ]
    assert [(event["session"], event["turn"]) for event in map.events("7")] == [("7", "turn of 7")]


def test_the_usual_parameters_are_found(probe: Probe, map: Listener) -> None:
    class Bot:
        @probe.turn
        def reply(self, message: str, sender_id: str = "default", *, lang: str = "en") -> str:
            return "ok"

    Bot().reply("one", "anna")
    Bot().reply(message="two")
    probe.turn(second)(object(), "three")
    assert probe.flush(10)
    found = {event["signal"].get("utterance"): event["session"] for event in map.events()}
    assert (found["one"], found["two"], found["three"]) == ("anna", "default", probe._where.orphan().id)


def test_a_turn_within_a_turn_is_part_of_it(probe: Probe, map: Listener) -> None:
    inner = probe.turn(ok)

    @probe.turn(id="number")
    def outer(text: str, number: int) -> str:
        inner("inner text")
        return "outer answer"

    with probe.session("a"):
        outer("outer text", 5)
        inner("alone")
    assert probe.flush(10)
    assert turns(map) == {"outer text": ["outer answer"], "alone": ["ok"]}
    assert map.events("a")[1]["turn"] == "5"


def test_a_background_task_stays_in_its_turn_and_a_new_turn_in_it_is_new(probe: Probe, map: Listener) -> None:
    route = probe.intent(same)
    reply = probe.turn(ok)
    kept: list[Any] = []

    async def main() -> None:
        over = asyncio.Event()

        async def background() -> None:
            await over.wait()
            route("late")
            reply("next")

        with probe.session("a"), probe.turn_scope(utterance="first"):
            kept.append(asyncio.create_task(background()))
        over.set()
        await kept[0]

    asyncio.run(main())
    assert probe.flush(10)
    assert turns(map) == {"first": ["late"], "next": ["ok"]}


def test_a_streaming_turn_leaves_the_callers_context_alone(probe: Probe, map: Listener) -> None:
    route = probe.intent(same)

    @probe.turn
    def reply(session_id: str, text: str) -> Iterator[str]:
        for piece in "ab":
            route(f"{text}:{piece}")
            yield piece

    with probe.session("caller"):
        first, second = reply("s1", "x"), reply("s2", "y")
        for _ in zip(first, second, strict=True):
            route("between")
    found = where(probe, map)
    assert {session for session, what in found if what == "between"} == {"caller"}
    assert turns(map) == {"x": ["x:a", "x:b", "ab"], "y": ["y:a", "y:b", "ab"]}


async def test_a_streaming_turn_in_tasks(probe: Probe, map: Listener) -> None:
    route = probe.intent(same)

    @probe.turn
    async def reply(session_id: str, text: str) -> AsyncIterator[str]:
        for piece in "ab":
            await asyncio.sleep(0)
            route(f"{text}:{piece}")
            yield piece

    async def consume(number: int) -> str:
        return "".join([piece async for piece in reply(f"s{number}", f"t{number}")])

    assert await asyncio.gather(*(consume(i) for i in range(4))) == ["ab"] * 4
    assert probe.flush(10)
    assert turns(map) == {f"t{i}": [f"t{i}:a", f"t{i}:b", "ab"] for i in range(4)}


def test_a_failed_turn_says_so_and_the_exception_passes(probe: Probe, map: Listener) -> None:
    error = ValueError("why")
    with pytest.raises(ValueError, match="why") as caught, probe.session("a"), probe.turn_scope(utterance="hi"):
        raise error
    assert caught.value is error
    assert caught.value.__context__ is None
    with pytest.raises(KeyboardInterrupt), probe.turn_scope(session="a"):
        raise KeyboardInterrupt
    assert where(probe, map) == [("a", "turn_started"), ("a", "failed"), ("a", "turn_started")]
    assert probe._where.current.get() is None
    assert not probe._where.open


def test_a_giant_id_stays_itself(probe: Probe, map: Listener) -> None:
    for last in ("a", "b"):
        probe.answered("x", session="i" * 100_000 + last)
    probe.answered("y", session="\ud800")
    assert probe.flush(10)
    ids = {event["session"] for event in map.events()}
    assert sorted(len(id) for id in ids) == [1, 256, 256]
    assert "\ufffd" in ids
