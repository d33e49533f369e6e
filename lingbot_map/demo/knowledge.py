"""The knowledge store: documents in one language, how alike they are, and how often each was used lately."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

from lingbot_map.demo.articles import articles
from lingbot_map.demo.text import cosine, embed, terms

DAY = 24 * 3600
NEAR = 0.6
"""From this similarity on two documents are kept as neighbours; different articles stay below 0.6."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One article as it is searched: ``vector`` and ``terms`` of title and body, ``updated_at`` in Unix seconds."""

    id: str
    title: str
    body: str
    category: str
    version: str
    updated_at: float
    vector: dict[int, float]
    terms: Counter[str]
    title_terms: frozenset[str]

    @property
    def cost(self) -> int:
        """Tokens it takes in a prompt: about one for a Chinese character, one and a third for an English word."""
        chinese = sum(char >= "\u3400" for char in self.body)
        return chinese + len(self.body.split()) * 4 // 3


class HitCounter:
    """How often each document was put into a prompt on each of the last seven finished days.

    Today's count moves in when the day is over, as in a nightly roll-up, so the popularity of a document doesn't
    change while a customer talks.
    """

    def __init__(self, clock: Callable[[], float], week: dict[str, int]) -> None:
        self._clock = clock
        self._today = self._day()
        self._hits: Counter[str] = Counter()
        self._days: deque[Counter[str]] = deque(
            (Counter({name: _share(count, day) for name, count in week.items()}) for day in range(7)), maxlen=7
        )

    def used(self, name: str) -> None:
        self._roll()
        self._hits[name] += 1

    def week(self, name: str) -> int:
        self._roll()
        return sum(day[name] for day in self._days)

    def _day(self) -> int:
        return int(self._clock() // DAY)

    def _roll(self) -> None:
        passed = min(max(self._day() - self._today, 0), 8)
        for _ in range(passed):
            self._days.append(self._hits)
            self._hits = Counter()
        self._today += passed if passed < 8 else self._day() - self._today


class Knowledge:
    """The documents of one language. ``clock`` gives Unix seconds; articles age from when the store is opened."""

    def __init__(self, lang: str, clock: Callable[[], float]) -> None:
        opened = clock()
        known = articles()
        self.documents = tuple(
            _document(
                article.id,
                article.zh_title if lang == "zh" else article.en_title,
                article.zh if lang == "zh" else article.en,
                article.category,
                article.version,
                float(int(opened) - article.age * DAY),
            )
            for article in known
        )
        self.hits = HitCounter(clock, {article.id: article.hits for article in known})
        self._near = self._neighbours()

    def near(self, name: str) -> tuple[tuple[str, float], ...]:
        """Documents much like ``name``, with the similarity, closest first."""
        return self._near.get(name, ())

    def _neighbours(self) -> dict[str, tuple[tuple[str, float], ...]]:
        pairs: dict[str, list[tuple[str, float]]] = {}
        for number, one in enumerate(self.documents):
            for other in self.documents[:number]:
                alike = round(cosine(one.vector, other.vector), 2)
                if alike >= NEAR:
                    pairs.setdefault(one.id, []).append((other.id, alike))
                    pairs.setdefault(other.id, []).append((one.id, alike))
        return {name: tuple(sorted(found, key=lambda pair: -pair[1])) for name, found in pairs.items()}


def _document(name: str, title: str, body: str, category: str, version: str, updated_at: float) -> Document:
    whole = f"{title}\n{body}"
    return Document(
        id=name,
        title=title,
        body=body,
        category=category,
        version=version,
        updated_at=updated_at,
        vector=embed(whole),
        terms=Counter(terms(whole)),
        title_terms=frozenset(terms(title)),
    )


def _share(count: int, day: int) -> int:
    """The ``day``'s part of a week's ``count``: parts differ by one at most and add up to it."""
    return count * (day + 1) // 7 - count * day // 7
