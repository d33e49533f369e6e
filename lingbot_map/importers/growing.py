"""Records one by one, as they are written: what a file of lines, a table or a queue tells while it grows.

What is told has the same session, source and number as in an import of the whole: a second run, or an import
afterwards, tells nothing twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import orjson

from lingbot_map.errors import BadInput, UnknownFormat
from lingbot_map.importers import (
    Mapped,
    Report,
    ag_ui,
    agents,
    agents_state,
    botframework,
    burr,
    chat,
    dialogflow,
    langfuse,
    langgraph,
    langsmith,
    rasa,
    read,
    recording,
    sniff,
    spans,
    table,
)
from lingbot_map.importers.dialogflow_heads import head_of, position_of
from lingbot_map.importers.growing_burr import GrowingBurr
from lingbot_map.importers.growing_conversations import Conversations, digest
from lingbot_map.importers.growing_spans import GrowingSpans, Taken, Told
from lingbot_map.importers.growing_traces import GrowingAgents, GrowingLangfuse
from lingbot_map.importers.growing_traces import langsmith as langsmith_runs
from lingbot_map.importers.imported import source_of
from lingbot_map.importers.langgraph_lost import EVENTS, HISTORY, STREAM
from lingbot_map.importers.records import BadRecord, parse
from lingbot_map.intake import stamp_of
from lingbot_probes.adapters.ag_ui import AgUi
from lingbot_probes.adapters.botframework import BotFramework
from lingbot_probes.adapters.botframework_activity import conversation_of
from lingbot_probes.adapters.langgraph import LangGraph
from lingbot_probes.adapters.scribe import Scribe
from lingbot_probes.adapters.table import Columns, Table, cell
from lingbot_probes.codec import SignalError
from lingbot_probes.signals import Numbered


class Telling(Protocol):
    """Records of one format in, in the order in which they were written."""

    repeated: int
    """Records that had been here before."""

    def take(self, raw: bytes) -> Taken:
        """What one record comes to; one that can't be read leaves a hole in its conversation."""

    def overdue(self, now: float) -> list[Told]:
        """What has waited in vain for more, by the caller's clock."""

    def standing(self) -> dict[str, Any]:
        """How far each conversation is numbered, as JSON; ``resume`` takes it."""

    def resume(self, standing: dict[str, Any], *, exact: bool = True) -> None:
        """Go on from where another one stood; not ``exact``: it may have told more than it noted."""


def telling(format: str, columns: Mapped | None = None, source: str = "") -> Telling:
    """What tells records of ``format`` as they come; ``source`` names where they come from in an error.

    Raises ``BadInput`` for a format whose records can't be told before the whole is there.
    """
    if isinstance(columns, Columns):
        return _table(columns)
    if columns is not None:
        if format != agents.NAME:
            raise BadInput(source or format, "traces of the OpenAI Agents SDK, whose functions have a meaning", format)
        return GrowingAgents(columns)
    make = GROWING.get(format)
    if make is None:
        known = ", ".join(GROWING)
        why = WHOLE.get(format, "its records mean nothing before all are there")
        remedy = f"{why}: import it when it is whole; a longer one goes on where it was"
        raise BadInput(source or format, f"a format that can be followed ({known})", format, remedy)
    return make()


def format_of(beginning: bytes, name: str) -> str:
    """The format of a file that begins with these whole lines. Raises ``UnknownFormat``, ``Unmapped``, ``BadInput``."""
    try:
        format = sniff(beginning, name)
    except UnknownFormat:
        if beginning.lstrip()[:1] == b"[":
            raise BadInput(name, "a record a line (JSONL)", "a JSON list", "import it when it is whole") from None
        raise
    return "rasa" if format == "rasa-sql" else format


def _table(columns: Columns) -> Telling:
    def key(record: Any) -> str:
        held = cell(record, columns.session)
        said = str(held) if type(held) in (int, float) else held
        if type(said) is not str or not said.strip():
            raise SignalError(f"column {columns.session}", "the name of a session", held)
        return said.strip()

    return Conversations(table.NAME, key, lambda name: Table(name, columns))


def _rasa() -> Telling:
    def whole(record: Any) -> Taken | None:
        """A line that holds a tracker: whole by itself, and told from its beginning each time."""
        tracker = record.get("tracker") if type(record.get("tracker")) is dict else record
        if type(tracker.get("events")) is not list or "event" in record:
            return None
        name = rasa.id_text(tracker.get("sender_id")) or rasa.id_text(record.get("sender_id")) or "rasa"
        adapter = rasa.Rows(name, tracker.get("slots") if type(tracker.get("slots")) is dict else None)
        out: list[Told] = []
        sources: dict[str, str] = {}
        first, problem = digest(orjson.dumps(tracker["events"][:1])), ""
        for number, event in enumerate(tracker["events"], 1):
            try:
                said = adapter.take(event)
            except (BadRecord, SignalError) as why:
                said, problem = adapter.skip(), problem or f"event {number}: {why}"
            out += _told_once(adapter.scribe, said, sources, first)
        return Taken([*out, *_told_once(adapter.scribe, adapter.end(), sources, first)], problem)

    def key(record: Any) -> str:
        return rasa.id_text(record.get("conversation_id")) or rasa.id_text(record.get("sender_id"))

    def identity(record: Any, raw: bytes) -> object:
        if type(record.get("event_id")) is str and record["event_id"]:
            return key(record), record["event_id"]
        return raw if record.get("timestamp") is not None or record.get("id") is not None else None

    return Conversations(rasa.NAME, key, rasa.Rows, whole, identity)


