"""What a map must look like, said in a test: a failure is the smallest difference in words."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from lingbot_map.checks import CODES
from lingbot_map.compare import compare, end_of, facts_of, same_value, shown
from lingbot_map.graph import DialogueMap
from lingbot_map.model import Finding
from lingbot_map.testing.golden import NoGolden, keep_golden, read_facts, updating

_TOLD = 5
"""Differences that a failure tells one by one: the first is where to look, the others follow from it as a rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """Something is not as said: ``expected`` and ``found`` in words, in ``turn`` (0: the session as a whole).

    ``seq`` is the event at which it shows (0: the end).
    """

    expected: str
    found: str
    turn: int = 0
    seq: int = 0

    def __str__(self) -> str:
        where = f"turn {self.turn}: " if self.turn else ""
        return f"{where}expected {self.expected}, found {self.found}"


class MapDiffers(AssertionError):
    """``map`` is not as said: ``mismatches``, the first of them where to look; ``more`` of them are not listed."""

    def __init__(self, map: DialogueMap, mismatches: Sequence[Mismatch], more: int = 0) -> None:
        super().__init__(map.session, list(mismatches), more)
        self.map = map
        self.mismatches = list(mismatches)
        self.more = more

    def __str__(self) -> str:
        lines = [f"- {mismatch}" for mismatch in self.mismatches]
        if self.more:
            lines.append(f"- and {self.more} more, which may follow from these")
        return f"session {self.map.session}:\n" + "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return AssertionError, (str(self),)  # a map does not travel between processes


