"""What questions, evidence and answers are made of. All values are frozen; nothing here reads or decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Lang = Literal["zh", "en"]
Verdict = Literal["yes", "no", "unspecified"]
Status = Literal["ok", "empty", "timeout", "failed", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """The only thing that can be cited: a message of a diagram (``m5``), a turn (``t17``), a sentence (``ops.md#2``),
    a triple, a slot's write.

    ``text`` is what it says, ``title`` what it is called, ``source`` the file or session that it stands in, ``place``
    where in it (line, turn, event), ``version`` of its document. ``props`` is free.
    """

    id: str
    kind: str
    text: str
    title: str = ""
    source: str = ""
    place: str = ""
    version: str = ""
    props: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """The words ``text`` of a question, from character ``start`` on, stand for ``id``.

    ``how`` says by what: "name", "alias", "near", "order" (an ordinal), "before" (inherited from an earlier question).
    ``others`` are further ids that the words may stand for, most likely first.
    """

    text: str
    start: int
    id: str
    kind: str
    how: str = "name"
    confidence: float = 1.0
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as a base understood it.

    ``kind`` names the operator that answers it ("writer", "order", "2 hops" ...), "" if none does. ``terms`` are its
    words that carry meaning, ``constraints`` what rows must fulfil, ``args`` what the operator needs besides.
    """

    text: str
    lang: Lang
    kind: str = ""
    confidence: float = 1.0
    mentions: tuple[Mention, ...] = ()
    terms: tuple[str, ...] = ()
    constraints: Mapping[str, Any] = field(default_factory=dict)
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceItem:
    """A piece of evidence as a reader sees it: what it is, how sure it is, and why it was selected.

    ``route`` is the one that ranked it best; ``ranks`` are its ranks by route, from 1 on. ``confidence`` and ``score``
    lie in 0..1.
    """

    item: str
    title: str
    path: str
    kind: str
    confidence: float
    snippet: str
    score: float
    route: str
    selection_reason: str
    ranks: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One step of the way from question to answer; ``ms`` is how long it took, ``evidence_count`` what it gave."""

    name: str
    status: Status
    detail: str = ""
    keywords: tuple[str, ...] = ()
    evidence_count: int = 0
    ms: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Items that lead from what was asked to what is answered; ``links`` say what ties each to the next."""

    items: tuple[str, ...]
    links: tuple[str, ...] = ()
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of an answer and the items that it rests on."""

    text: str
    cites: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What an operator computed: a fact, or that there is none (``abstained``: the base holds nothing about it)."""

    sentences: tuple[Sentence, ...]
    verdict: Verdict | None = None
    confidence: float = 1.0
    chains: tuple[Chain, ...] = ()
    open_points: tuple[str, ...] = ()
    abstained: bool = False
    rows: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is said, on what it rests and how it came about.

    An abstention says what was looked for and not found; it cites nothing. ``open_points`` are conditions that the
    question leaves open, and routes that came too late.
    """

    question: Question
    sentences: tuple[Sentence, ...]
    verdict: Verdict | None = None
    confidence: float = 1.0
    evidence: tuple[EvidenceItem, ...] = ()
    chains: tuple[Chain, ...] = ()
    steps: tuple[TraceStep, ...] = ()
    open_points: tuple[str, ...] = ()
    abstained: bool = False
    rows: tuple[Mapping[str, Any], ...] = ()

    @property
    def text(self) -> str:
        """All sentences, as one reads them."""
        joint = "" if self.question.lang == "zh" else " "
        return joint.join(sentence.text for sentence in self.sentences)

    @property
    def cites(self) -> tuple[str, ...]:
        """The ids of all items that are cited, in order, each once."""
        return tuple(dict.fromkeys(cite for sentence in self.sentences for cite in sentence.cites))
