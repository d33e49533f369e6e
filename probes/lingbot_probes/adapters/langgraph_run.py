"""A run of LangChain or LangGraph while it goes on: where in a graph it stands, and what must be known to tell it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lingbot_probes.adapters.fields import items, mapping
from lingbot_probes.adapters.langgraph_line import START, Written
from lingbot_probes.adapters.langgraph_words import Message, built, call

_ROUTED = 64  # characters of what a conditional edge may return to be taken for a word of its path map


class Run:
    """One run: a node of a graph, a chain, a retriever, a model or a tool."""

    root: Root
    above = False  # whether another run runs it
    inner = False  # whether it lies within a graph
    node = checkpoint = graph = intent = query = ""
    path: tuple[str, ...] = ()
    step = 0
    is_node = routes = pushed = whole = headless = False
    docs: tuple[str, ...] = ()
    given: Any = None

    def __init__(self, kind: str, name: str) -> None:
        """A run outside of any graph."""
        self.kind = kind
        self.name = name

    @classmethod
    def of(cls, record: Mapping[str, Any], kind: str, outer: Run | None, above: bool) -> Run:
        """The run that an event of that ``kind`` is of; ``outer`` is the one around it, where that is known, and
        ``above`` tells whether there is one."""
        name = record.get("name")
        run = cls(kind, name if type(name) is str else "")
        run.above = above
        metadata = record.get("metadata")
        node = metadata.get("langgraph_node") if type(metadata) is dict else None
        if type(metadata) is not dict or type(node) is not str:
            return run
        run.inner = True
        run.node = node
        step = metadata.get("langgraph_step")
        run.step = step if type(step) is int else 0
        checkpoint = metadata.get("langgraph_checkpoint_ns")
        run.checkpoint = checkpoint if type(checkpoint) is str else node
        run.graph = run.checkpoint.rpartition("|")[0]
        if kind != "chain":
            return run
        for tag in items(record.get("tags")):
            if type(tag) is not str:
                continue
            if tag.startswith("graph:step"):
                run.is_node = True
            elif tag.startswith("seq:step:") and tag != "seq:step:1":
                run.routes = outer is None or outer.is_node
        if run.is_node:
            run.path = tuple([part.partition(":")[0] for part in run.checkpoint.split("|")])
            run.pushed = "__pregel_push" in items(metadata.get("langgraph_triggers"))
            run.routes = False
        return run


class Root:
    """A run that nothing else runs, and all that goes on in it."""

    __slots__ = (
        "answered", "at", "before", "checkpoint", "errors", "failed", "given", "held", "last", "made", "nodes", "over",
        "pending", "prompt", "query", "recalled", "resume", "resumed", "routers", "seen", "turn", "update", "waiting",
    )  # fmt: skip

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        """Nothing has happened yet."""
        self.turn = ""
        checkpoint = metadata.get("checkpoint_id")
        self.checkpoint = checkpoint if type(checkpoint) is str else ""
        self.update = self.resumed = self.held = self.over = self.failed = self.waiting = False
        self.answered = self.seen = False
        self.given: Any = None
        self.resume: Any = None
        self.at: dict[str, int] = {}  # the step that each graph is in
        self.nodes: dict[str, Run] = {}  # that run now, by their place
        self.pending: dict[str, list[Written]] = {}  # what the nodes of a graph wrote in the step that goes on
        self.routers: dict[str, list[tuple[str, list[str], int]]] = {}
        self.before: list[Message] = []  # what had been said when its first node began
        self.errors: set[str] = set()
        self.recalled: dict[str, str] = {}  # document -> its text
        self.query = self.last = ""
        self.prompt: tuple[str, ...] = ()
        self.made: dict[str, tuple[str, ...]] = {}  # what a model said -> the documents that it was given

    def goes_on(self, last: Root, *, anew: bool) -> None:
        """What was found in the run before, which stopped in the same turn, still counts; also what reached the prompt,
        unless a part of it is gone over ``anew``."""
        self.recalled, self.query = last.recalled, last.query
        if not anew:
            self.prompt, self.made = last.prompt, last.made

    # --- what steps write --------------------------------------------------------------------------------------------

    def wrote(self, graph: str, intent: str, held: dict[str, Any], *, whole: bool) -> None:
        """A node gave this back; it is in the state when the step is over."""
        self.pending.setdefault(graph, []).append(("" if intent == START else intent, held, whole))

    def settle(self, graph: str) -> list[Written]:
        """What the nodes of the step that is over wrote."""
        return self.pending.pop(graph, [])

    def new(self, said: list[Message]) -> list[Message]:
        """Of the messages that a node gave back those that are not the ones it was given, where they have no ids."""
        old = self.before
        if old and len(said) >= len(old) and not said[0].id and said[: len(old)] == old:
            return said[len(old) :]
        return said

    def made_of(self, text: str) -> tuple[str, ...]:
        """The documents that a model was given which said ``text``, else those in the last prompt."""
        found = self.made.get(text)
        return self.prompt if found is None else found

    # --- what led where ----------------------------------------------------------------------------------------------

    def decided(self, run: Run, output: Any) -> None:
        """A conditional edge has decided."""
        names = targets(output)
        if names:
            self.routers.setdefault(run.graph, []).append((run.name, names, run.step))

    def goes(self, run: Run, goto: Any) -> None:
        """A node named where to go on, by a command."""
        names = targets(goto)
        if names:
            self.routers.setdefault(run.graph, []).append((f"{run.node}: goto", names, run.step))

    def condition(self, run: Run) -> str:
        """What let the run through to the node ``run``: the edge or command of the step before that named it, or the
        only one there, where it named a word of its path map."""
        before = [found for found in self.routers.get(run.graph, ()) if found[2] >= run.step - 1]
        self.routers[run.graph] = before
        before = [found for found in before if found[2] < run.step]
        for name, names, _ in before:
            if run.node in names:
                return name if name.endswith(": goto") else f"{name} → {run.node}"
        if len(before) == 1 and len(before[0][1]) == 1:
            return f"{before[0][0]} → {before[0][1][0]}"
        return ""


def targets(output: Any) -> list[str]:
    """The nodes, or words of a path map, that a conditional edge or a command names."""
    found = []
    for item in output if type(output) is list else [output]:
        if type(item) is bool:
            found.append(str(item))
            continue
        item = built(item)
        if type(item) is str and item.startswith("Send("):
            called = call(item)
            item = called[1] if called is not None else item
        if type(item) is dict:
            item = item.get("node")
        if type(item) is str and 0 < len(item) <= _ROUTED:
            found.append(item)
    return found


def within(record: Mapping[str, Any]) -> bool:
    """Whether an event is of a run within another, though it names none."""
    if "langgraph_node" in mapping(record.get("metadata")):
        return True
    return any(type(tag) is str and tag.startswith(("seq:step", "graph:step")) for tag in items(record.get("tags")))