class Asserted:
    """Claims about one map. Each returns it again, or raises ``MapDiffers``."""

    def __init__(self, map: DialogueMap) -> None:
        self.map = map

    def jumped(self, *intents: str, at_turn: int | None = None) -> Asserted:
        """The flow went through ``intents`` one right after the other, coming to the last one in ``at_turn``."""
        __tracebackhide__ = True
        if len(intents) < 2:
            raise ValueError("a jump is from one intent to another: name at least two")
        runs, best = list(_runs(self.map, intents)), None
        for run in runs:
            if len(run) == len(intents) and at_turn in (None, run[-1].turn):
                return self
            if best is None or len(run) > len(best):
                best = run
        expected = f"a jump {' → '.join(intents)}" + (f" in turn {at_turn}" if at_turn else "")
        if best is None:
            flow = " → ".join(islice((visit.intent for visit in self.map.indexes.walk.visits), 12))
            return self._fail(expected, f"no visit of {intents[0]}; the flow was {flow or 'empty'}")
        if len(best) == len(intents):
            turns = ", ".join(str(run[-1].turn) for run in runs if len(run) == len(intents))
            return self._fail(expected, f"it in turn {turns}", at_turn or best[-1].turn)
        visits = self.map.indexes.walk.visits
        place = visits.index(best[-1]) + 1
        if place < len(visits):
            next_one = visits[place]
            return self._fail(expected, f"{best[-1].intent} → {next_one.intent}", next_one.turn, next_one.seq)
        return self._fail(expected, f"{best[-1].intent} as the last intent of the session", best[-1].turn)

    def never_jumped(self, *intents: str) -> Asserted:
        """The flow never went through ``intents`` one right after the other."""
        __tracebackhide__ = True
        if len(intents) < 2:
            raise ValueError("a jump is from one intent to another: name at least two")
        for run in _runs(self.map, intents):
            if len(run) == len(intents):
                last = run[-1]
                let = f" (let through by {last.condition})" if last.condition else ""
                return self._fail(f"no jump {' → '.join(intents)}", f"it{let}", last.turn, last.seq)
        return self

    def path(self, *intents: str) -> Asserted:
        """The flow was ``intents``, from the first visit to the last."""
        __tracebackhide__ = True
        return self._hold(_path(self.map, intents))

    def slot(self, name: str) -> SlotAsserted:
        """What is claimed of slot ``name``."""
        return SlotAsserted(self, name)

    def has(self, *kinds: str) -> Asserted:
        """There is a finding of each of ``kinds`` (or codes). Raises ``ValueError`` for one that there is not."""
        __tracebackhide__ = True
        return self._hold(_has(self.map, kinds))

    def never(self, *kinds: str) -> Asserted:
        """There is no finding of any of ``kinds`` (or codes). Raises ``ValueError`` for one that there is not."""
        __tracebackhide__ = True
        return self._hold(_has_none(self.map, kinds))

    def has_no(self, what: str = "findings", *, except_: Sequence[str] = ()) -> Asserted:
        """No finding at all (``what`` = "findings"), or none of the kind or code ``what``, but for ``except_``."""
        __tracebackhide__ = True
        if isinstance(except_, str):
            except_ = [except_]
        known(*except_, *([] if what == "findings" else [what]))
        kinds = [kind for kind in CODES if what in ("findings", kind, CODES[kind])]
        return self._hold(_has_none(self.map, [k for k in kinds if k not in except_ and CODES[k] not in except_]))

    def recalled(
        self,
        doc: str,
        *,
        stage: str | None = None,
        rank: int | None = None,
        rank_at_most: int | None = None,
        at_turn: int | None = None,
    ) -> Asserted:
        """Document ``doc`` was recalled: by ``stage``, at ``rank`` (1 is first) or no further down than
        ``rank_at_most``, in ``at_turn``; where one is left out, any will do."""
        __tracebackhide__ = True
        best = None
        for edge in self.map.edges.values():
            if edge.kind != "recall" or edge.target != f"doc:{doc}" or self.map.is_undone(edge.seq):
                continue
            if stage not in (None, edge.props["stage"]) or at_turn not in (None, edge.turn):
                continue
            found = edge.props["rank"]
            if rank in (None, found) and (rank_at_most is None or found <= rank_at_most):
                return self
            if best is None or found < best.props["rank"]:
                best = edge
        by = f" by {stage}" if stage else ""
        place = f" at rank {rank}" if rank else f" at rank {rank_at_most} at most" if rank_at_most else ""
        expected = f"document {doc} recalled{by}{place}"
        if best is not None:
            found_at = f"it at rank {best.props['rank']} of {best.props['stage']}"
            return self._fail(expected, found_at, best.turn, best.seq)
        return self._fail(expected, self._recalls(stage, at_turn), at_turn or 0)

    def answered_from(self, *docs: str) -> Asserted:
        """The newest answer was made from ``docs``, in that order; without any, from none."""
        __tracebackhide__ = True
        return self._hold(_documents(self.map, docs))

    def matches(self, golden: str | os.PathLike[str]) -> Asserted:
        """The map is as the golden map in the file ``golden``: the same turns, flow, slots, recalls and findings.

        A relative path is looked for beside the file that calls. Turns are matched by what was said. Any recording
        that opens will do as a golden map. With pytest's ``--update-golden`` (or ``LINGBOT_UPDATE_GOLDEN=1``) the
        file is written anew instead. Raises ``BadInput`` for a file that can't be read.
        """
        __tracebackhide__ = True
        path = Path(sys._getframe(1).f_code.co_filename).parent / golden
        if updating():
            keep_golden(path, self.map)
            return self
        if not path.exists():
            raise NoGolden(str(path))
        expected = read_facts(path, self.map.session)
        differences = compare(expected, facts_of(self.map)).differences
        return self._hold(
            Mismatch(expected=each.expected, found=each.b, turn=each.turn, seq=end_of(self.map, each.turn))
            for each in differences
        )

    def _recalls(self, stage: str | None, turn: int | None) -> str:
        docs = [
            edge.target[4:]
            for edge in self.map.edges.values()
            if edge.kind == "recall" and stage in (None, edge.props["stage"]) and turn in (None, edge.turn)
        ]
        several = list(dict.fromkeys(docs))
        return f"only {', '.join(several[:_TOLD])}{' …' * (len(several) > _TOLD)}" if several else "nothing recalled"

    def _fail(self, expected: str, found: str, turn: int = 0, seq: int = 0) -> NoReturn:
        __tracebackhide__ = True
        seq = seq or (end_of(self.map, turn) if turn else 0)
        raise MapDiffers(self.map, [Mismatch(expected=expected, found=found, turn=turn, seq=seq)])

    def _hold(self, mismatches: Iterable[Mismatch]) -> Asserted:
        __tracebackhide__ = True
        wrong = list(mismatches)
        if wrong:
            raise MapDiffers(self.map, wrong[:_TOLD], max(len(wrong) - _TOLD, 0))
        return self


class SlotAsserted:
    """Claims about one slot; each returns the claims about its map."""

    def __init__(self, asserted: Asserted, name: str) -> None:
        self._asserted = asserted
        self.name = name

    def was(self, value: Any, *, at_turn: int) -> Asserted:
        """The slot held ``value`` (``None``: none) at the end of turn ``at_turn``."""
        __tracebackhide__ = True
        map = self._asserted.map
        if at_turn > map.turn or at_turn <= map.retired:
            expected = f"slot {self.name} = {shown(value)} in turn {at_turn}"
            return self._asserted._fail(expected, f"a session of {map.turn} turns")
        return self._asserted._hold(_slot(map, self.name, value, at_turn))

    def ends_as(self, value: Any) -> Asserted:
        """The slot holds ``value`` (``None``: none) at the end of the session."""
        __tracebackhide__ = True
        return self._asserted._hold(_slot(self._asserted.map, self.name, value, 0))


