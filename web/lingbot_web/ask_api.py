"""``POST /api/ask``: a question to a session of the running map, answered as a stream of JSON lines.

The lines are, in order: ``{"bound": how the question was understood}``, ``{"step": ...}`` as each ends,
The lines are, in order: ``{"bound": how the question was understood}``, ``{"step": ...}`` as each of them ends,
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Any

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from lingbot_map.errors import BadInput, LingbotMapError, UnknownMoment
from lingbot_map.pipeline import Live, Pipeline
from lingbot_map.session import Session
from lingbot_web.api import json_object, reply
from lingbot_web.ask_log import note
from lingbot_web.messages import is_key

if TYPE_CHECKING:
    from lingbot_map.ask import Answer
    from lingbot_map.ask.bases.session import SessionBase

MAX_QUESTION = 2000
"""Characters; no more of a question is read."""
MAX_BEFORE = 5
"""Earlier questions that one may go on from, as many as a dialogue of questions remembers topics."""
AT_ONCE = 8
"""So many may be asked at the same time; two of them are worked on."""
_READY = 3  # maps made ready for questions that are kept: a reader asks one session several times
_FIELDS = {"session", "question", "at", "bound", "before"}


def available() -> bool:
    """Whether all that the extra ``ask`` adds is installed."""
    from lingbot_map.ask.telling import missing

    return not missing()


class Asking:
    """The endpoint over one pipeline."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._ready: OrderedDict[tuple[str, str, int], SessionBase] = OrderedDict()
        self._asked = 0

    def routes(self) -> list[Route]:
        """The two paths; none without the extra."""
        if not available():
            return []
        return [Route("/api/ask", self.ask, methods=["POST"]), Route("/api/ask/use", self.use, methods=["POST"])]

    async def use(self, request: Request) -> Response:
        """``{"session": KEY, "question": text, "useful": bool}``: noted beside the recording; ``{"kept": bool}``."""
        said = await json_object(request)
        if set(said) != {"session", "question", "useful"} or type(said["useful"]) is not bool:
            raise BadInput("body", 'an object with "session", "question" and "useful"', "something else")
        question = _question({"question": said["question"]})
        live = await self._pipeline.open(_key(said))
        entry = {"at": round(time.time(), 3), "question": question, "useful": said["useful"]}
        return reply({"kept": await asyncio.to_thread(note, live.session.recording, entry)})

    async def ask(self, request: Request) -> Response:
        """``{"session": KEY, "question": text, "at"?: seq, "bound"?: {place: id}, "before"?: [question, ...]}``.

        ``at`` asks the map as it was after that event; ``bound`` puts right what words stand for, by the place of their
        first character; ``before`` are earlier questions that "it" and "that turn" may go back to, oldest first.
        """
        said = await json_object(request)
        question, before = _question(said), _before(said)
        bound = _bound(said)
        key, at = _key(said), said.get("at")
        if at is not None and (type(at) is not int or not 0 <= at < 2**53):
            raise BadInput("at", "a number from 0 on", "something else")
        if self._asked >= AT_ONCE:
            raise HTTPException(503, "Too many questions are being answered; try again in a moment.")
        live = await self._pipeline.open(key)
        seq = live.tail.last if at is None else at
        if seq > live.tail.last:
            raise UnknownMoment(seq, live.tail.last)
        lines = self._lines(live, seq, question, bound, before)
        return StreamingResponse(lines, media_type="application/x-ndjson", headers={"cache-control": "no-store"})

    async def _lines(
        self, live: Live, seq: int, question: str, bound: Mapping[int, str], before: list[str]
    ) -> AsyncIterator[bytes]:
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def tell(line: dict[str, Any] | None) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, None if line is None else _line(line))

        def work(session: Session) -> None:
            try:
                self._answer(session, seq, question, bound, before, tell)
            except (LingbotMapError, OSError) as why:
                tell({"error": str(why)})
            finally:
                tell(None)

        self._asked += 1
        task = asyncio.ensure_future(self._pipeline.past(live, work))
        try:
            while (line := await queue.get()) is not None:
                yield line
            await task
        finally:
            self._asked -= 1
            task.cancel()

    def _answer(
        self,
        session: Session,
        seq: int,
        question: str,
        bound: Mapping[int, str],
        before: list[str],
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        from dataclasses import asdict

        from lingbot_map.ask import Ask
        from lingbot_map.ask.telling import question_as_json

        base = self._base(session, seq)
        asking = Ask(base)
        for earlier in before:
            asking.ask(earlier)
        read = base.read_as(question.strip(), asking.dialog, bound)
        tell({"bound": question_as_json(read)})
        answer = asking.ask(question, read=read, told=lambda step: tell({"step": asdict(step)}))
        for line in _told(answer):
            tell(line)
        if answer.abstained:
            entry = {"at": round(time.time(), 3), "question": question, "kind": read.kind, "unanswerable": True}
            note(session.recording, entry)

    def _base(self, session: Session, seq: int) -> SessionBase:
        """The session's map at ``seq``, ready for questions. Called on the threads of two questions at most."""
        from lingbot_map.ask.bases.session import SessionBase

        epoch = session.map.cursor.epoch
        known = self._ready.get((session.key, epoch, seq))
        if known is None:
            known = SessionBase(session.at(seq))
            self._ready[session.key, epoch, seq] = known
            while len(self._ready) > _READY:
                self._ready.popitem(last=False)
        return known


def _told(answer: Answer) -> list[dict[str, Any]]:
    from lingbot_map.ask.telling import as_json

    said = as_json(answer)
    evidence = said.pop("evidence")
    del said["steps"], said["question"]
    return [{"evidence": evidence}, {"answer": said}]


def _line(value: dict[str, Any]) -> bytes:
    return orjson.dumps(value, default=str) + b"\n"


def _key(said: dict[str, Any]) -> str:
    key = said.get("session")
    if type(key) is not str or not is_key(key):
        raise HTTPException(404, "There is no such session; a key has 32 hex digits.")
    return key


def _question(said: dict[str, Any]) -> str:
    question = said.get("question")
    if set(said) - _FIELDS or type(question) is not str or not question.strip():
        raise BadInput("body", 'an object with "session" and "question", which says something', "something else")
    if len(question) > MAX_QUESTION:
        raise BadInput("question", f"at most {MAX_QUESTION:,} characters", f"{len(question):,}")
    return question


def _before(said: dict[str, Any]) -> list[str]:
    before = said.get("before", [])
    if type(before) is not list or len(before) > MAX_BEFORE or not all(type(text) is str for text in before):
        raise BadInput("before", f"a list of at most {MAX_BEFORE} questions", "something else")
    return [text[:MAX_QUESTION] for text in before]


def _bound(said: dict[str, Any]) -> dict[int, str]:
    bound = said.get("bound", {})
    if type(bound) is not dict or not all(
        place.isascii() and place.isdigit() and len(place) < 6 and type(id) is str for place, id in bound.items()
    ):
        raise BadInput("bound", 'an object such as {"4": "slot:brand"}', "something else")
    return {int(place): id for place, id in bound.items()}
