"""The ways to search documents, each with why it took what it took: words, exact words, likeness, what a page is
called, what hangs together, and rows of the fine table. Earlier answers are a way of their own; none outranks a source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lingbot_map.ask.askable import Route
from lingbot_map.ask.bases.documents import beam
from lingbot_map.ask.bases.documents.judge import Judged
from lingbot_map.ask.bases.documents.library import Snapshot
from lingbot_map.ask.bases.documents.links import plain
from lingbot_map.ask.bases.documents.operators import EARLIER
from lingbot_map.ask.bases.documents.showing import shown
from lingbot_map.ask.bases.documents.spoken import Spoken, called_by
from lingbot_map.ask.bases.documents.wording import matching, stems
from lingbot_map.ask.pool import Hit
from lingbot_map.ask.types import Lang

MOST = 40
"""Hits of one route."""
_TITLES = 300  # titles that are looked at; of more, those that hold a word of the question
_EARLIER_WEIGHT = 0.5
"""Below 61 / (60 + MOST): the best earlier answer stays below the last source of a route."""
_LOOKED_AT = 500  # sentences that are looked at word for word
LABEL = 0.6
"""Share of a question's words that a short label must say: one word of three is chance."""

_WHY = {
    "zh": {
        "words": "词面相符：{}",
        "exact": "原文含：{}",
        "like": "同义或相近：{}",
        "page": "标题含问题的 {}%",
        "link": "点名或关联：{}",
        "fine": "测试点：{}",
    },
    "en": {
        "words": "holds {}",
        "exact": "holds word for word {}",
        "like": "says the same as {}",
        "page": "its title says {} % of the question",
        "link": "names or is tied to {}",
        "fine": "test point: {}",
    },
}


