"""Spans of tracing tools: JSON of single spans, as Phoenix exports it ("openinference"), and OTLP requests ("otlp")."""

from __future__ import annotations

from collections.abc import Iterator

from lingbot_map.importers import traces
from lingbot_map.importers.blob import Blob
from lingbot_map.importers.imported import ImportedSession, Reading
from lingbot_map.importers.shape import Shape
from lingbot_map.importers.spans_heads import head_of
from lingbot_map.importers.spans_places import packed
from lingbot_probes.adapters.spans import Conversation
from lingbot_probes.adapters.spans_read import Span, read_span

OPENINFERENCE, OTLP = "openinference", "otlp"


def refusals(blob: Blob, shape: Shape) -> Iterator[tuple[str, str]]:
    """(format, why the file holds no spans in that container; "" if it does)."""
    found = packed(blob, shape)
    for format, why in ((OPENINFERENCE, "no span with the ids of its trace and its own"), (OTLP, "no `resourceSpans`")):
        if found is not None and found.format == format:
            yield format, ""
        else:
            yield format, why if shape.samples else shape.why or "no records"


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """The sessions of the file, in the order in which they first appear in it. Raises ``BadInput`` where the spans are
    of other programs than bots, ``TooLarge`` over the limits."""
    how = packed(reading.blob, shape)
    assert how is not None
    yield from traces.read(reading, shape, how, DIALECT)


def _spans(record: object) -> list[Span]:
    return [read_span(record)]


DIALECT = traces.Dialect(
    head_of, _spans, Conversation, "spans of OpenInference or of OpenTelemetry's GenAI conventions"
)
