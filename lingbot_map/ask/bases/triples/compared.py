"""The answer to a comparison: who is ahead, and what is told of each that was held against the others."""

from __future__ import annotations

from lingbot_map.ask.bases.triples.plan import Plan
from lingbot_map.ask.bases.triples.run import Result
from lingbot_map.ask.bases.triples.say import Say
from lingbot_map.ask.types import Found, Sentence, Verdict

_MOST_CITES = 60


def compared(say: Say, plan: Plan, result: Result) -> Found:
    """One sentence with all values; an abstention naming the first thing of which none is told."""
    ids = [branch.ids[0] for branch in plan.branches]
    if not result.nodes:
        without = [id for id in ids if plan.prop and id not in result.values] or ids
        text = say("of", name=say.names(without), prop=say.prop(plan.prop))
        return Found(sentences=(Sentence(text=text, cites=()),), abstained=True)
    if plan.prop:
        told = [f"{say.name(id)} {say.value(result.values[id])}" for id in ids]
        what, cites = say.prop(plan.prop), ids
    else:
        told = [f"{say.name(id)} {result.counts[id]}" for id in ids]
        what = say("counted", label="/".join(say.relation(each) for each in plan.branches[0].hops[-1].relations[:3]))
        most = max(1, _MOST_CITES // len(ids))
        cites = [cite for id in ids for cite in ([edge.id for edge in result.counted[id][:most]] or [id])]
    verdict: Verdict | None = None
    same = len(result.nodes) == len(ids)
    key = "same" if same else "compare"
    if plan.targets:
        verdict = "yes" if list(plan.targets) == result.nodes else "no"
        key = "same no" if same else f"compare {verdict}"
    high = say.ahead(plan.prop, plan.way)
    text = say(key, names=say.names(result.nodes), what=what, high=high, told=say.words["comma"].join(told))
    rows = tuple({"id": id, "name": say.graph.nodes[id].name, "kind": say.graph.nodes[id].kind} for id in result.nodes)
    return Found(sentences=(Sentence(text=text, cites=tuple(dict.fromkeys(cites))),), verdict=verdict, rows=rows)
