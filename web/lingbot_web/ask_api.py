"""The page's questions: ``POST /api/ask`` answers as a stream of JSON lines; beside it what can be asked, where a cited
item stands, questions to begin with, and what was of use.

The lines are, in order: ``{"opening": name}`` where a base has to be read first, ``{"bound": how the question was
understood}``, ``{"step": ...}`` as each of them ends, ``{"evidence": [...]}``, ``{"answer": ...}`` and ``{"topics":
[...]}``. Where questions are recorded ``{"recorded": {"session", "turn"}}`` follows, once the turn is on the map. Where
it fails, ``{"error", "place", "remedy"}`` is the last one.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from lingbot_map.errors import BadInput, LingbotMapError, UnknownMoment
from lingbot_map.pipeline import Live, Pipeline
from lingbot_map.session import Session
from lingbot_web import ask_request as requests
from lingbot_web.api import json_object, reply
from lingbot_web.ask_answering import Tell, answered
from lingbot_web.ask_bases import DROPPED, MAX_DIAGRAM, SESSION, Bases
from lingbot_web.ask_log import folder_of, note, unanswered
from lingbot_web.ask_request import Asked
from lingbot_web.ask_workers import Workers
from lingbot_web.messages import is_key
from lingbot_web.security import one_line

if TYPE_CHECKING:
    from lingbot_map.ask import Ask, Base
    from lingbot_map.ask.bases.session import SessionBase
    from lingbot_web.ask_sessions import Turn

AT_ONCE = 8
"""So many may be asked at the same time; two of them are worked on."""
_READY = 3  # maps made ready for questions that are kept: a reader asks one session several times

T = TypeVar("T")

_log = logging.getLogger("lingbot_web")


def available() -> bool:
    """Whether all that the extra ``ask`` adds is installed."""
    from lingbot_map.ask.telling import missing

    return not missing()


class Asking:
    """The endpoints over one pipeline and what else can be asked."""

    def __init__(self, pipeline: Pipeline, bases: Bases | None = None, ending: asyncio.Event | None = None) -> None:
        """``ending`` is set when the server is to end: what is still worked on is given up then."""
        self._pipeline = pipeline
        self._bases = bases or Bases()
        self._ending = ending or asyncio.Event()
        self._ready: OrderedDict[tuple[str, str, int], SessionBase] = OrderedDict()
        self._asked = 0
        self._workers = Workers(2)
        # Threads of their own: a language model takes seconds, in which others look at maps.
        self._wording = Workers(AT_ONCE)

    def routes(self) -> list[Route]:
        """The paths; none without the extra."""
        if not available():
            return []
        return [
            Route("/api/ask", self.ask, methods=["POST"]),
            Route("/api/ask/bases", self.bases),
            Route("/api/ask/examples", self.examples, methods=["POST"]),
            Route("/api/ask/item", self.item, methods=["POST"]),
            Route("/api/ask/log", self.log),
            Route("/api/ask/use", self.use, methods=["POST"]),
        ]

    async def bases(self, request: Request) -> Response:
        """What can be asked beside the session that is shown, and how large a dropped diagram may be."""
        return reply({"bases": self._bases.told(), "largest": MAX_DIAGRAM})

    async def use(self, request: Request) -> Response:
        """``{base, "question": text, "useful": bool}``: noted in the log; ``{"kept": bool}``."""
        said = await json_object(request)
        asked = requests.base_in(said, "question", "useful")
        if type(said.get("useful")) is not bool:
            raise BadInput("useful", "true or false", "something else")
        entry = {"question": requests.question_in(said), "useful": said["useful"]}
        folder = await self._log_of(asked)
        return reply({"kept": await asyncio.to_thread(note, folder, _entry(asked, entry))})

    async def log(self, request: Request) -> Response:
        """``?base=ID&session=KEY``: questions that found no answer, the latest first, and whether any are kept."""
        query = request.query_params
        base = query.get("base", SESSION)
        if base == SESSION and not is_key(query.get("session", "")):
            raise HTTPException(404, "There is no such session; a key has 32 hex digits.")
        asked = Asked(base, query.get("session", ""))
        folder = await self._log_of(asked)
        entries = await asyncio.to_thread(unanswered, folder, "" if base == SESSION else base)
        return reply({"entries": entries, "kept": folder is not None})

    async def examples(self, request: Request) -> Response:
        """``{base, "lang"}``: ``{"examples": [question]}``, each of which the base answers."""
        from lingbot_web.ask_reading import examples

        said = await json_object(request)
        asked, lang = requests.base_in(said, "lang"), requests.lang_in(said)
        return reply({"examples": await self._with(asked, lambda base: examples(base, lang))})

    async def item(self, request: Request) -> Response:
        """``{base, "item": id}``: the item with its ``source``; 404 where the base holds none of that id."""
        from lingbot_web.ask_sources import source_of

        said = await json_object(request)
        asked, id = requests.base_in(said, "item"), requests.item_in(said)

        def found(base: Base) -> dict[str, Any] | None:
            item = base.item(id)
            where: Base | None = base
            if asked.base == SESSION and item is not None and item.kind in ("message", "fragment", "note", "lifeline"):
                where = self._bases.design()  # turns are held against it, so an answer may cite it
            root = self._bases.root(asked.base)
            text = asked.diagram[1] if asked.diagram is not None else ""
            return None if item is None or where is None else source_of(where, item, root, text)

        about = await self._with(asked, found)
        if about is None:
            raise HTTPException(404, "There is no such item; what was asked may have changed since.")
        return reply(about)

    async def ask(self, request: Request) -> Response:
        """``{base, "question": text, "bound"?, "before"?: [question, ...], "only"?: "bound", "conversation"?: hex}``.

        base is ``"session": KEY`` with ``"at"?: seq`` (the map as it was after that event), ``"base": ID``, or
        ``"base": "dropped", "diagram": {"name", "text"}``. ``bound`` puts right what words stand for, by the place of
        their first character; ``before`` are earlier questions that "it" may go back to, oldest first. ``"only":
        "bound"`` ends after that line: how a question that is still typed would be understood. Where questions are
        recorded, those of one ``conversation`` are turns of one session.
        """
        said = await json_object(request)
        asked = requests.base_in(said, "question", "bound", "before", "only", "conversation")
        conversation = requests.conversation_in(said)
        question, before, bound = requests.question_in(said), requests.before_in(said), requests.bound_in(said)
        only = said.get("only")
        if only not in (None, "bound"):
            raise BadInput("only", '"bound", or nothing', "something else")
        if self._asked >= AT_ONCE:
            raise HTTPException(503, "Too many questions are being answered; try again in a moment.")
        live = await self._live(asked)
        turns: list[Turn] = []
        sessions = self._bases.sessions
        if sessions is not None:
            sessions.attend(self._pipeline)

        def record(asking: Ask) -> Turn | None:
            if sessions is None:
                return None
            try:
                turns.append(sessions.turn(conversation, asked.names, asking))
            except Exception as fault:  # an answer doesn't fail for its record
                _log.error("fault while recording a question: %s", one_line(fault))
                return None
            return turns[0]

        def work(base: Base, tell: Tell) -> Callable[[], None] | None:
            root, llm = self._bases.root(asked.base), self._bases.llm
            return answered(
                base, question, bound, before, tell, only=only is not None, root=root, llm=llm, record=record
            )

        lines = self._lines(asked, live, question, work, turns)
        return StreamingResponse(lines, media_type="application/x-ndjson", headers={"cache-control": "no-store"})

    async def _live(self, asked: Asked) -> Live | None:
        """The session that is asked; ``None`` for another base, which has to be known."""
        if asked.base == SESSION:
            live = await self._pipeline.open(asked.key)
            if asked.at is not None and asked.at > live.tail.last:
                raise UnknownMoment(asked.at, live.tail.last)
            return live
        if asked.base != DROPPED:
            self._bases.ready(asked.base)
        return None

    async def _lines(
        self,
        asked: Asked,
        live: Live | None,
        question: str,
        work: Callable[[Base, Tell], Callable[[], None] | None],
        turns: list[Turn],
    ) -> AsyncIterator[bytes]:
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        folder = await self._log_of(asked)

        def tell(line: dict[str, Any] | None) -> None:
            with suppress(RuntimeError):  # the map ended meanwhile: nobody listens
                loop.call_soon_threadsafe(queue.put_nowait, None if line is None else _line(line))

        kind = ""

        def heard(line: dict[str, Any]) -> None:
            nonlocal kind
            tell(line)
            kind = line.get("bound", {}).get("kind", kind)
            if line.get("answer", {}).get("abstained"):
                note(folder, _entry(asked, {"question": question, "kind": kind, "unanswerable": True}))

        def whole(base: Base) -> Callable[[], None] | None:
            return work(base, heard)

        def failed(why: BaseException) -> None:
            place, remedy = (why.where, why.remedy) if isinstance(why, BadInput) else ("", "")
            tell({"error": str(why).removesuffix(f"; {remedy}"), "place": place, "remedy": remedy})

        async def run() -> None:
            try:
                if live is None and asked.base != DROPPED and not self._bases.ready(asked.base):
                    tell({"opening": asked.base})
                rest = await self._with(asked, whole, live)
                if rest is not None:
                    await self._unless_ending(self._wording.do(rest))
            except (LingbotMapError, OSError) as why:
                failed(why)
            except HTTPException as why:
                failed(LingbotMapError(why.detail))
            except Exception as fault:  # the head of the answer has gone out: it can only be told in a line
                _log.error("fault while answering: %s", one_line(fault))
                failed(LingbotMapError("The map could not answer that; its log says more."))
            finally:
                tell(None)

        self._asked += 1
        task = asyncio.ensure_future(run())
        try:
            while (line := await queue.get()) is not None:
                yield line
            await task
        finally:
            self._asked -= 1
            task.cancel()
        if turns and self._bases.sessions is not None:
            with suppress(HTTPException):
                if (shown := await self._unless_ending(self._bases.sessions.shown(turns[0]))) is not None:
                    yield _line({"recorded": shown})

    async def _unless_ending(self, work: Awaitable[T]) -> T:
        """What ``work`` gives; 503 when the map is to end meanwhile."""
        task, end = asyncio.ensure_future(work), asyncio.ensure_future(self._ending.wait())
        try:
            await asyncio.wait((task, end), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise HTTPException(503, "The map is ending; ask again when it has been started anew.")
            return task.result()
        finally:
            end.cancel()
            task.cancel()

    async def _with(self, asked: Asked, work: Callable[[Base], T], live: Live | None = None) -> T:
        """What ``work`` makes of the base, in a thread, two at a time."""
        if asked.base == SESSION:
            held = live or await self._live(asked)
            assert held is not None
            seq = held.tail.last if asked.at is None else asked.at
            return await self._unless_ending(
                self._pipeline.past(held, lambda session: work(self._session(session, seq)))
            )
        if asked.base != DROPPED:
            self._bases.ready(asked.base)
        return await self._unless_ending(self._workers.do(lambda: work(self._opened(asked))))

    def _opened(self, asked: Asked) -> Base:
        if asked.diagram is not None:
            return self._bases.dropped(*asked.diagram)
        return self._bases.opened(asked.base)

    def _session(self, session: Session, seq: int) -> SessionBase:
        """The session's map at ``seq``, ready for questions. Called on the threads of two questions at most."""
        from lingbot_map.ask.bases.session import SessionBase

        epoch = session.map.cursor.epoch
        known = self._ready.get((session.key, epoch, seq))
        if known is None:
            known = SessionBase(session.at(seq), designed=self._bases.design())
            self._ready[session.key, epoch, seq] = known
            while len(self._ready) > _READY:
                self._ready.popitem(last=False)
        return known

    async def _log_of(self, asked: Asked) -> Path | None:
        """Where the log of a base lies; of a dropped diagram none is kept."""
        if asked.base == SESSION:
            live = await self._pipeline.open(asked.key)
            return folder_of(live.session.recording)
        if asked.base == DROPPED:
            return None
        self._bases.ready(asked.base)
        folder = getattr(self._pipeline.store, "folder", None)
        return folder if isinstance(folder, Path) else None


def _entry(asked: Asked, said: dict[str, Any]) -> dict[str, Any]:
    about = {} if asked.base == SESSION else {"base": asked.base}
    return {"at": round(time.time(), 3), **about, **said}


def _line(value: dict[str, Any]) -> bytes:
    return orjson.dumps(value, default=str) + b"\n"
