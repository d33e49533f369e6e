"""The graph of sentences: what ties one to another, and the same seen by paragraph or by topic.

Edges: "next" (neighbours in a document), "name" (a rare name in both, or the title of the other's document in this one)
and "similar" (vectors, where there are some). Nothing of it is stored: a sentence's ties are found when they are asked
for, so that a changed document leaves none behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lingbot_map.ask.bases.documents.library import Snapshot
from lingbot_map.ask.bases.documents.links import phrases_in, plain
from lingbot_map.ask.bases.documents.spoken import Spoken

Level = Literal["sentence", "paragraph", "topic"]
Kind = Literal["next", "name", "similar"]
NAME = 0.6
SUBJECT = 0.3
"""More where both sentences begin with the name: they speak of the same."""
SIMILAR = 0.65
"""Likeness of vectors from which on two sentences are tied; at most ``_MOST_SIMILAR`` each."""
_MOST_SIMILAR = 5
_BEGINNING = 3  # sentences of a document that its title leads to


@dataclass(frozen=True, slots=True)
class Tie:
    """An edge to another sentence: its kind, what it is worth (0..1), and the name where one ties them."""

    to: Spoken
    kind: Kind
    weight: float
    name: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two nodes of a level, by id; of several ties the strongest."""

    a: str
    b: str
    kind: str
    weight: float
    name: str = ""


def ties(snapshot: Snapshot, spoken: Spoken) -> list[Tie]:
    """What a sentence is tied to: neighbours, then rare names (the rarest first), titles, likeness. Each once."""
    found = list(tied(snapshot, spoken))
    beginning = plain(spoken.line.text)
    made = []
    for (_, kind, name, likeness), other in zip(found, snapshot.spoken(each[0] for each in found), strict=True):
        weight = 1.0 if kind == "next" else likeness
        if kind == "name":
            both = beginning.startswith(name) and plain(other.line.text).startswith(name)
            weight = NAME + (SUBJECT if both else 0.0)
        made.append(Tie(other, kind, weight, name))
    return made


def tied(snapshot: Snapshot, spoken: Spoken) -> Iterator[tuple[int, Kind, str, float]]:
    """(row, kind, name, likeness) of the sentences that one is tied to, in the order of ``ties``; none is read."""
    rows = snapshot.by_document[spoken.document]
    seen = {spoken.row}
    for at in (spoken.line.n - 2, spoken.line.n):
        if 0 <= at < len(rows):
            seen.add(rows[at])
            yield rows[at], "next", "", 0.0
    for name, row in _named(snapshot, spoken):
        if row not in seen:
            seen.add(row)
            yield row, "name", name, 0.0
    for document, at, likeness in snapshot.vectors.like(spoken.document, spoken.line.n - 1, _MOST_SIMILAR + 1, SIMILAR):
        row = snapshot.by_document[document][at]
        if row not in seen:
            yield row, "similar", "", likeness


def _named(snapshot: Snapshot, spoken: Spoken) -> Iterator[tuple[str, int]]:
    snapshot.hold(spoken.names)
    for name in sorted(spoken.names, key=lambda each: (len(snapshot.postings[each]), -len(each))):
        held = snapshot.postings[name]
        if len(held) <= snapshot.cap:
            yield from ((name, row) for row in held)
    for phrase in phrases_in(spoken.line.text):
        yield from ((phrase, row) for row in snapshot.saying(phrase))
    for name in snapshot.naming(spoken):
        for document in snapshot.titles.called[name]:
            if document != spoken.document:
                yield from ((name, row) for row in snapshot.by_document[document][:_BEGINNING])


def node(spoken: Spoken, level: Level) -> str:
    """The node that a sentence belongs to: itself, its paragraph (``path¶3``), or its topic (``path§heading``)."""
    if level == "sentence":
        return spoken.id
    if level == "paragraph":
        return f"{spoken.document}\u00b6{spoken.line.paragraph}"
    return f"{spoken.document}\u00a7{spoken.line.heading}"


def edges(snapshot: Snapshot, level: Level = "sentence", documents: frozenset[str] | None = None) -> list[Edge]:
    """All edges at a level, each once, in order; of ``documents`` alone if they are given."""
    found: dict[tuple[str, str], Edge] = {}
    for id in snapshot.documents if documents is None else sorted(documents & snapshot.documents.keys()):
        for spoken in snapshot.of(id):
            for tie in ties(snapshot, spoken):
                a, b = sorted((node(spoken, level), node(tie.to, level)))
                inside = documents is None or tie.to.document in documents
                if a != b and inside and ((a, b) not in found or found[a, b].weight < tie.weight):
                    found[a, b] = Edge(a, b, tie.kind, tie.weight, tie.name)
    return [found[key] for key in sorted(found)]
