"""Spans that the map wrote itself: each carries the signal that it stands for, so nothing has to be concluded."""

from __future__ import annotations

from lingbot_probes.adapters.spans_read import Span, read_json
from lingbot_probes.codec import SignalError, signal_from_dict
from lingbot_probes.signals import Signal

SIGNAL, SEQ, TURN = "lingbot.signal", "lingbot.seq", "lingbot.turn"
"""Attributes: the signal as JSON, the number of its event in the session, and that of its turn."""


def told_by(spans: list[Span]) -> list[tuple[Span, Signal]] | None:
    """The signals that the spans of a trace carry, in order of their events; ``None`` if they carry none.

    A span beside them that carries none (a gap, or one that was added by hand) says nothing. Raises ``SignalError`` for
    a signal that can't be read.
    """
    if not any(SIGNAL in span.attributes for span in spans):
        return None
    mine = sorted((span for span in spans if SIGNAL in span.attributes), key=_seq)
    told: list[tuple[Span, Signal]] = []
    for span in mine:
        signal = signal_from_dict(read_json(span.attributes[SIGNAL]), SIGNAL)
        if not isinstance(signal, Signal):
            raise SignalError(SIGNAL, "what a bot says", signal.kind)
        told.append((span, signal))
    return told


def _seq(span: Span) -> int:
    seq = span.attributes.get(SEQ)
    return seq if type(seq) is int else 0
