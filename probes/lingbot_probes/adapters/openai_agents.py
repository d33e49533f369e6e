"""Traces of the OpenAI Agents SDK to signals, used live and by import: a record is a trace or a span as it is exported.

A trace is a move of the user, or several where it holds several runs. What each record becomes:

| record | signals |
|---|---|
| trace | session_started (its ``group_id``, else the trace), turn_started |
| ``agent`` | intent_routed, its parent = the agent around it, its candidates = the handoffs of the agent before |
| ``handoff`` | intent_routed to the agent that it goes to |
| ``guardrail`` | raw; failed where it was triggered |
| ``function`` | retrieved where it searches; slot_assigned where its arguments are slots; raw ``tool`` |
| ``generation``, ``response`` | raw ``llm``; its input tells what the user said, its output the answer |
| a search in files by the model's service | retrieved |
| documents that stand word for word in what a model was given | retrieved of stage "prompt" |
| ``custom`` of the SDK (``task``, ``turn``) | where a run begins |
| ``transcription``, ``speech``, ``speech_group`` | what the user said, the answer |
| anything else, also unknown types | raw, by its name |
| an error | failed, once where it rose through several |
| the end of the outermost agent without a handoff | answered, unless the run failed |
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lingbot_probes.adapters.fields import instant, items, mapping
from lingbot_probes.adapters.openai_agents_words import (
    asked,
    calls,
    error_of,
    found_docs,
    given,
    outputs,
    query_of,
    searches,
    spoken,
    stands_in,
    value_of,
)
from lingbot_probes.adapters.spans import NOT_CAPTURED
from lingbot_probes.adapters.stages import stage_of
from lingbot_probes.signals import (
    STAGES,
    Answered,
    Doc,
    Failed,
    IntentRouted,
    Raw,
    Retrieved,
    Signal,
    SlotAssigned,
    TurnStarted,
)

MOST_OPEN = 10_000
"""Spans of one trace that are open at the same time and still followed."""
_QUOTED = 20  # characters from which a document's text, found in a prompt, is no coincidence
_RECALLED = 200  # documents that are looked for in a prompt, the newest
_TRIPPED = "Guardrail tripwire triggered"

Record = Mapping[str, Any]


class Said(NamedTuple):
    """A signal of a trace, the turn that it belongs to, and when it was said in Unix seconds."""

    signal: Signal
    turn: str
    at: float | None


@dataclass(frozen=True, slots=True)
class Meaning:
    """What functions mean, which no trace says by itself: ``retrieval`` is {name: stage, "" = as the name says},
    ``slots`` are names of functions and custom spans whose arguments or data are slots."""

    retrieval: Mapping[str, str] = field(default_factory=dict)
    slots: frozenset[str] = frozenset()


def meaning(retrieval: Iterable[str] | Mapping[str, str] = (), slots: Iterable[str] = ()) -> Meaning:
    """A `Meaning` of names. Raises ``ValueError`` for a stage that is none."""
    stages = dict(retrieval) if isinstance(retrieval, Mapping) else dict.fromkeys(retrieval, "")
    for name, stage in stages.items():
        if stage and stage not in STAGES:
            raise ValueError(f"retrieval of {name}: expected one of {', '.join(STAGES)}, found {stage!r}")
    return Meaning(stages, frozenset(slots))


NOTHING = Meaning()
"""No function has a meaning of its own: what a list of documents is tells its content."""


class Trace:
    """Spans of one trace in, as they begin and end; signals out. ``turn`` is the id of the turn that is told.

    A turn is opened without words, since a trace has none until its first model was called; it is told again then.
    """

    __slots__ = (
        "_agent", "_errors", "_failed", "_finished", "_handoff", "_handoffs", "_heard", "_id", "_made_of", "_meaning",
        "_open", "_out", "_prompt", "_query", "_recalled", "_runs", "_silent", "_spoken", "turn",
    )  # fmt: skip

    def __init__(self, id: str, meaning: Meaning = NOTHING) -> None:
        """``id`` is the trace's own; turns are called after it."""
        self._id = id
        self._meaning = meaning
        self._open: OrderedDict[str, tuple[str, int]] = OrderedDict()  # span -> (agent it is in, how many agents deep)
        self._errors: dict[str, list[str]] = {}  # span -> the errors told of what is within it
        self._runs = 0
        self._agent = self._handoff = ""
        self._handoffs: dict[str, tuple[tuple[str, float | None], ...]] = {}  # agent -> those that it may hand over to
        self._recalled: dict[str, str] = {}  # document -> its text
        self._prompt: tuple[str, ...] = ()
        self._out: list[Said] = []
        self.turn = ""
        self._fresh()

    def _fresh(self) -> None:
        self._finished = self._heard = self._failed = False
        self._silent = False  # whether what the model gave last was not recorded
        self._spoken = self._query = ""
        self._made_of: tuple[str, ...] = ()

    def _say(self, signal: Signal, at: float | None) -> None:
        self._out.append(Said(signal, self.turn, at))

    def _taken(self) -> list[Said]:
        out, self._out = self._out, []
        return out

    # --- what begins and ends ------------------------------------------------------------------------------------

    def begin(self, at: float | None) -> list[Said]:
        """The trace begins: a turn opens."""
        if not self._runs:
            self._run(at)
        return self._taken()

    def started(self, span: Record, at: float | None = None) -> list[Said]:
        """A span begins; ``at`` where that was read already."""
        at = instant(span.get("started_at")) if at is None else at
        if not self._runs:
            self._run(at)
        data = mapping(span.get("span_data"))
        within, depth = self._open.get(_text(span.get("parent_id")), ("", 0))
        kind = data.get("type")
        if self._finished and not depth and (kind == "agent" or _sdk(data) in ("task", "turn")):
            self._run(at)
        if kind == "agent":
            within, depth = self._routed(data, within, at), depth + 1
        if len(self._open) >= MOST_OPEN:
            self._open.popitem(last=False)
        self._open[_text(span.get("id"))] = (within, depth)
        return self._taken()

    def ended(self, span: Record, at: float | None = None) -> list[Said]:
        """A span ends, at ``at`` where that was read already; one whose beginning was not told begins now."""
        span_id, parent = _text(span.get("id")), _text(span.get("parent_id"))
        if span_id not in self._open:
            self._out = self.started(span)
        within, depth = self._open.pop(span_id)
        data = mapping(span.get("span_data"))
        kind = _text(data.get("type"))
        at = instant(span.get("ended_at")) if at is None else at
        tell = _ENDS.get(kind)
        if tell is not None:
            tell(self, data, within, depth, at)
        elif kind == "custom":
            self._custom(data, within, at)
        elif kind != "agent":
            held = {key: value for key, value in data.items() if key != "type"}
            self._say(Raw(name=kind or "span", data=held), at)
        told = [f"{_TRIPPED}: {_text(data.get('name'))}"] if kind == "guardrail" and data.get("triggered") else []
        told += self._erred(span, data, kind, depth, at)
        if told and parent:
            self._errors.setdefault(parent, []).extend(told[-20:])
        if kind == "agent" and depth == 1 and not self._handoff:
            self._answer(at)
        return self._taken()

    def over(self, at: float | None) -> list[Said]:
        """The trace ends: what was said and not told as an answer yet is one."""
        if self._runs and not self._finished:
            self._answer(at)
        return self._taken()

    def resume(self) -> None:
        """A run that was paused goes on: what follows belongs to its turn."""
        self._finished = False

    def _run(self, at: float | None) -> None:
        """The user makes a move."""
        self._runs += 1
        self.turn = self._id if self._runs == 1 else f"{self._id}#{self._runs}"
        self._fresh()
        self._agent = ""
        self._say(TurnStarted(turn=self.turn), at)

    def _heard_now(self, words: str, at: float | None) -> None:
        if words and not self._heard:
            self._heard = True
            self._say(TurnStarted(turn=self.turn, utterance=words), at)

    # --- agents --------------------------------------------------------------------------------------------------

    def _routed(self, data: Record, within: str, at: float | None) -> str:
        """The agent that what follows is in; it was routed to already where another one handed over to it."""
        agent = _text(data.get("name")) or "agent"
        if agent != self._agent:
            self._say(IntentRouted(intent=agent, parent=within if within != agent else ""), at)
            self._agent = agent
        self._handoff = ""
        if len(self._handoffs) < MOST_OPEN:
            self._handoffs[agent] = tuple((to, None) for to in items(data.get("handoffs")) if to and type(to) is str)
        return agent

    def _handed(self, data: Record, within: str, depth: int, at: float | None) -> None:
        to = _text(data.get("to_agent"))
        if not to:
            self._say(Raw(name="handoff", data=dict(data)), at)
            return
        agent = _text(data.get("from_agent"))
        self._say(IntentRouted(intent=to, candidates=self._handoffs.get(agent, ()), predicted_by=agent), at)
        self._agent = self._handoff = to

    def _answer(self, at: float | None) -> None:
        """The run is over. What was said before it failed may never have reached the user."""
        self._finished = True
        if not self._heard:
            self._heard_now(NOT_CAPTURED, at)
        if not self._failed and (text := self._spoken or (NOT_CAPTURED if self._silent else "")):
            self._say(Answered(text=text, docs=self._made_of), at)

    # --- steps ---------------------------------------------------------------------------------------------------

    def _guarded(self, data: Record, within: str, depth: int, at: float | None) -> None:
        name, triggered = _text(data.get("name")), data.get("triggered") is True
        self._say(Raw(name="guardrail", data={"guardrail": name, "triggered": triggered}), at)
        if triggered:
            self._failed = self._failed or depth < 2
            self._say(Failed(where=name or "guardrail", error=_TRIPPED), at)

    def _called(self, data: Record, within: str, depth: int, at: float | None) -> None:
        """A function was called."""
        name, meaning = _text(data.get("name")) or "function", self._meaning
        arguments, result = value_of(data.get("input")), value_of(data.get("output"))
        docs = found_docs(result, sure=True) if name in meaning.retrieval else found_docs(result, sure=False)
        if docs is not None:
            params = {key: value for key, value in mapping(arguments).items() if type(value) in (int, float, bool)}
            stage = meaning.retrieval.get(name) or stage_of(name)
            self._found(query_of(arguments), stage, docs, {**params, "retriever": name}, at)
            return
        if name in meaning.slots:
            self._set(mapping(arguments), within, at)
        facts = {"tool": name, "arguments": arguments, "result": result, "mcp": data.get("mcp_data")}
        self._say(Raw(name="tool", data={key: value for key, value in facts.items() if value is not None}), at)

    def _set(self, slots: Record, within: str, at: float | None) -> None:
        for slot, value in slots.items():
            if slot:
                self._say(SlotAssigned(slot=slot, value=value, task=within), at)

    def _found(self, query: str, stage: str, docs: tuple[Doc, ...], params: dict[str, Any], at: float | None) -> None:
        self._query = query
        self._say(Retrieved(query=query, stage=stage, docs=docs, params=params), at)
        self._recalled.update((doc.id, doc.snippet.strip()) for doc in docs[:_RECALLED])
        while len(self._recalled) > _RECALLED:
            del self._recalled[next(iter(self._recalled))]

    def _answered_by_model(self, data: Record, within: str, depth: int, at: float | None) -> None:
        """A model gave something."""
        messages, output = data.get("input"), outputs(data.get("output"))
        if depth < 2:
            self._heard_now(asked(messages), at)
        quoted = self._quoted(messages, at) if self._recalled else ()
        for query, docs in searches(output):
            self._found(query, "vector", docs, {"retriever": "file_search"}, at)
            quoted = tuple(doc.id for doc in docs)  # the service puts all that it finds into its own prompt
        usage = mapping(data.get("usage"))
        words = spoken(output)
        facts = {
            "model": data.get("model"),
            "tokens_in": usage.get("input_tokens", usage.get("prompt_tokens")),
            "tokens_out": usage.get("output_tokens", usage.get("completion_tokens")),
            "calls": calls(output),
            "text": words,
            "response": data.get("response_id"),
        }
        self._say(Raw(name="llm", data={key: v for key, v in facts.items() if v is not None and v not in ("", [])}), at)
        if depth < 2 and output:
            self._silent = False
            if words:
                self._spoken, self._made_of = words, quoted
        elif depth < 2 and (usage or data.get("response_id")):  # neither is there where the call itself failed
            self._silent, self._spoken = True, ""

    def _quoted(self, messages: object, at: float | None) -> tuple[str, ...]:
        """The documents whose whole text stands in what a model was given: a fact, though no span says so by itself."""
        words = given(messages)
        held = self._recalled.items()
        found = tuple(doc for doc, text in held if len(text) >= _QUOTED and stands_in(text, words))
        if found and found != self._prompt:
            docs = tuple(Doc(id=doc, rank=rank) for rank, doc in enumerate(found, 1))
            self._say(Retrieved(query=self._query, stage="prompt", docs=docs, params={"known_by": "text"}), at)
            self._prompt = found
        return found

    def _custom(self, data: Record, within: str, at: float | None) -> None:
        if _sdk(data) in ("task", "turn"):
            return
        name, held = _text(data.get("name")) or "custom", data.get("data")
        if name in self._meaning.slots:
            self._set(mapping(held), within, at)
        else:
            self._say(Raw(name=name, data=held), at)

    def _transcribed(self, data: Record, within: str, depth: int, at: float | None) -> None:
        self._heard_now(_text(data.get("output")), at)
        self._say(Raw(name="transcription", data={"model": data.get("model"), "text": data.get("output")}), at)

    def _spoke(self, data: Record, within: str, depth: int, at: float | None) -> None:
        words = _text(data.get("input"))
        self._spoken = self._spoken or words
        self._say(Raw(name=_text(data.get("type")), data={"model": data.get("model"), "text": words}), at)

    def _erred(self, span: Record, data: Record, kind: str, depth: int, at: float | None) -> list[str]:
        """The errors within a span, its own among them; that one is told unless it only passed through."""
        known = self._errors.pop(_text(span.get("id")), [])
        error = error_of(span.get("error"))
        if not error:
            return known
        tool = kind == "function" and "non-fatal" in error
        if depth < 2 and kind in ("agent", "generation", "response") and not tool:
            self._failed = True
        own = _core(span.get("error"))
        if any(own and (own in one or one in own) for one in map(str.lower, known)):
            return known
        name = _text(data.get("name")) or (_text(data.get("model")) if kind != "agent" else "")
        self._say(Failed(where=name or kind or "span", error=error), at)
        return [*known, error]


def _core(error: object) -> str:
    """What an error is about, without the words that each level puts before it."""
    data = mapping(mapping(error).get("data"))
    inner = data.get("error")
    return (inner if type(inner) is str and inner else error_of(error)).lower()


_ENDS = {
    "handoff": Trace._handed,
    "guardrail": Trace._guarded,
    "function": Trace._called,
    "generation": Trace._answered_by_model,
    "response": Trace._answered_by_model,
    "transcription": Trace._transcribed,
    "speech": Trace._spoke,
    "speech_group": Trace._spoke,
}


def _sdk(data: Record) -> str:
    """What the SDK's own custom spans are: "task" (a run), "turn" (a step of it); "" for any other."""
    return _text(mapping(data.get("data")).get("sdk_span_type")) if data.get("type") == "custom" else ""


def _text(value: object) -> str:
    return value if type(value) is str else ""
