"""Events without a context: they go to the only session that they can belong to, or to none."""

from __future__ import annotations

import _thread
import asyncio
import contextvars
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from lingbot_probes import Probe
from tests.probes.listening import Listener, turns, where


def same(name: str) -> str:
    return name


def outliving(probe: Probe, name: str, go: threading.Event) -> threading.Thread:
    """A thread without ``carry`` that says something when it is told to."""

    def run() -> None:
        assert go.wait(10)
        probe.intent(same)(name)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def told(go: threading.Event, *threads: threading.Thread) -> None:
    go.set()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(
    "steps",
    [
        "+a thread -a +b speaks -b",
        "+a thread +b -a speaks -b",
        "+a +b thread -a speaks -b",
        "+b +a thread -a speaks -b",
        "+b +a -b thread +b -a speaks -b",
        "+a thread +b -b +b -a speaks -b",
        "+a thread -a +c -c +b speaks -b",
        "+a thread -a +b -b +b speaks -b",
    ],
)
def test_a_thread_that_outlives_its_session_never_lands_in_another(steps: str, probe: Probe, map: Listener) -> None:
    open_now: dict[str, Any] = {}
    threads: list[threading.Thread] = []
    go = threading.Event()
    for step in steps.split():
        if step == "thread":
            threads.append(outliving(probe, "from a", go))
        elif step == "speaks":
            assert list(open_now) == ["b"]
            told(go, *threads)
        elif step[0] == "+":
            open_now[step[1]] = probe.session(step[1])
            open_now[step[1]].__enter__()
        else:
            open_now.pop(step[1]).__exit__(None, None, None)
    assert where(probe, map) == [(probe._where.orphan().id, "from a")]


def test_a_thread_that_began_in_the_only_open_session_is_its_own_whatever_was_before(
    probe: Probe, map: Listener
) -> None:
    with ThreadPoolExecutor(1) as old:
        for session in ("a", "b", "c"):
            with probe.session(session), probe.turn_scope(utterance=session), ThreadPoolExecutor(1) as young:
                young.submit(probe.intent(same), f"young in {session}").result()
                old.submit(probe.intent(same), f"old in {session}").result()
    found = {what: session for session, what in where(probe, map)}
    nowhere = probe._where.orphan().id
    assert {what: found[what] for what in found if " in " in what} == {
        "young in a": "a", "young in b": "b", "young in c": "c",
        "old in a": "a", "old in b": nowhere, "old in c": nowhere,  # it may still be at a's work
    }  # fmt: skip


def test_a_pool_serves_the_one_session_of_a_desk_turn_after_turn(probe: Probe, map: Listener) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(same, "warm").result()

        @probe.turn
        def reply(session_id: str, text: str) -> str:
            return pool.submit(probe.intent(same), f"in {text}").result()

        for text in ("one", "two", "three"):
            reply("desk", text)
    assert probe.flush(10)
    assert {event["session"] for event in map.events()} == {"desk"}
    assert {name: said[0] for name, said in turns(map).items()} == {
        "one": "in one",
        "two": "in two",
        "three": "in three",
    }


def test_in_a_notebook_the_open_session_is_meant(probe: Probe, map: Listener) -> None:
    """A cell opens the session, others call: with a context of their own, after other sessions, with a loop or none."""
    route = probe.intent(same)

    def cell(act: Any) -> None:
        contextvars.Context().run(act)

    for session in ("first", "second"):
        scope = probe.session(session)
        cell(scope.__enter__)
        cell(lambda session=session: route(f"plain in {session}"))
        cell(lambda: scope.__exit__(None, None, None))  # noqa: B023  # called at once

    async def kernel() -> None:
        async def run(act: Any) -> None:
            act()

        loop = asyncio.get_running_loop()
        scope = probe.session("third")
        for act in (scope.__enter__, lambda: route("plain in third"), lambda: scope.__exit__(None, None, None)):
            await loop.create_task(run(act), context=contextvars.Context())

    asyncio.run(kernel())
    assert where(probe, map) == [(name, f"plain in {name}") for name in ("first", "second", "third")]


def test_a_servers_own_task_is_in_no_session(probe: Probe, map: Listener) -> None:
    route = probe.intent(same)

    async def server() -> None:
        go, done = asyncio.Event(), asyncio.Event()

        async def refresh() -> None:
            await go.wait()
            route("refresh")
            done.set()

        task = asyncio.create_task(refresh())
        async with probe.session("before"):
            pass

        async def request() -> None:
            async with probe.session("a"):
                go.set()
                await done.wait()

        await asyncio.create_task(request())
        await task

    asyncio.run(server())
    assert where(probe, map) == [(probe._where.orphan().id, "refresh")]


def test_a_thread_that_is_not_pythons_own_is_no_obstacle(probe: Probe, map: Listener) -> None:
    done = threading.Event()

    def run() -> None:
        probe.intent(same)("foreign")
        done.set()

    with probe.session("before"):
        pass
    with probe.session("a"):
        _thread.start_new_thread(run, ())
        assert done.wait(10)
    assert where(probe, map) == [(probe._where.orphan().id, "foreign")]
    assert not any(isinstance(thread, threading._DummyThread) for thread in threading.enumerate())


def test_no_thread_is_kept_alive(probe: Probe) -> None:
    go = threading.Event()
    with probe.session("a"):
        thread = outliving(probe, "x", go)
        with probe.session("b"):
            seen = weakref.ref(thread)
    told(go, thread)
    del thread
    gc.collect()
    assert seen() is None
