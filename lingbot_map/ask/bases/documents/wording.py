"""How documents and questions are compared: one form of writing, stems, and what a question asks for.

A question is read as *concepts*: words that carry meaning with all that say the same, each with its place. What only
says how is asked ("which", "一下") is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from lingbot_map.ask.bases.documents.synonyms import Synonyms
from lingbot_map.ask.text import STOP, folded, words

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_DIGITS = dict(zip("零一二两三四五六七八九", (0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
_NUMERAL = re.compile(
    r"[零一二两三四五六七八九十百]+(?=次|个|天|秒|分钟|小时|周|月|年|版|步|轮|倍|条|种|页|组|台|遍|层|号|日|元|位)"
)
_GAP = re.compile(r"(?<=[\u4e00-\u9fff]) +(?=\w)|(?<=\w) +(?=[\u4e00-\u9fff])")

_ASIDE_ZH = (
    "一直 后来 之后 以后 然后 目前 现在 当前 还 还有 都 就 才 只 需要 应该 时候 做 看 看到 办 进行 情况 "
    "里 里面 中 上 时 到 把 被 让 从 个 些 过 着 得 地 请问 告诉 我 我们 你 你们 想 知道 一下 具体 相关 "
    "关于 有关 对 对于 为 由 所在 所 那 这 该 其 呢 么 而 且 并 也 又 再 最后 最终 如果 当 后 用 来 去 下 "
    "给 往 向 于 以 之 是否 能否 可否 能 能不能 会不会 有没有 怎样 这个 那个 一个 哪种 哪位 何时 几个 "
    "开始 出现 发生 要求 其中 内容 东西 已经 已 多 久 大 长 讲 说 一般 通常 到底 究竟 多长 多大 分别 您 "
    "帮 查 帮忙 麻烦 找 列出 列举 介绍 解释 话 自 随后 必须 不 没 之前 以前 先 计划 预计 打算 原来 原先 "
    "最初 曾经 受 受到 另外 期间 打"
)
_ASIDE_EN = (
    "me tell please give show list can could would should will shall may might must i we you they he she him her his "
    "their them our your any some all also then than after before during while about into over under between through "
    "have has had been being not no yes if so such same other more most very just only both each one ones kind "
    "type name named called us out up down off again once here own originally previously formerly earlier planned used "
    "yet still already done happen happens happened thing things"
)
_ASIDE = frozenset((*_ASIDE_ZH.split(), *_ASIDE_EN.split()))
"""Words that a question may hold without asking about them. 不 among them: who asks "是不是" asks what is."""

_DAY = (
    r"(?:星期|周|礼拜)[一二三四五六日天]|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:january|february|march|april|"
    r"june|july|august|september|october|november|december)\b"
)

_TYPES: tuple[tuple[str, re.Pattern[str], re.Pattern[str] | None], ...] = (
    (
        "version",
        re.compile(r"哪(?:个|1个|1|几个)?(?:版本|版)|什么版本|which (?:version|release)|what (?:version|release)"),
        re.compile(r"v?\d+(?:\.\d+)+|\d版|第\d+版"),
    ),
    ("who", re.compile(r"谁|哪位|什么人|哪个人|\bwho(?:se|m)?\b"), None),
    (
        "when",
        re.compile(
            r"什么时候|何时|哪天|哪年|哪1年|哪1天|几号|几月"
            r"|\bwhen\b|\b(?:what|which) (?:date|day|weekday|month|year)s?\b"
        ),
        re.compile(rf"\d|{_DAY}|每|之前|以前|之后|以后|前1|today|tomorrow|daily|weekly|monthly"),
    ),
    (
        "duration",
        re.compile(
            r"多久|多长时间|几(?:天|秒|分钟|小时|个月|周|年)|多少(?:天|秒|分钟|小时|个月|毫秒)"
            r"|\bhow (?:long|soon|quickly)\b|\bhow many (?:seconds|minutes|hours|days|weeks|months|years)\b"
        ),
        re.compile(
            r"\d+ ?(?:秒|毫秒|ms|s|分钟|小时|天|日|周|个月|年|seconds?|minutes?|hours?|days?|weeks?|months?|years?)"
        ),
    ),
    (
        "count",
        re.compile(r"几(?:次|遍|轮|个|条|步|台)|多少(?:次|遍|轮|个|条)|\bhow many(?: times)?\b|\bhow often\b"),
        re.compile(r"\d|\b(?:once|twice|one|two|three|four|five|six|seven|eight|nine|ten)\b"),
    ),
    (
        "number",
        re.compile(r"花?多少(?:钱|元|块)?|打?几折|几(?:元|块钱?)|几|\bhow (?:much|high|large|big|fast)\b"),
        re.compile(r"\d"),
    ),
    ("where", re.compile(r"哪里|哪儿|在哪|什么地方|\bwhere\b"), None),
    ("why", re.compile(r"为什么|为何|什么原因|\bwhy\b"), None),
    ("how", re.compile(r"怎么样|怎么办|怎么|怎样|如何|咋|\bhow\b"), None),
    ("which", re.compile(r"哪些|哪个|哪1个|哪几个|哪种|哪份|哪|什么|啥|\bwhich\b|\bwhat\b"), None),
    (
        "yes or no",
        re.compile(r"吗|是否|是不是|会不会|能不能|能否|可否|有没有|^(?:is|are|does|do|did|can|was|were)\b"),
        None,
    ),
)


def _number(match: re.Match[str]) -> str:
    text = match[0]
    if not set(text) & set("十百"):
        return "".join(str(_DIGITS[char]) for char in text)
    total = digit = 0
    for char in text:
        if char in "十百":
            total += (digit or 1) * (10 if char == "十" else 100)
            digit = 0
        else:
            digit = _DIGITS[char]
    return str(total + digit)


@lru_cache(50_000)
def matching(text: str) -> str:
    """The text as it is compared: folded, Chinese numerals before a measure word as digits, no space beside a Chinese
    character."""
    return _GAP.sub("", _NUMERAL.sub(_number, folded(text)))


@lru_cache(200_000)
def stem(word: str) -> str:
    """A Latin word without its ending; a light rule, the same for documents and questions. Ids stay whole."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    for ending, least in (("ies", 5), ("ied", 5), ("ing", 6), ("ed", 5), ("es", 5), ("s", 4)):
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            cut = word[: -len(ending)]
            cut = cut + "y" if ending in ("ies", "ied") else cut
            if len(cut) > 3 and cut[-1] == cut[-2] and cut[-1] not in "ls":
                cut = cut[:-1]
            return cut.removesuffix("e")
    return word.removesuffix("e")


