"""The second channel: what stands at the named things and sounds like the question, for where no plan was found.

Where ``relations.tsv`` says how relations are said, only that counts: this channel then shows what is near and answers
nothing. In a graph without it, a relation whose name the question's words cover is taken to be meant.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from lingbot_map.ask.askable import Route
from lingbot_map.ask.bases.triples.graph import Edge, Graph
from lingbot_map.ask.bases.triples.relations import HAN, WORD, Lexicon, spelt
from lingbot_map.ask.bases.triples.say import Say
from lingbot_map.ask.bases.triples.words import FILLER_EN, FILLER_ZH, stem
from lingbot_map.ask.pool import Fused, Hit
from lingbot_map.ask.text import STOP, folded, words
from lingbot_map.ask.types import Chain, Found, Question, Sentence

LEAST = 0.5
"""Share of a relation's name that the question must say; half of it is one of the two words that most names have."""
_MOST_INDEXED = 300_000
_MOST_CONTEXT = 20_000
_LONGEST = 1000
_MOST_ENDS, _MOST_MIDDLES, _MOST_TOLD = 200, 50, 20
_STEP = 0.35  # what a second step must be said better than
_IN = 0.2  # walked against its arrow a relation is said in other words as often as not
_HINTS = (
    (re.compile(r"什么时候|何时|哪一?年|几号|哪天|多会|when|what year"), "时间日期年份生日 date year time"),
    (re.compile(r"哪里|哪儿|什么地方|在哪|where"), "地点位置地址地区所在 place location"),
    (re.compile(r"谁|什么人|who"), "人者 person"),
    (re.compile(r"多高|海拔"), "高度海拔身高 height"),
    (re.compile(r"多大"), "面积年龄大小 area age"),
    (re.compile(r"多少|几"), "数量 number"),
    (re.compile(r"叫什么|名字|怎么称呼|怎么读"), "名称 name"),
)
_K1, _B = 1.2, 0.75  # the usual ones of BM25


@dataclass(frozen=True, slots=True)
class Walk:
    """A way from named things by relations that the question says: its ends, the edges to each, how well it is said."""

    name: str
    fit: float
    ends: Mapping[str, tuple[Edge, ...]]


