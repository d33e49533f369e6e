"""From a question to the passages in the prompt: two recalls, fusion, re-ranking, selection."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace

from lingbot_map.demo.knowledge import Document, Knowledge
from lingbot_map.demo.probing import probe, seen
from lingbot_map.demo.text import cosine, embed, rarities, terms

RECALLED = 8
"""Documents that each recall returns."""
FUSED = 8
"""Documents that go on to the re-ranker."""
RRF_K = 60
"""The constant of reciprocal rank fusion; 60 is what its authors found good, and nothing here asks for another."""
POPULARITY = 0.25
"""Share of the re-ranker's score that comes from how often a document was used in the last week."""
BUDGET = 150
"""Tokens that documents may take in the prompt."""
FLOOR = 0.6
"""A document must reach this share of the first one's score to be put into the prompt."""
DUPLICATE = 0.8
"""A document this similar to one already in the prompt adds nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A document in one stage, with the stage's own score. ``dropped`` says why it goes no further."""

    document: Document
    score: float
    unit: str
    dropped: str = ""


class Retriever:
    """Hybrid search over a knowledge store. Every stage is a function of the question and the stage before."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self._rarity = rarities(document.terms for document in knowledge.documents)
        self._length = sum(document.terms.total() for document in knowledge.documents) / len(knowledge.documents)

    def search(self, query: str, category: str = "") -> list[Hit]:
        """The documents that reach the prompt for ``query``, best first; counts them as used."""
        fused = self.fuse(query, self.recall_vector(query, category), self.recall_keyword(query, category))
        chosen = [hit for hit in self.select(query, self.rerank(query, fused)) if not hit.dropped]
        for hit in chosen:
            self.knowledge.hits.used(hit.document.id)
        return chosen

    @probe.retrieval(stage="vector", query="query", params=("category",), extract=seen)
    def recall_vector(self, query: str, category: str = "") -> list[Hit]:
        """The closest documents of ``category`` ("": of all) by embedding."""
        asked = embed(query)
        scored = [
            Hit(document=document, score=cosine(asked, document.vector), unit="cosine")
            for document in self.knowledge.documents
            if category in ("", document.category)
        ]
        return [hit for hit in _ranked(scored)[:RECALLED] if hit.score > 0.05]

    @probe.retrieval(stage="keyword", query="query", params=("category",), extract=seen)
    def recall_keyword(self, query: str, category: str = "") -> list[Hit]:
        """The best documents of ``category`` ("": of all) by BM25."""
        asked = set(terms(query))
        scored = [
            Hit(document=document, score=self._bm25(asked, document.terms), unit="bm25")
            for document in self.knowledge.documents
            if category in ("", document.category)
        ]
        return [hit for hit in _ranked(scored)[:RECALLED] if hit.score > 0]

    @probe.retrieval(stage="fused", query="query", extract=seen)
    def fuse(self, query: str, *recalls: list[Hit]) -> list[Hit]:
        """Reciprocal rank fusion of the recalls."""
        places: dict[str, float] = {}
        documents: dict[str, Document] = {}
        for recall in recalls:
            for rank, hit in enumerate(recall, 1):
                places[hit.document.id] = places.get(hit.document.id, 0.0) + 1 / (RRF_K + rank)
                documents[hit.document.id] = hit.document
        fused = [Hit(document=documents[name], score=score, unit="rrf") for name, score in places.items()]
        return _ranked(fused)[:FUSED]

    @probe.retrieval(stage="reranked", query="query", extract=seen)
    def rerank(self, query: str, fused: list[Hit]) -> list[Hit]:
        """The candidates by how well they cover the question and how often they were of use lately."""
        asked = embed(query)
        words = set(terms(query))
        known = sum(self._rarity.get(word, 0.0) for word in words) or 1.0
        scored = []
        for hit in fused:
            document = hit.document
            covered = sum(self._rarity[word] for word in words if word in document.terms) / known
            titled = sum(self._rarity[word] for word in words if word in document.title_terms) / known
            relevance = 0.5 * cosine(asked, document.vector) + 0.3 * covered + 0.2 * titled
            score = (1 - POPULARITY) * relevance + POPULARITY * self._popularity(document.id)
            scored.append(Hit(document=document, score=score, unit="reranker"))
        return _ranked(scored)

    @probe.retrieval(stage="prompt", query="query", extract=seen)
    def select(self, query: str, reranked: list[Hit]) -> list[Hit]:
        """All candidates; those that don't reach the prompt say why."""
        chosen: list[Hit] = []
        spent = 0
        out: list[Hit] = []
        for hit in reranked:
            why = ""
            if hit.score < FLOOR * reranked[0].score:
                why = "below threshold"
            elif any(cosine(hit.document.vector, other.document.vector) >= DUPLICATE for other in chosen):
                why = "near duplicate"
            elif chosen and spent + hit.document.cost > BUDGET:
                why = "over budget"
            else:
                chosen.append(hit)
                spent += hit.document.cost
            out.append(replace(hit, dropped=why))
        return out

    def _bm25(self, asked: set[str], held: Counter[str]) -> float:
        long = 1.2 * (0.25 + 0.75 * held.total() / self._length)
        return sum(self._rarity[word] * held[word] * 2.2 / (held[word] + long) for word in asked if word in held)

    def _popularity(self, name: str) -> float:
        """A week's hits between 0 and 1, damped; 40 hits and more are as popular as it gets."""
        return min(math.log1p(self.knowledge.hits.week(name)) / math.log1p(40), 1.0)


def _ranked(hits: list[Hit]) -> list[Hit]:
    rounded = [replace(hit, score=round(hit.score, 4)) for hit in hits]
    return sorted(rounded, key=lambda hit: (-hit.score, hit.document.id))
