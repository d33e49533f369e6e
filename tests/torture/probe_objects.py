"""Objects that hurt whoever touches them, and the places of a bot where a probe could meet one.

A trap notes in ``CALLED`` that it was sprung, and raises.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable
from typing import Any, NoReturn

from lingbot_probes import Answered, Probe, Raw

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
