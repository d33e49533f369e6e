"""The second channel: the triples whose words are those of the question, for where no plan was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lingbot_map.ask.bases.triples.relations import Lexicon
from lingbot_map.ask.bases.triples.say import Say
from lingbot_map.ask.engine import Route
from lingbot_map.ask.pool import Fused, Hit
from lingbot_map.ask.types import Found, Question


class Recall:
    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def route(self, question: Question) -> Route:
        def run(late: Callable[[], bool]) -> Sequence[Hit]:
            return ()

        return Route(name="facts", run=run)

    def answer(self, question: Question, pool: Sequence[Fused], say: Say) -> Found | None:
        return None
