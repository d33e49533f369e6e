"""What a reviewer of a diagram asks: each rule names the messages, fragments and notes that it is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lingbot_map.ask.bases.sequence import lexicon
from lingbot_map.ask.bases.sequence.ir import OUTSIDE, Fragment, Message
from lingbot_map.ask.bases.sequence.lexicon import concepts
from lingbot_map.ask.bases.sequence.view import View

_BACK = 200
"""Calls between two lifelines that a reply is held against."""
_REMEDIES = frozenset(("retry", "compensate", "rollback", "refund", "cancel", "queue"))


_MENDS = frozenset(("compensate", "rollback", "retry"))


@dataclass(frozen=True, slots=True)
class Finding:
    """``rule`` is a key of the wording ("review ..."), ``items`` what it is about."""

    rule: str
    items: tuple[str, ...]


def review(view: View) -> tuple[Finding, ...]:
    """What the rules find, most serious first."""
    found = (
        Finding("review note", tuple(_notes(view))),
        Finding("review no reply", tuple(_unanswered(view))),
        Finding("review no compensation", tuple(_uncompensated(view))),
        Finding("review timeout", tuple(_timeouts(view))),
        Finding("review exhausted", tuple(_exhausted(view))),
        Finding("review no failure", tuple(_one_sided(view))),
        Finding("review empty", tuple(_empty(view))),
        Finding("review no condition", tuple(_unconditioned(view))),
        Finding("review unreached", tuple(_unreached(view))),
    )
    return tuple(finding for finding in found if finding.items)


def answers(view: View) -> dict[int, int]:
    """The number of each call that is answered, and of the first reply to it on a branch that it can share."""
    found: dict[int, int] = {}
    waiting: dict[tuple[str, str], list[Message]] = {}
    for message in view.diagram.messages:
        if message.arrow != "reply":
            waiting.setdefault((message.source, message.target), []).append(message)
            continue
        for call in reversed(waiting.get((message.target, message.source), [])[-_BACK:]):
            if not _apart(call, message):
                found.setdefault(call.number, message.number)
                break
    return found


def _apart(a: Message, b: Message) -> bool:
    for one, other in zip(a.path, b.path, strict=False):
        if one.fragment != other.fragment:
            return False
        if one.operand != other.operand:
            return True
    return False


def _notes(view: View) -> Iterator[str]:
    for said in view.order.constraints:
        first, second = view.order.message(said.first), view.order.message(said.second)
        if view.order.between(first, second).relation == "after":
            yield said.note


def _unanswered(view: View) -> Iterator[str]:
    """Calls that wait, of diagrams that draw replies at all; a call to oneself needs none."""
    if not any(message.arrow == "reply" for message in view.diagram.messages):
        return
    answered = answers(view)
    for message in view.diagram.messages:
        inner = message.source != message.target and OUTSIDE not in (message.source, message.target)
        if message.arrow == "sync" and inner and message.number not in answered:
            yield message.id


def _uncompensated(view: View) -> Iterator[str]:
    """Asynchronous messages whose receiver never says anything back, and that nothing makes good."""
    messages = view.diagram.messages
    last = {(message.source, message.target): message.number for message in messages}
    mended = max((each.number for each in messages if _MENDS & set(concepts(each.name))), default=0)
    for message in messages:
        if message.arrow != "async" or message.source == message.target or OUTSIDE in (message.source, message.target):
            continue
        if max(mended, last.get((message.target, message.source), 0)) < message.number:
            yield message.id


def _timeouts(view: View) -> Iterator[str]:
    for fragment in view.diagram.fragments:
        for operand in fragment.operands:
            if "timeout" in concepts(operand.condition):
                inside = view.diagram.messages[operand.first - 1 : operand.last]
                looped = any(step.kind == "loop" for step in fragment.path) or fragment.kind == "loop"
                if not looped and not any(_REMEDIES & set(concepts(message.name)) for message in inside):
                    yield fragment.id


def _exhausted(view: View) -> Iterator[str]:
    """Loops that try again, after which nothing says what happens when none of the tries succeeded."""
    told = max(
        (
            operand.first
            for fragment in view.diagram.fragments
            for operand in fragment.operands
            if {"timeout", "fail"} & set(concepts(operand.condition))
        ),
        default=0,
    )
    for fragment in view.diagram.fragments:
        if fragment.kind != "loop" or not any(char.isdigit() for char in fragment.operands[0].condition):
            continue
        first, last = fragment.operands[0].first, fragment.operands[-1].last
        tries = [
            each.id
            for each in view.diagram.messages[first - 1 : last]
            if {"retry", "timeout", "fail"} & set(concepts(each.name))
        ]
        if tries and told <= last:
            yield from (fragment.id, *tries)


def _one_sided(view: View) -> Iterator[str]:
    for fragment in view.diagram.fragments:
        if fragment.kind in ("alt", "opt") and len(fragment.operands) == 1:
            states = set(concepts(fragment.operands[0].condition)) & lexicon.STATES
            if states & {"success", "available", "sufficient", "valid", "exist"}:
                yield fragment.id


def _empty(view: View) -> Iterator[str]:
    inner = {step.fragment for fragment in view.diagram.fragments for step in fragment.path}
    for fragment in view.diagram.fragments:
        if fragment.kind != "ref" and fragment.id not in inner and any(o.last < o.first for o in fragment.operands):
            yield fragment.id


def _unconditioned(view: View) -> Iterator[str]:
    for fragment in view.diagram.fragments:
        if fragment.kind in ("alt", "opt", "loop", "break") and not _said(fragment):
            yield fragment.id


def _said(fragment: Fragment) -> bool:
    return all(operand.condition for operand in fragment.operands[: 1 if fragment.kind == "alt" else None])


def _unreached(view: View) -> Iterator[str]:
    used = {id for message in view.diagram.messages for id in (message.source, message.target)}
    used |= {id for fragment in view.diagram.fragments for id in fragment.over}
    for cite, id in view.lifelines.items():
        if id not in used:
            yield cite
