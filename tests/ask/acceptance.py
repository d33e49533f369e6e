"""Asks the agreed questions and holds each answer to what it must say: ``python -m tests.ask.acceptance [BASE ...]``.

The questions lie outside the project (``../shared/ask/fixtures``); without them there is nothing to ask, which is said.
Exit code 0 if every answer is exact. ``--recorded`` asks with the probes on as well and holds the maps to the answers.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lingbot_map.ask import Answer, Ask
from lingbot_map.ask.bases import opened

FIXTURES = Path(__file__).resolve().parents[3] / "shared" / "ask" / "fixtures"
OWN = Path(__file__).resolve().parent / "fixtures"
_NOT_ASKED = ("trace", "load", "checksum", "sentences")
"""Kinds that are no questions but properties of the system; tests of their own hold them."""


@dataclass(frozen=True, slots=True)
class Expected:
    """One question, what its answer says, doesn't say and cites; ``after`` is the question that was asked before.

    ``open`` says why its answer is known not to be exact yet; such a one counts as wrong only where it is exact after
    all, so that the note goes."""

    id: str
    base: str
    over: str
    question: str
    kind: str = ""
    says: tuple[str, ...] = ()
    not_says: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    verdict: str | None = None
    abstain: bool = False
    after: str | None = None
    open: str = ""
    folder: Path = FIXTURES


def expectations(*bases: str, folder: Path = FIXTURES) -> list[Expected]:
    """The questions of a folder over these bases (none: all) that can be asked."""
    found = []
    for line in (folder / "acceptance.jsonl").read_text("utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        row.pop("note", None)
        for name in ("says", "not_says", "cites"):
            row[name] = tuple(row.get(name, ()))
        expected = Expected(**row, folder=folder)
        if expected.kind not in _NOT_ASKED and (not bases or expected.base in bases):
            found.append(expected)
    return found


def faults(expected: Expected, answer: Answer) -> Iterator[str]:
    """What is wrong with an answer."""
    text = answer.text
    yield from (f"does not say {each!r}" for each in expected.says if each not in text)
    yield from (f"says {each!r}" for each in expected.not_says if each in text)
    yield from (f"does not cite {each}" for each in expected.cites if each not in answer.cites)
    if answer.verdict != expected.verdict and expected.verdict is not None:
        yield f"verdict {answer.verdict}, not {expected.verdict}"
    if answer.abstained != expected.abstain:
        yield "abstains" if answer.abstained else "does not abstain"
    yield from (f"says without a source: {s.text!r}" for s in answer.sentences if not s.cites and not answer.abstained)


@cache
def asked(base: str, over: str, folder: Path = FIXTURES) -> Ask:
    """The base ``over`` which is asked; one for all questions, as a reader has it."""
    return Ask(opened(base, [folder / part.strip() for part in over.split("+")]))


def run(*bases: str, folder: Path = FIXTURES, say: Callable[[str], object] = print) -> int:
    """Ask all of a folder; how many answers are not exact."""
    wrong = total = 0
    for expected in expectations(*bases, folder=folder):
        total += 1
        try:
            answer = asked(expected.base, expected.over, folder).ask(expected.question)
            found = list(faults(expected, answer))
            text = answer.text
        except Exception as why:
            found, text = [f"{type(why).__name__}: {why}"], ""
        if expected.open:
            total -= 1
            say(f"{expected.id} is open: {expected.open}")
            found = [] if found else ["is exact: no longer open"]
        if found:
            wrong += 1
            say(f"{expected.id} {expected.question}\n    {text}\n    " + "; ".join(found))
    say(f"{total - wrong} of {total} answers are exact ({folder.parent.name}/{folder.name})")
    return wrong


def run_recorded(*bases: str, folder: Path = FIXTURES, say: Callable[[str], object] = print) -> int:
    """Ask all of a folder with the probes on; how many faults answers and maps have."""
    from tests.ask import recorded

    questions = [(each.base, each.over, each.question) for each in expectations(*bases, folder=folder)]
    return recorded.run(questions, lambda base, over: opened(base, [folder / p.strip() for p in over.split("+")]), say)


if __name__ == "__main__":
    bases = [name for name in sys.argv[1:] if name != "--recorded"]
    wrong = 0
    for folder in (folder for folder in (FIXTURES, OWN) if folder.is_dir()):
        wrong += run(*bases, folder=folder)
        if "--recorded" in sys.argv:
            wrong += run_recorded(*bases, folder=folder)
    sys.exit(1 if wrong else 0)
