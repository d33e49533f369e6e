"""Questions over graphs: how many are answered right beside plain BM25 over the triples, and how long they take.

The sets lie outside the project; one that isn't there is said so. Every second question (the odd ones) is measured, no
table, threshold or word list was tuned on those.

- NLPCC 2016 KBQA: the graph is what the set brings, all triples of its 5,000 questions and a sample of its knowledge
  base. "several" are the questions whose subject has more than one relation there, where one must be chosen.
- LC-QuAD 1: the set brings no graph. It is made of the patterns of all 800 queries: a variable is a node of its own,
  and the answer is the node that the query asks for. So this is a test of reading, not of knowledge.
- QALD 10 brings neither a graph nor names for its ids, and is not measured.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench import Figure
from bench.unkept import Unkept
from lingbot_map.ask import Ask
from lingbot_map.ask.bases.triples.graph import Graph, Node, Said
from lingbot_map.ask.bases.triples.knowledge import Knowledge
from lingbot_map.ask.bases.triples.recall import Bm25
from lingbot_map.ask.text import folded

SETS = Path(__file__).resolve().parents[2] / "shared" / "data" / "kgqa"
_BLOCK = re.compile(r"<question id=\d+>\t(.*)\n<triple id=\d+>\t(.*)\n<answer id=\d+>\t(.*)")
_PATTERN = re.compile(r"(<[^>]+>|\?\w+)\s+(<[^>]+>|\?\w+)\s+(<[^>]+>|\?\w+)")


def interval(hits: list[bool]) -> str:
    """The share of hits with its 95 % interval, by resampling."""
    rng = random.Random(0)
    shares = sorted(sum(rng.choices(hits, k=len(hits))) / len(hits) for _ in range(400))
    return f"95 % interval {100 * shares[10]:.1f} to {100 * shares[389]:.1f}, n={len(hits)}"


def _percent(hits: list[bool]) -> float:
    return round(100 * sum(hits) / len(hits), 1)


def nlpcc(half: int = 1) -> Iterator[Figure]:
    """``half`` 1 are the measured questions, 0 those that may be looked at."""
    folder = SETS / "nlpcc2016_kbqa"
    rows = [
        (question.strip(), [part.strip() for part in triple.split(" ||| ")], answer.strip())
        for question, triple, answer in _BLOCK.findall((folder / "training_5000.txt").read_text("utf-8"))
    ]
    rows = [row for row in rows if len(row[1]) == 3]
    graph = Graph()
    lines = [triple for _, triple, _ in rows]
    for line in (folder / "kb_sample.txt").read_text("utf-8").splitlines():
        parts = [part.strip() for part in line.split("|||")]
        if len(parts) == 3 and all(parts):
            lines.append(parts)
    seen: set[tuple[str, ...]] = set()
    relations: dict[str, set[str]] = {}
    for triple in lines:
        source, relation, target = triple
        if tuple(triple) in seen or not all(triple):
            continue
        seen.add(tuple(triple))
        relations.setdefault(source, set()).add(relation)
        for end in (source, target):
            if end not in graph.nodes:
                graph.add_node(Node(end, "", end))
        graph.add_edge(source, relation, target)
    base = Knowledge(graph)
    index = Bm25.of(graph)
    assert index is not None
    ours: list[bool] = []
    plain: list[bool] = []
    several: list[tuple[bool, bool]] = []
    silent = wrong = 0
    for question, (subject, _, _), answer in rows[half::2]:
        found = Ask(base).ask(question)
        names = {folded(str(row["name"])) for row in found.rows} | {
            folded(str(value)) for row in found.rows for value in row.values()
        }
        right = folded(answer) in names
        best = index.best(question, 1)
        by_words = bool(best) and folded(graph.nodes[graph.edges[best[0][0]].target].name) == folded(answer)
        ours.append(right)
        plain.append(by_words)
        silent += found.abstained
        wrong += not right and not found.abstained
        if len(relations.get(subject, ())) > 1:
            several.append((right, by_words))
    size = f"{len(graph.edges):,} triples"
    yield Figure(name="NLPCC 2016, answer right", value=_percent(ours), unit="%", note=f"{interval(ours)}; {size}")
    yield Figure(name="NLPCC 2016, BM25 over triples", value=_percent(plain), unit="%", note=interval(plain))
    mine, theirs = [a for a, _ in several], [b for _, b in several]
    yield Figure(name="NLPCC 2016 several, answer right", value=_percent(mine), unit="%", note=interval(mine))
    yield Figure(name="NLPCC 2016 several, BM25", value=_percent(theirs), unit="%", note=interval(theirs))
    said = len(ours) - silent
    note = f"{silent} of {len(ours)} not answered, {wrong} wrong"
    yield Figure(
        name="NLPCC 2016, right of those answered", value=round(100 * sum(ours) / said, 1), unit="%", note=note
    )


def lcquad(half: int = 1) -> Iterator[Figure]:
    """As ``nlpcc``."""
    queries = json.loads((SETS / "lcquad1" / "train_800.json").read_text("utf-8"))
    graph = Graph()
    seen: set[tuple[str, str, str]] = set()
    asked: list[tuple[str, str, bool]] = []
    for number, query in enumerate(queries):
        sparql = query["sparql_query"]
        body = sparql[sparql.index("{") :]
        for source, relation, target in _PATTERN.findall(body):
            if relation.startswith("?") or relation.endswith("#type>"):
                continue
            ends = [f"{number}{end}" if end.startswith("?") else end[1:-1] for end in (source, target)]
            for end in ends:
                if end not in graph.nodes:
                    name = end if "?" in end else re.sub(r"_\([^)]*\)$", "", end.rpartition("/")[2])
                    graph.add_node(Node(end, "", name.replace("_", " ") if "?" not in end else f"result {end}"))
            key = (ends[0], relation[1:-1], ends[1])
            if key not in seen:
                seen.add(key)
                graph.add_edge(*key)
        if sparql.lstrip().upper().startswith("SELECT"):
            asked.append((query["corrected_question"], f"{number}?uri", "COUNT" in sparql.upper()[:40]))
    base = Knowledge(graph)
    index = Bm25.of(graph)
    assert index is not None
    ours: list[bool] = []
    plain: list[bool] = []
    sizes: list[int] = []
    silent = 0
    for question, wanted, _ in asked[half::2]:
        found = Ask(base).ask(question)
        ids = [row["id"] for row in found.rows] or [cite for cite in found.cites if "?" in cite and "-" not in cite]
        ours.append(wanted in ids)
        silent += found.abstained
        # BM25 may name as many triples as there are answers here, so that more answers are no advantage.
        best = [graph.edges[id] for id, _ in index.best(question, max(1, len(ids)))]
        sizes.append(len(ids))
        plain.append(any(wanted in (edge.source, edge.target) for edge in best))
    size = f"{len(graph.edges):,} triples made of the queries"
    yield Figure(
        name="LC-QuAD 1, answer among ours",
        value=_percent(ours),
        unit="%",
        note=f"{interval(ours)}; {size}; {sum(sizes) / len(sizes):.1f} answers a question",
    )
    yield Figure(name="LC-QuAD 1, BM25 over triples", value=_percent(plain), unit="%", note=interval(plain))
    yield Figure(name="LC-QuAD 1, not answered", value=round(100 * silent / len(ours), 1), unit="%")


def hundred_thousand() -> Knowledge:
    """20,000 people and films with 100,000 triples, made up by a fixed seed; a few people act in most films."""
    rng = random.Random(0)
    graph, count = Graph(), 20_000
    for number in range(count):
        graph.add_node(Node(f"p{number}", "Person", f"Person Number{number}"))
    for number in range(count):
        props = {
            "genre": rng.choice(("drama", "sci-fi", "comedy")),
            "rating": round(rng.uniform(3, 10), 1),
            "year": rng.randint(1950, 2023),
        }
        graph.add_node(Node(f"f{number}", "Film", f"Film Number{number}", (), props))
    graph.say(Said("DIRECTED", ("导演", "执导", "directed", "director"), "Person", "Film"))
    graph.say(Said("ACTED_IN", ("主演", "acted", "starring"), "Person", "Film"))
    graph.say(Said("SPOUSE", ("配偶", "spouse"), "Person", "Person", True))
    for number in range(count):
        graph.add_edge(f"p{rng.randrange(count)}", "DIRECTED", f"f{number}")
    for number in range(0, 10_000, 2):
        graph.add_edge(f"p{number}", "SPOUSE", f"p{number + 1}")
    while len(graph.edges) < 100_000:
        graph.add_edge(f"p{int(count * rng.random() ** 3)}", "ACTED_IN", f"f{rng.randrange(count)}")
    return Knowledge(graph)


def speed() -> Iterator[Figure]:
    """Questions of three hops, each asked once and then again."""
    base = hundred_thousand()
    rng = random.Random(1)
    forms = (
        "Which films did the spouse of the director of Film Number{} direct?",
        "Film Number{}的主演的配偶主演过哪些评分超过8分的电影？",
        "Film Number{}的导演的配偶主演过哪些电影？",
        "Film Number{}的主演导演过的电影的主演有谁？",
    )
    questions = [rng.choice(forms).format(rng.randrange(20_000)) for _ in range(300)]
    Ask(base).ask(questions[0] + "?")
    first: list[float] = []
    again: list[float] = []
    computed: Counter[bool] = Counter()
    for times in (first, again):
        for question in questions:
            asker = Ask(base)
            began = time.process_time()  # the machine may be shared
            answer = asker.ask(question)
            times.append((time.process_time() - began) * 1000)
            computed[answer.question.kind.startswith("3")] += 1
    first.sort()
    again.sort()
    note = f"100,000 triples, {computed[True] // 2} of {len(questions)} plans have 3 hops; median {first[150]:.1f} ms"
    yield Figure(name="3 hops, p95", value=round(first[285], 2), unit="ms", bar=20, note=note)
    note = f"median {again[150]:.3f} ms"
    yield Figure(name="the same question again, p95", value=round(again[285], 3), unit="ms", bar=1, note=note)


def scans() -> Iterator[Figure]:
    """Questions over all of the graph: who has the most, how many there are, who has so many or none."""
    base = hundred_thousand()
    asker = Ask(base)
    warming = (
        "谁导演的电影最多？",
        "哪部电影的主演最多？",
        "谁主演的电影最多？",
        "评分最高的电影是哪部？",
        "2000年的电影有几部？",
    )
    firsts: list[float] = []
    for question in (*warming, "没有配偶的人有几个？"):
        began = time.process_time()
        asker.ask(question)
        firsts.append((time.process_time() - began) * 1000)
    forms = (
        "谁{}的电影最多？",
        "评分超过{}分的电影有几部？",
        "{}年的电影有几部？",
        "导演过{}部以上电影的人有哪些？",
        "Who directed more than {} films?",
        "没有{}过电影的人有几个？",
        "{}年以后评分最高的电影是哪部？",
    )
    values = (
        ("导演", "主演"),
        range(4, 10),
        range(1950, 2024),
        range(2, 8),
        range(2, 8),
        ("导演", "主演"),
        range(1950, 2024),
    )
    rng = random.Random(2)
    times: list[float] = []
    for number in range(280):
        at = number % len(forms)
        base.answers.clear()
        base.questions.clear()
        began = time.process_time()
        answer = Ask(Unkept(base)).ask(forms[at].format(rng.choice(values[at])))
        times.append((time.process_time() - began) * 1000)
        assert not answer.abstained, answer.question.text
    times.sort()
    note = f"100,000 triples, nothing kept; median {times[140]:.1f} ms; {max(firsts):.0f} ms at most the first time"
    yield Figure(name="over the whole graph, p95", value=round(times[266], 2), unit="ms", bar=20, note=note)


def measure() -> Iterator[Figure]:
    """Sets that are there, then times."""
    for name, part in (("nlpcc2016_kbqa", nlpcc), ("lcquad1", lcquad)):
        if (SETS / name).is_dir():
            yield from part()
        else:
            print(f"{SETS / name} is not there: not measured")
    yield from speed()
    yield from scans()


if __name__ == "__main__":
    for figure in measure():
        print(f"{figure.name}: {figure.value} {figure.unit} ({figure.note})")