class Recall:
    """Over one version of a graph; the index of all triples is made when it is first needed."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon, self.graph = lexicon, lexicon.graph
        self._index: Bm25 | None = None

    def routes(self, question: Question) -> tuple[Route, ...]:
        """The relations at the named things (0.6), and the words of all triples (0.4)."""
        return (
            Route(
                name="relations",
                weight=0.6,
                keywords=tuple(mention.text for mention in question.mentions),
                run=lambda late: self._relations(question, late),
            ),
            Route(name="words", weight=0.4, keywords=question.terms, run=lambda late: self._words(question, late)),
        )

    def _relations(self, question: Question, late: Callable[[], bool]) -> Sequence[Hit]:
        return [
            Hit(item=edge.id, score=walk.fit, why=walk.name)
            for walk in self.walks(question, late)[:10]
            for edges in list(walk.ends.values())[:5]
            for edge in edges
        ]

    def _words(self, question: Question, late: Callable[[], bool]) -> Sequence[Hit]:
        if self._index is None:
            # Beside declared relations this is context of an abstention only: not worth seconds.
            if len(self.graph.edges) > (_MOST_CONTEXT if self.graph.says else _MOST_INDEXED):
                return ()
            self._index = Bm25.of(self.graph, late)
            if self._index is None:
                return ()
        return [Hit(item=id, score=score) for id, score in self._index.best(question.text[:_LONGEST], 10)]

    def walks(self, question: Question, late: Callable[[], bool] = lambda: False) -> list[Walk]:
        """Ways of one or two steps from each named thing, and those that two of them share; the best said first."""
        text = folded(question.text[:_LONGEST])
        found: list[Walk] = []
        firsts: list[list[Walk]] = []
        for mention in question.mentions[:4]:
            rest = f"{text[: mention.start]} {text[mention.start + len(mention.text) :]}"
            asked, mine = _said(rest), []
            size = 0.01 * min(len(mention.text), 20)  # of two names the longer is rather meant
            for id in dict.fromkeys((mention.id, *mention.others[:3])):
                for way, relation, edges in self._at(id):
                    if late():
                        return []
                    used = _matched(relation, asked, rest)
                    fit = used[0] - (_IN if way == "in" else 0.0)
                    ends = {edge.target if way == "out" else edge.source: (edge,) for edge in edges[:_MOST_ENDS]}
                    walk = Walk(spelt(relation), fit + size, ends)
                    mine.append(walk)
                    found += self._further(walk, used[1], asked, rest)
            found += mine
            firsts.append(mine)
        for one, two in combinations(firsts, 2):
            found += _shared(one, two)
        found.sort(key=lambda walk: (-walk.fit, walk.name))
        return found

    def _at(self, id: str) -> Iterator[tuple[str, str, list[Edge]]]:
        for way, by_relation in (("out", self.graph.out), ("in", self.graph.into)):
            for relation, edges in by_relation.get(id, {}).items():
                yield way, relation, edges

    def _further(self, walk: Walk, used: Counter[str], asked: Counter[str], rest: str) -> Iterator[Walk]:
        """A second step, by words that the first hasn't used up."""
        left = asked - used
        ends: dict[tuple[str, str], dict[str, tuple[Edge, ...]]] = {}
        for middle, path in list(walk.ends.items())[:_MOST_MIDDLES]:
            for way, relation, edges in self._at(middle):
                into = ends.setdefault((way, relation), {})
                for edge in edges[:_MOST_ENDS]:
                    if edge not in path:
                        into.setdefault(edge.target if way == "out" else edge.source, (*path, edge))
        for (way, relation), reached in ends.items():
            fit = _matched(relation, left, "")[0] - (_IN if way == "in" else 0.0) - _STEP
            if fit > 0 and reached:
                yield Walk(f"{walk.name} / {spelt(relation)}", walk.fit + fit, reached)

    def answer(self, question: Question, pool: Sequence[Fused], say: Say) -> Found | None:
        """The ends of the way that is said best; where none is said well enough, the triple that both routes have
        first. What leaves words of the question unread is told as the nearest. ``None`` if relations are declared, or
        nothing stands at what is named."""
        if self.graph.says:
            return None
        walks = self.walks(question)
        named = {id for mention in question.mentions for id in (mention.id, *mention.others)}
        if walks and walks[0].fit >= LEAST:
            best = walks[0]
            hedged = bool(question.args.get("missing") or question.args.get("asked"))
            return _told(best, say, self.graph, round(0.6 * min(1.0, best.fit), 3), hedged=hedged)
        for fused in pool[:3]:
            edge = self.graph.edges.get(fused.item)
            if edge is not None and (edge.source in named or edge.target in named):
                end = edge.target if edge.source in named else edge.source
                return _told(Walk(edge.relation, 0.0, {end: (edge,)}), say, self.graph, 0.3, hedged=True)
        return None


def _told(walk: Walk, say: Say, graph: Graph, confidence: float, *, hedged: bool = False) -> Found:
    mark = "。" if say.lang == "zh" else "."
    lead = say.words["nearest"] if hedged else ""
    sentences, chains = [], []
    for id, edges in list(walk.ends.items())[:_MOST_TOLD]:
        told = _path(say, id, edges)
        cites = tuple(edge.id for edge in edges)
        sentences.append(Sentence(text=f"{lead}{told}{mark}", cites=cites))
        chains.append(Chain(items=cites, links=tuple(edge.relation for edge in edges), confidence=confidence))
    rows = tuple({"id": id, "name": graph.nodes[id].name, "kind": graph.nodes[id].kind} for id in walk.ends)
    return Found(sentences=tuple(sentences), confidence=confidence, chains=tuple(chains), rows=rows[:1000])


