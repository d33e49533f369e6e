"""Parts of a LangGraph server's stream, or of ``graph.stream``, to signals.

A part is {"type", "ns", "data"}, the older {"event", "data"}, or a debug payload alone ({"type", "step", "timestamp",
"payload"}). Which of them a stream has is its reader's choice:

| part | what it is to `Thread` |
|---|---|
| ``checkpoints``, debug ``checkpoint`` | a state |
| ``tasks``, debug ``task`` and ``task_result`` | a task of that state begins, ends |
| ``values`` | a state, where the stream has no checkpoints |
| ``updates`` | what a task gave back, where nothing else tells; ``__interrupt__`` in it is a wait |
| ``custom``, ``error`` | raw, failed |
| ``messages`` and its kinds | nothing, counted: they are pieces of what the states hold whole |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lingbot_probes.adapters.fields import instant, items, mapping
from lingbot_probes.adapters.langgraph_line import START
from lingbot_probes.adapters.langgraph_states import (
    State,
    Task,
    Thread,
    condition_of,
    path_of,
    plain_values,
    read_state,
    read_task,
)
from lingbot_probes.adapters.langgraph_words import Message, heard, is_messages, messages, plain, slots, waits
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import Numbered

PARTS = ("values", "updates", "messages", "custom", "tasks", "checkpoints", "debug", "metadata", "error", "end")
DEBUG = ("checkpoint", "task", "task_result")


def part(record: object) -> tuple[str, str, Any]:
    """(kind, the graph that it is of, data) of a part. Raises ``SignalError`` for what is none."""
    if type(record) is not dict:
        raise SignalError("part", "a mapping", record)
    if "payload" in record and record.get("type") in DEBUG:
        return "debug", "", record
    kind, graph, data = record.get("type"), record.get("ns"), record.get("data")
    if kind is None and type(record.get("event")) is str:
        kind, _, path = record["event"].partition("|")
        graph = path.split("|") if path else []
    if type(kind) is not str or kind.partition("/")[0] not in PARTS:
        raise SignalError("type", f"one of {', '.join(PARTS)}", kind)
    return kind, "|".join(name for name in items(graph) if type(name) is str), data


class Stream(Thread):
    """Parts of one stream in, in order; numbered signals out."""

    def __init__(self, thread: str, meta: Mapping[str, Any] | None = None) -> None:
        """As for `Thread`."""
        super().__init__(thread, meta)
        self._checkpoints = self._valued = self._tasks = False  # whether the stream has such parts
        self._run = True  # a run begins with what comes next
        self._done: dict[str, list[Task]] = {}  # graph -> what gave back something since its last state
        self._steps: dict[str, int] = {}
        self._subgraphs: set[str] = set()  # the nodes that are known to be such, by their place

    def take(self, record: object) -> list[Numbered]:
        """The signals of one part. Raises ``SignalError`` for what is none; call ``skip`` then and go on."""
        kind, graph, data = part(record)
        if kind == "metadata":
            self._run = True
            return []
        if kind == "debug":
            self._debugged(graph, mapping(data))
        elif kind == "checkpoints":
            self._checkpoint(graph, mapping(data), None)
        elif kind == "tasks":
            self._task(graph, mapping(data))
        elif kind == "values":
            self._values(graph, data, waits(mapping(record).get("interrupts")))
        elif kind == "updates":
            self._updates(graph, mapping(data))
        elif kind == "error":
            self.line.open()
            said = mapping(data).get("message") or mapping(data).get("error") or data
            self.line.fail("graph", said if type(said) is str else str(plain(said)))
        elif kind == "custom":
            self.line.open()
            self.line.keep(kind, plain(data))
        elif kind != "end":
            self.scribe.found.left["pieces"] += 1
        return self.scribe.taken()

    # --- states and tasks --------------------------------------------------------------------------------------------

    def _debugged(self, graph: str, data: Mapping[str, Any]) -> None:
        kind, payload, at = data.get("type"), mapping(data.get("payload")), instant(data.get("timestamp"))
        step = data.get("step")
        if kind == "checkpoint":
            self._checkpoint(graph, payload, at)
        elif kind in DEBUG:
            self._task(graph, payload, step if type(step) is int else None, at)
        else:
            raise SignalError("type", f"one of {', '.join(DEBUG)}", kind)

    def _checkpoint(self, graph: str, data: Mapping[str, Any], at: float | None) -> None:
        state = read_state(data)
        state.graph, state.at = state.graph or graph, state.at if at is None else at
        self._checkpoints = True
        head = self.head(state.graph)
        if head is not None and head.id and head.id == state.id:
            head.at = head.at if at is None else at  # told by its debug part too, or again as a run goes on
            return
        self.add(state)

    def _task(self, graph: str, data: Mapping[str, Any], step: int | None = None, at: float | None = None) -> None:
        task = read_task(data)
        if task is None:
            raise SignalError("name", "a task's name", data.get("name"))
        if task.name == START:
            return
        line, head = self.line, self.head(graph)
        if at is not None:
            line.at(at)
        line.open()
        self._tasks = True
        if not data.keys() & {"result", "error", "interrupts"}:
            if not self._checkpoints and not self._valued and not graph:
                self._given(plain_values(data.get("input")))
            self._routed(graph, task, head, step)
            return
        known = next((one for one in head.tasks if one.id == task.id), None) if head is not None else None
        if known is not None:
            known.result, known.waits = task.result, known.waits or task.waits
        elif not self._checkpoints and not task.waits and not task.error:
            self._gave(graph, task)
        line.wait(task.waits) if task.waits else None
        if task.error and (known is None or known.error != task.error):
            if known is not None:
                known.error = task.error
            line.fail("/".join((*path_of(graph), task.name)), task.error)

    def _routed(self, graph: str, task: Task, head: State | None, step: int | None = None) -> None:
        if graph:
            self._entered(graph)
            self._within(graph)
        if step is None:
            step = head.step + 1 if head is not None and self._checkpoints else self._steps.get(graph, 0)
        self.line.route((*path_of(graph), task.name), graph, step, condition_of(task))

    # --- streams without checkpoints ---------------------------------------------------------------------------------

    def _begun(self, values: Mapping[str, Any]) -> None:
        """A run begins with this state: the user has said something new, or it goes on."""
        self._run = False
        line = self.line
        said = [one for key, value in values.items() if is_messages(key, value) for one in messages(value) or ()]
        held = slots(values)
        fresh = [one for one in line.unheard(said) if one.by == "human"]
        if fresh or not line.scribe.turns:
            earlier = any(one.by == "ai" for one in said)
            line.turn(fresh[-1].text if fresh else heard(held))
            if not line.begun:  # from turns before this stream, or what is there by default
                line.take_over({slot: value for slot, value in held.items() if earlier or value in ([], {}, "")})
        line.hear(said)
        line.begun = True
        line.settle((), held)

    def _within(self, graph: str) -> None:
        """A part of a subgraph: the nodes that it is in are running."""
        names = graph.split("|")
        for level, name in enumerate(names):
            self._subgraphs.add("|".join(names[: level + 1]).rpartition(":")[0])
            outer = "|".join(names[:level])
            if self.head(outer) is None:
                self.line.route((*path_of(outer), name.partition(":")[0]), outer, self._steps.get(outer, 0))

    def _given(self, values: Mapping[str, Any]) -> None:
        """The state that a task begins with, where the stream shows no other."""
        said = [one for key, value in values.items() if is_messages(key, value) for one in messages(value) or ()]
        if self._run or any(one.by == "human" and not one.name for one in self.line.unheard(said)):
            self._begun(values)

    def _values(self, graph: str, data: Any, found: list[dict[str, Any]]) -> None:
        values = plain_values(data)
        found = found or waits(values.get("__interrupt__"))
        if self._checkpoints:
            return
        self._valued = True
        self.line.open()
        done = self._done.pop(graph, [])
        if not graph and not done and (self._run or not found):
            self._begun(values)
        else:
            self._steps[graph] = self._steps.get(graph, 0) + 1
            held = slots(values)
            said = [one for key, value in values.items() if is_messages(key, value) for one in messages(value) or ()]
            self._told(said)
            self.line.settle(self._written(State(tasks=done), graph) if done else (), held)
        if found:
            self.line.wait(found)

    def _updates(self, graph: str, data: Mapping[str, Any]) -> None:
        self.line.open()
        for node, update in data.items():
            if node == "__interrupt__":
                self.line.wait(waits(update))
            elif node[:2] != "__" and not self._checkpoints and not self._tasks:
                task = Task(node, result=update)
                if self._run and not self._valued and not graph:
                    self._run = False
                    self.line.turn("")
                    self.scribe.found.left["unheard"] += 1
                self._routed(graph, task, None)
                self._gave(graph, task)

    def _gave(self, graph: str, task: Task) -> None:
        """A task gave something back: it waits for the state that shows it, or is told where the stream has none."""
        task.subgraph = f"{graph}|{task.name}".lstrip("|") in self._subgraphs
        if self._valued:
            self._done.setdefault(graph, []).append(task)
            return
        self._steps[graph] = self._steps.get(graph, 0) + 1
        update = plain_values(task.result)
        self._told([one for key, held in update.items() if is_messages(key, held) for one in messages(held) or ()])
        self.line.settle(self._written(State(tasks=[task]), graph), {})

    def _told(self, said: list[Message]) -> None:
        for one in self.line.unheard(said):
            self.line.say(one)
