"""Nothing that a probe sees can hurt it or the bot: hostile objects in every place, and none is touched."""

from __future__ import annotations

import itertools
import json
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from lingbot_probes import Answered, Probe, Raw
from lingbot_probes.capture import EVENT
from lingbot_probes.codec import numbered_from_dict
from tests.probes.listening import Listener

CALLED: list[str] = []
PYTHON_SAYS = ("__init__", "__new__", "__class__", "__dict__", "__slots__", "__module__", "__weakref__", "__doc__")
EVERY_DUNDER = [
    name
    for name in {*dir(object), *dir(list), *dir(dict), *dir(int), *dir(str), "__getattr__", "__bool__", "__await__"}
    if name.startswith("__") and name not in (*PYTHON_SAYS, "__init_subclass__", "__subclasshook__", "__set_name__")
]


def _trap(name: str) -> Callable[..., NoReturn]:
    def sprung(*args: Any, **kwargs: Any) -> NoReturn:
        CALLED.append(name)
        raise RuntimeError(f"{name} was called")

    return sprung


class TrappedMeta(type):
    """A metaclass that notices whoever asks its classes anything."""

    __hash__ = _trap("metaclass __hash__")
    __eq__ = _trap("metaclass __eq__")
    __instancecheck__ = _trap("metaclass __instancecheck__")
    __subclasscheck__ = _trap("metaclass __subclasscheck__")
    __call__ = type.__call__

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        CALLED.append("metaclass __name__")
        raise RuntimeError


Trapped = TrappedMeta("Trapped", (), {name: _trap(name) for name in EVERY_DUNDER})


class LiesAboutItsClass:
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        CALLED.append("__class__")
        raise RuntimeError("asked")


class LazyAttributes:
    def __getattr__(self, name: str) -> Any:
        CALLED.append(f"attribute {name}")
        raise AttributeError(name)

    @property
    def intent(self) -> str:
        CALLED.append("property")
        return "no"


class EndlessList(list[Any]):
    def __iter__(self) -> Any:
        CALLED.append("__iter__")
        return itertools.count()


class EndlessDict(dict[Any, Any]):
    def items(self) -> Any:
        CALLED.append("items")
        return ((str(i), i) for i in itertools.count())


class StickyText(str):
    __slots__ = ()
    __len__ = _trap("str __len__")
    __str__ = _trap("str __str__")
    __hash__ = _trap("str __hash__")
    __eq__ = _trap("str __eq__")


class Unread(Exception):
    __str__ = _trap("exception __str__")
    __repr__ = _trap("exception __repr__")


def _loops() -> tuple[list[Any], dict[str, Any], list[Any]]:
    a: list[Any] = []
    a.append(a)
    b: dict[str, Any] = {}
    b["me"] = b
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    return a, b, deep


def _dead_proxy() -> Any:
    class Target:
        pass

    return weakref.proxy(Target())


SELF_LIST, SELF_DICT, DEEP = _loops()
HOSTILE: dict[str, Any] = {
    "everything is a trap": Trapped(),
    "the trap's class": Trapped,
    "lies about its class": LiesAboutItsClass(),
    "lazy attributes": LazyAttributes(),
    "endless list": EndlessList([1, 2]),
    "endless dict": EndlessDict(intent="a"),
    "text with traps": StickyText("hello"),
    "contains itself": SELF_LIST,
    "contains itself too": SELF_DICT,
    "100,000 levels": DEEP,
    "dead proxy": _dead_proxy(),
    "int of 10,000 digits": 10**10_000,
    "int beyond JSON": 2**53 + 1,
    "not a number": float("nan"),
    "infinite": float("-inf"),
    "lone surrogate": "a\ud800b",
    "lone surrogate in a key": {"\udfff": 1},
    "10 MB of text": "x" * 10_000_000,
    "10 MB of quotes": '"' * 10_000_000,
    "10 MB of control characters": "\x00" * 10_000_000,
    "10 MB of bytes": b"x" * 10_000_000,
    "a million items": list(range(1_000_000)),
    "a million keys": {i: i for i in range(1_000_000)},
    "mixed keys": {1: 2, None: 3, (4, 5): 6, b"x": 7, "y": 8},
    "keys that are traps": {object(): Trapped()},
    "lock": threading.Lock(),
    "module": itertools,
    "generator": (x for x in "abc"),
    "markup": "</script><img src=x onerror=alert(1)>",
    "terminal": "\x1b[2J\r\n\u2028\u202e",
    "50 lists of 50 of 50": [[["text" * 20] * 50] * 50] * 50,
    "all at once": [Trapped(), LiesAboutItsClass(), {"a": StickyText("x")}, EndlessDict()],
}

