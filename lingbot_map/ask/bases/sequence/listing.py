"""Operators that list: messages by kind, number or lifeline, the main line, chains, what is known of a message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from lingbot_map.ask.bases.sequence import review as reviewing
from lingbot_map.ask.bases.sequence import signs, walk
from lingbot_map.ask.bases.sequence.ir import Message
from lingbot_map.ask.bases.sequence.lexicon import concepts
from lingbot_map.ask.bases.sequence.reading import Read, labelled
from lingbot_map.ask.bases.sequence.telling import Telling, conditions
from lingbot_map.ask.bases.sequence.view import View
from lingbot_map.ask.bases.sequence.wording import listed, say
from lingbot_map.ask.text import folded
from lingbot_map.ask.types import Chain, Found, Lang, Mention

_WRITING = frozenset(
    ("write", "insert", "update", "delete", "create", "deduct", "commit", "log", "set", "put", "clear")
)
_READING = frozenset(("read", "query", "list", "count"))


def _line(view: View, mention: Mention) -> str:
    return view.lifelines[mention.id]


def _ids(messages: Iterable[Message]) -> list[str]:
    return [message.id for message in messages]


def filtered(view: View, read: Read, lang: Lang) -> Found | None:
    """All messages of a kind, of a lifeline or of a branch if one is named."""
    tell = Telling(view, lang)
    messages: Sequence[Message] = view.diagram.messages
    what = say(lang, read.word if read.word in ("async", "sync", "reply", "self", "all") else "all")
    if read.named:
        named = read.named[0]
        messages = walk.inside(view.diagram, named.fragment.id, named.operand)
        condition = named.fragment.operands[named.operand - 1].condition or named.fragment.kind
        what = say(lang, "in path", path=condition, what=what)
    else:
        kind = next((kind for kind, sign in signs.KINDS_OF_FRAGMENT if sign.search(folded(read.text))), "")
        if kind:
            messages = [each for each in messages if any(step.kind == kind for step in each.path)]
            what = say(lang, "in path", path=kind, what=what)
    if read.lifelines:
        id = _line(view, read.lifelines[0])
        received = bool(signs.RECEIVES.search(folded(read.text)))
        messages = [each for each in messages if id == (each.target if received else each.source)]
        what = say(lang, "of", who=view.who(id), what=what)
        if received and read.word == "reply" and all(each.arrow != "reply" for each in messages):
            read = replace(read, word="all")  # drawn as calls, what it gets are replies to who asks
    if read.word == "params":
        asked = set(re.findall(r"\w+", folded(read.text)))
        messages = [each for each in messages if each.params and asked & set(re.findall(r"\w+", folded(each.params)))]
    elif read.word == "labels":
        messages = labelled(read.text, view)
    elif read.word == "self":
        messages = [each for each in messages if each.source == each.target]
    elif read.word in ("async", "sync", "reply"):
        messages = [each for each in messages if each.arrow == read.word]
    if not messages:
        return tell.absent("none of", what=what)
    tell.add("filter", _ids(messages), what=what, count=len(messages), messages=tell.messages(messages))
    tell.rows = [{"id": view.prefix + each.id, "name": each.label, "kind": "message"} for each in messages]
    return tell.found()


def nth(view: View, read: Read, lang: Lang) -> Found | None:
    """The message of a number, among all or among those of a lifeline."""
    tell = Telling(view, lang)
    messages: Sequence[Message] = view.diagram.messages
    if read.lifelines:
        id = _line(view, read.lifelines[0])
        messages = [each for each in messages if each.source == id]
    number = read.number or 0
    at = len(messages) + 1 + number if number < 0 else number
    if not 1 <= at <= len(messages):
        return tell.absent("no number", number=number, count=len(messages))
    message = messages[at - 1]
    tell.add("nth", [message.id], number=at, message=tell.message(message))
    if message.path:
        tell.add("where", [message.id, *(step.fragment for step in message.path)], path=tell.path(message.path))
    tell.rows = [{"id": view.prefix + message.id, "name": message.label, "kind": "message"}]
    return tell.found()


def limit(view: View, read: Read, lang: Lang) -> Found | None:
    """How often: the loops with a number around what the question names."""
    tell = Telling(view, lang)
    asked = set(concepts(read.text)) & view.known
    for fragment in view.diagram.fragments:
        if fragment.kind != "loop" or not any(char.isdigit() for char in fragment.operands[0].condition):
            continue
        inside = walk.inside(view.diagram, fragment.id)
        meant = [each for each in inside if asked & set(concepts(each.name))]
        if meant:
            ids = [fragment.id, *_ids(meant)]
            tell.add("count", ids, condition=fragment.operands[0].condition)
            tell.under(meant)
    return tell.found() if tell.sentences else tell.absent("missing", what=read.text.rstrip("？?。. "))


def span(view: View, read: Read, lang: Lang) -> Found | None:
    """The messages drawn from one to another, on the branches that these two stand on; others are listed as open."""
    tell = Telling(view, lang)
    first, last = (view.messages(mention)[0] for mention in read.messages[:2])
    if first.number > last.number:
        first, last = last, first
    chosen = [(step.fragment, step.operand) for step in (*first.path, *last.path)]
    way = walk.derive(view.diagram, chosen)
    messages = [each for each in way.messages if first.number <= each.number <= last.number]
    tell.add("span", _ids(messages), a=tell.message(first), b=tell.message(last), messages=tell.messages(messages))
    tell.chains.append(Chain(items=tell.cite(_ids(messages))))
    between = [each for each in way.open if first.number <= each.operands[0].first <= last.number]
    if between:
        points = [f"{each.kind} {'/'.join(o.condition or '-' for o in each.operands)}" for each in between]
        tell.open_points.extend(points)
        tell.add("open", [each.id for each in between], points=listed(lang, points))
    return tell.found()


def trunk(view: View, read: Read, lang: Lang) -> Found | None:
    """The main line, or what of it goes between the lifelines that are named. Branches are listed, not entered."""
    tell = Telling(view, lang)
    messages: Sequence[Message] = walk.trunk(view.diagram)
    if read.lifelines:
        id = _line(view, read.lifelines[0])
        whom = _line(view, read.lifelines[1]) if len(read.lifelines) > 1 else None
        every = [each for each in view.diagram.messages if each.source == id and whom in (None, each.target)]
        mine = {each.number for each in every}
        messages = [each for each in messages if each.number in mine]
        if not messages:
            if not every:
                who, target = tell.who(id), tell.who(whom) if whom else "—"
                ids = [mention.id for mention in read.lifelines[:2]]
                tell.add("no direct", ids, who=who, whom=target)
                return tell.found()
            tell.add("only conditional", _ids(every), messages=tell.messages(every))
            return tell.found()
        if whom is not None:
            said = tell.messages(messages)
            tell.add("between", _ids(messages), who=tell.who(id), whom=tell.who(whom), messages=said)
        else:
            tell.add("from", _ids(messages), who=tell.who(id), messages=tell.messages(messages))
        return tell.found()
    if not messages:
        return tell.absent("none of", what=say(lang, "all"))
    tell.add("trunk", _ids(messages), messages=tell.messages(messages))
    tops = [
        each
        for each in view.diagram.fragments
        if not conditions(each.path) and each.kind not in ("par", "critical", "group", "ref")
    ]
    if tops:
        points = [f"{each.kind} {'/'.join(o.condition or '-' for o in each.operands)}" for each in tops]
        tell.open_points.extend(points)
        tell.add("branches", [each.id for each in tops], points=listed(lang, points))
    return tell.found()


def incoming(view: View, read: Read, lang: Lang) -> Found | None:
    """Who sends to a lifeline: its messages, those of each sender apart. Who calls it: without replies to its own."""
    tell = Telling(view, lang)
    id = _line(view, read.lifelines[0])
    messages = [each for each in view.diagram.messages if each.target == id]
    if signs.CALLED.search(folded(read.text)):
        messages = [each for each in messages if each.arrow != "reply"]
    verb = _verb(read)
    if verb == _WRITING and view.diagram.lifelines[id].kind == "database":
        messages = [each for each in messages if not _does(each, _READING)]  # what isn't read from it is done to it
    elif verb:
        messages = [each for each in messages if _does(each, verb)]
    if not messages:
        return tell.absent("none of", what=f"→ {tell.who(id)}")
    tell.add("to", _ids(messages), who=tell.who(id), messages=tell.messages(messages))
    senders: dict[str, list[Message]] = {}
    for message in messages:
        senders.setdefault(message.source, []).append(message)
    for sender, sent in senders.items() if len(senders) > 1 else ():
        tell.add("by", _ids(sent), who=tell.who(sender), messages=tell.messages(sent))
    if guarded := [each for each in messages if conditions(each.path)]:
        tell.under(guarded)
    return tell.found()


def _verb(read: Read) -> frozenset[str]:
    text = folded(read.text)
    for mention in read.mentions:  # "库存服务" is a name, in which nothing is stored
        text = text.replace(folded(mention.text), " ")
    if signs.WRITES.search(text):
        return _WRITING
    return _READING if signs.READS.search(text) else frozenset()


def _does(message: Message, verb: frozenset[str]) -> bool:
    return bool(verb & set(concepts(message.name)[:2]))


def outgoing(view: View, read: Read, lang: Lang) -> Found | None:
    """What a lifeline sends, or sends to another: the main line first, then what stands under conditions."""
    tell = Telling(view, lang)
    id = _line(view, read.lifelines[0])
    whom = _line(view, read.lifelines[1]) if len(read.lifelines) > 1 else None
    messages = [each for each in view.diagram.messages if each.source == id and whom in (None, each.target)]
    if not messages:
        who = {"who": tell.who(id), "whom": tell.who(whom) if whom else "—"}
        if whom is not None:
            tell.add("no direct", [mention.id for mention in read.lifelines[:2]], **who)
            return tell.found("no" if read.word == "whether" else None)
        return tell.absent("none of", what=f"{tell.who(id)} →")
    plain = [each for each in messages if not conditions(each.path)]
    if plain:
        who = {"who": tell.who(id), "whom": tell.who(whom or "")}
        tell.add("between" if whom else "from", _ids(plain), **who, messages=tell.messages(plain))
    tell.under([each for each in messages if conditions(each.path)])
    return tell.found("yes" if read.word == "whether" else None)


def path(view: View, read: Read, lang: Lang) -> Found | None:
    """The shortest chain of calls between two lifelines."""
    tell = Telling(view, lang)
    source, target = (_line(view, mention) for mention in read.lifelines[:2])
    found = walk.chain(view.diagram, source, target)
    who = {"who": tell.who(source), "whom": tell.who(target)}
    if not found:
        return tell.absent("no chain", hops=walk.HOPS, **who)
    tell.add("chain", _ids(found), **who, count=len(found), messages=tell.messages(found))
    tell.chains.append(Chain(items=tell.cite(_ids(found))))
    if guarded := [each for each in found if conditions(each.path)]:
        tell.under(guarded)
    return tell.found()


def about(view: View, read: Read, lang: Lang) -> Found | None:
    """What is known of a message: its parameters, replies, kind, conditions, place, ends, what follows."""
    tell = Telling(view, lang)
    meant: Sequence[Message] = view.messages(read.messages[0])[:20]
    for named in read.named:
        inside = walk.inside(view.diagram, named.fragment.id, named.operand)
        meant = [each for each in meant if each in inside] or meant
    for message in meant:
        said, kind = tell.message(message), read.kind
        if kind == "params":
            key = "params" if message.params else "no params"
            tell.add(key, [message.id], message=said, what=message.params)
        elif kind == "returns":
            _returns(tell, message)
        elif kind == "kind":
            tell.add("kind", [message.id], message=said, what=say(lang, f"kind {message.arrow}"))
        elif kind in ("when", "count"):
            guards = conditions(message.path)
            ids = [message.id, *(step.fragment for step in guards)]
            tell.add("when" if guards else "always", ids, message=said, path=tell.path(guards))
        elif kind == "position":
            tell.add("position", [message.id], message=said, number=message.number)
        elif kind == "next":
            later = walk.onward(view.diagram, message)[:8]
            ids = [message.id, *_ids(later)]
            tell.add("next" if later else "next none", ids, message=said, messages=tell.messages(later))
        elif kind == "before":
            earlier = walk.leading(view.diagram, message)[-8:]
            ids = [message.id, *_ids(earlier)]
            tell.add("before" if earlier else "before none", ids, message=said, messages=tell.messages(earlier))
        else:
            who = {"who": tell.who(message.source), "whom": tell.who(message.target)}
            tell.add("sent by", [message.id], message=said, **who)
            if guards := conditions(message.path):
                ids = [message.id, *(step.fragment for step in guards)]
                tell.add("when", ids, message=said, path=tell.path(guards))
    return tell.found() if tell.sentences else None


def repeated(view: View, read: Read, lang: Lang) -> Found | None:
    """How often a message is sent, where it stands in a loop; ``None`` where none that is named does."""
    tell = Telling(view, lang)
    for message in view.messages(read.messages[0])[:20] if read.messages else ():
        if any(step.kind == "loop" for step in message.path):
            guards = conditions(message.path)
            ids = [message.id, *(step.fragment for step in guards)]
            tell.add("when", ids, message=tell.message(message), path=tell.path(guards))
    return tell.found() if tell.sentences else None


def _returns(tell: Telling, message: Message) -> None:
    replies = [
        other
        for other in tell.view.diagram.messages[message.number :]
        if other.arrow == "reply" and (other.source, other.target) == (message.target, message.source)
    ]
    first = reviewing.answers(tell.view).get(message.number)
    shown = [other for other in replies if other.number == first] or replies[:1]
    if shown:
        tell.add("returns", [message.id, *_ids(shown)], message=tell.message(message), messages=tell.messages(shown))


def review(view: View, read: Read, lang: Lang) -> Found | None:
    """The report of the rules."""
    tell = Telling(view, lang)
    numbers = {message.id: message for message in view.diagram.messages}
    for finding in reviewing.review(view):
        shown = [
            tell.message(numbers[id]) if id in numbers else view.items[view.prefix + id].text for id in finding.items
        ]
        tell.add(finding.rule, finding.items, messages=listed(lang, shown), points=listed(lang, shown))
    if not tell.sentences:
        tell.add("review none", _ids(view.diagram.messages[:20]), count=len(view.diagram.messages))
    return tell.found()


def contents(view: View, read: Read, lang: Lang) -> Found | None:
    """What a diagram holds: lifelines, branches, notes, how many of each."""
    tell = Telling(view, lang)
    diagram = view.diagram
    if read.kind == "lifeline":
        for mention in read.lifelines[:3]:
            line = diagram.lifelines[_line(view, mention)]
            tell.add("lifeline", [mention.id], name=line.name, what=line.kind)
    elif read.kind == "lifelines":
        names = [line.name for line in diagram.lifelines.values()]
        tell.add("lifelines", view.lifelines, names=listed(lang, names))
    elif read.kind == "branches":
        kind = next((kind for kind, sign in signs.KINDS_OF_FRAGMENT if sign.search(folded(read.text))), "")
        fragments = [each for each in diagram.fragments if kind in ("", each.kind)]
        points = [f"{each.kind} {'/'.join(o.condition or '-' for o in each.operands)}" for each in fragments]
        if not points:
            return tell.absent("none of", what=kind or "alt / opt / loop / par")
        tell.add("branches", [each.id for each in fragments], points=listed(lang, points))
    elif read.kind == "notes":
        if not diagram.notes:
            return tell.absent("none of", what="note")
        tell.add("notes", [each.id for each in diagram.notes], points=listed(lang, [n.text for n in diagram.notes]))
    else:
        facts = {"messages": len(diagram.messages), "lifelines": len(diagram.lifelines)}
        facts |= {"fragments": len(diagram.fragments), "notes": len(diagram.notes)}
        ids = _ids(diagram.messages[:1]) or list(view.lifelines)[:1]
        tell.add("total", ids, **facts)
    return tell.found()
