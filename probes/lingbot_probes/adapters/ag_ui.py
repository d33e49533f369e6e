"""Events of the AG-UI protocol (1.0 and before) to signals.

One `AgUi` follows one thread. What each event becomes:

| event | signals |
|---|---|
| ``RUN_STARTED`` | turn_started with the last message of the user; the state that the run was given |
| ``STATE_SNAPSHOT`` | slot_assigned, slot_cleared for each member of the state that changed |
| ``STATE_DELTA`` | the same, of the state after its JSON Patch; failed where it does not fit |
| ``STEP_STARTED`` | intent_routed to the step |
| ``TEXT_MESSAGE_*`` | answered, once the message is whole |
| ``TOOL_CALL_*`` | raw ``tool``; retrieved where its result is a list of documents |
| ``MESSAGES_SNAPSHOT`` | the user's words, or the answer, where no event told them |
| ``RUN_ERROR`` | failed |
| ``RUN_FINISHED`` | raw ``interrupt``, ``result`` |
| ``CUSTOM`` and unknown names | raw |

Reasoning, activities and the framework's own events (``RAW``) are counted and left out. A member of the state is told
within the bounds of a probe's event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lingbot_probes.adapters.fields import instant, items, mapping, name
from lingbot_probes.adapters.json_patch import PatchError, applied, same, tokens
from lingbot_probes.adapters.openai_agents_words import found_docs, query_of, value_of
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.adapters.spelling import Message, got, part, parts, word
from lingbot_probes.adapters.stages import stage_of
from lingbot_probes.capture import Room, captured
from lingbot_probes.codec import MAX_SESSION_ID, SignalError
from lingbot_probes.signals import (
    Answered,
    Failed,
    IntentRouted,
    Numbered,
    Raw,
    Retrieved,
    SessionStarted,
    SlotAssigned,
    SlotCleared,
    TurnStarted,
)

UNHEARD = "[content not captured]"
"""What stands for an utterance that no event tells."""

_LONGEST = 1 << 20  # characters of a message, or of a call's arguments, that are put together
_OPEN = 1_000  # messages and calls that are put together at a time
_MILLISECONDS = 1e11  # a time from here on is none in seconds
_STATE = "state"  # the slot of a state that is no object


class AgUi:
    """Events of one thread in, numbered signals out."""

    def __init__(self, thread: str) -> None:
        """``thread`` is the session's id."""
        self.scribe = Scribe(thread[:MAX_SESSION_ID])
        self._state: Any = {}
        self._run = ""
        self._unheard = False
        self._answered = False
        self._texts: dict[str, list[str]] = {}
        self._calls: dict[str, dict[str, Any]] = {}
        self._chunk = ""  # the message or call that a chunk without an id goes on with

    def take(self, event: object) -> list[Numbered]:
        """The signals of one event. Raises ``SignalError`` for what is none; call ``skip`` then and go on."""
        if type(event) is not dict:
            raise SignalError("event", "a mapping", event)
        kind = name(event.get("type"), "type")
        self._stamp(event.get("timestamp"))
        self._open()
        handler = _HANDLERS.get(kind)
        if handler is not None:
            handler(self, event)
        elif kind.startswith(("REASONING_", "THINKING_")):
            self.scribe.found.left["reasoning"] += 1
        elif kind == "RAW" or kind.startswith("ACTIVITY_"):
            self.scribe.found.left["activities"] += 1
        else:
            self.scribe.say(Raw(name=kind, data={key: held for key, held in event.items() if key not in _ENVELOPE}))
        return self.scribe.taken()

    def skip(self) -> list[Numbered]:
        """Leave a hole for an event that could not be read; hands over what was said before it."""
        self._open()
        self.scribe.skip()
        return self.scribe.taken()

    def end(self) -> list[Numbered]:
        """No more events for now: what was begun is told as far as it came."""
        self._settle()
        return self.scribe.taken()

    def _stamp(self, value: object) -> None:
        at = value if type(value) is not int and type(value) is not float else float(value)
        self.scribe.at_if_timed(instant(at / 1000 if type(at) is float and at > _MILLISECONDS else at))

    def _open(self) -> None:
        if not self.scribe.n:
            self.scribe.say(SessionStarted(meta={"framework": "ag-ui"}))

    def _settle(self) -> None:
        """What was not ended is told as it stands."""
        for message in list(self._texts):
            self._say(message)
        for call in list(self._calls):
            self._called(call)

    # --- runs ----------------------------------------------------------------------------------------------------

    def _started(self, event: Message) -> None:
        self._settle()
        if self._run and got(event, "parentRunId") == self._run:
            self.scribe.say(Raw(name="run", data={"runId": got(event, "runId"), "parentRunId": self._run}))
            return  # an agent within the run: no move of the user's
        self._run = word(event, "runId")
        self._answered = False
        given = part(event, "input")
        said = _last(parts(given, "messages"), "user")
        self._unheard = said is None
        self.scribe.open_turn(UNHEARD if said is None else said)
        self.scribe.found.left["unheard"] += self._unheard
        if got(given, "state") is not None:
            self._became(got(given, "state"))

    def _finished(self, event: Message) -> None:
        self._settle()
        self._run = ""
        outcome, interrupt = got(event, "outcome"), got(event, "interrupt")
        kind = outcome.get("type") if type(outcome) is dict else outcome
        if interrupt or kind == "interrupt":
            self.scribe.say(Raw(name="interrupt", data=interrupt or outcome))
        elif type(kind) is str and kind not in ("", "success"):
            self.scribe.say(Failed(where="run", error=kind))
        if got(event, "result") is not None:
            self.scribe.say(Raw(name="result", data=got(event, "result")))

    def _failed(self, event: Message) -> None:
        self._settle()
        self._run = ""
        code, said = event.get("code"), word(event, "message")
        named = str(code)[:100] if type(code) in (str, int) and code != "" else ""
        self.scribe.say(Failed(where="run", error=": ".join(filter(None, (named, said))) or "the run failed"))

    def _step(self, event: Message) -> None:
        self.scribe.say(IntentRouted(intent=name(got(event, "stepName"), "stepName")))

    # --- state ---------------------------------------------------------------------------------------------------

    def _snapshot(self, event: Message) -> None:
        self._became(event.get("snapshot"))

    def _delta(self, event: Message) -> None:
        delta = event.get("delta")
        try:
            self._became(applied(self._state, delta), _touched(delta))
        except PatchError as why:
            self.scribe.found.left["deltas"] += 1
            self.scribe.say(Failed(where=_STATE, error=f"the delta does not fit the state: {why}"))
            self.scribe.say(Raw(name="STATE_DELTA", data=delta))

    def _became(self, state: Any, touched: dict[str, None] | None = None) -> None:
        """The state is ``state``: each member that changed is told; ``touched`` are those that may have."""
        old, new = _slots(self._state), _slots(state)
        if new is not state or old is not self._state:
            touched = None  # a state that is no object is one slot
        self._state = state
        for slot in touched if touched is not None else dict.fromkeys((*new, *old)):
            if not slot:
                continue  # a slot has a name
            value, before = new.get(slot), old.get(slot)
            if value is None:
                if before is not None:
                    self.scribe.say(SlotCleared(slot=slot))
            elif before is not value and not same(before, value):
                told = captured(value, Room())  # a small delta of a large value tells the value again each time
                self.scribe.found.left["large_values"] += told != value
                self.scribe.say(SlotAssigned(slot=slot, value=told, scope="session"))

    # --- messages ------------------------------------------------------------------------------------------------

    def _text(self, event: Message) -> None:
        kind = str(event["type"])
        message = word(event, "messageId") or (self._chunk if kind.endswith("CHUNK") else "")
        if kind.endswith("END"):
            self._say(message)
            return
        role = word(event, "role")
        if kind.endswith("CHUNK"):
            if message != self._chunk:
                self._say(self._chunk)
            self._chunk = message
        if message not in self._texts:
            if len(self._texts) >= _OPEN:
                self._say(next(iter(self._texts)))
            self._texts[message] = [role or "assistant"]
        _join(self._texts[message], event.get("delta"))

    def _say(self, message: str) -> None:
        held = self._texts.pop(message, None)
        if held is None:
            return
        text = "".join(held[1:])
        if held[0] == "user":
            self._heard(text)
        elif held[0] == "assistant" and text:
            self._answered = True
            self.scribe.say(Answered(text=text))

    def _messages(self, event: Message) -> None:
        """All messages so far: what of this run's was told by no other event is told by it."""
        held = parts(event, "messages")
        said = _last(held, "user")
        if said:
            self._heard(said)
        since = next((i for i in range(len(held), 0, -1) if word(held[i - 1], "role") == "user"), 0)
        answer = _last(held[since:], "assistant")
        if answer and not self._answered and not self._texts:
            self._answered = True
            self.scribe.say(Answered(text=answer))

    def _heard(self, text: str) -> None:
        if text and self._unheard:
            self._unheard = False
            found = self.scribe.found
            found.left["unheard"] -= 1
            self.scribe.say(TurnStarted(turn=self.scribe.turn, utterance=text))
            found.said["turn_started"] -= 1  # the same turn, told with its words

    # --- tools ---------------------------------------------------------------------------------------------------

    def _call(self, event: Message) -> None:
        kind = str(event["type"])
        call = word(event, "toolCallId") or (self._chunk if kind.endswith("CHUNK") else "")
        if kind.endswith("RESULT"):
            self._calls.setdefault(call, {"tool": "", "arguments": [""]})["result"] = value_of(event.get("content"))
            self._called(call)
            return
        if kind.endswith("END"):
            return  # its result is still to come
        if kind.endswith("CHUNK"):
            self._chunk = call
        if call not in self._calls:
            if len(self._calls) >= _OPEN:
                self._called(next(iter(self._calls)))
            self._calls[call] = {"tool": word(event, "toolCallName"), "arguments": [""]}
        _join(self._calls[call]["arguments"], event.get("delta"))

    def _called(self, call: str) -> None:
        held = self._calls.pop(call)
        arguments = value_of("".join(held["arguments"]))
        result = held.get("result")
        docs = found_docs(result, sure=False)
        if docs:
            stage = stage_of(held["tool"])
            self.scribe.say(Retrieved(query=query_of(arguments), stage=stage, docs=docs, params={"tool": held["tool"]}))
        data = {"tool": held["tool"], "arguments": arguments, "result": None if docs else result}
        self.scribe.say(Raw(name="tool", data={key: value for key, value in data.items() if value not in (None, "")}))

    def _custom(self, event: Message) -> None:
        self.scribe.say(Raw(name=word(event, "name") or "CUSTOM", data=event.get("value")))

    def _nothing(self, event: Message) -> None:
        """The end of a step says nothing of what comes next."""


