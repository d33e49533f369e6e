"""Who did it to whom: "Who trained Mrs. Tanaka?" isn't answered by a sentence about one whom she trained."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lingbot_map.ask.bases.documents import verbs
from lingbot_map.ask.bases.documents.subjects import NAMED
from lingbot_map.ask.bases.documents.wording import matching, stem

_AUXILIARY = "did|does|do|has|have|had|was|were|is|are|been|be|being|will|would"
_NAME = rf"(?:{NAMED}|[A-Z][\w\-]+)"
_ASKED = re.compile(
    rf"(?i:\b(?:who|whom|(?:which|what) [a-z]+)) (?P<aux>(?:(?:{_AUXILIARY}|\w+ly|first|once|originally) )*)"
    rf"(?P<verb>[a-z]+) (?P<by>by )?(?:the )?(?P<name>{_NAME})"
    rf"\s*(?:[?？,.]|$|(?:in|on|at|for|to|as|from|with|during|until|before|after|since) )"
)
_SUBJECT = re.compile(rf"(?i:\bwhom?) (?:did|does|has|had|will) (?:the )?(?P<name>{_NAME}) (?P<verb>[a-z]+)\b")
_ASKED_ZH = re.compile(
    r"^(?:是|请问)?谁(?P<verb>[\u4e00-\u9fff]{2}?)(?:了|过)?(?P<name>[\u4e00-\u9fff·\w]{2,12})[?？]?$"
)
_BE = re.compile(r"(?:\b(?:was|were|is|are|been|be|being|got)\b(?: \w+ly| first| once| also| later)*|^|,) ?$")
_BY = re.compile(r" (?:\w+ ){0,4}?by\b")
_OTHERS = re.compile(r"\b(?:who|whose|whom|that|her|his|their|its|she|he|they)\b")
_HERSELF = re.compile(r"\bby (?:her|him|them|it)\b|^(?:her|his|their|its) (?!own\b)\w+")
_PREPOSED = re.compile(r"\b(?:by|with|of|for|under|at|in|from|to|after|before|as|that|who|and then|her|his|their)\b")
_OPENS = re.compile(r"^(?: ?$| ?[,(]| (?:is|was|are|were|has|had|have|who|which|first|later|then|also|had been)\b)")


@dataclass(frozen=True, slots=True)
class Voice:
    """What a question asks of a verb and a name: whether the name is what it is done to (``undergoes``) or who does
    it."""

    verb: frozenset[str]
    name: str
    undergoes: bool
    han: str = ""

    def admits(self, text: str) -> bool:
        """Whether a sentence may answer: it hasn't both verb and name, or has them in the roles that are asked."""
        whole = matching(text)
        if self.han:
            return self._admits_han(whole)
        places = [
            match for match in re.finditer(r"[a-z]+", whole) if match[0] in self.verb or stem(match[0]) in self.verb
        ]
        if not places:
            return True
        names = [match.span() for match in re.finditer(rf"\b{re.escape(self.name)}\b", whole)]
        if not names:
            return not (self.undergoes and _HERSELF.search(whole))
        roles = {role for place in places for name in names if (role := _role(whole, text, place.span(), name))}
        return ("undergoes" if self.undergoes else "does") in roles

    def _admits_han(self, whole: str) -> bool:
        verb, name = re.escape(self.han), re.escape(self.name)
        if not (self.han in whole and self.name in whole):
            return True
        does = re.search(
            rf"{name}(?:曾|曾经|已|已经|也|还|亲自|后来)?{verb}(?!人|者|师)(?:了|过|出)?[\u4e00-\u9fff]"
            rf"|(?:被|由|受){name}.{{0,4}}{verb}|{verb}(?:自|于){name}",
            whole,
        )
        undergoes = re.search(rf"{verb}(?:了|过)?{name}(?!的)|{name}.{{0,8}}(?:被|由|受).{{1,16}}{verb}", whole)
        return undergoes is not None or does is None


def _role(whole: str, text: str, verb: tuple[int, int], name: tuple[int, int]) -> str:
    """The name's part in what the verb says: "does", "undergoes", or "" where that can't be told."""
    if whole[name[1] :].startswith(("'s", "’s")):
        return ""
    passive = _BE.search(whole[: verb[0]]) is not None or _BY.match(whole, verb[1]) is not None
    if name[0] >= verb[1]:
        between = whole[verb[1] : name[0]]
        if re.fullmatch(rf" (?:\w+ ){{0,4}}?by (?:the |an? )?{_TITLED}", between):
            return "does"
        if len(between) > 60 or _PREPOSED.search(between) or re.search(r"[;:.](?! )", between):
            return ""
        return "" if passive else "undergoes"
    between = whole[name[1] : verb[0]]
    if not _OPENS.match(between) or _OTHERS.search(re.sub(r"^,? ?(?:who|which|that)\b", "", between)):
        return ""
    return "undergoes" if passive else "does"


_TITLED = r"(?:(?:dr|mr|mrs|ms|prof|sir|dame|captain|[a-z]\w+)\.? ){0,2}"


def asked(text: str) -> Voice | None:
    """The verb and the name that a question asks of; ``None`` where it asks otherwise."""
    if (found := _ASKED_ZH.match(matching(text))) is not None:
        return Voice(frozenset(), found["name"], True, han=found["verb"])
    if (found := _ASKED.search(text)) is not None and found["verb"] not in _AUXILIARY.split("|"):
        passive = re.search(r"\b(?:was|were|is|are|been|being)\b", found["aux"]) is not None
        if passive and not found["by"]:
            return None
        return _voice(found["verb"], found["name"], undergoes=not found["by"])
    if (found := _SUBJECT.search(text)) is not None:
        return _voice(found["verb"], found["name"], undergoes=False)
    return None


def _voice(verb: str, name: str, *, undergoes: bool) -> Voice:
    forms = frozenset((stem(verb), *verbs.forms(verb), *map(stem, verbs.forms(verb))))
    last = matching(name).removesuffix("'s").removesuffix("’s").split()[-1]
    return Voice(forms, last, undergoes)
