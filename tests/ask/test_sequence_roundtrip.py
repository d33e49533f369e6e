"""What we export as a diagram reads back: the same messages, blocks and conditions, whatever the texts hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lingbot_map.ask.bases.sequence.ir import Diagram
from lingbot_map.ask.bases.sequence.source import read
from lingbot_map.store.files import FileStore
from lingbot_web import export_diagram, export_sequence
from lingbot_web.export_sequence import Block, Divider, Message, Note, Party, Sequence, Step, sequence_of
from tests.builders import Dialogue
from tests.torture.hostile import STRINGS

CASES = Path(__file__).resolve().parents[2] / "snapshots"
WRITERS = {"x.puml": export_diagram.plantuml, "x.mmd": export_diagram.mermaid}
Told = tuple[str, str, str, bool, tuple[tuple[str, str], ...]]


def shown(text: str) -> str:
    """A text as the exporters show it: without control characters, never empty."""
    return export_sequence.UNFIT.sub("\ufffd", text).strip() or "…"


def drawn(steps: list[Step], path: tuple[tuple[str, str], ...] = ()) -> Iterator[Told]:
    for step in steps:
        if isinstance(step, Message):
            yield step.source, step.target, shown(step.text), step.reply, path
        elif isinstance(step, Block):
            yield from drawn(step.steps, (*path, (step.kind, shown(step.label))))


def notes(steps: list[Step]) -> Iterator[str]:
    for step in steps:
        if isinstance(step, Note):
            yield shown(step.text)
        elif isinstance(step, Block):
            yield from notes(step.steps)


def back(diagram: Diagram) -> list[Told]:
    return [
        (
            each.source,
            each.target,
            each.label,
            each.arrow == "reply",
            tuple((step.kind, step.condition) for step in each.path),
        )
        for each in diagram.messages
    ]


def check(sequence: Sequence, where: str) -> None:
    diagrams, refused = read(WRITERS[where](sequence), where)
    assert len(diagrams) == 1
    assert not refused
    diagram = diagrams[0]
    assert back(diagram) == list(drawn(sequence.steps))
    told = [note.text.removeprefix("⚠ ") for note in diagram.notes]
    expected = list(notes(sequence.steps))
    if where == "x.puml":
        assert told == expected
        assert [text for _, text, _ in diagram.sections] == [shown(s.text) for s in flat(sequence.steps)]
    else:  # Mermaid has no dividers: they are notes there
        assert set(expected) <= set(told)
    kinds = {"x.puml": ("actor", "participant", "database"), "x.mmd": ("actor", "participant", "participant")}[where]
    kind_of = dict(zip(("actor", "participant", "database"), kinds, strict=True))
    for party in sequence.parties:
        line = diagram.lifelines[party.id]
        assert (line.name, line.kind) == (shown(party.name), kind_of[party.kind])
    assert diagram.title == shown(sequence.title)


def flat(steps: list[Step]) -> Iterator[Divider]:
    for step in steps:
        if isinstance(step, Divider):
            yield step
        elif isinstance(step, Block):
            yield from flat(step.steps)


@pytest.mark.parametrize("where", WRITERS)
def test_recorded_sessions_read_back(where: str) -> None:
    store = FileStore(CASES, read_only=True)
    for key in list(store.keys()):
        recording = store.open(key)
        events = list(recording.events())
        dialogue = Dialogue(recording.session)
        for event in events:
            dialogue.mapper.apply(event)
        check(sequence_of(dialogue.map, events, "zh" if where == "x.puml" else "en"), where)


PARTIES = [Party("user", "User", "actor"), Party("bot", "Bot", "participant"), Party("base1", "KB", "database")]


@pytest.mark.parametrize("where", WRITERS)
def test_hostile_texts_read_back(where: str) -> None:
    for text in STRINGS:
        steps: list[Step] = [
            Message("user", "bot", text),
            Block("alt", text, [Message("bot", "user", text, reply=True), Note(("bot",), text, wrong=True)]),
        ]
        check(Sequence(text, PARTIES, steps), where)


texts = st.text(max_size=30).map(lambda text: " ".join(text.split()))
ids = st.sampled_from(["user", "bot", "base1"])
leaves: st.SearchStrategy[Step] = st.one_of(
    st.builds(Message, ids, ids, texts), st.builds(lambda text: Note(("bot",), text), texts), st.builds(Divider, texts)
)
blocks: Callable[[st.SearchStrategy[Step]], st.SearchStrategy[Step]] = lambda inner: st.builds(  # noqa: E731
    Block, st.sampled_from(["alt", "loop"]), texts, st.lists(inner, max_size=3)
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.recursive(leaves, blocks, max_leaves=6), max_size=6), texts)
@pytest.mark.parametrize("where", WRITERS)
def test_any_sequence_reads_back(where: str, steps: list[Step], title: str) -> None:
    check(Sequence(title, PARTIES, steps), where)


@pytest.mark.parametrize("title", ["/'", "0/' '/1", "'/"])
def test_a_title_begins_no_comment(title: str) -> None:
    check(Sequence(title, PARTIES, []), "x.puml")
