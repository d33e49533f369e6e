"""Kinds of call that a decorator must not change: generators, of both kinds; ``CALLS`` are these and all others."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import itertools
from collections.abc import AsyncIterator, Generator, Iterator
from typing import Any

from tests.torture.probe_calls import BOOM, FUNCTIONS, Calls, Wrap

GENERATORS = Calls()


def counting(log: list[Any], n: int = 3) -> Generator[Any, Any, str]:
    try:
        for i in range(n):
            got = yield i
            log.append((i, got))
    except KeyError as error:
        log.append("caught")
        yield error.args
    finally:
        log.append("closed")
    return "value"


async def acounting(log: list[Any], n: int = 3) -> AsyncIterator[Any]:
    try:
        for i in range(n):
            got = yield i
            log.append((i, got))
            await asyncio.sleep(0)
    except KeyError as error:
        yield error.args
    finally:
        await asyncio.sleep(0)
        log.append("closed")


# -- generators --------------------------------------------------------------------------------------------------


@GENERATORS.add
def generator_returns_its_value(w: Wrap, log: list[Any]) -> Any:
    def outer() -> Any:
        return (yield from w(counting)(log))

    steps, seen = outer(), []
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as stop:
            return seen, stop.value, log


@GENERATORS.add
def generator_is_lazy(w: Wrap, log: list[Any]) -> Any:
    def loud() -> Iterator[int]:
        log.append("began")
        yield 1

    steps = w(loud)()
    before = list(log)
    return before, next(steps), log


@GENERATORS.add
def generator_takes_send_throw_and_close(w: Wrap, log: list[Any]) -> Any:
    steps = w(counting)(log)
    return next(steps), steps.send("hi"), steps.throw(KeyError("k")), steps.close(), log


@GENERATORS.add
def generator_that_ignores_its_close(w: Wrap, log: list[Any]) -> Any:
    def stubborn() -> Iterator[int]:
        while True:
            try:
                yield 1
            except GeneratorExit:
                log.append("no")
                yield 2
                return

    steps = w(stubborn)()
    next(steps)
    return steps.close()


@GENERATORS.add
def generator_exit_thrown_by_hand(w: Wrap, log: list[Any]) -> Any:
    steps = w(counting)(log)
    next(steps)
    steps.throw(GeneratorExit("by hand"))


@GENERATORS.add
def generator_left_behind_is_closed(w: Wrap, log: list[Any]) -> Any:
    for _ in w(counting)(log, 10):
        break
    gc.collect()
    return log


@GENERATORS.add
def generator_raises_the_same_object(w: Wrap, log: list[Any]) -> Any:
    def fails() -> Iterator[int]:
        yield 1
        raise BOOM

    steps = w(fails)()
    next(steps)
    try:
        next(steps)
    except ValueError as error:
        return error is BOOM


@GENERATORS.add
def generator_stepped_in_different_contexts(w: Wrap, log: list[Any]) -> Any:
    steps = w(counting)(log)
    first, second = contextvars.Context().run(next, steps), contextvars.Context().run(next, steps)
    return first, second, steps.close(), log


@GENERATORS.add
def endless_generator(w: Wrap, log: list[Any]) -> Any:
    def endless() -> Iterator[int]:
        yield from itertools.count()

    return list(itertools.islice(w(endless)(), 5))


# -- asynchronous generators -------------------------------------------------------------------------------------


@GENERATORS.add
def async_generator(w: Wrap, log: list[Any]) -> Any:
    async def main() -> Any:
        return [x async for x in w(acounting)(log)], log

    return main()


@GENERATORS.add
def async_generator_takes_asend_athrow_and_aclose(w: Wrap, log: list[Any]) -> Any:
    async def main() -> Any:
        steps = w(acounting)(log)
        seen = [await steps.__anext__(), await steps.asend("hi"), await steps.athrow(KeyError("k"))]
        await steps.aclose()
        return seen, log

    return main()


@GENERATORS.add
def async_generator_raises_a_type_error(w: Wrap, log: list[Any]) -> Any:
    async def fails() -> AsyncIterator[int]:
        len(5)  # type: ignore[arg-type]
        yield 1

    async def main() -> Any:
        return [x async for x in w(fails)()]

    return main()


@GENERATORS.add
def async_generator_left_behind_is_closed(w: Wrap, log: list[Any]) -> Any:
    complaints: list[Any] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, what: complaints.append(what["message"]))
        kept.append(w(acounting)(log))
        async for _ in kept[0]:
            break

    kept: list[Any] = []
    asyncio.run(main())  # closes what it knows of, the outer generator and not the inner one beside it
    return log, complaints


@GENERATORS.add
def async_generator_cancelled(w: Wrap, log: list[Any]) -> Any:
    waiting = asyncio.Event()

    async def waits() -> AsyncIterator[int]:
        try:
            yield 1
            waiting.set()
            await asyncio.Event().wait()
        finally:
            log.append("closed")

    async def consume() -> None:
        async for x in w(waits)():
            log.append(x)

    async def main() -> Any:
        task = asyncio.create_task(consume())
        await waiting.wait()
        task.cancel()
        found = await asyncio.gather(task, return_exceptions=True)
        return type(found[0]), log

    return main()


CALLS = Calls(FUNCTIONS | GENERATORS)
