"""Documents that a question needs together: the best by words, and those that they name, and that name them.

A document that a question doesn't resemble at all is found because a sentence of one that it does resemble names it.
A step is worth what the chain so far is worth, times how well the naming sentence fits the question, plus the target's
own fit; so of many names in a document the one counts that the question asks along.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice, repeat
from typing import Any

from lingbot_map.ask.bases.documents.library import Snapshot
from lingbot_map.ask.bases.documents.spoken import Spoken
from lingbot_map.ask.bases.documents.wording import matching, stem
from lingbot_map.ask.text import STOP, terms, words

WIDTH = 8
STARTS = 12
KEPT = 100
CARRIED = 0.9  # of a chain's value that a step keeps at most
SHARED = 0.9  # of a step over a rare name that both only mention, beside one over a title
SHARED_WORD = 0.5  # the same where the name is a single word
_NEW = 0.3  # of the share of the question that a step adds to what its chain says
_ADDED = 0.5  # of the share that a document adds to those ranked before it
_REORDERED = 10  # documents that are put in order by what each adds, out of three times as many
_NAMED = 0.5  # a document that the question names, beside one that it doesn't
_NEXT_NAMESAKE = 0.8  # of several documents of one name, each beside the better one before
_DECAY = 0.15  # of a rank: 1 / (1 + 0.15 r)
_COMMON = 20  # sentences that hold a name; of one that more hold each is worth less, by the root
_EVERYWHERE = 8_000  # sentences that say a word
_ALIKE_SENTENCE, _ALIKE_DOCUMENT = 0.2, 0.35
"""Of the fit of a sentence, and of a document, what likeness of vectors makes up; words make up the rest."""
_NEAR = 0.25
"""Of what a rank by words is worth, what one by likeness adds. These three were chosen so that on questions that are
not measured nothing falls below words alone; where both ranks counted the same, some did."""
_LINKS = 80  # documents that are followed from one


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A document with its value and the way to it: documents, and the name that each step followed."""

    document: str
    value: float
    way: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(slots=True)
class Fit:
    """How well texts fit a question: by the rarity-weighted share of the question's words, and by vectors where there
    are some.

    Which sentences say a word is asked of the index once, so that a document is judged without being read. A word that
    more than ``_EVERYWHERE`` sentences say tells nothing and is left out.
    """

    snapshot: Snapshot
    question: str
    rarity: dict[str, float] = field(default_factory=dict)
    total: float = 0.0
    vector: Any = None
    alike: bool = True
    """Whether likeness of vectors counts, too."""
    _said: dict[int, int] = field(default_factory=dict)
    """Sentence to the words that it says, a bit each."""
    _weights: tuple[float, ...] = ()
    _shares: dict[int, float] = field(default_factory=dict)
    _known: dict[int, float] = field(default_factory=dict)
    _documents: dict[str, float] = field(default_factory=dict)
    _words: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        count = max(1, len(self.snapshot.documents))
        for word in {stem(word): word for word in words(matching(self.question))}.values():
            rows = self.snapshot.saying_word(word, _EVERYWHERE) if word not in STOP else None
            if rows is not None:
                self.rarity[word] = math.log(1 + count / (self.snapshot.count(word) + 0.5))
                said, bit = self._said, 1 << (len(self.rarity) - 1)
                for row in rows:
                    said[row] = said.get(row, 0) | bit
        self.total = sum(self.rarity.values()) or 1.0
        self._weights = tuple(self.rarity.values())
        for bits in {0, *self._said.values()}:
            self.share(bits)
        encoder = self.snapshot.vectors.encoder
        if encoder is not None and self.alike:
            self.vector = encoder.encode([self.question])[0]

    def of(self, spoken: Spoken) -> float:
        """Fit (0..1) of a sentence."""
        if spoken.row not in self._known:
            self._known[spoken.row] = self._fit(spoken)
        return self._known[spoken.row]

    def _fit(self, spoken: Spoken) -> float:
        share = self._shares[self._said.get(spoken.row, 0)]
        if self.vector is None:
            return share
        block = self.snapshot.vectors.blocks[spoken.document]
        return (1 - _ALIKE_SENTENCE) * share + _ALIKE_SENTENCE * float(block[spoken.line.n - 1] @ self.vector)

    def said(self, spoken: Spoken) -> int:
        """The question's words that a sentence says, a bit each."""
        return self._said.get(spoken.row, 0)

    def sentences(self, id: str) -> set[int]:
        """What the sentences of a document say of the question: its words, a bit each."""
        return set(map(self._said.get, self.snapshot.by_document[id], repeat(0)))

    def words(self, id: str) -> int:
        """The question's words that a document says, a bit each."""
        bits = self._words.get(id)
        if bits is None:
            bits = 0
            for said in map(self._said.get, self.snapshot.by_document[id], repeat(0)):
                bits |= said
            self._words[id] = bits
        return bits

    def share(self, bits: int) -> float:
        """The rarity-weighted share of the question that words make up, a bit each."""
        known = self._shares.get(bits)
        if known is None:
            held = (weight for at, weight in enumerate(self._weights) if bits >> at & 1)
            known = self._shares[bits] = sum(held) / self.total
        return known

    def document(self, id: str) -> float:
        """Fit of a document: the words of its best sentence, and with vectors how like all its sentences are."""
        if id not in self._documents:
            rows = self.snapshot.by_document[id]
            best = max(map(self._shares.__getitem__, map(self._said.get, rows, repeat(0))), default=0.0)
            if self.vector is not None and rows:
                likeness = float(self.snapshot.vectors.mean(id) @ self.vector)
                best = (1 - _ALIKE_DOCUMENT) * best + _ALIKE_DOCUMENT * likeness
            self._documents[id] = best
        return self._documents[id]


