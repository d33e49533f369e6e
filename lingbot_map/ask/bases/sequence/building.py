"""Builds a diagram from top to bottom: what a reader of any language tells, line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lingbot_map.ask.bases.sequence.ir import (
    OUTSIDE,
    Arrow,
    Diagram,
    Fragment,
    Kind,
    Lifeline,
    Message,
    Note,
    Operand,
    Path,
    Step,
)
from lingbot_map.errors import BadInput

MOST = 10_000
"""Messages, and fragments, of a diagram; the longest of 172 real ones has 213 messages."""
DEEPEST = 100
"""Fragments within one another; the deepest of 172 real diagrams is 5."""
_CALL = re.compile(r"(?:[\w.]+\s*:?=\s*)?([^\s(){}\[\]=:,;][^\s(){}\[\]=:,;]*)\((.*)\)\s*;?", re.DOTALL)


@dataclass(slots=True)
class _Open:
    """A fragment that has begun; one without a ``kind`` is layout (a box, a background) and no step of any path."""

    kind: Kind | None
    word: str
    number: int
    path: Path
    line: int
    operands: list[Operand] = field(default_factory=list)
    condition: str = ""
    begun: int = 0
    since: int = 1


class Builder:
    """``source`` is the file, ``offset`` what to add to a line's number to get that in the file."""

    def __init__(self, source: str, format: str) -> None:
        self.source = source
        self.format = format
        self.name = ""
        self.title = ""
        self.lines = 0
        self.lifelines: dict[str, Lifeline] = {}
        self.messages: list[Message] = []
        self.notes: list[Note] = []
        self.sections: list[tuple[int, str, int]] = []
        self.remarks: list[tuple[int, str]] = []
        self.faults: list[BadInput] = []
        self._fragments: list[Fragment | None] = []
        self._stack: list[_Open] = []
        self._path: Path = ()
        self._called: set[tuple[str, str]] = set()

    def lifeline(self, id: str, name: str, kind: str, line: int) -> None:
        """A lifeline is declared; a later declaration names one that a message had brought in."""
        known = self.lifelines.get(id)
        if known is None or known.implicit:
            self.lifelines[id] = Lifeline(id, name or id, kind, line)

    def _implied(self, id: str, line: int) -> None:
        if id != OUTSIDE and id not in self.lifelines:
            self.lifelines[id] = Lifeline(id, id, "participant", line, implicit=True)

    def message(self, source: str, target: str, label: str, line: int, *, dashed: bool, open_head: bool) -> None:
        """A message; a dashed one is a reply if a call the other way came before, an open or half head says async."""
        self._implied(source, line)
        self._implied(target, line)
        arrow: Arrow = "async" if open_head else "sync"
        if dashed and (target, source) in self._called:
            arrow = "reply"
        else:
            self._called.add((source, target))
        name, params = label, ""
        if label.endswith((")", ";")) and (call := _CALL.fullmatch(label)):
            name, params = call[1], call[2].strip()
        number = len(self.messages) + 1
        if number > MOST:
            raise self.wrong(line, f"at most {MOST} messages", "more", "divide the diagram")
        self.messages.append(Message(number, source, target, label, name, params, arrow, self._path, line))

    def reply(self, source: str, target: str, label: str, line: int) -> None:
        """A message that says itself to be a reply."""
        self._called.add((target, source))
        self.message(source, target, label, line, dashed=True, open_head=False)

    def note(self, text: str, over: tuple[str, ...], line: int) -> None:
        """A note where the diagram stands now."""
        for id in over:
            self._implied(id, line)
        self.notes.append(Note(len(self.notes) + 1, text, over, len(self.messages), self._path, line))

    def section(self, text: str, line: int) -> None:
        """A divider."""
        self.sections.append((line, text, len(self.messages)))

    def remark(self, text: str, line: int) -> None:
        """Something that can't be followed."""
        self.remarks.append((line, text))

    def open(self, kind: Kind | None, word: str, condition: str, line: int) -> None:
        """A fragment begins with its first operand. Raises BadInput beyond ``DEEPEST``."""
        if len(self._stack) >= DEEPEST:
            raise self.wrong(line, f"at most {DEEPEST} fragments within one another", "one more")
        if len(self._fragments) >= MOST:
            raise self.wrong(line, f"at most {MOST} fragments", "more", "divide the diagram")
        number = 0
        if kind is not None:
            self._fragments.append(None)
            number = len(self._fragments)
        opened = _Open(kind, word, number, self._path, line, [], condition, line, len(self.messages) + 1)
        self._stack.append(opened)
        self._enter(opened)

    def _enter(self, opened: _Open) -> None:
        if opened.kind is not None:
            step = Step(f"f{opened.number}", opened.kind, len(opened.operands) + 1, opened.condition)
            self._path = (*opened.path, step)

    def _leave(self, opened: _Open) -> None:
        number = len(opened.operands) + 1
        opened.operands.append(Operand(number, opened.condition, opened.begun, opened.since, len(self.messages)))

    def operand(self, condition: str, line: int) -> bool:
        """The next branch of the innermost fragment begins; False if none is open."""
        if not self._stack or self._stack[-1].kind is None:
            return False
        opened = self._stack[-1]
        self._leave(opened)
        opened.condition, opened.begun, opened.since = condition, line, len(self.messages) + 1
        self._enter(opened)
        return True

    def close(self, line: int) -> bool:
        """The innermost fragment ends; False if none is open."""
        if not self._stack:
            return False
        opened = self._stack.pop()
        self._path = opened.path
        if opened.kind is not None:
            self._leave(opened)
            self._fragments[opened.number - 1] = Fragment(
                opened.number, opened.kind, tuple(opened.operands), opened.path, opened.line, line
            )
        return True

    @property
    def innermost(self) -> str:
        """The word that opened the innermost fragment; "" if none is open."""
        return self._stack[-1].word if self._stack else ""

    def reference(self, text: str, over: tuple[str, ...], line: int) -> None:
        """Another interaction is referred to."""
        for id in over:
            self._implied(id, line)
        since = len(self.messages) + 1
        operand = Operand(1, text, line, since, since - 1)
        self._fragments.append(Fragment(len(self._fragments) + 1, "ref", (operand,), self._path, line, line, over))

    def fault(self, line: int, expected: str, found: str, remedy: str = "") -> None:
        """A line can't be understood; ``done`` raises the first of these."""
        self.faults.append(self.wrong(line, expected, found, remedy))

    def wrong(self, line: int, expected: str, found: str, remedy: str = "") -> BadInput:
        """The error at a line of the file."""
        return BadInput(f"{self.source} line {line}", expected, found, remedy)

    def done(self) -> Diagram:
        """The diagram. Raises BadInput for the first line that wasn't understood; else for a fragment that no line
        ends, with the line where it began."""
        for opened in reversed(self._stack):
            head = f"{opened.word} {opened.condition}".strip()
            self.fault(opened.line, f'an "end" for the {opened.word} that begins here', f"none ({head})", 'add "end"')
        if self.faults:
            raise self.faults[0]
        return Diagram(
            name=self.name,
            title=self.title,
            format=self.format,
            source=self.source,
            lifelines=self.lifelines,
            messages=tuple(self.messages),
            fragments=tuple(each for each in self._fragments if each is not None),
            notes=tuple(self.notes),
            sections=tuple(self.sections),
            remarks=tuple(self.remarks),
            lines=self.lines,
        )
