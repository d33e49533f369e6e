"""A session exported as a diagram and held against itself conforms wholly; a step that is dropped or moved, in the
diagram or in the record, is told, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lingbot_map.ask.bases.sequence.design import Held, designed, hold
from lingbot_map.ask.bases.sequence.recorded import Recorded
from lingbot_map.errors import BadInput, LingbotMapError
from lingbot_map.testing import Opened, open_maps
from lingbot_probes.signals import Failed, Signal, Undone
from lingbot_web import export_diagram
from lingbot_web.export_sequence import Lang, sequence_of
from tests.builders import Dialogue, answered, assigned, cleared, recalled, routed, said
from tests.builders import read as used
from tests.torture.hostile import STRINGS

ROOT = Path(__file__).resolve().parents[2]
WRITERS = {"x.puml": export_diagram.plantuml, "x.mmd": export_diagram.mermaid}
LANGS: tuple[Lang, ...] = ("en", "zh")


def text_of(map: Any, events: Any, where: str, lang: Lang) -> str:
    return WRITERS[where](sequence_of(map, events, lang))


def check_whole(map: Any, events: Any) -> int:
    """How many steps there were to match."""
    record = Recorded(map)
    steps = sum(step.kind != "fail" for turn in record.turns for step in record.steps(turn, stages=True))
    for where in WRITERS:
        for lang in LANGS:
            if not steps:
                continue  # nobody said anything, or all was undone
            design = designed(text_of(map, events, where, lang), where)
            held = hold(design, map)
            assert [
                (turn.number, turn.found.missing, turn.found.extra) for turn in held.turns if not turn.conforms
            ] == []
            assert (held.matched, held.undrawn, design.unmapped) == (steps, (), ())
            assert held.conforms
    return steps


def sessions(folder: Path) -> Iterator[Opened]:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            yield from open_maps(path)
        except (LingbotMapError, OSError):
            continue  # no recording, or one that is broken on purpose


@pytest.mark.parametrize("folder", ["snapshots/cases", "tests/samples/files"])
def test_committed_sessions_conform_to_their_own_diagrams(folder: str) -> None:
    assert sum(check_whole(opened.map, opened.events) for opened in sessions(ROOT / folder)) > 20


def test_real_sessions_conform_to_their_own_diagrams(recordings: Path) -> None:
    assert sum(check_whole(opened.map, opened.events) for opened in sessions(recordings / "sessions")) > 1000


NAMES = ["brand", "budget", "a = b", "plan (b)", "b", "clear", "品牌", "第 1 轮"]
FOUND = [
    ("vector", {"d1": 0.9}),
    ("keyword", {"d2": 0.5}),
    ("reranked", {"d1": 0.8}),
    ("bm25", {}),
    ("clear", {"x": 1.0}),
]
names = st.sampled_from(NAMES)
texts = st.sampled_from(["清空我的购物车", "set brand = x", "intent", "hello", "end", *STRINGS[:10]])
steps: st.SearchStrategy[Signal] = st.one_of(
    st.builds(routed, names, st.sampled_from([None, 0.4])),
    st.builds(routed, names, condition=st.sampled_from(["ticket = null", "业务变更"]), label=texts),
    st.builds(assigned, names, texts, label=st.sampled_from(["", "套餐"])),
    st.builds(used, names), st.builds(cleared, names), st.builds(answered, texts),
    st.builds(lambda found: recalled(*found), st.sampled_from(FOUND)),
)  # fmt: skip
turns = st.lists(st.tuples(texts, st.lists(steps, max_size=6)), min_size=1, max_size=4)
Turns = list[tuple[str, list[Signal]]]


def dialogue_of(turns: Turns, *more: Signal) -> Dialogue:
    dialogue = Dialogue("s")
    for number, (text, signals) in enumerate(turns, 1):
        dialogue.tell(said(text, turn=str(number)), *signals)
    dialogue.tell(*more)
    return dialogue


@settings(max_examples=60, deadline=None)
@given(turns, st.integers(0, 3))
def test_any_session_conforms_to_its_own_diagrams(turns: Turns, undone: int) -> None:
    more: list[Signal] = [Failed(where="pay", error="no")]
    if 0 < undone <= len(turns):
        more.append(Undone(turn=str(undone)))
    dialogue = dialogue_of(turns, *more)
    check_whole(dialogue.map, dialogue.events)


def told(held: Held) -> tuple[list[str], list[tuple[str, str]]]:
    """Labels of missing messages, (kind, name) of extra steps."""
    missing = [message.label for turn in held.turns for message in turn.found.missing]
    return missing, [(step.kind, step.name) for turn in held.turns for step in turn.found.extra]


_MESSAGE = re.compile(r"\s*\w+ ?--?>>? ?\w+: ")


def lines_of(text: str) -> list[tuple[str, ...]]:
    """The lines of a diagram, a message with the comment before it."""
    found: list[tuple[str, ...]] = []
    for line in text.splitlines():
        if found and "lingbot:" in found[-1][-1] and "recorded" not in found[-1][-1]:
            found[-1] = (*found[-1], line)
        else:
            found.append((line,))
    return found


def joined(lines: list[tuple[str, ...]]) -> str:
    return "\n".join(line for part in lines for line in part) + "\n"


@settings(max_examples=60, deadline=None)
@given(turns, st.data(), st.sampled_from(sorted(WRITERS)), st.sampled_from(LANGS))
def test_a_message_that_is_left_out_is_told_as_an_extra_step(turns: Turns, data: Any, where: str, lang: Lang) -> None:
    dialogue = dialogue_of(turns)
    lines = lines_of(text_of(dialogue.map, dialogue.events, where, lang))
    whole = designed(joined(lines), where)
    places = [at for at, part in enumerate(lines) if _MESSAGE.match(part[-1])]
    assert len(places) == len(whole.diagram.messages)
    number = data.draw(st.integers(1, len(places)))
    meaning = whole.meant[number]
    del lines[places[number - 1]]
    try:
        missing, extra = told(hold(designed(joined(lines), where), dialogue.map))
    except BadInput:
        assert len([each for each in whole.meant.values() if each.kind]) == 1  # nothing is left to hold against
        return
    assert missing == []
    assert [kind for kind, _ in extra] == ([meaning.kind] if meaning.kind else [])
    assert not extra or not meaning.names or extra[0][1] in meaning.names


@settings(max_examples=60, deadline=None)
@given(turns, st.data(), st.sampled_from(sorted(WRITERS)), st.sampled_from(LANGS))
def test_messages_that_change_places_are_told_as_one(turns: Turns, data: Any, where: str, lang: Lang) -> None:
    dialogue = dialogue_of(turns)
    lines = lines_of(text_of(dialogue.map, dialogue.events, where, lang))
    whole = designed(joined(lines), where)
    places = [at for at, part in enumerate(lines) if _MESSAGE.match(part[-1])]
    pairs = []
    for number, (one, other) in enumerate(pairwise(places), 1):
        a, b = whole.meant[number], whole.meant[number + 1]
        apart = a.kind != b.kind or (a.names and b.names and not a.names & b.names)
        if other == one + 1 and a.kind and b.kind and apart:
            pairs.append((one, other, a, b))
    if not pairs:
        return
    one, other, a, b = data.draw(st.sampled_from(pairs))
    lines[one], lines[other] = lines[other], lines[one]
    held = hold(designed(joined(lines), where), dialogue.map)
    missing, extra = told(held)
    assert (len(missing), len(extra)) == (1, 1)
    assert extra[0][0] in (a.kind, b.kind)
    assert sum(len(turn.found.displaced) for turn in held.turns) == 1


@settings(max_examples=60, deadline=None)
@given(turns, st.data(), st.sampled_from(sorted(WRITERS)), st.sampled_from(LANGS))
def test_a_step_that_did_not_happen_is_told_as_missing(turns: Turns, data: Any, where: str, lang: Lang) -> None:
    there = [(turn, at) for turn, (_, signals) in enumerate(turns) for at in range(len(signals))]
    if not there:
        return
    dialogue = dialogue_of(turns)
    design = designed(text_of(dialogue.map, dialogue.events, where, lang), where)
    turn, at = data.draw(st.sampled_from(there))
    step = Recorded(dialogue.map).steps(turn + 1, stages=True)[at + 1]
    less = [(text, [*signals]) for text, signals in turns]
    del less[turn][1][at]
    held = hold(design, dialogue_of(less).map)
    assert [each.number for each in held.turns if not each.conforms] == [turn + 1]
    found = next(each.found for each in held.turns if not each.conforms)
    assert (len(found.missing), found.extra) == (1, ())
    meaning = design.meant[found.missing[0].number]
    assert meaning.kind == step.kind
    assert not meaning.names or step.name in meaning.names


@settings(max_examples=60, deadline=None)
@given(turns, st.data(), st.sampled_from(sorted(WRITERS)), st.sampled_from(LANGS))
def test_steps_that_happened_the_other_way_round_are_told_as_one(
    turns: Turns, data: Any, where: str, lang: Lang
) -> None:
    dialogue = dialogue_of(turns)
    steps = [Recorded(dialogue.map).steps(number, stages=True)[1:] for number in range(1, len(turns) + 1)]
    pairs = [
        (turn, at)
        for turn, of_turn in enumerate(steps)
        for at, (one, other) in enumerate(pairwise(of_turn))
        if (one.kind, one.name) != (other.kind, other.name)
    ]
    if not pairs:
        return
    design = designed(text_of(dialogue.map, dialogue.events, where, lang), where)
    turn, at = data.draw(st.sampled_from(pairs))
    other_way = [(text, [*signals]) for text, signals in turns]
    signals = other_way[turn][1]
    signals[at], signals[at + 1] = signals[at + 1], signals[at]
    held = hold(design, dialogue_of(other_way).map)
    assert [each.number for each in held.turns if not each.conforms] == [turn + 1]
    found = next(each.found for each in held.turns if not each.conforms)
    assert (len(found.missing), len(found.extra), len(found.displaced)) == (1, 1, 1)
    step = found.extra[0]
    assert (step.kind, step.name) in {(each.kind, each.name) for each in steps[turn][at : at + 2]}


def test_an_answer_that_was_undone_is_no_step_of_the_design() -> None:
    dialogue = dialogue_of([("a", [routed("plan")]), ("b", [routed("plan"), answered("x")])], Undone(turn="2"))
    text = text_of(dialogue.map, dialogue.events, "x.puml", "en")
    assert text.count("' lingbot: none") == 3
    held = hold(designed(text, "x.puml"), dialogue.map)
    assert (held.conforms, [len(turn.found.matched) for turn in held.turns]) == (True, [2, 0])
