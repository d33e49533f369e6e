"""A designed diagram, and how the turns of a recorded session stand to it.

A diagram designs any turn, unless it says which: one with a divider or a note "Turn 3" (第 3 轮) before its messages
designs that turn with what follows, up to the next such heading. So do the diagrams that a session is exported to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lingbot_map.ask.bases.sequence.conform import Conformance, conform
from lingbot_map.ask.bases.sequence.ir import Diagram, Message, Path
from lingbot_map.ask.bases.sequence.meaning import RETRIEVAL, Meaning, Said, meanings, meant, said_in, unknown_names
from lingbot_map.ask.bases.sequence.recorded import Recorded
from lingbot_map.ask.bases.sequence.source import read
from lingbot_map.ask.text import folded
from lingbot_map.errors import BadInput
from lingbot_map.graph import DialogueMap

_HEADING = re.compile(r"(?:turn\s+(\d{1,9})|第\s*(\d{1,9})\s*轮|(before the first turn|第一轮之前))", re.IGNORECASE)
_MOST_FAILED = 3
"""Turns that are tried against a diagram that is too large to replay: after so many the rest is not tried."""
_DRAWN = frozenset(("utterance", "route", "write", "read", "clear", "answer")) | RETRIEVAL
"""Kinds of steps that an export draws as messages."""


@dataclass(frozen=True, slots=True)
class Design:
    """One diagram of ``source``, what each of its messages stands for, and the messages of each turn, from the first to
    the last number (none: it designs any turn). ``recorded``: it is an export, and all that it draws happened."""

    source: str
    diagram: Diagram
    meant: Mapping[int, Meaning]
    turns: Mapping[int, tuple[int, int]]
    recorded: bool
    _parts: dict[int, Diagram] = field(default_factory=dict, repr=False, compare=False)

    @property
    def unmapped(self) -> tuple[Message, ...]:
        """Messages that nothing in a record could show, and that nobody said to leave out."""
        return tuple(each for each in self.diagram.messages if not self.meant[each.number].by)

    def of(self, turn: int) -> Diagram | None:
        """What is designed for a turn; ``None`` for nothing."""
        if not self.turns:
            return self.diagram if turn else None
        if turn not in self.turns:
            return None
        if turn not in self._parts:
            self._parts[turn] = _part(self.diagram, *self.turns[turn])
        return self._parts[turn]


@dataclass(frozen=True, slots=True)
class Turn:
    """How a turn stands to its design; ``fault`` says why it can't be held against it ("": it was)."""

    number: int
    found: Conformance
    fault: str = ""

    @property
    def conforms(self) -> bool:
        """Whether it went as designed."""
        return not self.fault and self.found.conforms


@dataclass(frozen=True, slots=True)
class Held:
    """A session held against a design: ``turns`` that are designed, ``undrawn`` those of the record that are not."""

    design: Design
    turns: tuple[Turn, ...]
    undrawn: tuple[int, ...] = ()

    @property
    def matched(self) -> int:
        """How many steps of the record are steps of the design."""
        return sum(len(turn.found.matched) for turn in self.turns)

    @property
    def blind(self) -> bool:
        """Whether the record shows nothing of the design but that somebody spoke and was answered, as in any dialogue,
        while other messages of it stand for nothing that is recorded."""
        meant = self.design.meant
        seen = {meant[message.number].kind for turn in self.turns for message, _ in turn.found.matched}
        return bool(self.design.unmapped) and seen <= {"utterance", "answer"}

    @property
    def conforms(self) -> bool:
        """Whether every turn went as designed, and at least one step is of the design: a diagram that has nothing to do
        with a record doesn't pass."""
        return self.matched > 0 and not self.blind and all(turn.conforms for turn in self.turns)


