# ruff: noqa: E501  (tables: a Chinese character counts as two columns)
"""Numbers, times, extremes, counts and the other words that say how the parts of a question combine.

Each is told as (start, end, op, value) over a folded text. Every pattern is bounded, so that a long text takes linear
time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from lingbot_map.ask.bases.triples.words import number_of

Special = tuple[int, int, str, tuple[Any, ...]]

_N = r"(\d{1,15}(?:\.\d{1,6})?|[零〇一二两三四五六七八九十百千]{1,8}(?:点[零一二三四五六七八九]{1,4})?)"
_U = r"(分钟|厘米|块钱|亿|万|分|岁|元|块|米|人|页)?"
_E = r"(\d{1,15}(?:\.\d{1,6})?)"
_EU = r"(?:\s{1,3}(points?|stars?|years|minutes|dollars|yuan|pages))?"
_Y = r"((?:1[0-9]|20)\d{2})"
_COUNTED = "部个位名条本首座家支款种"
_MORE = {
    "不低于": ">=", "不少于": ">=", "不小于": ">=", "至少": ">=", "大于等于": ">=", ">=": ">=", "≥": ">=",
    "不高于": "<=", "不超过": "<=", "不大于": "<=", "不多于": "<=", "至多": "<=", "小于等于": "<=", "<=": "<=", "≤": "<=",
    "超过": ">", "高于": ">", "大于": ">", "多于": ">", "高过": ">", "超出": ">", ">": ">",
    "低于": "<", "少于": "<", "小于": "<", "不到": "<", "不足": "<", "<": "<", "等于": "=", "=": "=", "为": "=", "是": "=",
    "at least": ">=", "no less than": ">=", "not less than": ">=", "at most": "<=", "no more than": "<=",
    "not more than": "<=", "fewer than": "<", "no fewer than": ">=", "more than": ">", "greater than": ">", "higher than": ">", "larger than": ">", "over": ">",
    "above": ">", "exceeding": ">", "exceeds": ">", "better than": ">", "older than": ">", "less than": "<",
    "lower than": "<", "below": "<", "under": "<", "worse than": "<", "younger than": "<", "equal to": "=",
    "equals": "=", "exactly": "=", "of": "=",
}  # fmt: skip
_AFTER = {"之后": ">", "以后": ">", "后": ">", "之前": "<", "以前": "<", "前": "<", "起": ">=", "以来": ">=", "至今": ">=",
          "及以后": ">=", "及之后": ">=", "及以前": "<=", "及之前": "<=", "开始": ">="}  # fmt: skip
_HIGH = ("最高", "最大", "最多")
_LOW = ("最低", "最小", "最少")
_OF_ZH = {"最早": ("time", "asc"), "最晚": ("time", "desc"), "最新": ("time", "desc"), "最近": ("time", "desc"),
          "最好": ("rating", "desc"), "最佳": ("rating", "desc"), "最受好评": ("rating", "desc"), "最差": ("rating", "asc"),
          "最烂": ("rating", "asc"), "最长": ("length", "desc"), "最短": ("length", "asc"), "最贵": ("price", "desc"),
          "最便宜": ("price", "asc"), "最年轻": ("age", "asc"), "最年长": ("age", "desc"), "最老": ("age", "desc"),
          **{f"{word}最{size}": ("age", way) for word in ("年纪", "年龄", "岁数") for size, way in (("大", "desc"), ("小", "asc"))}}  # fmt: skip
_OF_EN = {"highest": ("", "desc"), "largest": ("", "desc"), "biggest": ("", "desc"), "greatest": ("", "desc"),
          "lowest": ("", "asc"), "smallest": ("", "asc"), "best": ("rating", "desc"), "worst": ("rating", "asc"),
          "top": ("rating", "desc"), "earliest": ("time", "asc"), "oldest": ("age", "desc"), "latest": ("time", "desc"),
          "newest": ("time", "desc"), "most recent": ("time", "desc"), "longest": ("length", "desc"),
          "shortest": ("length", "asc"), "cheapest": ("price", "asc"), "most expensive": ("price", "desc"),
          "tallest": ("height", "desc"), "youngest": ("age", "asc")}  # fmt: skip
_COMPARED = {
    "高": ("", "desc", ""), "低": ("", "asc", ""), "大": ("size", "desc", ""), "小": ("size", "asc", ""), "好": ("rating", "desc", ""),
    "差": ("rating", "asc", ""), "早": ("time", "asc", ""), "晚": ("time", "desc", ""), "新": ("time", "desc", ""),
    "旧": ("time", "asc", ""), "长": ("length", "desc", ""), "短": ("length", "asc", ""), "贵": ("price", "desc", ""),
    "便宜": ("price", "asc", ""), "多": ("", "desc", "most"), "少": ("", "asc", "most"), "老": ("age", "desc", ""),
    "年长": ("age", "desc", ""), "年轻": ("age", "asc", ""), "higher": ("", "desc", ""), "lower": ("", "asc", ""),
    "larger": ("", "desc", ""), "bigger": ("", "desc", ""), "greater": ("", "desc", ""), "smaller": ("", "asc", ""),
    "better": ("rating", "desc", ""), "worse": ("rating", "asc", ""), "earlier": ("time", "asc", ""),
    "later": ("time", "desc", ""), "newer": ("time", "desc", ""), "more recent": ("time", "desc", ""),
    "longer": ("length", "desc", ""), "shorter": ("length", "asc", ""), "taller": ("height", "desc", ""),
    "more expensive": ("price", "desc", ""), "cheaper": ("price", "asc", ""), "older": ("age", "desc", ""),
    "younger": ("age", "asc", ""), "more": ("", "desc", "most"), "fewer": ("", "asc", "most"), "less": ("", "asc", "most"),
    **{f"{word}{more}{size}": ("age", way, "") for word in ("年纪", "年龄", "岁数") for more in ("", "更", "比较")
       for size, way in (("大", "desc"), ("小", "asc"))},
}  # fmt: skip
"""What a comparison is about: a concept ("": the property beside it), which end wins, and whether things are counted."""
_ORDER = {"second": 2, "third": 3, "2nd": 2, "3rd": 3, "fourth": 4, "4th": 4}


def _any(words: Any) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_ZH_MORE = _any(word for word in _MORE if not word.isascii() or word in (">", "<", ">=", "<=", "="))
_EN_MORE = _any(word for word in _MORE if word.isascii() and word not in (">", "<", ">=", "<=", "="))
_ZH_THAN = _any(word for word in _COMPARED if not word.isascii())
_EN_THAN = _any(word for word in _COMPARED if word.isascii())
_EN_COUNT = r"\d{1,6}|one|two|three|four|five|six|seven|eight|nine|ten"
_ZH_MOST = _any({*_HIGH, *_LOW, *_OF_ZH})
_EN_MOST = _any(_OF_EN)


def _number(text: str) -> float | int:
    value = number_of(text) or 0.0
    return int(value) if value.is_integer() else value


def _range(first: str, last: str, unit: str) -> tuple[Any, ...] | None:
    low, high = _number(first), _number(last)
    return None if not unit and 1000 <= low <= 2100 and 1000 <= high <= 2100 else (low, high, unit)  # years


def _zh_more(m: re.Match[str]) -> tuple[Any, ...] | None:
    if m[1] in ("为", "是") and not m[3]:
        return None  # 是三 alone says no condition
    return (_MORE[m[1]], _number(m[2]), m[3] or "")


def _zh_most(m: re.Match[str]) -> tuple[Any, ...]:
    concept, way = _OF_ZH.get(m[1], ("", "asc" if m[1] in _LOW else "desc"))
    return (concept, way, int(_number(m[2])) if m[2] else 1, 1, "most" if m[1] in ("最多", "最少") else "")


def _en_most(m: re.Match[str]) -> tuple[Any, ...]:
    concept, way = _OF_EN[m[3]]
    return (concept, way, int(_number(m[2] or m[4] or "1")), _ORDER.get(m[1] or "", 1), "")


_PATTERNS: tuple[tuple[str, str, Callable[[re.Match[str]], tuple[Any, ...] | None]], ...] = (
    ("number", rf"({_ZH_MORE})\s?{_N}\s?{_U}(?![{_COUNTED}年])", _zh_more),
    ("number", rf"{_N}\s?{_U}(及?以上|及?以下)", lambda m: (">=" if "上" in m[3] else "<=", _number(m[1]), m[2] or "")),
    ("range", rf"在?{_N}\s?{_U}(?:到|至|~|-|—){_N}\s?{_U}之间", lambda m: _range(m[1], m[3], m[4] or m[2] or "")),
    ("range", rf"{_N}\s?{_U}(?:到|至|~|-|—){_N}\s?(分钟|分|岁|元|块|米|页|万|亿)(?:之间)?", lambda m: _range(m[1], m[3], m[4])),
    ("number", rf"{_N}(分|岁)(?!钟)", lambda m: ("=", _number(m[1]), m[2])),
    ("number", rf"(?<![a-z])({_EN_MORE})\s{_E}{_EU}(?![\w.]\d)", lambda m: (_MORE[m[1]], _number(m[2]), m[3] or "")),
    ("number", rf"(?<!\w){_E}{_EU}\s?(?:\+|or (?:more|higher|above|better|over)|and (?:above|over|up))",
     lambda m: (">=", _number(m[1]), m[2] or "")),
    ("number", rf"(?<!\w){_E}{_EU} or (?:less|lower|below|under|fewer)", lambda m: ("<=", _number(m[1]), m[2] or "")),
    ("range", rf"(?<!\w)between {_E} and {_E}{_EU}", lambda m: _range(m[1], m[2], m[3] or "")),
    ("time", rf"{_Y}\s?年?({_any(_AFTER)})", lambda m: (_AFTER[m[2]], int(m[1]))),
    ("time", rf"{_Y}\s?年", lambda m: ("=", int(m[1]))),
    ("time", rf"(?:自|从){_Y}\s?年?(?:起|以来|至今|开始)?", lambda m: (">=", int(m[1]))),
    ("time", rf"(?:晚于|迟于){_Y}\s?年?", lambda m: (">", int(m[1]))),
    ("time", rf"(?:早于|先于){_Y}\s?年?", lambda m: ("<", int(m[1]))),
    ("years", rf"(?:从|在)?{_Y}\s?年?(?:到|至|~|-|—){_Y}\s?年?(?:之间|间|期间)?", lambda m: (int(m[1]), int(m[2]))),
    ("years", rf"(?:在|介于)?{_Y}\s?年?(?:和|与){_Y}\s?年?之?间", lambda m: (int(m[1]), int(m[2]))),
    ("time", rf"(?<!\w)(?:after|later than) {_Y}(?!\d)", lambda m: (">", int(m[1]))),
    ("time", rf"(?<!\w)(?:before|earlier than|prior to) {_Y}(?!\d)", lambda m: ("<", int(m[1]))),
    ("time", rf"(?<!\w)(?:since|from) {_Y}(?: on(?:wards)?)?(?!\d)", lambda m: (">=", int(m[1]))),
    ("time", rf"(?<!\w)(?:until|up to) {_Y}(?!\d)", lambda m: ("<=", int(m[1]))),
    ("time", rf"(?<!\w)(?:in|during|of) (?:the year )?{_Y}(?!\d|s)", lambda m: ("=", int(m[1]))),
    ("years", rf"(?<!\w)(?:between|from) {_Y} (?:and|to|until) {_Y}(?!\d)", lambda m: (int(m[1]), int(m[2]))),
    ("years", rf"(?<!\w)(?:in )?(?:the )?{_Y[:-1]})s(?!\w)", lambda m: (int(m[1]), int(m[1]) + 9)),
    ("extreme", rf"({_ZH_MOST})的?(?:前?{_N}[{_COUNTED}])?", _zh_most),
    ("extreme", rf"前{_N}[{_COUNTED}名]?", lambda m: ("", "desc", int(_number(m[1])), 1, "")),
    ("extreme", rf"第{_N}(高|低|早|晚|新|多|少|大|小|长|短|老)",
     lambda m: ("time" if m[2] in "早晚新" else "", "asc" if m[2] in "低早少小短" else "desc", 1, int(_number(m[1])), "")),
    ("extreme", rf"第一[{_COUNTED}]", lambda m: ("time", "asc", 1, 1, "")),
    ("extreme", rf"最后一[{_COUNTED}]", lambda m: ("time", "desc", 1, 1, "")),
    ("extreme", rf"(?<!\w)(?:({_any(_ORDER)}) )?(?:(\d{{1,3}}|two|three|four|five) )?({_EN_MOST})(?: (\d{{1,3}}|two|three|four|five))?(?!\w)",
     _en_most),
    ("extreme", r"(?<!\w)first(?! name)(?!\w)", lambda m: ("time", "asc", 1, 1, "")),
    ("extreme", r"(?<!\w)last(?! name)(?!\w)", lambda m: ("time", "desc", 1, 1, "")),
    ("extreme", rf"(?<!\w)(?:the )?({_any(_ORDER)}) (most|fewest)(?!\w)",
     lambda m: ("", "desc" if m[2] == "most" else "asc", 1, _ORDER[m[1]], "most")),
    ("extreme", r"(?<!\w)the (most|fewest)(?!\w)",
     lambda m: ("", "desc" if m[1] == "most" else "asc", 1, 1, "most")),
    ("compare", rf"(?:哪[个部位一]{{1,2}}的?)?(?:更|比较|较|要)({_ZH_THAN})", lambda m: _COMPARED[m[1]]),
    ("compare", rf"(?<!多)({_ZH_THAN})(?=一?[些点]?(?:吗|么)?(?:[?？。，,\s]|$))", lambda m: _COMPARED[m[1]]),
    ("compare", rf"(?<!\w)({_EN_THAN})(?!\w)", lambda m: _COMPARED[m[1]]),
    ("than", r"(?<!对)比(?!较|如|例|赛)|(?<!\w)than(?!\w)", lambda m: ()),
    ("many", rf"({_ZH_MORE}|不止|不只)\s?{_N}[{_COUNTED}]", lambda m: (_MORE.get(m[1], ">"), _number(m[2]))),
    ("many", rf"{_N}[{_COUNTED}](?:及?(以上|以下)|或者?更(多|少))", lambda m: (">=" if m[2] == "以上" or m[3] == "多" else "<=", _number(m[1]))),
    ("many", rf"(?<![第前这那哪最每各头一同\d]){_N}[{_COUNTED}](?![一二三四五六七八九十])", lambda m: ("=", _number(m[1]), "")),
    ("many", rf"(?<![a-z])({_EN_MORE}|only|just|exactly)\s({_EN_COUNT})(?![\w.]\d|\w)", lambda m: (_MORE.get(m[1], "="), _number(m[2])) if m[1] != "of" else None),
    ("many", rf"(?<!\w)({_EN_COUNT}) or (more|fewer|less)(?!\w)", lambda m: (">=" if m[2] == "more" else "<=", _number(m[1]))),
    ("bound", r"及?以(上|下)|或者?更(多|少)", lambda m: (">=" if "上" in m[0] or "多" in m[0] else "<=",)),
    ("only", r"只(?!有)|只有|仅|恰好|正好|刚好|(?<!\w)(?:only|exactly|just)(?!\w)", lambda m: ()),
    ("many", r"(?<!\w)(multiple|several)(?!\w)", lambda m: (">", 1)),
    ("many", r"(?<!\w)(two|three|four|five|six|seven|eight|nine|ten)(?!\w)", lambda m: ("=", _number(m[1]), "")),
    ("count", rf"几[{_COUNTED}]|多少[{_COUNTED}]|有多少(?!钱|分)|数量|个数|how many|number of|count of|how much many", lambda m: ()),
    ("average", r"平均分(?!钟)|均分|平均|average|mean(?!\w)", lambda m: ()),
    ("between", r"什么关系|啥关系|什么联系|有何联系|有何关系|什么关联|有什么关联|怎么联系|如何联系|如何关联|怎么关联|怎么认识|有关系|有联系"
     r"|之间的?(?:关系|联系|关联|路径)|的关系|(?:is|are) connected|connects?(?!\w)|connect(?:ion|ed)(?!\w)"
     r"|related(?!\w)|relation(?:ship)?(?!\w)|link(?:s|ed)?(?!\w)|path between|in common", lambda m: ()),
    ("worked with", r"(?:一起|共同)?(?:合作|共事|搭档)过?|(?<!\w)(?:work(?:ed|s)?|collaborat(?:ed|es?)) (?:together )?with(?!\w)", lambda m: ()),
    ("joint", r"共同|一起|都(?=[^有是]{0,6})|同时|together|jointly|(?<!\w)both(?!\w)", lambda m: ()),
    ("other", r"其他|其它|其余|另外|别的|还|(?<!\w)(?:other|else|another|also)(?!\w)", lambda m: ()),
    ("who", r"谁|哪位|哪些人|哪几位|什么人|哪个人|(?<!\w)(?:who|whom|whose|who's)(?!\w)", lambda m: ()),
    ("when", r"哪一?年|什么时候|何时|啥时候|哪年|几几年|什么年份|(?<!\w)(?:when|what year|which year|in what year|in which year)(?!\w)",
     lambda m: ()),
    ("where", r"哪里|哪儿|什么地方|(?<!\w)where(?!\w)", lambda m: ()),
    ("ask", rf"哪一?[些{_COUNTED}]|哪几[{_COUNTED}]|什么|啥|(?<!\w)(?:which|what)(?!\w)|有些|列出|列举", lambda m: ()),
    ("whether", r"吗|是不是|是否|有没有|(?:^|[,.] ?)(?:did|does|do|is|are|was|were|has|have)(?!\w)", lambda m: ()),
    ("not", r"不是|并非|没有?(?=[^吗]{1,8})|非(?=[^常]{1,4})|除了|不属于|无(?=[^法关]{1,8})|从未|未曾|未(?!来)|不(?=演|拍|写|属)"
     r"|(?<!\w)(?:not|no|nor|neither|isn't|doesn't have|don't have|have no|has no|aren't|wasn't|didn't|doesn't|never|except|without|excluding|non-)(?!\w)", lambda m: ()),
    ("back", r"(?:回到|回去|返回|再说回|说回|再看|还是说)(?:刚才|之前|前面|上面|上一?个|最初|原来|那个|的|话题|问题|那部|那位|说){1,6}"
     r"|(?<!\w)(?:back to|go back to|return to) (?:the )?(?:other|previous|last|earlier|former|first|that)(?: (?:one|topic|film|movie|person))?(?!\w)",
     lambda m: ()),
    ("it", r"它们?|他们?|她们?|那[部个位本首]|这[部个位本首]|该[片书剧曲歌作]|此[片书剧曲歌]|那些|这些|其中|这里面|那里面|里面|上述"
     r"|(?<!\w)(?:it|its|he|she|him|her|his|they|them|their|that one|this one|those|these|of them|among them|the one)(?!\w)",
     lambda m: (m[0],)),
    ("or", r"或者?|还是|(?<!\w)or(?!\w)", lambda m: ()),
    ("and", r"又|但是?|却|不过|并且|而且|且|和|与|跟|及|以及|、|(?<!\w)(?:and|but)(?!\w)|&", lambda m: ()),
    ("what about", r"呢(?=[?？。!！\s]*$)|(?<!\w)(?:what|how) about(?!\w)", lambda m: ()),
    ("of", r"的|'s(?!\w)|’s(?!\w)|(?<!\w)of(?!\w)", lambda m: (m[0],)),
    ("toward", r"向|给|对(?![应比面])", lambda m: ()),
    ("by", r"被|由|(?<!\w)by(?!\w)", lambda m: ()),
)  # fmt: skip
_COMPILED = tuple((op, re.compile(pattern), value) for op, pattern, value in _PATTERNS)


def specials(text: str) -> Iterator[Special]:
    """All marks of combining; they may overlap."""
    for op, pattern, value in _COMPILED:
        for match in pattern.finditer(text):
            told = value(match)
            if told is not None and match.end() > match.start():
                yield match.start(), match.end(), op, told
