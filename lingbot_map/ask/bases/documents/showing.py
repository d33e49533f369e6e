"""Which sentences to show first for a question, of the documents that were found for it.

A sentence is worth how well it fits the question, what its document's rank is worth, and more where it can hold an
answer: the type that is asked for (a date, a number), else a name that the question doesn't have. Of several that say
the same of the question one comes first, and then what adds to it. The weights were chosen on every fourth question of
HotpotQA's sample and on 2Wiki's, of which none is measured (``bench/ask_documents.py``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lingbot_map.ask.bases.documents.beam import Fit, Reached
from lingbot_map.ask.bases.documents.library import Snapshot
from lingbot_map.ask.bases.documents.spoken import Spoken
from lingbot_map.ask.bases.documents.wording import HAN, matching, of_type, types_of

DOCUMENTS = 5
"""The first documents, whose sentences are shown."""
_LOOKED_AT = 40  # sentences of one document
_PLACE = 0.3  # what the first place of a document is worth; the n-th an n-th of it
_TYPED = 0.15  # what it is worth that a sentence can hold the answer
_LEAD = 0.15  # the first sentence says what its document is about
_ADDED = 0.5  # of the share of the question that a sentence adds to those before it
_TOLD = frozenset(("version", "when", "duration", "count", "number"))
"""Types of answer that a sentence shows to hold or not."""
_NAME = re.compile(r"[A-Z][\w'’-]+")
_WORD = re.compile(r"[\w'’-]+")


def shown(
    snapshot: Snapshot, question: str, found: Sequence[Reached], most: int = 8, *, fit: Fit | None = None
) -> list[Spoken]:
    """At most ``most`` sentences of the first documents ``found``, in the order in which to show them. ``fit`` is that
    of the question where it is there already."""
    fit = fit or Fit(snapshot, question)
    types = [type for type, _, _ in types_of(matching(question)) if type in _TOLD]
    asked = {word.casefold() for word in _WORD.findall(question)}
    rest = []
    for place, reached in enumerate(found[:DOCUMENTS], 1):
        rows = snapshot.by_document[reached.document][:_LOOKED_AT]
        for spoken in snapshot.spoken(rows):
            worth = fit.of(spoken) + _PLACE / place + _LEAD * (spoken.line.n == 1)
            worth += _TYPED * _may_answer(spoken.line.text, types, asked)
            rest.append((worth, fit.said(spoken), spoken))
    picked: list[Spoken] = []
    said = 0
    while rest and len(picked) < most:
        best = max(rest, key=lambda each: (each[0] + _ADDED * fit.share(each[1] & ~said), -each[2].row))
        rest.remove(best)
        picked.append(best[2])
        said |= best[1]
    return picked


def _may_answer(text: str, types: Sequence[str], asked: set[str]) -> bool:
    if types:
        return any(of_type(type, matching(text)) for type in types)
    return HAN.search(text) is not None or any(name.casefold() not in asked for name in _NAME.findall(text))
