"""What spans come to, as a probe would have sent it: within an event's bounds, masked, with what the source lacks said.

A probe cuts and masks before anything leaves the bot. Exporters of spans do neither, so it is done here, before
anything is written.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson

from lingbot_map.importers.coverage import coverage
from lingbot_probes.adapters.scribe import Found
from lingbot_probes.adapters.spans_read import Span
from lingbot_probes.capture import EVENT, ITEMS, TEXT, Room, captured, shrunk, without_lone_surrogates
from lingbot_probes.codec import signal_from_dict, signal_to_dict
from lingbot_probes.mask import Mask
from lingbot_probes.signals import Numbered

_MOST = EVENT - 1_024  # as a probe's event: its ids, number and times take the rest
_FREE = ("data", "params", "meta")
_NESTED = 64  # brackets in an event that is certainly not nested too deep to be written
_LAYERS = ("flow", "state", "knowledge")
_LACKS = {
    "state": ("This source does not record the bot's state.", "该来源没有记录机器人的状态。"),
    "unrouted": (
        "Turns without an intent: no span of theirs names an agent or a node of a graph.",
        "有些轮次没有意图：其中没有 span 写明智能体或图的节点。",
    ),
    "unheard": (
        "Of some turns the words were not captured. OpenTelemetry's instrumentations capture them with "
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true, OpenInference's unless OPENINFERENCE_HIDE_INPUTS or "
        "OPENINFERENCE_HIDE_OUTPUTS is set.",
        "有些轮次没有采集到说的话。OpenTelemetry 的插桩需设置 OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true "
        "才会采集；OpenInference 的插桩默认采集，除非设置了 OPENINFERENCE_HIDE_INPUTS 或 OPENINFERENCE_HIDE_OUTPUTS。",
    ),
    "unnamed": (
        "No span names its session, so each trace is one of its own. Set session.id or gen_ai.conversation.id.",
        "没有 span 写明会话，所以每条追踪各成一个会话。请设置 session.id 或 gen_ai.conversation.id。",
    ),
    "rootless": (
        "Of some turns the outermost span has not come; they are told as far as they are there.",
        "有些轮次最外层的 span 没有到达；只按现有部分呈现。",
    ),
}
"""What a session that is told by spans may lack: (en, zh)."""


def kept(item: Numbered, mask: Mask | None) -> Numbered:
    """The signal within the bounds and, with a ``mask``, masked; its session is left as it is."""
    said = signal_to_dict(item.signal)
    small = bounded(said)
    if mask is None:
        return item if small is said else replace(item, signal=signal_from_dict(small))
    event: dict[str, Any] = {"signal": small, "turn": item.turn}
    mask.event(event)
    turn, count = event.get("turn", ""), event.get("masked", 0)
    if not count and small is said and turn == item.turn:
        return item
    return replace(item, signal=signal_from_dict(event["signal"]), turn=turn, masked=count)


def bounded(said: dict[str, Any]) -> dict[str, Any]:
    """A signal as a mapping, cut where it is too large for an event or can't be written; else the same."""
    try:
        data = orjson.dumps(said)
    except TypeError:  # a number of more than 64 bits, half a character, nested too deep: all free text can hold
        return _cut(said)
    if len(data) <= _MOST and data.count(b"{") + data.count(b"[") <= _NESTED:
        return said
    return _cut(said)


def _cut(said: dict[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = without_lone_surrogates(said | {name: _free(said[name]) for name in _FREE if name in said})
    docs = out.get("docs")
    if docs is not None and len(docs) > ITEMS:
        out["docs"] = docs[:ITEMS]
        if out["kind"] == "retrieved":
            out["params"] = {**out.get("params", {}), "left_out": len(docs) - ITEMS}
    for limit in (TEXT, 1_024, 256, 64):
        cut: dict[str, Any] = shrunk(out, limit)
        if len(orjson.dumps(cut)) <= _MOST:
            return cut
    return {"kind": "raw", "name": said["kind"], "data": "[too large]"}


def _free(value: Any) -> Any:
    return captured(value, Room(_MOST // 2))


def journaled(span: Span, mask: Mask | None) -> dict[str, Any] | None:
    """The span as it stands in the ledger while it waits, its texts masked; ``None`` if JSON can't hold it.

    Attributes keep their names and numbers, which say what a span is; the texts in them are a person's.
    """
    attributes = span.attributes
    try:
        if mask is not None:
            attributes = {name: _shown(mask, name, value) for name, value in attributes.items()}
        said = {"span": [getattr(span, name) for name in _FIELDS], "attributes": attributes}
        orjson.dumps(said)
    except (TypeError, RecursionError):
        return None
    return said


_FIELDS = ("trace", "id", "parent", "name", "kind", "session", "start", "ended", "failed", "error", "entry")


def _shown(mask: Mask, name: str, value: Any) -> Any:
    known_by = name if type(value) is str else ""  # "token_count" of a number names no token
    return mask.free(known_by, value)


def from_journal(said: dict[str, Any]) -> Span:
    """The reverse of ``journaled``. Raises ``TypeError``, ``KeyError`` or ``ValueError`` for what it never wrote."""
    return Span(attributes=said["attributes"], **dict(zip(_FIELDS, said["span"], strict=True)))


def coverage_of(found: Found, before: object) -> dict[str, str]:
    """``full``, ``partial`` or ``none`` for each layer of a session told by spans.

    ``before`` is what was said of it before the map restarted. A turn that retrieves nothing is an ordinary one, so of
    knowledge it is never said that it is not recorded.
    """
    now = coverage("otlp", found)
    if now["knowledge"] == "none":
        now["knowledge"] = "partial"
    if type(before) is not dict:
        return now
    return {layer: _both(layer, now[layer], before.get(layer)) for layer in _LAYERS}


def _both(layer: str, now: str, before: object) -> str:
    if before not in ("full", "partial", "none") or before == now:
        return now
    if layer == "flow":
        return "partial"
    return "full" if "full" in (now, before) else "partial"


def lacks(found: Found, session: str, before: object) -> list[dict[str, Any]]:
    """What such a session lacks, as ``lost`` says it; once said it stays."""
    said, left = found.said, found.left
    known = {item.get("code") for item in before if type(item) is dict} if type(before) is list else set()
    holds = {
        "state": not said["slot_assigned"],
        "unrouted": said["turn_started"] > found.routed_turns,
        "unheard": left["unheard"] + left["unheard_answers"] > 0,
        "unnamed": session.startswith("trace "),
        "rootless": left["rootless"] > 0,
    }
    return [
        {"code": code, "count": 0, "en": en, "zh": zh}
        for code, (en, zh) in _LACKS.items()
        if holds[code] or code in known
    ]
