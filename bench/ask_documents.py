"""Finding the documents that a question needs together, over public multi-hop sets, beside BM25 and plain fusion.

The sets lie outside the project (``../shared/data/retrieval``); without them there is nothing to measure, which is
said. Every fourth question of Hotpot and MuSiQue, and 2Wiki's small set, were looked at while the beam was made; none
of those that are measured here were. R@k is the mean share of a question's documents among the first k, all@5 the share
of questions with all of them; intervals are 95 % of 2,000 draws. Vectors are measured where the package ``wordllama``
(its table) and ``tokenizers`` are installed.

BENCH_ASK_DENSE are the naming sentences a passage that names are made dense with ("10"; "10,30" takes minutes).
"""

from __future__ import annotations

import gzip
import json
import os
import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench import Figure
from bench.answerable import ANSWERABLE, answerable
from lingbot_map.ask.bases.documents.beam import KEPT, ranked
from lingbot_map.ask.bases.documents.encoders import table
from lingbot_map.ask.bases.documents.files import Folder, document
from lingbot_map.ask.bases.documents.library import Library, Snapshot
from lingbot_map.ask.bases.documents.showing import shown
from lingbot_map.ask.bases.documents.vectors import Encoder
from lingbot_map.ask.pool import K
from lingbot_map.ask.text import terms

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "retrieval"
DENSE = tuple(int(part) for part in os.environ.get("BENCH_ASK_DENSE", "10").split(",") if part)
Way = Callable[[Snapshot, str], list[str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and the passages that it needs, by number."""

    text: str
    needs: frozenset[int]
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Set:
    """Passages (title, text) and the questions that are measured over all of them."""

    name: str
    passages: list[tuple[str, str]]
    asked: list[Asked]


def hotpot() -> Set:
    """HotpotQA: the passages of all questions together."""
    rows = _lines("hotpotqa/hotpotqa_134.jsonl")
    made = [
        (row["question"], [(title, "".join(said).strip()) for title, said in row["context"]], _titles(row))
        for row in rows
    ]
    pooled = _pooled("Hotpot", made, held_out=True)
    answers = {row["question"]: row["answer"] for row in rows}
    return replace(pooled, asked=[replace(each, answer=answers[each.text]) for each in pooled.asked])


def musique() -> Set:
    """MuSiQue: the paragraphs of all questions together."""
    made = []
    for row in _lines("musique/musique_129.jsonl"):
        passages = [(each["title"], each["paragraph_text"]) for each in row["paragraphs"]]
        needs = {passage for passage, each in zip(passages, row["paragraphs"], strict=True) if each["is_supporting"]}
        made.append((row["question"], passages, needs))
    return _pooled("MuSiQue", made, held_out=True)


def two_wiki() -> Set:
    """2Wiki: the full pool of 6,119 passages that published tables use."""
    with gzip.open(DATA / "2wikimultihopqa/corpus_hipporag.json.gz", "rt", encoding="utf-8") as file:
        passages = [(each["title"], each["text"]) for each in json.load(file)]
    at = {title.casefold(): number for number, (title, _) in reversed(list(enumerate(passages)))}
    rows = json.loads((DATA / "2wiki_four_routes/graph_51.json").read_text("utf-8"))
    asked = [Asked(row["question"], frozenset(at[each.casefold()] for each in row["ground_truth"])) for row in rows]
    return Set("2Wiki", passages, asked)


def cmrc() -> Set:
    """CMRC 2018: Chinese passages, one a question."""
    rows = json.loads((DATA / "cmrc2018/cmrc2018_trial.json").read_text("utf-8"))
    asked = [Asked(each["query_text"], frozenset([at])) for at, row in enumerate(rows) for each in row["qas"]]
    return Set("CMRC", [(row["title"], row["context_text"]) for row in rows], asked)


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def _titles(row: dict[str, Any]) -> set[str]:
    return {title for title, _ in row["supporting_facts"]}


def _pooled(name: str, made: Sequence[tuple[str, list[tuple[str, str]], set[Any]]], *, held_out: bool) -> Set:
    at: dict[tuple[str, str], int] = {}
    asked = []
    for text, passages, needs in made:
        numbers = {passage: at.setdefault(passage, len(at)) for passage in passages}
        asked.append(Asked(text, frozenset(n for p, n in numbers.items() if p in needs or p[0] in needs)))
    kept = [each for number, each in enumerate(asked) if not (held_out and number % 4 == 3)]
    return Set(name, list(at), kept)


def library(passages: Sequence[tuple[str, str]], encoder: Encoder | None) -> Library:
    """The passages as documents ``0.md``, ``1.md`` ..."""
    documents = tuple(document(f"{at}.md", f"# {title}\n{text}") for at, (title, text) in enumerate(passages))
    return Library(Folder(documents=documents), encoder=encoder)


def by_words(snapshot: Snapshot, text: str) -> list[str]:
    """BM25 alone."""
    return [id for id, _ in snapshot.found_documents(terms(text), 100)]


def by_fusion(snapshot: Snapshot, text: str) -> list[str]:
    """BM25 and the most like sentences' documents, fused by rank; BM25 alone where there are no vectors."""
    found = by_words(snapshot, text)
    if snapshot.vectors.encoder is None:
        return found
    near = list(dict.fromkeys(id for id, _ in snapshot.vectors.nearest(text, 3 * KEPT)))[:KEPT]
    score: dict[str, float] = {}
    for ids in (found, near):
        for rank, id in enumerate(ids, 1):
            score[id] = score.get(id, 0.0) + 1 / (K + rank)
    return sorted(score, key=lambda id: -score[id])[:KEPT]


def by_beam(snapshot: Snapshot, text: str) -> list[str]:
    """Names followed."""
    return [reached.document for reached in ranked(snapshot, text)]


def _run(snapshot: Snapshot, asked: Sequence[Asked], way: Way) -> tuple[list[list[int]], list[float]]:
    found, times = [], []
    for each in asked:
        began = time.thread_time()
        ids = way(snapshot, each.text)
        times.append((time.thread_time() - began) * 1000)
        found.append([int(id[:-3]) for id in ids])
    return found, times


def recalls(found: Sequence[Sequence[int]], asked: Sequence[Asked], first: int) -> list[float]:
    """Each question's share of what it needs among the first."""
    return [100 * len(each.needs & set(ids[:first])) / len(each.needs) for ids, each in zip(found, asked, strict=True)]


def interval(values: Sequence[float]) -> str:
    """95 % of the means of 2,000 draws."""
    rng = random.Random(0)
    means = sorted(statistics.fmean(rng.choices(values, k=len(values))) for _ in range(2000))
    return f"[{means[50]:.1f}, {means[1949]:.1f}]"


def _told(name: str, found: Sequence[Sequence[int]], asked: Sequence[Asked], bar: float | None) -> Iterator[Figure]:
    five = recalls(found, asked, 5)
    two = statistics.fmean(recalls(found, asked, 2))
    whole = statistics.fmean(100 * (each.needs <= set(ids[:5])) for ids, each in zip(found, asked, strict=True))
    note = f"{len(asked)} questions, 95 % {interval(five)}; R@2 {two:.1f}, all@5 {whole:.1f}"
    yield Figure(
        name=f"{name}, R@5", value=round(statistics.fmean(five), 1), unit="%", bar=bar, better="more", note=note
    )


def _multi_hop(sets: Sequence[Set], encoder: Encoder | None) -> Iterator[Figure]:
    bars = {"2Wiki": (93.0, 95.0), "Hotpot": (95.0, 95.0), "MuSiQue": (None, 68.0)}
    for each in sets:
        made = ((None, bars[each.name][0]), *([(encoder, bars[each.name][1])] if encoder is not None else []))
        for made_by, bar in made:
            label = f"{each.name}, {made_by.name if made_by else 'no weights'}"
            began = time.thread_time()
            snapshot = library(each.passages, made_by).snapshot
            spent = time.thread_time() - began
            size = f"{len(each.passages)} passages, {len(snapshot.sentences)} sentences"
            yield Figure(name=f"{label}: index", value=round(spent, 2), unit="s", bar=10, note=size)
            if made_by is None:
                yield from _told(f"{label}: FTS5 alone", _run(snapshot, each.asked, by_words)[0], each.asked, None)
            else:
                yield from _told(f"{label}: RRF", _run(snapshot, each.asked, by_fusion)[0], each.asked, None)
            found, times = _run(snapshot, each.asked, by_beam)
            yield from _told(f"{label}: beam", found, each.asked, bar)
            times.sort()
            yield Figure(name=f"{label}: a question, p50", value=round(statistics.median(times), 2), unit="ms", bar=15)
            yield Figure(
                name=f"{label}: a question, p95", value=round(times[int(0.95 * len(times))], 2), unit="ms", bar=40
            )


def dense(passages: Sequence[tuple[str, str]], count: int) -> list[tuple[str, str]]:
    """Every passage with ``count`` sentences more, each of which names another at random."""
    rng = random.Random(1)
    return [
        (
            title,
            text
            + "".join(f" It is also mentioned with {passages[rng.randrange(len(passages))][0]}." for _ in range(count)),
        )
        for title, text in passages
    ]


def _dense(sets: Sequence[Set], encoder: Encoder | None) -> Iterator[Figure]:
    bars = {("Hotpot", 10): 90.0, ("2Wiki", 10): 90.0, ("Hotpot", 30): 85.0, ("2Wiki", 30): 82.0}
    for count in DENSE:
        for each in sets:
            snapshot = library(dense(each.passages, count), encoder).snapshot
            label = f"{each.name}, {count} naming sentences a passage"
            yield from _told(f"{label}: RRF or FTS5", _run(snapshot, each.asked, by_fusion)[0], each.asked, None)
            yield from _told(
                f"{label}: beam", _run(snapshot, each.asked, by_beam)[0], each.asked, bars.get((each.name, count))
            )


def auroc(yes: Sequence[float], no: Sequence[float]) -> float:
    """How often a score of ``yes`` lies over one of ``no``."""
    return statistics.fmean((a > b) + 0.5 * (a == b) for a in yes for b in no)


def _answerable(sets: Sequence[Set]) -> Iterator[Figure]:
    """Each half of the questions loses its passages in turn; what is judged by words alone needs no encoder."""
    bars = {"Hotpot": 0.85, "MuSiQue": 0.80, "2Wiki": 0.90}
    right = wrong = asked = 0
    for each in sets:
        halves, count = [], 0
        for half in (0, 1):
            gone = frozenset().union(*(one.needs for one in each.asked[half::2]))
            kept = [passage for number, passage in enumerate(each.passages) if number not in gone]
            snapshot = library(kept, None).snapshot
            scores = [answerable(snapshot, one.text) for one in each.asked]
            no, others = scores[half::2], zip(scores[1 - half :: 2], each.asked[1 - half :: 2], strict=True)
            yes = [score for score, one in others if not one.needs & gone]
            halves.append(auroc(yes, no))
            right += sum(score >= ANSWERABLE for score in yes)
            wrong += sum(score >= ANSWERABLE for score in no)
            asked += len(yes)
            count += len(yes)
        note = f"{count} answerable, {len(each.asked)} not; the halves {halves[0]:.3f} and {halves[1]:.3f}"
        yield Figure(
            name=f"{each.name}: answerable or not",
            value=round(statistics.fmean(halves), 3),
            unit="AUROC",
            bar=bars[each.name],
            better="more",
            note=note,
        )
    yield Figure(
        name="all three: of those taken for answerable, how many are",
        value=round(right / max(1, right + wrong), 3),
        unit="precision",
        bar=0.9,
        better="more",
        note=f"at {ANSWERABLE}: {right} of {asked} answerable are taken, and {wrong} others",
    )


def _answers(each: Set, encoder: Encoder | None) -> Iterator[Figure]:
    """Whether the answer stands in the first sentences shown, each with its title; yes and no stand nowhere."""
    snapshot = library(each.passages, encoder).snapshot
    asked = [one for one in each.asked if one.answer.casefold() not in ("yes", "no")]
    places = []
    for one in asked:
        said = shown(snapshot, one.text, ranked(snapshot, one.text))
        whole = [f"{snapshot.documents[each.document].title}: {each.line.text}".casefold() for each in said]
        places.append(next((at for at, text in enumerate(whole) if one.answer.casefold() in text), len(whole)))
    shares = {first: 100 * statistics.fmean(place < first for place in places) for first in (1, 3, 5, 8)}
    note = f"{len(asked)} questions; " + ", ".join(f"first {first} {share:.1f}" for first, share in shares.items())
    yield Figure(
        name=f"{each.name}, {encoder.name if encoder else 'no weights'}: the answer in the first 5 sentences",
        value=round(shares[5], 1),
        unit="%",
        bar=60.0,
        better="more",
        note=note,
    )


def _chinese() -> Iterator[Figure]:
    each = cmrc()
    snapshot = library(each.passages, None).snapshot
    words = recalls(_run(snapshot, each.asked, by_words)[0], each.asked, 1)
    beam = recalls(_run(snapshot, each.asked, by_beam)[0], each.asked, 1)
    floor = round(statistics.fmean(words), 1)
    yield Figure(
        name="CMRC, FTS5 alone, R@1", value=floor, unit="%", note=f"{len(words)} questions, 95 % {interval(words)}"
    )
    yield Figure(
        name="CMRC, beam, R@1",
        value=round(statistics.fmean(beam), 1),
        unit="%",
        bar=floor,
        better="more",
        note=interval(beam),
    )


def measure() -> Iterable[Figure]:
    """All of it, where the sets are there."""
    if not DATA.is_dir():
        print(f"{DATA} is not there: nothing to measure")
        return
    encoder = table()
    if encoder is None:
        print("no static table is installed: no weights alone is measured")
    sets = (hotpot(), musique(), two_wiki())
    yield from _chinese()
    yield from _multi_hop(sets, encoder)
    yield from _answerable(sets)
    for made_by in (None, encoder) if encoder is not None else (None,):
        yield from _answers(sets[0], made_by)
    yield from _dense((sets[0], sets[2]), encoder)


if __name__ == "__main__":
    for figure in measure():
        print(figure)
