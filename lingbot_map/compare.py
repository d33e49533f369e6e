"""What two maps differ in: turns matched by what was said, then the flow, slots, recalls and findings of each.

A golden map is the facts of its turns as well, so it is compared in the same way. Words of answers, confidences and
scores are no facts here: a bot that says the same thing in other words is the same bot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from lingbot_map.alignment import align
from lingbot_map.checks import CODES
from lingbot_map.graph import DialogueMap
from lingbot_probes.codec import same_json

Kind: TypeAlias = Literal["turn", "jump", "slot", "recall", "answer", "finding"]
STAGES = ("vector", "keyword", "fused", "reranked", "prompt")
_NAMES = {code: kind for kind, code in CODES.items()}
_LONGEST = 120  # characters of a value in a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """What happened in turn ``number`` (0: before the first), after the user ``said`` something.

    ``flow``: the intents routed to, in order. ``slots``: what was written to each, the last value. ``cleared``: slots
    that were emptied and not written again. ``recalled``: the documents of each stage, best first. ``used``: those of
    the answers. ``findings``: their codes, sorted. What was undone later is not in it.
    """

    number: int
    said: str = ""
    flow: tuple[str, ...] = ()
    slots: Mapping[str, Any] = field(default_factory=dict)
    cleared: tuple[str, ...] = ()
    recalled: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    used: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that ``a`` and ``b`` say of a matched turn: ``a_turn`` and ``b_turn`` (None: that side lacks it).

    ``what`` is it of (`slot brand`), ``a`` and ``b`` are words for what each side has.
    """

    kind: Kind
    a_turn: int | None
    b_turn: int | None
    what: str
    a: str
    b: str

    @property
    def expected(self) -> str:
        """What ``a`` has, in words, where ``b`` has something else."""
        return "no such turn" if self.a_turn is None else f"{self.what} {self.a}"

    @property
    def turn(self) -> int:
        """The turn of ``b``; of ``a``, where ``b`` lacks it."""
        return (self.b_turn if self.b_turn is not None else self.a_turn) or 0

    def sentence(self) -> str:
        """``a`` is what was expected, ``b`` what was found."""
        moved = (
            f" (turn {self.a_turn} there)"
            if None not in (self.a_turn, self.b_turn) and self.a_turn != self.turn
            else ""
        )
        return f"turn {self.turn}{moved}: expected {self.expected}, found {self.b}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """``rows`` are pairs of turns' numbers in order of time, None where a side lacks it; ``differences`` in the same
    order, so that the first is where the two part."""

    rows: list[tuple[int | None, int | None]]
    differences: list[Difference]

    @property
    def first(self) -> Difference | None:
        """Where the two part; ``None`` if they are the same."""
        return self.differences[0] if self.differences else None


def facts_of(map: DialogueMap) -> list[TurnFacts]:
    """The turns of ``map``, in order; those that retired are not in it."""
    flow: dict[int, list[str]] = {}
    written: dict[int, dict[str, Any]] = {}
    cleared: dict[int, dict[str, None]] = {}
    recalled: dict[int, dict[str, list[str]]] = {}
    used: dict[int, list[str]] = {}
    undone = bool(map.undone)
    for edge in map.edges.values():
        if undone and map.is_undone(edge.seq):
            continue
        turn = edge.turn
        if edge.kind == "jump" and edge.id.startswith("jump:"):
            flow.setdefault(turn, []).append(edge.target[7:])
        elif edge.kind == "assign":
            name = edge.target[5:]
            if edge.props["change"] == "cleared":
                written.get(turn, {}).pop(name, None)
                cleared.setdefault(turn, {})[name] = None
            else:
                written.setdefault(turn, {})[name] = edge.props["value"]
                cleared.get(turn, {}).pop(name, None)
        elif edge.kind == "recall":
            recalled.setdefault(turn, {}).setdefault(edge.props["stage"], []).append(edge.target[4:])
        elif edge.kind == "merge":
            used.setdefault(turn, []).append(edge.source[4:])
    found: dict[int, list[str]] = {}
    for finding in map.findings.values():
        found.setdefault(finding.turn, []).append(finding.code)
    out = []
    for number in sorted(map.turns):
        node = map.nodes.get(f"utterance:{number}")
        facts = TurnFacts(
            number=number,
            said=node.props["text"] if node is not None else "",
            flow=tuple(flow.get(number, ())),
            slots=written.get(number, {}),
            cleared=tuple(sorted(cleared.get(number, ()))),
            recalled={stage: tuple(docs) for stage, docs in recalled.get(number, {}).items()},
            used=tuple(used.get(number, ())),
            findings=tuple(sorted(found.get(number, ()))),
        )
        out.append(facts)
    return out


def compare(a: Sequence[TurnFacts], b: Sequence[TurnFacts]) -> Comparison:
    """How ``b`` differs from ``a``. Turns are matched by what was said in them (see ``alignment``)."""
    rows: list[tuple[int | None, int | None]] = []
    differences: list[Difference] = []
    i = j = 0
    for k, m in [*align([turn.said for turn in a], [turn.said for turn in b]), (len(a), len(b))]:
        for ours in a[i:k]:
            rows.append((ours.number, None))
            differences.append(_lacking(ours, None))
        for theirs in b[j:m]:
            rows.append((None, theirs.number))
            differences.append(_lacking(None, theirs))
        if k < len(a):
            rows.append((a[k].number, b[m].number))
            differences += _in_turn(a[k], b[m])
        i, j = k + 1, m + 1
    return Comparison(rows, differences)


def end_of(map: DialogueMap, turn: int) -> int:
    """The last event of ``turn``, by its seq; 0 if the map has none of it."""
    for place in range(len(map.moment_turn) - 1, -1, -1):
        if map.moment_turn[place] == turn:
            return map.first_moment + place
    return 0


def shown(value: Any) -> str:
    """A slot's value as a sentence shows it."""
    text = repr(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def same_value(a: Any, b: Any) -> bool:
    """Whether two values of slots are the same as JSON tells them: 1 is 1.0 there, and no true."""
    if type(a) in (int, float) and type(b) in (int, float):
        return bool(a == b)
    if type(a) is list and type(b) is list:
        return len(a) == len(b) and all(map(same_value, a, b))
    if type(a) is dict and type(b) is dict:
        return a.keys() == b.keys() and all(same_value(value, b[key]) for key, value in a.items())
    return same_json(a, b)


def _lacking(ours: TurnFacts | None, theirs: TurnFacts | None) -> Difference:
    return Difference(
        kind="turn",
        a_turn=ours.number if ours else None,
        b_turn=theirs.number if theirs else None,
        what="a turn with",
        a=shown(ours.said) if ours else "none",
        b=shown(theirs.said) if theirs else "none",
    )


def _in_turn(a: TurnFacts, b: TurnFacts) -> Iterator[Difference]:
    def differ(kind: Kind, what: str, one: str, other: str) -> Difference:
        return Difference(kind=kind, a_turn=a.number, b_turn=b.number, what=what, a=one, b=other)

    if a.flow != b.flow:
        yield differ("jump", "the flow", " → ".join(a.flow) or "none", " → ".join(b.flow) or "none")
    for name in dict.fromkeys([*a.slots, *a.cleared, *b.slots, *b.cleared]):
        one, other = _slot(a, name), _slot(b, name)
        if one[0] != other[0] or not same_value(one[1], other[1]):
            yield differ("slot", f"slot {name}", _written(*one), _written(*other))
    for stage in sorted({*a.recalled, *b.recalled}, key=lambda s: (STAGES.index(s) if s in STAGES else 9, s)):
        ours, theirs = a.recalled.get(stage, ()), b.recalled.get(stage, ())
        if ours != theirs:
            place = next((i for i, (x, y) in enumerate(zip(ours, theirs, strict=False)) if x != y), None)
            place = min(len(ours), len(theirs)) if place is None else place
            yield differ("recall", f"document {place + 1} of {stage}", _nth(ours, place), _nth(theirs, place))
    if a.used != b.used:
        yield differ("answer", "an answer from", ", ".join(a.used) or "nothing", ", ".join(b.used) or "nothing")
    ours_found, theirs_found = Counter(a.findings), Counter(b.findings)
    for code in sorted({*a.findings, *b.findings}):
        if ours_found[code] != theirs_found[code]:
            what = f"{code} {_NAMES.get(code, '')}".rstrip()
            yield differ("finding", f"findings of {what}:", _many(ours_found[code]), _many(theirs_found[code]))


def _slot(turn: TurnFacts, name: str) -> tuple[str, Any]:
    if name in turn.slots:
        return "written", turn.slots[name]
    return ("cleared" if name in turn.cleared else "left"), None


def _written(how: str, value: Any) -> str:
    return {"written": f"= {shown(value)}", "cleared": "cleared", "left": "not written"}[how]


def _nth(docs: Sequence[str], place: int) -> str:
    return docs[place] if place < len(docs) else "none"


def _many(count: int) -> str:
    return str(count) if count else "none"
