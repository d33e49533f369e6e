"""The states of a LangGraph thread (``get_state_history``, the server's thread history, raw checkpoints) to signals.

States come oldest first. What one has that its parent had not is what the step between them did:

| between parent and child | signals |
|---|---|
| the user's new message | turn_started |
| the parent's tasks | intent_routed for each, failed for one with an error, raw ``interrupt`` for one that waits |
| the bot's new messages | answered |
| other values | slot_assigned, slot_cleared; a task's result tells who wrote, also the same value again |
| a parent that is not the state before | undone, back to that parent |
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lingbot_probes.adapters.fields import instant, items, mapping
from lingbot_probes.adapters.langgraph_line import START, Line, Mark, Written
from lingbot_probes.adapters.langgraph_words import (
    Message,
    command,
    heard,
    is_messages,
    message,
    messages,
    plain,
    slots,
    spoken,
    waits,
)
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.codec import SignalError
from lingbot_probes.long_ids import shortened
from lingbot_probes.signals import Numbered

_SNAPSHOT = ("values", "next", "config", "metadata", "created_at", "parent_config", "tasks", "interrupts")
_TASK = ("id", "name", "path", "error", "interrupts", "state", "result")
_KEPT = 5_000  # states that a fork can go back to, with their tasks


@dataclass(slots=True)
class Task:
    """One node that runs, or ran, on a state."""

    name: str
    id: str = ""
    error: str = ""
    waits: list[dict[str, Any]] = field(default_factory=list)
    subgraph: bool = False
    result: Any = None
    triggers: list[Any] = field(default_factory=list)

    @property
    def ran(self) -> bool:
        """Whether its own record shows that it has run."""
        return bool(self.error or self.waits or self.result is not None)


@dataclass(slots=True)
class State:
    """One state of a thread, whatever wrote it down."""

    thread: str = ""
    graph: str = ""
    id: str = ""
    parent: str = ""
    at: float | None = None
    source: str = ""
    step: int = 0
    values: Any = None
    over: bool = False
    tasks: list[Task] = field(default_factory=list)
    mark: Mark | None = None
    told: bool = False  # whether its tasks are


def read_state(record: object) -> State:
    """The state in a record: the SDK's, a snapshot of the library (also as the list that a named tuple becomes), a raw
    checkpoint. Raises ``SignalError`` for what is none."""
    if type(record) is list and len(record) == len(_SNAPSHOT):
        record = dict(zip(_SNAPSHOT, record, strict=True))
    if type(record) is not dict:
        raise SignalError("state", "a mapping", record)
    config = mapping(mapping(record.get("config")).get("configurable")) or mapping(record.get("checkpoint"))
    above = mapping(mapping(record.get("parent_config")).get("configurable")) or mapping(
        record.get("parent_checkpoint")
    )
    metadata = mapping(record.get("metadata"))
    raw = mapping(record.get("checkpoint"))
    values, at, following = record.get("values"), record.get("created_at"), record.get("next")
    if "channel_values" in raw:
        held = mapping(raw["channel_values"])
        values = {key: value for key, value in held.items() if not key.startswith(("branch:", "__", "start:", "join:"))}
        at = raw.get("ts")
        config = {"checkpoint_id": raw.get("id"), **config}
    elif "values" not in record:
        raise SignalError("values", "a state's values", record)
    step = metadata.get("step")
    return State(
        thread=_text(config.get("thread_id")) or _text(metadata.get("thread_id")),
        graph=_text(config.get("checkpoint_ns")),
        id=_text(config.get("checkpoint_id")) or _text(record.get("checkpoint_id")),
        parent=_text(above.get("checkpoint_id")) or _text(record.get("parent_checkpoint_id")),
        at=instant(at),
        source=_text(metadata.get("source")),
        step=step if type(step) is int else 0,
        values=values,
        over=following is not None and not items(following),
        tasks=[task for item in items(record.get("tasks")) if (task := read_task(item)) is not None],
    )


def read_task(record: object) -> Task | None:
    """The task in a record; ``None`` if it is none."""
    if type(record) is list and len(record) == len(_TASK):
        record = dict(zip(_TASK, record, strict=True))
    if type(record) is not dict or not _text(record.get("name")):
        return None
    error = record.get("error")
    return Task(
        name=record["name"],
        id=_text(record.get("id")),
        error=error if type(error) is str else "" if error is None else str(plain(error)),
        waits=waits(record.get("interrupts")),
        subgraph=record.get("state") is not None or record.get("checkpoint") is not None,
        result=record.get("result"),
        triggers=items(record.get("triggers")),
    )


def _text(value: object) -> str:
    return value if type(value) is str else ""


class Thread:
    """States of one thread in, oldest first; numbered signals out."""

    def __init__(self, thread: str, meta: Mapping[str, Any] | None = None) -> None:
        """``thread`` is the session's id; ``meta`` is told of it."""
        self.scribe = Scribe(shortened(thread))
        self.line = Line(self.scribe, {"thread": thread, **(meta or {})})
        self.line.blind = True
        self._states: OrderedDict[str, State] = OrderedDict()
        self._heads: dict[str, State] = {}
        self._resumed = False  # whether the run goes on after a wait: then a user's message was asked for

    def take(self, record: object) -> list[Numbered]:
        """The signals of one state. Raises ``SignalError`` for what is none; call ``skip`` then and go on."""
        self.add(read_state(record))
        return self.scribe.taken()

    def skip(self) -> list[Numbered]:
        """Leave a hole for a state that could not be read; hands over what was said before it."""
        self.line.open()
        self.scribe.skip()
        return self.scribe.taken()

    def end(self) -> list[Numbered]:
        """No more states for now: what the last one's tasks show to have happened."""
        for state in self._heads.values():
            self._ran(state, only_shown=True)
        return self.scribe.taken()

    def head(self, graph: str) -> State | None:
        """The newest state of a graph."""
        return self._heads.get(graph)

    def add(self, state: State) -> None:
        """One more state."""
        line, head = self.line, self._heads.get(state.graph)
        parent = self._states.get(state.parent) if state.parent else None
        line.at(state.at)
        line.open()
        if state.graph:
            self._entered(state.graph)
        elif parent is None and state.parent:
            line.scribe.found.left["headless"] += head is None
        if parent is None:
            parent = None if state.source == "input" and state.graph else head
        if head is not None and not state.graph and (parent is not head or state.source in ("update", "fork")):
            self._ran(head, only_shown=True)
            if parent is not None and parent is not head and parent.mark is not None:
                line.back(parent.mark, "fork")
        self._step(parent, state)
        state.mark = line.mark()
        self._heads[state.graph] = state
        if state.id:
            self._states[state.id] = state
            if len(self._states) > _KEPT:
                self._states.popitem(last=False)
        state.values = None

    # --- a step ------------------------------------------------------------------------------------------------------

    def _step(self, parent: State | None, state: State) -> None:
        line, values = self.line, plain_values(state.values)
        held = slots(values)
        said = [one for key, value in values.items() if is_messages(key, value) for one in messages(value) or ()]
        if parent is None and not line.begun:
            line.begun = True
            line.take_over(held)
            line.hear(said)
            return
        by_user = parent is not None and parent.source == "input" and not state.graph
        written: list[Written] = []
        if state.source in ("update", "fork") or parent is None:
            self._resumed = False
            line.at(state.at)
            self._say(said, values, asked=not state.graph)
        elif by_user and parent is not None:
            self._resumed = False
            written = self._written(parent, state.graph)
            self._asked(said, values, written)
        else:
            waited = any(task.waits for task in parent.tasks)
            if not parent.told:
                self._ran(parent)
            self._resumed = self._resumed or waited
            written = self._written(parent, state.graph)
            line.scribe.said_at = state.at
            self._say(said, values, asked=self._resumed and not state.graph)
        line.settle(written, held, whole=not state.graph)
        silent = not line.answers and not by_user and line.scribe.turns
        if state.over and not state.graph and silent and not said and (text := spoken(held)):
            line.answer(text)

    def _asked(self, said: list[Message], values: Mapping[str, Any], written: list[Written]) -> None:
        """What the user gave the graph opens a turn."""
        line = self.line
        fresh = line.unheard(said)
        line.steps_anew()
        own = next((one.text for one in reversed(fresh) if one.by == "human"), "")
        given = {key: value for _, held, _ in written for key, value in held.items()}
        line.turn(own or heard(given or {key: value for key, value in values.items() if not is_messages(key, value)}))
        line.hear(said)

    def _say(self, said: list[Message], values: Mapping[str, Any], *, asked: bool) -> None:
        for one in self.line.unheard(said):
            self.line.say(one, asked=asked)

    def _written(self, parent: State, graph: str) -> list[Written]:
        written: list[Written] = []
        for task in parent.tasks:
            intent = "" if task.name == START else "/".join((*path_of(graph), task.name))
            for update in task.result if type(task.result) is list and message(task.result) is None else [task.result]:
                told = command(update)
                update = plain(told.get("update")) if told is not None else update
                if type(update) is dict:
                    held = {k: plain(v) for k, v in update.items() if k[:2] != "__" and not _spoken(k, v)}
                    written.append((intent, held, task.subgraph))
        last = parent.tasks[-1].name if parent.tasks else START
        return written or [("/".join((*path_of(graph), last)) if last != START else "", {}, False)]

    def _entered(self, graph: str) -> None:
        """A subgraph's state: the tasks of the graphs around it have begun."""
        outer = graph.rpartition("|")[0]
        for above in (outer, "") if outer else ("",):
            head = self._heads.get(above)
            if head is not None and not head.told:
                self._ran(head)

    def _ran(self, state: State, *, only_shown: bool = False) -> None:
        """The tasks of ``state`` have run; where nothing followed, ``only_shown`` those of which that shows."""
        if state.told:
            return
        line = self.line
        line.scribe.said_at = state.at
        shown = [task for task in state.tasks if task.name != START and (task.ran or not only_shown)]
        state.told = bool(shown) or not only_shown
        for task in shown:
            line.route((*path_of(state.graph), task.name), state.graph, state.step + 1, condition_of(task))
        for task in shown:
            if task.waits:
                line.wait(task.waits)
            if task.error:
                line.fail("/".join((*path_of(state.graph), task.name)), task.error)


def path_of(graph: str) -> tuple[str, ...]:
    """The nodes whose subgraphs a graph's namespace leads through."""
    return tuple(part.partition(":")[0] for part in graph.split("|")) if graph else ()


def plain_values(values: Any) -> Mapping[str, Any]:
    """A state's values by name; those of a graph whose state is a list of messages alone are its messages."""
    return {"messages": values} if type(values) is list else mapping(values)


def condition_of(task: Task) -> str:
    """The conditional edge that led to a task, where its trigger names it (branch:FROM:EDGE:TO, before version 1)."""
    for trigger in task.triggers:
        parts = trigger.split(":") if type(trigger) is str else []
        if len(parts) == 4 and parts[0] == "branch":
            return f"{parts[2]} → {parts[3]}"
    return ""


def _spoken(key: str, value: Any) -> bool:
    return is_messages(key, value) or message(value) is not None
