"""What a sentence claims that can be looked up: its names, numbers and quotes, and its words that carry meaning.

All of it in the ``plain`` form, in which "最多 三 次" and "最多3次" are the same, and so are "Two" and "2".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from lingbot_map.ask.text import STOP, folded, words

_H = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_HAN = re.compile(rf"[{_H}]")
_BESIDE_HAN = re.compile(rf"(?<=[{_H}])\s+|\s+(?=[{_H}])")
_NUMERAL = re.compile(
    r"(?:(?<=第)[一二两三四五六七八九十百千]+|[二两三四五六七八九十百千]+)"
    r"(?=\s*(?:个|次|轮|条|天|秒|分|小时|年|月|日|版|步|篇|部|名|位|种|项|句|遍|倍|张|元|层|处|份|章|节|点|段|周))"
    r"|(?<=第)[一二两三四五六七八九十百千]+"
)
_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_COUNTED = "two three four five six seven eight nine ten eleven twelve"
_ENGLISH = {word: str(value) for value, word in enumerate(_COUNTED.split(), 2)}
_ENGLISH_NUMBER = re.compile(rf"(?<!the )\b(?:{'|'.join(_ENGLISH)})\b")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBER = re.compile(r"(?<![A-Za-z_\d.])\d+(?:[.:]\d+)*")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:[.\-/:][A-Za-z0-9_]+)*")
_QUOTED = re.compile(
    r"「([^」]{1,400})」|『([^』]{1,400})』|“([^”]{1,400})”|《([^》]{1,400})》|(?<!\w)\"([^\"]{1,400})\""
)
_VALUE = re.compile(rf"(?<=[从由为成到是=]) ([{_H}]{{1,12}})(?=[\s，。；、：,.;:（(]|$)")
_CALL = re.compile(r"[A-Za-z_][\w.]{0,80}\([^()\n]{0,80}\)")
_ORDINAL = re.compile(rf"第\s?\d+(?:\.\d+)*\s?[{_H}]")
_UNIT = (
    r"(?:毫秒|秒|分|小时|天|日|周|个?月|年|元|角|万|亿|千|百|版|米|公里|度|%|(?:ms|s|secs?|seconds?|mins?|minutes?|hours?|h"
    r"|days?|weeks?|months?|years?|[kmgt]i?b|euros?|dollars?|km|kg|percent|times)(?![a-z]))"
)
_MEASURE = re.compile(rf"\d+(?:\.\d+)*{_UNIT}")
_BEFORE_UNIT = re.compile(rf"(?<=\d) (?={_UNIT})")
_FULL_NAME = re.compile(r"[A-Z][\w'’-]{1,40}(?: [A-Z][\w'’-]{1,40})+")
_HAN_RUN = re.compile(rf"[{_H}]+")
_ASIDE = re.compile(r"（[^（）]*）|(?<=\s)\([^()]*(?:\([^()]*\)[^()]*)*\)")
_GLUE_ZH = (
    "变量 意图 消息 文档 步骤 会话 系统 "
    "一共 总共 共有 其中 以及 并且 同时 然后 之后 随后 接着 最后 首先 其次 依次 分别 因此 所以 因为 由于 如果 "
    "那么 当时 此时 这时 这个 这些 那个 那些 这里 它们 他们 就是 根据 依据 显示 表明 说明 可以 需要 进行 通过 "
    "对于 关于 按照 具体 情况 时候 目前 现在 内容 结果 答案 问题 属于 名为 叫做 称为 包括 包含 以下 如下 上述 "
    "另外 此外 还有 只有 只是 没有 不会 不是 不能 并不 并非 而且 但是 不过 或者 条件 路径 可知 得知 可见 记录 "
    "资料 提到 指出 一个 一次 所问 也就是说 即 分别是 都是 而是 这样"
)
_GLUE_EN = (
    "perhaps maybe possibly probably likely apparently might may "
    "slot turn intent message document diagram session step condition value system "
    "this that these those there here then after before when while because since thus therefore also "
    "both all each only first second next last finally under between within into onto about over "
    "according following shown shows show says said say states stated evidence answer question been "
    "being have has had will would can could should its their them they his her our your you who whose "
    "which what yes not no never none nor cannot without than more most some any other another same such "
    "very just still already again once during through per via namely one i we he she if so but yet out "
    "up down off too does did done was were are is it be of in at"
)
_GLUE = frozenset((*_GLUE_ZH.split(), *_GLUE_EN.split()))
"""Words that tie a sentence together, that say what kind of thing is meant, or that it stands in the evidence."""
_LONGEST_QUOTE = 40
_STEM = 4
_PROPER = ("nr", "ns", "nt", "nz")


def plain(text: str) -> str:
    """The form in which texts are compared: folded, numerals as digits, no space beside a Han character."""
    whole = _NUMERAL.sub(lambda found: str(_value(found[0])), folded(text))
    whole = _ENGLISH_NUMBER.sub(lambda found: _ENGLISH[found[0]], _THOUSANDS.sub("", whole))
    return _BEFORE_UNIT.sub("", re.sub(r"\s+", " ", _BESIDE_HAN.sub("", whole)))


def _value(numeral: str) -> int:
    total = digit = 0
    for char in numeral:
        if char in _UNITS:
            total += (digit or 1) * _UNITS[char]
            digit = 0
        else:
            digit = digit * 10 + _DIGITS[char]
    return total + digit


def chinese(text: str) -> bool:
    """Whether a sentence is Chinese that may name Latin things, rather than the other way round."""
    return len(_HAN.findall(text)) > len(re.findall(r"(?<![\w.])[a-z]+(?![\w.])", text))


def without_asides(text: str) -> str:
    """The sentence without what stands in brackets beside a name."""
    return _ASIDE.sub(" ", text)


def names(text: str) -> list[str]:
    """Its names and numbers, plain, in order, each once: what is Latin in a Chinese sentence and Han in an English one;
    identifiers and capitalised words; numbers."""
    text = unicodedata.normalize("NFKC", _THOUSANDS.sub("", text))
    whole = _NUMERAL.sub(lambda found: str(_value(found[0])), text)
    whole = _ENGLISH_NUMBER.sub(lambda found: _ENGLISH[found[0]], whole)
    in_chinese = chinese(whole)
    found = [(each.start(), each[0]) for each in _NUMBER.finditer(whole)]
    for each in _LATIN.finditer(whole):
        if in_chinese or _is_name(each[0], whole, each.start(), each.end()):
            found.append((each.start(), each[0]))
    if not in_chinese:
        found.extend((each.start(), each[0]) for each in _HAN_RUN.finditer(whole))
    return list(dict.fromkeys(plain(name) for _, name in sorted(found)))


def _is_name(word: str, whole: str, start: int, end: int) -> bool:
    if re.search(r"[\d_]|[a-z][A-Z]|\w[./:]\w", word) or whole[end : end + 1] == "(":
        return True
    if word.isupper() and len(word) > 1:
        return True
    if not word[0].isupper() or word == "I":
        return False
    first = not re.search(r"[\w\"'“”「」]", re.split(r"[.!?:]\s", whole[:start])[-1])
    return not first or word.casefold() not in STOP | _GLUE


def values(text: str) -> list[str]:
    """What has to be said of a sentence as it stands, besides ``names``: its calls, its short quotes, ordinals
    ("第7轮"), measures, names of several words and Chinese values that are set apart ("从 星舟 改为 轻语")."""
    found = [each[0] for each in _CALL.finditer(text)]
    found.extend(measures(text))
    found.extend(full_names(text))
    found.extend(value for value in _in_quotes(text) if len(value) <= _LONGEST_QUOTE)
    if chinese(text):
        found.extend(each[0] for each in _ORDINAL.finditer(text))
        found.extend(each[1] for each in _VALUE.finditer(text))
    return list(dict.fromkeys(map(plain, found)))


def full_names(text: str) -> list[str]:
    """Its names of several capitalised words; without a first word of the sentence that is none."""
    found = []
    for each in _FULL_NAME.finditer(text):
        parts = re.sub(r"['’]s$", "", each[0]).split(" ")
        if parts[0].casefold() in STOP | _GLUE:
            parts = parts[1:]
        if len(parts) > 1:
            found.append(" ".join(parts))
    return found


def measures(text: str) -> list[str]:
    """Its numbers with the unit that follows, plain: "5minutes", "30秒", "1.2版"."""
    return [each[0] for each in _MEASURE.finditer(plain(text))]


def _in_quotes(text: str) -> Iterator[str]:
    for each in _QUOTED.finditer(text):
        yield next(filter(None, each.groups()))


def asides(text: str) -> list[str]:
    """What stands in brackets beside a name."""
    return [each[0] for each in _ASIDE.finditer(text)]


def quoted(text: str) -> list[str]:
    """What it quotes, plain."""
    return list(map(plain, _in_quotes(text)))


@cache
def _tagger() -> Any:
    try:
        import rjieba
    except ImportError:
        return None
    return rjieba


def proper(text: str) -> list[str]:
    """Chinese names of people, places and things, as far as a tagger knows them; none without ``rjieba``."""
    tagger = _tagger()
    if tagger is None or not _HAN.search(text):
        return []
    return [
        word
        for word, tag in tagger.tag(folded(text))
        if str(tag).startswith(_PROPER) and len(word) > 1 and _HAN.search(word)
    ]


def content(text: str) -> list[str]:
    """Its words that carry meaning, each once, plain: no numbers, nothing that only ties a sentence together."""
    return [
        word
        for word in dict.fromkeys(words(text))
        if word not in STOP and word not in _GLUE and not plain(word)[0].isdigit() and (len(word) > 2 or _two_han(word))
    ]


def _two_han(word: str) -> bool:
    return len(word) == 2 and _HAN.match(word) is not None


def place_of(name: str, whole: str, begin: int = 0) -> int:
    """Where a name, number or quote stands in a plain text from ``begin`` on, by itself and not within another; -1 if
    nowhere. "2.8" is found in "v2.8" and "150" in "150ms", "3" neither in "13" nor in "m3"."""
    at = whole.find(name, begin)
    while at >= 0:
        if not _goes_on(whole[at - 1 : at] if at else "", name[0]):
            after = whole[at + len(name) : at + len(name) + 1]
            if not (_goes_on(name[-1], after) or (name[0].isalpha() and name[-1].isdigit() and _is_latin(after))):
                return at
        at = whole.find(name, at + 1)
    return -1


def _goes_on(left: str, right: str) -> bool:
    """Whether two characters belong to one Latin word or number; a unit begins after its number."""
    if not left or not right or not (left + right).isascii():
        return False
    if right.isdigit():
        return left.isdigit() or left in "._" or (left.isalpha() and left != "v")
    return _is_latin(right) and (_is_latin(left) or (left.isdigit() and right == "_"))


def _is_latin(char: str) -> bool:
    return char.isascii() and (char.isalpha() or char == "_")


@dataclass(frozen=True, slots=True)
class Ground:
    """Plain text that a sentence may rest on."""

    whole: str
    _stems: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Ground:
        """Of several texts."""
        whole = "\n".join(map(plain, texts))
        stems: dict[str, set[str]] = {}
        for word in re.findall(r"[a-z]{3,}", whole):
            stems.setdefault(word[:_STEM], set()).add(word)
        return cls(whole, {stem: frozenset(found) for stem, found in stems.items()})

    def has(self, name: str) -> bool:
        """Whether it has this name, number or quote."""
        return place_of(name, self.whole) >= 0

    def has_word(self, word: str) -> bool:
        """Whether it has this word, in whatever form."""
        if not word.isascii() or not word.isalpha():
            return word in self.whole
        return any(_same_stem(word, other) for other in self._stems.get(word[:_STEM], ()))


def _same_stem(one: str, other: str) -> bool:
    if one == other:
        return True
    length = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return length >= _STEM and 2 * length > min(len(one), len(other))
