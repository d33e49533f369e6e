"""The intent router: every intent is scored from the text and the task at hand; the scores become confidences."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.resources import files

from lingbot_map.demo.intents import BY_NAME, family
from lingbot_map.demo.text import ngrams, normal, rarities, weigh

SHARPNESS = 5.0
"""Softmax factor; at 5 a paraphrase of an example comes out at 0.5 to 0.95."""

UNCLEAR = 0.2
"""The score of "this is none of them": a text that is less like every intent's examples than this is not understood."""

UNSEEN = 2.5
"""Weight of an n-gram that no example has: it takes length from the vector, so strange texts score low everywhere."""

KEYWORDS, CLOSEST, NEXT_TWO = 0.68, 0.6, 0.8
"""What keywords, the closest example and the next two weigh.

Chosen by leaving out each example in turn: 71 % of the Chinese and 72 % of the English ones come back to their intent.
"""

SAME_TASK, SAME_FAMILY, SUSPENDED, ANSWERS = 0.17, 0.11, 0.08, 1.0
"""What the task at hand adds: the task itself, its relatives, tasks put aside; a text that answers what was asked."""

_CORRECTION = re.compile(
    r"^(不是?[,，、 ]|不对|错了|我不是|no,|no |not that|i mean|wrong)|我(是说|说的是|问的是)|i (said|meant|mean)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What the router knows of the dialogue. ``answers``: the text has a value for the slot that was asked for."""

    task: str = ""
    suspended: tuple[str, ...] = ()
    answers: bool = False


class Router:
    """Scores intents for one language. Built from the example phrases once; scoring changes nothing."""

    def __init__(self, lang: str) -> None:
        data = tomllib.loads((files("lingbot_map.demo") / "data" / f"phrases.{lang}.toml").read_text("utf-8"))
        self._keywords: dict[str, dict[str, float]] = data["keywords"]
        examples = [(name, ngrams(phrase)) for name in BY_NAME for phrase in data["phrases"][name]]
        self._rarity = rarities(features for _, features in examples)
        self._owner = [name for name, _ in examples]
        self._holders: dict[str, list[tuple[int, float]]] = {}
        for number, (_, features) in enumerate(examples):
            for feature, weight in weigh(features, self._rarity, UNSEEN).items():
                self._holders.setdefault(feature, []).append((number, weight))

    def rank(self, text: str, context: Context | None = None) -> list[tuple[str, float]]:
        """The intents that the text has something of, and "unclear", best first; the confidences add up to 1."""
        scores = {"unclear": UNCLEAR}
        for part in (self._alike(text), self._keyword_scores(text), self._bonuses(text, context or Context())):
            for name, score in part.items():
                scores[name] = scores.get(name, 0.0) + score
        return _softmax(scores)

    def _alike(self, text: str) -> dict[str, float]:
        """For each intent how close the text is to its closest example, and a little to the next two."""
        near: dict[int, float] = {}
        for feature, weight in weigh(ngrams(text), self._rarity, UNSEEN).items():
            for number, held in self._holders.get(feature, ()):
                near[number] = near.get(number, 0.0) + weight * held
        best: dict[str, list[float]] = {}
        for number, closeness in near.items():
            best.setdefault(self._owner[number], []).append(closeness)
        return {name: _blend(sorted(values, reverse=True)) for name, values in best.items()}

    def _keyword_scores(self, text: str) -> dict[str, float]:
        flat = normal(text)
        found: dict[str, float] = {}
        for name, weights in self._keywords.items():
            total = sum(weight for word, weight in weights.items() if word in flat)
            if total:
                found[name] = KEYWORDS * min(total, 1.0)
        return found

    def _bonuses(self, text: str, context: Context) -> Mapping[str, float]:
        if not context.task:
            return {}
        if context.answers:
            return {context.task: ANSWERS}
        if _CORRECTION.search(normal(text)):  # "no, I mean ...": what was going on is not what is wanted
            return {}
        home = family(context.task)
        bonus = {name: SAME_FAMILY for name in self._keywords if family(name) == home}
        bonus |= {name: SUSPENDED for name in context.suspended if name not in bonus}
        if context.task in self._keywords:
            bonus[context.task] = SAME_TASK
        return bonus


def _blend(closest: Collection[float]) -> float:
    first, *others = closest
    return CLOSEST * first + NEXT_TWO * (sum(others[:2]) / 2 if others else 0.0)


def _softmax(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    top = max(scores.values())
    raised = {name: math.exp(SHARPNESS * (score - top)) for name, score in scores.items()}
    total = sum(raised.values())
    ranked = sorted(raised.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(name, value / total) for name, value in ranked]
