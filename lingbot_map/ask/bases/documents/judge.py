"""How much of a question a text says: its concepts weighed by how rare they are, and whether that is enough.

What was measured (ask for ``bench/ask_documents.py``): the rarity-weighted share of the question's words that the
evidence covers tells answerable questions from others better than any raw likeness.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lingbot_map.ask.bases.documents.bounds import Bound, bounds
from lingbot_map.ask.bases.documents.library import Snapshot
from lingbot_map.ask.bases.documents.spoken import Spoken
from lingbot_map.ask.bases.documents.store import either
from lingbot_map.ask.bases.documents.wording import HAN, Concept, Wording, stem

ENOUGH = 0.7
"""Share of the question that evidence must cover; below it is abstained."""
LISTED = 600
"""Sentences that say a word up to which each is listed; a word of more leads nowhere and is looked for in what others
lead to."""
_FOCUS = 1.5  # what is asked for counts more than what surrounds it
_TYPE_NOUN = 0.3  # "which state", "what time": the answer is one and needn't say the word
_TYPE_NOUNS = (
    "状态 结果 时间 原因 方式 数量 位置 地方 人 版本 名字 名称 文档 部门 团队 日期 值 数值 问题 条件 "
    "步骤 组件 后果 处理 "
    "缺陷 用例 漏洞 bug case "
    "state result time reason way number place person version name document team date value status component group "
    "age day year month"
)
_LABEL = re.compile(r"\d|^[a-z]\d?[^a-z]|[a-z][-_/.][a-z]")
_ASKS = re.compile(r"^(?:\w+ )?(?:who|which|whose)\b|的(?:是|有)?(?:谁|哪|什么)")
"""A question word, or the one before it, that is no hop."""
TYPE_NOUNS = frozenset(_TYPE_NOUNS.split())


@dataclass(frozen=True, slots=True)
class Weighed:
    """A concept, what it counts, and the rows of sentences that say it; of a ``common`` one, that more than ``LISTED``
    hold, none are listed and a sentence itself is looked at."""

    concept: Concept
    weight: float
    rows: frozenset[int]
    common: bool = False
    stems: frozenset[str] = frozenset()
    """Those of its forms, where they tell by themselves whether a sentence says it."""
    bound: Bound | None = None
    """The bound that a sentence has to meet instead of saying a word."""

    def said_in(self, spoken: Spoken) -> bool:
        """Whether a sentence says it."""
        if self.bound is not None:
            return self.bound.met(spoken.line.text)
        if spoken.row in self.rows:
            return True
        if self.stems:
            return self.common and not self.stems.isdisjoint(spoken.stems)
        return self.common and self.concept.within(spoken.whole, spoken.stems)


@dataclass(frozen=True, slots=True)
class Judged:
    """A question's concepts, weighed over a snapshot."""

    wording: Wording
    concepts: tuple[Weighed, ...]
    total: float
    _known: dict[int, frozenset[int]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def unknown(self) -> tuple[Concept, ...]:
        """Concepts that no document says."""
        return tuple(each.concept for each in self.concepts if not each.rows and not each.common)

    @property
    def nameless(self) -> tuple[Concept, ...]:
        """Names that no document holds: what is asked about isn't here."""
        return tuple(concept for concept in self.unknown if concept.name)

    @property
    def labels(self) -> frozenset[int]:
        """The numbers of concepts that are ids, versions or bounds: what is said of another one answers nothing."""
        return frozenset(
            at
            for at, each in enumerate(self.concepts)
            if each.bound is not None or (each.concept.name and _LABEL.search(each.concept.text))
        )

    def within(self, spoken: Spoken) -> bool:
        """Whether a sentence meets a bound that the question sets; ``True`` where it sets none."""
        held = {at for at, each in enumerate(self.concepts) if each.bound is not None}
        return held <= self.covers([spoken])

    def covers(self, spoken: Iterable[Spoken]) -> frozenset[int]:
        """The numbers of the concepts that any of these sentences says."""
        return frozenset[int]().union(*map(self._said_in, spoken))

    def most(self, rows: Sequence[int]) -> frozenset[int]:
        """The concepts that the sentences of these rows may say at most: told without reading them."""
        held = set(rows)
        return frozenset(at for at, each in enumerate(self.concepts) if each.common or not held.isdisjoint(each.rows))

    def _said_in(self, spoken: Spoken) -> frozenset[int]:
        known = self._known.get(spoken.row)
        if known is None:
            known = frozenset(at for at, each in enumerate(self.concepts) if each.said_in(spoken))
            known = frozenset(
                at for at in known if (bound := self.concepts[at].bound) is None or self._bounded(bound) <= known
            )
            self._known[spoken.row] = known
        return known

    def _bounded(self, bound: Bound) -> frozenset[int]:
        """The concepts that a sentence has to say with a bound ("joined" is not "left"): all but the kind of thing that
        is asked for, or in a question of several hops the two that stand next before."""
        which = "which" in self.wording.types and "who" not in self.wording.types
        plain = [
            at
            for at, each in enumerate(self.concepts)
            if each.bound is None and each.concept.text not in TYPE_NOUNS and not (which and each.concept.focus)
        ]
        if self.wording.hops > 1 + len(_ASKS.findall(self.wording.whole)):
            plain = [at for at in plain if self.concepts[at].concept.start < bound.start][-2:]
        return frozenset(plain)

    def share(self, covered: Iterable[int]) -> float:
        """The weighed share (0..1) of the question that these concepts make up."""
        return sum(self.concepts[at].weight for at in covered) / self.total if self.total else 0.0


def judge(snapshot: Snapshot, wording: Wording) -> Judged:
    """Weigh a question's concepts over the documents."""
    count = max(1, len(snapshot.sentences))
    found = []
    bounded = bounds(wording)
    for concept in wording.concepts:
        if any(bound.start <= concept.start < bound.end for bound in bounded):
            continue
        match = either(concept.forms)
        held = snapshot.known(match, LISTED + 1)
        common = len(held) > LISTED
        rows = frozenset(
            spoken.row
            for spoken in ([] if common else snapshot.spoken(held))
            if concept.within(spoken.whole, spoken.stems)
        )
        weight = math.log(1 + count / ((snapshot.store.size(match) if common else len(rows)) + 0.5))
        if concept.text in TYPE_NOUNS:
            weight *= _TYPE_NOUN
        elif concept.focus:
            weight *= _FOCUS
        words = not any(" " in form or HAN.search(form) for form in concept.forms)
        stems = frozenset(map(stem, concept.forms)) if words else frozenset()
        found.append(Weighed(concept, weight, rows, common, stems))
    for bound in bounded if found else ():
        text = wording.whole[bound.start : bound.end]
        said = Concept(text=text, forms=(text,), start=bound.start)
        found.append(Weighed(said, 1.0, frozenset(), common=True, bound=bound))
    return Judged(wording, tuple(found), sum(each.weight for each in found))
