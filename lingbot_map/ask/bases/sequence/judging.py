"""Operators that judge: what comes before what, what happens under a condition, what still happens."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product

from lingbot_map.ask.bases.sequence import walk
from lingbot_map.ask.bases.sequence.ir import Fragment, Message
from lingbot_map.ask.bases.sequence.order import Proof
from lingbot_map.ask.bases.sequence.reading import Read
from lingbot_map.ask.bases.sequence.telling import Telling, conditions
from lingbot_map.ask.bases.sequence.view import Named, View
from lingbot_map.ask.types import Chain, Found, Lang, Verdict

_MOST_PAIRS = 400


def order(view: View, read: Read, lang: Lang) -> Found | None:
    """Whether one message comes before (after) another: yes, no, or unspecified."""
    asked = read.order
    if asked is None:
        return None
    tell = Telling(view, lang)
    firsts, seconds = view.messages(asked.first), view.messages(asked.second)
    pairs = list(islice(product(firsts, seconds), _MOST_PAIRS))
    relations = view.order.relations(pairs)
    if len(set(relations)) == 1:
        a, b = pairs[0]
    else:
        real = [at for at, relation in enumerate(relations) if relation not in ("exclusive", "same")]
        if len({relations[at] for at in real}) != 1:
            tell.add(
                "mixed",
                [message.id for message in (*firsts, *seconds)],
                a=tell.messages(firsts),
                b=tell.messages(seconds),
            )
            return tell.found("unspecified")
        a, b = pairs[real[0]]
    proof = view.order.between(a, b)
    return _ordered(tell, asked.claim, a, b, proof, asked.must)


def _ordered(tell: Telling, claim: str, a: Message, b: Message, proof: Proof, must: bool) -> Found:
    said_a, said_b = tell.message(a), tell.message(b)
    view, both = tell.view, [a.id, b.id]
    verdict: Verdict | None
    if claim in ("both", "apart") and proof.relation != "same":
        if proof.relation == "exclusive":
            fragment = view.diagram.fragment(proof.fragment)
            key = "apart" if claim == "apart" else "exclusive"
            tell.add(key, [*both, fragment.id], a=said_a, b=said_b, fragment=_fragment(fragment))
            return tell.found("yes" if claim == "apart" else "no")
        tell.add("both" if claim == "both" else "not apart", both, a=said_a, b=said_b)
        return tell.found("yes" if claim == "both" else "no")
    if proof.relation in ("before", "after"):
        verdict = "yes" if proof.relation == claim else "no"
        extra = [step for step in conditions(a.path) if step not in b.path]
        if verdict == "yes" and claim == "before" and must and extra:
            tell.add("not needed", [*both, extra[-1].fragment], a=said_a, b=said_b, path=tell.path(a.path))
            return tell.found("no")
        if claim == "which":
            verdict = None
            first, second = (said_a, said_b) if proof.relation == "before" else (said_b, said_a)
            tell.add("which", both, a=first, b=second)
        else:
            tell.add(f"{verdict} {proof.relation}", both, a=said_a, b=said_b)
        if len(proof.through) > 2:
            tell.add("through", [each.id for each in proof.through], messages=tell.messages(proof.through))
            tell.chains.append(Chain(items=tell.cite(each.id for each in proof.through)))
        _notes(tell, a, b, proof)
        for message in (a, b):
            mine = [step for step in conditions(message.path) if step not in (b if message is a else a).path]
            if mine:
                ids = [message.id, *(step.fragment for step in mine)]
                tell.add("only if", ids, a=tell.message(message), path=tell.path(message.path))
        if proof.round:
            tell.add("each round", both)
        return tell.found(verdict)
    if proof.relation == "exclusive":
        fragment = view.diagram.fragment(proof.fragment)
        tell.add("exclusive", [*both, fragment.id], a=said_a, b=said_b, fragment=_fragment(fragment))
        return tell.found("no")
    if proof.relation == "rounds":
        fragment = view.diagram.fragment(proof.fragment)
        tell.add("rounds", [*both, fragment.id], a=said_a, b=said_b, fragment=_fragment(fragment))
        return tell.found("unspecified")
    if proof.relation == "same":
        tell.add("same", [a.id], a=said_a)
        return tell.found("unspecified")
    ids = [*both, proof.fragment] if proof.fragment else both
    tell.add("parallel" if proof.relation == "parallel" else "unordered", ids, a=said_a, b=said_b)
    return tell.found("unspecified")


def _notes(tell: Telling, a: Message, b: Message, proof: Proof) -> None:
    order, diagram = tell.view.order, tell.view.diagram
    first, second = (a, b) if proof.relation == "before" else (b, a)
    texts = {note.id: note.text for note in diagram.notes}
    for id in proof.notes:
        tell.add("noted only", [id], note=id, text=texts[id])
    for id in order.noted(first, second):
        if id not in proof.notes:
            tell.add("noted", [id], note=id, text=texts[id])
    for id in order.noted(second, first):
        tell.add("noted against", [id, a.id, b.id], note=id, text=texts[id])


def _fragment(fragment: Fragment) -> str:
    return f"{fragment.kind} {fragment.id}: " + " / ".join(each.condition or "else" for each in fragment.operands)


def _said(view: View, tell: Telling, named: Sequence[Named]) -> str:
    parts = []
    for each in named:
        condition = each.fragment.operands[each.operand - 1].condition or "else"
        parts.append(condition if each.holds else {"zh": f"非：{condition}", "en": f"not: {condition}"}[tell.lang])
    return " + ".join(parts)


def condition(view: View, read: Read, lang: Lang) -> Found | None:
    """What happens under the conditions that the question names, with the whole path of their fragments."""
    tell = Telling(view, lang)
    top = read.named[0].score
    for named in read.named:
        if named.score < top - 5 and named.score < 10:
            continue
        fragment, operand = named.fragment, named.fragment.operands[named.operand - 1]
        if not named.holds:
            gone = walk.inside(view.diagram, fragment.id)
            ids = [fragment.id, *(each.id for each in gone)]
            tell.add("left out", ids, path=operand.condition, messages=tell.messages(gone) or "—")
            continue
        path = [*(step.condition for step in conditions(fragment.path) if step.condition), operand.condition or "else"]
        plain = walk.direct(view.diagram, fragment.id, named.operand)
        direct = _between(view, read, plain)
        ids = [*(each.id for each in direct), *(step.fragment for step in fragment.path), fragment.id]
        if direct:
            tell.add("under", ids, path=" > ".join(path), messages=tell.messages(direct))
        elif not walk.inside(view.diagram, fragment.id, named.operand):
            tell.add("under nothing", [fragment.id], path=" > ".join(path))
        shown = {each.number for each in plain}
        deeper = [each for each in walk.inside(view.diagram, fragment.id, named.operand) if each.number not in shown]
        if deeper:
            tell.under(deeper, "inner")
        for step in fragment.path:
            if step.kind == "loop" and step.condition:
                key = "count" if read.word == "count" else "in loop"
                tell.add(key, [step.fragment, *(each.id for each in direct)], condition=step.condition)
        if read.word == "count" and fragment.kind == "loop":
            tell.add("count", [fragment.id], condition=operand.condition)
        if fragment.kind == "break" and not any(step.kind == "loop" for step in fragment.path):
            tell.add("ends", [fragment.id], id=view.prefix + fragment.id)
    return tell.found(confidence=min(1.0, top))


def _between(view: View, read: Read, messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Of the messages those between the two lifelines that the question names, if there are any."""
    if len(read.lifelines) < 2:
        return messages
    source, target = (view.lifelines[mention.id] for mention in read.lifelines[:2])
    return tuple(each for each in messages if (each.source, each.target) == (source, target)) or messages


