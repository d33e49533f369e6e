"""``MapCallback``: bots made with LangChain and LangGraph show up on the map, as they work.

    from lingbot_probes import Probe
    from lingbot_probes.langchain import MapCallback

    graph.invoke({"messages": [("user", "hello")]}, {"callbacks": [MapCallback(Probe("bot"))], "configurable": {...}})

It hears what a graph's nodes, retrievers, models and tools begin and end with. What that means is in
`lingbot_probes.adapters.langgraph`, which reads recordings of it, too; here it is only told where it belongs.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from time import time

from lingbot_probes import options
from lingbot_probes.adapters.langgraph import LangGraph
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.context import id_text
from lingbot_probes.fields import fields_of
from lingbot_probes.langchain_objects import error_of, given, ident, state, tags_of
from lingbot_probes.probe import Probe
from lingbot_probes.ring import Place
from lingbot_probes.signals import Answered, SessionStarted, TurnStarted

try:
    from langchain_core.callbacks import BaseCallbackHandler
except ImportError as missing:
    raise ImportError("lingbot_probes.langchain needs LangChain: pip install 'lingbot-map[langchain]'") from missing
try:
    from langgraph.callbacks import GraphCallbackHandler  # also hears where a graph stops, before a node, say
except ImportError:
    GraphCallbackHandler = BaseCallbackHandler  # type: ignore[assignment, misc]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Token
    from typing import Any

    from lingbot_probes.signals import Numbered, Signal

RUNS = 10_000
"""Runs that are followed at the same time; of more the oldest are let go."""
SESSIONS = 1_000
"""Sessions whose state is known, so that only what changes is told; the longest silent are let go."""
PATIENCE = 0.5
"""Seconds for which a callback waits for another thread's at most; then its event counts as lost."""

_NAMES = ("thread_id", "session_id", "conversation_id")


class _Voice(Scribe):
    """Says the signals of one session through a probe."""

    __slots__ = ("_probe", "joined")

    def __init__(self, probe: Probe, session: str) -> None:
        self._probe = probe
        self.joined = ""  # the open turn of the bot's own that a graph runs in: it has its own words and answer
        super().__init__(session)

    @property
    def n(self) -> int:
        return self._probe._ring.session(self.session).made()

    @n.setter
    def n(self, number: int) -> None:
        return  # the ring numbers

    def open_turn(self, utterance: str, turn: str = "") -> str:
        self.turns += 1
        self.turn = self.joined or turn or self._probe._where.new_turn()
        if not self.joined:
            self.say(TurnStarted(turn=self.turn, utterance=utterance))
        return self.turn

    def say(self, signal: Signal, turn: str | None = None) -> int:
        if not (self.joined and type(signal) is Answered):
            of = None if type(signal) is SessionStarted else turn or self.turn or None
            self._probe.emit(signal, session=self.session, turn=of, said_at=self.said_at)
        return 0

    def taken(self) -> list[Numbered]:
        return []


class _Followed:
    """A run that nothing else runs: the adapter of its session, and the bot's own turn that it is in."""

    __slots__ = ("adapter", "joined", "open", "place", "run", "token", "voice")

    def __init__(self, adapter: LangGraph, voice: _Voice, run: str, joined: str) -> None:
        self.adapter = adapter
        self.voice = voice
        self.run = run
        self.joined = joined
        self.place: Place | None = None
        self.token: Token[Place | None] | None = None
        self.open = False


