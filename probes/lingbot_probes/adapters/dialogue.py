"""What the adapters of annotated dialogues share: a record is a turn, a message or an event of one dialogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.codec import SignalError
from lingbot_probes.long_ids import shortened
from lingbot_probes.signals import Numbered, SessionStarted, SlotAssigned, SlotCleared

Record = Mapping[str, Any]


class Dialogue:
    """Records of one dialogue in, numbered signals out; each corpus says in `tell` what a record becomes."""

    corpus = ""

    def __init__(self, dialogue: str, header: Mapping[str, Any] | None = None, about: Iterable[object] = ()) -> None:
        """``dialogue`` is the session's id, ``header`` what the dialogue says of itself beside its records.

        What it is ``about`` (services, domains) stands beside its id in a list of sessions; only texts of it count.
        """
        self.scribe = Scribe(shortened(dialogue))
        self._header = dict(header or {})
        topics = ", ".join(dict.fromkeys(topic for topic in about if type(topic) is str))
        self._title = f"{dialogue} · {topics}" if topics else ""
        self._held: dict[str, Any] = {}

    def take(self, record: object) -> list[Numbered]:
        """The signals of one record. Raises ``SignalError`` for what is none; call ``skip`` then and go on."""
        if type(record) is not dict:
            raise SignalError("record", "a mapping", record)
        self._open(record)
        self.tell(record)
        return self.scribe.taken()

    def skip(self) -> list[Numbered]:
        """Leave a hole for a record that could not be read; hands over what was said before it."""
        self._open({})
        self.scribe.skip()
        return self.scribe.taken()

    def end(self) -> list[Numbered]:
        """No more records for now: what was held back."""
        return self.scribe.taken()

    def tell(self, record: Record) -> None:
        """Say what ``record`` means."""
        raise NotImplementedError

    def stamp(self, record: Record) -> None:
        """Say when ``record`` was made; most corpora hold no times."""

    def _open(self, record: Record) -> None:
        self.stamp(record)
        if not self.scribe.n:
            meta = {"corpus": self.corpus, **self._header}
            self.scribe.say(SessionStarted(title=self._title, meta=meta))

    def write(self, slot: str, value: object, task: str) -> None:
        """``slot`` holds ``value`` from here on, ``None`` nothing; told only where that is a change.

        The states of these corpora carry a value on through the whole dialogue: reading it for another task is no leak.
        """
        held = self._held.get(slot)
        if value == held and type(value) is type(held):
            return
        if value is None:
            del self._held[slot]
            self.scribe.say(SlotCleared(slot=slot, task=task))
        else:
            self._held[slot] = value
            self.scribe.say(SlotAssigned(slot=slot, value=value, scope="session", task=task))
