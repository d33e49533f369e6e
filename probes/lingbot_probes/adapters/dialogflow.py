"""Turns with a Dialogflow CX agent to signals.

One `Dialogflow` follows one conversation, a turn a record, in the order of the turns. A turn may be a row of the
BigQuery export, an interaction of the conversation history, a detect-intent request with its response, or a turn of a
test case (`dialogflow_move` reads them all). What it becomes:

| in the turn | signals |
|---|---|
| text, transcript; event, keys, intent | turn_started; what was no speech stands in brackets |
| injected parameters | slot_assigned before the match; raw ``injected_parameters`` names them |
| match | intent_routed below its flow, the match type = predicted by; the alternatives = candidates |
| no match, no input | intent_routed to ``NO_MATCH``, ``NO_INPUT`` without a confidence, then to the page again |
| form filling | intent_routed to the page again |
| a page left or entered | intent_routed to ``Flow / Page``, the condition of the route = condition |
| parameters | slot_assigned, slot_cleared for what changed; those of the match before the pages, others after them |
| webhooks | failed with the status, else raw ``webhook`` |
| playbooks | see `dialogflow_trace` |
| data store signals | retrieved of stage "prompt"; a rejected answer is failed |
| response messages | answered with the cited documents; anything but text also raw |
| hand-off | intent_routed to ``LIVE_AGENT_HANDOFF`` |
| end of interaction | session_ended if no turn follows |
| sentiment, feedback, conversation signals | raw |
| differences of a test run, its status | failed |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lingbot_probes.adapters.dialogflow_fields import CODES, DIFFERENCES, MATCH_TYPES, enum, plain, title
from lingbot_probes.adapters.dialogflow_move import AUDIO, Move, read_move
from lingbot_probes.adapters.dialogflow_said import Found, found_in, knowledge_of, said_in
from lingbot_probes.adapters.dialogflow_steps import Diagnosis, Place, Places, diagnosis, place_of
from lingbot_probes.adapters.dialogflow_trace import blocks_of, playbook_of, tell_blocks
from lingbot_probes.adapters.fields import confidence, items, mapping
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.adapters.spelling import Message, got, part, parts, word
from lingbot_probes.codec import SignalError
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
)

HANDOFF = "LIVE_AGENT_HANDOFF"
EXPORTED = 500
"""The most turns of a conversation that the BigQuery export writes, by its documentation."""


class Dialogflow:
    """Turns of one conversation in, numbered signals out."""

    def __init__(
        self,
        session: str,
        about: Mapping[str, Any] | None = None,
        name: str = "",
        at: float | None = None,
        flows: Mapping[str, str] | None = None,
    ) -> None:
        """``about`` goes into the first signal, ``name`` is its title; ``at`` is the time of turns without one.

        ``flows`` are names of flows by id that are known beforehand.
        """
        self.scribe = Scribe(shortened(session))
        self.places = Places(dict(flows or {}))
        self.playbook = ""
        self.utterance = ""
        self.found: list[Found] = []
        self._about = dict(about or {})
        self._name = name
        self._at = at
        self._position: int | None = None
        self._place: Place | None = None
        self._held: dict[str, Any] = {}
        self._ending = ""

    def take(self, record: object) -> list[Numbered]:
        """The signals of one turn. Raises ``SignalError`` for what is none; call ``skip`` then and go on."""
        if type(record) is not dict:
            raise SignalError("record", "a mapping", record)
        move = read_move(record)
        self.scribe.at_if_timed(move.at if move.at is not None else self._at)
        self._open(word(move.result, "languageCode") or word(part(move.request, "queryInput"), "languageCode"))
        ending, self._ending = self._ending, ""
        if ending:
            self.say(Raw(name=ending))
        self._tell(move)
        return self.scribe.taken()

    def skip(self) -> list[Numbered]:
        """Leave a hole for a turn that could not be read; hands over what was said before it."""
        self._open("")
        self.scribe.skip()
        return self.scribe.taken()

    def end(self) -> list[Numbered]:
        """No more turns for now: what was held back."""
        ending, self._ending = self._ending, ""
        if ending:
            self.say(SessionEnded(reason=ending))
        return self.scribe.taken()

    def say(self, signal: Any) -> None:
        """Number a signal of the current turn."""
        self.scribe.say(signal)

    def _open(self, language: str) -> None:
        if not self.scribe.n:
            meta: dict[str, Any] = {"framework": "dialogflow", **self._about}
            if language:
                meta.setdefault("language", language)
            self.say(SessionStarted(title=self._name, meta=meta))

    # --- one turn ------------------------------------------------------------------------------------------------

    def _tell(self, move: Move) -> None:
        found = self.scribe.found
        info = diagnosis(got(move.result, "diagnosticInfo"))
        for step in info.steps:
            self.places.learn(step.place)
        self.places.learn(place_of(move.result))
        self.utterance, self.found = move.utterance, []
        self.scribe.open_turn(move.utterance, self._turn(move))
        if move.utterance == AUDIO:
            found.left["unheard"] += 1
        for what, count in move.left.items():
            found.left[what] += count
        self._inject(move)
        if self._place is None:
            self._place = next((step.place for step in info.steps if step.place), None)
        astray = self._route(move, info) in ("NO_MATCH", "NO_INPUT")
        before = self.scribe.found.said["intent_routed"]
        self._moves(move, info)
        if astray and before == self.scribe.found.said["intent_routed"] and self._place is not None:
            self.enter(self._place, "")  # the handler asks again where it was
        agent_said = tell_blocks(self, blocks_of(move.result))
        if move.parameters is not None:
            self.write(move.parameters, whole=True)
        self._webhooks(move.result, [step.webhook for step in info.steps if step.webhook])
        for result in (*move.partial, move.result):
            self.search(knowledge_of(result))
        self._answer(move, agent_said)
        self._aside(move)

    def _turn(self, move: Move) -> str:
        """The turn's id: its position in the source, which counts from 0 or 1."""
        position, before = move.position, self._position
        if position is None:
            return ""
        found = self.scribe.found
        if before is not None and position <= before:
            return f"{position}~{self.scribe.turns + 1}"
        absent = position - (1 if before is None else before + 1)
        found.left["missing_turns"] += max(absent, 0)
        found.left["capped"] = 1 if position >= EXPORTED else 0
        self._position = position
        return str(position)

    def _inject(self, move: Move) -> None:
        if move.injected:
            self.say(Raw(name="injected_parameters", data=sorted(map(str, move.injected))))
            self.write(move.injected)

    def write(self, parameters: Mapping[str, Any], *, whole: bool = False) -> None:
        """Parameters as they are now; ``whole`` where these are all that there are. Only changes are told.

        A parameter of ``null`` is none: that is how an agent clears one.
        """
        held = self._held
        for slot, value in parameters.items():
            if not slot:
                continue
            old = held.get(slot)
            if value is None:
                if old is not None:
                    del held[slot]
                    self.say(SlotCleared(slot=slot))
            elif value != old or type(value) is not type(old):
                held[slot] = value
                self.say(SlotAssigned(slot=slot, value=value, scope="session"))
        if whole and len(held) > sum(value is not None for value in parameters.values()):
            for slot in [slot for slot in held if slot not in parameters]:
                del held[slot]
                self.say(SlotCleared(slot=slot))

    # --- flow ----------------------------------------------------------------------------------------------------

    def flow(self) -> str:
        """The flow that the conversation is in; the playbook where it is in one; "" before either is known."""
        return self.playbook or (self.places.flow(self._place) if self._place is not None else "")

    def _route(self, move: Move, info: Diagnosis) -> str:
        """Tell what was matched; returns the match's type."""
        match = part(move.result, "match")
        kind = enum(got(match, "matchType"), MATCH_TYPES)
        intent = title(part(match, "intent")) or title(part(move.result, "intent"))
        event = word(match, "event") or word(move.result, "triggerEvent")
        sure = confidence(got(match, "confidence"))
        if sure is None and intent:
            sure = confidence(got(move.result, "intentDetectionConfidence"))
        candidates = info.candidates
        condition = ""
        if not kind:
            kind = "INTENT" if intent else "EVENT" if event else ""
        if kind in ("NO_MATCH", "NO_INPUT"):
            # The number beside it is no confidence in anything that was understood.
            intent, sure, condition = kind, None, event
            name, score = word(move.missing, "intentDisplayName"), confidence(got(move.missing, "score"))
            if name and all(name != known for known, _ in candidates):
                pairs = [*candidates, (name, score)]
                candidates = tuple(sorted(pairs, key=lambda pair: -(pair[1] or 0.0)))
        elif kind == "PARAMETER_FILLING":
            place = self._place or place_of(move.result)
            intent = self.places.page(place) if place is not None else kind
        elif kind == "EVENT":
            intent = event or intent or kind
        elif kind == "PLAYBOOK":
            intent = self.playbook = playbook_of(move.result) or kind
        else:
            intent = intent or kind
            if intent and sure is None:
                self.scribe.found.left["unsure_matches"] += 1
        if intent:
            parent = "" if kind == "PLAYBOOK" else self.flow()
            self.say(
                IntentRouted(
                    intent=intent,
                    confidence=sure,
                    candidates=candidates,
                    condition=condition,
                    parent=parent if parent != intent else "",
                    predicted_by="" if kind == intent else kind,
                )
            )
        return kind

    def _moves(self, move: Move, info: Diagnosis) -> None:
        """What the match filled in, then the pages in the order in which they were entered."""
        first = next((step.parameters for step in info.steps if step.parameters is not None), None)
        extracted = plain(got(part(move.result, "match"), "parameters"))
        if first is not None:
            self.write(first)
        elif extracted and move.parameters is not None:  # a value may have been put right on its way into the session
            self.write({slot: move.parameters[slot] for slot in extracted if slot in move.parameters})
        condition, pending = "", ""
        for step in info.steps:
            if step.place is not None and (pending or not step.place.same(self._place)):
                self.enter(step.place, condition)
                condition = pending = ""
            if step.condition or step.target:
                condition, pending = step.condition, step.target
        final = place_of(move.result)
        if final is None:
            return
        if pending or not final.same(self._place):
            start = self._place is None and final.page == "START_PAGE"
            if start:
                self._place = final
                return
            if not info.steps:
                self.scribe.found.left["transitions"] += 1
            self.enter(final, condition)

    def enter(self, place: Place, condition: str) -> None:
        """The conversation goes to a page, by a route of ``condition``."""
        if not place.flow and self._place is not None:
            place = place._replace(flow=self._place.flow)
        self._place = place
        self.playbook = ""
        self.say(IntentRouted(intent=self.places.page(place), condition=condition, parent=self.places.flow(place)))

    # --- what the agent did --------------------------------------------------------------------------------------

    def _webhooks(self, result: Message, steps: list[dict[str, Any]]) -> None:
        """A webhook's status, payload and latency stand in lists of their own, each in the order of the calls."""
        statuses, payloads = parts(result, "webhookStatuses"), parts(result, "webhookPayloads")
        names, latencies = items(got(result, "webhookDisplayNames")), items(got(result, "webhookLatencies"))
        for i in range(max(len(statuses), len(steps), len(names))):
            status = statuses[i] if i < len(statuses) else {}
            step = steps[i] if i < len(steps) else {}
            name = names[i] if i < len(names) and type(names[i]) is str else ""
            error = status_of(status) or ("" if step.get("Status") in (None, "OK") else str(step["Status"])[:200])
            if error:
                self.say(Failed(where=f"webhook {name or i + 1}", error=error))
            data: dict[str, Any] = {"webhook": name} if name else {}
            if step:
                data["call"] = step
            if i < len(latencies) and latencies[i]:
                data["latency"] = latencies[i]
            if i < len(payloads) and (payload := plain(payloads[i])):
                data["payload"] = payload
            if data or not error:
                self.say(Raw(name="webhook", data=data or None))

    def search(self, signals: Message) -> None:
        """What a data store found."""
        found = found_in(signals, self.utterance) if signals else None
        if found is None or any(found.retrieved == known.retrieved for known in self.found):
            return
        self.found.append(found)
        self.say(found.retrieved)
        if found.rejected:
            self.say(Failed(where="data store", error=found.rejected))

    def _answer(self, move: Move, agent_said: str) -> None:
        said = said_in([*move.partial, move.result], agent_said or move.answered)
        cited = dict.fromkeys(doc for found in self.found if not found.rejected for doc in found.cited)
        if shown := said.shown:
            self.say(Answered(text=shown, docs=tuple(cited)))
        for kind, content in said.kept:
            if content and kind != "live_agent_handoff":
                self.say(Raw(name=kind, data=content))
        if said.handed_off:
            self.say(IntentRouted(intent=HANDOFF))
            for kind, content in said.kept:
                if kind == "live_agent_handoff" and content:
                    self.say(Raw(name=kind, data=content))
        self._ending = "end_interaction" if said.ends else ""

    def _aside(self, move: Move) -> None:
        result = move.result
        resolved = word(part(result, "match"), "resolvedInput")
        if resolved and resolved != self.utterance and self.utterance[:1] != "[":
            self.say(Raw(name="resolved_input", data=resolved))
        sentiment = mapping(got(result, "sentimentAnalysisResult"))
        if any(sentiment.values()):
            self.say(Raw(name="sentiment", data=sentiment))
        for name, data in move.about.items():
            self.say(Raw(name=name, data=data))
        if error := status_of(move.status):
            self.say(Failed(where="agent", error=error))
        for difference in move.differences:
            kind = enum(got(difference, "type"), DIFFERENCES) or "difference"
            self.say(Failed(where=f"test {kind}", error=word(difference, "description") or "differs"))


def status_of(status: Message) -> str:
    """What a google.rpc.Status says went wrong, in one line; "" for one of success."""
    code, said = got(status, "code"), word(status, "message")
    named = CODES.get(code, f"code {code}" if code else "") if type(code) is int else code if type(code) is str else ""
    if named in ("", "OK"):
        return "" if not said or named == "OK" else said
    return f"{named}: {said}" if said else named
