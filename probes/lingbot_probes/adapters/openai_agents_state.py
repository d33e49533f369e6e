"""Saved runs of the OpenAI Agents SDK (``RunState.to_json``) to signals.

A run state is a dialogue so far: what the run was given, what it made of it, and where it stands. A later save of the
same run holds the same and more, so everything is told in an order that a later save only adds to; what is true of the
moment of saving alone (the application's context, approvals, the agent that is next) stands in the session's ``meta``.

| part | signals |
|---|---|
| a message of the user in the input | turn_started |
| a message of the assistant | answered |
| the agent of an item, where it is another | intent_routed |
| a handoff's output | intent_routed to the agent that it goes to |
| a tool's call, its output | raw ``tool_call``, raw ``tool``; retrieved where a list of documents came back |
| a response of a model | raw ``llm``, before what came of it |
| a guardrail's result | raw ``guardrail``; failed where it was triggered |
| a call that waits for approval | raw ``approval`` |
| anything else, also unknown types | raw, by its type |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lingbot_probes.adapters.fields import items, mapping
from lingbot_probes.adapters.openai_agents import NOTHING, Meaning
from lingbot_probes.adapters.openai_agents_words import (
    calls,
    found_docs,
    query_of,
    said,
    searches,
    spoken,
    value_of,
)
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.adapters.stages import stage_of
from lingbot_probes.codec import SignalError
from lingbot_probes.long_ids import shortened
from lingbot_probes.signals import (
    Answered,
    Failed,
    IntentRouted,
    Numbered,
    Raw,
    Retrieved,
    SessionStarted,
    SlotAssigned,
)

VERSIONS = "1."
"""Schema versions begin so; fields were only ever added within it."""
PARTS = ("input_guardrail_results", "model_responses", "original_input", "items", "output_guardrail_results")
"""The lists of a state, in the order in which they are to be given; ``items`` is the longer of the state's two."""

_HEADER = (
    "conversation_id", "current_agent", "current_turn", "max_turns", "no_active_agent_run", "tool_use_tracker",
)  # fmt: skip
_CALLS = 10_000  # that wait for their output

Record = Mapping[str, Any]


