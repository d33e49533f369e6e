"""LM401: re-ranking puts the wrong document first again and again.

Two rules. *Inverted*: a document came first after re-ranking although an earlier stage had put another candidate
first by a clear margin (a share of that stage's score range, which of two candidates reaches down to zero: between
themselves any lead would be all of it), in two of the last five retrievals. *Popular*: it came
first three times while its hits in seven days are five times the runner-up's. The numbers are the policy's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, cast

from lingbot_map.checks import finding, grown
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.indexes import Ranking, Retrieval
from lingbot_map.model import Finding


def check(map: DialogueMap, event: Event) -> Finding | None:
    """The finding, if the re-ranking that ``event`` brought is one."""
    retrieval = map.indexes.retrievals.current
    final = retrieval.stage("reranked") if retrieval is not None else None
    if retrieval is None or final is None or final.seq != event.seq or len(final.docs) < 2:
        return None
    return _inverted(map, event, retrieval, final) or _popular(map, event, retrieval, final)


Inversion: TypeAlias = tuple[str, str, Ranking, float]
"""(winner, rival, the earlier stage, its margin)."""


def inversion(retrieval: Retrieval, margin: float) -> Inversion | None:
    """Where an earlier stage clearly preferred a rival that was still in; looked for once, and asked for five times."""
    known = retrieval.verdict
    if known is None or known[0] != margin:
        known = retrieval.verdict = (margin, _inversion(retrieval, margin))
    return cast("Inversion | None", known[1])


def _inversion(retrieval: Retrieval, margin: float) -> Inversion | None:
    final = retrieval.stage("reranked")
    if final is None or not final.docs:
        return None
    winner = final.docs[0]
    for ranking in reversed(retrieval.stages):
        if ranking is final or ranking.stage in ("reranked", "prompt") or winner not in ranking.docs:
            continue
        rival = ranking.docs[0]
        if rival == winner or rival not in final.docs:
            continue
        scores = [score for score in ranking.scores if score is not None]
        first, own = ranking.scores[0], ranking.scores[ranking.docs.index(winner)]
        spread = max(scores) - (min(scores) if len(scores) > 2 else min(0.0, *scores)) if scores else 0.0
        if first is None or own is None or spread <= 0:
            continue
        lead = (first - own) / spread
        if lead >= margin:
            return winner, rival, ranking, lead
    return None


def _inverted(map: DialogueMap, event: Event, retrieval: Retrieval, final: Ranking) -> Finding | None:
    policy = map.policy
    found = inversion(retrieval, policy.drift_margin)
    if found is None:
        return None
    winner, rival, ranking, lead = found
    seqs: list[int] = []
    edges: list[str] = []
    since = event.turn
    looked = 0
    for past in reversed(map.indexes.retrievals.recent):
        ranked = past.stage("reranked")
        if ranked is None:
            continue
        looked += 1
        if looked > policy.drift_recent:
            break
        other = inversion(past, policy.drift_margin)
        if other is not None and other[0] == winner:
            seqs.append(ranked.seq)
            edges += _recalls(other[2], winner, other[1])
            since = min(since, past.turn)
    if len(seqs) < policy.drift_repeats:
        return None
    scores = [ranking.scores[ranking.docs.index(doc)] for doc in (rival, winner)]
    facts = {
        "rule": "inverted",
        "times": len(seqs),
        "stage": ranking.stage,
        "margin": round(lead, 4),
        "stage_scores": scores,
    }
    name, other_name = _label(map, winner), _label(map, rival)
    better, worse = (f"{score:.4g}" for score in scores if score is not None)
    en_scores, zh_scores = f" ({better} against {worse})", f"（{better} 对 {worse}）"
    return _finding(
        map,
        event,
        final,
        winner,
        rival,
        since,
        sorted(seqs),
        facts,
        edges=edges,
        en=f"{name} came first after re-ranking {len(seqs)} times, "
        f"but {ranking.stage} search preferred {other_name}{en_scores}",
        zh=f"重排后「{name}」{len(seqs)} 次排在首位，而{_stage_zh(ranking.stage)}更看好「{other_name}」{zh_scores}",
    )


def _popular(map: DialogueMap, event: Event, retrieval: Retrieval, final: Ranking) -> Finding | None:
    policy = map.policy
    winner, rival = final.docs[0], final.docs[1]
    firsts = map.indexes.retrievals.firsts.get(winner, [])
    hits = map.nodes[winner].props.get("hits")
    rival_hits = map.nodes[rival].props.get("hits")
    if len(firsts) < policy.popular_firsts or hits is None or rival_hits is None or not hits:
        return None
    if hits < policy.popular_ratio * rival_hits:
        return None
    seqs = firsts[-policy.popular_firsts :]
    first = map.moment(seqs[0])
    since = first.turn if first is not None else event.turn
    facts = {"rule": "popular", "times": len(firsts), "margin": None}
    name, other_name = _label(map, winner), _label(map, rival)
    return _finding(
        map,
        event,
        final,
        winner,
        rival,
        since,
        seqs,
        facts,
        en=f"{name} came first {len(firsts)} times with {hits} hits in seven days against {rival_hits} of {other_name}",
        zh=f"「{name}」已 {len(firsts)} 次排在首位，近七日命中 {hits} 次，而「{other_name}」只有 {rival_hits} 次",
    )


def _finding(
    map: DialogueMap,
    event: Event,
    final: Ranking,
    winner: str,
    rival: str,
    since: int,
    seqs: list[int],
    facts: dict[str, Any],
    *,
    edges: Sequence[str] = (),
    en: str,
    zh: str,
) -> Finding:
    won, lost = map.nodes[winner].props, map.nodes[rival].props
    near = next((score for doc, score in won.get("near", ()) if f"doc:{doc}" == rival), None)
    facts = {
        "winner": winner[4:],
        "rival": rival[4:],
        "winner_hits": won.get("hits"),
        "rival_hits": lost.get("hits"),
        "near": near,
        **facts,
    }
    if facts["rule"] == "inverted" and won.get("hits") is not None and lost.get("hits") is not None:
        en += f"; {won['hits']} hits in seven days against {lost['hits']}"
        zh += f"；近七日命中 {won['hits']} 次对 {lost['hits']} 次"
    if near is not None:
        en += f"; the two are {near:.2f} alike"
        zh += f"；两者相似度 {near:.2f}"
    new = finding(
        "drift",
        f"drift:{winner[4:]}:{event.seq}",
        event,
        since=since,
        nodes=[winner, rival],
        edges=[*_recalls(final, winner, rival), *edges],
        seqs=seqs,
        facts=facts,
        en=en,
        zh=zh,
    )
    return grown(map, new)


def _recalls(ranking: Ranking, *docs: str) -> list[str]:
    return [f"recall:{ranking.seq}.{ranking.docs.index(doc) + 1}" for doc in docs]


def _label(map: DialogueMap, doc_id: str) -> str:
    return map.nodes[doc_id].label


def _stage_zh(stage: str) -> str:
    return {"vector": "向量召回", "keyword": "关键词召回", "fused": "融合排序"}.get(stage, f" {stage} 阶段")
