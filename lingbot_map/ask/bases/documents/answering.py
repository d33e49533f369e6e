"""The two bases over documents: ``recall`` answers by what fits and cites documents, ``sentences`` by chains and cites
sentences. Both abstain where the evidence doesn't say enough of the question."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from typing import Literal, Protocol

from lingbot_map.ask.askable import Route
from lingbot_map.ask.bases.documents import chains, voices
from lingbot_map.ask.bases.documents.judge import ENOUGH, Judged, judge
from lingbot_map.ask.bases.documents.library import Snapshot
from lingbot_map.ask.bases.documents.operators import EARLIER, Asked, computed
from lingbot_map.ask.bases.documents.routes import routes
from lingbot_map.ask.bases.documents.spoken import Spoken
from lingbot_map.ask.bases.documents.subjects import of_another
from lingbot_map.ask.bases.documents.voices import Voice
from lingbot_map.ask.bases.documents.wording import Wording, matching, of_type, read
from lingbot_map.ask.dialog import Dialog
from lingbot_map.ask.pool import Fused
from lingbot_map.ask.text import lang_of
from lingbot_map.ask.types import Chain, Found, Item, Lang, Mention, Question, Sentence, Verdict

_PAST = re.compile(
    r"原来|原先|之前的|最初|最早|旧版|上1版|以前|曾经|originally|previously|used to|earlier version|before the change"
)
_CHANGED = re.compile(
    r"改为|改成|改到|调整为|调整到|变更为|推迟到|延期到|提前到|提高到|提高为|降到|降为|放宽|changed? "
    r"to|raised to|lowered to|moved to"
)
_NEGATION = r"(?:不会|不能|不再|不|未|没有|没|无法|not |never |no longer )"
_DENIED = re.compile(r"(?<!是)(?<!会)(?<!能)(?<!要)(?:不|未|没)(?!是|会|能|要|有)|\bnot\b|n't\b")
_SIGN = re.compile(r"后|则|就|将|会|时|导致|then|will")
_CAUSE = re.compile(r"原因|因为|由于|\b(?:cause|because|due to|reason)\b")
# "What has to be done before it is retired" asks for what a sentence says to come before, not for what retires it.
_ASKS_BEFORE = re.compile(
    r"\b(?:do|done|happens?|completed?|finish(?:ed)?|check(?:ed)?|prepared?)\b.*\b(?:before|prior to|ahead of)\b|"
    r"前(?:还|都|先)*(?:要|需要|必须|应该|应当|得)?先?(?:做|办|完成|准备)"
)
_SAYS_BEFORE = re.compile(r"\b(?:before|prior to|ahead of)\b|前")
_MISSING = {
    "recall": {"zh": "找不到：文档里没有说到{}。", "en": "Not found: the documents do not say anything on {}."},
    "sentences": {
        "zh": "找不到完整证据链：{}没有依据。",
        "en": "No complete chain of evidence was found: nothing is said on {}.",
    },
}
_ALL = {"zh": "这个问题", "en": "this question"}
LONGEST = 2_000
"""Characters of a question that are read."""


class Shelved(Protocol):
    """What hands out snapshots: documents in memory (``Library``) or on disk (``Stored``)."""

    @property
    def snapshot(self) -> Snapshot:
        """The present one."""
        ...


class Documents:
    """A base over documents; each question is answered from the snapshot that stood when it was read."""

    def __init__(self, library: Shelved, kind: Literal["recall", "sentences"]) -> None:
        self.library = library
        self.name: str = kind
        self._kind = kind
        self._reading = threading.local()
        self._seen: tuple[Snapshot, int] | None = None
        self._counting = threading.Lock()

    @property
    def version(self) -> int:
        """Goes up with each snapshot, and is never that of two, whoever asks at the same time."""
        with self._counting:
            snapshot, seen = self.library.snapshot, self._seen
            if seen is None or seen[0] is not snapshot:
                self._seen = seen = snapshot, seen[1] + 1 if seen is not None else 0
            return seen[1]

    def read(self, text: str, dialog: Dialog) -> Question:
        """Its concepts; the documents that it names."""
        text = text[:LONGEST]
        snapshot = self._begun(text)
        wording, mentions = self._wording(snapshot, text)
        return Question(
            text=text,
            lang=lang_of(text),
            kind=", ".join(wording.types),
            mentions=mentions,
            terms=tuple(concept.text for concept in wording.concepts),
        )

    def compute(self, question: Question) -> Found | None:
        """What an operator gives, if one fits."""
        snapshot = self._snapshot(question)
        wording = self._wording(snapshot, question.text)[0]
        return computed(Asked(question.text, question.lang, snapshot, wording, self._cite))

    def routes(self, question: Question) -> Sequence[Route]:
        """Six ways to search, and earlier answers where there are."""
        snapshot = self._snapshot(question)
        return routes(snapshot, self._judged(snapshot, question.text), question.lang, self._cite)

    def answer(self, question: Question, pool: Sequence[Fused]) -> Found:
        """What the best evidence says, or that it doesn't."""
        snapshot = self._snapshot(question)
        judged = self._judged(snapshot, question.text)
        if not judged.concepts or judged.nameless:
            return self._missing(judged, question.lang)
        if self._kind == "recall":
            return self._fitting(snapshot, judged, pool, question)
        return self._chained(snapshot, judged, pool, question)

    def around(self, id: str, steps: int) -> list[str]:
        """What surrounds a sentence, a line each: its heading, up to ``steps`` sentences before and after it."""
        snapshot = getattr(self._reading, "snapshot", None) or self.library.snapshot
        spoken = snapshot.ids.get(id)
        if spoken is None:
            return []
        found = [f"below {spoken.line.heading}"] if spoken.line.heading else []
        own = snapshot.of(spoken.document)
        at = next((n for n, each in enumerate(own) if each.id == id), 0)
        found += [f"before it {each.line.text}" for each in own[max(0, at - steps) : at]]
        return found + [f"after it {each.line.text}" for each in own[at + 1 : at + 1 + steps]]

    def item(self, id: str) -> Item | None:
        """A document (its path), a sentence (``path#n``), a row (``fine:...``, ``graph:...``)."""
        snapshot = getattr(self._reading, "snapshot", None) or self.library.snapshot
        if (spoken := snapshot.ids.get(id)) is not None:
            document = snapshot.documents[spoken.document]
            return Item(
                id=id,
                kind="sentence",
                text=spoken.line.text,
                title=document.title,
                source=document.id,
                place=str(spoken.line.line),
                version=".".join(map(str, document.version)),
                props={"heading": spoken.line.heading, "paragraph": spoken.line.paragraph},
            )
        if (found := snapshot.documents.get(id)) is not None:
            return Item(
                id=id,
                kind=found.folder or "document",
                text=found.text,
                title=found.title,
                source=id,
                version=".".join(map(str, found.version)),
            )
        for row in (*snapshot.fine, *snapshot.graph):
            if row.id == id:
                table = id.partition(":")[0]
                return Item(
                    id=id, kind=row.kind, text=row.text, title=row.text, source=f"{table}.tsv", place=str(row.line)
                )
        return None

    def _fitting(self, snapshot: Snapshot, judged: Judged, pool: Sequence[Fused], question: Question) -> Found:
        lang = question.lang
        place = {fused.item: rank for rank, fused in enumerate(pool)}
        scored: list[tuple[float, int, str]] = []
        voice = voices.asked(question.text)
        for id in place:
            if id in snapshot.documents and not id.startswith(EARLIER + "/"):
                most = judged.most(snapshot.by_document[id])
                if not judged.labels <= most or judged.share(most) < ENOUGH:
                    continue
                living = _living(snapshot, id, voice)
                covered = judged.covers(living)
                if judged.labels <= covered and not of_another(judged, question.text, living):
                    scored.append((judged.share(covered), -place[id], id))
        scored.sort(reverse=True)
        if not scored or scored[0][0] < ENOUGH:
            return self._missing(judged, lang)
        best = scored[0][0]
        sentences: list[Sentence] = []
        for share, _, id in scored[:4]:
            if share >= max(ENOUGH, 0.9 * best):
                said = _telling(snapshot, judged, id, voice)
                sentences.extend(Sentence(text=spoken.line.text, cites=(id,)) for spoken in said)
        first = _telling(snapshot, judged, scored[0][2], voice, most=1)[0]
        verdict = _verdict(judged, first, best)
        return Found(sentences=tuple(sentences), verdict=verdict, confidence=round(best, 3))

    def _chained(self, snapshot: Snapshot, judged: Judged, pool: Sequence[Fused], question: Question) -> Found:
        lang, text = question.lang, question.text
        past = _PAST.search(judged.wording.whole) is not None
        named = {d.id for d in snapshot.versioned if _names_version(judged, snapshot, d.id)}
        out = frozenset(row for row in snapshot.retired if not past and snapshot.sentences[row].document not in named)
        voice = voices.asked(text)
        if voice is not None:
            rows = {row for each in judged.concepts for row in each.rows} - out
            out |= {row for row in rows if not voice.admits(snapshot.sentences[row].line.text)}
        starts = [spoken for fused in pool[:12] if (spoken := snapshot.ids.get(fused.item))]
        found = chains.search(snapshot, judged, out=out, longest=max(4, judged.wording.hops + 1), starts=starts)
        full = [
            path for path in found if path.share >= ENOUGH and judged.labels <= path.covered and _answers(judged, path)
        ]
        full = [path for path in full if not of_another(judged, text, path.spoken)]
        if voice is not None:
            full = [path for path in full if all(voice.admits(spoken.line.text) for spoken in path.spoken)]
        if not full:
            return self._missing(judged, lang)
        best = full[0]
        if _ASKS_BEFORE.search(judged.wording.whole):
            best = next((path for path in full if any(map(_says_before, path.spoken))), best)
        kept = chains.merged([path for path in full if path.share >= best.share - 1e-9])
        first = _conclusion(judged, best)
        rest = [spoken for spoken in best.spoken if spoken is not first]
        rest += _amendments(snapshot, judged, first, best.spoken)
        return Found(
            verdict=_verdict(judged, first, best.share),
            sentences=tuple(Sentence(text=spoken.line.text, cites=(spoken.id,)) for spoken in (first, *rest)),
            confidence=round(best.share, 3),
            chains=tuple(
                Chain(items=tuple(s.id for s in path.spoken), links=path.links, confidence=round(path.share, 3))
                for path in kept
            ),
        )

    def _missing(self, judged: Judged, lang: Lang) -> Found:
        asked = judged.nameless or judged.unknown
        what = "、".join(f"“{concept.text}”" for concept in asked[:4]) or _ALL[lang]
        return Found(
            sentences=(Sentence(text=_MISSING[self._kind][lang].format(what), cites=()),),
            confidence=0.0,
            abstained=True,
        )

    def _cite(self, spoken: Spoken) -> str:
        return spoken.document if self._kind == "recall" else spoken.id

    def _begun(self, text: str) -> Snapshot:
        """The snapshot of a question that is read now, held for its thread until the next."""
        snapshot = self.library.snapshot
        self._reading.snapshot, self._reading.text, self._reading.judged = snapshot, text, None
        return snapshot

    def _snapshot(self, question: Question) -> Snapshot:
        if getattr(self._reading, "text", None) != question.text:
            return self._begun(question.text)
        held: Snapshot = self._reading.snapshot
        return held

    def _judged(self, snapshot: Snapshot, text: str) -> Judged:
        if self._reading.judged is None:
            self._reading.judged = judge(snapshot, self._wording(snapshot, text)[0])
        held: Judged = self._reading.judged
        return held

    def _wording(self, snapshot: Snapshot, text: str) -> tuple[Wording, tuple[Mention, ...]]:
        known = getattr(self._reading, "worded", None)
        if known is not None and known[0] is snapshot and known[1] == text:
            worded: tuple[Wording, tuple[Mention, ...]] = known[2]
            return worded
        whole = matching(text)
        names, mentions = [], []
        for name in snapshot.titles.within(whole):
            start = whole.find(name)
            ids = snapshot.titles.called[name]
            mentions.append(Mention(text=name, start=max(start, 0), id=ids[0], kind="document", others=ids[1:]))
            if start >= 0:
                names.append((name, start))
        worded = read(text, snapshot.synonyms, names), tuple(mentions)
        self._reading.worded = (snapshot, text, worded)
        return worded


