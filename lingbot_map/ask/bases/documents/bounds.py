"""Bounds that a question sets ("before 2015", "超过3天"): only a sentence whose date or number lies within says it.

Dates are (year, month, day) cut where nothing finer is said; one that is too coarse to tell is not within. Numbers
compare with those of the same unit alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from lingbot_map.ask.bases.documents.wording import Concept, Wording, matching, stem

_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
_MONTHS = _MONTH.split("|")
_YEAR = r"(?<![\d.,\-])(?:1\d|20|21)\d\d(?![\d%]|[.,]\d)"
_DATE = (
    rf"(?:(?P<dd>\d{{1,2}}) (?P<dm>{_MONTH})(?: (?P<dy>\d{{4}}))?"
    rf"|(?P<em>{_MONTH}) (?P<ed>\d{{1,2}})(?!\d),? (?P<ey>\d{{4}})"
    rf"|(?P<my>{_MONTH}) (?P<yy>\d{{4}})|(?P<iy>\d{{4}})-(?P<im>\d\d)(?:-(?P<id>\d\d))?"
    rf"|(?P<cy>\d{{4}})年(?:(?P<cm>\d{{1,2}})月(?:(?P<cd>\d{{1,2}})[日号])?)?|(?P<om>\d{{1,2}})月(?P<od>\d{{1,2}})[日号]"
    rf"|(?P<y>{_YEAR})(?! (?:people|euros?|dollars?|members?|users?|metres?|meters?|km|kg)\b|[元个人次米])年?)"
)
_DATED = re.compile(_DATE)
_NUMBERED = re.compile(
    r"(?<![\w.\-])(?P<n>\d+(?:,\d{3})*(?:\.\d+)?)(?![\d.]*[a-z]*\d) ?(?P<unit>%|[a-z]+|[\u4e00-\u9fff]{1,2})?", re.ASCII
)
# (sense, how it stands before its date, how it stands behind it)
_DATE_WORDS = (
    ("before", r"(?<!or )before|prior to|(?<!no )(?<!not )earlier than|(?<!不)早于", r"(?:以前|之前|前(?!后))"),
    ("after", r"(?<!or )after|(?<!no )(?<!not )later than|(?<!不)晚于", r"(?:以后|之后|后)"),
    (
        "since",
        r"since|in or after|on or after|not? earlier than|不早于|自从?|从",
        r"以来|起|至今|开始|(?:onwards?|or later)\b",
    ),
    ("until", r"until|till|up to|直到|截至|截止到?|到", r"为止"),
    ("by", r"by|not? later than|(?:in|on) or before|不晚于", r"or earlier\b"),
)
_NUMBER_WORDS = (
    (
        "gt",
        r"(?<!not )(?<!no )(?:more|greater|higher|longer|larger|bigger) than|over|above|(?<!不)(?:超过|多于|大于|高于)",
        r"(?!x)x",
    ),
    (
        "ge",
        r"at least|no(?:t)? (?:less|fewer|lower) than|a minimum of|至少|最少|不少于|不低于|不小于",
        r"以上|(?:or more|and more|or above)\b",
    ),
    (
        "lt",
        r"(?<!not )(?<!no )(?:less|fewer|lower|shorter|smaller) than|under|below|(?<!不)(?:少于|低于|小于)|不到|不足",
        r"(?!x)x",
    ),
    (
        "le",
        r"at most|no(?:t)? (?:more|higher|longer) than|a maximum of|up to|至多|最多|不超过|不多于|不高于|不大于",
        r"以下|以内|之内|(?:or less|or fewer)\b",
    ),
)
_JOINS = re.compile(r" ?(?:and|to|until|through|到|至|和|与|-|–|~) ?")
# "What happens after more than five attempts": the number is a case that is told of, and picks nothing.
_CASE = re.compile(r"\bif\b|\bwhat happens\b|如果|若|会怎|怎么|如何|会发生|\bhow do\b")
_UPPER, _LOWER = frozenset(("before", "until", "by", "lt", "le")), frozenset(("after", "since", "gt", "ge"))

Value = tuple[int | float, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A date or number in a text, the sense of the word beside it ("" for none), its unit and its place."""

    value: Value
    sense: str
    unit: str
    start: int
    end: int
    said: tuple[int, int] = (0, 0)
    """The place with its unit and the word beside it."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of a question on what ``word`` says: ``low`` and ``high`` differ for "between" alone."""

    sense: str
    low: Value
    high: Value
    unit: str
    dated: bool
    word: Concept | None
    start: int
    end: int

    def met(self, text: str) -> bool:
        """Whether a sentence says the word that is bound, and a date or number within the bound nearest to it."""
        whole = matching(text)
        found = [mark for mark in marks(whole, self.dated) if not self.unit or mark.unit == self.unit]
        places = [(0, len(whole))] if self.word is None else list(_places(self.word, whole))
        if not found or not places:
            return False
        if all(map(self._within, found)):
            return True
        if self.sense == "between" and {self.low, self.high} <= {mark.value for mark in found}:
            return True
        if self.word is None:
            return False
        nearest = min(found, key=lambda mark: min(max(mark.start - end, start - mark.end) for start, end in places))
        return self._within(nearest)

    def _within(self, mark: Mark) -> bool:
        below, above = _compared(mark.value, self.low), _compared(mark.value, self.high)
        if mark.sense == self.sense and mark.value == self.low:
            return True
        if self.sense == "between":
            return mark.sense == "" and below in (0, 1) and above in (0, -1)
        if self.sense == "until":
            return below == 0 and mark.sense not in _LOWER
        if self.sense in _UPPER:
            return mark.sense not in ("after", "gt", "ge") and (below == -1 or (below == 0 and self._closed(mark)))
        return mark.sense not in _UPPER and (below == 1 or (below == 0 and self._closed(mark)))

    def _closed(self, mark: Mark) -> bool:
        """Whether the bound's own value is within it, or a sentence's own word ("more than 5") takes it in."""
        return self.sense in ("since", "by", "ge", "le") and mark.sense not in ("before",)