class MapCallback(GraphCallbackHandler):
    """A callback handler for ``config={"callbacks": [MapCallback(probe)]}``, of ``invoke``, ``stream`` and their async
    kinds, or once for all runs: ``graph = graph.with_config(callbacks=[MapCallback(probe)])``, which also hears
    ``update_state``.

    The session is the config's ``thread_id``, else the one that the probe is in. Inside an open turn of that session
    (``@probe.turn``) a graph is part of the turn, whose answer the bot tells; else each run with a message of the user
    is a turn, and what runs inside it belongs to that turn, decorated functions too. One handler does for any number
    of graphs, threads and tasks. Raises ``Misused`` for what is no probe, and nothing while the bot works.
    """

    run_inline = True  # in the task that runs the graph: in order, and without a thread for each event
    raise_error = False

    def __init__(self, probe: Probe) -> None:
        if not isinstance(probe, Probe):
            raise options.misused("MapCallback", "a Probe", probe)
        super().__init__()
        self._probe = probe
        self._renew()

    def _renew(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._runs: OrderedDict[str, _Followed] = OrderedDict()
        self._sessions: OrderedDict[str, tuple[LangGraph, _Voice]] = OrderedDict()

    def __copy__(self) -> MapCallback:
        return self

    def __deepcopy__(self, memo: Any) -> MapCallback:
        return self

    # --- hearing: nothing here raises --------------------------------------------------------------------------------

    def _heard(self, event: str, run: Any, told: Callable[[], dict[str, Any]], above: Any = None, *more: Any) -> None:
        probe = self._probe
        if probe.off:
            return
        try:
            if self._pid != os.getpid():
                self._renew()
            if not self._lock.acquire(timeout=PATIENCE):
                raise TimeoutError
            try:
                self._take(event, ident(run), told, ident(above), *more)
            finally:
                self._lock.release()
        except Exception:
            probe._lost()

    def _take(
        self, event: str, run: str, told: Callable[[], dict[str, Any]], above: str, name: Any = "", tags: Any = None,
        metadata: Any = None,
    ) -> None:  # fmt: skip
        begins = event.endswith("_start")
        root = self._runs.get(above or run)
        if root is None:
            if not begins:
                return
            root = self._begun(run, metadata)
        record: dict[str, Any] = {"event": event, "run_id": run, "timestamp": time(), "data": told()}
        if run != root.run:
            record["parent_ids"] = [root.run, above] if above and above != root.run else [root.run]
        if begins:
            self._runs[run] = root
            if len(self._runs) > RUNS:
                self._runs.popitem(last=False)
            record["name"] = name if type(name) is str else ""
            record["tags"], record["metadata"] = tags_of(tags), given(metadata)
        else:
            record["name"] = name if type(name) is str else ""
        root.voice.joined = root.joined
        root.adapter.take(record)
        if run == root.run and begins:
            self._enter(root)
        elif not begins and event != "on_interrupt" and event != "on_custom_event":
            self._runs.pop(run, None)
            if run == root.run:
                self._leave(root)

    def _begun(self, run: str, metadata: Any) -> _Followed:
        """A run that nothing runs: its session, and whether that has a turn open."""
        where = self._probe._where
        named = given(metadata)
        session = next((id for name in _NAMES if (id := id_text(named.get(name)))), "")
        here = where.current.get() if session else where.here()
        session = session or (here.session.id if here is not None else "")
        joined = here.turn if here is not None and here.open and here.session.id == session else ""
        known = self._sessions.get(session)
        if known is None:
            voice = _Voice(self._probe, session)
            known = self._sessions[session] = LangGraph(session, voice), voice
            if len(self._sessions) > SESSIONS:
                self._sessions.popitem(last=False)
        else:
            self._sessions.move_to_end(session)
        return _Followed(known[0], known[1], run, joined)

    def _enter(self, root: _Followed) -> None:
        """What the run's nodes say by other means belongs to its turn."""
        if root.joined or not root.voice.turn:
            return
        where = self._probe._where
        root.place = Place(self._probe._ring.session(root.voice.session), root.voice.turn)
        root.place.open = root.open = True
        where.begin(root, root.place)
        root.token = where.enter(root.place)

    def _leave(self, root: _Followed) -> None:
        if root.place is not None and root.open:
            root.place.open = root.open = False
            self._probe._where.end(root)
            self._probe._where.leave(root.token)

    # --- LangChain calls these ---------------------------------------------------------------------------------------

    def on_chain_start(
        self, serialized: Any, inputs: Any, *, run_id: Any, parent_run_id: Any = None, tags: Any = None,
        metadata: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        """A graph, a node or any other chain begins."""

        def told() -> dict[str, Any]:
            wanted = parent_run_id is None or any(tag.startswith("graph:step") for tag in tags_of(tags))
            return {"input": state(inputs) if wanted else None}

        self._heard("on_chain_start", run_id, told, parent_run_id, _name(serialized, kwargs), tags, metadata)

    def on_chain_end(self, outputs: Any, *, run_id: Any, parent_run_id: Any = None, **kwargs: Any) -> None:
        """It gave this back."""
        self._heard("on_chain_end", run_id, lambda: {"output": state(outputs)}, parent_run_id)

    def on_chain_error(self, error: BaseException, *, run_id: Any, parent_run_id: Any = None, **kwargs: Any) -> None:
        """It failed, or stops to wait."""
        self._failed("chain", error, run_id, parent_run_id)

    def on_chat_model_start(
        self, serialized: Any, messages: Any, *, run_id: Any, parent_run_id: Any = None, tags: Any = None,
        metadata: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        """A model is asked."""
        asked = lambda: {"input": {"messages": state(messages)}}  # noqa: E731
        self._heard("on_chat_model_start", run_id, asked, parent_run_id, _name(serialized, kwargs), tags, metadata)

    def on_llm_start(
        self, serialized: Any, prompts: Any, *, run_id: Any, parent_run_id: Any = None, tags: Any = None,
        metadata: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        """A model that completes texts is asked."""
        asked = lambda: {"input": {"prompts": state(prompts)}}  # noqa: E731
        self._heard("on_llm_start", run_id, asked, parent_run_id, _name(serialized, kwargs), tags, metadata)

    def on_llm_end(self, response: Any, *, run_id: Any, parent_run_id: Any = None, **kwargs: Any) -> None:
        """A model has answered."""

        def told() -> dict[str, Any]:
            return {"output": {"generations": state((fields_of(response) or {}).get("generations"))}}

        self._heard("on_llm_end", run_id, told, parent_run_id)

    def on_llm_error(self, error: BaseException, *, run_id: Any, parent_run_id: Any = None, **kwargs: Any) -> None:
        """A model failed."""
        self._failed("llm", error, run_id, parent_run_id)

    def on_tool_start(
        self, serialized: Any, input_str: Any, *, run_id: Any, parent_run_id: Any = None, tags: Any = None,
        metadata: Any = None, inputs: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        """A tool begins."""
        asked = lambda: {"input": state(inputs if inputs is not None else input_str)}  # noqa: E731
        self._heard("on_tool_start", run_id, asked, parent_run_id, _name(serialized, kwargs), tags, metadata)

    def on_tool_end(self, output: Any, *, run_id: Any, parent_run_id: Any = None, **kwargs: Any) -> None:
        """It gave this back."""
        self._heard("on_tool_end", run_id, lambda: {"output": state(output)}, parent_run_id)

    def on_tool_error(self, error: BaseException, *, run_id: Any, parent_run_id: Any = None, **kwargs: Any) -> None:
        """It failed."""
        self._failed("tool", error, run_id, parent_run_id)

    def on_retriever_start(
        self, serialized: Any, query: Any, *, run_id: Any, parent_run_id: Any = None, tags: Any = None,
        metadata: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        """A retriever is asked."""
        asked = lambda: {"input": {"query": state(query)}}  # noqa: E731
        self._heard("on_retriever_start", run_id, asked, parent_run_id, _name(serialized, kwargs), tags, metadata)

    def on_retriever_end(self, documents: Any, *, run_id: Any, parent_run_id: Any = None, **kwargs: Any) -> None:
        """It found these."""
        self._heard("on_retriever_end", run_id, lambda: {"output": state(documents)}, parent_run_id)

    def on_retriever_error(
        self, error: BaseException, *, run_id: Any, parent_run_id: Any = None, **kwargs: Any
    ) -> None:
        """It failed."""
        self._failed("retriever", error, run_id, parent_run_id)

    def on_custom_event(self, name: Any, data: Any, *, run_id: Any, **kwargs: Any) -> None:
        """The bot says something of its own."""
        self._heard("on_custom_event", run_id, lambda: state(data), None, name)

    def on_interrupt(self, event: Any) -> None:
        """A graph stops to wait (LangGraph alone tells, from 1.2 on)."""
        found = fields_of(event) or {}
        waits = lambda: {"interrupts": state(found.get("interrupts"))}  # noqa: E731
        self._heard("on_interrupt", found.get("run_id"), waits)

    def on_resume(self, event: Any) -> None:
        """It goes on, which its start has told."""

    def _failed(self, kind: str, error: BaseException, run: Any, above: Any) -> None:
        event, data = error_of(kind, error)
        self._heard(event, run, lambda: data, above)


def _name(serialized: Any, kwargs: dict[str, Any]) -> str:
    name = kwargs.get("name")
    if type(name) is not str and type(serialized) is dict:
        name = serialized.get("name")
        path = serialized.get("id")
        if type(name) is not str and type(path) is list and path:
            name = path[-1]
    return name if type(name) is str else ""
