"""Whether a wording of an answer may be said: what each of its sentences cites, and that it says what the answer says,
no more and no less.

Of every sentence: it cites numbers that the answer cites; its names, numbers, units, quotes and brackets stand in what
it cites (for an exact answer: in the sentences that rest on the same); at most 40 % of its other words are new, as the
user has it for short labels. Of the whole: all that the answer cites is cited; its names, numbers, quotes and rows are
said, in its order; so is half of what its other words add to the question; and its yes or no, what it denies and what
it leaves doubtful stay; no word comes in that may turn it around (``turning``). Meaning can't be checked, so where
words can't tell a wording is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lingbot_map.ask.claims import (
    Ground,
    asides,
    content,
    full_names,
    measures,
    names,
    place_of,
    plain,
    proper,
    quoted,
    values,
    without_asides,
)
from lingbot_map.ask.numbered import Given, Sheet
from lingbot_map.ask.replied import Said
from lingbot_map.ask.text import folded
from lingbot_map.ask.turning import turned
from lingbot_map.ask.types import Lang

NEW_WORDS = 0.4
"""So much of a sentence may be words that neither its evidence nor the question has."""
LEFT_OUT = 0.5
"""So much of the words that an answer adds to the question may be said otherwise."""
_MOST_TOLD = 4

_NOT_DENIED = re.compile(
    r"不过|不但|不仅|不管|不论|无论|非常|未来|是否|能否|可否|与否|不同|除非|有没有|会不会|能不能|是不是"
)
_DENIES = re.compile(r"[不没未无非否勿莫]|\b(?:not|no|never|none|neither|nor|without|cannot|nothing|nobody)\b|n['’]t\b")
_DOUBTS = re.compile(
    r"可能|也许|或许|大概|似乎|恐怕|据说|\b(?:might|may|maybe|perhaps|possibly|probably|likely|seems?|apparently|unlikely"
    r"|allegedly|reportedly|supposedly|presumably|potentially|rumou?red|arguably|claimed)\b|听说|传闻|疑似|想必|未必|[?？]\s*$"
)
_VERDICTS = {
    "yes": re.compile(r"(?:是的?|对的?|会的?|有的?|正确|没错|yes|correct|right|indeed)(?=[\s,.!:;。])"),
    "no": re.compile(r"(?:否|不是|不对|不会|没有|不|错误?|并非|并不是|no|incorrect|wrong|false|not so)(?=[\s,.!:;。])"),
}
_OPENING = re.compile(r"^[^。.，,：:]{1,24}[。.，,：:]")

_FAULTS: dict[str, tuple[str, str]] = {
    "nothing": ("没有任何句子", "it has no sentence"),
    "uncited": ("第{at}句没有引用编号", "sentence {at} cites no number"),
    "unknown": ("第{at}句引用了答案没有引用的 {what}", "sentence {at} cites {what}, which the answer does not cite"),
    "new": ("第{at}句的 {what} 不在它引用的内容里", "sentence {at} says {what}, which what it cites does not have"),
    "loose": ("第{at}句说了依据里没有的内容：{what}", "sentence {at} says what its evidence does not: {what}"),
    "empty": ("第{at}句什么也没说", "sentence {at} says nothing"),
    "turned": ("第{at}句的 {what} 可能把它所依据的反过来", "sentence {at} may turn around what it rests on: {what}"),
    "denies": ("第{at}句否定了答案没有否定的内容", "sentence {at} denies what the answer does not deny"),
    "doubts": ("第{at}句把确定的说成了不确定的", "sentence {at} doubts what the answer states"),
    "affirms": ("答案的否定没有说出来：{what}", "it leaves out a denial: {what}"),
    "certain": ("答案的不确定没有说出来：{what}", "it states what the answer leaves doubtful: {what}"),
    "verdict": ("必须以“{what}”开头", "it must open with “{what}”"),
    "opposite": ("开头的结论不是答案的结论", "it opens with a conclusion that the answer does not give"),
    "uncovered": ("没有引用编号 {what}", "it does not cite {what}"),
    "missing": ("漏了 {what}", "it leaves out {what}"),
    "order": ("没有保持答案的顺序：{what}", "it does not keep the order of {what}"),
}


def faults(said: Sequence[Said], sheet: Sheet) -> list[str]:
    """What is wrong with a wording, each fault a sentence in the question's language; empty if it may be said."""
    if not said:
        return [_fault("nothing", sheet.lang)]
    found = [fault for at, each in enumerate(said, 1) for fault in _of_sentence(at, each, sheet)]
    return found or [*_of_opening(said, sheet), *_of_whole(said, sheet)]


def _fault(key: str, lang: Lang, **facts: object) -> str:
    return _FAULTS[key][lang == "en"].format(**facts)


def _listed(values: Sequence[object]) -> str:
    each = list(dict.fromkeys(str(value)[:40] for value in values))
    return ", ".join(each[:_MOST_TOLD]) + (" …" if len(each) > _MOST_TOLD else "")


