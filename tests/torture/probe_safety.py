"""A decorated function behaves as the plain one, whatever kind it is and whatever it is given.

``python -m tests.torture.probe_safety``; LB_ROUNDS (1): in the first each decorator alone meets every kind of call and
every hostile object, in each further one stacks of them meet calls and compounds of such objects, drawn by LB_SEED;
LB_SLOW_MS (50) is the most that an object may cost. Nothing that is endless may take more than 4 GiB or 10 s.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import json
import pickle
import random
import resource
import signal
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from lingbot_probes import Probe
from lingbot_probes.capture import EVENT
from lingbot_probes.codec import SignalError, numbered_from_dict
from tests.torture.driver import Report, setting
from tests.torture.probe_calls import Case, Wrap
from tests.torture.probe_generators import CALLS, acounting, counting
from tests.torture.probe_objects import CALLED, HOSTILE, PLACES

DECORATORS: dict[str, Callable[[Probe], Wrap]] = {
    "turn": lambda probe: probe.turn,
    "intent": lambda probe: probe.intent,
    "intent with extract": lambda probe: probe.intent(extract=lambda result, *args, **kwargs: None),
    "retrieval": lambda probe: probe.retrieval(stage="vector"),
    "slots": lambda probe: probe.slots,
    "slots that assign": lambda probe: probe.slots(assigns=True),
}
_MEMORY = 4 << 30  # bytes of address space
_ENDLESS = 10.0  # seconds


class Reading:
    """A map that reads every event as a real one would, and remembers only what it could not read."""

    def __init__(self) -> None:
        self.faults: list[str] = []
        self.events = 0

    def deliver(self, batch: dict[str, Any]) -> dict[str, Any]:
        acked: dict[str, list[list[int]]] = {}
        for event in batch["events"]:
            self.events += 1
            acked.setdefault(event["session"], []).append([event["n"], event["n"]])
            try:
                said = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
                numbered_from_dict(event)
            except (ValueError, SignalError) as why:
                self.faults.append(f"{event['signal']['kind']}: {why}"[:200])
            else:
                if len(said.encode()) > EVENT:
                    self.faults.append(f"{event['signal']['kind']}: {len(said.encode())} bytes")
        return {"v": 1, "server": "reading", "acked": acked, "refused": []}


def plain(function: Any) -> Any:
    """The decorator that does nothing."""
    return function


def outcome(act: Case, wrap: Wrap) -> Any:
    """What a case comes to: its value, or what it raised and what it had noted by then."""
    log: list[Any] = []
    try:
        value = act(wrap, log)
        if inspect.iscoroutine(value):
            value = asyncio.run(asyncio.wait_for(value, 10))
        return "value", value
    except BaseException as error:
        return type(error), str(error), list(log)


def sampled(a: int, *, b: str = "x") -> bool:
    """Something to ask about."""
    return True


async def _asked() -> None:
    return None


SAMPLES: tuple[Any, ...] = (sampled, _asked, counting, acounting)
_QUESTIONS: tuple[Callable[[Any], Any], ...] = (
    inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction, inspect.signature,
    inspect.getdoc, inspect.getsource, inspect.unwrap,
)  # fmt: skip
_ATTRIBUTES = ("__name__", "__qualname__", "__module__", "__annotations__", "__doc__")


def unlike(function: Any, probed: Any) -> list[str]:
    """What is answered otherwise about the decorated function."""
    found = [ask.__name__ for ask in _QUESTIONS if ask(function) != ask(probed)]
    return found + [name for name in _ATTRIBUTES if getattr(function, name) != getattr(probed, name, None)]


def pickles_by_name(wrap: Wrap) -> bool:
    """Whether a decorated function of a module comes back as itself."""
    before = sampled
    probed = globals()["sampled"] = wrap(sampled)
    try:
        return pickle.loads(pickle.dumps(probed)) is probed
    finally:
        globals()["sampled"] = before


def kept_alive(wrap: Wrap) -> bool:
    """Whether an argument lives on when the caller has let go of it."""

    class Held:
        pass

    held = Held()
    seen = weakref.ref(held)
    wrap(lambda x: [x])(held)
    del held
    gc.collect()
    return seen() is not None


# -- where a value can meet a decorator; each says whether it was the very object that came out --------------------


def _in_exception(wrap: Wrap, value: Any) -> bool:
    error = LookupError(value)

    def fails() -> None:
        raise error

    try:
        wrap(fails)()
    except LookupError as caught:
        return caught is error and caught.args[0] is value
    return False


def _awaited(wrap: Wrap, value: Any) -> bool:
    async def gives() -> Any:
        return value

    try:
        wrap(gives)().send(None)  # by hand: asyncio describes the results that it sees
    except StopIteration as stop:
        return stop.value is value
    return False


def _nested(wrap: Wrap, value: Any) -> bool:
    given = [{"deep": [value]}]
    return wrap(lambda x: x)(given) is given and given[0]["deep"][0] is value


def _yielded(wrap: Wrap, value: Any) -> bool:
    def gives() -> Iterator[Any]:
        yield value

    return next(wrap(gives)()) is value


MEETINGS: dict[str, Callable[[Wrap, Any], bool]] = {
    "argument": lambda wrap, value: wrap(lambda x: x)(value) is value,
    "keyword": lambda wrap, value: wrap(lambda **k: k["x"])(x=value) is value,
    "nested": _nested,
    "result": lambda wrap, value: wrap(lambda: value)() is value,
    "in exception": _in_exception,
    "awaited": _awaited,
    "yielded": _yielded,
}


def _put(put: Callable[[Probe, Any], Any], probe: Probe, value: Any) -> bool:
    put(probe, value)
    return True


@contextmanager
def bounded() -> Iterator[None]:
    """What is endless inside ends: by ``MemoryError``, or by ``TimeoutError`` (see ``_within``). In the main thread."""

    def too_long(number: int, frame: object) -> None:
        raise TimeoutError(f"still running after {_ENDLESS:.0f} s")

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGALRM, too_long)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY if hard == resource.RLIM_INFINITY else min(_MEMORY, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.signal(signal.SIGALRM, before)


def _within(act: Callable[[], Any]) -> Any:
    signal.setitimer(signal.ITIMER_REAL, _ENDLESS)
    try:
        return act()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


class Safety:
    """One run: a probe, what listens to it, and what is found."""

    def __init__(self, seed: int, slow: float) -> None:
        self.report = Report("probe_safety")
        self.rng = random.Random(seed)
        self.map = Reading()
        self.probe = Probe("bot", sink=self.map)
        self.wraps = {name: make(self.probe) for name, make in DECORATORS.items()}
        self._slow = slow
        self._slowest = 0.0

    def behaves(self, name: str, wrap: Wrap, calls: list[str]) -> None:
        for call in calls:
            undecorated = _within(partial(outcome, CALLS[call], plain))
            decorated = _within(partial(outcome, CALLS[call], wrap))
            self.report.check(f"{name}: {call}", decorated == undecorated, f"{decorated} instead of {undecorated}")

    def looks_alike(self, name: str, wrap: Wrap) -> None:
        for sample in SAMPLES:
            found = unlike(sample, wrap(sample))
            self.report.check(f"{name}: {sample.__name__} looks alike", not found, found)
        self.report.check(f"{name}: pickles by name", pickles_by_name(wrap))
        self.report.check(f"{name}: arguments are not kept alive", not kept_alive(wrap))

    def meets(self, name: str, wrap: Wrap, thing: str, value: Any) -> None:
        for place, meet in MEETINGS.items():
            self._met(f"{name}: {thing} as {place}", partial(meet, wrap, value))

    def placed(self, thing: str, value: Any) -> None:
        """In all places of a bot, also those where our own code is called; what comes out is not asked there."""
        for place, put in PLACES.items():
            self._met(f"{thing} at {place}", partial(_put, put, self.probe, value))

    def _met(self, name: str, meet: Callable[[], bool]) -> None:
        CALLED.clear()
        best, why = self._slow + 1, ""
        for _ in range(5):  # the other times something else may have had the processor
            began = time.perf_counter()
            try:
                why = "" if _within(meet) else "another object came out"
            except BaseException as raised:
                why = f"raised {type(raised).__name__}"
            best = min(best, time.perf_counter() - began)
            if why or best <= self._slow:
                break
        self._slowest = max(self._slowest, best)
        if CALLED:
            why = f"{why} {CALLED[0]} was called".strip()
        if best > self._slow:
            why = f"{why} took {best * 1000:.0f} ms".strip()
        self.report.check(name, not why, why)

    def stack(self) -> tuple[str, Wrap]:
        """Two or three decorators on top of each other; "slots" hands out another object, so it stands alone."""
        names = self.rng.choices([name for name in self.wraps if name != "slots"], k=self.rng.choice((2, 3)))

        def stacked(function: Any) -> Any:
            for name in names:
                function = self.wraps[name](function)
            return function

        return " on ".join(reversed(names)), stacked

    def compound(self, depth: int = 3) -> tuple[str, Any]:
        """Hostile objects in lists, tuples and mappings; as keys, too."""
        if not depth or self.rng.random() < 0.3:
            name = self.rng.choice(list(HOSTILE))
            return name, HOSTILE[name]
        parts = [self.compound(depth - 1) for _ in range(self.rng.randint(1, 4))]
        values = [value for _, value in parts]
        made: list[Any] = [values, tuple(values), {"intent": values[0], "docs": values, "text": values[-1]}]
        return f"[{', '.join(name for name, _ in parts)}]", self.rng.choice(made)

    def done(self) -> Report:
        # What fell out of the ring is told as lost; what is neither was forgotten.
        self.report.check("all of it was told", self.probe.flush(30), self.probe.stats())
        stats = self.probe.stats()
        books = stats["acked"] + stats["lost"]
        self.report.check("the probe's books balance", stats["made"] == books, stats)
        self.report.check("no error inside the probe", stats["errors"] == 0, stats["errors"])
        self.report.check("a map can read all of it", not self.map.faults, self.map.faults[:3])
        self.probe.close()
        self.report.figures |= {
            "kinds of call": len(CALLS),
            "hostile objects": len(HOSTILE),
            "events read": self.map.events,
            "slowest, ms": round(self._slowest * 1000, 1),
        }
        return self.report


def run(*, rounds: int, seed: int, slow: float = 0.05) -> Report:
    """All of it. In the main thread: what does not end is ended by a signal."""
    made = Safety(seed, slow)
    with bounded():
        for number in range(rounds):
            calls, things = list(CALLS), list(HOSTILE.items())
            wraps = list(made.wraps.items())
            if number:
                made.rng.shuffle(calls)
                things = [made.compound() for _ in things]
                wraps = [made.stack() for _ in wraps]
            for name, wrap in wraps:
                made.behaves(name, wrap, calls)
                made.looks_alike(name, wrap)
            for thing, value in things:
                for name, wrap in wraps:
                    if name != "slots":  # it hands out its own mapping: the one decorator that changes a result
                        made.meets(name, wrap, thing, value)
                made.placed(thing, value)
        return made.done()


if __name__ == "__main__":
    sys.exit(
        run(
            rounds=setting("LB_ROUNDS", 1),
            seed=setting("LB_SEED", 1),
            slow=setting("LB_SLOW_MS", 50) / 1000,
        ).show()
    )
