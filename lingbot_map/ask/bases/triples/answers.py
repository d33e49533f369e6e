"""Answers from what a plan gave: the conclusion first, then how it was reached, each sentence with the triples that it
rests on. Names, values and paths are those of the graph; what isn't in it is said as such.
"""

from __future__ import annotations

from collections.abc import Sequence

from lingbot_map.ask.bases.triples.compared import compared
from lingbot_map.ask.bases.triples.graph import Value, shown
from lingbot_map.ask.bases.triples.plan import Branch, Plan, Stage
from lingbot_map.ask.bases.triples.run import LONGEST_PATH, Result, Way
from lingbot_map.ask.bases.triples.say import MOST_NAMES, Say
from lingbot_map.ask.types import Chain, Found, Sentence

MOST_PATHS = 10
MOST_CITES = 60
MOST_ROWS = 1000


def found(say: Say, plan: Plan, result: Result) -> Found:
    """The answer. Names, values and paths are those of the graph."""
    if plan.wanted == "between":
        return _between(say, plan, result)
    if plan.wanted == "check":
        return _check(say, plan, result)
    if plan.wanted == "most":
        return _most(say, plan, result)
    if plan.wanted == "compare":
        return compared(say, plan, result)
    if not result.nodes:
        return _none(say, plan, result)
    if plan.wanted in ("value", "average"):
        return _values(say, plan, result)
    nodes = result.nodes
    about = plan.hops == 0 and bool(plan.branches[0].ids) and plan.last == Stage(plan.last.kinds)
    if about and plan.wanted == "rows":
        return _about(say, nodes)
    if plan.wanted == "rows" and not plan.joint and len(plan.branches) > 1 and plan.last.extreme is None:
        return _of_each(say, plan, result)
    key = "count" if plan.wanted == "count" else "rows" if len(nodes) > 1 else "one"
    names = _with_extreme(say, plan, result, nodes)
    cites = _cites(plan, result, nodes[:MOST_NAMES])
    sentences = [Sentence(text=say(key, what=say.plan(plan), n=len(nodes), names=names), cites=cites)]
    chains = _chains(say, result, nodes)
    if plan.hops > 1:
        sentences += _paths(say, result, nodes)
    return Found(sentences=tuple(sentences), chains=chains, rows=_rows(say, nodes, plan))


def _of_each(say: Say, plan: Plan, result: Result) -> Found:
    """A sentence for each branch, where any of them was asked for."""
    sentences = []
    for number, branch in enumerate(plan.branches):
        ways = [way for node in result.nodes for way in result.ways[node] if way.branch == number]
        nodes = [way.node for way in ways]
        if nodes:
            key = "rows" if len(nodes) > 1 else "one"
            text = say(key, what=say.branch(branch), n=len(nodes), names=say.names(nodes))
            cites = dict.fromkeys(edge.id for way in ways[:MOST_NAMES] for edge in way.edges)
            if (branch.hops and branch.hops[-1].stage.tests) or not cites:
                cites.update(dict.fromkeys(nodes[:MOST_NAMES]))
            sentences.append(Sentence(text=text, cites=tuple(cites)[:MOST_CITES]))
    sentences += _paths(say, result, result.nodes) if plan.hops > 1 else []
    return Found(
        sentences=tuple(sentences), chains=_chains(say, result, result.nodes), rows=_rows(say, result.nodes, plan)
    )


def _with_extreme(say: Say, plan: Plan, result: Result, nodes: Sequence[str]) -> str:
    extreme = plan.last.extreme
    if extreme is None and any(result.counted.values()):
        mark = "（{}）" if say.lang == "zh" else " ({})"
        told = [say.name(id) + mark.format(len(result.counted.get(id, ()))) for id in nodes[:MOST_NAMES]]
        return say.words["comma"].join([*told, *([say.words["and more"]] if len(nodes) > MOST_NAMES else [])])
    if extreme is None:
        return say.names(nodes)
    told = []
    for id in nodes[:MOST_NAMES]:
        value = say.graph.nodes[id].props.get(extreme.prop)
        mark = "（{} {}）" if say.lang == "zh" else " ({} {})"
        told.append(say.name(id) + mark.format(say.prop(extreme.prop), say.value(value) if value is not None else ""))
    return say.words["comma"].join(told)


def _cites(plan: Plan, result: Result, nodes: Sequence[str]) -> tuple[str, ...]:
    told = plan.last.tests or plan.last.extreme is not None
    cites: dict[str, None] = {}
    for node in nodes:
        ways = result.ways.get(node, ())
        cites.update(dict.fromkeys(edge.id for way in ways for edge in way.edges))
        counted = result.counted.get(node, ())
        cites.update(dict.fromkeys(edge.id for edge in counted))
        if told or not (counted or any(way.edges for way in ways)):
            cites[node] = None
    return tuple(cites)[:MOST_CITES]


