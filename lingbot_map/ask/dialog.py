"""What a conversation of questions remembers: what was named, and the topics that one can go back to."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from lingbot_map.ask.types import Answer, Mention, Question

TOPICS = 5
"""So many topics are kept; the oldest goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What a question was about: its mentions, and the ids of the rows that answered it."""

    question: Question
    answered: tuple[Mention, ...] = ()


@dataclass(slots=True)
class Dialog:
    """The topics, newest first. A base reads it where a question says "it", "there" or "back to the other one", and
    says what answered one by rows with ``id``, ``name`` and ``kind``."""

    topics: deque[Topic] = field(default_factory=lambda: deque(maxlen=TOPICS))

    def heard(self, question: Question, answer: Answer) -> None:
        """A question was answered; one that named nothing new goes on with its topic."""
        answered = tuple(
            Mention(text=str(row["name"]), start=0, id=str(row["id"]), kind=str(row.get("kind", "")), how="before")
            for row in answer.rows
            if "id" in row and "name" in row
        )
        topic = Topic(question=question, answered=answered)
        named = any(mention.how != "before" for mention in question.mentions)
        if self.topics and not named:
            self.topics.popleft()
        self.topics.appendleft(topic)

    def back(self) -> Topic | None:
        """The topic before the present one, which becomes the present one; ``None`` if there is none."""
        if len(self.topics) < 2:
            return None
        self.topics.rotate(-1)
        return self.topics[0]