def assert_map(
    map: DialogueMap,
    *,
    path: Sequence[str] | None = None,
    slots: Mapping[str, Any] | None = None,
    has: Sequence[str] = (),
    none: Sequence[str] = (),
    answered_from: Sequence[str] | None = None,
) -> Asserted:
    """Claims about ``map`` to go on with: ``assert_map(map).jumped("a", "b").never("leak")``.

    What is said by name is claimed at once, and all that is not so is told together: ``path``: the intents in the
    order of their visits. ``slots``: the values that slots have now (``None``: not set). ``has``, ``none``: kinds or
    codes of findings that must, or must not, be there (``ValueError`` for one that there is not). ``answered_from``:
    the documents of the newest answer. Raises ``MapDiffers``, an ``AssertionError``.
    """
    __tracebackhide__ = True
    wrong: list[Mismatch] = []
    if path is not None:
        wrong += _path(map, path)
    for name, value in (slots or {}).items():
        wrong += _slot(map, name, value, 0)
    wrong += [*_has(map, has), *_has_none(map, none)]
    if answered_from is not None:
        wrong += _documents(map, answered_from)
    if wrong:
        raise MapDiffers(map, wrong)
    return Asserted(map)


def known(*kinds: str) -> None:
    """Raises ``ValueError`` unless each of ``kinds`` is a kind or a code of findings."""
    for kind in kinds:
        if kind not in CODES and kind not in CODES.values():
            names = ", ".join(f"{name} ({code})" for name, code in CODES.items())
            raise ValueError(f"no finding is called {kind!r}; there are {names}")


def _runs(map: DialogueMap, intents: Sequence[str]) -> Iterator[list[Any]]:
    """For each visit of the first of ``intents``, how far the flow went on as they say."""
    visits = map.indexes.walk.visits
    for start, visit in enumerate(visits):
        if visit.intent == intents[0]:
            run = []
            for intent, following in zip(intents, islice(visits, start, None), strict=False):
                if following.intent != intent:
                    break
                run.append(following)
            yield run


def _path(map: DialogueMap, expected: Sequence[str]) -> Iterator[Mismatch]:
    visits = map.indexes.walk.visits
    found = [visit.intent for visit in visits]
    if found == list(expected):
        return
    place = next((i for i, (x, y) in enumerate(zip(found, expected, strict=False)) if x != y), len(expected))
    parted = visits[place] if place < len(visits) else None
    yield Mismatch(
        expected=f"the flow {' → '.join(expected) or 'none'}",
        found=" → ".join(found) or "none",
        turn=parted.turn if parted else 0,
        seq=parted.seq if parted else 0,
    )


def _slot(map: DialogueMap, name: str, value: Any, turn: int) -> Iterator[Mismatch]:
    seq = end_of(map, turn) if turn else map.seq
    props = map.props_at(f"slot:{name}", seq)
    found = props["value"] if props.get("set") else None
    if same_value(found, value):
        return
    written = f" (written in turn {props['turn']})" if props.get("set") else ""
    yield Mismatch(
        expected=f"slot {name} = {shown(value)}",
        found=shown(found) + written,
        turn=turn or props.get("turn", 0),
        seq=seq if turn else props.get("seq", 0),
    )


def _has(map: DialogueMap, kinds: Sequence[str]) -> Iterator[Mismatch]:
    known(*kinds)
    for kind in kinds:
        if not any(kind in (finding.kind, finding.code) for finding in map.findings.values()):
            there = ", ".join(sorted({finding.kind for finding in map.findings.values()}))
            yield Mismatch(expected=f"a {kind} finding", found=there or "none")


def _has_none(map: DialogueMap, kinds: Sequence[str]) -> Iterator[Mismatch]:
    known(*kinds)
    found: list[tuple[str, Finding]] = [
        (kind, finding) for finding in map.findings.values() for kind in kinds if kind in (finding.kind, finding.code)
    ]
    for kind, finding in sorted(found, key=lambda pair: pair[1].seq):
        reason = finding.reason["en"]
        yield Mismatch(expected=f"no {kind} finding", found=reason, turn=finding.turn, seq=finding.seq)


def _documents(map: DialogueMap, expected: Sequence[str]) -> Iterator[Mismatch]:
    answers = [node for node in map.nodes.values() if node.kind == "answer" and not map.is_undone(node.seq)]
    found = answers[-1].props["docs"] if answers else []
    if found != list(expected):
        last = answers[-1] if answers else None
        yield Mismatch(
            expected=f"an answer from {list(expected)}",
            found=str(found),
            turn=last.turn if last else 0,
            seq=last.seq if last else 0,
        )
