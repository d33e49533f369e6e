"""Trajectories of agents (ATIF, the Agent Trajectory Interchange Format) to signals: a record is a step.

| step | signals |
|---|---|
| of the user | turn_started |
| of the agent | intent_routed to it, once in each turn; raw ``llm``; answered where it calls no tool |
| a tool's call, with what was observed of it | raw ``tool``; retrieved where that is a list of documents |
| an observation without a call | raw ``observation`` |
| of the system | raw ``system`` |

What an agent says while it calls a tool is kept with the step and is no answer: whether the user saw it isn't recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lingbot_probes.adapters.dialogue import Dialogue, Record
from lingbot_probes.adapters.fields import instant, items, mapping, name
from lingbot_probes.adapters.openai_agents_words import found_docs, query_of, said, value_of
from lingbot_probes.adapters.stages import stage_of
from lingbot_probes.signals import Answered, IntentRouted, Raw, Retrieved

_ABOUT = ("name", "version", "model_name")


class Atif(Dialogue):
    """Steps of one trajectory in, numbered signals out."""

    corpus = "atif"

    def __init__(self, dialogue: str, header: Mapping[str, Any]) -> None:
        """``dialogue`` is the session's id, ``header`` the trajectory without its steps."""
        agent = mapping(header.get("agent"))
        told = {key: agent[key] for key in _ABOUT if type(agent.get(key)) is str}
        version = header.get("schema_version")
        super().__init__(dialogue, {"schema": version, "agent": told}, (told.get("name"),))
        self._agent = told.get("name") or "agent"
        self._routed = False
        self.scribe.found.left["header"] += any(key not in (*_ABOUT, "extra") for key in agent)

    def stamp(self, record: Record) -> None:
        """A step says when it was made."""
        self.scribe.at(instant(record.get("timestamp")))

    def tell(self, record: Record) -> None:
        """Say what a step means."""
        source = name(record.get("source"), "source")
        words, scribe = said(record.get("message")), self.scribe
        if source == "user":
            self._routed = False
            scribe.open_turn(words)
            return
        if not scribe.turns:
            scribe.open_turn("")
        if source != "agent":
            scribe.say(Raw(name=source, data={"text": words}))
            self._observed(record, {})
            return
        if not self._routed:
            self._routed = True
            scribe.say(IntentRouted(intent=self._agent))
        calls = {}
        for call in items(record.get("tool_calls")):
            calls[str(mapping(call).get("tool_call_id"))] = mapping(call)
        self._thought(record, words if calls else "", [_tool(call) for call in calls.values()])
        self._observed(record, calls)
        if words and not calls:
            scribe.say(Answered(text=words))

    def _thought(self, record: Record, words: str, calls: list[str]) -> None:
        metrics = mapping(record.get("metrics"))
        facts = {
            "model": record.get("model_name"),
            "tokens_in": metrics.get("prompt_tokens"),
            "tokens_out": metrics.get("completion_tokens"),
            "cost_usd": metrics.get("cost_usd"),
            "calls": calls or None,
            "text": words or None,
            "reasoning": record.get("reasoning_content"),
        }
        self.scribe.say(Raw(name="llm", data={key: value for key, value in facts.items() if value is not None}))

    def _observed(self, record: Record, calls: dict[str, Mapping[str, Any]]) -> None:
        """Each call with what came of it, in the order of the calls; what belongs to none comes after them."""
        results: dict[str, list[Any]] = {}
        others = []
        for result in items(mapping(record.get("observation")).get("results")):
            call = str(mapping(result).get("source_call_id"))
            if call in calls:
                results.setdefault(call, []).append(result)
            else:
                others.append(result)
        for id, made in calls.items():
            self._called(id, made, results.get(id, []))
        for result in others:
            self.scribe.say(Raw(name="observation", data=result))

    def _called(self, id: str, call: Mapping[str, Any], results: list[Any]) -> None:
        tool, arguments = _tool(call), value_of(call.get("arguments"))
        told = [value_of(said(mapping(result).get("content"))) for result in results]
        result = told[0] if len(told) == 1 else told or None
        docs = found_docs(result, sure=False)
        if docs is not None:
            params = {"retriever": tool}
            self.scribe.say(Retrieved(query=query_of(arguments), stage=stage_of(tool), docs=docs, params=params))
        refs = [ref for held in results if (ref := mapping(held).get("subagent_trajectory_ref"))]
        facts = {"tool": tool, "arguments": arguments, "result": result, "call": id, "subagents": refs or None}
        self.scribe.say(Raw(name="tool", data={key: value for key, value in facts.items() if value is not None}))


def _tool(call: Mapping[str, Any]) -> str:
    tool = call.get("function_name")
    return tool if type(tool) is str and tool else "tool"
