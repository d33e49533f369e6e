"""The evidence pool: what the routes found becomes one list, by reciprocal rank fusion.

The constant is that of Cormack, Clarke and Buettcher (SIGIR 2009): an item's score is the sum of weight / (60 + rank).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from lingbot_map.ask.types import EvidenceItem, Item, Lang

K = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A route found an item: ``score`` in the route's own unit (more is better), ``why`` in a few words."""

    item: str
    score: float
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """An item with its fused ``score``, its ranks by route and each route's reason."""

    item: str
    score: float
    ranks: Mapping[str, int]
    reasons: Mapping[str, str]


def fuse(found: Mapping[str, Sequence[Hit]], *, weights: Mapping[str, float] | None = None, k: int = K) -> list[Fused]:
    """One list of what the routes found, best first; ``found`` are their hits by name, best first. A route that is not
    in ``weights`` counts 1. Equal scores keep the order in which the items were first found."""
    scores: dict[str, float] = {}
    ranks: dict[str, dict[str, int]] = {}
    reasons: dict[str, dict[str, str]] = {}
    for route, hits in found.items():
        weight = 1.0 if weights is None else weights.get(route, 1.0)
        for rank, hit in enumerate(hits, 1):
            if route in ranks.get(hit.item, ()):
                continue  # a route says an item once: its best rank counts
            scores[hit.item] = scores.get(hit.item, 0.0) + weight / (k + rank)
            ranks.setdefault(hit.item, {})[route] = rank
            reasons.setdefault(hit.item, {})[route] = hit.why
    order = sorted(scores, key=lambda item: -scores[item])
    return [Fused(item=item, score=scores[item], ranks=ranks[item], reasons=reasons[item]) for item in order]


_WORDS: dict[Lang, tuple[str, str, str]] = {
    "en": ("{route} ranked it {rank}{why}", "; ", " ({why})"),
    "zh": ("{route}排第{rank}{why}", "；", "（{why}）"),
}


def evidence(
    pool: Iterable[Fused], item_of: Callable[[str], Item | None], lang: Lang, *, most: int = 20
) -> tuple[EvidenceItem, ...]:
    """The first ``most`` of the pool as a reader sees them; the best has confidence 1."""
    shown: list[EvidenceItem] = []
    found = list(pool)
    top = max((fused.score for fused in found), default=0.0) or 1.0
    said, joint, told = _WORDS[lang]
    for fused in found:
        item = item_of(fused.item)
        if item is None:
            continue
        best = min(fused.ranks, key=lambda route: fused.ranks[route])
        reason = joint.join(
            said.format(route=route, rank=rank, why=told.format(why=why) if (why := fused.reasons[route]) else "")
            for route, rank in fused.ranks.items()
        )
        shown.append(
            EvidenceItem(
                item=item.id,
                title=item.title or item.id,
                path=f"{item.source}:{item.place}".strip(":"),
                kind=item.kind,
                confidence=round(fused.score / top, 4),
                snippet=item.text[:300],
                score=fused.score,
                route=best,
                selection_reason=reason,
                ranks=fused.ranks,
            )
        )
        if len(shown) >= most:
            break
    return tuple(shown)