def _path(say: Say, end: str, edges: Sequence[Edge]) -> str:
    """A way to its end; two ways that meet there are told one after the other."""
    at, back = end, []
    for edge in reversed(edges):
        if at not in (edge.source, edge.target):  # the second way begins: its last edge is at the end again
            break
        at = edge.source if edge.target == at else edge.target
        back.append(edge)
    rest = edges[: len(edges) - len(back)]
    told = say.path(at, back[::-1])
    return f"{_path(say, end, rest)}, {told}" if rest else told


def _shared(one: Sequence[Walk], two: Sequence[Walk]) -> Iterator[Walk]:
    """What two named things both lead to."""
    for a in heapq.nlargest(10, one, key=lambda walk: walk.fit):
        for b in heapq.nlargest(10, two, key=lambda walk: walk.fit):
            both = {end: (*edges, *b.ends[end]) for end, edges in a.ends.items() if end in b.ends}
            if both and a.fit > 0 and b.fit > 0:
                yield Walk(f"{a.name} & {b.name}", a.fit + b.fit, both)


def _said(rest: str) -> Counter[str]:
    """The characters and stems of the words around a name, with what a question word asks for."""
    for pattern, more in _HINTS:
        if pattern.search(rest):
            rest = f"{rest} {more}"
    found: Counter[str] = Counter()
    for word in words(rest):
        if HAN.match(word):
            if word not in FILLER_ZH:
                found.update(word)
        elif word not in FILLER_EN:
            found[stem(word)] += 1
    return found


def _matched(relation: str, asked: Counter[str], rest: str) -> tuple[float, Counter[str]]:
    """The share of a relation's name that is asked for (whole, it counts fully), and the words used for it."""
    name = folded(spelt(relation))
    parts = [c for c in name if not c.isspace()] if HAN.search(name) else [stem(word) for word in WORD.findall(name)]
    used = Counter(part for part in parts if part in asked)
    if HAN.search(name) and len(name) > 1 and name in rest:
        return 1.0 + 0.01 * len(name), used
    return (used.total() / len(parts) if parts else 0.0), used


class Bm25:
    """Plain BM25 over the triples, each a text of its ends and relation."""

    def __init__(self, texts: Iterable[tuple[str, str]], late: Callable[[], bool] = lambda: False) -> None:
        self.ids: list[str] = []
        self._postings: dict[str, list[tuple[int, int]]] = {}
        self._lengths: list[int] = []
        self.whole = True
        for id, text in texts:
            if len(self.ids) % 1000 == 0 and late():
                self.whole = False
                return
            counts = Counter(_stemmed(text))
            number = len(self.ids)
            self.ids.append(id)
            self._lengths.append(sum(counts.values()))
            for word, count in counts.items():
                self._postings.setdefault(word, []).append((number, count))
        self._mean = sum(self._lengths) / max(1, len(self._lengths)) or 1.0

    @classmethod
    def of(cls, graph: Graph, late: Callable[[], bool] = lambda: False) -> Bm25 | None:
        """All triples of a graph; ``None`` if it came too late."""
        nodes = graph.nodes
        index = cls(
            (
                (edge.id, f"{nodes[edge.source].name} {spelt(edge.relation)} {nodes[edge.target].name}")
                for edge in graph.edges.values()
            ),
            late,
        )
        return index if index.whole else None

    def best(self, text: str, most: int) -> list[tuple[str, float]]:
        """(id, score) of the best triples."""
        scores: dict[int, float] = {}
        total = len(self.ids)
        for word in dict.fromkeys(_stemmed(text)):
            postings = self._postings.get(word, ())
            weight = math.log(1 + (total - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, count in postings:
                norm = count + _K1 * (1 - _B + _B * self._lengths[number] / self._mean)
                scores[number] = scores.get(number, 0.0) + weight * count * (_K1 + 1) / norm
        best = heapq.nsmallest(most, scores.items(), key=lambda pair: (-pair[1], pair[0]))
        return [(self.ids[number], score) for number, score in best]


def _stemmed(text: str) -> list[str]:
    return [word if HAN.match(word) else stem(word) for word in words(text) if word not in STOP]
