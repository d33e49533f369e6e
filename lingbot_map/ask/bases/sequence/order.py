"""What happens before what: the events of sending and receiving under weak sequencing (UML 2.5, 17.6).

Along one lifeline events happen as drawn, except across the operands of one ``par``; a message is sent before it is
received. An order holds through other events only if these happen whenever the two that are asked for do. Notes such
as "must call X before Y" add to the order and are named where it rests on them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
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
        for relation, first, second in (("before", a, b), ("after", b, a)):
            if (chain := self._chain(first, second)) is not None:
                return Proof("before" if relation == "before" else "after", tuple(chain), round=_rounds(a, b))
        return self._loose(a, b)

    def _loose(self, a: Message, b: Message) -> Proof:
        """How two stand that no chain leads between: as a note says, else in no order."""
        for said in self.constraints:
            if {said.first, said.second} == {a.number, b.number}:
                return Proof("before" if said.first == a.number else "after", (), (said.note,), round=_rounds(a, b))
        divided = self._divided(a.path, b.path, "par")
        return Proof("parallel" if divided else "unordered", fragment=divided)

    def relations(self, pairs: Sequence[tuple[Message, Message]]) -> list[Relation]:
        """The relation of each pair as ``between`` proves it, from one pass over the events for all of them."""
        found: list[Relation | None] = []
        for a, b in pairs:
            apart = None if a.number == b.number else self._apart(a, b)
            found.append("same" if a.number == b.number else apart.relation if apart else None)
        wanted = [at for at, relation in enumerate(found) if relation is None]
        drawn = [sorted(pairs[at], key=lambda message: message.number) for at in wanted]
        for at, leads in zip(wanted, self._lead([(first, second) for first, second in drawn]), strict=True):
            a, b = pairs[at]
            if leads:
                found[at] = "before" if a.number < b.number else "after"
            else:
                found[at] = self._loose(a, b).relation
        return [relation for relation in found if relation is not None]

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
        """The messages that lead from ``a`` to ``b``; ``None`` if no chain does, and none leads back over the page."""
        if b.number < a.number:
            return None
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
                    if following in came or following > goal:
                        continue
                    if following >> 1 == b.number or self._happens(following, given):
                        came[following] = event
                        queue.append(following)
        return None

    def _lead(self, pairs: Sequence[tuple[Message, Message]]) -> list[bool]:
        """Whether ``_chain`` finds one for each pair, of which the first is drawn above: a bit for each pair and end
        goes along the events that happen for it, all in one pass, since what follows an event is drawn below it."""
        every = (1 << 2 * len(pairs)) - 1
        granted: dict[tuple[str, int], int] = {}
        carried: dict[int, int] = {}
        goals = []
        for at, (a, b) in enumerate(pairs):
            for step in {(step.fragment, step.operand) for step in (*a.path, *b.path)}:
                granted[step] = granted.get(step, 0) | 3 << 2 * at
            for end in (0, 1):
                if (start := 2 * a.number + end) in self._at:
                    carried[start] = carried.get(start, 0) | 1 << 2 * at + end
                goals.append((2 * b.number + end, 1 << 2 * at + end))
        happening: dict[Path, int] = {(): every}

        def happens(path: Path) -> int:
            """The bits of those pairs that an event of this path happens for."""
            known = happening.get(path)
            if known is None:
                known = every
                for step in path:
                    known &= every if step.free else granted.get((step.fragment, step.operand), 0)
                happening[path] = known
            return known

        last = max((goal for goal, _ in goals), default=0)
        for event in range(min(carried, default=last), last):
            bits = carried.get(event, 0)
            if not bits:
                continue
            path = self.message(event >> 1).path
            if not event & 1 and event + 1 in self._at:
                carried[event + 1] = carried.get(event + 1, 0) | bits & happens(path)
            id, at = self._at[event]
            beside, along = _beside(path), self._along[id]
            for place in range(at + 1, len(along)):
                following = along[place]
                other = self.message(following >> 1).path
                if following > last:
                    break
                if not self._divided(path, other, "par"):
                    reached = bits & happens(other)
                    carried[following] = carried.get(following, 0) | reached
                    # What comes after the other in the same operands, or around them, comes after that one too.
                    above = _beside(other)
                    if beside[: len(above)] == above:
                        bits &= ~reached
                        if not bits:
                            break
        reached_goals = [bool(carried.get(goal, 0) & bit) for goal, bit in goals]
        return [either or other for either, other in zip(reached_goals[::2], reached_goals[1::2], strict=True)]

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


def _rounds(a: Message, b: Message) -> bool:
    """Whether both stand in one loop, so that an order holds within its rounds."""
    return any(step.kind == "loop" and step in b.path for step in a.path)


def _beside(path: Path) -> tuple[tuple[str, int], ...]:
    return tuple((step.fragment, step.operand) for step in path if step.kind == "par")
