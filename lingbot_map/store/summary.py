"""A session in one line: what lists show and what the index keeps."""

from __future__ import annotations

from typing import get_args

import msgspec

from lingbot_map.errors import UnknownSession, Unreadable
from lingbot_map.events import KIND_NUMBER
from lingbot_map.graph import DialogueMap
from lingbot_map.model import FindingKind

_FINDINGS: tuple[str, ...] = get_args(FindingKind)
_OWN = {KIND_NUMBER[kind] for kind in ("tick", "gap", "epoch_started", "policy_set", "described")}
_LOOK_BACK = 200  # turns in which the last thing said is looked for


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """``events``, ``nodes``, ``edges``, ``turns`` and ``findings`` count all there ever was, also what has retired.

    ``origin`` is "probe", "import:<format>" or "case"; ``damaged`` says why the recording can't be read ("": it can),
    and then all else is what was known of it before; ``missing`` counts signals that were lost and are declared.
    ``masked`` counts values that were masked before they came; ``unmasked``: it was imported without masking.
    ``updated_at`` is when the bot was last heard: neither a name that somebody gives nor what fades in silence counts.
    Times are Unix seconds, ``None`` where they are not known; where the source gave none (``timed`` is false),
    ``updated_at`` is when the session was taken in.
    """

    key: str
    id: str
    title: str
    name: str
    pinned: bool
    live: bool
    origin: str
    started_at: float | None
    updated_at: float
    ended_at: float | None
    turns: int
    events: int
    nodes: int
    edges: int
    findings: dict[str, int]
    coverage: dict[str, str]
    missing: int
    last_utterance: str
    damaged: str = ""
    timed: bool = True
    masked: int = 0
    unmasked: bool = False


def summarize(map: DialogueMap, key: str, *, case: bool = False) -> Summary:
    """What ``map`` comes to. ``case``: a committed recording, which nobody adds to."""
    about, totals = map.about, map.totals
    origin = _text(about.get("origin")) or "probe"
    timed = about.get("timed") is not False
    ended_at = _number(about.get("ended_at"))
    coverage = about.get("coverage")
    return Summary(
        key=key,
        id=map.session,
        title=_text(about.get("title")),
        name=_text(about.get("name")),
        pinned=about.get("pinned") is True,
        live=ended_at is None and not case and not origin.startswith("import"),
        origin="case" if case else origin,
        started_at=_number(about.get("started_at")) if timed else None,
        updated_at=heard_at(map),
        ended_at=ended_at,
        turns=map.turn,
        events=map.cursor.seq,
        nodes=totals.get("nodes", 0),
        edges=totals.get("edges", 0),
        findings={kind: count for kind in _FINDINGS if (count := totals.get(f"finding:{kind}", 0))},
        coverage={layer: _text(how) for layer, how in coverage.items()} if type(coverage) is dict else {},
        missing=sum(lost.missing for lost in map.losses.values()),
        last_utterance=_last_utterance(map),
        timed=timed,
        masked=int(_number(about.get("masked")) or 0),
        unmasked=about.get("unmasked") is True,
    )


def unreadable(key: str, why: Exception, now: float, known: Summary | None = None) -> Summary:
    """The line of a session whose recording can't be read, found ``now``; ``known`` is what was last said of it."""
    reason = str(why)
    if isinstance(why, UnknownSession):
        reason = "its folder holds no event and not the name of its session"
    elif isinstance(why, OSError):
        reason = f"can't be read ({why.strerror or type(why).__name__})"
    if known is not None:
        return msgspec.structs.replace(known, live=False, damaged=reason)
    return Summary(
        key=key,
        id=why.session if isinstance(why, Unreadable) else "",
        title="",
        name="",
        pinned=False,
        live=False,
        origin="probe",
        started_at=None,
        updated_at=now,
        ended_at=None,
        turns=0,
        events=0,
        nodes=0,
        edges=0,
        findings={},
        coverage={},
        missing=0,
        last_utterance="",
        damaged=reason,
    )


def heard_at(map: DialogueMap) -> float:
    """When a source last said something; when the session began, if none did."""
    for kind, at in zip(reversed(map.moment_kind), reversed(map.moment_at), strict=True):
        if kind not in _OWN:
            return at
    return _number(map.about.get("started_at")) or map.at


def _last_utterance(map: DialogueMap) -> str:
    for turn in range(map.turn, max(0, map.turn - _LOOK_BACK), -1):
        node = map.nodes.get(f"utterance:{turn}")
        if node is not None and node.label:
            return node.label[:500]
    return ""


def _text(value: object) -> str:
    return value if type(value) is str else ""


def _number(value: object) -> float | None:
    return value if type(value) is float else float(value) if type(value) is int else None
