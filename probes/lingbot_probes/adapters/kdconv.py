"""Dialogues of KdConv to signals.

One `KdConv` follows one dialogue. Its two speakers alternate and bear no names: the first to speak is taken for the
user, the other for the bot.

| message | signals |
|---|---|
| 1st, 3rd, 5th ... | turn_started |
| 2nd, 4th, 6th ... | answered, with the triples that it draws on |
| ``attrs`` | retrieved: the triples that the message draws on, stage "prompt"; ``params`` say whose message it was |

A document is a triple: its id is ``name/attribute/value``, shortened and made unique where that is long.
"""

from __future__ import annotations

import hashlib

from lingbot_probes.adapters.dialogue import Dialogue, Record
from lingbot_probes.adapters.fields import items, mapping, text
from lingbot_probes.signals import Answered, Doc, Numbered, Retrieved

_LONG = 100


class KdConv(Dialogue):
    """Messages of one dialogue in, numbered signals out."""

    corpus = "kdconv"

    def __init__(self, dialogue: str, header: Record | None = None) -> None:
        """``header`` holds the ``name`` of the entity that the dialogue begins with."""
        super().__init__(dialogue, header)
        self._by_user = False  # whose message the last one was
        self._asked = ""

    def skip(self) -> list[Numbered]:
        """A message that can't be read: it was the other speaker's."""
        self._by_user = not self._by_user
        return super().skip()

    def tell(self, record: Record) -> None:
        """One message."""
        said = text(record.get("message"), "message")
        docs = tuple(_doc(mapping(triple), rank) for rank, triple in enumerate(items(record.get("attrs")), 1))
        self._by_user = not self._by_user
        if self._by_user:
            self.scribe.open_turn(said)
            self._asked = said
        if docs:
            params = {"drawn_on_by": "user" if self._by_user else "bot"}
            self.scribe.say(Retrieved(query=self._asked, stage="prompt", docs=docs, params=params))
        if not self._by_user:
            self.scribe.say(Answered(text=said, docs=tuple(dict.fromkeys(doc.id for doc in docs))))


def _doc(triple: Record, rank: int) -> Doc:
    name, attribute, value = (text(triple.get(key), f"attrs.{key}") for key in ("name", "attrname", "attrvalue"))
    doc = f"{name}/{attribute}/{value}"
    if len(doc) > _LONG:
        doc = f"{doc[:_LONG]}~{hashlib.sha256(doc.encode('utf-8', 'replace')).hexdigest()[:10]}"
    return Doc(id=doc, title=f"{name} · {attribute}", rank=rank, snippet=value)
