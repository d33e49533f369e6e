"""Kinds of call that a decorator must not change: functions and coroutines. ``probe_generators`` has the others.

Each case is handed a decorator, or one that does nothing, and a list to note things in; what it comes to must be alike.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import logging
from collections.abc import Callable
from typing import Any

import pytest

Wrap = Callable[[Any], Any]
Case = Callable[[Wrap, list[Any]], Any]
BOOM = ValueError("boom", 42)
NOTE: contextvars.ContextVar[str] = contextvars.ContextVar("note", default="unset")


class Fatal(BaseException):
    """What no ``except Exception`` sees."""


class Calls(dict[str, Case]):
    """Cases by name."""

    def add(self, act: Case) -> Case:
        self[act.__name__] = act
        return act


FUNCTIONS = Calls()


# -- functions ---------------------------------------------------------------------------------------------------


@FUNCTIONS.add
def passes_every_kind_of_argument(w: Wrap, log: list[Any]) -> Any:
    return w(lambda a, /, b=2, *c, d, **e: (a, b, c, d, e))(1, 5, 6, d=4, z=9)


@FUNCTIONS.add
def raises_the_same_object_with_its_traceback(w: Wrap, log: list[Any]) -> Any:
    def fails() -> None:
        raise BOOM

    with pytest.raises(ValueError, match="boom") as caught:
        w(fails)()
    frames = []
    trace = caught.value.__traceback__
    while trace:
        frames.append(trace.tb_frame.f_code.co_name)
        trace = trace.tb_next
    return caught.value is BOOM, caught.value.__context__, frames[-1]


@FUNCTIONS.add
def keeps_the_chain_of_an_exception(w: Wrap, log: list[Any]) -> Any:
    def fails() -> None:
        try:
            raise KeyError(1)
        except KeyError as error:
            raise LookupError("outer") from error

    with pytest.raises(LookupError) as caught:
        w(fails)()
    return type(caught.value.__cause__), caught.value.__suppress_context__


def _raising(kind: type[BaseException]) -> Callable[[Wrap, list[Any]], Any]:
    def act(w: Wrap, log: list[Any]) -> Any:
        def fails() -> None:
            raise kind("x")

        return w(fails)()

    return act


for _kind in (KeyboardInterrupt, SystemExit, Fatal, GeneratorExit, StopIteration, RecursionError, MemoryError):
    FUNCTIONS[f"raises_{_kind.__name__}"] = _raising(_kind)


@FUNCTIONS.add
def refuses_wrong_arguments(w: Wrap, log: list[Any]) -> Any:
    return w(lambda a: a)(1, 2)


@FUNCTIONS.add
def methods_of_all_kinds(w: Wrap, log: list[Any]) -> Any:
    class Bot:
        @w
        def plain(self, x: int) -> Any:
            return type(self).__name__, x

        @classmethod
        @w
        def inner_class(cls, x: int) -> Any:
            return cls.__name__, x

        @staticmethod
        @w
        def inner_static(x: int) -> Any:
            return x

        @property
        @w
        def inner_property(self) -> str:
            return "p"

    class Outside:
        outer_class = w(classmethod(lambda cls, x: (cls.__name__, x)))
        outer_static = w(staticmethod(lambda x: x))

    return (
        Bot().plain(1), Bot.plain(Bot(), 2), Bot.inner_class(3), Bot().inner_static(4), Bot().inner_property,
        Outside.outer_class(5), Outside().outer_static(6),
    )  # fmt: skip


@FUNCTIONS.add
def callables_that_are_no_functions(w: Wrap, log: list[Any]) -> Any:
    class Call:
        def __call__(self, x: int) -> int:
            return x + 1

    return w(functools.partial(lambda a, b: (a, b), 1))(2), w(Call())(1), w(len)([1, 2]), w([].append)(1)


@FUNCTIONS.add
def caches_keep_their_handles(w: Wrap, log: list[Any]) -> Any:
    cached = w(functools.lru_cache(lambda x: log.append(x)))
    cached(1), cached(1)
    hits = cached.cache_info().hits
    cached.cache_clear()
    return hits, cached.cache_info().hits, log


@FUNCTIONS.add
def recursion(w: Wrap, log: list[Any]) -> Any:
    @w
    def down(n: int) -> int:
        return n and 1 + down(n - 1)

    return down(200)


@FUNCTIONS.add
def called_from_a_logging_handler(w: Wrap, log: list[Any]) -> Any:
    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            log.append(seen(record.getMessage()))

    seen = w(lambda text: text)
    logger = logging.Logger("alone")
    logger.addHandler(Handler())
    logger.error("hello")
    return log


@FUNCTIONS.add
def iterators_in_results_are_not_advanced(w: Wrap, log: list[Any]) -> Any:
    mapped = w(lambda: map(log.append, [1, 2]))()
    untouched = list(log)
    return untouched, next(mapped), log, list(w(lambda: iter([1, 2, 3]))()), list(w(lambda g: g)(x for x in "ab"))


# -- coroutines --------------------------------------------------------------------------------------------------


@FUNCTIONS.add
def coroutine_shares_its_context(w: Wrap, log: list[Any]) -> Any:
    async def sets(x: int) -> int:
        NOTE.set("inside")
        await asyncio.sleep(0)
        return x

    async def main() -> Any:
        return await w(sets)(3), NOTE.get()

    return main()


@FUNCTIONS.add
def coroutine_raises_the_same_object(w: Wrap, log: list[Any]) -> Any:
    async def fails() -> None:
        await asyncio.sleep(0)
        raise BOOM

    async def main() -> Any:
        try:
            await w(fails)()
        except ValueError as error:
            return error is BOOM

    return main()


@FUNCTIONS.add
def cancellation_reaches_the_function(w: Wrap, log: list[Any]) -> Any:
    started = asyncio.Event()

    async def waits() -> None:
        try:
            started.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            log.append(error.args)
            raise
        finally:
            log.append("finally")

    async def main() -> Any:
        task = asyncio.create_task(w(waits)())
        await started.wait()
        task.cancel("why")
        found = await asyncio.gather(task, return_exceptions=True)
        return type(found[0]), task.cancelled(), log

    return main()


@FUNCTIONS.add
def a_swallowed_cancellation_stays_swallowed(w: Wrap, log: list[Any]) -> Any:
    started = asyncio.Event()

    async def stays() -> str:
        try:
            started.set()
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            pass
        return "kept"

    async def main() -> Any:
        task = asyncio.create_task(w(stays)())
        await started.wait()
        task.cancel()
        return await task

    return main()


@FUNCTIONS.add
def a_time_limit_ends_it(w: Wrap, log: list[Any]) -> Any:
    async def main() -> Any:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(w(asyncio.Event().wait)(), 0.01)
        return "timed out"

    return main()


@FUNCTIONS.add
def a_coroutine_that_is_never_awaited(w: Wrap, log: list[Any]) -> Any:
    async def never() -> None:
        log.append("ran")

    w(never)().close()
    return log
