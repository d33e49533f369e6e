"""Dialogues of STAR to signals.

One `Star` follows one dialogue between a user and a wizard who plays the bot. What each event becomes:

| agent, action | signals |
|---|---|
| User ``utter`` | turn_started |
| Wizard ``select_task`` | intent_routed to the task |
| Wizard ``pick_suggestion`` | intent_routed to ``ActionLabel`` (parent = task), candidates = the options; answered |
| Wizard ``utter`` | answered |
| Wizard ``query`` | slot_assigned, slot_cleared as ``API.name`` where a constraint changed; slot_read for each |
| KnowledgeBase ``return_item`` | retrieved: the item, stage "fused"; ``params`` hold how many there were |
| User ``complete`` as the last event | session_ended |
| anything else | raw |

An answer is made from the item that the wizard had before them if a value of it stands in the text. Options have no
confidence; their order is that of the suggestions. Events of the knowledge base carry no time.
"""

from __future__ import annotations

from typing import Any

from lingbot_probes.adapters.dialogue import Dialogue, Record
from lingbot_probes.adapters.fields import instant, items, mapping, name, text
from lingbot_probes.adapters.rows import called, row_doc
from lingbot_probes.signals import Answered, IntentRouted, Numbered, Raw, Retrieved, SessionEnded, SlotRead

_ENVELOPE = frozenset(("Agent", "Action", "UnixTime"))
_SHORT = 3  # characters; a shorter value stands in many a text by chance


class Star(Dialogue):
    """Events of one dialogue in, numbered signals out."""

    corpus = "star"

    def __init__(self, dialogue: str, header: Record | None = None) -> None:
        """``header`` holds the scenario, how far the dialogue came (``CompletionLevel``), the questionnaires."""
        super().__init__(dialogue, header, items(mapping((header or {}).get("Scenario")).get("Domains")))
        self._task = ""
        self._asked: tuple[str, dict[str, Any]] = ("", {})
        self._done: Record | None = None  # a `complete`, until it is known to be the last event

    def stamp(self, record: Record) -> None:
        """The wizard's clock, in seconds; the knowledge base has none."""
        self.scribe.at(instant(record.get("UnixTime")))

    def tell(self, record: Record) -> None:
        """One event."""
        agent, action = name(record.get("Agent"), "Agent"), name(record.get("Action"), "Action")
        said = text(record.get("Text"), "Text")
        done, self._done = self._done, None
        if done is not None:
            self._keep(done)
        if agent == "User" and action == "utter":
            self.scribe.open_turn(said)
        elif agent == "User" and action == "complete":
            self._done = record
        elif agent == "Wizard" and action == "select_task":
            self._task = name(record.get("Task"), "Task")
            self.scribe.say(IntentRouted(intent=self._task))
        elif agent == "Wizard" and action in ("pick_suggestion", "utter"):
            self._answered(record, said)
        elif agent == "Wizard" and action == "query":
            self._queried(record)
        elif agent == "KnowledgeBase" and action == "return_item":
            self._returned(record)
        else:
            self._keep(record)

    def end(self) -> list[Numbered]:
        """No more events for now: the user's `complete` was the end."""
        done, self._done = self._done, None
        if done is not None:
            self.scribe.say(SessionEnded(reason="complete"))
        return self.scribe.taken()

    def _keep(self, event: Record) -> None:
        data = {key: value for key, value in event.items() if key not in _ENVELOPE}
        self.scribe.say(Raw(name=f"{event['Agent']} {event['Action']}", data=data or None))

    def _answered(self, event: Record, said: str) -> None:
        label = text(event.get("ActionLabel"), "ActionLabel")
        if label:
            options = [option for option in items(event.get("ActionLabelOptions")) if type(option) is str and option]
            candidates = tuple((option, None) for option in dict.fromkeys(options))
            parent = self._task if self._task != label else ""
            self.scribe.say(IntentRouted(intent=label, candidates=candidates, parent=parent))
        docs = []
        for key in ("PrimaryItem", "SecondaryItem"):
            item = mapping(event.get(key))
            if any(_stands(value, said) for field, value in item.items() if field != "APIName"):
                docs.append(row_doc(_api(item) or self._asked[0], item, 0).id)
        self.scribe.say(Answered(text=said, docs=tuple(dict.fromkeys(docs))))

    def _queried(self, event: Record) -> None:
        api = name(event.get("APIName"), "APIName")
        said: dict[str, list[Any]] = {}
        for constraint in map(mapping, items(event.get("Constraints"))):
            for field, value in constraint.items():
                said.setdefault(field, []).append(value)
        constraints = {field: values[0] if len(values) == 1 else values for field, values in said.items()}
        self._asked = (api, constraints)
        for slot in [slot for slot in self._held if slot.startswith(f"{api}.") and slot[len(api) + 1 :] not in said]:
            self.write(slot, None, self._task)
        for field, value in constraints.items():
            self.write(f"{api}.{field}", value, self._task)
        for field, value in constraints.items():
            if value is not None:
                self.scribe.say(SlotRead(slot=f"{api}.{field}", reader=api, task=self._task))
        if not constraints:
            self._keep(event)

    def _returned(self, event: Record) -> None:
        api = text(event.get("APIName"), "APIName")
        constraints = self._asked[1] if self._asked[0] == api else {}
        item = mapping(event.get("Item"))
        self.scribe.say(
            Retrieved(
                query=called(api, constraints),
                stage="fused",
                docs=(row_doc(_api(item) or api, item, 1),) if item else (),
                params={"api": api, "total": event.get("TotalItems"), "constraints": constraints},
            )
        )


def _api(item: Record) -> str:
    api = item.get("APIName")
    return api if type(api) is str else ""


def _stands(value: object, said: str) -> bool:
    return type(value) is str and len(value) > _SHORT and value.lower() in said.lower()