def places(snapshot: Snapshot, question: str, most: int = KEPT, *, alike: bool = True) -> dict[str, float]:
    """Documents with what their ranks are worth, best first: by words; with vectors (and ``alike``) some more for
    those of the most like sentences, so that what words find stays."""
    worth = {id: _worth(rank) for rank, (id, _) in enumerate(snapshot.found_documents(terms(question), most))}
    if snapshot.vectors.encoder is not None and alike:
        near = dict.fromkeys(id for id, _ in snapshot.vectors.nearest(question, 3 * most))
        for rank, id in enumerate(islice(near, most)):
            worth[id] = worth.get(id, 0.0) + _NEAR * _worth(rank)
    return {id: worth[id] for id in sorted(worth, key=lambda id: -worth[id])[:most]}


def _worth(rank: int) -> float:
    return 1 / (1 + _DECAY * rank)


def ranked(
    snapshot: Snapshot, question: str, *, hops: int = 2, most: int = KEPT, fit: Fit | None = None
) -> list[Reached]:
    """Documents for a question, best first. ``fit`` is that of the question where it is there already."""
    fit = fit or Fit(snapshot, question)
    place = places(snapshot, question, alike=fit.alike)
    asked: dict[str, float] = {}
    for name in snapshot.titles.within(question):
        for id, worth in _called(snapshot, name, lambda id: fit.document(id) + place.get(id, 0.0)):
            asked[id] = max(asked.get(id, 0.0), _NAMED * worth)
    best: dict[str, Reached] = {}
    for id in dict.fromkeys((*place, *asked)):
        own = 0.5 * fit.document(id) + 0.5 * place.get(id, 0.0) + asked.get(id, 0.0)
        best[id] = Reached(document=id, value=own, way=(id,))
    beam = sorted((best[id] for id in dict.fromkeys((*islice(place, STARTS), *asked))), key=_order)
    beam = beam[: max(STARTS, min(len(asked), 3 * STARTS))]
    for _ in range(hops):
        steps: dict[str, Reached] = {}
        for reached in beam:
            new = ~all_said(fit, reached.way)
            families = {snapshot.documents[id].family for id in reached.way}
            for target, link, stepped, name in _steps(snapshot, fit, reached.way[-1]):
                if snapshot.documents[target].family in families:
                    continue
                value = link * CARRIED * reached.value * (0.5 + stepped) * 0.75 + 0.25 * fit.document(target)
                value += _NEW * link * fit.share(fit.words(target) & new)
                if target not in best or value > best[target].value:
                    way = (*reached.way, target)
                    best[target] = Reached(document=target, value=value, way=way, names=(*reached.names, name))
                    steps[target] = best[target]
        beam = sorted(steps.values(), key=_order)[:WIDTH]
    return _adding(fit, sorted(best.values(), key=_order)[:most])


def _adding(fit: Fit, found: list[Reached]) -> list[Reached]:
    """The first documents in the order of their value and what each adds of the question to those before it."""
    rest, picked = found[: 3 * _REORDERED], list[Reached]()
    said = 0
    while rest and len(picked) < _REORDERED:
        best = max(rest, key=lambda each: each.value + _ADDED * fit.share(fit.words(each.document) & ~said))
        rest.remove(best)
        picked.append(best)
        said |= fit.words(best.document)
    return [*picked, *rest, *found[3 * _REORDERED :]]


def all_said(fit: Fit, documents: Iterable[str]) -> int:
    """The question's words that any of these documents says, a bit each."""
    bits = 0
    for id in documents:
        bits |= fit.words(id)
    return bits


def _steps(snapshot: Snapshot, fit: Fit, id: str) -> Iterator[tuple[str, float, float, str]]:
    """(document, what the link is worth, fit of the naming sentence, name) of what a document leads to."""
    seen = {id}
    for spoken in snapshot.of(id):
        for name in snapshot.naming(spoken):
            for target, worth in _called(snapshot, name, fit.document):
                if target not in seen and len(seen) <= _LINKS:
                    seen.add(target)
                    yield target, worth * snapshot.rare_form(spoken), fit.of(spoken), name
    for target, (here, there, name) in snapshot.sharing(id).items():
        if target not in seen:
            shared = SHARED if " " in name or not name.isascii() else SHARED_WORD
            form = min(snapshot.rare_form(here), snapshot.rare_form(there))
            yield target, shared * form, (fit.of(here) + fit.of(there)) / 2, name


def _called(snapshot: Snapshot, name: str, fit: Callable[[str], float]) -> Iterator[tuple[str, float]]:
    """The documents of a name, those that fit best first, and what following it to each is worth."""
    held = len(snapshot.held(name))
    worth = 1.0 if held <= _COMMON else math.sqrt(_COMMON / held)
    called = snapshot.titles.called[name]
    for id in sorted(called, key=lambda each: -fit(each)) if len(called) > 1 else called:
        yield id, worth
        worth *= _NEXT_NAMESAKE


def _order(reached: Reached) -> tuple[float, str]:
    return -reached.value, reached.document
