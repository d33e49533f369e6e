"""``GET /api/sessions/KEY/export``: a session of the running map as a file to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from lingbot_map import codec
from lingbot_map.errors import BadInput
from lingbot_map.pipeline import Live, Pipeline
from lingbot_map.session import Session
from lingbot_map.whole import MOST_EVENTS, whole_map
from lingbot_web.api import session_key
from lingbot_web.export import jsonl
from lingbot_web.export_html import Recorded, html

MAX_PLACE = 4096
"""Characters of a link's fragment; the page writes some hundred."""


def export_route(pipeline: Pipeline) -> Route:
    """``?to=html&place=FRAGMENT&events=0|1`` (the page, opening at ``place``) or ``?to=jsonl`` (the recording)."""

    async def export(request: Request) -> Response:
        query = request.query_params
        to, place, events = query.get("to", "jsonl"), query.get("place", ""), query.get("events", "1")
        if to not in ("html", "jsonl"):
            raise BadInput("to", "html or jsonl", "something else")
        if events not in ("0", "1"):
            raise BadInput("events", "0 or 1", "something else")
        if len(place) > MAX_PLACE:
            raise BadInput("place", f"at most {MAX_PLACE:,} characters", f"{len(place):,}")
        live = await pipeline.open(session_key(request))
        if to == "jsonl":
            lines = await pipeline.past(live, _lines)
            return StreamingResponse(lines, media_type="application/x-ndjson", headers=_kept("jsonl"))
        body = await pipeline.past(live, _page(live, place, events == "1"))
        return Response(body, media_type="text/html; charset=utf-8", headers=_kept("html"))

    return Route("/api/sessions/{key}/export", export)


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
