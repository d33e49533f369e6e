"""A retriever's stage by its name: one table of words, whatever framework the name comes from."""

from __future__ import annotations

import pytest

from lingbot_probes.adapters.stages import stage_of
from lingbot_probes.signals import STAGES

NAMES = {
    # told by spans, agents and LangGraph alike
    "BM25Retriever": "keyword",
    "keyword_search": "keyword",
    "tfidf": "keyword",
    "full-text": "keyword",
    "EnsembleRetriever": "fused",
    "rrf_fusion": "fused",
    "hybrid": "fused",
    "vector_search": "vector",
    "VectorStoreRetriever": "vector",
    "embedding lookup": "vector",
    "search": "fused",
    "": "fused",
    # told by LangGraph alone before
    "MergerRetriever": "fused",
    "dense_search": "vector",
    "similarity_search": "vector",
    "CrossEncoderReranker": "reranked",
    "cross_encoder": "reranked",
    "ContextualCompressionRetriever": "reranked",
    "rerank_vectors": "reranked",
    "bm25_vector_fusion": "keyword",
    "hybrid_vector": "fused",
    # a question that is condensed is searched for in whatever way
    "condense_question": "fused",
    "condense_then_dense": "vector",
}


@pytest.mark.parametrize(("name", "stage"), NAMES.items(), ids=lambda word: word or "nameless")
def test_a_retriever_is_believed_what_its_name_says(name: str, stage: str) -> None:
    assert stage_of(name) == stage_of(name.upper()) == stage
    assert stage in STAGES


def test_only_the_beginning_of_a_giant_name_is_looked_at() -> None:
    assert stage_of("x" * 100 + "vector") == "fused"
    assert stage_of("x" * 94 + "vector") == "vector"
