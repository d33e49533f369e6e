"""What tells where a span belongs: its trace, its session, whether it is a root, its time; all else is passed over."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, Raw, UnsetType

from lingbot_map.importers.records import parse
from lingbot_probes.adapters.spans_read import KINDS, read_id, read_span, read_time

Head = tuple[str, str, bool, float | None, bool]
"""(trace, the session that the span names itself, whether it is a root, its start, whether it is of a convention and no
plumbing)."""


class _Context(msgspec.Struct):
    trace_id: str = ""
    span_id: str = ""


class _Value(msgspec.Struct):
    stringValue: str | None = None


class _Pair(msgspec.Struct):
    key: str = ""
    value: _Value = msgspec.field(default_factory=_Value)


class _Named(msgspec.Struct):
    """Flat attributes."""

    session: str = msgspec.field(name="session.id", default="")
    conversation: str = msgspec.field(name="gen_ai.conversation.id", default="")
    kind: str = msgspec.field(name="openinference.span.kind", default="")
    operation: str = msgspec.field(name="gen_ai.operation.name", default="")
    other_session: Raw | UnsetType = msgspec.field(name="traceloop.association.properties.session_id", default=UNSET)
    other_kind: Raw | UnsetType = msgspec.field(name="traceloop.span.kind", default=UNSET)
    model: Raw | UnsetType = msgspec.field(name="gen_ai.request.model", default=UNSET)
    system: Raw | UnsetType = msgspec.field(name="gen_ai.system", default=UNSET)
    provider: Raw | UnsetType = msgspec.field(name="gen_ai.provider.name", default=UNSET)
    nested: Raw | UnsetType = msgspec.field(name="session", default=UNSET)
    nested_kind: Raw | UnsetType = msgspec.field(name="openinference", default=UNSET)
    nested_genai: Raw | UnsetType = msgspec.field(name="gen_ai", default=UNSET)


class _Span(msgspec.Struct):
    """The plain spellings; any other is read whole."""

    attributes: _Named | list[_Pair]
    context: _Context | None = None
    trace_id: str = ""
    span_id: str = ""
    traceId: str = ""
    spanId: str = ""
    parent_id: str | None = None
    parentSpanId: str | None = None
    span_kind: str | None = None
    start_time: str | float | None = None
    startTimeUnixNano: str | int | None = None


_span = msgspec.json.Decoder(_Span)


def head_of(raw: bytes) -> Head:
    """The head of one span. Raises ``BadRecord`` or ``SignalError`` for what is none."""
    try:
        span = _span.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return _whole(raw)
    context = span.context
    trace = context.trace_id if context is not None else span.traceId or span.trace_id
    own = context.span_id if context is not None else span.spanId or span.span_id
    if not trace or not own:
        return _whole(raw)
    attributes = span.attributes
    if type(attributes) is list:
        session = kind = ""
        for pair in attributes:
            key = pair.key
            if key == "gen_ai.conversation.id" or key == "session.id":
                if pair.value.stringValue is None:
                    return _whole(raw)
                session = pair.value.stringValue if key == "session.id" or not session else session
            elif key[:7] == "gen_ai.":
                kind = "gen_ai"
            elif key == "openinference.span.kind":
                kind = kind or ((pair.value.stringValue or "").upper() in KINDS and key) or ""
            elif key[:10] == "traceloop.":
                return _whole(raw)
    else:
        named: _Named = attributes  # type: ignore[assignment]
        if not (named.nested is named.nested_kind is named.nested_genai is UNSET):
            return _whole(raw)
        if not (named.other_session is named.other_kind is UNSET):
            return _whole(raw)
        session = named.session or named.conversation
        kind = span.span_kind or ""
        if not kind or kind not in KINDS:
            kind = kind if kind.upper() in KINDS else named.operation or named.kind
            if not kind and not (named.model is named.system is named.provider is UNSET):
                kind = "gen_ai"
    parent = span.parentSpanId or span.parent_id
    start = span.startTimeUnixNano or span.start_time
    return read_id(trace), session, not parent, read_time(start), bool(kind)


def _whole(raw: bytes) -> Head:
    span = read_span(parse(raw))
    return span.trace, span.session, not span.parent, span.start, bool(span.kind)
