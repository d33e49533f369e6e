"""How a question was understood, for a reader who puts it right: what each of its names stands for, and may stand for
instead; and questions that a base is sure to answer, for a reader who asks it for the first time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lingbot_map.ask import Base, Mention, Question
    from lingbot_map.ask.dialog import Dialog
    from lingbot_map.ask.types import Lang

MOST_OPTIONS = 60
"""Things that a name may be put right to."""
MOST_EXAMPLES = 4
_TRIED = 14
_BY_TEXT = ("recall", "sentences")  # these answer what is said, so what was put right has to be said


def read_as(base: Base, text: str, dialog: Dialog, bound: Mapping[int, str]) -> Question:
    """The question with the ids that a reader put right, by the place of the words that stand for them."""
    own: Any = getattr(base, "read_as", None)
    if own is not None:
        read: Question = own(text, dialog, bound)
        return read
    question = base.read(text, dialog)
    if not bound:
        return question
    mentions = tuple(_put_right(base, mention, bound.get(mention.start, "")) for mention in question.mentions)
    if base.name in _BY_TEXT:
        question = base.read(_said_otherwise(base, text, mentions), dialog)
    return replace(question, mentions=mentions)


def _said_otherwise(base: Base, text: str, mentions: Sequence[Mention]) -> str:
    """The question with the title of each document that was put right in the place of its words."""
    for mention in mentions:
        item = base.item(mention.id)
        if mention.how == "corrected" and item is not None:
            title = item.title.replace("\\", "\\\\")
            text = re.sub(re.escape(mention.text), title, text, count=1, flags=re.IGNORECASE)
    return text


def _put_right(base: Base, mention: Mention, id: str) -> Mention:
    item = base.item(id) if id and id != mention.id else None
    if item is None:
        return mention
    others = tuple(other for other in (mention.id, *mention.others) if other != id)
    return replace(mention, id=id, how="corrected", others=others)


def bound_as_json(base: Base, question: Question) -> dict[str, Any]:
    """As ``telling.question_as_json``, each mention with ``label`` and ``options`` (id and label of each)."""
    from lingbot_map.ask.telling import question_as_json

    said = question_as_json(question)
    for mention, told in zip(question.mentions, said["mentions"], strict=True):
        ids = dict.fromkeys([mention.id, *mention.others, *islice(_kin(base, mention), MOST_OPTIONS)])
        labels = {id: label for id in islice(ids, MOST_OPTIONS) if (label := _label(base, id))}
        often = Counter(labels.values())
        told["label"] = labels.get(mention.id, "")
        told["options"] = [
            {"id": id, "label": f"{label} ({id})" if often[label] > 1 else label} for id, label in labels.items()
        ]
    return said


def _label(base: Base, id: str) -> str:
    item = base.item(id)
    if item is None:
        return ""
    title = item.title or item.id
    if item.kind == "message":
        return f"{title} · {item.id}"
    about: Any = base
    kind = about.graph.nodes[id].kind if item.kind == "node" and base.name == "graph" else ""
    return f"{title} · {kind}" if kind else title


def _kin(base: Base, mention: Mention) -> Iterator[str]:
    """Other things of the same kind."""
    about: Any = base
    if base.name == "session":
        yield from (node.id for node in about.record.map.nodes.values() if node.kind == mention.kind)
    elif base.name == "diagram":
        for view in about.views:
            if mention.id.startswith(view.prefix):
                yield from (id for id, item in view.items.items() if item.kind == mention.kind)
    elif base.name == "graph":
        yield from (node.id for node in about.graph.nodes.values() if node.kind == mention.kind)
    else:
        yield from about.library.snapshot.documents


def examples(base: Base, lang: Lang) -> list[str]:
    """Questions in ``lang`` that the base answers, at most ``MOST_EXAMPLES``: each was asked before it is offered."""
    from lingbot_map.ask import Ask

    found: list[str] = []
    for question in islice(dict.fromkeys(_tried(base, lang)), _TRIED):
        if not Ask(base).ask(question).abstained:
            found.append(question)
            if len(found) == MOST_EXAMPLES:
                break
    return found


def _tried(base: Base, lang: Lang) -> Iterator[str]:
    about: Any = base
    if base.name == "diagram":
        yield from _of_diagram(about.views[0].diagram, lang)
    elif base.name == "graph":
        yield from _of_graph(about, lang)
    elif base.name != "session":
        yield from _of_documents(about.library.snapshot, lang)


def _of_diagram(diagram: Any, lang: Lang) -> Iterator[str]:
    told = [message for message in diagram.messages if message.name]
    inner = [message for message in told if message.path]
    branches = [fragment for fragment in diagram.fragments if fragment.kind in ("alt", "opt", "break")]
    conditions = [o.condition for each in branches for o in each.operands if len(o.condition) > 2]
    for condition in conditions[:2]:
        yield (
            f"如果{_beside(condition, after=False)}，完整调用链会怎么走？"
            if lang == "zh"
            else f"What is the whole chain if {condition}?"
        )
    if inner:
        name = inner[0].name
        yield (
            f"{_beside(name, before=False)}在什么条件下调用？"
            if lang == "zh"
            else f"Under which condition is {name} called?"
        )
    if len(told) > 1:
        first, second = told[0].name, told[1].name
        yield (
            f"{_beside(second, before=False)}必须在{_beside(first)}之后吗？"
            if lang == "zh"
            else f"Must {second} come after {first}?"
        )
    yield "主干步骤有哪些？" if lang == "zh" else "Which steps does the main path have?"
    yield "这个设计有什么问题？" if lang == "zh" else "What is wrong with this design?"


def _of_graph(about: Any, lang: Lang) -> Iterator[str]:
    graph = about.graph
    known = sorted(islice(graph.nodes, 5000), key=lambda id: -graph.degree(id))
    told: set[str] = set()
    for id in known[:20]:
        name = graph.nodes[id].name
        for relation in graph.into.get(id, {}):
            said = graph.says.get(relation)
            word = _verb(said.says, lang) if said is not None and not said.both_ways else ""
            if relation.casefold().startswith(f"{word}_"):  # "acted in": its word can't stand between two names alone
                continue
            if word and relation not in told and len(told) < 2:
                told.add(relation)
                yield f"谁{word}了{_beside(name, after=False)}？" if lang == "zh" else f"Who {word} {name}?"
    if known:
        ends = [edge.target for edges in graph.out.get(known[0], {}).values() for edge in edges]
        further = [edge.source for end in ends for edges in graph.into.get(end, {}).values() for edge in edges]
        for other in [id for id in further if id != known[0]][:2]:
            a, b = graph.nodes[known[0]].name, graph.nodes[other].name
            yield (
                f"{_beside(a, before=False)}和{_beside(b)}有什么关系？"
                if lang == "zh"
                else f"How are {a} and {b} connected?"
            )
    for kind in islice(filter(None, about.schema.kinds), 2):
        yield f"有多少{_beside(kind, after=False)}？" if lang == "zh" else f"How many {kind} are there?"


def _beside(name: str, *, before: bool = True, after: bool = True) -> str:
    """A name among Chinese words: a space stands between them and letters or digits of another script, and no other."""
    left = " " if before and name[:1].isascii() else ""
    return left + name + (" " if after and name[-1:].isascii() else "")


def _verb(says: Sequence[str], lang: Lang) -> str:
    """A word by which a relation is said that stands between two names: the first Chinese one, an English past."""
    for word in says:
        han = all("\u4e00" <= char <= "\u9fff" for char in word)
        if (lang == "zh" and han and len(word) == 2) or (lang == "en" and word.isascii() and word.endswith("ed")):
            return word
    return ""


def _of_documents(snapshot: Any, lang: Lang) -> Iterator[str]:
    for document in islice(snapshot.documents.values(), 8):
        title = document.title.strip()
        yield f"{_beside(title, before=False)}说了什么？" if lang == "zh" else f"What is {title}?"