def _told_once(scribe: Scribe, said: list[Numbered], sources: dict[str, str], first: str) -> Iterator[Told]:
    if said:
        stamp = stamp_of(said[0])
        identity = repr(stamp) if stamp is not None else first
        source = sources.setdefault(scribe.session, source_of(rasa.NAME, scribe.session, identity))
        yield Told(scribe.session, source, said, scribe.n)


class _Recording:
    """Lines of one of our own recordings."""

    def __init__(self) -> None:
        self.repeated = 0
        self._retelling: recording.Retelling | None = None
        self._source = ""

    def take(self, raw: bytes) -> Taken:
        """What one line comes to: nothing for the header, for what the map said itself, and for what was here."""
        try:
            record = parse(raw)
            if type(record) is not dict:
                raise BadRecord("expected an object")
            if record.get("lingbot") == "recording":
                name = recording.named("the recording", record)
                if self._retelling is None or self._retelling.scribe.session != name:
                    self._retelling, self._source = recording.Retelling(name), ""
                return Taken([])
            if self._retelling is None:
                self._retelling = recording.Retelling(f"recording {hashlib.sha256(raw).hexdigest()[:12]}")
            items = self._retelling.line(raw, record)
        except (BadRecord, SignalError) as why:
            return Taken([], str(why))
        if not items:
            return Taken([])
        scribe = self._retelling.scribe
        self._source = self._source or source_of(recording.NAME, scribe.session, repr(stamp_of(items[0])))
        return Taken([Told(scribe.session, self._source, items, scribe.n)])

    def overdue(self, now: float) -> list[Told]:
        """Nothing waits here."""
        return []

    def standing(self) -> dict[str, Any]:
        """A recording is never rotated."""
        return {}

    def resume(self, standing: dict[str, Any], *, exact: bool = True) -> None:
        """See ``standing``."""


def _botframework() -> Telling:
    last = ""

    def key(record: Any) -> str:
        """An activity that names no conversation belongs to that of the one before it."""
        nonlocal last
        last = conversation_of(record) or last
        return last

    return Conversations(botframework.NAME, key, BotFramework, word="conversation")


def _ag_ui() -> Telling:
    last = ""

    def key(record: Any) -> str:
        """Only a run's first and last event name their thread: the others belong to the one that was named last."""
        nonlocal last
        named = record.get("threadId") or record.get("thread_id")
        last = named if type(named) is str and named else last
        return last

    return Conversations(ag_ui.NAME, key, AgUi)


def _langgraph() -> Telling:
    def key(record: Any) -> str:
        return langgraph.thread_of(record.get("metadata"))

    def whole(record: Any) -> Taken | None:
        """Tokens are no events: the answer comes whole."""
        token = str(record.get("event")).endswith("_stream") and b"__interrupt__" not in orjson.dumps(record)
        return Taken([]) if token else None

    def identity(record: Any, raw: bytes) -> object:
        return raw if record.get("run_id") and record.get("event") != "on_custom_event" else None

    def first(record: Any, raw: bytes) -> str:
        return record["run_id"] if type(record.get("run_id")) is str else digest(raw)

    def unnamed(known_by: str) -> str:
        return digest(known_by.encode("utf-8", "replace"))[:12]

    return Conversations(EVENTS, key, LangGraph, whole, identity, first, "langgraph", unnamed)


def _dialogflow() -> Telling:
    def whole(record: Any) -> Taken | None:
        """A line that holds a conversation or test cases: whole by itself, and told from its beginning each time."""
        head = head_of(orjson.dumps(record), damaged=False)
        if head is None or head.is_turn() or not head.holds():
            return None
        report = Report()
        told = []
        for session in read(orjson.dumps([record]), "the line", report=report):
            items = list(session.items)
            told.append(Told(session.session_id, session.source, items, items[-1].n))
        return Taken(told, str(report.problems[0]) if report.problems else "")

    def key(record: Any) -> str:
        head = head_of(orjson.dumps(record), damaged=False)
        return head.session() if head is not None else ""

    def identity(record: Any, raw: bytes) -> object:
        head = head_of(raw, damaged=False)
        return raw if head is not None and position_of(head) is not None else None

    return Conversations(dialogflow.NAME, key, dialogflow.conversation, whole, identity)


GROWING: dict[str, Callable[[], Telling]] = {
    rasa.NAME: _rasa,
    botframework.NAME: _botframework,
    ag_ui.NAME: _ag_ui,
    EVENTS: _langgraph,
    dialogflow.NAME: _dialogflow,
    agents.NAME: GrowingAgents,
    langfuse.NAME: GrowingLangfuse,
    langsmith.NAME: langsmith_runs,
    burr.NAME: GrowingBurr,
    recording.NAME: _Recording,
    spans.OPENINFERENCE: GrowingSpans,
    spans.OTLP: GrowingSpans,
}
"""What tells each format as it grows. An importer whose records can be told one by one is registered here."""

WHOLE = {
    HISTORY: "a history begins with its newest state and is written anew each time (its events can be followed)",
    STREAM: "its parts name their thread only later (its events can be followed)",
    agents_state.NAME: "a saved run is one document that is written anew each time (its traces can be followed)",
    chat.NAME: "a transcript is known by its whole text, for it has neither ids nor times",
}
"""Why a format can't be followed."""
