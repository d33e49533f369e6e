"""Notes that say an order: "must call X before Y", "Y 之前必须先 X"; the same sentences as questions put it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product

from lingbot_map.ask.bases.sequence.ir import Diagram
from lingbot_map.ask.bases.sequence.order import Constraint
from lingbot_map.ask.names import Names
from lingbot_map.ask.text import folded
from lingbot_map.ask.types import Mention

_BEFORE = re.compile(r"之前|以前|先于|早于|前面|\bbefore\b|\bprecedes?\b|\bprior to\b|\bearlier than\b|\bahead of\b")
_AFTER = re.compile(r"之后|以后|晚于|后于|后面|\bafter\b|\bfollows?\b|\blater than\b|\bonce\b")
_BETWEEN = re.compile(r"先于|早于|晚于|后于|precede|follow|than|prior|ahead")
_WHICH = re.compile(
    r"谁先|谁后|哪个先|哪个后|先后|什么顺序|顺序是|\bwhich\b.*\b(?:first|earlier|later|last)\b|\border\b"
)
_NEEDED = re.compile(r"(?:必须|一定要|需要|得)先|\bmust\b.*\b(?:be called|call|run|be sent|send)\b|\bfirst\b")
_BOTH = re.compile(r"都会?(?:执行|发生|发送|调用|走)|同时(?:执行|发生|出现)|\bboth\b|\bsame run\b|\btogether\b")
_APART = re.compile(r"互斥|排斥|\bexclusive\b|\bexclude\b")
_FIRST = re.compile(r"先.*(?:再|然后|后|接着|才)|\bfirst\b.*\bthen\b|\bthen\b")


_MOST = 1000
"""Orders between messages that notes may say."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Whether ``first`` comes before ``second`` (``claim`` "before") or after it ("after").

    Other claims: "which" asks openly, "both" whether both may happen, "apart" whether they exclude each other. ``must``
    is true where ``first`` is said to be needed before the other.
    """

    first: Mention
    second: Mention
    claim: str
    must: bool = False


def asked(text: str, mentions: Sequence[Mention]) -> Asked | None:
    """The order that a text says or asks of the first two messages in it; ``None`` if it says none."""
    whole = folded(text)
    if len(mentions) < 2:
        return None
    a, b = mentions[0], mentions[1]
    for claim, sign in (("apart", _APART), ("both", _BOTH), ("which", _WHICH)):
        if sign.search(whole):
            return Asked(a, b, claim)
    found = min(
        (
            (match.start(), match, word)
            for word, sign in (("before", _BEFORE), ("after", _AFTER))
            for match in sign.finditer(whole)
            if not (word == "after" and match[0] == "once" and match.start() > a.start)
        ),
        default=None,
        key=lambda each: each[0],
    )
    must = bool(
        re.search(r"必须|一定要|务必|需要先|得先|\bmust\b|\bhas to\b|\bhave to\b|\bneeds? to\b|\brequired\b", whole)
    )
    if found is None:
        return Asked(a, b, "before", must) if _FIRST.search(whole) else None
    at, match, word = found
    # Chinese puts the word behind what it refers to, English before it.
    behind = not match[0].isascii() and not _BETWEEN.match(match[0])
    if behind:
        reference = a if at < b.start else b
    else:
        reference = a if at < a.start else b
    subject = b if reference is a else a
    # "Before Y one must X" needs X to happen; "X must come before Y" only puts them in an order.
    must = must and (reference is a or _NEEDED.search(whole) is not None)
    return Asked(subject, reference, word, must)


def constraints(diagram: Diagram, names: Names) -> tuple[Constraint, ...]:
    """The orders that the notes of a diagram say, between messages that it has."""
    found: list[Constraint] = []
    for note in diagram.notes:
        mentions = [mention for mention in names.find(note.text) if mention.kind == "message"]
        said = asked(note.text, mentions)
        if said is None or said.claim not in ("before", "after"):
            continue
        first, second = (said.first, said.second) if said.claim == "before" else (said.second, said.first)
        for one, other in islice(product((first.id, *first.others), (second.id, *second.others)), _MOST):
            if one.startswith("m") and other.startswith("m") and one != other:
                found.append(Constraint(note.id, int(one[1:]), int(other[1:])))
        if len(found) >= _MOST:
            break
    return tuple(found)
