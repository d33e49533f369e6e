"""Rows of Burr's tracker (``log.jsonl``, ``graph.json``, ``metadata.json``, ``children.jsonl``) to signals.

One `Burr` follows one application. What each row becomes:

| row | signals |
|---|---|
| ``application_metadata`` | the session's title and where it was forked from, in its ``meta`` |
| ``application`` (the graph) | conditions and candidates of the jumps, and what each action reads |
| ``begin_entry`` | turn_started where something came from outside; intent_routed to the action; slot_read as declared |
| ``end_entry`` | slot_assigned and slot_cleared for what changed in the state; answered; failed |
| a ``begin_entry`` of a step that was there before | undone, back to before that step |
| ``begin_span``, ``attribute`` | raw, by these words |
| a fork or a spawned application | raw ``fork`` or ``spawn_start`` |
| anything else, also unknown rows | raw, by its type |

What was said to the user is no notion of Burr's. It is told where a list in the state grew by a message of an
assistant: a mapping with such a role, or a text that begins with ``AI:``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from lingbot_probes.adapters.fields import instant, items, mapping, name, text
from lingbot_probes.adapters.openai_agents_words import said
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.codec import SignalError
from lingbot_probes.long_ids import shortened
from lingbot_probes.signals import (
    Answered,
    Failed,
    IntentRouted,
    Numbered,
    Raw,
    SessionStarted,
    SlotAssigned,
    SlotCleared,
    SlotRead,
    Undone,
)

LOG = frozenset(
    (
        "begin_entry", "end_entry", "begin_span", "end_span", "attribute", "begin_stream", "first_item_stream",
        "end_stream",
    )
)  # fmt: skip
"""Types of the rows of a log."""

_ASKED = ("prompt", "question", "query", "user_input", "user_question", "message", "text", "input", "utterance")
_ASSISTANTS = ("assistant", "ai", "bot")
_PREFIXES = ("AI:", "Assistant:", "Bot:", "assistant:", "ai:", "bot:")
_SLOTS = 500  # of one state
_STEPS = 10_000  # that a later row can go back to

Row = Mapping[str, Any]


class Burr:
    """Rows of one application in, numbered signals out."""

    def __init__(self, session: str) -> None:
        """``session`` is the session's id."""
        self.scribe = Scribe(shortened(session))
        self._meta: dict[str, Any] = {}
        self._title = ""
        self._reads: dict[str, tuple[str, ...]] = {}
        self._ways: dict[str, list[tuple[str, str]]] = {}  # action -> (where to, on which condition)
        self._held: dict[str, Any] = {}
        self._action = ""
        self._steps: OrderedDict[int, tuple[int, dict[str, Any], str]] = OrderedDict()  # step -> what was before it

    def take(self, row: object) -> list[Numbered]:
        """The signals of one row. Raises ``SignalError`` for what is none; call ``skip`` then and go on."""
        if type(row) is not dict:
            raise SignalError("row", "a mapping", row)
        if type(row.get("child")) is dict and "event_type" in row:
            self._forked(row)
        else:
            kind = name(row.get("type"), "type")
            if kind == "application_metadata":
                self._about(row)
            elif kind == "application":
                self._graph(row)
            else:
                self._open(row)
                self._row(kind, row)
        return self.scribe.taken()

    def skip(self) -> list[Numbered]:
        """Leave a hole for a row that could not be read; hands over what was said before it."""
        self._open({})
        self.scribe.skip()
        return self.scribe.taken()

    def end(self) -> list[Numbered]:
        """No more rows for now."""
        return self.scribe.taken()

    # --- the application -----------------------------------------------------------------------------------------

    def _about(self, row: Row) -> None:
        app = row.get("app_id")
        if type(app) is str:
            self._title = app
            self._meta["app"] = app
        for key in ("partition_key", "parent_pointer", "spawning_parent_pointer"):
            if row.get(key):
                self._meta[key] = row[key]

    def _graph(self, row: Row) -> None:
        for action in items(row.get("actions")):
            reads = items(mapping(action).get("reads"))
            self._reads[str(mapping(action).get("name"))] = tuple(slot for slot in reads if slot and type(slot) is str)
        for way in items(row.get("transitions")):
            at, to, condition = (mapping(way).get(key) for key in ("from_", "to", "condition"))
            if type(at) is str and type(to) is str and to:
                told = condition if type(condition) is str and condition != "default" else ""
                self._ways.setdefault(at, []).append((to, told))
        self._meta["entrypoint"] = row.get("entrypoint")

    def _open(self, row: Row) -> None:
        scribe = self.scribe
        stamp = row.get("start_time") or row.get("end_time")
        if stamp is not None:
            scribe.at(instant(stamp))
            if type(stamp) is str and stamp[-1:] != "Z" and "+" not in stamp:
                scribe.found.left["zoneless"] += 1
        if not scribe.n:
            scribe.say(SessionStarted(title=self._title, meta={"framework": "burr", **self._meta}))

    def _row(self, kind: str, row: Row) -> None:
        if kind == "begin_entry":
            self._begun(row)
        elif kind == "end_entry":
            self._ended(row)
        elif kind == "begin_span":
            facts = {"span": row.get("span_name"), "id": row.get("span_id"), "within": row.get("parent_span_id")}
            self.scribe.say(Raw(name="span", data={key: value for key, value in facts.items() if value is not None}))
        elif kind == "attribute":
            facts = {"key": row.get("key"), "value": row.get("value"), "span": row.get("span_id")}
            facts["tags"] = row.get("tags") or None
            self.scribe.say(Raw(name="attribute", data={k: value for k, value in facts.items() if value is not None}))
        elif kind in ("begin_stream", "first_item_stream", "end_stream"):
            self.scribe.found.left["streams"] += 1
        elif kind != "end_span":
            self.scribe.say(Raw(name=kind, data={key: value for key, value in row.items() if key != "type"}))

    def _forked(self, row: Row) -> None:
        self._open({})
        self.scribe.said_at = instant(row.get("event_time"))  # it stands behind the log, whenever it was
        facts = {"child": row["child"], "step": row.get("sequence_id")}
        self.scribe.say(Raw(name=str(row.get("event_type") or "fork"), data=facts))

    # --- steps ---------------------------------------------------------------------------------------------------

    def _begun(self, row: Row) -> None:
        action = name(row.get("action"), "begin_entry.action")
        step, scribe = row.get("sequence_id"), self.scribe
        if type(step) is int:
            known = self._steps.get(step)
            if known is not None:
                self._back(step, known)
            if len(self._steps) >= _STEPS:
                self._steps.popitem(last=False)
            self._steps[step] = (scribe.n, dict(self._held), self._action)
        inputs = {key: value for key, value in mapping(row.get("inputs")).items() if value is not None}
        if inputs or not scribe.turns:
            asked = _asked(inputs)
            scribe.open_turn(asked)
            if len(inputs) > 1 or (inputs and not asked):
                scribe.say(Raw(name="inputs", data=inputs))
        ways = self._ways.get(self._action, [])
        condition = next((condition for to, condition in ways if to == action), "")
        candidates = tuple((to, None) for to in dict.fromkeys(to for to, _ in ways)) if len(ways) > 1 else ()
        scribe.say(IntentRouted(intent=action, condition=condition, candidates=candidates))
        self._action = action
        for slot in self._reads.get(action, ()):
            if slot in self._held:
                scribe.found.left["declared"] += 1
                scribe.say(SlotRead(slot=slot, reader=action, task=action))

    def _back(self, step: int, known: tuple[int, dict[str, Any], str]) -> None:
        """The application was taken up again at a step that was done before."""
        to, self._held, self._action = known
        self.scribe.say(Undone(to=max(to, 1), why=f"taken up again at step {step}"))
        for later in [other for other in self._steps if other >= step]:
            del self._steps[later]

    def _ended(self, row: Row) -> None:
        action = name(row.get("action"), "end_entry.action")
        state = row.get("state")
        exception = text(row.get("exception"), "end_entry.exception")
        if type(state) is dict and (state or not exception):
            grown = self._changed(state, action)
            result = mapping(row.get("result"))
            if any(key not in state or state[key] != value for key, value in result.items()):
                self.scribe.say(Raw(name="result", data={"action": action, "result": result}))
            for words in dict.fromkeys(grown):
                self.scribe.say(Answered(text=words))
        if exception:
            told = [line.strip() for line in exception.splitlines() if line.strip()]
            self.scribe.say(Failed(where=action, error=told[-1][:1_000] if told else "error"))

    def _changed(self, state: Row, action: str) -> list[str]:
        """Tell what changed in the state; the assistant's messages that came with it."""
        slots = {key: value for key, value in state.items() if key and not key.startswith("__")}
        if len(slots) > _SLOTS:
            self.scribe.found.left["state"] += len(slots) - _SLOTS
            slots = dict(list(slots.items())[:_SLOTS])
        spoken: list[str] = []
        for slot, value in slots.items():
            old = self._held.get(slot)
            if slot in self._held and old == value and type(old) is type(value):
                continue
            self.scribe.say(SlotAssigned(slot=slot, value=value, scope="session", task=action))
            if type(value) is list:
                spoken.extend(_messages(old if type(old) is list else [], value))
        for slot in self._held:
            if slot not in slots:
                self.scribe.say(SlotCleared(slot=slot, task=action))
        self._held = slots
        return spoken


def _asked(inputs: Row) -> str:
    """What the user said, among what came from outside: the input that is called so, else the first text."""
    for key in _ASKED:
        if type(inputs.get(key)) is str:
            return str(inputs[key])
    return next((value for value in inputs.values() if type(value) is str), "")


def _messages(old: list[Any], new: list[Any]) -> Iterator[str]:
    """The assistant's messages by which a list grew; nothing where it did not grow at its end."""
    if new[: len(old)] != old:
        return
    for item in new[len(old) :]:
        if type(item) is dict and str(item.get("role", item.get("type"))) in _ASSISTANTS:
            if words := said(item.get("content", item.get("text"))):
                yield words
        elif type(item) is str and item.startswith(_PREFIXES):
            yield item.partition(":")[2].strip()
