"""Trace blocks of a Dialogflow CX turn: what playbooks did, called and found.

| action | signals |
|---|---|
| a block of a playbook | intent_routed to it; failed where its end state says so |
| playbook or flow invoked, or gone over to | intent_routed; ``invocation`` or ``transition`` = condition |
| intent match | intent_routed with the other matches as candidates |
| flow state update | intent_routed to its page, the event = condition; its parameters |
| tool | retrieved for a data store, else raw ``tool``; failed where it threw |
| utterance of the agent | the answer, where no response message holds it |
| anything else but speech | raw, by its name |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lingbot_probes.adapters.dialogflow_fields import STATES, enum, last, plain
from lingbot_probes.adapters.dialogflow_steps import page_of
from lingbot_probes.adapters.fields import confidence, items
from lingbot_probes.adapters.spelling import Message, got, part, parts, snake, word
from lingbot_probes.signals import Failed, IntentRouted, Raw

if TYPE_CHECKING:
    from lingbot_probes.adapters.dialogflow import Dialogflow

_ACTIONS = 500  # of one turn that are told
_CALLS = {
    "playbookInvocation": ("playbook", "invocation"),
    "flowInvocation": ("flow", "invocation"),
    "playbookTransition": ("playbook", "transition"),
    "flowTransition": ("flow", "transition"),
}
_SPEECH = ("userUtterance", "tts", "stt")
_KEPT = ("event", "llmCall")


def blocks_of(result: Message) -> list[Message]:
    """The trace blocks of a QueryResult; those of older ones stood in ``generativeInfo``."""
    blocks = parts(result, "traceBlocks")
    if blocks:
        return blocks
    older = part(part(result, "generativeInfo"), "actionTracingInfo")
    return [older] if older else []


def playbook_of(result: Message) -> str:
    """The first playbook that a turn tells of; "" for none."""
    for block in parts(result, "traceBlocks"):
        if name := _playbook(block):
            return name
    current = items(got(part(result, "generativeInfo"), "currentPlaybooks"))
    return last(current[0]) if current and type(current[0]) is str else ""


def _playbook(block: Message) -> str:
    about = part(block, "playbookTraceMetadata")
    return word(about, "displayName") or last(word(about, "playbook"))


def tell_blocks(agent: Dialogflow, blocks: list[Message]) -> str:
    """Tell what the blocks of a turn did; returns what the agent said in them."""
    lines: list[str] = []
    count = 0
    for block in blocks:
        playbook = _playbook(block)
        if playbook and playbook != agent.playbook:
            agent.say(IntentRouted(intent=playbook, parent=agent.flow(), predicted_by="PLAYBOOK"))
            agent.playbook = playbook
        for action in parts(block, "actions"):
            count += 1
            if count > _ACTIONS:
                agent.scribe.found.left["actions"] += 1
            else:
                _act(agent, action, lines)
        given, made = plain(got(block, "inputParameters")), plain(got(block, "outputParameters"))
        if given or made:
            agent.say(Raw(name="trace_block", data={"playbook": playbook, "input": given, "output": made}))
        state = _state(got(block, "endState"))
        if state == "FAILED" or state == "CANCELLED":
            agent.say(Failed(where=playbook or "flow", error=f"ended as {state}"))
        elif state == "ESCALATED":
            agent.say(Raw(name="escalated", data={"playbook": playbook}))
    return "\n".join(lines)


def _state(value: object) -> str:
    return enum(value, STATES, "OUTPUT_STATE_")


def _act(agent: Dialogflow, action: Message, lines: list[str]) -> None:
    error = word(part(part(action, "status"), "exception"), "errorMessage")
    if tool := part(action, "toolUse"):
        _tool(agent, tool, error)
        return
    if error:
        agent.say(Failed(where=word(action, "displayName") or "action", error=error))
    if text := word(part(action, "agentUtterance"), "text"):
        lines.append(text)
        return
    for name, (kind, how) in _CALLS.items():
        if call := part(action, name):
            _call(agent, call, kind, how)
            return
    if match := part(action, "intentMatch"):
        _match(agent, match)
    elif update := part(action, "flowStateUpdate"):
        _update(agent, update)
    else:
        for name in _KEPT:
            if held := part(action, name):
                agent.say(Raw(name=snake(name), data=held))


def _tool(agent: Dialogflow, tool: Message, error: str) -> None:
    name = word(tool, "displayName") or last(word(tool, "tool"))
    signals = part(part(tool, "dataStoreToolTrace"), "dataStoreConnectionSignals")
    if signals:
        agent.search(signals)
    data: dict[str, Any] = {"tool": name}
    if action := word(tool, "action"):
        data["action"] = action
    for field, kind in (("inputActionParameters", "input"), ("outputActionParameters", "output")):
        if held := plain(got(tool, field)):
            data[kind] = held
    agent.say(Raw(name="tool", data=data))
    if error:
        agent.say(Failed(where=f"tool {name}" if name else "tool", error=error))


def _call(agent: Dialogflow, call: Message, kind: str, how: str) -> None:
    name = word(call, "displayName") or last(word(call, kind))
    if name:
        agent.say(IntentRouted(intent=name, parent=agent.flow() if how == "invocation" else "", condition=how))
        if how == "transition":
            agent.playbook = name if kind == "playbook" else ""
    given = plain(got(part(call, "playbookInput"), "actionParameters")) or plain(got(call, "inputActionParameters"))
    made = plain(got(part(call, "playbookOutput"), "actionParameters")) or plain(got(call, "outputActionParameters"))
    if given or made:
        agent.say(Raw(name=f"{kind}_{how}", data={kind: name, "input": given, "output": made}))
    if _state(got(call, f"{kind}State")) == "FAILED":
        agent.say(Failed(where=name or kind, error="ended as FAILED"))


def _match(agent: Dialogflow, match: Message) -> None:
    found: dict[str, float | None] = {}
    for item in parts(match, "matchedIntents"):
        if name := word(item, "displayName") or word(item, "intentId"):
            found.setdefault(name, confidence(got(item, "score")))
    ranked = sorted(found.items(), key=lambda pair: -1.0 if pair[1] is None else pair[1], reverse=True)
    if ranked:
        name, sure = ranked[0]
        agent.say(
            IntentRouted(
                intent=name, confidence=sure, candidates=tuple(ranked), parent=agent.flow(), predicted_by="INTENT"
            )
        )


def _update(agent: Dialogflow, update: Message) -> None:
    if changed := plain(got(update, "updatedParameters")):
        agent.write(changed)
    state = part(update, "pageState")
    target = word(update, "destination")
    page = word(state, "page")
    place = page_of(target or page, word(state, "displayName") if not target or target == page else "")
    if place is not None and target:
        agent.enter(place, word(update, "eventType"))
    if called := word(part(update, "functionCall"), "name"):
        agent.say(Raw(name="function_call", data={"function": called}))
