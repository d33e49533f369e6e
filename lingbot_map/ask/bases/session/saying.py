"""The sentences of an answer as they are made: each in the question's language, each with what it cites."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lingbot_map.ask.bases.session.record import Record
from lingbot_map.ask.types import Chain, Found, Lang, Question, Sentence, Verdict

MOST = 12
"""So many things of a list are told one by one; the rest is counted."""
MOST_TURNS = 40
"""As many turns: their numbers are short."""

_ENDED_TWICE = re.compile(r"""([。！？.!?…])([」"])[。.]$""")


def _punctuated(text: str, labelled: Iterable[str]) -> str:
    """As it is printed: no space behind the bracket that ends a name, no stop behind a quotation that has its own."""
    for name in labelled:
        text = text.replace(f"{name} ", name)
    return _ENDED_TWICE.sub(r"\1\2", text)


class Saying:
    """Collects what is said to a question over a record."""

    def __init__(self, record: Record, question: Question) -> None:
        self.record = record
        self.question = question
        self.lang: Lang = question.lang
        self.turns: list[int] = list(question.args.get("turns", ()))
        self.cues: frozenset[str] = question.args.get("cues", frozenset())
        self._sentences: list[Sentence] = []
        self._labelled: set[str] = set()
        self.chains: list[Chain] = []
        self.rows: list[Mapping[str, Any]] = []
        self.verdict: Verdict | None = None

    def say(self, cites: Iterable[str], *, zh: str, en: str) -> None:
        """One sentence."""
        text = _punctuated(zh if self.lang == "zh" else en, self._labelled)
        self._sentences.append(Sentence(text=text, cites=tuple(dict.fromkeys(cites))))

    def nothing(self, *, zh: str, en: str) -> Found:
        """The record holds nothing about what was asked."""
        text = zh if self.lang == "zh" else en
        return Found(sentences=(Sentence(text=text, cites=()),), abstained=True)

    def told(self) -> Found:
        """What was said."""
        return Found(
            sentences=tuple(self._sentences), verdict=self.verdict, chains=tuple(self.chains), rows=tuple(self.rows)
        )

    @property
    def silent(self) -> bool:
        """Whether nothing was said so far."""
        return not self._sentences

    def ids(self, kind: str) -> list[str]:
        """The ids of a kind that the question names, in order, each once."""
        return list(dict.fromkeys(m.id for m in self.question.mentions if m.kind == kind))

    def all_turns(self) -> tuple[str, ...]:
        """What a statement about the whole session rests on: its first and its last turn."""
        record = self.record
        return tuple(dict.fromkeys((f"t{record.first}", f"t{record.last}")))

    def name(self, id: str) -> str:
        """What a node is called."""
        called = self.record.label(id, self.lang)
        if called.endswith("）"):
            self._labelled.add(called)
        return called

    def names(self, ids: Iterable[str]) -> str:
        """Several names, the first so many."""
        return self.listed([self.name(id) for id in ids])

    def listed(self, parts: Sequence[str]) -> str:
        """Parts of a list as one reads them, the first so many."""
        joint = "、" if self.lang == "zh" else ", "
        if len(parts) <= MOST:
            return joint.join(parts)
        more = len(parts) - MOST
        return joint.join(parts[:MOST]) + (f" 等共 {len(parts)} 项" if self.lang == "zh" else f" and {more} more")

    def turn(self, number: int) -> str:
        """A turn's name."""
        return f"第{number}轮" if self.lang == "zh" else f"turn {number}"

    def turn_list(self, numbers: Iterable[int]) -> str:
        """Several turns' names."""
        some = [str(number) for number in dict.fromkeys(numbers)]
        more = len(some) - MOST_TURNS
        if self.lang == "zh":
            return f"第{'、'.join(some[:MOST_TURNS])}轮" + (f"等 {len(some)} 轮" if more > 0 else "")
        return f"turn{'s' * (len(some) > 1)} {', '.join(some[:MOST_TURNS])}" + (f" and {more} more" if more > 0 else "")

    def by(self, task: str) -> str:
        """Who did it, as a part of a sentence; "" if nobody is named."""
        if not task:
            return ""
        return f"由 {self.name(task)} " if self.lang == "zh" else f" by {self.name(task)}"
