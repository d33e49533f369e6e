"""The words of answers in both languages, and how a graph's names, relations, conditions and paths are said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lingbot_map.ask.bases.triples.graph import Edge, Node, Value, shown
from lingbot_map.ask.bases.triples.plan import Branch, Extreme, Having, Plan, Stage, Test
from lingbot_map.ask.bases.triples.relations import HAN, Lexicon, spelt
from lingbot_map.ask.bases.triples.words import KINDS, LABELS
from lingbot_map.ask.text import folded
from lingbot_map.ask.types import Lang

MOST_NAMES = 20

_ZH = {
    "rows": "{what}，共 {n} 个：{names}。",
    "one": "{what}：{names}。",
    "count": "{what}，共 {n} 个：{names}。",
    "none": "{what}，共 0 个，图谱中没有符合的。",
    "empty": "图谱中没有符合的结果：{what}。",
    "value": "{name}的{prop}是 {value}。",
    "average": "{what}，{n} 个的{prop}平均为 {value}。",
    "yes": "是：{what}，其中有 {names}。",
    "holds": "是：{what}。",
    "no": "否：{what}，其中没有 {target}；图谱中有的是 {names}。",
    "bare no": "否：图谱中没有“{what} {target}”。",
    "fails": "否：{name}的{prop}是 {value}。",
    "most": "{name}{label}的{most}，共 {n} 个：{names}。",
    "compare": "按{what}比，{names}更{high}：{told}。",
    "same": "按{what}比，都一样：{told}。",
    "compare yes": "是，按{what}比，{names}更{high}：{told}。",
    "compare no": "否，按{what}比，更{high}的是 {names}：{told}。",
    "same no": "否，按{what}比，都一样：{told}。",
    "counted": "{label}的数目",
    "more": "多",
    "fewer": "少",
    "higher": "高",
    "lower": "低",
    "later": "晚",
    "earlier": "早",
    "exists": "是：{what}：{names}。",
    "none exists": "否：图谱中没有 {what}。",
    "having": "{label}的{kind}数 {op} {n}",
    "having none": "没有“{label}”的{kind}",
    "path": "路径：{path}。",
    "between": "{a}和{b}经 {n} 步相连：{path}。",
    "apart": "图谱中没有连接 {a} 和 {b} 的路径（最多 {n} 步）。",
    "about": "{name}：{facts}。",
    "of": "图谱中没有 {name} 的“{prop}”。",
    "missing": "图谱中没有“{what}”。",
    "missing of": "图谱中没有关于 {name} 的“{what}”。",
    "unread": "图谱中没有能回答这个问题的内容。",
    "and more": "等",
    "others": "名为“{name}”的还有：{others}",
    "near": "“{text}”按“{name}”理解",
    "without": "（{names}除外）",
    "nearest": "没有确切的依据，最接近的是：",
    "joint": " 且 ",
    "either": " 或 ",
    "comma": "、",
    "any": "相关",
    "not": "没有被上述关系连到的 ",
    "most word": "最多",
    "fewest word": "最少",
    "top": "{prop}最{high}",
    "high": "高",
    "low": "低",
    "late": "晚",
    "early": "早",
    "is missing": "{prop} 未记载",
    "is without": "{prop} 没有 {values}",
    "stopped": "图上的计算超过时限，已放弃",
    "nth": "第 {n} ",
    "first": "前 {n} ",
}
_EN = {
    "rows": "{what}, {n} in all: {names}.",
    "one": "{what}: {names}.",
    "count": "{what}, {n} in all: {names}.",
    "none": "{what}, 0 in all: there is none in the graph.",
    "empty": "Not in the graph: {what}.",
    "value": "The {prop} of {name} is {value}.",
    "average": "{what}: the average {prop} of {n} is {value}.",
    "yes": "Yes: {what}, among them {names}.",
    "holds": "Yes: {what}.",
    "no": "No: {what} does not give {target}; the graph has {names}.",
    "bare no": "No: not in the graph: {what} {target}.",
    "fails": "No: the {prop} of {name} is {value}.",
    "most": "{name} has the {most} ({label}), {n} in all: {names}.",
    "compare": "By {what}, {names} is {high}: {told}.",
    "same": "By {what}, they are the same: {told}.",
    "compare yes": "Yes, by {what}, {names} is {high}: {told}.",
    "compare no": "No, by {what}, {names} is {high}: {told}.",
    "same no": "No, by {what}, they are the same: {told}.",
    "counted": "number ({label})",
    "more": "ahead",
    "fewer": "behind",
    "higher": "higher",
    "lower": "lower",
    "later": "later",
    "earlier": "earlier",
    "exists": "Yes: {what}: {names}.",
    "none exists": "No: not in the graph: {what}.",
    "having": "number of {kind} ({label}) {op} {n}",
    "having none": "no {kind} ({label})",
    "path": "Path: {path}.",
    "between": "{a} and {b} are {n} steps apart: {path}.",
    "apart": "Not in the graph: a path between {a} and {b} (of {n} steps at most).",
    "about": "{name}: {facts}.",
    "of": "Not in the graph: the {prop} of {name}.",
    "missing": "Not in the graph: “{what}”.",
    "missing of": "Not in the graph: “{what}” of {name}.",
    "unread": "Not in the graph: anything that answers this question.",
    "and more": "and more",
    "others": "Others called “{name}”: {others}",
    "near": "“{text}” is read as “{name}”",
    "without": " (other than {names})",
    "nearest": "Nothing says it exactly; nearest is: ",
    "joint": " and ",
    "either": " or ",
    "comma": ", ",
    "any": "any",
    "not": "not reached so: ",
    "most word": "most",
    "fewest word": "fewest",
    "top": "{high} {prop}",
    "high": "highest",
    "low": "lowest",
    "late": "latest",
    "early": "earliest",
    "is missing": "no {prop}",
    "is without": "{prop} without {values}",
    "stopped": "The computation on the graph passed its time and was given up",
    "nth": "no. {n} by ",
    "first": "first {n} by ",
}
WORDS: dict[Lang, dict[str, str]] = {"zh": _ZH, "en": _EN}


class Say:
    """Words for one graph in one language."""

    def __init__(self, lexicon: Lexicon, lang: Lang) -> None:
        self.lexicon, self.graph, self.lang = lexicon, lexicon.graph, lang
        self.words = WORDS[lang]

    def __call__(self, key: str, **facts: object) -> str:
        """A template with its facts."""
        return self.words[key].format(**facts)

    def name(self, id: str) -> str:
        """A node's name; with what tells it from others of the same name."""
        node = self.graph.nodes[id]
        others = [self.graph.nodes[each] for each in self._namesakes(node)]
        if not others:
            return node.name
        for prop, value in node.props.items():
            if isinstance(value, str) and all(other.props.get(prop) != value for other in others):
                return f"{node.name}（{value}）" if self.lang == "zh" else f"{node.name} ({value})"
        told = self.kind(node.kind) if all(other.kind != node.kind for other in others) and node.kind else id
        return f"{node.name}（{told}）" if self.lang == "zh" else f"{node.name} ({told})"

    def _namesakes(self, node: Node) -> list[str]:
        return [
            id
            for id in self.lexicon.names.ids(node.name)
            if id != node.id and id in self.graph.nodes and folded(self.graph.nodes[id].name) == folded(node.name)
        ]

    def names(self, ids: Sequence[str]) -> str:
        """The first names, and that there are more."""
        comma = self.words["comma"]
        text = comma.join(map(self.name, ids[:MOST_NAMES]))
        return f"{text}{comma}{self.words['and more']}" if len(ids) > MOST_NAMES else text

    def relation(self, name: str) -> str:
        """How a relation is said in this language."""
        said = self.graph.says.get(name)
        return _first(said.says if said else (), self.lang) or spelt(name)

    def prop(self, name: str) -> str:
        """How a property is said in this language."""
        concept = self.lexicon.concepts.get(name)
        said = self.graph.says.get(name)
        told = _first(said.says if said else (), self.lang)
        if told or concept is None or HAN.search(name):
            return told or name
        return LABELS.get(concept.name, (name, name))[0 if self.lang == "zh" else 1]

    def kind(self, name: str) -> str:
        """How a kind is said in this language."""
        said = self.graph.says.get(name)
        phrases = list(said.says) if said else []
        phrases += [w for names, says in KINDS if folded(name) in names for w in says.split()]
        return _first(phrases, self.lang) or name

    def test(self, test: Test) -> str:
        """A condition."""
        if test.op in ("missing", "without"):
            return self(f"is {test.op}", prop=self.prop(test.prop), values=self._any_of(test))
        return f"{self.prop(test.prop)} {test.op} {self.words['either'].strip().join(map(shown, test.values))}"

    def _any_of(self, test: Test) -> str:
        either = self.words["either"]
        return (either.strip() if self.lang == "zh" else either).join(map(shown, test.values))

    def extreme(self, extreme: Extreme) -> str:
        """Which end of a property."""
        high = self.end(extreme.prop, extreme.way)
        text = self("top", prop=self.prop(extreme.prop), high=high) if extreme.prop else high
        if extreme.nth > 1:
            return self("nth", n=extreme.nth) + text
        return self("first", n=extreme.count) + text if extreme.count > 1 else text

    def end(self, prop: str, way: str) -> str:
        """What the end of a property is called: times are late and early, all else is high and low."""
        high, low = ("late", "early") if self._timed(prop) else ("high", "low")
        return self.words[high if way == "desc" else low]

    def ahead(self, prop: str, way: str) -> str:
        """What one is by a property that another isn't; without one, by a count."""
        more, less = ("later", "earlier") if self._timed(prop) else ("higher", "lower")
        more, less = (more, less) if prop else ("more", "fewer")
        return self.words[more if way == "desc" else less]

    def _timed(self, prop: str) -> bool:
        concept = self.lexicon.concepts.get(prop)
        return concept is not None and concept.name in ("time", "birth", "death")

    def having(self, having: Having) -> str:
        """So many of something."""
        label = "/".join(map(self.relation, having.relations)) if 0 < len(having.relations) < 4 else self.words["any"]
        key = "having none" if (having.op, having.count) == ("=", 0) else "having"
        return self(key, label=label, kind=self.stage(having.stage), op=having.op, n=having.count).replace("  ", " ")

    def stage(self, stage: Stage) -> str:
        """What nodes at one point are."""
        kinds = self.words["either"].strip().join(self.kind(kind) for kind in stage.kinds if kind)
        told = [self.test(test) for test in stage.tests]
        told += [self.extreme(stage.extreme)] if stage.extreme is not None and stage.extreme.prop else []
        told += map(self.having, stage.having)
        if not told:
            return kinds
        return f"{kinds}（{'，'.join(told)}）" if self.lang == "zh" else f"{kinds} ({', '.join(told)})".strip()

    def branch(self, branch: Branch) -> str:
        """The steps of one branch."""
        start = self.words["comma"].join(self.name(id) for id in branch.ids[:5] if id in self.graph.nodes)
        if len(branch.ids) > 5:
            start += self.words["comma"] + self.words["and more"]
        told = self.stage(branch.start)
        text = f"{start} {told}".strip() if start else told
        for hop in branch.hops:
            few = 0 < len(hop.relations) < 4
            label = "/".join(map(self.relation, hop.relations)) if few else self.words["any"]
            label += "".join(
                f"（{self.test(test)}）" if self.lang == "zh" else f" ({self.test(test)})" for test in hop.tests
            )
            text += self.arrow(label, hop.way) + self.stage(hop.stage)
        return text.strip()

    def arrow(self, label: str, way: str) -> str:
        return {"out": f" —{label}→ ", "in": f" ←{label}— ", "both": f" —{label}— "}[way]

    def plan(self, plan: Plan) -> str:
        """The whole plan."""
        text = self.words["joint" if plan.joint else "either"].join(map(self.branch, plan.branches))
        kinds = plan.last.kinds
        out = [id for id in plan.exclude if id in self.graph.nodes and self.graph.nodes[id].kind in kinds]
        if out:
            text += self("without", names=self.names(out))
        return self.words["not"] + text if plan.missing else text

    def path(self, start: str, edges: Sequence[Edge]) -> str:
        """Edges one after another, from a node on."""
        text, at = self.name(start), start
        for edge in edges:
            forward = edge.source == at
            at = edge.target if forward else edge.source
            text += self.arrow(self.relation(edge.relation), "out" if forward else "in") + self.name(at)
        return text

    def value(self, value: Value) -> str:
        """A property."""
        return self.words["comma"].join(value) if isinstance(value, tuple) else shown(value)


def _first(phrases: Iterable[str], lang: Lang) -> str:
    for phrase in phrases:
        if bool(HAN.search(phrase)) == (lang == "zh"):
            return phrase
    return ""
