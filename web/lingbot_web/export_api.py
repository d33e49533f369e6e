"""``GET /api/sessions/KEY/export``: a session of the running map as a file to keep."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from lingbot_map import codec
from lingbot_map.errors import BadInput
from lingbot_map.pipeline import Live, Pipeline
from lingbot_map.session import Session
from lingbot_map.whole import MOST_EVENTS, whole_map
from lingbot_web.api import session_key
from lingbot_web.export import FORMATS, Wish, check, jsonl, turns_of, written
from lingbot_web.export_html import Recorded, html

MAX_PLACE = 4096
"""Characters of a link's fragment; the page writes some hundred."""


def export_route(pipeline: Pipeline) -> Route:
    """``?to=html&place=FRAGMENT&events=0|1`` (the page, opening at ``place``), ``?to=jsonl`` (the recording), or
    another of the command line's formats, with ``at=SEQ``, ``lang=zh|en`` and, for diagrams, ``turns=A-B``."""

    async def export(request: Request) -> Response:
        query = request.query_params
        to, place, events = query.get("to", "jsonl"), query.get("place", ""), query.get("events", "1")
        if to not in FORMATS:
            raise BadInput("to", " or ".join(FORMATS), "something else")
        if events not in ("0", "1"):
            raise BadInput("events", "0 or 1", "something else")
        if len(place) > MAX_PLACE:
            raise BadInput("place", f"at most {MAX_PLACE:,} characters", f"{len(place):,}")
        live = await pipeline.open(session_key(request))
        if to == "jsonl":
            lines = await pipeline.past(live, _lines)
            return StreamingResponse(lines, media_type="application/x-ndjson", headers=_kept("jsonl"))
        if to != "html":
            wish = _wish(to, query)
            return Response(await pipeline.past(live, _written(wish)), media_type=_TYPES[to], headers=_kept(_ENDS[to]))
        body = await pipeline.past(live, _page(live, place, events == "1"))
        return Response(body, media_type="text/html; charset=utf-8", headers=_kept("html"))

    return Route("/api/sessions/{key}/export", export)


_ENDS = {"csv": "csv", "slots": "csv", "mermaid": "mmd", "plantuml": "puml", "otlp": "json", "graph": "json"}
_ENDS["graphml"] = "graphml"
_TYPES = {
    **dict.fromkeys(("csv", "slots"), "text/csv; charset=utf-8"),
    **dict.fromkeys(("mermaid", "plantuml"), "text/plain; charset=utf-8"),
    **dict.fromkeys(("otlp", "graph"), "application/json"),
    "graphml": "application/xml",
}


def _wish(to: str, query: QueryParams) -> Wish:
    at = query.get("at", "")
    if at and not re.fullmatch(r"\d{1,15}", at, re.ASCII):
        raise BadInput("at", "an event's seq", "something else")
    try:
        wish = Wish(
            to=to, at=int(at) if at else None, lang=query.get("lang", ""), turns=turns_of(query.get("turns", ""))
        )
        check(wish)
    except BadInput as why:
        raise _asked(why) from None
    return wish


def _written(wish: Wish) -> Callable[[Session], bytes]:
    def write(session: Session) -> bytes:
        try:
            return written(session.recording, wish)
        except BadInput as why:
            raise _asked(why) from None

    return write


def _asked(why: BadInput) -> BadInput:
    """The same of a parameter of the address, where the command line has an option."""
    return BadInput(why.where.removeprefix("--"), why.expected, "something else", why.remedy)


def _lines(session: Session) -> Iterator[bytes]:
    return jsonl(session.recording)


def _page(live: Live, place: str, events: bool) -> Callable[[Session], bytes]:
    """What makes the page on another thread; map and summary are those of this moment."""
    map = live.session.map
    seq, summary = map.cursor.seq, live.summary()
    keyframe = b"" if map.retired and seq <= MOST_EVENTS else live.keyframe()
    remedy = "leave the raw events out" if events else "take the recording itself (JSONL)"

    def make(session: Session) -> bytes:
        taken = session.recording.events(1, seq) if events else None
        shown = keyframe or codec.keyframe(whole_map(session.id, session.recording.events(1, seq)))
        return html(Recorded(summary, shown, taken, place), remedy=remedy)

    return make


def _kept(suffix: str) -> dict[str, str]:
    # Also who follows the address by hand gets a file to keep, never a page of this origin.
    return {"content-disposition": f'attachment; filename="session.{suffix}"', "cache-control": "no-store"}
