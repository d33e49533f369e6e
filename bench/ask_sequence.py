"""Sequence diagrams: how much of real ones is understood, what reading and asking cost.

The real diagrams lie outside the project (``../shared/data/sequence``); without them their figures are left out. The
agreed questions are asked twice: as the base answers them, and by words alone (the routes and their fusion, without any
operator), for comparison.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable
from pathlib import Path

from bench import Figure
from bench.unkept import Unkept
from lingbot_map.ask import Ask, Question
from lingbot_map.ask.bases.sequence import SequenceBase, mermaid, plantuml
from lingbot_map.ask.bases.sequence.source import chunks, other_kind, read
from lingbot_map.ask.dialog import Dialog
from lingbot_map.ask.types import Found
from lingbot_map.errors import BadInput
from tests.ask.acceptance import FIXTURES, asked, expectations, faults

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "sequence"
ROUNDS = 5
MESSAGES = 100
QUESTIONS = (
    "故障7时会做什么？",
    "What happens when step7 fails?",
    "call5 必须在 call60 之前吗？",
    "如果成功8，完整调用链会怎么走？",
    "Service3 会给 Service4 发什么？",
    "谁会调用 Service2？",
    "第99条消息是什么？",
    "所有异步消息有哪些？",
    "从 Service0 到 Service5 的调用链是什么？",
    "这张图有什么风险？",
    "退款多久到账？",
    "RiskService 在哪一步被调用？",
)


def measure() -> Iterable[Figure]:
    """Lines, messages and milliseconds of the real diagrams; then what questions cost, and how many are exact."""
    if DATA.is_dir():
        yield from _reading()
    yield from _asking()
    if FIXTURES.is_dir():
        yield from _agreed()


def _reading() -> Iterable[Figure]:
    files = [(path, path.read_text("utf-8")) for path in sorted(DATA.glob("*/*"))]
    lines = unknown = diagrams = messages = placed = deep = unclosed = other = 0
    for path, text in files:
        for chunk in chunks(text, path.name):
            if chunk.kind or (chunk.format == "plantuml" and other_kind(chunk.lines).startswith("an activity")):
                other += 1
                continue
            built = (mermaid if chunk.format == "mermaid" else plantuml).built(chunk.lines, path.name)
            diagrams += 1
            lines += built.lines
            unknown += len(built.faults)
            messages += len(built.messages)
            closed = True
            try:
                built.done()
            except BadInput:
                closed = not any('an "end"' in fault.expected for fault in built.faults)
            unclosed += not closed
            placed += sum(all(step.kind and step.operand for step in each.path) for each in built.messages)
            deep += sum(len(each.path) > 1 for each in built.messages)
    took = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for path, text in files:
            try:
                read(text, path.name)
            except BadInput:
                continue
        took.append((time.process_time() - began) / diagrams * 1000)
    note = f"{len(files)} files, {diagrams} sequence diagrams, {lines} lines, {other} diagrams of other kinds refused"
    share = 100 * (lines - unknown) / lines
    yield Figure(name="lines understood", value=share, unit="%", bar=99.9, better="more", note=note)
    note = (
        f"{messages} messages, {deep} of them two or more fragments deep; {unclosed} diagrams lack an end and say where"
    )
    yield Figure(
        name="messages with their whole path",
        value=100 * placed / messages,
        unit="%",
        bar=100,
        better="more",
        note=note,
    )
    yield Figure(name="reading a diagram", value=min(took), unit="ms", bar=1, note=f"best of {ROUNDS} rounds")


def made() -> SequenceBase:
    """A diagram of ``MESSAGES`` messages in nested fragments."""
    lines = ["@startuml", *(f"participant Service{n}" for n in range(6))]
    for n in range(MESSAGES // 4):
        a, b = n % 5, n % 5 + 1
        lines += [f"Service{a} -> Service{b} : call{n * 4}(id)", f"alt 成功{n}", f"Service{b} --> Service{a} : ok{n}"]
        lines += [f"else 故障{n}", f"Service{a} -> Service{b} : retry{n}(id)", "end", f"opt step{n} fails"]
        lines += [f"Service{a} ->> Service{b} : call{n * 4 + 3}(id)", "end"]
    diagrams, _ = read("\n".join([*lines, "@enduml"]), "made.puml")
    return SequenceBase(diagrams)


def _asking() -> Iterable[Figure]:
    ask = Ask(Unkept(made()))
    costs: list[float] = []
    for question in QUESTIONS:
        best = 1e9
        for _ in range(ROUNDS):
            began = time.process_time()
            ask.ask(question)
            best = min(best, (time.process_time() - began) * 1000)
        costs.append(best)
    note = f"{len(QUESTIONS)} kinds of questions, {MESSAGES} messages"
    value = statistics.quantiles(costs, n=20)[-1]
    yield Figure(name="diagram question, p95", value=value, unit="ms", bar=5, note=note)


class _WordsAlone:
    """The base without its operators."""

    name = "diagram"

    def __init__(self, base: SequenceBase) -> None:
        self._base = base
        self.routes, self.answer, self.item = base.routes, base.answer, base.item

    def read(self, text: str, dialog: Dialog) -> Question:
        """The question without a kind."""
        known = self._base.read(text, dialog)
        return Question(text=known.text, lang=known.lang, terms=known.terms)

    def compute(self, question: Question) -> Found | None:
        """Nothing."""
        return None


def _agreed() -> Iterable[Figure]:
    questions = expectations("diagram")
    exact = alone = 0
    for expected in questions:
        ask = asked("diagram", expected.over)
        exact += not list(faults(expected, ask.ask(expected.question)))
        base = ask.base
        assert isinstance(base, SequenceBase)
        alone += not list(faults(expected, Ask(_WordsAlone(base)).ask(expected.question)))
    note = f"{len(questions)} agreed questions; by words alone {alone}"
    yield Figure(
        name="agreed questions exact", value=100 * exact / len(questions), unit="%", bar=100, better="more", note=note
    )


if __name__ == "__main__":
    for figure in measure():
        print(f"{figure.name}: {figure.value:.3f} {figure.unit} ({figure.note})")