def routes(snapshot: Snapshot, judged: Judged, lang: Lang, cite: Callable[[Spoken], str]) -> list[Route]:
    """All ways, for a question that was judged; they give sources alone, but for the last."""
    keywords = tuple(each.concept.text for each in judged.concepts)
    forms = tuple(form for each in judged.concepts for form in each.concept.forms)
    why = _WHY[lang]
    joint = "、" if lang == "zh" else ", "

    def raw(row: int) -> bool:
        return row not in snapshot.retired and not snapshot.sentences[row].document.startswith(EARLIER + "/")

    def by_sentence(found: Iterable[tuple[int, str]]) -> list[Hit]:
        hits: dict[str, Hit] = {}
        for rank, (row, reason) in enumerate(found):
            id = cite(snapshot.sentences[row])
            if raw(row) and id not in hits:
                hits[id] = Hit(item=id, score=1 / (1 + rank), why=reason)
                if len(hits) == MOST:
                    break
        return list(hits.values())

    def said(row: int) -> str:
        spoken = snapshot.sentences[row]
        return joint.join(each.concept.text for each in judged.concepts if each.said_in(spoken))[:60]

    def in_words(late: Callable[[], bool]) -> Sequence[Hit]:
        return by_sentence((row, why["words"].format(said(row))) for row, _ in snapshot.found(keywords, 4 * MOST))

    def exact(late: Callable[[], bool]) -> Sequence[Hit]:
        counts = {}
        weights: dict[int, float] = {}
        for each in judged.concepts:
            for row in each.rows:
                weights[row] = weights.get(row, 0.0) + each.weight
        for row in sorted(weights, key=lambda row: (-weights[row], row))[:_LOOKED_AT]:
            whole = snapshot.sentences[row].whole
            held = [each for each in judged.concepts if each.concept.text in whole]
            if held:
                counts[row] = (sum(each.weight for each in held), joint.join(each.concept.text for each in held)[:60])
        order = sorted(counts, key=lambda row: (-counts[row][0], row))
        return by_sentence((row, why["exact"].format(counts[row][1])) for row in order)

    def alike(late: Callable[[], bool]) -> Sequence[Hit]:
        vectors = snapshot.vectors
        if vectors.encoder is not None:
            order = vectors.nearest(judged.wording.whole, 4 * MOST)
            rows = [snapshot.by_document[id][at] for id, at in order]
            return by_sentence((row, why["like"].format(said(row) or "?")) for row in rows)
        return by_sentence((row, why["like"].format(said(row))) for row, _ in snapshot.found(forms, 4 * MOST))

    def pages(late: Callable[[], bool]) -> Sequence[Hit]:
        ranked = []
        for row, title in _heads(snapshot, forms):
            whole, stemmed = matching(title), stems(title)
            share = judged.share(at for at, each in enumerate(judged.concepts) if each.concept.within(whole, stemmed))
            if share >= LABEL:
                ranked.append((-share, row))
        return by_sentence((row, why["page"].format(round(-share * 100))) for share, row in sorted(ranked))

    def linked(late: Callable[[], bool]) -> Sequence[Hit]:
        bound = snapshot.titles.within(judged.wording.whole)
        found: dict[int, str] = {}
        for name in bound:
            ends = {name} | {
                plain(x)
                for row in snapshot.graph
                if name in (plain(row.source), plain(row.of))
                for x in (row.source, row.of)
            }
            for end in sorted(ends):
                for id in snapshot.titles.called.get(end, ()):
                    for also in called_by(snapshot.documents[id]):
                        found.update({row: name for row in snapshot.postings.get(also, ()) if row not in found})
                found.update({row: name for row in snapshot.postings.get(end, ())[: snapshot.cap] if row not in found})
        if not late():
            fit = beam.Fit(snapshot, judged.wording.whole)
            ranked = beam.ranked(snapshot, judged.wording.whole, fit=fit)
            best: dict[str, int] = {}
            for spoken in shown(snapshot, judged.wording.whole, ranked, fit=fit):
                best.setdefault(spoken.document, spoken.row)
            for reached in ranked[:MOST]:
                if reached.names and (rows := snapshot.by_document[reached.document]):
                    found.setdefault(best.get(reached.document, rows[0]), reached.names[-1])
        return by_sentence((row, why["link"].format(name)) for row, name in found.items())

    def fine(late: Callable[[], bool]) -> Sequence[Hit]:
        ranked = []
        for at, row in enumerate(snapshot.fine):
            text = f"{row.kind} {row.text}"
            whole, stemmed = matching(text), stems(text)
            share = judged.share(n for n, each in enumerate(judged.concepts) if each.concept.within(whole, stemmed))
            if share > 0.3:
                ranked.append((-share, at))
        return [
            Hit(item=snapshot.fine[at].id, score=-share, why=why["fine"].format(snapshot.fine[at].of))
            for share, at in sorted(ranked)
        ][:MOST]

    def earlier(late: Callable[[], bool]) -> Sequence[Hit]:
        hits: dict[str, Hit] = {}
        for row, score in snapshot.found(forms, 8 * MOST):
            id = cite(snapshot.sentences[row])
            if snapshot.sentences[row].document.startswith(EARLIER + "/") and id not in hits:
                hits[id] = Hit(item=id, score=score, why=why["words"].format(said(row)))
        return list(hits.values())[:MOST]

    ways = [
        Route(name="words", run=in_words, keywords=keywords, detail="BM25 (SQLite FTS5)"),
        Route(name="exact", run=exact, keywords=keywords, detail="word for word, by rarity"),
        Route(name="semantic", run=alike, keywords=forms[:20], detail=_encoder(snapshot)),
        Route(name="pages", run=pages, keywords=keywords, detail=f"titles that say {LABEL:.0%} of the question"),
        Route(
            name="links",
            run=linked,
            keywords=tuple(snapshot.titles.within(judged.wording.whole)),
            detail="names and relations",
        ),
    ]
    if snapshot.fine:
        ways.append(Route(name="fine", run=fine, keywords=keywords, detail="test points, boundaries, risks"))
    if EARLIER in snapshot.folders:
        ways.append(
            Route(name="earlier", run=earlier, weight=_EARLIER_WEIGHT, keywords=keywords, detail="earlier answers")
        )
    return ways


def _encoder(snapshot: Snapshot) -> str:
    encoder = snapshot.vectors.encoder
    return encoder.name if encoder is not None else "synonyms and stems, no vectors"


def _heads(snapshot: Snapshot, forms: Iterable[str]) -> list[tuple[int, str]]:
    ids = snapshot.titled(forms, _TITLES)
    return [(rows[0], snapshot.documents[id].title) for id in ids if (rows := snapshot.by_document[id])]
