"""From the map and an event to findings, one file a rule.

Each has a code, a reason in one sentence (Chinese and English) and the evidence. A check looks only at what the
event touched: none walks the whole map.

| code  | kind      | rule |
|-------|-----------|------|
| LM101 | gap       | signals did not arrive |
| LM102 | failure   | the bot reported an error |
| LM201 | loop      | the flow closed a loop and learned nothing on the way |
| LM301 | overwrite | a slot got another value soon after it had got one |
| LM302 | leak      | a value written for one task was read for another, neither cleared nor confirmed |
| LM401 | drift     | re-ranking puts the wrong document first again and again |
| LM402 | stale     | the document that came first is out of date |
"""

from __future__ import annotations

from typing import Any

import msgspec

from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.model import Finding, FindingKind

CODES: dict[FindingKind, str] = {
    "gap": "LM101",
    "failure": "LM102",
    "loop": "LM201",
    "overwrite": "LM301",
    "leak": "LM302",
    "drift": "LM401",
    "stale": "LM402",
}


def finding(
    kind: FindingKind,
    id: str,
    event: Event,
    *,
    since: int,
    nodes: list[str],
    edges: list[str],
    seqs: list[int],
    facts: dict[str, Any],
    en: str,
    zh: str,
    turn: int | None = None,
) -> Finding:
    """The finding of ``kind`` at ``event``; it spans the turns ``since`` to ``turn`` (the event's, if None)."""
    return Finding(
        id,
        CODES[kind],
        kind,
        since,
        event.turn if turn is None else turn,
        event.seq,
        event.at,
        nodes,
        edges,
        seqs,
        facts,
        {"en": en, "zh": zh},
    )


_MOST_EVIDENCE = 50  # events; then a finding that grows ends and another begins, since it is sent whole each time


def grown(map: DialogueMap, new: Finding) -> Finding:
    """``new``, or the finding on the same thing from shortly before with what ``new`` adds to it.

    What goes wrong turn after turn is one finding that grows, not one a turn. "Shortly" is the policy's
    ``drift_recent`` turns.
    """
    old = map.findings.get(map.indexes.newest.get((new.kind, new.nodes[0]), ""))
    if old is None or new.turn - old.turn > map.policy.drift_recent or len(old.seqs) >= _MOST_EVIDENCE:
        return new
    return msgspec.structs.replace(
        new,
        id=old.id,
        since=min(old.since, new.since),
        edges=list(dict.fromkeys([*old.edges, *new.edges])),
        seqs=sorted({*old.seqs, *new.seqs}),
    )


def shown(value: Any, most: int = 40) -> str:
    """A slot's value as a sentence shows it: a text as it is, anything else as JSON, at most ``most`` characters."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= most else text[: most - 1] + "…"