def _way(view: View, named: Sequence[Named]) -> walk.Way:
    chosen = [(each.fragment.id, each.operand) for each in named if each.holds]
    return walk.derive(view.diagram, chosen, [each.fragment.id for each in named if not each.holds])


def what_if(view: View, read: Read, lang: Lang) -> Found | None:
    """The whole sequence under the named conditions; what they leave open is listed, never chosen."""
    tell = Telling(view, lang)
    way = _way(view, read.named)
    fixed = [each.fragment.id for each in read.named]
    ids = [*(each.id for each in way.messages), *fixed]
    tell.add("way", ids, path=_said(view, tell, read.named), messages=tell.messages(way.messages) or "—")
    _tail(tell, way)
    return tell.found()


def _tail(tell: Telling, way: walk.Way) -> None:
    for fragment in way.parallel:
        inner = [each for each in way.messages if any(step.fragment == fragment.id for step in each.path)]
        if len(inner) > 1:
            ids = [fragment.id, *(each.id for each in inner)]
            tell.add("any order", ids, messages=tell.messages(inner))
    if way.ended:
        tell.add("ends", [way.ended], id=tell.view.prefix + way.ended)
    if way.open:
        points = [_fragment(fragment) for fragment in way.open]
        tell.open_points.extend(points)
        tell.add("open", [fragment.id for fragment in way.open], points="；".join(points))


def still(view: View, read: Read, lang: Lang) -> Found | None:
    """Whether a message still comes under the named conditions: yes, no, or open."""
    tell = Telling(view, lang)
    way = _way(view, read.named)
    there = {message.number for message in way.messages}
    path = _said(view, tell, read.named)
    fixed = [each.fragment.id for each in read.named]
    asked = view.messages(read.messages[0])
    present = [message for message in asked if message.number in there]
    if present:
        tell.add("still yes", [present[0].id, *fixed], path=path, a=tell.message(present[0]))
        return tell.found("yes")
    opened = {fragment.id for fragment in way.open}
    for message in asked:
        other = next((step for step in message.path if step.fragment in opened), None)
        if other is not None:
            ids = [message.id, *fixed, other.fragment]
            tell.add("still open", ids, path=path, a=tell.message(message), other=other.condition or other.kind)
            tell.open_points.append(_fragment(view.diagram.fragment(other.fragment)))
            return tell.found("unspecified")
    inside = [
        message
        for each in read.named
        if each.holds
        for message in walk.inside(view.diagram, each.fragment.id, each.operand)
    ]
    tell.add("still no", [asked[0].id, *fixed, *(each.id for each in inside)], path=path, a=tell.message(asked[0]))
    if way.ended:
        last = walk.inside(view.diagram, way.ended)
        ids = [way.ended, *(each.id for each in last)]
        tell.add("ended by", ids, fragment=view.prefix + way.ended, messages=tell.messages(last))
    return tell.found("no")
