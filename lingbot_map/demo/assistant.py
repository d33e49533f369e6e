"""The assistant as a whole: what all its dialogues share, in one language."""

from __future__ import annotations

import time
from collections.abc import Callable

from lingbot_map.demo.account import BackOffice
from lingbot_map.demo.dialogue import Dialogue
from lingbot_map.demo.knowledge import Knowledge
from lingbot_map.demo.retrieval import Retriever
from lingbot_map.demo.router import Router

LANGUAGES = ("zh", "en")


class Assistant:
    """A telecom assistant that speaks ``lang``. ``clock`` gives Unix seconds; all else follows from what is said."""

    def __init__(self, lang: str, clock: Callable[[], float] = time.time) -> None:
        if lang not in LANGUAGES:
            raise ValueError(f"lang: expected one of {', '.join(LANGUAGES)}, found {lang!r}")
        self.lang = lang
        self.router = Router(lang)
        self.retriever = Retriever(Knowledge(lang, clock))

    def open(self, session: str) -> Dialogue:
        """A new dialogue. Its back office is its own, so that what it says depends on nothing but the dialogue."""
        return Dialogue(session, self.lang, self.router, self.retriever, BackOffice(self.lang))
