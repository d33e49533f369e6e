"""Puts what operators find into sentences that cite it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lingbot_map.ask.bases.sequence.ir import OUTSIDE, Message, Path
from lingbot_map.ask.bases.sequence.view import View
from lingbot_map.ask.bases.sequence.wording import listed, say
from lingbot_map.ask.types import Chain, Found, Lang, Sentence, Verdict


class Telling:
    """The sentences of one answer over one diagram."""

    def __init__(self, view: View, lang: Lang) -> None:
        self.view = view
        self.lang: Lang = lang
        self.sentences: list[Sentence] = []
        self.open_points: list[str] = []
        self.chains: list[Chain] = []
        self.rows: list[dict[str, object]] = []

    def cite(self, ids: Iterable[str]) -> tuple[str, ...]:
        """The ids as they are cited."""
        return tuple(self.view.prefix + id for id in dict.fromkeys(ids))

    def add(self, key: str, cites: Iterable[str], **facts: object) -> None:
        """One sentence that rests on ``cites``."""
        self.sentences.append(Sentence(text=say(self.lang, key, **facts), cites=self.cite(cites)))

    def message(self, message: Message) -> str:
        """A message in words."""
        source, target = self.who(message.source), self.who(message.target)
        label = message.label or "—"
        return say(self.lang, "message", label=label, id=self.view.prefix + message.id, source=source, target=target)

    def messages(self, messages: Sequence[Message]) -> str:
        """Messages in a row."""
        return listed(self.lang, [self.message(each) for each in messages])

    def who(self, id: str) -> str:
        """A lifeline's name."""
        if id == OUTSIDE:
            return {"zh": "图外", "en": "outside"}[self.lang]
        return self.view.who(id)

    def path(self, path: Path) -> str:
        """Conditions from the outermost to the innermost."""
        said = [step.condition or f"{step.kind} {step.operand}" for step in path]
        return " > ".join(said)

    def under(self, messages: Sequence[Message], key: str = "conditional") -> None:
        """One sentence for each condition that some of the messages stand under."""
        groups: dict[Path, list[Message]] = {}
        for message in messages:
            conditions = tuple(step for step in message.path if not step.free)
            groups.setdefault(conditions, []).append(message)
        for path, group in groups.items():
            ids = [each.id for each in group] + [step.fragment for step in path]
            self.add(key, ids, path=self.path(path), messages=self.messages(group))

    def found(self, verdict: Verdict | None = None, confidence: float = 1.0) -> Found:
        """All of it."""
        return Found(
            sentences=tuple(self.sentences),
            verdict=verdict,
            confidence=confidence,
            chains=tuple(self.chains),
            open_points=tuple(self.open_points),
            rows=tuple(self.rows),
        )

    def absent(self, key: str, **facts: object) -> Found:
        """That the diagram has nothing about it."""
        return Found(sentences=(Sentence(text=say(self.lang, key, **facts), cites=()),), abstained=True)


def conditions(path: Path) -> Path:
    """The steps of a path that are conditions."""
    return tuple(step for step in path if not step.free)
