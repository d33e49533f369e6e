"""Designs, and how sessions stand to them, as reports, the page and tests say it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lingbot_map.ask.bases.sequence.conform import Did
from lingbot_map.ask.bases.sequence.design import Design, Held, Turn, designed, hold
from lingbot_map.ask.bases.sequence.ir import Message
from lingbot_map.ask.bases.sequence.source import text_of
from lingbot_map.graph import DialogueMap
from lingbot_map.testing import MapDiffers, Mismatch

Status = Literal["matched", "missing", "extra", "elsewhere"]
"""``elsewhere``: designed, and it happened, but at another place in the turn."""

_LONGEST = 120
"""Characters of a message's label that a sentence shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of a turn, in the order of the replay. ``message`` is the number of a designed message (``m3``; "": nobody
    designed the step), with its ``label``, ``line`` and the ``condition`` it stands under; ``event`` is the number of
    the event (0: it did not happen) that ``kind`` and ``name`` are of, or would be of."""

    status: Status
    message: str = ""
    label: str = ""
    line: int = 0
    condition: str = ""
    event: int = 0
    kind: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignedTurn:
    """How a turn stands to its design; ``fault`` says why it can't be held against it ("": it was)."""

    turn: int
    conforms: bool
    steps: Sequence[Step]
    fault: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAs:
    """What a message of a design was taken for, and ``by`` what: a comment or rule that says it, who speaks to whom
    (``ends``), the ``form`` or the ``words`` of its label; "": nothing says it, so no record can show it."""

    message: str
    label: str
    line: int
    kind: str
    name: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignReport:
    """A session held against the design of the file ``design``: ``undrawn`` are turns that the design leaves out. A
    ``blind`` design is one of which a record shows no more than that somebody spoke and was answered."""

    design: str
    conforms: bool
    matched: int
    blind: bool
    turns: Sequence[DesignedTurn]
    undrawn: Sequence[int]
    read_as: Sequence[ReadAs]

    @property
    def unmapped(self) -> list[ReadAs]:
        """Messages that nothing in a record could show, and that nobody said to leave out."""
        return [each for each in self.read_as if not each.by]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """Something that is not as designed, in ``turn`` (0: the session) at event ``seq`` (0: none). ``id`` is the same in
    each run; what was ``expected`` and ``found`` is in English, ``zh`` is the sentence in Chinese."""

    id: str
    turn: int
    seq: int
    seqs: Sequence[int]
    expected: str
    found: str
    zh: str

    def text(self, lang: str) -> str:
        """The sentence in a language."""
        return self.zh if lang == "zh" else f"expected {self.expected}, found {self.found}"


def read_design(path: Path, messages: Mapping[str, str] | None = None, said_at: str = "") -> Design:
    """The design of a file. Raises BadInput with the line for one that can't be understood, see ``designed``."""
    return designed(text_of(path), str(path), messages, said_at)


def follows(
    map: DialogueMap, design: str | Path, *, at_turn: int | None = None, messages: Mapping[str, str] | None = None
) -> None:
    """Assert that a map went as the diagram in the file ``design`` draws it, in ``at_turn`` or in every turn.
    ``messages`` say what messages stand for, as in a rules file. Raises ``MapDiffers``, and ``BadInput`` for the file.
    """
    __tracebackhide__ = True
    read = read_design(Path(design), messages, "messages=")
    report = report_of(hold(read, map, (at_turn,) if at_turn else ()))
    found = list(deviations(report))
    if found:
        told = [Mismatch(expected=each.expected, found=each.found, turn=each.turn, seq=each.seq) for each in found[:5]]
        raise MapDiffers(map, told, len(found) - len(told))


def report_of(held: Held) -> DesignReport:
    """How a session stands to a design, in plain values."""
    design = held.design
    return DesignReport(
        design=design.source,
        conforms=held.conforms,
        matched=held.matched,
        blind=held.blind,
        turns=[_turn(turn) for turn in held.turns],
        undrawn=held.undrawn,
        read_as=[_read_as(message, design) for message in design.diagram.messages],
    )


def _read_as(message: Message, design: Design) -> ReadAs:
    meaning = design.meant[message.number]
    name = min(meaning.names, default="", key=lambda name: (len(name), name))
    return ReadAs(
        message=message.id, label=message.label, line=message.line, kind=meaning.kind, name=name, by=meaning.by
    )


