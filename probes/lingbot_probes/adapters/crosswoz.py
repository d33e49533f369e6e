"""Dialogues of CrossWOZ to signals.

One `CrossWoz` follows one dialogue. What each message becomes:

| message | signals |
|---|---|
| ``usr`` | turn_started |
| act and domain in its ``dialog_act`` | intent_routed (``Inform-餐馆``), without a confidence: an annotation |
| ``sys_state_init`` of ``sys`` | slot_assigned, slot_cleared: what the state became before the wizard touched it |
| ``sys_state`` of ``sys`` | slot_assigned, slot_cleared: the wizard's edits, each an overwrite |
| ``selectedResults`` that are new, or found anew | retrieved: the entities picked, stage "fused" |
| ``sys`` | answered, with the picked entities of the domains that it speaks of |
| ``dialog_act`` | raw |

A slot is ``domain.slot``; "" in the state means empty. ``user_state`` is the goal list of the simulated user, no slots
of the bot: it is left out and counted.
"""

from __future__ import annotations

from lingbot_probes.adapters.dialogue import Dialogue, Record
from lingbot_probes.adapters.fields import items, mapping, text
from lingbot_probes.adapters.rows import called
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import Answered, Doc, IntentRouted, Raw, Retrieved

_PICKED = "selectedResults"
_NAME = "名称"


class CrossWoz(Dialogue):
    """Messages of one dialogue in, numbered signals out."""

    corpus = "crosswoz"

    def __init__(self, dialogue: str, header: Record | None = None) -> None:
        """``header`` holds the dialogue's goal and type."""
        goals = map(items, items((header or {}).get("goal")))
        super().__init__(dialogue, header, [goal[1] for goal in goals if len(goal) > 1])
        self._tasks: dict[str, str] = {}  # domain -> the intent that this turn was routed to for it
        self._before: Record = {}  # the state after the last message of the system

    def tell(self, record: Record) -> None:
        """One message."""
        role, said = record.get("role"), text(record.get("content"), "content")
        acts = [[text(part, "dialog_act") for part in act] for act in items(record.get("dialog_act")) if items(act)]
        if role == "usr":
            self.scribe.open_turn(said)
            self._understood(acts)
            self.scribe.found.left["user_state"] += "user_state" in record
        elif role == "sys":
            self._edited(mapping(record.get("sys_state_init")))
            self._edited(mapping(record.get("sys_state")))
            self._picked(mapping(record.get("sys_state")))
            self.scribe.say(Answered(text=said, docs=tuple(dict.fromkeys(self._used(acts)))))
        else:
            raise SignalError("role", "usr or sys", role)
        if acts:
            self.scribe.say(Raw(name="dialog_act", data=acts))

    def _understood(self, acts: list[list[str]]) -> None:
        self._tasks = {}
        for intent in dict.fromkeys("-".join(act[:2]) for act in acts):
            self.scribe.say(IntentRouted(intent=intent))
        for act in acts:
            if len(act) > 1:
                self._tasks[act[1]] = "-".join(act[:2])

    def _edited(self, state: Record) -> None:
        for domain, slots in state.items():
            for slot, value in mapping(slots).items():
                if slot != _PICKED:
                    held = value if value not in ("", [], None) else None
                    self.write(f"{domain}.{slot}", held, self._tasks.get(domain, ""))

    def _picked(self, state: Record) -> None:
        """A domain's entities are told when they are others than before, or when they were looked for otherwise."""
        for domain, slots in state.items():
            slots = mapping(slots)
            names = [name for name in items(slots.get(_PICKED)) if type(name) is str]
            if names and slots != self._before.get(domain):
                asked = {slot: value for slot, value in slots.items() if slot != _PICKED and value}
                docs = tuple(Doc(id=f"{domain}/{name}", title=name, rank=rank) for rank, name in enumerate(names, 1))
                query = called(domain, asked)
                self.scribe.say(Retrieved(query=query, stage="fused", docs=docs, params={"domain": domain, **asked}))
        if state:
            self._before = state

    def _used(self, acts: list[list[str]]) -> list[str]:
        used = []
        for domain in dict.fromkeys(act[1] for act in acts if len(act) > 1):
            picked = [name for name in items(mapping(self._before.get(domain)).get(_PICKED)) if type(name) is str]
            named = {act[3] for act in acts if len(act) > 3 and act[1:3] == [domain, _NAME]}
            used += [f"{domain}/{name}" for name in picked if name in named or not named & set(picked)]
        return used
