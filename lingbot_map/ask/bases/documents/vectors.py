"""Vectors of sentences and whatever makes them: none (hashed stems, weighed by how rare they are), a static table, a
small model of an optional package, or an endpoint that speaks OpenAI's ``/embeddings``.

Every rung but the first may be missing: ``encoder`` takes the best that is there, and says which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol


class Encoder(Protocol):
    """Makes vectors: ``encode`` gives one row of length 1 a text."""

    name: str

    def encode(self, texts: Sequence[str]) -> Any:
        """A float32 array of shape (texts, dimensions)."""
        ...


@dataclass(frozen=True)
class Vectors:
    """The vectors of each document's sentences; without an encoder there are none."""

    encoder: Encoder | None
    blocks: Mapping[str, Any] = field(default_factory=dict)

    def without(self, documents: Sequence[str]) -> Vectors:
        """Those of all other documents."""
        if not documents or self.encoder is None:
            return self
        return Vectors(self.encoder, {id: block for id, block in self.blocks.items() if id not in set(documents)})

    def plus(self, documents: Mapping[str, Sequence[str]]) -> Vectors:
        """These and those of more documents."""
        if self.encoder is None or not documents:
            return self
        rows = self.encoder.encode([text for texts in documents.values() for text in texts])
        blocks, at = dict(self.blocks), 0
        for id, texts in documents.items():
            blocks[id] = rows[at : at + len(texts)]
            at += len(texts)
        return Vectors(self.encoder, blocks)

    @cached_property
    def all(self) -> tuple[list[tuple[str, int]], Any]:
        """((document, place of the sentence) of each row, the rows)."""
        import numpy as np

        owners = [(id, at) for id, block in self.blocks.items() for at in range(len(block))]
        return owners, np.concatenate(list(self.blocks.values())) if owners else np.zeros((0, 1), np.float32)

    @cached_property
    def _means(self) -> dict[str, Any]:
        return {}

    def mean(self, document: str) -> Any:
        """The direction of a document's sentences together, length 1."""
        import numpy as np

        if document not in self._means:
            row = self.blocks[document].mean(0)
            self._means[document] = row / max(float(np.linalg.norm(row)), 1e-9)
        return self._means[document]

    def like(self, document: str, at: int, most: int, least: float) -> list[tuple[str, int, float]]:
        """(document, place, likeness) of sentences at least ``least`` like one of a document, best first."""
        if document not in self.blocks:
            return []
        owners, rows = self.all
        scores = rows @ self.blocks[document][at]
        found = [int(row) for row in (scores >= least).nonzero()[0]]
        found.sort(key=lambda row: (-float(scores[row]), row))
        return [(*owners[row], float(scores[row])) for row in found[:most] if owners[row] != (document, at)]

    def nearest(self, text: str, most: int) -> list[tuple[str, int]]:
        """(document, place) of the sentences most like a text, best first."""
        import numpy as np

        if self.encoder is None or not self.blocks:
            return []
        owners, rows = self.all
        scores = rows @ self.encoder.encode([text])[0]
        most = min(most, len(scores))
        order = np.argpartition(-scores, most - 1)[:most]
        order = order[np.lexsort((order, -scores[order]))]
        return [owners[int(at)] for at in order]