def _names_version(judged: Judged, snapshot: Snapshot, id: str) -> bool:
    """Whether a question names this very version, by its title or its file."""
    document = snapshot.documents[id]
    label = ".".join(map(str, document.version))
    return re.search(rf"(?<![\d.])v?{re.escape(label)}版?(?![\d.])", judged.wording.whole) is not None


def _living(snapshot: Snapshot, id: str, voice: Voice | None) -> list[Spoken]:
    """The sentences of a document that stand, without those that say the reverse of what is asked."""
    living = [spoken for spoken in snapshot.of(id) if spoken.row not in snapshot.retired]
    return living if voice is None else [spoken for spoken in living if voice.admits(spoken.line.text)]


def _telling(snapshot: Snapshot, judged: Judged, id: str, voice: Voice | None, most: int = 2) -> list[Spoken]:
    """The sentences of a document that say most of a question, one for each type of answer that is asked for."""
    living = [spoken for spoken in _living(snapshot, id, voice) if judged.within(spoken)]
    how = {"how", "why"} & set(judged.wording.types)

    def worth(spoken: Spoken) -> float:
        bonus = 0.05 if how and _SIGN.search(spoken.line.text) else 0.0
        return judged.share(judged.covers([spoken])) + bonus

    ranked = sorted(living, key=lambda spoken: (-worth(spoken), spoken.row))
    told: list[Spoken] = []
    for type in judged.wording.types:
        fits = [s for s in ranked if of_type(type, matching(s.line.text)) and worth(s) >= 0.4 * worth(ranked[0])]
        if type not in ("which", "how", "why", "yes or no") and fits and not any(s in told for s in fits[:1]):
            told.append(fits[0])
    causes = [spoken for spoken in living if _CAUSE.search(matching(spoken.line.text))]
    if "why" in judged.wording.types and causes and not any(spoken in ranked[:1] for spoken in causes):
        most = max(most, 2)  # what happened stands in one sentence, why in the next
        told.extend(ranked[:1])
        told.append(min(causes, key=lambda spoken: abs(spoken.row - ranked[0].row)))
    for spoken in ranked:
        if len(told) >= most:
            break
        if spoken not in told and (not told or worth(spoken) >= 0.9 * worth(ranked[0])):
            told.append(spoken)
    return sorted(told, key=lambda spoken: spoken.row)


