"""LM402: the document that came first is out of date: not touched for longer than the policy allows, or an older
version than a candidate that it beat.

Versions compare only between documents that stand for the same text: the same title, ids that differ only behind
``@``, or a similarity that the source gave of at least the policy's ``near_similarity``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from lingbot_map.checks import finding, grown
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.indexes import Ranking
from lingbot_map.model import Finding, Node

_DAY = 24 * 3600
_NUMBERS = re.compile(r"\d+")


def check(map: DialogueMap, event: Event) -> Finding | None:
    """The finding, if the winner of the ranking that ``event`` brought is stale.

    The ranking that counts is the re-ranked one, or the prompt's where the source has no re-ranking.
    """
    retrieval = map.indexes.retrievals.current
    if retrieval is None or not retrieval.stages:
        return None
    final = retrieval.stages[-1]
    if final.seq != event.seq or final.stage not in ("reranked", "prompt") or not final.docs:
        return None
    if final.stage == "prompt" and retrieval.stage("reranked") is not None:
        return None
    winner = map.nodes[final.docs[0]]
    rival = newer(map, winner, final.docs[1:])
    if rival is not None:
        old, new = winner.props["version"], rival.props["version"]
        return _finding(
            map,
            event,
            final,
            winner,
            rival,
            {"doc": winner.id[4:], "rival": rival.id[4:], "rule": "version", "version": old, "newer": new},
            en=f"{winner.label} came first in version {old}, ahead of {rival.label} in version {new}",
            zh=f"「{winner.label}」版本 {old} 排在首位，压过版本 {new} 的「{rival.label}」",
        )
    updated_at = winner.props.get("updated_at")
    if updated_at is None or event.at - updated_at <= map.policy.stale_age:
        return None
    days = int((event.at - updated_at) // _DAY)
    return _finding(
        map,
        event,
        final,
        winner,
        None,
        {"doc": winner.id[4:], "rule": "age", "age_days": days},
        en=f"{winner.label} came first although it was last updated {days} days ago",
        zh=f"「{winner.label}」排在首位，但上次更新已是 {days} 天前",
    )


def newer(map: DialogueMap, winner: Node, docs: Iterable[str]) -> Node | None:
    """The first of ``docs`` (ids of nodes) that is a newer version of what ``winner`` stands for, if any is."""
    version = winner.props.get("version")
    if not version:
        return None
    own = _parts(version)
    for doc in docs:
        rival = map.nodes[doc]
        other = rival.props.get("version")
        if not other or not _same_text(map, winner, rival):
            continue
        parts = _parts(other)
        if len(parts) == len(own) and parts > own:
            return rival
    return None


def _parts(version: str) -> list[int]:
    """The numbers in a version, in order: "2025-05" and "v2025.5" compare alike. Digits beyond nine are cut."""
    return [int(number[:9]) for number in _NUMBERS.findall(version)]


def _same_text(map: DialogueMap, a: Node, b: Node) -> bool:
    if a.props.get("title") and a.props.get("title") == b.props.get("title"):
        return True
    stem, at, _ = a.id.rpartition("@")
    if at and b.id.rpartition("@")[0] == stem:
        return True
    least = map.policy.near_similarity
    return any(
        f"doc:{doc}" == other.id and score >= least
        for node, other in ((a, b), (b, a))
        for doc, score in node.props.get("near", ())
    )


def _finding(
    map: DialogueMap,
    event: Event,
    final: Ranking,
    winner: Node,
    rival: Node | None,
    facts: dict[str, Any],
    *,
    en: str,
    zh: str,
) -> Finding:
    nodes = [winner.id] if rival is None else [winner.id, rival.id]
    new = finding(
        "stale",
        f"stale:{winner.id[4:]}:{event.seq}",
        event,
        since=event.turn,
        nodes=nodes,
        edges=[f"recall:{final.seq}.{final.docs.index(node) + 1}" for node in nodes],
        seqs=[event.seq],
        facts=facts,
        en=en,
        zh=zh,
    )
    return grown(map, new)
