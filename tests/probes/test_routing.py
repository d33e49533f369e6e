"""The compiled wrapper of a router: every way of calling is the function's own, every result is read as ever."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from typing import Any

import pytest

from lingbot_probes import Probe
from lingbot_probes.shapes import intent_routed
from tests.probes.listening import Listener


def plain(a: Any, b: Any = 2) -> Any:
    return a, b


def positional(a: Any, b: Any = 2, /, c: Any = 3) -> Any:
    return a, b, c


def keywords(a: Any, *, b: Any, c: Any = 3) -> Any:
    return a, b, c


def everything(a: Any, /, b: Any, *rest: Any, c: Any = 3, **more: Any) -> Any:
    return a, b, rest, c, more


def borrowed(type: Any, len: Any = 1, str: Any = 2, result: Any = 3, time: Any = 4) -> Any:
    return type, len, str, result, time


def own(lb_result: Any, lb_type: Any = 1) -> Any:
    return lb_result, lb_type


async def waiting(a: Any, *, b: Any = 2) -> Any:
    return a, b


class Router:
    def route(self, a: Any, b: Any = 2) -> Any:
        return a, b

    def __private(self, __a: Any) -> Any:
        return __a

    private = __private


FUNCTIONS: tuple[Any, ...] = (
    plain, positional, keywords, everything, borrowed, own, waiting, lambda: "none", lambda *a: a, lambda **k: k,
    Router.route, Router.private, Router().route, max, str.upper, compile("lambda x: x", "x", "eval"),
)  # fmt: skip
CALLS: tuple[tuple[tuple[Any, ...], dict[str, Any]], ...] = (
    ((), {}), ((1,), {}), ((1, 5), {}), ((1, 5, 6), {}), ((1, 5, 6, 7), {}), ((1,), {"b": 5}), ((), {"a": 1, "b": 5}),
    ((1,), {"b": 5, "c": 6}), ((1, 2), {"c": 6, "d": 7}), ((1,), {"z": 5}), ((), {"type": 1, "time": 5}),
    ((), {"lb_result": 5}), (("text",), {}), (("a", "b"), {"key": len}),
)  # fmt: skip


def outcome(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[type, object]:
    try:
        value = function(*args, **kwargs)
        if inspect.iscoroutine(value):
            with pytest.raises(StopIteration) as stop:
                value.send(None)
            value = stop.value.value
        return type(value), value
    except TypeError as error:
        return TypeError, str(error)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: getattr(function, "__qualname__", "eval"))
def test_is_called_as_the_function_is(function: Any, probe: Probe) -> None:
    if inspect.iscode(function):
        function = eval(function)  # its name in a traceback is not one that can be read
    probed = probe.intent(function)
    for args, kwargs in CALLS:
        assert outcome(probed, args, kwargs) == outcome(function, args, kwargs)
    assert probe.errors == 0


def test_a_name_that_nobody_can_write_is_no_obstacle(probe: Probe) -> None:
    def function(x: Any) -> Any:
        return x

    for strange in ("not a name", "class", "None", "__debug__"):
        function.__code__ = function.__code__.replace(co_varnames=(strange,))
        assert probe.intent(function)(5) == 5


def test_a_default_is_the_very_object(probe: Probe) -> None:
    default: list[int] = []

    def route(a: list[int] = default, *, b: list[int] = default) -> list[Any]:
        return [a, b]

    route = probe.intent(route)
    assert all(each is default for each in route())
    assert all(each is default for each in inspect.signature(route).parameters["a"].default or [default])


# -- mappings ------------------------------------------------------------------------------------------------------

ROUTED = {"intent": "plan", "confidence": 0.5, "condition": "x", "parent": "p"}
RESULTS: list[Any] = [
    ROUTED,
    dict(ROUTED),
    {"parent": "p", "condition": "x", "confidence": 0.5, "intent": "plan"},  # the same keys in another order
    {"intent": "plan", "confidence": 0.5, "condition": "x", "label": "L"},  # as many, another one
    {"intent": "plan", "confidence": 1, "condition": None, "parent": True},
    {"intent": "plan", "confidence": 2**70, "condition": "x", "parent": "p"},
    {"intent": "plan", "confidence": float("nan"), "condition": "x" * 5_000, "parent": "p"},
    {"intent": "plan", "confidence": 0.5, "missing": ["phone"], "parent": "p"},
    {"intent": "plan", "confidence": 0.5, 3: "x", "parent": "p"},
    {"intent": "plan", "confidence": 0.5, "k" * 5_000: "x", "parent": "p"},
    {"buy": 0.25, "sell": 0.75, "keep": 0.0, "wait": 0.0},
    {"intent": "plan", "confidence": 0.5},
    {"buy": 0.25, "sell": 0.75},
    {"intent": "plan"},
    {},
    {**ROUTED, "label": "L"},
    {**ROUTED, "label": "L", "a": "b", "c": "d", "e": None},
    {**ROUTED, **{f"k{i}": "v" for i in range(40)}},
    ("plan", 0.5), ("plan", 1), ("plan", float("inf")), ("p" * 300, 0.5), ("plan",), ("plan", 0.5, "x"), ("plan", "x"),
    ((), 0.5), ([], []), "plan", None,
]  # fmt: skip


def test_every_result_is_read_the_same_whatever_came_before_it(probe: Probe, map: Listener) -> None:
    result: Any = None
    route: Any = probe.intent(lambda: result)
    expected = []
    for before in RESULTS:
        for after in RESULTS:
            for result in (before, before, after):
                assert route() is result
                expected.append(intent_routed(result))
            if len(expected) > 400:  # less than the ring holds
                assert probe.flush(10)
                assert repr(map.signals()) == repr(expected)
                map.order.clear()
                expected.clear()
    assert probe.errors == 0


ASKED: list[str] = []


class Key(str):
    """A key whose look-up would run code of the bot's."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        ASKED.append("eq")
        return str.__eq__(self, other)


