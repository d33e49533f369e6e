"""What a language model is shown of an answer: its sentences, and the numbered evidence that they rest on.

What the answer cites comes first, and nothing else is to be cited: the same answer rests on the same, whoever words it.
One that was searched for has the best of the pool beside it, up to eight pieces, so that what it says is understood.
Each piece is widened by what surrounds it: two steps up and down the chain, in a diagram the conditions of its
fragments and the notes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from lingbot_map.ask.types import Answer, Item, Lang, Verdict

FEWEST = 8
"""So many pieces at least are shown of an answer that was searched for; an operator's shows what it cites."""
MOST = 40
"""An answer that cites more is a list that no wording makes better."""
LONGEST = 600
"""Characters of a piece."""
LONGEST_ANSWER = 6_000
"""Characters of an answer that is worded."""
_STEPS = 2
_MOST_AROUND = 10
_LONGEST_AROUND = 160


class Itemised(Protocol):
    """What is needed of a base. One that has ``around`` says what surrounds an item, a line each."""

    def item(self, id: str) -> Item | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A numbered piece of evidence; ``around`` is what surrounds it and can't be cited."""

    n: int
    id: str
    kind: str
    title: str
    text: str
    around: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """Its title and text."""
        return f"{self.title}\n{self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A sentence of the answer that is worded, and the numbers of what it cites."""

    text: str
    cites: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """All that is shown. ``exact``: an operator computed it, so all that belongs in it stands in it."""

    question: str
    lang: Lang
    exact: bool
    verdict: Verdict | None
    given: tuple[Given, ...]
    pieces: tuple[Piece, ...]
    rows: tuple[str, ...] = ()

    @property
    def cited(self) -> frozenset[int]:
        """The numbers that the answer cites."""
        return frozenset(n for given in self.given for n in given.cites)

    def ids(self, numbers: Sequence[int]) -> tuple[str, ...]:
        """The items that numbers stand for, each once."""
        return tuple(dict.fromkeys(self.pieces[n - 1].id for n in numbers))


def computed(answer: Answer) -> bool:
    """Whether an exact operator gave the answer."""
    return any(step.name == "compute" and step.status == "ok" for step in answer.steps)


def sheet(answer: Answer, base: Itemised) -> Sheet | None:
    """What is shown of ``answer``; ``None`` for one that is too long to be worded, or rests on what is gone by now."""
    exact = computed(answer)
    ids = list(answer.cites)
    if not ids or len(ids) > MOST or len(answer.text) > LONGEST_ANSWER:
        return None
    if not exact:
        pool = [found.item for found in answer.evidence if found.item not in ids]
        ids += pool[: max(0, FEWEST - len(ids))]
    pieces: list[Piece] = []
    for id in ids:
        item = base.item(id)
        if item is not None:
            pieces.append(_piece(len(pieces) + 1, item, answer, base))
    number = {piece.id: piece.n for piece in pieces}
    if not number.keys() >= set(answer.cites):
        return None
    given = tuple(Given(text=said.text, cites=tuple(number[cite] for cite in said.cites)) for said in answer.sentences)
    named = [str(row["name"]) for row in answer.rows if row.get("name")] if exact else []
    rows = tuple(name for name in named if name in answer.text)
    return Sheet(
        question=answer.question.text,
        lang=answer.question.lang,
        exact=exact,
        verdict=answer.verdict,
        given=given,
        pieces=tuple(pieces),
        rows=rows,
    )


def _piece(n: int, item: Item, answer: Answer, base: Itemised) -> Piece:
    around = dict.fromkeys((*_around(base, item.id), *_in_chains(base, answer, item.id)))
    return Piece(
        n=n,
        id=item.id,
        kind=item.kind,
        title=_cut(item.title, _LONGEST_AROUND),
        text=_cut(item.text, LONGEST),
        around=tuple(_cut(line, _LONGEST_AROUND) for line in list(around)[:_MOST_AROUND]),
    )


def _around(base: Itemised, id: str) -> Sequence[str]:
    tell: Callable[[str, int], Sequence[str]] | None = getattr(base, "around", None)
    return tell(id, _STEPS) if tell is not None else ()


def _in_chains(base: Itemised, answer: Answer, id: str) -> Iterator[str]:
    """What stands up to two steps before and after an item in the answer's chains."""
    for chain in answer.chains:
        if id in chain.items:
            at = chain.items.index(id)
            for near in (*chain.items[max(0, at - _STEPS) : at], *chain.items[at + 1 : at + 1 + _STEPS]):
                item = base.item(near)
                if item is not None and near not in answer.cites:
                    yield f"{item.kind} {item.title}: {item.text}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
