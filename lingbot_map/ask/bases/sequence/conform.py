"""Design against record: did what was recorded happen as a diagram designed it?

``conform`` is a pure function over a neutral list of steps, in the order in which they happened::

    Did(kind="utterance", name="", event=41)       the user said something
    Did(kind="route", name="purchase", event=42)   an intent was recognised; it is dispatched to as well
    Did(kind="clear", name="brand", event=43)      a slot was emptied     (``write``: set, ``read``: used)
    Did(kind="retrieve", name="vector", event=44)  documents were asked for (``rerank``: put in another order)
    Did(kind="answer", name="", event=45)          the bot answered       (``fail``: something went wrong)

``recorded.Recorded(map)`` makes them from a ``DialogueMap``; any other source can make its own. What a message of the
diagram stands for is said by ``meaning.meanings``; where its label names a slot or an intent that the record knows, it
stands for that one alone. A message that stands for no kind can't be seen in a record: it is listed as unchecked and
counts neither way.

The diagram becomes an automaton; the steps are replayed through it at the least cost, where a designed message that did
not happen costs 1 and a step that nobody designed costs 1. Steps of kinds that the diagram never speaks of are beyond
it and cost nothing. ``facts`` say which conditions are known to hold or not; the others are open, and the cheapest way
through them is taken.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lingbot_map.ask.bases.sequence.ir import Diagram, Message, Step
from lingbot_map.ask.bases.sequence.meaning import RETRIEVAL, Meaning, Said, meanings
from lingbot_map.ask.bases.sequence.remaining import Remainders, Remaining, TooMuch
from lingbot_map.ask.text import folded
from lingbot_map.errors import BadInput

MOST_STATES = 20_000
"""Places of the replay that are visited; a turn of ten steps through a diagram of ten messages needs some hundred."""

MOST_WORK = 1_000_000
"""Parts and moves that are looked at on the way, see ``Remainders``: a second or two of it."""
_MOVE = 5  # times the work of a part

Facts = Callable[[str], bool | None]
"""Whether a condition holds; ``None`` where nothing is known of it."""


@dataclass(frozen=True, slots=True)
class Did:
    """One step that happened: its ``kind``, what it was done with (``name``), and the number of its event."""

    kind: str
    name: str
    event: int


@dataclass(frozen=True, slots=True)
class Conformance:
    """How a record stands to a design. ``matched`` are (message, event); ``missing`` are designed messages that did not
    happen, ``extra`` steps that nobody designed, ``beyond`` steps of kinds that the diagram doesn't speak of,
    ``unchecked`` messages that no record could show. ``entered`` are the branches taken, ``decided`` the fragments
    that a known fact decided, ``displaced`` those missing messages that an extra step is, at another place.

    ``trace`` is the replay in order: (message, step), without a step where it is missing, without a message where the
    step is extra. A message that an earlier step shows (``dispatch``) comes with that step again."""

    matched: tuple[tuple[Message, int], ...] = ()
    missing: tuple[Message, ...] = ()
    extra: tuple[Did, ...] = ()
    beyond: tuple[Did, ...] = ()
    unchecked: tuple[Message, ...] = ()
    entered: tuple[Step, ...] = ()
    decided: tuple[str, ...] = ()
    displaced: tuple[tuple[Message, Did], ...] = ()
    trace: tuple[tuple[Message | None, Did | None], ...] = ()

    @property
    def conforms(self) -> bool:
        """Whether all that was designed happened, and nothing else of its kinds."""
        return not self.missing and not self.extra

    @property
    def cost(self) -> int:
        """Missing and extra steps together."""
        return len(self.missing) + len(self.extra)


_IMPLIED = {"dispatch": "route"}
"""Kinds that a record shows by another one: whoever is routed to was dispatched to."""


def conform(
    diagram: Diagram,
    steps: Sequence[Did],
    *,
    facts: Facts = lambda condition: None,
    slots: frozenset[str] = frozenset(),
    intents: frozenset[str] = frozenset(),
    meant: Mapping[int, Meaning] | None = None,
    spoken: frozenset[str] = frozenset(),
) -> Conformance:
    """The cheapest replay of ``steps`` through ``diagram``; the same for the same input. ``slots`` and ``intents`` are
    the names that the record knows, ``meant`` what each message stands for, by its number (none: as it reads),
    ``spoken`` kinds of steps that the design speaks of besides those of its messages.

    Raises BadInput where the diagram is too large to replay a turn against.
    """
    if meant is None:
        meant = meanings(diagram, Said({}, {}))
    kinds = {message.number: meant[message.number].kind for message in diagram.messages}
    within = spoken.union(kinds.values())
    within |= {_IMPLIED[kind] for kind in within if kind in _IMPLIED}
    play = [step for step in steps if step.kind in within]
    checked = {number for number, kind in kinds.items() if kind}
    fits = _Fits(diagram, meant, play, slots, intents)
    made = Remainders(MOST_WORK)
    try:
        design = _Design(made, diagram, checked, facts)
        goal = _replay(made, design.expression, play, fits)
    except (RecursionError, TooMuch):
        goal = None
    if goal is None:
        expected = "a diagram that one turn can be replayed against"
        raise BadInput(diagram.source, expected, "one of too many states", "divide it")
    matched = [(number, play[at].event) for number, at in goal if number and at is not None]
    missing = [number for number, at in goal if at is None]
    extra = [at for number, at in goal if not number and at is not None]
    named = {message.number: message for message in diagram.messages}
    numbers = {number for number, _ in matched} | set(missing)
    entered = {step: None for number in sorted(numbers) for step in named[number].path}
    apart = [(number, play[at]) for number in sorted(missing) for at in sorted(extra) if fits.match(number, play[at])]
    return Conformance(
        matched=tuple((named[number], event) for number, event in sorted(matched)),
        missing=tuple(named[number] for number in sorted(missing)),
        extra=tuple(play[at] for at in sorted(extra)),
        beyond=tuple(step for step in steps if step.kind not in within),
        unchecked=tuple(message for message in diagram.messages if message.number not in checked),
        entered=tuple(entered),
        decided=tuple(design.decided),
        displaced=_pairs(named, apart),
        trace=tuple((named.get(number), play[at] if at is not None else None) for number, at in goal),
    )


def _pairs(named: Mapping[int, Message], apart: Sequence[tuple[int, Did]]) -> tuple[tuple[Message, Did], ...]:
    pairs: dict[int, Did] = {}
    for number, step in apart:
        if number not in pairs and step not in pairs.values():
            pairs[number] = step
    return tuple((named[number], step) for number, step in pairs.items())


class _Fits:
    """Which step can be which message."""

    def __init__(
        self,
        diagram: Diagram,
        meant: Mapping[int, Meaning],
        play: Sequence[Did],
        slots: frozenset[str],
        intents: frozenset[str],
    ) -> None:
        self.meant = meant
        self._play = play
        known = {"write": slots, "read": slots, "clear": slots, "route": intents, "dispatch": intents}
        self.names = {
            message.number: _names_of(message, meant[message.number], known.get(meant[message.number].kind))
            for message in diagram.messages
        }

    def match(self, number: int, step: Did) -> bool:
        """Whether the step is that message."""
        names = self.names[number]
        return step.kind == self.meant[number].kind and (not names or step.name in names)

    def implied(self, number: int) -> int | None:
        """The place of the step that shows the message although it is none of its own."""
        kind = _IMPLIED.get(self.meant[number].kind)
        names = self.names[number]
        shown = (at for at, step in enumerate(self._play) if step.kind == kind and (not names or step.name in names))
        return next(shown, None) if kind else None


def _names_of(message: Message, meaning: Meaning, known: frozenset[str] | None) -> frozenset[str]:
    """The names of which a step must have one; none: any will do."""
    if meaning.strict or (meaning.names and meaning.kind in RETRIEVAL):
        return meaning.names
    if known is None:
        return frozenset()
    label = folded(message.label)
    said = f" {' '.join(''.join(char if _of_name(char) else ' ' for char in label).split())} "
    return meaning.names & known or frozenset(
        name for name in known if name and (f" {folded(name)} " in said if name.isascii() else folded(name) in label)
    )


def _of_name(char: str) -> bool:
    return char in "_-." or (char.isalnum() and char.isascii())


class _Design:
    """A diagram as an expression of its checked messages; ``decided`` are the fragments that a fact decided."""

    def __init__(self, made: Remainders, diagram: Diagram, checked: set[int], facts: Facts) -> None:
        self._made = made
        self._diagram = diagram
        self._checked = checked
        self._facts = facts
        self._inside: dict[tuple[str, int], list[tuple[int, object]]] = {}
        self.decided: list[str] = []
        for message in diagram.messages:
            self._put(message.path, message.number, 1, message)
        for fragment in diagram.fragments:
            self._put(fragment.path, fragment.operands[0].first, 0, fragment)
        self.expression = self._sequence(("", 0))

    def _put(self, path: Sequence[Step], place: int, late: int, what: object) -> None:
        key = (path[-1].fragment, path[-1].operand) if path else ("", 0)
        self._inside.setdefault(key, []).append((2 * place + late, what))

    def _sequence(self, key: tuple[str, int]) -> Remaining:
        made = self._made
        said = sorted(self._inside.get(key, ()), key=lambda each: each[0])
        whole = made.nothing
        for _, what in reversed(said):
            if isinstance(what, Message):
                if what.number in self._checked:
                    whole = made.then(made.message(what.number), whole)
            else:
                whole = self._fragment(what, whole)
        return whole

    def _fragment(self, fragment: object, rest: Remaining) -> Remaining:
        made = self._made
        kind, id, operands = fragment.kind, fragment.id, fragment.operands  # type: ignore[attr-defined]
        if kind == "ref":
            return rest
        bodies = [self._sequence((id, operand.number)) for operand in operands]
        if kind == "par":
            return made.then(made.parallel(bodies), rest)
        if kind in ("critical", "group"):
            for body in reversed(bodies):
                rest = made.then(body, rest)
            return rest
        known = [self._facts(operand.condition) if operand.condition else None for operand in operands]
        if any(each is not None for each in known):
            self.decided.append(id)
        if kind == "loop":
            return rest if known[0] is False else made.then(made.loop(bodies[0]), rest)
        if kind == "break":
            choices = [] if known[0] is False else [bodies[0]]
            return made.choice(choices if known[0] else [*choices, rest])
        if True in known:
            return made.then(bodies[known.index(True)], rest)
        choices = [body for body, holds in zip(bodies, known, strict=True) if holds is None]
        if kind == "opt" or (len(bodies) == 1) or not choices:
            choices.append(made.nothing)
        return made.then(made.choice(choices), rest)


_State = tuple[Remaining, int]
_Came = dict[_State, tuple[_State, int, int | None] | None]
_Goal = list[tuple[int, int | None]]
"""The replay in order: (number of a message or 0, place of a step or None)."""


def _replay(made: Remainders, start: Remaining, play: Sequence[Did], fits: _Fits) -> _Goal | None:
    """Dijkstra over (what is left of the design, steps replayed); of equal costs the way that matches first."""
    count = 0
    queue: list[tuple[int, int, int, Remaining, int]] = [(0, 0, 0, start, 0)]
    came: _Came = {(start, 0): None}
    costs = {(start, 0): (0, 0)}
    done = set()
    while queue:
        cost, against, _, left, at = heapq.heappop(queue)
        here = (left, at)
        if here in done:
            continue
        done.add(here)
        if len(done) > MOST_STATES:
            return None
        if at == len(play) and left.done:
            return _way(came, here)
        moves: list[tuple[int, int, Remaining, int, int, int | None]] = []
        for number, rest in made.firsts(left):
            if at < len(play) and fits.match(number, play[at]):
                moves.append((0, -1, rest, at + 1, number, at))
            if (shown := fits.implied(number)) is not None:
                moves.append((0, 0, rest, at, number, shown))
            moves.append((1, 0, rest, at, number, None))
        if at < len(play):
            moves.append((1, 0, left, at + 1, 0, at))
        made.spend(_MOVE * len(moves))
        for price, gain, rest, place, number, step in moves:
            there, total = (rest, place), (cost + price, against + gain)
            if there not in done and total < costs.get(there, (1 << 30, 0)):
                costs[there] = total
                came[there] = (here, number, step)
                count += 1
                heapq.heappush(queue, (*total, count, rest, place))
    return None


def _way(came: _Came, here: _State) -> _Goal:
    found: _Goal = []
    while (step := came[here]) is not None:
        here, number, place = step
        found.append((number, place))
    return found[::-1]
