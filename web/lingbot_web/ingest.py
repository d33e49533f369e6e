"""``POST /ingest``: a batch from a probe, checked, handed to the pipeline and answered with what is safe now."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from lingbot_map.errors import BadInput
from lingbot_map.pipeline import Accepted, Batch, Pipeline, Refused
from lingbot_probes import codec
from lingbot_probes.signals import SIGNALS, Numbered
from lingbot_web.api import expect_json

MAX_DEPTH = 64
"""Levels of nesting in one event: orjson reads 1,024 but writes only 254, so what is deeper could never be stored."""
MAX_SOURCE = 64
DELIVERY_S = 10
"""So long waits a probe in the map's own process for its batch to be taken."""
_KEY_NAME = re.compile(r"[0-9a-f]{0,16}")


def delivered(pipeline: Pipeline, loop: asyncio.AbstractEventLoop, batch: dict[str, Any]) -> dict[str, Any]:
    """A batch as ``POST /ingest`` takes it, and its answer, without HTTP; called in another thread than ``loop``'s.

    Raises ``TimeoutError`` if the pipeline, which runs in ``loop``, has not taken it within ``DELIVERY_S``.
    """
    read = read_batch(orjson.dumps(batch))
    accepted = asyncio.run_coroutine_threadsafe(pipeline.ingest(read), loop).result(timeout=DELIVERY_S)
    said: dict[str, Any] = orjson.loads(answer(pipeline, accepted, read))
    return said


def read_batch(body: bytes) -> Batch:
    """The batch that ``body`` holds. An event that can't be read is refused alone; ``BadInput`` if nothing can be."""
    said, strict = _parsed(body)
    if type(said) is not dict:
        raise BadInput("batch", "an object", type(said).__name__)
    version = said.get("v")
    if version != codec.VERSION or type(version) is not int:
        raise BadInput("batch.v", str(codec.VERSION), "another version", "upgrade the older of probe and map")
    source = _text(said, "source", MAX_SOURCE)
    if not source:
        raise BadInput("batch.source", "the probe's id", "nothing")
    batch = Batch(source, _text(said, "probe", 256), {}, {}, [], _key_name(said), said.get("mask_key") is True)
    events = said.get("events", [])
    if type(events) is not list:
        raise BadInput("batch.events", "a list", type(events).__name__)
    for i, item in enumerate(events):
        try:
            numbered = _read_event(item, strict)
        except codec.SignalError as why:
            batch.refused.append(_refused(item, str(why), i))
        else:
            batch.items.setdefault(numbered.session, []).append(numbered)
    _read_numbered(batch, said.get("numbered", {}))
    return batch


def _parsed(body: bytes) -> tuple[Any, bool]:
    """(the value, whether it is strict JSON in UTF-8).

    One event with a lone surrogate, a NaN or a byte that is not UTF-8 would spoil all others: then it is read as far as
    Python's more lenient reader can, and what can't be stored is looked for in each event.
    """
    try:
        return orjson.loads(body), True
    except orjson.JSONDecodeError as why:
        wrong = BadInput("batch", "JSON", f"{why.msg} at byte {why.pos}")
    try:
        return json.loads(body.decode("utf-8", "surrogateescape"), parse_constant=_NoNumber), False
    except (ValueError, RecursionError):
        raise wrong from None


class _NoNumber:
    """Stands for NaN and the infinities, which JSON doesn't have."""

    def __init__(self, name: str) -> None:
        pass


def _read_event(item: Any, strict: bool) -> Numbered:
    if too_deep(item):
        raise codec.SignalError("event", f"at most {MAX_DEPTH} levels", "more")
    if not (strict or storable(item)):
        raise codec.SignalError("event", "text in UTF-8 and finite numbers of at most 64 bits", "something else")
    numbered = codec.numbered_from_dict(item)
    if type(numbered.signal) not in SIGNALS:
        raise codec.SignalError("event.signal.kind", "what a bot can say", "a statement of the map's own")
    return numbered


def _refused(item: Any, why: str, place: int) -> Refused:
    """Named as it was sent; where session and number are valid, its place is kept by a raw statement."""
    session, n = (item.get("session"), item.get("n")) if type(item) is dict else (None, None)
    if type(session) is not str or not storable(session):
        session = ""
    if type(n) is not int or not 0 < n <= codec.MAX_NUMBER:
        n = 0
    kept = 0 < len(session) <= codec.MAX_SESSION_ID and n > 0
    return Refused(session, n, why if session and n else f"events[{place}]: {why}", kept)


def storable(value: Any) -> bool:
    """Whether JSON in UTF-8 can hold ``value``, which must not be nested too deep."""
    try:
        orjson.dumps(value)
    except TypeError:  # orjson's error for all that it can't write is one
        return False
    return True


def _text(said: dict[str, Any], field: str, limit: int) -> str:
    value = said.get(field, "")
    if type(value) is not str or len(value) > limit or not storable(value):
        raise BadInput(f"batch.{field}", f"text of at most {limit} characters", "something else")
    return value


def _read_numbered(batch: Batch, said: Any) -> None:
    """The highest number of each session. One that can't be is refused, unless an event of that id was."""
    if type(said) is not dict:
        raise BadInput("batch.numbered", "the highest number of each session", type(said).__name__)
    named = {refused.session for refused in batch.refused}
    for session, n in said.items():
        good = storable(session) and 0 < len(session) <= codec.MAX_SESSION_ID
        if good and type(n) is int and 0 <= n <= codec.MAX_NUMBER:
            batch.numbered[session] = n
        elif good or session not in named:
            why = f"numbered: expected a session's id and a number from 0 to {codec.MAX_NUMBER}"
            batch.refused.append(Refused(session if storable(session) else "", 0, why, kept=False))


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


def _key_name(said: dict[str, Any]) -> str:
    name = said.get("masked_with", "")
    if type(name) is not str or not _KEY_NAME.fullmatch(name):
        raise BadInput("batch.masked_with", "the name of a key, at most 16 hexadecimal digits", "something else")
    return name


def answer(pipeline: Pipeline, accepted: Accepted, batch: Batch) -> bytes:
    """The body of the answer: what needs not be sent again, and what was refused for good with the reason.

    A probe that asks for it gets the key of the pseudonyms: whoever may tell the map what was said may have it.
    """
    said: dict[str, Any] = {
        "v": codec.VERSION,
        "server": pipeline.server,
        "acked": accepted.acked,
        "refused": [{"session": r.session, "n": r.n, "why": r.why} for r in accepted.refused],
    }
    if batch.wants_key:
        said["mask_key"] = pipeline.store.mask_key()
    return orjson.dumps(said)


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
        batch = read_batch(await request.body())
        accepted = await pipeline.ingest(batch)
        return Response(answer(pipeline, accepted, batch), media_type="application/json")

    return post
