"""Wrapping a function so that nobody can tell: one wrapper for each of the four kinds of function.

The wrapped function is called as it was, its result and its exceptions are the very objects, a generator is
delegated to step by step. ``try`` around the bot's code is there only to look at what passes, and everything passes.
An *observer* is told what happened; its methods never raise.
"""

from __future__ import annotations

import sys
from functools import partial, wraps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    class Observer(Protocol):
        """What is told about one call. Nothing it does may raise."""

        def enter(self) -> Any: ...
        def leave(self, token: Any) -> None: ...
        def yielded(self, item: Any) -> None: ...
        def returned(self, result: Any) -> None: ...
        def raised(self, error: BaseException) -> None: ...

    Observe = Callable[[tuple[Any, ...], dict[str, Any]], Observer]

COROUTINE, GENERATOR, ASYNC_GENERATOR = 0x80, 0x20, 0x200  # bits of co_flags, as inspect reads them


class Misused(TypeError):
    """A probe was put on something that it can't be put on."""


def flags_of(function: Any) -> int:
    """What kind of function it is; looks through ``partial`` and bound methods, and into ``__call__``."""
    while type(function) is partial:
        function = function.func
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None and not isinstance(function, type):
        call = getattr(type(function), "__call__", None)  # noqa: B004  # its code is wanted, not whether it is there
        code = getattr(call, "__code__", None)
    return int(getattr(code, "co_flags", 0))


def decorated(function: Any, wrap: Callable[[Any], Any], who: str) -> Any:
    """``function`` wrapped, or ``Misused`` which names it. Class and static methods stay what they are."""
    if type(function) in (staticmethod, classmethod):
        return type(function)(decorated(function.__func__, wrap, who))
    if isinstance(function, type) or not callable(function):
        label = getattr(function, "__qualname__", None) or repr(function)[:80]
        kind = "the class" if isinstance(function, type) else type(function).__name__
        raise Misused(f"{who} goes on a function or method, not on {kind} {label}")
    wrapper = wrap(function)
    for name in ("cache_info", "cache_clear", "cache_parameters"):  # functools.lru_cache keeps them outside __dict__
        if hasattr(function, name) and not hasattr(wrapper, name):
            setattr(wrapper, name, getattr(function, name))
    return wrapper


def wrap(function: Any, observe: Observe) -> Any:
    """The wrapper for ``function`` that tells ``observe(args, kwargs)`` what happens."""
    flags = flags_of(function)
    if flags & COROUTINE:
        return _coroutine(function, observe)
    if flags & ASYNC_GENERATOR:
        return _async_generator(function, observe)
    if flags & GENERATOR:
        return _generator(function, observe)
    return _function(function, observe)


def _function(function: Any, observe: Observe) -> Any:
    @wraps(function)
    def probed(*args: Any, **kwargs: Any) -> Any:
        observer = observe(args, kwargs)
        token = observer.enter()
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            observer.raised(error)
            raise
        finally:
            observer.leave(token)
        observer.returned(result)
        return result

    return probed


def _coroutine(function: Any, observe: Observe) -> Any:
    @wraps(function)
    async def probed(*args: Any, **kwargs: Any) -> Any:
        observer = observe(args, kwargs)
        token = observer.enter()
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            observer.raised(error)
            raise
        finally:
            observer.leave(token)
        observer.returned(result)
        return result

    return probed


def _generator(function: Any, observe: Observe) -> Any:
    @wraps(function)
    def probed(*args: Any, **kwargs: Any) -> Any:
        observer = observe(args, kwargs)
        source = function(*args, **kwargs)
        resume, given = source.send, None
        while True:
            token = observer.enter()  # for this step only: between the steps the caller's own context holds
            try:
                item = resume(given)
            except StopIteration as stop:
                observer.returned(stop.value)
                return stop.value
            except BaseException as error:
                observer.raised(error)
                raise
            finally:
                observer.leave(token)
                given = None  # it may be the exception that has this frame in its traceback
            observer.yielded(item)
            handed, item = [item], None  # whoever takes it is the only one to hold it
            try:
                given = yield handed.pop()
            except BaseException as thrown:  # close() comes as GeneratorExit: the source decides about that as well
                resume, given = source.throw, thrown
            else:
                resume = source.send

    return probed


def _async_generator(function: Any, observe: Observe) -> Any:
    @wraps(function)
    async def probed(*args: Any, **kwargs: Any) -> Any:
        observer = observe(args, kwargs)
        source = function(*args, **kwargs)
        step = _begun_unseen(source)
        while True:
            token = observer.enter()
            try:
                item = await step
            except StopAsyncIteration:
                observer.returned(None)
                return
            except BaseException as error:
                observer.raised(error)
                raise
            finally:
                observer.leave(token)
                step = None
            observer.yielded(item)
            handed, item = [item], None  # whoever takes it is the only one to hold it
            try:
                given = yield handed.pop()
            except BaseException as thrown:
                step = source.athrow(thrown)
            else:
                step = source.asend(given)

    return probed


def _begun_unseen(source: Any) -> Any:
    """The first step of an inner generator that the event loop doesn't get to know.

    The loop closes every asynchronous generator that it knows when it ends. It knows the outer one, which closes
    the inner one; both at once would meet in the middle ("already running").
    """
    hooks = sys.get_asyncgen_hooks()
    sys.set_asyncgen_hooks(firstiter=None, finalizer=None)
    try:
        return source.asend(None)
    finally:
        sys.set_asyncgen_hooks(*hooks)


def on_result(function: Any, told: Callable[..., None], raised: Callable[..., None]) -> Any:
    """The quick wrapper where only the result matters: ``told(result, ...)``, on an error ``raised(error, ...)``."""
    if flags_of(function) & COROUTINE:

        @wraps(function)
        async def probed_coroutine(*args: Any, **kwargs: Any) -> Any:
            try:
                result = await function(*args, **kwargs)
            except BaseException as error:
                raised(error, args, kwargs)
                raise
            told(result, args, kwargs)
            return result

        return probed_coroutine

    @wraps(function)
    def probed(*args: Any, **kwargs: Any) -> Any:
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            raised(error, args, kwargs)
            raise
        told(result, args, kwargs)
        return result

    return probed


def handing_out(function: Any, hand_out: Callable[..., Any]) -> Any:
    """The wrapper whose result is ``hand_out(result, args, kwargs)``: the one that changes what it returns."""
    if flags_of(function) & COROUTINE:

        @wraps(function)
        async def probed_coroutine(*args: Any, **kwargs: Any) -> Any:
            result = await function(*args, **kwargs)
            return hand_out(result, args, kwargs)

        return probed_coroutine

    @wraps(function)
    def probed(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        return hand_out(result, args, kwargs)

    return probed
