"""One diagram as it is asked: what can be cited, what names mean, which conditions a text names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from lingbot_map.ask.bases.sequence import lexicon
from lingbot_map.ask.bases.sequence.ir import OUTSIDE, Diagram, Fragment, Message, Path
from lingbot_map.ask.bases.sequence.lexicon import concepts
from lingbot_map.ask.bases.sequence.noted import constraints
from lingbot_map.ask.bases.sequence.order import Order
from lingbot_map.ask.names import Names
from lingbot_map.ask.text import STOP, folded
from lingbot_map.ask.types import Item, Mention

SHARE = 0.6
"""So much of a question's words a condition must have at least: it is a short label, and half of one is another."""
_LONGEST_NAME = 80
_ELSE = ("", "else", "otherwise", "default", "否则", "其他", "其它")
_TELLING = frozenset(
    (
        "refund", "cancel", "retry", "compensate", "rollback", "commit", "notify", "audit", "invoice", "login",
        "logout", "auth", "verify", "register", "transfer", "ship", "upload", "download", "dispatch", "classify",
        "clear",
    )
)  # fmt: skip
"""Concepts that name a message by themselves."""
_GENERIC = frozenset(("service", "system", "message", "request", "business"))
"""Concepts by which a question names nothing."""
_CLAUSE = re.compile(r"[，,；;、。]|\b(?:and|but|while)\b|(?:并且|而且|同时|但是|但|且)")


@dataclass(frozen=True, slots=True)
class Named:
    """A text names operand ``operand`` of ``fragment``; ``holds`` is false where it says the opposite of the condition
    of a fragment without another branch (which is then left out). ``at`` and ``end`` say where the words stand, or
    are -1."""

    fragment: Fragment
    operand: int
    score: float
    holds: bool = True
    at: int = -1
    end: int = -1


_NO_NOUN = re.compile(r"\s*(?:[?.!,;:]|$|(?:to|from|and|or|sends?|calls|does|gets?|receives?|replies|returns)\b)")
"""What follows a name and never an article."""


