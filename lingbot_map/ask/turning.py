"""Words by which a sentence says something else with the same names and numbers: "below" for "above", "rejects" for
"approves", "it is false that", "unless", a minus, "one hundred thousand, precisely 100".

Which of them means the same as which can't be told from words alone, so one may be said only where a word of its class
stands in what the sentence rests on. What is refused here costs a wording; the answer stays as it was computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lingbot_map.ask.text import folded

_CLASSES = tuple(
    re.compile(pattern)
    for pattern in (
        # more, and less
        r"\b(?:above|over|more than|greater|higher|larger|longer|exceed\w*|at least|minimum|increas\w*"
        r"|ris(?:e|es|ing|en))\b"
        r"|以上|(?<!不)(?:高于|大于|多于|超过|超出)|至少|最少|不低于|不少于|不小于|增加|上升|提高",
        r"\b(?:below|under|less|fewer|lower|smaller|shorter|at most|up to|maximum|decreas\w*|reduc\w*|drop(?:s|ped)?)\b"
        r"|以下|(?<!不)(?:低于|小于|少于)|不足|至多|最多|不超过|不高于|不多于|不大于|减少|下降|降低|上限",
        # earlier than
        r"\b(?:before|earlier|prior|until|preced\w*)\b|之前|以前|早于|先于",
        # the opposite of a deed, and that something is not so in words that are no "not"
        r"\b(?:reject\w*|refus\w*|den(?:y|ies|ied|ying)|declin\w*|forb[ia]d\w*|prohibit\w*|prevent\w*|oppos\w*|against|ban(?:s|ned)?"
        r"|block\w*|cancel\w*|revok\w*|undo\w*|revers\w*|remov\w*|delet\w*|disabl\w*)\b"
        r"|拒绝|驳回|禁止|阻止|反对|撤销|取消|删除|移除|停用|禁用",
        r"\b(?:hardly|rarely|seldom|barely|scarcely|false|untrue|wrong\w*|mistaken\w*|incorrect\w*|fail\w*|lack\w*|unable|instead"
        r"|rather than|stop(?:s|ped)?|ceas\w*|no longer|contrary|lies?|myth)\b"
        r"|很少|极少|罕见|鲜少|几乎|错误|有误|失败|缺少|缺乏|停止|不再|而是|相反|谎|虚假|假的",
        # a bound that was not there
        r"\b(?:unless|except\w*|excluding|other than|apart from|provided|as long as|only if)\b"
        r"|除非|除了|除外|只要|前提是",
    )
)
_NUMERALS = re.compile(
    r"\b(?:zero|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty"
    r"|hundreds?|thousands?|millions?|billions?|dozens?|half|twice|thrice|doubl\w*|tripl\w*|quarters?)\b"
    r"|[一二两三四五六七八九十百千]+[百千万亿]+|[半两双]倍|翻倍|一半|半数|过半"
)
_SIGNED = re.compile(r"(?:(?<![\w.)\]）])[-−–]|\bminus |\bnegative |负)\s?\d+(?:\.\d+)*")
_SIGN = re.compile(r"^\D+")


def turned(text: str, rests_on: Sequence[str]) -> list[str]:
    """The words of a sentence that may turn around what it rests on: nothing there is of their class."""
    said, given = folded(text), folded("\n".join(rests_on))
    return list(dict.fromkeys(_turned(said, given)))


def _turned(said: str, given: str) -> Iterator[str]:
    for each in _CLASSES:
        found = each.search(said)
        if found and not each.search(given):
            yield found[0]
    known = set(_NUMERALS.findall(given))
    yield from (word for word in _NUMERALS.findall(said) if word not in known)
    signed = {_SIGN.sub("-", number) for number in _SIGNED.findall(given)}
    yield from (number for number in _SIGNED.findall(said) if _SIGN.sub("-", number) not in signed)
