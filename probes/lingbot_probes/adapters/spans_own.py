"""Spans that the map wrote itself: each carries the signal that it stands for, so nothing has to be concluded."""

from __future__ import annotations

from lingbot_probes.adapters.inner_json import read_json
from lingbot_probes.adapters.spans_read import Span
from lingbot_probes.codec import SignalError, signal_from_dict
from lingbot_probes.signals import Raw, Signal

SIGNAL, SEQ, TURN = "lingbot.signal", "lingbot.seq", "lingbot.turn"
"""Attributes: the signal as JSON, the number of its event in the session, and that of its turn."""


def told_by(spans: list[Span]) -> list[tuple[Span, Signal]] | None:
    """The signals that the spans of a trace carry, in order of their events; ``None`` if they carry none.

    A span beside them that carries none (a gap, or one that was added by hand) says nothing. A signal that can't be
    read, or is none that a bot gives, stays as it came: a ``Raw`` of the span's name.
    """
    mine = [span for span in spans if SIGNAL in span.attributes]
    return [(span, _signal(span)) for span in sorted(mine, key=_seq)] if mine else None


def _signal(span: Span) -> Signal:
    value = read_json(span.attributes[SIGNAL])
    try:
        signal = signal_from_dict(value, SIGNAL)
        if isinstance(signal, Signal):
            return signal
    except SignalError:
        pass
    return Raw(name=span.name or SIGNAL, data=value)


def _seq(span: Span) -> int:
    seq = span.attributes.get(SEQ)
    return seq if type(seq) is int else 0
