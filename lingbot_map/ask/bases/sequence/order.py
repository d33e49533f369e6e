"""What happens before what: the events of sending and receiving under weak sequencing (UML 2.5, 17.6).

Along one lifeline events happen as drawn, except across the operands of one ``par``; a message is sent before it is
received. An order holds through other events only if these happen whenever the two that are asked for do. Notes such
as "must call X before Y" add to the order and are named where it rests on them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

from lingbot_map.ask.bases.sequence.ir import OUTSIDE, Diagram, Message, Path

Relation = Literal["before", "after", "exclusive", "parallel", "rounds", "unordered", "same"]


@dataclass(frozen=True, slots=True)
class Proof:
    """How two messages stand to one another: ``through`` are the messages of the chain that shows it, ``notes`` the
    notes that say it, ``fragment`` the one that divides them, ``round`` whether it holds within one round of a loop."""

    relation: Relation
    through: tuple[Message, ...] = ()
    notes: tuple[str, ...] = ()
    fragment: str = ""
    round: bool = False


@dataclass(frozen=True, slots=True)
class Constraint:
    """Note ``note`` says that ``first`` comes before ``second`` (numbers of messages)."""

    note: str
    first: int
    second: int


class Order:
    """The order of one diagram's messages."""

    def __init__(self, diagram: Diagram, constraints: tuple[Constraint, ...] = ()) -> None:
        self.diagram = diagram
        self.constraints = constraints
        # An event is 2 * number for sending, 2 * number + 1 for receiving; each lifeline's in the order drawn.
        self._along: dict[str, list[int]] = {}
        self._at: dict[int, tuple[str, int]] = {}
        for message in diagram.messages:
            for end, id in ((0, message.source), (1, message.target)):
                if id != OUTSIDE:
                    events = self._along.setdefault(id, [])
                    self._at[2 * message.number + end] = (id, len(events))
                    events.append(2 * message.number + end)

    def message(self, number: int) -> Message:
        """The message of that number."""
        return self.diagram.messages[number - 1]

    def between(self, a: Message, b: Message) -> Proof:
        """How ``a`` stands to ``b``."""
        if a.number == b.number:
            return Proof("same")
        if apart := self._apart(a, b):
            return apart
        rounds = any(step.kind == "loop" and step in b.path for step in a.path)
        for relation, first, second in (("before", a, b), ("after", b, a)):
            if (chain := self._chain(first, second)) is not None:
                return Proof("before" if relation == "before" else "after", tuple(chain), round=rounds)
        for said in self.constraints:
            if {said.first, said.second} == {a.number, b.number}:
                return Proof("before" if said.first == a.number else "after", (), (said.note,), round=rounds)
        divided = self._divided(a.path, b.path, "par")
        return Proof("parallel" if divided else "unordered", fragment=divided)

    def noted(self, a: Message, b: Message) -> tuple[str, ...]:
        """The notes that say that ``a`` comes before ``b``."""
        return tuple(each.note for each in self.constraints if (each.first, each.second) == (a.number, b.number))

    def _apart(self, a: Message, b: Message) -> Proof | None:
        """Whether they exclude each other, or come in different rounds."""
        if divided := self._divided(a.path, b.path, "alt"):
            looped = self._looped(a.path, divided)
            return Proof("rounds" if looped else "exclusive", fragment=divided)
        for first, second in ((a, b), (b, a)):
            for step in first.path:
                if step.kind != "break" or any(other.fragment == step.fragment for other in second.path):
                    continue
                ended = self.diagram.fragment(step.fragment)
                loop = next((each for each in reversed(ended.path) if each.kind == "loop"), None)
                later = second.number > ended.operands[-1].last
                if later and (loop is None or loop in second.path):
                    return Proof("exclusive" if loop is None else "rounds", fragment=step.fragment)
        return None

    @staticmethod
    def _divided(a: Path, b: Path, kind: str) -> str:
        """The fragment of ``kind`` in different operands of which the two stand; "" if there is none."""
        for one, other in zip(a, b, strict=False):
            if one.fragment != other.fragment:
                return ""
            if one.operand != other.operand:
                return one.fragment if one.kind == kind else ""
        return ""

    @staticmethod
    def _looped(path: Path, fragment: str) -> bool:
        for step in path:
            if step.fragment == fragment:
                return False
            if step.kind == "loop":
                return True
        return False

    def _chain(self, a: Message, b: Message) -> list[Message] | None:
        """The messages that lead from ``a`` to ``b``; ``None`` if no chain does."""
        given = {(step.fragment, step.operand) for step in (*a.path, *b.path)}
        for start, goal in ((2 * a.number, 2 * b.number), (2 * a.number + 1, 2 * b.number + 1)):
            if start not in self._at:
                continue
            came: dict[int, int] = {start: 0}
            queue = deque([start])
            while queue:
                event = queue.popleft()
                if event == goal:
                    return self._told(came, event)
                for following in self._after(event, given):
                    if following not in came and (following >> 1 == b.number or self._happens(following, given)):
                        came[following] = event
                        queue.append(following)
        return None

    def _told(self, came: dict[int, int], event: int) -> list[Message]:
        numbers = []
        while event:
            numbers.append(event >> 1)
            event = came[event]
        return [self.message(number) for number in dict.fromkeys(reversed(numbers))]

    def _happens(self, event: int, given: set[tuple[str, int]]) -> bool:
        """Whether the event happens whenever those in the operands ``given`` do."""
        path = self.message(event >> 1).path
        return all(step.free or (step.fragment, step.operand) in given for step in path)

    def _after(self, event: int, given: set[tuple[str, int]]) -> list[int]:
        """The events that come right after one: on its lifeline up to the first that is sure to happen and stands in
        the same operands of ``par``, since all that comes after this one comes after that one too."""
        found = []
        if not event & 1 and event + 1 in self._at:
            found.append(event + 1)
        id, at = self._at[event]
        path = self.message(event >> 1).path
        beside = _beside(path)
        along = self._along[id]
        for place in range(at + 1, len(along)):
            following = along[place]
            other = self.message(following >> 1).path
            if not self._divided(path, other, "par"):
                found.append(following)
                if _beside(other) == beside and self._happens(following, given):
                    break
        return found


def _beside(path: Path) -> tuple[tuple[str, int], ...]:
    return tuple((step.fragment, step.operand) for step in path if step.kind == "par")
