"""The base "diagram": sequence diagrams that answer questions.

Structure is computed (order, conditions, numbers, ways); only what no operator fits is searched, in each message with
its conditions and neighbours. What the diagram doesn't say is said to be missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from lingbot_map.ask.askable import Route
from lingbot_map.ask.bases.sequence import judging, listing, signs
from lingbot_map.ask.bases.sequence.around import around
from lingbot_map.ask.bases.sequence.ir import Diagram
from lingbot_map.ask.bases.sequence.lexicon import concepts, states
from lingbot_map.ask.bases.sequence.reading import Read, read
from lingbot_map.ask.bases.sequence.source import Refused
from lingbot_map.ask.bases.sequence.telling import Telling
from lingbot_map.ask.bases.sequence.view import SHARE, View
from lingbot_map.ask.bases.sequence.wording import say
from lingbot_map.ask.dialog import Dialog
from lingbot_map.ask.pool import Fused, Hit
from lingbot_map.ask.text import folded, lang_of
from lingbot_map.ask.types import Found, Item, Lang, Mention, Question, Sentence

ALPHA = 0.7
"""What a hit in the neighbourhood counts beside one in the words themselves."""
LONGEST = 2000
"""Characters of a question that are read."""
_MOST_VIEWS = 5
_AROUND = 2
_TIME = re.compile(
    r"\d+(?:\.\d+)?\s*(?:毫秒|秒钟?|分钟?|小时|天|周|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?|days?)(?![a-z0-9])"
)
_BACK = re.compile(r"\b(?:it|that|this|there)\b|它|这条|那条|该消息|这个|上面")

Operator = Callable[[View, Read, Lang], Found | None]
_OPERATORS: dict[str, Operator] = {
    "order": judging.order,
    "condition": judging.condition,
    "what_if": judging.what_if,
    "still": judging.still,
    "filter": listing.filtered,
    "nth": listing.nth,
    "trunk": listing.trunk,
    "steps": listing.trunk,
    "incoming": listing.incoming,
    "outgoing": listing.outgoing,
    "between": listing.outgoing,
    "path": listing.path,
    "span": listing.span,
    "limit": listing.limit,
    "review": listing.review,
    **dict.fromkeys(
        ("params", "returns", "kind", "when", "position", "next", "before", "count", "ends", "message"), listing.about
    ),
    **dict.fromkeys(("lifeline", "lifelines", "branches", "notes", "total"), listing.contents),
}


class SequenceBase:
    """Asks ``diagrams``; ``refused`` are parts of their files that are of another kind."""

    name = "diagram"
    version = 0
    """Diagrams that are read never change."""

    def __init__(self, diagrams: Sequence[Diagram], refused: Sequence[Refused] = ()) -> None:
        several = len(diagrams) > 1
        names = _names(diagrams) if several else [""]
        self.views = [View(each, name) for each, name in zip(diagrams, names, strict=True)]
        self.refused = tuple(refused)

    @cached_property
    def _items(self) -> dict[str, Item]:
        return {id: item for view in self.views for id, item in view.items.items()}

    def item(self, id: str) -> Item | None:
        """The message, fragment, note or lifeline of that id."""
        return self._items.get(id)

    def around(self, id: str, steps: int) -> tuple[str, ...]:
        """What surrounds an item, a line each: conditions, up to ``steps`` messages before and after, notes."""
        views = [view for view in self.views if id in view.items]
        return around(views[0], id, steps) if views else ()

    def read(self, text: str, dialog: Dialog) -> Question:
        """What the question means, for the diagrams that know most of its names."""
        text = text[:LONGEST]
        lang = lang_of(text)
        reads = [(read(text, view), index) for index, view in enumerate(self.views)]
        top = max(each.fit for each, _ in reads)
        best = [(each, index) for each, index in reads if each.fit >= top - 1e-9]
        more = max(0, len(best) - _MOST_VIEWS)
        best = best[:_MOST_VIEWS]
        first, index = best[0]
        if not first.mentions and not first.named and _BACK.search(folded(text)) and dialog.topics:
            first, index = self._inherited(text, dialog, first, index)
            best = [(first, index)]
        mentions = tuple(self._shown(self.views[index], mention) for mention in first.mentions)
        return Question(
            text=text,
            lang=lang,
            kind=first.kind,
            mentions=mentions,
            terms=concepts(text),
            constraints={"conditions": [self._condition(index, first)]} if first.named else {},
            args={"reads": tuple(best), "more": more},
        )

    def _inherited(self, text: str, dialog: Dialog, own: Read, index: int) -> tuple[Read, int]:
        """The question about what the one before named."""
        before = dialog.topics[0].question.args.get("reads")
        if not before:
            return own, index
        last, index = before[0]
        names = " ".join(mention.text for mention in (*last.mentions, *dialog.topics[0].answered)[:3])
        again = read(f"{names} {text}", self.views[index]) if names else own
        mentions = tuple(replace(mention, how="before") for mention in again.mentions)
        return replace(again, mentions=mentions), index

    def _shown(self, view: View, mention: Mention) -> Mention:
        others = tuple(view.prefix + other for other in mention.others)
        return replace(mention, id=view.prefix + mention.id, others=others)

    def _condition(self, index: int, found: Read) -> list[str]:
        return [each.fragment.operands[each.operand - 1].condition for each in found.named]

    def compute(self, question: Question) -> Found | None:
        """What the operator of the question's kind finds, in each diagram that it fits."""
        answers: list[tuple[View, Found]] = []
        for found_read, index in self._reads(question):
            view = self.views[index]
            found = self._one(view, self._corrected(view, question, found_read), question.lang)
            if found is not None:
                answers.append((view, found))
        if not answers:
            return None
        said = [(view, found) for view, found in answers if not found.abstained]
        if not said:
            return answers[0][1]
        if len(said) == 1:
            return self._remarked(said[0][0], said[0][1], question.lang)
        verdicts = {found.verdict for _, found in said}
        return Found(
            sentences=tuple(
                replace(sentence, text=f"[{view.prefix.rstrip('#')}] {sentence.text}")
                for view, found in said
                for sentence in found.sentences
            ),
            verdict=verdicts.pop() if len(verdicts) == 1 else None,
            chains=tuple(chain for _, found in said for chain in found.chains),
            open_points=(*(point for _, found in said for point in found.open_points), *self._more(question)),
        )

    def _more(self, question: Question) -> tuple[str, ...]:
        """That more diagrams fit than were asked, where that is so."""
        more = question.args.get("more", 0)
        return (say(question.lang, "more diagrams", count=more),) if more else ()

    def _reads(self, question: Question) -> Sequence[tuple[Read, int]]:
        reads: Sequence[tuple[Read, int]] = question.args.get("reads", ())
        return reads or [(read(question.text, view), index) for index, view in enumerate(self.views)][:_MOST_VIEWS]

    def _corrected(self, view: View, question: Question, found: Read) -> Read:
        """The reading with the mentions that a reader put right."""
        own = tuple(
            replace(
                each,
                id=each.id.removeprefix(view.prefix),
                others=tuple(other.removeprefix(view.prefix) for other in each.others),
            )
            for each in question.mentions
            if each.id.startswith(view.prefix)
        )
        known = tuple(each for each in own if view.prefix + each.id in view.items)
        return replace(found, mentions=known) if len(self._reads(question)) == 1 and known else found

    def _one(self, view: View, found: Read, lang: Lang) -> Found | None:
        tell = Telling(view, lang)
        if found.kind == "unknown":
            return tell.absent("no name", what="、".join(found.unknown) if lang == "zh" else ", ".join(found.unknown))
        if found.kind == "unmet":
            return tell.absent("missing", what=found.text.rstrip("？?。. "))
        if found.kind == "interval":
            often = listing.repeated(view, found, lang) if signs.OFTEN.search(folded(found.text)) else None
            return often if often is not None else self._interval(view, found, tell)
        operator = _OPERATORS.get(found.kind)
        return operator(view, found, lang) if operator is not None else None

    def _interval(self, view: View, found: Read, tell: Telling) -> Found:
        """A time that something in the diagram says, of what the question names; nothing else is one."""
        asked = {concept for concept in concepts(found.text) if concept in view.known}
        for item in view.items.values():
            if _TIME.search(folded(item.text)) and asked and asked <= set(concepts(item.text)):
                tell.sentences.append(
                    Sentence(text=say(tell.lang, "says", id=item.id, text=item.text), cites=(item.id,))
                )
        return tell.found() if tell.sentences else tell.absent("missing", what=found.text.rstrip("？?。. "))

    def _remarked(self, view: View, found: Found, lang: Lang) -> Found:
        if view.diagram.verified:
            return found
        return replace(found, open_points=(*found.open_points, say(lang, "unverified")))

    def routes(self, question: Question) -> Sequence[Route]:
        """The words of each message, condition and note; and those of a message's neighbourhood, which count less."""
        asked = frozenset(concepts(question.text))
        if not asked or question.kind:
            return ()
        views = [self.views[index] for _, index in self._reads(question)]
        return (
            Route(name="words", run=lambda late: _words(views, asked, late), keywords=tuple(sorted(asked))),
            Route(
                name="neighbourhood",
                run=lambda late: _around(views, asked, late),
                weight=ALPHA,
                keywords=tuple(sorted(asked)),
            ),
        )

    def answer(self, question: Question, pool: Sequence[Fused]) -> Found:
        """The message or note that has most of the question's words; that it is missing where none has enough."""
        asked = frozenset(concepts(question.text))
        for fused in pool:
            item = self._items.get(fused.item)
            if item is None or "words" not in fused.ranks:
                continue
            text = say(question.lang, "retrieved", message=f"{item.text}（{item.id}）")
            share = _share(asked, item)
            return Found(sentences=(Sentence(text=text, cites=(item.id,)),), confidence=round(share, 3))
        text = say(question.lang, "missing", what=question.text.rstrip("？?。. "))
        return Found(sentences=(Sentence(text=text, cites=()),), abstained=True)