def _answers(judged: Judged, path: chains.Path) -> bool:
    """Whether a chain holds an answer of each type that is asked for, in a sentence that speaks of what is in focus."""
    focus = {at for at, each in enumerate(judged.concepts) if each.concept.focus and each.weight > 1}

    def told(type: str) -> bool:
        return any(
            of_type(type, matching(spoken.line.text)) and (not focus or focus & judged.covers([spoken]))
            for spoken in path.spoken
        )

    return all(told(type) for type in judged.wording.types)


def _says_before(spoken: Spoken) -> bool:
    return _SAYS_BEFORE.search(matching(spoken.line.text)) is not None


def _conclusion(judged: Judged, path: chains.Path) -> Spoken:
    """The sentence that answers: of the type asked for, nearest to what is in focus."""

    before = _ASKS_BEFORE.search(judged.wording.whole) is not None

    def worth(spoken: Spoken) -> tuple[float, float, int]:
        whole = matching(spoken.line.text)
        typed = sum(of_type(type, whole) for type in judged.wording.types) + (before and _says_before(spoken))
        covered = judged.covers([spoken])
        focus = sum(judged.concepts[at].weight for at in covered if judged.concepts[at].concept.focus)
        return (typed, focus, path.spoken.index(spoken))

    return max(path.spoken, key=worth)


