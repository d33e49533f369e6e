"""What a sequence diagram says, whatever language it was written in: lifelines, messages, fragments, notes.

A message knows the whole path of the fragments that it stands in, outermost first, with the number of the operand and
its condition. Nothing that was drawn is left out: a lifeline that only a message names is there too (``implicit``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Arrow = Literal["sync", "async", "reply"]
FREE = ("par", "critical", "group", "ref")
"""Kinds of fragments that set no condition."""
Kind = Literal["alt", "opt", "loop", "par", "break", "critical", "group", "ref"]

OUTSIDE = "["
"""The id of the frame's edge, where messages come from and go to that are found or lost."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: operand ``operand`` (from 1 on) of the fragment ``fragment``, with its condition."""

    fragment: str
    kind: Kind
    operand: int
    condition: str

    @property
    def free(self) -> bool:
        """Whether what stands there happens under no condition; an option of a critical region happens under one."""
        return self.kind in FREE and not (self.kind == "critical" and self.operand > 1)


Path = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Lifeline:
    """``id`` is what messages call it, ``name`` what is shown, ``kind`` its word ("participant", "actor" ...)."""

    id: str
    name: str
    kind: str
    line: int
    implicit: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """``label`` is the text as drawn; ``name`` and ``params`` are its two parts where it is a call, else the label and
    "". ``source`` and ``target`` are ids of lifelines or ``OUTSIDE``. ``number`` counts from 1 in the order drawn."""

    number: int
    source: str
    target: str
    label: str
    name: str
    params: str
    arrow: Arrow
    path: Path
    line: int

    @property
    def id(self) -> str:
        """What it is cited by."""
        return f"m{self.number}"


@dataclass(frozen=True, slots=True)
class Operand:
    """One branch of a fragment; ``first`` is the number of the first message that may stand in it, ``last`` that of the
    last (``last < first``: it is empty)."""

    number: int
    condition: str
    line: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Fragment:
    """``path`` is where it stands; ``over`` are the lifelines that a reference (``ref``) names."""

    number: int
    kind: Kind
    operands: tuple[Operand, ...]
    path: Path
    line: int
    end: int
    over: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """What it is cited by."""
        return f"f{self.number}"


@dataclass(frozen=True, slots=True)
class Note:
    """A remark beside the lifelines ``over`` (none: beside message ``after``, the last one drawn before it)."""

    number: int
    text: str
    over: tuple[str, ...]
    after: int
    path: Path
    line: int

    @property
    def id(self) -> str:
        """What it is cited by."""
        return f"n{self.number}"


@dataclass(frozen=True, slots=True)
class Diagram:
    """One diagram. ``sections`` are its dividers as (line, text, number of the last message before). ``remarks`` say
    what could not be followed (an include, say). ``lines`` is how many lines were read."""

    name: str
    title: str
    format: str
    source: str
    lifelines: dict[str, Lifeline]
    messages: tuple[Message, ...]
    fragments: tuple[Fragment, ...]
    notes: tuple[Note, ...]
    sections: tuple[tuple[int, str, int], ...] = ()
    remarks: tuple[tuple[int, str], ...] = ()
    lines: int = 0
    verified: bool = True
    _fragments: dict[str, Fragment] = field(default_factory=dict, repr=False, compare=False)

    def fragment(self, id: str) -> Fragment:
        """The fragment ``id``. Raises KeyError."""
        if not self._fragments:
            self._fragments.update({each.id: each for each in self.fragments})
        return self._fragments[id]

    def named(self, id: str) -> str:
        """What lifeline ``id`` is called; "" for the frame's edge."""
        line = self.lifelines.get(id)
        return "" if line is None else line.name
