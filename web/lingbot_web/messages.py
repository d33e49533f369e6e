"""What travels over the WebSocket, made and read by pure functions.

The server sends JSON as bytes in binary frames: ``hello``, ``batch`` and ``sessions``. The client sends its place
and nothing else. A message is encoded once, for everybody who stands at the same place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from lingbot_map.errors import BadInput
from lingbot_probes.codec import MAX_NUMBER

PROTOCOL = "lingbot.v1"
MAX_IN = 64 * 1024
"""Bytes that a viewer may send in one message."""
MAX_BATCH = 256 * 1024
"""A batch ends at the first event that takes it past so many bytes."""

Why = Literal["", "epoch", "behind", "unknown", "deleted", "damaged"]

_KEY = re.compile(r"[0-9a-f]{32}")
_NUMBER = re.compile(r"[0-9]{1,16}")


def is_key(text: object) -> bool:
    """Whether ``text`` has the form of a session's key (32 lower-case hex digits)."""
    return isinstance(text, str) and _KEY.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a viewer stands: ``session`` is a key ("": none; None: as before), ``after`` None without a cursor."""

    session: str | None = None
    epoch: str = ""
    after: int | None = None


def place_from_query(query: Mapping[str, str]) -> Place:
    """The place that ``?session=KEY&epoch=E&after=SEQ`` asks for. Raises ``BadInput``."""
    after = query.get("after")
    if after is not None and (not _NUMBER.fullmatch(after) or int(after) > MAX_NUMBER):
        raise BadInput("after", "a seq from 0 on", "something else")
    session = query.get("session", "")
    if session and not is_key(session):
        raise BadInput("session", "the key of a session", "something else")
    return Place(session, query.get("epoch", "")[:64], None if after is None else int(after))


def read_place(data: bytes | str) -> Place:
    """The place that a viewer's message asks for. Raises ``BadInput``, which does not repeat what was sent."""
    if len(data) > MAX_IN:
        raise BadInput("message", f"at most {MAX_IN:,} bytes", "more")
    try:
        said: Any = orjson.loads(data)
    except orjson.JSONDecodeError:
        raise BadInput("message", "JSON", "something else") from None
    if type(said) is not dict:
        raise BadInput("message", "an object", "something else")
    session, epoch, after = said.get("session"), said.get("epoch", ""), said.get("after")
    if session is not None and session != "" and not is_key(session):
        raise BadInput("message.session", "the key of a session", "something else")
    if type(epoch) is not str or len(epoch) > 64:
        raise BadInput("message.epoch", "an epoch", "something else")
    if after is not None and (type(after) is not int or not 0 <= after <= MAX_NUMBER):
        raise BadInput("message.after", "a seq from 0 on", "something else")
    return Place(session, epoch, after)


def hello(
    server: str, session: Mapping[str, Any] | None, epoch: str, seq: int, *, resume: bool, why: Why = ""
) -> bytes:
    """The answer to every place: ``resume`` says that batches follow; otherwise a keyframe has to be fetched first."""
    return orjson.dumps(
        {"t": "hello", "server": server, "session": session, "epoch": epoch, "seq": seq, "resume": resume, "why": why}
    )


def batch(epoch: str, first: int, last: int, pieces: Iterable[bytes], at: float) -> bytes:
    """Events ``first`` to ``last``, sent ``at``; each piece is the encoded deltas of one event, without brackets."""
    return b'{"t":"batch","epoch":%b,"first":%d,"last":%d,"at":%b,"deltas":[%b]}' % (
        orjson.dumps(epoch),
        first,
        last,
        orjson.dumps(round(at, 6)),
        b",".join(piece for piece in pieces if piece),
    )


def sessions(changed: Sequence[Mapping[str, Any]], removed: Sequence[str]) -> bytes:
    """What changed in the list of sessions."""
    return orjson.dumps({"t": "sessions", "changed": changed, "removed": removed})
