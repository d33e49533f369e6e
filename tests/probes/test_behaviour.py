"""A decorated function behaves as the plain one: the same values, the same exception objects, nothing consumed."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import gc
import inspect
import itertools
import logging
import pickle
import weakref
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import Any

import pytest

from lingbot_probes import Misused, Probe

Wrap = Callable[[Any], Any]
BOOM = ValueError("boom", 42)
NOTE: contextvars.ContextVar[str] = contextvars.ContextVar("note", default="unset")


class Fatal(BaseException):
    """What no ``except Exception`` sees."""


CASES: dict[str, Callable[[Wrap, list[Any]], Any]] = {}


def case(act: Callable[[Wrap, list[Any]], Any]) -> Callable[[Wrap, list[Any]], Any]:
    CASES[act.__name__] = act
    return act


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


# -- functions ---------------------------------------------------------------------------------------------------


@case
def passes_every_kind_of_argument(w: Wrap, log: list[Any]) -> Any:
    return w(lambda a, /, b=2, *c, d, **e: (a, b, c, d, e))(1, 5, 6, d=4, z=9)


@case
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


@case
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
    CASES[f"raises_{_kind.__name__}"] = _raising(_kind)


@case
def refuses_wrong_arguments(w: Wrap, log: list[Any]) -> Any:
    return w(lambda a: a)(1, 2)


@case
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


@case
def callables_that_are_no_functions(w: Wrap, log: list[Any]) -> Any:
    class Call:
        def __call__(self, x: int) -> int:
            return x + 1

    return w(functools.partial(lambda a, b: (a, b), 1))(2), w(Call())(1), w(len)([1, 2]), w([].append)(1)


@case
def caches_keep_their_handles(w: Wrap, log: list[Any]) -> Any:
    cached = w(functools.lru_cache(lambda x: log.append(x)))
    cached(1), cached(1)
    hits = cached.cache_info().hits
    cached.cache_clear()
    return hits, cached.cache_info().hits, log


@case
def recursion(w: Wrap, log: list[Any]) -> Any:
    @w
    def down(n: int) -> int:
        return n and 1 + down(n - 1)

    return down(150)


@case
def called_from_a_logging_handler(w: Wrap, log: list[Any]) -> Any:
    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            log.append(seen(record.getMessage()))

    seen = w(lambda text: text)
    logger = logging.Logger("alone")
    logger.addHandler(Handler())
    logger.error("hello")
    return log


@case
def iterators_in_results_are_not_advanced(w: Wrap, log: list[Any]) -> Any:
    mapped = w(lambda: map(log.append, [1, 2]))()
    untouched = list(log)
    return untouched, next(mapped), log, list(w(lambda: iter([1, 2, 3]))()), list(w(lambda g: g)(x for x in "ab"))


# -- coroutines --------------------------------------------------------------------------------------------------


@case
def coroutine_shares_its_context(w: Wrap, log: list[Any]) -> Any:
    async def sets(x: int) -> int:
        NOTE.set("inside")
        await asyncio.sleep(0)
        return x

    async def main() -> Any:
        return await w(sets)(3), NOTE.get()

    return main()


@case
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


@case
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


@case
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


@case
def a_time_limit_ends_it(w: Wrap, log: list[Any]) -> Any:
    async def main() -> Any:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(w(asyncio.Event().wait)(), 0.01)
        return "timed out"

    return main()


@case
def a_coroutine_that_is_never_awaited(w: Wrap, log: list[Any]) -> Any:
    async def never() -> None:
        log.append("ran")

    w(never)().close()
    return log


# -- generators --------------------------------------------------------------------------------------------------


@case
def generator_returns_its_value(w: Wrap, log: list[Any]) -> Any:
    def outer() -> Any:
        return (yield from w(counting)(log))

    steps, seen = outer(), []
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as stop:
            return seen, stop.value, log


@case
def generator_is_lazy(w: Wrap, log: list[Any]) -> Any:
    def loud() -> Iterator[int]:
        log.append("began")
        yield 1

    steps = w(loud)()
    before = list(log)
    return before, next(steps), log


@case
def generator_takes_send_throw_and_close(w: Wrap, log: list[Any]) -> Any:
    steps = w(counting)(log)
    return next(steps), steps.send("hi"), steps.throw(KeyError("k")), steps.close(), log


@case
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


@case
def generator_exit_thrown_by_hand(w: Wrap, log: list[Any]) -> Any:
    steps = w(counting)(log)
    next(steps)
    steps.throw(GeneratorExit("by hand"))


@case
def generator_left_behind_is_closed(w: Wrap, log: list[Any]) -> Any:
    for _ in w(counting)(log, 10):
        break
    gc.collect()
    return log


@case
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


@case
def generator_stepped_in_different_contexts(w: Wrap, log: list[Any]) -> Any:
    steps = w(counting)(log)
    first, second = contextvars.Context().run(next, steps), contextvars.Context().run(next, steps)
    return first, second, steps.close(), log


@case
def endless_generator(w: Wrap, log: list[Any]) -> Any:
    def endless() -> Iterator[int]:
        yield from itertools.count()

    return list(itertools.islice(w(endless)(), 5))


# -- asynchronous generators -------------------------------------------------------------------------------------


@case
def async_generator(w: Wrap, log: list[Any]) -> Any:
    async def main() -> Any:
        return [x async for x in w(acounting)(log)], log

    return main()


@case
def async_generator_takes_asend_athrow_and_aclose(w: Wrap, log: list[Any]) -> Any:
    async def main() -> Any:
        steps = w(acounting)(log)
        seen = [await steps.__anext__(), await steps.asend("hi"), await steps.athrow(KeyError("k"))]
        await steps.aclose()
        return seen, log

    return main()


@case
def async_generator_raises_a_type_error(w: Wrap, log: list[Any]) -> Any:
    async def fails() -> AsyncIterator[int]:
        len(5)  # type: ignore[arg-type]
        yield 1

    async def main() -> Any:
        return [x async for x in w(fails)()]

    return main()


@case
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


@case
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


def outcome(act: Callable[[Wrap, list[Any]], Any], wrap: Wrap) -> Any:
    log: list[Any] = []
    try:
        value = act(wrap, log)
        if inspect.iscoroutine(value):
            value = asyncio.run(asyncio.wait_for(value, 10))
        return "value", value
    except BaseException as error:
        return type(error), str(error), list(log)


DECORATORS: dict[str, Callable[[Probe], Wrap]] = {
    "turn": lambda probe: probe.turn,
    "intent": lambda probe: probe.intent,
    "intent with extract": lambda probe: probe.intent(extract=lambda result, *args, **kwargs: None),
    "retrieval": lambda probe: probe.retrieval(stage="vector"),
    "slots": lambda probe: probe.slots,
    "slots that assign": lambda probe: probe.slots(assigns=True),
}


@pytest.mark.parametrize("decorator", DECORATORS)
@pytest.mark.parametrize("name", CASES)
def test_behaves_as_the_plain_function(name: str, decorator: str, probe: Probe) -> None:
    plain = outcome(CASES[name], lambda function: function)
    assert outcome(CASES[name], DECORATORS[decorator](probe)) == plain
    assert probe.errors == 0


def test_enough_kinds_of_call() -> None:
    assert len(CASES) >= 33


def module_function(a: int, *, b: str = "x") -> bool:
    """Doc."""
    return True


@pytest.mark.parametrize("decorator", DECORATORS)
@pytest.mark.parametrize("function", [module_function, counting, acounting, test_enough_kinds_of_call])
def test_looks_like_the_plain_function(function: Any, decorator: str, probe: Probe) -> None:
    probed = DECORATORS[decorator](probe)(function)
    for ask in (
        inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction, inspect.signature,
        inspect.getdoc, inspect.getsource,
    ):  # fmt: skip
        assert ask(probed) == ask(function)
    for name in ("__name__", "__qualname__", "__module__", "__annotations__"):
        assert getattr(probed, name) == getattr(function, name)


def test_a_decorated_function_pickles_by_name(probe: Probe, monkeypatch: pytest.MonkeyPatch) -> None:
    probed = probe.intent(module_function)
    monkeypatch.setitem(globals(), "module_function", probed)
    assert pickle.loads(pickle.dumps(probed)) is probed


def test_arguments_and_results_are_not_kept_alive(probe: Probe) -> None:
    class Held:
        pass

    for decorator in DECORATORS.values():
        held = Held()
        seen = weakref.ref(held)
        decorator(probe)(lambda x: [x])(held)
        del held
        gc.collect()
        assert seen() is None


def test_an_exception_is_not_kept_alive_by_a_generator(probe: Probe) -> None:
    class Held(Exception):
        pass

    def passes() -> Generator[int, None, None]:
        yield 1

    gc.disable()
    try:
        steps = probe.turn(passes)()
        next(steps)
        error = Held()
        seen = weakref.ref(error)
        with pytest.raises(Held):
            steps.throw(error)
        del error, steps
        assert seen() is None, "it takes the collector to free it"
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "thing",
    [5, None, "text", property(lambda self: 1), int, Probe],
    ids=lambda thing: getattr(thing, "__name__", None) or type(thing).__name__,
)
@pytest.mark.parametrize("decorator", [name for name in DECORATORS if name != "intent"])
def test_what_is_no_function_is_refused_by_name(thing: Any, decorator: str, probe: Probe) -> None:
    if thing is None and decorator in ("turn", "slots"):
        return  # the decorator with arguments left out
    with pytest.raises(Misused, match="goes on a function or method, not on"):
        DECORATORS[decorator](probe)(thing)


def test_wrong_options_are_refused_at_decoration(probe: Probe) -> None:
    with pytest.raises(Misused, match=r"session='sender' names no parameter of .*it has: text"):
        probe.turn(session="sender")(lambda text: text)
    with pytest.raises(Misused, match=r"stage='vektor'.*expected one of vector"):
        probe.retrieval(stage="vektor")
    with pytest.raises(Misused, match="takes the name of a parameter or a callable, not int"):
        probe.turn(session=5)(lambda text: text)  # type: ignore[call-overload]
    with pytest.raises(Misused, match="takes the bot's name first"):
        Probe(None)  # type: ignore[arg-type]


def test_switched_off_the_very_function_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINGBOT_MAP", "off")
    probe = Probe("bot")
    for decorator in DECORATORS.values():
        assert decorator(probe)(module_function) is module_function
    slots: dict[str, int] = {}
    assert probe.observed(slots) is slots
    assert probe.carry(module_function) is module_function
    with probe.session("s"), probe.turn_scope(utterance="hi") as turn:
        turn.answer("ho")
    probe.emit("anything")
    assert probe.stats()["made"] == 0
    assert probe.flush()
