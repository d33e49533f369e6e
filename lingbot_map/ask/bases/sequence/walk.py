"""Ways through a diagram: what happens under named conditions, the main line, and chains of calls.

A fragment whose condition nobody named stays open: its messages are no part of the sequence, it is listed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from lingbot_map.ask.bases.sequence.ir import Diagram, Fragment, Message

HOPS = 6
"""Calls of a chain that are followed: 170 of 172 real diagrams need no more between any two of their lifelines."""


@dataclass(frozen=True, slots=True)
class Way:
    """What happens: ``messages`` in the order drawn, ``open`` the fragments that nobody decided, ``parallel`` those
    whose operands have no order, ``ended`` the fragment (a break) after which nothing more happens ("" if none)."""

    messages: tuple[Message, ...]
    open: tuple[Fragment, ...]
    parallel: tuple[Fragment, ...]
    ended: str = ""


def derive(diagram: Diagram, chosen: Iterable[tuple[str, int]], skipped: Iterable[str] = ()) -> Way:
    """The sequence when the operands ``chosen`` (fragment, number) hold and the fragments ``skipped`` don't.

    What holds a chosen operand holds too, and a break before one, outside of any loop, did not happen.
    """
    taken: dict[str, int] = {}
    out = set(skipped)
    for id, number in chosen:
        fragment = diagram.fragment(id)
        taken.setdefault(id, number)
        for step in fragment.path:
            taken.setdefault(step.fragment, step.operand)
    latest = max((diagram.fragment(id).operands[number - 1].first for id, number in taken.items()), default=0)
    for fragment in diagram.fragments:
        passed = fragment.kind == "break" and fragment.operands[-1].last < latest
        if passed and fragment.id not in taken and not _within(fragment, "loop"):
            out.add(fragment.id)
    kinds = {fragment.id: fragment.kind for fragment in diagram.fragments}
    ended, last = "", len(diagram.messages)
    for fragment in diagram.fragments:
        if fragment.kind == "break" and fragment.id in taken and not _within(fragment, "loop"):
            ended, last = fragment.id, fragment.operands[taken[fragment.id] - 1].last
            break
    messages = []
    left_open: dict[str, None] = {}
    for message in diagram.messages[:last]:
        for step in message.path:
            if step.fragment in taken:
                begun = step.kind == "critical" and step.operand == 1  # an option comes beside what it is for
                if taken[step.fragment] != step.operand and kinds[step.fragment] != "par" and not begun:
                    break
            elif step.free:
                continue
            elif step.fragment in out:
                break
            else:
                left_open.setdefault(step.fragment)
                break
        else:
            messages.append(message)
    parallel = [
        fragment for fragment in diagram.fragments if fragment.kind == "par" and any(
            step.fragment == fragment.id for message in messages for step in message.path
        )
    ]  # fmt: skip
    return Way(tuple(messages), tuple(diagram.fragment(id) for id in left_open), tuple(parallel), ended)


def _within(fragment: Fragment, kind: str) -> bool:
    return any(step.kind == kind for step in fragment.path)


def trunk(diagram: Diagram) -> tuple[Message, ...]:
    """The messages that stand under no condition."""
    return tuple(message for message in diagram.messages if all(step.free for step in message.path))


def chain(diagram: Diagram, source: str, target: str, hops: int = HOPS) -> tuple[Message, ...]:
    """The shortest chain of calls from lifeline ``source`` to ``target``: each call goes out from where the one before
    went to, and is drawn after it. Empty if there is none within ``hops``."""
    calls: dict[str, list[Message]] = {}
    for message in diagram.messages:
        if message.arrow != "reply" and message.source != message.target:
            calls.setdefault(message.source, []).append(message)
    queue: deque[tuple[str, int, tuple[Message, ...]]] = deque([(source, 0, ())])
    best: dict[str, int] = {}  # the earliest message by which a lifeline was reached
    while queue:
        at, since, way = queue.popleft()
        if len(way) >= hops:
            continue
        for message in calls.get(at, ()):
            if message.number <= since or (way and apart(way[-1], message)):
                continue
            if message.target == target:
                return (*way, message)
            if best.get(message.target, len(diagram.messages) + 1) > message.number:
                best[message.target] = message.number
                queue.append((message.target, message.number, (*way, message)))
    return ()


def apart(a: Message, b: Message) -> bool:
    """Whether two messages stand in branches of one ``alt``, of which a run has one."""
    for one, other in zip(a.path, b.path, strict=False):
        if one.fragment != other.fragment:
            return False
        if one.operand != other.operand:
            return one.kind == "alt"
    return False


def onward(diagram: Diagram, message: Message) -> tuple[Message, ...]:
    """What comes next after a message on its own branch: the messages after it that stand where it stands."""
    return tuple(other for other in diagram.messages[message.number :] if other.path == message.path)


def leading(diagram: Diagram, message: Message) -> tuple[Message, ...]:
    """What comes before a message whenever it happens: the messages above it that stand where it stands, or under fewer
    of its conditions."""
    return tuple(
        other for other in diagram.messages[: message.number - 1] if other.path == message.path[: len(other.path)]
    )


def direct(diagram: Diagram, fragment: str, operand: int) -> tuple[Message, ...]:
    """The messages of an operand that stand under no further condition."""
    found = []
    for message in diagram.messages:
        for at, step in enumerate(message.path):
            if (step.fragment, step.operand) == (fragment, operand):
                if all(inner.free for inner in message.path[at + 1 :]):
                    found.append(message)
                break
    return tuple(found)


def inside(diagram: Diagram, fragment: str, operand: int | None = None) -> tuple[Message, ...]:
    """All messages of a fragment, or of one of its operands."""
    return tuple(
        message
        for message in diagram.messages
        if any(step.fragment == fragment and operand in (None, step.operand) for step in message.path)
    )
