"""LM201: the flow came back to where it had been, and nothing was learned on the way.

Coming back alone is no anomaly: users digress and return. What counts is one round through three or more intents
during which no slot got a new value; two such rounds through fewer intents; or an intent that jumps to itself twice
with the same required slot missing and none fewer than before. Of a source that never says which slots are set or
missing nothing can be said, and no loop of it is a finding.
"""

from __future__ import annotations

from lingbot_map.checks import finding
from lingbot_map.events import Event
from lingbot_map.graph import DialogueMap
from lingbot_map.indexes import Visit
from lingbot_map.model import Finding


def check(map: DialogueMap, event: Event) -> Finding | None:
    """The finding, if the visit that ``event`` made closes such a loop. The walk already holds that visit."""
    walk = map.indexes.walk
    now = walk.visits[-1]
    rounds = walk.rounds.get(now.intent)
    if rounds is None:
        return None
    policy = map.policy
    if len(rounds.path) < policy.loop_intents and rounds.times < policy.loop_rounds:
        return None
    loop = walk.visits[-1 - len(rounds.path) : -1]
    missing = _missing(now, loop)
    if not walk.told and not missing:
        return None
    if len(loop) == 1:
        if not missing or len(now.missing) < len(loop[0].missing):
            return None
    elif len(set(rounds.path)) < policy.loop_intents and rounds.times < policy.loop_rounds:
        return None

    path = [*rounds.path, now.intent]
    visits = [*loop, now]
    condition = next((visit.condition for visit in reversed(visits) if visit.condition), "")
    arrow = " → ".join(_label(map, f"intent:{name}") for name in path)
    lacking = [_label(map, f"slot:{slot}") for slot in missing]
    times = f" {rounds.times} times over" if rounds.times > 1 else ""
    en = f"{arrow}: back where it was{times} with nothing learned"
    zh = f"{arrow}：{'又' if rounds.times == 1 else f'第 {rounds.times} 次'}回到原处，其间没有任何槽位取得新值"
    if condition:
        en += f"; a jump was let through with {condition}"
        zh += f"；有一次跳转以条件 {condition} 放行"
    elif missing:
        en += f"; {', '.join(lacking)} was missing every time"
        zh += f"；每次都缺 {'、'.join(lacking)}"
    return finding(
        "loop",
        f"loop:{now.intent}:{rounds.seq}",
        event,
        since=rounds.turn,
        nodes=list(dict.fromkeys(f"intent:{name}" for name in path)),
        edges=[edge for visit in visits[1:] if (edge := f"move:{visit.seq}") in map.edges],
        seqs=[visit.seq for visit in visits],
        facts={"path": path, "rounds": rounds.times, "missing": missing, "condition": condition},
        en=en,
        zh=zh,
    )


def _missing(now: Visit, loop: list[Visit]) -> list[str]:
    """The required slots that were empty: for a self-jump those missing both times, else those of any visit."""
    if len(loop) == 1:
        return [slot for slot in now.missing if slot in loop[0].missing]
    return list(dict.fromkeys(slot for visit in [*loop, now] for slot in visit.missing))


def _label(map: DialogueMap, id: str) -> str:
    """What a node is called; its name without the kind where the map has none, as of a slot that was never set."""
    node = map.nodes.get(id)
    return node.label if node is not None else id.partition(":")[2]
