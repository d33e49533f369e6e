"""Which stage of a retrieval a retriever's list is of, as its name says it."""

from __future__ import annotations

from functools import lru_cache

_KEYWORD = ("bm25", "keyword", "tfidf", "fulltext", "full_text", "full-text")
_FUSED = ("fusion", "ensemble", "hybrid", "rrf")


@lru_cache(1_000)
def stage_of(name: str) -> str:
    """A retriever whose name says how it searches is believed; of any other only the one list that it gave is known."""
    name = name.lower()
    if any(word in name for word in _KEYWORD):
        return "keyword"
    if any(word in name for word in _FUSED):
        return "fused"
    return "vector" if "vector" in name or "embedding" in name else "fused"