@lru_cache(50_000)
def stems(text: str) -> frozenset[str]:
    """The stems of a text's Latin words and numbers, of the parts of hyphenated ones too, and its Chinese words."""
    found = words(matching(text))
    parts = (part for word in found if "-" in word for part in word.split("-") if part.isalpha())
    return frozenset(map(stem, (*found, *parts)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A word of a question and all that say the same (``forms``, matching form).

    ``name``: it names a thing (an id, a version, a title), for which nothing else can stand. ``focus``: it stands right
    beside the question word, so that it is what is asked for. ``start`` is its place in the matching form.
    """

    text: str
    forms: tuple[str, ...]
    start: int
    name: bool = False
    focus: bool = False

    def within(self, whole: str, stemmed: frozenset[str]) -> bool:
        """Whether a text, given in its matching form and by its stems, says it."""
        return any(form in whole if HAN.search(form) else _latin_within(form, whole, stemmed) for form in self.forms)


def _latin_within(form: str, whole: str, stemmed: frozenset[str]) -> bool:
    if " " in form:
        return re.search(rf"(?<!\w){re.escape(form)}(?!\w)", whole) is not None
    return stem(form) in stemmed


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A question read: its matching form, concepts, the types of answer it asks for, and hops that it says."""

    whole: str
    concepts: tuple[Concept, ...]
    types: tuple[str, ...]
    hops: int


def types_of(whole: str) -> list[tuple[str, int, int]]:
    """(type, start, end) of the question words in a question's matching form, in order, none over another."""
    taken: list[tuple[str, int, int]] = []
    for type, asked, _ in _TYPES:
        for match in asked.finditer(whole):
            if not any(start < match.end() and match.start() < end for _, start, end in taken):
                taken.append((type, match.start(), match.end()))
    return sorted(taken, key=lambda found: found[1])


def of_type(type: str, whole: str) -> bool:
    """Whether a text (matching form) can hold an answer of this type; ``True`` where that can't be told."""
    return all(name != type or sample is None or sample.search(whole) for name, _, sample in _TYPES)


_POSSESSIVE = re.compile(r"的|所在|'s\b|\bof\b|\bthat\b|\bwhich\b|\bwho\b|\bwhose\b")
_ID = re.compile(r"(?=.*\d)[a-z0-9][\w.\-/]*$|[a-z][a-z0-9]*(?:[-_/.][a-z0-9]+)+$")
# Before a question word these are no part of a word, whatever the cutter makes of them ("下线前要做什么").
_MODAL = re.compile(
    r"(?:还|都|才|就)?(?:需要|应该|应当|必须|可以|(?<![主重需必首摘只])要(?![求点素闻件领害])|"
    r"会(?=被?(?:做|怎|多|几|如何|哪|什么|影响))|能(?=被?(?:做|怎|多|几|如何|哪|什么)))"
)
_AMOUNT = re.compile(
    r"第?(?<![\w.])\d+(?:\.\d+)?(?:毫秒|分钟|小时|个月|次|个|天|秒|周|年|轮|倍|条|种|页|组|台|遍|层|"
    r"元|位|ms|s|%)(?![a-z0-9])",
    re.ASCII,
)
# "一天最多几个" asks for a number a day and not of one day.
_RATE = re.compile(
    r"(?<![第\d])每?1(?:天|日|周|年|个月|小时)(?=里|内|之内|(?:最多|至多|最少|至少|可以|能)|\w{0,3}(?:几|多少))"
)
_LETTERED = re.compile(r"(?<![a-z0-9.\-])[a-z]\d?(?:项目|系统|产品|方案|版本|版|组|类|级|模块|服务|系列)")


def read(
    text: str, synonyms: Synonyms, names: Iterable[tuple[str, int]] = (), drop: re.Pattern[str] | None = None
) -> Wording:
    """Read a question. ``names`` are (name, start) of names that it holds, in matching form; ``drop`` is what it says
    about how to answer (the words of an operator), which is no concept."""
    whole = matching(text)
    asked = types_of(whole)
    mask = [""] * len(whole)
    for type, start, end in asked:
        mask[start:end] = ["?" if type != "yes or no" else "!"] * (end - start)
    if drop is not None:
        for match in drop.finditer(whole):
            mask[match.start() : match.end()] = ["!"] * (match.end() - match.start())
    found: list[tuple[int, int, tuple[str, ...], bool]] = []
    for name, start in names:
        if not any(mask[start : start + len(name)]):
            mask[start : start + len(name)] = ["n"] * len(name)
            found.append((start, start + len(name), (name,), True))
    for match in _LETTERED.finditer(whole):
        if not any(mask[match.start() : match.end()]):
            mask[match.start() : match.end()] = ["n"] * len(match[0])
            found.append((match.start(), match.end(), (match[0],), True))
    for match in _MODAL.finditer(whole):
        if not any(mask[match.start() : match.end()]):
            mask[match.start() : match.end()] = ["!"] * len(match[0])
    for match in _RATE.finditer(whole):
        mask[match.start() : match.end()] = ["!"] * len(match[0])
    for match in _AMOUNT.finditer(whole):
        if not any(mask[match.start() : match.end()]):
            mask[match.start() : match.end()] = ["n"] * len(match[0])
            found.append((match.start(), match.end(), (match[0],), False))
    found.extend(_phrases(whole, mask, synonyms))
    found.extend(_cut(whole, mask, synonyms))
    found.sort()
    ends = [(start, end) for type, start, end in asked if type not in ("yes or no", "why", "how", "where")]
    concepts = tuple(
        Concept(
            text=whole[start:end],
            forms=forms,
            start=start,
            name=name,
            focus=any(_beside(whole, mask, start, end, *each) for each in ends),
        )
        for start, end, forms, name in found
    )
    hops = min(4, 1 + len(_POSSESSIVE.findall(whole)))
    kept = tuple(concept for at, concept in enumerate(concepts) if concept.text not in {c.text for c in concepts[:at]})
    return Wording(whole=whole, concepts=kept, types=tuple(dict.fromkeys(type for type, _, _ in asked)), hops=hops)


def _phrases(whole: str, mask: list[str], synonyms: Synonyms) -> list[tuple[int, int, tuple[str, ...], bool]]:
    """Chinese synonyms that the question holds, longest first at each place."""
    found, at = [], 0
    while at < len(whole):
        for length in range(min(synonyms.longest, len(whole) - at), 0, -1):
            phrase = whole[at : at + length]
            if phrase in synonyms and HAN.search(phrase) and not any(mask[at : at + length]):
                mask[at : at + length] = ["s"] * length
                found.append((at, at + length, synonyms.forms(phrase), False))
                at += length - 1
                break
        at += 1
    return found


def _cut(whole: str, mask: list[str], synonyms: Synonyms) -> list[tuple[int, int, tuple[str, ...], bool]]:
    found = []
    at = 0
    while at < len(whole):
        end = at
        while end < len(whole) and not mask[end]:
            end += 1
        piece, place = whole[at:end], at
        for word in words(piece):
            inside = piece.find(word, place - at)
            start = at + inside if inside >= 0 else place
            place = start + len(word)
            bare = "" if _in_pairs() and _astride(word) else _bare(word)
            if bare and bare not in STOP and bare not in _ASIDE:
                name = bool(_ID.match(bare)) and not bare.isdigit()
                found.append((start, start + len(bare), synonyms.forms(bare), name))
        at = max(end, at + 1)
    return found


@cache
def _in_pairs() -> bool:
    """Whether no cutter is installed, so that Chinese words are pairs of characters."""
    return words("文档库") == ["文档", "档库"]


def _astride(word: str) -> bool:
    """Whether a pair of characters holds one that is a word by itself and asks for nothing ("的组", "被哪")."""
    return len(word) == 2 and HAN.match(word) is not None and any(char in STOP or char in _ASIDE for char in word)


def _bare(word: str) -> str:
    if len(word) > 1 and HAN.match(word):
        bare = word.rstrip("过了着是") or word
        return bare.removesuffix("有") if len(bare) > 2 else bare
    return word


def _beside(whole: str, mask: list[str], start: int, end: int, word: int, word_end: int) -> bool:
    """Whether only what means nothing stands between a concept and a question word."""
    if end <= word:
        between = whole[end:word]
        return len(between) < 5 and "," not in between and all(w in STOP or w in _ASIDE for w in words(between))
    if word_end <= start:
        between = whole[word_end:start]
        return len(between) < 3 and all(w in STOP or w in _ASIDE for w in words(between))
    return False
