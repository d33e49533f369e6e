"""Rasa events (1.x to 3.x and CALM) to signals.

One `Rasa` follows one sender. What each event becomes:

| event | signals |
|---|---|
| ``user`` | turn_started, intent_routed (parent = the active form or flow), raw ``entities`` and ``commands`` |
| ``bot``, ``agent`` | answered; raw ``bot`` where there are buttons, images or attachments |
| ``slot`` | slot_assigned, or slot_cleared for null; its task is the active form or flow |
| ``reset_slots`` | slot_cleared for each slot that holds a value |
| ``active_loop``, ``form`` | intent_routed to the form; it is the task of what follows |
| ``action`` of the active form | intent_routed to it again, the slot that it still asks for = missing |
| ``flow_started``, ``flow_resumed`` | intent_routed to the flow |
| ``stack`` | raw, with the stack it makes; intent_routed to the flow on top where the slot it asks for is missing |
| ``action_execution_rejected`` | failed |
| ``restart``, ``rewind``, ``undo`` | undone, back to the last signal that still holds |
| ``session_started`` | a new session (``sender#2`` ...) once somebody has spoken |
| ``session_ended`` | session_ended |
| anything else, also unknown names | raw, as it came |

Events of Rasa Mantle, which are nested, are made flat first (`rasa_mantle`).
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from lingbot_probes.adapters.fields import confidence, instant, items, mapping, name, text
from lingbot_probes.adapters.inner_json import inner
from lingbot_probes.adapters.rasa_mantle import flat, payload_of
from lingbot_probes.adapters.rasa_stack import after, shown, top_of
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.codec import MAX_SESSION_ID, SignalError
from lingbot_probes.long_ids import shortened
from lingbot_probes.signals import (
    Answered,
    Failed,
    IntentRouted,
    Numbered,
    Raw,
    SessionEnded,
    SessionStarted,
    SlotAssigned,
    SlotCleared,
    Undone,
)

_SESSION_START = "action_session_start"
_ENVELOPE = frozenset(("event", "timestamp", "sender_id"))
_STACK = "\0stack"  # what a change of the stack is remembered by, beside changes of slots
_NESTED = 64  # flows within flows that are followed
_UNDOABLE = 10_000  # records that a rewind can reach back over; bounds what a sender of any length costs

Event = Mapping[str, Any]


class Rasa:
    """Events of one sender in, numbered signals out. ``scribe`` is the session that it is in.

    ``sessions`` counts the sender's sessions so far; ``spoken`` is whether somebody has spoken in this one.
    """

    def __init__(self, sender: str, slots: Mapping[str, Any] | None = None) -> None:
        """``slots`` are the tracker dump's: what no event sets was there from the start, and is told as such."""
        self._sender = shortened(sender)
        self.sessions = 0
        self._initial = dict(slots or {})
        self._held: Event | None = None
        self._begin()

    def _begin(self) -> None:
        self.sessions += 1
        number = "" if self.sessions == 1 else f"#{self.sessions}"
        self.scribe = Scribe(self._sender[: MAX_SESSION_ID - len(number)] + number)
        self.spoken = False
        self._slots: dict[str, Any] = {}
        self._form_name = ""
        self._flows: list[str] = []
        self._flowing = False  # flows are told by events of their own
        self._frames: list[Any] = []
        self._last_action: tuple[str, float | None, str] = ("", None, "")
        # (event, the number before it, slots and form as they were before it): what rewind and undo go back over
        self._applied: deque[tuple[str, int, tuple[tuple[str, Any], ...]]] = deque(maxlen=_UNDOABLE)

    def take(self, event: object) -> list[Numbered]:
        """The signals of one event. Raises ``SignalError`` for what is no event; call ``skip`` then and go on.

        They all belong to ``scribe.session``; the one that begins a new session changes ``scribe``.
        """
        if type(event) is not dict:
            raise SignalError("event", "a mapping", event)
        if payload := payload_of(event):
            event = flat(event, payload)
        kind = name(event.get("event"), "event")
        if kind == "session_started":
            return self._session_started(event)
        held, self._held = self._held, None
        if held is not None:
            self._tell("action", held)
        if kind == "action" and event.get("name") == _SESSION_START:
            self._held = event  # it belongs to the session that the next event may begin
            return self.scribe.taken()
        self._tell(kind, event)
        return self.scribe.taken()

    def skip(self) -> list[Numbered]:
        """Leave a hole for an event that could not be read; hands over what was said before it."""
        out = self.end()
        if not self.scribe.n:
            self._open({})
            out = self.scribe.taken()
        self.scribe.skip()
        return out

    def end(self) -> list[Numbered]:
        """No more events for now: what was held back."""
        held, self._held = self._held, None
        if held is not None:
            self._tell("action", held)
        return self.scribe.taken()

    # --- sessions ------------------------------------------------------------------------------------------------

    def _session_started(self, event: Event) -> list[Numbered]:
        if self.spoken:
            self._begin()
        held, self._held = self._held, None
        if held is not None:
            self._tell("action", held)
        self._open(event)
        if any(value for key, value in event.items() if key not in _ENVELOPE):
            self._keep("session_started", event)
        return self.scribe.taken()

    def _open(self, event: Event) -> None:
        scribe = self.scribe
        scribe.at(instant(event.get("timestamp")))
        if scribe.n:
            return
        meta: dict[str, Any] = {"framework": "rasa", "sender": self._sender}
        initial = {slot: value for slot, value in self._initial.items() if value is not None}
        if initial:
            meta["slots"] = initial
        scribe.say(SessionStarted(meta=meta))

    def _tell(self, kind: str, event: Event) -> None:
        self._open(event)
        before = self.scribe.n
        handler = _HANDLERS.get(kind)
        if handler is None:
            self._keep(kind, event)
        else:
            handler(self, event)
        if kind in ("user", "action"):
            self._applied.append((kind, before, ()))

    def _keep(self, kind: str, event: Event) -> None:
        self.scribe.say(Raw(name=kind, data={key: value for key, value in event.items() if key not in _ENVELOPE}))

    # --- who said what -------------------------------------------------------------------------------------------

    def _user(self, event: Event) -> None:
        said = text(event.get("text"), "user.text")
        parsed = mapping(event.get("parse_data"))
        scribe = self.scribe
        self.spoken = True
        scribe.open_turn(said or text(parsed.get("text"), "user.parse_data.text"))
        intent = mapping(parsed.get("intent"))
        intent_name = intent.get("name")
        if type(intent_name) is str and intent_name:
            ranking = []
            for item in items(parsed.get("intent_ranking")):
                if type(item) is dict and type(item.get("name")) is str:
                    sure = confidence(item.get("confidence"))
                    if sure is not None and item["name"]:
                        ranking.append((item["name"], sure))
            scribe.say(
                IntentRouted(
                    intent=intent_name,
                    confidence=confidence(intent.get("confidence")),
                    candidates=tuple(ranking),
                    parent=self._task(),
                )
            )
        entities = items(parsed.get("entities"))
        if entities:
            scribe.say(Raw(name="entities", data=entities))
        commands = items(parsed.get("commands"))
        if commands:
            scribe.say(Raw(name="commands", data=commands))
        if event.get("metadata"):
            scribe.found.left["metadata"] += 1

    def _bot(self, event: Event) -> None:
        rich = {key: value for key, value in mapping(event.get("data")).items() if value}
        said = text(event.get("text"), "bot.text")
        self.spoken = True
        self.scribe.say(Answered(text=said or (f"[{', '.join(rich)}]" if rich else "")))
        if rich:
            self.scribe.say(Raw(name="bot", data=rich))
        if event.get("metadata"):
            self.scribe.found.left["metadata"] += 1

    def _agent(self, event: Event) -> None:
        self.spoken = True
        self.scribe.say(Answered(text=text(event.get("text"), "agent.text")))
        self._keep("agent", event)

    # --- flow ----------------------------------------------------------------------------------------------------

    def _task(self) -> str:
        return self._form_name or (self._flows[-1] if self._flows else top_of(self._frames).flow)

    def _action(self, event: Event) -> None:
        action = text(event.get("name"), "action.name")
        sure = confidence(event.get("confidence"))
        policy = _policy(event)
        self._last_action = (action, sure, policy)
        if action and action == self._form_name:
            asked = self._slots.get("requested_slot")
            missing = (asked,) if type(asked) is str and asked and self._slots.get(asked) is None else ()
            self.scribe.say(IntentRouted(intent=action, confidence=sure, predicted_by=policy, missing=missing))
        else:
            self._keep("action", event)

    def _form(self, event: Event) -> None:
        form = text(event.get("name"), "form.name")
        before = self.scribe.n
        old = self._form_name
        if form and form != old:
            action, sure, policy = self._last_action
            mine = action == form
            self.scribe.say(
                IntentRouted(intent=form, confidence=sure if mine else None, predicted_by=policy if mine else "")
            )
        else:
            self._keep(str(event["event"]), event)
        self._form_name = form
        self._applied.append(("form", before, (("", old),)))

    def _rejected(self, event: Event) -> None:
        action = text(event.get("name"), "action_execution_rejected.name")
        policy = _policy(event)
        by = f" (chosen by {policy})" if policy else ""
        self.scribe.say(Failed(where=action or "action", error=f"the action's execution was rejected{by}"))

    def _flow(self, event: Event) -> None:
        flow = name(event.get("flow_id"), "flow_id")
        step = text(event.get("step_id"), "step_id")
        outer = self._flows[-1] if self._flows else ""
        if flow in self._flows:
            del self._flows[self._flows.index(flow) :]
            outer = self._flows[-1] if self._flows else ""
        self._flows = [*self._flows[1 - _NESTED :], flow]
        self._flowing = True
        self.scribe.say(IntentRouted(intent=flow, parent=outer, condition=step))

    def _flow_over(self, event: Event) -> None:
        flow = text(event.get("flow_id"), "flow_id")
        if flow in self._flows:
            del self._flows[self._flows.index(flow) :]
        self._keep(str(event["event"]), event)

    def _stack(self, event: Event) -> None:
        update = event.get("update")
        if type(update) is str:
            with contextlib.suppress(ValueError):  # then it is kept as the text it is
                update = inner(update)
        before, old = self.scribe.n, self._frames
        frames = after(old, update)
        if frames is None:
            self.scribe.found.left["stack"] += 1
            self.scribe.say(Raw(name="stack", data=update))
            return
        self._frames = frames
        self.scribe.say(Raw(name="stack", data={"update": update, "stack": shown(frames)}))
        top, was = top_of(frames), top_of(old)
        if top.flow and not self._flowing and top.flow != was.flow:
            self.scribe.say(IntentRouted(intent=top.flow, parent=top.outer, condition=top.step))
        if top.asked and top.frame != was.frame and self._slots.get(top.asked) is None:
            task = top.flow or self._task()
            if task:  # the flow is where it was and still wants the slot
                self.scribe.say(IntentRouted(intent=task, condition=top.step, missing=(top.asked,)))
        self._applied.append(("stack", before, ((_STACK, old),)))

    # --- state ---------------------------------------------------------------------------------------------------

    def _slot(self, event: Event) -> None:
        slot = name(event.get("name"), "slot.name")
        value = event.get("value")
        old = self._slots.get(slot)
        if value is None:
            self.scribe.say(SlotCleared(slot=slot, task=self._task()))
        else:
            self.scribe.say(SlotAssigned(slot=slot, value=value, task=self._task()))
        self._slots[slot] = value
        self._applied.append(("slot", self.scribe.n - 1, ((slot, old),)))

    def _reset_slots(self, event: Event) -> None:
        before = self.scribe.n
        held = [(slot, value) for slot, value in self._slots.items() if value is not None]
        for slot, _ in held:
            self.scribe.say(SlotCleared(slot=slot, task=self._task()))
        if not held:
            self._keep("reset_slots", event)
        self._slots = {}
        self._applied.append(("reset_slots", before, tuple(held)))

    # --- what no longer holds ------------------------------------------------------------------------------------

    def _session_ended(self, event: Event) -> None:
        metadata = mapping(event.get("metadata"))
        reason = metadata.get("reason")
        self.scribe.say(SessionEnded(reason=reason if type(reason) is str else ""))
        if metadata:
            self._keep("session_ended", event)

    def _restart(self, event: Event) -> None:
        self.scribe.say(Undone(to=1, why="restart"))  # 1: that the session started still holds
        self._applied.clear()
        self._slots = {}
        self._form_name = ""
        self._flows = []
        self._frames = []

    def _rewind(self, event: Event) -> None:
        """Back over the last user message and the action (the listening) before it."""
        to = self._back_over("user", self.scribe.n)
        self.scribe.say(Undone(to=self._back_over("action", to), why="rewind"))

    def _undo(self, event: Event) -> None:
        """Back over the last action."""
        self.scribe.say(Undone(to=self._back_over("action", self.scribe.n), why="undo"))

    def _back_over(self, kind: str, to: int) -> int:
        """Take back what was applied up to and with the last ``kind``, all of it if there is none."""
        while self._applied:
            event, before, changed = self._applied.pop()
            to = before
            for slot, old in changed:
                if slot == _STACK:
                    self._frames = old if type(old) is list else []
                elif slot:
                    self._slots[slot] = old
                else:
                    self._form_name = old
            if event == kind:
                break
        return max(to, 1)


_HANDLERS: dict[str, Callable[[Rasa, Event], None]] = {
    "user": Rasa._user,
    "bot": Rasa._bot,
    "agent": Rasa._agent,
    "slot": Rasa._slot,
    "reset_slots": Rasa._reset_slots,
    "action": Rasa._action,
    "active_loop": Rasa._form,
    "form": Rasa._form,
    "action_execution_rejected": Rasa._rejected,
    "flow_started": Rasa._flow,
    "flow_resumed": Rasa._flow,
    "flow_completed": Rasa._flow_over,
    "flow_cancelled": Rasa._flow_over,
    "stack": Rasa._stack,
    "rewind": Rasa._rewind,
    "undo": Rasa._undo,
    "restart": Rasa._restart,
    "session_ended": Rasa._session_ended,
}


def _policy(event: Event) -> str:
    policy = event.get("policy")
    return policy if type(policy) is str else ""