_ENVELOPE = frozenset(("type", "timestamp", "rawEvent", "raw_event"))

_HANDLERS: Mapping[str, Callable[[AgUi, Message], None]] = {
    "RUN_STARTED": AgUi._started,
    "RUN_FINISHED": AgUi._finished,
    "RUN_ERROR": AgUi._failed,
    "STEP_STARTED": AgUi._step,
    "STEP_FINISHED": AgUi._nothing,
    "STATE_SNAPSHOT": AgUi._snapshot,
    "STATE_DELTA": AgUi._delta,
    "MESSAGES_SNAPSHOT": AgUi._messages,
    "TEXT_MESSAGE_START": AgUi._text,
    "TEXT_MESSAGE_CONTENT": AgUi._text,
    "TEXT_MESSAGE_CHUNK": AgUi._text,
    "TEXT_MESSAGE_END": AgUi._text,
    "TOOL_CALL_START": AgUi._call,
    "TOOL_CALL_ARGS": AgUi._call,
    "TOOL_CALL_CHUNK": AgUi._call,
    "TOOL_CALL_END": AgUi._call,
    "TOOL_CALL_RESULT": AgUi._call,
    "CUSTOM": AgUi._custom,
}

KINDS = frozenset(_HANDLERS) - {"CUSTOM"}
"""Names that no other recording's events have."""