def _of_sentence(at: int, said: Said, sheet: Sheet) -> Iterator[str]:
    lang = sheet.lang
    if not said.cites:
        yield _fault("uncited", lang, at=at)
        return
    if unknown := [n for n in said.cites if n not in sheet.cited]:
        yield _fault("unknown", lang, at=at, what=_listed(unknown))
        return
    given = [each.text for each in sheet.given if set(each.cites) & set(said.cites)]
    pieces = [sheet.pieces[n - 1].whole for n in said.cites]
    # An exact answer has all the names that belong in it: what else stands in an item was not asked for.
    ground = Ground.of(given if sheet.exact else [*given, *pieces])
    claimed = [*names(said.text), *quoted(said.text), *map(plain, full_names(said.text)), *proper(said.text)]
    strangers = [name for name in claimed if not ground.has(name)]
    asked = Ground.of([sheet.question])  # it may give the unit that an answer ("> 9") leaves out
    strangers += [each for each in measures(said.text) if not ground.has(each) and not asked.has(each)]
    strangers += [aside for aside in asides(said.text) if not _has_in_order(aside, [*given, *pieces])]
    if strangers:
        yield _fault("new", lang, at=at, what=_listed(strangers))
        return
    words = content(said.text)
    wide = Ground.of([*given, *pieces, sheet.question])
    loose = [word for word in words if not wide.has_word(word)]
    if sheet.exact:  # what only surrounds an item is shown to be understood, and is no part of the answer
        beside = Ground.of(line for n in said.cites for line in sheet.pieces[n - 1].around)
        if beyond := [word for word in loose if beside.has_word(word)]:
            yield _fault("new", lang, at=at, what=_listed(beyond))
            return
    if len(words) == len(loose):
        yield _fault("empty", lang, at=at)
    elif len(loose) > NEW_WORDS * len(words):
        yield _fault("loose", lang, at=at, what=_listed(loose))
    same = [text for text in given if _retells(said.text, text)] or given
    if _denies(said.text) and not any(map(_denies, same)):
        yield _fault("denies", lang, at=at)
    if _doubts(said.text) and not any(map(_doubts, same)):
        yield _fault("doubts", lang, at=at)
    if around := turned(said.text, [*same, sheet.question]):
        yield _fault("turned", lang, at=at, what=_listed(around))


def _has_in_order(aside: str, texts: Sequence[str]) -> bool:
    """Whether a bracket of one of the texts, or what stands outside of any, has the names of a bracket in its order:
    "(A → B)" is not "(B → A)"."""
    own = names(aside)
    return any(_kept(own, plain(part)) for text in texts for part in (without_asides(text), *asides(text)))


def _retells(text: str, given: str) -> bool:
    """Whether a sentence says what ``given`` says, rather than what another one that rests on the same does."""
    return _retold(text, given) >= 1 - NEW_WORDS


def _retold(text: str, given: str) -> float:
    """The share of the words of ``given`` that a sentence has."""
    words, ground = content(without_asides(given)), Ground.of([text])
    return sum(map(ground.has_word, words)) / max(1, len(words))


def _denies(text: str) -> bool:
    return _DENIES.search(_NOT_DENIED.sub("", folded(text))) is not None


def _doubts(text: str) -> bool:
    return _DOUBTS.search(folded(text)) is not None


def _of_opening(said: Sequence[Said], sheet: Sheet) -> Iterator[str]:
    """The conclusion of a question of yes or no stays, and none comes in."""
    first, own = folded(said[0].text), _OPENING.match(sheet.given[0].text)
    if sheet.verdict is not None and own is not None and _is_conclusion(own[0]):
        head = folded(own[0])[:-1]
        if not first.startswith(head):
            yield _fault("verdict", sheet.lang, what=own[0][:-1])
        return
    for verdict, pattern in _VERDICTS.items():
        if pattern.match(first) and verdict != sheet.verdict:
            yield _fault("opposite", sheet.lang)


def _is_conclusion(opening: str) -> bool:
    """ "是。", "No.", "图中未约定：", "This is unspecified:" and the like open an answer with what follows from it."""
    whole = folded(opening)
    return any(each.match(whole) for each in _VERDICTS.values()) or "未约定" in whole or "unspecified" in whole


def _of_whole(said: Sequence[Said], sheet: Sheet) -> Iterator[str]:
    lang = sheet.lang
    cited = {n for each in said for n in each.cites}
    if uncovered := sorted(sheet.cited - cited):
        yield _fault("uncovered", lang, what=_listed(uncovered))
    whole = Ground.of([each.text for each in said])
    if lost := [row for row in sheet.rows if not whole.has(plain(row))]:
        yield _fault("missing", lang, what=_listed(lost))
    for given in sheet.given:
        own = [each.text for each in said if set(each.cites) & set(given.cites)]
        yield from _of_given(given, own, sheet)


def _of_given(given: Given, own: Sequence[str], sheet: Sheet) -> Iterator[str]:
    """Whether the sentences ``own``, which rest on the same, say what a sentence of the answer says."""
    lang, core = sheet.lang, without_asides(given.text)
    ground = Ground.of(own)
    must = _in_order([*names(core), *values(core)], plain(core))
    lost = [name for name in (*must, *proper(core)) if not ground.has(name)]
    asked = Ground.of([sheet.question])
    named = Ground.of(must)
    added = [word for word in content(core) if not asked.has_word(word) and not named.has_word(word)]
    missing = [word for word in added if not ground.has_word(word)]
    if len(missing) > max(1 if must else 0, LEFT_OUT * len(added)):
        lost += missing
    if lost:
        yield _fault("missing", lang, what=_listed(lost))
    elif not _kept(must, ground.whole):
        yield _fault("order", lang, what=_listed(must))
    nearest = max(own, key=lambda text: _retold(text, given.text), default="")
    if _denies(given.text) and not _denies(nearest):
        yield _fault("affirms", lang, what=given.text[:60])
    if _doubts(given.text) and not _doubts(nearest):
        yield _fault("certain", lang, what=given.text[:60])


def _in_order(found: Sequence[str], whole: str) -> list[str]:
    return sorted(dict.fromkeys(found), key=lambda name: (place_of(name, whole), len(name)))


def _kept(must: Sequence[str], whole: str) -> bool:
    """Whether what must be said comes in that order; a quote and the names within it begin in one place."""
    at = 0
    for name in must:
        found = place_of(name, whole, at)
        if found < 0:
            return False
        at = found
    return True