def _chains(say: Say, result: Result, nodes: Sequence[str]) -> tuple[Chain, ...]:
    return tuple(
        Chain(
            items=tuple(edge.id for edge in way.edges),
            links=tuple(say.relation(edge.relation) for edge in way.edges),
        )
        for node in nodes[:MOST_NAMES]
        for way in result.ways.get(node, ())
        if way.edges
    )


def _start(way: Way) -> str:
    at = way.node
    for edge in reversed(way.edges):
        at = edge.source if edge.target == at else edge.target
    return at


def _paths(say: Say, result: Result, nodes: Sequence[str]) -> list[Sentence]:
    ways = [way for node in nodes for way in result.ways.get(node, ()) if len(way.edges) > 1][:MOST_PATHS]
    return [
        Sentence(text=say("path", path=say.path(_start(way), way.edges)), cites=tuple(edge.id for edge in way.edges))
        for way in ways
    ]


def _rows(say: Say, nodes: Sequence[str], plan: Plan) -> tuple[dict[str, Value], ...]:
    found = []
    for id in nodes[:MOST_ROWS]:
        node = say.graph.nodes[id]
        row: dict[str, Value] = {"id": id, "name": node.name, "kind": node.kind}
        if plan.prop and plan.prop in node.props:
            row[plan.prop if plan.prop not in row else f"{plan.prop} "] = node.props[plan.prop]
        found.append(row)
    return tuple(found)


def _none(say: Say, plan: Plan, result: Result) -> Found:
    if plan.wanted == "count":
        near = [edge.id for way in result.near for edge in way.edges] or [way.node for way in result.near]
        cites = near or [id for branch in plan.branches for id in branch.ids] or list(say.graph.nodes)[:1]
        text = say("none", what=say.plan(plan))
        return Found(sentences=(Sentence(text=text, cites=tuple(dict.fromkeys(cites))[:MOST_CITES]),))
    return Found(sentences=(Sentence(text=say("empty", what=say.plan(plan)), cites=()),), abstained=True)


def _about(say: Say, nodes: Sequence[str]) -> Found:
    sentences = []
    for id in nodes[:MOST_PATHS]:
        node = say.graph.nodes[id]
        facts = [f"{say.prop(name)} {say.value(value)}" for name, value in node.props.items()]
        cites = [id]
        for way, edges in (("out", say.graph.out), ("in", say.graph.into)):
            for relation, of in edges.get(id, {}).items():
                ends = [edge.target if way == "out" else edge.source for edge in of]
                facts.append(f"{say.arrow(say.relation(relation), way).strip()} {say.names(ends[:5])}")
                cites += [edge.id for edge in of[:5]]
        name = say.name(id) + (f" [{say.kind(node.kind)}]" if node.kind else "")
        joint = "；" if say.lang == "zh" else "; "
        text = say("about", name=name, facts=joint.join(facts[:MOST_NAMES]) or say.kind(node.kind) or id)
        sentences.append(Sentence(text=text, cites=tuple(dict.fromkeys(cites))[:MOST_CITES]))
    return Found(sentences=tuple(sentences), rows=_rows(say, nodes, Plan("rows", (Branch((), Stage()),))))


def _values(say: Say, plan: Plan, result: Result) -> Found:
    told: list[tuple[str, str, Value, tuple[str, ...]]] = []
    for id in result.nodes:
        ways = result.ways.get(id, [])
        edges = tuple(edge.id for way in ways for edge in way.edges)
        if plan.of_edge:
            of = [way.edges[-1] for way in ways if way.edges]
            told += [(id, plan.prop, edge.props[plan.prop], (edge.id,)) for edge in of if plan.prop in edge.props]
        else:
            props = say.graph.nodes[id].props
            told += [(id, name, props[name], (*edges, id)) for name in (plan.prop, *plan.also) if name in props]
    if not told:
        text = say("of", name=say.names(result.nodes), prop=say.prop(plan.prop))
        return Found(sentences=(Sentence(text=text, cites=()),), abstained=True)
    if plan.wanted == "average":
        numbers = [value for _, _, value, _ in told if isinstance(value, int | float)]
        if not numbers:
            text = say("of", name=say.names(result.nodes), prop=say.prop(plan.prop))
            return Found(sentences=(Sentence(text=text, cites=()),), abstained=True)
        cites = tuple(dict.fromkeys(cite for _, _, _, each in told for cite in each))[:MOST_CITES]
        value = shown(round(sum(numbers) / len(numbers), 4))
        text = say("average", what=say.plan(plan), n=len(numbers), prop=say.prop(plan.prop), value=value)
        return Found(sentences=(Sentence(text=text, cites=cites),), rows=_rows(say, result.nodes, plan))
    sentences = [
        Sentence(text=say("value", name=say.name(id), prop=say.prop(prop), value=say.value(value)), cites=cites)
        for id, prop, value, cites in told[:MOST_NAMES]
    ]
    nodes = [id for id, _, _, _ in told]
    return Found(
        sentences=tuple(sentences),
        chains=_chains(say, result, nodes),
        rows=_rows(say, list(dict.fromkeys(nodes)), plan),
    )


