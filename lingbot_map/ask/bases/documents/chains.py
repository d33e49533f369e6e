"""Chains of sentences that together say what a question asks, each tied to the one before.

A beam over the sentence graph: neighbours in a document, sentences that share a rare name, and the beginning of a
document that a sentence names. Never two versions of one document. Chains that share half their sentences are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from lingbot_map.ask.bases.documents.graph import Tie, ties
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
    beam = [_path(judged, (spoken,), (), judged.covers((spoken,))) for spoken in seeds]
    found = list(beam)
    known: dict[int, list[Tie]] = {}
    for _ in range(longest - 1):
        steps: dict[frozenset[int], Path] = {}
        for path in beam:
            for place in (-1, 0) if len(path.spoken) > 1 else (-1,):
                end = path.spoken[place]
                if end.row not in known:
                    known[end.row] = list(islice(ties(snapshot, end), _TIES))
                for tie in known[end.row]:
                    spoken, link = tie.to, tie.name or tie.kind
                    if spoken.row in out or not _may(snapshot, path, spoken):
                        continue
                    covered = path.covered | judged.covers((spoken,))
                    if place == -1:
                        longer = _path(judged, (*path.spoken, spoken), (*path.links, link), covered)
                    else:
                        longer = _path(judged, (spoken, *path.spoken), (link, *path.links), covered)
                    key = frozenset(each.row for each in longer.spoken)
                    if key not in steps or longer.value > steps[key].value:
                        steps[key] = longer
        beam = sorted(steps.values(), key=_order)[: WIDTH * 2]
        found += beam
    return sorted(found, key=_order)


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


def _may(snapshot: Snapshot, path: Path, spoken: Spoken) -> bool:
    if any(spoken.row == each.row for each in path.spoken):
        return False
    family = snapshot.documents[spoken.document].family
    return all(
        each.document == spoken.document or snapshot.documents[each.document].family != family for each in path.spoken
    )