PLACES: dict[str, Callable[[Probe, Any], Any]] = {
    "turn: argument": lambda probe, value: probe.turn(lambda x: "ok")(value),
    "turn: keyword": lambda probe, value: probe.turn(lambda text: "ok")(text=value),
    "turn: result": lambda probe, value: probe.turn(lambda x: value)("hi"),
    "turn: nested": lambda probe, value: probe.turn(lambda x: {"text": {"content": [value]}, "docs": [value]})("hi"),
    "turn: streamed": lambda probe, value: list(probe.turn(lambda x: (yield value))("hi")),
    "turn: session": lambda probe, value: probe.turn(lambda session_id, text: "ok")(value, "hi"),
    "intent: result": lambda probe, value: probe.intent(lambda: value)(),
    "intent: first of two": lambda probe, value: probe.intent(lambda: (value, 0.5))(),
    "intent: second of two": lambda probe, value: probe.intent(lambda: ("a", value))(),
    "intent: in a field": lambda probe, value: probe.intent(
        lambda: {"intent": "a", "confidence": value, "candidates": value, "missing": value, "condition": value}
    )(),
    "retrieval: query": lambda probe, value: probe.retrieval(params=("query",))(lambda query: [])(value),
    "retrieval: result": lambda probe, value: probe.retrieval()(lambda query: value)("q"),
    "retrieval: a document": lambda probe, value: probe.retrieval()(lambda query: [value, (value, value)])("q"),
    "retrieval: in a document": lambda probe, value: probe.retrieval()(
        lambda query: [{"id": value, "score": value, "text": value, "metadata": value, "updated_at": value}]
    )("q"),
    "slots: filled": lambda probe, value: probe.slots(assigns=True)(lambda: {"a": value, "b": [value]})(),
    "slots: result": lambda probe, value: probe.slots(assigns=True)(lambda: value)(),
    "slots: stored": lambda probe, value: probe.observed({}).update(a=value),
    "emitted": lambda probe, value: probe.emit(value),
    "in a signal": lambda probe, value: probe.emit(Raw(name="x", data=value)),
    "in a signal's wrong field": lambda probe, value: probe.emit(Answered(text=value, docs=value)),
    "as an id": lambda probe, value: probe.emit(Answered(text="x"), session=value, turn=value, said_at=value),
    "as a text": lambda probe, value: probe.answered(value, docs=[value]),
    "in a scope": lambda probe, value: (
        probe.session(value, title=value, meta={"a": value}).__enter__().__exit__(None, None, None)
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_is_taken_without_a_touch(name: str, probe: Probe, map: Listener) -> None:
    value = HOSTILE[name]
    for place, put in PLACES.items():
        CALLED.clear()
        spent = []
        for _ in range(3):
            began = time.thread_time()
            put(probe, value)
            spent.append(time.thread_time() - began)
        assert CALLED == [], place
        assert probe.errors == 0, place
        assert min(spent) < 0.05, place  # the other times the collector may have passed by
    assert probe.flush(10.0)
    assert len(map.events()) >= 3 * len(PLACES) - 6
    for event in map.events():
        assert len(json.dumps(event, ensure_ascii=False, allow_nan=False).encode()) <= EVENT
        numbered_from_dict(event)  # the map can read it


@pytest.mark.parametrize("name", HOSTILE)
def test_the_result_is_the_very_object(name: str, probe: Probe) -> None:
    value = HOSTILE[name]

    async def coroutine() -> Any:
        return value

    for decorator in (probe.turn, probe.intent, probe.retrieval(), probe.slots(assigns=True)):
        assert decorator(lambda: value)() is value
        with pytest.raises(StopIteration) as stop:  # by hand: asyncio describes the results that it sees
            decorator(coroutine)().send(None)
        assert stop.value.value is value


def test_an_exception_is_not_asked_to_describe_itself(probe: Probe, map: Listener) -> None:
    def fails() -> None:
        raise Unread("why", Trapped())

    CALLED.clear()
    for decorator in (probe.turn, probe.intent, probe.retrieval(), probe.slots(assigns=True)):
        with pytest.raises(Unread):
            decorator(fails)()
    assert CALLED == []
    assert probe.flush()
    told = [signal["error"] for signal in map.signals() if signal["kind"] == "failed"]
    assert told == ["Unread: why"] * 4


def test_a_raising_extract_costs_one_event_that_shows_as_a_gap(probe: Probe, map: Listener) -> None:
    def extract(result: Any) -> Any:
        raise ZeroDivisionError

    with probe.session("s"):
        assert probe.intent(extract=extract)(lambda: "x")() == "x"
        probe.answered("after")
    assert probe.stats()["errors"] == 1
    assert probe.flush()
    assert [event["n"] for event in map.events("s")] == [1, 3]
    assert map.lost() == {"s": 1}


def test_what_is_captured_is_a_copy(probe: Probe, map: Listener) -> None:
    held = {"city": ["Paris"]}
    routed = {"intent": "a", "confidence": 0.5}
    probe.observed({})["trip"] = held
    probe.intent(lambda: routed)()
    held["city"].append("Rome")
    routed["intent"] = "b"
    assert probe.flush()
    assigned, intent = map.signals()
    assert assigned["value"] == {"city": ["Paris"]}
    assert intent["intent"] == "a"


def test_the_bounds_are_said(probe: Probe, map: Listener) -> None:
    slots = probe.observed({})
    slots["long"] = "x" * 5_000
    slots["many"] = list(range(1_000))
    slots["deep"] = {"a": {"b": {"c": {"d": {"e": {"f": {"g": 1}}}}}}}
    assert probe.flush()
    long, many, deep = [signal["value"] for signal in map.signals()]
    assert (len(long), long[-1]) == (4_096, "…")
    assert many[49:] == [49, "… 950 more"]
    assert deep["a"]["b"]["c"]["d"]["e"]["f"] == "1 items"
