"""Chains of sentences that together say what a question asks, each tied to the one before.

A beam over the sentence graph: neighbours in a document, sentences that share a rare name, and the beginning of a
document that a sentence names. Never two versions of one document. Chains that share half their sentences are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from lingbot_map.ask.bases.documents.graph import tied
from lingbot_map.ask.bases.documents.judge import Judged
from lingbot_map.ask.bases.documents.library import Snapshot
from lingbot_map.ask.bases.documents.spoken import Spoken

WIDTH = 8
STARTS = 12
_TIES = 60  # of a sentence that are followed
_STEP = 0.035  # what a sentence more must add of the question, so that no chain is longer than it need be
_FAR = 0.01  # what a step to another document costs more than one within


@dataclass(frozen=True, slots=True)
class Path:
    """Sentences in the order in which they were walked, what ties each to the next, and the concepts they cover."""

    spoken: tuple[Spoken, ...]
    links: tuple[str, ...]
    covered: frozenset[int]
    share: float

    @property
    def value(self) -> float:
        """Covered share less what its steps cost."""
        return self.share - _STEP * (len(self.spoken) - 1) - _FAR * sum(link != "next" for link in self.links)


def search(
    snapshot: Snapshot, judged: Judged, *, out: frozenset[int], longest: int, starts: Sequence[Spoken] = ()
) -> list[Path]:
    """The best chains, best first, of at most ``longest`` sentences; rows in ``out`` are not walked."""
    counts: dict[int, float] = {}
    for each in judged.concepts:
        for row in each.rows:
            counts[row] = counts.get(row, 0.0) + each.weight
    best = sorted(counts, key=lambda row: (-counts[row], row))
    seeds = [snapshot.sentences[row] for row in best if row not in out][:STARTS]
    seeds += [spoken for spoken in starts if spoken.row not in out and spoken not in seeds][:STARTS]
    walk = _Walk(snapshot, judged, out)
    beam = [_path(judged, (spoken,), (), judged.covers((spoken,))) for spoken in seeds]
    found = list(beam)
    for _ in range(longest - 1):
        steps: dict[frozenset[int], _Step] = {}
        for path in beam:
            walk.further(path, steps)
        beam = [step.path(judged) for step in sorted(steps.values(), key=_first)[: WIDTH * 2]]
        found += beam
    return sorted(found, key=_order)


@dataclass(slots=True)
class _Step:
    """A path with one sentence more, at its end or (``before``) at its beginning; made into a path if it is kept."""

    value: float
    rows: tuple[int, ...]
    of: Path
    to: Spoken
    link: str
    before: bool

    def path(self, judged: Judged) -> Path:
        """The longer path."""
        covered = self.of.covered | judged.covers((self.to,))
        if self.before:
            return _path(judged, (self.to, *self.of.spoken), (self.link, *self.of.links), covered)
        return _path(judged, (*self.of.spoken, self.to), (*self.of.links, self.link), covered)


def _first(step: _Step) -> tuple[float, tuple[int, ...]]:
    return -round(step.value, 6), step.rows


class _Walk:
    """What leads on from the sentences of one question, each looked at once; concepts are a bit each."""

    def __init__(self, snapshot: Snapshot, judged: Judged, out: frozenset[int]) -> None:
        self._snapshot, self._judged, self._out = snapshot, judged, out
        self._known: dict[int, list[tuple[Spoken, str, str, int]]] = {}
        self._shares: dict[int, float] = {}

    def further(self, path: Path, steps: dict[frozenset[int], _Step]) -> None:
        """Put each step from an end of ``path`` into ``steps`` where it is the best to these sentences."""
        rows = tuple(spoken.row for spoken in path.spoken)
        held = frozenset(rows)
        documents = self._snapshot.documents
        families = {documents[spoken.document].family: spoken.document for spoken in path.spoken}
        covered = _bits(path.covered)
        far = sum(link != "next" for link in path.links)
        for before in (False, True) if len(rows) > 1 else (False,):
            for to, family, link, said in self._from(path.spoken[0 if before else -1]):
                if to.row in held or families.get(family, to.document) != to.document:
                    continue
                value = self._share(covered | said) - _STEP * len(rows) - _FAR * (far + (link != "next"))
                key = held | {to.row}
                known = steps.get(key)
                if known is None or value > known.value:
                    longer = (to.row, *rows) if before else (*rows, to.row)
                    steps[key] = _Step(value, longer, path, to, link, before)

    def _from(self, spoken: Spoken) -> list[tuple[Spoken, str, str, int]]:
        """(sentence, family of its document, link, concepts that it says) of what a sentence is tied to."""
        known = self._known.get(spoken.row)
        if known is None:
            led = [each for each in islice(tied(self._snapshot, spoken), _TIES) if each[0] not in self._out]
            said = self._snapshot.spoken(row for row, *_ in led)
            known = self._known[spoken.row] = [
                (to, self._snapshot.documents[to.document].family, name or kind, _bits(self._judged.covers((to,))))
                for to, (_, kind, name, _) in zip(said, led, strict=True)
            ]
        return known

    def _share(self, bits: int) -> float:
        known = self._shares.get(bits)
        if known is None:
            covered = frozenset(at for at in range(bits.bit_length()) if bits >> at & 1)
            known = self._shares[bits] = self._judged.share(covered)
        return known


def _bits(covered: Iterable[int]) -> int:
    return sum(1 << at for at in covered)


def merged(paths: Sequence[Path], most: int = 3) -> list[Path]:
    """The best of chains that share half their sentences, and what else there is."""
    kept: list[Path] = []
    for path in paths:
        rows = {each.row for each in path.spoken}
        if all(2 * len(rows & {e.row for e in other.spoken}) < min(len(rows), len(other.spoken)) for other in kept):
            kept.append(path)
            if len(kept) == most:
                break
    return kept


def _order(path: Path) -> tuple[float, tuple[int, ...]]:
    return -round(path.value, 6), tuple(each.row for each in path.spoken)


def _path(judged: Judged, spoken: tuple[Spoken, ...], links: tuple[str, ...], covered: frozenset[int]) -> Path:
    return Path(spoken, links, covered, judged.share(covered))
