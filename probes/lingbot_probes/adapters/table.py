"""Rows of a table whose columns were named to signals.

One `Table` follows one session. What each column becomes:

| column | signals |
|---|---|
| ``user``, or ``text`` of a ``role`` that is a user's | turn_started |
| ``intent``, ``confidence`` | intent_routed |
| ``slot.NAME`` | slot_assigned where the value is another than before |
| ``doc`` | retrieved: one list, stage "fused" |
| ``bot``, or ``text`` of another ``role`` | answered |
| ``time`` | when the row was said |

An empty cell says nothing. A column is a member of the row, or a path of members (``meta.intent``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lingbot_probes.adapters.dialogue import Dialogue, Record
from lingbot_probes.adapters.fields import instant, number
from lingbot_probes.adapters.inner_json import read_json
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import Answered, Doc, IntentRouted, Retrieved, SlotAssigned

USERS = frozenset(("user", "usr", "human", "customer", "client", "caller", "visitor", "用户", "客户", "顾客", "访客"))
BOTS = frozenset(("assistant", "bot", "agent", "ai", "system", "sys", "机器人", "助手", "客服", "系统"))
_MILLISECONDS = 100_000_000_000.0  # as seconds that is the year 5138
_NAMES = ("id", "doc_id", "doc", "name", "title", "source", "url")
_TEXTS = ("snippet", "text", "content", "answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Which column holds what; "" for what no column holds. ``slots`` gives the column of each slot."""

    session: str
    user: str = ""
    bot: str = ""
    role: str = ""
    text: str = ""
    intent: str = ""
    confidence: str = ""
    time: str = ""
    doc: str = ""
    slots: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[str]:
        """Each column that is named."""
        named = (self.session, self.user, self.bot, self.role, self.text, self.intent, self.confidence, self.time)
        return iter([name for name in (*named, self.doc, *self.slots.values()) if name])


class Table(Dialogue):
    """Rows of one session in, numbered signals out. The errors of `take` name the column."""

    corpus = "table"

    def __init__(self, session: str, columns: Columns) -> None:
        """``session`` is the session's id."""
        super().__init__(session)
        self._columns = columns
        self._asked = ""
        self.scribe.found.left["untimed"] = not columns.time

    def stamp(self, record: Record) -> None:
        """The time in the row."""
        if self._columns.time:
            self.scribe.at(_time(record, self._columns.time))

    def tell(self, record: Record) -> None:
        """One row."""
        columns, scribe = self._columns, self.scribe
        before = scribe.n
        user, bot = _text(record, columns.user), _text(record, columns.bot)
        if columns.role and (said := _text(record, columns.text)):
            if _by_user(record, columns.role):
                user = said
            else:
                bot = said
        confidence = _confidence(record, columns.confidence) if columns.confidence else None
        docs = _docs(cell(record, columns.doc), columns.doc) if columns.doc else ()
        intent = _text(record, columns.intent)
        if user:
            scribe.open_turn(user)
            self._asked = user
        if intent:
            scribe.say(IntentRouted(intent=intent, confidence=confidence))
        for slot, column in columns.slots.items():
            value = cell(record, column)
            if value not in (None, "", []) and (slot not in self._held or self._held[slot] != value):
                self._held[slot] = value
                scribe.say(SlotAssigned(slot=slot, value=value))
        if docs:
            scribe.say(Retrieved(query=self._asked, stage="fused", docs=docs))
        if bot:
            scribe.say(Answered(text=bot))
        scribe.found.left["empty_rows"] += scribe.n == before


def cell(record: Record, column: str) -> Any:
    """What the row holds in ``column``; ``None`` where it has no such column."""
    if column in record:
        return record[column]
    held: Any = record
    for part in column.split("."):
        if type(held) is not dict:
            return None
        held = held.get(part)
    return held


def _text(record: Record, column: str) -> str:
    value = cell(record, column) if column else None
    if value is None or type(value) is str:
        return value.strip() if value else ""
    if type(value) in (int, float, bool):
        return json.dumps(value)
    raise SignalError(f"column {column}", "text", value)


def _by_user(record: Record, column: str) -> bool:
    role = _text(record, column).lower()
    if role not in USERS and role not in BOTS:
        raise SignalError(f"column {column}", "who speaks (user, assistant ...)", role)
    return role in USERS


def _time(record: Record, column: str) -> float | None:
    value = cell(record, column)
    if value is None or value == "":
        return None
    if type(value) is str:
        value = _spelt(value.strip()) or value.strip()
    seconds = number(value) if type(value) is not str else None
    found = instant(seconds / 1000 if seconds is not None and seconds > _MILLISECONDS else value)
    if found is None:
        raise SignalError(f"column {column}", "a time (ISO 8601, or Unix seconds)", value)
    return found


def _confidence(record: Record, column: str) -> float | None:
    value = cell(record, column)
    if value is None or value == "":
        return None
    found = number(value)
    if type(value) is str:
        percent = value.strip().endswith("%")
        spelt = _spelt(value.strip().removesuffix("%"))
        found = spelt / 100 if percent and spelt is not None else spelt
    if found is None or not 0.0 <= found <= 1.0:
        raise SignalError(f"column {column}", "a confidence from 0 to 1", value)
    return found


def _spelt(digits: str) -> float | None:
    try:
        return number(float(digits[:64]))
    except ValueError:
        return None


def _docs(value: object, column: str) -> tuple[Doc, ...]:
    """One document, or a list of them (also as the JSON text of one): names, or objects with an id, title, score."""
    if type(value) is str and value[:1] == "[":
        value = read_json(value)  # what is none is the name of one document
    docs: list[Doc] = []
    for held in value if type(value) is list else [value]:
        if held in (None, ""):
            continue
        fields = held if type(held) is dict else {"id": held}
        names = [str(fields[key]) for key in _NAMES if type(fields.get(key)) in (str, int) and fields[key] != ""]
        if not names:
            raise SignalError(f"column {column}", "documents (names, or objects with an id)", held)
        title = fields.get("title")
        snippet = next((text for key in _TEXTS if type(text := fields.get(key)) is str), "")
        docs.append(
            Doc(
                id=names[0],
                title=title if type(title) is str else "",
                score=number(fields.get("score")),
                rank=len(docs) + 1,
                snippet=snippet,
            )
        )
    return tuple(docs)