class RunState:
    """Parts of one saved run in, numbered signals out. A record is {the name of the part: one item of it}."""

    def __init__(self, session: str, header: Mapping[str, Any], meaning: Meaning = NOTHING) -> None:
        """``session`` is the session's id, ``header`` all of the state but its lists, ``meaning`` that of functions."""
        self._meaning = meaning
        self.scribe = Scribe(shortened(session))
        self._header = header
        self._agent = ""
        self._calls: dict[str, tuple[str, Any]] = {}  # call -> (tool, arguments)
        self._responses: list[Record] = []
        self._made: dict[str, int] = {}  # id of an item -> the response that it came with
        self._told = 0  # responses
        self._guarded: list[Record] = []

    def take(self, record: object) -> list[Numbered]:
        """The signals of one part. Raises ``SignalError`` for what is none; call ``skip`` then and go on."""
        self._open()
        ((part, item),) = mapping(record).items() if len(mapping(record)) == 1 else (("", None),)
        if part == "original_input":
            self._input(item)
        elif type(item) is not dict:
            raise SignalError(part or "part", "a mapping", item)
        elif part == "items":
            self._item(item)
        elif part == "model_responses":
            self._response(item)
        elif part == "input_guardrail_results":
            self._guarded.append(item)
        else:
            self._guardrail(item)
        return self.scribe.taken()

    def skip(self) -> list[Numbered]:
        """Leave a hole for a part that could not be read; hands over what was said before it."""
        self._open()
        self.scribe.skip()
        return self.scribe.taken()

    def end(self) -> list[Numbered]:
        """No more parts: what was held back."""
        self._open()
        if not self.scribe.turns:
            self.scribe.open_turn("")
        self._checked()
        self._responded(len(self._responses) - 1)
        if not self.scribe.found.said["intent_routed"]:
            self._route(_name(self._header.get("current_agent")))
        return self.scribe.taken()

    def _open(self) -> None:
        scribe, header = self.scribe, self._header
        if scribe.n:
            return
        trace, context = mapping(header.get("trace")), mapping(header.get("context"))
        meta: dict[str, Any] = {"framework": "openai-agents", "schema": header.get("$schemaVersion")}
        meta.update((key, header[key]) for key in _HEADER if header.get(key) not in (None, {}, []))
        step = mapping(header.get("current_step"))
        if step:
            meta["stands_at"] = step.get("type")
        meta.update((key, trace[key]) for key in ("workflow_name", "group_id", "metadata") if trace.get(key))
        if trace.get("id"):
            meta["trace"] = trace["id"]
        meta.update((key, context[key]) for key in ("context", *_APPROVALS) if context.get(key))
        left = scribe.found.left
        left["untimed"] += 1
        left["context"] += bool(context.get("context"))
        left["sandbox"] += bool(header.get("sandbox"))
        workflow = trace.get("workflow_name")
        scribe.say(SessionStarted(title=workflow if type(workflow) is str else "", meta=meta))

    # --- what the run was given ----------------------------------------------------------------------------------

    def _input(self, item: object) -> None:
        if type(item) is str:
            self._asked(item)
        elif type(item) is not dict:
            raise SignalError("original_input", "a text or a mapping", item)
        elif item.get("role") == "user":
            self._asked(said(item.get("content")))
        else:
            self._raw(item, "")

    def _asked(self, words: str) -> None:
        self.scribe.open_turn(words)
        self._checked()

    def _checked(self) -> None:
        """What the input's guardrails found, once there is a turn."""
        guarded, self._guarded = self._guarded, []
        for result in guarded:
            self._guardrail(result)

    # --- what it made of it --------------------------------------------------------------------------------------

    def _item(self, item: Record) -> None:
        if not self.scribe.turns:
            self._asked("")
        raw = mapping(item.get("raw_item"))
        for key in ("id", "call_id"):
            place = self._made.get(str(raw.get(key) or ""))
            if place is not None:
                self._responded(place)
                break
        agent, kind = _name(item.get("agent")), item.get("type")
        self._route(agent)
        if kind == "handoff_output_item" and (to := _name(item.get("target_agent"))):
            self._route(to, by=_name(item.get("source_agent")) or agent)
        elif kind == "tool_approval_item":
            facts = {"tool": _tool(item, raw), "arguments": value_of(raw.get("arguments")), "call": raw.get("call_id")}
            self.scribe.say(Raw(name="approval", data={key: v for key, v in facts.items() if v is not None}))
        else:
            self._raw({**raw, "output": item.get("output", raw.get("output"))}, _tool(item, raw), item)

    def _raw(self, raw: Record, tool: str, item: Record | None = None) -> None:
        """An item as models and tools exchange it."""
        scribe, kind = self.scribe, raw.get("type")
        call = str(raw.get("call_id") or raw.get("id") or "")
        if kind in (None, "message"):
            if words := said(raw.get("content")):
                assistant = raw.get("role", "assistant") == "assistant"
                scribe.say(Answered(text=words) if assistant else Raw(name=str(raw.get("role")), data={"text": words}))
            return
        if type(kind) is str and (kind.endswith(("_output", "_response")) or (item or {}).get("type") == _OUTPUT):
            self._result(raw, call, tool, mapping(item).get("custom_data"))
            return
        for query, docs in searches([raw]):
            scribe.say(Retrieved(query=query, stage="vector", docs=docs, params={"retriever": "file_search"}))
        if type(kind) is str and (kind.endswith("_call") or kind == "program"):
            named = raw.get("name")
            tool = tool or (named if type(named) is str and named else kind)
            given = value_of(next((raw[key] for key in _GIVEN if raw.get(key) is not None), None))
            if len(self._calls) < _CALLS:
                self._calls[call] = (tool, given)
            facts = {"tool": tool, "arguments": given, "call": call}
            scribe.say(Raw(name="tool_call", data={key: value for key, value in facts.items() if value is not None}))
            return
        name = mapping(item).get("type") or kind
        scribe.say(Raw(name=str(name or "item"), data={key: value for key, value in raw.items() if value is not None}))

    def _result(self, raw: Record, call: str, tool: str, custom: Any) -> None:
        known, given = self._calls.pop(call, (tool, None))
        output = raw.get("output")
        result = value_of(raw.get("result") if output is None else output)
        retrieval = self._meaning.retrieval
        docs = found_docs(result, sure=known in retrieval)
        if docs is not None:
            stage = retrieval.get(known) or stage_of(known)
            self.scribe.say(Retrieved(query=query_of(given), stage=stage, docs=docs, params={"retriever": known}))
        elif known in self._meaning.slots:
            for slot, value in mapping(given).items():
                if slot:
                    self.scribe.say(SlotAssigned(slot=slot, value=value, task=self._agent))
        facts = {"tool": known or None, "arguments": given, "result": result, "call": call, "custom_data": custom}
        self.scribe.say(Raw(name="tool", data={key: value for key, value in facts.items() if value is not None}))

    def _route(self, agent: str, by: str = "") -> None:
        if agent and agent != self._agent:
            self._agent = agent
            self.scribe.say(IntentRouted(intent=agent, predicted_by=by))

    # --- models and guardrails -----------------------------------------------------------------------------------

    def _response(self, response: Record) -> None:
        for item in items(response.get("output")):
            for key in ("id", "call_id"):
                if type(item) is dict and type(item.get(key)) is str:
                    self._made.setdefault(item[key], len(self._responses))
        self._responses.append(response)

    def _responded(self, place: int) -> None:
        """Tell the responses up to and with ``place``."""
        for response in self._responses[self._told : place + 1]:
            self._told += 1
            output = [item for item in items(response.get("output")) if type(item) is dict]
            usage = mapping(response.get("usage"))
            facts = {
                "response": response.get("response_id"),
                "request": response.get("request_id"),
                "tokens_in": usage.get("input_tokens"),
                "tokens_out": usage.get("output_tokens"),
                "calls": calls(output) or None,
                "text": spoken(output) or None,
            }
            self.scribe.say(Raw(name="llm", data={key: value for key, value in facts.items() if value is not None}))

    def _guardrail(self, result: Record) -> None:
        guardrail, output = mapping(result.get("guardrail")), mapping(result.get("output"))
        name = str(guardrail.get("name") or "guardrail")
        triggered = output.get("tripwireTriggered") is True or output.get("behavior") == {"type": "raise_exception"}
        facts = {"guardrail": name, "type": guardrail.get("type"), "triggered": triggered, "output": output or None}
        self.scribe.say(Raw(name="guardrail", data={key: value for key, value in facts.items() if value is not None}))
        if triggered:
            self.scribe.say(Failed(where=name, error="Guardrail tripwire triggered"))


_APPROVALS = ("approvals", "hosted_mcp_approvals")
_OUTPUT = "tool_call_output_item"
_GIVEN = ("arguments", "input", "code", "action", "queries", "operation")


def _name(agent: object) -> str:
    name = mapping(agent).get("name")
    return name if type(name) is str else ""


def _tool(item: Record, raw: Record) -> str:
    name = item.get("tool_name") or raw.get("name")
    return name if type(name) is str else ""