def designed(text: str, where: str, messages: Mapping[str, str] | None = None, said_at: str = "") -> Design:
    """The design of a text. ``messages`` are what a rules file, at ``said_at``, says that messages stand for.

    Raises BadInput with the line for a text that can't be understood, that holds several diagrams, or
    whose messages all stand for nothing that a record could show.
    """
    found, _ = read(text, where)
    if len(found) != 1:
        raise BadInput(where, "one sequence diagram", f"{len(found)} of them", "divide the file")
    diagram, said = found[0], said_in(text, where)
    rules = {folded(key): meant(what, said_at, "rules") for key, what in (messages or {}).items()}
    for given, place in ((rules, said_at), (said.named, where)):
        if unknown := unknown_names(diagram, given):
            raise BadInput(place, f"the name or label of a message of {where}", unknown[0])
    meaning = meanings(diagram, said, rules)
    if not diagram.messages:
        raise BadInput(where, "a diagram with messages", "none")
    if not any(each.kind for each in meaning.values()):
        raise BadInput(
            where,
            "a message that stands for something that a probe records",
            f"{len(meaning)} that stand for nothing ({', '.join(each.label[:40] for each in diagram.messages[:3])})",
            "say what they stand for, as in the comment 'lingbot: NAME = write' of a line of its own",
        )
    return Design(where, diagram, meaning, _turns(diagram, said), said.recorded)


def _turns(diagram: Diagram, said: Said) -> dict[int, tuple[int, int]]:
    headings = [(text, after) for _, text, after in diagram.sections]
    headings += [(note.text, note.after) for note in diagram.notes if diagram.format == "mermaid"]
    begins: list[tuple[int, int]] = []
    for text, after in sorted(headings, key=lambda each: each[1]):
        if found := _HEADING.fullmatch(text.strip()):
            begins.append((after + 1, int(found[1] or found[2] or 0)))
    ends = [*(first - 1 for first, _ in begins[1:]), len(diagram.messages)]
    return {turn: (first, last) for (first, turn), last in zip(begins, ends, strict=bool(begins))}


def _part(diagram: Diagram, first: int, last: int) -> Diagram:
    """The messages from one number to another; of a fragment that reaches beyond them only the messages are kept."""
    whole = {
        each.id
        for each in diagram.fragments
        if each.operands[0].first >= first and max(each.operands[-1].last, each.operands[0].first) <= last
    }

    def within(path: Path) -> Path:
        return tuple(step for step in path if step.fragment in whole)

    messages = [replace(each, path=within(each.path)) for each in diagram.messages[first - 1 : last]]
    fragments = [replace(each, path=within(each.path)) for each in diagram.fragments if each.id in whole]
    return replace(diagram, messages=tuple(messages), fragments=tuple(fragments), _fragments={})


def hold(design: Design, map: DialogueMap, only: Sequence[int] = (), upto: int | None = None) -> Held:
    """How the turns of a map stand to a design; ``only`` some of them (none: all), as they were after event ``upto``.
    A turn that the design draws and the record lacks has no step: all of it is missing."""
    record = Recorded(map, upto)
    drawn = set(design.turns) or {turn for turn in record.turns if turn}
    turns = tuple(_held(design, record, only or sorted(drawn)))
    undrawn = tuple(turn for turn in record.turns if turn and turn not in drawn and not only)
    return Held(design, turns, undrawn)


def _held(design: Design, record: Recorded, turns: Sequence[int]) -> Iterator[Turn]:
    stages = design.recorded or any(each.kind in RETRIEVAL and each.names for each in design.meant.values())
    failed, fault = 0, ""
    for number in turns:
        if failed == _MOST_FAILED:
            yield Turn(number, Conformance(), fault)
            continue
        diagram = design.of(number)
        if diagram is None:
            yield Turn(number, Conformance(), f"{design.source} says nothing of this turn")
            continue
        if not design.turns and number not in record.turns:
            yield Turn(number, Conformance(), "the record has no such turn")
            continue
        known = record.known(number)
        try:
            found = conform(
                diagram,
                record.steps(number, stages=stages),
                facts=(lambda condition: True) if design.recorded else known.holds,
                slots=record.slots,
                intents=record.intents,
                meant=design.meant,
                spoken=_DRAWN if design.recorded else frozenset(),
            )
        except BadInput as why:
            failed, fault = failed + 1, str(why)
            yield Turn(number, Conformance(), fault)
        else:
            yield Turn(number, found)
