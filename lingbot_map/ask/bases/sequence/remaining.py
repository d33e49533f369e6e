"""What of a design is still to happen: the states of the automaton that a turn is replayed through.

Equal ones are one object, so that a state is compared and looked up in the same time however long the design is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

Kind = Literal["nothing", "message", "sequence", "choice", "loop", "parallel"]


class Remaining:
    """Of ``kind``, made of ``parts``; a message has its ``number``. ``done``: nothing more need happen."""

    __slots__ = ("done", "firsts", "kind", "number", "parts")

    def __init__(self, kind: Kind, number: int, parts: tuple[Remaining, ...], *, done: bool) -> None:
        self.kind = kind
        self.number = number
        self.parts = parts
        self.done = done
        self.firsts: list[tuple[int, Remaining]] | None = None


class TooMuch(Exception):
    """More was made than may be."""


class Remainders:
    """Makes them, each once; ``most`` bounds the work: parts that were put together, and messages that may come first.
    Of n branches side by side each message leaves n parts, so a bound of states alone would bound nothing."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._made: dict[tuple[Kind, int, tuple[Remaining, ...]], Remaining] = {}
        self.nothing = self._make("nothing", 0, (), done=True)

    def _make(self, kind: Kind, number: int, parts: tuple[Remaining, ...], *, done: bool) -> Remaining:
        self.spend(1 + len(parts))
        key = (kind, number, parts)
        known = self._made.get(key)
        if known is None:
            known = self._made[key] = Remaining(kind, number, parts, done=done)
        return known

    def spend(self, work: int) -> None:
        """Raises TooMuch once that is more than may be."""
        self._left -= work
        if self._left < 0:
            raise TooMuch

    def message(self, number: int) -> Remaining:
        """That message."""
        return self._make("message", number, (), done=False)

    def then(self, first: Remaining, rest: Remaining) -> Remaining:
        """One and then the other."""
        if first is self.nothing:
            return rest
        if rest is self.nothing:
            return first
        return self._make("sequence", 0, (first, rest), done=first.done and rest.done)

    def choice(self, parts: Iterable[Remaining]) -> Remaining:
        """One of several."""
        some = tuple(dict.fromkeys(parts))
        return self._make("choice", 0, some, done=any(part.done for part in some))

    def loop(self, body: Remaining) -> Remaining:
        """Any number of times."""
        return self._make("loop", 0, (body,), done=True)

    def parallel(self, parts: Iterable[Remaining]) -> Remaining:
        """All, each in its own order."""
        some = tuple(part for part in parts if part is not self.nothing)
        if len(some) < 2:
            return some[0] if some else self.nothing
        return self._make("parallel", 0, some, done=all(part.done for part in some))

    def firsts(self, left: Remaining) -> list[tuple[int, Remaining]]:
        """(message, what is left after it) for each message that may come first."""
        if left.firsts is None:
            left.firsts = list(self._firsts(left))
            self.spend(len(left.firsts))
        return left.firsts

    def _firsts(self, left: Remaining) -> Iterator[tuple[int, Remaining]]:
        parts = left.parts
        match left.kind:
            case "message":
                yield left.number, self.nothing
            case "sequence":
                for number, rest in self.firsts(parts[0]):
                    yield number, self.then(rest, parts[1])
                if parts[0].done:
                    yield from self.firsts(parts[1])
            case "choice":
                for part in parts:
                    yield from self.firsts(part)
            case "loop":
                for number, rest in self.firsts(parts[0]):
                    yield number, self.then(rest, left)
            case "parallel":
                for at, part in enumerate(parts):
                    for number, rest in self.firsts(part):
                        yield number, self.parallel((*parts[:at], rest, *parts[at + 1 :]))
