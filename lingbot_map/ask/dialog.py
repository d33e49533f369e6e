"""What a conversation of questions remembers: what was named, and the topics that one can go back to."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from hashlib import blake2b

from lingbot_map.ask.types import Answer, Mention, Question

TOPICS = 5
"""So many topics are kept; the oldest goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What a question was about: its mentions, and the ids of the rows that answered it. ``trail`` stands for the
    question, its names, and all that was asked before and may have had a part in it."""

    question: Question
    answered: tuple[Mention, ...] = ()
    trail: bytes = b""


class Dialog:
    """The topics, newest first. A base reads it where a question says "it", "there" or "back to the other one", and
    says what answered one by rows with ``id``, ``name`` and ``kind``.

    A reading takes in the newest topic, or after ``back`` the one before; ``consulted`` says how many it looked at:
    0, 1 or 2. Whoever wants to know sets it to 0 before.
    """

    def __init__(self) -> None:
        self._topics: deque[Topic] = deque(maxlen=TOPICS)
        self.consulted = 0

    @property
    def topics(self) -> deque[Topic]:
        """The topics, newest first."""
        self.consulted = max(self.consulted, 1)
        return self._topics

    def trails(self, count: int = TOPICS) -> tuple[bytes, ...]:
        """What stands for the ``count`` newest topics."""
        return tuple(topic.trail for topic, _ in zip(self._topics, range(count), strict=False))

    def heard(
        self, question: Question, answer: Answer, *, before: tuple[bytes, ...] = (), version: Hashable = None
    ) -> None:
        """A question was answered; one that named nothing new goes on with its topic. ``before`` are the trails of the
        topics that had a part in how it was read, ``version`` is that of the base that answered."""
        answered = tuple(
            Mention(text=str(row["name"]), start=0, id=str(row["id"]), kind=str(row.get("kind", "")), how="before")
            for row in answer.rows
            if "id" in row and "name" in row
        )
        meant = (version, question.text, [mention.id for mention in question.mentions], before)
        trail = blake2b(repr(meant).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        topic = Topic(question=question, answered=answered, trail=trail)
        named = any(mention.how != "before" for mention in question.mentions)
        if self._topics and not named:
            self._topics.popleft()
        self._topics.appendleft(topic)

    def back(self) -> Topic | None:
        """The topic before the present one, which becomes the present one; ``None`` if there is none."""
        self.consulted = 2
        if len(self._topics) < 2:
            return None
        self._topics.rotate(-1)
        return self._topics[0]