class Foreign:
    def __hash__(self) -> int:
        return hash("condition")

    def __eq__(self, other: object) -> bool:
        ASKED.append("foreign eq")
        return True


def test_known_keys_are_told_by_identity_alone(probe: Probe, map: Listener) -> None:
    strange: dict[Any, Any]
    route: Any = probe.intent(lambda result: result)
    for key in (Key("condition"), Foreign()):
        strange = {"intent": "plan", "confidence": 0.5, key: "x", "parent": "p"}
        ASKED.clear()
        for result in (ROUTED, ROUTED, strange, strange, ROUTED):
            route(result)
        assert ASKED == []
        assert probe.flush(10)
        assert all(type(held) is not type(key) for entry in probe._ring.copy() for held in walked(entry[3]))


def walked(value: Any) -> list[Any]:
    if type(value) is dict:
        value = [*value, *value.values()]
    return [value, *(part for item in value for part in walked(item))] if type(value) in (list, tuple) else [value]


def test_what_is_taken_is_not_what_the_bot_goes_on_with(probe: Probe, map: Listener) -> None:
    result = dict(ROUTED)
    route: Any = probe.intent(lambda: result)
    for intent in ("one", "two", "three"):
        result["intent"] = intent
        route()
    result["intent"] = "never"
    assert probe.flush(10)
    assert [signal["intent"] for signal in map.signals()] == ["one", "two", "three"]


def test_routers_in_threads_mix_no_keys(probe: Probe, map: Listener) -> None:
    results = [
        {"intent": "a", "confidence": 0.5, "condition": "ca", "parent": "pa"},
        {"condition": "cb", "intent": "b", "parent": "pb", "confidence": 0.5},
    ]
    route: Any = probe.intent(lambda result: result)
    probe._ring.entries.clear()

    def run(result: dict[str, Any]) -> None:
        for _ in range(100):
            route(result)

    threads = [threading.Thread(target=run, args=(result,)) for result in results * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert probe.flush(10)
    assert len(map.signals()) == 400
    for signal in map.signals():
        assert signal["condition"] == f"c{signal['intent']}"
        assert signal["parent"] == f"p{signal['intent']}"