def _compared(one: Value, other: Value) -> int | None:
    """-1, 0 or 1 as ``one`` is before, in or after ``other``; ``None`` where that can't be told."""
    if (one[0] == 0) != (other[0] == 0):
        return None  # a day of some year
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            return -1 if mine < theirs else 1
    return 0 if len(one) >= len(other) else None


def marks(whole: str, dated: bool) -> tuple[Mark, ...]:
    """The dates or the numbers of a text in matching form, in order."""
    return tuple(_dates(whole)) if dated else tuple(_numbers(whole))


@lru_cache(10_000)
def _dates(whole: str) -> tuple[Mark, ...]:
    found = []
    for match in _DATED.finditer(whole):
        sense, said = _sense(whole, match.start(), match.end(), _DATE_SIGNS)
        found.append(Mark(_date(match), sense, "", match.start(), match.end(), said))
    return tuple(found)


def _date(match: re.Match[str]) -> Value:
    got = {name: text for name, text in match.groupdict().items() if text is not None}
    for names in (("dy", "dm", "dd"), ("ey", "em", "ed"), ("yy", "my", ""), ("iy", "im", "id"), ("cy", "cm", "cd"),
                  ("", "om", "od"), ("y", "", "")):  # fmt: skip
        if any(name in got for name in names):
            parts = [got.get(name, "") for name in names]
            numbers = [_MONTHS.index(part) + 1 if part in _MONTHS else int(part or 0) for part in parts]
            while len(numbers) > 1 and not numbers[-1]:
                numbers.pop()
            return tuple(numbers)
    return (0,)


@lru_cache(10_000)
def _numbers(whole: str) -> tuple[Mark, ...]:
    taken = [(mark.start, mark.end) for mark in _dates(whole)]
    found = []
    for match in _NUMBERED.finditer(whole):
        if any(start < match.end("n") and match.start() < end for start, end in taken):
            continue
        end = match.end("n")
        unit = match["unit"] or ""
        unit = stem(unit) if unit.isascii() else unit[:1] if unit[:2] not in ("小时", "分钟", "毫秒") else unit
        if unit in ("or", "and", "以", "之"):
            unit = ""
        sense, said = _sense(whole, match.start(), match.end() if unit else end, _NUMBER_SIGNS)
        value = float(match["n"].replace(",", ""))
        found.append(Mark((value,), sense, unit, match.start(), end, said))
    return tuple(found)


def _signs(table: tuple[tuple[str, str, str], ...]) -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
    lead = r"(?:the )?(?:year |end of |start of |beginning of )?"
    return tuple(
        (sense, re.compile(rf"(?:(?<![a-z])(?:{before})) ?{lead}$"), re.compile(rf" ?(?:{behind})"))
        for sense, before, behind in table
    )


_DATE_SIGNS = _signs(_DATE_WORDS)
_NUMBER_SIGNS = _signs(_NUMBER_WORDS)
_REACH = 48
"""Characters before a date in which the word beside it stands."""


def _sense(
    whole: str, start: int, end: int, signs: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]
) -> tuple[str, tuple[int, int]]:
    first = max(0, start - _REACH)
    for sense, before, behind in signs:
        ahead = before.search(whole[first:start])
        after = behind.match(whole, end)
        if ahead or after:
            return sense, (first + ahead.start() if ahead else start, after.end() if after else end)
    return "", (start, end)


def _places(word: Concept, whole: str) -> Iterator[tuple[int, int]]:
    """Where a sentence (matching form) says a concept."""
    latin = {stem(form) for form in word.forms if form.isascii()}
    for match in re.finditer(r"[a-z]+", whole):
        if stem(match[0]) in latin:
            yield match.span()
    for form in word.forms:
        if not form.isascii() or " " in form:
            yield from (match.span() for match in re.finditer(re.escape(form), whole))


def bounds(wording: Wording) -> tuple[Bound, ...]:
    """The bounds that a question sets, in order."""
    whole = wording.whole
    found: list[tuple[str, Value, Value, str, bool, int, int]] = []
    for dated in (True, False):
        if not dated and _CASE.search(whole):
            continue
        held = marks(whole, dated)
        for at, mark in enumerate(held):
            if any(start <= mark.start < end for *_, start, end in found):
                continue
            then = held[at + 1] if at + 1 < len(held) else None
            if then is not None and _JOINS.fullmatch(whole[mark.end : then.start]):
                span = min(mark.value, then.value), max(mark.value, then.value)
                found.append(("between", *span, then.unit, dated, mark.said[0], then.said[1]))
            elif mark.sense:
                found.append((mark.sense, mark.value, mark.value, mark.unit, dated, *mark.said))
    others = [each for each in wording.concepts if not any(start <= each.start < end for *_, start, end in found)]
    made = []
    for sense, low, high, unit, dated, start, end in found:
        before = [each for each in others if each.start < start]
        word = before[-1] if before else others[0] if others else None
        made.append(Bound(sense, low, high, unit, dated, word, start, end))
    return tuple(made)
