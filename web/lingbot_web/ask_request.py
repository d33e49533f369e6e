"""What a request to ask holds, checked: every field by its type and bound before anything is read or opened."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException

from lingbot_map.errors import BadInput
from lingbot_web.ask_bases import DROPPED, MAX_DIAGRAM, SESSION
from lingbot_web.messages import is_key

MAX_QUESTION = 2000
"""Characters; no more of a question is read."""
MAX_BEFORE = 5
"""Earlier questions that one may go on from, as many as a dialogue of questions remembers topics."""
_MAX_NAME = 255
_MAX_ID = 1000
_CONVERSATION = re.compile(r"[0-9a-f]{0,32}")

Before = tuple[tuple[str, dict[int, str]], ...]
"""Earlier questions, each with what its reader put right."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which base is meant: ``key`` and ``at`` are of a session, ``diagram`` is the name and text of a dropped one."""

    base: str
    key: str = ""
    at: int | None = None
    diagram: tuple[str, str] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The base's id, and the session's key or the diagram's name."""
        if self.diagram is not None:
            return self.base, self.diagram[0]
        return (self.base, self.key) if self.key else (self.base,)


_BASE = {"base", "session", "at", "diagram"}


def base_in(said: dict[str, Any], *more: str) -> Asked:
    """The base that a request names. Raises ``BadInput``, also for fields beside these and ``more``."""
    if unknown := set(said) - _BASE - set(more):
        raise BadInput("body", f"fields of {', '.join(sorted(_BASE | set(more)))}", repr(min(unknown))[:40])
    base = said.get("base", SESSION)
    if type(base) is not str or len(base) > _MAX_ID:
        raise BadInput("base", "the id of something to ask", "something else")
    at = said.get("at")
    if at is not None and (type(at) is not int or not 0 <= at < 2**53):
        raise BadInput("at", "a number from 0 on", "something else")
    if base == DROPPED:
        return Asked(base, diagram=_diagram(said.get("diagram")))
    if base != SESSION:
        return Asked(base)
    key = said.get("session")
    if type(key) is not str or not is_key(key):
        raise HTTPException(404, "There is no such session; a key has 32 hex digits.")
    return Asked(base, key, at)


def _diagram(said: Any) -> tuple[str, str]:
    if type(said) is not dict or set(said) != {"name", "text"} or not all(type(each) is str for each in said.values()):
        raise BadInput("diagram", 'an object with "name" and "text"', "something else")
    if len(said["text"]) > MAX_DIAGRAM:
        raise BadInput(
            said["name"][:60] or "diagram", f"at most {MAX_DIAGRAM:,} characters", f"{len(said['text']):,}", "split it"
        )
    return said["name"][:_MAX_NAME] or "diagram", said["text"]


def question_in(said: dict[str, Any]) -> str:
    """The question, which says something."""
    question = said.get("question")
    if type(question) is not str or not question.strip():
        raise BadInput("body", 'an object with "question", which says something', "something else")
    if len(question) > MAX_QUESTION:
        raise BadInput("question", f"at most {MAX_QUESTION:,} characters", f"{len(question):,}")
    return question


def before_in(said: dict[str, Any]) -> Before:
    """Earlier questions, oldest first: text, or an object with what was put right in it."""
    before = said.get("before", [])
    if type(before) is not list or len(before) > MAX_BEFORE:
        raise BadInput("before", f"a list of at most {MAX_BEFORE} questions", "something else")
    found = []
    for each in before:
        text, bound = (each.get("question"), each.get("bound", {})) if type(each) is dict else (each, {})
        if type(text) is not str:
            raise BadInput("before", f"a list of at most {MAX_BEFORE} questions", "something else")
        found.append((text[:MAX_QUESTION], bound_in({"bound": bound})))
    return tuple(found)


def bound_in(said: dict[str, Any]) -> dict[int, str]:
    """What words stand for, by the place of their first character."""
    bound = said.get("bound", {})
    if type(bound) is not dict or not all(
        place.isascii() and place.isdigit() and len(place) < 6 and type(id) is str for place, id in bound.items()
    ):
        raise BadInput("bound", 'an object such as {"4": "slot:brand"}', "something else")
    return {int(place): id for place, id in bound.items()}


def conversation_in(said: dict[str, Any]) -> str:
    """The conversation that a question belongs to; "" for one of its own."""
    conversation = said.get("conversation", "")
    if type(conversation) is not str or not _CONVERSATION.fullmatch(conversation):
        raise BadInput("conversation", "up to 32 hex digits", "something else")
    return conversation


def item_in(said: dict[str, Any]) -> str:
    """The id of an item that an answer cited."""
    item = said.get("item")
    if type(item) is not str or not item or len(item) > _MAX_ID:
        raise BadInput("item", "the id of something that was cited", "something else")
    return item


def lang_in(said: dict[str, Any]) -> Any:
    """The language that examples are asked for in."""
    lang = said.get("lang", "en")
    if lang not in ("zh", "en"):
        raise BadInput("lang", "zh or en", "something else")
    return lang