class View:
    """``prefix`` stands before each id where several diagrams are asked ("pay#")."""

    def __init__(self, diagram: Diagram, prefix: str = "") -> None:
        self.diagram = diagram
        self.prefix = prefix
        self.names = Names()
        self.lifelines: dict[str, str] = {}  # citation without prefix -> id of the lifeline
        self.cited: dict[str, str] = {}
        for number, line in enumerate(diagram.lifelines.values(), 1):
            cite = f"l{number}"
            self.lifelines[cite], self.cited[line.id] = line.id, cite
            self.names.add(cite, "lifeline", line.name)
            if len(line.id) > 1:
                self.names.add(cite, "lifeline", line.id, "alias")
        for message in diagram.messages:
            for name in dict.fromkeys((message.label, message.name)):
                key = folded(name)
                if 2 <= len(name) <= _LONGEST_NAME and key not in STOP and not key.isdigit():
                    self.names.add(message.id, "message", name)
        self.order = Order(diagram, constraints(diagram, self.names))

    @cached_property
    def items(self) -> dict[str, Item]:
        """All that can be cited, by id."""
        found: dict[str, Item] = {}
        for kind, id, text, title, line in self._told():
            found[self.prefix + id] = Item(
                id=self.prefix + id,
                kind=kind,
                text=text,
                title=title,
                source=self.diagram.source,
                place=f"line {line}",
                props={"verified": self.diagram.verified},
            )
        return found

    def _told(self) -> Iterator[tuple[str, str, str, str, int]]:
        diagram = self.diagram
        for message in diagram.messages:
            where = "".join(f" [{each}]" for each in self.steps(message.path))
            text = f"{self.ends(message)}: {message.label}{where}"
            yield "message", message.id, text, message.label or message.id, message.line
        for fragment in diagram.fragments:
            text = " / ".join(operand.condition or "-" for operand in fragment.operands)
            yield "fragment", fragment.id, f"{fragment.kind}: {text}", fragment.kind, fragment.line
        for note in diagram.notes:
            yield "note", note.id, note.text, note.id, note.line
        for cite, id in self.lifelines.items():
            line = diagram.lifelines[id]
            yield "lifeline", cite, f"{line.kind} {line.name}", line.name, line.line

    def ends(self, message: Message) -> str:
        """Who sends it to whom."""
        return f"{self.who(message.source)} -> {self.who(message.target)}"

    def who(self, id: str) -> str:
        """A lifeline's name; "[" for the frame's edge."""
        return self.diagram.named(id) or OUTSIDE

    @staticmethod
    def steps(path: Path) -> list[str]:
        """The path as words, outermost first."""
        return [f"{step.kind}: {step.condition}" if step.condition else step.kind for step in path]

    def messages(self, mention: Mention) -> tuple[Message, ...]:
        """The messages that a mention may stand for, in the order drawn; none for a lifeline."""
        ids = sorted({int(id[1:]) for id in (mention.id, *mention.others) if id.startswith("m")})
        return tuple(self.diagram.messages[number - 1] for number in ids)

    @cached_property
    def _by_concepts(self) -> dict[tuple[str, ...], list[tuple[str, str]]]:
        """Names by their concepts, sorted; of messages those of two concepts and more, and telling ones."""
        found: dict[tuple[str, ...], list[tuple[str, str]]] = {}
        for cite, id in self.lifelines.items():
            key = tuple(sorted(concepts(self.diagram.lifelines[id].name)))
            if key:
                found.setdefault(key, []).append((cite, "lifeline"))
        for message in self.diagram.messages:
            key = tuple(sorted(concepts(message.name)))
            if 1 < len(key) <= 6 or (len(key) == 1 and key[0] in _TELLING):
                found.setdefault(key, []).append((message.id, "message"))
        return found

    def mentions(self, text: str, taken: tuple[tuple[int, int], ...] = ()) -> tuple[Mention, ...]:
        """The names in a text, in order: those written out, and between them those said in other words. Names within
        the places ``taken`` are part of something else."""
        literal = [
            mention
            for mention in self.names.find(text)
            if not any(at <= mention.start < end for at, end in taken) and self._meant(mention, text)
        ]
        found = list(literal)
        cuts = sorted([*((each.start, each.start + len(each.text)) for each in literal), *taken])
        begin = 0
        for at, end in [*cuts, (len(text), len(text))]:
            if begin < at:
                found.extend(self._said(text[begin:at], begin))
            begin = max(begin, end)
        return tuple(sorted(found, key=lambda each: each.start))

    @staticmethod
    def _meant(mention: Mention, text: str) -> bool:
        """Whether a lifeline's name of one letter is no article and no pronoun where it stands in an English text."""
        if len(mention.text) > 1 or not mention.text.isascii() or not re.search(r"[a-z] [a-z]", text):
            return True
        if mention.text in "aA":
            written = mention.text == "A" and mention.start > 0
            return written or bool(_NO_NOUN.match(text, mention.start + 1))
        return mention.text not in "iI"

    def _said(self, text: str, begin: int) -> Iterator[Mention]:
        said = concepts(text)
        at = 0
        while at < len(said):
            for length in range(min(6, len(said) - at), 0, -1):
                known = self._by_concepts.get(tuple(sorted(said[at : at + length])))
                if known:
                    (id, kind), *others = known
                    words = " ".join(said[at : at + length])
                    rest = tuple(other for other, other_kind in others if other_kind == kind)
                    yield Mention(
                        text=words, start=begin + at, id=id, kind=kind, how="alias", confidence=0.8, others=rest
                    )
                    at += length
                    break
            else:
                at += 1

    @cached_property
    def _operands(self) -> list[tuple[Fragment, int, str, frozenset[str], frozenset[str]]]:
        """(fragment, operand, condition, its concepts, those of the messages it speaks of)."""
        found = []
        for fragment in self.diagram.fragments:
            for operand in fragment.operands:
                if fragment.kind != "ref" and operand.condition:
                    own = frozenset(concepts(operand.condition))
                    found.append(
                        (fragment, operand.number, operand.condition, own, self._context(operand.condition, own))
                    )
        return found

    def _context(self, condition: str, own: frozenset[str]) -> frozenset[str]:
        spoken: set[str] = set()
        for mention in self.names.find(condition):
            for message in self.messages(mention):
                spoken.update(concepts(message.name))
                call = next(
                    (
                        each
                        for each in reversed(self.diagram.messages[max(0, message.number - 200) : message.number - 1])
                        if (each.source, each.target) == (message.target, message.source)
                    ),
                    None,
                )
                if call is not None and message.arrow == "reply":
                    spoken.update(concepts(call.name))
        return frozenset(spoken)

    def spoken(self, named: Named) -> frozenset[str]:
        """The concepts of a condition and of the messages that it speaks of."""
        return frozenset().union(
            *(own | spoken for fragment, number, _, own, spoken in self._operands
              if (fragment.id, number) == (named.fragment.id, named.operand))
        )  # fmt: skip

    @cached_property
    def tokens(self) -> frozenset[str]:
        """All words of labels, conditions and notes."""
        texts = [message.label for message in self.diagram.messages] + [note.text for note in self.diagram.notes]
        texts += [operand.condition for fragment in self.diagram.fragments for operand in fragment.operands]
        return frozenset(word for text in texts for word in re.findall(r"\w+", folded(text)))

    @cached_property
    def known(self) -> frozenset[str]:
        """The concepts of all names and conditions."""
        names = [line.name for line in self.diagram.lifelines.values()]
        names += [message.name for message in self.diagram.messages]
        names += [operand.condition for fragment in self.diagram.fragments for operand in fragment.operands]
        return frozenset(concept for name in names for concept in concepts(name))

    def conditions(self, text: str) -> list[Named]:
        """The conditions that a text names, best first."""
        found = self._exact(text) or self._best(text)
        if not found and (bare := self._without_names(text)) != text:
            found = self._best(bare)
        clauses = [clause for clause in _CLAUSE.split(text) if clause.strip()]
        if len(clauses) > 1:
            before: frozenset[str] = frozenset()
            for clause in clauses:
                asked = frozenset(concepts(clause))
                if before and asked and asked == lexicon.states(asked):
                    found.extend(self._fitting(before - lexicon.states(before) | asked))  # "..., and if it fails?"
                    continue
                before = asked
                found.extend(self._exact(clause) or self._best(clause))
        best: dict[tuple[str, int], Named] = {}
        for named in found:
            key = (named.fragment.id, named.operand)
            kept = best.get(key)
            if kept is None or named.score > kept.score:
                best[key] = named
        return sorted(best.values(), key=lambda named: (-named.score, named.fragment.number))

    def _without_names(self, text: str) -> str:
        """The text without the messages that it names by their names in code."""
        whole = folded(text)
        for mention in self.names.find(text):
            if mention.kind == "message" and mention.text.isascii():
                whole = whole.replace(folded(mention.text), " ")
        return whole if len(whole) < len(folded(text)) else text

    def _exact(self, text: str) -> list[Named]:
        """Conditions written out; none where the text says more of how it went than they do."""
        whole = folded(text)
        found: list[Named] = []
        for fragment, number, condition, own, _ in self._operands:
            key = folded(condition).strip()
            at = whole.find(key)
            if at < 0 or not any(not each.isdigit() for each in own) or _negated(whole, at):
                continue
            found.append(Named(fragment, number, 10.0 + len(key), at=at, end=at + len(key)))
        # A condition within a longer one is not meant by itself.
        found = [
            each
            for each in found
            if not any(o.at <= each.at and each.end <= o.end and o.end - o.at > each.end - each.at for o in found)
        ]
        rest = whole
        for name in [whole[each.at : each.end] for each in found] + [m.text for m in self.names.find(text)]:
            rest = rest.replace(name, " ")
        return [] if lexicon.states(concepts(rest)) else found

    def _best(self, text: str) -> list[Named]:
        """Conditions whose words the text holds; not those that only the names of lifelines hold ("in stock", where the
        StockService is asked for)."""
        rest, named = folded(text), set[str]()
        for mention in self.names.find(text):
            if mention.kind == "lifeline":
                rest = rest.replace(folded(mention.text), " ")
                named.update(concepts(mention.text))
        named -= set(concepts(rest))
        found = self._fitting(frozenset(concepts(text)))
        return [each for each in found if not named or not set(concepts(_condition(each))) <= named]

    def _fitting(self, asked: frozenset[str]) -> list[Named]:
        """The conditions that have most of the concepts ``asked``."""
        if not asked:
            return []
        states = lexicon.states(asked)
        found: list[Named] = []
        for fragment, number, _, own, spoken in self._operands:
            meant = asked - (_GENERIC - own)
            fit = _fit(meant, states, own, spoken, self.known)
            if fit:
                found.append(Named(fragment, number, fit))
            elif fit := _fit(_opposed(meant), _opposed(states), own, spoken, self.known):
                found.extend(_complement(fragment, number, fit))
        top = max((named.score for named in found), default=0.0)
        return [named for named in found if named.score >= top - 1e-9]


