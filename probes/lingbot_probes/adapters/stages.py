"""Which stage of a retrieval a retriever's list is of, as its name says it."""

from __future__ import annotations

from functools import lru_cache

_LOOKED_AT = 100  # characters of a name
_MARKS = (
    ("reranked", ("rerank", "compress", "crossencoder", "cross_encoder")),
    ("keyword", ("bm25", "keyword", "tfidf", "fulltext", "full_text", "full-text")),
    ("fused", ("fusion", "ensemble", "hybrid", "rrf", "merger")),
    ("vector", ("vector", "embedding", "dense", "similarity")),
)
"""The first that stands in a name counts: a reranker is named after what it ranks, a fusion after what it joins."""


def stage_of(name: str) -> str:
    """A retriever whose name says how it searches is believed; of any other only the one list that it gave is known,
    which is the "fused" one."""
    return _stage(name[:_LOOKED_AT])


@lru_cache(1_000)
def _stage(name: str) -> str:
    name = name.lower().replace("condense", "")  # asks anew, and is not dense
    return next((stage for stage, marks in _MARKS if any(mark in name for mark in marks)), "fused")
