"""Vectors on disk: one int8 row a sentence, mapped, so that opening reads nothing and memory holds what is touched.

Rows are only ever added; a document's row in the database says where its own begin, so those of a change that was never
finished, and of documents that are gone, are dead weight that ``stored`` sweeps away when it is more than half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lingbot_map.ask.bases.documents.vectors import Encoder, Vectors

ByWords = Callable[[str, int], Sequence[tuple[str, int]]]
"""Gives (document, place) of the sentences that a text's words find, so many."""
SCALE = 127
SCANNED = 200_000
"""Sentences that are all compared with a question (some 90 ms); of more, those that its words find."""
_PIECE = 16_384  # rows that are compared at once


def packed(rows: Any) -> bytes:
    """Rows of length 1 as they stand in the file."""
    import numpy as np

    return bytes((rows * SCALE).round().astype(np.int8).tobytes())


class _Blocks(Mapping[str, Any]):
    """The rows of each document, float32."""

    def __init__(self, rows: Any, places: Mapping[str, tuple[int, int]]) -> None:
        self._rows, self.places = rows, places

    def __getitem__(self, document: str) -> Any:
        import numpy as np

        first, count = self.places[document]
        return self._rows[first : first + count].astype(np.float32) / SCALE

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


@dataclass(frozen=True)
class Mapped(Vectors):
    """Vectors of a file, ``rows``."""

    rows: Any = None
    by_words: ByWords = lambda text, most: ()

    @cached_property
    def _owners(self) -> tuple[Any, Any, list[str]]:
        """(first row, count) of documents in the order of the file, and their ids."""
        import numpy as np

        assert isinstance(self.blocks, _Blocks)
        order = sorted((first, count, id) for id, (first, count) in self.blocks.places.items())
        return np.array([f for f, _, _ in order]), np.array([c for _, c, _ in order]), [id for _, _, id in order]

    @cached_property
    def _live(self) -> Any:
        """Which rows belong to a document."""
        import numpy as np

        live = np.zeros(len(self.rows), bool)
        firsts, counts, _ = self._owners
        for first, count in zip(firsts, counts, strict=True):
            live[first : first + count] = True
        return live

    def nearest(self, text: str, most: int) -> list[tuple[str, int]]:
        """(document, place) of the sentences most like a text, best first."""
        if self.encoder is None or not self.blocks:
            return []
        vector = self.encoder.encode([text])[0]
        if sum(self._owners[1]) > SCANNED:
            return self._of(self.by_words(text, 2_000), vector, most)
        return [(id, at) for id, at, _ in self._scan(vector, most)]

    def like(self, document: str, at: int, most: int, least: float) -> list[tuple[str, int, float]]:
        """(document, place, likeness) of sentences at least ``least`` like one of a document, best first; none where
        there are more than ``SCANNED``."""
        if document not in self.blocks or sum(self._owners[1]) > SCANNED:
            return []
        found = self._scan(self.blocks[document][at], most)
        return [each for each in found if each[2] >= least and each[:2] != (document, at)]

    def _of(self, wanted: Sequence[tuple[str, int]], vector: Any, most: int) -> list[tuple[str, int]]:
        import numpy as np

        assert isinstance(self.blocks, _Blocks)
        places = [self.blocks.places[id][0] + at for id, at in wanted]
        scores = self.rows[places].astype(np.float32) @ vector if places else ()
        return [wanted[at] for at in sorted(range(len(wanted)), key=lambda at: (-float(scores[at]), at))[:most]]

    def _scan(self, vector: Any, most: int) -> list[tuple[str, int, float]]:
        import numpy as np

        rows = self.rows
        firsts, _, ids = self._owners
        scores = np.concatenate([
            rows[begin : begin + _PIECE].astype(np.float32) @ vector for begin in range(0, len(rows), _PIECE)
        ]) / SCALE  # fmt: skip
        scores[~self._live] = -2.0
        most = min(most, int(self._live.sum()))
        order = np.argpartition(-scores, most - 1)[:most]
        order = order[np.lexsort((order, -scores[order]))]
        owners = np.searchsorted(firsts, order, "right") - 1
        return [
            (ids[int(owner)], int(row - firsts[owner]), float(scores[row]))
            for owner, row in zip(owners, order, strict=True)
        ]


def mapped(
    encoder: Encoder,
    path: Path,
    width: int,
    places: Mapping[str, tuple[int, int]],
    by_words: ByWords,
) -> Mapped:
    """The vectors in a file of rows of ``width``; ``places`` says which (first row, count) are a document's."""
    import numpy as np

    size = path.stat().st_size // width if places else 0
    rows = np.memmap(path, np.int8, "r", 0, (size, width)) if size else np.zeros((0, max(width, 1)), np.int8)
    return Mapped(encoder, _Blocks(rows, places), rows, by_words)
