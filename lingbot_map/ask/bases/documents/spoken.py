"""A sentence as it is searched and cited, and what tells one that is written for its document from boilerplate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lingbot_map.ask.bases.documents.files import Document, Line
from lingbot_map.ask.bases.documents.links import form_of, names_in, plain
from lingbot_map.ask.bases.documents.wording import matching, stems

_BOILERPLATE = 0.1  # of the documents may have a sentence of one form before its names count for less
OWN = 0.5
"""A sentence of a form that is worth less is boilerplate."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sentence in its document: ``id`` is ``path#n``, ``row`` its row in the index."""

    row: int
    id: str
    document: str
    line: Line
    names: tuple[str, ...]
    context: str
    stems: frozenset[str]
    """Its stems with those of its title and heading."""
    form: int

    @property
    def whole(self) -> str:
        """Its matching form with that of its document's title and heading."""
        return self.context + "\n" + matching(self.line.text)


def called_by(document: Document) -> list[str]:
    """What a document is called, compared form: its title; the id that begins it, and what follows ("REQ-101 Retries");
    what stands before a comma ("Oakdale, New York")."""
    title = plain(document.title)
    found = [title]
    head, _, rest = document.title.strip().partition(" ")
    if rest and re.fullmatch(r"[A-Za-z]+[-_]?\d[\w.\-]*", head):
        found += [plain(head), plain(rest)]
    place, comma, _ = document.title.partition(",")
    if comma and len(place) > 3:
        found.append(plain(place))
    return [name for name in dict.fromkeys(found) if len(name) > 1]


def own_text(said: Sequence[tuple[str, int]], documents: int) -> list[str]:
    """What a document is found by as a whole: of its sentences, each with how many have its form, those that are no
    boilerplate; all of them if it is nothing else."""
    own = [text for text, count in said if form_worth(count, documents) > OWN]
    return own or [text for text, _ in said]


def form_worth(count: int, documents: int) -> float:
    """1 for a sentence that is written for its document; less the more sentences (``count``) share its form."""
    return min(1.0, max(8.0, _BOILERPLATE * documents) / max(1, count))


def spoken_in(document: Document, first: int) -> list[Spoken]:
    """The sentences of a document, whose rows begin with ``first``."""
    found = []
    title = matching(document.title)
    own = tuple(called_by(document))
    heads: dict[str, frozenset[str]] = {}
    for at, line in enumerate(document.lines):
        names = names_in(line.text)
        if at == 0:
            names = tuple(dict.fromkeys((*own, *names)))
        context = context_of(title, line.heading, document.title)
        if context not in heads:
            heads[context] = stems(context)
        found.append(
            Spoken(
                row=first + at,
                id=f"{document.id}#{line.n}",
                document=document.id,
                line=line,
                names=names,
                context=context,
                stems=heads[context] | stems(line.text),
                form=form_of(line.text),
            )
        )
    return found


def context_of(matched: str, heading: str, title: str) -> str:
    """What stands above a sentence, in matching form: the title (``matched``), and the heading if it is another."""
    return f"{matched}\n{matching(heading)}" if heading and heading != title else matched
