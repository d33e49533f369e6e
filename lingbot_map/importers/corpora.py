"""Annotated dialogues as research hands them on: Schema-Guided Dialogue, CrossWOZ, KdConv, STAR; and trajectories.

Each is a list, lines, or an object of dialogues by their id, or one dialogue alone; a dialogue is an object that holds
its records in one list. Its records are found one by one, so a bad one costs itself alone, and a dialogue may be of any
length.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import orjson

from lingbot_map.importers.blob import Blob
from lingbot_map.importers.imported import ImportedSession, Reading, Record, Report
from lingbot_map.importers.lines import Index, pieces
from lingbot_map.importers.records import BadRecord, Member, items, members, parse
from lingbot_map.importers.shape import Shape
from lingbot_probes.adapters.atif import Atif
from lingbot_probes.adapters.crosswoz import CrossWoz
from lingbot_probes.adapters.dialogue import Dialogue
from lingbot_probes.adapters.kdconv import KdConv
from lingbot_probes.adapters.sgd import SchemaGuided
from lingbot_probes.adapters.star import Star

_LISTS = ("turns", "messages", "Events", "steps")
_LOOKED_AT = 5  # dialogues, and records of each, that sniffing reads
_MEMBERS = 64  # of an object that are looked at for a dialogue's list
_HEADER = 1 << 16  # bytes; what a dialogue says of itself beyond that is left out


@dataclass(frozen=True, slots=True)
class Corpus:
    """One kind of dialogue. ``list`` is the member that holds its records, ``record`` what one of them is called and
    ``id`` the member that names it; ``known`` tells its records from others in a list of that name."""

    name: str
    list: str
    record: str
    id: str
    known: Callable[[dict[str, Any]], bool]
    adapter: Callable[[str, dict[str, Any]], Dialogue]


CORPORA = (
    Corpus(
        "sgd",
        "turns",
        "turn",
        "dialogue_id",
        lambda turn: turn.get("speaker") in ("USER", "SYSTEM") and type(turn.get("utterance")) is str,
        SchemaGuided,
    ),
    Corpus(
        "crosswoz",
        "messages",
        "message",
        "id",
        lambda message: message.get("role") in ("usr", "sys") and "content" in message and "dialog_act" in message,
        CrossWoz,
    ),
    Corpus(
        "kdconv",
        "messages",
        "message",
        "name",
        lambda message: type(message.get("message")) is str and message.keys() <= {"message", "attrs"},
        KdConv,
    ),
    Corpus(
        "star",
        "Events",
        "event",
        "DialogueID",
        lambda event: type(event.get("Agent")) is str and type(event.get("Action")) is str,
        Star,
    ),
    Corpus(
        "atif",
        "steps",
        "step",
        "session_id",
        lambda step: "step_id" in step and step.get("source") in ("user", "agent", "system"),
        Atif,
    ),
)
NAMES = tuple(corpus.name for corpus in CORPORA)


@dataclass(slots=True)
class _Dialogue:
    """What stands in the place of a dialogue: how messages call it, its name where that stands beside it, its text."""

    where: str
    key: str
    text: bytes
    bad: str = ""


def refusals(blob: Blob, shape: Shape) -> list[tuple[str, str]]:
    """(corpus, why the file holds no dialogue of it; "" if it does) for each of them."""
    found, why = None, shape.why or "no records"
    if shape.list_name or shape.top:
        why = "no `turns`, `messages` or `Events`"  # of another kind, and maybe long
    elif shape.kind not in ("text", "sqlite"):
        for place, dialogue in enumerate(islice(_dialogues(Reading(blob, Report()), shape), _LOOKED_AT)):
            found = _corpus(dialogue.text)
            if found is not None:
                break
            if not place and not dialogue.bad:
                why = instead(dialogue.text)
    return [(corpus.name, "" if corpus is found else why) for corpus in CORPORA]


def read(reading: Reading, shape: Shape) -> Iterator[ImportedSession]:
    """A session for each dialogue, in the order of the file."""
    index = Index(reading)
    for dialogue in _dialogues(reading, shape):
        parts = list(_parts(dialogue.text))
        corpus = _corpus_of(dialogue.text, parts)
        if corpus is None:
            reading.problem(dialogue.where, dialogue.bad or instead(dialogue.text))
        else:
            index.at(dialogue.where)
            yield from _told(reading, index, corpus, dialogue, parts)


def _dialogues(reading: Reading, shape: Shape) -> Iterator[_Dialogue]:
    """Each dialogue of the file, or what stands in the place of one."""
    blob = reading.blob
    if shape.kind == "list" or _by_lines(blob):
        word = "item" if shape.kind == "list" else "line"
        for number, _, raw in pieces(reading, shape):
            yield _Dialogue(f"{blob.name} {word} {number}", "", raw)
        return
    text = blob.whole()
    first = next(members(text, max(0, text.find(b"{"))), None)
    if _corpus(text) is not None or first is None or text[first.start : first.start + 1] != b"{":
        reading.done(len(text))
        yield _Dialogue(blob.name, "", text)
        return
    for member in members(text, text.find(b"{")):
        reading.done(member.end - member.start)
        named = f" dialogue {member.name}" if member.name else ""
        yield _Dialogue(f"{blob.name}{named}", member.name, text[member.start : member.end], member.bad)


def _by_lines(blob: Blob) -> bool:
    """Whether each line is an object of its own; a single line may hold dialogues by their ids."""
    first, second = (*islice(blob.lines(), 2), None, None)[:2]
    try:
        whole = first is not None and first[2] is not None and type(parse(first[2])) is dict
    except BadRecord:
        return False
    return whole and (second is not None or _corpus(first[2]) is not None)  # type: ignore[index, arg-type]


def _parts(text: bytes) -> Iterator[Member]:
    """The members of the object in ``text``; none if it is none."""
    opens = text.find(b"{")
    return members(text, opens) if opens >= 0 and not text[:opens].strip() else iter(())


def _corpus(text: bytes) -> Corpus | None:
    """The corpus that the dialogue in ``text`` is of; ``None`` if it is no dialogue."""
    return _corpus_of(text, islice(_parts(text), _MEMBERS))


def _corpus_of(text: bytes, parts: Iterable[Member]) -> Corpus | None:
    for member in parts:
        if member.name not in _LISTS or text[member.start : member.start + 1] != b"[":
            continue
        for item in islice(items(text, member.start), _LOOKED_AT):
            try:
                record = parse(text[item.start : item.end]) if not item.bad else None
            except BadRecord:
                continue
            for corpus in CORPORA:
                if type(record) is dict and corpus.list == member.name and corpus.known(record):
                    return corpus
    return None


def instead(text: bytes) -> str:
    """What stands in ``text``, which is no dialogue: what such files bring besides is called by its name."""
    if _ENTITY.match(text):
        return "an entity and its attributes (a database), no dialogue"
    found = {member.name: text[member.start : member.start + 16] for member in islice(members(text, 0), _MEMBERS)}
    names = found.keys()
    if any(_EMPTY.match(found.get(name, b"")) for name in _LISTS):
        return "a dialogue in which nothing was said"
    if names >= {"service_name", "intents"}:
        return "the schema of a service (what a bot can do), no dialogue"
    if names >= {"task", "replies"}:
        return "the flow of a task, no dialogue"
    if names >= {"input", "output"}:
        return "the description of an API, no dialogue"
    if names >= {"Name", "Type"}:
        return "a column of a database, no dialogue"
    if found and all(_TRIPLES.match(value) for value in found.values()):
        return "triples of a knowledge base, no dialogue"
    if found and all(value[:1] == b'"' for value in found.values()):
        return "texts by their names, no dialogue"
    return "no `turns`, `messages` or `Events`"


_ENTITY = re.compile(rb'\s*\[\s*"[^"]*"\s*,\s*\{')
_EMPTY = re.compile(rb"\[\s*\]")
_TRIPLES = re.compile(rb"\[\s*\[")


def _told(
    reading: Reading, index: Index, corpus: Corpus, dialogue: _Dialogue, parts: list[Member]
) -> Iterator[ImportedSession]:
    text, where = dialogue.text, dialogue.where
    header: dict[str, Any] = {}
    rows, cut, left = b"", "", 0
    for member in parts:
        if member.name == corpus.list and not rows:
            rows = text[member.start : member.end]
        elif member.bad:
            cut = member.bad
        elif member.end - member.start > _HEADER:
            left += 1
        else:
            try:
                header[member.name] = parse(text[member.start : member.end])
            except BadRecord as why:
                reading.problem(f"{where} {member.name}", why)
    first = next(items(rows, 0))
    known = _identity(rows[first.start : first.end])
    name = dialogue.key or _text(header.get(corpus.id)) or f"{corpus.name} {known[:12]}"

    def records() -> Iterator[Record]:
        for item in items(rows, 0):
            index.counted()
            reading.done(item.end - item.start)
            raw = rows[item.start : item.end] if not item.bad else None
            yield f"{where} {corpus.record} {item.number}", raw, item.bad
        if cut:
            yield where, None, cut

    adapter = corpus.adapter(name, header)
    adapter.scribe.found.left["header"] += left
    yield from reading.tell(corpus.name, adapter, records(), known)


def _identity(first: bytes) -> str:
    """What a dialogue is known by besides its name: its first record, however that is spaced."""
    with suppress(BadRecord, orjson.JSONEncodeError):
        first = orjson.dumps(parse(first), option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(first).hexdigest()


def _text(value: object) -> str:
    return str(value) if type(value) is int else value if type(value) is str else ""
