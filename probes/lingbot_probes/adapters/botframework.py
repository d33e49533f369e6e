"""Bot Framework activities to signals.

One `BotFramework` follows one conversation. What each activity becomes:

| activity | signals |
|---|---|
| ``message`` of the user | turn_started |
| ``message`` of the bot | answered, with the document whose text it is; joins its turn by ``replyToId`` or position |
| either, with attachments, buttons or a value | raw ``message`` besides |
| trace of a recogniser (LUIS, CLU ...) | intent_routed, see `_recognised`; raw ``entities`` |
| trace of a knowledge base (QnA Maker) | retrieved: its one ranked list, stage "fused" |
| trace of the bot's state or a difference of it | slot_assigned, slot_cleared by path; the dialog on top = task |
| trace of an error | failed |
| ``messageDelete`` of what was said last | undone |
| ``endOfConversation`` as the last activity | session_ended |
| anything else, also unknown types | raw, without the envelope |

A trace is recognised by the shape of its value: its name and valueType may be absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lingbot_probes.adapters.botframework_activity import ENVELOPE, Activity, attached, compact, folded, ranking
from lingbot_probes.adapters.botframework_state import Snapshot, changes, looks_like_state, merged, read_state
from lingbot_probes.adapters.fields import instant, items, mapping, name, number, text
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.codec import SignalError
from lingbot_probes.long_ids import shortened
from lingbot_probes.signals import (
    Answered,
    Doc,
    Failed,
    IntentRouted,
    Numbered,
    Raw,
    Retrieved,
    SessionEnded,
    SessionStarted,
    SlotAssigned,
    SlotCleared,
    Undone,
)

FOLLOWED = 0.5
"""A recogniser's result from this score on is taken for the route; a lower one is a candidate. Bots ask several
recognisers in a turn and drop the weak answers, and which of them they followed is not in the record."""

_RICH = ("attachments", "suggestedActions", "value")
_REMEMBERED = 100_000  # ids of activities that a reply can name


class BotFramework:
    """Activities of one conversation in, numbered signals out."""

    def __init__(self, conversation: str) -> None:
        """``conversation`` is the session's id."""
        self.scribe = Scribe(shortened(conversation))
        self._turn_of: dict[str, str] = {}
        self._opening = ("", 0)  # the activity that opened the turn, and its number
        self._last = ("", 0)  # the message that was said last, and its number
        self._bots: set[str] = set()
        self._held: Activity | None = None  # an endOfConversation, until it is known to be the last
        self._state = Snapshot()
        self._routed: set[str] = set()  # the intents of this turn
        self._first = ""  # the intent that this turn was routed to first
        self._weak: list[tuple[str, float | None, list[tuple[str, float]]]] = []
        self._results: dict[str, str] = {}  # answer -> document of this turn's retrievals
        self._utterance = ""

    def take(self, activity: object) -> list[Numbered]:
        """The signals of one activity. Raises ``SignalError`` for what is no activity; call ``skip`` then and go on."""
        if type(activity) is not dict:
            raise SignalError("activity", "a mapping", activity)
        activity = folded(activity)
        kind = name(activity.get("type"), "type")
        said = text(activity.get("text"), "text")
        held, self._held = self._held, None
        if held is not None:
            self._keep("endOfConversation", held)
        self._open(activity)
        if kind == "message":
            self._message(activity, said)
        elif kind == "trace":
            self._trace(activity, said)
        elif kind == "messageDelete":
            self._deleted(activity)
        elif kind == "endOfConversation":
            self._held = activity
        else:
            self._keep(kind, activity)
        return self.scribe.taken()

    def skip(self) -> list[Numbered]:
        """Leave a hole for an activity that could not be read; hands over what was said before it."""
        if not self.scribe.n:
            self._open({})
        self.scribe.skip()
        return self.scribe.taken()

    def end(self) -> list[Numbered]:
        """No more activities for now: what was held back."""
        self._settle()
        held, self._held = self._held, None
        if held is not None:
            reason = held.get("code") or held.get("text")
            self.scribe.say(SessionEnded(reason=reason if type(reason) is str else ""))
        return self.scribe.taken()

    def _open(self, activity: Activity) -> None:
        scribe = self.scribe
        scribe.at(instant(activity.get("timestamp")))
        if not scribe.n:
            meta = {"framework": "botframework"}
            for field in ("channelId", "locale"):
                if type(activity.get(field)) is str:
                    meta[field] = activity[field]
            scribe.say(SessionStarted(meta=meta))

    def _keep(self, kind: str, activity: Activity) -> None:
        data = {key: value for key, value in activity.items() if key not in ENVELOPE and value not in (None, "", [])}
        self.scribe.say(Raw(name=kind, data=data or None), turn=self._turn(activity))

    def _turn(self, activity: Activity) -> str:
        replied = activity.get("replyToId")
        return self._turn_of.get(replied, self.scribe.turn) if type(replied) is str else self.scribe.turn

    def _by_user(self, activity: Activity) -> bool:
        sender = mapping(activity.get("from"))
        if "role" not in sender:
            sender = folded(sender)
        role, sender_id = sender.get("role"), str(sender.get("id") or "")
        if type(role) is str and role:
            user = role.lower() == "user"
            if not user and sender_id:
                self._bots.add(sender_id)
            return user
        return not activity.get("replyToId") and sender_id not in self._bots

    # --- what was said -------------------------------------------------------------------------------------------

    def _message(self, activity: Activity, said: str) -> None:
        scribe = self.scribe
        self._settle()
        rich = {key: activity[key] for key in _RICH if activity.get(key)}
        by_user = self._by_user(activity)
        if by_user:
            self._routed, self._first, self._results = set(), "", {}
            value = activity.get("value")
            self._utterance = said or (compact(value) if value is not None else "")
            turn = scribe.open_turn(self._utterance)
        else:
            turn = self._turn(activity)
            doc = self._results.get(said.strip()) if said.strip() else None
            scribe.say(Answered(text=said or attached(rich), docs=(doc,) if doc else ()), turn=turn)
        activity_id = activity.get("id")
        if type(activity_id) is str and activity_id:
            if len(self._turn_of) < _REMEMBERED:
                self._turn_of[activity_id] = turn
            self._last = (activity_id, scribe.n)
            if by_user:
                self._opening = self._last
        if rich:
            scribe.say(Raw(name="message", data=rich), turn=turn)

    def _deleted(self, activity: Activity) -> None:
        """Only what was said last, or the whole turn, is struck through: striking an earlier message would take
        what follows with it."""
        for activity_id, n in (self._opening, self._last):
            if activity_id and activity_id == activity.get("id"):
                self._settle()
                self.scribe.say(Undone(to=n - 1, why="messageDelete"))
                return
        self._keep("messageDelete", {**activity, "deleted": activity.get("id")})

    # --- traces --------------------------------------------------------------------------------------------------

    def _trace(self, activity: Activity, said: str) -> None:
        value = activity.get("value")
        shape = mapping(value)
        kind = str(activity.get("valueType") or "").rsplit("/", 1)[-1].lower()
        result = shape.get("recognizerResult")
        if type(result) is dict or (type(shape.get("intents")) is dict and "text" in shape):
            self._recognised(activity, result if type(result) is dict else shape)
        elif type(shape.get("queryResults")) is list:
            self._retrieved(activity, shape)
        elif looks_like_state(value):
            self._settle()
            self._changed(activity, shape, partial=kind == "diff")
        elif kind == "error" or "error" in str(activity.get("name") or "").lower():
            where = activity.get("name")
            line = value if type(value) is str else said or (compact(value) if value is not None else "")
            self.scribe.say(
                Failed(where=where if type(where) is str and where else "bot", error=line or "error"),
                turn=self._turn(activity),
            )
        else:
            self._keep("trace", activity)

    def _recognised(self, activity: Activity, result: Mapping[str, Any]) -> None:
        """One recogniser's result.

        The best intent is a routing if its score says so (`FOLLOWED`) and it isn't "None", the recogniser's word for
        "nothing of mine"; the second of a turn is a sub-intent of the first (a dispatcher, then a skill). Weaker
        results wait and become candidates; if nothing better comes before the bot speaks, the best of them is the
        routing. A result that names an intent of this turn again is kept raw: the flow did not move.
        """
        ranked = ranking(result)
        turn = self._turn(activity)
        entities = {key: held for key, held in mapping(result.get("entities")).items() if key != "$instance" and held}
        if ranked:
            intent, score = ranked[0]
            scores = [(label, sure) for label, sure in ranked if sure is not None]
            if intent in self._routed:
                self.scribe.say(Raw(name="recognized", data={"intent": intent, "score": score}), turn=turn)
            elif intent == "None" or (score is not None and score < FOLLOWED):
                self._weak.append((intent, score, scores))
            else:
                self._route(intent, score, scores, turn)
        else:
            self._keep("trace", activity)
        if entities:
            self.scribe.say(Raw(name="entities", data=entities), turn=turn)

    def _route(self, intent: str, score: float | None, scores: list[tuple[str, float]], turn: str) -> None:
        candidates: dict[str, float] = {}
        for label, sure in [*scores, *(pair for _, _, weak in self._weak for pair in weak)]:
            candidates[label] = max(sure, candidates.get(label, 0.0))
        self._weak = []
        best_first = sorted(candidates.items(), key=lambda pair: -pair[1])
        parent = self._first or self._state.dialog
        self._first = self._first or intent
        self._routed.add(intent)
        mine = intent == self._state.dialog
        required = self._state.required if mine else ()
        held = self._state.slots
        self.scribe.say(
            IntentRouted(
                intent=intent,
                confidence=score,
                candidates=tuple(best_first),
                parent=parent if parent != intent else "",
                required=required,
                missing=tuple(slot for slot in required if held.get(slot, (None,))[0] is None),
            ),
            turn=turn,
        )

    def _settle(self) -> None:
        """The bot goes on: of the weak results the best was the route, if nothing better came."""
        if not self._weak:
            return
        self._weak.sort(key=lambda result: (result[0] == "None", -(result[1] or 0.0)))
        intent, score, scores = self._weak[0]
        if self._routed:
            weak = [{"intent": label, "score": sure} for label, sure, _ in self._weak]
            self._weak = []
            self.scribe.say(Raw(name="recognized", data=weak))
        else:
            self._weak = self._weak[1:]
            self._route(intent, score, scores, self.scribe.turn)

    def _retrieved(self, activity: Activity, shape: Mapping[str, Any]) -> None:
        base = text(shape.get("knowledgeBaseId"), "value.knowledgeBaseId")
        query = folded(mapping(shape.get("message"))).get("text")
        docs: list[Doc] = []
        for row in items(shape["queryResults"]):
            row = mapping(row)
            row_id, answer, source = row.get("id"), row.get("answer"), row.get("source")
            if row_id == -1 or type(answer) is not str:
                continue  # the service's way to say that nothing was found
            doc = f"{base}/{row_id}" if base and row_id is not None else str(answer[:80] if row_id is None else row_id)
            questions = [asked for asked in items(row.get("questions")) if type(asked) is str and asked]
            title = questions[0] if questions else source if type(source) is str else ""
            docs.append(
                Doc(
                    id=doc,
                    title=title,
                    score=number(row.get("score")),
                    score_kind="qna",
                    rank=len(docs) + 1,
                    snippet=answer,
                )
            )
            self._results.setdefault(answer.strip(), doc)
        params = {key: held for key, held in shape.items() if key not in ("queryResults", "message") and held}
        self.scribe.say(
            Retrieved(
                query=query if type(query) is str and query else self._utterance,
                stage="fused",
                docs=tuple(docs),
                params=params,
            ),
            turn=self._turn(activity),
        )

    def _changed(self, activity: Activity, shape: Mapping[str, Any], *, partial: bool) -> None:
        scribe = self.scribe
        turn = self._turn(activity)
        new = read_state(shape)
        scribe.found.left["state"] += new.cut
        before = self._state.dialog
        written = list(changes(self._state, new, partial=partial))
        self._state = after = merged(self._state, new, partial=partial)
        if after.dialog not in ("", before) and after.dialog not in self._routed:
            scribe.say(IntentRouted(intent=after.dialog, condition="dialog stack"), turn=turn)
        task = after.dialog or before
        for path, value, scope, cleared in written:
            if cleared:
                scribe.say(SlotCleared(slot=path, task=task), turn=turn)
            else:
                scribe.say(SlotAssigned(slot=path, value=value, scope=scope, task=task), turn=turn)
