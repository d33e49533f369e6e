"""``MapTracing``: agents of the OpenAI Agents SDK show up on the map, as they work.

    from agents import add_trace_processor
    from lingbot_probes import Probe
    from lingbot_probes.openai_agents import MapTracing

    add_trace_processor(MapTracing(Probe("bot")))

It hears of traces and spans when they begin and when they end. What each of them means is in
`lingbot_probes.adapters.openai_agents`; here it is only told where it belongs. The SDK is not imported: it is the one
that calls, and what it hands over is read by the names of its fields.
"""

from __future__ import annotations

import sys
import threading
from time import time

from lingbot_probes import options
from lingbot_probes.adapters.openai_agents import Said, Trace, meaning
from lingbot_probes.capture import Room, captured
from lingbot_probes.context import id_text
from lingbot_probes.fields import fields_of, items_of
from lingbot_probes.probe import Probe
from lingbot_probes.ring import Place
from lingbot_probes.signals import Answered, SessionStarted, TurnStarted
from lingbot_probes.telling import signal_of
from lingbot_probes.wrapping import Misused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from contextvars import Token
    from typing import Any

    from agents.tracing import TracingProcessor
else:
    TracingProcessor = object  # the SDK asks a processor for its methods, not for its class

OPEN = 1_000
"""Traces that are followed at the same time, and as many that ended and may be resumed; the oldest are let go."""

_FIELDS = {
    "agent": ("name", "handoffs", "tools", "output_type"),
    "handoff": ("from_agent", "to_agent"),
    "guardrail": ("name", "triggered"),
    "function": ("name", "input", "output", "mcp_data"),
    "generation": ("input", "output", "model", "usage"),
    "response": ("input",),
    "custom": ("name", "data"),
    "mcp_tools": ("server", "result"),
    "transcription": ("output", "model"),
    "speech": ("input", "model"),
    "speech_group": ("input",),
}


class _Heard:
    """One trace that is heard: what it means, and the places of its turns."""

    __slots__ = ("joined", "lock", "place", "places", "session", "token", "trace")

    def __init__(self, trace: Trace, session: Any, joined: Place | None) -> None:
        self.trace = trace
        self.session = session
        self.joined = joined  # the turn that the bot itself opened around the trace: its words are the bot's to say
        self.place = joined
        self.places: dict[str, Place] = {}
        self.token: Token[Place | None] | None = None
        self.lock = threading.Lock()  # tools run in threads, and may open spans of their own there