def _negated(whole: str, at: int) -> bool:
    return whole[:at].rstrip().endswith(("不", "没", "没有", "未", "not", "no"))


def _opposed(asked: frozenset[str]) -> frozenset[str]:
    return frozenset(lexicon.opposite(each) if lexicon.states((each,)) else each for each in asked)


def _fit(
    asked: frozenset[str], states: frozenset[str], own: frozenset[str], spoken: frozenset[str], known: frozenset[str]
) -> float:
    """The share of what is asked that a condition has; 0 where it isn't meant."""
    if not states <= own or lexicon.states(own) - states or not asked & own:
        return 0.0
    if all(each.isdigit() for each in asked & own):
        return 0.0
    share = len(asked & (own | spoken)) / len(asked)
    strangers = (asked - own - spoken) & known
    if share < SHARE and not (own <= asked and share >= SHARE - 0.1):
        return 0.0
    if strangers and not own <= asked:
        return 0.0  # it speaks of something else that the diagram knows
    return share + len(asked & own) / 100


def _complement(fragment: Fragment, number: int, fit: float) -> Iterator[Named]:
    others = [operand for operand in fragment.operands if operand.number != number]
    if not others:
        yield Named(fragment, number, fit - 0.05, holds=False)
    elif len(others) == 1 and folded(others[0].condition).strip() in _ELSE:
        yield Named(fragment, others[0].number, fit - 0.05)


def _condition(named: Named) -> str:
    return named.fragment.operands[named.operand - 1].condition