def _slots(state: Any) -> dict[str, Any]:
    if type(state) is dict:
        return state
    return {} if state is None else {_STATE: state}


def _touched(delta: Any) -> dict[str, None] | None:
    """The members of the state that a patch changes, in order; ``None`` where that may be all of them."""
    out: dict[str, None] = {}
    for operation in delta:
        for pointer in (operation["path"], operation.get("from")):
            if type(pointer) is str:
                parts = tokens(pointer)
                if not parts:
                    return None
                out[parts[0]] = None
    return out


def _join(held: list[str], delta: object) -> None:
    """One more piece of a text, as far as it is not too long already."""
    if type(delta) is str and delta and len(delta) + sum(map(len, held[-1:])) <= _LONGEST:
        if len(held) > 1 and len(held[-1]) < 4096:
            held[-1] += delta  # few long pieces instead of many short ones
        elif len(held) * 4096 <= _LONGEST:
            held.append(delta)


def _last(messages: list[Message], role: str) -> str | None:
    """The words of the last message of ``role``; ``None`` where there is none with words."""
    for message in reversed(messages):
        if word(message, "role") == role and (text := _words(message.get("content"))):
            return text
    return None


def _words(content: object) -> str:
    if type(content) is str:
        return content
    pieces = [mapping(item).get("text") for item in items(content)]
    return "\n".join(piece for piece in pieces if type(piece) is str and piece)
