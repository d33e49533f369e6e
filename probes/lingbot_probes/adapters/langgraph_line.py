"""What one LangGraph thread has come to: its turns, routes, slots and answers, and the way back along it.

The three shapes of LangGraph's records differ in what tells of a step; what a step means is here, so that they tell
the same map.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from lingbot_probes.adapters.langgraph_words import Message
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.signals import (
    WIRING,
    Answered,
    Failed,
    IntentRouted,
    Raw,
    SessionStarted,
    SlotAssigned,
    SlotCleared,
    Undone,
)

START = "__start__"

Written = tuple[str, Mapping[str, Any], bool]
"""(the node, what it wrote, whether that is a subgraph's whole state)"""

_written = json.JSONEncoder(ensure_ascii=False, sort_keys=True, check_circular=False).encode

_SLOTS = 500  # of one state that are followed
_REACH = 20_000  # changes that a fork can go back over; bounds what a thread of any length costs
_HEARD = 50_000  # messages that are known by their ids; of more the oldest are forgotten
_SMALL = 64  # characters of a text that is held as it is; of anything larger a digest tells whether it changed


class Mark(NamedTuple):
    """A place on the line: the number of its last signal, its turn, and how many changes lie before it."""

    n: int
    turn: str
    changes: int


class Line:
    """Tells what happens on a thread, each thing once; a fork strikes out what no longer holds."""

    def __init__(self, scribe: Scribe, meta: Mapping[str, Any] | None = None) -> None:
        """``meta`` is told of the session besides that it is LangGraph's."""
        self.scribe = scribe
        self._known: dict[str, Any] = {}  # slot -> its value, or the digest of it
        self.begun = False  # whether the state is known at all: what was there before is nobody's write
        self.answers = 0
        self.blind = False  # whether the records don't say which conditional edge led to a node
        self._meta = dict(meta or {})
        self._heard: dict[str, None] = {}
        self._routed: set[tuple[str, int, str]] = set()
        # (what it is known by, what was known before): routes, messages and slots, to go back over
        self._changes: deque[tuple[Any, Any]] = deque(maxlen=_REACH)
        self._count = 0

    def at(self, said_at: float | None) -> None:
        """The time of what is told next; ``None`` leaves it open without counting it."""
        if said_at is None:
            self.scribe.said_at = None
        else:
            self.scribe.at(said_at)

    def open(self, meta: Mapping[str, Any] | None = None) -> None:
        """The session begins, if it hasn't yet."""
        if not self.scribe.n:
            self.scribe.say(SessionStarted(meta={"framework": "langgraph", **self._meta, **(meta or {})}))

    def keep(self, name: str, data: Any) -> None:
        """Something without a meaning here: as it came."""
        self.scribe.say(Raw(name=name, data=data))

    # --- flow --------------------------------------------------------------------------------------------------------

    def route(self, path: tuple[str, ...], graph: str, step: int, condition: str = "") -> str:
        """The node at the end of ``path`` (the nodes whose subgraphs it is in come first) runs in ``step`` of the run
        of a graph called ``graph``. Told once for each step, however many tasks it has there. Returns the intent."""
        intent = "/".join(path)
        key = (graph, step, intent)
        if key not in self._routed:
            self._routed.add(key)
            self._changed(key, None)
            nested = len(path) > 1
            self.scribe.say(
                IntentRouted(
                    intent=intent,
                    condition=condition,
                    parent="/".join(path[:-1]),
                    label=path[-1] if nested else "",
                    predicted_by=WIRING,
                )
            )
            self.scribe.found.left["conditions"] += self.blind and not condition
        return intent

    def steps_anew(self) -> None:
        """The numbers of steps begin again: what ran in one of that number is no longer in the way."""
        self._routed.clear()

    def fail(self, where: str, error: str) -> None:
        """Something went wrong at ``where``."""
        self.scribe.say(Failed(where=where or "graph", error=error_line(error)))

    def wait(self, waits: list[dict[str, Any]], before: Iterable[str] = ()) -> None:
        """The run stops and waits: for an answer to ``waits``, or ahead of the nodes ``before``. Told once each."""
        fresh = []
        for item in waits:
            key = f"wait {item.get('id') or item}"
            if key not in self._heard:
                self._hear(key)
                fresh.append(item)
        for item in fresh:
            self.keep("interrupt", item)
        if not waits:
            self.keep("interrupt", {"before": list(before)} if before else {})

    # --- what was said -----------------------------------------------------------------------------------------------

    def turn(self, utterance: str) -> None:
        """The user spoke."""
        self.scribe.open_turn(utterance)
        self.answers = 0

    def say(self, said: Message, docs: tuple[str, ...] = (), *, asked: bool = False) -> None:
        """A message came into the state. ``asked`` tells that the user had been asked, so that theirs opens a turn."""
        key = said.id or f"{self.scribe.turn} {said.by} {said.text}"
        if key in self._heard:
            return
        self._hear(key)
        if said.by == "ai" and not said.calls:
            if said.text:
                self.answer(said.text, docs)
        elif said.by == "human":
            if asked and not said.name:
                self.turn(said.text)
        elif said.by == "ai":
            self.keep("message", {"text": said.text, "tool_calls": True})

    def unheard(self, said: Iterable[Message]) -> list[Message]:
        """Those of the messages that have not been told or met."""
        return [one for one in said if (one.id or f"{self.scribe.turn} {one.by} {one.text}") not in self._heard]

    def hear(self, said: Iterable[Message]) -> None:
        """Messages that are there already, or that somebody else has told."""
        for one in said:
            self._hear(one.id or f"{self.scribe.turn} {one.by} {one.text}")

    def answer(self, text: str, docs: tuple[str, ...] = ()) -> None:
        """The bot spoke."""
        self.answers += 1
        self.scribe.say(Answered(text=text, docs=docs))

    def _hear(self, key: str) -> None:
        if key not in self._heard:
            self._heard[key] = None
            self._changed(key, None)
            if len(self._heard) > _HEARD:
                del self._heard[next(iter(self._heard))]

    # --- state -------------------------------------------------------------------------------------------------------

    def take_over(self, values: Mapping[str, Any]) -> None:
        """``values`` are in the state already, whoever wrote them."""
        for slot, value in values.items():
            if slot not in self._known and len(self._known) < _SLOTS:
                self._known[slot] = _held(value)

    def write(self, slot: str, value: Any, task: str, *, again: bool = True) -> None:
        """``slot`` holds ``value`` from here on, written by the node ``task`` ("": by whoever runs the graph); with
        ``again=False`` it is told only if that is another value."""
        known = self._known
        old = known.get(slot)
        if value is None:
            if old is not None:
                self._hold(slot, old, None)
                self.scribe.say(SlotCleared(slot=slot, task=task))
            return
        held = value if type(value) is str and len(value) <= _SMALL else _held(value)
        if not again and old == held and type(old) is type(held) and slot in known:
            return
        if slot not in known and len(known) >= _SLOTS:
            self.scribe.found.left["state"] += 1
            return
        self._hold(slot, old, held)
        self.scribe.say(SlotAssigned(slot=slot, value=value, task=task))

    def settle(self, written: Iterable[Written], seen: Mapping[str, Any], *, whole: bool = False) -> None:
        """A step is over: its nodes have ``written`` this, and ``seen`` is the state that came of it, as far as it is
        known; if that is the ``whole`` state, slots that are not in it are empty."""
        told: set[str] = set()
        task = ""
        for task, held, subgraph in written:
            for slot, value in held.items():
                self.write(slot, seen.get(slot, value), task, again=not subgraph and slot not in told)
                told.add(slot)
        for slot, value in seen.items():
            if slot not in told and (type(value) is not str or self._known.get(slot) != value):
                self.write(slot, value, task, again=False)
        if whole:
            for slot in [slot for slot in self._known if slot not in seen]:
                self.write(slot, None, task)

    def _hold(self, slot: str, old: Any, held: Any) -> None:
        self._known[slot] = held
        self._changes.append((("", 0, slot), old))
        self._count += 1

    # --- the way back ------------------------------------------------------------------------------------------------

    def mark(self) -> Mark:
        """Where the line has come to."""
        return Mark(self.scribe.n, self.scribe.turn, self._count)

    def back(self, mark: Mark, why: str) -> None:
        """The thread goes on from ``mark``: what was told since no longer holds, and is known no more."""
        if mark.n < self.scribe.n:
            self.scribe.say(Undone(to=mark.n, why=why))
        self.scribe.turn = mark.turn
        while self._count > mark.changes and self._changes:
            key, old = self._changes.pop()
            self._count -= 1
            if type(key) is str:
                self._heard.pop(key, None)
            elif key[1:2] == (0,) and not key[0]:
                self._known[key[2]] = old
            else:
                self._routed.discard(key)
        self._count = mark.changes

    def _changed(self, key: Any, old: Any) -> None:
        self._changes.append((key, old))
        self._count += 1


def _held(value: Any) -> Any:
    """What is kept of a value: enough to tell whether another is the same."""
    kind = type(value)
    if kind is str:
        return value if len(value) <= _SMALL else _digest(value)
    if kind is list or kind is dict:
        try:
            return _digest(_written(value))
        except (ValueError, TypeError, RecursionError):
            return _digest(repr(kind))
    return value


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def error_line(error: str) -> str:
    """An error in one line: what ``repr`` makes of an exception reads as its name and its words."""
    error = " ".join(error[:2_000].split())
    name, opens, rest = error.partition("(")
    if opens and name.isidentifier() and rest.endswith(")"):
        try:
            said = ast.literal_eval(rest[:-1].rstrip(",") or "''")
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return error[:500]
        if type(said) is str:
            return (f"{name}: {' '.join(said.split())}" if said else name)[:500]
    return error[:500]
