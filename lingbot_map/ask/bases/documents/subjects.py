"""Whom a sentence is about: that a document says a name here and "was born" there answers nothing if it was another who
was born there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lingbot_map.ask.bases.documents.judge import ENOUGH, TYPE_NOUNS, Judged
from lingbot_map.ask.bases.documents.spoken import Spoken
from lingbot_map.ask.bases.documents.wording import matching

_TITLE = r"(?:Dr|Mr|Mrs|Ms|Prof|Sir|Dame)\.?"
_WORD = r"[A-Z][\w'’\-]+"
NAMED = rf"(?:{_TITLE} )?{_WORD}(?: {_WORD})+|{_TITLE} {_WORD}"
"""A name of two capitalised words and more, or of one after a title."""
_NAME = re.compile(NAMED)
_BEGINS = re.compile(rf"[\s\-*•>\d.)]*({_NAME.pattern})(?=[ ,:]|'s|’s)")
_MOST = 200
"""Sentences on a question in one document up to which is looked whom each is about: that takes their square."""
_SHORT = re.compile(rf"^{_TITLE} ")


def names(text: str) -> list[frozenset[str]]:
    """The names of two capitalised words and more, or of one after a title, each as its words in matching form."""
    return [_words(match[0]) for match in _NAME.finditer(text)]


def _words(name: str) -> frozenset[str]:
    return frozenset(matching(_SHORT.sub("", name)).removesuffix("'s").removesuffix("’s").split())


def _subject(spoken: Spoken) -> frozenset[str]:
    """The name that a sentence begins with; none if it begins with something else."""
    found = _BEGINS.match(spoken.line.text)
    return _words(found[1]) if found else frozenset()


def _holds(spoken: Spoken, asked: Sequence[frozenset[str]]) -> bool:
    """Whether a sentence has half of the words of a name: "Captain Rosa Quist" is Rosa Quist and no other captain."""
    whole = spoken.whole
    return any(2 * sum(word in whole for word in name) >= len(name) for name in asked)


def of_another(judged: Judged, text: str, said: Sequence[Spoken]) -> bool:
    """Whether a part of the question ``text`` is said in ``said`` of others alone: each sentence that has it begins
    with a name that the question doesn't hold, and nothing said of a name that it holds leads there."""
    asked = names(text)
    said = [spoken for spoken in said if judged.covers([spoken])] if asked else []
    if not 0 < len(said) <= _MOST:
        return False
    own = frozenset[str]().union(*asked)
    if any(_holds(spoken, asked) and judged.share(judged.covers([spoken])) >= ENOUGH for spoken in said):
        return False  # one sentence about the name says it
    subjects = [_subject(spoken) for spoken in said]
    strange = [bool(subject) and not _holds(spoken, asked) for spoken, subject in zip(said, subjects, strict=True)]
    if not any(strange):
        return False
    for at in _reached(said, subjects, asked):
        strange[at] = False
    for number, each in enumerate(judged.concepts):
        if each.concept.text in own or each.concept.text in TYPE_NOUNS:
            continue
        having = [at for at, spoken in enumerate(said) if number in judged.covers([spoken])]
        if having and all(strange[at] for at in having):
            return True
    return False


def _reached(said: Sequence[Spoken], subjects: Sequence[frozenset[str]], asked: Sequence[frozenset[str]]) -> set[int]:
    """The places of sentences that hold one of the names ``asked``, and of those about a name that one of these
    holds."""
    reached = {at for at, spoken in enumerate(said) if _holds(spoken, asked)}
    while True:
        more = {
            at
            for at, spoken in enumerate(said)
            if at not in reached
            for name in ([subjects[at]] if subjects[at] else names(spoken.line.text))
            if any(all(word in said[other].whole for word in name) for other in reached)
        }
        if not more:
            return reached
        reached |= more