def _amendments(snapshot: Snapshot, judged: Judged, said: Spoken, known: Sequence[Spoken]) -> list[Spoken]:
    """Sentences elsewhere that say that what ``said`` states was changed: they share a rare name with it and what is in
    focus."""
    covered = judged.covers([said])
    focus = {at for at in covered if judged.concepts[at].concept.focus} or covered
    found = []
    for name in said.names:
        rows = snapshot.postings[name]
        if len(name) < 4 or len(rows) > snapshot.cap:
            continue
        for row in rows:
            other = snapshot.sentences[row]
            if other in found or other in known or other.document == said.document or row in snapshot.retired:
                continue
            if _CHANGED.search(other.line.text) and focus <= judged.covers([other]):
                found.append(other)
    return found


def _verdict(judged: Judged, said: Spoken, share: float) -> Verdict | None:
    """Yes or no, where it was asked: no where the sentence denies a word of the question, yes where it says all."""
    if "yes or no" not in judged.wording.types or _DENIED.search(judged.wording.whole):
        return None
    whole = matching(said.line.text)
    forms = [form for each in judged.concepts for form in each.concept.forms]
    if any(re.search(_NEGATION + re.escape(form), whole) for form in forms):
        return "no"
    return "yes" if share > 0.95 and not re.search(_NEGATION, whole) else None
