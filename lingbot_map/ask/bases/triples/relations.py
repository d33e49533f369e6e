"""What the words of a question stand for in a graph: entities, relations, properties, kinds, values, and the marks that
say how to combine them. What nothing takes is left over, and a question with something left over isn't understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from lingbot_map.ask.bases.triples.graph import Graph, Schema, Value
from lingbot_map.ask.bases.triples.patterns import specials
from lingbot_map.ask.bases.triples.words import (
    CONCEPTS,
    DETERMINERS,
    FILLER_EN,
    FILLER_ZH,
    KINDS,
    NOUNISH,
    PERSONS,
    SAME,
    Concept,
    stem,
)
from lingbot_map.ask.names import Names
from lingbot_map.ask.text import STOP, folded, words
from lingbot_map.ask.types import Mention

T = TypeVar("T")
HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
WORD = re.compile(r"[^\W_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+(?:[-'][^\W_]+)*")
_QUOTED = re.compile(r"《([^《》]{1,200})》|“([^“”]{1,200})”|\"([^\"]{1,200})\"|「([^「」]{1,200})」")
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")


@dataclass(frozen=True, slots=True)
class Mark:
    """The words from ``start`` to ``end`` and all that they may stand for here. ``op`` is a mark of combining
    ("number", "extreme", "count" ...) with its ``value``."""

    start: int
    end: int
    text: str
    mention: Mention | None = None
    relations: tuple[str, ...] = ()
    props: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    op: str = ""
    value: tuple[Value, ...] = ()


@dataclass(slots=True)
class _Entry:
    relations: list[str] = field(default_factory=list)
    props: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    values: list[tuple[str, str]] = field(default_factory=list)


class Lexicon:
    """The words of one version of a graph."""

    def __init__(self, graph: Graph, schema: Schema, names: Names) -> None:
        self.graph, self.schema, self.names = graph, schema, names
        self.concepts: dict[str, Concept] = {}
        self._han: dict[str, _Entry] = {}
        self._latin: dict[tuple[str, ...], _Entry] = {}
        self._longest = 1
        self.persons = tuple(kind for kind in schema.kinds if folded(kind) in PERSONS)
        for relation in schema.pairs:
            said = graph.says.get(relation)
            for phrase in (*(said.says if said else ()), spelt(relation)):
                for variant in _variants(phrase):
                    _put(self._entry(variant).relations, relation)
        for relation in schema.pairs:
            bare = _without_preposition(spelt(relation))
            if bare and relation not in graph.says and not self._entry(bare).relations:
                self._entry(bare).relations.append(relation)  # where does Ann work?
        self._props()
        self._kinds()
        for prop, texts in schema.values.items():
            for text in texts:
                for phrase in (text, *_same(text)):
                    if len(phrase) > 1 or HAN.match(phrase):
                        entry = self._entry(phrase)
                        _put(entry.values, (prop, text))
                        # 小说 may be a word for books; where it is a category of theirs, that is what it says
                        entry.kinds = [kind for kind in entry.kinds if phrase in self._own(kind)]

    def _props(self) -> None:
        names = {name for props in self.schema.node_props.values() for name in props}
        names |= {name for props in self.schema.edge_props.values() for name in props}
        for name in sorted(names):
            said = self.graph.says.get(name)
            phrases = [spelt(name), *(said.says if said else ())]
            concept = next((c for c in CONCEPTS if folded(name) in c.names), None)
            if concept is not None:
                self.concepts[name] = concept
                phrases += concept.says
            for phrase in phrases:
                _put(self._entry(phrase).props, name)

    def _kinds(self) -> None:
        for kind in self.schema.kinds:
            if not kind:
                continue
            said = self.graph.says.get(kind)
            phrases = [spelt(kind), *(said.says if said else ())]
            for names, says in KINDS:
                if folded(kind) in names or (kind in self.persons and "person" in names):
                    phrases += says.split()
            for phrase in phrases:
                _put(self._entry(phrase).kinds, kind)

    def _own(self, kind: str) -> tuple[str, ...]:
        """What a kind is called in the graph itself."""
        said = self.graph.says.get(kind)
        return (kind, spelt(kind), *(said.says if said else ()))

    def _entry(self, phrase: str) -> _Entry:
        phrase = folded(phrase).strip()
        if HAN.search(phrase):
            self._longest = max(self._longest, len(phrase))
            return self._han.setdefault(phrase, _Entry())
        return self._latin.setdefault(tuple(stem(word) for word in WORD.findall(phrase))[:6], _Entry())

    def marks(self, text: str) -> tuple[list[Mark], list[tuple[int, str]]]:
        """(marks in order, none within another; what is left over and where) of a folded text."""
        cut = [(word.start(), word.end(), stem(word[0])) for word in WORD.finditer(text)]
        found = [*self._entities(text), *self._phrases(text), *self._english(text, cut)]
        found += [Mark(start, end, text[start:end], op=op, value=value) for start, end, op, value in specials(text)]
        # The longest first; of two of one length what can be looked up.
        found.sort(key=lambda mark: (mark.start - mark.end, mark.mention is None, bool(mark.op), mark.start))
        taken = bytearray(len(text))
        kept: list[Mark] = []
        for mark in found:
            if not any(taken[mark.start : mark.end]):
                taken[mark.start : mark.end] = b"\1" * (mark.end - mark.start)
                kept.append(mark)
        kept.sort(key=lambda mark: mark.start)
        return kept, self._left(text, taken)

    def whole(self, text: str, start: int, run: str, marks: Sequence[Mark]) -> str:
        """What is left over with the rest of the words that it is cut from: 出生 of 出生地."""
        if not HAN.search(run):
            return run
        first, last, at = start, start + len(run), 0
        names = [mark for mark in marks if mark.mention is not None]
        for word in words(text):
            found = text.find(word, at)
            if found < 0:
                continue
            at = found + len(word)
            if found < start + len(run) and at > start and not any(m.start < at and m.end > found for m in names):
                first, last = min(first, found), max(last, at)
        return text[first:last]

    def _entities(self, text: str) -> Iterable[Mark]:
        for mention in self.names.find(text):
            start = mention.start
            if not trimmed(mention.text):
                continue  # 是 may be a name somewhere; in a question it is one only in quotes
            yield Mark(start, start + len(mention.text), mention.text, mention=mention)
        for quoted in _QUOTED.finditer(text):
            inner = next(group for group in quoted.groups() if group is not None)
            ids = self.names.ids(inner)
            if ids:  # the marks around a name make it longer than whatever else these words may be
                inside = self.names.find(inner)
                if len(inside) == 1 and inside[0].text == inner:
                    named = replace(inside[0], start=quoted.start() + 1)
                    yield Mark(quoted.start(), quoted.end(), inner, mention=named)
            elif not self._whole(inner):
                yield Mark(quoted.start(), quoted.end(), inner, op="unknown", value=(inner,))

    def _whole(self, text: str) -> bool:
        """Whether a text as a whole is something that the graph or a question says."""
        text = text.strip()
        key = tuple(stem(word) for word in WORD.findall(text))
        return text in self._han or (bool(key) and not HAN.search(text) and key in self._latin)

    def _phrases(self, text: str) -> Iterable[Mark]:
        for at in range(len(text)):
            for length in range(min(self._longest, len(text) - at), 0, -1):
                entry = self._han.get(text[at : at + length])
                if entry is not None:
                    yield _mark(at, at + length, text, entry)

    def _english(self, text: str, cut: Sequence[tuple[int, int, str]]) -> Iterable[Mark]:
        for at in range(len(cut)):
            for length in range(min(6, len(cut) - at), 0, -1):
                last = cut[at + length - 1]
                between = text[cut[at][0] : last[1]]
                if length > 1 and re.search(r"[^\w\s'-]", between):
                    continue
                entry = self._latin.get(tuple(word for _, _, word in cut[at : at + length]))
                if entry is not None:
                    yield _mark(cut[at][0], last[1], text, entry)

    def _left(self, text: str, taken: bytearray) -> list[tuple[int, str]]:
        """The runs that nothing took, without the words that say nothing at their ends."""
        left: list[tuple[int, str]] = []
        at = 0
        while at < len(text):
            if taken[at]:
                at += 1
                continue
            end = at
            while end < len(text) and not taken[end]:
                end += 1
            run = trimmed(text[at:end])
            if run:
                left.append((at + text[at:end].index(run), run))
            at = end
        return left or list(_made_of_filler(text, taken))


def trimmed(run: str) -> str:
    """A run without marks and words that say nothing at its ends; "" if nothing else is in it."""
    pieces: list[tuple[int, int, bool]] = []  # start, end, says nothing
    at = 0
    while at < len(run):
        word = WORD.match(run, at)
        if word:
            pieces.append((at, word.end(), all(w in FILLER_EN for w in re.split(r"['-]", word[0]))))
            at = word.end()
        elif HAN.match(run[at]):
            size = next((size for size in range(4, 0, -1) if run[at : at + size] in FILLER_ZH), 0)
            pieces.append((at, at + (size or 1), bool(size)))
            at += size or 1
        else:
            at += 1
    said = [piece for piece in pieces if not piece[2]]
    if not said:
        return ""
    return run[said[0][0] : said[-1][1]].strip()


def _made_of_filler(text: str, taken: bytearray) -> Iterable[tuple[int, str]]:
    """Words that say something though what of them nothing took would not by itself: 地位, 首都, 为什么."""
    at = 0
    for word in words(text):
        start = text.find(word, at)
        if start < at:
            return  # pairs of characters, where no words can be cut, overlap: they prove nothing
        at = start + len(word)
        if len(word) > 1 and HAN.match(word) and word not in FILLER_ZH:
            for place in range(start, at):
                determined = place > 0 and text[place - 1] in DETERMINERS
                if text[place] in NOUNISH and not taken[place] and not determined:
                    yield start, word
                    break


def spelt(name: str) -> str:
    """The words of a name of a graph: ACTED_IN and actedIn are "acted in"; of a path or an address its last part."""
    last = re.split(r"[/#]|__|\.", name.rstrip("/#."))[-1] or name
    if HAN.search(last):
        return last
    return " ".join(_PIECES.findall(last)).casefold() or name.casefold()


def _without_preposition(name: str) -> str:
    """ "works" of "works at"; "" of a name that ends in none, and of one that is nothing else."""
    verb, _, last = name.rpartition(" ")
    return verb if last in _PREPOSITIONS and verb not in STOP and verb != "part" else ""


_PREPOSITIONS = frozenset(["at", "in", "on", "for", "to", "with", "from", "by", "of", "under", "into"])


def _variants(phrase: str) -> Iterable[str]:
    """A verb with an aspect is said with the others too: 拍了, 拍过, 拍的."""
    yield phrase
    if HAN.search(phrase) and len(phrase) > 1 and phrase[-1] in "了过的":
        yield from (phrase[:-1] + tail for tail in ("了", "过", "的", "", "过的", "了的"))
    head, inner, noun = phrase.partition("的")
    if inner and noun and HAN.search(head):  # 写的剧本 is also 写了, 写过
        yield from (head + tail for tail in ("了", "过", "的", "过的", "了的", ""))
    if HAN.search(phrase) and len(phrase) > 2 and phrase[-1] in "给于到在":
        yield phrase[:-1]  # 汇报给 is also 向…汇报


def _same(text: str) -> Iterable[str]:
    key = folded(text)
    for group in SAME:
        if key in group:
            yield from group


def _put(into: list[T], value: T) -> None:
    if value not in into:
        into.append(value)


def _mark(start: int, end: int, text: str, entry: _Entry) -> Mark:
    return Mark(
        start,
        end,
        text[start:end],
        relations=tuple(entry.relations),
        props=tuple(entry.props),
        kinds=tuple(entry.kinds),
        values=tuple(entry.values),
    )