def _check(say: Say, plan: Plan, result: Result) -> Found:
    if not plan.targets:
        return _exists(say, plan, result)
    hit = [id for id in plan.targets if id in result.nodes]
    if hit and len(hit) == len(plan.targets):
        if plan.hops == 0 and set(plan.targets) == set(plan.branches[0].ids):
            return Found(
                sentences=(Sentence(text=say("holds", what=say.plan(plan)), cites=tuple(plan.targets)),), verdict="yes"
            )
        text = say("yes", what=say.plan(plan), names=say.names(hit))
        sentences = [Sentence(text=text, cites=_cites(plan, result, hit))]
        sentences += _paths(say, result, hit)
        return Found(
            sentences=tuple(sentences), verdict="yes", chains=_chains(say, result, hit), rows=_rows(say, hit, plan)
        )
    if plan.hops == 0 and plan.branches[0].ids == plan.targets:
        test = next((t for t in plan.last.tests if not t.holds(_prop(say, plan.targets[0], t.prop))), None)
        value = _prop(say, plan.targets[0], test.prop) if test is not None else None
        if test is None or value is None:
            text = say("of", name=say.names(plan.targets), prop=say.prop(test.prop) if test else "?")
            return Found(sentences=(Sentence(text=text, cites=()),), abstained=True)
        name = say.name(plan.targets[0])
        text = say("fails", name=name, prop=say.prop(test.prop), value=say.value(value))
        return Found(sentences=(Sentence(text=text, cites=plan.targets),), verdict="no")
    target = say.names([id for id in plan.targets if id not in hit])
    if result.nodes:
        text = say("no", what=say.plan(plan), target=target, names=say.names(result.nodes[:5]))
        cites = _cites(plan, result, result.nodes[:5])
    else:
        text = say("bare no", what=say.plan(plan), target=target)
        cites = tuple(dict.fromkeys((*(id for b in plan.branches for id in b.ids), *plan.targets)))
    return Found(sentences=(Sentence(text=text, cites=cites),), verdict="no")


def _exists(say: Say, plan: Plan, result: Result) -> Found:
    """Whether anything is reached at all."""
    if result.nodes:
        text = say("exists", what=say.plan(plan), names=say.names(result.nodes))
        sentence = Sentence(text=text, cites=_cites(plan, result, result.nodes[:MOST_NAMES]))
        return Found(
            sentences=(sentence,),
            verdict="yes",
            chains=_chains(say, result, result.nodes),
            rows=_rows(say, result.nodes, plan),
        )
    near = [edge.id for way in result.near for edge in way.edges]
    cites = tuple(dict.fromkeys((*near, *(id for branch in plan.branches for id in branch.ids))))[:MOST_CITES]
    return Found(sentences=(Sentence(text=say("none exists", what=say.plan(plan)), cites=cites),), verdict="no")


def _prop(say: Say, id: str, name: str) -> Value | None:
    return say.graph.nodes[id].props.get(name)


def _most(say: Say, plan: Plan, result: Result) -> Found:
    if not result.nodes:
        return _none(say, plan, result)
    hop = plan.branches[0].hops[0]
    few = hop.stage.extreme is not None and hop.stage.extreme.way == "asc"
    most = say.words["fewest word" if few else "most word"]
    label = "/".join(map(say.relation, hop.relations))
    sentences = []
    for id in result.nodes[:MOST_NAMES]:
        edges = result.ways[id][0].edges
        names = say.names([edge.target if edge.source == id else edge.source for edge in edges])
        text = say("most", name=say.name(id), label=label, most=most, n=len(edges), names=names)
        sentences.append(Sentence(text=text, cites=tuple(edge.id for edge in edges)[:MOST_CITES]))
    return Found(sentences=tuple(sentences), rows=_rows(say, result.nodes, plan))


def _between(say: Say, plan: Plan, result: Result) -> Found:
    a, b = say.names(plan.branches[0].ids), say.names(plan.targets)
    paths = [(start, edges) for start, edges in result.paths if edges]
    if not paths:
        text = say("apart", a=a, b=b, n=LONGEST_PATH)
        return Found(sentences=(Sentence(text=text, cites=()),), abstained=True)
    sentences = [
        Sentence(
            text=say("between", a=a, b=b, n=len(edges), path=say.path(start, edges)),
            cites=tuple(edge.id for edge in edges),
        )
        for start, edges in paths
    ]
    chains = tuple(
        Chain(items=tuple(e.id for e in edges), links=tuple(say.relation(e.relation) for e in edges))
        for _, edges in paths
    )
    return Found(sentences=tuple(sentences), chains=chains)
