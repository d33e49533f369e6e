"""Events of LangChain and LangGraph (``astream_events`` of version 2, and what a callback hears) to signals.

| event | signals |
|---|---|
| start of a run that nothing runs | turn_started: the user's message; a resumed run goes on in its turn |
| start of a node | intent_routed; condition = the conditional edge or command that led there; parent = its subgraph |
| what a node gave back | answered for the bot's messages; for the rest slot_assigned, slot_cleared after the step |
| end of a retriever | retrieved, its stage by the retriever's name |
| start of a model that is given retrieved texts | retrieved of stage "prompt" |
| end of a tool or model, custom events | raw ``tool``, ``model``, ``custom`` |
| interrupt | raw ``interrupt``; the answer to it is raw ``resume`` |
| error | failed, once for an error that rises through several runs |
| a run from an earlier checkpoint | undone, back to the step that it goes on from |
| pieces of a stream | nothing, counted |
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from lingbot_probes.adapters.fields import instant, items, mapping, name
from lingbot_probes.adapters.langgraph_doing import called, gave, retrieved
from lingbot_probes.adapters.langgraph_fork import Steps
from lingbot_probes.adapters.langgraph_line import START, Line, error_line
from lingbot_probes.adapters.langgraph_nodes import Nodes
from lingbot_probes.adapters.langgraph_run import Root, Run, within
from lingbot_probes.adapters.langgraph_words import (
    begun,
    command,
    heard,
    is_messages,
    messages,
    plain,
    waits,
)
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.codec import SignalError
from lingbot_probes.long_ids import shortened
from lingbot_probes.signals import Numbered

_OPEN = 10_000  # runs that are followed at once; one that never ended is let go
_ROOTS = 1_000  # of them such that nothing else runs
_TIMES = ("timestamp", "time", "ts")

Record = Mapping[str, Any]


class LangGraph:
    """Events of one thread in, numbered signals out."""

    def __init__(self, thread: str, scribe: Scribe | None = None) -> None:
        """``thread`` is the session's id. ``scribe`` says where signals go, where that is another place."""
        self.scribe = scribe or Scribe(shortened(thread))
        self.line = Line(self.scribe, {"thread": thread} if thread else None)
        self._nodes = Nodes(self.line)
        self._steps = Steps(self.line)
        self._runs: OrderedDict[str, Run] = OrderedDict()
        self._roots: OrderedDict[str, Root] = OrderedDict()
        self._last: Root | None = None  # the run that ended last
        self._updates = 0  # changes of the state from outside since the last run
        self._latest = 0.0

    def take(self, record: object) -> list[Numbered]:
        """The signals of one event. Raises ``SignalError`` for what is none; call ``skip`` then and go on."""
        if type(record) is not dict:
            raise SignalError("event", "a mapping", record)
        kind = record.get("event")
        if type(kind) is not str or not kind:
            raise SignalError("event", "a name", kind)
        tell = _TOLD.get(kind)
        if tell is not None:
            tell(self, record, self._begin(record, kind) if kind[-6:] == "_start" else self._end(record, kind))
        elif kind.endswith("_stream"):
            self._streamed(record)
        elif kind == "on_interrupt":
            self._interrupted(record)
        elif kind == "on_custom_event":
            self._place(record)
            self.line.keep("custom", {"name": str(record.get("name") or ""), "data": plain(record.get("data"))})
        else:
            self._place(record)
            self.line.keep(kind, plain(record.get("data")))
        return self.scribe.taken()

    def skip(self) -> list[Numbered]:
        """Leave a hole for an event that could not be read; hands over what was said before it."""
        self.line.open()
        self.scribe.skip()
        return self.scribe.taken()

    def end(self) -> list[Numbered]:
        """No more events for now."""
        self.scribe.found.left["unended"] += sum(not root.over for root in self._roots.values())
        return self.scribe.taken()

    # --- runs --------------------------------------------------------------------------------------------------------

    def _place(self, record: Record) -> Root | None:
        """Time and turn of what is told next."""
        self._time(record)
        return self._within(record, _id(record.get("run_id")), _ids(record))

    def _time(self, record: Record) -> None:
        """The time of what is told next."""
        at = None
        if "timestamp" in record or "time" in record or "ts" in record:
            at = next((at for key in _TIMES if (at := instant(record.get(key))) is not None), None)
        if at is None and record["event"][-6:] == "_start" and (at := begun(record.get("run_id"))) is not None:
            self.scribe.found.left["id_times"] += 1
        self.line.at(at)
        if at is not None and at > self._latest:
            self._latest = at

    def _within(self, record: Record, run_id: str, above: list[str]) -> Root | None:
        """The run that the event belongs to in the end, and its turn, which is that of what is told next."""
        root = self._roots.get(above[0] if above else run_id)
        if root is None and not above and self._roots and within(record):
            root = next(reversed(self._roots.values()))  # version 1 names no parents
        if root is not None and root.turn:
            self.scribe.turn = root.turn
        return root

    def _begin(self, record: Record, event: str) -> Run:
        run_id = record.get("run_id")
        if type(run_id) is not str or not run_id:
            run_id = name(run_id, "run_id")
        above = _ids(record)
        self._time(record)
        root = self._within(record, run_id, above)
        run = Run.of(record, _KINDS[event], self._runs.get(above[-1]) if above else None, bool(above))
        self._runs[run_id] = run
        if len(self._runs) > _OPEN:
            self._runs.popitem(last=False)
        run.root = root or self._root(above[0] if above else run_id, record, run, whole=not above)
        return run

    def _root(self, run_id: str, record: Record, run: Run, *, whole: bool) -> Root:
        """A run that nothing runs; not ``whole`` where the recording begins within it."""
        metadata = mapping(record.get("metadata"))
        root = Root(metadata)
        for known in [known for known, other in self._roots.items() if other.over]:
            del self._roots[known]
        if len(self._roots) >= _ROOTS:
            self._roots.popitem(last=False)
            self.scribe.found.left["unended"] += 1
        self._roots[run_id] = root
        self.line.open({"graph": run.name} if run.name and whole else None)
        if run.name.endswith("UpdateState") and metadata.get("thread_id") is not None:
            root.update = True
            self._updates += 1
            return root
        given = _data(record).get("input")
        told = command(given)
        root.resumed = whole and run.kind == "chain" and (given is None or told is not None)
        root.resume = told.get("resume") if told else None
        root.given = given
        if not whole:
            self.scribe.found.left["headless"] += 1
        if metadata.get("checkpoint_id") and run.kind == "chain":
            root.held = True  # where it goes on from shows in its first step
        else:
            self._opened(root, run)
        return root

    def _opened(self, root: Root, run: Run) -> None:
        """The run's turn: that of the user's message, or the one that it goes on in."""
        root.held = False
        line, given = self.line, root.given
        if root.resumed:
            root.turn = self.scribe.turn
            if self._last is not None and self._last.turn == root.turn:
                root.goes_on(self._last, anew=bool(root.checkpoint))
            if root.resume is not None:
                line.keep("resume", plain(root.resume))
        elif run.kind != "tool":
            line.steps_anew()
            self._steps.turn(self._latest)
            line.turn(heard(given) or (given.get("query", "") if type(given) is dict else ""))
            root.turn = self.scribe.turn
            if type(given) is dict:
                held = {key: plain(value) for key, value in given.items() if not is_messages(key, value)}
                root.wrote("", START, held, whole=False)
                for key, value in given.items():
                    if is_messages(key, value):
                        line.hear(one for one in messages(value) or () if one.id)
        root.given = None

    def _end(self, record: Record, event: str) -> Run:
        self._time(record)
        run_id = _id(record.get("run_id"))
        run = self._runs.pop(run_id, None)
        if run is not None:
            if run.root.turn:
                self.scribe.turn = run.root.turn
            return run
        above = _ids(record)
        run = Run.of(record, _KINDS[event], None, bool(above))  # the recording begins within it
        root = self._within(record, run_id, above)
        if root is None:
            root = self._roots[run_id] = Root(mapping(record.get("metadata")))
            self.line.open()
            root.turn = self.scribe.turn
        run.root = root
        run.headless = True
        return run

    # --- chains and nodes --------------------------------------------------------------------------------------------

    def _chain_start(self, record: Record, run: Run) -> None:
        root, line = run.root, self.line
        if root.update or not run.node or not run.is_node:
            return
        given = _data(record).get("input")
        if run.node == START:
            return
        anew = root.at.get(run.graph) != run.step
        if anew and not run.graph and not root.at:
            self._steps.arrive(run, root, self._updates, self._latest)
            self._updates = 0
            if root.held:
                self._opened(root, run)
        if anew:
            root.at[run.graph] = run.step
            values = given if type(given) is dict and not run.pushed else None
            self._nodes.settle(root, run.graph, values or {}, first=values is not None and not root.seen)
            root.seen = root.seen or values is not None
            if not run.graph:
                self._steps.begin(run.step, self._latest)
        outer = root.nodes.get(run.graph)
        if outer is not None:
            outer.whole = True
        root.nodes[run.checkpoint] = run
        run.intent = line.route(run.path, run.graph, run.step, root.condition(run))

    def _chain_end(self, record: Record, run: Run) -> None:
        root = run.root
        output = _data(record).get("output")
        if root.update:
            root.over = True
        elif run.is_node:
            if run.node != START:
                self._nodes.gave(root, run, output)
            root.nodes.pop(run.checkpoint, None)
        elif not run.above and not run.inner:
            self._over(root, run, output)
        elif run.routes:
            root.decided(run, output)

    def _over(self, root: Root, run: Run, output: Any) -> None:
        if root.held:
            self._opened(root, run)
        self._nodes.over(root, output)
        if root.waiting or root.failed:
            self._steps.stopped()
        self._last = root

    # --- what nodes do -----------------------------------------------------------------------------------------------

    def _retriever_start(self, record: Record, run: Run) -> None:
        asked = mapping(_data(record).get("input")).get("query")
        run.query = asked if type(asked) is str else ""

    def _retriever_end(self, record: Record, run: Run) -> None:
        retrieved(self.scribe, run, _data(record))
        run.root.over = run.root.over or not run.above

    def _model_start(self, record: Record, run: Run) -> None:
        called(self.scribe, run, _data(record).get("input"))

    def _model_end(self, record: Record, run: Run) -> None:
        root = run.root
        said = gave(self.scribe, run, _data(record).get("output"))
        if not run.above:
            root.over = True
            if said is not None:
                self.line.answer(said.text, run.docs)
                root.answered = True

    def _tool_start(self, record: Record, run: Run) -> None:
        run.given = plain(_data(record).get("input"))

    def _tool_end(self, record: Record, run: Run) -> None:
        data = _data(record)
        given = run.given if run.given is not None else plain(data.get("input"))
        self.line.keep("tool", {"name": run.name, "input": given, "output": plain(data.get("output"))})
        run.root.over = run.root.over or not run.above

    def _passed(self, record: Record, run: Run) -> None:
        self.scribe.found.left["steps"] += 1

    def _nothing(self, record: Record, run: Run) -> None:
        return

    # --- what goes wrong, and what waits -----------------------------------------------------------------------------

    def _error(self, record: Record, run: Run) -> None:
        root = run.root
        error = _data(record).get("error")
        waiting = mapping(error).get("interrupts")
        if waiting is not None:
            self._waits(root, waits(waiting))
        else:
            told = error_line(error if type(error) is str else str(plain(error) if error is not None else "error"))
            if told not in root.errors:
                root.errors.add(told)
                self.line.fail(run.intent or run.name, told)
            root.failed = True
        if run.is_node:
            root.nodes.pop(run.checkpoint, None)
        if not run.above and not run.inner:
            self._over(root, run, None)

    def _streamed(self, record: Record) -> None:
        chunk = mapping(_data(record).get("chunk"))
        if "__interrupt__" in chunk:
            root = self._place(record)
            if root is not None:
                self._waits(root, waits(chunk["__interrupt__"]))
        else:
            self.scribe.found.left["pieces"] += 1

    def _interrupted(self, record: Record) -> None:
        root = self._place(record)
        if root is not None:
            self._waits(root, waits(_data(record).get("interrupts")))

    def _waits(self, root: Root, found: list[dict[str, Any]]) -> None:
        if found or not root.waiting:
            self.line.wait(found)
        root.waiting = True