def _turn(turn: Turn) -> DesignedTurn:
    elsewhere = {message.number: step for message, step in turn.found.displaced}
    moved = set(elsewhere.values())
    steps = []
    for message, step in turn.found.trace:
        if message is None:
            if step is not None and step not in moved:
                steps.append(Step(status="extra", event=step.event, kind=step.kind, name=step.name))
        elif step is not None:
            steps.append(_designed(message, "matched", step))
        elif message.number in elsewhere:
            steps.append(_designed(message, "elsewhere", elsewhere[message.number]))
        else:
            steps.append(_designed(message, "missing", None))
    return DesignedTurn(turn=turn.number, conforms=turn.conforms, steps=steps, fault=turn.fault)


def _designed(message: Message, status: Status, step: Did | None) -> Step:
    return Step(
        status=status,
        message=message.id,
        label=message.label,
        line=message.line,
        condition=" > ".join(step.condition for step in message.path if step.condition),
        event=step.event if step is not None else 0,
        kind=step.kind if step is not None else "",
        name=step.name if step is not None else "",
    )


def deviations(report: DesignReport) -> Iterator[Deviation]:
    """What of a session is not as designed. One that has nothing to do with the design has one deviation that says so:
    that all is missing and all is extra would tell no more."""
    path = report.design
    if not report.matched:
        fault = next((turn.fault for turn in report.turns if turn.fault), "")
        yield Deviation(
            id=f"{path}:nothing",
            turn=0,
            seq=0,
            seqs=(),
            expected=f"steps of {path} in {_turns(len(report.turns))}",
            found=fault or "none of them: the design maps to nothing in this record",
            zh=f"{len(report.turns)} 轮中没有一步对得上 {path}：{fault or '设计图与记录毫不相干'}",
        )
        return
    if report.blind:
        unmapped = report.unmapped
        some = ", ".join(f"{each.message} {each.label[:40]}" for each in unmapped[:3])
        yield Deviation(
            id=f"{path}:blind",
            turn=0,
            seq=0,
            seqs=(),
            expected=f"messages of {path} that say what a probe records",
            found=f"{len(unmapped):,} that stand for nothing ({some}); say what they stand for, or none",
            zh=f"{path} 里有 {len(unmapped):,} 条消息在记录里没有对应（{some}）；请写明各对应哪一步，或写 none",
        )
    for turn in report.turns:
        if turn.fault:
            yield Deviation(
                id=f"{path}:{turn.turn}",
                turn=turn.turn,
                seq=0,
                seqs=(),
                expected=f"a turn as in {path}",
                found=turn.fault,
                zh=f"无法与 {path} 对照：{turn.fault}",
            )
        last = 0
        for place, step in enumerate(turn.steps):
            if step.status == "matched":
                last = step.event
            else:
                yield _deviation(path, turn.turn, place, step, last)


def _deviation(path: str, turn: int, place: int, step: Step, last: int) -> Deviation:
    if step.status == "extra":
        did = f"{step.kind} {step.name}".strip()
        return Deviation(
            id=f"{path}:{turn}:{did}:{place}",
            turn=turn,
            seq=step.event,
            seqs=(step.event,),
            expected=f"no step here that {path} does not have",
            found=f"{did} (event {step.event})",
            zh=f"多出一步 {did}（事件 {step.event}），{path} 里没有",
        )
    label = step.label if len(step.label) <= _LONGEST else f"{step.label[: _LONGEST - 1]}…"
    what = f"{step.message} {label}"
    where = f"{path} line {step.line}" + (f", under {step.condition[:_LONGEST]}" if step.condition else "")
    where_zh = f"{path} 第 {step.line} 行" + (f"，条件“{step.condition[:_LONGEST]}”" if step.condition else "")
    missing = step.status == "missing"
    return Deviation(
        id=f"{path}:{turn}:{step.message}",
        turn=turn,
        seq=step.event or last,
        seqs=tuple(seq for seq in (last, step.event) if seq),
        expected=f"{what} ({where})" + (f" after event {last}" if last else ""),
        found="nothing of it" if missing else f"it at another place (event {step.event})",
        zh=f"缺少 {what}（{where_zh}）"
        if missing
        else f"{what} 没有在设计的位置发生，而是事件 {step.event}（{where_zh}）",
    )


def _turns(count: int) -> str:
    return f"{count:,} turn" + ("" if count == 1 else "s")
