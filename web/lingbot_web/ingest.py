"""``POST /ingest``: a batch from a probe, checked, handed to the pipeline and answered with what is safe now."""

from __future__ import annotations

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from lingbot_map.errors import BadInput
from lingbot_map.pipeline import Accepted, Batch, Pipeline, Refused
from lingbot_probes import codec
from lingbot_web.api import expect_json

MAX_DEPTH = 64
"""Levels of nesting in one event: orjson reads 1,024 but writes only 254, so what is deeper could never be stored."""
MAX_SOURCE = 64


def read_batch(body: bytes) -> Batch:
    """The batch that ``body`` holds. An event that can't be read is refused alone; ``BadInput`` if nothing can be."""
    try:
        said: Any = orjson.loads(body)
    except orjson.JSONDecodeError as why:
        raise BadInput("batch", "JSON", f"{why.msg} at byte {why.pos}") from None
    if type(said) is not dict:
        raise BadInput("batch", "an object", type(said).__name__)
    version = said.get("v")
    if version != codec.VERSION or type(version) is not int:
        raise BadInput("batch.v", str(codec.VERSION), "another version", "upgrade the older of probe and map")
    source = _text(said, "source", MAX_SOURCE)
    if not source:
        raise BadInput("batch.source", "the probe's id", "nothing")
    batch = Batch(source, _text(said, "probe", 256), {}, _numbered(said.get("numbered", {})), [])
    events = said.get("events", [])
    if type(events) is not list:
        raise BadInput("batch.events", "a list", type(events).__name__)
    for item in events:
        try:
            if too_deep(item):
                raise codec.SignalError("event", f"at most {MAX_DEPTH} levels", "more")
            numbered = codec.numbered_from_dict(item)
        except codec.SignalError as why:
            _refuse(batch, item, str(why))
        else:
            batch.items.setdefault(numbered.session, []).append(numbered)
    return batch


def _refuse(batch: Batch, item: Any, why: str) -> None:
    """Where session and number can be read it is acknowledged as refused, and its place is kept by a raw statement."""
    session, n = (item.get("session"), item.get("n")) if type(item) is dict else (None, None)
    if type(session) is not str or not 0 < len(session) <= codec.MAX_SESSION_ID:
        session = ""
    if session and type(n) is int and 0 < n <= codec.MAX_NUMBER:
        batch.refused.append(Refused(session, n, why))
    else:
        batch.refused.append(Refused("", 0, why))


def _text(said: dict[str, Any], field: str, limit: int) -> str:
    value = said.get(field, "")
    if type(value) is not str or len(value) > limit:
        raise BadInput(f"batch.{field}", f"text of at most {limit} characters", "something else")
    return value


def _numbered(said: Any) -> dict[str, int]:
    if type(said) is not dict or not all(
        0 < len(session) <= codec.MAX_SESSION_ID and type(n) is int and 0 <= n <= codec.MAX_NUMBER
        for session, n in said.items()
    ):
        raise BadInput("batch.numbered", "the highest number of each session", "something else")
    return said


def too_deep(value: Any, limit: int = MAX_DEPTH) -> bool:
    """Whether ``value`` is nested deeper than ``limit``; walks level by level, so no depth can exhaust the stack."""
    level = [value]
    for _ in range(limit):
        level = [
            child
            for item in level
            if type(item) in (dict, list)
            for child in (item.values() if type(item) is dict else item)
            if type(child) in (dict, list)
        ]
        if not level:
            return False
    return True


def answer(pipeline: Pipeline, accepted: Accepted) -> bytes:
    """The body of the answer: what needs not be sent again, and what was refused for good with the reason."""
    return orjson.dumps(
        {
            "v": codec.VERSION,
            "server": pipeline.server,
            "acked": accepted.acked,
            "refused": [{"session": r.session, "n": r.n, "why": r.why} for r in accepted.refused],
        }
    )


def ingest(pipeline: Pipeline) -> Any:
    """The endpoint."""

    async def post(request: Request) -> Response:
        expect_json(request)
        if pipeline.status == "recovering":
            return Response(
                b'{"error":"The map is reading its recordings; send that again in a moment."}',
                503,
                headers={"retry-after": "1"},
                media_type="application/json",
            )
        accepted = await pipeline.ingest(read_batch(await request.body()))
        return Response(answer(pipeline, accepted), media_type="application/json")

    return post