def _id(value: object) -> str:
    return value if type(value) is str else ""


def _ids(record: Record) -> list[str]:
    """The runs around one, the outermost first."""
    found = items(record.get("parent_ids"))
    return [id for id in found if type(id) is str and id] if found else found


def _data(record: Record) -> Mapping[str, Any]:
    data = record.get("data")
    return data if type(data) is dict else {}


_TOLD: dict[str, Callable[[LangGraph, Record, Run], None]] = {
    "on_chain_start": LangGraph._chain_start,
    "on_chain_end": LangGraph._chain_end,
    "on_retriever_start": LangGraph._retriever_start,
    "on_retriever_end": LangGraph._retriever_end,
    "on_chat_model_start": LangGraph._model_start,
    "on_chat_model_end": LangGraph._model_end,
    "on_llm_start": LangGraph._model_start,
    "on_llm_end": LangGraph._model_end,
    "on_tool_start": LangGraph._tool_start,
    "on_tool_end": LangGraph._tool_end,
    "on_prompt_start": LangGraph._nothing,
    "on_prompt_end": LangGraph._passed,
    "on_parser_start": LangGraph._nothing,
    "on_parser_end": LangGraph._passed,
    **dict.fromkeys(
        (f"on_{kind}_error" for kind in ("chain", "retriever", "chat_model", "llm", "tool")), LangGraph._error
    ),
}
_KINDS = {event: event[3:].rpartition("_")[0] for event in _TOLD}
"""What kind of run each event is of."""