class MapTracing(TracingProcessor):
    """A trace processor that tells ``probe`` what the agents do. Nothing in it raises into the bot or waits.

    The session is the trace's ``group_id``, else the `Probe.session` around the run, else the trace; each run is a
    turn. Inside a turn of yours (`Probe.turn`, `Probe.turn_scope`) a run is part of that turn, and what was said and
    answered is yours to say. Decorated functions that an agent calls stand in the agent's turn.

    ``retrieval`` names the function tools that search, or maps each to the stage of its list ("vector", "keyword",
    "fused", "reranked", "prompt"); others are searches where they return a list of rows with a text and a score.
    ``slots`` names function tools whose arguments, and custom spans whose data, are slots.

    Raises ``Misused`` for what can't be used.
    """

    def __init__(
        self, probe: Probe, *, retrieval: Iterable[str] | Mapping[str, str] = (), slots: Iterable[str] = ()
    ) -> None:
        if not isinstance(probe, Probe):
            raise options.misused("MapTracing", "a probe first", probe)
        stages = dict(retrieval) if type(retrieval) is dict else dict.fromkeys(_names(retrieval, "retrieval"), "")
        try:
            self._meaning = meaning(stages, _names(slots, "slots"))
        except ValueError as error:
            raise Misused(f"MapTracing: {error}") from None
        self._probe = probe
        self._open: dict[str, _Heard] = {}
        self._ended: dict[str, _Heard] = {}

    # -- what the SDK calls --------------------------------------------------------------------------------------

    def on_trace_start(self, trace: Any) -> None:
        """A trace begins: its turn is on the map at once, without words until its first model was called."""

        def act() -> None:
            heard = self._begun(trace)
            with heard.lock:
                self._tell(heard, heard.trace.begin(time()))

        self._probe._guarded(act)

    def on_span_start(self, span: Any) -> None:
        """A span begins: an agent is routed to."""
        self._probe._guarded(lambda: self._step(span, Trace.started))

    def on_span_end(self, span: Any) -> None:
        """A span ends: what it came to."""
        self._probe._guarded(lambda: self._step(span, Trace.ended))

    def on_trace_end(self, trace: Any) -> None:
        """The trace is over; a run that was paused may resume it."""

        def act() -> None:
            heard = self._open.pop(_id(trace.trace_id), None)
            if heard is None:
                return
            with heard.lock:
                self._tell(heard, heard.trace.over(time()))
            if heard.place is not None and heard.joined is None:
                heard.place.open = False
                self._probe._where.end(heard)
            _keep(self._ended, _id(trace.trace_id), heard)
            self._probe._where.leave(heard.token)
            heard.token = None

        self._probe._guarded(act)

    def force_flush(self) -> None:
        """Wait a second at most until the map has what was told."""
        self._probe.flush(1.0)

    def shutdown(self) -> None:
        """Make one last attempt to send."""
        self._probe.close()

    # -- where it belongs ------------------------------------------------------------------------------------------

    def _begun(self, trace: Any) -> _Heard:
        probe, trace_id = self._probe, _id(trace.trace_id)
        where, here = probe._where, probe._where.current.get()
        joined = here if here is not None and here.open else None
        group = id_text(getattr(trace, "group_id", None))
        if joined is not None:
            session = joined.session
        elif group or here is None:
            session = probe._ring.session(group or id_text(trace_id))
        else:
            session = here.session
        heard = _Heard(Trace(trace_id, self._meaning), session, joined)
        _keep(self._open, trace_id, heard)
        if joined is None and not session.made():
            name, metadata = getattr(trace, "name", ""), getattr(trace, "metadata", None)
            facts = {"workflow_name": name, "group_id": group, "metadata": captured(metadata, Room(2_048))}
            meta = {"framework": "openai-agents", **{key: value for key, value in facts.items() if value}}
            started = signal_of(SessionStarted(title=name if type(name) is str else "", meta=meta))
            probe._tell(Place(session), started or {"kind": "session_started"})
        if joined is None:
            heard.token = where.enter(Place(session))
        return heard

    def _heard(self, span: Any) -> _Heard:
        """The trace of a span. One that was not heard to begin was begun before, or is resumed from a saved run."""
        trace_id = _id(span.trace_id)
        heard = self._open.get(trace_id)
        if heard is None:
            heard = self._ended.pop(trace_id, None)
            if heard is not None:
                heard.trace.resume()
                _keep(self._open, trace_id, heard)
            else:
                tracing = sys.modules.get("agents.tracing")
                current = tracing.get_current_trace() if tracing is not None else None
                known = current is not None and _id(current.trace_id) == trace_id
                heard = self._begun(current if known else span)
        return heard

    def _step(self, span: Any, step: Callable[[Trace, Mapping[str, Any]], list[Said]]) -> None:
        if _id(span.trace_id) == "no-op":
            return
        heard, record = self._heard(span), _record(span)
        with heard.lock:
            self._tell(heard, step(heard.trace, record))

    def _tell(self, heard: _Heard, said: list[Said]) -> None:
        probe = self._probe
        for signal, turn, at in said:
            if heard.joined is not None:
                if type(signal) is TurnStarted or type(signal) is Answered:
                    continue
                place = heard.joined
            else:
                place = self._place(heard, turn)
            spoken = signal_of(signal)
            if spoken is not None:
                probe._tell(place, spoken, at)

    def _place(self, heard: _Heard, turn: str) -> Place:
        """The place of a turn. A new one is where decorated functions stand from now on, in this task and below it."""
        place = heard.places.get(turn)
        if place is None:
            if heard.place is not None:
                heard.place.open = False
                self._probe._where.end(heard)
            place = heard.place = heard.places[turn] = Place(heard.session, id_text(turn))
            place.open = True
            self._probe._where.begin(heard, place)
            self._probe._where.enter(place)
        return place


def _names(given: Any, option: str) -> tuple[str, ...]:
    return options.names(given, f"MapTracing({option}=)")


def _keep(traces: dict[str, _Heard], trace_id: str, heard: _Heard) -> None:
    while len(traces) >= OPEN:
        traces.pop(next(iter(traces)), None)
    traces[trace_id] = heard


def _id(value: Any) -> str:
    return value if type(value) is str else id_text(value)


def _record(span: Any) -> dict[str, Any]:
    """A span as it is exported, but for what the export leaves out or turns into text."""
    data = span.span_data
    kind = data.type
    names = _FIELDS.get(kind)
    # Of newer kinds the export says what they are: a ``task`` or a ``turn`` is exported as a custom span.
    told = {"type": kind}
    told.update(data.export() if names is None else {name: getattr(data, name, None) for name in names})
    if kind == "response" and data.response is not None:
        response = data.response
        told["response_id"], told["model"] = response.id, response.model
        told["output"] = [item.model_dump(exclude_none=True) for item in response.output]
        told["usage"] = fields_of(response.usage)
    elif kind == "function":
        told["output"] = _plain(told["output"])
    return {
        "id": span.span_id,
        "trace_id": span.trace_id,
        "parent_id": span.parent_id,
        "started_at": span.started_at,
        "ended_at": span.ended_at,
        "error": span.error,
        "span_data": told,
    }


def _plain(result: Any) -> Any:
    """What a function returned: rows of any record type as mappings of their fields."""
    rows = items_of(result)
    if rows is not None:
        return [_plain(row) for row in rows]
    fields = fields_of(result)
    if fields is not None and "run_item" in fields and "output" in fields:  # the SDK's own, of a call that waits
        return fields["output"]
    return result if fields is None else fields
