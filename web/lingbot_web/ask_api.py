"""The page's questions: ``POST /api/ask`` answers as a stream of JSON lines; beside it what can be asked, where a cited
item stands, questions to begin with, and what was of use.

The lines are, in order: ``{"opening": name}`` where a base has to be read first, ``{"bound": how the question was
understood}``, ``{"step": ...}`` as each of them ends, ``{"evidence": [...]}``, ``{"answer": ...}`` and ``{"topics":
[...]}``. Where it fails, ``{"error", "place", "remedy"}`` is the last one.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
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
from lingbot_web.ask_bases import DROPPED, MAX_DIAGRAM, SESSION, Bases
from lingbot_web.ask_log import folder_of, note, unanswered
from lingbot_web.ask_request import Asked, Before
from lingbot_web.ask_workers import Workers
from lingbot_web.messages import is_key
from lingbot_web.security import one_line

if TYPE_CHECKING:
    from lingbot_map.ask import Answer, Ask, Base
    from lingbot_map.ask.bases.session import SessionBase
    from lingbot_map.ask.llm import Llm

AT_ONCE = 8
"""So many may be asked at the same time; two of them are worked on."""
_READY = 3  # maps made ready for questions that are kept: a reader asks one session several times

Tell = Callable[[dict[str, Any]], None]
T = TypeVar("T")

_log = logging.getLogger("lingbot_web")


def available() -> bool:
    """Whether all that the extra ``ask`` adds is installed."""
    from lingbot_map.ask.telling import missing

    return not missing()


class Asking:
    """The endpoints over one pipeline and what else can be asked."""

    def __init__(self, pipeline: Pipeline, bases: Bases | None = None) -> None:
        self._pipeline = pipeline
        self._bases = bases or Bases()
        self._ready: OrderedDict[tuple[str, str, int], SessionBase] = OrderedDict()
        self._asked = 0
        self._workers = Workers(2)
        # Threads of their own: a language model takes seconds, in which others look at maps.
        self._wording = ThreadPoolExecutor(AT_ONCE, "ask-llm") if self._bases.llm is not None else None

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
        """``{base, "question": text, "bound"?: {place: id}, "before"?: [question, ...], "only"?: "bound"}``.

        base is ``"session": KEY`` with ``"at"?: seq`` (the map as it was after that event), ``"base": ID``, or
        ``"base": "dropped", "diagram": {"name", "text"}``. ``bound`` puts right what words stand for, by the place of
        their first character; ``before`` are earlier questions that "it" may go back to, oldest first. ``"only":
        "bound"`` ends after that line: how a question that is still typed would be understood.
        """
        said = await json_object(request)
        asked = requests.base_in(said, "question", "bound", "before", "only")
        question, before, bound = requests.question_in(said), requests.before_in(said), requests.bound_in(said)
        only = said.get("only")
        if only not in (None, "bound"):
            raise BadInput("only", '"bound", or nothing', "something else")
        if self._asked >= AT_ONCE:
            raise HTTPException(503, "Too many questions are being answered; try again in a moment.")
        live = await self._live(asked)

        def work(base: Base, tell: Tell) -> Callable[[], None] | None:
            root, llm = self._bases.root(asked.base), self._bases.llm
            return _answer(base, question, bound, before, tell, only=only is not None, root=root, llm=llm)

        lines = self._lines(asked, live, question, work)
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
        self, asked: Asked, live: Live | None, question: str, work: Callable[[Base, Tell], Callable[[], None] | None]
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
                    await loop.run_in_executor(self._wording, rest)
            except (LingbotMapError, OSError) as why:
                failed(why)
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

    async def _with(self, asked: Asked, work: Callable[[Base], T], live: Live | None = None) -> T:
        """What ``work`` makes of the base, in a thread, two at a time."""
        if asked.base == SESSION:
            held = live or await self._live(asked)
            assert held is not None
            seq = held.tail.last if asked.at is None else asked.at
            return await self._pipeline.past(held, lambda session: work(self._session(session, seq)))
        if asked.base != DROPPED:
            self._bases.ready(asked.base)
        return await self._workers.do(lambda: work(self._opened(asked)))

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


def _answer(
    base: Base,
    question: str,
    bound: dict[int, str],
    before: Before,
    tell: Tell,
    *,
    only: bool,
    root: Path | None,
    llm: Llm | None,
) -> Callable[[], None] | None:
    """Reads the question, tells how, and unless ``only`` that is wanted answers it. Where a language model is to word
    the answer, what comes back does that and tells it."""
    from lingbot_map.ask import Ask
    from lingbot_map.ask.engine import LIMIT
    from lingbot_web.ask_reading import bound_as_json, read_as

    asking = Ask(base)
    for earlier, put_right in before:
        asking.ask(earlier, read=read_as(base, earlier.strip(), asking.dialog, put_right))
    read = read_as(base, question.strip(), asking.dialog, bound)
    tell({"bound": bound_as_json(base, read)})
    if only:
        return None
    end = time.monotonic() + LIMIT
    found = asking.ask(question, read=read, told=lambda step: tell({"step": asdict(step)}))

    def tell_answer(answer: Answer) -> None:
        for line in _told(base, answer, root):
            tell(line)
        tell({"topics": _topics(asking)})

    def word(llm: Llm) -> None:
        worded, step = llm.worded(found, base, end - time.monotonic())
        tell({"step": asdict(step)})
        tell_answer(replace(worded, steps=(*found.steps, step)))

    if llm is not None:
        return partial(word, llm)
    tell_answer(found)
    return None


def _told(base: Base, answer: Answer, root: Path | None) -> list[dict[str, Any]]:
    """The evidence and the answer. ``extracted``: it is a list of what fits, quoted and not worked out; ``worded``: in
    a language model's words; ``labels`` are the titles of what is cited; ``query`` is a graph's plan."""
    from lingbot_map.ask.llm import STEP
    from lingbot_map.ask.telling import as_json
    from lingbot_web.ask_sources import named

    said = as_json(answer)
    evidence = said.pop("evidence")
    for each in evidence:
        each["path"] = named(each["path"], root)
    del said["steps"], said["question"]
    computed = any(step.name == "compute" and step.status == "ok" for step in answer.steps)
    worded = any(step.name == STEP and step.status == "ok" for step in answer.steps)
    said["extracted"] = not (answer.abstained or computed or worded)
    said["worded"] = worded
    cited = dict.fromkeys([*answer.cites, *(id for chain in answer.chains for id in chain.items)])
    items = [base.item(id) for id in cited]
    said["labels"] = {item.id: {"title": item.title or item.id, "kind": item.kind} for item in items if item}
    query = getattr(base, "query", None)
    if query is not None and (plan := query(answer.question)) is not None:
        said["query"] = {"text": plan.text, "parameters": dict(plan.parameters)}
    return [{"evidence": evidence}, {"answer": said}]


def _topics(asking: Ask) -> list[dict[str, Any]]:
    """The topics that one can go back to, the present one first: each by its question and the names in it."""
    found = []
    for topic in asking.dialog.topics:
        ids = [*(mention.id for mention in topic.question.mentions), *(row.id for row in topic.answered)]
        items = [asking.base.item(id) for id in dict.fromkeys(ids)]
        names = dict.fromkeys(item.title or item.id for item in items if item)
        found.append({"question": topic.question.text, "names": list(names)[:3]})
    return found


def _entry(asked: Asked, said: dict[str, Any]) -> dict[str, Any]:
    about = {} if asked.base == SESSION else {"base": asked.base}
    return {"at": round(time.time(), 3), **about, **said}


def _line(value: dict[str, Any]) -> bytes:
    return orjson.dumps(value, default=str) + b"\n"
