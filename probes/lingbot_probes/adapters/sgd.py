"""Dialogues of the Schema-Guided Dialogue corpus to signals (MultiWOZ from 2.2 on has the same shape).

One `SchemaGuided` follows one dialogue. What each turn becomes:

| turn | signals |
|---|---|
| ``USER`` | turn_started |
| its frame's ``active_intent``, unless "NONE" | intent_routed, without a confidence: it is an annotation |
| its frame's ``slot_values`` | slot_assigned or slot_cleared as ``service.slot``, where the state changed |
| ``SYSTEM`` | answered, with the row whose values it names |
| its frame's ``service_call`` | slot_read for each parameter that a slot holds |
| its frame's ``service_results`` | retrieved: the service's one list, stage "fused" |
| its act ``NOTIFY_FAILURE`` | failed |
| ``actions``, ``requested_slots`` | raw |

The state lists several spellings of one value. The first one stands for all of them for as long as the list holds it.
"""

from __future__ import annotations

from typing import Any

from lingbot_probes.adapters.dialogue import Dialogue, Record
from lingbot_probes.adapters.fields import items, mapping, text
from lingbot_probes.adapters.rows import called, plain, row_doc
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import Answered, Failed, IntentRouted, Raw, Retrieved, SlotRead

_NONE = "NONE"
_NAMING = ("OFFER", "INFORM")


class SchemaGuided(Dialogue):
    """Turns of one dialogue in, numbered signals out."""

    corpus = "sgd"

    def __init__(self, dialogue: str, header: Record | None = None) -> None:
        """``header`` holds the dialogue's ``services``."""
        super().__init__(dialogue, header, items((header or {}).get("services")))
        self._rows: dict[str, list[tuple[str, Record]]] = {}  # service -> (document, row) of its last results
        self._calls: dict[str, str] = {}

    def tell(self, record: Record) -> None:
        """One turn."""
        speaker, said = record.get("speaker"), text(record.get("utterance"), "utterance")
        frames = [(text(frame.get("service"), "service"), frame) for frame in map(mapping, items(record.get("frames")))]
        if speaker not in ("USER", "SYSTEM"):
            raise SignalError("speaker", "USER or SYSTEM", speaker)
        scribe = self.scribe
        if speaker == "USER":
            scribe.open_turn(said)
            for service, frame in frames:
                self._understood(service, mapping(frame.get("state")))
        else:
            docs: dict[str, None] = {}
            for service, frame in frames:
                self._served(service, frame)
                docs.update(dict.fromkeys(self._named(service, frame)))
            scribe.say(Answered(text=said, docs=tuple(docs)))
        self._keep("actions", {service: frame.get("actions") for service, frame in frames})
        self._keep(
            "requested_slots",
            {service: mapping(frame.get("state")).get("requested_slots") for service, frame in frames},
        )
        scribe.found.left["positions"] += sum(len(items(frame.get("slots"))) for _, frame in frames)

    def _keep(self, name: str, by_service: dict[str, Any]) -> None:
        kept = {service: held for service, held in by_service.items() if held}
        if kept:
            self.scribe.say(Raw(name=name, data=kept))

    def _understood(self, service: str, state: Record) -> None:
        intent = text(state.get("active_intent"), "state.active_intent")
        task = intent if intent != _NONE else ""
        if task:
            self.scribe.say(IntentRouted(intent=task))
        if "slot_values" not in state:
            return
        shown: dict[str, list[Any]] = {}
        for slot, values in mapping(state["slot_values"]).items():
            spellings = values if type(values) is list else [values]
            if spellings:
                shown[f"{service}.{slot}"] = spellings
        for slot in [slot for slot in self._held if slot.startswith(f"{service}.") and slot not in shown]:
            self.write(slot, None, task)
        for slot, spellings in shown.items():
            if slot not in self._held or self._held[slot] not in spellings:
                self.scribe.found.left["spellings"] += len(spellings) - 1
                self.write(slot, spellings[0], task)

    def _served(self, service: str, frame: Record) -> None:
        call = mapping(frame.get("service_call"))
        method, parameters = text(call.get("method"), "service_call.method"), mapping(call.get("parameters"))
        if call:
            self._calls[service] = method
            for name in parameters:
                if f"{service}.{name}" in self._held:
                    self.scribe.say(SlotRead(slot=f"{service}.{name}", reader=method, task=method))
        if type(frame.get("service_results")) is list:
            rows = [row for row in frame["service_results"] if type(row) is dict]
            docs = tuple(row_doc(service, row, rank) for rank, row in enumerate(rows, 1))
            self._rows[service] = [(doc.id, row) for doc, row in zip(docs, rows, strict=True)]
            self.scribe.say(
                Retrieved(
                    query=called(method or service, parameters),
                    stage="fused",
                    docs=docs,
                    params={"service": service, "method": method, "parameters": parameters},
                )
            )
        for act in map(mapping, items(frame.get("actions"))):
            if act.get("act") == "NOTIFY_FAILURE":
                self.scribe.say(Failed(where=self._calls.get(service) or service, error="NOTIFY_FAILURE"))

    def _named(self, service: str, frame: Record) -> list[str]:
        """The document of the one row that holds every value the system offers or tells; none if several could be."""
        rows = self._rows.get(service, [])
        told = []
        for act in map(mapping, items(frame.get("actions"))):
            values = items(act.get("canonical_values")) or items(act.get("values"))
            slot = act.get("slot")
            if act.get("act") not in _NAMING or len(values) != 1 or type(slot) is not str:
                continue
            if any(slot in row for _, row in rows):
                told.append((slot, plain(values[0])))
        fitting = [
            doc for doc, row in rows if told and all(slot in row and plain(row[slot]) == value for slot, value in told)
        ]
        return fitting if len(set(fitting)) == 1 else []