def _names(diagrams: Sequence[Diagram]) -> list[str]:
    """A short name for each diagram, none twice, with the sign that divides it from what it holds."""
    found: dict[str, None] = {}
    for diagram in diagrams:
        stem = re.sub(r"\s+", "_", diagram.name or diagram.source.rsplit("/", 1)[-1].rsplit(".", 1)[0]) or "diagram"
        name, count = stem, 1
        while f"{name}#" in found:
            count += 1
            name = f"{stem}~{count}"
        found[f"{name}#"] = None
    return list(found)


def _share(asked: frozenset[str], item: Item) -> float:
    own = set(concepts(item.text))
    if states(asked) and item.kind != "note":
        return 0.0  # how something went is a condition, and conditions were looked through
    return len(asked & own) / len(asked) if states(asked) <= own else 0.0


def _words(views: Sequence[View], asked: frozenset[str], late: Callable[[], bool]) -> list[Hit]:
    found = []
    for view in views:
        for item in view.items.values():
            if late():
                break
            if item.kind != "lifeline" and (share := _share(asked, item)) >= SHARE:
                found.append(Hit(item=item.id, score=share, why=f"{share:.0%}"))
    return sorted(found, key=lambda hit: -hit.score)[:20]


def _around(views: Sequence[View], asked: frozenset[str], late: Callable[[], bool]) -> list[Hit]:
    found = []
    for view in views:
        own = [set(concepts(view.items[view.prefix + each.id].text)) for each in view.diagram.messages]
        for at, message in enumerate(view.diagram.messages):
            if late():
                break
            near = set().union(*own[max(0, at - _AROUND) : at + _AROUND + 1])
            if share := len(asked & near) / len(asked):
                found.append(Hit(item=view.prefix + message.id, score=share, why=f"{share:.0%}"))
    return sorted(found, key=lambda hit: -hit.score)[:20]
