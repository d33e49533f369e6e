"""``/api/design``: a session of the running map held against a designed diagram, for the overlay on the score.

``GET`` says which design the operator named (``--design``), ``POST`` holds a session against one whose text it brings.
Nothing of it is kept.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lingbot_map.ask.bases.sequence.design import Design, designed, hold
from lingbot_map.ask.bases.sequence.source import text_of
from lingbot_map.errors import BadInput, UnknownMoment
from lingbot_map.legible import legible
from lingbot_map.pipeline import Pipeline
from lingbot_map.session import Session
from lingbot_map.whole import MOST_EVENTS, whole_map
from lingbot_web.api import json_object, reply
from lingbot_web.designs import report_of
from lingbot_web.messages import is_key

MAX_TEXT = 256 * 1024
"""Characters of a design; the largest of 175 real diagrams has 14 thousand."""
MAX_NAME = 200
AT_ONCE = 4
"""So many sessions are held against a design at the same time."""


@dataclass(frozen=True, slots=True)
class ShownDesign:
    """The design that the operator named: its file's ``name`` and ``text``."""

    name: str
    text: str


def shown_design(path: Path | None) -> ShownDesign | None:
    """The design of a file. Raises BadInput with the line for one that can't be understood or is too large."""
    if path is None:
        return None
    text = text_of(path)
    if len(text) > MAX_TEXT:
        raise BadInput(str(path), f"at most {MAX_TEXT:,} characters", f"{len(text):,}")
    designed(text, str(path))
    return ShownDesign(legible(path.name), text)


class Designs:
    """The endpoint over one pipeline."""

    def __init__(self, pipeline: Pipeline, shown: ShownDesign | None) -> None:
        self._pipeline = pipeline
        self._shown = shown
        self._held = 0

    def routes(self) -> list[Route]:
        """The path, with both methods."""
        return [
            Route("/api/design", self.named, methods=["GET"]),
            Route("/api/design", self.hold, methods=["POST"]),
        ]

    async def named(self, request: Request) -> Response:
        """``{"design": {"name", "text"} or null}``."""
        return reply({"design": asdict(self._shown) if self._shown is not None else None})

    async def hold(self, request: Request) -> Response:
        """``{"session": KEY, "name": file name, "text": diagram, "at"?: seq}``: how each turn stands to the design, see
        ``DesignReport``; ``seq`` is the last event that counted."""
        said = await json_object(request)
        key, at = said.get("session"), said.get("at")
        if not isinstance(key, str) or not is_key(key):
            raise BadInput("session", "the key of a session", "something else")
        if at is not None and (type(at) is not int or not 0 <= at < 2**53):
            raise BadInput("at", "a number from 0 on", "something else")
        name, text = _text(said, "name", MAX_NAME), _text(said, "text", MAX_TEXT)
        if self._held >= AT_ONCE:
            raise HTTPException(503, "Too many designs are being looked at; try again in a moment.")
        self._held += 1
        try:
            design = await asyncio.to_thread(designed, text, legible(name))
            live = await self._pipeline.open(key)
            seq = live.tail.last if at is None else at
            if seq > live.tail.last:
                raise UnknownMoment(seq, live.tail.last)
            return reply(await self._pipeline.past(live, lambda session: _held(session, seq, design)))
        finally:
            self._held -= 1


def _held(session: Session, seq: int, design: Design) -> dict[str, Any]:
    map = session.at(seq)
    if map.retired and seq <= MOST_EVENTS:  # a design may be of turns that have left the map
        map = whole_map(session.id, session.recording.events(1, seq))
    return {**asdict(report_of(hold(design, map, upto=seq))), "seq": seq}


def _text(said: dict[str, Any], key: str, most: int) -> str:
    text = said.get(key)
    if not isinstance(text, str) or not text.strip():
        raise BadInput(key, "a text", "none")
    if len(text) > most:
        raise BadInput(key, f"at most {most:,} characters", f"{len(text):,}")
    return text
