"""The scripted customer: sessions one after another, first the two stories, then new ones made from lines and facts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from lingbot_map.demo import story

DIGRESSION = 0.15
"""How often a customer goes on to the next thing instead of answering; tasks are left open as real ones are."""


@dataclass(slots=True)
class Customer:
    """One session's customer, who says ``lines`` and, where ``chance`` is given, answers what is asked."""

    lang: str
    title: str
    lines: list[str]
    chance: random.Random | None = None
    _answered: dict[str, str] = field(default_factory=dict)
    _tries: int = 0

    def says(self, asked: str) -> str | None:
        """The next utterance. A customer of a story (without ``chance``) says the lines as they are."""
        if self.chance is not None and asked and self._tries < 3 and self.chance.random() >= DIGRESSION:
            self._tries += 1
            return self._fact(asked, self.chance)
        self._tries = 0
        return self.lines.pop(0) if self.lines else None

    def _fact(self, slot: str, chance: random.Random) -> str:
        if slot not in self._answered:
            facts = story.FACTS_ZH if self.lang == "zh" else story.FACTS_EN
            self._answered[slot] = chance.choice(facts[slot]).format(digits=chance.randrange(1000, 9999))
        return self._answered[slot]


def customers(lang: str, seed: int) -> Iterator[Customer]:
    """Customers without end: the story in ``lang``, the story in the other language, then new sessions in both."""
    languages = ("zh", "en") if lang == "zh" else ("en", "zh")
    for each in languages:
        yield Customer(lang=each, title=story.TITLES[each], lines=list(story.ZH if each == "zh" else story.EN))
    number = 0
    while True:
        yield made_up(languages[number % 2], random.Random(seed * 1_000_003 + number))
        number += 1


def made_up(lang: str, chance: random.Random) -> Customer:
    """A customer with four to seven concerns in any order, each in one of several wordings."""
    scenes = story.LINES_ZH if lang == "zh" else story.LINES_EN
    titles = chance.sample(sorted(scenes), chance.randint(4, 7))
    lines = [chance.choice(story.OPENINGS[lang])]
    for title in titles:
        lines += [chance.choice(wordings) for wordings in scenes[title]]
    lines.append(chance.choice(story.CLOSINGS[lang]))
    return Customer(lang=lang, title=" · ".join(titles[:2]), lines=lines, chance=chance)
