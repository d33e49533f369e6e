"""Foreign recordings open as sessions: the format is told by the content, adapters translate, losses are said.

A name never says what a file is, and nothing in a file is trusted: it is read within the limits, one bad record costs
that record, one bad conversation costs that conversation.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from lingbot_map.errors import BadInput, UnknownFormat
from lingbot_map.importers import (
    ag_ui,
    agents,
    agents_state,
    botframework,
    burr,
    chat,
    corpora,
    dialogflow,
    guess,
    langfuse,
    langgraph,
    langsmith,
    rasa,
    rasa_sql,
    recording,
    spans,
    table,
)
from lingbot_map.importers.blob import Blob
from lingbot_map.importers.imported import ImportedSession, Problem, Reading, Report
from lingbot_map.importers.limits import LIMITS, Limits
from lingbot_map.importers.shape import Shape, shape_of
from lingbot_map.importers.table import columns_of
from lingbot_probes.adapters.openai_agents import NOTHING, Meaning
from lingbot_probes.adapters.table import Columns

Mapped = Columns | Meaning
"""What a user says of a file that it can't say itself: what its columns hold, or what its functions mean."""

Source = str | os.PathLike[str] | bytes


def sniff(source: Source, name: str = "") -> str:
    """The format of a file, as its importer calls it ("recording", "rasa", "otlp", "openai-agents" ...).

    Raises ``UnknownFormat`` with each format's reason, ``Unmapped`` for a table (it opens with `columns_of` a mapping),
    ``TooLarge``, or ``BadInput`` for what can't be opened.
    """
    with Blob(source, name) as blob:
        return _format(blob, shape_of(blob))


def read(
    source: Source,
    name: str = "",
    *,
    report: Report | None = None,
    progress: Callable[[int, int], None] | None = None,
    strict: bool = False,
    columns: Mapped | None = None,
) -> Iterator[ImportedSession]:
    """The sessions of a file (a path or the bytes), one after the other; take one whole before the next.

    ``name`` is what messages call the file. ``report`` is filled as it goes, ``progress`` hears (done, total).
    With ``strict`` the first problem raises ``BadInput`` instead of being counted. With ``columns`` the file is a table
    of rows, and they say what its columns hold; or it holds traces of the OpenAI Agents SDK, and they say what their
    functions mean. Raises as ``sniff`` does, before the first session wherever that is
    possible.
    """
    with Blob(source, name) as blob:
        shape = shape_of(blob)
        told = report if report is not None else Report()
        told.format = table.NAME if isinstance(columns, Columns) else _format(blob, shape)
        means = columns if isinstance(columns, Meaning) else NOTHING
        if means is not NOTHING and told.format not in (agents.NAME, agents_state.NAME):
            raise BadInput(blob.name, "traces of the OpenAI Agents SDK, whose functions have a meaning", told.format)
        reading = Reading(blob, told, progress, strict, means)
        if isinstance(columns, Columns):
            yield from table.read(reading, shape, columns)
        else:
            yield from _READERS[told.format](reading, shape)
        if not told.sessions:
            first = str(told.problems[0]) if told.problems else "nothing"
            raise BadInput(blob.name, "at least one conversation that can be read", first)


_READERS: dict[str, Callable[[Reading, Shape], Iterator[ImportedSession]]] = {
    rasa.NAME: rasa.read,
    "rasa-sql": rasa_sql.read,
    botframework.NAME: botframework.read,
    chat.NAME: chat.read,
    **dict.fromkeys(corpora.NAMES, corpora.read),
    agents.NAME: agents.read,
    agents_state.NAME: agents_state.read,
    langfuse.NAME: langfuse.read,
    langsmith.NAME: langsmith.read,
    burr.NAME: burr.read,
    ag_ui.NAME: ag_ui.read,
    dialogflow.NAME: dialogflow.read,
    **dict.fromkeys(langgraph.FORMATS, langgraph.read),
    **dict.fromkeys((spans.OPENINFERENCE, spans.OTLP), spans.read),
    recording.NAME: recording.read,
}


def _format(blob: Blob, shape: Shape) -> str:
    refusals: dict[str, list[str]] = {}
    for format, why in (
        ("recording", recording.refuse(shape)),
        (agents_state.NAME, agents_state.refuse(blob, shape)),  # before traces: a run state holds one
        (agents.NAME, agents.refuse(blob, shape)),
        (burr.NAME, burr.refuse(shape)),
        (langfuse.NAME, langfuse.refuse(blob, shape)),
        (langsmith.NAME, langsmith.refuse(blob, shape)),
        *spans.refusals(blob, shape),  # before Rasa: a span alone in a document has a list of `events` too
        *langgraph.refusals(shape),  # before Rasa: its events have an `event` too
        (ag_ui.NAME, ag_ui.refuse(shape)),  # before Rasa: a document of events is taken for a tracker
        (dialogflow.NAME, dialogflow.refuse(blob, shape)),
        ("rasa", rasa.refuse(shape)),
        ("botframework", botframework.refuse(shape)),
        ("rasa-sql", rasa_sql.refuse(blob, shape)),
        ("chat", chat.refuse(blob, shape)),
        *corpora.refusals(blob, shape),
    ):
        if not why:
            return format
        refusals.setdefault(why, []).append(format)
    told = [(", ".join(formats), why) for why, formats in refusals.items()]
    table_like = None if agents_state.of_another_version(blob, shape) else guess.unmapped(blob, shape, told)
    raise table_like or UnknownFormat(blob.name, told)


__all__ = [
    "LIMITS",
    "Columns",
    "ImportedSession",
    "Limits",
    "Mapped",
    "Problem",
    "Report",
    "Source",
    "columns_of",
    "read",
    "sniff",
]
